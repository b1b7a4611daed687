"""Codes of the ``model`` layer."""

from fabricgen.errors.catalog.rule import Rule

__all__ = ["RULES"]

RULES: dict[str, Rule] = {
    "workload-race": Rule(
        "Two accesses of one byte, of which one writes, must be ordered: by tokens that go from "
        "the row of the first to that of the second, or, at the Local Memory Service, by belonging "
        "to one row. Nothing orders the beats of a subordinate and anything else. Otherwise the "
        "outcome is not one value.",
        "Operation Rows And Internal Dependencies",
    ),
    "workload-atomic-alignment": Rule(
        "An actor promises the alignment of its atomic accesses, so a workload's pointers keep it: "
        "each object lies at a multiple of its size.",
        "Persistent Capability Schema",
    ),
    "model-float-format": Rule(
        "The model computes with IEEE floats of 16, 32 and 64 bits; read-modify-writes of others "
        "have hardware, and are not simulated.",
        "Dynamic Consistency Execution",
        kind="unsupported",
    ),
    "workload-unconsumed": Rule(
        "Every token of a selected connection but the last is taken by each of its consumers; "
        "otherwise the producer holds firings that it can never publish, and how many of them "
        "have touched memory depends on time.",
        "Operation Rows And Internal Dependencies",
    ),
    "workload-output-order": Rule(
        "Rows that publish on one endpoint with one tag publish equal tokens in a workload: "
        "nothing orders them there.",
        "Temporal Ports And Resident Capacity",
    ),
    "stream-not-an-input": Rule(
        "Tokens are offered to input endpoints of the occurrence only.",
        "Spatial Ports",
    ),
    "stream-token-width": Rule(
        "A token fits the payload of its endpoint; a control token is 0.",
        "Spatial Ports",
    ),
    "stream-tag-width": Rule(
        "A stream has a Physical Tag exactly where its endpoint is tagged, and one that fits.",
        "Temporal Ports And Resident Capacity",
    ),
    "memory-contents-size": Rule(
        "Initial contents cover the Local Memory Service's capacity exactly.",
        "Local Memory Service",
    ),
    "beat-not-a-subordinate": Rule(
        "Beats go to subordinate endpoints of the occurrence only.",
        "Memory Spaces And Interfaces",
    ),
    "manager-contents": Rule(
        "Initial contents behind a manager are bytes at addresses of 64 bits.",
        "Configurable Service Dispatch",
    ),
}
