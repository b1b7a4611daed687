"""Checks that several admissions share: each says what of an actor the capability lacks."""

from collections.abc import Collection, Iterable, Iterator
from typing import TypeVar

from fabricgen.errors import Diagnostic
from fabricgen.hsg.params import CapabilityParams
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.profile import FloatBehaviorProfile
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.payload import FloatCompare, FloatingPoint, SpecialMathAccuracy
from fabricgen.schema.types import FloatType, IntegerType, ValueType, VectorType
from fabricgen.vocab.dataflow import OperationSchemaId
from fabricgen.vocab.hardware import (
    FloatFormat,
    FloatNaNBehavior,
    FloatSubnormalBehavior,
    IntegerWidth,
)
from fabricgen.vocab.operations import (
    FastMath,
    FloatPredicate,
    IntegerPredicate,
    RoundingMode,
)
from fabricgen.vocab.words import word, words

__all__ = [
    "actor_rounding",
    "behavior_findings",
    "capacity_findings",
    "element_findings",
    "fit_findings",
    "format_findings",
    "integer_width",
    "nan_behavior",
    "narrow",
    "port_findings",
    "predicate_findings",
    "scalar_findings",
    "vector_findings",
    "width_findings",
]

_T = TypeVar("_T")
_WIDTHS = {width.bits: width for width in IntegerWidth}
_NUMBER = (OperationSchemaId.ARITH_MINNUMF, OperationSchemaId.ARITH_MAXNUMF)


def narrow(params: CapabilityParams, kind: type[_T]) -> _T:
    """Return the parameters as the record that the admission reads; another is a caller's bug."""
    if not isinstance(params, kind):
        raise TypeError(f"Admission parameters must be {kind.__name__}, not {params!r}")
    return params


def integer_width(bits: int) -> IntegerWidth | None:
    """Datapath width of an integer of ``bits`` bits, if there is one."""
    return _WIDTHS.get(bits)


def actor_rounding(actor: OperationActor) -> RoundingMode:
    """Mode of an actor; one that names none rounds to nearest even."""
    if isinstance(actor.payload, FloatingPoint) and actor.payload.rounding is not None:
        return actor.payload.rounding
    return RoundingMode.TO_NEAREST_EVEN


def nan_behavior(operation: OperationSchemaId) -> FloatNaNBehavior:
    """What an operation wants of a NaN operand."""
    if operation in _NUMBER:
        return FloatNaNBehavior.NUMBER_PREFERRED
    return FloatNaNBehavior.IEEE


def scalar_findings(actor: OperationActor) -> Iterator[Diagnostic]:
    """A scalar family admits no vector, even one of equal width."""
    for where, kind in _values(actor):
        if isinstance(kind, VectorType):
            yield Diagnostic(
                "admission-scalar", where, f"A scalar family needs a scalar here, not {kind}"
            )


def vector_findings(actor: OperationActor) -> Iterator[Diagnostic]:
    """A fixed-vector family admits no scalar, even one of equal width."""
    for where, kind in _values(actor):
        if not isinstance(kind, VectorType):
            yield Diagnostic(
                "admission-vector", where, f"A vector family needs a vector here, not {kind}"
            )


def width_findings(
    where: str, kind: ValueType, widths: Collection[IntegerWidth]
) -> Iterator[Diagnostic]:
    """The element is an integer of an admitted width."""
    element = kind.element if isinstance(kind, VectorType) else kind
    if not isinstance(element, IntegerType) or integer_width(element.bits) not in widths:
        yield Diagnostic(
            "admission-width",
            where,
            f"The integer must be one of {_names(widths)}, not {element}",
        )


def format_findings(
    where: str, kind: ValueType, formats: Collection[FloatFormat]
) -> Iterator[Diagnostic]:
    """The element is a float of an admitted format."""
    element = kind.element if isinstance(kind, VectorType) else kind
    if not isinstance(element, FloatType) or element.format not in formats:
        yield Diagnostic(
            "admission-format", where, f"The float must be one of {_names(formats)}, not {element}"
        )


def element_findings(
    where: str,
    kind: ValueType,
    widths: Collection[IntegerWidth],
    formats: Collection[FloatFormat],
) -> Iterator[Diagnostic]:
    """The element is an admitted integer or an admitted float."""
    element = kind.element if isinstance(kind, VectorType) else kind
    if isinstance(element, FloatType):
        yield from format_findings(where, kind, formats)
    else:
        yield from width_findings(where, kind, widths)


def predicate_findings(
    predicate: IntegerPredicate | FloatPredicate,
    admitted: Collection[IntegerPredicate] | Collection[FloatPredicate],
) -> Iterator[Diagnostic]:
    """The predicate is one of the resource's."""
    if predicate not in admitted:
        yield Diagnostic(
            "admission-predicate",
            "payload.predicate",
            f"The predicate must be one of {_names(admitted)}, not {word(predicate)}",
        )


def behavior_findings(
    actor: OperationActor, behavior: FloatBehaviorProfile
) -> Iterator[Diagnostic]:
    """Rounding, subnormals and permissions of a floating-point actor are what is offered."""
    rounding = actor_rounding(actor)
    if rounding not in behavior.rounding_modes:
        yield Diagnostic(
            "admission-rounding",
            "payload.rounding",
            f"The mode must be one of {_names(behavior.rounding_modes)}, not {word(rounding)}",
        )
    if FloatSubnormalBehavior.PRESERVE not in behavior.subnormal_behaviors:
        yield Diagnostic(
            "admission-subnormal",
            "payload",
            "No actor permits that subnormals are flushed, so PRESERVE must be offered, "
            f"not {_names(behavior.subnormal_behaviors)} alone",
        )
    payload = actor.payload
    has_flags = isinstance(payload, FloatingPoint | FloatCompare | SpecialMathAccuracy)
    flags = payload.fast_math if has_flags else FastMath.NONE
    missing = behavior.minimal_flags(nan_behavior(actor.schema_id)) & ~flags
    if missing:
        yield Diagnostic(
            "admission-fast-math",
            "payload.fast_math",
            f"The actor must permit {_flags(missing)}, which the datapath needs, "
            f"not only {_flags(flags)}",
        )


def capacity_findings(where: str, bits: int, capacity: int) -> Iterator[Diagnostic]:
    """A flattened value fits the widest payload."""
    if bits > capacity:
        yield Diagnostic(
            "admission-capacity",
            where,
            f"The payload must have at most {capacity} bits, not {bits}",
        )


def fit_findings(where: str, kind: ValueType, port_bits: int) -> Iterator[Diagnostic]:
    """A value fits the port that carries it."""
    if kind.bits > port_bits:
        yield Diagnostic(
            "admission-port-width",
            where,
            f"{kind} must fit its port of {port_bits} bits, not need {kind.bits}",
        )


def port_findings(ports: PhysicalPorts, actor: OperationActor) -> Iterator[Diagnostic]:
    """Operand and result *i* fit port *i*."""
    for ordinal, (kind, width) in enumerate(zip(actor.operands, ports.inputs, strict=False)):
        yield from fit_findings(f"operands[{ordinal}]", kind, width)
    for ordinal, (kind, width) in enumerate(zip(actor.results, ports.outputs, strict=False)):
        yield from fit_findings(f"results[{ordinal}]", kind, width)


def _values(actor: OperationActor) -> Iterator[tuple[str, ValueType]]:
    for name, kinds in (("operands", actor.operands), ("results", actor.results)):
        for ordinal, kind in enumerate(kinds):
            yield f"{name}[{ordinal}]", kind


def _names(
    values: Iterable[
        IntegerWidth
        | FloatFormat
        | IntegerPredicate
        | FloatPredicate
        | RoundingMode
        | FloatSubnormalBehavior
    ],
) -> str:
    return words(values)


def _flags(flags: FastMath) -> str:
    return words(each for each in FastMath if each in flags)
