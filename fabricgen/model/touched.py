"""Which rows touched which bytes: two rows that share one, with a write between them, race."""

from collections.abc import Iterator

from fabricgen.errors import Diagnostic

__all__ = ["TouchedBytes"]


class TouchedBytes:
    """Record accesses row by row and report the races between rows.

    Rows of one occurrence are ordered by nothing but their tokens, so the outcome of a race is
    not one value. Accesses of one row linearise in their order and never race with each other.
    """

    def __init__(self) -> None:
        self._writer: dict[int, int] = {}
        self._readers: dict[int, set[int]] = {}
        self._races: dict[tuple[int, int], int] = {}

    def read(self, row: int, address: int, size: int) -> None:
        """``row`` read ``size`` bytes."""
        for byte in range(address, address + size):
            self._meet(row, self._writer.get(byte, row), byte)
            self._readers.setdefault(byte, set()).add(row)

    def write(self, row: int, address: int, size: int) -> None:
        """``row`` wrote ``size`` bytes."""
        for byte in range(address, address + size):
            self._meet(row, self._writer.setdefault(byte, row), byte)
            for reader in self._readers.get(byte, ()):
                self._meet(row, reader, byte)

    def findings(self) -> Iterator[Diagnostic]:
        """Report each pair of rows that races, with the first byte."""
        for (first, second), byte in sorted(self._races.items()):
            yield Diagnostic(
                "workload-race",
                f"operation_rows[{second}]",
                f"Rows that share a byte must only read it, but rows {first} and {second} both "
                f"touch byte {byte:#x} and one of them writes it",
            )

    def _meet(self, row: int, other: int, byte: int) -> None:
        if row != other:
            pair = (min(row, other), max(row, other))
            self._races[pair] = min(byte, self._races.get(pair, byte))
