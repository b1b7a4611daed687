"""Spatial operation engines: one row per port, held in registers."""
