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
from fabricgen.hsg.token_params import PayloadCapacityParams
from fabricgen.hsg.vector_params import (
    FixedVectorAdapterParams,
    FixedVectorIntegerCompareMinMaxParams,
    FixedVectorIntegerParams,
    FixedVectorShuffleParams,
    FixedVectorSliceAlignMergeParams,
    FixedVectorValueSelectParams,
)
from fabricgen.schema.operations import OPERATION_SCHEMAS
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.hardware import FloatFormat, IntegerWidth, ResolvedIndexWidth
from fabricgen.vocab.operations import IntegerPredicate
from sim.native.cases import Case, scalar_cases
from sim.native.positions import position_cases
from sim.native.scalars import Volume
from sim.native.tokens import constant_cases, group_cases
from sim.native.vectors import vector_cases

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
                # A stage for each of 64 bits is long to build, one step for 16 bits like for 64.
                large = (bits == 64) == (interval == 1)
                yield _scalar(family, f"{shape} {bits}", op, is_large=large)


#: Payload, then inputs and outputs that are wider, or no multiple of an element.
_PAYLOADS = ((64, 64, 64), (128, 128, 128), (120, 128, 144))


#: Families that cut something between lanes, which the short run has with odd payloads, too.
_CUT = (F.FIXED_VECTOR_INTEGER_ADD_SUB, F.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX)


def _lanes(family: F, payload: int, op: FabricOp) -> Resource:
    latency = op.timing.latency_cycles
    note = f"{payload} latency {latency}" if latency > 1 else str(payload)
    is_large = latency in (2, 3) or not (payload == 128 or (payload == 120 and family in _CUT))
    return Resource(f"{family_keyword(family)} {note}", op, vector_cases, is_large)


def _vectors() -> Iterator[Resource]:
    """Families with lanes, with 64 and 128 bits, and with bits that make no lane."""
    for payload, wide, result in _PAYLOADS:
        integers = FixedVectorIntegerParams(_ORDINARY, payload)
        ports = (wide, wide), (result,)
        family = F.FIXED_VECTOR_INTEGER_ADD_SUB
        yield _lanes(family, payload, _of(family, integers, *ports))
        for latency in (1, 2):
            for family in (
                F.FIXED_VECTOR_INTEGER_SHIFT,
                F.FIXED_VECTOR_INTEGER_SATURATING_ADD_SUB,
            ):
                yield _lanes(family, payload, _of(family, integers, *ports, latency=latency))
        family = F.FIXED_VECTOR_INTEGER_LOGIC
        logic = FixedVectorIntegerParams(tuple(_W), payload)
        yield _lanes(family, payload, _of(family, logic, *ports))
        family = F.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX
        compares = FixedVectorIntegerCompareMinMaxParams(
            _ORDINARY, tuple(IntegerPredicate), payload
        )
        for latency in (1, 2):
            yield _lanes(family, payload, _of(family, compares, *ports, latency=latency))
        family = F.FIXED_VECTOR_INTEGER_COUNT_ZEROS
        yield _lanes(family, payload, _of(family, integers, (wide,), (result,)))
        family = F.FIXED_VECTOR_VALUE_SELECT
        select = FixedVectorValueSelectParams(tuple(_W), tuple(FloatFormat), payload)
        yield _lanes(family, payload, _of(family, select, (wide, wide, wide), (result,)))
        for family in (F.FIXED_VECTOR_PACK, F.FIXED_VECTOR_UNPACK):
            copies = FixedVectorAdapterParams(tuple(_W), tuple(FloatFormat), payload)
            yield _lanes(family, payload, _of(family, copies, (wide,), (result,)))
        family = F.FIXED_VECTOR_INTEGER_MULTIPLY
        for latency in (1, 2, 3, 4):
            op = _of(family, integers, *ports, latency=latency)
            yield _lanes(family, payload, op)


def _tokens() -> Iterator[Resource]:
    """Constants, and groups of every element and lane count."""
    family = F.TOKEN_CONSTANT
    for payload, port in ((64, 64), (128, 128), (100, 72), (7, 32)):
        op = _of(family, PayloadCapacityParams(payload), (0,), (port,))
        yield Resource(f"{family_keyword(family)} {payload}", op, constant_cases, payload > 64)
    for payload, element, mask in ((64, 64, 8), (128, 64, 16), (120, 72, 16)):
        groups = FixedVectorAdapterParams(_ORDINARY, (FloatFormat.F32,), payload)
        large = payload != 64
        for family, inputs, outputs in (
            (F.FIXED_VECTOR_PARALLELIZE, (element, 1), (payload, mask, 1)),
            (F.FIXED_VECTOR_SERIALIZE, (payload, mask, 1), (element, 1)),
        ):
            op = _of(family, groups, inputs, outputs)
            yield Resource(f"{family_keyword(family)} {payload}", op, group_cases, large)


#: Families whose members share a datapath that is pruned to those that a resource has.
_SHARED = (
    F.SCALAR_INTEGER_ADD_SUB,
    F.SCALAR_INTEGER_SATURATING_ADD_SUB,
    F.SCALAR_INTEGER_LOGIC,
    F.SCALAR_INTEGER_SHIFT,
    F.SCALAR_INTEGER_COMPARE_MIN_MAX,
    F.SCALAR_INTEGER_COUNT_ZEROS,
    F.FIXED_VECTOR_INTEGER_ADD_SUB,
    F.FIXED_VECTOR_INTEGER_SATURATING_ADD_SUB,
    F.FIXED_VECTOR_INTEGER_LOGIC,
    F.FIXED_VECTOR_INTEGER_SHIFT,
    F.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX,
    F.FIXED_VECTOR_INTEGER_COUNT_ZEROS,
)
_COUNTS = (F.SCALAR_INTEGER_COUNT_ZEROS, F.FIXED_VECTOR_INTEGER_COUNT_ZEROS)


def _alone() -> Iterator[Resource]:
    """Each member without the others."""
    for family in _SHARED:
        has_lanes = family.name.startswith("FIXED_VECTOR")
        ports = (64,) if family in _COUNTS else (64, 64)
        for operation in FAMILIES[family].admitted_operation_schema_ids:
            if operation is O.LLVM_GET_ELEMENT_PTR:
                continue
            predicates = tuple(IntegerPredicate) if operation is O.ARITH_CMPI else ()
            params: CapabilityParams
            match family:
                case F.SCALAR_INTEGER_COMPARE_MIN_MAX:
                    params = ScalarIntegerCompareMinMaxParams(_ORDINARY, predicates)
                case F.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX:
                    params = FixedVectorIntegerCompareMinMaxParams(_ORDINARY, predicates, 64)
                case _ if has_lanes:
                    params = FixedVectorIntegerParams(_ORDINARY, 64)
                case _:
                    params = ScalarIntegerParams(_ORDINARY)
            op = _of(family, params, ports, (64,), members=(operation,))
            name = f"{family_keyword(family)} {OPERATION_SCHEMAS[operation].name} alone"
            yield Resource(name, op, vector_cases if has_lanes else scalar_cases, is_large=True)


#: Elements, containers, slices, ranks, and ports: wide ones, odd ones, small ones in full.
_SLICES = (
    ("128 rank 1", (_W.I8,), 128, 64, 1, (128, 128, 64), 128),
    ("136 rank 2", (_W.I8, _W.I16), 136, 72, 2, (136, 136, 64, 72), 144),
    ("bits 12", (_W.I1,), 12, 6, 0, (12, 12), 12),
    ("bits 7 rank 1", (_W.I1,), 7, 4, 1, (7, 7, 64), 7),
)
#: Elements, operands, results, blocks, sources, results in blocks, and ports.
_SHUFFLES = (
    ("128", (_W.I8, _W.I32), 128, 128, 32, 8, 4, (128, 128), 128),
    ("128 bytes", (_W.I8,), 128, 128, 64, 32, 16, (128, 128), 128),
    ("72 odd", (_W.I8,), 72, 72, 24, 5, 3, (72, 40), 60),
    ("bits 6", (_W.I1,), 6, 6, 3, 4, 3, (6, 6), 6),
)


def _positions() -> Iterator[Resource]:
    """Slices and shuffles, with and without a register behind the position."""
    family = F.FIXED_VECTOR_SLICE_ALIGN_MERGE
    for note, integers, container, part, rank, inputs, output in _SLICES:
        floats = () if _W.I1 in integers else (FloatFormat.F32,)
        indices = tuple(ResolvedIndexWidth) if rank else ()
        slices = FixedVectorSliceAlignMergeParams(integers, floats, container, part, rank, indices)
        for latency in (1, 2):
            op = _of(family, slices, inputs, (output,), latency=latency)
            name = f"{family_keyword(family)} {note} latency {latency}"
            yield Resource(name, op, position_cases, latency == 2)
    family = F.FIXED_VECTOR_SHUFFLE
    for note, integers, operand, result, block, sources, blocks, inputs, output in _SHUFFLES:
        shuffles = FixedVectorShuffleParams(integers, (), operand, result, block, sources, blocks)
        for latency in (1, 2):
            op = _of(family, shuffles, inputs, (output,), latency=latency)
            name = f"{family_keyword(family)} {note} latency {latency}"
            yield Resource(name, op, position_cases, latency == 2)


def resources() -> Iterator[Resource]:
    """All of them, by family."""
    yield from _uniform()
    yield from _passed_on()
    yield from _dividers()
    yield from _vectors()
    yield from _tokens()
    yield from _positions()
    yield from _alone()
