"""RTLIL text of an elaborated design: what Amaranth's own writer says, in less time.

Amaranth writes the contents of every memory bit by bit, and builds each value anew for each use.
"""

from collections.abc import Iterable
from typing import Protocol

from amaranth.back import rtlil  # pyright: ignore[reportAttributeAccessIssue] not in the stubs
from amaranth.hdl._ast import SignalDict  # pyright: ignore[reportAttributeAccessIssue]
from amaranth.hdl._ir import build_netlist  # pyright: ignore[reportAttributeAccessIssue]

from fabricgen.emit.names import Design, name_ports

__all__ = ["rtlil_text"]


class _Wire(Protocol):
    name: str


class _Memory(Protocol):
    init: Iterable[int]


class _Builder(Protocol):
    def _auto_name(self) -> str: ...


class _Emitter(rtlil.ModuleEmitter):  # pyright: ignore[reportUntypedBaseClass]
    """Amaranth's writer of one module, without the contents of memories."""

    nets: dict[int, tuple[_Wire, int]]
    builder: _Builder

    def sigspec(self, *parts: int | Iterable[int]) -> str:
        """Text of a value; the nets 0 and 1 are the constants."""
        bits: list[int] = []
        for part in parts:
            if isinstance(part, int):
                bits.append(part)
            else:
                bits += part
        chunks: list[str] = []
        at, count, nets = 0, len(bits), self.nets
        while at < count:
            end = at + 1
            if bits[at] <= 1:
                while end < count and bits[end] <= 1:
                    end += 1
                digits = "".join("1" if bit else "0" for bit in reversed(bits[at:end]))
                chunks.append(f"{end - at}'{digits}")
            else:
                wire, low = nets[bits[at]]
                high = low
                while end < count and bits[end] > 1:
                    other, place = nets[bits[end]]
                    if other is not wire or place != high + 1:
                        break
                    high, end = place, end + 1
                span = f"{low}" if high == low else f"{high}:{low}"
                chunks.append(f"{wire.name} [{span}]")
            at = end
        return chunks[0] if len(chunks) == 1 else f"{{ {' '.join(reversed(chunks))} }}"

    def emit_memory(self, cell_idx: int, cell: _Memory) -> None:
        """Refuse contents, since the text has none; otherwise there is nothing to write."""
        del cell_idx
        if any(cell.init):
            raise ValueError("Memory must start without contents: the text has no initial values")
        # Numbers of cells decide on the order of some lines.
        self.builder._auto_name()


def rtlil_text(design: Design) -> dict[str, str]:
    """Text of each module that is not empty by its dotted name, parents first.

    What ``rtlil.convert_fragment`` does, with names for ports that have none.
    """
    circuit = build_netlist(design)
    name_ports(circuit)
    empty = rtlil.EmptyModuleChecker(circuit)
    builder = rtlil.Design(emit_src=False)
    for position, module in enumerate(circuit.modules):
        if not empty.is_empty(position):
            text = builder.module(".".join(module.name))
            _Emitter(text, circuit, module, SignalDict(), empty_checker=empty).emit()
    texts: dict[str, str] = {}
    for name, module in builder.modules.items():
        emitter = rtlil.Emitter()
        module.emit(emitter)
        texts[name] = str(emitter)
    return texts
