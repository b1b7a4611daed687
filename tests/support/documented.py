"""The document of a fabric's records: the way back, written apart from the way there.

Every contract is written out, with a name for each use pattern. What it gives says the records
and not the names of patterns, which contexts of a Temporal port may share.
"""

from fabricgen.records.access import OrdinaryData, PointerAddressed
from fabricgen.records.clause import (
    AtomicRmw,
    CompareExchange,
    Fence,
    LoadStoreAtomic,
    LoadStorePlain,
)
from fabricgen.records.connectivity import ManagerEndpointTarget
from fabricgen.records.consistency import (
    BoundedCompletionCycles,
    LocalProvider,
    NoConsistency,
    SystemDomain,
)
from fabricgen.records.occurrence import Temporal
from fabricgen.records.region import Mmio
from fabricgen.vocab.dataflow import OperationSchemaId
from fabricgen.vocab.fabric import (
    MemoryPortTransactionProjection,
    ReadSubwordSemantics,
    WriteSubwordSemantics,
)
from tests.support.contracts import named
from tests.support.documented_op import op_document

__all__ = ["documented", "local_document"]

_KINDS = {
    OperationSchemaId.DATAFLOW_LOAD: "load",
    OperationSchemaId.DATAFLOW_STORE: "store",
    OperationSchemaId.DATAFLOW_ATOMIC_RMW: "rmw",
    OperationSchemaId.DATAFLOW_CMPXCHG: "cmpxchg",
    OperationSchemaId.DATAFLOW_FENCE: "fence",
}
_PROJECTIONS = {
    MemoryPortTransactionProjection.DIRECT: "direct",
    MemoryPortTransactionProjection.ACTIVE_LANES_ROW_MAJOR: "active_lanes",
}


def documented(fabric):
    """A document that expands to these occurrences and resources."""
    document = {"fabric": {"name": fabric.name}}
    if fabric.memories:
        document["memory"] = [_memory(each) for each in fabric.memories]
    if fabric.ops:
        document["op"] = [op_document(each) for each in fabric.ops]
    return document


def _memory(memory):
    occurrence, names = memory.occurrence, memory.names
    document = {"name": memory.name}
    options = memory.implementation
    document["implementation"] = {key: getattr(options, key) for key in options.__slots__}
    if names.managers:
        document["manager"] = [
            {"name": name, "beat_bits": each.beat_width_bits}
            for name, each in zip(names.managers, occurrence.manager_endpoints, strict=True)
        ]
    dispatch = occurrence.connectivity
    if names.subordinates:
        document["subordinate"] = [
            {
                "name": name,
                "beat_bits": end.beat_width_bits,
                "max_exposed_bindings": each.max_exposed_bindings,
                "match": [field.name.lower() for field in each.match_fields],
                "transform": each.address_transform.name.lower(),
                "targets": _targets(each.targets, names),
            }
            for name, end, each in zip(
                names.subordinates,
                occurrence.subordinate_endpoints,
                dispatch.subordinate_endpoints,
                strict=True,
            )
        ]
    if occurrence.local_service is not None:
        requesters = [*names.ports, *names.subordinates]
        document["local"] = local_document(occurrence.local_service, requesters)
    return document if occurrence.engine is None else document | _engine(memory)


def _engine(memory):
    occurrence, names = memory.occurrence, memory.names
    engine, dispatch = occurrence.engine, occurrence.connectivity
    document = {
        "schedule": "spatial",
        "endpoints": [
            {"name": name, "dir": end.direction.name.lower(), "bits": end.payload_width}
            for name, end in zip(names.endpoints, occurrence.endpoints, strict=True)
        ],
        "port": [
            _port(name, port, reached.capability_target_domains, names)
            for name, port, reached in zip(
                names.ports, engine.ports, dispatch.operation_ports, strict=True
            )
        ],
    }
    if isinstance(engine.contract, Temporal):
        document |= {
            "schedule": "temporal",
            "resident_contexts": engine.contract.resident_context_count,
            "tag_width": occurrence.endpoints[0].tag_width,
        }
    if dispatch.internal_connections:
        document["connections"] = [
            {
                "from": names.endpoints[each.source_endpoint_ordinal],
                "to": names.endpoints[each.sink_endpoint_ordinal],
            }
            for each in dispatch.internal_connections
        ]
    return document


def _targets(targets, names):
    return [
        names.managers[each.ordinal] if isinstance(each, ManagerEndpointTarget) else "local"
        for each in targets
    ]


def _port(name, port, targets, names):
    contract = port.resource_contract
    patterns = [f"use-{key}" for key in range(len(contract.use_patterns))]
    rows = [f"row-{key}" for key in range(contract.requester_count)]
    document = {
        "name": name,
        "contract": named(contract, patterns, rows),
        "patterns": [
            {"name": each, "projection": _PROJECTIONS[projection]}
            for each, projection in zip(patterns, port.operation_pattern_semantics, strict=True)
        ],
    }
    bound = set()
    for each, reached in zip(port.capability_alternatives, targets, strict=True):
        domain = each.parameterized_access_domain
        bound |= {end for _, end in each.role_to_endpoint}
        alternative = {
            "roles": {
                role.name.lower(): names.endpoints[end] for role, end in each.role_to_endpoint
            },
            "contract": _clauses(each.actor_contract_domain),
            "patterns": [patterns[key] for key in each.admissible_use_patterns],
            "targets": _targets(reached, names),
        }
        if domain is not None:
            alternative["access"] = _accesses(domain)
        kind = _KINDS[each.actor_contract_domain.actor_schema]
        document.setdefault(kind, []).append(alternative)
    if further := set(port.endpoint_inventory) - bound:
        document["endpoints"] = [names.endpoints[end] for end in sorted(further)]
    return document


def local_document(service, requesters):
    """The table of a local service."""
    contract = service.memory_service_contract
    resources = contract.resource_contract
    patterns = [f"use-{key}" for key in range(len(resources.use_patterns))]
    return {
        "capacity_bytes": service.capacity_bytes,
        "contract": named(resources, patterns or ["none"], requesters),
        "regions": [_region(each) for each in contract.regions],
        "capabilities": [_capability(each, patterns) for each in contract.capabilities],
    }


def _region(region):
    document = {"base": region.address_base_bytes, "size": region.size_bytes}
    if not isinstance(region.behavior, Mmio):
        return document | {"storage": {}}
    mmio = {}
    for each in _accesses(region.behavior.accepted_access_domain):
        # Which of the actors that read and write makes an access is no part of a region.
        kinds = {(True, False): "load", (False, True): "store", (True, True): "rmw"}
        mmio.setdefault(kinds["read_subword" in each, "write_subword" in each], []).append(each)
    return document | {"mmio": mmio}


def _capability(each, patterns):
    document = {
        "contract": _clauses(each.actor_contract_domain),
        "patterns": [patterns[key] for key in each.admissible_use_patterns],
    }
    if each.access_domain is not None:
        document |= {
            "access": _accesses(each.access_domain),
            "beat_bits": each.service_beat_width_bits,
            "regions": list(each.service_region_ordinals),
        }
    match each.consistency_binding:
        case NoConsistency():
            pass
        case SystemDomain(reference):
            document["consistency"] = {"system_domain": reference.hex()}
        case LocalProvider(visibility, progress):
            bounded = isinstance(progress, BoundedCompletionCycles)
            document["consistency"] = {
                "local_provider": {
                    "release_visibility": visibility.name.lower(),
                    "progress": {"bounded_completion_cycles": progress.max_issue_to_retire_cycles}
                    if bounded
                    else "fair_eventual",
                }
            }
    return {_KINDS[each.actor_contract_domain.actor_schema]: document}


def _clauses(domain):
    return [_clause(each) for each in domain.contract_clauses]


def _clause(clause):
    match clause:
        case LoadStorePlain(volatile):
            return {"plain": {"volatile": list(volatile)}}
        case LoadStoreAtomic(orderings, scopes, granularities, volatile):
            return {
                "atomic": {
                    "orderings": _words(orderings),
                    "sync_scopes": _scopes(scopes),
                    "granularity": _granularities(granularities),
                    "volatile": list(volatile),
                }
            }
        case AtomicRmw(kinds, orderings, scopes, granularities, volatile):
            return {
                "kinds": _words(kinds),
                "orderings": _words(orderings),
                "sync_scopes": _scopes(scopes),
                "granularity": _granularities(granularities),
                "volatile": list(volatile),
            }
        case CompareExchange(pairs, scopes, granularities, weak, volatile):
            return {
                "orderings": [_words(pair) for pair in pairs],
                "sync_scopes": _scopes(scopes),
                "granularity": _granularities(granularities),
                "weak": list(weak),
                "volatile": list(volatile),
            }
        case Fence(orderings, scopes):
            return {"orderings": _words(orderings), "sync_scopes": _scopes(scopes)}


def _words(values):
    return [each.name.lower() for each in values]


def _granularities(values):
    return ["absent" if each is None else each.name.lower() for each in values]


def _scopes(scopes):
    return [
        {"target": {"namespace": each.namespace, "key": each.key}}
        if each.namespace
        else each.kind.name.lower()
        for each in scopes
    ]


def _accesses(domain):
    return [document for each in domain.access_classes for document in _access(each)]


def _access(each):
    """Documents of a class: where an actor that only reads is merged with one that writes, two."""
    address = (
        {"pointer": [_format(form) for form in each.address_domain.address_pointer_formats]}
        if isinstance(each.address_domain, PointerAddressed)
        else {"root_relative": _numbers(each.address_domain.accepted_index_width_bits)}
    )
    shared = {
        "form": each.access_form.name.lower(),
        "address": address,
        "data": [
            "ordinary" if isinstance(point, OrdinaryData) else _format(point)
            for point in each.data_pointer_formats
        ],
        "element_bits": _numbers(each.element_width_bits),
        "lanes": _numbers(each.flattened_lane_count),
        "mask": [mask.name.lower() for mask, _ in each.mask_inactive_pairs],
        "alignment": [
            1 << exponent
            for interval in each.source_alignment.accepted_log2_byte_alignments.intervals
            for exponent in range(interval.lower, interval.upper + 1)
        ],
    }
    for read in _parts(each.read_subword, ReadSubwordSemantics.NOT_APPLICABLE):
        for write in _parts(each.write_subword, WriteSubwordSemantics.NOT_APPLICABLE):
            document = dict(shared)
            if read:
                document["read_subword"] = _words(read)
            if write:
                document["write_subword"] = _words(write)
            yield document


def _parts(values, none):
    given = [each for each in values if each is not none]
    return ([()] if none in values else []) + ([given] if given else [])


def _format(form):
    return {
        "address_space": form.address_space,
        "representation_bits": form.representation_bits,
        "address_bits": form.address_bits,
    }


def _numbers(domain):
    return [
        each.lower if each.lower == each.upper else {"from": each.lower, "to": each.upper}
        for each in domain.intervals
    ]
