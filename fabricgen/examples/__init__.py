"""Shipped examples: one folder of documents and data each, see ``fabricgen examples``."""
