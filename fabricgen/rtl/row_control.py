"""From the carrier of one row to registered control signals (spec: Operation Rows)."""

from typing import Protocol

from amaranth.hdl import Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.config.layout import carrier_layout
from fabricgen.records.fabric import NamedMemory
from fabricgen.rtl.port_shape import PortShape, port_shape
from fabricgen.rtl.row_decoder import RowDecoder
from fabricgen.rtl.service.channel import kind_members

__all__ = ["RowControl", "RowControls", "controls_signature"]


class RowControls(Protocol):
    """Interface object of the controls, for type checkers; members without bits are absent."""

    signature: wiring.Signature
    base: Signal
    lanes: Signal
    masked: Signal
    store: Signal
    rmw: Signal
    exchange: Signal
    fence: Signal
    mode: Signal
    regions: Signal
    walk: Signal
    volatile: Signal
    target: Signal
    scale: Signal
    reach: Signal
    pointer: Signal


def controls_signature(shape: PortShape) -> wiring.Signature:
    """Static controls of one port, seen from their register.

    Members
    -------
    base : Out(address_bits), absent where all addresses are pointers
        Byte address of element 0; 0 in a row of pointers.
    lanes : Out(requester.lanes), absent with one lane
        Lanes below the configured lane count.
    masked : Out(1), absent without a mask role
        The row consumes a dynamic mask.
    store, rmw, exchange, fence : Out(1), absent unless the port makes such accesses and others
        What a firing does; where none is set it loads.
    rmw_kind, ordering, failure_ordering, scope, weak : Out, absent unless some row has it
        What its requests say, as :class:`fabricgen.plan.atomic_use.AtomicUse` counts the bits.
    mode, regions : Out, absent with one choice
        Ordinals of the request channel.
    walk : Out(1), absent unless the requester walks
        Each active lane of the row is a child of its own.
    volatile : Out(1), absent unless a row of a manager may be volatile
        The row is volatile, and its target a manager.
    target : Out(len(targets)), absent with one target
        One bit per target of the port: the row's requests go there.
    scale : Out, absent with one element size
        Position of the row's size among the port's.
    reach : Out, absent with one choice
    pointer : Out(1), absent unless the row's addresses may be either
        As :class:`fabricgen.rtl.address_unit.AddressUnit` takes them.
    source_<role> : Out(endpoints of the role)
        One bit per endpoint, at most one set: the active role takes its tokens there.
    sink_<role> : Out(endpoints of the role)
        The same for an exposed result role.
    link_<role>, forward_<role> : Out(connections of the role), absent without any
        One bit per internal connection: an input role takes its tokens from there, at most one;
        a result role goes there, any number.
    """
    req = shape.requester
    members: dict[str, wiring.Member] = {}
    if shape.index_widths:
        members["base"] = Out(shape.address_bits)
    if req.lanes > 1:
        members["lanes"] = Out(req.lanes)
    if shape.has_mask:
        members["masked"] = Out(1)
    members |= {name: Out(1) for name in kind_members(req, store="store")}
    widths = req.every.field_widths()
    members |= {name: Out(width) for name, width in widths.items() if width}
    for name, count in (
        ("mode", len(req.modes)),
        ("regions", len(req.region_sets)),
        ("scale", len(shape.element_bytes)),
    ):
        if count > 1:
            members[name] = Out(range(count))
    if req.walks:
        members["walk"] = Out(1)
    if req.volatile:
        members["volatile"] = Out(1)
    if len(shape.targets) > 1:
        members["target"] = Out(len(shape.targets))
    if len(shape.address_lanes) > 1:
        members["reach"] = Out(len(shape.address_lanes) - 1)
    if shape.index_widths and shape.pointers:
        members["pointer"] = Out(1)
    for prefix, paths in (("source", shape.inputs), ("sink", shape.results)):
        members |= {f"{prefix}_{path.name}": Out(len(path.endpoints)) for path in paths}
    for prefix, paths in (("link", shape.inputs), ("forward", shape.results)):
        members |= {
            f"{prefix}_{path.name}": Out(len(path.connections))
            for path in paths
            if path.connections
        }
    return wiring.Signature(members)


class RowControl(wiring.Component):
    """Decode one row of the carrier, once, into the controls of its port.

    The carrier is static while the row is active, so decoding costs no time on any data path.

    The controls follow the carrier by 1 cycle. Reset deselects every endpoint.

    Parameters
    ----------
    named
        The memory.
    ordinal
        Row, and operation port.

    Members
    -------
    configuration : In(carrier width)
        The occurrence's whole carrier.
    controls : Out(controls_signature(shape))
    """

    configuration: Signal
    controls: RowControls

    def __init__(self, named: NamedMemory, ordinal: int) -> None:
        self.layout = carrier_layout(named)
        self.shape = port_shape(named, ordinal)
        self.named = named
        self.ordinal = ordinal
        super().__init__(
            {
                "configuration": In(self.layout.width),
                "controls": Out(controls_signature(self.shape)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Register what the row's fields say."""
        m = Module()
        fields = {
            name: self.configuration[field.offset : field.offset + field.width]
            for name, field in self.layout.rows[self.ordinal].items()
        }
        decoder = RowDecoder(
            self.named,
            self.ordinal,
            self.shape,
            fields=fields,
            active=self.configuration[self.layout.active.offset] & fields["valid"],
            context=Const(1, 1),
        )
        values = decoder.controls()
        for name in controls_signature(self.shape).members:
            m.d.sync += getattr(self.controls, name).eq(values[name])
        return m
