"""Codes of the ``rtl`` layer: what a datapath provider lacks for a legal resource."""

from fabricgen.errors.catalog.rule import Rule

__all__ = ["RULES"]

RULES: dict[str, Rule] = {
    "family-without-provider": Rule(
        "The implementation family of a resource has a datapath provider.",
        "Normative Family Registry",
        kind="unsupported",
    ),
    "provider-timing": Rule(
        "The declared latency and initiation interval are ones that the provider can realise.",
        "Concrete Capability Rules",
        kind="unsupported",
    ),
}
