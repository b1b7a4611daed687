"""Codes of the ``author`` layer: what people write, and the files that it lies in."""

from fabricgen.errors.catalog.rule import Rule

__all__ = ["RULES"]

_CAPABILITY = "Persistent Capability Schema"
_ENGINE = "Canonical Engine Definition"
_OWNERSHIP = "Ownership And Derived Configuration"
_ROWS = "Operation Rows And Internal Dependencies"
_SERVICE = "Local Memory Service"

RULES: dict[str, Rule] = {
    "file-unreadable": Rule("A named input is a file that can be read.", _OWNERSHIP),
    "not-utf8": Rule("A document is UTF-8 text.", _OWNERSHIP),
    "toml-syntax": Rule("A document is TOML 1.0.", _OWNERSHIP),
    "unknown-key": Rule(
        "A table has only the keys that the document's schema names; json-schema prints it.",
        _OWNERSHIP,
    ),
    "missing-key": Rule(
        "Every fact of the hardware is written down; none has a default.", _OWNERSHIP
    ),
    "wrong-type": Rule("A value has the type that the document's schema names.", _OWNERSHIP),
    "unknown-value": Rule("A choice is one of the words that are listed for it.", _OWNERSHIP),
    "value-out-of-range": Rule("A number lies within the bounds of its field.", _OWNERSHIP),
    "list-length": Rule("A list that describes hardware is not empty.", _CAPABILITY),
    "name-format": Rule(
        "Names are letters, digits and single separators, since files and ports carry them.",
        _OWNERSHIP,
    ),
    "duplicate-name": Rule("A name stands for one thing within its list.", _ENGINE),
    "unknown-name": Rule("A name that is referred to is declared.", _ENGINE),
    "temporal-schedule": Rule(
        "Temporal engines are legal; this generator builds Spatial ones.",
        "Temporal Ports And Resident Capacity",
    ),
    "missing-memory-capability-contract": Rule(
        "Shorthand that does not determine complete port and service records is refused.",
        "OperationSchema Ownership And Fail-Closed Boundary",
    ),
    "port-without-alternative": Rule("A port has at least one capability alternative.", _ENGINE),
    "operand-depth-roles": Rule(
        "Every input role of a port has an operand queue with a declared depth.", _ROWS
    ),
    "alignment-not-power-of-two": Rule("An alignment is a power of two of bytes.", _CAPABILITY),
    "unknown-region": Rule("A capability reaches regions of its own service.", _SERVICE),
    "region-partly-served": Rule(
        "Adjacent regions with one behaviour are one region, so a capability reaches all of it.",
        _SERVICE,
    ),
}
