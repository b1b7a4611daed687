"""Random legal rows of a fabric, and race-free traffic that aims at the edges."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fabricgen.author.workload import StreamRef, Workload
from fabricgen.plan.admission import Admission, admissions, admitting_capability
from fabricgen.plan.lanes import active_lanes, element_bytes
from fabricgen.plan.realisation import unsupported_rows
from fabricgen.plan.roles import active_roles
from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.rows import (
    Active,
    MemoryConfiguration,
    OperationRow,
    ResultDestination,
    RoleSource,
)
from fabricgen.records.connectivity import LocalMemoryServiceTarget
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.service import MemoryServiceRegion
from fabricgen.schema.actor import (
    CanonicalActorProjection,
    CanonicalMemoryAccessView,
    PlainContract,
)
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dataflow import MemoryAccessForm, MemoryAddressForm, ServiceValueRole
from fabricgen.vocab.fabric import EndpointDirection

__all__ = ["draw_configuration", "draw_workload"]

_R = ServiceValueRole
#: Owner of bytes that every row may read and none may write.
_SHARED = -1
_ATTEMPTS = 40


def draw_configuration(rng: random.Random, named: NamedMemory) -> MemoryConfiguration:
    """At least one Active row; most ports have one, where their endpoints are still free."""
    engine = named.occurrence.engine
    if engine is None:
        raise ValueError("Occurrence must have an operation engine, not None")
    rows: list[OperationRow | None] = [None] * len(engine.ports)
    while not any(rows):
        for port in rng.sample(range(len(rows)), len(rows)):
            if rng.random() < 0.1:
                continue
            for _ in range(_ATTEMPTS):
                trial = [*rows]
                trial[port] = _row(rng, named, port)
                if _is_legal(named, Active(tuple(trial))):
                    rows = trial
                    break
    return Active(tuple(rows))


def draw_workload(
    rng: random.Random, named: NamedMemory, configuration: MemoryConfiguration, firings: int
) -> Workload:
    """Tokens for every ingress, also unused ones and some more than match, and all of memory."""
    rows = configuration.operation_rows if isinstance(configuration, Active) else ()
    active = [(ordinal, row) for ordinal, row in enumerate(rows) if row is not None]
    service = named.occurrence.local_service
    capacity = 0 if service is None else service.capacity_bytes
    owners = _owners(rng, active, capacity)
    streams: dict[StreamRef, tuple[int, ...]] = {}
    for ordinal, row in active:
        count = rng.randint(1, firings)
        for endpoint, tokens in _RowTraffic(rng, named, ordinal, row, owners).streams(count):
            streams[0, endpoint, None] = tokens
    for ordinal, endpoint in enumerate(named.occurrence.endpoints):
        if endpoint.direction is EndpointDirection.IN and (0, ordinal, None) not in streams:
            some = range(rng.choice([0, 0, 3]))
            streams[0, ordinal, None] = tuple(rng.getrandbits(endpoint.payload_width) for _ in some)
    return Workload(streams, (((0, rng.randbytes(capacity)),),))


def _is_legal(named: NamedMemory, configuration: MemoryConfiguration) -> bool:
    return not (
        configuration_findings(named, configuration) or unsupported_rows(named, configuration)
    )


def _row(rng: random.Random, named: NamedMemory, port: int) -> OperationRow:
    """A row out of one product of what the port and the service admit together."""
    occurrence = named.occurrence
    if occurrence.engine is None or occurrence.local_service is None:
        raise ValueError("Occurrence must have an engine and a local service, not None")
    found = rng.choice(admissions(occurrence, port))
    alternative = occurrence.engine.ports[port].capability_alternatives[found.alternative]
    actor = CanonicalActorProjection(found.schema, PlainContract(rng.choice(found.volatile_values)))
    access = _access(rng, found)
    inputs, results = active_roles(alternative, actor, access)
    row = OperationRow(
        port=port,
        capability_alternative=found.alternative,
        use_pattern=rng.choice(alternative.admissible_use_patterns),
        actor=actor,
        access=access,
        base_addr=0,
        sources=tuple((role, RoleSource()) for role, _ in inputs),
        destinations=tuple((role, ResultDestination(expose=True)) for role, _ in results),
        service_target=LocalMemoryServiceTarget(),
    )
    return replace(row, base_addr=_base(rng, named, row, occurrence.local_service.capacity_bytes))


def _base(rng: random.Random, named: NamedMemory, row: OperationRow, capacity: int) -> int:
    """Mostly below something that the row may reach, since indices are never negative."""
    region = rng.choice(_regions(named, row))
    start, middle = region.address_base_bytes, region.address_base_bytes + region.size_bytes // 2
    base = rng.choice([0, start, max(0, start - 1), middle, rng.randrange(capacity)])
    size = element_bytes(row.access)
    return base - base % size if named.implementation.aligned_bases else base


def _access(rng: random.Random, found: Admission) -> CanonicalMemoryAccessView:
    elements, lanes, indices = (
        [value for i in domain.intervals for value in range(i.lower, i.upper + 1)]
        for domain in (found.element_widths, found.lane_counts, found.index_widths)
    )
    return CanonicalMemoryAccessView(
        form=found.form,
        address_form=MemoryAddressForm.ROOT_RELATIVE,
        element_bits=rng.choice(elements),
        lane_count=rng.choice(lanes),
        mask_form=rng.choice(found.mask_forms),
        address_lane_bits=rng.choice(indices),
    )


def _owners(
    rng: random.Random, active: Sequence[tuple[int, OperationRow]], capacity: int
) -> list[int]:
    """Who may touch each byte: one storing row, or every loading row.

    Runs are as short as one element, so that rows meet in one beat and even in one access.
    """
    stores = [ordinal for ordinal, row in active if MEMORY_SCHEMAS[row.actor.schema_id].writes]
    loads = [_SHARED] * (len(active) - len(stores))
    sizes = [element_bytes(row.access) for _, row in active]
    run = rng.choice([max(sizes), 4 * max(sizes), 64])
    shift = rng.choice([0, rng.randrange(run)])
    runs = [rng.choice(stores + loads) for _ in range(capacity // run + 2)]
    return [runs[(byte + shift) // run] for byte in range(capacity)]


def _regions(named: NamedMemory, row: OperationRow) -> tuple[MemoryServiceRegion, ...]:
    service = named.occurrence.local_service
    if service is None:
        raise ValueError("Occurrence must have a local service, not None")
    contract = service.memory_service_contract
    capability = admitting_capability(named.occurrence, row)
    if capability is None:
        raise ValueError(f"Row must be admitted by a service capability, not {row!r}")
    ordinals = contract.capabilities[capability].service_region_ordinals
    return tuple(contract.regions[ordinal] for ordinal in ordinals)


@dataclass(frozen=True, slots=True)
class _Aim:
    """Indices whose access touches nothing that belongs to another row."""

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
        owners: Sequence[int],
    ) -> None:
        engine = named.occurrence.engine
        if engine is None:
            raise ValueError("Occurrence must have an operation engine, not None")
        alternative = engine.ports[row.port].capability_alternatives[row.capability_alternative]
        self._rng = rng
        self._access = row.access
        self._base = row.base_addr
        self._owner = ordinal if MEMORY_SCHEMAS[row.actor.schema_id].writes else _SHARED
        self._owners = owners
        self._regions = _regions(named, row)
        self._inputs, _ = active_roles(alternative, row.actor, row.access)
        self._widths = {
            role: named.occurrence.endpoints[endpoint].payload_width
            for role, endpoint in self._inputs
        }
        aim = self._aim()
        hot = rng.sample(aim.inside, min(len(aim.inside), rng.randint(1, 4)))
        choices = ((aim.inside, (0, 1, 1)), (hot, (0, 1, 3)), (aim.edge, (0, 0.1, 0.5)))
        self._sources = [(source, rng.choice(odds)) for source, odds in choices if source]
        if not any(weight for _, weight in self._sources):
            self._sources = [(source, 1) for source, _ in self._sources]

    def streams(self, count: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Tokens by endpoint; some roles get a few more than the others."""
        rng, is_masked = self._rng, _R.MASK in self._widths
        firings = [self._firing() for _ in range(count if self._sources or is_masked else 0)]
        for role, endpoint in self._inputs:
            tokens = [firing[role] for firing in firings]
            # At least one role has none to spare; what no firing consumes may be anything.
            extra = 0 if role is _R.ADDRESS and not is_masked else rng.choice([0, 0, 0, 1, 6])
            extra *= role is not _R.MASK
            tokens += [rng.getrandbits(self._widths[role]) for _ in range(extra)]
            yield endpoint, tuple(tokens)

    def _aim(self) -> _Aim:
        """Every small index, and indices at the ends of what can be said."""
        size, capacity = element_bytes(self._access), len(self._owners)
        top = (1 << self._access.address_lane_bits) - 1
        near = (capacity - self._base) // size
        small = [index for index in range(min(near + 10, top + 1)) if self._is_ours(index)]
        far = [top, top // 2, top - 1, *(2**k // size for k in (8, 16, 31, 32, 63, 64))]
        far += [self._rng.randint(0, top) for _ in range(4)]
        edge = [index for index in far if 0 <= index <= top and self._is_ours(index)]
        edge += [index for index in small if index >= near - 3]
        inside = [index for index in small if index <= near]
        return _Aim(tuple(inside), tuple(edge))

    def _is_ours(self, index: int) -> bool:
        """Whether all lanes behind an index may be accessed, or come to nothing."""
        access, size = self._access, element_bytes(self._access)
        lanes = 1 if access.form is MemoryAccessForm.INDEXED else access.lane_count
        addresses = (self._base + (index + lane) * size for lane in range(lanes))
        return all(self._is_free(address, size) for address in addresses)

    def _is_free(self, address: int, size: int) -> bool:
        is_served = any(
            region.address_base_bytes <= address and address + size <= region.end_bytes
            for region in self._regions
        )
        return not is_served or all(
            owner == self._owner for owner in self._owners[address : address + size]
        )

    def _firing(self) -> dict[ServiceValueRole, int]:
        """Operands of one firing; bits above the payload are anything."""
        rng, access, lanes = self._rng, self._access, self._access.lane_count
        operands = {_R.CONTROL: 0}
        mask = None
        if _R.MASK in self._widths:
            drawn = rng.getrandbits(lanes)
            mask = rng.choice([0, (1 << lanes) - 1, drawn, drawn]) if self._sources else 0
            operands[_R.MASK] = self._with_noise(_R.MASK, mask, lanes)
        if _R.DATA in self._widths:
            operands[_R.DATA] = rng.getrandbits(self._widths[_R.DATA])
        active = active_lanes(access, mask)
        needed = active if access.form is MemoryAccessForm.INDEXED else [any(active)]
        indices = [self._index(is_needed) for is_needed in needed]
        bits = access.address_lane_bits
        token = sum(index << (bits * lane) for lane, index in enumerate(indices))
        operands[_R.ADDRESS] = self._with_noise(_R.ADDRESS, token, access.address_bits)
        return operands

    def _index(self, is_needed: bool) -> int:
        """One of the row's own where a lane is active, else anything."""
        if not is_needed:
            return self._rng.getrandbits(self._access.address_lane_bits)
        weights = [weight for _, weight in self._sources]
        ((source, _),) = self._rng.choices(self._sources, weights)
        return self._rng.choice(source)

    def _with_noise(self, role: ServiceValueRole, value: int, bits: int) -> int:
        spare = self._widths[role] - bits
        return value | self._rng.getrandbits(spare) << bits if spare > 0 else value
