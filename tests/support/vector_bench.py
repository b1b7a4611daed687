"""Vector providers against the oracle: every width and member, one firing every cycle."""

import random
from collections.abc import Callable, Iterator, Sequence

from amaranth.lib import wiring

from fabricgen.hsg.resource import FabricOp
from fabricgen.hsg.semantics import FiniteField, behavior_key, semantic_field
from fabricgen.rtl.providers.registry import provider
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.types import VectorType
from tests.support.channel import run
from tests.support.hsg import widened
from tests.support.vector_oracle import join, vector_result

Point = tuple[int, ...]


#: A configuration, the ordinals of the inputs that it uses, and operands for each of those.
Job = tuple[int | None, Sequence[int], Sequence[Point]]


def results(dut: wiring.Component, jobs: Sequence[Job]) -> list[list[int]]:
    """Results of jobs, one after another, each with a firing in every cycle.

    Fails where an input that is used is not ready in every cycle, or a result does not come
    exactly after the latency: nothing stalls.
    """
    found: list[list[int]] = []
    latency = dut.op.timing.latency_cycles

    async def bench(ctx):
        ctx.set(dut.out0.ready, 1)
        for configuration, used, given in jobs:
            if configuration is not None:
                ctx.set(dut.configuration, configuration)
            found.append([])
            for cycle in range(len(given) + latency):
                for ordinal, port in enumerate(used):
                    ctx.set(dut.inputs[port].valid, cycle < len(given))
                    if cycle < len(given):
                        ctx.set(dut.inputs[port].data, given[cycle][ordinal])
                        assert ctx.get(dut.inputs[port].ready), f"input {port} must be ready"
                assert ctx.get(dut.out0.valid) == (cycle >= latency)
                if cycle >= latency:
                    found[-1].append(ctx.get(dut.out0.data))
                await ctx.tick()

    run(dut, bench)
    return found


def vector_actors(op: FabricOp) -> Iterator[OperationActor]:
    """One actor for each point that the resource tells apart, with as many lanes as it admits."""
    for probe in op.reachable():
        yield max(
            filter(op.admits, (widened(probe, lanes) for lanes in range(1, 129))),
            key=lambda actor: actor.operands[-1].bits,
        )


def ordinal(op: FabricOp, actor: OperationActor) -> int | None:
    """What configures a resource for an actor; nothing where it has no field."""
    field = semantic_field(op)
    return field.ordinal(behavior_key(op, actor)) if isinstance(field, FiniteField) else None


def corners(bits: int) -> list[int]:
    """Ends of the ranges of one lane, and their neighbours."""
    top, ones = 1 << (bits - 1), (1 << bits) - 1
    return [each & ones for each in (0, 1, top - 1, top, ones, top + 1, ones - 1, 2, bits - 1)]


def points(actor: OperationActor, count: int) -> list[Point]:
    """Lanes of numbers of any magnitude, of numbers below twice the width, and of corners."""
    drawn = random.Random(str(actor))
    return [_point(drawn, actor, turn) for turn in range(count)]


def _point(drawn: random.Random, actor: OperationActor, turn: int) -> Point:
    """Operands; a lane of the last one may be that of the one before."""
    vectors = [_lanes(drawn, kind, turn) for kind in actor.operands]
    if len(vectors) > 1:
        pairs = zip(*vectors[-2:], strict=True)
        vectors[-1] = [drawn.choice((left, right, right)) for left, right in pairs]
    return tuple(
        join(each, kind.element.bits) for each, kind in zip(vectors, actor.operands, strict=True)
    )


def _lanes(drawn: random.Random, kind: VectorType, turn: int) -> list[int]:
    bits = kind.element.bits
    draws = (
        lambda: drawn.choice(corners(bits)),
        lambda: drawn.getrandbits(bits) >> drawn.randrange(bits),
        lambda: drawn.randrange(2 * bits) % (1 << bits),
    )
    return [draws[turn % 2 or drawn.choice((0, 1, 2, 2))]() for _ in range(kind.lanes)]


def wrong(
    op: FabricOp,
    count: int = 24,
    build: Callable[[FabricOp], wiring.Component] = provider,
) -> list[str]:
    """Defined results that differ from the oracle's, over all that the resource admits."""
    actors = list(vector_actors(op))
    given = [points(actor, count) for actor in actors]
    used = range(len(op.ports.inputs))
    drawn = random.Random(5)
    jobs = [
        (ordinal(op, actor), used, [_noisy(drawn, op, actor, each) for each in some])
        for actor, some in zip(actors, given, strict=True)
    ]
    found = results(build(op), jobs)
    return [
        f"{actor}: {[f'{each:#x}' for each in operands]} -> {result:#x}"
        for actor, some, ended in zip(actors, given, found, strict=True)
        for operands, result in zip(some, ended, strict=True)
        if _differs(actor, operands, result)
    ]


def _noisy(drawn: random.Random, op: FabricOp, actor: OperationActor, operands: Point) -> Point:
    """Operands with noise in the bits of their ports above them."""
    return tuple(
        value | drawn.getrandbits(width) >> kind.bits << kind.bits
        for value, kind, width in zip(operands, actor.operands, op.ports.inputs, strict=True)
    )


def _differs(actor: OperationActor, operands: Point, result: int) -> bool:
    expected, defined = vector_result(actor, operands)
    return (result ^ expected) & defined != 0
