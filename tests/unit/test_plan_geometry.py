from dataclasses import replace

import pytest

from fabricgen.errors import Unsupported
from fabricgen.plan.contract import service_contract
from fabricgen.plan.geometry import (
    AccessMode,
    BankGeometry,
    bank_geometry,
    port_address_bits,
    port_targets,
    requester_shape,
)
from fabricgen.plan.geometry_class import GeometryClass, geometry_class
from fabricgen.records.connectivity import ManagerEndpointTarget, OperationPortDispatch
from fabricgen.records.fabric import MemoryImplementation
from tests.support.actor_memories import ALL
from tests.support.memories import (
    ABSENT,
    CONTIGUOUS,
    DYNAMIC,
    ELEMENT,
    INDEXED,
    LOAD,
    LOCAL,
    ROLE,
    STORE,
    access_class,
    alternative,
    capability,
    hybrid_memory,
    memory,
    port,
    replaced,
    row,
    service,
    view,
)
from tests.support.requester_choice import requester_choice
from tests.support.temporal import manager_memory, temporal_memory


def one_port(port_classes, service_classes, *, implementation=None, schema=LOAD, **service_options):
    """One load port with wide endpoints over one capability."""
    ends = {"addr": 512, "mask": 16, "ctrl": 0, "data": 1024, "done": 0}
    roles = {"address": 0, "control": 2, "data": 3, "completion": 4}
    if any(DYNAMIC in each.mask_forms for each in port_classes):
        roles["mask"] = 1
    local = service(capability(schema, service_classes, (0,)), requesters=1, **service_options)
    return memory(
        ends,
        3,
        (port(alternative(schema, roles, port_classes)),),
        local,
        implementation=implementation,
    )


def codes(error):
    return [diagnostic.code for diagnostic in error.value.diagnostics]


def test_banks_come_from_states_and_beats_from_capabilities():
    assert bank_geometry(hybrid_memory()) == BankGeometry(4096, 8, 4)


def test_a_memory_without_a_local_service_has_no_banks():
    with pytest.raises(ValueError, match="mem0 must have a local service, not None"):
        bank_geometry(manager_memory())


def test_address_bits_reach_the_last_byte_and_rows_hold_a_ragged_end():
    geometry = BankGeometry(capacity_bytes=100, beat_bytes=8, banks=4)
    assert (geometry.address_bits, geometry.rows) == (7, 4)


def test_modes_are_the_pairs_of_form_and_element_with_the_widest_lane_count():
    # The element class and the contiguous class share the mode of 4-byte elements in sequence.
    shape = requester_shape(hybrid_memory(), 0)
    assert shape.modes == (
        AccessMode(False, 1, 1),
        AccessMode(False, 2, 1),
        AccessMode(False, 4, 4),
    )
    assert (shape.reads, shape.writes, shape.region_sets) == (True, False, ((0,),))
    assert (shape.lanes, shape.segments, shape.data_bytes) == (4, 1, 16)


def test_indexed_modes_have_an_address_per_lane():
    gather = access_class(INDEXED, LOAD, elements=(32,), lanes=((1, 8),), masks=(ABSENT, DYNAMIC))
    shape = requester_shape(one_port((gather,), (gather,)), 0)
    assert shape.modes == (AccessMode(True, 4, 8),)
    assert (shape.segments, shape.data_bytes) == (8, 32)


def test_no_mode_is_built_for_what_the_service_does_not_serve():
    wide = access_class(ELEMENT, LOAD, elements=(8, 16, 32, 64), lanes=(1,))
    narrow = access_class(ELEMENT, LOAD, elements=(16, 32, 128), lanes=(1,))
    shape = requester_shape(one_port((wide,), (narrow,)), 0)
    assert [mode.element_bytes for mode in shape.modes] == [2, 4]


def test_a_port_that_nothing_serves_is_unsupported():
    element = access_class(ELEMENT, LOAD, elements=(32,), lanes=(1,))
    other = access_class(CONTIGUOUS, LOAD, elements=(32,), lanes=(4,))
    with pytest.raises(Unsupported) as error:
        requester_shape(one_port((element,), (other,)), 0)
    assert codes(error) == ["port-unserved"]


@pytest.mark.parametrize("element", [12, (8, 64)])
def test_an_element_that_is_not_whole_bytes_is_unsupported(element):
    classes = (access_class(ELEMENT, LOAD, elements=(element,), lanes=(1,)),)
    with pytest.raises(Unsupported) as error:
        requester_shape(one_port(classes, classes), 0)
    assert codes(error) == ["element-width-not-bytes"]


def test_elements_of_three_bytes_are_realised_unless_bases_are_aligned():
    classes = (access_class(ELEMENT, LOAD, elements=(24,), lanes=(1,)),)
    assert requester_shape(one_port(classes, classes), 0).modes == (AccessMode(False, 3, 1),)
    aligned = MemoryImplementation(aligned_bases=True)
    with pytest.raises(Unsupported) as error:
        requester_shape(one_port(classes, classes, implementation=aligned), 0)
    assert codes(error) == ["aligned-element-size"]


@pytest.mark.parametrize(
    ("form", "element", "lanes", "aligned", "beats"),
    [
        # 64-bit beats: an unaligned vector meets one more, an unaligned element two.
        (CONTIGUOUS, 32, 254, False, 128),
        (CONTIGUOUS, 32, 256, False, 129),
        (INDEXED, 32, 64, False, 128),
        (INDEXED, 32, 65, False, 130),
        (INDEXED, 32, 128, True, 128),
        (INDEXED, 32, 129, True, 129),
    ],
)
def test_an_access_touches_at_most_128_beats(form, element, lanes, aligned, beats):
    classes = (access_class(form, LOAD, elements=(element,), lanes=(lanes,)),)
    implementation = MemoryImplementation(aligned_bases=aligned)
    named = one_port(classes, classes, implementation=implementation)
    if beats <= 128:
        assert requester_shape(named, 0).lanes == lanes
        return
    with pytest.raises(Unsupported) as error:
        requester_shape(named, 0)
    assert codes(error) == ["access-beats"]
    assert error.value.diagnostics[0].message.endswith(f"not {beats}")


def test_more_than_64_access_modes_are_unsupported():
    def classes(count):
        elements = tuple(range(8, 8 * count + 1, 8))
        return (access_class(ELEMENT, LOAD, elements=elements, lanes=(1,)),)

    assert len(requester_shape(one_port(classes(64), classes(64)), 0).modes) == 64
    with pytest.raises(Unsupported) as error:
        requester_shape(one_port(classes(65), classes(65)), 0)
    assert codes(error) == ["access-modes"]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"banks": 3}, "bank-count"),
        ({"banks": 128}, "bank-limit"),
        ({"capacity": 2**32 + 1}, "service-capacity-limit"),
        ({"implementation": MemoryImplementation(bank_function="hashed")}, "bank-function"),
    ],
)
def test_a_service_without_a_bank_shape_is_unsupported(options, code):
    classes = (access_class(ELEMENT, LOAD, elements=(32,), lanes=(1,)),)
    with pytest.raises(Unsupported) as error:
        bank_geometry(one_port(classes, classes, **options))
    assert codes(error) == [code]


@pytest.mark.parametrize("beat", [12, 24])
def test_a_beat_that_is_no_power_of_two_of_bytes_is_unsupported(beat):
    classes = (access_class(ELEMENT, LOAD, elements=(32,), lanes=(1,)),)
    local = service(capability(LOAD, classes, (0,), beat=beat), requesters=1)
    named = memory({"a": 32, "d": 32}, 1, (), local)
    with pytest.raises(Unsupported) as error:
        bank_geometry(named)
    assert codes(error) == ["beat-width"]


def test_capabilities_of_different_beats_are_unsupported():
    read, write = (
        (access_class(ELEMENT, schema, elements=(32,), lanes=(1,)),) for schema in (LOAD, STORE)
    )
    local = service(
        capability(LOAD, read, (0,), beat=32),
        capability(STORE, write, (0,), beat=64),
        requesters=1,
    )
    with pytest.raises(Unsupported) as error:
        bank_geometry(memory({"a": 32, "d": 32}, 1, (), local))
    assert codes(error) == ["mixed-beat-widths"]


def test_a_row_names_its_mode_and_the_regions_of_the_capability_that_admits_it():
    low = access_class(ELEMENT, LOAD, elements=(32,), lanes=(1,))
    high = access_class(CONTIGUOUS, LOAD, elements=(16,), lanes=(2, 4))
    ends = {"addr": 32, "ctrl": 0, "data": 64, "done": 0}
    roles = {"address": 0, "control": 1, "data": 2, "completion": 3}
    local = service(
        capability(LOAD, (low,), (0,), regions=(0, 2)),
        capability(LOAD, (high,), (0,), regions=(1,)),
        requesters=1,
        regions=[(0, 64), (128, 64), (256, 64)],
    )
    named = memory(ends, 2, (port(alternative(LOAD, roles, (low, high)), inputs=2),), local)
    assert requester_shape(named, 0).region_sets == ((0, 2), (1,))
    assert requester_shape(named, 0).modes == (AccessMode(False, 2, 4), AccessMode(False, 4, 1))
    assert requester_choice(named, row(0, LOAD, view(ELEMENT))) == (1, 0)
    assert requester_choice(named, row(0, LOAD, view(CONTIGUOUS, element=16, lanes=2))) == (0, 1)


def test_a_bank_with_two_reads_a_cycle_is_unsupported():
    classes = (access_class(ELEMENT, LOAD, elements=(32,), lanes=(1,)),)
    named = one_port(classes, classes)
    local = named.occurrence.local_service
    contract = service_contract(queues=(2,), banks=((2, 1), (1, 1)), outstanding=4, grant=None)
    wider = replace(local.memory_service_contract, resource_contract=contract)
    wider = replaced(named, local_service=replace(local, memory_service_contract=wider))
    with pytest.raises(Unsupported) as error:
        bank_geometry(wider)
    assert codes(error) == ["bank-ports"]


# Managers, and both kinds of target together

EXT0, EXT1 = ManagerEndpointTarget(0), ManagerEndpointTarget(1)


def two_alternatives(*targets, volatile=((False,), (False,)), **options):
    """Byte loads at one data endpoint and four-lane word gathers at the other."""
    bytes_ = access_class(ELEMENT, LOAD, elements=(8,), lanes=(1,))
    gathers = access_class(INDEXED, LOAD, elements=(32,), lanes=(4,))
    ends = {"addr": 128, "ctrl": 0, "d0": 8, "d1": 128, "done": 0}
    common = {"address": 0, "control": 1, "completion": 4}
    load = port(
        alternative(LOAD, {**common, "data": 2}, (bytes_,), volatile=volatile[0]),
        alternative(LOAD, {**common, "data": 3}, (gathers,), volatile=volatile[1]),
        inputs=2,
    )
    local = service(capability(LOAD, (bytes_,), (0,), volatile=(False, True)), requesters=1)
    named = memory(ends, 2, [load], local, managers={"ext0": 64, "ext1": 32}, **options)
    # The place of an alternative depends on its contract; its data endpoint tells it apart.
    domains = (targets[each.endpoint_of(ROLE.DATA) - 2] for each in load.capability_alternatives)
    dispatch = (OperationPortDispatch(tuple(domains)),)
    connectivity = replace(named.occurrence.connectivity, operation_ports=dispatch)
    return replaced(named, connectivity=connectivity)


def test_a_shape_unites_what_the_targets_of_each_alternative_admit():
    bytes_, words = AccessMode(False, 1, 1), AccessMode(True, 4, 4)
    both = requester_shape(two_alternatives((LOCAL,), (EXT0,)), 0)
    assert (both.modes, both.region_sets) == ((bytes_, words), ((0,),))
    # The service admits no gather, and the managers what their own alternatives admit.
    assert requester_shape(two_alternatives((LOCAL,), (LOCAL,)), 0).modes == (bytes_,)
    far = requester_shape(two_alternatives((EXT1,), (EXT0, EXT1)), 0)
    assert (far.modes, far.region_sets) == ((bytes_, words), ())


def test_targets_of_a_port_are_those_of_its_alternatives_and_set_its_address_width():
    both = two_alternatives((LOCAL,), (LOCAL, EXT1))
    assert port_targets(both.occurrence, 0) == (LOCAL, EXT1)
    assert port_address_bits(both, 0) == 64
    near = two_alternatives((LOCAL,), (LOCAL,))
    assert (port_targets(near.occurrence, 0), port_address_bits(near, 0)) == ((LOCAL,), 12)


@pytest.mark.parametrize(
    ("targets", "volatile", "carried"),
    [
        (((LOCAL,), (EXT0,)), ((True,), (False,)), False),
        (((LOCAL,), (EXT0,)), ((False,), (False, True)), True),
        (((EXT0,), (LOCAL,)), ((True,), (False,)), True),
    ],
)
def test_volatile_is_carried_to_managers_that_may_see_it(targets, volatile, carried):
    assert requester_shape(two_alternatives(*targets, volatile=volatile), 0).volatile is carried


def test_a_port_walks_where_a_pattern_has_a_child_per_lane():
    assert not requester_shape(temporal_memory(), 0).walks
    assert requester_shape(temporal_memory(lanes=True), 0).walks
    assert requester_shape(manager_memory(lanes=True), 1).walks


def test_a_row_of_a_manager_has_a_mode_and_no_regions():
    named = two_alternatives((LOCAL,), (LOCAL, EXT1))
    far = row(0, LOAD, view(INDEXED, lanes=4), alternative_ordinal=1, target=EXT1)
    assert requester_choice(named, far) == (1, 0)


@pytest.mark.parametrize(("beat", "legal"), [(8, False), (32, True)])
def test_the_beats_of_an_access_are_those_of_each_target(beat, legal):
    # 256 bytes are 65 unaligned beats of 4 bytes, and 256 of one byte.
    vectors = (access_class(CONTIGUOUS, LOAD, elements=(32,), lanes=(64,)),)
    ends = {"addr": 32, "ctrl": 0, "data": 2048, "done": 0}
    roles = {"address": 0, "control": 1, "data": 2, "completion": 3}
    load = port(alternative(LOAD, roles, vectors), inputs=2)
    local = service(capability(LOAD, vectors, (0,)), requesters=1)
    named = memory(ends, 2, [load], local, managers={"ext0": beat})
    if legal:
        assert requester_shape(named, 0).lanes == 64
        return
    with pytest.raises(Unsupported) as error:
        requester_shape(named, 0)
    assert codes(error) == ["access-beats"]


def test_a_port_of_fences_alone_has_no_geometry_class():
    # Ports of loads and of fences; the loads are of elements and of vectors.
    loads, *_, fences, _ = ALL.occurrence.engine.ports
    assert geometry_class(loads) is GeometryClass.ELEMENT_AND_VECTOR_ACCESS
    assert geometry_class(fences) is None
