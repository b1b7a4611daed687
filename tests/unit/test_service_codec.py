from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.errors import Invalid
from fabricgen.records import access_codec, actor_codec, resource_codec, service_codec
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
    Mmio,
)
from fabricgen.records.service_codec import decode, encode
from fabricgen.vocab.fabric import ReadSubwordSemantics, ReleaseVisibilityPoint
from tests.support.records import ELEMENT, LOAD, access, accesses, copy_fabric, plain
from tests.support.records import service_resources as resources
from tests.support.wires import flip, reads_as_itself

WORDS = accesses(access(ELEMENT, (32,), read=ReadSubwordSemantics.ZERO_EXTEND))
SMALL = MemoryServiceContract(
    regions=(MemoryServiceRegion(16, 32), MemoryServiceRegion(64, 8)),
    resource_contract=resources(1, banks=1),
    capabilities=(MemoryServiceCapability(plain(LOAD), WORDS, (0, 1), 64, (0,)),),
)
RICH = copy_fabric().memories[0].occurrence.local_service.memory_service_contract
WIRES = [encode(SMALL), encode(RICH)]


def test_round_trip():
    assert decode(encode(SMALL)) == SMALL
    assert decode(encode(RICH)) == RICH


def u64(value):
    return value.to_bytes(8, "big")


def u32(value):
    return value.to_bytes(4, "big")


def framed(data):
    return u64(len(data)) + data


def test_bytes_are_pinned():
    """Field order of the record; nested records are framed, capabilities and regions are not."""
    assert encode(SMALL) == b"".join(
        [
            u64(2),
            u64(16) + u64(32) + u32(0),
            u64(64) + u64(8) + u32(0),
            framed(resource_codec.encode(SMALL.resource_contract)),
            u64(1),
            framed(actor_codec.encode(plain(LOAD))),
            u32(1) + framed(access_codec.encode(WORDS)),
            u64(2) + u64(0) + u64(1),
            u64(64),
            u64(1) + u32(0),
            u32(0),
        ]
    )


@settings(max_examples=50)
@given(st.sampled_from(WIRES), st.data())
def test_one_record_has_one_encoding(wire, data):
    reads_as_itself(service_codec, flip(wire, data))


@settings(max_examples=50)
@given(st.sampled_from(WIRES), st.data())
def test_every_proper_prefix_is_rejected(wire, data):
    with pytest.raises(Invalid):
        decode(wire[: data.draw(st.integers(0, len(wire) - 1))])


@given(st.sampled_from(WIRES), st.binary(min_size=1))
def test_trailing_bytes_are_rejected(wire, extra):
    with pytest.raises(Invalid, match=r"\[wire-trailing\]$"):
        decode(wire + extra)


REGION_TAG = slice(24, 28)


def test_the_accepted_domain_of_an_mmio_region_is_framed_behind_its_tag():
    registers = replace(SMALL.regions[0], behavior=Mmio(WORDS))
    record = replace(SMALL, regions=(registers, SMALL.regions[1]))
    wire = bytearray(encode(SMALL))
    wire[REGION_TAG] = u32(1) + framed(access_codec.encode(WORDS))
    assert encode(record) == bytes(wire)
    assert decode(bytes(wire)) == record


def test_an_mmio_region_needs_its_accesses():
    wire = bytearray(encode(SMALL))
    wire[REGION_TAG] = u32(1) + framed(b"\0")
    with pytest.raises(Invalid, match=r"^regions\[0\]\.behavior\.accepted_access_domain"):
        decode(bytes(wire))


def test_an_unknown_region_behaviour_is_refused():
    wire = bytearray(encode(SMALL))
    wire[REGION_TAG] = u32(2)
    with pytest.raises(Invalid, match=r"A tag of region behaviour is required, not 2 "):
        decode(bytes(wire))


#: Each binding, and its bytes by hand: tag, then visibility, progress and bound, or a frame.
BINDINGS = {
    NO_CONSISTENCY: u32(0),
    LocalProvider(ReleaseVisibilityPoint.AT_LINEARIZATION, BoundedCompletionCycles(12)): (
        u32(1) + u32(0) + u32(0) + u64(12)
    ),
    LocalProvider(ReleaseVisibilityPoint.BY_RETIREMENT, FairEventual()): u32(1) + u32(1) + u32(1),
    SystemDomain(b"dom"): u32(2) + framed(b"dom"),
}


@pytest.mark.parametrize(("binding", "tail"), BINDINGS.items())
def test_a_consistency_binding_stands_last(binding, tail):
    (capability,) = SMALL.capabilities
    record = replace(SMALL, capabilities=(replace(capability, consistency_binding=binding),))
    wire = encode(SMALL)[:-4] + tail
    assert encode(record) == wire
    assert decode(wire) == record


@pytest.mark.parametrize(
    ("tail", "where", "message"),
    [
        (u32(1) + u32(2) + u32(1), "consistency_binding", "not 2 "),
        (u32(1) + u32(0) + u32(2), "consistency_binding.progress", "not 2 "),
        (u32(1) + u32(0) + u32(0) + u64(0), "consistency_binding.progress", "bound-range"),
        (u32(2) + framed(b""), "consistency_binding", "domain-reference"),
        (u32(1) + u32(0), "consistency_binding", "wire-truncated"),
    ],
)
def test_a_broken_consistency_binding_is_refused(tail, where, message):
    with pytest.raises(Invalid, match=rf"capabilities\[0\]\.{where}.*{message}"):
        decode(encode(SMALL)[:-4] + tail)


@pytest.mark.parametrize(
    ("broken", "kind"),
    [
        (lambda w: w[:-4] + u32(3), "consistency binding"),
        (
            lambda w: w.replace(u32(1) + framed(access_codec.encode(WORDS)), u32(2)),
            "optional access domain",
        ),
    ],
)
def test_unknown_tags_are_refused(broken, kind):
    with pytest.raises(Invalid, match=rf"A tag of {kind} is required, not [23] "):
        decode(broken(encode(SMALL)))


def test_reordered_capabilities_are_refused():
    swapped = encode(RICH)
    loads, stores = (
        encode(only(RICH, i)).split(framed(resource_codec.encode(RICH.resource_contract)))[1][8:]
        for i in (0, 1)
    )
    assert loads + stores in swapped
    with pytest.raises(Invalid, match=r"^capabilities\[1\]: .* \[service-capability-order\]$"):
        decode(swapped.replace(loads + stores, stores + loads))


def only(contract, ordinal):
    return MemoryServiceContract(
        contract.regions, contract.resource_contract, (contract.capabilities[ordinal],)
    )
