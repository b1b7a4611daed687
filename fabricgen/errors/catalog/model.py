"""Codes of the ``model`` layer."""

from fabricgen.errors.catalog.rule import Rule

__all__ = ["RULES"]

RULES: dict[str, Rule] = {
    "workload-race": Rule(
        "Two rows may touch one byte only if both read it: nothing orders the rows of a Spatial "
        "occurrence but their own tokens, so the outcome of a race is not one value.",
        "Operation Rows And Internal Dependencies",
    ),
    "stream-not-an-input": Rule(
        "Tokens are offered to input endpoints of the occurrence only.",
        "Spatial Ports",
    ),
    "stream-token-width": Rule(
        "A token fits the payload of its endpoint; a control token is 0.",
        "Spatial Ports",
    ),
    "memory-contents-size": Rule(
        "Initial contents cover the Local Memory Service's capacity exactly.",
        "Local Memory Service",
    ),
}
