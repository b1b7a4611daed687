"""The resources that the bench builds: every family with all its members at every width."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fabricgen.hsg.params import CapabilityParams
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.profile import IntegerCastRelation
from fabricgen.hsg.registry import FAMILIES, family_keyword
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
from sim.native.cases import Case, scalar_cases
from sim.native.scalars import Volume

__all__ = ["Resource", "resources"]

_W = IntegerWidth
_ORDINARY = (_W.I8, _W.I16, _W.I32, _W.I64)
_BITS = tuple(width.bits for width in _ORDINARY)


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource to build, and what to play on it.

    Parameters
    ----------
    name
        Family, and what tells it from others of the family.
    op
        The resource.
    cases
        Batches of cases in a volume.
    is_large
        Its program takes more than a few seconds to build or to run: not in the short run.
    """

    name: str
    op: FabricOp
    cases: Callable[[FabricOp, Volume], Iterator[list[Case]]]
    is_large: bool = False

    @property
    def folder(self) -> str:
        """Name of the folder of its program."""
        return self.name.replace(" ", "-")


def _of(
    family: F,
    params: CapabilityParams,
    inputs: tuple[int, ...],
    outputs: tuple[int, ...],
    *,
    latency: int = 1,
    interval: int = 1,
    members: tuple[O, ...] = (),
) -> FabricOp:
    """A resource with every member but address computation, unless some are named."""
    every = set(FAMILIES[family].admitted_operation_schema_ids) - {O.LLVM_GET_ELEMENT_PTR}
    timing = ResourceTiming(latency, interval)
    return FabricOp.of(
        family, set(members) or every, params, PhysicalPorts(inputs, outputs), timing
    )


def _scalar(family: F, note: str, op: FabricOp, *, is_large: bool = False) -> Resource:
    name = family_keyword(family) + (f" {note}" if note else "")
    return Resource(name, op, scalar_cases, is_large)


def _uniform() -> Iterator[Resource]:
    """Families of one or two operands of the result's type."""
    integers = ScalarIntegerParams(_ORDINARY)
    for family in (F.SCALAR_INTEGER_ADD_SUB, F.SCALAR_INTEGER_SATURATING_ADD_SUB):
        yield _scalar(family, "", _of(family, integers, (64, 64), (64,)))
    family = F.SCALAR_INTEGER_LOGIC
    yield _scalar(family, "", _of(family, ScalarIntegerParams(tuple(_W)), (64, 64), (64,)))
    family = F.SCALAR_INTEGER_SHIFT
    yield _scalar(family, "", _of(family, integers, (64, 64), (64,)))
    family = F.SCALAR_INTEGER_COMPARE_MIN_MAX
    compares = ScalarIntegerCompareMinMaxParams(_ORDINARY, tuple(IntegerPredicate))
    yield _scalar(family, "", _of(family, compares, (64, 64), (64,)))
    family = F.SCALAR_INTEGER_COUNT_ZEROS
    yield _scalar(family, "", _of(family, integers, (64,), (64,)))
    family = F.SCALAR_INTEGER_MULTIPLY
    for latency in (1, 2, 3):
        op = _of(family, integers, (64, 64), (64,), latency=latency)
        yield _scalar(family, f"latency {latency}", op)


def _passed_on() -> Iterator[Resource]:
    """Selection, reinterpretation and casts."""
    family = F.SCALAR_VALUE_SELECT
    select = ScalarValueSelectParams(tuple(_W), tuple(FloatFormat))
    yield _scalar(family, "", _of(family, select, (8, 64, 64), (64,)))
    family = F.SCALAR_BIT_REINTERPRET
    reinterpret = ScalarBitReinterpretParams(_ORDINARY, tuple(FloatFormat))
    yield _scalar(family, "", _of(family, reinterpret, (64,), (64,)))
    family = F.SCALAR_INTEGER_CAST
    pairs = tuple((a, b) for a in _W for b in _W if a != b)
    casts = ScalarIntegerCastParams(IntegerCastRelation(pairs))
    members = (O.ARITH_EXTSI, O.ARITH_EXTUI, O.ARITH_TRUNCI)
    yield _scalar(family, "", _of(family, casts, (64,), (64,), members=members))
    indices = tuple((a, b) for a in _ORDINARY for b in _ORDINARY if {a, b} & {_W.I32, _W.I64})
    params = ScalarIntegerCastParams(IntegerCastRelation(indices, tuple(ResolvedIndexWidth)))
    members = (O.ARITH_INDEX_CAST, O.ARITH_INDEX_CASTUI)
    yield _scalar(family, "index", _of(family, params, (64,), (64,), members=members))


def _dividers() -> Iterator[Resource]:
    """Both shapes; the one with a stage for each bit is small for narrow integers alone."""
    for family, extra in (
        (F.SCALAR_SIGNED_INTEGER_DIV_REM, 2),
        (F.SCALAR_UNSIGNED_INTEGER_DIV_REM, 1),
    ):
        for widths in (_ORDINARY[:2], _ORDINARY):
            bits = widths[-1].bits
            latency, params = bits + extra, ScalarIntegerParams(widths)
            for interval in (1, latency):
                shape = "pipelined" if interval == 1 else "iterative"
                op = _of(family, params, (bits,) * 2, (bits,), latency=latency, interval=interval)
                large = bits == 64 and interval == 1
                yield _scalar(family, f"{shape} {bits}", op, is_large=large)


def resources() -> Iterator[Resource]:
    """All of them, by family."""
    yield from _uniform()
    yield from _passed_on()
    yield from _dividers()
