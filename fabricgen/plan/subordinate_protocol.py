"""What stands in front of the subordinates of a memory, and what it cannot carry."""

from collections.abc import Iterator

from fabricgen.errors import Diagnostic
from fabricgen.records.fabric import NamedMemory
from fabricgen.vocab.dispatch import MatchField
from fabricgen.vocab.words import word

__all__ = ["subordinate_protocol_findings"]

_PROTOCOLS = ("stream", "axi4", "axi4_lite")
#: Bits of the widest bus of AXI4, and those that AXI4-Lite has.
_AXI4_LIMIT, _LITE_WIDTHS = 1024, (32, 64)
#: What user signals say, which AXI4-Lite lacks.
_NOT_LITE = (MatchField.ADDRESS_SPACE, MatchField.CONTEXT)


def subordinate_protocol_findings(named: NamedMemory) -> Iterator[Diagnostic]:
    """Say whether there is an adapter for the protocol, and for what the subordinates are."""
    protocol, connectivity = (
        named.implementation.subordinate_protocol,
        named.occurrence.connectivity,
    )
    if protocol not in _PROTOCOLS:
        yield Diagnostic(
            "subordinate-protocol",
            "implementation.subordinate_protocol",
            f"The protocol of subordinates must be {', '.join(_PROTOCOLS[:-1])} or "
            f"{_PROTOCOLS[-1]}, not {protocol[:64]}",
        )
    for ordinal, endpoint in enumerate(named.occurrence.subordinate_endpoints):
        where, width = f"subordinate_endpoints[{ordinal}]", endpoint.beat_width_bits
        if protocol == "axi4" and width > _AXI4_LIMIT:
            yield Diagnostic(
                "subordinate-protocol-width",
                f"{where}.beat_width_bits",
                f"A subordinate over axi4 must have beats of at most {_AXI4_LIMIT} bits, "
                f"not {width}",
            )
        if protocol != "axi4_lite":
            continue
        if width not in _LITE_WIDTHS:
            yield Diagnostic(
                "subordinate-protocol-width",
                f"{where}.beat_width_bits",
                f"A subordinate over axi4_lite must have beats of "
                f"{' or '.join(map(str, _LITE_WIDTHS))} bits, not {width}",
            )
        fields = connectivity.subordinate_endpoints[ordinal].match_fields
        if matched := [word(field) for field in _NOT_LITE if field in fields]:
            yield Diagnostic(
                "subordinate-protocol-match",
                f"{where}.match_fields",
                f"A subordinate over axi4_lite must match addresses alone, "
                f"not {' and '.join(matched)}",
            )
