"""One Spatial operation port: from operand tokens to one joint publication."""

from functools import reduce
from operator import and_, or_

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.rtl.address_unit import AddressUnit
from fabricgen.rtl.channel import Channel
from fabricgen.rtl.operand_queue import OperandQueue
from fabricgen.rtl.port_shape import PortShape, RolePath
from fabricgen.rtl.result_ring import ResultRing
from fabricgen.rtl.result_store import ResultStore
from fabricgen.rtl.row_control import RowControls, controls_signature
from fabricgen.rtl.service.channel import ServiceChannel, ServiceChannelShape
from fabricgen.vocab.dataflow import ServiceValueRole

__all__ = ["SpatialPort"]

_ADDRESS, _DATA, _MASK = ServiceValueRole.ADDRESS, ServiceValueRole.DATA, ServiceValueRole.MASK


class SpatialPort(wiring.Component):
    """Join the operands of one configured row, serve it, and publish its results together.

    A firing takes one token of every active role, a result slot, and its request to the service
    in one cycle; with an empty mask it takes the slot alone and is complete. Firings retire in
    their order. All exposed results of a firing transfer in one cycle, and ``valid`` is raised in
    no other: never before every endpoint of the packet is ready.

    ``ready`` of an operand channel depends on ``hold`` and on registers only. Operands accepted
    in cycle *n* are requested in cycle *n + 1* and, when the service answers in cycle *n + 2*,
    published in cycle *n + 3*; with queues two deep and three slots, one firing a cycle. Reset
    drops every token and firing; payloads are not reset.

    Parameters
    ----------
    shape
        Shape of the port.

    Members
    -------
    controls : In(controls_signature(shape))
        The configured row; changes only while ``empty``, behind ``hold``.
    hold : In(1)
        Take no operand.
    <role>_<endpoint> : In(channel) for each input role and endpoint, Out(channel) for results
        Operand and result channels.
    request : Out(ServiceChannelShape.signature())
        Whole accesses to the Local Memory Service. A response comes at least one cycle after its
        request was taken.
    empty : Out(1)
        No token, firing or request inside (registered).
    """

    controls: RowControls
    hold: Signal
    request: ServiceChannel
    empty: Signal

    def __init__(self, shape: PortShape) -> None:
        if not isinstance(shape, PortShape):
            raise TypeError(f"SpatialPort shape must be a PortShape, not {shape!r}")
        self.shape = shape
        self.service = ServiceChannelShape(shape.requester, shape.address_bits, shape.slots)
        members: dict[str, wiring.Member] = {
            "controls": In(controls_signature(shape)),
            "hold": In(1),
            "request": Out(self.service.signature()),
            "empty": Out(1),
        }
        for flow, paths in ((In, shape.inputs), (Out, shape.results)):
            for path in paths:
                for name, channel in path.channels().items():
                    members[name] = flow(channel.signature())
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Wire queues, ring and store around the firing rule."""
        m = Module()
        m.submodules.ring = ring = ResultRing(self.shape.slots)
        operands = {path.role: self._operand(m, path) for path in self.shape.inputs}

        # Firing: all active operands, a slot, and the service's acceptance where it is needed.
        lanes, is_idle = self._lanes(operands)
        go = Signal()
        issue = Signal()
        present = [~self._is_needed(role) | queue.o.valid for role, queue in operands.items()]
        m.d.comb += [
            go.eq(reduce(and_, present) & ring.available),
            self.request.valid.eq(go & ~is_idle),
            issue.eq(go & (is_idle | self.request.ready)),
            ring.issue.eq(issue),
            ring.issue_complete.eq(is_idle),
            ring.complete.eq(self.request.rsp_valid & self.request.rsp_done),
        ]
        # An inactive role's queue is empty: its endpoints are not selected.
        m.d.comb += [queue.o.ready.eq(issue) for queue in operands.values()]
        if self.shape.slots > 1:
            m.d.comb += [
                self.request.slot.eq(ring.tail),
                ring.complete_slot.eq(self.request.rsp_slot),
            ]

        self._request(m, operands, lanes)
        self._publish(m, ring, self._result(m, ring, issue, lanes))
        queues_empty = [queue.empty for queue in operands.values()]
        m.d.comb += self.empty.eq(reduce(and_, queues_empty) & ring.empty)
        return m

    def _operand(self, m: Module, path: RolePath) -> OperandQueue:
        """Queue of one role behind the endpoint that the configured alternative binds."""
        channels: list[Channel] = [getattr(self, name) for name in path.channels()]
        selected: Signal = getattr(self.controls, f"source_{path.name}")
        token = Signal(path.width, name=f"token_{path.name}") if path.width else None
        payload = self._prepared(m, path, token)
        depth = self.shape.operand_depths[self.shape.inputs.index(path)]
        m.submodules[f"{path.name}_queue"] = queue = OperandQueue(len(payload), depth)

        offered = [selected[at] & channel.valid for at, channel in enumerate(channels)]
        m.d.comb += queue.i.valid.eq(reduce(or_, offered) & ~self.hold)
        for at, channel in enumerate(channels):
            m.d.comb += channel.ready.eq(queue.i.ready & selected[at] & ~self.hold)
        if token is not None:
            m.d.comb += token.eq(_steer(selected, channels))
        if len(payload):
            m.d.comb += queue.i.data.eq(payload)
        return queue

    def _prepared(self, m: Module, path: RolePath, token: Signal | None) -> Value:
        """What the queue of a role holds: work done on a token's way in is off the way out."""
        if token is None:
            return Cat()
        match path.role:
            case ServiceValueRole.ADDRESS:
                m.submodules.address = unit = AddressUnit(
                    len(token),
                    index_widths=self.shape.index_widths,
                    element_bytes=self.shape.element_bytes,
                    segments=self.shape.requester.segments,
                    address_bits=self.shape.address_bits,
                )
                m.d.comb += [unit.token.eq(token), unit.base.eq(self.controls.base)]
                for name in ("scale", "reach"):
                    if hasattr(unit, name):
                        m.d.comb += getattr(unit, name).eq(getattr(self.controls, name))
                return Cat(unit.address, unit.beyond)
            case ServiceValueRole.MASK:
                lanes = Signal(self.shape.requester.lanes, name="masked_lanes")
                m.d.comb += lanes.eq(token & self._all_lanes())
                return Cat(lanes, ~lanes.any())
            case _:
                return token[: 8 * self.shape.requester.data_bytes]

    def _all_lanes(self) -> Value:
        """Lanes below the configured lane count."""
        return self.controls.lanes if self.shape.requester.lanes > 1 else Value.cast(1)

    def _lanes(self, operands: dict[ServiceValueRole, OperandQueue]) -> tuple[Value, Value]:
        """Active lanes of the firing at the heads, and whether there is none."""
        if (queue := operands.get(_MASK)) is None:
            return self._all_lanes(), Value.cast(0)
        count = self.shape.requester.lanes
        lanes = Mux(self.controls.masked, queue.o.data[:count], self._all_lanes())
        return lanes, self.controls.masked & queue.o.data[count]

    def _is_needed(self, role: ServiceValueRole) -> Value:
        """Tell whether a firing of the configured row takes a token of this role."""
        if role is _MASK:
            return self.controls.masked
        if role is _DATA and self.shape.requester.reads:
            return self.controls.store
        return Value.cast(1)

    def _request(
        self, m: Module, operands: dict[ServiceValueRole, OperandQueue], lanes: Value
    ) -> None:
        """Fields of the request, all from registers."""
        req = self.shape.requester
        address = operands[_ADDRESS].o.data
        width = req.segments * self.shape.address_bits
        m.d.comb += [
            self.request.address.eq(address[:width]),
            self.request.beyond.eq(address[width:]),
            self.request.lanes.eq(lanes),
        ]
        if req.writes:
            m.d.comb += self.request.data.eq(operands[_DATA].o.data)
        if req.reads and req.writes:
            m.d.comb += self.request.write.eq(self.controls.store)
        for name in ("mode", "regions", "walk"):
            if hasattr(self.controls, name):
                m.d.comb += getattr(self.request, name).eq(getattr(self.controls, name))

    def _result(self, m: Module, ring: ResultRing, issue: Signal, lanes: Value) -> Value:
        """Payload of the oldest firing; nothing where the port does not read."""
        req = self.shape.requester
        if not req.reads:
            return Value.cast(0)
        m.submodules.store = store = ResultStore(
            self.shape.slots,
            lanes=req.lanes,
            data_bytes=req.data_bytes,
            element_lanes=self.shape.element_lanes,
        )
        m.d.comb += [
            store.issue.eq(issue),
            store.issue_slot.eq(ring.tail),
            store.issue_lanes.eq(lanes),
            store.arrive.eq(self.request.rsp_valid),
            store.done.eq(self.request.rsp_done),
            store.slot.eq(ring.complete_slot),
            store.data.eq(self.request.rsp_data),
            store.strobe.eq(self.request.rsp_strobe),
            store.in_range.eq(self.request.rsp_in_range),
            store.head.eq(ring.head),
        ]
        if hasattr(store, "scale"):
            m.d.comb += store.scale.eq(self.controls.scale)
        return store.result

    def _publish(self, m: Module, ring: ResultRing, result: Value) -> None:
        """One readiness conjunction and one commit for all exposed results of a firing."""
        destinations: list[tuple[Value, Channel]] = []
        for path in self.shape.results:
            selected: Signal = getattr(self.controls, f"sink_{path.name}")
            for at, name in enumerate(path.channels()):
                channel: Channel = getattr(self, name)
                destinations.append((selected[at], channel))
                if path.role is _DATA and path.width:
                    m.d.comb += channel.data.eq(result)
        ready = [~selected | channel.ready for selected, channel in destinations]
        m.d.comb += ring.retire.eq(ring.candidate & reduce(and_, ready))
        m.d.comb += [channel.valid.eq(ring.retire & selected) for selected, channel in destinations]


def _steer(selected: Signal, channels: list[Channel]) -> Value:
    """Payload of the selected channel, zero-extended to the widest."""
    payloads = [
        (selected[at], channel.data)
        for at, channel in enumerate(channels)
        if hasattr(channel, "data")
    ]
    if len(channels) == 1:
        return channels[0].data
    return reduce(or_, (data & here.replicate(len(data)) for here, data in payloads))
