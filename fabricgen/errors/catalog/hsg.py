"""Codes of the ``hsg`` layer."""

from fabricgen.errors.catalog.rule import Rule

__all__ = ["RULES"]

RULES: dict[str, Rule] = {
    "family-unknown": Rule(
        "A concrete resource names exactly one registered implementation family.",
        "Concrete Capability Rules",
    ),
}
