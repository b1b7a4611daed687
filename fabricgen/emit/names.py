"""Names of modules, ports and signals that people and tools can read.

Amaranth names the parts of an interface ``a__b``, tells namesakes apart with ``$17``, and names
an output port after whichever signal drives it. Here each signal gets its name from where it
stands: a component's own interface by its members, a submodule's interface by the submodule and
its members, everything else by the name in the source.
"""

import re
from collections.abc import Iterable, Iterator, MutableMapping
from dataclasses import dataclass, field
from typing import Protocol

from amaranth.hdl import Signal, Value, ValueCastable
from amaranth.lib import memory, wiring

from fabricgen.check.keywords import VERILOG_KEYWORDS
from fabricgen.emit.nir import Netlist

__all__ = [
    "VERILOG_KEYWORDS",
    "Design",
    "ModuleNotes",
    "identifier",
    "interface",
    "name_design",
    "name_ports",
    "unique",
]


class _Fragment(Protocol):
    origins: tuple[object, ...] | None
    subfragments: list[tuple["_Fragment", str | None, object]]


class _FragmentInfo(Protocol):
    name: tuple[str, ...]
    used_signals: MutableMapping[Signal, None]
    signal_names: MutableMapping[Signal, str]


class Design(Protocol):
    """What Amaranth 0.5.10 knows of a prepared design; the stubs do not tell."""

    fragment: _Fragment
    hierarchy: tuple[str, ...]
    fragments: dict[_Fragment, _FragmentInfo]
    ports: list[tuple[str, Signal, object]]


@dataclass(frozen=True, slots=True)
class ModuleNotes:
    """What the source knows about one module and its netlist does not.

    Parameters
    ----------
    kind
        Class of the component; empty for a part that is none.
    title
        Its one-line description.
    members
        Names of the ports, in the order of the interface.
    foreign
        Signals that only repeat a submodule's interface.
    states
        Meaning of each value of a signal that holds a state.
    """

    kind: str = ""
    title: str = ""
    members: tuple[str, ...] = ()
    foreign: frozenset[str] = frozenset()
    states: dict[str, str] = field(default_factory=dict)


def identifier(text: str) -> str:
    """Plain Verilog identifier closest to ``text``: no escape, no keyword, no ``__``."""
    plain = re.sub(r"[^A-Za-z0-9]+|_+", "_", text.lstrip("$"))
    if not plain or plain[0].isdigit() or plain in VERILOG_KEYWORDS:
        plain = f"n_{plain}"
    return plain


def unique(taken: set[str], name: str) -> str:
    """``name``, or ``name_2`` and so on where it is taken; the result is taken now."""
    candidate, count = name, 1
    while candidate in taken:
        count += 1
        candidate = f"{name}_{count}"
    taken.add(candidate)
    return candidate


def interface(component: wiring.Component) -> Iterator[tuple[str, Signal, wiring.Flow]]:
    """Name, signal and direction of each leaf member, in declaration order."""
    for path, member, value in component.signature.flatten(component):
        if isinstance(value, ValueCastable):
            value = Value.cast(value)
        if isinstance(value, Signal):
            yield "_".join(map(str, path)), value, member.flow


def name_ports(netlist: Netlist) -> None:
    """Name the ports of submodules that carry a part of a signal.

    Amaranth names them after numbers of its own; here they are named after the signal and the
    place of their lowest bit in it.
    """
    for module in netlist.modules:
        places: dict[int, tuple[str, int]] = {}
        for signal, name in module.signal_names.items():
            for place, net in enumerate(netlist.signals[signal]):
                places.setdefault(net, (name, place))
        taken = {*module.signal_names.values(), *module.ports, module.name[-1]}
        taken |= {netlist.modules[position].name[-1] for position in module.submodules}
        ports = {}
        for name, (value, flow) in module.ports.items():
            if name.startswith("port$") and value[0] in places:
                signal_name, place = places[value[0]]
                name = unique(taken, f"{signal_name}_{place}")
            ports[name] = (value, flow)
        module.ports = ports


def name_design(design: Design) -> dict[str, ModuleNotes]:
    """Rename all signals and submodules of a prepared design; the ports keep their names.

    Returns the notes of each module by its dotted hierarchical name.
    """
    notes: dict[str, ModuleNotes] = {}
    _name_fragment(design, design.fragment, (design.hierarchy[0],), notes)
    return notes


def _name_fragment(
    design: Design, fragment: _Fragment, hierarchy: tuple[str, ...], notes: dict[str, ModuleNotes]
) -> None:
    info = design.fragments[fragment]
    info.name = hierarchy
    # A signal with the name of its own instance would hide it.
    taken: set[str] = set(hierarchy[1:][-1:])
    given: dict[int, str] = {}
    if fragment is design.fragment:
        # Port names are the contract with the outside: nothing inside may take one.
        taken |= {name for name, _signal, _direction in design.ports}
        given = {id(signal): name for name, signal, _direction in design.ports}

    children = [
        (child, identifier(name) if name else f"part{position}")
        for position, (child, name, _src_loc) in enumerate(fragment.subfragments)
    ]
    own = {id(signal): name for name, signal in _members(fragment)}
    inner = {
        id(signal): f"{prefix}_{name}"
        for child, prefix in children
        for name, signal in _members(child)
    }

    # The first name of a net names its wire: interface, then local signals, then submodules'.
    def rank(signal: Signal) -> int:
        key = id(signal)
        return 0 if key in given else 1 if key in own else 3 if key in inner else 2

    used = sorted((signal for signal in info.used_signals if signal.name), key=rank)
    foreign: set[str] = set()
    states: dict[str, str] = {}
    info.signal_names.clear()
    for signal in used:
        key = id(signal)
        if key in given:
            info.signal_names[signal] = given[key]
            continue
        wanted = own.get(key) or inner.get(key) or signal.name
        if wanted.startswith("$"):
            raise ValueError(
                f"Signals of {'.'.join(hierarchy)} must have names: assign one to a variable a line"
            )
        info.signal_names[signal] = name = unique(taken, identifier(wanted))
        if rank(signal) == 3:
            foreign.add(name)
        if meaning := _states(signal):
            states[name] = meaning
    members = tuple(given.values()) or tuple(map(identifier, own.values()))
    notes[".".join(hierarchy)] = ModuleNotes(
        *_description(fragment), members, frozenset(foreign), states
    )
    for child, name in children:
        _name_fragment(design, child, (*hierarchy, unique(taken, name)), notes)


def _description(fragment: _Fragment) -> tuple[str, str]:
    """Class of the component behind a fragment, and the first line of what it says of itself."""
    for origin in fragment.origins or ():
        if isinstance(origin, wiring.Component):
            first = (type(origin).__doc__ or "").strip().partition("\n")[0]
            return type(origin).__name__, first
    return "", ""


def _states(signal: Signal) -> str:
    """Names of the states of a state machine's register, by value."""
    if not callable(signal.decoder) or isinstance(signal.decoder, type):
        return ""
    names = []
    for value in range(1 << len(signal)):
        try:
            names.append(f"{value} {signal.decoder(value).rpartition('/')[0]}")
        except KeyError:
            break
    return ", ".join(names)


def _members(fragment: _Fragment) -> Iterable[tuple[str, Signal]]:
    """Interface of the component (or the ports of the memory) behind a fragment."""
    for origin in fragment.origins or ():
        if isinstance(origin, memory.Memory):
            for kind, ports in (("read", origin.read_ports), ("write", origin.write_ports)):
                for position, port in enumerate(ports):
                    prefix = kind if len(ports) == 1 else f"{kind}{position}"
                    for path, _member, value in port.signature.flatten(port):
                        value = Value.cast(value)
                        if isinstance(value, Signal):
                            yield f"{prefix}_{path[-1]}", value
        elif isinstance(origin, wiring.Component):
            yield from ((name, signal) for name, signal, _flow in interface(origin))
