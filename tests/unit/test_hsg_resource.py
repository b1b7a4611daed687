"""Concrete resources against the Concrete Capability Rules: each code, each legal neighbour."""

from dataclasses import replace

import pytest

from fabricgen.atoms.pointer import PointerFormat
from fabricgen.errors import Invalid
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.profile import STRICT_IEEE, IntegerCastRelation
from fabricgen.hsg.registry import FAMILIES
from fabricgen.hsg.resource import FabricOp, ResourceTiming
from fabricgen.hsg.scalar_params import (
    ScalarFloatCompareMinMaxParams,
    ScalarFloatWidthCastParams,
    ScalarIntegerCastParams,
    ScalarIntegerCompareMinMaxParams,
    ScalarIntegerParams,
)
from fabricgen.hsg.vector_params import (
    FixedVectorIntegerCompareMinMaxParams,
    FixedVectorIntegerParams,
)
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.hardware import FloatNaNBehavior
from fabricgen.vocab.operations import FloatPredicate, IntegerPredicate
from tests.support.hsg import BOTH_NANS, FF, ONCE, ORDINARY, PARAMS, W, X, resource, shape


def codes(build):
    with pytest.raises(Invalid) as caught:
        build()
    return [each.code for each in caught.value.diagnostics]


@pytest.mark.parametrize("family", list(F))
def test_each_family_has_a_legal_resource_with_all_members(family):
    built = resource(family)
    members = FAMILIES[family].admitted_operation_schema_ids
    assert set(built.op_list) == set(members) - {O.LLVM_GET_ELEMENT_PTR}
    assert {probe.schema_id for probe in built.reachable()} == set(built.op_list)


@pytest.mark.parametrize("family", list(F))
def test_each_family_has_its_number_of_ports(family):
    usual = shape(family)
    more = replace(usual, outputs=(*usual.outputs, 8))
    fewer = replace(usual, inputs=usual.inputs[:-1])
    if family not in (F.TOKEN_SYNC, F.TOKEN_DEMUX):
        assert codes(lambda: resource(family, outputs=more.outputs)) == ["resource-port-count"]
    if family is F.TOKEN_SYNC:
        fewer = PhysicalPorts((), (8,))
    if family is F.TOKEN_MUX:
        fewer = PhysicalPorts((8, 8), (8,))
    params = PARAMS[FAMILIES[family].capability_params_schema_id]
    enabled = resource(family).op_list
    assert codes(lambda: FabricOp(family, enabled, params, fewer, ONCE)) == ["resource-port-count"]


def test_a_gep_enabled_adder_is_refused_and_its_integer_neighbour_is_not():
    adder = F.SCALAR_INTEGER_ADD_SUB
    assert codes(lambda: resource(adder, O.ARITH_ADDI, O.LLVM_GET_ELEMENT_PTR)) == [
        "op-gep-enabled"
    ]
    assert resource(adder, O.ARITH_ADDI).op_list == (O.ARITH_ADDI,)


def test_an_op_outside_its_family_is_refused():
    assert codes(lambda: resource(F.SCALAR_INTEGER_ADD_SUB, O.ARITH_ADDI, O.ARITH_MULI)) == [
        "op-outside-family"
    ]
    assert resource(F.SCALAR_INTEGER_MULTIPLY, O.ARITH_MULI)
    # The scalar and the vector family have the operation; the memory has another owner.
    assert codes(lambda: resource(F.SCALAR_INTEGER_ADD_SUB, O.DATAFLOW_LOAD)) == [
        "op-outside-family"
    ]


def test_an_op_list_is_a_set_in_registry_order():
    good = resource(F.SCALAR_INTEGER_ADD_SUB)
    assert codes(lambda: replace(good, op_list=())) == ["op-list-empty"]
    assert codes(lambda: replace(good, op_list=(O.ARITH_SUBI, O.ARITH_ADDI))) == [
        "op-list-not-canonical"
    ]
    assert codes(lambda: replace(good, op_list=(O.ARITH_ADDI, O.ARITH_ADDI))) == [
        "op-list-not-canonical"
    ]
    assert replace(good, op_list=(O.ARITH_SUBI,)).op_list == (O.ARITH_SUBI,)


def test_an_orphan_predicate_is_refused_and_its_neighbours_are_not():
    compare = F.SCALAR_INTEGER_COMPARE_MIN_MAX
    some = ScalarIntegerCompareMinMaxParams((W.I32,), (IntegerPredicate.EQ,))
    none = replace(some, predicates=())
    assert codes(lambda: resource(compare, O.ARITH_MINSI, params=some)) == ["predicate-orphan"]
    assert resource(compare, O.ARITH_MINSI, params=none)
    assert resource(compare, O.ARITH_MINSI, O.ARITH_CMPI, params=some)
    assert codes(lambda: resource(compare, O.ARITH_CMPI, params=none)) == ["predicate-missing"]


def test_an_orphan_predicate_of_vectors_is_refused():
    compare = F.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX
    some = FixedVectorIntegerCompareMinMaxParams((W.I32,), (IntegerPredicate.EQ,), 128)
    assert codes(lambda: resource(compare, O.ARITH_MAXUI, params=some)) == ["predicate-orphan"]
    assert resource(compare, O.ARITH_MAXUI, params=replace(some, predicates=()))


OLT, OGT, OEQ = FloatPredicate.OLT, FloatPredicate.OGT, FloatPredicate.OEQ
NUMBER = replace(STRICT_IEEE, nan_behaviors=(FloatNaNBehavior.NUMBER_PREFERRED,))


@pytest.mark.parametrize(
    ("operations", "predicates", "behavior", "found"),
    [
        ([O.ARITH_MINIMUMF], (OLT,), STRICT_IEEE, []),
        ([O.ARITH_MINIMUMF], (OGT,), STRICT_IEEE, ["predicate-missing", "predicate-orphan"]),
        ([O.ARITH_MINIMUMF], (OGT, OLT), STRICT_IEEE, ["predicate-orphan"]),
        ([O.ARITH_MAXIMUMF], (OGT,), STRICT_IEEE, []),
        ([O.ARITH_MAXIMUMF, O.ARITH_MINIMUMF], (OGT, OLT), STRICT_IEEE, []),
        ([O.ARITH_MAXIMUMF, O.ARITH_MINIMUMF], (OGT,), STRICT_IEEE, ["predicate-missing"]),
        ([O.ARITH_CMPF], (OEQ,), STRICT_IEEE, []),
        ([O.ARITH_CMPF, O.ARITH_MINIMUMF], (OEQ,), STRICT_IEEE, ["predicate-missing"]),
        ([O.ARITH_CMPF, O.ARITH_MINIMUMF], (OEQ, OLT), STRICT_IEEE, []),
        ([O.ARITH_MINNUMF], (OLT,), NUMBER, []),
        ([O.ARITH_MINNUMF], (OLT,), STRICT_IEEE, ["nan-behavior-orphan"]),
        ([O.ARITH_MINNUMF], (OLT,), BOTH_NANS, ["nan-behavior-orphan"]),
        ([O.ARITH_MINNUMF, O.ARITH_MINIMUMF], (OLT,), BOTH_NANS, []),
        ([O.ARITH_CMPF], (OEQ,), BOTH_NANS, ["nan-behavior-orphan"]),
    ],
)
def test_a_float_comparator_declares_what_its_operations_use(
    operations, predicates, behavior, found
):
    params = ScalarFloatCompareMinMaxParams((FF.F32,), behavior, predicates)

    def build():
        return resource(F.SCALAR_FLOAT_COMPARE_MIN_MAX, *operations, params=params)

    assert codes(build) == found if found else build()


CAST = F.SCALAR_INTEGER_CAST


@pytest.mark.parametrize(
    ("operations", "pairs", "indices", "found"),
    [
        ([O.ARITH_EXTSI], ((W.I8, W.I16),), (), []),
        ([O.ARITH_EXTUI], ((W.I1, W.I8),), (), []),
        ([O.ARITH_EXTSI], ((W.I8, W.I16), (W.I16, W.I8)), (), ["cast-pair-orphan"]),
        ([O.ARITH_EXTSI, O.ARITH_TRUNCI], ((W.I8, W.I16), (W.I16, W.I8)), (), []),
        ([O.ARITH_TRUNCI], ((W.I8, W.I16),), (), ["cast-pair-orphan"]),
        ([O.ARITH_EXTSI], ((W.I8, W.I8),), (), ["cast-pair-orphan"]),
        ([O.ARITH_INDEX_CAST], ((W.I8, W.I32),), (X.I32,), []),
        ([O.ARITH_INDEX_CAST], ((W.I32, W.I32),), (X.I32,), []),
        ([O.ARITH_INDEX_CAST], ((W.I8, W.I32),), (X.I32, X.I64), ["index-width-orphan"]),
        ([O.ARITH_INDEX_CAST], ((W.I8, W.I16), (W.I8, W.I32)), (X.I32,), ["cast-pair-orphan"]),
        ([O.ARITH_EXTSI], ((W.I8, W.I32),), (X.I32,), ["index-width-orphan"]),
    ],
)
def test_a_converter_declares_what_its_casts_use(operations, pairs, indices, found):
    params = ScalarIntegerCastParams(IntegerCastRelation(pairs, indices))

    def build():
        return resource(CAST, *operations, params=params)

    assert codes(build) == found if found else build()


def test_a_float_cast_pair_serves_an_operation():
    both = ScalarFloatWidthCastParams(((FF.F16, FF.F32), (FF.F32, FF.F16)), STRICT_IEEE)
    cast = F.SCALAR_FLOAT_WIDTH_CAST
    assert codes(lambda: resource(cast, O.ARITH_EXTF, params=both)) == ["cast-pair-orphan"]
    assert resource(cast, O.ARITH_EXTF, params=replace(both, format_pairs=((FF.F16, FF.F32),)))


def test_a_pointer_format_needs_an_address_computation():
    params = ScalarIntegerParams(ORDINARY, (PointerFormat(0, 64, 48),))
    assert codes(lambda: resource(F.SCALAR_INTEGER_ADD_SUB, params=params)) == [
        "pointer-format-orphan"
    ]


def test_one_bit_integers_are_for_logic():
    one = ScalarIntegerParams((W.I1, W.I8))
    assert codes(lambda: resource(F.SCALAR_INTEGER_ADD_SUB, params=one)) == ["params-width-class"]
    assert codes(lambda: resource(F.SCALAR_INTEGER_COUNT_ZEROS, params=one)) == [
        "params-width-class"
    ]
    assert resource(F.SCALAR_INTEGER_LOGIC, params=one)
    lanes = FixedVectorIntegerParams((W.I1, W.I8), 64)
    assert codes(lambda: resource(F.FIXED_VECTOR_INTEGER_SHIFT, params=lanes)) == [
        "params-width-class"
    ]
    assert resource(F.FIXED_VECTOR_INTEGER_LOGIC, params=lanes)


def test_parameters_are_those_of_the_family():
    wrong = FixedVectorIntegerParams(ORDINARY, 128)
    assert codes(lambda: resource(F.SCALAR_INTEGER_ADD_SUB, params=wrong)) == [
        "resource-params-schema"
    ]


def test_an_enabled_operation_is_reachable():
    adder = F.SCALAR_INTEGER_ADD_SUB
    narrow = {"inputs": (4, 8), "outputs": (8,)}
    assert codes(lambda: resource(adder, O.ARITH_ADDI, **narrow)) == ["op-unreachable"]
    assert resource(adder, O.ARITH_ADDI, inputs=(8, 8), outputs=(8,))
    only_wide = replace(PARAMS[FAMILIES[CAST].capability_params_schema_id])
    pairs = replace(only_wide, relation=IntegerCastRelation(((W.I8, W.I32),)))
    assert codes(lambda: resource(CAST, O.ARITH_EXTSI, O.ARITH_TRUNCI, params=pairs)) == [
        "op-unreachable"
    ]
    assert codes(lambda: resource(F.TOKEN_CONSTANT, outputs=(0,))) == ["op-unreachable"]
    assert codes(lambda: resource(F.TOKEN_MUX, inputs=(0, 8, 8), outputs=(8,))) == [
        "op-unreachable"
    ]


def test_timing_and_ports_have_ranges():
    assert codes(lambda: ResourceTiming(-1)) == ["timing-range"]
    assert codes(lambda: ResourceTiming(1, 0)) == ["timing-range"]
    assert ResourceTiming(0, 1)
    assert codes(lambda: PhysicalPorts((-1,), ())) == ["port-range"]
    assert codes(lambda: PhysicalPorts((), (2**32,))) == ["port-range"]
    assert PhysicalPorts((0,), (2**32 - 1,))
