"""Random race-free traffic of configured rows, which aims at the edges of what they reach."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fabricgen.author.requests import Requests
from fabricgen.author.workload import StreamRef, Workload
from fabricgen.plan.demand import row_bindings
from fabricgen.plan.lanes import active_lanes, element_bytes
from fabricgen.plan.rows import Active, MemoryConfiguration, OperationRow
from fabricgen.records.connectivity import (
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    MemoryDispatchTarget,
)
from fabricgen.records.fabric import NamedMemory
from fabricgen.schema.contract import PlainContract
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dataflow import MemoryAccessForm, ServiceValueRole
from fabricgen.vocab.fabric import EndpointDirection
from sim.fuzz_rows import admitted_regions, row_edges
from sim.fuzz_subordinates import draw_beats
from sim.make_job import memory_parts

__all__ = ["draw_workload"]

_R = ServiceValueRole
#: Owner of bytes that every row may read and none may write.
_SHARED = -1
#: Owner of the bytes of the first subordinate; the others follow downwards.
_BESIDE = -2
#: Indices near the base of a row of a manager that its tokens prefer.
_NEAR = 70

_Parts = tuple[tuple[int, bytes], ...]


def draw_workload(
    rng: random.Random, named: NamedMemory, configuration: MemoryConfiguration, firings: int
) -> Workload:
    """Tokens for every ingress, also unused ones and some more than match, and all of memory.

    Rows that only the model can tell to race (their addresses come from other rows) still may.
    """
    table = configuration.operation_rows if isinstance(configuration, Active) else ()
    rows = {ordinal: row for ordinal, row in enumerate(table) if row is not None}
    count = len(named.names.subordinates)
    targets = {row.service_target: None for row in rows.values()}
    if count:
        targets |= {LocalMemoryServiceTarget(): None}
    owners = {
        target: _Owners(
            rng,
            {k: row for k, row in rows.items() if row.service_target == target},
            [_BESIDE - at for at in range(count if target == LocalMemoryServiceTarget() else 0)],
        )
        for target in targets
    }
    counts = _firings(rng, table, firings)
    streams: dict[StreamRef, tuple[int, ...]] = {}
    homes = {ordinal: _home(rng, row) for ordinal, row in rows.items()}
    for ordinal, row in rows.items():
        if row.access is None:
            streams |= {
                (0, endpoint, tag): tuple(
                    rng.getrandbits(named.occurrence.endpoints[endpoint].payload_width)
                    for _ in range(counts[ordinal])
                )
                for _, (endpoint, tag) in _outside(named, row)
            }
            continue
        traffic = _RowTraffic(rng, named, ordinal, row, owners[row.service_target], homes[ordinal])
        for (endpoint, tag), tokens in traffic.streams(counts[ordinal]):
            streams[0, endpoint, tag] = tokens
    for ordinal, endpoint in enumerate(named.occurrence.endpoints):
        if endpoint.direction is not EndpointDirection.IN:
            continue
        width = endpoint.tag_width
        reference = (0, ordinal, None if width is None else rng.randrange(1 << width))
        if reference not in streams and (width is None or rng.random() < 0.2):
            some = range(rng.choice([0, 0, 3]))
            streams[reference] = tuple(rng.getrandbits(endpoint.payload_width) for _ in some)
    service = named.occurrence.local_service
    local = b"" if service is None else _contents(rng, service.capacity_bytes)
    contents = ((0, local),) if local else ()
    requests: Mapping[tuple[int, int], Requests] = {}
    if count and isinstance(configuration, Active):
        local_owners = owners[LocalMemoryServiceTarget()]
        decode = configuration.provider_decode
        requests = draw_beats(rng, named, configuration, decode, local_owners.are_beside)
    return Workload(
        streams, (contents,), managers=(_managers(rng, named, homes),), requests=requests
    )


def _firings(rng: random.Random, table: Sequence[OperationRow | None], most: int) -> dict[int, int]:
    """Rows that feed one another fire equally often."""
    count = {ordinal: rng.randint(1, most) for ordinal in range(len(table))}
    edges = row_edges(table)
    for _ in edges:
        for edge in edges:
            fewest = min(count[row] for row in edge)
            count |= dict.fromkeys(edge, fewest)
    for _, consumer in edges:
        # A token may stay in the slot of a row that feeds no other one.
        if rng.random() < 0.2 and all(producer != consumer for producer, _ in edges):
            count[consumer] = max(0, count[consumer] - 1)
    return count


def _contents(rng: random.Random, size: int) -> bytes:
    """Anything; or small numbers, which make sense as indices."""
    if rng.random() < 0.6:
        return rng.randbytes(size)
    return bytes(rng.randrange(40) if at % 4 == 0 else 0 for at in range(size))


def _home(rng: random.Random, row: OperationRow) -> int:
    """Where a row's traffic is: its base, or a place that its pointers may point to."""
    pointer = None if row.access is None else row.access.address_pointer_format
    if pointer is None:
        return row.base_addr
    end = 1 << min(64, pointer.address_bits)
    return rng.choice([0, rng.randrange(end), end - rng.randrange(1, min(end, 99))])


def _managers(
    rng: random.Random, named: NamedMemory, homes: Mapping[int, int]
) -> dict[int, _Parts]:
    """Some bytes around the home of each row."""
    contents: dict[int, dict[int, int]] = {
        ordinal: {} for ordinal in range(len(named.occurrence.manager_endpoints))
    }
    for home in homes.values():
        for found in contents.values():
            base = max(0, home - rng.randrange(16))
            data = _contents(rng, rng.randrange(1, 300))
            end = min(base + len(data), 1 << 64)
            found.update(zip(range(base, end), data, strict=False))
    return {ordinal: memory_parts(found) for ordinal, found in contents.items() if found}


class _Owners:
    """Who may touch each byte of one target: one storing row, a subordinate, or every loading row.

    Runs are as short as one element, so that rows meet in one beat and even in one access.
    """

    def __init__(
        self, rng: random.Random, rows: Mapping[int, OperationRow], beside: Sequence[int]
    ) -> None:
        stores = [o for o, row in rows.items() if MEMORY_SCHEMAS[row.actor.schema_id].writes]
        stores += beside
        loads = [_SHARED] * (len(rows) + len(beside) - len(stores))
        sizes = [1, *(element_bytes(each.access) for each in rows.values() if each.access)]
        self._run = rng.choice([max(sizes), 4 * max(sizes), 64])
        self._shift = rng.choice([0, rng.randrange(self._run)])
        self._runs = [rng.choice(stores + loads) for _ in range(61)]

    def belong_to(self, owner: int, address: int, size: int) -> bool:
        """Whether all bytes are the owner's."""
        first, last = ((byte + self._shift) // self._run for byte in (address, address + size - 1))
        return all(self._runs[run % len(self._runs)] == owner for run in range(first, last + 1))

    def are_beside(self, subordinate: int, touched: set[int], is_write: bool) -> bool:
        """Whether bytes are a subordinate's to write, or to read."""
        return all(
            self.belong_to(_BESIDE - subordinate, byte, 1)
            or (not is_write and self.belong_to(_SHARED, byte, 1))
            for byte in touched
        )


@dataclass(frozen=True, slots=True)
class _Aim:
    """Indices, or addresses of pointers, whose access touches nothing of another row."""

    inside: tuple[int, ...]
    edge: tuple[int, ...]


class _RowTraffic:
    """Draws the tokens of one row."""

    def __init__(
        self,
        rng: random.Random,
        named: NamedMemory,
        ordinal: int,
        row: OperationRow,
        owners: _Owners,
        home: int,
    ) -> None:
        self._rng = rng
        self._access = access = row.addressed
        self._base, self._home = row.base_addr, home
        # A pointer is a byte address in some of the bits of its lane.
        pointer = access.address_pointer_format
        self._step = element_bytes(access) if pointer is None else 1
        self._bits = access.address_lane_bits if pointer is None else pointer.address_bits
        writes = MEMORY_SCHEMAS[row.actor.schema_id].writes
        self._owner = ordinal if writes else _SHARED
        self._owners = owners
        self._spans = _spans(named, row, row.service_target)
        self._end = max(end for _, end in self._spans)
        self._is_atomic = not isinstance(row.actor.contract, PlainContract)
        # Nothing orders the firings of a row at a manager, so it may write each byte once, but one
        # after the other where they are volatile.
        is_unordered = not (self._is_atomic and row.actor.contract.volatile)
        is_far = self._end == 1 << 64
        self._written: set[int] | None = set() if writes and is_far and is_unordered else None
        inputs, _ = row_bindings(named.occurrence, row)
        self._inputs = _outside(named, row)
        self._widths = {
            role: named.occurrence.endpoints[endpoint].payload_width for role, endpoint in inputs
        }
        aim = self._aim()
        hot = rng.sample(aim.inside, min(len(aim.inside), rng.randint(1, 4)))
        choices = ((aim.inside, (0, 1, 1)), (hot, (0, 1, 3)), (aim.edge, (0, 0.1, 0.5)))
        self._sources = [(source, rng.choice(odds)) for source, odds in choices if source]
        if not any(weight for _, weight in self._sources):
            self._sources = [(source, 1) for source, _ in self._sources]

    def streams(self, count: int) -> Iterator[tuple[tuple[int, int | None], tuple[int, ...]]]:
        """Tokens by endpoint and tag; some roles get a few more than the others."""
        rng, is_masked = self._rng, _R.MASK in self._widths
        firings: list[dict[ServiceValueRole, int]] = []
        for _ in range(count if self._sources or is_masked else 0):
            firing = self._firing()
            if firing is None:
                break
            firings.append(firing)
        external = {role for role, _ in self._inputs}
        for role, reference in self._inputs:
            tokens = [firing[role] for firing in firings]
            # At least one role has none to spare; what no firing consumes may be anything.
            extra = 0 if role is _R.ADDRESS and not is_masked else rng.choice([0, 0, 0, 1, 6])
            extra *= role is not _R.MASK and not external.isdisjoint({_R.ADDRESS, _R.MASK})
            tokens += [rng.getrandbits(self._widths[role]) for _ in range(extra)]
            yield reference, tuple(tokens)

    def _aim(self) -> _Aim:
        """Every small index, and indices at the ends of what can be said."""
        size = self._step
        top = (1 << self._bits) - 1
        near = (self._end - self._base) // size
        small = [index for index in self._small(near, top) if self._is_ours(index)]
        last = range(max(0, near - 3), min(near + 10, top + 1))
        far = [top, top // 2, top - 1, *(2**k // size for k in (8, 16, 31, 32, 63, 64)), *last]
        far += [self._rng.randint(0, top) for _ in range(4)]
        edge = [index for index in far if 0 <= index <= top and self._is_ours(index)]
        inside = [index for index in small if index <= near]
        return _Aim(tuple(inside), tuple(edge))

    def _small(self, near: int, top: int) -> Sequence[int]:
        """Small indices; addresses around home and the first bytes that the row reaches."""
        if self._access.address_pointer_format is None:
            return range(min(near + 10, top + 1, _NEAR))
        starts = [self._home, *(start for start, _ in self._spans)]
        return sorted(
            {
                address
                for start in starts
                for address in range(max(0, start - 3), start + _NEAR)
                if address <= top
            }
        )

    def _is_ours(self, index: int) -> bool:
        """Whether all lanes behind an index may be accessed, or come to nothing."""
        size = element_bytes(self._access)
        if self._is_atomic and any(address % size for address in self._lanes(index)):
            return False
        return all(self._is_free(address, size) for address in self._lanes(index))

    def _lanes(self, index: int) -> list[int]:
        """Addresses of all lanes that follow one index or pointer."""
        access, size = self._access, element_bytes(self._access)
        lanes = 1 if access.form is MemoryAccessForm.INDEXED else access.lane_count
        return [self._base + index * self._step + lane * size for lane in range(lanes)]

    def _is_free(self, address: int, size: int) -> bool:
        is_served = any(low <= address and address + size <= end for low, end in self._spans)
        return not is_served or self._owners.belong_to(self._owner, address, size)

    def _firing(self) -> dict[ServiceValueRole, int] | None:
        """Operands of one firing; bits above the payload are anything. None: nothing is left."""
        rng, access, lanes = self._rng, self._access, self._access.lane_count
        operands = {_R.CONTROL: self._with_noise(_R.CONTROL, 0, 0)}
        mask = None
        if _R.MASK in self._widths:
            drawn = rng.getrandbits(lanes)
            mask = rng.choice([0, (1 << lanes) - 1, drawn, drawn]) if self._sources else 0
            operands[_R.MASK] = self._with_noise(_R.MASK, mask, lanes)
        for role in (_R.DATA, _R.UPDATE, _R.EXPECTED, _R.DESIRED):
            if role in self._widths:
                operands[role] = rng.getrandbits(self._widths[role])
        if _R.EXPECTED in operands and rng.random() < 0.6:
            # Most of what nobody wrote is zero.
            operands[_R.EXPECTED] &= (
                rng.getrandbits(self._widths[_R.EXPECTED]) if rng.random() < 0.1 else 0
            )
        active = active_lanes(access, mask)
        needed = active if access.form is MemoryAccessForm.INDEXED else [any(active)]
        indices = [self._index(is_needed) for is_needed in needed]
        bits = access.address_lane_bits
        token = 0
        for lane, index in enumerate(indices):
            if index is None:
                return None
            # What a pointer has beside its address may be anything.
            spare = rng.getrandbits(bits - self._bits) if bits > self._bits else 0
            token |= (spare << self._bits | index) << bits * lane
        operands[_R.ADDRESS] = self._with_noise(_R.ADDRESS, token, access.address_bits)
        return operands

    def _index(self, is_needed: bool) -> int | None:
        """One of the row's own where a lane is active, else anything."""
        if not is_needed:
            return self._rng.getrandbits(self._bits)
        weights = [weight for _, weight in self._sources]
        for _ in range(_NEAR):
            ((source, _),) = self._rng.choices(self._sources, weights)
            index = self._rng.choice(source)
            if self._written is None:
                return index
            size = element_bytes(self._access)
            touched = {byte + at for byte in self._lanes(index) for at in range(size)}
            if self._written.isdisjoint(touched):
                self._written |= touched
                return index
        return None

    def _with_noise(self, role: ServiceValueRole, value: int, bits: int) -> int:
        spare = self._widths[role] - bits
        return value | self._rng.getrandbits(spare) << bits if spare > 0 else value


def _outside(
    named: NamedMemory, row: OperationRow
) -> list[tuple[ServiceValueRole, tuple[int, int | None]]]:
    """Roles that take their tokens from endpoints, with endpoint and tag."""
    inputs, _ = row_bindings(named.occurrence, row)
    sources = dict(row.sources)
    return [
        (role, (endpoint, sources[role].tag))
        for role, endpoint in inputs
        if sources[role].connection is None
    ]


def _spans(
    named: NamedMemory, row: OperationRow, target: MemoryDispatchTarget
) -> list[tuple[int, int]]:
    """First byte, and end, of everything that the row reaches."""
    if isinstance(target, ManagerEndpointTarget):
        return [(0, 1 << 64)]
    regions = admitted_regions(named, row)
    return [(region.address_base_bytes, region.end_bytes) for region in regions]
