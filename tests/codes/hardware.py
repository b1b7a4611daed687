"""Inputs of the codes of ``plan`` for what is legal and has no hardware."""

from dataclasses import replace

from fabricgen.abi.unit import unplaceable
from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import parse_mapping
from fabricgen.hsg.token_params import PayloadCapacityParams
from fabricgen.plan.capacity import service_capacities
from fabricgen.plan.contract import port_contract, service_contract
from fabricgen.plan.realisation import unsupported, unsupported_rows
from fabricgen.plan.rows import RangeMatch
from fabricgen.records.access import PointerFormat
from fabricgen.records.connectivity import (
    ManagerEndpointTarget,
)
from fabricgen.records.consistency import FairEventual, LocalProvider
from fabricgen.records.endpoint import ServiceEndpoint
from fabricgen.records.fabric import Fabric, MemoryImplementation, NamedOp
from fabricgen.records.occurrence import Temporal
from fabricgen.records.service import Mmio
from fabricgen.vocab.fabric import ReleaseVisibilityPoint
from fabricgen.vocab.families import CapabilityParamsSchemaId, ImplementationFamilyId
from tests.codes.inputs import NEAR, pointers
from tests.support.actors import actors
from tests.support.atomic_text import atomic_fabric, atomic_mapping, atomic_row
from tests.support.hsg import PARAMS, resource
from tests.support.hsg_ops import add_sub
from tests.support.memories import (
    CONTIGUOUS,
    ELEMENT,
    LOAD,
    LOCAL,
    STORE,
    access_class,
    actor,
    alternative,
    capability,
    memory,
    port,
    replaced,
    row,
    service,
    table,
    view,
)
from tests.support.records import load_fabric
from tests.support.subordinates import (
    CONTEXT,
    decode_row,
    dispatch,
    exposed_memory,
    exposed_storage,
    exposing,
)
from tests.support.temporal import temporal_memory

SINGLE = load_fabric().memories[0]
EXT0 = ManagerEndpointTarget(0)
# What is legal and has no hardware: records.


def realised(named):
    return lambda: unsupported(Fabric("f", (named,)))


def single(**change):
    return realised(replaced(SINGLE, **change))


def served(**change):
    """The one capability of the service has other fields."""
    contract = SINGLE.occurrence.local_service.memory_service_contract
    (only,) = contract.capabilities
    return serviced(capabilities=(replace(only, **change),))


def serviced(**change):
    local = SINGLE.occurrence.local_service
    contract = replace(local.memory_service_contract, **change)
    return single(local_service=replace(local, memory_service_contract=contract))


def device_registers():
    contract = SINGLE.occurrence.local_service.memory_service_contract
    (only,), (region,) = contract.capabilities, contract.regions
    return serviced(regions=(replace(region, behavior=Mmio(only.access_domain)),))()


def atomic(**change):
    """Read-modify-writes at the local service."""
    text = atomic_fabric(only={"rmw"}, targets=["local"], **change)
    return realised(parse_fabric(text).memories[0])


def split_object():
    """An atomic object of two bytes before a manager of one."""
    fabric = parse_fabric(atomic_fabric(only={"rmw"}, beat_bits=8))
    said = {"sync_scope": "system", "granularity": "absent", "volatile": False, "alignment": 2}
    row = atomic_row("r", "rmw", bits=16, kind="add", ordering="acq_rel", **said)
    (rows,) = parse_mapping(atomic_mapping(row), fabric).memories
    return unsupported_rows(fabric.memories[0], rows)


def one_port(port_classes, service_classes=None, *, index_bits=64, implementation=None, **options):
    """One load port over one capability, with 8,192 bits of data."""
    ends = {"addr": index_bits, "ctrl": 0, "data": 8192, "done": 0}
    roles = {"address": 0, "control": 1, "data": 2, "completion": 3}
    served = capability(LOAD, service_classes or port_classes, (0,))
    return memory(
        ends,
        2,
        (port(alternative(LOAD, roles, port_classes), inputs=2),),
        service(served, requesters=1, **options),
        implementation=implementation,
    )


def loads(*elements, form=ELEMENT, lanes=1, **index):
    return (access_class(form, LOAD, elements=elements, lanes=(lanes,), **index),)


def hardware(*change, **changes):
    return realised(one_port(*change, **changes))


def beats(*widths):
    """One capability for each beat: loads, then stores."""
    local = service(
        *(
            capability(
                schema,
                (access_class(ELEMENT, schema, elements=(32,), lanes=(1,)),),
                (0,),
                beat=beat,
            )
            for schema, beat in zip((LOAD, STORE), widths, strict=False)
        ),
        requesters=1,
    )
    roles = {"address": 0, "control": 1, "data": 2, "completion": 3}
    made = port(alternative(LOAD, roles, loads(32)), inputs=2)
    return realised(memory({"a": 32, "c": 0, "d": 32, "x": 0}, 2, (made,), local))


def resources(count):
    return lambda: unsupported(Fabric("f", (SINGLE,), (NamedOp("alu", add_sub()),) * count))


def wide_field():
    """8,192 selectors of 13 bits and their counts."""
    record = PARAMS[CapabilityParamsSchemaId.FIXED_VECTOR_SHUFFLE]
    params = replace(record, max_source_blocks=8192, max_result_blocks=8192)
    op = resource(ImplementationFamilyId.FIXED_VECTOR_SHUFFLE, params=params)
    return unsupported(Fabric("f", (), (NamedOp("mix", op),)))


def wide_fabric():
    ops = tuple(NamedOp(f"alu{i}", add_sub(widths=(64,))) for i in range(512))
    return unsupported(Fabric("f", (), ops))


def many_bits():
    """Four carriers of 16,384 bits and the reserved one."""
    family, bits = ImplementationFamilyId.TOKEN_CONSTANT, 16384
    op = resource(family, params=PayloadCapacityParams(bits), outputs=(bits,))
    return unplaceable(Fabric("f", (), tuple(NamedOp(f"c{i}", op) for i in range(4))))


def two_reads_a_cycle():
    named = one_port(loads(32))
    local = named.occurrence.local_service
    contract = replace(
        local.memory_service_contract,
        resource_contract=service_contract(
            queues=(2,), banks=((2, 1), (1, 1)), outstanding=4, grant=None
        ),
    )
    changed = replace(local, memory_service_contract=contract)
    return realised(replaced(named, local_service=changed))()


def many_contexts():
    """The contract says so alone: so many rows are not looked at."""
    named = temporal_memory(contexts=1)
    engine = replace(named.occurrence.engine, contract=Temporal(2**20))
    return realised(replaced(named, engine=engine))()


def deep_queue():
    contract = port_contract(
        in_flight=(4, 4), result_holding=(4, 4), operand_depths=(2, 4097), transactions=(1,)
    )
    return of_port(resource_contract=contract)()


def of_port(**change):
    engine = SINGLE.occurrence.engine
    (only,) = engine.ports
    return single(engine=replace(engine, ports=(replace(only, **change),)))


def of_contract(**change):
    (only,) = SINGLE.occurrence.engine.ports
    return of_port(resource_contract=replace(only.resource_contract, **change))


def of_service(**change):
    local = SINGLE.occurrence.local_service
    contract = local.memory_service_contract
    resources = replace(contract.resource_contract, **change)
    contract = replace(contract, resource_contract=resources)
    return lambda: service_capacities(replace(local, memory_service_contract=contract))


def without_banks():
    contract = SINGLE.occurrence.local_service.memory_service_contract.resource_contract
    (pattern,) = contract.use_patterns
    return of_service(
        states=contract.states[:2],
        use_patterns=(replace(pattern, claims=(), internal_transactions=((),)),),
    )()


def synchronising_subordinate():
    named = exposed_storage(kinds=(LOAD,))
    local = named.occurrence.local_service
    (only,) = local.memory_service_contract.capabilities
    domain = actors(LOAD)
    bound = replace(only, actor_contract_domain=domain, consistency_binding=PROVIDER)
    contract = replace(local.memory_service_contract, capabilities=(bound,))
    changed = replace(local, memory_service_contract=contract)
    return realised(replaced(named, local_service=changed))()


def unaligned_offset():
    """Byte 4 of the memory, by beats of eight."""
    named = exposed_storage(implementation=MemoryImplementation(aligned_bases=True))
    row = decode_row(RangeMatch(0, 8), offset=4)
    return unsupported_rows(named, exposing(named, (row,)))


WIDE = (replace(SINGLE.occurrence.endpoints[0], payload_width=16385),)
PROVIDER = LocalProvider(ReleaseVisibilityPoint.BY_RETIREMENT, FairEventual())


def option(**change):
    return realised(temporal_memory(implementation=MemoryImplementation(**change)))


def unaligned():
    aligned = replace(SINGLE, implementation=MemoryImplementation(aligned_bases=True))
    return unsupported_rows(aligned, table(row(0, LOAD, view(ELEMENT), base=6)))


def volatile_vector():
    named = temporal_memory(managers={"ext0": 32})
    vector = row(0, LOAD, view(CONTIGUOUS, element=8, lanes=2), base=0, target=EXT0)
    return unsupported_rows(named, table(replace(vector, actor=actor(LOAD, volatile=True))))


def atomics_over_axi4():
    (named,) = parse_fabric(atomic_fabric(only={"rmw"})).memories
    option = MemoryImplementation(manager_protocol="axi4")
    return unsupported(Fabric("f", (replace(named, implementation=option),)))


HARDWARE_CODES = {
    "row-base-unaligned": unaligned,
    "row-volatile-beats": volatile_vector,
    "row-atomic-beats": split_object,
    "op-count-limit": resources(1025),
    "op-field-limit": wide_field,
    "fabric-wire-limit": wide_fabric,
    "configuration-bit-limit": many_bits,
    "multiple-memories": lambda: unsupported(Fabric("f", (SINGLE, SINGLE))),
    "manager-beat-width": single(manager_endpoints=(ServiceEndpoint(24),)),
    "issue-lanes": option(issue_lanes=0),
    "manager-protocol-operation": atomics_over_axi4,
    "manager-protocol-width": realised(
        replace(
            replaced(SINGLE, manager_endpoints=(ServiceEndpoint(2048),)),
            implementation=MemoryImplementation(manager_protocol="axi4"),
        )
    ),
    "manager-protocol": option(manager_protocol="tilelink"),
    "subordinate-protocol": option(subordinate_protocol="tilelink"),
    "subordinate-protocol-match": realised(
        exposed_storage(
            dispatch(fields=(CONTEXT,), targets=(LOCAL,)),
            implementation=MemoryImplementation(subordinate_protocol="axi4_lite"),
        )
    ),
    "subordinate-protocol-width": realised(
        exposed_storage(beat=2048, implementation=MemoryImplementation(subordinate_protocol="axi4"))
    ),
    "resident-context-limit": many_contexts,
    "tag-width-limit": realised(temporal_memory(tag_width=65)),
    "subordinate-beat-width": realised(exposed_storage(beat=24)),
    "subordinate-manager-dispatch": realised(exposed_memory(dispatch(targets=(LOCAL, EXT0)))),
    "subordinate-synchronisation": synchronising_subordinate,
    "subordinate-queue-limit": realised(exposed_storage(queue=1025)),
    "decode-offset-unaligned": unaligned_offset,
    "endpoint-width-limit": single(endpoints=(*WIDE, *SINGLE.occurrence.endpoints[1:])),
    "index-width-limit": hardware(loads(32, index=(65,)), index_bits=128),
    "port-depth-limit": deep_queue,
    "region-mmio": device_registers,
    "consistency-progress": atomic(cycles=1),
    "atomic-rmw": atomic(kinds=["add", "fadd"]),
    "pointer-format-limit": realised(
        pointers(PointerFormat(0, 63, 8), *(PointerFormat(0, 64, bits) for bits in range(1, 65)))
    ),
    "port-unserved": hardware(loads(32), loads(8)),
    "element-width-not-bytes": hardware(loads(12)),
    "aligned-pointers": realised(
        replace(pointers(NEAR), implementation=MemoryImplementation(aligned_bases=True))
    ),
    "aligned-element-size": hardware(
        loads(24), implementation=MemoryImplementation(aligned_bases=True)
    ),
    "access-modes": hardware(loads(*range(8, 8 * 65 + 1, 8))),
    "access-beats": hardware(loads(32, form=CONTIGUOUS, lanes=256)),
    "mixed-beat-widths": beats(32, 64),
    "beat-width": beats(24),
    "bank-limit": hardware(loads(32), banks=128),
    "bank-count": hardware(loads(32), banks=3),
    "bank-ports": two_reads_a_cycle,
    "bank-function": hardware(loads(32), implementation=MemoryImplementation("hashed")),
    "service-capacity-limit": hardware(loads(32), capacity=2**32 + 1),
    "port-contract-shape": of_contract(
        states=SINGLE.occurrence.engine.ports[0].resource_contract.states[:-1]
    ),
    "port-contract-unlike": of_contract(transition_count=1),
    "service-contract-shape": without_banks,
    "service-contract-unlike": of_service(transition_count=1),
}
