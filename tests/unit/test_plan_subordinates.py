"""What the plan says of subordinates whose hardware is not built, or that have no service."""

from dataclasses import replace

import pytest

from fabricgen.plan.realisation import unsupported
from fabricgen.plan.subordinate_use import subordinate_use
from fabricgen.records.endpoint import ServiceEndpoint
from fabricgen.records.fabric import Fabric, MemoryImplementation
from tests.support.memories import LOCAL, replaced
from tests.support.subordinates import (
    CONTEXT,
    EXT0,
    NONE,
    RANGE,
    SPACE,
    dispatch,
    exposed_memory,
    exposed_storage,
)


def found(named):
    return {(each.code, each.where) for each in unsupported(Fabric("f", (named,)))}


@pytest.mark.parametrize(
    ("transform", "beat", "is_too_wide"),
    [
        # A beat of 1024 bits is 128 of 8 bits, wherever it starts.
        (NONE, 1024, False),
        # Of 16 bits it is 64, or 65 from an odd byte on.
        (NONE, 2048, True),
    ],
)
def test_a_beat_of_a_subordinate_is_at_most_so_many_of_the_service(transform, beat, is_too_wide):
    one = dispatch(1, (RANGE,), transform, (LOCAL,))
    named = exposed_storage(one, beat=beat, service_beat=8, banks=1)
    where = "memory[0].subordinate_endpoints[0].beat_width_bits"
    codes = {code for code, at in found(named) if at == where}
    assert codes == ({"access-beats"} if is_too_wide else set())


def test_a_subordinate_without_a_service_reaches_what_is_not_built():
    served = exposed_memory(dispatch(1, (RANGE,), targets=(EXT0,)), engine=False)
    named = replaced(served, local_service=None)
    assert found(named) >= {
        ("subordinate-manager-dispatch", "memory[0].subordinate_endpoints[0].targets")
    }
    with pytest.raises(ValueError, match="must have a local service"):
        subordinate_use(named, 0)


def test_decode_rows_of_a_memory_have_a_limit_together():
    named = exposed_memory(*(dispatch(128, (RANGE,), targets=(LOCAL,)),) * 3)
    where = "memory[0].connectivity.subordinate_endpoints"
    assert ("subordinate-binding-limit", where) in found(named)
    one = replace(named.occurrence.connectivity.subordinate_endpoints[0], max_exposed_bindings=64)
    connectivity = replace(named.occurrence.connectivity, subordinate_endpoints=(one,) * 3)
    fewer = replaced(
        named, connectivity=connectivity, subordinate_endpoints=(ServiceEndpoint(64),) * 3
    )
    assert "subordinate-binding-limit" not in {code for code, _ in found(fewer)}


@pytest.mark.parametrize(
    ("protocol", "beat", "fits"),
    [
        ("axi4", 8, True),
        ("axi4", 1024, True),
        ("axi4", 2048, False),
        ("axi4_lite", 16, False),
        ("axi4_lite", 32, True),
        ("axi4_lite", 64, True),
        ("axi4_lite", 128, False),
        ("stream", 2048, True),
    ],
)
def test_a_bus_has_data_of_some_widths_alone(protocol, beat, fits):
    option = MemoryImplementation(subordinate_protocol=protocol)
    named = exposed_storage(beat=beat, service_beat=64, implementation=option, capacity=4096)
    where = "memory[0].subordinate_endpoints[0].beat_width_bits"
    codes = {("subordinate-protocol-width", where)}
    assert found(named) & codes == (set() if fits else codes)


def test_axi4_lite_has_no_place_for_what_is_no_address():
    option = MemoryImplementation(subordinate_protocol="axi4_lite")
    matched = dispatch(2, (RANGE, SPACE, CONTEXT), targets=(LOCAL,))
    (finding,) = unsupported(Fabric("f", (exposed_storage(matched, implementation=option),)))
    assert finding.where == "memory[0].subordinate_endpoints[0].match_fields"
    assert finding.message == (
        "A subordinate over axi4_lite must match addresses alone, not address_space and context"
    )
    plain = exposed_storage(implementation=option)
    assert found(plain) == set()


def test_another_protocol_has_no_adapter():
    option = MemoryImplementation(subordinate_protocol="tilelink")
    (finding,) = unsupported(Fabric("f", (exposed_storage(implementation=option),)))
    assert (finding.code, finding.where) == (
        "subordinate-protocol",
        "memory[0].implementation.subordinate_protocol",
    )
    assert finding.message == (
        "The protocol of subordinates must be stream, axi4 or axi4_lite, not tilelink"
    )
