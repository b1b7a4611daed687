"""Codes of the ``config`` layer."""

from fabricgen.errors.catalog.rule import Rule

__all__ = ["RULES"]

_SECTION = "docs/carrier.md, Which fields there are"

RULES: dict[str, Rule] = {
    "carrier-width": Rule("A carrier has exactly the bits of its layout.", _SECTION),
    "carrier-inactive-bits": Rule("A Disabled carrier is all zero.", _SECTION),
    "carrier-unused-row": Rule("A row that is not valid has zero payload bits.", _SECTION),
    "carrier-index-range": Rule("An index names a member of its canonical inventory.", _SECTION),
    "carrier-unused-field": Rule("A field of an inactive role is zero.", _SECTION),
    "op-value": Rule("A resource is configured to a value of its own semantic field.", _SECTION),
    "op-code": Rule("The code in a resource's field is that of one of its keys.", _SECTION),
    "op-carrier": Rule("The carrier in a resource's field is one that an actor needs.", _SECTION),
    "carrier-not-canonical": Rule("A configuration has exactly one carrier.", _SECTION),
}
