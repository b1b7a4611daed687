"""What the field of a datapath resource says, in words."""

import re
from collections.abc import Iterator

from fabricgen.errors.listing import listed_names
from fabricgen.hsg.constant_carrier import ConstantCarrier
from fabricgen.hsg.keys import BehaviorKey, ExactFormat, RepresentationWidth
from fabricgen.hsg.resource import FabricOp
from fabricgen.hsg.semantics import DirectField, FiniteField, behaviors, semantic_field
from fabricgen.hsg.setting import OpValue
from fabricgen.hsg.shuffle_carrier import ShuffleCarrier, ShuffleSetting
from fabricgen.hsg.slice_carrier import SliceCarrier, SliceSetting
from fabricgen.vocab.words import word

__all__ = ["op_field_meaning", "op_value_meaning"]


def op_field_meaning(op: FabricOp) -> str:
    """Words for the field of a resource, whatever its value; none has no field."""
    match semantic_field(op):
        case FiniteField():
            found = enumerate(behaviors(op))
            return listed_names((f"{code}: {_key(each)}" for code, each in found), "; ")
        case DirectField(carrier):
            if isinstance(carrier, ConstantCarrier):
                return "the constant, low-aligned"
            names = (f"{each.name} {each.bits}" for each in carrier.layout if each.bits)
            return f"carrier of fields, lowest first, with their bits: {listed_names(names)}"
        case None:  # exhaustive
            raise ValueError("The resource must have a field, not be without one")


def op_value_meaning(op: FabricOp, value: OpValue) -> str:
    """Words for a value that the resource is configured to."""
    match semantic_field(op), value:
        case FiniteField() as field, BehaviorKey():
            return _key(behaviors(op)[field.ordinal(value)])
        case DirectField(SliceCarrier() as carrier), int():
            return _slice(carrier.decode(value))
        case DirectField(ShuffleCarrier() as carrier), int():
            return _shuffle(carrier.decode(value))
        case DirectField(ConstantCarrier()), int():
            return f"constant {value:#x}"
        case _:
            raise ValueError(f"The value must be one of the resource's field, not {value!r}")


def _slice(setting: SliceSetting) -> str:
    mode = setting.operation.name.removeprefix("VECTOR_").lower()
    strides = [f"stride_{i} {bits}" for i, bits in enumerate(setting.stride_bits)]
    fixed = (f"mode {mode}", f"offset {setting.offset_bits}", f"slice_width {setting.slice_bits}")
    return ", ".join((*fixed, *strides))


def _shuffle(setting: ShuffleSetting) -> str:
    used = setting.selectors[: setting.result_blocks]
    return (
        f"block_width {setting.block_bits}, left_blocks {setting.left_blocks}, "
        f"result_blocks {setting.result_blocks}, selectors {listed_names(map(str, used))}"
    )


def _key(key: BehaviorKey) -> str:
    """A behaviour by its role and all that the hardware has to know of it."""
    return ", ".join(_parts(key))


def _parts(key: BehaviorKey) -> Iterator[str]:
    if key.role:
        yield re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key.role).lower()
    for text, bits in (("from", key.source_bits), ("to", key.result_bits)):
        if bits is not None:
            yield f"{text} {bits} bits"
    if key.active_bits is not None:
        yield f"{key.active_bits} bits"
    if key.element_bits is not None:
        yield f"elements of {key.element_bits} bits"
    if key.lane_count is not None:
        yield f"{key.lane_count} lane{'s' if key.lane_count > 1 else ''}"
    if key.predicate is not None:
        yield word(key.predicate)
    for text, kind in (("from ", key.source_format), ("to ", key.result_format), ("", key.format)):
        if kind is not None:
            yield text + word(kind)
    match key.comparison_format:
        case ExactFormat(kind):
            yield word(kind)
        case RepresentationWidth(bits):
            yield f"any format of {bits} bits"
        case None:  # exhaustive
            pass
    if key.rounding is not None:
        yield word(key.rounding)
    if key.lanes is not None:
        yield f"lanes {listed_names(map(str, key.lanes))}"
