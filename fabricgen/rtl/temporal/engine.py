"""The Temporal operation engine: resident rows over ports, between endpoints and targets."""

from dataclasses import dataclass
from functools import reduce
from operator import and_, or_

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from fabricgen.abi.status import input_roles, status_shape
from fabricgen.config.layout import carrier_layout
from fabricgen.records.fabric import NamedMemory
from fabricgen.rtl.channel import Channel, ChannelShape
from fabricgen.rtl.logic import any_bit, select
from fabricgen.rtl.port_shape import RolePath
from fabricgen.rtl.service.channel import ServiceChannel, ServiceChannelShape
from fabricgen.rtl.temporal.engine_shape import PublicationGroup
from fabricgen.rtl.temporal.port import TemporalPort
from fabricgen.rtl.temporal.publisher import Publisher
from fabricgen.rtl.temporal.row_changes import RowChanges
from fabricgen.rtl.temporal.row_reader import RowReader
from fabricgen.rtl.temporal.row_table import RowTable
from fabricgen.vocab.dataflow import ServiceValueRole
from fabricgen.vocab.fabric import EndpointDirection

__all__ = ["TemporalEngine"]

#: Result roles with a payload, and the member of the port that has it.
_RESULTS = {
    ServiceValueRole.DATA: "result",
    ServiceValueRole.OLD: "result",
    ServiceValueRole.SUCCESS: "successes",
}


@dataclass(frozen=True, slots=True)
class _Connection:
    """One internal connection: where it starts, and how it is taken."""

    source: int
    free: Signal
    fire: Signal
    payload: Signal


class TemporalEngine(wiring.Component):
    """Run the configured rows between the tagged endpoints, each other and the targets.

    ``ready`` of an ingress depends on its own tag, ``hold`` and registers only. Every egress
    raises ``valid`` only in a cycle in which all destinations of the firing are ready, internal
    connections included. Firings of one row issue and retire in their order, and no row waits
    for another row's destination longer than :class:`Publisher` says.

    A token accepted in cycle *n* is published as early as *n + 6*, where the target answers in
    the cycle after the request; a forwarded token counts as accepted when it is published.

    The configuration may change only where every row that is ``affected`` is held and ``settled``
    says so; the hold then lasts two cycles more: what the rows say is registered once. The other
    rows work on as if nothing happened. Reset empties the engine.

    Parameters
    ----------
    named
        The memory; one with a Temporal engine that
        :func:`fabricgen.plan.realisation.unsupported` does not refuse.

    Attributes
    ----------
    channels
        Shape of the channel of each (port, target).

    Members
    -------
    configuration : In(carrier width)
        The semantic carrier; all zero is Disabled.
    following : In(carrier width), pending : In(1)
        The carrier that may follow, two cycles or more before it does; and that it may.
    affected : Out(rows)
        Rows that must be quiescent for that, as in :class:`RowChanges`.
    hold : In(rows)
        Close every ingress for the row in this cycle.
    drain : In(rows)
        Begin no firing of the row with a token from an ingress: one is taken only where the row
        has another one already.
    settled : Out(1)
        No row that is held has a token, firing or request inside, and the rows to come have their
        reserve.
    empty : Out(1)
        No token, firing or request inside (registered).
    ingress_<endpoint> : In(channel), egress_<endpoint> : Out(channel)
        One per endpoint, by its ordinal in the occurrence.
    request_<port>_<target> : Out(channels[port, target].signature())
        Whole accesses to each target of a port.
    fault_row_<port>_<target> : Out(range(rows))
        Row of the response that stands on that channel.
    unmatched : Out(input endpoints)
        A token stood there whose tag no Active row matches, while no row was held or drained
        (registered).
    busy : Out(rows), partial : Out(rows)
        The row has a token or a firing inside; some tokens of a firing, not all (registered).
    unpublished : Out(1), unpublished_row : Out(range(rows)),
    unpublished_destinations : Out(output endpoints + connections)
        A row was refused for a whole hold; with it, what was not ready at its end: one bit per
        output endpoint, then per connection. For one cycle, registered; the first group's where
        several report together.
    waits : Out(rows * bits), absent unless ``implementation.counters``
        Per row: one bit per input role of the engine (a token is present), then ``claim`` (its
        claims are available), ``issued``, ``held`` (in front of its target), ``complete``.
    events : Out(rows * kinds), absent unless ``implementation.counters``
        Per row, what of :data:`fabricgen.abi.status.COUNTS` happened in the last cycle
        (registered).
    """

    configuration: Signal
    following: Signal
    pending: Signal
    affected: Signal
    hold: Signal
    drain: Signal
    settled: Signal
    empty: Signal
    busy: Signal
    partial: Signal
    unmatched: Signal
    unpublished: Signal
    unpublished_row: Signal
    unpublished_destinations: Signal
    waits: Signal
    events: Signal

    def __init__(self, named: NamedMemory) -> None:
        self.named = named
        self.table = RowTable(named)
        self.changes = RowChanges(named)
        self.rows = self.table.rows
        self.counted = named.implementation.counters
        self.ports = tuple(TemporalPort(shape, counted=self.counted) for shape in self.table.shapes)
        self.readers = tuple(RowReader(named, port) for port in range(len(self.ports)))
        self.publishers = tuple(
            Publisher(
                self.rows,
                group.destinations,
                word_bits=len(group.outputs) * self.table.shapes[0].tag_width,
                place_bits=max(self.table.shapes[port].index_bits for port in group.ports),
            )
            for group in self.table.groups
        )
        self.channels: dict[tuple[int, int], ServiceChannelShape] = {
            (ordinal, target): channel
            for ordinal, shape in enumerate(self.table.shapes)
            for target, channel in zip(shape.targets, shape.channels, strict=True)
        }
        ends = named.occurrence.endpoints
        self.inputs = [at for at, end in enumerate(ends) if end.direction is EndpointDirection.IN]
        self.outputs = [at for at, end in enumerate(ends) if end.direction is EndpointDirection.OUT]
        self.connections = named.occurrence.connectivity.internal_connections
        number = range(max(2, self.rows))
        members: dict[str, wiring.Member] = {
            "configuration": In(carrier_layout(named).width),
            "following": In(carrier_layout(named).width),
            "pending": In(1),
            "affected": Out(self.rows),
            "hold": In(self.rows),
            "drain": In(self.rows),
            "settled": Out(1),
            "empty": Out(1),
            "busy": Out(self.rows),
            "partial": Out(self.rows),
            "unmatched": Out(len(self.inputs)),
            "unpublished": Out(1),
            "unpublished_row": Out(number),
            "unpublished_destinations": Out(len(self.outputs) + len(self.connections)),
        }
        for at, end in enumerate(ends):
            signature = ChannelShape(end.payload_width, end.tag_width or 0).signature()
            if at in self.inputs:
                members[f"ingress_{at}"] = In(signature)
            else:
                members[f"egress_{at}"] = Out(signature)
        for (port, target), channel in self.channels.items():
            members[f"request_{port}_{target}"] = Out(channel.signature())
            members[f"fault_row_{port}_{target}"] = Out(number)
        if self.counted:
            widths = status_shape(named).members
            members |= {name: Out(widths[name]) for name in ("waits", "events")}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Instances, endpoints, connections, then what the rest of the fabric watches."""
        m = Module()
        m.submodules.table = table = self.table
        m.submodules.changes = changes = self.changes
        m.d.comb += [
            table.configuration.eq(self.configuration),
            changes.configuration.eq(self.configuration),
            changes.following.eq(self.following),
            changes.pending.eq(self.pending),
            self.affected.eq(changes.affected),
        ]
        for ordinal in range(len(self.ports)):
            coming = f"coming_{ordinal}"
            m.d.comb += getattr(table, coming).eq(getattr(changes, coming))
        for ordinal, (port, reader) in enumerate(zip(self.ports, self.readers, strict=True)):
            m.submodules[f"port_{ordinal}"] = port
            m.submodules[f"reader_{ordinal}"] = reader
            connect(m, getattr(table, f"port_{ordinal}"), port.rows)
            connect(m, reader.controls, port.controls)
            m.d.comb += [
                reader.configuration.eq(self.configuration),
                reader.row.eq(port.selected),
                port.hold.eq(self.hold),
                port.drain.eq(self.drain),
            ]
            self._join_targets(m, ordinal, port)
        for at in self.inputs:
            self._join_ingress(m, at)
        joined = self._join_connections(m)
        for ordinal, group in enumerate(table.groups):
            self._publish(m, ordinal, group, joined)
        fits = reduce(and_, (port.fits for port in self.ports))
        m.d.comb += [
            self.empty.eq(reduce(and_, (port.empty for port in self.ports))),
            self.busy.eq(reduce(or_, (port.busy for port in self.ports))),
            self.partial.eq(reduce(or_, (port.partial for port in self.ports))),
            self.settled.eq(~(self.busy & self.hold).any() & fits),
        ]
        self._report(m)
        if self.counted:
            self._count(m)
            m.d.sync += self.events.eq(Cat(self._events(row) for row in range(self.rows)))
        return m

    def _join_targets(self, m: Module, ordinal: int, port: TemporalPort) -> None:
        """Bring a port's channels out, and tell the row of each response."""
        for position, target in enumerate(port.shape.targets):
            request: ServiceChannel = getattr(self, f"request_{ordinal}_{target}")
            connect(m, getattr(port, f"request_{position}"), flipped(request))
            if self.rows > 1:
                row = request.rsp_slot[port.shape.index_bits :]
                m.d.comb += getattr(self, f"fault_row_{ordinal}_{target}").eq(row)

    def _join_ingress(self, m: Module, at: int) -> None:
        """Offer to every port that binds the endpoint: at most one has a row for the tag."""
        ingress: Channel = getattr(self, f"ingress_{at}")
        users = [port for port in self.ports if hasattr(port, f"ingress_{at}")]
        channels: list[Channel] = [getattr(port, f"ingress_{at}") for port in users]
        for channel in channels:
            m.d.comb += [
                getattr(channel, name).eq(getattr(ingress, name))
                for name in ("valid", "tag", "data")
                if hasattr(channel, name)
            ]
        m.d.comb += ingress.ready.eq(any_bit(channel.ready for channel in channels))
        hits = any_bit(getattr(port, f"hit_{at}") for port in users)
        closed = self.hold.any() | self.drain.any()
        active = self.configuration[self.table.layout.active.offset] & ~closed
        m.d.sync += self.unmatched[self.inputs.index(at)].eq(ingress.valid & ~hits & active)

    def _join_connections(self, m: Module) -> list[_Connection]:
        """One payload register for all consumers of a connection, which are free together."""
        joined: list[_Connection] = []
        for ordinal, connection in enumerate(self.connections):
            users = [port for port in self.ports if hasattr(port, f"fire_{ordinal}")]
            free = Signal(name=f"free_{ordinal}")
            fire = Signal(name=f"fire_{ordinal}")
            frees = (getattr(port, f"free_{ordinal}") for port in users)
            m.d.comb += free.eq(reduce(and_, frees, Const(1, 1)))
            m.d.comb += [getattr(port, f"fire_{ordinal}").eq(fire) for port in users]
            name = f"connection_{ordinal}"
            takers: list[Signal] = [getattr(port, name) for port in users if hasattr(port, name)]
            width = max(map(len, takers), default=0)
            payload = Signal(width, name=f"payload_{ordinal}")
            if width:
                kept = Signal(width, name=name, reset_less=True)
                with m.If(fire):
                    m.d.sync += kept.eq(payload)
                m.d.comb += [taker.eq(kept) for taker in takers]
            joined.append(_Connection(connection.source_endpoint_ordinal, free, fire, payload))
        return joined

    def _publish(
        self, m: Module, ordinal: int, group: PublicationGroup, joined: list[_Connection]
    ) -> None:
        """Retire the ports of one group through its outputs and connections."""
        m.submodules[f"publisher_{ordinal}"] = publisher = self.publishers[ordinal]
        rows = getattr(self.table, f"group_{ordinal}")
        ports = [self.ports[port] for port in group.ports]
        m.d.comb += [
            getattr(publisher, name).eq(getattr(rows, name))
            for name in (f"selected_{row}" for row in range(self.rows))
        ]
        m.d.comb += [
            publisher.complete.eq(reduce(or_, (port.complete for port in ports))),
            publisher.successor.eq(any_bit(port.successor for port in ports)),
        ]
        for port in ports:
            m.d.comb += [
                port.row.eq(publisher.row),
                port.here.eq(publisher.here),
                port.retire.eq(publisher.retire),
            ]

        if publisher.place_bits:
            self._join_places(m, publisher, ports)
        ready: list[Value] = []
        width = self.table.shapes[0].tag_width
        for row in range(self.rows):
            tags = [getattr(rows, f"tag_{end}").word_select(row, width) for end in group.outputs]
            m.d.comb += getattr(publisher, f"word_{row}").eq(Cat(tags))
        for at, end in enumerate(group.outputs):
            egress: Channel = getattr(self, f"egress_{end}")
            ready.append(egress.ready)
            m.d.comb += egress.valid.eq(publisher.fire[at])
            m.d.comb += egress.tag.eq(publisher.word.word_select(at, width))
            if hasattr(egress, "data"):
                sources = self._sources(group, end, publisher.here)
                m.d.comb += egress.data.eq(select(sources, len(egress.data)))
        for at, connection in enumerate(group.connections, len(group.outputs)):
            here = joined[connection]
            ready.append(here.free)
            sources = self._sources(group, here.source, publisher.here, connection)
            m.d.comb += here.fire.eq(publisher.fire[at])
            if len(here.payload):
                m.d.comb += here.payload.eq(select(sources, len(here.payload)))
        m.d.comb += publisher.ready.eq(Cat(ready))

    def _join_places(self, m: Module, publisher: Publisher, ports: list[TemporalPort]) -> None:
        """Places of the one port on which each row is Active, and that of the candidate back."""
        placed = [(port, bits) for port in ports if (bits := port.shape.index_bits)]
        is_alone = len(ports) == 1
        behind: list[tuple[Value, Value]] = []
        for port, bits in placed:
            m.d.comb += port.place.eq(publisher.place[:bits])
            mine = Const(1, 1) if is_alone else (port.rows.enabled & publisher.here).any()
            padding = Const(0, publisher.place_bits - bits)
            behind.append((mine, Cat(port.place_behind, padding)))
        m.d.comb += publisher.place_behind.eq(select(behind, publisher.place_bits))
        for row in range(self.rows):
            places = [
                (
                    Const(1, 1) if is_alone else port.rows.enabled[row],
                    Cat(port.places.word_select(row, bits), Const(0, publisher.place_bits - bits)),
                )
                for port, bits in placed
            ]
            m.d.comb += getattr(publisher, f"place_{row}").eq(select(places, publisher.place_bits))

    def _sources(
        self, group: PublicationGroup, end: int, candidate: Signal, connection: int | None = None
    ) -> list[tuple[Value, Value]]:
        """Results that some port of a group shows at an output, or leads from there into a
        connection, each with its condition.
        """
        users = [
            (port, path)
            for port in group.ports
            for path in self.table.shapes[port].port.results
            if end in path.endpoints
        ]
        found: list[tuple[Value, Value]] = []
        for port, path in users:
            rows = getattr(self.table, f"port_{port}")
            member = _RESULTS.get(path.role, "")
            if not hasattr(self.ports[port], member):
                continue
            here: Value = rows.enabled
            if connection is None:
                here = getattr(rows, f"sink_{path.name}_{end}")
            elif len({_RESULTS.get(each.role) for at, each in users if at == port}) > 1:
                here = rows.enabled & Cat(self._forwards(path, connection))
            mine = (here & candidate).any() if len(users) > 1 else Value.cast(1)
            found.append((mine, getattr(self.ports[port], member)))
        return found

    def _forwards(self, path: RolePath, connection: int) -> list[Value]:
        """Rows whose result role goes into a connection, out of the carrier."""
        name = f"forward_{path.name}_{connection}"
        fields = [row.get(name) for row in self.table.layout.rows]
        return [
            Const(0, 1) if field is None else self.configuration[field.offset] for field in fields
        ]

    def _report(self, m: Module) -> None:
        """Refused holds, the first group's of a cycle, one cycle later."""
        row = Signal.like(self.unpublished_row, name="refused_row")
        destinations = Signal.like(self.unpublished_destinations, name="refused_destinations")
        for publisher, group in reversed(
            list(zip(self.publishers, self.table.groups, strict=True))
        ):
            places = [self.outputs.index(end) for end in group.outputs]
            places += [len(self.outputs) + connection for connection in group.connections]
            refusing = dict(zip(places, publisher.refusing, strict=True))
            with m.If(publisher.unpublished):
                m.d.comb += row.eq(publisher.row)
                m.d.comb += destinations.eq(
                    Cat(refusing.get(at, Const(0, 1)) for at in range(len(destinations)))
                )
        m.d.sync += [
            self.unpublished.eq(any_bit(publisher.unpublished for publisher in self.publishers)),
            self.unpublished_row.eq(row),
            self.unpublished_destinations.eq(destinations),
        ]

    def _count(self, m: Module) -> None:
        """What each row has, of the one port on which it is Active."""
        words: list[Value] = []
        for row in range(self.rows):
            for name in (f"present_{role.name.lower()}" for role in input_roles(self.named)):
                here = [getattr(port, name)[row] for port in self.ports if hasattr(port, name)]
                words.append(any_bit(here))
            words += [
                any_bit(getattr(port, name)[row] & port.rows.enabled[row] for port in self.ports)
                for name in ("claim", "issued", "held", "complete")
            ]
        m.d.comb += self.waits.eq(Cat(words))

    def _events(self, row: int) -> Value:
        """What happens to one row in this cycle, in the order of :data:`COUNTS`."""
        retires = any_bit(
            publisher.retire
            & (publisher.row == row)
            & any_bit(self.ports[port].rows.enabled[row] for port in group.ports)
            for publisher, group in zip(self.publishers, self.table.groups, strict=True)
        )
        issued = any_bit(port.issued[row] for port in self.ports)
        done = any_bit(port.complete[row] for port in self.ports)
        return Cat(
            retires,
            any_bit(port.operand_stalls[row] for port in self.ports),
            any_bit(port.claim_stalls[row] for port in self.ports),
            any_bit(port.dispatch_stalls[row] for port in self.ports),
            issued & ~done,
            done & ~retires,
        )
