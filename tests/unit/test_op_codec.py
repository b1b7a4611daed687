"""Fields of datapath resources: widths, codes and strictness, by hand and over every family."""

import pytest

from fabricgen.config.op_codec import (
    decode_op_value,
    encode_op_value,
    op_field_width,
    op_storable_mask,
)
from fabricgen.errors import Invalid
from fabricgen.hsg.semantics import DirectField, FiniteField, semantic_field
from fabricgen.hsg.setting import configured_value, inactive_value
from fabricgen.hsg.vector_params import (
    FixedVectorShuffleParams,
    FixedVectorSliceAlignMergeParams,
)
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.payload import (
    Exact,
    IntegerOverflowFlags,
    NoPayload,
    ShuffleMask,
    StaticPosition,
    TypedConstant,
)
from fabricgen.schema.types import NoneType, VectorType
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support.hsg import FF, I8, I32, INDEX32, W, X, first_lanes, resource, vector
from tests.support.hsg_ops import add_sub

ADDER = add_sub()
SHIFTER = resource(F.SCALAR_INTEGER_SHIFT)
SLICE = resource(F.FIXED_VECTOR_SLICE_ALIGN_MERGE)
SHUFFLE = resource(F.FIXED_VECTOR_SHUFFLE)
CONSTANT = resource(F.TOKEN_CONSTANT)


def code(op, actor, lanes=None):
    return encode_op_value(op, configured_value(op, actor, lanes))


def binary(operation, kind, payload=None):
    return OperationActor(operation, (kind, kind), (kind,), payload or NoPayload())


def test_two_keys_take_two_bits():
    # n is the least with 2**n > 2; the second bit is never set.
    assert (op_field_width(ADDER), op_storable_mask(ADDER)) == (2, 0b01)
    flags = IntegerOverflowFlags()
    # b"\0\0\0\3Add" is before b"\0\0\0\3Sub", and the width is no part of a sum.
    assert [code(ADDER, binary(O.ARITH_ADDI, kind, flags)) for kind in (I8, I32)] == [0, 0]
    assert code(ADDER, binary(O.ARITH_SUBI, I32, flags)) == 1


def test_codes_go_by_the_bytes_of_keys():
    # Left, then LogicalRight, since frames start with a length; then ArithmeticRight, whose four
    # widths are u32be behind it. Six keys take 3 bits, and so would seven.
    assert (op_field_width(SHIFTER), op_storable_mask(SHIFTER)) == (3, 0b111)
    actors = [
        binary(O.ARITH_SHLI, I32, IntegerOverflowFlags()),
        binary(O.ARITH_SHRUI, I32, Exact()),
        binary(O.ARITH_SHRSI, I8, Exact()),
        binary(O.ARITH_SHRSI, I32, Exact()),
    ]
    assert [code(SHIFTER, actor) for actor in actors] == [0, 1, 2, 4]


def test_a_slice_packed_by_hand():
    # Mode 1 bit, offset 7 bits, width less one 6 bits, one stride of 8 bits.
    assert op_field_width(SLICE) == 22
    grid = VectorType((2, 4), I8)
    inserted = OperationActor(
        O.VECTOR_INSERT, (I8, grid, INDEX32), (grid,), StaticPosition((None, 3))
    )
    assert code(SLICE, inserted) == 1 | 24 << 1 | 7 << 8 | 32 << 14


def test_a_shuffle_packed_by_hand():
    # Width less one 5 bits, left count 3, result count 2, four selectors of 3 bits.
    assert op_field_width(SHUFFLE) == 22
    reversed_pair = OperationActor(
        O.VECTOR_SHUFFLE, (vector(2, I8),) * 2, (vector(3, I8),), ShuffleMask((3, -1, 1))
    )
    assert code(SHUFFLE, reversed_pair) == 7 | 1 << 5 | 2 << 8 | 3 << 10 | 0 << 13 | 1 << 16


def test_a_constant_is_its_own_code():
    value = TypedConstant(vector(2, I8), (0x34, 0x12))
    actor = OperationActor(O.DATAFLOW_CONSTANT, (NoneType(),), (value.type,), value)
    assert (op_field_width(CONSTANT), code(CONSTANT, actor)) == (64, 0x1234)
    assert op_storable_mask(CONSTANT) == 2**64 - 1


def test_a_resource_of_one_behaviour_has_no_field():
    multiplier = resource(F.SCALAR_INTEGER_MULTIPLY)
    assert (op_field_width(multiplier), op_storable_mask(multiplier)) == (0, 0)
    assert code(multiplier, binary(O.ARITH_MULI, I8, IntegerOverflowFlags())) == 0
    assert decode_op_value(multiplier, 0) is None is inactive_value(multiplier)


@pytest.mark.parametrize("family", F, ids=lambda each: each.name.lower())
def test_every_reachable_actor_comes_back(family):
    op = resource(family)
    width, mask, codes = op_field_width(op), op_storable_mask(op), set()
    for actor in op.reachable():
        value = configured_value(op, actor, first_lanes(actor))
        bits = encode_op_value(op, value)
        assert decode_op_value(op, bits) == value
        assert not bits & ~mask
        assert not mask >> width
        codes.add(bits)
    field = semantic_field(op)
    if isinstance(field, FiniteField):
        keys = len(field.keys)
        assert 2 ** (width - 1) <= keys < 2**width
        assert [decode_op_value(op, bits) for bits in range(keys)] == list(field.keys)
        assert codes <= set(range(keys))
        assert inactive_value(op) == field.keys[0]
    elif isinstance(field, DirectField):
        assert field.carrier.is_valid(inactive_value(op))
    else:
        assert (width, codes, inactive_value(op)) == (0, {0}, None)


def test_inactive_carriers():
    # Offset 0, the first element of 8 bits, no stride: the width less one lies behind mode and
    # offset, or is the first field.
    assert inactive_value(SLICE) == 7 << 8
    assert inactive_value(SHUFFLE) == 7
    assert inactive_value(CONSTANT) == 0


def refused(call):
    with pytest.raises(Invalid) as caught:
        call()
    return [(d.code, d.message) for d in caught.value.diagnostics]


def test_bits_that_mean_nothing_are_refused():
    assert refused(lambda: decode_op_value(ADDER, 2)) == [
        ("op-code", "The value must be the code of one of 2 keys, not 0x2")
    ]
    assert refused(lambda: decode_op_value(ADDER, 4)) == [
        ("carrier-width", "The value must fit 2 bits, not 0x4")
    ]
    message = "The value must be a carrier of 22 bits that some admitted actor needs, not 0x0"
    assert refused(lambda: decode_op_value(SLICE, 0)) == [("op-carrier", message)]
    assert refused(lambda: decode_op_value(resource(F.SCALAR_INTEGER_MULTIPLY), 1)) == [
        ("carrier-width", "The value must fit 0 bits, not 0x1")
    ]


def test_values_of_other_resources_are_refused():
    key = inactive_value(SHIFTER)
    for op, value in [(ADDER, key), (ADDER, 0), (ADDER, None), (SLICE, 0), (SLICE, key)]:
        assert [code for code, _ in refused(lambda op=op, v=value: encode_op_value(op, v))] == [
            "op-value"
        ]
    multiplier = resource(F.SCALAR_INTEGER_MULTIPLY)
    assert refused(lambda: encode_op_value(multiplier, 0))[0][0] == "op-value"


def test_lanes_belong_to_routed_tokens():
    actor = binary(O.ARITH_ADDI, I8, IntegerOverflowFlags())
    assert refused(lambda: configured_value(ADDER, actor, (0,)))[0][0] == "lanes-not-routed"
    assert configured_value(ADDER, actor, None) == semantic_field(ADDER).keys[0]


def test_an_actor_that_is_not_admitted_is_refused_without_a_field_too():
    narrow = resource(
        F.FIXED_VECTOR_SLICE_ALIGN_MERGE,
        O.VECTOR_EXTRACT,
        params=FixedVectorSliceAlignMergeParams((W.I8,), (), 8, 8, 0, ()),
        inputs=(8, 0),
    )
    assert op_field_width(narrow) == 0
    actor = OperationActor(O.VECTOR_EXTRACT, (vector(1, I8),), (I8,), StaticPosition((0,)))
    assert configured_value(narrow, actor) is None
    wide = OperationActor(O.VECTOR_EXTRACT, (vector(2, I8),), (I8,), StaticPosition((0,)))
    assert refused(lambda: configured_value(narrow, wide))
    multiplier = resource(F.SCALAR_INTEGER_MULTIPLY)
    assert refused(
        lambda: configured_value(multiplier, binary(O.ARITH_ADDI, I8, IntegerOverflowFlags()))
    )


def union(op):
    """Bits of every carrier that is valid, one by one."""
    carrier = semantic_field(op).carrier
    found = 0
    for bits in range(1 << carrier.bit_count):
        found |= bits if carrier.is_valid(bits) else 0
    return found


@pytest.mark.parametrize(
    ("operations", "params", "inputs", "output"),
    [
        ((), ((W.I8,), (), 12, 8, 0, ()), (8, 12), 12),
        ((O.VECTOR_EXTRACT,), ((W.I8,), (), 20, 16, 0, ()), (20, 0), 8),
        ((O.VECTOR_INSERT,), ((W.I1,), (), 6, 3, 1, (X.I32,)), (4, 5, 32), 6),
        ((O.VECTOR_INSERT,), ((W.I1,), (), 6, 3, 1, (X.I32,)), (4, 5, 16), 6),
        ((O.VECTOR_EXTRACT,), ((W.I8,), (FF.F16,), 20, 16, 0, ()), (20, 0), 16),
    ],
)
def test_storable_bits_of_slices(operations, params, inputs, output):
    params = FixedVectorSliceAlignMergeParams(*params)
    family = F.FIXED_VECTOR_SLICE_ALIGN_MERGE
    op = resource(family, *operations, params=params, inputs=inputs, outputs=(output,))
    assert op_storable_mask(op) == union(op)


@pytest.mark.parametrize(
    ("params", "inputs", "output"),
    [
        (((W.I8,), (), 16, 16, 8, 4, 2), (16, 16), 16),
        (((W.I8,), (), 24, 24, 16, 4, 2), (16, 8), 8),
        (((W.I1,), (), 3, 3, 2, 4, 3), (3, 2), 2),
        (((W.I8,), (FF.F16,), 40, 16, 16, 5, 2), (8, 40), 16),
    ],
)
def test_storable_bits_of_shuffles(params, inputs, output):
    params = FixedVectorShuffleParams(*params)
    op = resource(F.FIXED_VECTOR_SHUFFLE, params=params, inputs=inputs, outputs=(output,))
    assert op_storable_mask(op) == union(op)
