"""Verilog text of one module out of its netlist.

Named signals stay, each with its assignment. Unnamed values are written inside the expression
that reads them; those read more than once, or too long to read, become wires named after the
signal they serve. Registers with the same clock, reset and enable share a block.
"""

from collections.abc import Iterator, Mapping

from fabricgen.emit.expressions import (
    OPERATORS,
    TRIMMED,
    Expression,
    constant,
    needs_wire,
    operands,
    render,
)
from fabricgen.emit.fold import fold_constants, share_operators
from fabricgen.emit.layout import Registers, marks, port_order, vector, wrapped, wrapped_pin
from fabricgen.emit.names import ModuleNotes, identifier, unique
from fabricgen.emit.netlist import Bit, Cell, Module, Value, Wire, shape_name
from fabricgen.emit.tidy import (
    merge_aliases,
    name_parts,
    pieces,
    split_mixed,
    trim_results,
)

__all__ = ["STORAGE_KINDS", "write_module"]

#: Components whose memories may be modules of their own: banks of a memory service.
STORAGE_KINDS = frozenset({"Bank", "AtomicBank"})

#: An inlined expression longer than this gets a wire of its own.
_LONGEST_INLINE = 72

_REGISTERS = frozenset({"$dff", "$dffe", "$sdff", "$sdffe", "$sdffce"})
_CLOCKED = dict.fromkeys(_REGISTERS, "Q") | {"$memrd_v2": "DATA"}
_RESULTS = dict.fromkeys(OPERATORS, "Y")


def write_module(
    module: Module,
    modules: Mapping[str, Module],
    names: Mapping[str, str],
    notes: Mapping[str, ModuleNotes],
    storage: str | None = None,
) -> str:
    """Text of ``module``, which is changed on the way.

    ``names`` and ``notes`` tell of every module. With ``storage``, memories of
    :data:`STORAGE_KINDS` are instances of modules with names that begin so and end in depth and
    width.
    """
    return _Writer(module, modules, names, notes, storage).text()


class _Writer:
    def __init__(
        self,
        module: Module,
        modules: Mapping[str, Module],
        names: Mapping[str, str],
        notes: Mapping[str, ModuleNotes],
        storage: str | None,
    ) -> None:
        self.module, self.modules = module, modules
        self.storage = storage if notes[module.name].kind in STORAGE_KINDS else None
        #: Pins of each memory that is an instance.
        self.storage_pins: dict[str, list[str]] = {}
        self.module_names, self.notes = names, notes
        self.order = {name: place for place, name in enumerate(module.wires)}
        foreign = {f"\\{name}" for name in notes[module.name].foreign}
        self.aliases = merge_aliases(module, self.order, foreign)
        trim_results(module, TRIMMED)
        name_parts(module, _RESULTS)
        fold_constants(module)
        share_operators(module)

        public = [wire.name for wire in module.wires.values() if wire.public]
        cells = [cell.name for cell in module.cells if cell.name.startswith("\\")]
        self.taken = {name[1:] for name in (*public, *module.memories, *cells)}
        split_mixed(module, _CLOCKED, self.taken)
        public = [wire.name for wire in module.wires.values() if wire.public]
        #: Names in the text; an unnamed wire is entered when it is declared.
        self.names = {name: identifier(name[1:]) for name in public}
        results = ((self._unnamed_result(cell), cell) for cell in module.cells)
        self.drivers = {name: cell for name, cell in results if name}
        self.widths = {name: module.wires[name].width for name in self.drivers}
        self.reads = self._trim()

        self.target = ""
        self.body: list[str] = []
        self.blocks: list[str] = []
        self.registers = Registers()

    def _unnamed_result(self, cell: Cell) -> str:
        """Wire that an operator drives if the source gave it no name, else ``""``."""
        first = cell.ports["Y"][0] if cell.kind in OPERATORS else ""
        if isinstance(first, Bit) and not self.module.wires[first.wire].public:
            return first.wire
        return ""

    # What is read of each unnamed result

    def _trim(self) -> dict[str, int]:
        """Narrow unnamed results to the bits that are read; return how often each is read.

        A result of which something else than all its bits is read counts as read twice, because a
        part of an expression cannot be taken without a name.
        """
        while True:
            used = dict.fromkeys(self.widths, 0)
            reads = dict.fromkeys(self.widths, 0)
            for value in self._values_read():
                for piece in pieces(value):
                    if not isinstance(piece, str) and piece.wire in used:
                        used[piece.wire] = max(used[piece.wire], piece.high)
                        whole = (piece.low, piece.high) == (0, self.widths[piece.wire])
                        reads[piece.wire] += 1 if whole else 2
            narrow = {
                name: used[name]
                for name, width in self.widths.items()
                if used[name] < width and self.drivers[name].kind in TRIMMED
            }
            if not narrow:
                return reads
            self.widths |= narrow

    def _values_read(self) -> Iterator[Value]:
        for cell in self.module.cells:
            if cell.kind not in OPERATORS:
                outputs = self._outputs(cell)
                yield from (value for port, value in cell.ports.items() if port not in outputs)
            elif width := self._result_width(cell):
                yield from operands(cell, width)
        yield from (right for _left, right in self.module.connections)

    def _result_width(self, cell: Cell) -> int:
        return self.widths.get(self._unnamed_result(cell), len(cell.ports["Y"]))

    def _outputs(self, cell: Cell) -> set[str]:
        if cell.kind in self.modules:
            wires = self.modules[cell.kind].wires.values()
            return {wire.name[1:] for wire in wires if wire.direction == "output"}
        return {"DATA"} if cell.kind == "$memrd_v2" else {"Q"}

    # Text

    def text(self) -> str:
        """The whole module."""
        for cell in self.module.cells:
            self._statement(cell)
        for left, right in self.module.connections:
            if left:
                self._assign(left, right)
        for other, chosen in self.aliases:
            self.body.append(f"  assign {self.names[other]} = {self.names[chosen]};")
        for memory, pins in self.storage_pins.items():
            kind = f"{self.storage}_{shape_name(self.module.memories[memory])}"
            name = identifier(memory[1:])
            self.blocks += ["", f"  {kind} {name} (", ",\n".join(pins), "  );"]
        own = self.notes[self.module.name]
        title = [f"// {': '.join(filter(None, (own.kind, own.title)))}"] if own.kind else []
        ports = ",\n".join(
            f"  {wire.direction} {self._declared(wire)}"
            for wire in port_order(self.module, own.members)
        )
        header = f"module {self.module_names[self.module.name]} (\n{ports}\n);"
        places = {self.names[name]: at for name, at in self.order.items() if name in self.names}
        blocks = [*self.blocks, *self.registers.lines(places)]
        parts = [*title, header, *self._declarations(), *self.body, *blocks, "endmodule"]
        return "\n".join(parts) + "\n"

    def _declared(self, wire: Wire) -> str:
        kind = "reg" if wire.name in self.registers.wires else "wire"
        return f"{kind} {vector(wire.width)}{self.names[wire.name]}"

    def _declarations(self) -> list[str]:
        wires = [
            wire
            for wire in self.module.wires.values()
            if not wire.direction and wire.name in self.names and wire.name not in self.drivers
        ]
        wires.sort(key=lambda wire: (self.order.get(wire.name, len(self.order)), wire.name))
        states = self.notes[self.module.name].states
        lines = []
        for wire in wires:
            name = self.names[wire.name]
            comment = f"  // {states[name]}" if name in states else ""
            lines.append(f"  {self._declared(wire)};{comment}")
        for memory in () if self.storage else self.module.memories.values():
            name = identifier(memory.name[1:])
            if memory.attributes:
                lines.append(f"  (* {marks(memory.attributes)} *)")
            lines.append(f"  reg {vector(memory.width)}{name} [{memory.depth - 1}:0];")
        return [*lines, ""] if lines and self.body else lines

    def _statement(self, cell: Cell) -> None:
        match cell.kind:
            case kind if kind in OPERATORS:
                if not self._unnamed_result(cell):
                    self.target = f"{self._hint(cell.ports['Y'])}_part"
                    self._assigned(self._lvalue(cell.ports["Y"]), self._result(cell))
            case kind if kind in _REGISTERS:
                self._register(cell)
            case "$memwr_v2":
                self._write_port(cell)
            case "$memrd_v2":
                self._read_port(cell)
            case kind if kind in self.modules:
                self._instance(cell)
            case kind:
                raise ValueError(f"Cell must be one that Verilog text exists for, not {kind}")

    def _assign(self, left: Value, right: Value) -> None:
        self.target = f"{self._hint(left)}_part"
        self._assigned(self._lvalue(left), self.value(right))

    def _assigned(self, left: str, right: Expression) -> None:
        self.body += wrapped(f"  assign {left} = ", right.text)

    # Values

    def value(self, bits: Value) -> Expression:
        """Expression of exactly these bits; no bits at all are the number zero."""
        if not bits:
            return Expression(constant("0"))
        parts: list[Expression] = []
        for piece in pieces(bits):
            if isinstance(piece, str):
                parts.append(Expression(constant(piece)))
            elif piece.times == 1:
                parts.append(self._part(piece.wire, piece.low, piece.high))
            else:
                one = self._part(piece.wire, piece.low, piece.high)
                parts.append(Expression(f"{{{piece.times}{{{one.text}}}}}"))
        if len(parts) == 1:
            return parts[0]
        return Expression(f"{{{', '.join(part.text for part in reversed(parts))}}}")

    def _part(self, name: str, low: int, high: int) -> Expression:
        if name not in self.names:
            if name in self.drivers:
                shown = self._inlined(name)
                if shown is not None:
                    return shown
            else:
                self.names[name] = unique(self.taken, self.target)
        text = self.names[name]
        if (low, high) == (0, self.widths.get(name, self.module.wires[name].width)):
            return Expression(text)
        return Expression(f"{text}[{low}]" if high == low + 1 else f"{text}[{high - 1}:{low}]")

    def _inlined(self, name: str) -> Expression | None:
        """Expression of an unnamed result, or ``None`` after giving it a wire of its own."""
        cell, width = self.drivers[name], self.widths[name]
        shown = render(cell, width, self.value)
        wide = needs_wire(cell, width)
        if wide is None and self.reads[name] == 1 and len(shown.text) <= _LONGEST_INLINE:
            return shown
        self.names[name] = unique(self.taken, self.target)
        self.widths[name] = wide or width
        left = f"  wire {vector(self.widths[name])}{self.names[name]} = "
        self.body += wrapped(left, shown.text)
        return None

    def _result(self, cell: Cell) -> Expression:
        """Expression of a named result."""
        width = len(cell.ports["Y"])
        shown = render(cell, width, self.value)
        wide = needs_wire(cell, width) or width
        if wide == width:
            return shown
        name = unique(self.taken, self.target)
        self.body += wrapped(f"  wire {vector(wide)}{name} = ", shown.text)
        return Expression(f"{name}[0]" if width == 1 else f"{name}[{width - 1}:0]")

    def _hint(self, bits: Value) -> str:
        named = (self.names.get(bit.wire) for bit in bits if isinstance(bit, Bit))
        return next((name for name in named if name), "unnamed")

    def _lvalue(self, bits: Value) -> str:
        return self.value(bits).text

    # Registers, memories, submodules

    def _register(self, cell: Cell) -> None:
        ports, hint = cell.ports, self._hint(cell.ports["Q"])
        self.target = f"{hint}_reset"
        reset = self._condition(cell, "SRST")
        self.target = f"{hint}_enable"
        enable = self._condition(cell, "EN")
        self.target = f"{hint}_next"
        value = ""
        if "SRST" in ports:
            value = constant(format(cell.number("SRST_VALUE"), f"0{len(ports['Q'])}b"))
        self.registers.add(
            self._clock(cell),
            reset,
            enable,
            enable_first=cell.kind == "$sdffce",
            update=(self._lvalue(ports["Q"]), self.value(ports["D"]).text, value),
        )
        self.registers.wires |= {bit.wire for bit in ports["Q"] if isinstance(bit, Bit)}

    def _clock(self, cell: Cell) -> str:
        edge = "posedge" if cell.number("CLK_POLARITY") else "negedge"
        return f"{edge} {self.value(cell.ports['CLK']).text}"

    def _condition(self, cell: Cell, port: str) -> str:
        if port not in cell.ports:
            return ""
        shown = self.value(cell.ports[port])
        active_high = cell.number(f"{port}_POLARITY")
        return shown.text if active_high else f"~{shown.inside('~')}"

    def _write_port(self, cell: Cell) -> None:
        memory, ports = self._memory(cell), cell.ports
        self.target = f"{memory}_write"
        if self.storage:
            # All bits of a byte have one enable.
            self._pins(cell, ADDR="write_address", DATA="write_data")
            self._pin(cell, "write_enable", ports["EN"][::8])
            return
        addr = self.value(ports["ADDR"]).text
        enables, low, lines = ports["EN"], 0, []
        while low < len(enables):
            high = low + 1
            while enables[high : high + 1] == (enables[low],):
                high += 1
            part = "" if high - low == len(enables) else f"[{high - 1}:{low}]"
            line = f"{memory}[{addr}]{part} <= {self.value(ports['DATA'][low:high]).text};"
            enable = self.value((enables[low],)).text
            lines.append(f"    {line}" if enable == "1'b1" else f"    if ({enable}) {line}")
            low = high
        self.blocks += ["", f"  always @({self._clock(cell)}) begin", *lines, "  end"]

    def _read_port(self, cell: Cell) -> None:
        memory, ports = self._memory(cell), cell.ports
        self.target = f"{memory}_read"
        if self.storage:
            self._pins(cell, CLK="clk", ADDR="read_address", DATA="read_data")
            return
        addr, data = self.value(ports["ADDR"]).text, self._lvalue(ports["DATA"])
        if not cell.number("CLK_ENABLE"):
            self.body.append(f"  assign {data} = {memory}[{addr}];")
            return
        self.registers.wires |= {bit.wire for bit in ports["DATA"] if isinstance(bit, Bit)}
        enable = self.value(ports["EN"]).text
        guard = "" if enable == "1'b1" else f"if ({enable}) "
        line = f"  always @({self._clock(cell)}) {guard}{data} <= {memory}[{addr}];"
        self.blocks += ["", line]

    def _pins(self, cell: Cell, **pins: str) -> None:
        """Pins of an instance that ports of one memory cell lead to, by the cell's names."""
        for port, pin in pins.items():
            self._pin(cell, pin, cell.ports[port])

    def _pin(self, cell: Cell, pin: str, bits: Value) -> None:
        pins = self.storage_pins.setdefault(str(cell.parameters["MEMID"]), [])
        pins.append(wrapped_pin(pin, self.value(bits).text))

    def _memory(self, cell: Cell) -> str:
        return identifier(str(cell.parameters["MEMID"])[1:])

    def _instance(self, cell: Cell) -> None:
        child, outputs = self.modules[cell.kind], self._outputs(cell)
        name = identifier(cell.name[1:])
        pins = []
        for wire in port_order(child, self.notes[cell.kind].members):
            pin = wire.name[1:]
            self.target = f"{name}_{identifier(pin)}"
            bits = cell.ports[pin]
            text = self._lvalue(bits) if pin in outputs else self.value(bits).text
            pins.append(wrapped_pin(identifier(pin), text))
        kind = self.module_names[cell.kind]
        self.blocks += ["", f"  {kind} {name} (", ",\n".join(pins), "  );"]
