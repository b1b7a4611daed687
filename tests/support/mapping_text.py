"""Configurations as somebody would write them: the other direction of reading a mapping."""

from fabricgen.plan.contract import document_pattern
from fabricgen.plan.demand import context_count, is_temporal
from fabricgen.plan.rows import Active
from fabricgen.records.connectivity import ManagerEndpointTarget
from fabricgen.schema.contract import (
    AtomicContract,
    AtomicRmwContract,
    CompareExchangeContract,
    FenceContract,
    PlainContract,
)
from fabricgen.vocab.dataflow import OperationSchemaId, SyncScopeKind
from tests.support.documents import toml

_KEYS = {
    OperationSchemaId.DATAFLOW_LOAD: "load",
    OperationSchemaId.DATAFLOW_STORE: "store",
    OperationSchemaId.DATAFLOW_ATOMIC_RMW: "rmw",
    OperationSchemaId.DATAFLOW_CMPXCHG: "cmpxchg",
    OperationSchemaId.DATAFLOW_FENCE: "fence",
}


def mapping_text(fabric, *configurations):
    return toml(mapping_values(fabric, *configurations))


def mapping_values(fabric, *configurations):
    """Plain values of a mapping document with one configuration per memory; row k is ``rk``."""
    memories = zip(fabric.memories, configurations, strict=True)
    return {
        "fabric": fabric.name,
        "memory": {
            named.name: {
                "row": [
                    row_values(named, configuration.operation_rows, ordinal, row)
                    for ordinal, row in enumerate(configuration.operation_rows)
                    if row is not None
                ]
            }
            for named, configuration in memories
            if isinstance(configuration, Active)
        },
    }


def row_values(named, rows, ordinal, row):
    """One row; its rows are given for the names of those that feed it."""
    target = "local"
    if isinstance(row.service_target, ManagerEndpointTarget):
        target = named.names.managers[row.service_target.ordinal]
    access = row.access
    has_base = access is not None and access.address_pointer_format is None
    return {
        "name": f"r{ordinal}",
        **({"row": ordinal} if is_temporal(named.occurrence) else {}),
        "port": named.names.ports[row.port],
        _KEYS[row.actor.schema_id]: operation_values(named, row),
        **({"base": row.base_addr} if has_base else {}),
        "target": target,
        "inputs": {role.name.lower(): _source(rows, source) for role, source in row.sources},
        "outputs": {role.name.lower(): _destination(there) for role, there in row.destinations},
    }


def operation_values(named, row):
    contract, access = row.actor.contract, row.access
    pattern, _ = document_pattern(row.use_pattern, context_count(named.occurrence))
    values = {"pattern": named.names.patterns[row.port][pattern], **contract_values(contract)}
    if access is None:
        return values
    values |= {
        "form": access.form.name.lower(),
        "element_bits": access.element_bits,
        "lanes": access.lane_count,
        "mask": access.mask_form.name.lower(),
    }
    if access.address_pointer_format is None:
        values["index_bits"] = access.address_lane_bits
    else:
        values["pointer"] = _pointer(access.address_pointer_format)
    if access.data_pointer_format is not None:
        values["data_pointer"] = _pointer(access.data_pointer_format)
    if not isinstance(contract, PlainContract):
        values["alignment"] = access.source_alignment_bytes
    return values


def contract_values(contract):
    """Keys of a contract, its alignment apart."""
    match contract:
        case PlainContract(volatile):
            return {"volatile": volatile}
        case AtomicContract(ordering, scope, granularity, volatile):
            synchronised = {"ordering": ordering.name.lower(), **_common(scope, granularity)}
            return {"atomic": synchronised, "volatile": volatile}
        case AtomicRmwContract(kind, ordering, scope, granularity, volatile):
            return {
                "kind": kind.name.lower(),
                "ordering": ordering.name.lower(),
                **_common(scope, granularity),
                "volatile": volatile,
            }
        case CompareExchangeContract(orderings, scope, granularity, weak, volatile):
            return {
                "orderings": [each.name.lower() for each in orderings],
                **_common(scope, granularity),
                "weak": weak,
                "volatile": volatile,
            }
        case FenceContract(ordering, scope):
            return {"ordering": ordering.name.lower(), "sync_scope": _scope(scope)}


def _common(scope, granularity):
    word = "absent" if granularity is None else granularity.name.lower()
    return {"sync_scope": _scope(scope), "granularity": word}


def _scope(scope):
    if scope.kind is SyncScopeKind.TARGET:
        return {"target": {"namespace": scope.namespace, "key": scope.key}}
    return scope.kind.name.lower()


def _pointer(form):
    return {
        "address_space": form.address_space,
        "representation_bits": form.representation_bits,
        "address_bits": form.address_bits,
    }


def _source(rows, source):
    if source.connection is None:
        return {} if source.tag is None else {"tag": source.tag}
    (producer,) = (
        f"r{ordinal}.{role.name.lower()}"
        for ordinal, row in enumerate(rows)
        if row is not None
        for role, there in row.destinations
        if source.connection in there.connections
    )
    return {"from": producer}


def _destination(there):
    return {"expose": there.expose} | ({} if there.tag is None else {"tag": there.tag})
