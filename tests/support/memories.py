"""Small memories by constructors: one good record, from which a test changes one thing."""

from dataclasses import replace

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.plan.contract import port_contract, service_contract, use_pattern_key
from fabricgen.plan.rows import Active, OperationRow, ResultDestination, RoleSource
from fabricgen.records.access import (
    MemoryAccessClass,
    OrdinaryData,
    ParameterizedMemoryAccessDomain,
    RootRelative,
)
from fabricgen.records.actor import LoadStorePlain, MemoryActorContractDomain
from fabricgen.records.connectivity import (
    InternalConnection,
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    MemoryConnectivityContract,
    OperationPortDispatch,
)
from fabricgen.records.endpoint import ServiceEndpoint, TransportEndpoint
from fabricgen.records.fabric import Fabric, MemoryNames, NamedMemory
from fabricgen.records.occurrence import MemoryOccurrence, OperationEngine, Spatial, Temporal
from fabricgen.records.port import MemoryCapabilityAlternative, MemoryOperationPort
from fabricgen.records.resource import RoundRobin
from fabricgen.records.service import (
    LocalMemoryService,
    MemoryServiceCapability,
    MemoryServiceContract,
    MemoryServiceRegion,
)
from fabricgen.records.views import (
    FabricMemoryOperationPortRef,
    FabricUsePatternRef,
    MemoryOperationPatternView,
)
from fabricgen.schema.actor import (
    CanonicalActorProjection,
    CanonicalMemoryAccessView,
    PlainContract,
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

LOAD, STORE = OperationSchemaId.DATAFLOW_LOAD, OperationSchemaId.DATAFLOW_STORE
ELEMENT, CONTIGUOUS, INDEXED = MemoryAccessForm
ABSENT, DYNAMIC = MemoryMaskForm
ROLE = ServiceValueRole
LOCAL = LocalMemoryServiceTarget()
READ, WRITE = ReadSubwordSemantics, WriteSubwordSemantics
DIRECT, LANES = MemoryPortTransactionProjection

#: Endpoints of the hybrid memory, inputs first: a read port and a write port.
ENDPOINTS = {
    "rd_addr": 32,
    "rd_mask": 4,
    "rd_ctrl": 0,
    "wr_addr": 32,
    "wr_data": 128,
    "wr_mask": 4,
    "wr_ctrl": 0,
    "rd_data": 128,
    "rd_done": 0,
    "wr_done": 0,
}
_INPUT_COUNT = 7
_AT = {name: ordinal for ordinal, name in enumerate(ENDPOINTS)}


def access_class(form, schema, *, elements, lanes, masks=(ABSENT,), index=(32,)):
    """One class with every alignment; narrow payloads are zero-extended or byte-enabled."""
    suppress = (
        InactiveLaneSemantics.SUPPRESS_AND_ZERO_FILL
        if schema is LOAD
        else InactiveLaneSemantics.SUPPRESS
    )
    pairs = {ABSENT: InactiveLaneSemantics.NOT_APPLICABLE, DYNAMIC: suppress}
    return MemoryAccessClass(
        access_form=form,
        address_form=MemoryAddressForm.ROOT_RELATIVE,
        address_domain=RootRelative(UnsignedDomain.of(*index)),
        data_pointer_formats=(OrdinaryData(),),
        element_width_bits=UnsignedDomain.of(*elements),
        flattened_lane_count=UnsignedDomain.of(*lanes),
        mask_inactive_pairs=tuple((mask, pairs[mask]) for mask in masks),
        source_alignment=AlignmentDomain(UnsignedDomain.of((0, 63))),
        read_subword=(READ.ZERO_EXTEND if schema is LOAD else READ.NOT_APPLICABLE,),
        write_subword=(WRITE.BYTE_ENABLE if schema is STORE else WRITE.NOT_APPLICABLE,),
    )


def hybrid_classes(schema):
    """Elements of 8, 16 and 32 bits, and 4 contiguous lanes of 32 bits, masked or not."""
    return (
        access_class(ELEMENT, schema, elements=(8, 16, 32), lanes=(1,)),
        access_class(CONTIGUOUS, schema, elements=(32,), lanes=(4,), masks=(ABSENT, DYNAMIC)),
    )


def plain(schema, *volatile):
    return MemoryActorContractDomain.of(schema, LoadStorePlain.of(*(volatile or (False,))))


def alternative(schema, roles, classes, *, volatile=(), patterns=(0,)):
    """``roles`` maps role names to endpoint names or ordinals."""
    bound = {ROLE[name.upper()]: _AT.get(end, end) for name, end in roles.items()}
    return MemoryCapabilityAlternative(
        actor_contract_domain=plain(schema, *volatile),
        role_to_endpoint=tuple(sorted(bound.items(), key=lambda item: item[0].value)),
        parameterized_access_domain=ParameterizedMemoryAccessDomain.of(*classes),
        admissible_use_patterns=patterns,
    )


def port(
    *alternatives,
    in_flight=4,
    result_holding=4,
    depth=2,
    inputs=3,
    pattern_count=1,
    transactions=None,
    contexts=1,
):
    """A capacity is (context, total), or one number for both.

    ``transactions`` has the children of each document pattern, 1 for Direct; the patterns of the
    alternatives are document patterns, admitted in every context.
    """
    children = transactions or (1,) * pattern_count
    bound = {end for each in alternatives for _, end in each.role_to_endpoint}
    return MemoryOperationPort.of(
        endpoint_inventory=bound,
        resource_contract=port_contract(
            in_flight=_pair(in_flight),
            result_holding=_pair(result_holding),
            operand_depths=(depth,) * inputs,
            transactions=children,
            contexts=contexts,
            grant=RoundRobin(tuple(range(contexts)), 0) if contexts > 1 else None,
        ),
        operation_pattern_semantics=tuple(
            LANES if count > 1 else DIRECT for count in children for _ in range(contexts)
        ),
        capability_alternatives=tuple(
            replace(
                each,
                admissible_use_patterns=tuple(
                    use_pattern_key(pattern, context, contexts)
                    for pattern in each.admissible_use_patterns
                    for context in range(contexts)
                ),
            )
            for each in alternatives
        ),
    )


def _pair(capacity):
    return capacity if isinstance(capacity, tuple) else (capacity, capacity)


def capability(schema, classes, patterns, *, beat=64, regions=(0,), volatile=()):
    return MemoryServiceCapability(
        actor_contract_domain=plain(schema, *volatile),
        access_domain=ParameterizedMemoryAccessDomain.of(*classes),
        service_region_ordinals=regions,
        service_beat_width_bits=beat,
        admissible_use_patterns=patterns,
    )


def service(
    *capabilities, requesters, banks=4, capacity=4096, queue=2, outstanding=16, regions=None
):
    """``regions`` lists (base, size); one over the whole capacity where it is absent."""
    grant = RoundRobin(tuple(range(requesters)), 0) if requesters > 1 else None
    return LocalMemoryService(
        capacity_bytes=capacity,
        memory_service_contract=MemoryServiceContract.of(
            regions=tuple(MemoryServiceRegion(*r) for r in regions or [(0, capacity)]),
            resource_contract=service_contract(
                queues=(queue,) * requesters,
                banks=((1, 1),) * banks,
                outstanding=outstanding,
                grant=grant,
            ),
            capabilities=capabilities,
        ),
    )


def memory(
    endpoints,
    input_count,
    ports,
    local_service,
    *,
    name="mem0",
    implementation=None,
    contexts=None,
    tag_width=4,
    managers=(),
    connections=(),
):
    """``endpoints`` maps names to payload widths; the first ``input_count`` are inputs.

    Temporal, with tags, where ``contexts`` is given. ``managers`` maps names to beat widths, and
    every alternative reaches every target. ``connections`` are pairs of endpoint names.
    """
    at = list(endpoints).index
    targets = (LOCAL,) if local_service else ()
    targets += tuple(ManagerEndpointTarget(ordinal) for ordinal in range(len(managers)))
    occurrence = MemoryOccurrence(
        endpoints=tuple(
            TransportEndpoint(
                EndpointDirection.IN if ordinal < input_count else EndpointDirection.OUT,
                width,
                None if contexts is None else tag_width,
            )
            for ordinal, width in enumerate(endpoints.values())
        ),
        engine=OperationEngine(
            Spatial() if contexts is None else Temporal(contexts),
            tuple(ports),
        )
        if ports
        else None,
        local_service=local_service,
        manager_endpoints=tuple(map(ServiceEndpoint, dict(managers).values())),
        subordinate_endpoints=(),
        connectivity=MemoryConnectivityContract(
            operation_ports=tuple(
                OperationPortDispatch((targets,) * len(each.capability_alternatives))
                for each in ports
            ),
            subordinate_endpoints=(),
            internal_connections=tuple(
                sorted(InternalConnection(at(source), at(sink)) for source, sink in connections)
            ),
        ),
    )
    names = MemoryNames(
        endpoints=tuple(endpoints),
        ports=tuple(f"port{ordinal}" for ordinal in range(len(ports))),
        patterns=tuple(
            tuple(
                f"direct{key}"
                for key in range(len(each.operation_pattern_semantics) // (contexts or 1))
            )
            for each in ports
        ),
        managers=tuple(managers),
    )
    if implementation is None:
        return NamedMemory(name, occurrence, names)
    return NamedMemory(name, occurrence, names, implementation)


def hybrid_memory(**service_options):
    """One read and one write port of 128 bits over 4 banks of 64-bit beats."""
    read = alternative(
        LOAD,
        {
            "address": "rd_addr",
            "mask": "rd_mask",
            "control": "rd_ctrl",
            "data": "rd_data",
            "completion": "rd_done",
        },
        hybrid_classes(LOAD),
    )
    write = alternative(
        STORE,
        {
            "address": "wr_addr",
            "data": "wr_data",
            "mask": "wr_mask",
            "control": "wr_ctrl",
            "completion": "wr_done",
        },
        hybrid_classes(STORE),
    )
    local = service(
        capability(LOAD, hybrid_classes(LOAD), (0,)),
        capability(STORE, hybrid_classes(STORE), (1,)),
        requesters=2,
        **service_options,
    )
    return memory(ENDPOINTS, _INPUT_COUNT, (port(read), port(write, inputs=4)), local)


def fabric(*memories):
    return Fabric("small", memories)


def actor(schema, volatile=False):
    return CanonicalActorProjection(schema, PlainContract(volatile))


def pattern_view(projection):
    """The first use pattern of some port, with this projection."""
    return MemoryOperationPatternView(
        FabricUsePatternRef(FabricMemoryOperationPortRef(0, 0), 0), projection
    )


def view(form, *, element=32, lanes=1, mask=ABSENT, index=32):
    return CanonicalMemoryAccessView(
        form, MemoryAddressForm.ROOT_RELATIVE, element, lanes, mask, index
    )


def row(
    port_ordinal, schema, access, *, base=0x100, alternative_ordinal=0, pattern=0, target=LOCAL
):
    """A legal row whose roles are all external."""
    masked = (ROLE.MASK,) if access.mask_form is DYNAMIC else ()
    data = (ROLE.DATA,)
    inputs = (ROLE.ADDRESS, *(data if schema is STORE else ()), *masked, ROLE.CONTROL)
    results = (*(data if schema is LOAD else ()), ROLE.COMPLETION)
    return OperationRow(
        port=port_ordinal,
        capability_alternative=alternative_ordinal,
        use_pattern=pattern,
        actor=actor(schema),
        access=access,
        base_addr=base,
        sources=tuple((role, RoleSource()) for role in inputs),
        destinations=tuple((role, ResultDestination(expose=True)) for role in results),
        service_target=target,
    )


def table(*rows):
    return Active(tuple(rows))


def replaced(named, **changes):
    """The memory with other fields of its occurrence."""
    return replace(named, occurrence=replace(named.occurrence, **changes))
