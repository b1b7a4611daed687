"""Codes of the ``wire`` layer."""

from fabricgen.errors.catalog.rule import Rule

__all__ = ["RULES"]

RULES: dict[str, Rule] = {
    "wire-truncated": Rule(
        "Every count, frame and field must fit the bytes that are left.",
        "Persistent Capability Schema",
    ),
    "wire-trailing": Rule(
        "A record ends exactly where its last field ends.",
        "Persistent Capability Schema",
    ),
    "wire-unknown-tag": Rule(
        "A closed union or enumeration admits only its stable tags.",
        "Persistent Capability Schema",
    ),
    "wire-not-canonical": Rule(
        "Bytes equal the encoding of the record that they decode to.",
        "Persistent Capability Schema",
    ),
}
