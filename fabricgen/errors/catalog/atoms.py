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
        "A domain lists its values sorted and once, its intervals merged; authoring doors do it.",
        "Persistent Capability Schema",
    ),
    "alignment-out-of-range": Rule(
        "Alignment exponents lie in [0, 63].",
        "Persistent Capability Schema",
    ),
    "atom-unknown": Rule(
        "An atom is exactly the bytes that its owner's codec gives to a known value.",
        "OperationSchema Ownership And Fail-Closed Boundary",
    ),
    "pointer-format-range": Rule(
        "The widths of a pointer format are 32-bit numbers, and its address is not empty and fits "
        "its representation.",
        "Persistent Capability Schema",
    ),
    "sync-scope-name": Rule(
        "A Target scope has a namespace and a key, both text; other scopes have neither.",
        "OperationSchema Ownership And Fail-Closed Boundary",
    ),
}
