"""Token, loop and adapter actors as their transition tables say, one firing at a time.

An actor looks at the oldest token of each input, ``None`` where there is none, and fires or does
not. Tokens are integers; a token without a payload is 0. Nothing here knows of clocks.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fabricgen.vocab.operations import IntegerPredicate as P
from fabricgen.vocab.operations import StreamStepKind as S

Heads = Sequence[int | None]


@dataclass(frozen=True)
class Firing:
    """Inputs that lose their oldest token; tokens per output, in order."""

    takes: frozenset[int]
    gives: dict[int, list[int]] = field(default_factory=dict)


def firing(*takes: int, **gives: list[int]) -> Firing:
    """A firing that gives ``o0=[...]``, ``o1=[...]``."""
    return Firing(frozenset(takes), {int(name[1:]): tokens for name, tokens in gives.items()})


class Constant:
    """One constant for each control token."""

    def __init__(self, value: int) -> None:
        self.value = value

    def fire(self, heads: Heads) -> Firing | None:
        return None if heads[0] is None else firing(0, o0=[self.value])


class Sync:
    """All lanes at once."""

    def __init__(self, lanes: Sequence[int]) -> None:
        self.lanes = lanes

    def fire(self, heads: Heads) -> Firing | None:
        if any(heads[lane] is None for lane in self.lanes):
            return None
        return Firing(frozenset(self.lanes), {lane: [heads[lane]] for lane in self.lanes})


class Mux:
    """The selector and the lane that it names; lanes are input ordinals."""

    def __init__(self, lanes: Sequence[int]) -> None:
        self.lanes = lanes

    def fire(self, heads: Heads) -> Firing | None:
        if heads[0] is None:
            return None
        lane = self.lanes[heads[0]]
        return None if heads[lane] is None else firing(0, lane, o0=[heads[lane]])


class Demux:
    """Selector and token to the lane that it names; lanes are output ordinals."""

    def __init__(self, lanes: Sequence[int]) -> None:
        self.lanes = lanes

    def fire(self, heads: Heads) -> Firing | None:
        selector, value = heads
        if selector is None or value is None:
            return None
        return Firing(frozenset({0, 1}), {self.lanes[selector]: [value]})


class Copy:
    """The token itself."""

    def fire(self, heads: Heads) -> Firing | None:
        return None if heads[0] is None else firing(0, o0=[heads[0]])


class Carry:
    """Phase, init, next."""

    carrying = False

    def fire(self, heads: Heads) -> Firing | None:
        phase, first, following = heads
        if not self.carrying:
            if first is None:
                return None
            self.carrying = True
            return firing(1, o0=[first])
        if phase == 0:
            self.carrying = False
            return firing(0)
        if phase is None or following is None:
            return None
        return firing(0, 2, o0=[following])


class Invariant:
    """Condition, init."""

    value: int | None = None

    def fire(self, heads: Heads) -> Firing | None:
        condition, first = heads
        if self.value is None:
            if first is None:
                return None
            self.value = first
            return firing(1, o0=[first])
        if condition is None:
            return None
        if condition == 0:
            self.value = None
            return firing(0)
        return firing(0, o0=[self.value])


class Gate:
    """Condition, value."""

    continues = False

    def fire(self, heads: Heads) -> Firing | None:
        condition, value = heads
        if condition is None or value is None:
            return None
        continued, self.continues = self.continues, condition == 1
        match continued, condition:
            case False, 0:
                return firing(0, 1)
            case False, _:
                return firing(0, 1, o1=[value])
            case True, 0:
                return firing(0, 1, o0=[0])
            case _:
                return firing(0, 1, o0=[1], o1=[value])


def signed(value: int, bits: int) -> int:
    """Two's complement of the low bits."""
    value %= 1 << bits
    return value - (value >> bits - 1 << bits)


_COMPARE: dict[P, Callable[[int, int, int], bool]] = {
    P.EQ: lambda a, b, n: a == b,
    P.NE: lambda a, b, n: a != b,
    P.SLT: lambda a, b, n: signed(a, n) < signed(b, n),
    P.SLE: lambda a, b, n: signed(a, n) <= signed(b, n),
    P.SGT: lambda a, b, n: signed(a, n) > signed(b, n),
    P.SGE: lambda a, b, n: signed(a, n) >= signed(b, n),
    P.ULT: lambda a, b, n: a < b,
    P.ULE: lambda a, b, n: a <= b,
    P.UGT: lambda a, b, n: a > b,
    P.UGE: lambda a, b, n: a >= b,
}


def _sdiv(a: int, b: int, n: int) -> int:
    left, right = signed(a, n), signed(b, n)
    if right == 0:
        return -1
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


#: A shift by the width or more is poison, and never asked for here.
_STEP: dict[S, Callable[[int, int, int], int]] = {
    S.ADD: lambda a, b, n: a + b,
    S.SUB: lambda a, b, n: a - b,
    S.MUL: lambda a, b, n: a * b,
    S.SDIV: _sdiv,
    S.UDIV: lambda a, b, n: a // b if b else -1,
    S.SHL: lambda a, b, n: a << b,
    S.ASHR: lambda a, b, n: signed(a, n) >> b,
    S.LSHR: lambda a, b, n: a >> b,
}


def step_by(kind: S, value: int, step: int, bits: int) -> int:
    """The value of a stream that follows."""
    return _STEP[kind](value, step, bits) % (1 << bits)


class Stream:
    """Init, limit, step; results are value and phase."""

    def __init__(self, kind: S, predicate: P, bits: int) -> None:
        self.kind, self.compare, self.bits = kind, _COMPARE[predicate], bits
        self.running: tuple[int, int, int] | None = None

    def fire(self, heads: Heads) -> Firing | None:
        takes: tuple[int, ...] = ()
        if self.running is None:
            init, limit, step = heads
            if init is None or limit is None or step is None:
                return None
            self.running, takes = (init, limit, step), (0, 1, 2)
        current, limit, step = self.running
        if not self.compare(current, limit, self.bits):
            self.running = None
            return firing(*takes, o1=[0])
        self.running = step_by(self.kind, current, step, self.bits), limit, step
        return firing(*takes, o0=[current], o1=[1])


class Parallelize:
    """Element, phase; results are vector, mask and phase of the group."""

    def __init__(self, element_bits: int, lane_count: int) -> None:
        self.element_bits, self.lane_count = element_bits, lane_count
        self.pending: list[int] = []

    def _group(self) -> tuple[int, int]:
        vector = sum(each << at * self.element_bits for at, each in enumerate(self.pending))
        mask = (1 << len(self.pending)) - 1
        self.pending = []
        return vector, mask

    def fire(self, heads: Heads) -> Firing | None:
        element, phase = heads
        if phase == 0:
            if not self.pending:
                return firing(1, o2=[0])
            vector, mask = self._group()
            return firing(1, o0=[vector], o1=[mask], o2=[1, 0])
        if phase is None or element is None:
            return None
        self.pending.append(element)
        if len(self.pending) < self.lane_count:
            return firing(0, 1)
        vector, mask = self._group()
        return firing(0, 1, o0=[vector], o1=[mask], o2=[1])


class Serialize:
    """Vector, mask, phase of the group; results are element and phase."""

    def __init__(self, element_bits: int, lane_count: int) -> None:
        self.element_bits, self.lane_count = element_bits, lane_count

    def fire(self, heads: Heads) -> Firing | None:
        vector, mask, phase = heads
        if phase == 0:
            return firing(2, o1=[0])
        if phase is None or vector is None or mask is None:
            return None
        ones = (1 << self.element_bits) - 1
        lanes = [
            vector >> lane * self.element_bits & ones
            for lane in range(self.lane_count)
            if mask >> lane & 1
        ]
        return firing(0, 1, 2, o0=lanes, o1=[1] * len(lanes))


@dataclass(frozen=True)
class Run:
    """Tokens that each output gives, how many each input loses, and the number of firings."""

    outputs: list[list[int]]
    taken: list[int]
    firings: int


def run_actor(actor, inputs: Sequence[Sequence[int]], output_count: int) -> Run:
    """Fire for as long as the tokens allow it."""
    queues = [deque(tokens) for tokens in inputs]
    outputs: list[list[int]] = [[] for _ in range(output_count)]
    firings = 0
    while (found := actor.fire([queue[0] if queue else None for queue in queues])) is not None:
        for ordinal in found.takes:
            queues[ordinal].popleft()
        for ordinal, tokens in found.gives.items():
            outputs[ordinal] += tokens
        firings += 1
    taken = [len(tokens) - len(queue) for tokens, queue in zip(inputs, queues, strict=True)]
    return Run(outputs, taken, firings)
