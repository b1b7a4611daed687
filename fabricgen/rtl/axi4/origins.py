"""From the origins of a manager's beats to transaction identifiers, and back."""

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Value

from fabricgen.rtl.logic import pick

__all__ = ["BeatOrigins"]


@dataclass(frozen=True, slots=True)
class BeatOrigins:
    """How the origins of a stream fall into (port, row) and a slot of that row.

    Every (port, row) is one identifier, so its transactions stay in order; the slot within the
    row is kept beside them. An origin is a slot, and above it the ordinal of its port.

    Parameters
    ----------
    slots
        Slots of each port that may reach the manager, in port order.
    rows
        Rows of each of them: the resident contexts of a Temporal engine, or 1. The slots of a
        row are those with equal bits above the slot's place in its row.
    """

    slots: tuple[int, ...]
    rows: int = 1

    def __post_init__(self) -> None:
        if not self.slots or self.rows < 1 or any(each < self.rows for each in self.slots):
            raise ValueError(
                f"BeatOrigins must have a slot for each row, not {self.slots} for {self.rows} rows"
            )

    @property
    def slot_bits(self) -> int:
        """Bits of a slot below the port's ordinal."""
        return max((each - 1).bit_length() for each in self.slots)

    @property
    def origin_bits(self) -> int:
        """Bits of an origin."""
        return self.slot_bits + self._port_bits

    @property
    def row_bits(self) -> int:
        """Bits of a row."""
        return (self.rows - 1).bit_length()

    @property
    def index_bits(self) -> int:
        """Bits of a slot's place in its row."""
        return max(self._places)

    @property
    def id_bits(self) -> int:
        """Bits of an identifier: the row, and the port above it; at least one bit."""
        return max(1, self.row_bits + self._port_bits)

    @property
    def count(self) -> int:
        """Identifiers that may occur are less than this number."""
        return (len(self.slots) - 1 << self.row_bits) + self.rows

    @property
    def _port_bits(self) -> int:
        return (len(self.slots) - 1).bit_length()

    @property
    def _places(self) -> tuple[int, ...]:
        """Of each port: bits of a slot's place in its row."""
        return tuple((each // self.rows - 1).bit_length() for each in self.slots)

    def identifier(self, origin: Value) -> Value:
        """Port and row of an origin."""
        rows = [_cut(origin[bits : self.slot_bits], self.row_bits) for bits in self._places]
        port = origin[self.slot_bits :]
        return _cut(Cat(self._of_port(rows, port), port), self.id_bits)

    def index(self, origin: Value) -> Value:
        """Place of an origin's slot in its row."""
        places = [_cut(origin[:bits], self.index_bits) for bits in self._places]
        return self._of_port(places, origin[self.slot_bits :])

    def origin(self, identifier: Value, index: Value) -> Value:
        """The origin that has both."""
        row, port = identifier[: self.row_bits], identifier[self.row_bits :][: self._port_bits]
        slots = [_cut(Cat(index[:bits], row), self.slot_bits) for bits in self._places]
        return Cat(self._of_port(slots, port), port)

    def _of_port(self, values: list[Value], port: Value) -> Value:
        """The value of this port, where ports differ."""
        return values[0] if len(set(self._places)) == 1 else pick(values, port)


def _cut(value: Value, width: int) -> Value:
    """``value`` with exactly this width."""
    return Cat(value[:width], Const(0, max(0, width - len(value))))
