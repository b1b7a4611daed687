"""The report names the one thing for which a row waits, and rows that wait for one another."""

import pytest

from sim.wait_for import RowLinks, RowState, Surroundings, cycles, row_state, wait_for

#: A load whose data feeds a store; both done signals are exposed.
LOAD = RowLinks(0, "read0", "local", {"ADDRESS": "addr", "CONTROL": "go"}, {}, ("done tag 3",))
STORE = RowLinks(1, "write0", "ext0", {"ADDRESS": "to"}, {"DATA": (2, 0)}, ("done tag 4",))
#: A second row of the port of the load.
OTHER = RowLinks(2, "read0", "local", {"ADDRESS": "addr tag 9"}, {}, ("data",))
#: A third one, of another target.
AWAY = RowLinks(3, "read0", "ext0", {"ADDRESS": "addr tag 8"}, {}, ("data",))

ALL = {"ADDRESS": True, "CONTROL": True}
IDLE = {
    1: RowState({"ADDRESS": False, "DATA": False}, True, False, False, False),
    2: RowState({"ADDRESS": False}, True, False, False, False),
    3: RowState({"ADDRESS": False}, True, False, False, False),
}


def state(operands=None, **flags):
    known = {"claim": True, "issued": False, "held": False, "complete": False}
    return RowState({**ALL, **(operands or {})}, **{**known, **flags})


def load_waits(load, others=None, around=None):
    states = {**IDLE, **(others or {}), 0: load}
    waits = wait_for([LOAD, STORE, OTHER, AWAY], states, around or Surroundings())
    return waits[0]


@pytest.mark.parametrize(
    ("load", "others", "around", "cause", "text", "rows"),
    [
        (
            state({"CONTROL": False}),
            {},
            Surroundings({"go": "has no token left"}),
            "operand",
            "waits for operands: CONTROL (go has no token left)",
            (),
        ),
        (
            state({"ADDRESS": False, "CONTROL": False}),
            {},
            None,
            "operand",
            "waits for operands: ADDRESS (addr); CONTROL (go)",
            (),
        ),
        (
            state(claim=False),
            {2: RowState({"ADDRESS": False}, True, True, False, False)},
            None,
            "claim",
            "waits for a claim of its use pattern",
            (2,),
        ),
        (
            state(),
            {2: RowState({"ADDRESS": False}, True, True, True, False)},
            None,
            "target",
            "waits for local, in front of which another firing stands",
            (2,),
        ),
        (
            state(issued=True, held=True),
            {},
            None,
            "target",
            "stands in front of its target local",
            (),
        ),
        # A Spatial firing is not issued before its target takes it.
        (state(held=True), {}, None, "target", "stands in front of its target local", ()),
        # What stands in front of another target is not in the way.
        (
            state(),
            {3: RowState({"ADDRESS": False}, True, True, True, False)},
            None,
            "inside",
            "has every operand and every claim, and is not issued",
            (),
        ),
        (state(issued=True), {}, None, "response", "waits for the response of local", ()),
        (
            state(issued=True, complete=True),
            {},
            Surroundings(ready={"done tag 3": False}),
            "destination",
            "waits for its destinations: done tag 3 not ready",
            (),
        ),
        (
            state(issued=True, complete=True),
            {1: RowState({"ADDRESS": False, "DATA": True}, True, False, False, False)},
            Surroundings(ready={"done tag 3": True}),
            "destination",
            "waits for its destinations: connection 2, still full at row 1 DATA",
            (1,),
        ),
        (
            state(issued=True, complete=True),
            {},
            None,
            "destination",
            "waits for its destinations: done tag 3",
            (),
        ),
        (
            state(issued=True, complete=True),
            {},
            Surroundings(ready={"done tag 3": True}),
            "inside",
            "is complete, every destination is ready, and it is not published",
            (),
        ),
        (state(), {}, None, "inside", "has every operand and every claim, and is not issued", ()),
        (
            RowState(ALL),
            {},
            Surroundings(ready={"done tag 3": False}),
            "destination",
            "waits for its destinations: done tag 3 not ready",
            (),
        ),
        (
            RowState(ALL),
            {},
            Surroundings(ready={"done tag 3": True}),
            "inside",
            "has every operand and every destination, and publishes nothing: it waits for a claim "
            "of its use pattern, or for local",
            (),
        ),
    ],
)
def test_a_row_waits_for_one_thing(load, others, around, cause, text, rows):
    wait = load_waits(load, others, around)
    assert (wait.cause, wait.message) == (cause, f"Row 0 (read0) {text}")
    assert wait.rows == rows


def test_an_internal_operand_names_its_connection_and_its_producer():
    states = {0: state({"CONTROL": False}), **IDLE}
    wait = wait_for([LOAD, STORE, OTHER], states, Surroundings())[1]
    assert wait.message == (
        "Row 1 (write0) waits for operands: ADDRESS (to); DATA (connection 2 from row 0)"
    )
    assert wait.rows == (0,)


def test_rows_that_wait_for_one_another_are_named_as_a_circle():
    # The load has published into the store's slot once and cannot again; the store waits for the
    # load's completion, which comes with the data that cannot be published.
    store = RowLinks(1, "write0", "local", {}, {"DATA": (0, 0), "CONTROL": (1, 0)}, ())
    states = {
        0: state(issued=True, complete=True),
        1: RowState({"DATA": True, "CONTROL": False}, True, False, False, False),
    }
    waits = wait_for([LOAD, store], states, Surroundings(ready={"done tag 3": True}))
    assert [wait.cause for wait in waits] == ["destination", "operand"]
    assert cycles(waits) == ((0, 1),)


def test_rows_that_only_feed_one_another_are_no_circle():
    states = {0: state({"CONTROL": False}), **IDLE}
    assert cycles(wait_for([LOAD, STORE, OTHER], states, Surroundings())) == ()


def test_each_circle_is_named_once_and_from_its_lowest_row():
    three = [RowLinks(n, f"port{n}", "local", {}, {"DATA": (n, (n + 2) % 3)}, ()) for n in range(3)]
    states = {n: RowState({"DATA": False}, True, False, False, False) for n in range(3)}
    assert cycles(wait_for(three, states, Surroundings())) == ((0, 2, 1),)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        (0b0000_101, RowState({"ADDRESS": True, "CONTROL": True}, False, False, False, False)),
        (0b0001_010, RowState({"ADDRESS": False, "CONTROL": False}, True, False, False, False)),
        (0b1010_001, RowState({"ADDRESS": True, "CONTROL": False}, False, True, False, True)),
        (0b0100_000, RowState({"ADDRESS": False, "CONTROL": False}, False, False, True, False)),
    ],
)
def test_a_word_holds_the_operands_of_the_engine_and_then_four_flags(word, expected):
    engine_roles = ("ADDRESS", "DATA", "CONTROL")
    assert row_state(word, engine_roles, ("ADDRESS", "CONTROL")) == expected
