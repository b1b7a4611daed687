"""Amaranth 0.5.10's netlist, of whose cells the stubs do not tell the attributes."""

from collections.abc import MutableMapping, Sequence
from typing import Any, Protocol

from amaranth.hdl import Signal, _nir  # pyright: ignore[reportAttributeAccessIssue]

__all__ = ["NetCell", "NetModule", "Netlist", "Nets", "nir"]

#: Classes of cells.
nir: Any = _nir

#: One cell, of a class in :data:`nir`. Its results are the nets ``position << 16`` and on.
NetCell = Any

#: Nets of a value, the lowest first; 0 and 1 are the constants.
Nets = Sequence[int]


class NetModule(Protocol):
    """One module."""

    name: tuple[str, ...]
    submodules: list[int]
    signal_names: MutableMapping[Signal, str]
    ports: dict[str, tuple[tuple[int, ...], Any]]
    cells: list[int]


class Netlist(Protocol):
    """A flattened design; ``connections`` has what drives each net below 0, until they are gone."""

    modules: list[NetModule]
    signals: MutableMapping[Signal, tuple[int, ...]]
    cells: list[NetCell]
    connections: dict[int, int]
