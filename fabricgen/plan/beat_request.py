"""One beat that somebody sends to a subordinate endpoint (reference: Subordinates)."""

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.errors import Diagnostic

__all__ = ["BUS_KINDS", "BeatRequest", "beat_findings"]

#: What a bus can ask for, by kind.
BUS_KINDS = ("read", "write")
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


def beat_findings(beat: BeatRequest, beat_bytes: int, protocol: str) -> Iterator[Diagnostic]:
    """Say which fields do not fit an endpoint of this protocol with beats of so many bytes."""
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
        yield from _bus_findings(beat, beat_bytes, protocol)


def _bus_findings(beat: BeatRequest, beat_bytes: int, protocol: str) -> Iterator[Diagnostic]:
    """Say which fields no transfer of a bus can have: on the stream they make an error."""
    kinds, code = len(BUS_KINDS), "beat-protocol"
    if beat.kind >= kinds:
        message = f"Over {protocol} a beat must be a {' or a '.join(BUS_KINDS)}, not {beat.kind}"
        yield Diagnostic(code, "kind", message)
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
