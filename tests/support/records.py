"""Small good fabrics, built by hand: what other tests change in one place.

`load_fabric` has one load port and two banks, `copy_fabric` a read and a write port and four
banks, `gather_fabric` one indexed port of four lanes.
"""

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.records.access import (
    MemoryAccessClass,
    OrdinaryData,
    ParameterizedMemoryAccessDomain,
    RootRelative,
)
from fabricgen.records.actor import LoadStorePlain, MemoryActorContractDomain
from fabricgen.records.connectivity import (
    LocalMemoryServiceTarget,
    MemoryConnectivityContract,
    OperationPortDispatch,
)
from fabricgen.records.endpoint import TransportEndpoint
from fabricgen.records.fabric import Fabric, MemoryNames, NamedMemory
from fabricgen.records.occurrence import MemoryOccurrence, OperationEngine, Spatial
from fabricgen.records.port import MemoryCapabilityAlternative, MemoryOperationPort
from fabricgen.records.resource import (
    CapacityDimension,
    Claim,
    GrantPolicy,
    ResourceContract,
    RoundRobin,
    UsePattern,
)
from fabricgen.records.service import (
    LocalMemoryService,
    MemoryServiceCapability,
    MemoryServiceContract,
    MemoryServiceRegion,
)
from fabricgen.vocab.dataflow import (
    MemoryAccessForm,
    MemoryAddressForm,
    MemoryMaskForm,
    OperationSchemaId,
    ServiceValueRole,
)
from fabricgen.vocab.fabric import (
    EndpointDirection,
    InactiveLaneSemantics,
    MemoryPortTransactionProjection,
    ReadSubwordSemantics,
    WriteSubwordSemantics,
)

IN, OUT = EndpointDirection.IN, EndpointDirection.OUT
ADDRESS, DATA, MASK = ServiceValueRole.ADDRESS, ServiceValueRole.DATA, ServiceValueRole.MASK
CONTROL, COMPLETION = ServiceValueRole.CONTROL, ServiceValueRole.COMPLETION
ELEMENT, CONTIGUOUS = MemoryAccessForm.ELEMENT, MemoryAccessForm.CONTIGUOUS
INDEXED = MemoryAccessForm.INDEXED
LOAD, STORE = OperationSchemaId.DATAFLOW_LOAD, OperationSchemaId.DATAFLOW_STORE
LOCAL = LocalMemoryServiceTarget()

UNMASKED = (MemoryMaskForm.ABSENT, InactiveLaneSemantics.NOT_APPLICABLE)
MASKED_LOAD = (MemoryMaskForm.DYNAMIC, InactiveLaneSemantics.SUPPRESS_AND_ZERO_FILL)
MASKED_STORE = (MemoryMaskForm.DYNAMIC, InactiveLaneSemantics.SUPPRESS)
ANY_ALIGNMENT = AlignmentDomain(UnsignedDomain.of((0, 63)))
READ_NA, WRITE_NA = ReadSubwordSemantics.NOT_APPLICABLE, WriteSubwordSemantics.NOT_APPLICABLE


def access(
    form: MemoryAccessForm,
    element_bits: tuple[int, ...],
    lanes: tuple[int, ...] = (1,),
    *,
    masks: tuple[tuple[MemoryMaskForm, InactiveLaneSemantics], ...] = (UNMASKED,),
    index_bits: tuple[int, ...] = (32,),
    read: ReadSubwordSemantics = READ_NA,
    write: WriteSubwordSemantics = WRITE_NA,
) -> MemoryAccessClass:
    """One root-relative class of ordinary data and any alignment."""
    return MemoryAccessClass(
        access_form=form,
        address_form=MemoryAddressForm.ROOT_RELATIVE,
        address_domain=RootRelative(UnsignedDomain.of(*index_bits)),
        data_pointer_formats=(OrdinaryData(),),
        element_width_bits=UnsignedDomain.of(*element_bits),
        flattened_lane_count=UnsignedDomain.of(*lanes),
        mask_inactive_pairs=masks,
        source_alignment=ANY_ALIGNMENT,
        read_subword=(read,),
        write_subword=(write,),
    )


def accesses(*classes: MemoryAccessClass) -> ParameterizedMemoryAccessDomain:
    return ParameterizedMemoryAccessDomain.of(*classes)


def plain(schema: OperationSchemaId) -> MemoryActorContractDomain:
    """Plain, non-volatile actors of one schema."""
    return MemoryActorContractDomain(schema, (LoadStorePlain((False,)),))


def port_resources(
    depths: tuple[int, ...], *, in_flight: int = 4, holding: int = 4
) -> ResourceContract:
    """A Spatial port's contract with one Direct pattern; one depth per input role."""
    claims = tuple(Claim(state, dimension, 1) for state in (1, 2) for dimension in (0, 1))
    capacities = [(1,), (in_flight,) * 2, (holding,) * 2, *((depth,) for depth in depths)]
    return ResourceContract(
        states=tuple(tuple(map(CapacityDimension, state)) for state in capacities),
        transition_count=0,
        timing_contracts=((0, 1),),
        use_patterns=(UsePattern(0, 0, 0, 1, None, 0, claims, ((0, 1, 2, 3),)),),
        requester_count=1,
        eligibility_count=1,
        event_count=2,
        grant_policy=None,
    )


def service_resources(
    requesters: int,
    *,
    banks: int,
    queue: int = 2,
    outstanding: int = 8,
    grant: GrantPolicy | None = None,
) -> ResourceContract:
    """A local service's contract; round robin from requester 0 where ``grant`` is not given."""
    last = 2 * requesters + banks
    capacities = [(queue,)] * (2 * requesters) + [(1, 1)] * banks + [(outstanding,)]
    if grant is None and requesters > 1:
        grant = RoundRobin(tuple(range(requesters)), 0)
    return ResourceContract(
        states=tuple(tuple(map(CapacityDimension, state)) for state in capacities),
        transition_count=0,
        timing_contracts=((0, 1),),
        use_patterns=tuple(
            UsePattern(
                requester=r,
                eligibility=0,
                acquire=0,
                release=1,
                commit=None,
                timing=0,
                claims=(Claim(r, 0, 1), Claim(requesters + r, 0, 1), Claim(last, 0, 1)),
                internal_transactions=((0, 1, 2),),
            )
            for r in range(requesters)
        ),
        requester_count=requesters,
        eligibility_count=1,
        event_count=2,
        grant_policy=grant,
    )


def port(
    schema: OperationSchemaId,
    roles: dict[ServiceValueRole, int],
    *classes: MemoryAccessClass,
    in_flight: int = 4,
    holding: int = 4,
    depth: int = 2,
) -> MemoryOperationPort:
    """A port with one alternative."""
    results = (COMPLETION,) if schema is STORE else (DATA, COMPLETION)
    inputs = [role for role in roles if role not in results]
    return MemoryOperationPort.of(
        endpoint_inventory=roles.values(),
        resource_contract=port_resources(
            (depth,) * len(inputs), in_flight=in_flight, holding=holding
        ),
        operation_pattern_semantics=(MemoryPortTransactionProjection.DIRECT,),
        capability_alternatives=(
            MemoryCapabilityAlternative.of(
                actor_contract_domain=plain(schema),
                role_to_endpoint=roles.items(),
                parameterized_access_domain=accesses(*classes),
                admissible_use_patterns=(0,),
            ),
        ),
    )


def service(
    capabilities: tuple[tuple[OperationSchemaId, tuple[MemoryAccessClass, ...]], ...],
    *,
    requesters: int,
    banks: int,
    capacity_bytes: int,
    beat_bits: int,
) -> LocalMemoryService:
    """One region over the whole capacity; capability ``i`` serves requester ``i``."""
    return LocalMemoryService(
        capacity_bytes,
        MemoryServiceContract.of(
            regions=(MemoryServiceRegion(0, capacity_bytes),),
            resource_contract=service_resources(requesters, banks=banks),
            capabilities=tuple(
                MemoryServiceCapability(plain(schema), accesses(*classes), (0,), beat_bits, (i,))
                for i, (schema, classes) in enumerate(capabilities)
            ),
        ),
    )


def occurrence(
    endpoints: tuple[TransportEndpoint, ...],
    ports: tuple[MemoryOperationPort, ...],
    local: LocalMemoryService,
) -> MemoryOccurrence:
    """A Spatial engine whose alternatives all reach the local service."""
    return MemoryOccurrence(
        endpoints=endpoints,
        engine=OperationEngine(Spatial(), ports),
        local_service=local,
        manager_endpoints=(),
        subordinate_endpoints=(),
        connectivity=MemoryConnectivityContract(
            operation_ports=tuple(
                OperationPortDispatch(((LOCAL,),) * len(each.capability_alternatives))
                for each in ports
            ),
            subordinate_endpoints=(),
            internal_connections=(),
        ),
    )


def ins(*widths: int) -> tuple[TransportEndpoint, ...]:
    return tuple(TransportEndpoint(IN, width) for width in widths)


def outs(*widths: int) -> tuple[TransportEndpoint, ...]:
    return tuple(TransportEndpoint(OUT, width) for width in widths)


def load_fabric() -> Fabric:
    """One port: unmasked 8-, 16- and 32-bit element loads out of 1 KiB in two 32-bit banks."""
    element = access(ELEMENT, (8, 16, 32), read=ReadSubwordSemantics.ZERO_EXTEND)
    roles = {ADDRESS: 0, DATA: 2, CONTROL: 1, COMPLETION: 3}
    record = occurrence(
        ins(32, 0) + outs(32, 0),
        (port(LOAD, roles, element),),
        service(((LOAD, (element,)),), requesters=1, banks=2, capacity_bytes=1024, beat_bits=32),
    )
    names = MemoryNames(("rd_addr", "rd_ctrl", "rd_data", "rd_done"), ("read0",), (("direct",),))
    return Fabric("load_local", (NamedMemory("mem0", record, names),))


def copy_fabric() -> Fabric:
    """A hybrid read port and a hybrid write port over 4 KiB in four 64-bit banks."""
    zero_extend, byte_enable = ReadSubwordSemantics.ZERO_EXTEND, WriteSubwordSemantics.BYTE_ENABLE
    loads = (
        access(ELEMENT, (8, 16, 32), read=zero_extend),
        access(
            CONTIGUOUS,
            (32,),
            (4,),
            masks=(UNMASKED, MASKED_LOAD),
            read=ReadSubwordSemantics.EXACT,
        ),
    )
    stores = (
        access(ELEMENT, (8, 16, 32), write=byte_enable),
        access(
            CONTIGUOUS,
            (32,),
            (4,),
            masks=(UNMASKED, MASKED_STORE),
            write=WriteSubwordSemantics.EXACT,
        ),
    )
    read_roles = {ADDRESS: 0, DATA: 7, MASK: 1, CONTROL: 2, COMPLETION: 8}
    write_roles = {ADDRESS: 3, DATA: 4, MASK: 5, CONTROL: 6, COMPLETION: 9}
    record = occurrence(
        ins(32, 4, 0, 32, 128, 4, 0) + outs(128, 0, 0),
        (port(LOAD, read_roles, *loads), port(STORE, write_roles, *stores)),
        service(
            ((LOAD, loads), (STORE, stores)),
            requesters=2,
            banks=4,
            capacity_bytes=4096,
            beat_bits=64,
        ),
    )
    names = MemoryNames(
        (
            "rd_addr",
            "rd_mask",
            "rd_ctrl",
            "wr_addr",
            "wr_data",
            "wr_mask",
            "wr_ctrl",
            "rd_data",
            "rd_done",
            "wr_done",
        ),
        ("read0", "write0"),
        (("direct",), ("direct",)),
    )
    return Fabric("copy_local", (NamedMemory("mem0", record, names),))


def gather_fabric() -> Fabric:
    """One port of masked and unmasked four-lane gathers of 32-bit elements; four 32-bit banks."""
    gather = access(
        INDEXED,
        (32,),
        (4,),
        masks=(UNMASKED, MASKED_LOAD),
        read=ReadSubwordSemantics.EXACT,
    )
    roles = {ADDRESS: 0, DATA: 3, MASK: 1, CONTROL: 2, COMPLETION: 4}
    record = occurrence(
        ins(128, 4, 0) + outs(128, 0),
        (port(LOAD, roles, gather),),
        service(((LOAD, (gather,)),), requesters=1, banks=4, capacity_bytes=4096, beat_bits=32),
    )
    names = MemoryNames(
        ("g_addr", "g_mask", "g_ctrl", "g_data", "g_done"), ("gather0",), (("direct",),)
    )
    return Fabric("gather_local", (NamedMemory("mem0", record, names),))
