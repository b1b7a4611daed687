"""Scalar integer providers against the oracle, one firing every cycle, in the Python simulator."""

import random
from collections.abc import Callable, Sequence
from itertools import islice, product

from amaranth.lib import wiring

from fabricgen.hsg.resource import FabricOp
from fabricgen.hsg.semantics import FiniteField, behavior_key, semantic_field
from fabricgen.rtl.providers.registry import provider
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.payload import IntegerCompare
from fabricgen.vocab.dataflow import OperationSchemaId as O
from tests.support.channel import run
from tests.support.integer_oracle import integer_result

Point = tuple[int, ...]

#: Operations whose result depends on bits above the active width, which no key tells.
_WIDTHLESS = (O.ARITH_SHRUI, O.ARITH_MINUI, O.ARITH_MAXUI)


def corners(bits: int) -> list[int]:
    """Ends of the ranges, their neighbours, single bits and patterns."""
    top, ones = 1 << (bits - 1), (1 << bits) - 1
    values = {0, 1, 2, 3, bits - 1, bits // 2, top - 1, top, top + 1, ones - 1, ones}
    values |= {0x5555555555555555 & ones, 0xAAAAAAAAAAAAAAAA & ones}
    return sorted(value & ones for value in values)


def points(actor: OperationActor, count: int, limit: int = 200) -> list[Point]:
    """Operands of an actor: ``limit`` pairs of corners, and ``count`` more at random."""
    widths = [kind.bits for kind in actor.operands]
    drawn = random.Random(str(actor))
    some = [tuple(_draw(drawn, bits) for bits in widths) for _ in range(count)]
    at_corners = list(product(*(corners(bits) for bits in widths)))
    drawn.shuffle(at_corners)
    return list(islice(at_corners, limit)) + some


def strided(bits: int, stride: int) -> list[Point]:
    """Pairs of all numbers of ``bits`` bits, one in every ``stride`` of them."""
    every = product(range(1 << bits), repeat=2)
    return list(islice(every, 0, None, stride))


def _draw(drawn: random.Random, bits: int) -> int:
    """A number of any magnitude."""
    value = drawn.getrandbits(bits) >> drawn.randrange(bits)
    return value ^ ((1 << bits) - 1) if drawn.random() < 0.3 else value


def ignores_bits_above(actor: OperationActor) -> bool:
    """Bits above the active width cannot change the result, or the key tells the width."""
    if isinstance(actor.payload, IntegerCompare):
        return actor.payload.predicate.name.startswith("S")
    return actor.schema_id not in _WIDTHLESS


def configuration(op: FabricOp, actor: OperationActor) -> int | None:
    """Ordinal that makes a resource realise an actor; nothing where it has no field."""
    field = semantic_field(op)
    return field.ordinal(behavior_key(op, actor)) if isinstance(field, FiniteField) else None


async def _stream(ctx, dut, op: FabricOp, actor: OperationActor, given: Sequence[Point]):
    """Results of firings that are offered as fast as the resource says, each in its cycle."""
    found: list[int] = []
    latency, interval = op.timing.latency_cycles, op.timing.initiation_interval_cycles
    drawn = random.Random(7)
    above = ignores_bits_above(actor)
    for cycle in range((len(given) - 1) * interval + latency + 1):
        turn, phase = divmod(cycle, interval)
        offered = phase == 0 and turn < len(given)
        for port, channel in enumerate(dut.inputs):
            ctx.set(channel.valid, offered)
            if offered:
                bits = actor.operands[port].bits
                value = given[turn][port]
                if above:
                    value |= drawn.getrandbits(len(channel.data)) >> bits << bits
                ctx.set(channel.data, value)
                assert ctx.get(channel.ready), f"ready after {interval} cycles"
        ended = cycle >= latency and (cycle - latency) % interval == 0
        assert ctx.get(dut.out0.valid) == ended, f"a result {latency} cycles after its operands"
        if ended:
            found.append(ctx.get(dut.out0.data))
        await ctx.tick()
    return found


def results(
    dut: wiring.Component, op: FabricOp, jobs: Sequence[tuple[OperationActor, Sequence[Point]]]
) -> list[list[int]]:
    """Results of the actors one after another, each with its configuration and operands."""
    found: list[list[int]] = []

    async def bench(ctx):
        ctx.set(dut.out0.ready, 1)
        for actor, given in jobs:
            ordinal = configuration(op, actor)
            if ordinal is not None:
                ctx.set(dut.configuration, ordinal)
            found.append(await _stream(ctx, dut, op, actor, given))

    run(dut, bench, limit=100_000)
    return found


def wrong(
    op: FabricOp,
    given: Callable[[OperationActor], Sequence[Point]],
    build: Callable[[FabricOp], wiring.Component] = provider,
) -> list[str]:
    """Every defined result that differs from the oracle, over all that the resource admits."""
    jobs = [(actor, given(actor)) for actor in op.reachable()]
    differing = []
    for (actor, chosen), found in zip(jobs, results(build(op), op, jobs), strict=True):
        bits = actor.results[0].bits
        for operands, value in zip(chosen, found, strict=True):
            expected = integer_result(actor, operands)
            if expected is not None and value % (1 << bits) != expected:
                differing.append(f"{actor}: {operands} -> {value:#x}, not {expected:#x}")
    return differing


def usual(count: int = 60, limit: int = 200) -> Callable[[OperationActor], list[Point]]:
    """Corners and random operands."""
    return lambda actor: points(actor, count, limit)
