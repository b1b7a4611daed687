"""How a byte address splits into offset, bank and row."""

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Value

from fabricgen.plan.geometry import BankGeometry

__all__ = ["AddressSplit"]


@dataclass(frozen=True, slots=True)
class AddressSplit:
    """Low bits are the byte in a beat, then the bank, then the row."""

    geometry: BankGeometry

    @property
    def offset_bits(self) -> int:
        """Bits of a byte's place in its beat; 0 for beats of one byte."""
        return self.geometry.beat_bytes.bit_length() - 1

    @property
    def bank_bits(self) -> int:
        """Bits of the bank; 0 for one bank."""
        return self.geometry.banks.bit_length() - 1

    @property
    def low_bits(self) -> int:
        """Bits below the row."""
        return self.offset_bits + self.bank_bits

    @property
    def depth(self) -> int:
        """Rows of one bank, at least two so that a row always has an address."""
        return max(2, self.geometry.rows)

    @property
    def row_bits(self) -> int:
        """Bits of a row's address."""
        return (self.depth - 1).bit_length()

    def offset(self, address: Value) -> Value:
        """Byte in the beat."""
        return self.low(address)[: self.offset_bits]

    def low(self, address: Value) -> Value:
        """Everything below the row: exactly ``low_bits``, also of a shorter address."""
        return self._padded(address)[: self.low_bits]

    def bank(self, address: Value) -> Value:
        """Bank of the beat."""
        return self._padded(address)[self.offset_bits : self.low_bits]

    def row(self, address: Value) -> Value:
        """Row of the beat."""
        return self._padded(address)[self.low_bits :]

    def _padded(self, address: Value) -> Value:
        """The address with the high zeros that a small capacity leaves out."""
        missing = self.low_bits + self.row_bits - len(address)
        return Cat(address, Const(0, missing)) if missing > 0 else Cat(address)
