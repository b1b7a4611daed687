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
    "operation-unknown": Rule(
        "An operation is named by its registered schema; aliases are normalised before.",
        "Ownership",
    ),
    "value-type-range": Rule(
        "A value type has positive widths and extents, and its total width fits 32 bits.",
        "Ownership",
    ),
    "payload-range": Rule(
        "The semantic payload of an operation holds only values that its case defines.",
        "Ownership",
    ),
    "payload-accuracy-needs-afn": Rule(
        "An accuracy tier other than CorrectlyRounded needs the afn permission on the operation.",
        "Initial Special-Math Families",
    ),
    "actor-payload-case": Rule(
        "An actor carries the semantic payload case that its schema owns.",
        "Ownership",
    ),
    "actor-shape": Rule(
        "Operands, results and payload of an actor agree as its operation defines.",
        "Ownership",
    ),
    "actor-payload-flag": Rule(
        "A schema that admits only the flagged form has its flag set; the unflagged form is "
        "normalised to the standard schema.",
        "Initial Scalar Compute Families",
    ),
    "actor-rounding": Rule(
        "A rounding mode stands only on an operation whose result may be rounded.",
        "Ownership",
    ),
}
