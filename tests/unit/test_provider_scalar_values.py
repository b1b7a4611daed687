"""Selection, reinterpretation and integer casts against Python integers."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import Mux

from fabricgen.rtl.providers.registry import provider
from fabricgen.rtl.providers.scalar_values import (
    ScalarBitReinterpret,
    ScalarIntegerCast,
    ScalarValueSelect,
)
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support.integer_ops import ALL_FORMATS, cast_op, integer_op
from tests.support.netlist import lut_count
from tests.support.provider_bench import usual, wrong

SELECT, REINTERPRET = F.SCALAR_VALUE_SELECT, F.SCALAR_BIT_REINTERPRET
BITS = (1, 8, 16, 32, 64)
UP = [(a, b) for a in BITS for b in BITS if a < b]
DOWN = [(a, b) for a in BITS for b in BITS if a > b]
CASTS = [
    cast_op(O.ARITH_EXTSI, pairs=UP),
    cast_op(O.ARITH_EXTUI, pairs=UP),
    cast_op(O.ARITH_EXTSI, O.ARITH_EXTUI, O.ARITH_TRUNCI, pairs=sorted(UP + DOWN)),
    cast_op(O.ARITH_TRUNCI, pairs=DOWN, ports=(64, 32)),
    cast_op(O.ARITH_EXTSI, pairs=[(8, 32)], ports=(8, 32)),
    cast_op(O.ARITH_EXTUI, pairs=[(8, 32), (16, 32)], ports=(16, 64)),
    cast_op(
        O.ARITH_INDEX_CAST,
        O.ARITH_INDEX_CASTUI,
        pairs=[(8, 32), (16, 64), (32, 8), (32, 32), (32, 64), (64, 32)],
        index_widths=(32, 64),
    ),
]


@pytest.mark.parametrize("family", [SELECT, REINTERPRET])
@pytest.mark.parametrize("widths", [(8, 16, 32, 64), (8, 32), (16,)])
def test_values_of_every_type_pass_unchanged(family, widths):
    assert wrong(integer_op(family, widths=widths), usual(40)) == []


@pytest.mark.parametrize("family", [SELECT, REINTERPRET])
def test_values_may_be_floats_alone(family):
    op = integer_op(family, widths=(), formats=ALL_FORMATS)
    assert wrong(op, usual(20)) == []


def test_bits_may_be_selected():
    assert wrong(integer_op(SELECT, widths=(1,)), usual(8)) == []


@pytest.mark.parametrize("op", CASTS)
def test_every_pair_of_widths_is_cast(op):
    assert wrong(op, usual(40)) == []


class Crossed(ScalarValueSelect):
    """The other way round."""

    def datapath(self, m, stages):
        condition, if_true, if_false = stages.operands
        return Mux(condition[0], if_false, if_true)


class Inverted(ScalarBitReinterpret):
    """Not the same bits."""

    def datapath(self, m, stages):
        return ~super().datapath(m, stages)


class ZeroExtends(ScalarIntegerCast):
    """A sign is a zero."""

    def _sign(self, operand):
        return super()._sign(operand) & 0


@pytest.mark.parametrize(
    ("op", "mutant"),
    [
        (integer_op(SELECT, widths=(8,)), Crossed),
        (integer_op(REINTERPRET, widths=(8,)), Inverted),
        (CASTS[0], ZeroExtends),
    ],
)
def test_the_bench_rejects_a_mutant(op, mutant):
    assert wrong(op, usual(0), mutant)


def test_what_has_one_behaviour_is_wires(tmp_path):
    """The handshake of one slot alone."""
    ops = [
        integer_op(REINTERPRET, widths=(8, 16, 32), formats=ALL_FORMATS[:3]),
        cast_op(O.ARITH_EXTSI, pairs=[(8, 32)], ports=(32, 32)),
        cast_op(O.ARITH_TRUNCI, pairs=[(32, 8)], ports=(32, 8)),
    ]
    assert [lut_count(provider(op), tmp_path) for op in ops] == [2, 2, 2]


def test_casts_share_their_wires(tmp_path):
    pairs = [(8, 32), (16, 32)]
    members = [O.ARITH_EXTSI, O.ARITH_EXTUI]
    apart = [provider(cast_op(each, pairs=pairs)) for each in members]
    shared = provider(cast_op(*members, pairs=pairs))
    assert lut_count(shared, tmp_path) < sum(lut_count(each, tmp_path) for each in apart)
