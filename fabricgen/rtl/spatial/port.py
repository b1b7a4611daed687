"""One Spatial operation port: from operand tokens to one joint publication."""

from collections.abc import Iterable
from functools import reduce
from operator import and_, or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.rtl.address_unit import AddressUnit
from fabricgen.rtl.channel import Channel
from fabricgen.rtl.logic import any_bit, select
from fabricgen.rtl.operand_queue import OperandQueue
from fabricgen.rtl.port_shape import PortShape, RolePath
from fabricgen.rtl.result_ring import ResultRing
from fabricgen.rtl.result_store import ResultStore
from fabricgen.rtl.row_control import RowControls, controls_signature
from fabricgen.rtl.service.channel import ServiceChannel
from fabricgen.vocab.dataflow import ServiceValueRole

__all__ = ["SpatialPort"]

_R = ServiceValueRole
_ADDRESS, _DATA, _MASK = _R.ADDRESS, _R.DATA, _R.MASK


#: A field of a channel whose target serves accesses of this kind.
_OWN_FIELD = {"store": "data", "rmw": "rmw_kind", "exchange": "expected"}

#: Controls that a request repeats.
_SAID = (
    "mode",
    "regions",
    "walk",
    "rmw",
    "exchange",
    "fence",
    "rmw_kind",
    "ordering",
    "failure_ordering",
    "scope",
    "weak",
    "volatile",
)


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

    A token of an internal connection is offered by a publication, and accepted in the same cycle
    by every consumer, each of which was empty. A row that is volatile at a manager issues a firing
    only while it has none in flight.

    Parameters
    ----------
    shape
        Shape of the port.
    counted
        Show what the row waits for.

    Members
    -------
    controls : In(controls_signature(shape))
        The configured row; changes only while ``empty``, behind ``hold``.
    hold : In(1)
        Take no operand from an endpoint.
    drain : In(1)
        Take one there only where another role has more tokens: no firing begins, and those that
        have begun get what they lack.
    <role>_<endpoint> : In(channel) for each input role and endpoint, Out(channel) for results
        Operand and result channels.
    <role>_link_<connection> : In(channel) for each input role and connection
    <role>_feed_<connection> : Out(channel) for each result role and connection
        The same of internal connections. An input is ready while its queue is empty, or does not
        take its tokens there; a token is offered only while it is ready. A result is one more
        destination of its firing.
    request_<target> : Out(shape.channel(target).signature())
        Whole accesses to each target; those of the configured one. A response comes at least one
        cycle after its request was taken.
    empty : Out(1)
        No token, firing or request inside (registered).
    partial : Out(1)
        Some tokens of a firing are there, and others not (registered).
    waits : Out(input roles + 4), absent unless ``counted``
        A token of each role is present; then: a claim is free, a firing is in flight, one stands
        in front of its target, the oldest is complete.
    events : Out(6), absent unless ``counted``
        What of :data:`fabricgen.abi.status.COUNTS` happens in this cycle, if the row is Active.
    """

    controls: RowControls
    hold: Signal
    drain: Signal
    empty: Signal
    partial: Signal
    waits: Signal
    events: Signal

    def __init__(self, shape: PortShape, *, counted: bool = False) -> None:
        if not isinstance(shape, PortShape):
            raise TypeError(f"SpatialPort shape must be a PortShape, not {shape!r}")
        self.shape = shape
        self.counted = counted
        self.channels = {target: shape.channel(target) for target in shape.targets}
        members: dict[str, wiring.Member] = {
            "controls": In(controls_signature(shape)),
            "hold": In(1),
            "drain": In(1),
            "empty": Out(1),
            "partial": Out(1),
        }
        if counted:
            members |= {"waits": Out(len(shape.inputs) + 4), "events": Out(6)}
        for target, channel in self.channels.items():
            members[f"request_{target}"] = Out(channel.signature())
        for flow, paths in ((In, shape.inputs), (Out, shape.results)):
            for path in paths:
                for name, channel in (path.channels() | path.links()).items():
                    members[name] = flow(channel.signature())
        super().__init__(members)

    @property
    def _targets(self) -> list[tuple[Value, ServiceChannel]]:
        """Whether the row goes there, and the channel, of each target."""
        channels: list[ServiceChannel] = [getattr(self, f"request_{t}") for t in self.channels]
        chosen = list(self.controls.target) if len(channels) > 1 else [Const(1, 1)]
        return list(zip(chosen, channels, strict=True))

    def elaborate(self, platform: object) -> Module:
        """Wire queues, ring and store around the firing rule."""
        m = Module()
        m.submodules.ring = ring = ResultRing(self.shape.slots)
        closed = {path.role: Signal(name=f"closed_{path.name}") for path in self.shape.inputs}
        operands = {
            path.role: self._operand(m, path, closed[path.role]) for path in self.shape.inputs
        }
        for role, queue in operands.items():
            others = [other.level for at, other in operands.items() if at is not role]
            ahead = any_bit(_is_ahead(other, queue.level) for other in others)
            m.d.comb += closed[role].eq(self.hold | (self.drain & ~ahead))

        # Firing: all active operands, a slot, and the target's acceptance where it is needed.
        lanes, is_idle = self._lanes(operands)
        go = Signal()
        issue = Signal()
        answer = self._answer(m)
        present = [~self._is_needed(role) | queue.o.valid for role, queue in operands.items()]
        some = _any(queue.o.valid for queue in operands.values())
        claim = ring.available
        if hasattr(self.controls, "volatile"):
            claim &= ~self.controls.volatile | ring.empty
        accepted = _any(here & channel.ready for here, channel in self._targets)
        m.d.comb += [
            go.eq(reduce(and_, present) & claim),
            issue.eq(go & (is_idle | accepted)),
            ring.issue.eq(issue),
            ring.issue_complete.eq(is_idle),
            ring.complete.eq(answer["valid"] & answer["done"]),
        ]
        m.d.comb += [channel.valid.eq(go & ~is_idle & here) for here, channel in self._targets]
        # An inactive role's queue is empty: nothing is selected that fills it.
        m.d.comb += [queue.o.ready.eq(issue) for queue in operands.values()]
        if self.shape.slots > 1:
            m.d.comb += [channel.slot.eq(ring.tail) for _, channel in self._targets]
            m.d.comb += ring.complete_slot.eq(answer["slot"])

        for _, channel in self._targets:
            self._request(m, channel, operands, lanes)
        self._publish(m, ring, self._result(m, ring, issue, lanes, answer))
        queues_empty = [queue.empty for queue in operands.values()]
        m.d.comb += [
            self.empty.eq(reduce(and_, queues_empty) & ring.empty),
            self.partial.eq(some & ~reduce(and_, present)),
        ]
        if self.counted:
            tokens = [queue.o.valid for queue in operands.values()]
            # The target has not taken the firing, or a beat of one that it has.
            stands = _any(
                channel.stands for _, channel in self._targets if hasattr(channel, "stands")
            )
            m.d.comb += self.waits.eq(
                Cat(*tokens, claim, ~ring.empty, go & ~is_idle | stands, ring.candidate)
            )
            whole = reduce(and_, present)
            m.d.comb += self.events.eq(
                Cat(
                    ring.retire,
                    ~whole,
                    whole & ~claim,
                    go & ~issue,
                    ~ring.empty & ~ring.candidate,
                    ring.candidate & ~ring.retire,
                )
            )
        return m

    def _answer(self, m: Module) -> dict[str, Value]:
        """The response of the configured target: no other has anything to answer."""
        names = ["valid", "done", "in_range"]
        req = self.shape.requester
        names += ["data", "strobe"] if req.returns else []
        names += ["tested", "success"] if req.every.exchange else []
        names += ["slot"] if self.shape.slots > 1 else []
        values: dict[str, Value] = {}
        for name in names:
            # What only a manager answers the channel of the local service does not have.
            words: list[tuple[Value, Value]] = [
                (here, getattr(channel, f"rsp_{name}"))
                for here, channel in self._targets
                if hasattr(channel, f"rsp_{name}")
            ]
            is_only = len(self._targets) == 1
            values[name] = words[0][1] if is_only else select(words, len(words[0][1]))
        return values

    def _operand(self, m: Module, path: RolePath, closed: Signal) -> OperandQueue:
        """Queue of one role behind the endpoint that the configured alternative binds."""
        channels: list[Channel] = [getattr(self, name) for name in path.channels()]
        selected: Signal = getattr(self.controls, f"source_{path.name}")
        links: list[Channel] = [getattr(self, name) for name in path.links()]
        linked: Value = getattr(self.controls, f"link_{path.name}", Cat())
        token = Signal(path.width, name=f"token_{path.name}") if path.width else None
        payload = self._prepared(m, path, token)
        depth = self.shape.operand_depths[self.shape.inputs.index(path)]
        m.submodules[f"{path.name}_queue"] = queue = OperandQueue(
            len(payload), depth, shows_level=True
        )

        offered = _any(selected[at] & channel.valid for at, channel in enumerate(channels))
        internal = _any(linked[at] & channel.valid for at, channel in enumerate(links))
        m.d.comb += queue.i.valid.eq((offered & ~closed) | internal if links else offered & ~closed)
        # Every consumer of a connection takes its token in one cycle, so each waits to be empty.
        m.d.comb += [
            channel.ready.eq(~linked[at] | queue.empty) for at, channel in enumerate(links)
        ]
        for at, channel in enumerate(channels):
            m.d.comb += channel.ready.eq(queue.i.ready & selected[at] & ~closed)
        if token is not None:
            m.d.comb += token.eq(_steer(Cat(selected, linked), channels + links))
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
                    pointers=self.shape.pointers,
                    element_bytes=self.shape.element_bytes,
                    segments=self.shape.requester.segments,
                    address_bits=self.shape.address_bits,
                )
                m.d.comb += unit.token.eq(token)
                for name in ("base", "scale", "reach", "pointer"):
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
        """Lanes below the configured lane count; a fence has none."""
        return self.controls.lanes if self.shape.requester.lanes > 1 else self._is_addressed()

    def _occurs(self, kind: str) -> bool:
        req = self.shape.requester
        return req.writes if kind == "store" else getattr(req.every, kind)

    def _does(self, kind: str) -> Value:
        """Whether the configured row is a ``store``, ``rmw``, ``exchange`` or ``fence``."""
        if hasattr(self.controls, kind):
            return getattr(self.controls, kind)
        return Const(int(self._occurs(kind)), 1)

    def _is_addressed(self) -> Value:
        """Whether it is no fence."""
        return ~self._does("fence") if self._occurs("fence") else Value.cast(1)

    def _lanes(self, operands: dict[ServiceValueRole, OperandQueue]) -> tuple[Value, Value]:
        """Active lanes of the firing at the heads, and whether there is none."""
        if (queue := operands.get(_MASK)) is None:
            return self._all_lanes(), Value.cast(0)
        count = self.shape.requester.lanes
        lanes = Mux(self.controls.masked, queue.o.data[:count], self._all_lanes())
        return lanes, self.controls.masked & queue.o.data[count]

    def _is_needed(self, role: ServiceValueRole) -> Value:
        """Tell whether a firing of the configured row takes a token of this role."""
        match role:
            case _R.MASK:
                return self.controls.masked
            case _R.ADDRESS:
                return self._is_addressed()
            case _R.DATA:
                return self._does("store")
            case _R.UPDATE:
                return self._does("rmw")
            case _R.EXPECTED | _R.DESIRED:
                return self._does("exchange")
            case _:
                return Value.cast(1)

    def _request(
        self,
        m: Module,
        channel: ServiceChannel,
        operands: dict[ServiceValueRole, OperandQueue],
        lanes: Value,
    ) -> None:
        """Fields of the request to one target, all from registers."""
        self._address(m, channel, operands)
        m.d.comb += channel.lanes.eq(lanes)
        if hasattr(channel, "data"):
            m.d.comb += channel.data.eq(self._sent(channel, operands))
        if hasattr(channel, "expected"):
            m.d.comb += channel.expected.eq(operands[_R.EXPECTED].o.data)
        if hasattr(channel, "write"):
            m.d.comb += channel.write.eq(self._does("store"))
        for name in _SAID:
            if hasattr(self.controls, name) and hasattr(channel, name):
                m.d.comb += getattr(channel, name).eq(getattr(self.controls, name))

    def _sent(
        self, channel: ServiceChannel, operands: dict[ServiceValueRole, OperandQueue]
    ) -> Value:
        """The payload of the configured kind of access."""
        kinds = {"store": _DATA, "rmw": _R.UPDATE, "exchange": _R.DESIRED}
        sent = [
            (self._does(kind), operands[role].o.data)
            for kind, role in kinds.items()
            if hasattr(channel, _OWN_FIELD[kind]) and self._occurs(kind)
        ]
        return sent[0][1] if len(sent) == 1 else select(sent, 8 * self.shape.requester.data_bytes)

    def _address(
        self,
        m: Module,
        channel: ServiceChannel,
        operands: dict[ServiceValueRole, OperandQueue],
    ) -> None:
        """Where the access lies; a port of fences has no address."""
        if _ADDRESS not in operands:
            return
        req, bits = self.shape.requester, self.shape.address_bits
        address = operands[_ADDRESS].o.data
        width = req.segments * bits
        # What a narrower target cannot say of an address lies beyond it.
        reach = len(channel.address) // req.segments
        words = [address.word_select(segment, bits) for segment in range(req.segments)]
        beyond: Value = address[width:]
        if reach < bits:
            beyond |= Cat(word[reach:].any() for word in words)
        m.d.comb += [
            channel.address.eq(
                Cat(word[:reach] for word in words) if reach < bits else address[:width]
            ),
            channel.beyond.eq(beyond),
        ]

    def _result(
        self, m: Module, ring: ResultRing, issue: Signal, lanes: Value, answer: dict[str, Value]
    ) -> dict[ServiceValueRole, Value]:
        """Payloads of the oldest firing by result role; none where nothing is returned."""
        req = self.shape.requester
        if not req.returns:
            return {}
        m.submodules.store = store = ResultStore(
            self.shape.slots,
            lanes=req.lanes,
            data_bytes=req.data_bytes,
            element_lanes=self.shape.element_lanes,
            compares=req.every.exchange,
        )
        m.d.comb += [
            store.issue.eq(issue),
            store.issue_slot.eq(ring.tail),
            store.issue_lanes.eq(lanes),
            store.arrive.eq(answer["valid"]),
            store.done.eq(answer["done"]),
            store.slot.eq(ring.complete_slot),
            store.data.eq(answer["data"]),
            store.strobe.eq(answer["strobe"]),
            store.in_range.eq(answer["in_range"]),
            store.head.eq(ring.head),
        ]
        if hasattr(store, "scale"):
            m.d.comb += store.scale.eq(self.controls.scale)
        results: dict[ServiceValueRole, Value] = {_DATA: store.result, _R.OLD: store.result}
        if req.every.exchange:
            m.d.comb += [store.tested.eq(answer["tested"]), store.success.eq(answer["success"])]
            results[_R.SUCCESS] = store.successes
        return results

    def _publish(self, m: Module, ring: ResultRing, results: dict[ServiceValueRole, Value]) -> None:
        """One readiness conjunction and one commit for all destinations of a firing."""
        destinations: list[tuple[Value, Channel]] = []
        for path in self.shape.results:
            sinks: Signal = getattr(self.controls, f"sink_{path.name}")
            forwards: Value = getattr(self.controls, f"forward_{path.name}", Cat())
            names = [*path.channels(), *path.links()]
            for selected, name in zip(Cat(sinks, forwards), names, strict=True):
                channel: Channel = getattr(self, name)
                destinations.append((selected, channel))
                if path.role in results and hasattr(channel, "data"):
                    m.d.comb += channel.data.eq(results[path.role])
        ready = [~selected | channel.ready for selected, channel in destinations]
        m.d.comb += ring.retire.eq(ring.candidate & reduce(and_, ready))
        m.d.comb += [channel.valid.eq(ring.retire & selected) for selected, channel in destinations]


def _any(terms: Iterable[Value]) -> Value:
    return reduce(or_, terms, Value.cast(0))


def _is_ahead(level: Value, other: Value) -> Value:
    """One queue has more tokens than another one."""
    count = min(len(level), len(other))
    return (level[:count] & ~other[:count]).any() | level[count:].any()


def _steer(selected: Value, channels: list[Channel]) -> Value:
    """Payload of the selected channel, zero-extended to the widest."""
    payloads = [
        (selected[at], channel.data)
        for at, channel in enumerate(channels)
        if hasattr(channel, "data")
    ]
    if len(channels) == 1:
        return channels[0].data
    return reduce(or_, (data & here.replicate(len(data)) for here, data in payloads))
