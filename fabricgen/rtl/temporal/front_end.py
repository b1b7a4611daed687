"""The resident rows of one Temporal operation port, from tagged tokens to a selected row."""

from functools import reduce
from operator import and_, or_

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.rtl.channel import Channel, ChannelShape
from fabricgen.rtl.logic import any_bit, named, select
from fabricgen.rtl.temporal.match import Match
from fabricgen.rtl.temporal.operand_memory import OperandMemory
from fabricgen.rtl.temporal.row_select import RowSelect
from fabricgen.rtl.temporal.shape import FrontEndShape

__all__ = ["RowFrontEnd"]


class RowFrontEnd(wiring.Component):
    """Hold the operands of every resident row, and select rows that can fire.

    One operand slot for each row and role: occupancy in flip-flops, payloads in memory. A token is
    accepted by the slot that its tag names, or by a connection that the slot consumes, only while
    the slot's registered occupancy is empty. A row that has every needed operand and its claims,
    and whose target has room, is selected (:class:`RowSelect`); that empties its slots together,
    and shows their payloads in the next cycle, before a refill can land.

    ``ready`` of an ingress depends on its own tag, ``hold`` and registers. A token accepted in
    cycle *n* can complete a row that is granted in cycle *n + 1* and selected in *n + 2*; its slot
    accepts again in *n + 2*. One row fires every 2 cycles, two or more rows one in every cycle.
    Reset empties all slots; payloads are not reset.

    Parameters
    ----------
    shape
        Rows, roles and sources of the port.

    Members
    -------
    enabled : In(rows)
        The row is Active on this port. This and what follows down to ``target`` is the static
        configuration: it changes only while ``empty``, behind ``hold``.
    needed_<role> : In(rows)
        The row takes a token of this role; only of enabled rows, and at least one role of each.
    selects_<role>_<ingress> : In(rows), consumes_<role>_<connection> : In(rows)
        Where the row's role comes from: exactly one source of each needed role, none of others.
    tag_<role> : In(rows * tag_width), absent without an ingress
        Tag of each row's role; no two selections of one ingress have the same.
    target_<target> : In(rows), absent with one target
        Target of each enabled row; exactly one.
    hold : In(rows)
        Accept nothing for the row from an ingress.
    drain : In(rows)
        Accept nothing there for the row while it has no token: no firing begins, and one that has
        begun gets what it lacks.
    ingress_<ingress> : In(channel)
        Tagged tokens. Where several ports share an endpoint each of them sees its token, and at
        most one is ready.
    hit_<ingress> : Out(1)
        Some slot of a row that accepts tokens is configured for the tag that stands there, be it
        full or not.
    fire_<connection> : In(1)
        A token enters the slot of each consumer; only while ``free``.
    connection_<connection> : In(width), absent without payload
        Payload of the last such token, from the next cycle on.
    free_<connection> : Out(1)
        No consumer's slot is full (registered).
    claimable : In(rows), pool : In(1), issued : In(rows), leaving : In(rows), further : Out(1),
    beside : Out(1), permit_<target> : In(1), select_<target> : Out(1)
        As in :class:`RowSelect`.
    grant : Out(rows)
        One-hot: the row that is granted now, and whose claims are taken.
    selected_valid : Out(1), selected : Out(range(max(2, rows))), here : Out(rows)
        The row that was granted in the last cycle, as in :class:`RowSelect`.
    operand_<role> : Out(width), absent without payload
        Payload of the selected row, in this cycle only; any value where it is not needed.
    present_<role> : Out(rows)
        Full slots (registered).
    partial : Out(rows)
        Some slots that a firing of the row needs are full, and others not (registered).
    empty : Out(1)
        No token and no selected row (registered).
    """

    enabled: Signal
    hold: Signal
    drain: Signal
    claimable: Signal
    pool: Signal
    issued: Signal
    leaving: Signal
    further: Signal
    beside: Signal
    grant: Signal
    selected_valid: Signal
    selected: Signal
    here: Signal
    partial: Signal
    empty: Signal

    def __init__(self, shape: FrontEndShape) -> None:
        if not isinstance(shape, FrontEndShape):
            raise TypeError(f"RowFrontEnd shape must be a FrontEndShape, not {shape!r}")
        self.shape = shape
        rows = shape.rows
        self._closed = Signal(rows, name="closed")
        members: dict[str, wiring.Member] = {
            "enabled": In(rows),
            "hold": In(rows),
            "drain": In(rows),
            "claimable": In(rows),
            "pool": In(1),
            "issued": In(rows),
            "leaving": In(rows),
            "further": Out(1),
            "beside": Out(1),
            "grant": Out(rows),
            "selected_valid": Out(1),
            "selected": Out(range(max(2, rows))),
            "here": Out(rows),
            "partial": Out(rows),
            "empty": Out(1),
        }
        for i, role in enumerate(shape.roles):
            members |= {f"needed_{i}": In(rows), f"present_{i}": Out(rows)}
            members |= {f"selects_{i}_{at}": In(rows) for at in role.ingresses}
            members |= {f"consumes_{i}_{at}": In(rows) for at in role.connections}
            if role.ingresses:
                members[f"tag_{i}"] = In(rows * shape.tag_width)
            if role.width:
                members[f"operand_{i}"] = Out(role.width)
        for at, width in shape.ingress_widths:
            members |= {
                f"ingress_{at}": In(ChannelShape(width, shape.tag_width).signature()),
                f"hit_{at}": Out(1),
            }
        for at, width in shape.connection_widths:
            members |= {f"fire_{at}": In(1), f"free_{at}": Out(1)}
            if width:
                members[f"connection_{at}"] = In(width)
        for at in range(shape.targets):
            members |= {f"permit_{at}": In(1), f"select_{at}": Out(1)}
            if shape.targets > 1:
                members[f"target_{at}"] = In(rows)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Wire match, slots, row select and payloads."""
        m = Module()
        shape = self.shape
        full = [Signal(shape.rows, name=f"full_{role}") for role in range(len(shape.roles))]
        some = named(m, reduce(or_, full), "some")
        lacks = [~here & getattr(self, f"needed_{role}") for role, here in enumerate(full)]
        m.d.comb += [
            self._closed.eq(self._closes(some)),
            self.partial.eq(some & reduce(or_, lacks)),
        ]
        # Tokens that arrive now: in the slots of each role, by the source that brings them.
        arriving: list[list[Value]] = [[] for _ in shape.roles]
        for at, _ in shape.ingress_widths:
            self._ingress(m, at, full, arriving)
        for at, _ in shape.connection_widths:
            self._connection(m, at, full, arriving)
        joining = self._slots(m, full, arriving)

        m.submodules.row_select = row_select = RowSelect(
            shape.rows, targets=shape.targets, policy=shape.policy
        )
        m.d.comb += [
            row_select.joining.eq(joining),
            row_select.claimable.eq(self.claimable),
            row_select.pool.eq(self.pool),
            row_select.issued.eq(self.issued),
            row_select.leaving.eq(self.leaving),
            self.further.eq(row_select.further),
            self.beside.eq(row_select.beside),
            self.grant.eq(row_select.grant),
            self.selected_valid.eq(row_select.selected_valid),
            self.selected.eq(row_select.selected),
            self.here.eq(row_select.here),
        ]
        for at in range(shape.targets):
            names = [f"permit_{at}", f"target_{at}"] if shape.targets > 1 else [f"permit_{at}"]
            m.d.comb += [getattr(row_select, name).eq(getattr(self, name)) for name in names]
            m.d.comb += getattr(self, f"select_{at}").eq(getattr(row_select, f"select_{at}"))

        for role in range(len(shape.roles)):
            m.d.comb += getattr(self, f"present_{role}").eq(full[role])
            self._operand(m, role)
        m.d.comb += self.empty.eq(~(some.any() | self.selected_valid))
        return m

    def _closes(self, some: Signal) -> Value:
        """Rows that take nothing from an ingress; ``some`` have a token."""
        return self.hold | (self.drain & ~some)

    def _ingress(self, m: Module, at: int, full: list[Signal], arriving: list[list[Value]]) -> None:
        """Match the token at one ingress, and take it into the slot that its tag names."""
        channel: Channel = getattr(self, f"ingress_{at}")
        roles = self.shape.roles_at(at)
        match = Match(self.shape.rows, self.shape.tag_width, roles)
        m.submodules[f"match_{at}"] = match
        m.d.comb += match.tag.eq(channel.tag)

        takes = Signal(name=f"takes_{at}")
        hits, rooms = [], []
        for role in roles:
            hit: Signal = getattr(match, f"match_{role}")
            room = Signal(name=f"room_{role}_{at}")
            accept = Signal(name=f"accept_{role}_{at}")
            # A row that is closed matches nothing: its tags may be about to be those of others.
            m.d.comb += [
                getattr(match, f"tags_{role}").eq(getattr(self, f"tag_{role}")),
                getattr(match, f"selects_{role}").eq(
                    getattr(self, f"selects_{role}_{at}") & ~self._closed
                ),
                room.eq((hit & ~full[role]).any()),
                accept.eq(takes & room),
            ]
            hits.append(hit.any())
            rooms.append(room)
            arriving[role].append(hit & takes.replicate(self.shape.rows))
            self._payload(m, role, at, accept, hit)
        m.d.comb += [
            takes.eq(channel.valid),
            channel.ready.eq(any_bit(rooms)),
            getattr(self, f"hit_{at}").eq(any_bit(hits)),
        ]

    def _payload(self, m: Module, role: int, at: int, accept: Signal, hit: Signal) -> None:
        """Payload memory of one role behind one ingress, where there is a payload."""
        width = min(self.shape.roles[role].width, dict(self.shape.ingress_widths)[at])
        if not width:
            return
        channel: Channel = getattr(self, f"ingress_{at}")
        memory = OperandMemory(self.shape.rows, width)
        m.submodules[f"memory_{role}_{at}"] = memory
        m.d.comb += [
            memory.accept.eq(accept),
            memory.match.eq(hit),
            memory.i_data.eq(channel.data),
            memory.row.eq(self.selected),
        ]

    def _connection(
        self, m: Module, at: int, full: list[Signal], arriving: list[list[Value]]
    ) -> None:
        """Fill the slots of all consumers of one internal connection together."""
        taken = []
        for role in self.shape.consumers_of(at):
            consumes: Signal = getattr(self, f"consumes_{role}_{at}")
            taken.append((consumes & full[role]).any())
            arriving[role].append(consumes & getattr(self, f"fire_{at}").replicate(self.shape.rows))
        m.d.comb += getattr(self, f"free_{at}").eq(~any_bit(taken))

    def _slots(self, m: Module, full: list[Signal], arriving: list[list[Value]]) -> Signal:
        """Occupancy of every slot, and which rows have all their operands after this cycle."""
        ready: list[Value] = [self.enabled]
        for role, here in enumerate(full):
            # A slot that is full takes nothing, though its tag may stand at an ingress; a row
            # that is granted has no empty slot that it needs.
            filled = Signal(self.shape.rows, name=f"filled_{role}")
            m.d.comb += filled.eq(reduce(or_, arriving[role]) | here)
            m.d.sync += here.eq(filled & ~self.grant)
            ready.append(filled | ~getattr(self, f"needed_{role}"))
        joining = Signal(self.shape.rows)
        m.d.comb += joining.eq(reduce(and_, ready))
        return joining

    def _operand(self, m: Module, role: int) -> None:
        """Payload of the selected row, from the source that it is configured for."""
        shape = self.shape.roles[role]
        if not shape.width:
            return
        sources: list[tuple[str, Value]] = [
            (f"selects_{role}_{at}", m.submodules[f"memory_{role}_{at}"].o_data)
            for at in shape.ingresses
            if dict(self.shape.ingress_widths)[at]
        ]
        sources += [
            (f"consumes_{role}_{at}", getattr(self, f"connection_{at}")[: shape.width])
            for at in shape.connections
            if dict(self.shape.connection_widths)[at]
        ]
        choices = []
        for name, payload in sources:
            rows: Signal = getattr(self, name)
            padded = Cat(payload, Value.cast(0).replicate(shape.width - len(payload)))
            here = Value.cast(1) if len(sources) == 1 else (rows & self.here).any()
            choices.append((here, padded))
        m.d.comb += getattr(self, f"operand_{role}").eq(select(choices, shape.width))
