"""Which accesses of a random fabric have pointers, as addresses and as data."""

import random
from collections.abc import Sequence

from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.records.access import (
    AddressDomain,
    DataFormat,
    MemoryAccessClass,
    OrdinaryData,
    PointerAddressed,
    PointerFormat,
    RootRelative,
)

__all__ = [
    "FormatKey",
    "PointerDrawing",
    "address_domain",
    "address_keys",
    "data_format",
    "data_keys",
]

#: Representation bits, and address bits of them.
_WIDTHS = ((8, 8), (16, 11), (24, 24), (32, 32), (33, 9), (64, 48), (64, 64), (64, 33), (128, 64))

#: A pointer's space, representation bits and address bits; empty for what is no pointer.
FormatKey = tuple[int, ...]


class PointerDrawing:
    """Draws from a generator of its own: what has no pointer does not depend on it.

    Aligned elements have no pointers: these may point anywhere.
    """

    def __init__(self, seed: str, *, aligned: bool) -> None:
        self._rng = rng = random.Random(seed)
        self._odds = rng.choice([0.0, 0.0, 0.0, 0.4, 1.0]) * (not aligned)
        chosen = rng.sample(_WIDTHS, rng.randint(1, 3))
        self._formats = [PointerFormat(rng.choice([0, 0, 1, 7]), *widths) for widths in chosen]

    def addresses(self, indices: UnsignedDomain) -> AddressDomain:
        """Indices, or pointers of some formats in their place."""
        if self._rng.random() >= self._odds:
            return RootRelative(indices)
        count = self._rng.randint(1, len(self._formats))
        return PointerAddressed.of(*self._rng.sample(self._formats, count))

    def elements(self, elements: Sequence[int]) -> tuple[UnsignedDomain, tuple[DataFormat, ...]]:
        """Ordinary elements of these widths, or pointers of one of them."""
        rng = self._rng
        if rng.random() >= self._odds / 2:
            return UnsignedDomain.of(*elements), (OrdinaryData(),)
        width = rng.choice(elements)
        formats = [PointerFormat(space, width, rng.choice([1, width])) for space in (0, 3)]
        admitted = rng.sample([OrdinaryData(), *formats], rng.randint(1, 3))
        return UnsignedDomain.of(width), tuple(admitted)


def address_keys(access: MemoryAccessClass) -> list[FormatKey]:
    """What tells the addresses of a class apart beside their widths, sortable."""
    return [_key(each) for each in access.address_pointer_formats] or [()]


def data_keys(access: MemoryAccessClass) -> list[FormatKey]:
    """The same of its data."""
    return [_key(each) for each in access.data_pointer_formats]


def address_domain(key: FormatKey) -> AddressDomain:
    """Addresses of one key: any index, or pointers of one format."""
    if not key:
        return RootRelative(UnsignedDomain.of((1, 64)))
    return PointerAddressed.of(PointerFormat(*key))


def data_format(key: FormatKey) -> DataFormat:
    """Data of one key."""
    return PointerFormat(*key) if key else OrdinaryData()


def _key(each: DataFormat) -> FormatKey:
    if isinstance(each, OrdinaryData):
        return ()
    return (each.address_space, each.representation_bits, each.address_bits)
