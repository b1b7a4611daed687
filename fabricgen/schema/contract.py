"""Exact memory contracts of the five memory actors, and which orderings each of them may have.

A contract's ``values`` are those of its clause's fields, in their order; the source alignment is
no field of a clause, because access classes own it (spec: Persistent Capability Schema).
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from fabricgen.atoms.sync_scope import SyncScope
from fabricgen.errors import Diagnostic
from fabricgen.vocab.dataflow import (
    AtomicOrdering,
    AtomicRmwKind,
    OperationSchemaId,
    SyncScopeKind,
    VectorAtomicGranularity,
)
from fabricgen.vocab.fabric import ContractClauseTag
from fabricgen.vocab.words import word, words

__all__ = [
    "CLAUSE_VARIANTS",
    "AtomicContract",
    "AtomicRmwContract",
    "CompareExchangeContract",
    "FenceContract",
    "MemoryContract",
    "OrderingPair",
    "PlainContract",
    "contract_of",
    "ordering_findings",
    "pair_findings",
    "scope_findings",
]

#: Success and failure ordering of a compare-exchange.
OrderingPair = tuple[AtomicOrdering, AtomicOrdering]

_LOAD_STORE = (ContractClauseTag.LOAD_STORE_PLAIN, ContractClauseTag.LOAD_STORE_ATOMIC)
#: Contract variants that each memory actor's schema owns; no other schema owns one.
CLAUSE_VARIANTS: dict[OperationSchemaId, tuple[ContractClauseTag, ...]] = {
    OperationSchemaId.DATAFLOW_LOAD: _LOAD_STORE,
    OperationSchemaId.DATAFLOW_STORE: _LOAD_STORE,
    OperationSchemaId.DATAFLOW_ATOMIC_RMW: (ContractClauseTag.ATOMIC_RMW,),
    OperationSchemaId.DATAFLOW_CMPXCHG: (ContractClauseTag.COMPARE_EXCHANGE,),
    OperationSchemaId.DATAFLOW_FENCE: (ContractClauseTag.FENCE,),
}

_O = AtomicOrdering
_ORDERING_CODES = {
    OperationSchemaId.DATAFLOW_LOAD: "load-ordering",
    OperationSchemaId.DATAFLOW_STORE: "store-ordering",
    OperationSchemaId.DATAFLOW_ATOMIC_RMW: "rmw-ordering",
    OperationSchemaId.DATAFLOW_FENCE: "fence-ordering",
}
#: Orderings of each actor that has one; a compare-exchange has a pair.
_ORDERINGS = {
    OperationSchemaId.DATAFLOW_LOAD: (_O.UNORDERED, _O.MONOTONIC, _O.ACQUIRE, _O.SEQ_CST),
    OperationSchemaId.DATAFLOW_STORE: (_O.UNORDERED, _O.MONOTONIC, _O.RELEASE, _O.SEQ_CST),
    OperationSchemaId.DATAFLOW_ATOMIC_RMW: (
        _O.MONOTONIC,
        _O.ACQUIRE,
        _O.RELEASE,
        _O.ACQ_REL,
        _O.SEQ_CST,
    ),
    OperationSchemaId.DATAFLOW_FENCE: (_O.ACQUIRE, _O.RELEASE, _O.ACQ_REL, _O.SEQ_CST),
}
_SUCCESS = (_O.MONOTONIC, _O.ACQUIRE, _O.RELEASE, _O.ACQ_REL, _O.SEQ_CST)
_FAILURE = (_O.MONOTONIC, _O.ACQUIRE, _O.SEQ_CST)


@dataclass(frozen=True, slots=True)
class PlainContract:
    """Contract of a plain load or store."""

    volatile: bool = False

    @property
    def variant(self) -> ContractClauseTag:
        """Clause variant that may admit the contract."""
        return ContractClauseTag.LOAD_STORE_PLAIN

    @property
    def values(self) -> tuple[Hashable, ...]:
        """Values of the clause's fields, in their order."""
        return (self.volatile,)

    @property
    def source_alignment_bytes(self) -> int:
        """Alignment that the actor promises."""
        return 1


@dataclass(frozen=True, slots=True)
class AtomicContract:
    """Contract of an atomic load or store; ``granularity`` is ``None`` for a scalar element."""

    ordering: AtomicOrdering
    scope: SyncScope
    granularity: VectorAtomicGranularity | None
    volatile: bool
    source_alignment_bytes: int

    @property
    def variant(self) -> ContractClauseTag:
        """Clause variant that may admit the contract."""
        return ContractClauseTag.LOAD_STORE_ATOMIC

    @property
    def values(self) -> tuple[Hashable, ...]:
        """Values of the clause's fields, in their order."""
        return (self.ordering, self.scope, self.granularity, self.volatile)


@dataclass(frozen=True, slots=True)
class AtomicRmwContract:
    """Contract of an atomic read-modify-write."""

    kind: AtomicRmwKind
    ordering: AtomicOrdering
    scope: SyncScope
    granularity: VectorAtomicGranularity | None
    volatile: bool
    source_alignment_bytes: int

    @property
    def variant(self) -> ContractClauseTag:
        """Clause variant that may admit the contract."""
        return ContractClauseTag.ATOMIC_RMW

    @property
    def values(self) -> tuple[Hashable, ...]:
        """Values of the clause's fields, in their order."""
        return (self.kind, self.ordering, self.scope, self.granularity, self.volatile)


@dataclass(frozen=True, slots=True)
class CompareExchangeContract:
    """Contract of a compare-exchange; ``orderings`` are those of success and of failure."""

    orderings: OrderingPair
    scope: SyncScope
    granularity: VectorAtomicGranularity | None
    weak: bool
    volatile: bool
    source_alignment_bytes: int

    @property
    def variant(self) -> ContractClauseTag:
        """Clause variant that may admit the contract."""
        return ContractClauseTag.COMPARE_EXCHANGE

    @property
    def values(self) -> tuple[Hashable, ...]:
        """Values of the clause's fields, in their order."""
        return (self.orderings, self.scope, self.granularity, self.weak, self.volatile)


@dataclass(frozen=True, slots=True)
class FenceContract:
    """Contract of a fence, which accesses nothing: it is not volatile and aligns nothing."""

    ordering: AtomicOrdering
    scope: SyncScope

    @property
    def variant(self) -> ContractClauseTag:
        """Clause variant that may admit the contract."""
        return ContractClauseTag.FENCE

    @property
    def values(self) -> tuple[Hashable, ...]:
        """Values of the clause's fields, in their order."""
        return (self.ordering, self.scope)

    @property
    def volatile(self) -> bool:
        """Whether the provider must see each access: a fence has none."""
        return False


MemoryContract = (
    PlainContract | AtomicContract | AtomicRmwContract | CompareExchangeContract | FenceContract
)

_FENCE: Callable[..., MemoryContract] = FenceContract
_CONTRACTS: dict[ContractClauseTag, Callable[..., MemoryContract]] = {
    ContractClauseTag.LOAD_STORE_ATOMIC: AtomicContract,
    ContractClauseTag.ATOMIC_RMW: AtomicRmwContract,
    ContractClauseTag.COMPARE_EXCHANGE: CompareExchangeContract,
}


def contract_of(
    variant: ContractClauseTag, values: Sequence[Hashable], source_alignment_bytes: int
) -> MemoryContract:
    """Build the contract whose clause fields have ``values``; plain ones and fences align nothing.

    ``values`` are of the variant's field types, in their order.
    """
    if variant is ContractClauseTag.LOAD_STORE_PLAIN:
        return PlainContract(*map(bool, values))
    if variant is ContractClauseTag.FENCE:
        return _FENCE(*values)
    return _CONTRACTS[variant](*values, source_alignment_bytes)


def ordering_findings(
    schema: OperationSchemaId, orderings: Iterable[AtomicOrdering], where: str
) -> Iterator[Diagnostic]:
    """Say which orderings a load, store, read-modify-write or fence may not have."""
    legal = _ORDERINGS[schema]
    if wrong := [each for each in orderings if each not in legal]:
        yield _ordering_finding(_ORDERING_CODES[schema], word(schema), legal, wrong, where)


def pair_findings(pairs: Iterable[OrderingPair], where: str) -> Iterator[Diagnostic]:
    """Say which orderings of success and of failure a compare-exchange may not have."""
    listed = tuple(pairs)
    for part, legal, position in (("success", _SUCCESS, 0), ("failure", _FAILURE, 1)):
        found = dict.fromkeys(pair[position] for pair in listed)
        if wrong := [each for each in found if each not in legal]:
            code = f"compare-exchange-{part}-ordering"
            yield _ordering_finding(code, f"{part} in cmpxchg", legal, wrong, where)


def scope_findings(scopes: Iterable[SyncScope], where: str) -> Iterator[Diagnostic]:
    """Refuse scopes of a Target: nothing resolves them, so no actor can have one."""
    for scope in scopes:
        if scope.kind is SyncScopeKind.TARGET:
            yield Diagnostic(
                "sync-scope-target",
                where,
                "A scope must be system or single_thread, not the target "
                f"{scope.namespace[:64]!r} {scope.key[:64]!r}",
            )


def _ordering_finding(
    code: str,
    owner: str,
    legal: tuple[AtomicOrdering, ...],
    wrong: list[AtomicOrdering],
    where: str,
) -> Diagnostic:
    return Diagnostic(
        code,
        where,
        f"The ordering of {owner} must be {words(legal, ' or ')}, not {words(wrong, ' or ')}",
    )
