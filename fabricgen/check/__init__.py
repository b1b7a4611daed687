"""Rules that need more than one record."""
