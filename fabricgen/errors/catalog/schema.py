"""Codes of the ``schema`` layer."""

from fabricgen.errors.catalog.rule import Rule

__all__ = ["RULES"]

RULES: dict[str, Rule] = {
    "access-view-range": Rule(
        "Element width, lane count and index width of an access are positive 64-bit integers.",
        "Persistent Capability Schema",
    ),
    "access-view-alignment": Rule(
        "A byte alignment is a non-zero power of two.",
        "Persistent Capability Schema",
    ),
    "access-view-lanes": Rule(
        "An element access has one lane.",
        "Persistent Capability Schema",
    ),
    "access-view-mask": Rule(
        "An element access carries no lane mask.",
        "Endpoint Width Ownership And Vector Admission",
    ),
}
