"""Exact types of the operands and results of compute and control actors."""

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.atoms.pointer import PointerFormat
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.errors.strict import StrictRecord
from fabricgen.vocab.hardware import FloatFormat, ResolvedIndexWidth

__all__ = [
    "FloatType",
    "IndexType",
    "IntegerType",
    "NoneType",
    "PointerType",
    "ScalarType",
    "ValueType",
    "VectorType",
]

#: Largest total width that an actor's value may have, in bits.
_MAX_BITS = 2**32 - 1


@dataclass(frozen=True, slots=True)
class IntegerType:
    """Signless integer of ``bits`` bits."""

    bits: int

    def __post_init__(self) -> None:
        if not 1 <= self.bits <= _MAX_BITS:
            raise Invalid(_range("bits", f"from 1 to {_MAX_BITS}", self.bits))

    def __str__(self) -> str:
        return f"i{self.bits}"


@dataclass(frozen=True, slots=True)
class FloatType:
    """Floating-point number of one format."""

    format: FloatFormat

    @property
    def bits(self) -> int:
        """Width in bits."""
        return self.format.bits

    def __str__(self) -> str:
        return self.format.name.lower()


@dataclass(frozen=True, slots=True)
class IndexType:
    """``index`` under a data layout that resolves its width."""

    width: ResolvedIndexWidth

    @property
    def bits(self) -> int:
        """Width in bits."""
        return self.width.bits

    def __str__(self) -> str:
        return f"index{self.bits}"


@dataclass(frozen=True, slots=True)
class NoneType:
    """Token without a value."""

    @property
    def bits(self) -> int:
        """Width in bits: 0."""
        return 0

    def __str__(self) -> str:
        return "none"


@dataclass(frozen=True, slots=True)
class PointerType:
    """Scalar pointer with its exact layout."""

    format: PointerFormat

    @property
    def bits(self) -> int:
        """Width of the representation in bits."""
        return self.format.representation_bits

    def __str__(self) -> str:
        space, address = self.format.address_space, self.format.address_bits
        is_plain = space == 0 and address == self.bits
        return f"ptr{self.bits}" if is_plain else f"ptr{self.bits}<{space},{address}>"


@dataclass(frozen=True, slots=True)
class VectorType(StrictRecord):
    """Fixed vector: a positive extent for each dimension, row-major, lane 0 lowest."""

    shape: tuple[int, ...]
    element: IntegerType | FloatType

    def _findings(self) -> Iterator[Diagnostic]:
        if not self.shape or any(extent < 1 for extent in self.shape):
            yield _range("shape", "one positive extent or more", self.shape)
        elif self.bits > _MAX_BITS:
            yield _range("shape", f"at most {_MAX_BITS} bits in all", self.bits)

    @property
    def lanes(self) -> int:
        """Flattened number of elements."""
        return self.blocks(0)

    @property
    def bits(self) -> int:
        """Width of all lanes in bits."""
        return self.lanes * self.element.bits

    def blocks(self, dimension: int) -> int:
        """Elements of one block that spans the dimensions from ``dimension`` on."""
        count = 1
        for extent in self.shape[dimension:]:
            count *= extent
        return count

    def __str__(self) -> str:
        return f"vector<{'x'.join(map(str, self.shape))}x{self.element}>"


ScalarType = IntegerType | FloatType | IndexType | PointerType
ValueType = ScalarType | NoneType | VectorType


def _range(where: str, requirement: str, value: object) -> Diagnostic:
    return Diagnostic("value-type-range", where, f"The value must be {requirement}, not {value}")
