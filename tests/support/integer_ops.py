"""Resources of the scalar integer families with any widths, members and timing."""

from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.profile import IntegerCastRelation
from fabricgen.hsg.registry import FAMILIES
from fabricgen.hsg.resource import FabricOp, ResourceTiming
from fabricgen.hsg.scalar_params import (
    ScalarBitReinterpretParams,
    ScalarIntegerCastParams,
    ScalarIntegerCompareMinMaxParams,
    ScalarIntegerParams,
    ScalarValueSelectParams,
)
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.hardware import FloatFormat, IntegerWidth, ResolvedIndexWidth
from fabricgen.vocab.operations import IntegerPredicate


def _integers(widths):
    return tuple(each for each in IntegerWidth if each.bits in widths)


def _params(family, operations, widths, predicates, formats):
    match family:
        case F.SCALAR_INTEGER_COMPARE_MIN_MAX:
            used = tuple(each for each in IntegerPredicate if each in predicates)
            compares = O.ARITH_CMPI in operations
            return ScalarIntegerCompareMinMaxParams(_integers(widths), used if compares else ())
        case F.SCALAR_VALUE_SELECT:
            return ScalarValueSelectParams(_integers(widths), formats)
        case F.SCALAR_BIT_REINTERPRET:
            return ScalarBitReinterpretParams(_integers(widths), formats)
        case _:
            return ScalarIntegerParams(_integers(widths))


def integer_op(
    family,
    *operations,
    widths=(8, 16, 32, 64),
    predicates=tuple(IntegerPredicate),
    formats=(),
    latency=1,
    interval=1,
):
    """A resource with every member but address computation, unless some are named."""
    members = set(operations) or set(FAMILIES[family].admitted_operation_schema_ids)
    members.discard(O.LLVM_GET_ELEMENT_PTR)
    widest = max([*widths, *(each.bits for each in formats)])
    if family is F.SCALAR_VALUE_SELECT:
        inputs = (1, widest, widest)
    else:
        unary = family in (F.SCALAR_BIT_REINTERPRET, F.SCALAR_INTEGER_COUNT_ZEROS)
        inputs = (widest,) * (1 if unary else 2)
    return FabricOp.of(
        family,
        members,
        _params(family, members, widths, predicates, formats),
        PhysicalPorts(inputs, (widest,)),
        ResourceTiming(latency, interval),
    )


def cast_op(*operations, pairs, index_widths=(), ports=(64, 64)):
    """A caster of the given pairs of widths in bits, sorted."""
    by_bits = {each.bits: each for each in IntegerWidth}
    relation = IntegerCastRelation(
        tuple((by_bits[source], by_bits[result]) for source, result in pairs),
        tuple(each for each in ResolvedIndexWidth if each.bits in index_widths),
    )
    return FabricOp.of(
        F.SCALAR_INTEGER_CAST,
        set(operations),
        ScalarIntegerCastParams(relation),
        PhysicalPorts(ports[:1], ports[1:]),
        ResourceTiming(1),
    )


ALL_FORMATS = tuple(FloatFormat)
