"""Subordinates of a random fabric: their dispatch and protocol, decode rows, and beats."""

import random
from collections.abc import Callable, Iterator, Sequence

from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.author.requests import ExpectedAnswer, Requests
from fabricgen.model.exposed import serve_beats
from fabricgen.model.targets import LocalMemory
from fabricgen.plan.beat_request import BeatRequest, beat_endpoint, beat_findings
from fabricgen.plan.provider_decode import decode_findings, decode_order, empty_decode
from fabricgen.plan.rows import (
    AddressSpaceMatch,
    ContextMatch,
    MatchValue,
    MemoryConfiguration,
    PrefixMatch,
    ProviderDecode,
    ProviderDecodeRow,
    RangeMatch,
)
from fabricgen.records.connectivity import LocalMemoryServiceTarget, SubordinateDispatch
from fabricgen.records.fabric import NamedMemory
from fabricgen.vocab.dataflow import OperationSchemaId
from fabricgen.vocab.dispatch import AddressTransform, MatchField

__all__ = ["BYTES", "SubordinateDrawing", "draw_beats", "draw_decode"]

_READ, _WRITE = 0, 1
_LOAD, _STORE = OperationSchemaId.DATAFLOW_LOAD, OperationSchemaId.DATAFLOW_STORE
_PROTOCOLS = ("stream", "axi4", "axi4_lite")
_BEATS = 60
_ATTEMPTS = 20
#: Elements that capabilities of subordinates have.
BYTES = UnsignedDomain.of(8)

#: Whether these bytes of the service are the subordinate's to read, and to write.
Owned = Callable[[int, set[int], bool], bool]


class SubordinateDrawing:
    """Draws from a generator of its own: a fabric without subordinates does not depend on it."""

    def __init__(self, seed: str, *, has_local: bool, beat: int) -> None:
        self._rng = rng = random.Random(f"subordinate {seed}")
        count = rng.choice([0, 0, 1, 2]) if has_local else 0
        self.protocol = rng.choice(_PROTOCOLS) if count else "stream"
        is_lite = self.protocol == "axi4_lite"
        # A beat of the service is not much narrower, or one access takes too much logic.
        sizes = [32, 64] if is_lite else [8, 16, 32, 64, 128]
        fitting = [size for size in sizes if size <= 8 * beat] or sizes[:1]
        self.widths = tuple(rng.choice(fitting) for _ in range(count))
        self.dispatches = tuple(self._dispatch(is_lite) for _ in range(count))

    def _dispatch(self, is_lite: bool) -> SubordinateDispatch:
        rng = self._rng
        fields = [MatchField.RANGE, MatchField.PREFIX]
        fields += [] if is_lite else [MatchField.ADDRESS_SPACE, MatchField.CONTEXT]
        some = rng.sample(fields, rng.randint(0, min(3, len(fields))))
        chosen = sorted(some, key=lambda each: each.value)
        return SubordinateDispatch(
            rng.randint(1, 3) if chosen else 1,
            tuple(chosen),
            rng.choice(list(AddressTransform)),
            (LocalMemoryServiceTarget(),),
        )

    def queues(self) -> list[int]:
        """Beats of each that are in the service."""
        return [self._rng.choice([1, 2, 3, 6, 8]) for _ in self.widths]

    def capabilities(
        self, first: int, regions: int
    ) -> Iterator[tuple[OperationSchemaId, list[int], list[int]]]:
        """Actor, requesters and regions of capabilities; each subordinate has some.

        ``first`` is the requester of the first of them.
        """
        rng = self._rng
        asked = {_LOAD: list[int](), _STORE: list[int]()}
        for at in range(len(self.widths)):
            for schema in rng.choice([(_LOAD,), (_STORE,), (_LOAD, _STORE), (_LOAD, _STORE)]):
                asked[schema].append(first + at)
        for schema, requesters in asked.items():
            if requesters:
                yield schema, requesters, rng.sample(range(regions), rng.randint(1, regions))


def draw_decode(rng: random.Random, named: NamedMemory) -> ProviderDecode:
    """Legal decode rows, side by side where a range or prefix tells them apart."""
    decode = empty_decode(named.occurrence)
    for ordinal, unused in enumerate(decode):
        for _ in range(_ATTEMPTS):
            rows = sorted(_rows(rng, named, ordinal, len(unused)), key=decode_order)
            filled = (*rows, *unused[len(rows) :])
            trial = (*decode[:ordinal], filled, *decode[ordinal + 1 :])
            if not any(decode_findings(named.occurrence, trial)):
                decode = trial
                break
    return decode


def _rows(
    rng: random.Random, named: NamedMemory, ordinal: int, most: int
) -> Iterator[ProviderDecodeRow]:
    dispatch = named.occurrence.connectivity.subordinate_endpoints[ordinal]
    size = named.occurrence.subordinate_endpoints[ordinal].beat_width_bits // 8
    capacity = _capacity(named)
    is_moved = dispatch.address_transform is AddressTransform.CONSTANT_BASE_OFFSET
    base = rng.choice([0, 0x1003, 2**63]) if is_moved else rng.randrange(9)
    for number in range(rng.randint(0 if rng.random() < 0.1 else 1, most)):
        length = rng.randint(1, capacity)
        values: dict[MatchField, MatchValue] = {
            MatchField.RANGE: RangeMatch(base, length),
            MatchField.PREFIX: PrefixMatch(base >> 24 << 24, 40),
            MatchField.ADDRESS_SPACE: AddressSpaceMatch(number),
            MatchField.CONTEXT: ContextMatch(2**64 - 1 - number),
        }
        offset = 0
        if is_moved:
            offset = (rng.randrange(-size, max(1, capacity // 2)) - base) % 2**64
            if named.implementation.aligned_bases:
                offset = offset // size * size
        match = tuple(values[field] for field in dispatch.match_fields)
        yield ProviderDecodeRow(match, LocalMemoryServiceTarget(), offset)
        base += length + rng.randint(0, 9)


def draw_beats(
    rng: random.Random,
    named: NamedMemory,
    configuration: MemoryConfiguration,
    decode: ProviderDecode,
    owned: Owned,
) -> dict[tuple[int, int], Requests]:
    """Beats of each subordinate around its windows, of bytes that are its own."""
    found: dict[tuple[int, int], Requests] = {}
    for ordinal, rows in enumerate(decode):
        beats: list[BeatRequest] = []
        at: BeatRequest | None = None
        endpoint = beat_endpoint(named, ordinal)
        for _ in range(rng.randint(1, _BEATS)):
            at = _beat(
                rng,
                endpoint.beat_bytes,
                [row for row in rows if row is not None],
                _capacity(named),
                at,
            )
            if any(beat_findings(at, endpoint)):
                continue
            memory = LocalMemory(bytes(_capacity(named)))
            touched = serve_beats(named, configuration, ordinal, (at,), memory)
            if owned(ordinal, touched.written, True) and owned(ordinal, touched.read, False):
                beats.append(at)
        if beats:
            expected = (ExpectedAnswer(None, None),) * len(beats)
            found[0, ordinal] = Requests(tuple(beats), expected)
    return found


def _beat(
    rng: random.Random,
    size: int,
    rows: Sequence[ProviderDecodeRow],
    capacity: int,
    last: BeatRequest | None,
) -> BeatRequest:
    """One behind the last one, or anywhere near an end; a few are wrong in a field."""
    full = (1 << size) - 1
    strobe = rng.choice([full, full, rng.randint(1, full), full >> rng.randrange(size) or 1])
    data = rng.getrandbits(8 * size)
    if last is not None and rng.random() < 0.6:
        address = (last.address + size) % 2**64
        kind = last.kind if rng.random() < 0.8 else rng.choice([_READ, _WRITE])
        return BeatRequest(kind, address, strobe, data, last.address_space, last.context)
    space, context, starts = 0, 0, [0, capacity]
    if rows:
        row = rng.choice(rows)
        for value in row.match:
            match value:
                case RangeMatch(base, length):
                    starts = [base, base + length]
                case PrefixMatch(top, _):
                    starts = [*starts, top]
                case AddressSpaceMatch(number):
                    space = number
                case ContextMatch(number):
                    context = number
        starts += [-row.base_offset % 2**64, (capacity - row.base_offset) % 2**64]
    address = (rng.choice(starts) + rng.randrange(-2 * size, capacity)) % 2**64 // size * size
    wrong = rng.randrange(40)
    return BeatRequest(
        rng.choice([_READ, _WRITE]) if wrong else 5,
        address + (rng.randrange(size) if wrong == 1 else 0),
        strobe if wrong != 2 else 0,
        data,
        space ^ (wrong == 3),
        context ^ (wrong == 4),
    )


def _capacity(named: NamedMemory) -> int:
    service = named.occurrence.local_service
    return 0 if service is None else service.capacity_bytes
