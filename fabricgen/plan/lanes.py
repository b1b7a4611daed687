"""Exact lane arithmetic of one access: addresses, activity, payload (spec: 5.4 access view).

Tokens are non-negative integers, low-bit aligned in their endpoint; what lies above the logical
payload is not looked at. Addresses are exact integers: nothing wraps.
"""

from collections.abc import Sequence

from fabricgen.schema.actor import CanonicalMemoryAccessView
from fabricgen.vocab.dataflow import MemoryAccessForm, MemoryMaskForm

__all__ = ["active_lanes", "element_bytes", "join_lanes", "lane_addresses", "split_lanes"]


def element_bytes(access: CanonicalMemoryAccessView) -> int:
    """Bytes of one element; only whole-byte elements are realised."""
    if access.element_bits % 8:
        raise ValueError(f"Memory elements must be whole bytes, not {access.element_bits} bits")
    return access.element_bits // 8


def lane_addresses(
    access: CanonicalMemoryAccessView, base_addr: int, address_token: int
) -> tuple[int, ...]:
    """Byte address of every lane, active or not.

    Indices are zero-extended and scaled by the element, from the base on. A pointer is the address
    that its low address bits say, with neither. An indexed access has one of either per lane, any
    other access has one for lane 0, and its lanes follow without gaps.
    """
    size, pointer = element_bytes(access), access.address_pointer_format
    starts = _slices(address_token, access.address_lane_bits, access.address_count)
    if pointer is None:
        starts = tuple(base_addr + index * size for index in starts)
    else:
        starts = tuple(each & (1 << pointer.address_bits) - 1 for each in starts)
    if access.form is MemoryAccessForm.INDEXED:
        return starts
    return tuple(starts[0] + lane * size for lane in range(access.lane_count))


def active_lanes(access: CanonicalMemoryAccessView, mask_token: int | None) -> tuple[bool, ...]:
    """Activity of every lane; without a dynamic mask (token ``None``) all are active."""
    if (mask_token is None) != (access.mask_form is MemoryMaskForm.ABSENT):
        raise ValueError(
            f"Mask token must be present exactly for a dynamic mask, not {mask_token!r} "
            f"for {access.mask_form.name}"
        )
    if mask_token is None:
        return (True,) * access.lane_count
    return tuple(bool(bit) for bit in _slices(mask_token, 1, access.lane_count))


def split_lanes(access: CanonicalMemoryAccessView, payload: int) -> tuple[bytes, ...]:
    """Bytes of every lane of a payload token, little-endian; lane 0 is lowest."""
    size = element_bytes(access)
    values = _slices(payload, access.element_bits, access.lane_count)
    return tuple(value.to_bytes(size, "little") for value in values)


def join_lanes(access: CanonicalMemoryAccessView, lanes: Sequence[bytes | None]) -> int:
    """Payload token of the given lanes; ``None`` (inactive, or out of range) reads as zero."""
    size = element_bytes(access)
    filled = [bytes(size) if lane is None else lane for lane in lanes]
    if len(filled) != access.lane_count or any(len(lane) != size for lane in filled):
        raise ValueError(f"Lanes must be {access.lane_count} of {size} bytes, not {lanes!r}")
    return int.from_bytes(b"".join(filled), "little")


def _slices(token: int, width: int, count: int) -> tuple[int, ...]:
    mask = (1 << width) - 1
    return tuple(token >> (position * width) & mask for position in range(count))
