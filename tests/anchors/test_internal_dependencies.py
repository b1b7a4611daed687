"""Anchor: load.data to store.data and done to ctrl inside the engine.

Spec: Validation Anchors, and Operation Rows And Internal Dependencies.
"""

from dataclasses import replace

import pytest

from fabricgen.check.fabric import findings
from fabricgen.errors import Invalid
from fabricgen.plan.realisation import unsupported
from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.rows import ResultDestination, RoleSource
from fabricgen.records.connectivity import InternalConnection
from fabricgen.records.fabric import Fabric
from tests.support.memories import ELEMENT, LOAD, ROLE, STORE, replaced, row, table, view
from tests.support.records import copy_fabric
from tests.support.temporal_engines import AT, CONNECTIONS, engine_memory, engine_row
from tests.support.temporal_harness import TemporalRun, row_streams
from tests.support.untagged import execute

#: load.data to store.data is connection 0, load.done to store.ctrl connection 1.
COPY = copy_fabric().memories[0]
COPY = replaced(
    COPY,
    connectivity=replace(
        COPY.occurrence.connectivity,
        internal_connections=(InternalConnection(7, 4), InternalConnection(8, 6)),
    ),
)
READ, WRITE = row(0, LOAD, view(ELEMENT)), row(1, STORE, view(ELEMENT))


def test_a_copy_is_legal_and_realised():
    fabric = Fabric("anchor", (COPY,))
    assert findings(fabric) == ()
    assert unsupported(fabric) == ()
    inside = replace(
        READ,
        destinations=(
            (ROLE.DATA, ResultDestination(False, (0,))),
            (ROLE.COMPLETION, ResultDestination(True, (1,))),
        ),
    )
    fed = {ROLE.DATA: RoleSource(0), ROLE.CONTROL: RoleSource(1)}
    sources = tuple((role, fed.get(role, source)) for role, source in WRITE.sources)
    assert configuration_findings(COPY, table(inside, replace(WRITE, sources=sources))) == ()


@pytest.mark.parametrize(
    "producer", [ResultDestination(True, (0,)), ResultDestination(False, (0,))]
)
def test_a_connection_without_a_consumer_is_refused(producer):
    opened = replace(READ, destinations=((ROLE.DATA, producer), READ.destinations[1]))
    codes = [d.code for d in configuration_findings(COPY, table(opened, WRITE))]
    assert codes == ["row-connection-unconsumed"]


RD_ADDR, RD_CTRL, WR_ADDR, WR_DATA, WR_CTRL, RD_DATA, RD_DONE, WR_DONE = (0, 2, 3, 4, 6, 7, 8, 9)
RAMP = bytes(index & 0xFF for index in range(4096))


def connected(*, data=False, done=False, exposed=True):
    """The copy with load.data in store.data, load.done in store.ctrl, or both."""
    inside = replace(
        READ,
        base_addr=0,
        destinations=(
            (ROLE.DATA, ResultDestination(exposed, (0,) if data else ())),
            (ROLE.COMPLETION, ResultDestination(exposed, (1,) if done else ())),
        ),
    )
    fed = {ROLE.DATA: RoleSource(0)} if data else {}
    fed |= {ROLE.CONTROL: RoleSource(1)} if done else {}
    sources = tuple((role, fed.get(role, source)) for role, source in WRITE.sources)
    return table(inside, replace(WRITE, base_addr=0, sources=sources))


def test_data_and_completion_retire_jointly_inside_and_outside():
    streams = {RD_ADDR: [0, 3], RD_CTRL: [0, 0], WR_ADDR: [8, 9]}
    done = execute(COPY, connected(data=True, done=True), streams, RAMP)
    assert done.outputs == {RD_DATA: (0x03020100, 0x0F0E0D0C), RD_DONE: (0, 0), WR_DONE: (0, 0)}
    assert done.memory[32:40] == RAMP[0:4] + RAMP[12:16]
    # A store that takes data alone holds the whole packet back: no completion runs ahead.
    waiting = {**streams, RD_ADDR: [0, 3, 4], RD_CTRL: [0] * 3, WR_ADDR: [8]}
    with pytest.raises(Invalid) as caught:
        execute(COPY, connected(data=True, done=True), waiting, RAMP)
    assert [finding.code for finding in caught.value.diagnostics] == ["workload-unconsumed"] * 2


def test_completion_to_control_orders_a_store_behind_a_load_of_the_same_place():
    streams = {RD_ADDR: [0, 1], RD_CTRL: [0, 0], WR_ADDR: [0, 1], WR_DATA: [7, 9]}
    done = execute(COPY, connected(done=True), streams, RAMP)
    assert done.outputs[RD_DATA] == (0x03020100, 0x07060504)
    assert done.memory[:8] == (7).to_bytes(4, "little") + (9).to_bytes(4, "little")
    with pytest.raises(Invalid, match=r"\[workload-race\]$"):
        execute(COPY, connected(), {**streams, WR_CTRL: [0, 0]}, RAMP)


def test_a_temporal_store_takes_the_data_and_the_completion_of_a_load_together():
    """The packet of data and done, and the store's one event; the tags of the two rows differ."""
    named = engine_memory(2, connections=CONNECTIONS)
    load = engine_row(
        0,
        0,
        LOAD,
        view(ELEMENT),
        {ROLE.ADDRESS: 1, ROLE.CONTROL: 2, ROLE.DATA: 3},
        base=0,
        to={ROLE.DATA: [1], ROLE.COMPLETION: [2]},
    )
    store = engine_row(
        1,
        1,
        STORE,
        view(ELEMENT),
        {ROLE.ADDRESS: 9, ROLE.COMPLETION: 8},
        base=0x200,
        sources={ROLE.DATA: 1, ROLE.CONTROL: 2},
    )
    streams = row_streams(named, load, {ROLE.ADDRESS: [4, 5, 6], ROLE.CONTROL: [0] * 3})
    streams |= row_streams(named, store, {ROLE.ADDRESS: [0, 1, 2]})
    memory = bytearray(range(256)) * 4

    def accepts(endpoint, tag, cycle):
        # The load's data is seen outside only later: nothing is forwarded before.
        return endpoint != AT["rd_data"] or cycle >= 30

    trace = TemporalRun(named, memory, accepts=accepts).run([load, store], streams)
    assert trace.outputs[AT["rd_data"], 3] == [0x13121110, 0x17161514, 0x1B1A1918]
    assert trace.outputs[AT["wr_done"], 8] == [0, 0, 0]
    assert memory[0x200:0x20C] == memory[0x10:0x1C]
    assert min(trace.published_at[AT["rd_data"], 3]) == 30
    assert min(cycle for cycle, port, _, _ in trace.requests if port == 1) > 30
    assert trace.empty
