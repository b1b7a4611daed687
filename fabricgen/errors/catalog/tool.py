"""Codes of what commands run beside themselves."""

from fabricgen.errors.catalog.rule import Rule

__all__ = ["RULES"]

_SECTION = "docs/guide.md, Commands"

RULES: dict[str, Rule] = {
    "macro-without-wrapper": Rule(
        "Macros take the place of storage that is in modules of its own.",
        "docs/guide.md, Memory macros",
    ),
    "tool-missing": Rule(
        "What a step runs is installed; the message says how.", _SECTION, kind="failure"
    ),
    "simulation-capacity-limit": Rule(
        "A simulated memory is small enough for its contents to be compared.",
        _SECTION,
        kind="unsupported",
    ),
    "simulation-without-memory": Rule(
        "A simulated fabric has a memory, to which the workload belongs; its ops are idle.",
        _SECTION,
        kind="unsupported",
    ),
    "simulation-manager-protocol": Rule(
        "On the simulator python a memory has managers of the protocol stream: the memory behind a "
        "bus is a cocotb model.",
        _SECTION,
        kind="unsupported",
    ),
    "simulation-subordinate-protocol": Rule(
        "On the simulator python a memory has subordinates of the protocol stream: the master "
        "before a bus is a cocotb model.",
        _SECTION,
        kind="unsupported",
    ),
    "simulation-failed": Rule(
        "A simulation is built and runs to its end.", _SECTION, kind="failure"
    ),
}
