"""Engines whose addresses and data are pointers, against hand computations and the model."""

from dataclasses import replace

import pytest
from amaranth.hdl import Value

from fabricgen.check.fabric import findings
from fabricgen.plan.geometry import AddressLane
from fabricgen.plan.realisation import unsupported, unsupported_rows
from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.rows import Active
from fabricgen.records.connectivity import ManagerEndpointTarget
from fabricgen.records.fabric import Fabric, MemoryImplementation
from fabricgen.rtl.address_unit import AddressUnit
from fabricgen.rtl.port_shape import port_shape
from fabricgen.rtl.row_control import controls_signature
from fabricgen.rtl.row_decoder import RowDecoder
from tests.support.memories import (
    CONTIGUOUS,
    DYNAMIC,
    ELEMENT,
    INDEXED,
    LOAD,
    ROLE,
    STORE,
    actor,
    alternative,
    capability,
    fabric,
    memory,
    port,
    row,
    service,
    view,
)
from tests.support.occurrence_harness import Job, OccurrenceRun
from tests.support.pointers import (
    BYTE,
    CAPACITY,
    NEAR,
    WIDE,
    pointer_class,
    pointer_memory,
    pointer_view,
)
from tests.support.port_harness import Rates
from tests.support.temporal_engines import engine_row
from tests.support.temporal_harness import TemporalRun
from tests.support.untagged import execute

#: Byte ``i`` of the memory is ``i``.
MEMORY = bytes(range(CAPACITY))
RD_ADDR, RD_MASK, RD_CTRL, WR_ADDR, WR_DATA, WR_CTRL, RD_DATA, RD_DONE, WR_DONE = range(9)
MIXED = pointer_memory()
ALONE = pointer_memory(mixed=False)


def word(address, size=4):
    return int.from_bytes(MEMORY[address : address + size], "little")


def load(access, *, base=0, named=MIXED):
    return Active((row(0, LOAD, access, base=base), None))


def job(configuration, tokens, masks=()):
    streams = {RD_ADDR: tokens, RD_CTRL: [0] * len(tokens)}
    return configuration, streams | ({RD_MASK: masks} if masks else {})


#: A table, its streams, and what it reads: what a hand computes.
LOADS = {
    "the upper 16 bits of 64 are no address, and none is aligned": (
        *job(
            load(pointer_view(ELEMENT, WIDE)),
            [0x0000_0000_0000_0090, 0xFFFF_0000_0000_0093, 0x0001_0000_0000_00FC],
        ),
        [word(0x90), word(0x93), word(0xFC)],
    ),
    "what counts of a pointer reaches only its own format's region": (
        *job(
            load(pointer_view(ELEMENT, WIDE)),
            [0x8000_0000_0090, 0x0000_0000_0010, 0x0000_0000_00FD, 0x0000_0000_0190],
        ),
        [0, 0, 0, 0],
    ),
    "half of 32 bits": (
        *job(
            load(pointer_view(ELEMENT, NEAR, element=8)),
            [0xABCD_0011, 0x0000_007F, 0x0000_0080, 0x0001_8011],
        ),
        [0x11, 0x7F, 0, 0],
    ),
    "lanes behind a pointer follow it": (
        *job(load(pointer_view(CONTIGUOUS, NEAR, lanes=4)), [0x5555_0003, 0x77]),
        [
            word(3, 16),
            # Lanes at 0x77, 0x7b, 0x7f and 0x83: the third reaches beyond the region.
            word(0x77, 8),
        ],
    ),
    "a pointer for each lane, those of no lane ignored": (
        *job(
            load(pointer_view(INDEXED, NEAR, element=16, lanes=2, mask=DYNAMIC)),
            [0x1234_0007_FFFF_0040, 0x0000_0021_0000_0007, 0xFFFF_FFFF_0000_0001],
            [0b11, 0b10, 0b01],
        ),
        [word(7, 2) << 16 | word(0x40, 2), word(0x21, 2) << 16, word(1, 2)],
    ),
    "indices of the same port are scaled, from a base on": (
        *job(load(view(ELEMENT, element=16, index=8), base=3), [0x0000_0005, 0xABCD_0002, 0x7E]),
        # Eight bits are the index; 3 + 2 * 0x7e = 0xff is no whole element.
        [word(13, 2), word(7, 2), 0],
    ),
}


def test_the_memory_is_legal_and_has_hardware():
    for named in (MIXED, ALONE):
        assert findings(Fabric("pointers", (named,))) == ()
        assert unsupported(fabric(named)) == ()


@pytest.fixture(scope="module")
def traces():
    """Each job on one occurrence, one after the other."""
    bench = OccurrenceRun(MIXED, seed=3, rates=Rates(0.8, 0.8))
    found = {}
    for name, (configuration, streams, _) in LOADS.items():
        found[name] = (configuration, streams)
    jobs = [Job(*each, MEMORY, 400) for each in found.values()]
    return dict(zip(found, bench.run_all(jobs), strict=True))


@pytest.mark.parametrize("name", LOADS)
def test_loads_through_pointers(traces, name):
    configuration, streams, expected = LOADS[name]
    assert traces[name].outputs[RD_DATA] == expected
    done = execute(MIXED, configuration, streams, MEMORY)
    assert list(done.outputs[RD_DATA]) == expected
    # The first lane that no region admits is reported with its exact address, as far as it goes.
    faults = [fault.address % CAPACITY for fault in done.out_of_range]
    assert [address for _, address in traces[name].faults[:1]] == faults


def test_stores_through_pointers_reach_what_their_data_may():
    pointed = pointer_view(ELEMENT, WIDE, element=64, data=WIDE)
    data, tokens = 0xF00D_0000_0000_0010, [0xCAFE_0000_0000_0093, 0x11]
    streams = {WR_ADDR: tokens, WR_DATA: [data] * 2, WR_CTRL: [0] * 2}
    tables = [
        Active((None, row(1, STORE, access, base=0)))
        for access in (pointed, replace(pointed, data_pointer_format=None))
    ]
    pointers, numbers = OccurrenceRun(MIXED).run_all(
        [Job(each, streams, MEMORY, 200) for each in tables]
    )
    # All 64 bits are stored, also those that are no address. Pointers go to the upper half only.
    stored = data.to_bytes(8, "little")
    upper = MEMORY[:0x93] + stored + MEMORY[0x9B:]
    assert pointers.memory == upper
    assert pointers.faults[0] == (1, 0x11)
    assert numbers.memory == upper[:0x11] + stored + upper[0x19:]
    assert numbers.faults == []
    for each, trace in zip(tables, (pointers, numbers), strict=True):
        assert execute(MIXED, each, streams, MEMORY).memory == trace.memory


def temporal_rows():
    """Pointers of both kinds and indices, in three rows of one port, and a store."""
    gather = pointer_view(INDEXED, NEAR, element=16, lanes=2, mask=DYNAMIC)
    tags = {ROLE.ADDRESS: 1, ROLE.MASK: 1, ROLE.CONTROL: 1, ROLE.DATA: 1, ROLE.COMPLETION: 1}

    def of(row):
        return {role: tag + row for role, tag in tags.items()}

    stored = pointer_view(ELEMENT, WIDE, element=64, data=WIDE)
    return [
        engine_row(0, 0, LOAD, pointer_view(ELEMENT, WIDE), of(0), base=0),
        engine_row(1, 0, LOAD, gather, of(1), base=0),
        engine_row(2, 0, LOAD, view(ELEMENT, element=16, index=8), of(2), base=3),
        engine_row(3, 1, STORE, stored, of(3), base=0),
    ]


def test_temporal_rows_of_one_port_have_pointers_and_indices_side_by_side():
    named, memory = pointer_memory(contexts=4), bytearray(MEMORY)
    streams = {
        (RD_ADDR, 1): [0xFFFF_0000_0000_0093, 0x8000_0000_0000, 0x0100],
        (RD_ADDR, 2): [0x1234_0007_FFFF_0040, 0x0000_0021_0000_0007, 0x0000_0100_0000_0001],
        (RD_MASK, 2): [0b11, 0b10, 0b11],
        (RD_ADDR, 3): [0x0000_0005, 0xABCD_0002, 0x7E],
        (WR_ADDR, 4): [0xCAFE_0000_0000_00F0, 0x1_0000_00F0, 0xBEEF_0000_0000_00E0],
        (WR_DATA, 4): [0xF00D_0000_0000_0010, 1, 2],
    }
    streams |= {(RD_CTRL, tag): [0] * 3 for tag in (1, 2, 3)} | {(WR_CTRL, 4): [0] * 3}
    found = TemporalRun(named, memory, seed=5, rates=Rates(0.8, 0.8)).run(temporal_rows(), streams)
    # Nothing beyond 256 bytes is there; the gather's last lane is at 0x100.
    assert found.outputs[RD_DATA, 1] == [word(0x93), 0, 0]
    assert found.outputs[RD_DATA, 2] == [
        word(7, 2) << 16 | word(0x40, 2),
        word(0x21, 2) << 16,
        word(1, 2),
    ]
    assert found.outputs[RD_DATA, 3] == [word(13, 2), word(7, 2), 0]
    assert memory[0xE0:0xF8] == b"\2" + bytes(7) + MEMORY[0xE8:0xF0] + bytes.fromhex(
        "1000000000000df0"
    )


def test_a_port_of_pointers_alone_has_no_base_and_no_scale():
    shape = port_shape(ALONE, 0)
    assert shape.index_widths == ()
    assert shape.address_lanes == (AddressLane(16, 32), AddressLane(48, 64))
    members = set(controls_signature(shape).members)
    assert "reach" in members
    assert members.isdisjoint({"base", "pointer"})
    mixed = port_shape(MIXED, 0)
    assert [lane.bits for lane in mixed.address_lanes] == [8, 16, 16, 48]
    assert {"reach", "base", "pointer"} <= set(controls_signature(mixed).members)


@pytest.mark.parametrize(
    "mutant",
    [
        # The whole representation counts; a pointer is scaled like an index; lanes lie closer.
        lambda lane: AddressLane(lane.stride, lane.stride),
        lambda lane: AddressLane(lane.bits, lane.bits),
        lambda lane: AddressLane(lane.bits - 1, lane.stride),
    ],
)
def test_hardware_that_takes_other_bits_is_found_out(monkeypatch, mutant):
    right = AddressUnit.__init__

    def wrong(self, *args, pointers, **kwargs):
        right(self, *args, pointers=tuple(map(mutant, pointers)), **kwargs)

    monkeypatch.setattr(AddressUnit, "__init__", wrong)
    name = "a pointer for each lane, those of no lane ignored"
    wide = "half of 32 bits"
    jobs = [Job(*LOADS[each][:2], MEMORY, 200) for each in (name, wide)]
    found = OccurrenceRun(MIXED).run_all(jobs)
    assert [trace.outputs[RD_DATA] for trace in found] != [LOADS[name][2], LOADS[wide][2]]


def test_hardware_that_scales_pointers_is_found_out(monkeypatch):
    right = RowDecoder.controls

    def wrong(self):
        return right(self) | {"pointer": Value.cast(0)}

    monkeypatch.setattr(RowDecoder, "controls", wrong)
    configuration, streams, expected = LOADS["lanes behind a pointer follow it"]
    trace = OccurrenceRun(MIXED).run_all([Job(configuration, streams, MEMORY, 200)])[0]
    assert trace.outputs[RD_DATA] != expected


def test_a_base_beside_pointers_is_refused():
    found = configuration_findings(MIXED, load(pointer_view(ELEMENT, WIDE), base=1))
    assert [each.code for each in found] == ["row-base-unused"]


def test_aligned_elements_of_a_byte_may_have_pointers():
    """Where the address of every element of a byte is aligned, nothing is promised."""
    for named, expected in ((pointer_memory(), True), (bytes_alone(), False)):
        aligned = replace(named, implementation=MemoryImplementation(aligned_bases=True))
        codes = [each.code for each in unsupported(fabric(aligned))]
        assert ("aligned-pointers" in codes) is expected
        assert unsupported(fabric(named)) == ()


def bytes_alone():
    """Loads of bytes through pointers, from one region or a manager."""
    classes = (pointer_class(ELEMENT, LOAD, (NEAR, BYTE), elements=(8,), lanes=(1,)),)
    ends = {"a": 32, "c": 0, "d": 8, "x": 0}
    roles = {"address": 0, "control": 1, "data": 2, "completion": 3}
    made = port(alternative(LOAD, roles, classes, volatile=(False, True)), inputs=2)
    local = service(capability(LOAD, classes, (0,), volatile=(False, True)), requesters=1)
    return memory(ends, 2, (made,), local, managers={"ext0": 32})


@pytest.mark.parametrize(
    ("access", "expected"),
    [
        (pointer_view(ELEMENT, WIDE, element=8), []),
        (pointer_view(ELEMENT, WIDE, element=32), ["row-volatile-beats"]),
        (view(ELEMENT, element=16, index=8), []),
    ],
)
def test_a_volatile_pointer_at_a_manager_names_a_byte(access, expected):
    """A beat of four bytes holds two bytes at every even address, not at every address."""
    named = pointer_memory(managers={"ext0": 32})
    one = row(0, LOAD, access, base=0, target=ManagerEndpointTarget(0))
    volatile = Active((replace(one, actor=actor(LOAD, volatile=True)), None))
    found = unsupported_rows(named, volatile)
    assert [each.code for each in found] == expected
    assert unsupported_rows(named, Active((one, None))) == ()
