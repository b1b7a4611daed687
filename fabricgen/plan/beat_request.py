"""One beat that somebody sends to a subordinate endpoint (reference: Subordinates)."""

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.errors import Diagnostic
from fabricgen.plan.subordinate_use import served_kinds
from fabricgen.records.fabric import NamedMemory

__all__ = ["BeatEndpoint", "BeatRequest", "beat_endpoint", "beat_findings"]

#: What a bus can ask for, by kind.
_BUS_KINDS = ("read", "write")
_READ = 0


@dataclass(frozen=True, slots=True)
class BeatRequest:
    """One request: kind (0 read, 1 write, else none), and the fields that the stream has.

    Data bytes outside the strobe mean nothing.
    """

    kind: int
    address: int
    strobe: int
    data: int = 0
    address_space: int = 0
    context: int = 0


@dataclass(frozen=True, slots=True)
class BeatEndpoint:
    """What is asked: bytes of a beat, the protocol, and the kinds that it serves."""

    beat_bytes: int
    protocol: str = "stream"
    kinds: tuple[int, ...] = (0, 1)


def beat_endpoint(named: NamedMemory, ordinal: int) -> BeatEndpoint:
    """One subordinate of a memory."""
    return BeatEndpoint(
        named.occurrence.subordinate_endpoints[ordinal].beat_width_bits // 8,
        named.implementation.subordinate_protocol,
        served_kinds(named, ordinal),
    )


def beat_findings(beat: BeatRequest, endpoint: BeatEndpoint) -> Iterator[Diagnostic]:
    """Say which fields do not fit an endpoint."""
    beat_bytes, protocol = endpoint.beat_bytes, endpoint.protocol
    widths = {
        "kind": 3,
        "address": 64,
        "strobe": beat_bytes,
        "data": 8 * beat_bytes,
        "address_space": 32,
        "context": 64,
    }
    fits = True
    for name, bits in widths.items():
        value: int = getattr(beat, name)
        if not 0 <= value < 1 << bits:
            fits = False
            shown = f"{value:#x}" if value.bit_length() <= 2 * bits else "one much wider"
            yield Diagnostic(
                "beat-field-width", name, f"The value must have at most {bits} bits, not be {shown}"
            )
    if fits and protocol != "stream":
        yield from _bus_findings(beat, endpoint)


def _bus_findings(beat: BeatRequest, endpoint: BeatEndpoint) -> Iterator[Diagnostic]:
    """Say which fields no transfer of a bus can have: on the stream they make an error."""
    beat_bytes, protocol, code = endpoint.beat_bytes, endpoint.protocol, "beat-protocol"
    if beat.kind not in endpoint.kinds:
        # A bus lacks the channels of what is not served.
        served = " or ".join(f"a {_BUS_KINDS[kind]}" for kind in endpoint.kinds)
        kind = f"a {_BUS_KINDS[beat.kind]}" if beat.kind < len(_BUS_KINDS) else str(beat.kind)
        yield Diagnostic(code, "kind", f"Over {protocol} a beat here must be {served}, not {kind}")
    if beat.address % beat_bytes:
        message = f"Over {protocol} a beat must be at a multiple of its {beat_bytes} bytes"
        yield Diagnostic(code, "address", f"{message}, not at {beat.address:#x}")
    if not beat.strobe:
        yield Diagnostic(code, "strobe", f"Over {protocol} a beat must have a byte, not none")
    elif protocol == "axi4_lite" and beat.kind == _READ and not _is_end(beat.strobe, beat_bytes):
        message = f"Over {protocol} a read must be of all bytes from one on"
        yield Diagnostic(code, "strobe", f"{message}, not of {beat.strobe:#b}")


def _is_end(strobe: int, beat_bytes: int) -> bool:
    """Whether the bytes are all of a beat from the first one on."""
    return strobe + (strobe & -strobe) == 1 << beat_bytes
