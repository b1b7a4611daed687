"""Which actors of a random fabric synchronise, and which contracts they have."""

import random
from collections.abc import Sequence

from fabricgen.atoms.sync_scope import SyncScope
from fabricgen.model.atomics import has_format
from fabricgen.plan.atomic_use import FLOAT_RMW_KINDS
from fabricgen.records.actor import (
    AtomicRmw,
    CompareExchange,
    ContractClause,
    Fence,
    LoadStoreAtomic,
    MemoryActorContractDomain,
)
from fabricgen.records.connectivity import (
    InternalConnection,
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    MemoryDispatchTarget,
)
from fabricgen.records.consistency import BoundedCompletionCycles, FairEventual, LocalProvider
from fabricgen.vocab.dataflow import (
    AtomicOrdering,
    AtomicRmwKind,
    OperationSchemaId,
    SyncScopeKind,
    VectorAtomicGranularity,
)
from fabricgen.vocab.fabric import ReleaseVisibilityPoint

__all__ = ["ORDERINGS", "AtomicDrawing"]

_O, _S = AtomicOrdering, OperationSchemaId
_SCOPES = [SyncScope(SyncScopeKind.SYSTEM), SyncScope(SyncScopeKind.SINGLE_THREAD)]
_WHOLE, _LANE = VectorAtomicGranularity
#: Some orderings that each actor may have; a compare-exchange has pairs.
ORDERINGS = {
    _S.DATAFLOW_LOAD: [_O.UNORDERED, _O.ACQUIRE, _O.SEQ_CST],
    _S.DATAFLOW_STORE: [_O.MONOTONIC, _O.RELEASE, _O.SEQ_CST],
    _S.DATAFLOW_ATOMIC_RMW: [_O.MONOTONIC, _O.ACQ_REL, _O.SEQ_CST],
    _S.DATAFLOW_CMPXCHG: [
        (_O.SEQ_CST, _O.ACQUIRE),
        (_O.RELEASE, _O.MONOTONIC),
        (_O.MONOTONIC, _O.SEQ_CST),
    ],
    _S.DATAFLOW_FENCE: [_O.ACQUIRE, _O.RELEASE, _O.ACQ_REL, _O.SEQ_CST],
}


class AtomicDrawing:
    """Draws from a generator of its own: a fabric without such actors does not depend on it."""

    def __init__(self, seed: str, *, managers: int, has_local: bool) -> None:
        self._rng = rng = random.Random(f"atomic {seed}")
        self._odds = rng.choice([0.0, 0.6, 1.0, 1.0] if managers else [0.0, 0.0, 0.6, 1.0])
        self._targets: list[MemoryDispatchTarget] = [*map(ManagerEndpointTarget, range(managers))]
        if has_local:
            self._targets.insert(0, LocalMemoryServiceTarget())

    def protocol(self) -> str:
        """Of the managers: a bus knows none of these actors."""
        return "axi4" if not self._odds and self._rng.random() < 0.6 else "stream"

    def is_next(self) -> bool:
        """Whether the next alternative synchronises."""
        return self._odds > 0 and self._rng.random() < self._odds

    def connections(self, count: int) -> int:
        """How many connections to have instead: results that only these actors have are rare."""
        return max(count, self._rng.choice([0, 4, 20])) if self._odds else count

    def some_of(self, connections: list[InternalConnection]) -> list[InternalConnection]:
        """A few of them."""
        few = min(self._rng.randint(0, 4), len(connections))
        return self._rng.sample(sorted(connections), few)

    def spare_success(self) -> int:
        """Bits of an endpoint beside the successes: with some it may lead to any operand."""
        return self._rng.choice([0, 64, 64])

    def is_narrow(self) -> bool:
        """Whether a class admits one lane, which a volatile access has."""
        return self._rng.random() < 0.6

    def targets(self) -> tuple[MemoryDispatchTarget, ...]:
        """Some targets, in their order."""
        places = range(len(self._targets))
        chosen = self._rng.sample(places, self._rng.randint(1, len(places)))
        return tuple(self._targets[at] for at in sorted(chosen))

    def provider(self) -> LocalProvider:
        """Who orders what the local service serves; no engine takes as long as the bound."""
        visibility = self._rng.choice(list(ReleaseVisibilityPoint))
        progress = self._rng.choice([FairEventual(), BoundedCompletionCycles(1_000_000)])
        return LocalProvider(visibility, progress)

    def actors(
        self, sizes: Sequence[int], *, walks: bool, is_local: bool
    ) -> MemoryActorContractDomain:
        """One clause of one actor with objects of these widths; no fence is walked, and the local
        service computes with integers alone.
        """
        rng = self._rng
        # Those that no plain alternative resembles come twice as often.
        listed = [*ORDERINGS, _S.DATAFLOW_ATOMIC_RMW, _S.DATAFLOW_CMPXCHG]
        schema = rng.choice([each for each in listed if not walks or each is not _S.DATAFLOW_FENCE])
        return MemoryActorContractDomain.of(
            schema, self._clause(schema, sizes, walks=walks, is_local=is_local)
        )

    def _clause(
        self, schema: OperationSchemaId, sizes: Sequence[int], *, walks: bool, is_local: bool
    ) -> ContractClause:
        orderings, scopes = self._some(ORDERINGS[schema]), self._some(_SCOPES)
        if schema is _S.DATAFLOW_FENCE:
            return Fence.of_sets(orderings, scopes)
        granularity = [_LANE] if walks else self._some([None, _WHOLE])
        # A volatile access has one lane, which not every class of lanes admits.
        volatile = [False, *self._some([False, True])] if walks else self._some([False, True])
        if schema is _S.DATAFLOW_CMPXCHG:
            weak = self._some([False, True])
            return CompareExchange.of_sets(orderings, scopes, granularity, weak, volatile)
        if schema is _S.DATAFLOW_ATOMIC_RMW:
            kinds = [
                kind
                for kind in AtomicRmwKind
                if all(has_format(kind, bits) for bits in sizes)
                and not (is_local and kind in FLOAT_RMW_KINDS)
            ]
            return AtomicRmw.of_sets(self._some(kinds), orderings, scopes, granularity, volatile)
        return LoadStoreAtomic.of_sets(orderings, scopes, granularity, volatile)

    def _some(self, values: Sequence[object]) -> list[object]:
        return self._rng.sample(values, self._rng.randint(1, min(3, len(values))))
