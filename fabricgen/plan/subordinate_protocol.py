"""What stands in front of the subordinates of a memory, and what it cannot carry."""

from collections.abc import Iterator

from fabricgen.errors import Diagnostic
from fabricgen.records.fabric import NamedMemory

__all__ = ["subordinate_protocol_findings"]

#: Bits of the widest bus of AXI4.
_AXI4_LIMIT = 1024


def subordinate_protocol_findings(named: NamedMemory) -> Iterator[Diagnostic]:
    """Say whether there is an adapter for the protocol, and for subordinates of their widths."""
    protocol = named.implementation.subordinate_protocol
    if protocol not in ("stream", "axi4"):
        yield Diagnostic(
            "subordinate-protocol",
            "implementation.subordinate_protocol",
            f"The protocol of subordinates must be stream or axi4, not {protocol[:64]}",
        )
    for ordinal, endpoint in enumerate(named.occurrence.subordinate_endpoints):
        if protocol == "axi4" and endpoint.beat_width_bits > _AXI4_LIMIT:
            yield Diagnostic(
                "subordinate-protocol-width",
                f"subordinate_endpoints[{ordinal}].beat_width_bits",
                f"A subordinate over axi4 must have beats of at most {_AXI4_LIMIT} bits, "
                f"not {endpoint.beat_width_bits}",
            )
