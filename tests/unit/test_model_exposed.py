"""Beats in the model: against the byte memory of the benches, and what a workload may ask."""

import random

import pytest

from fabricgen.errors import Invalid
from fabricgen.model.execute import execute
from fabricgen.plan.beat_request import BeatRequest
from fabricgen.plan.rows import Active, AddressSpaceMatch, ContextMatch, Disabled, RangeMatch
from fabricgen.records.fabric import MemoryImplementation
from tests.support.memories import ELEMENT, LOAD, LOCAL, STORE, row, view
from tests.support.subordinate_bench import READ, WRITE, expected, some_beats
from tests.support.subordinates import (
    CONTEXT,
    NONE,
    RANGE,
    SPACE,
    decode_row,
    dispatch,
    exposed_storage,
    exposing,
)
from tests.unit.test_subordinate import SHAPES, some_rows

CONTENTS = bytes(range(256))
STORAGE = exposed_storage()
ROWS = (decode_row(RangeMatch(0x1000, 0x80), offset=2**64 - 0x1000 + 0x40),)
SHARED = exposed_storage(engine=True)
RD_ADDR, RD_CTRL, WR_ADDR, WR_DATA, WR_CTRL = (0, None), (2, None), (3, None), (4, None), (6, None)


def requested(beats):
    return tuple(BeatRequest(**vars(beat)) for beat in beats)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_the_model_and_the_byte_memory_agree(name, seed):
    named, rng = SHAPES[name], random.Random(f"{name}/{seed}")
    rows = [
        some_rows(rng, named, at) if at == 0 else () for at in range(len(named.names.subordinates))
    ]
    beats = some_beats(rng, named, 0, rows[0], 200)
    contents = bytearray(rng.randbytes(named.occurrence.local_service.capacity_bytes))
    done = execute(
        named, exposing(named, *rows), {}, bytes(contents), requests={0: requested(beats)}
    )
    wanted = [each[2:] for each in expected(named, 0, rows[0], beats, contents)]
    assert [(each.data, each.error) for each in done.answers[0]] == wanted
    assert done.memory == bytes(contents)
    assert {error for _, error in wanted} == {0, 1}


def test_a_disabled_memory_answers_with_errors():
    beats = (BeatRequest(READ, 0, 1), BeatRequest(WRITE, 0, 1, 5))
    done = execute(STORAGE, Disabled(), {}, CONTENTS, requests={0: beats})
    assert [each.error for each in done.answers[0]] == [True, True]
    assert done.memory == CONTENTS


def findings(named, configuration, requests, streams=None):
    with pytest.raises(Invalid) as caught:
        execute(named, configuration, streams or {}, CONTENTS, requests=requests)
    return [(each.where, each.code) for each in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", 8),
        ("address", 2**64),
        ("address", -8),
        ("strobe", 256),
        ("data", 2**64),
        ("address_space", 2**32),
        ("context", 2**64),
    ],
)
def test_a_field_has_the_width_of_the_stream(field, value):
    beat = BeatRequest(**{"kind": READ, "address": 0, "strobe": 1, field: value})
    assert findings(STORAGE, Disabled(), {0: (BeatRequest(READ, 0, 1), beat)}) == [
        (f"requests[0][1].{field}", "beat-field-width")
    ]


BUSSED = exposed_storage(implementation=MemoryImplementation(subordinate_protocol="axi4"))


@pytest.mark.parametrize(
    ("field", "beat"),
    [
        ("kind", BeatRequest(2, 0, 1)),
        ("address", BeatRequest(WRITE, 4, 1)),
        ("strobe", BeatRequest(WRITE, 0, 0)),
    ],
)
def test_a_bus_carries_reads_and_writes_of_bytes_of_a_beat(field, beat):
    assert findings(BUSSED, Disabled(), {0: (beat,)}) == [
        (f"requests[0][0].{field}", "beat-protocol")
    ]


def test_each_transfer_of_a_read_stands_or_fails_alone():
    """Two rows share a beat: a transfer of all bytes matches none, one of each half does."""
    halves = tuple(decode_row(RangeMatch(0x1000 + at, 4), offset=2**64 - 0x1000) for at in (0, 4))
    beats = (
        BeatRequest(READ, 0x1000, 0b0111_1111),
        BeatRequest(READ, 0x1000, 0xFF),
        BeatRequest(READ, 0x1008, 0xFF),
    )
    bus = execute(BUSSED, exposing(BUSSED, halves), {}, CONTENTS, requests={0: beats}).answers[0]
    assert [(each.data, each.error) for each in bus] == [
        (0x0006_0504_0302_0100, False),
        (0, True),
        (0, True),
    ]
    table = exposing(STORAGE, halves)
    stream = execute(STORAGE, table, {}, CONTENTS, requests={0: beats}).answers[0]
    assert [each.error for each in stream] == [True, True, True]


def test_a_read_of_which_a_part_fails_shows_nothing():
    row = (decode_row(RangeMatch(0x1000, 4), offset=2**64 - 0x1000),)
    beats = (BeatRequest(READ, 0x1000, 0b0111_1111),)
    (answer,) = execute(BUSSED, exposing(BUSSED, row), {}, CONTENTS, requests={0: beats}).answers[0]
    assert (answer.data, answer.error) == (0, True)


def test_beats_go_to_a_subordinate():
    assert findings(STORAGE, Disabled(), {1: ()}) == [("requests[1]", "beat-not-a-subordinate")]


def shared(beat, *, load=(), store=()):
    """Loads and stores of words from byte 0x40 on, beside one beat."""
    rows = (
        row(0, LOAD, view(ELEMENT), base=0x40) if load else None,
        row(1, STORE, view(ELEMENT), base=0x40) if store else None,
    )
    table = Active(rows, exposing(SHARED, ROWS).provider_decode)
    streams = {RD_ADDR: load, RD_CTRL: [0] * len(load)} if load else {}
    if store:
        streams |= {WR_ADDR: store, WR_DATA: [9] * len(store), WR_CTRL: [0] * len(store)}
    return SHARED, table, {0: (beat,)}, streams


def test_nothing_orders_a_beat_and_a_row():
    race = [("requests[0]", "workload-race")]
    assert findings(*shared(BeatRequest(READ, 0x1000, 0x0F), store=[0])) == race
    assert findings(*shared(BeatRequest(WRITE, 0x1000, 0x0F), store=[0])) == race
    assert findings(*shared(BeatRequest(WRITE, 0x1000, 0x08), load=[0])) == race
    for apart in (
        shared(BeatRequest(READ, 0x1000, 0x0F), load=[0]),
        shared(BeatRequest(WRITE, 0x1000, 0xF0), load=[0], store=[2]),
    ):
        named, table, requests, streams = apart
        done = execute(named, table, streams, CONTENTS, requests=requests)
        assert not done.answers[0][0].error


def test_nothing_orders_two_subordinates():
    named = exposed_storage(
        dispatch(2, (RANGE,), targets=(LOCAL,)), dispatch(1, (), NONE, (LOCAL,))
    )
    table = exposing(named, ROWS, (decode_row(),))

    def beats(first, second):
        return {0: (BeatRequest(first, 0x1000, 1),), 1: (BeatRequest(second, 0x40, 1),)}

    for pair in ((READ, WRITE), (WRITE, READ), (WRITE, WRITE)):
        assert findings(named, table, beats(*pair)) == [("requests[1]", "workload-race")]
    done = execute(named, table, {}, CONTENTS, requests=beats(READ, READ))
    assert [each[0].data for each in done.answers.values()] == [0x40, 0x40]


def test_spaces_and_contexts_are_part_of_a_beat():
    named = exposed_storage(dispatch(2, (SPACE, CONTEXT), targets=(LOCAL,)))
    rows = (
        decode_row(AddressSpaceMatch(1), ContextMatch(2), offset=1),
        decode_row(AddressSpaceMatch(1), ContextMatch(3), offset=2),
    )
    beats = tuple(
        BeatRequest(READ, 0, 1, address_space=space, context=context)
        for space, context in ((1, 2), (1, 3), (0, 2), (1, 0))
    )
    done = execute(named, exposing(named, rows), {}, CONTENTS, requests={0: beats})
    assert [(each.data, each.error) for each in done.answers[0]] == [
        *((1, False), (2, False), (0, True), (0, True))
    ]
