"""Anchor: a local and a System memory service import one canonical service record.

Spec: Validation Anchors, fifteenth item: bindings that do not fit the owner are refused.
"""

from dataclasses import replace

import pytest

from fabricgen.check.system import system_findings
from fabricgen.errors import Invalid
from fabricgen.records import (
    occurrence_codec,
    service_capability_codec,
    service_codec,
    system_service_codec,
)
from fabricgen.records.consistency import (
    NO_CONSISTENCY,
    BoundedCompletionCycles,
    FairEventual,
    LocalProvider,
    SystemDomain,
)
from fabricgen.records.service import (
    LocalMemoryService,
    MemoryServiceCapability,
    MemoryServiceContract,
)
from fabricgen.records.system import (
    MemoryConsistencyDomain,
    ServiceParticipant,
    SystemMemoryService,
)
from fabricgen.vocab.fabric import ReleaseVisibilityPoint
from tests.support.actors import CAS, FENCE, LOAD, RMW, STORE, actors, atomic_access
from tests.support.capabilities import domain
from tests.support.records import copy_fabric

OCCURRENCE = copy_fabric().memories[0].occurrence
CAPACITY = OCCURRENCE.local_service.capacity_bytes
PLAIN = OCCURRENCE.local_service.memory_service_contract
SYSTEM = SystemDomain(b"coherent")
LOCAL = [
    LocalProvider(visibility, progress)
    for visibility in ReleaseVisibilityPoint
    for progress in (FairEventual(), BoundedCompletionCycles(9))
]


def ordered(schema, binding):
    """The contract with one capability, of an actor that needs somebody who orders it."""
    access = None if schema is FENCE else domain(atomic_access(schema))
    regions, beat = ((), 0) if access is None else ((0,), 64)
    capability = MemoryServiceCapability(actors(schema), access, regions, beat, (0,), binding)
    return MemoryServiceContract(PLAIN.regions, PLAIN.resource_contract, (capability,))


def imports(wire):
    """Which owner imports these bytes, and what it refuses them for."""
    found = {}
    owners = {
        "local": lambda: LocalMemoryService(CAPACITY, service_codec.decode(wire)),
        "system": lambda: system_service_codec.decode(wire),
    }
    for name, build in owners.items():
        try:
            found[name] = build().memory_service_contract
        except Invalid as error:
            found[name] = [finding.code for finding in error.diagnostics]
    return found


def test_both_owners_import_one_record_and_write_it_alike():
    wire = service_codec.encode(PLAIN)
    assert imports(wire) == {"local": PLAIN, "system": PLAIN}
    assert system_service_codec.encode(SystemMemoryService(PLAIN)) == wire
    # A local service keeps these very bytes inside its occurrence.
    inside = occurrence_codec.encode(OCCURRENCE)
    assert wire in inside
    assert occurrence_codec.decode(inside).local_service.memory_service_contract == PLAIN


def test_one_capability_has_one_encoding_in_both():
    for capability in PLAIN.capabilities:
        assert capability.consistency_binding == NO_CONSISTENCY
        assert service_capability_codec.encode(capability) in service_codec.encode(PLAIN)


@pytest.mark.parametrize("schema", [LOAD, STORE, RMW, CAS, FENCE])
@pytest.mark.parametrize("provider", LOCAL)
def test_a_local_provider_is_a_local_services_alone(schema, provider):
    contract = ordered(schema, provider)
    assert imports(service_codec.encode(contract)) == {
        "local": contract,
        "system": ["system-service-local-provider"],
    }


@pytest.mark.parametrize("schema", [LOAD, STORE, RMW, CAS, FENCE])
def test_a_system_domain_is_a_system_services_alone(schema):
    contract = ordered(schema, SYSTEM)
    assert imports(service_codec.encode(contract)) == {
        "local": ["local-service-system-domain"],
        "system": contract,
    }


@pytest.mark.parametrize("schema", [LOAD, STORE, RMW, CAS, FENCE])
def test_neither_owner_goes_without(schema):
    """The bytes of a binding that is absent, in the place of the one that is needed."""
    wire = service_codec.encode(ordered(schema, LOCAL[0]))
    absent = wire[: -len(bytes(12))] + bytes(4)
    assert imports(absent) == {
        "local": ["consistency-binding-missing"],
        "system": ["consistency-binding-missing"],
    }


def test_the_domain_that_a_system_service_names_exists_and_has_it():
    services = {b"dram": SystemMemoryService(ordered(RMW, SYSTEM))}
    record = MemoryConsistencyDomain(
        (ServiceParticipant(b"dram"),),
        ReleaseVisibilityPoint.AT_LINEARIZATION,
        FairEventual(),
        PLAIN.resource_contract,
    )
    outside = replace(record, participants=(ServiceParticipant(b"sram"),))
    others = {b"dram": services[b"dram"], b"sram": SystemMemoryService(PLAIN)}
    for inventory, domains, codes in (
        (services, {SYSTEM.reference: record}, []),
        (services, {b"other": record}, ["system-domain-unknown"]),
        (others, {SYSTEM.reference: outside}, ["system-domain-participant"]),
    ):
        assert [each.code for each in system_findings(inventory, domains)] == codes
