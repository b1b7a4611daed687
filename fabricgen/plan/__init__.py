"""Everything derived from records and rows by pure functions."""
