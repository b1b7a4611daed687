"""Registers with the resets and enables that the multiplexers in front of them are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fabricgen.emit.netlist import Bit, Cell, Module, Value
from fabricgen.emit.tidy import replaced

__all__ = ["Register", "add_registers"]

#: The multiplexer between two values that drives a bit, and the bit's place in its result.
_Muxes = Mapping[Bit | str, tuple[Cell, int]]

#: A condition: a bit, and whether it must be one.
_Control = tuple[Bit | str, bool]


@dataclass(frozen=True, slots=True)
class Register:
    """One register of the source.

    Parameters
    ----------
    state, data, start
        Its bits, their next values, and those at the start.
    clock, rising
        Its clock, one bit, and the edge.
    """

    state: tuple[Bit, ...]
    data: Value
    start: Value
    clock: Value
    rising: bool


@dataclass(slots=True)
class _FlipFlop:
    """What one bit of a register does at a clock edge.

    Parameters
    ----------
    state, start
        The bit, and its value at the start.
    data
        Its next value, if it is enabled and not reset.
    reset
        ``x`` without a reset.
    resets, enables
        It is reset where one of its resets applies, and enabled where all of its enables do.
    enable_first
        Whether a reset counts only where it is enabled.
    """

    state: Bit
    data: Bit | str
    start: Bit | str
    reset: str = "x"
    resets: list[_Control] = field(default_factory=list)
    enables: list[_Control] = field(default_factory=list)
    enable_first: bool = False

    @property
    def controls(self) -> object:
        """What it shares with others of one cell."""
        return tuple(self.resets), tuple(self.enables), self.enable_first

    @property
    def constant(self) -> str:
        """The only value that it ever takes, or is reset to; empty if there are others."""
        value = (self.start if self.reset == "x" else self.reset) if self.holds else self.data
        return str(value) if value in ("0", "1") and self.reset in ("x", value) else ""

    @property
    def holds(self) -> bool:
        """Whether it keeps its state unless it is reset."""
        return self.data == self.state

    def peel(self, muxes: _Muxes) -> None:
        """Take the multiplexers in front of the flip-flop for controls, from the last back."""
        while found := muxes.get(self.data):
            mux, place = found
            select, off, on = mux.ports["S"][0], mux.ports["A"][place], mux.ports["B"][place]
            if select in ("0", "1") or off == on:
                self.data = on if select == "1" else off
            elif self.enables:
                if not (self._holds(select, off, on) or self._resets(select, off, on)):
                    return
            elif not (self._resets(select, off, on) or self._holds(select, off, on)):
                return

    def _resets(self, select: Bit | str, off: Bit | str, on: Bit | str) -> bool:
        """Whether the multiplexer puts a constant, always the same, in place of the data."""
        if self.resets and self.enables and not self.enable_first:
            return False
        if off in ("0", "1") and on in ("0", "1"):
            # That is the condition itself.
            return False
        for constant, data, active in ((off, on, False), (on, off, True)):
            if constant in ("0", "1") and self.reset in ("x", constant):
                self.enable_first = bool(self.enables)
                self.resets.append((select, active))
                self.reset, self.data = str(constant), data
                return True
        return False

    def _holds(self, select: Bit | str, off: Bit | str, on: Bit | str) -> bool:
        """Whether the multiplexer lets the flip-flop keep its state."""
        if self.enable_first or self.state not in (off, on):
            return False
        self.enables.append((select, off == self.state))
        self.data = on if off == self.state else off
        return True


def add_registers(module: Module, registers: Sequence[Register]) -> None:
    """Give ``module`` its registers, one cell for each set of controls that some bits have.

    A bit that takes one value only is a constant. ``ValueError`` unless every bit that starts as
    one is reset to one, or is one always: the text has no initial values.
    """
    muxes: _Muxes = {
        bit: (cell, place)
        for cell in module.cells
        if cell.kind == "$mux"
        for place, bit in enumerate(cell.ports["Y"])
        # What the source has named is read as it is.
        if isinstance(bit, Bit) and not bit.public
    }
    known: dict[Bit, Bit | str] = {}
    while True:
        found = [(register, _flip_flops(register, muxes, known)) for register in registers]
        before = len(known)
        for _register, flip_flops in found:
            _check_start(module, flip_flops)
            constant = [each for each in flip_flops if each.constant]
            if constant:
                left = tuple(each.state for each in constant)
                right = tuple(each.constant for each in constant)
                module.connections.append((left, right))
                known.update(zip(left, right, strict=True))
        if len(known) == before:
            break
        # Names that stand for one another still do.
        for cell in module.cells:
            cell.ports = {port: replaced(value, known) for port, value in cell.ports.items()}
    for register, flip_flops in found:
        groups: dict[object, list[_FlipFlop]] = {}
        for each in flip_flops:
            groups.setdefault(each.controls, []).append(each)
        for group in groups.values():
            _add_cell(module, register, group)


def _check_start(module: Module, flip_flops: Sequence[_FlipFlop]) -> None:
    for each in flip_flops:
        if each.start == "1" and "1" not in (each.reset, each.constant):
            raise ValueError(
                f"Register {each.state.wire[1:]} of {module.name[1:]} must be reset to its start "
                "value: the text has no initial values"
            )


def _flip_flops(
    register: Register, muxes: _Muxes, known: Mapping[Bit, Bit | str]
) -> list[_FlipFlop]:
    """Bits of a register that are not known."""
    flip_flops: list[_FlipFlop] = []
    for state, data, start in zip(register.state, register.data, register.start, strict=True):
        if state not in known:
            following = known.get(data, data) if isinstance(data, Bit) else data
            flip_flops.append(_FlipFlop(state, following, start))
            flip_flops[-1].peel(muxes)
    return flip_flops


def _add_cell(module: Module, register: Register, group: Sequence[_FlipFlop]) -> None:
    cell = Cell("$dff", f"${len(module.cells)}$dff", {"CLK_POLARITY": int(register.rising)})
    cell.ports = {
        "D": tuple(each.data for each in group),
        "Q": tuple(each.state for each in group),
        "CLK": register.clock,
    }
    first = group[0]
    if first.resets:
        cell.kind = "$sdff"
        cell.parameters["SRST_VALUE"] = int("".join(each.reset for each in reversed(group)), 2)
        _control(module, cell, "SRST", first.resets, any_of=True)
    if first.enables:
        cell.kind += "ce" if first.enable_first else "e"
        _control(module, cell, "EN", first.enables, any_of=False)
    module.cells.append(cell)


def _control(
    module: Module, cell: Cell, port: str, controls: Sequence[_Control], *, any_of: bool
) -> None:
    """Connect a control input to what asks for it: any of the controls, or all of them."""
    high = len(controls) > 1 or controls[0][1]
    bits = tuple(
        bit if active == high else _operator(module, "$not", (bit,)) for bit, active in controls
    )
    if len(bits) > 1:
        bits = (_operator(module, "$reduce_or" if any_of else "$reduce_and", bits),)
    cell.ports[port] = bits
    cell.parameters[f"{port}_POLARITY"] = int(high)


def _operator(module: Module, kind: str, operand: Value) -> Bit:
    (result,) = bits = module.new_wire(1).bits
    module.cells.append(Cell(kind, result.wire, {"A_SIGNED": 0}, {"A": operand, "Y": bits}))
    return result
