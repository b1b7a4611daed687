"""The semantic field of a resource: keys and their bytes, lane images, what varies."""

from dataclasses import fields, replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fabricgen.errors import Invalid, Unsupported
from fabricgen.hsg.keys import BehaviorKey, ExactFormat, RepresentationWidth, encode_key
from fabricgen.hsg.lanes import lane_images
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.profile import STRICT_IEEE, IntegerCastRelation
from fabricgen.hsg.scalar_params import (
    ScalarFloatCompareMinMaxParams,
    ScalarFloatParams,
    ScalarIntegerCastParams,
    ScalarIntegerCompareMinMaxParams,
    ScalarIntegerParams,
)
from fabricgen.hsg.semantics import (
    DirectField,
    FiniteField,
    behavior_key,
    behaviors,
    direct_value,
    semantic_field,
)
from fabricgen.hsg.token_params import LoopStreamParams, RoutedTokenParams
from fabricgen.hsg.vector_params import (
    FixedVectorAdapterParams,
    FixedVectorIntegerParams,
    FixedVectorValueSelectParams,
)
from fabricgen.schema.payload import (
    Disjoint,
    FloatCompare,
    FloatingPoint,
    IntegerCompare,
    IntegerOverflowFlags,
    RegisteredIntrinsic,
    ZeroPoison,
)
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.operations import (
    FastMath,
    FloatPredicate,
    IntegerOverflow,
    IntegerPredicate,
    RoundingMode,
    StreamStepKind,
)
from tests.support.hsg import (
    F16,
    F32,
    FF,
    I1,
    I8,
    I16,
    I32,
    I64,
    INDEX32,
    W,
    X,
    actor,
    first_lanes,
    resource,
    resources,
    vector,
    widened,
)

HEAD = b"loom.fabric.operation-behavior-key\0\0\0\0\1\0\0\0\0"
IP, FPR = IntegerPredicate, FloatPredicate

#: By hand from reference table 3.3, for the resources of tests/support/hsg.py.
COUNTS = {
    F.SCALAR_INTEGER_ADD_SUB: 2,
    F.SCALAR_INTEGER_LOGIC: 3,  # both ORs share a key
    F.SCALAR_INTEGER_SHIFT: 1 + 1 + 4,
    F.SCALAR_INTEGER_COMPARE_MIN_MAX: 6 + 4 * 4 + 2 * 4 + 2,
    F.SCALAR_INTEGER_CAST: 4,
    F.SCALAR_FLOAT_SIGN: 2 * 3,  # F16 and BF16 share their width
    F.SCALAR_FLOAT_ADD_SUB: 2 * 4,
    F.SCALAR_FLOAT_COMPARE_MIN_MAX: 16 * 4 + 4 * 4,
    F.SCALAR_FLOAT_WIDTH_CAST: 2,
    F.SCALAR_INTEGER_TO_FLOAT: 2 * 2,
    F.SCALAR_FLOAT_TO_INTEGER: 2 * 2,  # saturating and ordinary share a mode
    F.LOOP_STREAM: 2 * 2,
    F.FIXED_VECTOR_INTEGER_ADD_SUB: 2 * 4,
    F.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX: 10 * 4 + 4 * 4,
    F.FIXED_VECTOR_VALUE_SELECT: 5,
    F.FIXED_VECTOR_PARALLELIZE: 128 // 8 + 128 // 32,
    F.FIXED_VECTOR_SERIALIZE: 128 // 8 + 128 // 32,
    F.TOKEN_SYNC: 3,
    F.TOKEN_MUX: 2,
    F.TOKEN_DEMUX: 2,
    F.SCALAR_SIGNED_INTEGER_DIV_REM: 2 * 4,
    F.SCALAR_INTEGER_SATURATING_ADD_SUB: 4 * 4,
    F.SCALAR_INTEGER_COUNT_ZEROS: 2 * 4,
    F.SCALAR_MATH_SIN: 4,
    F.SCALAR_MATH_POW: 4,
}
NOTHING = [
    F.SCALAR_VALUE_SELECT,
    F.SCALAR_BIT_REINTERPRET,
    F.SCALAR_INTEGER_MULTIPLY,
    F.LOOP_CARRY,
    F.LOOP_INVARIANT,
    F.LOOP_GATE,
    F.FIXED_VECTOR_PACK,
    F.FIXED_VECTOR_UNPACK,
]


def keys(op):
    field = semantic_field(op)
    assert isinstance(field, FiniteField)
    return field.keys


@pytest.mark.parametrize(("family", "count"), COUNTS.items())
def test_number_of_keys(family, count):
    assert len(keys(resource(family))) == count


@pytest.mark.parametrize("family", NOTHING)
def test_a_family_with_one_behaviour_has_no_field(family):
    assert semantic_field(resource(family)) is None


@pytest.mark.parametrize(
    ("key", "tail"),
    [
        (
            BehaviorKey(F.SCALAR_INTEGER_ADD_SUB, "Add"),
            b"\0\0\0\x13ScalarIntegerAddSub\0\0\0\3Add",
        ),
        (
            BehaviorKey(F.SCALAR_INTEGER_CAST, "SignExtend", source_bits=8, result_bits=64),
            b"\0\0\0\x11ScalarIntegerCast\0\0\0\x0aSignExtend\0\0\0\x08\0\0\0\x40",
        ),
        (
            BehaviorKey(
                F.SCALAR_FLOAT_COMPARE_MIN_MAX, "Minimum", comparison_format=ExactFormat(FF.F32)
            ),
            b"\0\0\0\x18ScalarFloatCompareMinMax\0\0\0\7Minimum\0\0\0\x08\0\0\0\1\0\0\0\2",
        ),
        (
            BehaviorKey(
                F.SCALAR_FLOAT_COMPARE_MIN_MAX, "Minimum", comparison_format=RepresentationWidth(16)
            ),
            b"\0\0\0\x18ScalarFloatCompareMinMax\0\0\0\7Minimum\0\0\0\x08\0\0\0\2\0\0\0\x10",
        ),
        (
            BehaviorKey(F.TOKEN_MUX, lanes=(2, 1)),
            b"\0\0\0\x08TokenMux\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\1",
        ),
    ],
)
def test_bytes_of_a_key(key, tail):
    assert encode_key(key) == HEAD + tail


def test_bytes_of_a_predicate_and_a_rounding_mode():
    atom = b"loom.dataflow.integer-compare-predicate\0\0\0\0\1\0\0\0\0\0\0\0\3"
    key = BehaviorKey(F.LOOP_STREAM, active_bits=32, predicate=IP.SLT)
    assert encode_key(key) == (
        HEAD + b"\0\0\0\x0aLoopStream\0\0\0\0\0\0\0\x20" + len(atom).to_bytes(4, "big") + atom
    )
    mode = b"loom.dataflow.rounding-mode\0\0\0\0\1\0\0\0\0\0\0\0\4"
    key = BehaviorKey(F.SCALAR_FLOAT_DIVIDE, format=FF.F64, rounding=RoundingMode.TOWARD_ZERO)
    assert encode_key(key) == (
        HEAD
        + b"\0\0\0\x11ScalarFloatDivide\0\0\0\0\0\0\0\4\0\0\0\3"
        + len(mode).to_bytes(4, "big")
        + mode
    )


@given(resources())
def test_keys_are_sorted_and_found_by_their_bytes(op):
    field = semantic_field(op)
    assume(isinstance(field, FiniteField))
    wires = [encode_key(key) for key in field.keys]
    assert wires == sorted(set(wires))
    assert len(wires) >= 2
    for ordinal, (key, wire) in enumerate(zip(field.keys, wires, strict=True)):
        assert field.decode(wire, "key") is key
        assert field.ordinal(key) == ordinal
    assert (1 << field.bit_count) >= len(wires) > 1 << (field.bit_count - 1)


@given(resources(), st.data())
def test_changed_bytes_are_refused_or_another_key(op, data):
    field = semantic_field(op)
    assume(isinstance(field, FiniteField))
    key = data.draw(st.sampled_from(field.keys))
    wire = bytearray(encode_key(key))
    kind = data.draw(st.sampled_from(["flip", "cut", "extend"]))
    if kind == "flip":
        wire[data.draw(st.integers(0, len(wire) - 1))] ^= data.draw(st.integers(1, 255))
    elif kind == "cut":
        del wire[data.draw(st.integers(0, len(wire) - 1)) :]
    else:
        wire += data.draw(st.binary(min_size=1, max_size=8))
    try:
        other = field.decode(bytes(wire), "key")
    except Invalid:
        return
    assert other != key
    assert encode_key(other) == bytes(wire)


@given(resources(), st.integers(1, 16), st.data())
def test_each_admitted_actor_has_a_key_of_the_field(op, lanes, data):
    field = semantic_field(op)
    probe = widened(data.draw(st.sampled_from(list(op.reachable()))), lanes)
    assume(op.admits(probe))
    if isinstance(field, DirectField):
        assert field.carrier.is_valid(direct_value(op, probe))
        return
    key = behavior_key(op, probe, first_lanes(probe))
    if isinstance(field, FiniteField):
        assert key in field.keys
    elif not isinstance(op.hw_params, RoutedTokenParams):
        assert key == replace(BehaviorKey(op.family), role=key.role)


def test_a_width_that_does_not_vary_is_no_component():
    shift = F.SCALAR_INTEGER_SHIFT
    one = resource(shift, params=ScalarIntegerParams((W.I32,)))
    assert {key.role: key.active_bits for key in keys(one)} == {
        "Left": None,
        "LogicalRight": None,
        "ArithmeticRight": None,
    }
    only = resource(shift, O.ARITH_SHRSI, params=ScalarIntegerParams((W.I32,)))
    assert semantic_field(only) is None
    two = resource(shift, O.ARITH_SHRSI, params=ScalarIntegerParams((W.I8, W.I32)))
    assert [key.active_bits for key in keys(two)] == [8, 32]


def test_a_width_that_varies_between_roles_only_is_no_component():
    # Extensions are from 8 to 32 bits, the truncation from 32 to 8: the role says it all.
    found = keys(resource(F.SCALAR_INTEGER_CAST))
    assert {key.role for key in found} == {"Identity", "SignExtend", "ZeroExtend", "Truncate"}
    assert {(key.source_bits, key.result_bits) for key in found} == {(None, None)}


def test_narrow_ports_shrink_the_domain():
    op = resource(F.SCALAR_INTEGER_SHIFT, O.ARITH_SHRSI, inputs=(16, 16), outputs=(16,))
    assert [key.active_bits for key in keys(op)] == [8, 16]


def test_an_unsigned_comparison_needs_no_width():
    params = ScalarIntegerCompareMinMaxParams((W.I8, W.I16), (IP.EQ, IP.SLT))
    op = resource(F.SCALAR_INTEGER_COMPARE_MIN_MAX, O.ARITH_CMPI, params=params)
    assert {(key.predicate, key.active_bits) for key in keys(op)} == {
        (IP.EQ, None),
        (IP.SLT, 8),
        (IP.SLT, 16),
    }


def test_one_width_is_no_component_beside_predicates_without():
    params = ScalarIntegerCompareMinMaxParams((W.I8,), (IP.EQ, IP.SLT))
    op = resource(F.SCALAR_INTEGER_COMPARE_MIN_MAX, O.ARITH_CMPI, params=params)
    assert {(key.predicate, key.active_bits) for key in keys(op)} == {(IP.EQ, None), (IP.SLT, None)}


def test_a_behaviour_has_the_components_that_do_not_vary_as_well():
    params = ScalarIntegerCompareMinMaxParams((W.I8,), (IP.EQ, IP.SLT))
    op = resource(F.SCALAR_INTEGER_COMPARE_MIN_MAX, O.ARITH_CMPI, params=params)
    # Equality of zero-extended operands is that of their representations, whatever their width.
    assert [(each.predicate, each.active_bits) for each in behaviors(op)] == [
        (IP.EQ, None),
        (IP.SLT, 8),
    ]
    one = resource(F.SCALAR_FLOAT_MULTIPLY, params=ScalarFloatParams((FF.F16,), STRICT_IEEE))
    assert [(each.format, each.rounding) for each in behaviors(one)] == [
        (FF.F16, RoundingMode.TO_NEAREST_EVEN)
    ]


@pytest.mark.parametrize("family", [each for each in F if each not in NOTHING])
def test_behaviours_stand_in_the_order_of_their_keys(family):
    op = resource(family)
    field = semantic_field(op)
    found = behaviors(op)
    assert (
        len(set(found)) == len(found) == (len(field.keys) if isinstance(field, FiniteField) else 0)
    )
    for whole, key in zip(found, getattr(field, "keys", ()), strict=True):
        # A key says what its behaviour says, or leaves it out.
        parts = [(getattr(whole, each.name), getattr(key, each.name)) for each in fields(key)]
        assert all(short in (None, full) for full, short in parts)


def test_roles_of_casts():
    pairs = ((W.I8, W.I32), (W.I32, W.I8), (W.I32, W.I32))
    params = ScalarIntegerCastParams(IntegerCastRelation(pairs, (X.I32,)))
    op = resource(F.SCALAR_INTEGER_CAST, params=params)
    by_actor = {
        "SignExtend": [
            actor(O.ARITH_EXTSI, (I8,), (I32,)),
            actor(O.ARITH_INDEX_CAST, (I8,), (INDEX32,)),
        ],
        "Truncate": [
            actor(O.ARITH_TRUNCI, (I32,), (I8,), IntegerOverflowFlags(IntegerOverflow.NUW)),
            actor(O.ARITH_INDEX_CAST, (INDEX32,), (I8,)),
        ],
        "Identity": [actor(O.ARITH_INDEX_CAST, (INDEX32,), (I32,))],
    }
    for role, actors in by_actor.items():
        assert {behavior_key(op, each).role for each in actors} == {role}


@pytest.mark.parametrize(
    ("op", "left", "right"),
    [
        (
            resource(F.SCALAR_INTEGER_LOGIC),
            actor(O.ARITH_ORI, (I8, I8), (I8,)),
            actor(O.LLVM_OR_DISJOINT, (I16, I16), (I16,), Disjoint(True)),
        ),
        (
            resource(F.SCALAR_INTEGER_COUNT_ZEROS),
            actor(O.MATH_CTLZ, (I8,), (I8,)),
            actor(O.LLVM_CTLZ, (I8,), (I8,), ZeroPoison(True)),
        ),
        (
            resource(F.SCALAR_FLOAT_TO_INTEGER),
            actor(O.ARITH_FPTOSI, (F32,), (I32,)),
            actor(O.LLVM_FPTOSI_SAT, (F32,), (I32,), RegisteredIntrinsic()),
        ),
        (
            resource(F.SCALAR_FLOAT_ADD_SUB),
            actor(O.ARITH_ADDF, (F32, F32), (F32,), FloatingPoint()),
            actor(O.ARITH_ADDF, (F32, F32), (F32,), FloatingPoint(FastMath.NNAN)),
        ),
        (
            resource(F.SCALAR_INTEGER_ADD_SUB),
            actor(O.ARITH_ADDI, (I8, I8), (I8,), IntegerOverflowFlags(IntegerOverflow.NSW)),
            actor(O.ARITH_ADDI, (I64, I64), (I64,), IntegerOverflowFlags()),
        ),
        (
            resource(F.FIXED_VECTOR_INTEGER_ADD_SUB),
            actor(O.ARITH_ADDI, (vector(2, I8),) * 2, (vector(2, I8),), IntegerOverflowFlags()),
            actor(O.ARITH_ADDI, (vector(9, I8),) * 2, (vector(9, I8),), IntegerOverflowFlags()),
        ),
    ],
)
def test_actors_that_share_a_behaviour(op, left, right):
    assert behavior_key(op, left) == behavior_key(op, right)


def test_a_rounding_mode_is_a_component_where_more_than_one_is_offered():
    modes = (RoundingMode.TO_NEAREST_EVEN, RoundingMode.UPWARD)
    behavior = replace(STRICT_IEEE, rounding_modes=modes)
    op = resource(F.SCALAR_FLOAT_MULTIPLY, params=ScalarFloatParams((FF.F16,), behavior))
    assert {key.rounding for key in keys(op)} == set(modes)
    plain = actor(O.ARITH_MULF, (F16, F16), (F16,), FloatingPoint())
    assert behavior_key(op, plain).rounding is RoundingMode.TO_NEAREST_EVEN
    one = resource(F.SCALAR_FLOAT_MULTIPLY, params=ScalarFloatParams((FF.F16,), STRICT_IEEE))
    assert semantic_field(one) is None


def test_comparisons_without_nans_know_widths_only():
    formats = (FF.F16, FF.BF16)
    strict = ScalarFloatCompareMinMaxParams(formats, STRICT_IEEE, (FPR.OLT,))
    compare = F.SCALAR_FLOAT_COMPARE_MIN_MAX

    def modes(params):
        compared = keys(resource(compare, O.ARITH_CMPF, params=params))
        return {key.comparison_format for key in compared}

    assert modes(strict) == {
        ExactFormat(FF.F16),
        ExactFormat(FF.BF16),
    }
    relaxed = replace(strict, behavior=replace(STRICT_IEEE, required_fast_math=FastMath.NNAN))
    op = resource(compare, O.ARITH_CMPF, params=relaxed)
    assert semantic_field(op) is None
    three = replace(relaxed, formats=(FF.F16, FF.BF16, FF.F32))
    assert modes(three) == {
        RepresentationWidth(16),
        RepresentationWidth(32),
    }


def test_a_relaxed_actor_reuses_the_strict_mode():
    op = resource(F.SCALAR_FLOAT_COMPARE_MIN_MAX)
    strict = actor(O.ARITH_CMPF, (F16, F16), (I1,), FloatCompare(FPR.OLT))
    relaxed = actor(O.ARITH_CMPF, (F16, F16), (I1,), FloatCompare(FPR.OLT, FastMath.NNAN))
    assert behavior_key(op, strict) == behavior_key(op, relaxed)


def test_a_stream_varies_over_the_whole_domain():
    params = LoopStreamParams((W.I8,), StreamStepKind.MUL, (IP.SLT, IP.ULT))
    assert [key.predicate for key in keys(resource(F.LOOP_STREAM, params=params))] == [
        IP.SLT,
        IP.ULT,
    ]
    assert {key.active_bits for key in keys(resource(F.LOOP_STREAM, params=params))} == {None}


def test_lane_counts_of_groups_are_bounded_by_payload_and_ports():
    params = FixedVectorAdapterParams((W.I8,), (), 64)
    wide = resource(F.FIXED_VECTOR_PARALLELIZE, params=params)
    assert [key.lane_count for key in keys(wide)] == list(range(1, 9))
    masked = resource(F.FIXED_VECTOR_PARALLELIZE, params=params, outputs=(64, 3, 1))
    assert [key.lane_count for key in keys(masked)] == [1, 2, 3]
    assert {key.element_bits for key in keys(masked)} == {None}


def test_unknown_key_bytes_have_a_code():
    field = semantic_field(resource(F.SCALAR_INTEGER_ADD_SUB))
    wire = encode_key(BehaviorKey(F.SCALAR_INTEGER_ADD_SUB, "Mul"))
    with pytest.raises(Invalid, match=r"^key: .* one of the resource's 2 keys, not .*unknown\]$"):
        field.decode(wire, "key")


def test_too_many_keys_are_unsupported():
    params = FixedVectorAdapterParams((W.I1,), (), 2**20)
    op = resource(F.FIXED_VECTOR_PARALLELIZE, params=params, outputs=(2**20, 2**20, 1))
    with pytest.raises(Unsupported, match=r"not 4097 or more \[semantic-keys-too-many\]$"):
        semantic_field(op)
    with pytest.raises(Invalid, match=r"\[op-unreachable\]$"):
        replace(op, ports=replace(op.ports, inputs=(128, 0)))
    few = replace(params, max_payload_bits=100)
    assert len(keys(replace(op, hw_params=few))) == 100


def test_vector_select_knows_the_element_width_only():
    params = FixedVectorValueSelectParams((W.I16,), (FF.F16, FF.F32), 64)
    op = resource(F.FIXED_VECTOR_VALUE_SELECT, params=params)
    assert [key.element_bits for key in keys(op)] == [16, 32]
    one = FixedVectorIntegerParams((W.I16,), 64)
    assert semantic_field(resource(F.FIXED_VECTOR_INTEGER_MULTIPLY, params=one)) is None


# Lane images: ports by hand.

FAN = RoutedTokenParams(64, 3)


def test_images_of_a_mux_are_ordered():
    ports = PhysicalPorts((32, 8, 64, 64, 64), (64,))
    assert set(lane_images(O.DATAFLOW_MUX, FAN, ports)) == {
        (1, 2),
        (2, 1),
        (2, 3),
        (1, 2, 3),
        (2, 1, 3),
        (2, 3, 1),
        (2, 3, 4),
    }


def test_images_of_a_sync_are_sets():
    ports = PhysicalPorts((8, 64, 64, 8), (8, 64, 16, 8))
    # Effective widths 8, 64, 16, 8: of the class of 8 bits, lane 0 comes before lane 3.
    assert set(lane_images(O.DATAFLOW_SYNC, FAN, ports)) == {
        (0,),
        (1,),
        (2,),
        (0, 3),
        (0, 1),
        (0, 2),
        (1, 2),
        (0, 1, 2),
        (0, 1, 3),
        (0, 2, 3),
    }


def test_a_selector_of_one_bit_tells_two_lanes_apart():
    ports = PhysicalPorts((1, 64), (8, 64, 64))
    assert set(lane_images(O.DATAFLOW_DEMUX, FAN, ports)) == {(0, 1), (1, 0), (1, 2)}


def test_the_capacity_bounds_effective_widths():
    ports = PhysicalPorts((32, 8, 64, 32), (64,))
    small = RoutedTokenParams(8, 2)
    assert lane_images(O.DATAFLOW_MUX, small, ports) == ((1, 2),)


MUX = resource(F.TOKEN_MUX, params=FAN, inputs=(32, 8, 64, 64, 64), outputs=(64,))
SYNC = resource(F.TOKEN_SYNC, params=FAN, inputs=(8, 64, 64), outputs=(8, 64, 16))


@pytest.mark.parametrize(
    ("op", "operands", "results", "lanes", "found"),
    [
        (MUX, (I1, I8, I8), (I8,), (2, 1), None),
        (MUX, (I1, I64, I64), (I64,), (2, 3), None),
        (MUX, (I1, I64, I64), (I64,), (2, 1), "admission-port-width"),
        (MUX, (I1, I8, I8), (I8,), (1, 3), "lane-image"),
        (MUX, (I1, I8, I8), (I8,), (3, 2), "lane-image"),
        (MUX, (I1, I8, I8), (I8,), (2, 2), "lane-image"),
        (MUX, (I1, I8, I8), (I8,), (0, 1), "lane-image"),
        (MUX, (I1, I8, I8), (I8,), (1, 2, 3), "lane-count"),
        (MUX, (I1, I8, I8), (I8,), (), "lane-image"),
        (SYNC, (I64, I8), (I64, I8), (1, 0), None),
        (SYNC, (I64, I8), (I64, I8), (0, 1), "admission-port-width"),
    ],
)
def test_a_correspondence_is_a_canonical_image(op, operands, results, lanes, found):
    (operation,) = op.op_list
    point = actor(operation, operands, results)
    if found is None:
        key = behavior_key(op, point, lanes)
        assert key in keys(op)
        assert key.lanes == (tuple(sorted(lanes)) if op is SYNC else lanes)
        return
    with pytest.raises(Invalid) as caught:
        behavior_key(op, point, lanes)
    assert {each.code for each in caught.value.diagnostics} == {found}


def test_images_that_explode_are_unsupported():
    widths = tuple(range(1, 13))
    ports = PhysicalPorts((32, *widths), (64,))
    with pytest.raises(Unsupported, match=r"\[semantic-keys-too-many\]$"):
        lane_images(O.DATAFLOW_MUX, RoutedTokenParams(64, 12), ports)
    many = PhysicalPorts((64,) * 2000, (64,) * 2000)
    with pytest.raises(Unsupported, match=r"\[semantic-keys-too-many\]$"):
        lane_images(O.DATAFLOW_SYNC, RoutedTokenParams(64, 2000), many)
    assert len(lane_images(O.DATAFLOW_SYNC, RoutedTokenParams(64, 1000), many)) == 1000


def test_an_actor_that_is_not_admitted_has_no_key():
    op = resource(F.SCALAR_INTEGER_ADD_SUB, O.ARITH_ADDI)
    with pytest.raises(Invalid, match=r"\[op-not-enabled\]$"):
        behavior_key(op, actor(O.ARITH_SUBI, (I8, I8), (I8,), IntegerOverflowFlags()))
    with pytest.raises(TypeError, match=r"^Resource must have a direct carrier"):
        direct_value(op, actor(O.ARITH_ADDI, (I8, I8), (I8,), IntegerOverflowFlags()))


def test_lanes_are_those_of_routed_tokens():
    with pytest.raises(TypeError, match=r"^Operation must be a sync, mux or demux"):
        lane_images(O.ARITH_ADDI, FAN, PhysicalPorts((8, 8), (8,)))


def test_predicates_are_configured():
    op = resource(F.SCALAR_INTEGER_COMPARE_MIN_MAX)
    point = actor(O.ARITH_CMPI, (I8, I8), (I1,), IntegerCompare(IP.SGE))
    assert behavior_key(op, point) == BehaviorKey(
        F.SCALAR_INTEGER_COMPARE_MIN_MAX, "Compare", active_bits=8, predicate=IP.SGE
    )
