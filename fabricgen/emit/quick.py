"""What keeps the elaboration of large designs from growing faster than they do.

Amaranth 0.5.10 is general where we are not: it lets expressions name clocks by their domains, asks
for the shape of an expression again at each use, and so walks through a part of an expression as
often as something is made of it.
"""

import gc
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from graphlib import CycleError, TopologicalSorter

from amaranth.hdl import (
    Shape,
    Value,
    _ast,  # pyright: ignore[reportAttributeAccessIssue]
    _ir,  # pyright: ignore[reportAttributeAccessIssue]
    _nir,  # pyright: ignore[reportAttributeAccessIssue]
    _xfrm,  # pyright: ignore[reportAttributeAccessIssue]
)

from fabricgen.emit.nir import Netlist, nir

__all__ = ["quick_elaboration", "without_collector"]

#: Expressions whose shape is derived from all their parts each time it is asked for.
_DERIVED: tuple[type[Value], ...] = (
    _ast.Operator,
    _ast.Concat,
    _ast.Slice,
    _ast.SwitchValue,
)

_COLLECT = "_collect_used_signals_value"
_CHECK = "check_comb_cycles"


@contextmanager
def quick_elaboration() -> Generator[None]:
    """Look at each expression once.

    Expressions do not change after they are built, so neither do their shapes, and the parts that
    several share stay shared where nothing in them is replaced. ``TypeError`` for an expression
    that names the clock or the reset of a domain, which would be.

    Values of a netlist are built of nets alone, which Amaranth asks of each net of each of them.
    Most designs have no cycle among whole cells, and so none among their bits.
    """
    kept: list[tuple[type, str, object]] = []
    quicker: list[tuple[type, str, object]] = [
        *((kind, "shape", _remembered(kind.shape)) for kind in _DERIVED),
        (_nir.Value, "__new__", _unchecked),
        (_xfrm.DomainLowerer, "on_value", _as_it_is),
        (_xfrm.DomainLowerer, "on_statement", _as_it_is),
        (_ir.Design, _COLLECT, _collected_once(getattr(_ir.Design, _COLLECT))),
        (_ir.NetlistEmitter, "emit_signal_fields", _nothing),
        (_nir.Netlist, _CHECK, _cells_first(getattr(_nir.Netlist, _CHECK))),
    ]
    try:
        for owner, name, function in quicker:
            kept.append((owner, name, vars(owner).get(name)))
            setattr(owner, name, function)
        yield
    finally:
        for owner, name, function in kept:
            if function is None:
                delattr(owner, name)
            else:
                setattr(owner, name, function)


@contextmanager
def without_collector() -> Generator[None]:
    """Do not look for garbage: there is little, and all of the design would be searched for it."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _unchecked(cls: type[tuple[int, ...]], nets: int | Iterable[int] = ()) -> tuple[int, ...]:
    return tuple.__new__(cls, (nets,) if isinstance(nets, int) else nets)


def _remembered(shape: Callable[[Value], Shape]) -> Callable[[Value], Shape]:
    def remembered(value: Value) -> Shape:
        own = vars(value)
        if "_shape" not in own:
            own["_shape"] = shape(value)
        return own["_shape"]

    return remembered


def _as_it_is(_lowerer: object, part: object) -> object:
    return part


def _nothing(_emitter: object) -> None:
    """Views of the fields of structured signals have no place in the text."""


def _collected_once(
    collect: Callable[[object, object, Value], None],
) -> Callable[[object, object, Value], None]:
    def collected(design: object, fragment: object, value: Value) -> None:
        seen = vars(design).setdefault("_seen", {}).setdefault(fragment, {})
        if id(value) not in seen:
            # Kept, so that no other value gets its number.
            seen[id(value)] = value
            if isinstance(value, (_ast.ClockSignal, _ast.ResetSignal)):
                raise TypeError(f"Expressions must name signals, not {value!r}")
            collect(design, fragment, value)

    return collected


def _cells_first(check: Callable[[Netlist], None]) -> Callable[[Netlist], None]:
    clocked = (nir.FlipFlop, nir.Memory, nir.SyncWritePort, nir.SyncReadPort, nir.Top)

    def checked(netlist: Netlist) -> None:
        drivers = netlist.connections

        def driver(net: int) -> int:
            while net < 0:
                net = drivers[net]
            return net >> 16

        sources = {
            position: set(map(driver, cell.input_nets()))
            for position, cell in enumerate(netlist.cells)
            if not isinstance(cell, clocked)
        }
        try:
            TopologicalSorter(sources).prepare()
        except CycleError:
            check(netlist)

    return checked
