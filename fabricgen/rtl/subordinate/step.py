"""Registers of one beat of a subordinate between two steps."""

from amaranth.hdl import Module, Signal, Value

__all__ = ["BeatStep"]


class BeatStep:
    """Hold a beat until the next step takes it; only ``valid`` is reset.

    Parameters
    ----------
    name
        Start of the registers' names.
    slots
        Slots of the subordinate.
    fields
        Bits of each register beside the slot; those of no width are none.

    Attributes
    ----------
    valid, slot
        A beat is here; its slot.
    fields
        The other registers, by name.
    leaves
        The next step takes the beat in this cycle; driven there.
    """

    def __init__(self, name: str, slots: int, **fields: int) -> None:
        self.valid = Signal(name=f"{name}_valid")
        self.leaves = Signal(name=f"{name}_leaves")
        self.slot = Signal(range(max(2, slots)), name=f"{name}_slot", reset_less=True)
        self.fields = {
            field: Signal(width, name=f"{name}_{field}", reset_less=True)
            for field, width in fields.items()
            if width
        }

    def __getitem__(self, field: str) -> Signal:
        return self.fields[field]

    @property
    def free(self) -> Value:
        """A beat may enter in this cycle."""
        return ~self.valid | self.leaves

    def enter(self, m: Module, enters: Value, slot: Value, **values: Value) -> None:
        """Take a beat where ``enters``, which implies ``free``."""
        with m.If(self.free):
            m.d.sync += self.valid.eq(enters)
        with m.If(enters):
            m.d.sync += self.slot.eq(slot)
            m.d.sync += [self.fields[field].eq(value) for field, value in values.items()]
