"""The five variants of an actor-contract clause (spec: Persistent Capability Schema).

Each field is a finite domain: a tuple of its values in canonical order, unique and non-empty.
The constructor is the strict door; ``of_sets`` takes each field's values in any order.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from fabricgen.atoms.dataflow import (
    BOOLEANS,
    GRANULARITIES,
    ORDERING_PAIRS,
    ORDERINGS,
    RMW_KINDS,
    SYNC_SCOPES,
)
from fabricgen.atoms.finite import FiniteDomain
from fabricgen.atoms.sync_scope import SyncScope
from fabricgen.atoms.table import AtomCodec
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.schema.contract import (
    CLAUSE_VARIANTS,
    MemoryContract,
    OrderingPair,
    ordering_findings,
    pair_findings,
    scope_findings,
)
from fabricgen.vocab.dataflow import (
    AtomicOrdering,
    AtomicRmwKind,
    OperationSchemaId,
    VectorAtomicGranularity,
)
from fabricgen.vocab.fabric import ContractClauseTag
from fabricgen.vocab.words import word, words

__all__ = [
    "CLAUSE_TYPES",
    "AtomicRmw",
    "CompareExchange",
    "ContractClause",
    "Fence",
    "Granularity",
    "LoadStoreAtomic",
    "LoadStorePlain",
    "clause_of",
    "common_clause",
    "legality_findings",
    "variant_findings",
]

#: Granularity of a vector atomic; ``None`` is the exact scalar case and no wildcard.
Granularity = VectorAtomicGranularity | None

_Self = TypeVar("_Self", bound="_Clause")
_ORDERING = ("orderings", ORDERINGS)
_SCOPE = ("sync_scopes", SYNC_SCOPES)
_GRANULARITY = ("vector_granularity_values", GRANULARITIES)
_VOLATILE = ("volatile_values", BOOLEANS)


@dataclass(frozen=True, slots=True)
class _Clause:
    """What the variants share."""

    #: Wire tag of the variant.
    tag: ClassVar[ContractClauseTag]
    #: Name and atoms of each field, in declaration order.
    CODECS: ClassVar[tuple[tuple[str, AtomCodec[Any]], ...]]

    def __post_init__(self) -> None:
        found = [
            finding
            for (name, codec), values in zip(self.CODECS, self.inventories, strict=True)
            for finding in codec.findings(name, values)
        ]
        if found:
            raise Invalid(*found)

    @property
    def inventories(self) -> tuple[tuple[Any, ...], ...]:
        """Values of each field in declaration order."""
        return tuple(getattr(self, name) for name, _ in self.CODECS)

    @property
    def fields(self) -> tuple[FiniteDomain, ...]:
        """Finite domains of the clause in declaration order."""
        pairs = zip(self.CODECS, self.inventories, strict=True)
        return tuple(codec.domain(values) for (_, codec), values in pairs)

    @classmethod
    def of_sets(cls: type[_Self], *values: Iterable[Any]) -> _Self:
        """Build a clause from the values of each field, in any order."""
        pairs = zip(cls.CODECS, values, strict=True)
        return cls(*(codec.sorted(each) for (_, codec), each in pairs))

    @classmethod
    def of_fields(cls: type[_Self], fields: tuple[FiniteDomain, ...]) -> _Self:
        """Read the fields of a clause; unknown atoms are ``Invalid``."""
        pairs = zip(cls.CODECS, fields, strict=True)
        return cls(*(codec.read_domain(domain, name) for (name, codec), domain in pairs))

    def contains(self, contract: MemoryContract) -> bool:
        """Tell whether the clause admits an exact contract, its alignment apart."""
        return contract.variant is self.tag and all(
            value in values for value, values in zip(contract.values, self.inventories, strict=True)
        )


@dataclass(frozen=True, slots=True)
class LoadStorePlain(_Clause):
    """Plain loads or stores."""

    volatile_values: tuple[bool, ...]

    tag = ContractClauseTag.LOAD_STORE_PLAIN
    CODECS = (_VOLATILE,)

    @classmethod
    def of(cls, *volatile_values: bool) -> "LoadStorePlain":
        """Build the clause from values in any order."""
        return cls(BOOLEANS.sorted(volatile_values))


@dataclass(frozen=True, slots=True)
class LoadStoreAtomic(_Clause):
    """Atomic loads or stores."""

    orderings: tuple[AtomicOrdering, ...]
    sync_scopes: tuple[SyncScope, ...]
    vector_granularity_values: tuple[Granularity, ...]
    volatile_values: tuple[bool, ...]

    tag = ContractClauseTag.LOAD_STORE_ATOMIC
    CODECS = (_ORDERING, _SCOPE, _GRANULARITY, _VOLATILE)


@dataclass(frozen=True, slots=True)
class AtomicRmw(_Clause):
    """Atomic read-modify-writes."""

    rmw_kinds: tuple[AtomicRmwKind, ...]
    orderings: tuple[AtomicOrdering, ...]
    sync_scopes: tuple[SyncScope, ...]
    vector_granularity_values: tuple[Granularity, ...]
    volatile_values: tuple[bool, ...]

    tag = ContractClauseTag.ATOMIC_RMW
    CODECS = (("rmw_kinds", RMW_KINDS), _ORDERING, _SCOPE, _GRANULARITY, _VOLATILE)


@dataclass(frozen=True, slots=True)
class CompareExchange(_Clause):
    """Compare-exchanges; their orderings are exact (success, failure) pairs."""

    success_failure_ordering_pairs: tuple[OrderingPair, ...]
    sync_scopes: tuple[SyncScope, ...]
    vector_granularity_values: tuple[Granularity, ...]
    weak_values: tuple[bool, ...]
    volatile_values: tuple[bool, ...]

    tag = ContractClauseTag.COMPARE_EXCHANGE
    CODECS = (
        ("success_failure_ordering_pairs", ORDERING_PAIRS),
        _SCOPE,
        _GRANULARITY,
        ("weak_values", BOOLEANS),
        _VOLATILE,
    )


@dataclass(frozen=True, slots=True)
class Fence(_Clause):
    """Fences."""

    orderings: tuple[AtomicOrdering, ...]
    sync_scopes: tuple[SyncScope, ...]

    tag = ContractClauseTag.FENCE
    CODECS = (_ORDERING, _SCOPE)


ContractClause = LoadStorePlain | LoadStoreAtomic | AtomicRmw | CompareExchange | Fence

#: Record of each variant.
CLAUSE_TYPES: dict[ContractClauseTag, type[ContractClause]] = {
    each.tag: each for each in (LoadStorePlain, LoadStoreAtomic, AtomicRmw, CompareExchange, Fence)
}


def clause_of(tag: ContractClauseTag, fields: tuple[FiniteDomain, ...]) -> ContractClause:
    """Read a clause from its variant and as many domains as the variant has fields."""
    return CLAUSE_TYPES[tag].of_fields(fields)


def common_clause(left: ContractClause, right: ContractClause) -> ContractClause | None:
    """Contracts that two clauses admit together, which one clause admits; ``None`` where none."""
    if left.tag is not right.tag:
        return None
    pairs = zip(left.inventories, right.inventories, strict=True)
    common = [tuple(value for value in a if value in b) for a, b in pairs]
    return CLAUSE_TYPES[left.tag](*common) if all(common) else None


def variant_findings(
    schema: OperationSchemaId, variant: ContractClauseTag, where: str
) -> Iterator[Diagnostic]:
    """Say whether ``variant`` is none of the contract variants that ``schema`` owns."""
    owned = CLAUSE_VARIANTS.get(schema, ())
    if variant not in owned:
        yield Diagnostic(
            "clause-schema-mismatch",
            where,
            f"A clause of {word(schema)} must be "
            f"{words(owned, ' or ') if owned else 'absent'}, not {word(variant)}",
        )


def legality_findings(
    schema: OperationSchemaId, clause: ContractClause, where: str
) -> Iterator[Diagnostic]:
    """Say which values of a clause no actor of ``schema`` can have; the variant is the schema's."""
    match clause:
        case LoadStorePlain():
            return
        case CompareExchange():
            name = "success_failure_ordering_pairs"
            yield from pair_findings(clause.success_failure_ordering_pairs, f"{where}.{name}")
        case LoadStoreAtomic() | AtomicRmw() | Fence():  # exhaustive
            yield from ordering_findings(schema, clause.orderings, f"{where}.orderings")
    yield from scope_findings(clause.sync_scopes, f"{where}.sync_scopes")
