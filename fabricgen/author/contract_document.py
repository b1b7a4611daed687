"""The clauses of admitted actor contracts in a fabric document, alike for ports and services."""

from typing import Annotated, Literal

from pydantic import Field, Tag

from fabricgen.author.document import Document
from fabricgen.author.fields import by_key, by_type

__all__ = [
    "AtomicChoice",
    "AtomicDocument",
    "ClauseDocument",
    "CompareExchangeClauseDocument",
    "FenceClauseDocument",
    "Granularity",
    "LoadStoreContractDocument",
    "Ordering",
    "PlainChoice",
    "PlainDocument",
    "RmwClauseDocument",
    "RmwKind",
    "SyncScopeDocument",
    "TargetScopeChoice",
    "TargetScopeDocument",
]

Ordering = Literal["unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst"]
_Orderings = Annotated[
    list[Ordering], Field(min_length=1, description="Admitted orderings, each exactly.")
]
Granularity = Literal["absent", "whole_payload", "per_lane"]
RmwKind = Literal[
    "xchg",
    "add",
    "sub",
    "and",
    "nand",
    "or",
    "xor",
    "max",
    "min",
    "umax",
    "umin",
    "fadd",
    "fsub",
    "fmax",
    "fmin",
    "uinc_wrap",
    "udec_wrap",
    "usub_cond",
    "usub_sat",
    "fmaximum",
    "fminimum",
    "fmaximum_num",
    "fminimum_num",
]
_Granularities = Annotated[
    list[Granularity],
    Field(
        min_length=1,
        description="What is atomic: one scalar element (absent), one element that is itself a "
        "vector (whole_payload), or each lane (per_lane).",
    ),
]
_Volatile = Annotated[
    list[bool],
    Field(min_length=1, description="Admitted volatility: false, true, or both."),
]


class TargetScopeDocument(Document):
    """Name of a scope that a target defines."""

    namespace: str = Field(min_length=1, description="Who defines the scope.")
    key: str = Field(min_length=1, description="Which of its scopes.")


class TargetScopeChoice(Document):
    """A scope of a target; representable, and refused as nothing resolves it."""

    target: TargetScopeDocument = Field(description="Name of the scope.")


SyncScopeDocument = Annotated[
    Annotated[Literal["system", "single_thread"], Tag("~kind")]
    | Annotated[TargetScopeChoice, Tag("~target")],
    by_type("'system', 'single_thread' or a table with target", kind=str, target=dict),
]
_SyncScopes = Annotated[
    list[SyncScopeDocument],
    Field(min_length=1, description="Admitted synchronisation scopes, each exactly."),
]


class PlainDocument(Document):
    """Plain accesses: no ordering beyond the program's tokens."""

    volatile: _Volatile


class PlainChoice(Document):
    """A clause of plain loads or stores."""

    plain: PlainDocument = Field(description="Plain loads or stores.")


class AtomicDocument(Document):
    """Atomic loads or stores: the product of the lists."""

    orderings: _Orderings
    sync_scopes: _SyncScopes
    granularity: _Granularities
    volatile: _Volatile


class AtomicChoice(Document):
    """A clause of atomic loads or stores."""

    atomic: AtomicDocument = Field(description="Atomic loads or stores.")


LoadStoreContractDocument = Annotated[
    Annotated[PlainChoice, Tag("~plain")] | Annotated[AtomicChoice, Tag("~atomic")],
    by_key("plain", "atomic"),
]


class RmwClauseDocument(Document):
    """One clause of read-modify-writes: the product of the lists."""

    kinds: list[RmwKind] = Field(
        min_length=1, description="Admitted operations, as LLVM defines them."
    )
    orderings: _Orderings
    sync_scopes: _SyncScopes
    granularity: _Granularities
    volatile: _Volatile


class CompareExchangeClauseDocument(Document):
    """One clause of compare-exchanges: the product of the lists."""

    orderings: list[Annotated[list[Ordering], Field(min_length=2, max_length=2)]] = Field(
        min_length=1,
        description="Admitted pairs of the ordering of a success and that of a failure.",
    )
    sync_scopes: _SyncScopes
    granularity: _Granularities
    weak: list[bool] = Field(
        min_length=1,
        description="Whether an exchange may fail without a reason: false, true, or both.",
    )
    volatile: _Volatile


class FenceClauseDocument(Document):
    """One clause of fences: the product of the lists."""

    orderings: _Orderings
    sync_scopes: _SyncScopes


#: One clause, whatever the actor.
ClauseDocument = (
    PlainChoice
    | AtomicChoice
    | RmwClauseDocument
    | CompareExchangeClauseDocument
    | FenceClauseDocument
)
