"""Vector providers under gaps and stalls: the same results in the same order as without."""

import random

import pytest

from fabricgen.hsg.resource import ResourceTiming
from fabricgen.hsg.semantics import direct_value, semantic_field
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support.channel import get, put, run
from tests.support.hsg import resource
from tests.support.position_bench import point, ports_of, position_actors
from tests.support.vector_bench import ordinal, points, results, vector_actors

COUNT = 12


def _job(op, family):
    """A configuration, the inputs that it uses, and operands."""
    drawn = random.Random(str(family))
    if family in (F.FIXED_VECTOR_SLICE_ALIGN_MERGE, F.FIXED_VECTOR_SHUFFLE):
        actor = max(position_actors(op, 8), key=lambda each: len(each.operands))
        given = [point(drawn, actor) for _ in range(COUNT)]
        return direct_value(op, actor), ports_of(actor), given
    actor = drawn.choice(list(vector_actors(op)))
    return ordinal(op, actor), list(range(len(actor.operands))), points(actor, COUNT)


def _with_gaps(dut, job, seed):
    configuration, used, given = job
    drawn, found = random.Random(seed), []

    def producer(port, at):
        async def bench(ctx):
            for operands in given:
                await put(ctx, dut.inputs[port], {"data": operands[at]}, idle=drawn.randrange(3))

        return bench

    async def consumer(ctx):
        if configuration is not None:
            ctx.set(dut.configuration, configuration)
        for _ in given:
            token = await get(ctx, dut.out0, ["data"], stall=drawn.randrange(4))
            found.append(token["data"])

    run(dut, *(producer(port, at) for at, port in enumerate(used)), consumer)
    return found


@pytest.mark.parametrize(
    ("family", "latency"),
    [
        (F.FIXED_VECTOR_INTEGER_ADD_SUB, 1),
        (F.FIXED_VECTOR_INTEGER_SHIFT, 1),
        (F.FIXED_VECTOR_VALUE_SELECT, 1),
        (F.FIXED_VECTOR_INTEGER_MULTIPLY, 2),
        (F.FIXED_VECTOR_INTEGER_MULTIPLY, 3),
        (F.FIXED_VECTOR_INTEGER_MULTIPLY, 4),
        (F.FIXED_VECTOR_SLICE_ALIGN_MERGE, 1),
        (F.FIXED_VECTOR_SLICE_ALIGN_MERGE, 2),
        (F.FIXED_VECTOR_SHUFFLE, 2),
    ],
)
@pytest.mark.parametrize("seed", [1, 2])
def test_gaps_and_stalls_change_no_result(family, latency, seed):
    op = resource(family, timing=ResourceTiming(latency))
    job = _job(op, family)
    assert semantic_field(op) is not None
    [expected] = results(provider(op), [job])
    assert _with_gaps(provider(op), job, seed) == expected
