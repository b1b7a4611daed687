"""System memory services, consistency domains and the references between them."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.check.system import system_findings
from fabricgen.errors import Invalid
from fabricgen.records import (
    consistency_domain_codec,
    resource_codec,
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
    MemoryServiceCapability,
    MemoryServiceContract,
    MemoryServiceRegion,
)
from fabricgen.records.system import (
    BoundedCompletion,
    MemoryConsistencyDomain,
    ProviderParticipant,
    ServiceParticipant,
    SystemMemoryService,
)
from fabricgen.vocab.fabric import ReleaseVisibilityPoint
from tests.support.actors import FENCE, actors
from tests.support.records import service_resources
from tests.support.wires import (
    flip,
    framed,
    reads_as_itself,
    refuses_every_prefix_and_extension,
    u32,
    u64,
)

BY_RETIREMENT = ReleaseVisibilityPoint.BY_RETIREMENT
RESOURCES = service_resources(1, banks=1)
DOMAIN = MemoryConsistencyDomain(
    (ServiceParticipant(b"dram"), ServiceParticipant(b"sram"), ProviderParticipant(b"core")),
    BY_RETIREMENT,
    BoundedCompletion(b"clk", 1000),
    RESOURCES,
)


COHERENT = SystemDomain(b"coherent")


def contract(binding=COHERENT):
    """Fences alone, in a region at the top of the service addresses."""
    fence = MemoryServiceCapability(actors(FENCE), None, (), 0, (0,), binding)
    return MemoryServiceContract((MemoryServiceRegion(2**63, 4096),), RESOURCES, (fence,))


SERVICE = SystemMemoryService(contract())


def findings(build, *args, **kwargs):
    with pytest.raises(Invalid) as caught:
        build(*args, **kwargs)
    return [(finding.where, finding.code) for finding in caught.value.diagnostics]


@pytest.mark.parametrize("progress", [FairEventual(), BoundedCompletionCycles(4)])
def test_a_system_service_is_no_local_provider(progress):
    ordered = contract(LocalProvider(BY_RETIREMENT, progress))
    assert findings(SystemMemoryService, ordered) == [
        (
            "memory_service_contract.capabilities[0].consistency_binding",
            "system-service-local-provider",
        )
    ]


def test_a_system_service_has_the_bytes_of_its_contract():
    wire = service_codec.encode(SERVICE.memory_service_contract)
    assert system_service_codec.encode(SERVICE) == wire
    assert system_service_codec.decode(wire) == SERVICE
    refuses_every_prefix_and_extension(system_service_codec, wire)
    local = service_codec.encode(contract(LocalProvider(BY_RETIREMENT, FairEventual())))
    with pytest.raises(Invalid, match=r"\[system-service-local-provider\]$"):
        system_service_codec.decode(local)


def test_what_is_illegal_in_the_contract_is_placed_in_it():
    with pytest.raises(Invalid, match=r"^memory_service_contract\.bytes: .*\[wire-truncated\]$"):
        system_service_codec.decode(b"")


@pytest.mark.parametrize(
    ("participants", "where", "code"),
    [
        ((), "participants", "consistency-participant-empty"),
        (
            (ServiceParticipant(b"b"), ServiceParticipant(b"a")),
            "participants[1]",
            "consistency-participant-order",
        ),
        (
            (ServiceParticipant(b"a"), ServiceParticipant(b"a")),
            "participants[1]",
            "consistency-participant-order",
        ),
        (
            (ProviderParticipant(b"a"), ServiceParticipant(b"b")),
            "participants[1]",
            "consistency-participant-order",
        ),
    ],
)
def test_participants_are_a_sorted_set(participants, where, code):
    assert findings(replace, DOMAIN, participants=participants) == [(where, code)]


@pytest.mark.parametrize(("kind", "tag"), [(ServiceParticipant, 0), (ProviderParticipant, 1)])
def test_a_participant_has_a_reference(kind, tag):
    assert findings(kind, b"") == [("reference", "consistency-domain-reference")]
    good = consistency_domain_codec.encode(replace(DOMAIN, participants=(kind(b"\0"),)))
    head = (1).to_bytes(8, "big") + tag.to_bytes(4, "big")
    assert good.startswith(head + (1).to_bytes(8, "big") + b"\0")
    bad = head + bytes(8) + good[len(head) + 9 :]
    assert findings(consistency_domain_codec.decode, bad) == [
        ("participants[0].reference", "consistency-domain-reference")
    ]


@pytest.mark.parametrize(
    "participants",
    [
        (ServiceParticipant(b"a"),),
        (ServiceParticipant(b"a"), ServiceParticipant(b"b")),
        (ServiceParticipant(b"b"), ProviderParticipant(b"a")),
        (ServiceParticipant(b"a"), ProviderParticipant(b"a")),
        (ServiceParticipant(b"a"), ServiceParticipant(b"aa"), ServiceParticipant(b"b")),
    ],
)
def test_participants_that_are_a_sorted_set(participants):
    assert replace(DOMAIN, participants=participants).participants == participants


@pytest.mark.parametrize(
    ("fields", "where", "code"),
    [
        ((b"", 1), "clock_reference", "consistency-domain-reference"),
        ((b"clk", 0), "ticks", "consistency-bound-range"),
        ((b"clk", 2**64), "ticks", "consistency-bound-range"),
    ],
)
def test_bounded_completion_counts_a_clock(fields, where, code):
    assert findings(BoundedCompletion, *fields) == [(where, code)]
    assert BoundedCompletion(b"c", 2**64 - 1).ticks == 2**64 - 1
    assert BoundedCompletion(b"c", 1).ticks == 1


HEAD = u64(3) + u32(0) + framed(b"dram") + u32(0) + framed(b"sram") + u32(1) + framed(b"core")
TAIL = framed(resource_codec.encode(RESOURCES))


@pytest.mark.parametrize(
    ("visibility", "progress", "middle"),
    [
        (
            ReleaseVisibilityPoint.AT_LINEARIZATION,
            BoundedCompletion(b"clk", 1000),
            u32(0) + u32(0) + framed(b"clk") + u64(1000),
        ),
        (BY_RETIREMENT, FairEventual(), u32(1) + u32(1)),
    ],
)
def test_the_bytes_of_a_domain_are_pinned(visibility, progress, middle):
    record = replace(DOMAIN, release_visibility_point=visibility, progress=progress)
    wire = HEAD + middle + TAIL
    assert consistency_domain_codec.encode(record) == wire
    assert consistency_domain_codec.decode(wire) == record
    refuses_every_prefix_and_extension(consistency_domain_codec, wire)


@pytest.mark.parametrize(
    ("wire", "message"),
    [
        (u64(1) + u32(2) + framed(b"a"), r"^participants\[0\]\.bytes: A tag of participant .* 2 "),
        (HEAD + u32(2), r"^release_visibility_point\.bytes: .*, not 2 "),
        (HEAD + u32(1) + u32(2), r"^progress\.bytes: A tag of progress .*, not 2 "),
        (HEAD + u32(1) + u32(0) + framed(b"") + u64(1), r"^progress\.clock_reference: .* none "),
        (HEAD + u32(1) + u32(1) + framed(b""), r"^resource_contract\.bytes: .*wire-truncated"),
        (u64(2**64 - 1), r"^bytes: 18446744073709551615 items .*\[wire-truncated\]$"),
    ],
)
def test_each_broken_field_of_a_domain_is_placed(wire, message):
    with pytest.raises(Invalid, match=message):
        consistency_domain_codec.decode(wire)


@settings(max_examples=50)
@given(st.data())
def test_a_domain_has_one_encoding(data):
    wire = consistency_domain_codec.encode(DOMAIN)
    reads_as_itself(consistency_domain_codec, flip(wire, data))


def found(services, domains):
    return [(each.where, each.code) for each in system_findings(services, domains)]


SERVICES = {b"dram": SERVICE, b"sram": SystemMemoryService(contract())}
DOMAINS = {b"coherent": DOMAIN}
#: 64726d is "dram" and so on: a path names a reference by its bytes.
BINDING = "services[6472616d].memory_service_contract.capabilities[0].consistency_binding"


def test_every_reference_of_a_system_resolves():
    assert found(SERVICES, DOMAINS) == []


def test_a_named_domain_exists():
    lost = {**SERVICES, b"dram": SystemMemoryService(contract(SystemDomain(b"lost")))}
    assert found(lost, DOMAINS) == [(BINDING, "system-domain-unknown")]
    assert found(lost, {**DOMAINS, b"lost": DOMAIN}) == []


def test_a_service_takes_part_in_the_domain_that_it_names():
    without = replace(DOMAIN, participants=DOMAIN.participants[1:])
    assert found(SERVICES, {b"coherent": without}) == [(BINDING, "system-domain-participant")]
    as_provider = replace(
        without, participants=(*without.participants, ProviderParticipant(b"dram"))
    )
    assert found(SERVICES, {b"coherent": as_provider}) == [(BINDING, "system-domain-participant")]


def test_a_participating_service_exists_and_a_provider_need_not():
    alone = {b"dram": SERVICE}
    assert found(alone, DOMAINS) == [
        ("domains[636f686572656e74].participants[1]", "consistency-participant-unknown")
    ]


def test_a_plain_service_names_no_domain():
    contracts = SERVICE.memory_service_contract
    assert contracts.capabilities[0].consistency_binding != NO_CONSISTENCY
    assert found({}, {b"x": replace(DOMAIN, participants=(ProviderParticipant(b"p"),))}) == []
