"""Admissions of the scalar families: what of an exact actor a concrete resource lacks.

Each function gets the resource's parameters and ports and an actor whose schema is enabled.
"""

from collections.abc import Iterator

from fabricgen.errors import Diagnostic
from fabricgen.errors.listing import listed_names
from fabricgen.hsg.admission_rules import (
    behavior_findings,
    element_findings,
    format_findings,
    integer_width,
    narrow,
    port_findings,
    predicate_findings,
    scalar_findings,
    width_findings,
)
from fabricgen.hsg.params import CapabilityParams
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.scalar_params import (
    ScalarBitReinterpretParams,
    ScalarFloatCompareMinMaxParams,
    ScalarFloatParams,
    ScalarFloatWidthCastParams,
    ScalarIntegerCastParams,
    ScalarIntegerCompareMinMaxParams,
    ScalarIntegerFloatConversionParams,
    ScalarIntegerParams,
    ScalarSpecialMathParams,
    ScalarValueSelectParams,
)
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.payload import FloatCompare, IntegerCompare, SpecialMathAccuracy
from fabricgen.schema.types import FloatType, IndexType, IntegerType
from fabricgen.vocab.hardware import FloatFormat, IntegerWidth
from fabricgen.vocab.words import word

__all__ = [
    "scalar_bit_reinterpret",
    "scalar_float_cast",
    "scalar_float_compare",
    "scalar_integer",
    "scalar_integer_cast",
    "scalar_integer_compare",
    "scalar_integer_float_conversion",
    "scalar_special_math",
    "scalar_uniform_float",
    "scalar_value_select",
]


def scalar_integer(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """Integer operands and result of one admitted width."""
    record = narrow(params, ScalarIntegerParams)
    yield from scalar_findings(actor)
    yield from width_findings("results[0]", actor.results[0], record.integer_widths)
    yield from port_findings(ports, actor)


def scalar_integer_compare(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """Integer operands of one admitted width; a comparison's predicate is admitted."""
    record = narrow(params, ScalarIntegerCompareMinMaxParams)
    yield from scalar_findings(actor)
    yield from width_findings("operands[0]", actor.operands[0], record.operand_widths)
    if isinstance(actor.payload, IntegerCompare):
        yield from predicate_findings(actor.payload.predicate, record.predicates)
    yield from port_findings(ports, actor)


def scalar_integer_cast(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """The directed pair of widths is admitted, an index at its admitted resolved width."""
    relation = narrow(params, ScalarIntegerCastParams).relation
    yield from scalar_findings(actor)
    source, result = actor.operands[0], actor.results[0]
    for where, kind in (("operands[0]", source), ("results[0]", result)):
        if isinstance(kind, IndexType) and kind.width not in relation.resolved_index_widths:
            names = listed_names(f"index{width.bits}" for width in relation.resolved_index_widths)
            yield Diagnostic(
                "admission-index-width",
                where,
                f"The index must resolve to one of {names}, not {kind}",
            )
    yield from _pair_findings(
        (integer_width(source.bits), integer_width(result.bits)),
        relation.width_pairs,
        f"{source} to {result}",
    )
    yield from port_findings(ports, actor)


def scalar_bit_reinterpret(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """Source and destination are admitted; the schema makes their widths equal."""
    record = narrow(params, ScalarBitReinterpretParams)
    yield from scalar_findings(actor)
    for where, kind in (("operands[0]", actor.operands[0]), ("results[0]", actor.results[0])):
        yield from element_findings(where, kind, record.integer_widths, record.float_formats)
    yield from port_findings(ports, actor)


def scalar_value_select(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """The selected values are admitted integers or floats."""
    record = narrow(params, ScalarValueSelectParams)
    yield from scalar_findings(actor)
    yield from element_findings(
        "results[0]", actor.results[0], record.integer_widths, record.float_formats
    )
    yield from port_findings(ports, actor)


def scalar_uniform_float(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """Operands and result of one admitted format, in the offered behaviour."""
    record = narrow(params, ScalarFloatParams)
    yield from scalar_findings(actor)
    yield from format_findings("results[0]", actor.results[0], record.formats)
    yield from behavior_findings(actor, record.behavior)
    yield from port_findings(ports, actor)


def scalar_float_compare(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """Operands of one admitted format, in the offered behaviour; the predicate is admitted."""
    record = narrow(params, ScalarFloatCompareMinMaxParams)
    yield from scalar_findings(actor)
    yield from format_findings("operands[0]", actor.operands[0], record.formats)
    if isinstance(actor.payload, FloatCompare):
        yield from predicate_findings(actor.payload.predicate, record.predicates)
    yield from behavior_findings(actor, record.behavior)
    yield from port_findings(ports, actor)


def scalar_float_cast(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """The directed pair of formats is admitted, in the offered behaviour."""
    record = narrow(params, ScalarFloatWidthCastParams)
    yield from scalar_findings(actor)
    match actor.operands[0], actor.results[0]:
        case FloatType(source), FloatType(result):
            yield from _pair_findings(
                (source, result), record.format_pairs, f"{word(source)} to {word(result)}"
            )
        case _:
            pass
    yield from behavior_findings(actor, record.behavior)
    yield from port_findings(ports, actor)


def scalar_integer_float_conversion(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """The pair of integer width and float format is admitted, in either direction."""
    record = narrow(params, ScalarIntegerFloatConversionParams)
    yield from scalar_findings(actor)
    match actor.operands[0], actor.results[0]:
        case (IntegerType(bits), FloatType(kind)) | (FloatType(kind), IntegerType(bits)):
            yield from _pair_findings(
                (integer_width(bits), kind), record.format_pairs, f"i{bits} and {word(kind)}"
            )
        case _:
            pass
    yield from port_findings(ports, actor)


def scalar_special_math(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """One admitted format, in the offered behaviour, at least as accurate as the actor accepts."""
    record = narrow(params, ScalarSpecialMathParams)
    yield from scalar_findings(actor)
    yield from format_findings("results[0]", actor.results[0], record.formats)
    yield from behavior_findings(actor, record.behavior)
    guarantee = record.accuracy_guarantee
    if isinstance(actor.payload, SpecialMathAccuracy) and (
        guarantee.value > actor.payload.tier.value
    ):
        yield Diagnostic(
            "admission-accuracy",
            "payload.tier",
            f"The actor must accept {word(guarantee)}, not at most {word(actor.payload.tier)}",
        )
    yield from port_findings(ports, actor)


def _pair_findings(
    pair: tuple[IntegerWidth | FloatFormat | None, IntegerWidth | FloatFormat | None],
    admitted: tuple[tuple[IntegerWidth | FloatFormat, IntegerWidth | FloatFormat], ...],
    text: str,
) -> Iterator[Diagnostic]:
    if pair not in admitted:
        yield Diagnostic(
            "admission-cast-pair",
            "operands[0]",
            f"The conversion must be an admitted pair, not {text}",
        )
