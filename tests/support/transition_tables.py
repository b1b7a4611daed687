"""Token, loop and adapter actors as tables: state, tokens that a row needs, what it gives, state.

A row fires when the machine is in its state and every token that it needs is there, with the
value that it names and the guard's consent; at most one row can. Tokens are integers; one without
a payload is 0. Nothing here knows of clocks.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fabricgen.vocab.operations import IntegerPredicate as P
from fabricgen.vocab.operations import StreamStepKind as S

Heads = Sequence[int | None]
#: A row takes the token whatever it is.
ANY = None


@dataclass(frozen=True)
class Row:
    """One transition.

    ``needs`` maps an input to the value that its token must have, or to :data:`ANY`; the row takes
    all of them. ``gives(kept, heads)`` are tokens per output in order, and ``keeps(kept, heads)``
    what the next state remembers.
    """

    name: str
    state: str
    needs: Mapping[int, int | None]
    next: str
    gives: Callable[[Any, Heads], Mapping[int, list[int]]] = lambda kept, heads: {}
    keeps: Callable[[Any, Heads], Any] = lambda kept, heads: None
    guard: Callable[[Any, Heads], bool] = lambda kept, heads: True


@dataclass(frozen=True)
class Step:
    """One firing: its row, the inputs whose tokens it takes, and tokens per output."""

    row: str
    takes: frozenset[int]
    gives: Mapping[int, list[int]]


@dataclass(frozen=True)
class Table:
    """Rows and the first state; ``sees`` cuts tokens of an input to their low bits."""

    rows: Sequence[Row]
    state: str
    kept: Any = None
    sees: Mapping[int, int] = field(default_factory=dict)


class Machine:
    """Runs a table on whole streams of tokens, as far as they reach."""

    def __init__(self, table: Table, input_count: int, output_count: int) -> None:
        self._table = table
        self._state, self._kept = table.state, table.kept
        self.inputs: list[list[int]] = [[] for _ in range(input_count)]
        self.outputs: list[list[int]] = [[] for _ in range(output_count)]
        self.taken = [0] * input_count
        self.steps: list[Step] = []

    def heads(self) -> list[int | None]:
        """Oldest token of each input, cut to what the table sees of it."""
        found: list[int | None] = []
        for port, (tokens, at) in enumerate(zip(self.inputs, self.taken, strict=True)):
            bits = self._table.sees.get(port)
            head = tokens[at] if at < len(tokens) else None
            found.append(head if bits is None or head is None else head % (1 << bits))
        return found

    def fire(self) -> Step | None:
        """Do one transition, if there is one."""
        heads = self.heads()
        rows = [row for row in self._table.rows if self._enables(row, heads)]
        assert len(rows) <= 1, f"{self._state} must have one row for {heads}"
        if not rows:
            return None
        (row,) = rows
        step = Step(row.name, frozenset(row.needs), row.gives(self._kept, heads))
        self._state, self._kept = row.next, row.keeps(self._kept, heads)
        for port in row.needs:
            self.taken[port] += 1
        for port, tokens in step.gives.items():
            self.outputs[port] += tokens
        self.steps.append(step)
        return step

    def run(self, most: int | None = None) -> "Machine":
        """Fire as far as the tokens reach, and at most so often."""
        while (most is None or len(self.steps) < most) and self.fire() is not None:
            pass
        return self

    @property
    def is_idle(self) -> bool:
        """In the first state, and all tokens are taken."""
        state = (self._state, self._kept) == (self._table.state, self._table.kept)
        return state and self.taken == list(map(len, self.inputs))

    def fired(self) -> Counter[str]:
        """How often each row fired."""
        return Counter(step.row for step in self.steps)

    def _enables(self, row: Row, heads: Heads) -> bool:
        if row.state != self._state:
            return False
        for port, wanted in row.needs.items():
            if heads[port] is None or wanted not in (ANY, heads[port]):
                return False
        return row.guard(self._kept, heads)


def machine(table: Table, inputs: Sequence[Sequence[int]], output_count: int) -> Machine:
    """A machine before its first firing, with all tokens."""
    found = Machine(table, len(inputs), output_count)
    found.inputs = [list(tokens) for tokens in inputs]
    return found


def constant(value: int) -> Table:
    """(ctrl) -> value."""
    return Table([Row("constant", "", {0: ANY}, "", lambda k, h: {0: [value]})], "")


def sync(lanes: Sequence[int]) -> Table:
    """Lane i is input i and output i."""
    needs = dict.fromkeys(lanes)
    row = Row("sync", "", needs, "", lambda k, h: {lane: [h[lane]] for lane in lanes})
    return Table([row], "")


def mux(lanes: Sequence[int]) -> Table:
    """Selector, lanes; the image names input ports."""
    rows = [
        Row(f"lane {at}", "", {0: at, lane: ANY}, "", lambda k, h, lane=lane: {0: [h[lane]]})
        for at, lane in enumerate(lanes)
    ]
    return Table(rows, "", sees={0: _selector_bits(lanes)})


def demux(lanes: Sequence[int]) -> Table:
    """Selector, token; the image names output ports."""
    rows = [
        Row(f"lane {at}", "", {0: at, 1: ANY}, "", lambda k, h, lane=lane: {lane: [h[1]]})
        for at, lane in enumerate(lanes)
    ]
    return Table(rows, "", sees={0: _selector_bits(lanes)})


def _selector_bits(lanes: Sequence[int]) -> int:
    """The selector of two lanes is an i1; a wider one is an index, of which all bits count."""
    return 1 if len(lanes) == 2 else 64


def carry() -> Table:
    """Phase, init, next."""
    return Table(
        [
            Row("init", "Init", {1: ANY}, "Carry", lambda k, h: {0: [h[1]]}),
            Row("next", "Carry", {0: 1, 2: ANY}, "Carry", lambda k, h: {0: [h[2]]}),
            Row("close", "Carry", {0: 0}, "Init"),
        ],
        "Init",
        sees={0: 1},
    )


def invariant() -> Table:
    """Condition, init."""
    return Table(
        [
            Row("init", "Init", {1: ANY}, "Running", lambda k, h: {0: [h[1]]}, lambda k, h: h[1]),
            Row("again", "Running", {0: 1}, "Running", lambda k, h: {0: [k]}, lambda k, h: k),
            Row("close", "Running", {0: 0}, "Init"),
        ],
        "Init",
        sees={0: 1},
    )


def gate() -> Table:
    """Condition, value; results are condition and value."""
    return Table(
        [
            Row("skip", "Init", {0: 0, 1: ANY}, "Init"),
            Row("open", "Init", {0: 1, 1: ANY}, "Continue", lambda k, h: {1: [h[1]]}),
            Row("pass", "Continue", {0: 1, 1: ANY}, "Continue", lambda k, h: {0: [1], 1: [h[1]]}),
            Row("shut", "Continue", {0: 0, 1: ANY}, "Init", lambda k, h: {0: [0]}),
        ],
        "Init",
        sees={0: 1},
    )


def negative(value: int, bits: int) -> int:
    """The number that so many bits stand for in two's complement."""
    return value - (1 << bits) if value >= 1 << bits - 1 else value


def holds(predicate: P, left: int, right: int, bits: int) -> bool:
    """A relation of two numbers of so many bits."""
    name = predicate.name
    if name[0] == "S":
        left, right = negative(left, bits), negative(right, bits)
    return {
        "EQ": left == right,
        "NE": left != right,
        "LT": left < right,
        "LE": left <= right,
        "GT": left > right,
        "GE": left >= right,
    }[name[-2:]]


def stepped(kind: S, value: int, step: int, bits: int) -> int:
    """The next number of a stream; a shift by the width or more is poison and not asked for.

    A division by zero gives all ones.
    """
    assert step < bits or kind not in (S.SHL, S.ASHR, S.LSHR)
    if kind in (S.SDIV, S.UDIV) and step == 0:
        return (1 << bits) - 1
    if kind in (S.SDIV, S.ASHR):
        value = negative(value, bits)
    if kind is S.SDIV:
        step = negative(step, bits)
        # Towards zero: down if the signs agree, up if they differ.
        quotient = value // step if (value < 0) == (step < 0) else -(-value // step)
        return quotient % (1 << bits)
    found = {
        S.ADD: value + step,
        S.SUB: value - step,
        S.MUL: value * step,
        S.UDIV: value // step if step else 0,
        S.SHL: value * 2**step if kind is S.SHL else 0,
        S.ASHR: value // 2**step if kind is S.ASHR else 0,
        S.LSHR: value // 2**step if kind is S.LSHR else 0,
    }[kind]
    return found % (1 << bits)


def stream(kind: S, predicate: P, bits: int) -> Table:
    """Init, limit, step; results are value and phase."""

    def after(kept: Any, heads: Heads) -> tuple[int, ...]:
        current, limit, step = kept or heads
        return stepped(kind, current, step, bits), limit, step

    def goes_on(kept: Any, heads: Heads) -> bool:
        current, limit, _ = kept or heads
        return holds(predicate, current, limit, bits)

    def ends(kept: Any, heads: Heads) -> bool:
        return not goes_on(kept, heads)

    def value(kept: Any, heads: Heads) -> dict[int, list[int]]:
        return {0: [(kept or heads)[0]], 1: [1]}

    def zero(kept: Any, heads: Heads) -> dict[int, list[int]]:
        return {1: [0]}

    triple = {0: ANY, 1: ANY, 2: ANY}
    return Table(
        [
            Row("start", "Idle", triple, "Running", value, after, goes_on),
            Row("nothing", "Idle", triple, "Idle", zero, guard=ends),
            Row("step", "Running", {}, "Running", value, after, goes_on),
            Row("end", "Running", {}, "Idle", zero, guard=ends),
        ],
        "Idle",
        sees={0: bits, 1: bits, 2: bits},
    )


def parallelize(bits: int, lanes: int) -> Table:
    """Element, phase; results are vector, mask and phase of the group. Keeps the elements."""

    def group(elements: Sequence[int], *phases: int) -> dict[int, list[int]]:
        vector = sum(each << at * bits for at, each in enumerate(elements))
        return {0: [vector], 1: [2 ** len(elements) - 1], 2: list(phases)}

    def added(kept: Any, heads: Heads) -> tuple[int | None, ...]:
        return (*kept, heads[0])

    def nothing(kept: Any, heads: Heads) -> tuple[int, ...]:
        return ()

    return Table(
        [
            Row(
                "gather", "", {0: ANY, 1: 1}, "", keeps=added, guard=lambda k, h: len(k) + 1 < lanes
            ),
            Row(
                "full",
                "",
                {0: ANY, 1: 1},
                "",
                lambda k, h: group((*k, h[0]), 1),
                nothing,
                lambda k, h: len(k) + 1 == lanes,
            ),
            Row("part", "", {1: 0}, "", lambda k, h: group(k, 1, 0), nothing, lambda k, h: bool(k)),
            Row("end", "", {1: 0}, "", lambda k, h: {2: [0]}, nothing, lambda k, h: not k),
        ],
        "",
        (),
        sees={0: bits, 1: 1},
    )


def serialize(bits: int, lanes: int) -> Table:
    """Vector, mask, phase of the group; results are element and phase."""

    def elements(kept: Any, heads: Heads) -> dict[int, list[int]]:
        vector, mask, _ = heads
        active = [at for at in range(lanes) if f"{mask:0{lanes}b}"[::-1][at] == "1"]
        return {0: [(vector >> at * bits) % 2**bits for at in active], 1: [1] * len(active)}

    return Table(
        [
            Row("group", "", {0: ANY, 1: ANY, 2: 1}, "", elements),
            Row("end", "", {2: 0}, "", lambda k, h: {1: [0]}),
        ],
        "",
        sees={2: 1},
    )
