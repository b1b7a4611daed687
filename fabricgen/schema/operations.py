"""The closed registry of software operation schemas: one descriptor per id."""

from dataclasses import dataclass

from fabricgen.errors import Diagnostic, Invalid
from fabricgen.vocab.dataflow import OperationSchemaId
from fabricgen.vocab.operations import ActorKind, SemanticPayloadCase

__all__ = ["OPERATION_SCHEMAS", "OperationSchema", "dense_id", "operation_named"]

_P = SemanticPayloadCase
_FIRST_TAG = next(iter(OperationSchemaId)).value
_YES, _NO, _OPEN = True, False, None


@dataclass(frozen=True, slots=True)
class OperationSchema:
    """What the registry says of one software operation.

    Parameters
    ----------
    schema_id
        Its id; the value is the persistent wire tag.
    name, op
        Schema name, and the operation that it describes.
    payload_case
        Variant of its semantic payload.
    is_liftable
        Whether it acts on vectors element by element; ``None`` where that is not confirmed.
    restriction
        Which form of ``op`` the schema admits; empty where it admits each.
    """

    schema_id: OperationSchemaId
    name: str
    op: str
    payload_case: SemanticPayloadCase
    is_liftable: bool | None
    restriction: str

    @property
    def actor_kind(self) -> ActorKind:
        """What realises an actor of this schema."""
        ordinal = dense_id(self.schema_id)
        if 76 <= ordinal <= 87:
            return ActorKind.CONTROL
        return ActorKind.MEMORY if 88 <= ordinal <= 92 else ActorKind.COMPUTE


def dense_id(schema_id: OperationSchemaId) -> int:
    """Position of a schema in the registry; never part of persistent bytes."""
    return schema_id.value - _FIRST_TAG


#: Name, operation, payload case, whether it is liftable, restriction.
_ROWS: tuple[tuple[str, str, SemanticPayloadCase, bool | None, str], ...] = (
    ("ArithConstant", "arith.constant", _P.TYPED_CONSTANT_VALUE, _NO, ""),
    ("ArithAddI", "arith.addi", _P.ARITH_INTEGER_OVERFLOW, _YES, ""),
    ("ArithSubI", "arith.subi", _P.ARITH_INTEGER_OVERFLOW, _YES, ""),
    ("ArithMulI", "arith.muli", _P.ARITH_INTEGER_OVERFLOW, _YES, ""),
    ("ArithShLI", "arith.shli", _P.ARITH_INTEGER_OVERFLOW, _YES, ""),
    ("ArithShRSI", "arith.shrsi", _P.ARITH_EXACT, _YES, ""),
    ("ArithShRUI", "arith.shrui", _P.ARITH_EXACT, _YES, ""),
    ("ArithAndI", "arith.andi", _P.NONE, _YES, ""),
    ("ArithOrI", "arith.ori", _P.NONE, _YES, ""),
    ("ArithXOrI", "arith.xori", _P.NONE, _YES, ""),
    ("ArithDivSI", "arith.divsi", _P.ARITH_EXACT, _NO, ""),
    ("ArithDivUI", "arith.divui", _P.ARITH_EXACT, _NO, ""),
    ("ArithRemSI", "arith.remsi", _P.NONE, _NO, ""),
    ("ArithRemUI", "arith.remui", _P.NONE, _NO, ""),
    ("ArithMinSI", "arith.minsi", _P.NONE, _YES, ""),
    ("ArithMaxSI", "arith.maxsi", _P.NONE, _YES, ""),
    ("ArithMinUI", "arith.minui", _P.NONE, _YES, ""),
    ("ArithMaxUI", "arith.maxui", _P.NONE, _YES, ""),
    ("ArithCmpI", "arith.cmpi", _P.ARITH_INTEGER_COMPARE, _YES, ""),
    ("ArithSelect", "arith.select", _P.NONE, _YES, ""),
    ("ArithExtSI", "arith.extsi", _P.NONE, _YES, ""),
    ("ArithExtUI", "arith.extui", _P.ARITH_NON_NEGATIVE, _YES, ""),
    ("ArithTruncI", "arith.trunci", _P.ARITH_INTEGER_OVERFLOW, _YES, ""),
    ("ArithIndexCast", "arith.index_cast", _P.NONE, _YES, ""),
    ("ArithIndexCastUI", "arith.index_castui", _P.ARITH_NON_NEGATIVE, _YES, ""),
    ("ArithBitcast", "arith.bitcast", _P.NONE, _YES, ""),
    ("ArithAddF", "arith.addf", _P.ARITH_FLOATING_POINT, _YES, ""),
    ("ArithSubF", "arith.subf", _P.ARITH_FLOATING_POINT, _YES, ""),
    ("ArithMulF", "arith.mulf", _P.ARITH_FLOATING_POINT, _YES, ""),
    ("ArithDivF", "arith.divf", _P.ARITH_FLOATING_POINT, _YES, ""),
    ("ArithRemF", "arith.remf", _P.ARITH_FLOATING_POINT, _YES, ""),
    ("ArithNegF", "arith.negf", _P.ARITH_FLOATING_POINT, _YES, ""),
    ("ArithMinimumF", "arith.minimumf", _P.ARITH_FLOATING_POINT, _YES, ""),
    ("ArithMaximumF", "arith.maximumf", _P.ARITH_FLOATING_POINT, _YES, ""),
    ("ArithMinNumF", "arith.minnumf", _P.ARITH_FLOATING_POINT, _YES, ""),
    ("ArithMaxNumF", "arith.maxnumf", _P.ARITH_FLOATING_POINT, _YES, ""),
    ("ArithCmpF", "arith.cmpf", _P.ARITH_FLOAT_COMPARE, _YES, ""),
    ("ArithExtF", "arith.extf", _P.ARITH_FLOATING_POINT, _YES, ""),
    ("ArithTruncF", "arith.truncf", _P.ARITH_FLOATING_POINT, _YES, ""),
    ("ArithSIToFP", "arith.sitofp", _P.NONE, _YES, ""),
    ("ArithUIToFP", "arith.uitofp", _P.ARITH_NON_NEGATIVE, _YES, ""),
    ("ArithFPToSI", "arith.fptosi", _P.NONE, _YES, ""),
    ("ArithFPToUI", "arith.fptoui", _P.NONE, _YES, ""),
    ("MathAbsF", "math.absf", _P.ARITH_FLOATING_POINT, _YES, ""),
    ("MathAbsI", "math.absi", _P.NONE, _YES, ""),
    ("MathSin", "math.sin", _P.SPECIAL_MATH_ACCURACY, _YES, ""),
    ("MathCos", "math.cos", _P.SPECIAL_MATH_ACCURACY, _YES, ""),
    ("MathTan", "math.tan", _P.SPECIAL_MATH_ACCURACY, _YES, ""),
    ("MathSinh", "math.sinh", _P.SPECIAL_MATH_ACCURACY, _YES, ""),
    ("MathCosh", "math.cosh", _P.SPECIAL_MATH_ACCURACY, _YES, ""),
    ("MathTanh", "math.tanh", _P.SPECIAL_MATH_ACCURACY, _YES, ""),
    ("MathExp", "math.exp", _P.SPECIAL_MATH_ACCURACY, _YES, ""),
    ("MathExp2", "math.exp2", _P.SPECIAL_MATH_ACCURACY, _YES, ""),
    ("MathExpM1", "math.expm1", _P.SPECIAL_MATH_ACCURACY, _YES, ""),
    ("MathLog", "math.log", _P.SPECIAL_MATH_ACCURACY, _YES, ""),
    ("MathLog2", "math.log2", _P.SPECIAL_MATH_ACCURACY, _YES, ""),
    ("MathLog10", "math.log10", _P.SPECIAL_MATH_ACCURACY, _YES, ""),
    ("MathLog1p", "math.log1p", _P.SPECIAL_MATH_ACCURACY, _YES, ""),
    ("MathFloor", "math.floor", _P.SPECIAL_MATH_ACCURACY, _YES, ""),
    ("MathCeil", "math.ceil", _P.SPECIAL_MATH_ACCURACY, _YES, ""),
    ("MathRound", "math.round", _P.SPECIAL_MATH_ACCURACY, _YES, ""),
    ("MathTrunc", "math.trunc", _P.SPECIAL_MATH_ACCURACY, _YES, ""),
    ("MathRoundEven", "math.roundeven", _P.SPECIAL_MATH_ACCURACY, _YES, ""),
    ("MathSqrt", "math.sqrt", _P.SPECIAL_MATH_ACCURACY, _YES, ""),
    ("MathRsqrt", "math.rsqrt", _P.SPECIAL_MATH_ACCURACY, _YES, ""),
    ("MathErf", "math.erf", _P.SPECIAL_MATH_ACCURACY, _YES, ""),
    ("MathFma", "math.fma", _P.ARITH_FLOATING_POINT, _YES, ""),
    ("UBPoison", "ub.poison", _P.NONE, _OPEN, ""),
    ("LLVMFreeze", "llvm.freeze", _P.NONE, _OPEN, ""),
    ("LLVMFshl", "llvm.intr.fshl", _P.NONE, _OPEN, ""),
    ("LLVMByteSwap", "llvm.intr.bswap", _P.NONE, _OPEN, ""),
    ("LLVMUSubSat", "llvm.intr.usub.sat", _P.NONE, _OPEN, ""),
    (
        "LLVMCountLeadingZeros",
        "llvm.intr.ctlz",
        _P.LLVM_ZERO_POISON,
        _OPEN,
        "poison-flagged only",
    ),
    ("LLVMAbs", "llvm.intr.abs", _P.LLVM_INTEGER_MIN_POISON, _OPEN, "poison-flagged only"),
    ("LLVMExtractValue", "llvm.extractvalue", _P.LLVM_AGGREGATE_POSITION, _OPEN, ""),
    ("LLVMInsertValue", "llvm.insertvalue", _P.LLVM_AGGREGATE_POSITION, _OPEN, ""),
    ("DataflowStream", "dataflow.stream", _P.STREAM_RECURRENCE, _NO, ""),
    ("DataflowCarry", "dataflow.carry", _P.NONE, _NO, ""),
    ("DataflowInvariant", "dataflow.invariant", _P.NONE, _NO, ""),
    ("DataflowGate", "dataflow.gate", _P.NONE, _NO, ""),
    ("DataflowConstant", "dataflow.constant", _P.TYPED_CONSTANT_VALUE, _NO, ""),
    ("DataflowSync", "dataflow.sync", _P.NONE, _NO, ""),
    ("DataflowMux", "dataflow.mux", _P.NONE, _NO, ""),
    ("DataflowDemux", "dataflow.demux", _P.NONE, _NO, ""),
    ("DataflowParallelize", "dataflow.parallelize", _P.NONE, _NO, ""),
    ("DataflowSerialize", "dataflow.serialize", _P.NONE, _NO, ""),
    ("DataflowPack", "dataflow.pack", _P.NONE, _NO, ""),
    ("DataflowUnpack", "dataflow.unpack", _P.NONE, _NO, ""),
    ("DataflowLoad", "dataflow.load", _P.MEMORY_CONTRACT, _NO, ""),
    ("DataflowStore", "dataflow.store", _P.MEMORY_CONTRACT, _NO, ""),
    ("DataflowAtomicRmw", "dataflow.atomic_rmw", _P.MEMORY_CONTRACT, _NO, ""),
    ("DataflowCmpXchg", "dataflow.cmpxchg", _P.MEMORY_CONTRACT, _NO, ""),
    ("DataflowFence", "dataflow.fence", _P.MEMORY_CONTRACT, _NO, ""),
    ("MathCountLeadingZeros", "math.ctlz", _P.NONE, _YES, ""),
    ("VectorExtract", "vector.extract", _P.VECTOR_STATIC_POSITION, _NO, ""),
    ("VectorInsert", "vector.insert", _P.VECTOR_STATIC_POSITION, _NO, ""),
    ("VectorShuffle", "vector.shuffle", _P.VECTOR_SHUFFLE_MASK, _NO, ""),
    ("LLVMOrDisjoint", "llvm.or", _P.LLVM_DISJOINT, _OPEN, "disjoint only"),
    ("LLVMSAddSat", "llvm.intr.sadd.sat", _P.NONE, _OPEN, ""),
    ("LLVMUAddSat", "llvm.intr.uadd.sat", _P.NONE, _OPEN, ""),
    ("LLVMSSubSat", "llvm.intr.ssub.sat", _P.NONE, _OPEN, ""),
    ("MathCountTrailingZeros", "math.cttz", _P.NONE, _YES, ""),
    (
        "LLVMCountTrailingZeros",
        "llvm.intr.cttz",
        _P.LLVM_ZERO_POISON,
        _OPEN,
        "poison-flagged only",
    ),
    (
        "LLVMFPToSISat",
        "llvm.call_intrinsic",
        _P.LLVM_REGISTERED_INTRINSIC,
        _OPEN,
        "selecting fptosi_sat",
    ),
    (
        "LLVMFPToUISat",
        "llvm.call_intrinsic",
        _P.LLVM_REGISTERED_INTRINSIC,
        _OPEN,
        "selecting fptoui_sat",
    ),
    ("LLVMGetElementPtr", "llvm.getelementptr", _P.LLVM_GET_ELEMENT_PTR_SEMANTICS, _NO, ""),
    ("MathPowF", "math.powf", _P.SPECIAL_MATH_ACCURACY, _YES, ""),
)

#: Descriptor of each schema, in registry order.
OPERATION_SCHEMAS: dict[OperationSchemaId, OperationSchema] = {
    schema_id: OperationSchema(schema_id, *row)
    for schema_id, row in zip(OperationSchemaId, _ROWS, strict=True)
}
_NAMED = {schema.name: schema for schema in OPERATION_SCHEMAS.values()}


def operation_named(name: str, where: str) -> OperationSchemaId:
    """Find a schema by its name; an alias or an unregistered operation is ``Invalid``."""
    if name not in _NAMED:
        raise Invalid(
            Diagnostic(
                "operation-unknown",
                where,
                f"The operation must be a registered schema, not {name[:64]!r}",
            )
        )
    return _NAMED[name].schema_id
