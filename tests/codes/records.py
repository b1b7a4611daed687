"""Inputs of the codes of ``records``: one good record each, with one field changed."""

from dataclasses import replace

from fabricgen.atoms.pointer import PointerFormat
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.records import actor_codec, fabric_codec, fabric_section
from fabricgen.records.actor import MemoryActorContractDomain
from fabricgen.records.connectivity import (
    InternalConnection,
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    MemoryConnectivityContract,
    OperationPortDispatch,
    SubordinateDispatch,
)
from fabricgen.records.consistency import (
    BoundedCompletionCycles,
    FairEventual,
    LocalProvider,
    SystemDomain,
)
from fabricgen.records.endpoint import ServiceEndpoint, TransportEndpoint
from fabricgen.records.engine_inventory import (
    FabricMemoryTemplateConnectionRef,
    engine_template_inventory,
)
from fabricgen.records.occurrence import OperationEngine, Spatial, Temporal
from fabricgen.records.resource import (
    CapacityDimension,
    Claim,
    Commit,
    FixedPriority,
    ResourceContract,
    RoundRobin,
    UsePattern,
)
from fabricgen.records.service import (
    LocalMemoryService,
    MemoryServiceCapability,
    MemoryServiceContract,
    MemoryServiceRegion,
    Mmio,
)
from fabricgen.records.system import (
    MemoryConsistencyDomain,
    ServiceParticipant,
    SystemMemoryService,
)
from fabricgen.records.views import (
    FabricMemoryOperationPortRef,
    FabricUsePatternRef,
    MemoryOperationPortView,
)
from fabricgen.schema.actor import CanonicalActorProjection
from fabricgen.schema.contract import PlainContract
from fabricgen.vocab.dataflow import MemoryAddressForm, MemoryMaskForm, ServiceValueRole
from fabricgen.vocab.dispatch import AddressTransform, MatchField
from fabricgen.vocab.fabric import EndpointDirection, InactiveLaneSemantics, ReleaseVisibilityPoint
from tests.support import actors
from tests.support.actors import FENCE, LANE, WHOLE, atomic_access
from tests.support.capabilities import (
    CONTIGUOUS,
    DIRECT,
    ELEMENT,
    LOAD,
    READ,
    STORE,
    UNMASKED,
    WRITE,
    access,
    alternative,
    binding,
    contract,
    domain,
    masked,
    plain,
    port,
)
from tests.support.memories import LANES, view
from tests.support.records import load_fabric, service_resources
from tests.support.wires import framed

FABRIC = load_fabric()
LOCAL, FAR = LocalMemoryServiceTarget(), ManagerEndpointTarget(0)
U = UnsignedDomain.of

# Resource contracts: two requesters share state 0; each has a dimension of its own in state 1.

PATTERN = UsePattern(0, 0, 0, 2, Commit(1, 0), 0, (Claim(0, 0, 1), Claim(1, 1, 2)), ((0, 1),))
SECOND = replace(PATTERN, requester=1, claims=(Claim(0, 0, 3), Claim(1, 0, 1)))
RESOURCES = ResourceContract(
    states=((CapacityDimension(4, 1),), (CapacityDimension(1), CapacityDimension(2))),
    transition_count=1,
    timing_contracts=((0, 1, 1),),
    use_patterns=(PATTERN, SECOND),
    requester_count=2,
    eligibility_count=1,
    event_count=3,
    grant_policy=RoundRobin((1, 0), 1),
)


def resources(**change):
    return lambda: replace(RESOURCES, **change)


def pattern(**change):
    return resources(use_patterns=(replace(PATTERN, **change), SECOND))


def claims(*second):
    return pattern(claims=(Claim(0, 0, 1), Claim(*second)))


RESOURCE_CODES = {
    "resource-scalar-range": resources(transition_count=2**32),
    "initial-occupancy-exceeds-capacity": resources(
        states=((CapacityDimension(4, 5),), RESOURCES.states[1])
    ),
    "timing-contract-event-domain": resources(timing_contracts=((0, 1, 1, 1),)),
    "timing-contract-does-not-order-use": resources(timing_contracts=((2, 1, 3),)),
    "unknown-state-key": claims(2, 0, 1),
    "undeclared-claim": claims(1, 2, 1),
    "unknown-resource-transition-key": pattern(commit=Commit(1, 1)),
    "unknown-timing-contract-key": pattern(timing=1),
    "unknown-requester-key": pattern(requester=2),
    "unknown-eligibility-key": pattern(eligibility=1),
    "unknown-event-key": pattern(acquire=3),
    "unknown-claim-key": pattern(internal_transactions=((0,), (2,))),
    "duplicate-claim-key": pattern(internal_transactions=((0, 0),)),
    "claim-key-order": pattern(internal_transactions=((1, 0),)),
    "duplicate-capacity-claim": claims(0, 0, 1),
    "claim-empty": claims(1, 1, 0),
    "claim-exceeds-capacity": claims(1, 1, 3),
    "capacity-arithmetic-overflow": resources(
        states=((CapacityDimension(2**32 - 1, 2**32 - 2),), RESOURCES.states[1])
    ),
    "duplicate-requester-in-grant-policy": resources(grant_policy=FixedPriority((0, 1, 0))),
    "requester-omitted-from-grant-policy": resources(grant_policy=FixedPriority((1,))),
    "contention-without-grant-policy": resources(grant_policy=None),
    "grant-policy-without-contention": pattern(requester=1),
}

# Connectivity and endpoints.

SUBORDINATE = SubordinateDispatch(2, (MatchField.RANGE,), AddressTransform.NONE, (LOCAL, FAR))


def subordinate(**change):
    return lambda: replace(SUBORDINATE, **change)


def connections(*pairs):
    listed = tuple(InternalConnection(*pair) for pair in pairs)
    return lambda: MemoryConnectivityContract((), (), listed)


CONNECTIVITY_CODES = {
    "manager-ordinal-range": lambda: ManagerEndpointTarget(-1),
    "subordinate-binding-bound": subordinate(max_exposed_bindings=0),
    "subordinate-match-order": subordinate(match_fields=(MatchField.PREFIX, MatchField.RANGE)),
    "subordinate-match-missing": subordinate(match_fields=()),
    "subordinate-target-order": subordinate(targets=(FAR, LOCAL)),
    "dispatch-target-order": lambda: OperationPortDispatch(((FAR, LOCAL),)),
    "connection-endpoint-range": lambda: InternalConnection(-1, 0),
    "connection-order": connections((4, 1), (4, 0)),
    "endpoint-width-range": lambda: TransportEndpoint(EndpointDirection.OUT, -1),
    "endpoint-tag-width-range": lambda: TransportEndpoint(EndpointDirection.OUT, 8, 0),
    "service-endpoint-beat-width": lambda: ServiceEndpoint(0),
}

# Access classes, actor contracts and alternatives.

VECTORS = access(CONTIGUOUS, element=(8, 32), lanes=(2, 4), mask_inactive_pairs=[UNMASKED])
LOADS = alternative(access())
DYNAMIC = MemoryMaskForm.DYNAMIC


def vectors(**change):
    return lambda: replace(VECTORS, **change)


def loads(**change):
    return lambda: replace(LOADS, **change)


def roles(*bound):
    return loads(role_to_endpoint=bound)


def of_access(**change):
    return lambda: alternative(access(CONTIGUOUS, **change))


def fields_of_a_clause():
    """A plain clause has one field, the volatile values."""
    wire = actor_codec.encode(plain())
    clause = bytes(4) + (1).to_bytes(8, "big")
    assert wire.count(clause) == 1
    return actor_codec.decode(wire.replace(clause, bytes(12)))


ACCESS_CODES = {
    "access-address-domain": vectors(address_form=MemoryAddressForm.POINTER_ADDRESSED),
    "access-not-positive": vectors(element_width_bits=U((0, 3))),
    "access-element-lanes": vectors(access_form=ELEMENT),
    "access-element-mask": lambda: access(ELEMENT, mask_inactive_pairs=[masked(LOAD)]),
    "access-mask-pair": vectors(
        mask_inactive_pairs=((DYNAMIC, InactiveLaneSemantics.NOT_APPLICABLE),)
    ),
    "access-pointer-width": lambda: access(data_pointer_formats=[PointerFormat(0, 64, 48)]),
    "clause-schema-mismatch": lambda: MemoryActorContractDomain(LOAD, (actors.clause(FENCE),)),
    "clause-field-count": fields_of_a_clause,
    "alternative-fence-access": lambda: actors.alternative(FENCE, access()),
    "alternative-role-foreign": roles(*binding(), (ServiceValueRole.PAYLOAD, 99)),
    "alternative-role-twice": roles(binding()[0], *binding()),
    "alternative-roles": roles(*binding()[::-1]),
    "alternative-mask-role": roles(*binding(mask=True)),
    "alternative-endpoint-range": roles((ServiceValueRole.ADDRESS, -1), *binding()[1:]),
    "alternative-result-endpoints": roles(*((role, 8) for role, _ in binding())),
    "alternative-use-patterns": loads(admissible_use_patterns=(1, 0)),
    "alternative-read-subword": of_access(read_subword=[READ.NOT_APPLICABLE]),
    "alternative-write-subword": of_access(write_subword=[WRITE.EXACT]),
    "alternative-inactive-lanes": of_access(mask_inactive_pairs=[masked(STORE)]),
}

# Capability arrays and ports.

PORT = port(LOADS)
WIDE, NARROW = (alternative(access(element=widths)) for widths in ((8, 16), (16,)))
CROSSED = alternative(access(element=(16, 32)))
VECTOR = actors.alternative(
    LOAD,
    atomic_access(LOAD, CONTIGUOUS),
    domain=actors.actors(LOAD, granularity=[LANE]),
)
WHOLE_PAYLOAD = actors.alternative(
    LOAD, atomic_access(LOAD), domain=actors.actors(LOAD, granularity=[WHOLE])
)


def ports(**change):
    return lambda: replace(PORT, **change)


def alternatives(*listed):
    return ports(capability_alternatives=listed)


def walking(each, slots):
    """A port whose pattern 0 walks active lanes in so many internal transactions."""
    return lambda: replace(
        port(each),
        resource_contract=contract(slots),
        operation_pattern_semantics=(LANES,),
    )


PORT_VIEW = MemoryOperationPortView(FabricMemoryOperationPortRef(0, 1), PORT)


def pattern_of(reference):
    return lambda: PORT_VIEW.operation_pattern(reference)


def roles_of_another_access():
    (reference,) = PORT_VIEW.capability_alternatives()
    loading = CanonicalActorProjection(LOAD, PlainContract())
    return PORT_VIEW.capability_alternative(reference).active_role_bindings(
        loading, view(ELEMENT, element=8)
    )


TEMPLATES = engine_template_inventory([FABRIC.memories[0].occurrence])
TEMPLATE = TEMPLATES.view(TEMPLATES.of_occurrences[0])


def undeclared_connection():
    """From the data of the load to its control, which nothing joins."""
    ends = TEMPLATE.endpoints()
    joined = FabricMemoryTemplateConnectionRef(TEMPLATES.of_occurrences[0], ends[2], ends[1])
    return TEMPLATE.internal_connection(joined)


PORT_CODES = {
    "capability-alternative-overlap": alternatives(WIDE, CROSSED),
    "capability-alternative-subsumed": alternatives(WIDE, NARROW),
    "port-endpoints": ports(endpoint_inventory=PORT.endpoint_inventory[::-1]),
    "port-endpoint-foreign": ports(endpoint_inventory=PORT.endpoint_inventory[1:]),
    "port-pattern-count": ports(operation_pattern_semantics=(DIRECT, DIRECT)),
    "port-pattern-unknown": lambda: replace(
        port(alternative(access(), patterns=(0, 1))),
        resource_contract=contract(1),
        operation_pattern_semantics=(DIRECT,),
    ),
    "port-pattern-unreachable": ports(
        resource_contract=contract(1, 1), operation_pattern_semantics=(DIRECT, DIRECT)
    ),
    "port-direct-transactions": ports(resource_contract=contract(2)),
    "port-fence-projection": walking(actors.alternative(FENCE), 1),
    "port-atomic-projection": walking(WHOLE_PAYLOAD, 1),
    "port-active-lanes-form": walking(LOADS, 1),
    "port-active-lanes-transactions": walking(alternative(access(CONTIGUOUS)), 3),
    "reference-kind": pattern_of(0),
    "reference-owner": pattern_of(FabricUsePatternRef(FabricMemoryOperationPortRef(0, 2), 0)),
    "reference-ordinal": pattern_of(FabricUsePatternRef(FabricMemoryOperationPortRef(0, 1), 1)),
    "reference-connection": undeclared_connection,
    "view-not-admitted": roles_of_another_access,
}

# Services: two regions with a gap, two requesters.

SERVED = MemoryServiceCapability(plain(), domain(access()), (0, 1), 64, (0,))
STORED = MemoryServiceCapability(plain(STORE), domain(access(schema=STORE)), (1,), 64, (0, 1))
REGIONS = (MemoryServiceRegion(0, 64), MemoryServiceRegion(128, 64))
SERVICE = MemoryServiceContract(REGIONS, service_resources(2, banks=2), (SERVED, STORED))
OTHER = domain(access(element=(8,)))


def served(**change):
    return lambda: replace(SERVED, **change)


def service(**change):
    return lambda: replace(SERVICE, **change)


def regions(*listed):
    return service(regions=listed, capabilities=(SERVED,))


def half_of_two_that_touch():
    touching = (REGIONS[0], MemoryServiceRegion(64, 64))
    half = replace(SERVED, service_region_ordinals=(0,))
    return MemoryServiceContract.of(touching, SERVICE.resource_contract, [half])


def of_a_system():
    ordered = replace(SERVED, consistency_binding=SystemDomain(b"domain"))
    return LocalMemoryService(256, replace(SERVICE, capabilities=(ordered,)))


SERVICE_CODES = {
    "service-use-pattern-order": served(admissible_use_patterns=(1, 0)),
    "service-use-pattern-unknown": service(
        capabilities=(replace(SERVED, admissible_use_patterns=(2,)),)
    ),
    "service-capability-region-order": served(service_region_ordinals=(1, 0)),
    "service-capability-regions": served(service_region_ordinals=()),
    "service-region-unknown": service(
        capabilities=(replace(SERVED, service_region_ordinals=(2,)),)
    ),
    "service-beat-width": served(service_beat_width_bits=0),
    "service-capability-empty": service(capabilities=()),
    "service-capability-order": service(capabilities=(STORED, SERVED)),
    "service-capability-overlap": service(
        capabilities=(SERVED, replace(SERVED, service_beat_width_bits=128))
    ),
    "region-base-range": lambda: MemoryServiceRegion(-1, 1),
    "region-size-range": lambda: MemoryServiceRegion(0, 0),
    "region-end-overflow": lambda: MemoryServiceRegion(1, 2**64 - 1),
    "region-merge-widens": half_of_two_that_touch,
    "service-region-behavior": regions(
        REGIONS[0], MemoryServiceRegion(63, 64, Mmio(SERVED.access_domain))
    ),
    "service-region-access": regions(REGIONS[0], MemoryServiceRegion(128, 64, Mmio(OTHER))),
    "service-region-empty": regions(),
    "service-region-order": regions(*REGIONS[::-1]),
    "service-region-unmerged": regions(REGIONS[0], MemoryServiceRegion(64, 64)),
    "service-capacity-range": lambda: LocalMemoryService(0, SERVICE),
    "consistency-bound-range": lambda: BoundedCompletionCycles(0),
    "consistency-domain-reference": lambda: SystemDomain(b""),
    "consistency-binding-missing": lambda: MemoryServiceCapability(
        actors.actors(FENCE), None, (), 0, (0,)
    ),
    "local-service-system-domain": of_a_system,
}

# Systems.

ORDERED = actors.actors(FENCE)
FENCES = MemoryServiceCapability(ORDERED, None, (), 0, (0,), SystemDomain(b"coherent"))
DOMAIN = MemoryConsistencyDomain(
    (ServiceParticipant(b"dram"), ServiceParticipant(b"sram")),
    ReleaseVisibilityPoint.BY_RETIREMENT,
    FairEventual(),
    SERVICE.resource_contract,
)


def participants(*listed):
    return lambda: replace(DOMAIN, participants=listed)


def provided_locally():
    provider = LocalProvider(ReleaseVisibilityPoint.BY_RETIREMENT, FairEventual())
    ordered = replace(FENCES, consistency_binding=provider)
    return SystemMemoryService(replace(SERVICE, capabilities=(ordered,)))


SYSTEM_CODES = {
    "consistency-participant-empty": participants(),
    "consistency-participant-order": participants(*DOMAIN.participants[::-1]),
    "system-service-local-provider": provided_locally,
}

# Engines and the file of a fabric.

WIRE = fabric_codec.encode(FABRIC)
NAME = WIRE.index(framed(b"load_local")) + 8


def patched(offset, data):
    return lambda: fabric_codec.decode(WIRE[:offset] + data + WIRE[offset + len(data) :])


FILE_CODES = {
    "engine-ports-empty": lambda: OperationEngine(Spatial(), ()),
    "engine-context-count": lambda: Temporal(0),
    "fabric-magic": patched(0, b"f"),
    "fabric-version": patched(11, b"\1"),
    "fabric-name-text": patched(NAME, b"\xff"),
    "fabric-section-json": lambda: fabric_section.decode(b"{"),
    "fabric-section-shape": lambda: fabric_section.decode(b"[]"),
}

PRODUCERS = {
    **RESOURCE_CODES,
    **CONNECTIVITY_CODES,
    **ACCESS_CODES,
    **PORT_CODES,
    **SERVICE_CODES,
    **SYSTEM_CODES,
    **FILE_CODES,
}
