"""Netlists of the modules of an elaborated design, as the writer wants them.

Amaranth's netlist has a number for each net of the whole design. Here every module has wires, those
of the source under their names, and cells between them.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise

from fabricgen.emit.choices import Choices, cases_of
from fabricgen.emit.expressions import OPERATORS
from fabricgen.emit.flipflops import Register, add_registers
from fabricgen.emit.names import ModuleNotes
from fabricgen.emit.netlist import Bit, Cell, Memory, Module, Value, Wire
from fabricgen.emit.nir import NetCell, Netlist, NetModule, Nets, nir
from fabricgen.emit.operators import operator_cells
from fabricgen.emit.tidy import drop_dead, followed, replace_bits, replaced

__all__ = ["lowered"]


def lowered(circuit: Netlist, notes: Mapping[str, ModuleNotes]) -> dict[str, Module]:
    """Each module that is not empty by its dotted name, in order of the names: parents first.

    ``ValueError`` for what the text cannot say: contents of memories, start values without a reset,
    asynchronous resets, and cells that are neither operators nor registers nor memories.
    """
    filled = _filled(circuit)
    sources = {f"\\{'.'.join(circuit.modules[each].name)}": each for each in filled}
    return {
        name: _Lowering(circuit, circuit.modules[each], notes[name].foreign, filled).module
        for name, each in sorted(sources.items())
    }


def _filled(circuit: Netlist) -> set[int]:
    """Modules with cells, or with parts that have some."""
    filled: set[int] = set()
    for position in reversed(range(len(circuit.modules))):
        module = circuit.modules[position]
        if module.cells or not filled.isdisjoint(module.submodules):
            filled.add(position)
    return filled


class _Lowering:
    """One module on its way; ``module`` is the result."""

    def __init__(
        self, circuit: Netlist, source: NetModule, foreign: Collection[str], filled: set[int]
    ) -> None:
        self.circuit, self.source, self.foreign = circuit, source, foreign
        self.module = Module(f"\\{'.'.join(source.name)}")
        self.nets: dict[int, Bit | str] = {0: "0", 1: "1"}
        #: First name of each value, and the wires that stand for one.
        self.named: dict[tuple[int, ...], str] = {}
        self.undriven: dict[str, tuple[int, ...]] = {}
        #: What stands for bits of unnamed wires that nothing drives but a connection.
        self.same: dict[Bit, Bit | str] = {}
        self.choices = Choices(self.module, self._bits)
        self._name_wires()
        self._drive_wires()
        self._connect(filled)
        self._lower_cells()

    def _bits(self, nets: Nets) -> Value:
        return tuple(map(self.nets.__getitem__, nets))

    # Wires

    def _name_wires(self) -> None:
        wires, ports = self.module.wires, self.source.ports
        for signal, name in self.source.signal_names.items():
            value = tuple(self.circuit.signals[signal])
            self.named.setdefault(value, name)
            if name not in ports and value:
                wires[f"\\{name}"] = Wire(f"\\{name}", len(value))
                self.undriven[name] = value
        for name, (value, flow) in ports.items():
            wire = wires[f"\\{name}"] = Wire(f"\\{name}", len(value), str(flow.value))
            if flow == nir.ModuleNetFlow.Output:
                self.undriven[name] = tuple(value)
                self.named.setdefault(tuple(value), name)
            else:
                self.nets.update(zip(value, wire.bits, strict=True))

    def _drive_wires(self) -> None:
        """Give every net of the module a bit: of a wire that has a name, if one is just that."""
        for position in self.source.cells:
            if width := _width(self.circuit.cells[position]):
                first = position << 16
                self._drive(tuple(range(first, first + width)))
        for position in self.source.submodules:
            for value, flow in self.circuit.modules[position].ports.values():
                if flow == nir.ModuleNetFlow.Output:
                    self._drive(tuple(value))

    def _drive(self, value: tuple[int, ...]) -> None:
        name = self.named.get(value, "")
        if self.undriven.pop(name, None) is not None:
            wire = self.module.wires[f"\\{name}"]
        else:
            wire = self.module.new_wire(len(value))
        self.nets.update(zip(value, wire.bits, strict=True))

    def _connect(self, filled: set[int]) -> None:
        """Let signals be driven by what computes their parts; place the submodules."""
        wires = self.module.wires
        for name, value in sorted(self.undriven.items(), key=self._rank):
            self._equate(wires[f"\\{name}"].bits, self._bits(value))
        for position in self.source.submodules:
            if position in filled:
                part = self.circuit.modules[position]
                cell = Cell(f"\\{'.'.join(part.name)}", f"\\{part.name[-1]}")
                cell.ports = {
                    name: self._bits(value) for name, (value, _flow) in part.ports.items()
                }
                self.module.cells.append(cell)

    def _rank(self, signal: tuple[str, tuple[int, ...]]) -> tuple[int, int]:
        """What shared parts are named after: signals of the module, then ports; the narrowest."""
        name, value = signal
        return 2 if name in self.foreign else int(name in self.source.ports), len(value)

    def _equate(self, left: Sequence[Bit | str], right: Sequence[Bit | str]) -> None:
        """Let bits be driven by others; of two that are the same, one stays if one has no name."""
        same = self.same
        named: list[Bit | str] = []
        values: list[Bit | str] = []
        for bit, value in zip(left, right, strict=True):
            if isinstance(bit, Bit) and not bit.public:
                same[bit] = value
            elif isinstance(value, Bit) and not value.public and value not in same:
                same[value] = bit
            else:
                named.append(bit)
                values.append(value)
        if named:
            self.module.connections.append((tuple(named), tuple(values)))

    # Cells

    def _lower_cells(self) -> None:
        lowerings: dict[type, Callable[[int, NetCell], None]] = {
            nir.Operator: self._operator,
            nir.Part: self._operator,
            nir.AssignmentList: self._choice,
            nir.Memory: self._memory,
            nir.SyncWritePort: self._write_port,
            nir.AsyncReadPort: self._read_port,
            nir.SyncReadPort: self._read_port,
        }
        passive = {nir.Top, nir.Matches, nir.PriorityMatch, nir.FlipFlop}
        cells = self.circuit.cells
        for position in self.source.cells:
            kind = type(cells[position])
            if kind in lowerings:
                lowerings[kind](position, cells[position])
            elif kind not in passive:
                raise ValueError(
                    f"Cell must be one that Verilog text exists for, not {kind.__name__}"
                )
        replace_bits(self.module, followed(self.same))
        self._registers()
        drop_dead(self.module, OPERATORS)

    def _result(self, position: int, width: int) -> Value:
        first = position << 16
        return self._bits(range(first, first + width))

    def _operator(self, position: int, cell: NetCell) -> None:
        result = self._result(position, cell.width)
        if result:
            self.module.cells += operator_cells(self.module, cell, result, self._bits)

    def _choice(self, position: int, cell: NetCell) -> None:
        """Multiplexers; parts that are assigned apart have their own."""
        width = len(cell.default)
        target, cases = self._result(position, width), cases_of(cell, self.circuit.cells)
        ends = {end for start, value in cases.parts for end in (start, start + len(value))}
        left: list[Bit | str] = []
        right: list[Bit | str] = []
        for low, high in pairwise(sorted(ends | {0, width})):
            value = self.choices.value(cases, low, high, self._bits(cell.default[low:high]))
            if (driver := self.choices.made.get(value)) is not None:
                driver.ports["Y"] = target[low:high]
            else:
                left += target[low:high]
                right += value
        self._equate(left, right)

    def _memory(self, position: int, cell: NetCell) -> None:
        del position
        if any(cell.init):
            raise ValueError("Memory must start without contents: the text has no initial values")
        attributes = {name: str(value) for name, value in cell.attributes.items()}
        name = f"\\{cell.name}"
        self.module.memories[name] = Memory(name, cell.width, cell.depth, attributes)

    def _write_port(self, position: int, cell: NetCell) -> None:
        self.module.cells.append(
            Cell(
                "$memwr_v2",
                f"${position}",
                {"MEMID": self._memory_name(cell), "CLK_POLARITY": int(cell.clk_edge == "pos")},
                {
                    "ADDR": self._bits(cell.addr),
                    "DATA": self._bits(cell.data),
                    "EN": self._bits(cell.en),
                    "CLK": self._bits([cell.clk]),
                },
            )
        )

    def _read_port(self, position: int, cell: NetCell) -> None:
        clocked = isinstance(cell, nir.SyncReadPort)
        memory = self._memory_name(cell)
        if clocked and cell.transparent_for:
            raise ValueError(
                f"Read port of {memory[1:]} must return the old word, not a write of the same cycle"
            )
        read = Cell("$memrd_v2", f"${position}", {"MEMID": memory, "CLK_ENABLE": int(clocked)})
        read.ports = {
            "ADDR": self._bits(cell.addr),
            "DATA": self._result(position, cell.width),
        }
        if clocked:
            read.parameters["CLK_POLARITY"] = int(cell.clk_edge == "pos")
            read.ports |= {"EN": self._bits([cell.en]), "CLK": self._bits([cell.clk])}
        self.module.cells.append(read)

    def _memory_name(self, port: NetCell) -> str:
        return f"\\{self.circuit.cells[port.memory].name}"

    def _registers(self) -> None:
        """Flip-flops, when the multiplexers in front of them are known."""
        found = [
            (position, cell)
            for position in self.source.cells
            if isinstance(cell := self.circuit.cells[position], nir.FlipFlop)
        ]
        same = followed(self.same)
        registers: list[Register] = []
        for position, cell in found:
            if cell.arst:
                raise ValueError(f"Registers of {self.module.name[1:]} must be reset at a clock")
            width = len(cell.data)
            state = replaced(self._result(position, width), same)
            registers.append(
                Register(
                    state=tuple(bit for bit in state if isinstance(bit, Bit)),
                    data=replaced(self._bits(cell.data), same),
                    start=tuple("1" if cell.init >> place & 1 else "0" for place in range(width)),
                    clock=replaced(self._bits([cell.clk]), same),
                    rising=cell.clk_edge == "pos",
                )
            )
        add_registers(self.module, registers)


def _width(cell: NetCell) -> int:
    """Bits of the result of a cell; of the top they are ports."""
    match cell:
        case nir.AssignmentList():
            return len(cell.default)
        case nir.FlipFlop():
            return len(cell.data)
        case nir.Operator() | nir.Part() | nir.SyncReadPort() | nir.AsyncReadPort():
            return cell.width
        case _:
            return 0
