"""Anchor: dynamic-mask routing, suppression, zero fill, empty masks, no selector without a mask.

Spec: Validation Anchors, and Canonical Engine Definition. Hardware and model are asked alike.
"""

from dataclasses import replace

import pytest

from fabricgen.config.codec import decode_configuration, encode_configuration
from fabricgen.config.layout import carrier_layout
from fabricgen.errors import Invalid
from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.rows import ResultDestination, RoleSource
from fabricgen.records.connectivity import InternalConnection
from tests.support.memories import (
    CONTIGUOUS,
    DYNAMIC,
    ELEMENT,
    LOAD,
    ROLE,
    STORE,
    hybrid_memory,
    replaced,
    row,
    table,
    view,
)
from tests.support.occurrence_harness import OccurrenceRun
from tests.support.port_harness import PortRun
from tests.support.untagged import execute

CAPACITY = 256
NAMED = hybrid_memory(capacity=CAPACITY)
RAMP = bytes(range(CAPACITY))
MASKED, UNMASKED = view(CONTIGUOUS, lanes=4, mask=DYNAMIC), view(CONTIGUOUS, lanes=4)
RD_ADDR, RD_MASK, RD_CTRL, WR_ADDR, WR_DATA, WR_MASK, WR_CTRL, RD_DATA, RD_DONE, WR_DONE = range(10)

LOADS = table(row(0, LOAD, MASKED, base=0), None)
STORES = table(None, row(1, STORE, MASKED, base=0))


def both(configuration, streams):
    """What the hardware did, after the model has agreed."""
    expected = execute(NAMED, configuration, streams, RAMP)
    trace = OccurrenceRun(NAMED).run(configuration, streams, RAMP, cycles=200)
    assert {at: tuple(tokens) for at, tokens in trace.outputs.items()} == expected.outputs
    assert trace.memory == expected.memory
    assert len(trace.faults) == len(expected.out_of_range)
    return trace


def test_inactive_lanes_of_a_load_read_nothing_and_are_zero():
    # Words 62 to 65, of which 64 and 65 lie outside: only an active lane may say so.
    streams = {RD_ADDR: [0, 62, 62], RD_MASK: [0b1011, 0b0011, 0b0111], RD_CTRL: [0] * 3}
    inside = both(LOADS, {at: tokens[:2] for at, tokens in streams.items()})
    assert inside.outputs[RD_DATA] == [
        0x0F0E0D0C_00000000_07060504_03020100,
        0xFFFEFDFC_FBFAF9F8,
    ]
    assert inside.faults == []
    assert len(both(LOADS, streams).faults) == 1


def test_inactive_lanes_of_a_store_change_nothing():
    data = int.from_bytes(bytes(range(0xA0, 0xB0)), "little")
    streams = {WR_ADDR: [4], WR_DATA: [data], WR_MASK: [0b1011], WR_CTRL: [0]}
    trace = both(STORES, streams)
    written = bytes([*range(0xA0, 0xA8), *RAMP[24:28], *range(0xAC, 0xB0)])
    assert trace.memory == RAMP[:16] + written + RAMP[32:]
    assert trace.outputs[WR_DONE] == [0]


@pytest.mark.parametrize(("schema", "port"), [(LOAD, 0), (STORE, 1)])
def test_an_empty_mask_completes_without_a_request(schema, port):
    tokens = {
        ROLE.ADDRESS: [0, 2**32 - 1, 0],
        ROLE.MASK: [0b0001, 0, 0],
        ROLE.CONTROL: [0] * 3,
        **({ROLE.DATA: [0xFF] * 3} if schema is STORE else {}),
    }
    memory = bytearray(RAMP)
    outcome = PortRun(NAMED, row(port, schema, MASKED, base=0), memory).run(tokens)
    assert outcome.requests == 1
    assert len(outcome.results[ROLE.COMPLETION]) == 3
    if schema is LOAD:
        assert outcome.results[ROLE.DATA] == [0x03020100, 0, 0]


def test_an_unmasked_row_leaves_the_mask_endpoint_alone():
    streams = {RD_ADDR: [1], RD_MASK: [0b0000], RD_CTRL: [0]}
    configuration = table(row(0, LOAD, UNMASKED, base=0), None)
    trace = OccurrenceRun(NAMED).run(configuration, streams, RAMP, cycles=40)
    assert trace.accepted_at[RD_MASK] == []
    assert trace.outputs[RD_DATA] == [0x13121110_0F0E0D0C_0B0A0908_07060504]


#: The same memory with a connection that may feed the mask, so that a mask selector exists.
CONNECTED = replaced(
    NAMED,
    connectivity=replace(
        NAMED.occurrence.connectivity,
        internal_connections=(InternalConnection(RD_DATA, RD_MASK),),
    ),
)


def test_an_unmasked_row_has_no_mask_selector():
    roles = [role for role, _ in row(0, LOAD, UNMASKED).sources]
    assert roles == [ROLE.ADDRESS, ROLE.CONTROL]
    masked = replace(
        row(0, LOAD, UNMASKED, base=0),
        sources=tuple((role, RoleSource()) for role in (ROLE.ADDRESS, ROLE.MASK, ROLE.CONTROL)),
    )
    found = configuration_findings(NAMED, table(masked, None))
    assert [finding.code for finding in found] == ["row-sources"]


def test_the_carriers_mask_selector_is_zero_without_a_mask():
    bits = encode_configuration(CONNECTED, table(row(0, LOAD, UNMASKED, base=0), None))
    selector = carrier_layout(CONNECTED).rows[0]["source_mask"]
    assert selector.get(bits) == 0
    with pytest.raises(Invalid) as error:
        decode_configuration(CONNECTED, bits | selector.mask)
    assert [finding.code for finding in error.value.diagnostics] == ["carrier-unused-field"]


def test_a_dynamic_mask_selects_exactly_one_source():
    missing = replace(
        row(0, LOAD, MASKED, base=0),
        sources=((ROLE.ADDRESS, RoleSource()), (ROLE.CONTROL, RoleSource())),
    )
    found = configuration_findings(NAMED, table(missing, None))
    assert [finding.code for finding in found] == ["row-sources"]


def test_a_dynamic_mask_may_come_from_a_declared_connection_and_from_no_other():
    """A store whose mask is the data of a load: the internal source stands for the endpoint."""
    fed = replaced(
        NAMED,
        connectivity=replace(
            NAMED.occurrence.connectivity,
            internal_connections=(InternalConnection(RD_DATA, WR_MASK),),
        ),
    )
    load = row(0, LOAD, view(ELEMENT, element=8), base=0)
    produced = replace(
        load, destinations=((ROLE.DATA, ResultDestination(False, (0,))), load.destinations[1])
    )
    store = row(1, STORE, MASKED, base=0x40)
    consumed = replace(
        store,
        sources=tuple(
            (role, RoleSource(0) if role is ROLE.MASK else source) for role, source in store.sources
        ),
    )
    rows = table(produced, consumed)
    assert configuration_findings(fed, rows) == ()
    assert decode_configuration(fed, encode_configuration(fed, rows)) == rows
    # Bytes 11 and 3 of the ramp are the masks 1011 and 0011.
    data = int.from_bytes(bytes(range(0xA0, 0xB0)), "little")
    streams = {
        RD_ADDR: [11, 3],
        RD_CTRL: [0, 0],
        WR_ADDR: [0, 4],
        WR_DATA: [data, data],
        WR_CTRL: [0, 0],
    }
    trace = OccurrenceRun(fed).run(rows, streams, RAMP, cycles=200)
    expected = bytearray(RAMP)
    for index, mask in ((0, 0b1011), (4, 0b0011)):
        for lane in range(4):
            if mask >> lane & 1:
                at = 0x40 + 4 * (index + lane)
                expected[at : at + 4] = bytes(range(0xA0 + 4 * lane, 0xA4 + 4 * lane))
    assert trace.memory == bytes(expected)
    assert trace.accepted_at[WR_MASK] == []
    found = [each.code for each in configuration_findings(CONNECTED, rows)]
    assert "row-source-connection" in found
