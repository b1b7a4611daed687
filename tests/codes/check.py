"""Inputs of the codes of ``check``: one good fabric each, with one thing changed."""

from dataclasses import replace

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.check.fabric import findings
from fabricgen.check.system import system_findings
from fabricgen.records.connectivity import (
    InternalConnection,
    SubordinateDispatch,
)
from fabricgen.records.consistency import FairEventual, SystemDomain
from fabricgen.records.endpoint import ServiceEndpoint, TransportEndpoint
from fabricgen.records.fabric import Fabric, MemoryNames
from fabricgen.records.occurrence import OperationEngine, Spatial
from fabricgen.records.service import (
    MemoryServiceCapability,
    MemoryServiceContract,
    MemoryServiceRegion,
)
from fabricgen.records.system import (
    MemoryConsistencyDomain,
    ServiceParticipant,
    SystemMemoryService,
)
from fabricgen.vocab.dataflow import ServiceValueRole as ROLE
from fabricgen.vocab.dispatch import AddressTransform
from fabricgen.vocab.fabric import (
    ReadSubwordSemantics,
    ReleaseVisibilityPoint,
    WriteSubwordSemantics,
)
from tests.codes.inputs import one_actor
from tests.support.actors import CAS, FENCE, RMW, actors, alternative, atomic_access
from tests.support.records import (
    ADDRESS,
    COMPLETION,
    CONTIGUOUS,
    CONTROL,
    DATA,
    ELEMENT,
    IN,
    LOAD,
    LOCAL,
    MASK,
    MASKED_LOAD,
    STORE,
    access,
    ins,
    load_fabric,
    occurrence,
    outs,
    port,
    service,
    service_resources,
)
from tests.support.temporal import temporal_memory

GOOD = load_fabric()
(NAMED,) = GOOD.memories
RECORD = NAMED.occurrence
READ, WRITE = ReadSubwordSemantics, WriteSubwordSemantics
WORDS = access(ELEMENT, (32,), read=READ.ZERO_EXTEND)
OF_WORDS = AlignmentDomain(UnsignedDomain.of((2, 63)))
LOAD_ROLES = {ADDRESS: 0, CONTROL: 1, DATA: 2, COMPLETION: 3}


def checked(*memories, name=GOOD.name):
    return lambda: findings(Fabric(name, memories))


def record(**change):
    return checked(replace(NAMED, occurrence=replace(RECORD, **change)))


def names(**change):
    return checked(replace(NAMED, names=replace(NAMED.names, **change)))


def endpoint_name(name):
    return names(endpoints=("rd_addr", "rd_ctrl", "rd_data", name))


def connectivity(**change):
    return record(connectivity=replace(RECORD.connectivity, **change))


def served(**change):
    local = RECORD.local_service
    return record(
        local_service=replace(
            local, memory_service_contract=replace(local.memory_service_contract, **change)
        )
    )


def temporal_endpoint(tag_width):
    """The second endpoint of a Temporal memory has another tag."""
    named = temporal_memory()
    first, second, *rest = named.occurrence.endpoints
    endpoints = (first, replace(second, tag_width=tag_width), *rest)
    return checked(replace(named, occurrence=replace(named.occurrence, endpoints=endpoints)))


def one_port(roles, accesses, inputs, outputs, schema=LOAD):
    """A port over endpoints of these widths, and a service that serves what it asks."""
    made = occurrence(
        ins(*inputs) + outs(*outputs),
        (port(schema, roles, accesses),),
        service(((schema, (accesses,)),), requesters=1, banks=1, capacity_bytes=64, beat_bits=32),
    )
    listed = tuple(f"e{i}" for i in range(len(inputs) + len(outputs)))
    return checked(
        replace(NAMED, occurrence=made, names=MemoryNames(listed, ("p",), (("direct",),)))
    )


def loads(accesses, address, data):
    return one_port(LOAD_ROLES, accesses, (address, 0), (data, 0))


def stores(write, element, data):
    roles = {ADDRESS: 0, DATA: 1, CONTROL: 2, COMPLETION: 3}
    return one_port(
        roles, access(ELEMENT, (element,), write=write), (32, data, 0), (0,), schema=STORE
    )


def store_with_a_data_result():
    roles = {ADDRESS: 0, CONTROL: 1, DATA: 2, COMPLETION: 3}
    words = access(ELEMENT, (32,), write=WRITE.BYTE_ENABLE)
    return one_port(roles, words, (32, 0), (32, 0), schema=STORE)()


def masked_loads(roles, mask_bits):
    masked = access(CONTIGUOUS, (8,), (4,), masks=(MASKED_LOAD,), read=READ.ZERO_EXTEND)
    return one_port(roles, masked, (32, mask_bits, 0), (32, 0))


def narrow(schema, role):
    """A port of one atomic actor whose endpoint of one role has no bits."""
    return checked(one_actor(alternative(schema, atomic_access(schema)), {role: 0}))


def joined_names():
    """Endpoint ``x`` of ``m_a`` and endpoint ``a_x`` of ``m`` are one port of the top."""
    left = replace(NAMED.names, endpoints=("a_x", "b", "c", "d"))
    right = replace(NAMED.names, endpoints=("x", "rd_ctrl", "rd_data", "rd_done"))
    return findings(
        replace(
            GOOD,
            memories=(
                replace(NAMED, name="m", names=left),
                replace(NAMED, name="m_a", names=right),
            ),
        )
    )


def requesters(owner):
    return replace(owner.resource_contract, requester_count=2)


def two_requesters_of_a_spatial_port():
    (only,) = RECORD.engine.ports
    twice = replace(only, resource_contract=requesters(only))
    return record(engine=OperationEngine(Spatial(), (twice,)))()


def of_another_access():
    """The service has 64-bit words only."""
    (only,) = RECORD.local_service.memory_service_contract.capabilities
    other = access(ELEMENT, (64,), read=READ.ZERO_EXTEND)
    domain = replace(only.access_domain, access_classes=(other,))
    return served(capabilities=(replace(only, access_domain=domain),))()


def system(*services, domain=b"coherent"):
    """Services of these names order fences by one domain; of the domain, dram is a participant."""
    fence = MemoryServiceCapability(actors(FENCE), None, (), 0, (0,), SystemDomain(domain))
    resources = service_resources(1, banks=1)
    contract = MemoryServiceContract((MemoryServiceRegion(0, 64),), resources, (fence,))
    coherent = MemoryConsistencyDomain(
        (ServiceParticipant(b"dram"),),
        ReleaseVisibilityPoint.BY_RETIREMENT,
        FairEventual(),
        resources,
    )
    named = dict.fromkeys(services, SystemMemoryService(contract))
    return lambda: system_findings(named, {b"coherent": coherent})


NO_PORTS = replace(RECORD.connectivity, operation_ports=())
TAGGED = (replace(RECORD.endpoints[0], tag_width=4), *RECORD.endpoints[1:])
SUBORDINATE = SubordinateDispatch(1, (), AddressTransform.NONE, (LOCAL,))


def exposed_storage(endpoints):
    """Storage that one subordinate reaches, beside token endpoints that nothing has."""
    dispatch = replace(NO_PORTS, subordinate_endpoints=(SUBORDINATE,))
    alone = replace(
        RECORD,
        endpoints=endpoints,
        engine=None,
        subordinate_endpoints=(ServiceEndpoint(32),),
        connectivity=dispatch,
    )
    listed = MemoryNames(NAMED.names.endpoints, (), (), (), ("from0",))
    return checked(replace(NAMED, occurrence=alone, names=listed))


PRODUCERS = {
    "fabric-empty": checked(),
    "name-illegal": endpoint_name("Rd"),
    "name-keyword": endpoint_name("output"),
    "name-too-long": endpoint_name("a" * 65),
    "name-duplicate": endpoint_name("rd_ctrl"),
    "name-reserved": endpoint_name("clk"),
    "name-collision": joined_names,
    "names-count": names(ports=("a", "b")),
    "occurrence-empty": record(engine=None, local_service=None, connectivity=NO_PORTS),
    "engine-unbacked": record(local_service=None),
    "storage-unreachable": record(endpoints=(), engine=None, connectivity=NO_PORTS),
    "storage-token-endpoint": exposed_storage(RECORD.endpoints),
    "endpoint-order": record(endpoints=(*RECORD.endpoints, TransportEndpoint(IN, 0))),
    "endpoint-tagged": record(endpoints=TAGGED),
    "endpoint-untagged": temporal_endpoint(None),
    "endpoint-tag-widths": temporal_endpoint(5),
    "port-endpoint-missing": record(endpoints=RECORD.endpoints[:3]),
    "store-data-result": store_with_a_data_result,
    "update-endpoint-narrow": narrow(RMW, ROLE.UPDATE),
    "expected-endpoint-narrow": narrow(CAS, ROLE.EXPECTED),
    "desired-endpoint-narrow": narrow(CAS, ROLE.DESIRED),
    "old-endpoint-narrow": narrow(CAS, ROLE.OLD),
    "success-endpoint-narrow": narrow(CAS, ROLE.SUCCESS),
    "role-direction": one_port(LOAD_ROLES, WORDS, (32, 0, 32), (0,)),
    "role-kind": one_port(LOAD_ROLES, WORDS, (32, 1), (32, 0)),
    "role-endpoint-shared": masked_loads(
        {ADDRESS: 0, MASK: 0, CONTROL: 2, DATA: 3, COMPLETION: 4}, 4
    ),
    "address-endpoint-narrow": loads(WORDS, 31, 32),
    "data-endpoint-narrow": loads(WORDS, 32, 31),
    "mask-endpoint-narrow": masked_loads(
        {ADDRESS: 0, MASK: 1, CONTROL: 2, DATA: 3, COMPLETION: 4}, 3
    ),
    "read-subword-exact": loads(access(ELEMENT, (32,), read=READ.EXACT), 32, 64),
    "write-subword-exact": stores(WRITE.EXACT, 16, 32),
    "write-subword-byte-enable": stores(WRITE.BYTE_ENABLE, 12, 32),
    "plain-alignment-missing": loads(replace(WORDS, source_alignment=OF_WORDS), 32, 32),
    "port-requester-count": two_requesters_of_a_spatial_port,
    "service-requester-count": served(
        resource_contract=requesters(RECORD.local_service.memory_service_contract)
    ),
    "dispatch-shape": connectivity(operation_ports=()),
    "dispatch-target-missing": record(local_service=None),
    "connection-endpoint-missing": connectivity(internal_connections=(InternalConnection(4, 0),)),
    "connection-direction": connectivity(internal_connections=(InternalConnection(0, 1),)),
    "connection-narrows": connectivity(internal_connections=(InternalConnection(3, 0),)),
    "region-outside-capacity": served(regions=(MemoryServiceRegion(0, 1025),)),
    "system-domain-unknown": system(b"dram", domain=b"lost"),
    "system-domain-participant": system(b"dram", b"sram"),
    "consistency-participant-unknown": system(),
    "target-serves-nothing": of_another_access,
}
