"""Jobs of tagged endpoints, internal connections and managers."""

from dataclasses import replace

import pytest

from fabricgen.abi.image import encode_image
from fabricgen.check.fabric import findings
from fabricgen.emit.package import top_ports
from fabricgen.model.execute import execute
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.plan.realisation import unsupported
from fabricgen.plan.rows import Disabled, ResultDestination, RoleSource
from fabricgen.records.connectivity import ManagerEndpointTarget, OperationPortDispatch
from fabricgen.records.fabric import Fabric
from fabricgen.rtl.fabric_top import FabricTop
from sim.job import InternalOperand, Job, ManagerBeat, Run
from sim.make_job import Stimulus, make_job, memory_parts
from tests.support import memories as mem
from tests.support import temporal

RD_ADDR, RD_MASK, RD_CTRL, WR_ADDR, WR_DATA, WR_MASK, WR_CTRL, RD_DATA, RD_DONE, WR_DONE = range(10)
NAMED = temporal.temporal_memory(managers={"ext0": 64}, connections=[("rd_data", "wr_data")])
FABRIC = mem.fabric(NAMED)
RAMP = bytes(index & 0xFF for index in range(4096))
WORD = mem.view(mem.ELEMENT)
EXT = ManagerEndpointTarget(0)


def job(rows, streams, managers=None):
    table = temporal.temporal_table(*rows)
    execution = execute(NAMED, table, streams, RAMP, managers)
    # What programs the rows is another test's business.
    image = encode_image(FABRIC, FabricConfiguration((Disabled(),)))
    stimulus = Stimulus(streams, RAMP, managers or {})
    return make_job(FABRIC, table, stimulus, execution, image, (), (Run("always", 7),))


def copy_rows():
    """Row 0 loads words and feeds row 1, which stores them behind the manager."""
    load = temporal.temporal_row(0, 0, mem.LOAD, WORD, base=0, tags={"address": 3, "completion": 9})
    store = temporal.temporal_row(1, 1, mem.STORE, WORD, base=0x1004, target=EXT)
    load = replace(
        load,
        destinations=tuple(
            (role, ResultDestination(expose=False, connections=(0,)))
            if role is mem.ROLE.DATA
            else (role, destination)
            for role, destination in load.destinations
        ),
    )
    store = replace(
        store,
        sources=tuple(
            (role, RoleSource(connection=0)) if role is mem.ROLE.DATA else (role, source)
            for role, source in store.sources
        ),
    )
    return load, store


def copy_streams(count, **extra):
    return {
        (RD_ADDR, 3): tuple(range(count)),
        (RD_CTRL, 0): (0,) * count,
        (WR_ADDR, 1): tuple(range(count)),
        (WR_CTRL, 1): (0,) * (count - extra.get("short", 0)),
    }


def test_each_tag_of_an_endpoint_is_a_stream_of_its_row_and_role():
    made = job(copy_rows(), copy_streams(3) | {(RD_ADDR, 9): (1, 2)})
    found = {(i.endpoint, i.tag): (i.row, i.role, i.taken) for i in made.ingresses}
    assert found == {
        ("rd_addr", 3): (0, "ADDRESS", 3),
        ("rd_addr", 9): (None, None, 0),
        ("rd_ctrl", 0): (0, "CONTROL", 3),
        ("rd_mask", None): (None, None, 0),
        ("wr_addr", 1): (1, "ADDRESS", 3),
        ("wr_ctrl", 1): (1, "CONTROL", 3),
        ("wr_data", None): (None, None, 0),
        ("wr_mask", None): (None, None, 0),
    }
    assert {item.tag_width for item in (*made.ingresses, *made.egresses)} == {4}
    assert made.is_unmatched
    assert not job(copy_rows(), copy_streams(3)).is_unmatched


def test_what_is_not_exposed_has_no_stream():
    made = job(copy_rows(), copy_streams(3))
    found = {(e.endpoint, e.tag): (e.row, e.role, len(e.tokens)) for e in made.egresses}
    assert found == {
        ("rd_data", None): (None, None, 0),
        ("rd_done", 9): (0, "COMPLETION", 3),
        ("wr_done", 1): (1, "COMPLETION", 3),
    }


def test_an_internal_operand_has_its_connection_its_producer_and_one_place():
    load, store = job(copy_rows(), copy_streams(3)).rows
    assert load.internal == ()
    assert store.internal == (InternalOperand("DATA", 0, 0),)
    assert store.depths == {"ADDRESS": 1, "DATA": 1, "CONTROL": 1}
    assert (load.in_flight, load.port, load.target) == (2, "port0", "local")
    assert (store.port, store.target, store.firings) == ("port1", "ext0", 3)


@pytest.mark.parametrize(("short", "is_quiescent"), [(0, True), (1, False)])
def test_a_token_left_in_the_slot_of_a_connection_is_not_quiescent(short, is_quiescent):
    rows, streams = copy_rows(), copy_streams(3, short=short)
    if short:
        # The address that waits for the missing control would not be quiescent either.
        streams[WR_ADDR, 1] = streams[WR_ADDR, 1][:2]
    assert job(rows, streams).is_quiescent is is_quiescent


def test_a_manager_gets_the_beats_of_the_model_and_its_bytes():
    made = job(copy_rows(), copy_streams(3), {0: {0x1000: 7, 0x2000: 1, 0x2001: 2}})
    (manager,) = made.managers
    assert (manager.name, manager.beat_bytes) == ("ext0", 8)
    words = [int.from_bytes(RAMP[at : at + 4], "little") for at in (0, 4, 8)]
    assert sorted(manager.beats) == [
        ManagerBeat(1, 0x1000, 0xF0, words[0] << 32),
        ManagerBeat(1, 0x1008, 0x0F, words[1]),
        ManagerBeat(1, 0x1008, 0xF0, words[2] << 32),
    ]
    assert manager.before == ((0x1000, b"\x07"), (0x2000, b"\x01\x02"))
    assert manager.after == (
        (0x1000, b"\x07"),
        (0x1004, RAMP[:12]),
        (0x2000, b"\x01\x02"),
    )


def test_rows_that_publish_under_one_tag_own_it_together():
    rows = [
        temporal.temporal_row(n, 0, mem.LOAD, WORD, base=0, tags={"completion": 5})
        for n in range(2)
    ]
    streams = {(at, n): (0,) * (n + 2) for at in (RD_ADDR, RD_CTRL) for n in range(2)}
    made = job(rows, streams)
    (done,) = [egress for egress in made.egresses if egress.endpoint == "rd_done"]
    assert (done.tag, done.row, done.tokens) == (5, None, (0,) * 5)


def test_the_bound_knows_managers_and_the_turns_of_a_table():
    load, store = copy_rows()
    # A pipeline of 16; a depth of one and two in flight, of at most two beats each and two rows;
    # the agent's latency; four rows, each held for four cycles.
    assert job((load, store), copy_streams(1)).bound == 16 + 2 * 3 * 2 + 40 + 4 * 4


def test_such_a_job_survives_its_file(tmp_path):
    made = job(copy_rows(), copy_streams(3), {0: {5: 6}})
    made.write(tmp_path / "job.json")
    assert Job.read(tmp_path / "job.json") == made


def test_bytes_by_address_become_parts_without_gaps():
    assert memory_parts({9: 1, 3: 2, 10: 4, 4: 8}) == ((3, b"\x02\x08"), (9, b"\x01\x04"))


@pytest.mark.parametrize(
    ("target", "managers", "has_memory"),
    [(mem.LOCAL, [], True), (EXT, ["ext0"], False), (ManagerEndpointTarget(1), ["ext1"], False)],
)
def test_a_target_that_no_port_may_reach_is_not_there(target, managers, has_memory):
    named = temporal.temporal_memory(managers={"ext0": 64, "ext1": 32})
    connectivity = replace(
        named.occurrence.connectivity,
        operation_ports=(OperationPortDispatch(((target,),)),) * 2,
    )
    named = mem.replaced(named, connectivity=connectivity)
    fabric = Fabric("few", (named,))
    assert not findings(fabric)
    assert not unsupported(fabric)
    table = temporal.temporal_table(temporal.temporal_row(0, 0, mem.LOAD, WORD, target=target))
    execution = execute(named, table, {}, RAMP, {0: {64: 1}})
    stimulus = Stimulus({}, RAMP, {0: {64: 1}})
    image = encode_image(fabric, FabricConfiguration((table,)))
    made = make_job(fabric, table, stimulus, execution, image, (), (Run("always", 7),))
    assert [manager.name for manager in made.managers] == managers
    assert (made.memory is not None) == has_memory
    ports = {name.partition("_")[0] for name in top_ports(FabricTop(fabric)) if "_req_" in name}
    assert ports == set(managers)
