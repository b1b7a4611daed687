"""Contract clauses out of a document (spec: Persistent Capability Schema)."""

import re
from collections.abc import Sequence
from functools import partial

from fabricgen.atoms.sync_scope import SyncScope
from fabricgen.author.contract_document import (
    AtomicChoice,
    ClauseDocument,
    CompareExchangeClauseDocument,
    FenceClauseDocument,
    PlainChoice,
    RmwClauseDocument,
    SyncScopeDocument,
    TargetScopeChoice,
)
from fabricgen.author.findings import Findings, Place
from fabricgen.records.actor import MemoryActorContractDomain
from fabricgen.records.clause import (
    AtomicRmw,
    CompareExchange,
    ContractClause,
    Fence,
    Granularity,
    LoadStoreAtomic,
    LoadStorePlain,
)
from fabricgen.vocab.dataflow import (
    AtomicOrdering,
    AtomicRmwKind,
    OperationSchemaId,
    SyncScopeKind,
    VectorAtomicGranularity,
)

__all__ = ["actor_domain", "granularity", "ordering", "sync_scope"]

#: Document key of each field of a clause.
_KEYS = {
    "rmw_kinds": "kinds",
    "orderings": "orderings",
    "success_failure_ordering_pairs": "orderings",
    "sync_scopes": "sync_scopes",
    "vector_granularity_values": "granularity",
    "weak_values": "weak",
    "volatile_values": "volatile",
}


def actor_domain(
    schema: OperationSchemaId, clauses: Sequence[ClauseDocument], where: str, findings: Findings
) -> MemoryActorContractDomain | None:
    """Build the normalised contract domain of one alternative or capability."""
    attempts = [
        findings.attempt(_place(each, f"{where}[{index}]"), partial(_alone, schema, each))
        for index, each in enumerate(clauses)
    ]
    whole = [each for each in attempts if each is not None]
    if len(whole) < len(attempts):
        return None
    listed = [clause for each in whole for clause in each.contract_clauses]
    return findings.attempt(where, lambda: MemoryActorContractDomain.of(schema, *listed))


def _alone(schema: OperationSchemaId, document: ClauseDocument) -> MemoryActorContractDomain:
    return MemoryActorContractDomain.of(schema, _clause(document))


def _place(document: ClauseDocument, where: str) -> Place:
    """Place what a domain of the one clause reports."""
    match document:
        case PlainChoice():
            where = f"{where}.plain"
        case AtomicChoice():
            where = f"{where}.atomic"
        case _:
            pass

    def place(record_path: str) -> str:
        field = re.fullmatch(r"contract_clauses\[0\]\.(\w+).*", record_path)
        key = None if field is None else _KEYS.get(field[1])
        return where if key is None else f"{where}.{key}"

    return place


def _clause(document: ClauseDocument) -> ContractClause:
    match document:
        case PlainChoice(plain=plain):
            return LoadStorePlain.of(*plain.volatile)
        case AtomicChoice(atomic=atomic):
            return LoadStoreAtomic.of_sets(
                map(ordering, atomic.orderings),
                map(sync_scope, atomic.sync_scopes),
                map(granularity, atomic.granularity),
                atomic.volatile,
            )
        case RmwClauseDocument():
            return AtomicRmw.of_sets(
                (AtomicRmwKind[kind.upper()] for kind in document.kinds),
                map(ordering, document.orderings),
                map(sync_scope, document.sync_scopes),
                map(granularity, document.granularity),
                document.volatile,
            )
        case CompareExchangeClauseDocument():
            return CompareExchange.of_sets(
                ((ordering(s), ordering(f)) for s, f in document.orderings),
                map(sync_scope, document.sync_scopes),
                map(granularity, document.granularity),
                document.weak,
                document.volatile,
            )
        case FenceClauseDocument():  # exhaustive
            return Fence.of_sets(
                map(ordering, document.orderings), map(sync_scope, document.sync_scopes)
            )


def ordering(name: str) -> AtomicOrdering:
    """Ordering by its word."""
    return AtomicOrdering[name.upper()]


def granularity(name: str) -> Granularity:
    """Granularity by its word; ``None`` for a scalar element."""
    return None if name == "absent" else VectorAtomicGranularity[name.upper()]


def sync_scope(document: SyncScopeDocument) -> SyncScope:
    """Scope by its word, or that of a target; ``Invalid`` where its names are no text."""
    if isinstance(document, TargetScopeChoice):
        return SyncScope(SyncScopeKind.TARGET, document.target.namespace, document.target.key)
    return SyncScope(SyncScopeKind[document.upper()])
