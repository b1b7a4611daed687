"""Executor of a configured occurrence in Python integers."""
