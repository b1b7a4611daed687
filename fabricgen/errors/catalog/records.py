"""Codes of the ``records`` layer."""

from fabricgen.errors.catalog.rule import Rule

__all__ = ["RULES"]

RULES: dict[str, Rule] = {
    "manager-ordinal-range": Rule(
        "A manager ordinal is an unsigned 64-bit integer.",
        "Configurable Service Dispatch",
    ),
    "subordinate-binding-bound": Rule(
        "A subordinate endpoint exposes at least one binding, and a bounded number of them.",
        "Configurable Service Dispatch",
    ),
    "subordinate-match-order": Rule(
        "Match fields are a sorted set.",
        "Configurable Service Dispatch",
    ),
    "subordinate-match-missing": Rule(
        "Several configured bindings need a match field that tells them apart.",
        "Configurable Service Dispatch",
    ),
    "subordinate-target-order": Rule(
        "A target domain is a non-empty sorted set.",
        "Configurable Service Dispatch",
    ),
}
