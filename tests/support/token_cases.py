"""Units of the token, loop and adapter families with drawn tokens, for the cocotb bench."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import cycle

from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.operations import IntegerPredicate as P
from fabricgen.vocab.operations import StreamStepKind as S
from tests.support import loop_nest
from tests.support import token_ops as ops
from tests.support import transition_tables as tables
from tests.support.token_units import Case, Unit

#: A gap-free pass, then all ways to stall.
PATTERNS = ("always", "bursty", "geometric", "alternate", "starved", "adversarial", "shut")
#: Selectors of more than two lanes are indices.
INDEX = 32


def words(drawn: random.Random, width: int, count: int) -> list[int]:
    """Any tokens of a port."""
    return [drawn.getrandbits(width) if width else 0 for _ in range(count)]


class Patterns:
    """Deals the patterns in turn, each time with another seed."""

    def __init__(self, seed: int) -> None:
        self._patterns = cycle(PATTERNS)
        self.seed = seed

    def next(self) -> tuple[str, int]:
        self.seed += 1
        return next(self._patterns), self.seed


def _images(component) -> Iterator[tuple[int | None, tuple[int, ...]]]:
    many = len(component.behaviors) > 1
    for ordinal, key in enumerate(component.behaviors):
        yield ordinal if many else None, key.lanes


def _masked(drawn: random.Random, component, ports: Sequence[int], count: int) -> list[list[int]]:
    """Tokens of lanes within their effective widths."""
    return [words(drawn, component.lanes.get(port, 0), count) for port in ports]


def constant(seed: int, count: int, payload: int = 8, control: int = 0) -> Unit:
    """Every pattern, each with another constant."""
    component = provider(ops.constant(payload, payload, control))
    drawn, patterns = random.Random(seed), Patterns(seed)
    cases = []
    for _ in PATTERNS:
        value = drawn.getrandbits(payload)
        given = [words(drawn, control, count)]
        cases.append(Case(tables.constant(value), given, *patterns.next(), value))
    return Unit(component, cases, [1])


def sync(seed: int, count: int, *, inputs=(8, 4, 8), outputs=(8, 8, 6), repeat: int = 1) -> Unit:
    """Every image."""
    component = provider(ops.sync(inputs, outputs))
    drawn, patterns = random.Random(seed), Patterns(seed)
    cases = []
    for ordinal, lanes in [*_images(component)] * repeat:
        given = _masked(drawn, component, range(len(inputs)), count)
        given = [row if port in lanes else [] for port, row in enumerate(given)]
        cases.append(Case(tables.sync(lanes), given, *patterns.next(), ordinal))
    return Unit(component, cases, [1] * len(inputs))


def mux(seed: int, count: int, *, lanes=(8, 4, 8), result=8, repeat: int = 1) -> Unit:
    """Every image; a selector of a pair has any bits above the lowest."""
    component = provider(ops.mux(lanes, INDEX, result))
    drawn, patterns = random.Random(seed), Patterns(seed)
    cases = []
    for ordinal, image in [*_images(component)] * repeat:
        values = _masked(drawn, component, range(1, len(lanes) + 1), count)
        given = [_selectors(drawn, image, count), *values]
        cases.append(Case(tables.mux(image), given, *patterns.next(), ordinal))
    return Unit(component, cases, [2] + [0] * len(lanes), first=2)


def demux(seed: int, count: int, *, lanes=(8, 4, 8), repeat: int = 1) -> Unit:
    """Every image; tokens fit the lane that they go to."""
    component = provider(ops.demux(lanes, INDEX))
    drawn, patterns = random.Random(seed), Patterns(seed)
    cases = []
    for ordinal, image in [*_images(component)] * repeat:
        selectors = _selectors(drawn, image, count)
        named = [each % 2 if len(image) == 2 else each for each in selectors]
        values = [words(drawn, component.lanes[image[name]], 1)[0] for name in named]
        cases.append(Case(tables.demux(image), [selectors, values], *patterns.next(), ordinal))
    return Unit(component, cases, [1, 1])


def _selectors(drawn: random.Random, image: Sequence[int], count: int) -> list[int]:
    if len(image) == 2:
        return words(drawn, INDEX, count)
    return [drawn.randrange(len(image)) for _ in range(count)]


def _phases(drawn: random.Random, count: int, width: int) -> list[int]:
    """Runs of ones of every length, none among them; any bits above the lowest."""
    found: list[int] = []
    while len(found) < count:
        found += [1] * drawn.choice([0, 0, 1, 2, drawn.randrange(9)]) + [0]
    return [phase | words(drawn, width, 1)[0] & ~1 for phase in found]


def loop(name: str, seed: int, count: int, *, bits: int = 8, width: int = 1) -> Unit:
    """Carry, invariant or gate under every pattern."""
    component = provider(getattr(ops, name)(bits, width))
    drawn, patterns = random.Random(f"{name} {seed}"), Patterns(seed)
    cases = []
    for _ in PATTERNS:
        phases = _phases(drawn, count, width)
        values = [words(drawn, each, len(phases)) for each in component.op.ports.inputs[1:]]
        cases.append(Case(getattr(tables, name)(), [phases, *values], *patterns.next()))
    return Unit(
        component, cases, [0] * len(component.op.ports.inputs), first=0, timing="transparent"
    )


def group(name: str, seed: int, count: int, *, most: int | None = None, **shape) -> Unit:
    """Parallelize or serialize: every element width and lane count, or ``most`` of them."""
    component = provider(getattr(ops, name)(**shape))
    drawn, patterns = random.Random(f"{name} {seed}"), Patterns(seed)
    keys = list(enumerate(component.behaviors))
    many = len(keys) > 1
    chosen = keys if most is None else drawn.sample(keys, min(most, len(keys)))
    cases = []
    for ordinal, key in chosen:
        phases = _phases(drawn, count, 1)
        table = getattr(tables, name)(key.element_bits, key.lane_count)
        widths = component.op.ports.inputs[:-1]
        given = [words(drawn, width, len(phases)) for width in widths]
        if name == "serialize":
            dense = drawn.choice([0, (1 << key.lane_count) - 1, drawn.getrandbits(widths[1])])
            given[1] = [drawn.choice([dense, each]) for each in given[1]]
        case = Case(table, [*given, phases], *patterns.next(), ordinal if many else None)
        cases.append(case)
    ahead = [0, 2] if name == "parallelize" else [1, 1, 2]
    return Unit(component, cases, ahead, timing=name)


def stream(
    kind: S,
    seed: int,
    count: int,
    *,
    widths: Sequence[int] = (8, 16),
    predicates: Sequence[str] = ("SLT", "NE"),
    port: int | None = None,
    interval: int | None = None,
) -> Unit:
    """Every width and predicate; stray bits above the active width.

    Streams of no value, and of few; steps of zero and below zero; at the end one that never ends,
    if there was one.
    """
    divides = kind in (S.SDIV, S.UDIV)
    timing = (1, interval or (max(widths) + 2 if divides else 1))
    component = provider(ops.stream(kind, widths, predicates, timing, port))
    many = len(component.behaviors) > 1
    drawn, patterns = random.Random(f"{kind} {seed}"), Patterns(seed)
    cases = []
    for ordinal, key in enumerate(component.behaviors):
        bits = key.active_bits or widths[0]
        predicate = key.predicate or P[predicates[0]]
        triples, endless = _triples(drawn, kind, predicate, bits, count)
        stray = max(port or 0, *widths) - bits
        given = [
            [number | words(drawn, stray, 1)[0] << bits for number in numbers]
            for numbers in zip(*triples, *endless, strict=True)
        ]
        table = tables.stream(kind, predicate, bits)
        finite = len(tables.machine(table, list(zip(*triples, strict=True)), 2).run().steps)
        firings = finite + 8 if endless else None
        case = Case(table, given, *patterns.next(), ordinal if many else None, firings=firings)
        cases.append(case)
    return Unit(component, cases, [1, 1, 1])


Triple = tuple[int, int, int]


def _triples(
    drawn: random.Random, kind: S, predicate: P, bits: int, count: int
) -> tuple[list[Triple], list[Triple]]:
    """Operands of streams that end within a few firings, and of one that does not, if drawn."""
    table = tables.stream(kind, predicate, bits)
    found: list[Triple] = []
    endless: list[Triple] = []
    for _ in range(50 * count):
        init, limit, step = (_number(drawn, bits) for _ in range(3))
        if kind in (S.SHL, S.ASHR, S.LSHR):
            step %= bits
        if drawn.randrange(3):
            limit = init
            for _ in range(drawn.randrange(7)):
                limit = tables.stepped(kind, limit, step, bits)
        triple = (init, limit, step)
        run = tables.machine(table, [[each] for each in triple], 2).run(24)
        if len(run.steps) == 24:
            endless = [triple]
        elif len(run.steps) > 1 or len(found) % 3 == 0:
            found.append(triple)
        if len(found) == count:
            break
    return found, endless


def _number(drawn: random.Random, bits: int) -> int:
    """Small numbers of both signs, the ends of the range, and others."""
    top = 1 << bits - 1
    small = drawn.randrange(6)
    return drawn.choice([small, small, -small % (2 * top), top - 1, top, drawn.getrandbits(bits)])


def nest(seed: int, count: int, **changed) -> Unit:
    """Two loops of few iterations, and of none, under every pattern."""
    drawn, patterns = random.Random(seed), Patterns(seed)
    cases = []
    for _ in PATTERNS:
        found: list[list[int]] = []
        while len(found) < count:
            start, near = drawn.getrandbits(loop_nest.BITS), drawn.randrange(-2, 12)
            step, stride = drawn.randrange(1, 5), drawn.randrange(-1, 5)
            jobs = [start, start + near, step, start + drawn.randrange(-1, 12), stride]
            jobs = [each % (1 << loop_nest.BITS) for each in jobs]
            jobs += words(drawn, loop_nest.BITS, 2)
            if loop_nest.run(*jobs)[1] < loop_nest.MOST:
                found.append(jobs)
        given = [list(row) for row in zip(*found, strict=True)]
        cases.append(Case(loop_nest.table(), given, *patterns.next()))
    return Unit(loop_nest.nest(**changed), cases, [3] * 7, timing="")


def poison(kind: S, seed: int, count: int) -> Unit:
    """Streams whose step shifts by the width or more, or divides by zero: any value may follow."""
    unit = stream(kind, seed, 1)
    drawn = random.Random(seed)
    cases = []
    for case in unit.cases:
        given = [words(drawn, unit.widths[0][0], count) for _ in range(3)]
        given[2] = [drawn.choice([each | 8, 0xFFFF]) for each in given[2]]
        cases.append(replace(case, inputs=given, firings=None, undefined=60))
    return replace(unit, cases=cases)
