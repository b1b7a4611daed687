"""The one table of implementation families (spec: Normative Family Registry)."""

from dataclasses import dataclass

from fabricgen.errors import Diagnostic, Invalid
from fabricgen.vocab.dataflow import OperationSchemaId
from fabricgen.vocab.families import (
    CapabilityParamsSchemaId,
    ImplementationFamilyId,
    TypedAdmissionProviderId,
)

__all__ = [
    "FAMILIES",
    "ImplementationFamilyDescriptor",
    "families_of",
    "family_keyword",
    "family_named",
]

_F = ImplementationFamilyId
_P = CapabilityParamsSchemaId
_A = TypedAdmissionProviderId
_O = OperationSchemaId


@dataclass(frozen=True, slots=True)
class ImplementationFamilyDescriptor:
    """One family: its id, its member operations, its parameter schema and its admission rule."""

    family_id: ImplementationFamilyId
    admitted_operation_schema_ids: tuple[OperationSchemaId, ...]
    capability_params_schema_id: CapabilityParamsSchemaId
    typed_admission_provider_id: TypedAdmissionProviderId


def _row(
    family: ImplementationFamilyId,
    params: CapabilityParamsSchemaId,
    admission: TypedAdmissionProviderId,
    *members: OperationSchemaId,
) -> ImplementationFamilyDescriptor:
    return ImplementationFamilyDescriptor(family, members, params, admission)


_ROWS = (
    _row(
        _F.SCALAR_INTEGER_ADD_SUB,
        _P.SCALAR_INTEGER,
        _A.SCALAR_ORDINARY_INTEGER,
        _O.ARITH_ADDI,
        _O.ARITH_SUBI,
        _O.LLVM_GET_ELEMENT_PTR,
    ),
    _row(
        _F.SCALAR_INTEGER_LOGIC,
        _P.SCALAR_INTEGER,
        _A.SCALAR_LOGIC_INTEGER,
        _O.ARITH_ANDI,
        _O.ARITH_ORI,
        _O.ARITH_XORI,
        _O.LLVM_OR_DISJOINT,
    ),
    _row(
        _F.SCALAR_INTEGER_SHIFT,
        _P.SCALAR_INTEGER,
        _A.SCALAR_ORDINARY_INTEGER,
        _O.ARITH_SHLI,
        _O.ARITH_SHRSI,
        _O.ARITH_SHRUI,
    ),
    _row(
        _F.SCALAR_INTEGER_COMPARE_MIN_MAX,
        _P.SCALAR_INTEGER_COMPARE_MIN_MAX,
        _A.SCALAR_INTEGER_COMPARE,
        _O.ARITH_CMPI,
        _O.ARITH_MINSI,
        _O.ARITH_MAXSI,
        _O.ARITH_MINUI,
        _O.ARITH_MAXUI,
    ),
    _row(_F.SCALAR_VALUE_SELECT, _P.SCALAR_VALUE_SELECT, _A.SCALAR_VALUE_SELECT, _O.ARITH_SELECT),
    _row(
        _F.SCALAR_INTEGER_CAST,
        _P.SCALAR_INTEGER_CAST,
        _A.SCALAR_INTEGER_CAST,
        _O.ARITH_EXTSI,
        _O.ARITH_EXTUI,
        _O.ARITH_TRUNCI,
        _O.ARITH_INDEX_CAST,
        _O.ARITH_INDEX_CASTUI,
    ),
    _row(
        _F.SCALAR_BIT_REINTERPRET,
        _P.SCALAR_BIT_REINTERPRET,
        _A.SCALAR_BIT_REINTERPRET,
        _O.ARITH_BITCAST,
    ),
    _row(
        _F.SCALAR_FLOAT_SIGN, _P.SCALAR_FLOAT, _A.SCALAR_UNIFORM_FLOAT, _O.ARITH_NEGF, _O.MATH_ABSF
    ),
    _row(
        _F.SCALAR_FLOAT_ADD_SUB,
        _P.SCALAR_FLOAT,
        _A.SCALAR_UNIFORM_FLOAT,
        _O.ARITH_ADDF,
        _O.ARITH_SUBF,
    ),
    _row(
        _F.SCALAR_FLOAT_COMPARE_MIN_MAX,
        _P.SCALAR_FLOAT_COMPARE_MIN_MAX,
        _A.SCALAR_FLOAT_COMPARE,
        _O.ARITH_CMPF,
        _O.ARITH_MINIMUMF,
        _O.ARITH_MAXIMUMF,
        _O.ARITH_MINNUMF,
        _O.ARITH_MAXNUMF,
    ),
    _row(
        _F.SCALAR_FLOAT_WIDTH_CAST,
        _P.SCALAR_FLOAT_WIDTH_CAST,
        _A.SCALAR_FLOAT_CAST,
        _O.ARITH_EXTF,
        _O.ARITH_TRUNCF,
    ),
    _row(
        _F.SCALAR_INTEGER_TO_FLOAT,
        _P.SCALAR_INTEGER_FLOAT_CONVERSION,
        _A.SCALAR_INTEGER_FLOAT_CONVERSION,
        _O.ARITH_SITOFP,
        _O.ARITH_UITOFP,
    ),
    _row(
        _F.SCALAR_FLOAT_TO_INTEGER,
        _P.SCALAR_INTEGER_FLOAT_CONVERSION,
        _A.SCALAR_INTEGER_FLOAT_CONVERSION,
        _O.ARITH_FPTOSI,
        _O.ARITH_FPTOUI,
        _O.LLVM_FPTOSI_SAT,
        _O.LLVM_FPTOUI_SAT,
    ),
    _row(_F.SCALAR_INTEGER_MULTIPLY, _P.SCALAR_INTEGER, _A.SCALAR_ORDINARY_INTEGER, _O.ARITH_MULI),
    _row(_F.SCALAR_FLOAT_MULTIPLY, _P.SCALAR_FLOAT, _A.SCALAR_UNIFORM_FLOAT, _O.ARITH_MULF),
    _row(_F.SCALAR_FLOAT_FMA, _P.SCALAR_FLOAT, _A.SCALAR_UNIFORM_FLOAT, _O.MATH_FMA),
    _row(_F.LOOP_STREAM, _P.LOOP_STREAM, _A.STREAM, _O.DATAFLOW_STREAM),
    _row(_F.LOOP_CARRY, _P.TOKEN_PLANE, _A.TOKEN_PLANE, _O.DATAFLOW_CARRY),
    _row(_F.LOOP_INVARIANT, _P.TOKEN_PLANE, _A.TOKEN_PLANE, _O.DATAFLOW_INVARIANT),
    _row(_F.LOOP_GATE, _P.TOKEN_PLANE, _A.TOKEN_PLANE, _O.DATAFLOW_GATE),
    _row(
        _F.FIXED_VECTOR_INTEGER_ADD_SUB,
        _P.FIXED_VECTOR_INTEGER,
        _A.FIXED_VECTOR_ORDINARY_INTEGER,
        _O.ARITH_ADDI,
        _O.ARITH_SUBI,
    ),
    _row(
        _F.FIXED_VECTOR_INTEGER_LOGIC,
        _P.FIXED_VECTOR_INTEGER,
        _A.FIXED_VECTOR_LOGIC_INTEGER,
        _O.ARITH_ANDI,
        _O.ARITH_ORI,
        _O.ARITH_XORI,
        _O.LLVM_OR_DISJOINT,
    ),
    _row(
        _F.FIXED_VECTOR_INTEGER_SHIFT,
        _P.FIXED_VECTOR_INTEGER,
        _A.FIXED_VECTOR_ORDINARY_INTEGER,
        _O.ARITH_SHLI,
        _O.ARITH_SHRSI,
        _O.ARITH_SHRUI,
    ),
    _row(
        _F.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX,
        _P.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX,
        _A.FIXED_VECTOR_INTEGER_COMPARE,
        _O.ARITH_CMPI,
        _O.ARITH_MINSI,
        _O.ARITH_MAXSI,
        _O.ARITH_MINUI,
        _O.ARITH_MAXUI,
    ),
    _row(
        _F.FIXED_VECTOR_VALUE_SELECT,
        _P.FIXED_VECTOR_VALUE_SELECT,
        _A.FIXED_VECTOR_VALUE_SELECT,
        _O.ARITH_SELECT,
    ),
    _row(
        _F.FIXED_VECTOR_INTEGER_MULTIPLY,
        _P.FIXED_VECTOR_INTEGER,
        _A.FIXED_VECTOR_ORDINARY_INTEGER,
        _O.ARITH_MULI,
    ),
    _row(
        _F.FIXED_VECTOR_FLOAT_SIGN,
        _P.FIXED_VECTOR_FLOAT,
        _A.FIXED_VECTOR_UNIFORM_FLOAT,
        _O.ARITH_NEGF,
        _O.MATH_ABSF,
    ),
    _row(
        _F.FIXED_VECTOR_FLOAT_ADD_SUB,
        _P.FIXED_VECTOR_FLOAT,
        _A.FIXED_VECTOR_UNIFORM_FLOAT,
        _O.ARITH_ADDF,
        _O.ARITH_SUBF,
    ),
    _row(
        _F.FIXED_VECTOR_FLOAT_COMPARE_MIN_MAX,
        _P.FIXED_VECTOR_FLOAT_COMPARE_MIN_MAX,
        _A.FIXED_VECTOR_FLOAT_COMPARE,
        _O.ARITH_CMPF,
        _O.ARITH_MINIMUMF,
        _O.ARITH_MAXIMUMF,
        _O.ARITH_MINNUMF,
        _O.ARITH_MAXNUMF,
    ),
    _row(
        _F.FIXED_VECTOR_FLOAT_MULTIPLY,
        _P.FIXED_VECTOR_FLOAT,
        _A.FIXED_VECTOR_UNIFORM_FLOAT,
        _O.ARITH_MULF,
    ),
    _row(
        _F.FIXED_VECTOR_FLOAT_FMA, _P.FIXED_VECTOR_FLOAT, _A.FIXED_VECTOR_UNIFORM_FLOAT, _O.MATH_FMA
    ),
    _row(_F.FIXED_VECTOR_PACK, _P.FIXED_VECTOR_ADAPTER, _A.FIXED_VECTOR_ADAPTER, _O.DATAFLOW_PACK),
    _row(
        _F.FIXED_VECTOR_UNPACK, _P.FIXED_VECTOR_ADAPTER, _A.FIXED_VECTOR_ADAPTER, _O.DATAFLOW_UNPACK
    ),
    _row(
        _F.FIXED_VECTOR_PARALLELIZE,
        _P.FIXED_VECTOR_ADAPTER,
        _A.FIXED_VECTOR_ADAPTER,
        _O.DATAFLOW_PARALLELIZE,
    ),
    _row(
        _F.FIXED_VECTOR_SERIALIZE,
        _P.FIXED_VECTOR_ADAPTER,
        _A.FIXED_VECTOR_ADAPTER,
        _O.DATAFLOW_SERIALIZE,
    ),
    _row(_F.TOKEN_CONSTANT, _P.PAYLOAD_CAPACITY, _A.CONSTANT_TOKEN, _O.DATAFLOW_CONSTANT),
    _row(_F.TOKEN_SYNC, _P.ROUTED_TOKEN, _A.SYNC_TOKEN, _O.DATAFLOW_SYNC),
    _row(_F.TOKEN_MUX, _P.ROUTED_TOKEN, _A.MUX_TOKEN, _O.DATAFLOW_MUX),
    _row(_F.TOKEN_DEMUX, _P.ROUTED_TOKEN, _A.DEMUX_TOKEN, _O.DATAFLOW_DEMUX),
    _row(
        _F.SCALAR_SIGNED_INTEGER_DIV_REM,
        _P.SCALAR_INTEGER,
        _A.SCALAR_ORDINARY_INTEGER,
        _O.ARITH_DIVSI,
        _O.ARITH_REMSI,
    ),
    _row(
        _F.SCALAR_UNSIGNED_INTEGER_DIV_REM,
        _P.SCALAR_INTEGER,
        _A.SCALAR_ORDINARY_INTEGER,
        _O.ARITH_DIVUI,
        _O.ARITH_REMUI,
    ),
    _row(_F.SCALAR_FLOAT_DIVIDE, _P.SCALAR_FLOAT, _A.SCALAR_UNIFORM_FLOAT, _O.ARITH_DIVF),
    _row(_F.SCALAR_FLOAT_REMAINDER, _P.SCALAR_FLOAT, _A.SCALAR_UNIFORM_FLOAT, _O.ARITH_REMF),
    _row(_F.SCALAR_MATH_SIN, _P.SCALAR_SPECIAL_MATH, _A.SCALAR_SPECIAL_MATH, _O.MATH_SIN),
    _row(_F.SCALAR_MATH_COS, _P.SCALAR_SPECIAL_MATH, _A.SCALAR_SPECIAL_MATH, _O.MATH_COS),
    _row(_F.SCALAR_MATH_TAN, _P.SCALAR_SPECIAL_MATH, _A.SCALAR_SPECIAL_MATH, _O.MATH_TAN),
    _row(_F.SCALAR_MATH_SINH, _P.SCALAR_SPECIAL_MATH, _A.SCALAR_SPECIAL_MATH, _O.MATH_SINH),
    _row(_F.SCALAR_MATH_COSH, _P.SCALAR_SPECIAL_MATH, _A.SCALAR_SPECIAL_MATH, _O.MATH_COSH),
    _row(_F.SCALAR_MATH_TANH, _P.SCALAR_SPECIAL_MATH, _A.SCALAR_SPECIAL_MATH, _O.MATH_TANH),
    _row(_F.SCALAR_MATH_EXP, _P.SCALAR_SPECIAL_MATH, _A.SCALAR_SPECIAL_MATH, _O.MATH_EXP),
    _row(_F.SCALAR_MATH_EXP2, _P.SCALAR_SPECIAL_MATH, _A.SCALAR_SPECIAL_MATH, _O.MATH_EXP2),
    _row(_F.SCALAR_MATH_EXPM1, _P.SCALAR_SPECIAL_MATH, _A.SCALAR_SPECIAL_MATH, _O.MATH_EXPM1),
    _row(_F.SCALAR_MATH_LOG, _P.SCALAR_SPECIAL_MATH, _A.SCALAR_SPECIAL_MATH, _O.MATH_LOG),
    _row(_F.SCALAR_MATH_LOG2, _P.SCALAR_SPECIAL_MATH, _A.SCALAR_SPECIAL_MATH, _O.MATH_LOG2),
    _row(_F.SCALAR_MATH_LOG10, _P.SCALAR_SPECIAL_MATH, _A.SCALAR_SPECIAL_MATH, _O.MATH_LOG10),
    _row(_F.SCALAR_MATH_LOG1P, _P.SCALAR_SPECIAL_MATH, _A.SCALAR_SPECIAL_MATH, _O.MATH_LOG1P),
    _row(_F.SCALAR_MATH_FLOOR, _P.SCALAR_SPECIAL_MATH, _A.SCALAR_SPECIAL_MATH, _O.MATH_FLOOR),
    _row(_F.SCALAR_MATH_CEIL, _P.SCALAR_SPECIAL_MATH, _A.SCALAR_SPECIAL_MATH, _O.MATH_CEIL),
    _row(_F.SCALAR_MATH_ROUND, _P.SCALAR_SPECIAL_MATH, _A.SCALAR_SPECIAL_MATH, _O.MATH_ROUND),
    _row(_F.SCALAR_MATH_TRUNC, _P.SCALAR_SPECIAL_MATH, _A.SCALAR_SPECIAL_MATH, _O.MATH_TRUNC),
    _row(
        _F.SCALAR_MATH_ROUNDEVEN, _P.SCALAR_SPECIAL_MATH, _A.SCALAR_SPECIAL_MATH, _O.MATH_ROUNDEVEN
    ),
    _row(_F.SCALAR_MATH_SQRT, _P.SCALAR_SPECIAL_MATH, _A.SCALAR_SPECIAL_MATH, _O.MATH_SQRT),
    _row(_F.SCALAR_MATH_RSQRT, _P.SCALAR_SPECIAL_MATH, _A.SCALAR_SPECIAL_MATH, _O.MATH_RSQRT),
    _row(_F.SCALAR_MATH_ERF, _P.SCALAR_SPECIAL_MATH, _A.SCALAR_SPECIAL_MATH, _O.MATH_ERF),
    _row(
        _F.SCALAR_INTEGER_SATURATING_ADD_SUB,
        _P.SCALAR_INTEGER,
        _A.SCALAR_ORDINARY_INTEGER,
        _O.LLVM_SADD_SAT,
        _O.LLVM_UADD_SAT,
        _O.LLVM_SSUB_SAT,
        _O.LLVM_USUB_SAT,
    ),
    _row(
        _F.FIXED_VECTOR_INTEGER_SATURATING_ADD_SUB,
        _P.FIXED_VECTOR_INTEGER,
        _A.FIXED_VECTOR_ORDINARY_INTEGER,
        _O.LLVM_SADD_SAT,
        _O.LLVM_UADD_SAT,
        _O.LLVM_SSUB_SAT,
        _O.LLVM_USUB_SAT,
    ),
    _row(
        _F.SCALAR_INTEGER_COUNT_ZEROS,
        _P.SCALAR_INTEGER,
        _A.SCALAR_UNARY_INTEGER,
        _O.MATH_CTLZ,
        _O.MATH_CTTZ,
        _O.LLVM_CTLZ,
        _O.LLVM_CTTZ,
    ),
    _row(
        _F.FIXED_VECTOR_INTEGER_COUNT_ZEROS,
        _P.FIXED_VECTOR_INTEGER,
        _A.FIXED_VECTOR_UNARY_INTEGER,
        _O.MATH_CTLZ,
        _O.MATH_CTTZ,
        _O.LLVM_CTLZ,
        _O.LLVM_CTTZ,
    ),
    _row(_F.SCALAR_MATH_POW, _P.SCALAR_SPECIAL_MATH, _A.SCALAR_SPECIAL_MATH, _O.MATH_POWF),
    _row(
        _F.FIXED_VECTOR_SLICE_ALIGN_MERGE,
        _P.FIXED_VECTOR_SLICE_ALIGN_MERGE,
        _A.FIXED_VECTOR_SLICE_ALIGN_MERGE,
        _O.VECTOR_EXTRACT,
        _O.VECTOR_INSERT,
    ),
    _row(
        _F.FIXED_VECTOR_SHUFFLE, _P.FIXED_VECTOR_SHUFFLE, _A.FIXED_VECTOR_SHUFFLE, _O.VECTOR_SHUFFLE
    ),
)

#: Descriptor of each family, in registry order.
FAMILIES: dict[ImplementationFamilyId, ImplementationFamilyDescriptor] = {
    row.family_id: row for row in _ROWS
}


def family_keyword(family: ImplementationFamilyId) -> str:
    """Persistent spelling of a family, such as ``ScalarIntegerAddSub``."""
    words = "".join(word.capitalize() for word in family.name.split("_"))
    return _SPELLED.get(words, words)


#: Keywords that are not their identifier in camel case.
_SPELLED = {"ScalarMathExpm1": "ScalarMathExpM1", "ScalarMathRoundeven": "ScalarMathRoundEven"}
_NAMED = {family_keyword(family): family for family in ImplementationFamilyId}


def family_named(keyword: str, where: str) -> ImplementationFamilyId:
    """Find a family by its keyword; any other text is ``Invalid``."""
    if keyword not in _NAMED:
        raise Invalid(
            Diagnostic(
                "family-unknown",
                where,
                f"The family must be a registered implementation family, not {keyword[:64]!r}",
            )
        )
    return _NAMED[keyword]


def families_of(operation: OperationSchemaId) -> tuple[ImplementationFamilyId, ...]:
    """Families that have an operation as a member, in registry order."""
    return tuple(row.family_id for row in _ROWS if operation in row.admitted_operation_schema_ids)
