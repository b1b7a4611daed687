"""What stands behind the managers of a memory, and what it cannot ask for."""

from collections.abc import Iterator
from dataclasses import fields

from fabricgen.errors import Diagnostic
from fabricgen.plan.manager_use import manager_use
from fabricgen.records.fabric import NamedMemory

__all__ = ["operation_findings", "protocol_findings"]

#: Bits of the widest bus of AXI4.
_AXI4_LIMIT = 1024


def protocol_findings(named: NamedMemory) -> Iterator[Diagnostic]:
    """Say whether there is an adapter for the protocol, and for managers of their widths."""
    protocol = named.implementation.manager_protocol
    if protocol not in ("stream", "axi4"):
        yield Diagnostic(
            "manager-protocol",
            "implementation.manager_protocol",
            f"The protocol of managers must be stream or axi4, not {protocol[:64]}",
        )
    for ordinal, manager in enumerate(named.occurrence.manager_endpoints):
        if protocol == "axi4" and manager.beat_width_bits > _AXI4_LIMIT:
            yield Diagnostic(
                "manager-protocol-width",
                f"manager_endpoints[{ordinal}].beat_width_bits",
                f"A manager over axi4 must have beats of at most {_AXI4_LIMIT} bits, "
                f"not {manager.beat_width_bits}",
            )


def operation_findings(named: NamedMemory) -> Iterator[Diagnostic]:
    """Refuse ports that may ask an adapter for more than plain loads and stores."""
    if named.implementation.manager_protocol != "axi4":
        return
    for port in range(len(named.occurrence.operation_ports)):
        for manager in range(len(named.occurrence.manager_endpoints)):
            atomics = manager_use(named.occurrence, port, manager).atomics
            asked = [field.name for field in fields(atomics) if getattr(atomics, field.name)]
            if asked:
                yield Diagnostic(
                    "manager-protocol-operation",
                    f"port[{port}]",
                    f"A manager over axi4 must be asked for plain loads and stores only, not for "
                    f"{', '.join(_WORDS[name] for name in asked)} at manager {manager}",
                )


_WORDS = {
    "rmw": "read-modify-writes",
    "exchange": "compare-exchanges",
    "fence": "fences",
    "ordered": "orderings",
    "weak": "weak comparisons",
}
