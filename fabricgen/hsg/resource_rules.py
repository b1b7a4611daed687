"""What a concrete resource declares, against its family (spec: Concrete Capability Rules)."""

from collections.abc import Iterator
from itertools import pairwise

from fabricgen.errors import Diagnostic
from fabricgen.hsg.admission_rules import nan_behavior
from fabricgen.hsg.params import PARAMS, CapabilityParams
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.profile import FloatBehaviorProfile, IntegerCastRelation
from fabricgen.hsg.registry import FAMILIES, ImplementationFamilyDescriptor, family_keyword
from fabricgen.hsg.scalar_params import (
    ScalarFloatCompareMinMaxParams,
    ScalarFloatWidthCastParams,
    ScalarIntegerCastParams,
    ScalarIntegerCompareMinMaxParams,
    ScalarIntegerParams,
    ordinary_findings,
)
from fabricgen.hsg.vector_params import (
    FixedVectorFloatCompareMinMaxParams,
    FixedVectorIntegerCompareMinMaxParams,
    FixedVectorIntegerParams,
    FixedVectorSliceAlignMergeParams,
)
from fabricgen.vocab.dataflow import OperationSchemaId
from fabricgen.vocab.families import ImplementationFamilyId, TypedAdmissionProviderId
from fabricgen.vocab.hardware import FloatNaNBehavior
from fabricgen.vocab.operations import FloatPredicate, IntegerPredicate
from fabricgen.vocab.words import word, words

__all__ = ["op_list_findings", "params_findings", "port_count_findings"]

_F = ImplementationFamilyId
_O = OperationSchemaId
_A = TypedAdmissionProviderId

_LOGIC = (_A.SCALAR_LOGIC_INTEGER, _A.FIXED_VECTOR_LOGIC_INTEGER)

#: Inputs and outputs of the families whose counts follow from the family alone.
_PORTS: dict[ImplementationFamilyId, tuple[int, int]] = {
    _F.LOOP_STREAM: (3, 2),
    _F.LOOP_CARRY: (3, 1),
    _F.LOOP_INVARIANT: (2, 1),
    _F.LOOP_GATE: (2, 2),
    _F.FIXED_VECTOR_PARALLELIZE: (2, 3),
    _F.FIXED_VECTOR_SERIALIZE: (3, 2),
    _F.SCALAR_VALUE_SELECT: (3, 1),
    _F.FIXED_VECTOR_VALUE_SELECT: (3, 1),
    _F.SCALAR_FLOAT_FMA: (3, 1),
    _F.FIXED_VECTOR_FLOAT_FMA: (3, 1),
    _F.FIXED_VECTOR_PACK: (1, 1),
    _F.FIXED_VECTOR_UNPACK: (1, 1),
    _F.TOKEN_CONSTANT: (1, 1),
    _F.SCALAR_MATH_POW: (2, 1),
}
_UNARY_ADMISSIONS = (
    _A.SCALAR_INTEGER_CAST,
    _A.SCALAR_BIT_REINTERPRET,
    _A.SCALAR_FLOAT_CAST,
    _A.SCALAR_INTEGER_FLOAT_CONVERSION,
    _A.SCALAR_UNARY_INTEGER,
    _A.FIXED_VECTOR_UNARY_INTEGER,
    _A.SCALAR_SPECIAL_MATH,
)
_UNARY_FAMILIES = (_F.SCALAR_FLOAT_SIGN, _F.FIXED_VECTOR_FLOAT_SIGN)

_MINIMA = (_O.ARITH_MINIMUMF, _O.ARITH_MINNUMF)
_MAXIMA = (_O.ARITH_MAXIMUMF, _O.ARITH_MAXNUMF)


def op_list_findings(
    family: ImplementationFamilyDescriptor, op_list: tuple[OperationSchemaId, ...]
) -> Iterator[Diagnostic]:
    """Rules 2 and 3: enabled members are members of the family, sorted, once, at least one."""
    if not op_list:
        yield Diagnostic(
            "op-list-empty", "op_list", "The resource must enable one operation, not 0"
        )
    if any(left.value >= right.value for left, right in pairwise(op_list)):
        names = ", ".join(map(word, op_list))
        yield Diagnostic(
            "op-list-not-canonical",
            "op_list",
            f"Operations must be in registry order and unique, not {names}",
        )
    members = family.admitted_operation_schema_ids
    for ordinal, operation in enumerate(op_list):
        where = f"op_list[{ordinal}]"
        if operation not in members:
            names = ", ".join(map(word, members))
            yield Diagnostic(
                "op-outside-family",
                where,
                f"An operation of {family_keyword(family.family_id)} must be one of {names}, "
                f"not {word(operation)}",
            )
        elif operation is _O.LLVM_GET_ELEMENT_PTR:
            yield Diagnostic(
                "op-gep-enabled",
                where,
                "An adder must enable integer operations only, not llvm.getelementptr: its "
                "parameters do not bound the layout of an address",
            )


def port_count_findings(
    family: ImplementationFamilyId, params: CapabilityParams, ports: PhysicalPorts
) -> Iterator[Diagnostic]:
    """Rule 4: as many physical ports as the family has roles."""
    inputs, outputs = len(ports.inputs), len(ports.outputs)
    match family:
        case _F.TOKEN_SYNC:
            fits, text = inputs >= 1 and outputs >= 1, "one input and one output or more"
        case _F.TOKEN_MUX:
            fits, text = inputs >= 3 and outputs == 1, "three inputs or more and one output"
        case _F.TOKEN_DEMUX:
            fits, text = inputs == 2 and outputs >= 2, "two inputs and two outputs or more"
        case _:
            count = _port_counts(family, params)
            fits, text = (inputs, outputs) == count, f"{count[0]} inputs and {count[1]} outputs"
    if not fits:
        yield Diagnostic(
            "resource-port-count",
            "ports",
            f"{family_keyword(family)} must have {text}, not {inputs} and {outputs}",
        )


def _port_counts(family: ImplementationFamilyId, params: CapabilityParams) -> tuple[int, int]:
    if family in _PORTS:
        return _PORTS[family]
    if isinstance(params, FixedVectorSliceAlignMergeParams):
        return 2 + params.max_dynamic_position_rank, 1
    provider = FAMILIES[family].typed_admission_provider_id
    unary = provider in _UNARY_ADMISSIONS or family in _UNARY_FAMILIES
    return (1 if unary else 2), 1


def params_findings(
    family: ImplementationFamilyDescriptor,
    op_list: tuple[OperationSchemaId, ...],
    params: CapabilityParams,
) -> Iterator[Diagnostic]:
    """Rule 4: the family's own parameter record, complete for the members and without orphans."""
    required = PARAMS[family.capability_params_schema_id]
    if not isinstance(params, required):
        yield Diagnostic(
            "resource-params-schema",
            "hw_params",
            f"{family_keyword(family.family_id)} must have {required.__name__}, "
            f"not {type(params).__name__}",
        )
        return
    logic = family.typed_admission_provider_id in _LOGIC
    match params:
        case ScalarIntegerParams(widths, pointers):
            if not logic:
                yield from ordinary_findings("hw_params.integer_widths", widths)
            if pointers and _O.LLVM_GET_ELEMENT_PTR not in op_list:
                yield Diagnostic(
                    "pointer-format-orphan",
                    "hw_params.pointer_formats",
                    "Pointer formats must be absent without llvm.getelementptr, "
                    f"not {len(pointers)}",
                )
        case FixedVectorIntegerParams(widths) if not logic:
            yield from ordinary_findings("hw_params.element_widths", widths)
        case ScalarIntegerCompareMinMaxParams() | FixedVectorIntegerCompareMinMaxParams():
            yield from _integer_predicates(op_list, params.predicates)
        case ScalarFloatCompareMinMaxParams() | FixedVectorFloatCompareMinMaxParams():
            yield from _float_predicates(op_list, params.predicates)
            yield from _nan_behaviors(op_list, params.behavior)
        case ScalarIntegerCastParams(relation):
            yield from _cast_orphans(op_list, relation)
        case ScalarFloatWidthCastParams(pairs):
            for ordinal, (source, result) in enumerate(pairs):
                user = _O.ARITH_EXTF if source.bits < result.bits else _O.ARITH_TRUNCF
                if user not in op_list:
                    yield Diagnostic(
                        "cast-pair-orphan",
                        f"hw_params.format_pairs[{ordinal}]",
                        f"The pair must serve an enabled operation, not {word(source)} to "
                        f"{word(result)} without {word(user)}",
                    )
        case _:
            pass


def _integer_predicates(
    op_list: tuple[OperationSchemaId, ...], predicates: tuple[IntegerPredicate, ...]
) -> Iterator[Diagnostic]:
    compares = _O.ARITH_CMPI in op_list
    if compares and not predicates:
        yield Diagnostic(
            "predicate-missing",
            "hw_params.predicates",
            "A comparison needs one predicate or more, not none",
        )
    if predicates and not compares:
        names = words(predicates)
        yield Diagnostic(
            "predicate-orphan",
            "hw_params.predicates",
            f"Predicates must be absent without arith.cmpi, not {names}",
        )


def _float_predicates(
    op_list: tuple[OperationSchemaId, ...], predicates: tuple[FloatPredicate, ...]
) -> Iterator[Diagnostic]:
    needed = {
        predicate
        for predicate, users in ((FloatPredicate.OLT, _MINIMA), (FloatPredicate.OGT, _MAXIMA))
        if any(user in op_list for user in users)
    }
    for predicate in (each for each in FloatPredicate if each in needed):
        if predicate not in predicates:
            yield Diagnostic(
                "predicate-missing",
                "hw_params.predicates",
                f"{word(predicate)} must be present (minimum needs olt, maximum ogt), not absent",
            )
    orphans = [each.name for each in predicates if each not in needed]
    if orphans and _O.ARITH_CMPF not in op_list:
        yield Diagnostic(
            "predicate-orphan",
            "hw_params.predicates",
            f"Predicates must serve an enabled operation, not {', '.join(orphans)} without "
            "arith.cmpf",
        )


def _nan_behaviors(
    op_list: tuple[OperationSchemaId, ...], behavior: FloatBehaviorProfile
) -> Iterator[Diagnostic]:
    wanted: set[FloatNaNBehavior] = {nan_behavior(operation) for operation in op_list}
    for each in behavior.nan_behaviors:
        if each not in wanted:
            yield Diagnostic(
                "nan-behavior-orphan",
                "hw_params.behavior.nan_behaviors",
                f"A NaN behaviour must serve an enabled operation, not be {word(each)} without one",
            )


def _cast_orphans(
    op_list: tuple[OperationSchemaId, ...], relation: IntegerCastRelation
) -> Iterator[Diagnostic]:
    by_index = _O.ARITH_INDEX_CAST in op_list or _O.ARITH_INDEX_CASTUI in op_list
    resolved = {width.bits for width in relation.resolved_index_widths} if by_index else set[int]()
    extends = _O.ARITH_EXTSI in op_list or _O.ARITH_EXTUI in op_list
    truncates = _O.ARITH_TRUNCI in op_list
    for ordinal, (source, result) in enumerate(relation.width_pairs):
        used = (
            (extends and source.bits < result.bits)
            or (truncates and source.bits > result.bits)
            or bool(resolved & {source.bits, result.bits})
        )
        if not used:
            yield Diagnostic(
                "cast-pair-orphan",
                f"hw_params.relation.width_pairs[{ordinal}]",
                "The pair must serve an enabled operation, not be "
                f"{word(source)} to {word(result)} without one",
            )
    ends = {end.bits for pair in relation.width_pairs for end in pair}
    for index in relation.resolved_index_widths:
        if not by_index or index.bits not in ends:
            yield Diagnostic(
                "index-width-orphan",
                "hw_params.relation.resolved_index_widths",
                f"An index width must serve an index cast and a pair, not be {word(index)} without",
            )
