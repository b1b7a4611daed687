"""Hypothesis strategies of legal service contracts, of either owner, and consistency domains."""

from hypothesis import strategies as st

from fabricgen.atoms.unsigned import U64_MAX
from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.consistency import (
    NO_CONSISTENCY,
    BoundedCompletionCycles,
    ConsistencyBinding,
    FairEventual,
    LocalProvider,
    SystemDomain,
)
from fabricgen.records.service import (
    MemoryServiceCapability,
    MemoryServiceContract,
    MemoryServiceRegion,
    Mmio,
    Storage,
)
from fabricgen.records.system import (
    BoundedCompletion,
    MemoryConsistencyDomain,
    ProviderParticipant,
    ServiceParticipant,
    SystemMemoryService,
)
from fabricgen.vocab.fabric import ReleaseVisibilityPoint
from tests.support.actors import ACTORS, FENCE, actors, atomic_access
from tests.support.capabilities import LOAD, STORE, plain
from tests.support.resources import resource_contracts

_VISIBILITY = st.sampled_from(ReleaseVisibilityPoint)
_POSITIVE = st.integers(1, U64_MAX)
_REFERENCES = st.binary(min_size=1, max_size=6)

LOCAL_BINDINGS = st.builds(
    LocalProvider,
    _VISIBILITY,
    st.builds(BoundedCompletionCycles, _POSITIVE) | st.just(FairEventual()),
)
SYSTEM_BINDINGS = st.builds(SystemDomain, _REFERENCES)


@st.composite
def _served(draw: st.DrawFn) -> list:
    """Actors and accesses of one capability each, of which no two have a point in common."""
    listed = []
    for schema in draw(st.lists(st.sampled_from(ACTORS), min_size=1, max_size=3, unique=True)):
        is_plain = schema in (LOAD, STORE) and draw(st.booleans())
        admitted = plain(schema) if is_plain else actors(schema)
        if schema is FENCE:
            listed.append((admitted, None, is_plain))
            continue
        widths = draw(st.permutations([8, 16, 32, 64]))
        cuts = sorted(draw(st.sets(st.integers(1, 3), max_size=1)))
        for low, high in zip([0, *cuts], [*cuts, 4], strict=True):
            access = atomic_access(schema, element=tuple(widths[low:high]))
            listed.append((admitted, ParameterizedMemoryAccessDomain.of(access), is_plain))
    return listed


@st.composite
def _regions(draw: st.DrawFn, accesses: list) -> tuple[list[MemoryServiceRegion], list[set[int]]]:
    """Disjoint regions, and which accesses select each; the first one is storage for all."""
    addressed = [i for i, access in enumerate(accesses) if access is not None]
    regions, selected, base = [], [], draw(st.integers(0, 2**62))
    for ordinal in range(draw(st.integers(1, 4))):
        size = draw(st.integers(1, 2**40))
        chosen, behavior = set(addressed), Storage()
        if ordinal and addressed:
            chosen = draw(st.sets(st.sampled_from(addressed), min_size=1))
            if draw(st.booleans()):
                classes = [each for i in chosen for each in accesses[i].access_classes]
                behavior = Mmio(ParameterizedMemoryAccessDomain.of(*classes))
        if regions and regions[-1].behavior == behavior:
            base += draw(st.integers(1, 2**20))
        regions.append(MemoryServiceRegion(base, size, behavior))
        selected.append(chosen)
        base += size
    return regions, selected


@st.composite
def service_contracts(
    draw: st.DrawFn,
    bindings: st.SearchStrategy[ConsistencyBinding] = LOCAL_BINDINGS | SYSTEM_BINDINGS,
) -> MemoryServiceContract:
    """Any few actors, storage and MMIO regions; every region and use pattern is of use."""
    served = draw(_served())
    regions, selected = draw(_regions([access for _, access, _ in served]))
    resources = draw(resource_contracts().filter(lambda each: each.use_patterns))
    keys = range(len(resources.use_patterns))
    capabilities = [
        MemoryServiceCapability.of(
            admitted,
            access,
            service_region_ordinals=[r for r, chosen in enumerate(selected) if number in chosen],
            service_beat_width_bits=0 if access is None else draw(_POSITIVE),
            # The first one admits whatever the others may leave.
            admissible_use_patterns=draw(st.sets(st.sampled_from(keys), min_size=1))
            if number
            else keys,
            consistency_binding=draw(st.just(NO_CONSISTENCY) | bindings)
            if is_plain
            else draw(bindings),
        )
        for number, (admitted, access, is_plain) in enumerate(served)
    ]
    return MemoryServiceContract.of(regions, resources, capabilities)


def system_services() -> st.SearchStrategy[SystemMemoryService]:
    return service_contracts(SYSTEM_BINDINGS).map(SystemMemoryService)


@st.composite
def consistency_domains(draw: st.DrawFn) -> MemoryConsistencyDomain:
    """Any participants, by references of any bytes."""
    services, providers = draw(st.tuples(*[st.sets(_REFERENCES, max_size=3)] * 2))
    if not services | providers:
        services = {draw(_REFERENCES)}
    return MemoryConsistencyDomain(
        (
            *map(ServiceParticipant, sorted(services)),
            *map(ProviderParticipant, sorted(providers)),
        ),
        draw(_VISIBILITY),
        draw(st.builds(BoundedCompletion, _REFERENCES, _POSITIVE) | st.just(FairEventual())),
        draw(resource_contracts()),
    )
