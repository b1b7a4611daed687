"""Operation schemas, and the exact views derived from one actor."""
