"""Quotients and remainders of scalar integers against Python integers, in both shapes."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import Const

from fabricgen.errors import Unsupported
from fabricgen.rtl.providers.integer_divide import ScalarSignedIntegerDivRem
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support.channel import get, put, run
from tests.support.integer_ops import integer_op
from tests.support.netlist import adders, lut_count
from tests.support.provider_bench import configuration, points, strided, usual, wrong

SIGNED, UNSIGNED = F.SCALAR_SIGNED_INTEGER_DIV_REM, F.SCALAR_UNSIGNED_INTEGER_DIV_REM
MEMBERS = {
    SIGNED: [O.ARITH_DIVSI, O.ARITH_REMSI],
    UNSIGNED: [O.ARITH_DIVUI, O.ARITH_REMUI],
}


def divider(family, *members, widths, iterates):
    latency = max(widths) + (2 if family is SIGNED else 1)
    interval = latency if iterates else 1
    return integer_op(family, *members, widths=widths, latency=latency, interval=interval)


@pytest.mark.parametrize("family", [SIGNED, UNSIGNED])
@pytest.mark.parametrize("widths", [(8, 16), (8, 32)])
def test_the_pipeline_divides_at_every_width(family, widths):
    assert wrong(divider(family, widths=widths, iterates=False), usual(20)) == []


@pytest.mark.parametrize("family", [SIGNED, UNSIGNED])
@pytest.mark.parametrize("widths", [(8, 16), (32,), (64,)])
def test_the_iterative_shape_divides_at_every_width(family, widths):
    def given(actor):
        corners = points(actor, 0)
        return [*corners[: 2000 // max(widths) // len(widths)], *points(actor, 5)[-5:]]

    assert wrong(divider(family, widths=widths, iterates=True), given) == []


@pytest.mark.parametrize("member", [*MEMBERS[SIGNED], *MEMBERS[UNSIGNED]])
def test_each_member_alone_on_bytes(member):
    family = SIGNED if member in MEMBERS[SIGNED] else UNSIGNED
    op = divider(family, member, widths=(8,), iterates=False)
    assert wrong(op, lambda _: strided(8, 197)) == []


@pytest.mark.parametrize("iterates", [True, False])
def test_zero_and_overflow_are_as_in_risc_v(iterates):
    """By hand: any by 0 gives -1 and itself, -128 by -1 gives -128 and 0."""
    op = divider(SIGNED, widths=(8,), iterates=iterates)
    expected = {(0x80, 0): (0xFF, 0x80), (5, 0): (0xFF, 5), (0x80, 0xFF): (0x80, 0)}
    actors = {actor.schema_id: actor for actor in op.reachable()}
    for operands, results in expected.items():
        found = []
        for member in MEMBERS[SIGNED]:
            dut = provider(op)

            async def bench(ctx, dut=dut, operands=operands, member=member, found=found):
                ctx.set(dut.configuration, configuration(op, actors[member]))
                for channel, value in zip(dut.inputs, operands, strict=True):
                    await put(ctx, channel, {"data": value})
                found.append((await get(ctx, dut.out0, ["data"]))["data"])

            run(dut, bench)
        assert tuple(found) == results


@pytest.mark.parametrize("iterates", [True, False])
def test_a_result_waits_unchanged_and_the_next_follows(iterates):
    op = divider(UNSIGNED, O.ARITH_DIVUI, widths=(8,), iterates=iterates)
    dut, found = provider(op), []

    async def operands(ctx):
        for value in (200, 100, 50):
            for channel, operand in zip(dut.inputs, (value, 7), strict=True):
                await put(ctx, channel, {"data": operand})

    async def taker(ctx):
        for stall in (25, 0, 3):
            found.append((await get(ctx, dut.out0, ["data"], stall=stall))["data"])

    run(dut, operands, taker)
    assert found == [28, 14, 7]


@pytest.mark.parametrize("timing", [(33, 33), (34, 33), (35, 1)])
def test_another_timing_has_no_provider(timing):
    with pytest.raises(Unsupported, match=r"latency of 34 cycles .* interval of 1, 34, not"):
        provider(integer_op(SIGNED, widths=(8, 32), latency=timing[0], interval=timing[1]))


class Traps(ScalarSignedIntegerDivRem):
    """Signs of a remainder are those of a quotient."""

    def is_configured(self, holds):
        if all(key.role == "Remainder" for key in self.behaviors if holds(key)):
            return Const(0, 1)
        return super().is_configured(holds)


def test_the_bench_rejects_a_mutant():
    assert wrong(divider(SIGNED, widths=(8,), iterates=False), usual(0), Traps)


@pytest.mark.parametrize(("family", "count"), [(SIGNED, 3), (UNSIGNED, 1)])
def test_quotient_and_remainder_come_from_one_divider(family, count, tmp_path):
    """One subtractor; two adders more negate the dividend and the result; the turns are counted."""
    found = adders(provider(divider(family, widths=(8,), iterates=True)), tmp_path)
    assert found == count + 1


@pytest.mark.parametrize("family", [SIGNED, UNSIGNED])
def test_the_shared_divider_is_smaller_than_its_members_apart(family, tmp_path):
    members = MEMBERS[family]
    apart = [provider(divider(family, each, widths=(8,), iterates=True)) for each in members]
    shared = provider(divider(family, widths=(8,), iterates=True))
    assert lut_count(shared, tmp_path) < sum(lut_count(each, tmp_path) for each in apart)
