"""Beats at subordinate endpoints, byte by byte (spec: Configurable Service Dispatch).

The beats of one endpoint take effect in their order. A beat that some byte keeps from being served
touches nothing. Over a bus that is so of each transfer that a beat takes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from fabricgen.errors import Diagnostic
from fabricgen.model.targets import LocalMemory
from fabricgen.model.touched import RowAccesses
from fabricgen.plan.beat_request import BeatRequest, beat_endpoint, beat_findings
from fabricgen.plan.beat_transfers import transfers
from fabricgen.plan.provider_decode import PREFIX_BITS
from fabricgen.plan.rows import (
    Active,
    AddressSpaceMatch,
    ContextMatch,
    MatchValue,
    MemoryConfiguration,
    PrefixMatch,
    ProviderDecodeRow,
    RangeMatch,
)
from fabricgen.plan.subordinate_use import subordinate_use
from fabricgen.records.fabric import NamedMemory

__all__ = [
    "BeatAnswer",
    "Exposed",
    "exposed_findings",
    "exposed_races",
    "serve_beats",
]

_READ, _WRITE = 0, 1
_ADDRESS_MODULUS = 2**64


@dataclass(frozen=True, slots=True)
class BeatAnswer:
    """Bytes that were read, at their places and zero elsewhere, and whether the beat failed."""

    data: int = 0
    error: bool = False


@dataclass(slots=True)
class Exposed:
    """What came of the beats of one endpoint: answers, and bytes of the service touched."""

    answers: list[BeatAnswer] = field(default_factory=list[BeatAnswer])
    read: set[int] = field(default_factory=set[int])
    written: set[int] = field(default_factory=set[int])


def exposed_findings(
    named: NamedMemory, requests: Mapping[int, Sequence[BeatRequest]]
) -> Iterator[Diagnostic]:
    """Report each request that is none of its endpoint's stream."""
    endpoints = named.occurrence.subordinate_endpoints
    for ordinal, beats in requests.items():
        if not 0 <= ordinal < len(endpoints):
            yield Diagnostic(
                "beat-not-a-subordinate",
                f"requests[{ordinal}]",
                f"Beats must go to one of {len(endpoints)} subordinates, not to {ordinal}",
            )
            continue
        endpoint = beat_endpoint(named, ordinal)
        for number, beat in enumerate(beats):
            for each in beat_findings(beat, endpoint):
                yield replace(each, where=f"requests[{ordinal}][{number}].{each.where}")


def serve_beats(
    named: NamedMemory,
    configuration: MemoryConfiguration,
    ordinal: int,
    beats: Sequence[BeatRequest],
    memory: LocalMemory,
) -> Exposed:
    """Serve the beats of one subordinate, which changes ``memory``."""
    decode = configuration.provider_decode[ordinal] if isinstance(configuration, Active) else ()
    rows = [row for row in decode if row is not None]
    reached = _reached(named, ordinal)
    size = named.occurrence.subordinate_endpoints[ordinal].beat_width_bits // 8
    found = Exposed()
    for beat in beats:
        data, error = 0, False
        for part in transfers(beat, named.implementation.subordinate_protocol):
            got = _serve(part, _places(part, size, rows, reached), memory, found)
            data, error = data | got.data, error or got.error
        found.answers.append(BeatAnswer(0 if error else data, error))
    return found


def exposed_races(
    named: NamedMemory, exposed: Mapping[int, Exposed], rows: Sequence[RowAccesses]
) -> Iterator[Diagnostic]:
    """Report each subordinate that shares a byte of the service with a row or another one."""
    names = named.names.subordinates
    for ordinal, each in sorted(exposed.items()):
        for row in rows:
            touched = set(row.first())
            racing = each.written & touched
            if row.is_write:
                racing |= each.read & touched
            if racing:
                yield _race(ordinal, names[ordinal], f"row {row.row}", min(racing))
    for (first, left), (second, right) in combinations(sorted(exposed.items()), 2):
        racing = left.written & (right.read | right.written) | left.read & right.written
        if racing:
            yield _race(second, names[second], f"subordinate {names[first]}", min(racing))


def _race(ordinal: int, name: str, other: str, byte: int) -> Diagnostic:
    return Diagnostic(
        "workload-race",
        f"requests[{ordinal}]",
        f"Beats must share a byte only to read it, as nothing orders them, but subordinate "
        f"{name} and {other} both touch byte {byte:#x} and one of them writes it",
    )


def _reached(named: NamedMemory, ordinal: int) -> Mapping[int, Sequence[tuple[int, int]]]:
    """First byte and end of each region that reads and that writes reach."""
    service = named.occurrence.local_service
    if service is None:
        return {}
    use, regions = subordinate_use(named, ordinal), service.memory_service_contract.regions
    bounds = [(region.address_base_bytes, region.end_bytes) for region in regions]
    chosen = {_READ: use.read_regions, _WRITE: use.write_regions}
    return {kind: [bounds[at] for at in ordinals] for kind, ordinals in chosen.items()}


def _places(
    beat: BeatRequest,
    size: int,
    rows: Sequence[ProviderDecodeRow],
    reached: Mapping[int, Sequence[tuple[int, int]]],
) -> Mapping[int, int] | None:
    """Byte of the service of each active lane; ``None`` for a beat that is an error."""
    lanes = [lane for lane in range(size) if beat.strobe >> lane & 1]
    if not lanes or beat.address % size:
        return None
    regions = reached.get(beat.kind, ())
    for row in rows:
        if all(_holds(row.match, beat, beat.address + lane) for lane in lanes):
            moved = {
                lane: (beat.address + lane + row.base_offset) % _ADDRESS_MODULUS for lane in lanes
            }
            is_inside = all(
                any(base <= place < end for base, end in regions) for place in moved.values()
            )
            return moved if is_inside else None
    return None


def _holds(match: Sequence[MatchValue], beat: BeatRequest, address: int) -> bool:
    """Whether one byte of a beat matches every value."""
    return all(_is_held(value, beat, address) for value in match)


def _is_held(value: MatchValue, beat: BeatRequest, address: int) -> bool:
    match value:
        case RangeMatch(base, size):
            return base <= address < base + size
        case PrefixMatch(top, length):
            return (address ^ top) >> PREFIX_BITS - length == 0
        case AddressSpaceMatch(number):
            return beat.address_space == number
        case ContextMatch(number):  # exhaustive
            return beat.context == number


def _serve(
    beat: BeatRequest, places: Mapping[int, int] | None, memory: LocalMemory, found: Exposed
) -> BeatAnswer:
    if places is None:
        return BeatAnswer(error=True)
    data = 0
    for lane, place in places.items():
        if beat.kind == _WRITE:
            memory.write(place, bytes([beat.data >> 8 * lane & 0xFF]))
        else:
            data |= memory.read(place, 1)[0] << 8 * lane
    (found.written if beat.kind == _WRITE else found.read).update(places.values())
    return BeatAnswer(data)
