"""A direct carrier in hardware: its fields, and the units in which it counts."""

from collections.abc import Mapping

from amaranth.hdl import Const, Mux, Value

from fabricgen.hsg.shuffle_carrier import ShuffleCarrier
from fabricgen.hsg.slice_carrier import SliceCarrier
from fabricgen.hsg.vector_params import (
    FixedVectorShuffleParams,
    FixedVectorSliceAlignMergeParams,
    element_bits,
)
from fabricgen.rtl.providers.frame import ProviderFrame

__all__ = ["carrier_fields", "pick_among", "times", "unit_bits"]


def carrier_fields(
    provider: ProviderFrame, carrier: SliceCarrier | ShuffleCarrier
) -> dict[str, Value]:
    """Fields of the configured carrier by name; constants where only one carrier is valid."""
    if provider.field is None:
        value: Value = Const(carrier.inactive, max(carrier.bit_count, 1))
    else:
        value = provider.configuration
    fields: dict[str, Value] = {}
    at = 0
    for field in carrier.layout:
        fields[field.name] = value[at : at + field.bits]
        at += field.bits
    return fields


def unit_bits(params: FixedVectorSliceAlignMergeParams | FixedVectorShuffleParams) -> int:
    """Width of the narrowest element: every width and position is a multiple of it."""
    return min(element_bits(params))


def times(factor: Value, other: Value, bits: int) -> Value:
    """Product of two numbers of few bits, as a sum of shifted ones, modulo ``2**bits``."""
    total: Value = Const(0, bits)
    for at in range(min(len(other), bits)):
        term = (factor & other[at].replicate(len(factor))) << at
        total = term[:bits] if at == 0 else (total + term)[:bits]
    return total


def pick_among(choices: Mapping[int, Value], index: Value) -> Value:
    """The choice whose key ``index`` is; some choice for any other index. A tree of its bits."""
    if len(choices) == 1:
        return next(iter(choices.values()))
    top = max(choices).bit_length() - 1
    half = 1 << top
    low = {key: value for key, value in choices.items() if key < half}
    high = {key - half: value for key, value in choices.items() if key >= half}
    if not low:
        return pick_among(high, index)
    return Mux(index[top], pick_among(high, index), pick_among(low, index))
