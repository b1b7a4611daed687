"""One Temporal operation port: from tagged tokens to the results of complete rows."""

from functools import reduce
from operator import and_, or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from fabricgen.rtl.address_unit import AddressUnit
from fabricgen.rtl.channel import ChannelShape
from fabricgen.rtl.logic import choose, one_hot, select
from fabricgen.rtl.result_store import ResultStore
from fabricgen.rtl.row_control import RowControls
from fabricgen.rtl.service.channel import ServiceChannel
from fabricgen.rtl.temporal.claims import RowClaims
from fabricgen.rtl.temporal.engine_shape import TemporalShape
from fabricgen.rtl.temporal.front_end import RowFrontEnd
from fabricgen.rtl.temporal.holding import Holding
from fabricgen.rtl.temporal.row_reader import access_signature
from fabricgen.rtl.temporal.row_signatures import PortRows, port_rows_signature, scale_bits
from fabricgen.vocab.dataflow import ServiceValueRole

__all__ = ["TemporalPort"]

_R = ServiceValueRole
_ADDRESS, _DATA, _MASK = _R.ADDRESS, _R.DATA, _R.MASK

#: Operand that each kind of access sends, and a field of the channels whose targets serve it.
_SENT = {
    "store": (_DATA, "data"),
    "rmw": (_R.UPDATE, "rmw_kind"),
    "exchange": (_R.DESIRED, "expected"),
}

#: What keeps a row from issuing.
_STALLS = ("operand", "claim", "dispatch")

#: Fields of a request, packed in this order while the firing stands in front of its target.
_FIELDS = (
    "slot",
    "write",
    "rmw",
    "exchange",
    "fence",
    "mode",
    "regions",
    "walk",
    "rmw_kind",
    "ordering",
    "failure_ordering",
    "scope",
    "weak",
    "volatile",
    "lanes",
    "beyond",
    "address",
    "data",
    "expected",
)

#: Those of them that are controls of the row.
_SAID = tuple(
    name
    for name in _FIELDS
    if name not in ("slot", "write", "lanes", "beyond", "address", "data", "expected")
)


class TemporalPort(wiring.Component):
    """Issue the firings of all rows of one port, and keep their results until they retire.

    A firing takes one token of every active role, its claims and a place in front of its target
    at once. With an empty mask it needs no request and is complete. Firings of one row retire in
    their order, whatever the order of the responses.

    ``ready`` of an ingress depends on the tag shown there, on ``hold`` and on registers only.
    Operands accepted in cycle *n* are selected in *n + 1*, requested in *n + 3*, and complete in
    the cycle after the last response; one firing in 2 cycles of one row, one in every cycle of
    two rows. Reset drops every token and firing; payloads are not reset.

    Parameters
    ----------
    shape
        Shape of the port.

    Members
    -------
    rows : In(port_rows_signature(shape))
        The configured rows; a row changes only while it is not ``busy``, behind ``hold``.
    hold : In(rows)
        Take no token for the row from an ingress.
    drain : In(rows)
        Take none there unless the row has a token of another role.
    ingress_<endpoint> : In(channel)
        Tagged tokens.
    hit_<endpoint> : Out(1)
        Some row that is neither held nor drained takes tokens with the tag that stands there.
    fire_<connection> : In(1), connection_<connection> : In(width)
        Every consumer of the connection gets a token now; its payload from the next cycle on.
    free_<connection> : Out(1)
        Every consumer is empty (registered).
    selected : Out(rows)
        One-hot: row of the firing that is prepared in this cycle.
    controls : In(access_signature(shape))
        Its access, in the same cycle.
    request_<position> : Out(ServiceChannelShape.signature())
        Whole accesses to the target at this position of the port's targets.
    complete : Out(rows)
        The row's oldest firing is complete (registered).
    row : In(range(rows)), here : In(rows)
        Row whose oldest result is shown, and which ``retire`` and ``successor`` speak of; its bit
        alone, if there is one.
    places : Out(rows * bits), place : In(bits), place_behind : Out(bits), absent with one firing of
    a row
        Place of each row's oldest firing (registered); that of ``row``, and the one behind it.
    successor : Out(1)
        The firing behind its oldest one is complete, if the row is one of this port.
    retire : In(1)
        Its oldest firing leaves, if the row is one of this port.
    result : Out(8 * data_bytes), absent unless something is returned
        Payload of its oldest firing.
    successes : Out(lanes), absent without compare-exchanges
        Success of each lane of it.
    empty : Out(1)
        No token, firing or request inside (registered).
    busy : Out(rows)
        A token or a firing of the row is inside (registered).
    partial : Out(rows)
        The row has some of the tokens of a firing, and lacks others (registered).
    fits : Out(1)
        The reserve that ``rows`` ask for is there, as in :class:`RowClaims`.
    present_<role> : Out(rows), claim : Out(rows), issued : Out(rows), held : Out(rows)
        What a row has: a token of the role; units of its claims to take; a firing between issue
        and retirement; one in front of its target. All registered.
    operand_stalls : Out(rows), claim_stalls : Out(rows), dispatch_stalls : Out(rows), absent unless
    ``counted``
        What keeps the row from issuing a firing in this cycle.
    """

    rows: PortRows
    hold: Signal
    drain: Signal
    selected: Signal
    controls: RowControls
    complete: Signal
    row: Signal
    here: Signal
    places: Signal
    place: Signal
    place_behind: Signal
    successor: Signal
    retire: Signal
    result: Signal
    successes: Signal
    empty: Signal
    busy: Signal
    partial: Signal
    fits: Signal
    claim: Signal
    issued: Signal
    held: Signal
    operand_stalls: Signal
    claim_stalls: Signal
    dispatch_stalls: Signal

    def __init__(self, shape: TemporalShape, *, counted: bool = False) -> None:
        if not isinstance(shape, TemporalShape):
            raise TypeError(f"TemporalPort shape must be a TemporalShape, not {shape!r}")
        self.shape = shape
        self.counted = counted
        self.front = shape.front_end()
        number = range(max(2, shape.rows))
        members: dict[str, wiring.Member] = {
            "rows": In(port_rows_signature(shape)),
            "hold": In(shape.rows),
            "drain": In(shape.rows),
            "selected": Out(shape.rows),
            "controls": In(access_signature(shape)),
            "complete": Out(shape.rows),
            "row": In(number),
            "here": In(shape.rows),
            "successor": Out(1),
            "retire": In(1),
            "empty": Out(1),
            "busy": Out(shape.rows),
            "partial": Out(shape.rows),
            "fits": Out(1),
        }
        for end, width in self.front.ingress_widths:
            channel = ChannelShape(width, shape.tag_width)
            members |= {f"ingress_{end}": In(channel.signature()), f"hit_{end}": Out(1)}
        for connection, width in self.front.connection_widths:
            members |= {f"fire_{connection}": In(1), f"free_{connection}": Out(1)}
            if width:
                members[f"connection_{connection}"] = In(width)
        if bits := shape.index_bits:
            members |= {
                "places": Out(shape.rows * bits),
                "place": In(bits),
                "place_behind": Out(bits),
            }
        for position, request in enumerate(shape.channels):
            members[f"request_{position}"] = Out(request.signature())
        if shape.port.requester.returns:
            members["result"] = Out(8 * shape.port.requester.data_bytes)
        if shape.port.requester.every.exchange:
            members["successes"] = Out(shape.port.requester.lanes)
        members |= {f"present_{path.name}": Out(shape.rows) for path in shape.port.inputs}
        members |= {name: Out(shape.rows) for name in ("claim", "issued", "held")}
        if counted:
            members |= {f"{name}_stalls": Out(shape.rows) for name in _STALLS}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Front end and claims, then the firing on its way, then its result."""
        m = Module()
        shape = self.shape
        masks = shape.port.has_mask
        m.submodules.front = front = RowFrontEnd(self.front)
        m.submodules.claims = claims = RowClaims(
            shape.rows,
            depth=shape.row_slots,
            limits=shape.context_slots,
            total=shape.total_slots,
            completions=len(shape.targets) + masks,
        )
        self._issue(m, front, claims)
        lanes = Signal(shape.port.requester.lanes)
        idle = Signal()
        m.d.comb += lanes.eq(self._all_lanes())
        if masks:
            operand = self._operand(front, _MASK)
            m.d.comb += lanes.eq(
                Mux(self.controls.masked, operand & self._all_lanes(), self._all_lanes())
            )
            m.d.comb += idle.eq(self.controls.masked & ~lanes.any())
            self._complete_idle(m, front, claims, idle)
        holdings = self._dispatch(m, front, claims, lanes, idle)
        self._results(m, front, claims, lanes)
        self._watch(m, front, claims, holdings)
        if self.counted:
            self._stalls(m, front, claims)
        m.d.comb += self.empty.eq(
            front.empty & claims.empty & reduce(and_, (holding.empty for holding in holdings))
        )
        return m

    def _issue(self, m: Module, front: RowFrontEnd, claims: RowClaims) -> None:
        """Wire the rows and the tokens to the front end, and its grants to the claims."""
        rows = self.rows
        m.d.comb += [
            front.enabled.eq(rows.enabled),
            front.hold.eq(self.hold),
            front.drain.eq(self.drain),
            front.claimable.eq(claims.claimable),
            front.pool.eq(claims.pool),
            claims.issue.eq(front.grant),
            claims.further.eq(front.further),
            claims.beside.eq(front.beside),
            front.issued.eq(claims.issued),
            front.leaving.eq(claims.leaving),
            claims.capture.eq(front.here),
            claims.capture_row.eq(front.selected),
            self.selected.eq(front.here),
        ]
        if hasattr(rows, "single"):
            m.d.comb += front.claimable.eq(claims.claimable & ~(rows.single & claims.remains))
        if hasattr(claims, "active_rows"):
            m.d.comb += [
                claims.active_rows.eq(rows.active_rows),
                claims.coming_rows.eq(rows.coming_rows),
            ]
        for i, (path, role) in enumerate(
            zip(self.shape.port.inputs, self.front.roles, strict=True)
        ):
            for inner, outer in (
                (f"needed_{i}", f"needed_{path.name}"),
                (f"tag_{i}", f"tag_{path.name}"),
                *((f"selects_{i}_{e}", f"selects_{path.name}_{e}") for e in role.ingresses),
                *((f"consumes_{i}_{c}", f"consumes_{path.name}_{c}") for c in role.connections),
            ):
                m.d.comb += getattr(front, inner).eq(getattr(rows, outer))
        for end, _ in self.front.ingress_widths:
            connect(m, flipped(getattr(self, f"ingress_{end}")), getattr(front, f"ingress_{end}"))
            m.d.comb += getattr(self, f"hit_{end}").eq(getattr(front, f"hit_{end}"))
        for connection, width in self.front.connection_widths:
            m.d.comb += getattr(front, f"fire_{connection}").eq(getattr(self, f"fire_{connection}"))
            m.d.comb += getattr(self, f"free_{connection}").eq(getattr(front, f"free_{connection}"))
            if width:
                name = f"connection_{connection}"
                m.d.comb += getattr(front, name).eq(getattr(self, name))

    def _operand(self, front: RowFrontEnd, role: ServiceValueRole) -> Value:
        """Payload of one role of the selected firing."""
        roles = [path.role for path in self.shape.port.inputs]
        return getattr(front, f"operand_{roles.index(role)}")

    def _all_lanes(self) -> Value:
        """Lanes below the configured lane count; a fence has none."""
        requester = self.shape.port.requester
        if requester.lanes > 1:
            return self.controls.lanes
        return ~self._does("fence") if requester.every.fence else Value.cast(1)

    def _does(self, kind: str) -> Value:
        """Whether the selected firing is a ``store``, ``rmw``, ``exchange`` or ``fence``."""
        if hasattr(self.controls, kind):
            return getattr(self.controls, kind)
        return Const(int(self._occurs(kind)), 1)

    def _occurs(self, kind: str) -> bool:
        requester = self.shape.port.requester
        return requester.writes if kind == "store" else getattr(requester.every, kind)

    def _complete_idle(
        self, m: Module, front: RowFrontEnd, claims: RowClaims, idle: Signal
    ) -> None:
        """A firing without active lanes completes in its slot, one cycle after it got it."""
        last = len(self.shape.targets)
        completes = Signal(name="idle_completes")
        slot = Signal.like(claims.tail_slot, name="idle_slot", reset_less=True)
        m.d.sync += [completes.eq(front.selected_valid & idle), slot.eq(claims.tail_slot)]
        m.d.comb += getattr(claims, f"complete_valid_{last}").eq(completes)
        m.d.comb += getattr(claims, f"complete_slot_{last}").eq(slot)

    def _dispatch(
        self, m: Module, front: RowFrontEnd, claims: RowClaims, lanes: Signal, idle: Signal
    ) -> list[Holding]:
        """One queue of whole firings in front of each target, and its channel."""
        address, beyond = self._address(m, front) if _ADDRESS in self._roles else ([], [])
        several = len(self.shape.targets) > 1
        holdings: list[Holding] = []
        for position, channel in enumerate(self.shape.channels):
            request: ServiceChannel = getattr(self, f"request_{position}")
            bits = channel.address_bits
            firing: dict[str, Value] = {
                "slot": claims.tail_slot,
                "lanes": lanes,
                "address": Cat(each[:bits] for each in address),
                "beyond": Cat(
                    over | each[bits:].any() if len(each) > bits else over
                    for each, over in zip(address, beyond, strict=True)
                ),
            }
            if hasattr(request, "write"):
                firing["write"] = self._does("store")
            for name in (name for name in _SAID if hasattr(self.controls, name)):
                firing[name] = getattr(self.controls, name)
            if hasattr(request, "data"):
                firing["data"] = self._sent(front, request)
            if hasattr(request, "expected"):
                firing["expected"] = self._operand(front, _R.EXPECTED)
            names = [name for name in _FIELDS if hasattr(request, name)]
            widths = {name: len(getattr(request, name)) for name in names}
            # What the operands do not have is zero, and so is all that a fence does not say.
            parts = [Cat(firing[name], Const(0, widths[name]))[: widths[name]] for name in names]

            holding = Holding(len(Cat(parts)))
            m.submodules[f"holding_{position}"] = holding
            holdings.append(holding)
            m.d.comb += [
                holding.select.eq(getattr(front, f"select_{position}")),
                getattr(front, f"permit_{position}").eq(holding.permit),
                holding.firing.eq(Cat(parts)),
                holding.skip.eq(idle),
                holding.o.ready.eq(request.ready),
                request.valid.eq(holding.o.valid),
                Cat(getattr(request, name) for name in names).eq(holding.o.data),
            ]
            if several:
                target = f"target_{position}"
                m.d.comb += getattr(front, target).eq(getattr(self.rows, target))
            m.d.comb += [
                getattr(claims, f"complete_valid_{position}").eq(
                    request.rsp_valid & request.rsp_done
                ),
                getattr(claims, f"complete_slot_{position}").eq(self._response_slot(request)),
            ]
        return holdings

    @property
    def _roles(self) -> list[ServiceValueRole]:
        return [path.role for path in self.shape.port.inputs]

    def _sent(self, front: RowFrontEnd, request: ServiceChannel) -> Value:
        """The payload of the selected firing."""
        sent = [
            (self._does(kind), self._operand(front, role))
            for kind, (role, field) in _SENT.items()
            if hasattr(request, field) and self._occurs(kind)
        ]
        return sent[0][1] if len(sent) == 1 else select(sent, len(request.data))

    @staticmethod
    def _response_slot(request: ServiceChannel) -> Value:
        return request.rsp_slot if hasattr(request, "rsp_slot") else Value.cast(0)

    def _address(self, m: Module, front: RowFrontEnd) -> tuple[list[Value], list[Value]]:
        """Byte address of every segment, and whether it goes beyond the port's widest target."""
        port = self.shape.port
        token = self._operand(front, _ADDRESS)
        m.submodules.address = unit = AddressUnit(
            len(token),
            index_widths=port.index_widths,
            pointers=port.pointers,
            element_bytes=port.element_bytes,
            segments=port.requester.segments,
            address_bits=port.address_bits,
        )
        m.d.comb += unit.token.eq(token)
        for name in ("base", "scale", "reach", "pointer"):
            if hasattr(unit, name):
                m.d.comb += getattr(unit, name).eq(getattr(self.controls, name))
        segments = range(port.requester.segments)
        return (
            [unit.address.word_select(segment, port.address_bits) for segment in segments],
            [unit.beyond[segment] for segment in segments],
        )

    def _results(self, m: Module, front: RowFrontEnd, claims: RowClaims, lanes: Signal) -> None:
        """Result stores, read at the oldest firing of the row that is asked for."""
        shape = self.shape
        m.d.comb += [
            claims.head.eq(self.here & self.rows.enabled),
            claims.head_row.eq(self.row),
            claims.retire.eq(self.retire),
            self.successor.eq(claims.successor),
            self.complete.eq(claims.complete),
        ]
        if shape.index_bits:
            m.d.comb += [
                self.places.eq(claims.places),
                claims.head_place.eq(self.place),
                self.place_behind.eq(claims.place_behind),
            ]
        requester = shape.port.requester
        if not requester.returns:
            return
        results: list[tuple[Value, Value]] = []
        successes: list[tuple[Value, Value]] = []
        for position in range(len(shape.targets)):
            request: ServiceChannel = getattr(self, f"request_{position}")
            if not hasattr(request, "rsp_data"):
                continue
            compares = hasattr(request, "rsp_tested")
            m.submodules[f"store_{position}"] = store = ResultStore(
                shape.slots,
                lanes=requester.lanes,
                data_bytes=requester.data_bytes,
                element_lanes=shape.port.element_lanes,
                compares=compares,
            )
            m.d.comb += [
                store.issue.eq(front.selected_valid),
                store.issue_slot.eq(claims.tail_slot),
                store.issue_lanes.eq(lanes),
                store.arrive.eq(request.rsp_valid),
                store.done.eq(request.rsp_done),
                store.slot.eq(self._response_slot(request)),
                store.data.eq(request.rsp_data),
                store.strobe.eq(request.rsp_strobe),
                store.in_range.eq(request.rsp_in_range),
                store.head.eq(claims.head_slot),
            ]
            if bits := scale_bits(shape):
                scales = [self.rows.scale.word_select(row, bits) for row in range(shape.rows)]
                m.d.comb += store.scale.eq(choose(self.here, scales))
            targets = getattr(self.rows, f"target_{position}", self.rows.enabled)
            here = (targets & self.here).any()
            results.append((here, store.result))
            if compares:
                m.d.comb += [
                    store.tested.eq(request.rsp_tested),
                    store.success.eq(request.rsp_success),
                ]
                successes.append((here, store.successes))
        for name, found in (("result", results), ("successes", successes)):
            if found:
                shown: Signal = getattr(self, name)
                # With one store there is nothing to choose: rows of other targets show no result.
                word = found[0][1] if len(found) == 1 else select(found, len(shown))
                m.d.comb += shown.eq(word)

    def _stalls(self, m: Module, front: RowFrontEnd, claims: RowClaims) -> None:
        """Why an Active row issues nothing now: one cause at most."""
        whole = Signal(self.shape.rows)
        roles = range(len(self.shape.port.inputs))
        present = [getattr(front, f"present_{i}") | ~getattr(front, f"needed_{i}") for i in roles]
        enabled = self.rows.enabled
        claim = self._claim(claims)
        m.d.comb += [
            whole.eq(reduce(and_, present, enabled)),
            self.operand_stalls.eq(enabled & ~whole),
            self.claim_stalls.eq(whole & ~claim),
            self.dispatch_stalls.eq(whole & claim & ~front.grant),
        ]

    def _claim(self, claims: RowClaims) -> Value:
        """Rows whose claims are available."""
        if hasattr(self.rows, "single"):
            return claims.available & ~(self.rows.single & claims.issued)
        return claims.available

    def _present(self, front: RowFrontEnd) -> list[Signal]:
        """Rows with a token, by role."""
        return [getattr(front, f"present_{i}") for i in range(len(self.shape.port.inputs))]

    def _watch(
        self, m: Module, front: RowFrontEnd, claims: RowClaims, holdings: list[Holding]
    ) -> None:
        """What the rows have and wait for. A firing holds its claims until it retires."""
        m.d.comb += [
            self.busy.eq(reduce(or_, self._present(front), claims.issued)),
            self.partial.eq(front.partial),
            self.fits.eq(claims.fits),
        ]
        for path, present in zip(self.shape.port.inputs, self._present(front), strict=True):
            m.d.comb += getattr(self, f"present_{path.name}").eq(present)
        standing: list[Value] = []
        for position, holding in enumerate(holdings):
            request: ServiceChannel = getattr(self, f"request_{position}")
            # The slot is the lowest field of a firing.
            firings: list[tuple[Value, Value]] = [
                (holding.o.valid, holding.o.data),
                (holding.behind_valid, holding.behind),
            ]
            if hasattr(request, "stands"):
                slot: Value = request.stands_slot if self.shape.slots > 1 else Const(0, 0)
                firings.append((request.stands, slot))
            for is_there, firing in firings:
                row = firing[self.shape.index_bits : (self.shape.slots - 1).bit_length()]
                hot = one_hot(row if self.shape.rows > 1 else None, self.shape.rows)
                standing.append(Cat(is_there & here for here in hot))
        m.d.comb += [
            self.claim.eq(self._claim(claims)),
            self.issued.eq(claims.issued),
            self.held.eq(reduce(or_, standing)),
        ]
