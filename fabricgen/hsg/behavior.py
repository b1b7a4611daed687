"""What a resource of a finite family must be told to realise one exact actor.

The key has every component that may matter; :mod:`fabricgen.hsg.semantics` drops those that do
not vary over the resource.
"""

from typing import cast

from fabricgen.hsg.admission_rules import actor_rounding, nan_behavior
from fabricgen.hsg.keys import BehaviorKey, ExactFormat, RepresentationWidth
from fabricgen.hsg.params import CapabilityParams
from fabricgen.hsg.scalar_params import ScalarFloatCompareMinMaxParams
from fabricgen.hsg.vector_params import FixedVectorFloatCompareMinMaxParams
from fabricgen.schema.operation_actor import ROUNDED_OPERATIONS, OperationActor
from fabricgen.schema.payload import FloatCompare, IntegerCompare, StreamRecurrence
from fabricgen.schema.types import FloatType, ValueType, VectorType
from fabricgen.vocab.dataflow import OperationSchemaId
from fabricgen.vocab.families import ImplementationFamilyId
from fabricgen.vocab.hardware import FloatFormat
from fabricgen.vocab.operations import SIGNED_PREDICATES, FastMath

__all__ = ["behavior"]

_O = OperationSchemaId
_F = ImplementationFamilyId

#: What an operation makes its family do; one that is not here is all that its family does.
_ROLES = {
    _O.ARITH_ADDI: "Add",
    _O.ARITH_SUBI: "Sub",
    _O.ARITH_ANDI: "And",
    _O.ARITH_ORI: "Or",
    _O.LLVM_OR_DISJOINT: "Or",
    _O.ARITH_XORI: "Xor",
    _O.ARITH_SHLI: "Left",
    _O.ARITH_SHRUI: "LogicalRight",
    _O.ARITH_SHRSI: "ArithmeticRight",
    _O.ARITH_CMPI: "Compare",
    _O.ARITH_MINSI: "SignedMin",
    _O.ARITH_MAXSI: "SignedMax",
    _O.ARITH_MINUI: "UnsignedMin",
    _O.ARITH_MAXUI: "UnsignedMax",
    _O.ARITH_DIVSI: "Quotient",
    _O.ARITH_DIVUI: "Quotient",
    _O.ARITH_REMSI: "Remainder",
    _O.ARITH_REMUI: "Remainder",
    _O.LLVM_SADD_SAT: "SignedAdd",
    _O.LLVM_UADD_SAT: "UnsignedAdd",
    _O.LLVM_SSUB_SAT: "SignedSub",
    _O.LLVM_USUB_SAT: "UnsignedSub",
    _O.MATH_CTLZ: "Leading",
    _O.LLVM_CTLZ: "Leading",
    _O.MATH_CTTZ: "Trailing",
    _O.LLVM_CTTZ: "Trailing",
    _O.ARITH_NEGF: "Negate",
    _O.MATH_ABSF: "Absolute",
    _O.ARITH_ADDF: "Add",
    _O.ARITH_SUBF: "Sub",
    _O.ARITH_CMPF: "Compare",
    _O.ARITH_MINIMUMF: "Minimum",
    _O.ARITH_MAXIMUMF: "Maximum",
    _O.ARITH_MINNUMF: "MinNumber",
    _O.ARITH_MAXNUMF: "MaxNumber",
    _O.ARITH_EXTF: "Extend",
    _O.ARITH_TRUNCF: "Truncate",
    _O.ARITH_SITOFP: "Signed",
    _O.ARITH_UITOFP: "Unsigned",
    _O.ARITH_FPTOSI: "Signed",
    _O.LLVM_FPTOSI_SAT: "Signed",
    _O.ARITH_FPTOUI: "Unsigned",
    _O.LLVM_FPTOUI_SAT: "Unsigned",
}

#: Scalar integer families in which each operation needs its active width.
_WIDE = (
    _F.SCALAR_SIGNED_INTEGER_DIV_REM,
    _F.SCALAR_UNSIGNED_INTEGER_DIV_REM,
    _F.SCALAR_INTEGER_SATURATING_ADD_SUB,
    _F.SCALAR_INTEGER_COUNT_ZEROS,
)
_WIDE_OPERATIONS = (_O.ARITH_SHRSI, _O.ARITH_MINSI, _O.ARITH_MAXSI)
_CONVERSIONS = (_F.SCALAR_INTEGER_TO_FLOAT, _F.SCALAR_FLOAT_TO_INTEGER)
#: Families whose only behaviour needs no configuration, whatever the actor.
_FIXED = (
    _F.SCALAR_VALUE_SELECT,
    _F.SCALAR_BIT_REINTERPRET,
    _F.SCALAR_INTEGER_MULTIPLY,
    _F.LOOP_CARRY,
    _F.LOOP_INVARIANT,
    _F.LOOP_GATE,
    _F.FIXED_VECTOR_PACK,
    _F.FIXED_VECTOR_UNPACK,
)


def behavior(
    family: ImplementationFamilyId, params: CapabilityParams, actor: OperationActor
) -> BehaviorKey:
    """Key of an admitted actor with all its components; routed tokens have their lanes beside."""
    if family in _FIXED:
        return BehaviorKey(family)
    if family is _F.SCALAR_INTEGER_CAST:
        return _cast(family, actor)
    if family is _F.SCALAR_FLOAT_WIDTH_CAST:
        return _float_cast(family, actor)
    if family in _CONVERSIONS:
        return _conversion(family, actor)
    role = _ROLES.get(actor.schema_id, "")
    match params, actor.payload:
        case (
            (ScalarFloatCompareMinMaxParams() | FixedVectorFloatCompareMinMaxParams()) as record,
            payload,
        ):
            predicate = payload.predicate if isinstance(payload, FloatCompare) else None
            kind = _format(actor.operands[0])
            flags = record.behavior.minimal_flags(nan_behavior(actor.schema_id))
            without_nans = FastMath.NNAN in flags
            mode = RepresentationWidth(kind.bits) if without_nans else ExactFormat(kind)
            return BehaviorKey(family, role, predicate=predicate, comparison_format=mode)
        case _, StreamRecurrence(_, predicate):
            bits = actor.operands[0].bits
            return BehaviorKey(family, role, active_bits=bits, predicate=predicate)
        case _:
            pass
    subject = actor.operands[0] if isinstance(actor.payload, IntegerCompare) else actor.results[0]
    if actor.schema_id in (_O.DATAFLOW_PARALLELIZE, _O.DATAFLOW_SERIALIZE):
        return _group(family, actor)
    if family in (_F.SCALAR_FLOAT_SIGN, _F.FIXED_VECTOR_FLOAT_SIGN):
        return _by_width(family, role, subject)
    if isinstance(_element(subject), FloatType) and family is not _F.FIXED_VECTOR_VALUE_SELECT:
        rounding = actor_rounding(actor) if actor.schema_id in ROUNDED_OPERATIONS else None
        return BehaviorKey(family, role, format=_format(subject), rounding=rounding)
    return _integer(family, role, actor, subject)


def _integer(
    family: ImplementationFamilyId, role: str, actor: OperationActor, subject: ValueType
) -> BehaviorKey:
    predicate = actor.payload.predicate if isinstance(actor.payload, IntegerCompare) else None
    if isinstance(subject, VectorType):
        bits = subject.element.bits
        return BehaviorKey(family, role, element_bits=bits, predicate=predicate)
    needs_width = (
        family in _WIDE or actor.schema_id in _WIDE_OPERATIONS or predicate in SIGNED_PREDICATES
    )
    bits = subject.bits if needs_width else None
    return BehaviorKey(family, role, active_bits=bits, predicate=predicate)


def _by_width(family: ImplementationFamilyId, role: str, subject: ValueType) -> BehaviorKey:
    if isinstance(subject, VectorType):
        return BehaviorKey(family, role, element_bits=subject.element.bits)
    return BehaviorKey(family, role, active_bits=subject.bits)


def _cast(family: ImplementationFamilyId, actor: OperationActor) -> BehaviorKey:
    source, result = actor.operands[0].bits, actor.results[0].bits
    if source == result:
        role = "Identity"
    elif source > result:
        role = "Truncate"
    elif actor.schema_id in (_O.ARITH_EXTUI, _O.ARITH_INDEX_CASTUI):
        role = "ZeroExtend"
    else:
        role = "SignExtend"
    return BehaviorKey(family, role, source_bits=source, result_bits=result)


def _float_cast(family: ImplementationFamilyId, actor: OperationActor) -> BehaviorKey:
    return BehaviorKey(
        family,
        _ROLES[actor.schema_id],
        source_format=_format(actor.operands[0]),
        result_format=_format(actor.results[0]),
        rounding=actor_rounding(actor) if actor.schema_id in ROUNDED_OPERATIONS else None,
    )


def _conversion(family: ImplementationFamilyId, actor: OperationActor) -> BehaviorKey:
    integer, number = actor.operands[0], actor.results[0]
    if isinstance(integer, FloatType):
        integer, number = number, integer
    return BehaviorKey(
        family, _ROLES[actor.schema_id], active_bits=integer.bits, format=_format(number)
    )


def _group(family: ImplementationFamilyId, actor: OperationActor) -> BehaviorKey:
    gathers = actor.schema_id is _O.DATAFLOW_PARALLELIZE
    vector = actor.results[0] if gathers else actor.operands[0]
    lanes = vector.lanes if isinstance(vector, VectorType) else 1
    return BehaviorKey(family, element_bits=vector.bits // lanes, lane_count=lanes)


def _element(kind: ValueType) -> ValueType:
    return kind.element if isinstance(kind, VectorType) else kind


def _format(kind: ValueType) -> FloatFormat:
    # Who is asked has been admitted, as a float.
    return cast("FloatType", _element(kind)).format
