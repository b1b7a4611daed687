"""Random legal rows of a fabric: every port, tag, target and connection that fits."""

import random
from collections.abc import Sequence
from dataclasses import replace

from fabricgen.plan.admission import (
    Admission,
    FenceAdmission,
    admissions,
    admitting_capability,
    fence_admissions,
)
from fabricgen.plan.demand import row_bindings, row_capacity, tag_width
from fabricgen.plan.lanes import element_bytes
from fabricgen.plan.realisation import unsupported_rows
from fabricgen.plan.roles import active_roles
from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.rows import (
    Active,
    MemoryConfiguration,
    OperationRow,
    ProviderDecode,
    ResultDestination,
    RoleSource,
)
from fabricgen.records.access import OrdinaryData
from fabricgen.records.actor import LoadStorePlain
from fabricgen.records.connectivity import (
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    MemoryDispatchTarget,
)
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.occurrence import Temporal
from fabricgen.records.service import MemoryServiceRegion
from fabricgen.schema.actor import (
    CanonicalActorProjection,
    CanonicalMemoryAccessView,
    PlainContract,
)
from fabricgen.schema.contract import contract_of
from fabricgen.vocab.dataflow import MemoryAddressForm, ServiceValueRole
from sim.fuzz_subordinates import draw_decode

__all__ = ["admitted_regions", "draw_configuration", "row_edges"]

_ATTEMPTS = 40
#: Tables to draw before a fabric is given up.
_TABLES = 4


def draw_configuration(rng: random.Random, named: NamedMemory) -> MemoryConfiguration | None:
    """At least one Active row; most of the table is Active, where endpoints and tags are free.

    None where no row was found to be legal: targets may serve nothing that the ports ask.
    """
    engine = named.occurrence.engine
    if engine is None:
        raise ValueError("Occurrence must have an operation engine, not None")
    decode = draw_decode(rng, named)
    rows: list[OperationRow | None] = [None] * row_capacity(named.occurrence)
    for _ in range(_TABLES):
        if any(rows):
            break
        for ordinal in rng.sample(range(len(rows)), len(rows)):
            if rng.random() < 0.1:
                continue
            for _ in range(_ATTEMPTS):
                port = ordinal
                if isinstance(engine.contract, Temporal):
                    port = rng.randrange(len(engine.ports))
                trial = [*rows]
                trial[ordinal] = _row(rng, named, ordinal, port)
                if _is_legal(named, trial, decode):
                    rows = trial
                    break
    if not any(rows):
        return None
    for connection in range(len(named.occurrence.connectivity.internal_connections)):
        for _ in range(_ATTEMPTS // 4):
            trial = _connected(rng, named, rows, connection)
            if trial is not None and _is_legal(named, trial, decode):
                rows = trial
                break
    return Active(tuple(rows), decode)


def row_edges(rows: Sequence[OperationRow | None]) -> list[tuple[int, int]]:
    """Producer and consumer of every selected connection, once per consuming role."""
    producers = {
        connection: ordinal
        for ordinal, row in enumerate(rows)
        if row is not None
        for _, destination in row.destinations
        for connection in destination.connections
    }
    return [
        (producers[source.connection], ordinal)
        for ordinal, row in enumerate(rows)
        if row is not None
        for _, source in row.sources
        if source.connection is not None
    ]


def admitted_regions(named: NamedMemory, row: OperationRow) -> tuple[MemoryServiceRegion, ...]:
    """Regions of the local service that a row reaches."""
    service = named.occurrence.local_service
    if service is None:
        raise ValueError("Occurrence must have a local service, not None")
    contract = service.memory_service_contract
    capability = admitting_capability(named.occurrence, row)
    if capability is None:
        raise ValueError(f"Row must be admitted by a service capability, not {row!r}")
    ordinals = contract.capabilities[capability].service_region_ordinals
    return tuple(contract.regions[ordinal] for ordinal in ordinals)


def _is_legal(
    named: NamedMemory, rows: Sequence[OperationRow | None], decode: ProviderDecode
) -> bool:
    table = Active(tuple(rows), decode)
    return not (configuration_findings(named, table) or unsupported_rows(named, table))


def _row(rng: random.Random, named: NamedMemory, ordinal: int, port: int) -> OperationRow:
    """A row out of one product of what the port and a target admit together; all external."""
    occurrence = named.occurrence
    if occurrence.engine is None:
        raise ValueError("Occurrence must have an engine, not None")
    record = occurrence.engine.ports[port]
    found = rng.choice((*admissions(occurrence, port), *fence_admissions(occurrence, port)))
    alternative = record.capability_alternatives[found.alternative]
    schema = alternative.actor_contract_domain.actor_schema
    contract = found.contract
    if isinstance(contract, LoadStorePlain):
        actor = CanonicalActorProjection(
            schema, PlainContract(rng.choice(contract.volatile_values))
        )
        alignment = 1
    else:
        values = [rng.choice(each) for each in contract.inventories]
        alignment = 1 if isinstance(found, FenceAdmission) else _alignment(rng, found)
        actor = CanonicalActorProjection(schema, contract_of(contract.tag, values, alignment))
    access = None if isinstance(found, FenceAdmission) else _access(rng, found)
    if access is not None and alignment > 1:
        access = replace(access, source_alignment_bytes=alignment)
    inputs, results = active_roles(alternative, actor, access)
    width, contexts = tag_width(occurrence), record.resource_contract.requester_count
    mine = [key for key in alternative.admissible_use_patterns if key % contexts == ordinal]
    # In a context where the alternative has none, the row is refused.
    mine = mine or list(alternative.admissible_use_patterns)

    def tag() -> int | None:
        return None if width is None else rng.randrange(1 << width)

    row = OperationRow(
        port=port,
        capability_alternative=found.alternative,
        use_pattern=rng.choice(mine if width is not None else alternative.admissible_use_patterns),
        actor=actor,
        access=access,
        base_addr=0,
        sources=tuple((role, RoleSource(tag=tag())) for role, _ in inputs),
        destinations=tuple(
            (role, ResultDestination(expose=True, tag=tag())) for role, _ in results
        ),
        service_target=_target(rng, named, port, found),
    )
    return replace(row, base_addr=_base(rng, named, row))


def _alignment(rng: random.Random, found: Admission) -> int:
    """What an atomic actor promises; less than its size is enough for indices alone."""
    usual = [0, 1, 2, 3, 3, 4, 4, 6] if not found.address_formats else [3, 4, 6]
    accepted = [each for each in usual if each in found.alignments]
    return 1 << rng.choice(accepted or [found.alignments.intervals[0].lower])


def _target(
    rng: random.Random, named: NamedMemory, port: int, found: Admission | FenceAdmission
) -> MemoryDispatchTarget:
    if found.capability is not None:
        return LocalMemoryServiceTarget()
    domains = named.occurrence.connectivity.operation_ports[port].capability_target_domains
    targets = domains[found.alternative]
    return rng.choice([each for each in targets if isinstance(each, ManagerEndpointTarget)])


def _base(rng: random.Random, named: NamedMemory, row: OperationRow) -> int:
    """Mostly below something that the row may reach, since indices are never negative."""
    if row.access is None or row.access.address_pointer_format is not None:
        return 0
    size, service = element_bytes(row.access), named.occurrence.local_service
    if isinstance(row.service_target, ManagerEndpointTarget) or service is None:
        end = 1 << 64
        base = rng.choice([0, rng.randrange(4096), rng.randrange(end), end - rng.randrange(1, 999)])
    else:
        region = rng.choice(admitted_regions(named, row))
        start, middle = region.address_base_bytes, region.size_bytes // 2
        inside = rng.randrange(service.capacity_bytes)
        base = rng.choice([0, start, max(0, start - 1), start + middle, inside])
    contract = row.actor.contract
    is_atomic = not isinstance(contract, PlainContract)
    is_aligned = named.implementation.aligned_bases or contract.volatile or is_atomic
    return base - base % size if is_aligned else base


def _access(rng: random.Random, found: Admission) -> CanonicalMemoryAccessView:
    elements, lanes, indices = (
        [value for i in domain.intervals for value in range(i.lower, i.upper + 1)]
        for domain in (found.element_widths, found.lane_counts, found.index_widths)
    )
    view = CanonicalMemoryAccessView(
        form=found.form,
        address_form=MemoryAddressForm.ROOT_RELATIVE,
        element_bits=rng.choice(elements),
        lane_count=rng.choice(lanes),
        mask_form=rng.choice(found.mask_forms),
        address_lane_bits=rng.choice(indices),
    )
    if found.data_formats != (OrdinaryData(),):
        data = rng.choice(found.data_formats)
        view = replace(view, data_pointer_format=None if data == OrdinaryData() else data)
    if not found.address_formats:
        return view
    address = rng.choice(found.address_formats)
    return replace(
        view,
        address_form=MemoryAddressForm.POINTER_ADDRESSED,
        address_lane_bits=address.representation_bits,
        address_pointer_format=address,
    )


def _connected(
    rng: random.Random, named: NamedMemory, rows: Sequence[OperationRow | None], ordinal: int
) -> list[OperationRow | None] | None:
    """The rows with one more connection selected, where two of them have its ends free."""
    occurrence = named.occurrence
    connection = occurrence.connectivity.internal_connections[ordinal]
    starts: list[tuple[int, ServiceValueRole]] = []
    ends: list[tuple[int, ServiceValueRole]] = []
    for at, row in enumerate(rows):
        if row is None:
            continue
        inputs, results = row_bindings(occurrence, row)
        sources = dict(row.sources)
        starts += [(at, r) for r, e in results if e == connection.source_endpoint_ordinal]
        ends += [
            (at, r)
            for r, e in inputs
            if e == connection.sink_endpoint_ordinal and sources[r].connection is None
        ]
    if not starts or not ends:
        return None
    producer, result = rng.choice(starts)
    takers = [end for end in ends if end[0] != producer]
    takers = rng.sample(takers, rng.randint(min(1, len(takers)), min(3, len(takers))))
    found = [*rows]
    for at, role in takers:
        found[at] = _fed(found[at], role, ordinal)
    found[producer] = _feeding(rng, found[producer], result, ordinal)
    return found if takers and not _is_circular(found) else None


def _fed(row: OperationRow | None, role: ServiceValueRole, ordinal: int) -> OperationRow | None:
    if row is None:
        return None
    return replace(
        row,
        sources=tuple(
            (each, RoleSource(connection=ordinal) if each is role else source)
            for each, source in row.sources
        ),
    )


def _feeding(
    rng: random.Random, row: OperationRow | None, role: ServiceValueRole, ordinal: int
) -> OperationRow | None:
    """The row publishes into the connection, and at its endpoint still or no more."""
    if row is None:
        return None
    hidden = rng.random() < 0.5

    def joined(destination: ResultDestination) -> ResultDestination:
        connections = tuple(sorted({*destination.connections, ordinal}))
        if hidden:
            return ResultDestination(expose=False, connections=connections)
        return replace(destination, connections=connections)

    return replace(
        row,
        destinations=tuple(
            (each, joined(destination) if each is role else destination)
            for each, destination in row.destinations
        ),
    )


def _is_circular(rows: Sequence[OperationRow | None]) -> bool:
    """Whether some row feeds itself, on whatever way: it would never fire."""
    edges = row_edges(rows)
    waiting = {row for edge in edges for row in edge}
    while free := {row for row in waiting if all(c != row or p not in waiting for p, c in edges)}:
        waiting -= free
    return bool(waiting)
