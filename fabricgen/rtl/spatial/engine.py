"""The Spatial operation engine: one configured row per port, joined at the endpoints."""

from collections.abc import Iterable
from functools import reduce
from operator import and_, or_

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from fabricgen.abi.status import input_roles, status_shape
from fabricgen.config.layout import carrier_layout
from fabricgen.records.fabric import NamedMemory
from fabricgen.rtl.channel import Channel, ChannelShape
from fabricgen.rtl.port_shape import RolePath
from fabricgen.rtl.row_control import RowControl
from fabricgen.rtl.service.channel import ServiceChannelShape
from fabricgen.rtl.spatial.port import SpatialPort
from fabricgen.vocab.fabric import EndpointDirection

__all__ = ["SpatialEngine"]


class SpatialEngine(wiring.Component):
    """Run the configured row of every port between the endpoints and the targets.

    ``ready`` of every ingress depends on ``hold`` and on registers only. Every egress raises
    ``valid`` only in a cycle in which all destinations of its firing are ready.

    An internal connection is one more destination. It is ready while every operand queue that
    takes from it is empty (registered), so it passes one token in 2 cycles; an operand that is
    loaded in cycle *n* is issued as the next one's operand in cycle *n + 3* at the earliest.

    The configuration may change only while ``empty`` behind ``hold``, which then lasts two
    cycles more: the rows' controls are registered once. Reset empties the engine.

    Parameters
    ----------
    named
        The memory; one with a Spatial engine that
        :func:`fabricgen.plan.realisation.unsupported` does not refuse.

    Attributes
    ----------
    channels
        Shape of the channel of each (port, target).

    Members
    -------
    configuration : In(carrier width)
        The semantic carrier; all zero is Disabled.
    hold : In(1)
        Close every ingress in this cycle.
    drain : In(rows)
        Begin no firing of the row with a token from an endpoint.
    busy : Out(rows), partial : Out(rows)
        The row has a token or a firing inside; some tokens of a firing, not all (registered).
    empty : Out(1)
        No token, firing or request inside (registered).
    ingress_<endpoint> : In(channel), egress_<endpoint> : Out(channel)
        One per endpoint, by its ordinal in the occurrence.
    request_<port>_<target> : Out(channels[port, target].signature())
        Whole accesses to each target of a port.
    fault_row_<port>_<target> : Out(row bits)
        Row of the response that stands on that channel: the port's own.
    waits : Out(rows * waits_width), absent without the option ``counters``
        Per row: a bit for each input role of the engine in role order, a token of it is present;
        then a claim is free, a firing is in flight, one stands in front of its target, the oldest
        is complete.
    events : Out(rows * kinds), absent without the option ``counters``
        Per row, what of :data:`fabricgen.abi.status.COUNTS` happened in the last cycle
        (registered).
    """

    configuration: Signal
    hold: Signal
    drain: Signal
    busy: Signal
    partial: Signal
    empty: Signal
    waits: Signal
    events: Signal

    def __init__(self, named: NamedMemory) -> None:
        engine = named.occurrence.engine
        if engine is None:
            raise ValueError(f"Memory {named.name} must have an engine, not None")
        self.named = named
        self.controls = tuple(RowControl(named, port) for port in range(len(engine.ports)))
        self.counted = named.implementation.counters
        self.ports = tuple(
            SpatialPort(control.shape, counted=self.counted) for control in self.controls
        )
        self.channels: dict[tuple[int, int], ServiceChannelShape] = {
            (ordinal, target): channel
            for ordinal, port in enumerate(self.ports)
            for target, channel in port.channels.items()
        }
        members: dict[str, wiring.Member] = {
            "configuration": In(carrier_layout(named).width),
            "hold": In(1),
            "drain": In(len(self.ports)),
            "busy": Out(len(self.ports)),
            "partial": Out(len(self.ports)),
            "empty": Out(1),
        }
        for ordinal, endpoint in enumerate(named.occurrence.endpoints):
            signature = ChannelShape(endpoint.payload_width).signature()
            if endpoint.direction is EndpointDirection.IN:
                members[f"ingress_{ordinal}"] = In(signature)
            else:
                members[f"egress_{ordinal}"] = Out(signature)
        for (port, target), shape in self.channels.items():
            members[f"request_{port}_{target}"] = Out(shape.signature())
            members[f"fault_row_{port}_{target}"] = Out(range(max(2, len(self.ports))))
        self.roles = input_roles(named)
        if self.counted:
            widths = status_shape(named).members
            members |= {name: Out(widths[name]) for name in ("waits", "events")}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Instances, then the endpoints and the connections."""
        m = Module()
        for ordinal, (control, port) in enumerate(zip(self.controls, self.ports, strict=True)):
            m.submodules[f"control_{ordinal}"] = control
            m.submodules[f"port_{ordinal}"] = port
            connect(m, control.controls, port.controls)
            m.d.comb += [
                control.configuration.eq(self.configuration),
                port.hold.eq(self.hold),
                port.drain.eq(self.drain[ordinal]),
                self.busy[ordinal].eq(~port.empty),
                self.partial[ordinal].eq(port.partial),
            ]
        for port, target in self.channels:
            outer = getattr(self, f"request_{port}_{target}")
            connect(m, getattr(self.ports[port], f"request_{target}"), flipped(outer))
            m.d.comb += getattr(self, f"fault_row_{port}_{target}").eq(port)

        for ordinal, endpoint in enumerate(self.named.occurrence.endpoints):
            if endpoint.direction is EndpointDirection.IN:
                self._join_ingress(m, ordinal)
            else:
                self._join_egress(m, ordinal)
        for ordinal in range(len(self.named.occurrence.connectivity.internal_connections)):
            self._join_connection(m, ordinal)
        m.d.comb += self.empty.eq(reduce(and_, (port.empty for port in self.ports)))
        if self.counted:
            m.d.comb += self.waits.eq(Cat(self._waits(port) for port in self.ports))
            m.d.sync += self.events.eq(Cat(self._events(row) for row in range(len(self.ports))))
        return m

    def _events(self, row: int) -> Value:
        """What happens to one row, where it is Active."""
        layout = carrier_layout(self.named)
        places = layout.active.offset, layout.rows[row]["valid"].offset
        enabled = reduce(and_, (self.configuration[at] for at in places))
        events = self.ports[row].events
        return events & enabled.replicate(len(events))

    def _waits(self, port: SpatialPort) -> Value:
        """The port's word, with zeros for the roles that only others have."""
        place = {path.role: at for at, path in enumerate(port.shape.inputs)}
        tokens = [port.waits[place[role]] if role in place else Const(0, 1) for role in self.roles]
        return Cat(*tokens, port.waits[len(place) :])

    def _users(self, ordinal: int) -> Iterable[tuple[Value, Channel]]:
        """Select bit and channel of every port role that some alternative binds here."""
        for control, port in zip(self.controls, self.ports, strict=True):
            for prefix, paths in (("source", port.shape.inputs), ("sink", port.shape.results)):
                for path in paths:
                    yield from self._bound(control, port, prefix, path, ordinal)

    def _bound(
        self, control: RowControl, port: SpatialPort, prefix: str, path: RolePath, ordinal: int
    ) -> Iterable[tuple[Value, Channel]]:
        if ordinal in path.endpoints:
            selected: Signal = getattr(control.controls, f"{prefix}_{path.name}")
            at = path.endpoints.index(ordinal)
            yield selected[at], getattr(port, f"{path.name}_{ordinal}")

    def _join_ingress(self, m: Module, ordinal: int) -> None:
        """Offer to every user: at most one, whose row is active, shows ready."""
        ingress: Channel = getattr(self, f"ingress_{ordinal}")
        channels = [channel for _, channel in self._users(ordinal)]
        m.d.comb += ingress.ready.eq(_any(channel.ready for channel in channels))
        for channel in channels:
            m.d.comb += channel.valid.eq(ingress.valid)
            if hasattr(channel, "data"):
                m.d.comb += channel.data.eq(ingress.data)

    def _join_egress(self, m: Module, ordinal: int) -> None:
        """Publish for the one user whose row is active; its payload is steered statically."""
        egress: Channel = getattr(self, f"egress_{ordinal}")
        users = list(self._users(ordinal))
        m.d.comb += egress.valid.eq(_any(channel.valid for _, channel in users))
        m.d.comb += [channel.ready.eq(egress.ready) for _, channel in users]
        if hasattr(egress, "data"):
            payloads = [
                channel.data if len(users) == 1 else channel.data & here.replicate(len(egress.data))
                for here, channel in users
            ]
            m.d.comb += egress.data.eq(_any(payloads))

    def _join_connection(self, m: Module, ordinal: int) -> None:
        """From the one row that publishes there to every row that takes from there."""
        producers: list[tuple[Value, Channel]] = []
        consumers: list[Channel] = []
        for control, port in zip(self.controls, self.ports, strict=True):
            consumers += [
                getattr(port, path.link(ordinal))
                for path in port.shape.inputs
                if ordinal in path.connections
            ]
            for path in port.shape.results:
                if ordinal in path.connections:
                    forwards: Signal = getattr(control.controls, f"forward_{path.name}")
                    here = forwards[path.connections.index(ordinal)]
                    producers.append((here, getattr(port, path.link(ordinal))))
        ready, valid = Signal(name=f"ready_{ordinal}"), Signal(name=f"valid_{ordinal}")
        m.d.comb += [
            ready.eq(reduce(and_, (channel.ready for channel in consumers), Const(1, 1))),
            valid.eq(_any(channel.valid for _, channel in producers)),
        ]
        m.d.comb += [channel.ready.eq(ready) for _, channel in producers]
        m.d.comb += [channel.valid.eq(valid) for channel in consumers]
        for consumer in consumers:
            if hasattr(consumer, "data"):
                m.d.comb += consumer.data.eq(
                    _any(
                        channel.data & here.replicate(len(channel.data))
                        for here, channel in producers
                    )
                )


def _any(terms: Iterable[Value]) -> Value:
    return reduce(or_, terms, Value.cast(0))
