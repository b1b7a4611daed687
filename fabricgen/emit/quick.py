"""What keeps the elaboration of large designs from growing faster than they do."""

import gc
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager

from amaranth.hdl import Shape, Value, _ast, _nir  # pyright: ignore[reportAttributeAccessIssue]

__all__ = ["quick_elaboration", "without_collector"]

#: Expressions whose shape Amaranth 0.5.10 derives from all their parts each time it is asked.
_DERIVED: tuple[type[Value], ...] = (
    _ast.Operator,
    _ast.Concat,
    _ast.Slice,
    _ast.SwitchValue,
)


@contextmanager
def quick_elaboration() -> Generator[None]:
    """Remember the shapes of expressions.

    Expressions do not change after they are built, so neither do their shapes. Values of a netlist
    are built of nets alone, which Amaranth asks of each net of each of them.
    """
    shapes = [(kind, kind.shape) for kind in _DERIVED]
    checked = _nir.Value.__new__
    try:
        for kind, shape in shapes:
            kind.shape = _remembered(shape)  # pyright: ignore[reportAttributeAccessIssue]
        _nir.Value.__new__ = _unchecked  # pyright: ignore[reportAttributeAccessIssue]
        yield
    finally:
        _nir.Value.__new__ = checked
        for kind, shape in shapes:
            kind.shape = shape


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
