"""Codes of the ``atoms`` layer."""

from fabricgen.errors.catalog.rule import Rule

__all__ = ["RULES"]

RULES: dict[str, Rule] = {
    "interval-out-of-range": Rule(
        "An interval holds unsigned 64-bit bounds, lower first.",
        "Persistent Capability Schema",
    ),
    "domain-empty": Rule(
        "A domain holds at least one value.",
        "Persistent Capability Schema",
    ),
    "domain-not-canonical": Rule(
        "Intervals are sorted, disjoint and merged where adjacent; the authoring door does it.",
        "Persistent Capability Schema",
    ),
    "alignment-out-of-range": Rule(
        "Alignment exponents lie in [0, 63].",
        "Persistent Capability Schema",
    ),
}
