"""Contracts, clauses and alternatives of all five memory actors, small and legal."""

from itertools import product

from hypothesis import strategies as st

from fabricgen.atoms.sync_scope import SyncScope
from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.actor import (
    AtomicRmw,
    CompareExchange,
    Fence,
    LoadStoreAtomic,
    LoadStorePlain,
    MemoryActorContractDomain,
)
from fabricgen.records.alternative import MemoryCapabilityAlternative
from fabricgen.schema.actor import CanonicalActorProjection
from fabricgen.schema.contract import (
    AtomicContract,
    AtomicRmwContract,
    CompareExchangeContract,
    FenceContract,
)
from fabricgen.vocab.dataflow import (
    AtomicOrdering,
    AtomicRmwKind,
    MemoryMaskForm,
    OperationSchemaId,
    SyncScopeKind,
    VectorAtomicGranularity,
)
from fabricgen.vocab.fabric import InactiveLaneSemantics
from tests.support.capabilities import ELEMENT, LOAD, READ, STORE, WRITE, access, binding

RMW, CAS = OperationSchemaId.DATAFLOW_ATOMIC_RMW, OperationSchemaId.DATAFLOW_CMPXCHG
FENCE = OperationSchemaId.DATAFLOW_FENCE
ACTORS = (LOAD, STORE, RMW, CAS, FENCE)
SYSTEM, THREAD = SyncScope(SyncScopeKind.SYSTEM), SyncScope(SyncScopeKind.SINGLE_THREAD)
TARGET = SyncScope(SyncScopeKind.TARGET, "gpu", "warp")
ORDER, KIND = AtomicOrdering, AtomicRmwKind
WHOLE, LANE = VectorAtomicGranularity
SCALAR = None
STRONG = ORDER.SEQ_CST
ZERO_FILLED = (MemoryMaskForm.DYNAMIC, InactiveLaneSemantics.SUPPRESS_AND_ZERO_FILL)

_SCOPES = (SYSTEM, THREAD)
#: Orderings of each actor, by hand from the reference; a compare-exchange has pairs.
LEGAL = {
    LOAD: (ORDER.UNORDERED, ORDER.MONOTONIC, ORDER.ACQUIRE, ORDER.SEQ_CST),
    STORE: (ORDER.UNORDERED, ORDER.MONOTONIC, ORDER.RELEASE, ORDER.SEQ_CST),
    RMW: tuple(order for order in ORDER if order is not ORDER.UNORDERED),
    CAS: tuple(
        product(
            [order for order in ORDER if order is not ORDER.UNORDERED],
            [ORDER.MONOTONIC, ORDER.ACQUIRE, ORDER.SEQ_CST],
        )
    ),
    FENCE: (ORDER.ACQUIRE, ORDER.RELEASE, ORDER.ACQ_REL, ORDER.SEQ_CST),
}


def clause(schema, *, granularity=(SCALAR,), **changes):
    """One clause of an actor that synchronises, with one value a field but where told."""
    default = (STRONG, STRONG) if schema is CAS else STRONG
    fields = {
        **({"kinds": [KIND.ADD]} if schema is RMW else {}),
        "orderings": [default],
        "scopes": [SYSTEM],
        **({} if schema is FENCE else {"granularity": granularity}),
        **({"weak": [False]} if schema is CAS else {}),
        **({} if schema is FENCE else {"volatile": [False]}),
    } | changes
    kinds = {LOAD: LoadStoreAtomic, STORE: LoadStoreAtomic}
    kinds |= {RMW: AtomicRmw, CAS: CompareExchange, FENCE: Fence}
    return kinds[schema].of_sets(*fields.values())


def actors(schema, **changes):
    return MemoryActorContractDomain.of(schema, clause(schema, **changes))


def exact(schema, *, granularity=SCALAR, alignment=4, ordering=STRONG):
    """One actor that synchronises."""
    common = (SYSTEM, granularity)
    contract = {
        LOAD: lambda: AtomicContract(ordering, *common, False, alignment),
        STORE: lambda: AtomicContract(ordering, *common, False, alignment),
        RMW: lambda: AtomicRmwContract(KIND.ADD, ordering, *common, False, alignment),
        CAS: lambda: CompareExchangeContract(
            (ordering, ORDER.SEQ_CST), *common, False, False, alignment
        ),
        FENCE: lambda: FenceContract(ordering, SYSTEM),
    }[schema]()
    return CanonicalActorProjection(schema, contract)


def atomic_access(schema, form=ELEMENT, *, mask=False, **changes):
    """One class of an actor that synchronises: 8 to 64 bits, any alignment."""
    reads, writes = schema is not STORE, schema is not LOAD
    suppress = InactiveLaneSemantics.SUPPRESS
    dynamic = (MemoryMaskForm.DYNAMIC, suppress) if schema is STORE else ZERO_FILLED
    fields = {
        "element": (8, 16, 32, 64),
        "read_subword": [READ.ZERO_EXTEND if reads else READ.NOT_APPLICABLE],
        "write_subword": [WRITE.BYTE_ENABLE if writes else WRITE.NOT_APPLICABLE],
        **({"mask_inactive_pairs": [dynamic]} if mask else {}),
    }
    return access(form, schema, **fields | changes)


def alternative(schema, *classes, domain=None, patterns=(0,), number=0):
    """One alternative; the mask role is bound exactly where a class wants it."""
    mask = any(MemoryMaskForm.DYNAMIC in each.mask_forms for each in classes)
    return MemoryCapabilityAlternative.of(
        domain or actors(schema),
        binding(schema, number, mask=mask),
        ParameterizedMemoryAccessDomain.of(*classes) if classes else None,
        patterns,
    )


@st.composite
def clauses(draw, schema):
    """Clauses of one schema over a few legal values of each field."""
    few = draw(st.permutations(LEGAL[schema]))[:3]
    if schema in (LOAD, STORE) and draw(st.booleans()):
        return LoadStorePlain.of(*draw(st.sets(st.booleans(), min_size=1)))

    def some(values):
        return draw(st.sets(st.sampled_from(values), min_size=1))

    return clause(
        schema,
        **({"kinds": some([KIND.XCHG, KIND.ADD, KIND.FMINIMUM_NUM])} if schema is RMW else {}),
        orderings=some(few),
        scopes=some(_SCOPES),
        **({} if schema is FENCE else {"granularity": some([SCALAR, WHOLE, LANE])}),
        **({"weak": some([False, True])} if schema is CAS else {}),
        **({} if schema is FENCE else {"volatile": some([False, True])}),
    )


@st.composite
def authored(draw):
    """A schema and up to four clauses of it, as somebody may write them."""
    schema = draw(st.sampled_from(ACTORS))
    return schema, draw(st.lists(clauses(schema), min_size=1, max_size=4))


def points(schema, listed):
    """Every exact contract value that some clause admits."""
    return {(schema, each.tag, *values) for each in listed for values in product(*each.inventories)}
