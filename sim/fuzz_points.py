"""What a random engine exercises, counted against every legal point of the space it is drawn from.

A point says what a row, a result or a policy is. Points that cannot occur have their reason here;
any other one that was never met is a gap of the run.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import product

from fabricgen.plan.admission import admitting_capability
from fabricgen.plan.atomic_use import FLOAT_RMW_KINDS
from fabricgen.plan.capacity import port_capacities
from fabricgen.plan.contract import patterns_in
from fabricgen.plan.demand import is_temporal, row_bindings, tag_width
from fabricgen.plan.rows import Active, MemoryConfiguration, OperationRow, ResultDestination
from fabricgen.plan.support import selected_class
from fabricgen.records.access import MemoryAccessClass
from fabricgen.records.connectivity import LocalMemoryServiceTarget
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.port import MemoryOperationPort
from fabricgen.records.resource import GrantPolicy
from fabricgen.records.subword import serves_narrow
from fabricgen.schema.contract import AtomicRmwContract, CompareExchangeContract, PlainContract
from fabricgen.vocab.dataflow import (
    AtomicOrdering,
    AtomicRmwKind,
    OperationSchemaId,
    ServiceValueRole,
)
from fabricgen.vocab.dispatch import AddressTransform, MatchField
from fabricgen.vocab.fabric import ReadSubwordSemantics, WriteSubwordSemantics
from fabricgen.vocab.words import word
from sim.fuzz_atomics import ORDERINGS
from sim.fuzz_uneven import ANY_ALIGNMENT

__all__ = ["EVERY", "NOT_DRAWN", "gaps", "points"]

_SCHEDULES, _TARGETS = ("spatial", "temporal"), ("local", "manager")
_ACTORS = ("load", "store", "atomic load", "atomic store", "rmw", "cmpxchg")
_FORMS, _LANES = ("element", "contiguous", "indexed"), ("contiguous", "indexed")
_POLICIES = ("none", "fixed priority", "round robin")
_MIXES = ("outside", "one inside", "several inside", "outside and one", "outside and several")
_RESULTS = ("data", "old", "success", "completion")
_PAYLOADS = ("data", "old", "success")
_OPERANDS = ("address", "data", "mask", "control", "update", "expected", "desired")
_CONTEXTS = ("alike", "unlike in capacity", "unlike in admission", "unlike in projection")
_TAGS = ("one bit", "several bits")
_FULL = "subword: write byte_enable of a full payload to an exact service"
_INGRESSES = ("alone", "beside payloads")
_NO_SIDE = ReadSubwordSemantics.NOT_APPLICABLE, WriteSubwordSemantics.NOT_APPLICABLE

#: Why a point is missing that may occur.
NOT_DRAWN = "not drawn"

#: Points that cannot occur, by pattern.
_REASONS = {
    f"rmw: local {word(kind)}": "a local service computes with integers alone"
    for kind in FLOAT_RMW_KINDS
}


def _every() -> Iterator[str]:
    for schedule, target in product(_SCHEDULES, _TARGETS):
        for volatile, actor, form in product(("", "volatile "), _ACTORS, _FORMS):
            yield f"row: {schedule} {target} {volatile}{actor} {form}"
        yield f"row: {schedule} {target} fence"
    for target, form, address in product(_TARGETS, _FORMS, ("indices", "pointers")):
        yield f"address: {target} {form} by {address}"
    yield from (f"pointers as data: {target}" for target in _TARGETS)
    for schedule in _SCHEDULES:
        yield f"projection: {schedule} direct element"
        for projection, form in product(("direct", "active lanes"), _LANES):
            yield f"projection: {schedule} {projection} {form}"
    yield from (f"mask: {form} {mask}" for form, mask in product(_LANES, ("absent", "dynamic")))
    for kinds, side in ((ReadSubwordSemantics, "read"), (WriteSubwordSemantics, "write")):
        yield from (f"subword: {side} {word(kind)}" for kind in kinds if kind not in _NO_SIDE)
    yield _FULL
    yield from (f"manager: {protocol}" for protocol in ("stream", "axi4"))
    yield from (f"subordinate: {protocol}" for protocol in ("stream", "axi4", "axi4_lite"))
    yield from (f"exposed: by {word(field)}" for field in MatchField)
    yield from (f"exposed: {word(transform)}" for transform in AddressTransform)
    yield from (f"exposed: {count}" for count in ("nothing", "one binding", "several bindings"))
    for owner, extent in product(("port", "service"), ("every", "some")):
        yield f"alignment: {owner} accepts {extent}"
    yield "alignment: alone tells regions"
    yield from (f"contexts: {each}" for each in _CONTEXTS)
    yield from (f"tags: {each}" for each in _TAGS)
    yield from (f"ingress: control {each}" for each in _INGRESSES)
    for owner, policy in product(("port", "service"), _POLICIES):
        yield f"policy: {owner} {policy}"
    for schedule, mix, role in product(_SCHEDULES, _MIXES, _RESULTS):
        yield f"destination: {schedule} {role} {mix}"
    for schedule in _SCHEDULES:
        for result, operand in product(_PAYLOADS, _OPERANDS):
            yield f"connection: {schedule} {result} to {operand}"
        yield f"connection: {schedule} completion to control"
        yield f"connection: {schedule} to another port"
    # In a Spatial table no two rows share an endpoint, and no port has two rows.
    yield from (f"connection: temporal to {end}" for end in ("several rows", "a row of its port"))
    for target, kind in product(_TARGETS, AtomicRmwKind):
        yield f"rmw: {target} {word(kind)}"
    for schema, orderings in ORDERINGS.items():
        yield from (f"ordering: {word(schema)} {_ordering(each)}" for each in orderings)


def points(named: NamedMemory, configuration: MemoryConfiguration) -> Counter[str]:
    """How often an engine under a configuration has each point."""
    table = configuration.operation_rows if isinstance(configuration, Active) else ()
    schedule = "temporal" if is_temporal(named.occurrence) else "spatial"
    found: Counter[str] = Counter()
    rows = {ordinal: row for ordinal, row in enumerate(table) if row is not None}
    for row in rows.values():
        found.update(_row(named, row, schedule))
    found.update(_connections(rows, schedule))
    found.update(_policies(named))
    if is_temporal(named.occurrence):
        found.update(_tagged(named, rows.values()))
    if named.names.managers:
        found[f"manager: {named.implementation.manager_protocol}"] += 1
    found.update(_exposed(named, configuration))
    return found


def _exposed(named: NamedMemory, configuration: MemoryConfiguration) -> Iterator[str]:
    """What the subordinates are, and what is exposed at each."""
    dispatches = named.occurrence.connectivity.subordinate_endpoints
    if dispatches:
        yield f"subordinate: {named.implementation.subordinate_protocol}"
    for dispatch in dispatches:
        yield f"exposed: {word(dispatch.address_transform)}"
        yield from (f"exposed: by {word(field)}" for field in dispatch.match_fields)
    for rows in configuration.provider_decode if isinstance(configuration, Active) else ():
        count = sum(row is not None for row in rows)
        yield f"exposed: {('nothing', 'one binding', 'several bindings')[min(2, count)]}"


def _tagged(named: NamedMemory, rows: Iterable[OperationRow]) -> Iterator[str]:
    """What only a Temporal engine has: contexts, tags, and ingresses of several kinds."""
    occurrence = named.occurrence
    yield f"tags: {_TAGS[tag_width(occurrence) != 1]}"
    for port in _engine_ports(named):
        yield from (f"contexts: {each}" for each in _unlike(port) or ("alike",))
    for row in rows:
        source = dict(row.sources)[ServiceValueRole.CONTROL]
        bound = dict(row_bindings(occurrence, row)[0])[ServiceValueRole.CONTROL]
        if source.connection is None:
            is_shared = occurrence.endpoints[bound].payload_width > 0
            yield f"ingress: control {_INGRESSES[is_shared]}"


def _unlike(port: MemoryOperationPort) -> list[str]:
    """In what the contexts of a port differ."""
    capacities = port_capacities(port)
    contexts = range(capacities.contexts)
    admitted = {
        tuple(
            patterns_in(each.admissible_use_patterns, context, capacities.contexts)
            for each in port.capability_alternatives
        )
        for context in contexts
    }
    found = {
        "unlike in capacity": len(
            {*zip(capacities.in_flight, capacities.result_holding, strict=True)}
        ),
        "unlike in admission": len(admitted),
        "unlike in projection": max(len({*each}) for each in capacities.projections),
    }
    return [name for name, count in found.items() if count > 1]


def gaps(counts: Mapping[str, int]) -> dict[str, str]:
    """Points that did not occur, each with its reason; :data:`NOT_DRAWN` where it may occur."""
    return {
        point: next(
            (reason for pattern, reason in _REASONS.items() if fnmatchcase(point, pattern)),
            NOT_DRAWN,
        )
        for point in EVERY
        if not counts.get(point)
    }


def _row(named: NamedMemory, row: OperationRow, schedule: str) -> Iterator[str]:
    target = "local" if row.service_target == LocalMemoryServiceTarget() else "manager"
    contract, access = row.actor.contract, row.access
    for role, destination in row.destinations:
        yield f"destination: {schedule} {word(role)} {_mix(destination)}"
    if isinstance(contract, AtomicRmwContract):
        yield f"rmw: {target} {word(contract.kind)}"
    if isinstance(contract, CompareExchangeContract):
        yield f"ordering: {word(row.actor.schema_id)} {_ordering(contract.orderings)}"
    elif not isinstance(contract, PlainContract):
        yield f"ordering: {word(row.actor.schema_id)} {_ordering(contract.ordering)}"
    if access is None:
        yield f"row: {schedule} {target} fence"
        return
    form = word(access.form)
    yield f"row: {schedule} {target} {_actor(row)} {form}"
    by = "indices" if access.address_pointer_format is None else "pointers"
    yield f"address: {target} {form} by {by}"
    if access.data_pointer_format is not None:
        yield f"pointers as data: {target}"
    port = _engine_ports(named)[row.port]
    projection = word(port.operation_pattern_semantics[row.use_pattern])
    yield f"projection: {schedule} {projection.replace('_row_major', '').replace('_', ' ')} {form}"
    if form in _LANES:
        yield f"mask: {form} {word(access.mask_form)}"
    alternative = port.capability_alternatives[row.capability_alternative]
    _, chosen = selected_class(alternative, access)
    yield from _subword("read", chosen.read_subword)
    yield from _subword("write", chosen.write_subword)
    yield f"alignment: port accepts {_extent(chosen)}"
    yield from _served(named, row, chosen)


def _extent(chosen: MemoryAccessClass) -> str:
    return "every" if chosen.source_alignment == ANY_ALIGNMENT else "some"


def _served(named: NamedMemory, row: OperationRow, asked: MemoryAccessClass) -> Iterator[str]:
    """What the local service says, and whether another promise would reach other regions."""
    service, access = named.occurrence.local_service, row.access
    serving = admitting_capability(named.occurrence, row)
    if service is None or access is None or row.service_target != LocalMemoryServiceTarget():
        return
    contract = service.memory_service_contract
    if serving is None or (domain := contract.capabilities[serving].access_domain) is None:
        raise ValueError(f"Row must be admitted by a service capability, not {row!r}")
    if (chosen := domain.matching_class(access)) is not None:
        yield f"alignment: service accepts {_extent(chosen)}"
        if not serves_narrow(asked, chosen):
            yield _FULL
    reached = contract.capabilities[serving].service_region_ordinals
    promises = [replace(access, source_alignment_bytes=1 << each) for each in range(64)]
    others = [
        capability
        for ordinal in contract.serving_capabilities(row.port)
        for capability in (contract.capabilities[ordinal],)
        if capability.service_region_ordinals != reached
        and capability.access_domain is not None
        and capability.actor_contract_domain.contains(row.actor)
        and any(map(capability.access_domain.matching_class, promises))
    ]
    if others:
        yield "alignment: alone tells regions"


def _subword(
    side: str, kinds: Iterable[ReadSubwordSemantics] | Iterable[WriteSubwordSemantics]
) -> Iterator[str]:
    yield from (f"subword: {side} {word(kind)}" for kind in kinds if kind not in _NO_SIDE)


def _actor(row: OperationRow) -> str:
    contract, schema = row.actor.contract, row.actor.schema_id
    volatile = "volatile " if contract.volatile else ""
    moves = schema in (OperationSchemaId.DATAFLOW_LOAD, OperationSchemaId.DATAFLOW_STORE)
    atomic = "atomic " if moves and not isinstance(contract, PlainContract) else ""
    return f"{volatile}{atomic}{word(schema)}"


def _mix(destination: ResultDestination) -> str:
    inside = ("", "one", "several")[min(2, len(destination.connections))]
    if not destination.expose:
        return f"{inside} inside"
    return f"outside and {inside}" if inside else "outside"


def _connections(rows: Mapping[int, OperationRow], schedule: str) -> Iterator[str]:
    starts = {
        connection: (ordinal, role)
        for ordinal, row in rows.items()
        for role, destination in row.destinations
        for connection in destination.connections
    }
    takers: Counter[int] = Counter()
    for row in rows.values():
        for role, source in row.sources:
            if source.connection is None:
                continue
            producer, result = starts[source.connection]
            takers[source.connection] += 1
            yield f"connection: {schedule} {word(result)} to {word(role)}"
            is_near = rows[producer].port == row.port
            yield f"connection: {schedule} to {'a row of its' if is_near else 'another'} port"
    yield from (f"connection: {schedule} to several rows" for count in takers.values() if count > 1)


def _policies(named: NamedMemory) -> Iterator[str]:
    for port in _engine_ports(named):
        yield f"policy: port {_policy(port.resource_contract.grant_policy)}"
    if (service := named.occurrence.local_service) is not None:
        contract = service.memory_service_contract.resource_contract
        yield f"policy: service {_policy(contract.grant_policy)}"


def _policy(policy: GrantPolicy | None) -> str:
    names = {"NoneType": "none", "FixedPriority": "fixed priority", "RoundRobin": "round robin"}
    return names[type(policy).__name__]


def _engine_ports(named: NamedMemory) -> tuple:
    engine = named.occurrence.engine
    return () if engine is None else engine.ports


def _ordering(ordering: AtomicOrdering | tuple[AtomicOrdering, AtomicOrdering]) -> str:
    """An ordering, or the two of a compare-exchange."""
    pair = ordering if isinstance(ordering, tuple) else (ordering,)
    return "/".join(word(each) for each in pair)


#: Every legal point, in the order of the table.
EVERY = tuple(_every())
