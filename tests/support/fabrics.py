"""Hypothesis strategy of legal fabrics of one Spatial memory: ports, service, capacities, names."""

from hypothesis import strategies as st

from fabricgen.records.access import MemoryAccessClass
from fabricgen.records.endpoint import TransportEndpoint
from fabricgen.records.fabric import Fabric, MemoryImplementation, MemoryNames, NamedMemory
from fabricgen.records.resource import FixedPriority, GrantPolicy, RoundRobin
from fabricgen.records.service import (
    LocalMemoryService,
    MemoryServiceCapability,
    MemoryServiceContract,
    MemoryServiceRegion,
)
from fabricgen.vocab.dataflow import OperationSchemaId, ServiceValueRole
from fabricgen.vocab.fabric import ReadSubwordSemantics, WriteSubwordSemantics
from tests.support.records import (
    ADDRESS,
    COMPLETION,
    CONTIGUOUS,
    CONTROL,
    DATA,
    ELEMENT,
    IN,
    INDEXED,
    LOAD,
    MASK,
    MASKED_LOAD,
    MASKED_STORE,
    OUT,
    STORE,
    UNMASKED,
    access,
    accesses,
    occurrence,
    plain,
    port,
    service_resources,
)

Plan = tuple[OperationSchemaId, tuple[MemoryAccessClass, ...]]


@st.composite
def access_classes(draw: st.DrawFn, schema: OperationSchemaId) -> MemoryAccessClass:
    """One class that any sufficiently wide endpoint carries."""
    form = draw(st.sampled_from([ELEMENT, CONTIGUOUS, INDEXED]))
    lanes: tuple = (1,)
    masks = (UNMASKED,)
    if form is not ELEMENT:
        low = draw(st.integers(1, 4))
        lanes = ((low, draw(st.integers(low, 8))),)
        masked = MASKED_LOAD if schema is LOAD else MASKED_STORE
        masks = draw(st.sampled_from([(UNMASKED,), (masked,), (UNMASKED, masked)]))
    widths = st.sets(st.sampled_from([8, 16, 24, 32, 64]), min_size=1, max_size=3)
    loads = {"read": ReadSubwordSemantics.ZERO_EXTEND}
    stores = {"write": WriteSubwordSemantics.BYTE_ENABLE}
    return access(
        form,
        tuple(sorted(draw(widths))),
        lanes,
        masks=masks,
        index_bits=tuple(sorted(draw(st.sets(st.sampled_from([8, 16, 32]), min_size=1)))),
        **(loads if schema is LOAD else stores),
    )


def widest(classes: tuple[MemoryAccessClass, ...]) -> dict[ServiceValueRole, int]:
    """Payload widths that carry every access of the classes."""
    widths = {ADDRESS: 0, DATA: 0, CONTROL: 0, COMPLETION: 0}
    for each in classes:
        lanes = each.flattened_lane_count.intervals[-1].upper
        index = each.address_domain.accepted_index_width_bits.intervals[-1].upper
        element = each.element_width_bits.intervals[-1].upper
        addresses = lanes if each.access_form is INDEXED else 1
        widths[ADDRESS] = max(widths[ADDRESS], index * addresses)
        widths[DATA] = max(widths[DATA], element * lanes)
        if each.mask_inactive_pairs != (UNMASKED,):
            widths[MASK] = max(widths.get(MASK, 0), lanes)
    return widths


@st.composite
def fabrics(draw: st.DrawFn) -> Fabric:
    """A fabric without findings, written in no particular order."""
    plans: list[Plan] = []
    for _ in range(draw(st.integers(1, 3))):
        schema = draw(st.sampled_from([LOAD, STORE]))
        plans.append(
            (schema, tuple(draw(st.lists(access_classes(schema), min_size=1, max_size=3))))
        )
    ends = [
        (index, role, width + draw(st.sampled_from([0, 0, 8])) * (width > 0))
        for index, (_, classes) in enumerate(plans)
        for role, width in widest(classes).items()
    ]

    def is_result(index: int, role: ServiceValueRole) -> bool:
        return role is COMPLETION or (role is DATA and plans[index][0] is LOAD)

    ends.sort(key=lambda end: is_result(end[0], end[1]))
    ports = tuple(
        port(
            schema,
            {role: ordinal for ordinal, (owner, role, _) in enumerate(ends) if owner == index},
            *classes,
            in_flight=draw(st.integers(1, 8)),
            holding=draw(st.integers(1, 8)),
            depth=draw(st.integers(1, 4)),
        )
        for index, (schema, classes) in enumerate(plans)
    )
    record = occurrence(
        tuple(
            TransportEndpoint(OUT if is_result(index, role) else IN, width)
            for index, role, width in ends
        ),
        ports,
        draw(services(plans)),
    )
    names = MemoryNames(
        tuple(f"e{ordinal}" for ordinal in range(len(ends))),
        tuple(f"port-{ordinal}" for ordinal in range(len(ports))),
        (("direct",),) * len(ports),
    )
    options = MemoryImplementation(aligned_bases=draw(st.booleans()))
    return Fabric("drawn", (NamedMemory("mem0", record, names, options),))


@st.composite
def services(draw: st.DrawFn, plans: list[Plan]) -> LocalMemoryService:
    """One capability per schema, which serves every port of that schema."""
    grant: GrantPolicy | None = None
    if len(plans) > 1:
        order = tuple(draw(st.permutations(range(len(plans)))))
        cursors = st.sampled_from(order)
        grant = draw(st.builds(RoundRobin, st.just(order), cursors) | st.just(FixedPriority(order)))
    regions = [MemoryServiceRegion(base, 64) for base in draw(_bases())]
    beat = draw(st.sampled_from([8, 32, 64, 128]))
    capabilities = [
        MemoryServiceCapability.of(
            plain(schema),
            accesses(*(each for owner, classes in plans if owner is schema for each in classes)),
            service_region_ordinals=range(len(regions)),
            service_beat_width_bits=beat,
            admissible_use_patterns=(i for i, (owner, _) in enumerate(plans) if owner is schema),
        )
        for schema in {schema for schema, _ in plans}
    ]
    resources = service_resources(
        len(plans),
        banks=draw(st.sampled_from([1, 2, 4])),
        queue=draw(st.integers(1, 3)),
        outstanding=draw(st.integers(1, 16)),
        grant=grant,
    )
    return LocalMemoryService(1024, MemoryServiceContract.of(regions, resources, capabilities))


def _bases() -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, 15), min_size=1, max_size=3, unique=True).map(
        lambda found: [64 * base for base in found]
    )
