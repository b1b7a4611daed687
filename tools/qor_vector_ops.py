"""Vector providers to measure: 128 bits of every element width."""

from fabricgen.hsg.params import CapabilityParams
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.registry import FAMILIES
from fabricgen.hsg.resource import FabricOp, ResourceTiming
from fabricgen.hsg.vector_params import (
    FixedVectorAdapterParams,
    FixedVectorIntegerCompareMinMaxParams,
    FixedVectorIntegerParams,
    FixedVectorShuffleParams,
    FixedVectorSliceAlignMergeParams,
    FixedVectorValueSelectParams,
)
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.hardware import FloatFormat, IntegerWidth, ResolvedIndexWidth
from fabricgen.vocab.operations import IntegerPredicate
from tools.qor_ops import OpCase

__all__ = ["VECTOR_OPS"]

_BITS = 128
_WIDTHS = (IntegerWidth.I8, IntegerWidth.I16, IntegerWidth.I32, IntegerWidth.I64)
_PER_LANE = "8 to 64-bit elements, every member"


def _vector(
    name: str,
    family: F,
    params: CapabilityParams | None = None,
    *,
    inputs: tuple[int, ...] = (_BITS, _BITS),
    outputs: tuple[int, ...] = (_BITS,),
    latency: int = 1,
    members: str = _PER_LANE,
) -> OpCase:
    enabled = set(FAMILIES[family].admitted_operation_schema_ids)
    record = FixedVectorIntegerParams(_WIDTHS, _BITS) if params is None else params
    timing = ResourceTiming(latency)
    op = FabricOp.of(family, enabled, record, PhysicalPorts(inputs, outputs), timing)
    return OpCase(name, op, members=members)


_COMPARE = FixedVectorIntegerCompareMinMaxParams(_WIDTHS, tuple(IntegerPredicate), _BITS)
_SLICE = FixedVectorSliceAlignMergeParams(_WIDTHS, (), _BITS, 64, 1, (ResolvedIndexWidth.I32,))
_SHUFFLE = FixedVectorShuffleParams(_WIDTHS, (), _BITS, _BITS, 64, 32, 16)
_WORDS = FixedVectorShuffleParams((IntegerWidth.I8, IntegerWidth.I32), (), _BITS, _BITS, 32, 8, 4)
_ADAPTER = FixedVectorAdapterParams((IntegerWidth.I8, IntegerWidth.I32), (), _BITS)
_GROUPS = "8 and 32-bit elements"

VECTOR_OPS = (
    _vector("vector_add_sub", F.FIXED_VECTOR_INTEGER_ADD_SUB),
    *(
        _vector(
            "vector_saturating_add_sub",
            F.FIXED_VECTOR_INTEGER_SATURATING_ADD_SUB,
            latency=latency,
        )
        for latency in (1, 2)
    ),
    _vector("vector_logic", F.FIXED_VECTOR_INTEGER_LOGIC),
    *(_vector("vector_shift", F.FIXED_VECTOR_INTEGER_SHIFT, latency=latency) for latency in (1, 2)),
    *(
        _vector(
            "vector_compare_min_max",
            F.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX,
            _COMPARE,
            latency=latency,
        )
        for latency in (1, 2)
    ),
    _vector(
        "vector_value_select",
        F.FIXED_VECTOR_VALUE_SELECT,
        FixedVectorValueSelectParams(_WIDTHS, tuple(FloatFormat), _BITS),
        inputs=(16, _BITS, _BITS),
    ),
    *(
        _vector("vector_multiply", F.FIXED_VECTOR_INTEGER_MULTIPLY, latency=latency)
        for latency in (1, 2, 3, 4)
    ),
    _vector("vector_count_zeros", F.FIXED_VECTOR_INTEGER_COUNT_ZEROS, inputs=(_BITS,)),
    *(
        _vector(
            "vector_slice",
            F.FIXED_VECTOR_SLICE_ALIGN_MERGE,
            _SLICE,
            inputs=(_BITS, _BITS, 32),
            latency=latency,
            members="slices of up to 64 bits at one dynamic index, every member",
        )
        for latency in (1, 2)
    ),
    *(
        _vector(
            "vector_shuffle",
            F.FIXED_VECTOR_SHUFFLE,
            _SHUFFLE,
            latency=latency,
            members="blocks of 8 to 64 bits from all 32 places to all 16",
        )
        for latency in (1, 2)
    ),
    _vector(
        "vector_shuffle",
        F.FIXED_VECTOR_SHUFFLE,
        _WORDS,
        members="blocks of 8 to 32 bits from 8 places to 4",
    ),
    _vector("vector_pack", F.FIXED_VECTOR_PACK, _ADAPTER, inputs=(_BITS,), members=_GROUPS),
    _vector("vector_unpack", F.FIXED_VECTOR_UNPACK, _ADAPTER, inputs=(_BITS,), members=_GROUPS),
    _vector(
        "vector_parallelize",
        F.FIXED_VECTOR_PARALLELIZE,
        _ADAPTER,
        inputs=(32, 1),
        outputs=(_BITS, 16, 1),
        members=_GROUPS,
    ),
    _vector(
        "vector_serialize",
        F.FIXED_VECTOR_SERIALIZE,
        _ADAPTER,
        inputs=(_BITS, 16, 1),
        outputs=(32, 1),
        members=_GROUPS,
    ),
)
