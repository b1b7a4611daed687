"""Operation schemas of the memory actors, and the exact views derived from one actor."""
