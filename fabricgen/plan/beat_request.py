"""One beat that somebody sends to a subordinate endpoint (reference: Subordinates)."""

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.errors import Diagnostic

__all__ = ["BeatRequest", "beat_findings"]


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


def beat_findings(beat: BeatRequest, beat_bytes: int) -> Iterator[Diagnostic]:
    """Say which fields do not fit the stream of an endpoint with beats of so many bytes."""
    widths = {
        "kind": 3,
        "address": 64,
        "strobe": beat_bytes,
        "data": 8 * beat_bytes,
        "address_space": 32,
        "context": 64,
    }
    for name, bits in widths.items():
        value: int = getattr(beat, name)
        if not 0 <= value < 1 << bits:
            shown = f"{value:#x}" if value.bit_length() <= 2 * bits else "one much wider"
            yield Diagnostic(
                "beat-field-width", name, f"The value must have at most {bits} bits, not be {shown}"
            )
