"""The complete memory occurrence: engine, local service, managers and subordinates."""

from functools import reduce
from operator import and_

from amaranth.hdl import Array, Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from fabricgen.abi.status import status_shape
from fabricgen.config.layout import carrier_layout
from fabricgen.plan.capacity import service_capacities
from fabricgen.plan.geometry import bank_geometry
from fabricgen.plan.manager_use import manager_use
from fabricgen.plan.subordinate_use import subordinate_use
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.occurrence import Spatial, Temporal
from fabricgen.records.resource import FixedPriority, GrantPolicy, RoundRobin
from fabricgen.records.service import LocalMemoryService as ServiceRecord
from fabricgen.rtl.logic import any_bit
from fabricgen.rtl.manager.arbiter import BeatArbiter
from fabricgen.rtl.manager.requester import ManagerRequester, user_stream
from fabricgen.rtl.manager.stream import ManagerStreamShape
from fabricgen.rtl.service.channel import ServiceChannel, ServiceChannelShape
from fabricgen.rtl.service.service import LocalMemoryService
from fabricgen.rtl.spatial.engine import SpatialEngine
from fabricgen.rtl.subordinate.stream import SubordinateStreamShape
from fabricgen.rtl.subordinate.subordinate import Subordinate
from fabricgen.rtl.temporal.engine import TemporalEngine

__all__ = ["MemoryOccurrence", "local_policy"]


class MemoryOccurrence(wiring.Component):
    """Run the configured rows of one memory, and serve what comes to its subordinates.

    ``ready`` of every ingress depends on ``hold``, on registers and, where the channel is tagged,
    on its own tag only. Every egress raises ``valid`` only in a cycle in which all destinations
    of its firing are ready.

    The configuration may change only while every ``affected`` row is held and ``settled``; the hold
    then lasts two cycles more, since the rows' controls are registered once. Rows that are not
    affected work on. A Spatial schedule has one hold for all of them. Reset empties the occurrence;
    it neither clears nor keeps what the storage holds. What lies behind the managers is to be reset
    with it.

    Parameters
    ----------
    named
        The memory; one that :func:`fabricgen.plan.realisation.unsupported` does not refuse.

    Members
    -------
    configuration : In(carrier width)
        The semantic carrier; all zero is Disabled.
    following : In(carrier width), pending : In(1), absent unless the schedule is Temporal
        The carrier that may follow, two cycles or more before it does; and that it may.
    affected : Out(holds)
        What must be held for that: rows of a Temporal schedule, as in
        :class:`fabricgen.rtl.temporal.row_changes.RowChanges`, then the subordinates together;
        else everything.
    hold : In(holds)
        Close every ingress for these rows, or every subordinate, in this cycle.
    settled : Out(1)
        Nothing is inside of what is held, and the change may be made.
    drain : In(rows), absent without an engine
        Take tokens for these rows only where others of the same firing are there already.
    quiescent : Out(1)
        No token, firing, request or beat inside (registered).
    out_of_range : Out(1), absent without an engine
        An active lane lay outside what its target has; one cycle per such access, registered.
    target_error : Out(1), absent without an engine or without managers
        A manager answered an access with an error; one cycle per such access, registered.
    <report>_row, <report>_address : Out
        Of these two: the row, and low address bits of the lane or of the beat. Where several
        ports report together, those of the lowest port.
    busy, partial, unmatched, unpublished, unpublished_row, unpublished_destinations, waits,
    events : Out
        As the engine reports them, where it does.
    ingress_<endpoint> : In(channel), egress_<endpoint> : Out(channel)
        One per endpoint, by its ordinal in the occurrence.
    manager_<manager> : Out(stream)
        One per manager that some port may reach, by its ordinal in the occurrence.
    subordinate_<subordinate> : In(stream)
        One per subordinate endpoint, by its ordinal in the occurrence.
    """

    configuration: Signal
    following: Signal
    pending: Signal
    affected: Signal
    hold: Signal
    settled: Signal
    drain: Signal
    quiescent: Signal
    out_of_range: Signal
    target_error: Signal

    def __init__(self, named: NamedMemory) -> None:
        self.named = named
        self.engine = _engine(named)
        self.channels = self.engine.channels if self.engine else {}
        self.has_service = named.occurrence.local_service is not None
        self.geometry = bank_geometry(named) if self.has_service else None
        self.subordinates = _subordinates(named)
        self.service, self.local_requesters = _service(named, self.channels, self.subordinates)
        self.requesters: dict[tuple[int, int], ManagerRequester] = {}
        self.arbiters: dict[int, BeatArbiter] = {}
        for ordinal, endpoint in enumerate(named.occurrence.manager_endpoints):
            self._add_manager(ordinal, endpoint.beat_width_bits // 8)
        inner = self.engine.signature.members if self.engine else {}
        self.endpoints = {
            name: member
            for name, member in inner.items()
            if name.startswith(("ingress_", "egress_"))
        }
        shape = status_shape(named)
        self.reports = shape.members
        self.changes = {name: inner[name] for name in ("following", "pending") if name in inner}
        super().__init__(
            {
                "configuration": In(carrier_layout(named).width),
                **self.changes,
                "affected": Out(shape.holds),
                "hold": In(shape.holds),
                "settled": Out(1),
                **({"drain": inner["drain"]} if self.engine else {}),
                "quiescent": Out(1),
                **{name: Out(width) for name, width in self.reports.items()},
                **self.endpoints,
                **{
                    f"manager_{ordinal}": Out(arbiter.shape.signature())
                    for ordinal, arbiter in self.arbiters.items()
                },
                **{
                    f"subordinate_{ordinal}": In(subordinate.stream_shape.signature())
                    for ordinal, subordinate in enumerate(self.subordinates)
                },
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Engine, service and managers, then what the rest of the fabric watches."""
        m = Module()
        idle: list[Value] = []
        if self.engine:
            m.submodules.engine = engine = self.engine
            m.d.comb += [
                engine.configuration.eq(self.configuration),
                engine.hold.eq(self.hold),
                engine.drain.eq(self.drain),
            ]
            for name in self.endpoints:
                connect(m, flipped(getattr(self, name)), getattr(engine, name))
            idle.append(engine.empty)
        if self.service is not None:
            m.submodules.service = self.service
            idle.append(self.service.idle)
            for number, channel in enumerate(self._local_channels()):
                connect(m, channel, getattr(self.service, f"requester_{number}"))
        for ordinal, subordinate in enumerate(self.subordinates):
            self._expose(m, ordinal, subordinate)
            idle.append(subordinate.idle)
        for (port, ordinal), requester in self.requesters.items():
            m.submodules[f"requester_{port}_{ordinal}"] = requester
            connect(m, self._request(port, self._target(ordinal)), requester.channel)
            idle.append(requester.idle)
        for ordinal, arbiter in self.arbiters.items():
            self._join(m, ordinal, arbiter)
        m.d.comb += self.quiescent.eq(reduce(and_, idle))
        if isinstance(self.engine, TemporalEngine):
            self._ask_rows(m, self.engine)
        else:
            m.d.comb += [self.affected.eq(1), self.settled.eq(self.quiescent)]
        self._report(m)
        return m

    def _ask_rows(self, m: Module, engine: TemporalEngine) -> None:
        """What a change affects: rows, and the subordinates whatever it is."""
        exposed = [Const(1, 1)] if self.subordinates else []
        settled = [engine.settled, *(subordinate.idle for subordinate in self.subordinates)]
        m.d.comb += [
            self.affected.eq(Cat(engine.affected, *exposed)),
            self.settled.eq(reduce(and_, settled)),
        ]
        m.d.comb += [getattr(engine, name).eq(getattr(self, name)) for name in self.changes]

    @property
    def subordinate_streams(self) -> tuple[SubordinateStreamShape, ...]:
        """Shape of the stream of each subordinate."""
        return tuple(subordinate.stream_shape for subordinate in self.subordinates)

    @property
    def streams(self) -> dict[int, ManagerStreamShape]:
        """Shape of the stream of each manager that some port may reach, by its ordinal."""
        return {ordinal: arbiter.shape for ordinal, arbiter in self.arbiters.items()}

    def _target(self, manager: int) -> int:
        """Ordinal of a manager among all targets: the local service comes first."""
        return manager + int(self.has_service)

    def _local_channels(self) -> list[ServiceChannel]:
        """Channels of the requesters of the local service, in the service's order."""
        ports = len(self.named.occurrence.operation_ports)
        return [
            self._request(requester, 0)
            if requester < ports
            else self.subordinates[requester - ports].request
            for requester in self.local_requesters
        ]

    def _expose(self, m: Module, ordinal: int, subordinate: Subordinate) -> None:
        """One subordinate between the boundary and the service, with its decode rows."""
        m.submodules[f"subordinate_{ordinal}"] = subordinate
        connect(m, flipped(getattr(self, f"subordinate_{ordinal}")), subordinate.stream)
        start = carrier_layout(self.named).decode[ordinal][0]["valid"].offset
        width = len(subordinate.configuration)
        m.d.comb += [
            subordinate.configuration.eq(self.configuration[start : start + width]),
            subordinate.hold.eq(self.hold[-1]),
        ]

    def _request(self, port: int, target: int) -> ServiceChannel:
        return getattr(self.engine, f"request_{port}_{target}")

    def _add_manager(self, ordinal: int, beat_bytes: int) -> None:
        """A requester for each port that may reach the manager, and the arbiter behind them."""
        streams = []
        for (port, target), channel in self.channels.items():
            if target == self._target(ordinal):
                use = manager_use(self.named.occurrence, port, ordinal)
                self.requesters[port, ordinal] = ManagerRequester(channel, beat_bytes, use)
                streams.append(user_stream(channel, beat_bytes, use))
        if streams:
            self.arbiters[ordinal] = BeatArbiter(tuple(streams))

    def _join(self, m: Module, ordinal: int, arbiter: BeatArbiter) -> None:
        """The requesters of one manager, in port order, through its arbiter to the boundary."""
        m.submodules[f"arbiter_{ordinal}"] = arbiter
        users = [port for port, manager in self.requesters if manager == ordinal]
        for number, port in enumerate(users):
            requester = self.requesters[port, ordinal]
            connect(m, requester.stream, getattr(arbiter, f"user_{number}"))
        connect(m, arbiter.manager, flipped(getattr(self, f"manager_{ordinal}")))

    def _report(self, m: Module) -> None:
        """First event of each kind in a cycle, one cycle later; the rest as the engine has it."""
        requests: dict[tuple[int, int], ServiceChannel] = {
            (port, target): self._request(port, target) for port, target in self.channels
        }
        rows: dict[tuple[int, int], Signal] = {
            (port, target): getattr(self.engine, f"fault_row_{port}_{target}")
            for port, target in self.channels
        }
        flags = {
            "out_of_range": {
                key: (request.rsp_fault, request.rsp_fault_address)
                for key, request in requests.items()
            },
            "target_error": {
                key: (request.rsp_error, request.rsp_error_address)
                for key, request in requests.items()
                if self.channels[key].managed
            },
        }
        events = {name: flags[name] for name in flags if name in self.reports}
        for name, by_channel in events.items():
            found = [
                requests[key].rsp_valid & requests[key].rsp_done & flag
                for key, (flag, _) in by_channel.items()
            ]
            first = Signal(range(max(2, len(found))), name=f"first_{name}")
            for at in reversed(range(len(found))):
                with m.If(found[at]):
                    m.d.comb += first.eq(at)
            address: Signal = getattr(self, f"{name}_address")
            words = [
                Cat(word, Const(0, len(address) - len(word))) for _, word in by_channel.values()
            ]
            m.d.sync += [
                getattr(self, name).eq(any_bit(found)),
                getattr(self, f"{name}_row").eq(Array(rows[key] for key in by_channel)[first]),
                address.eq(Array(words)[first]),
            ]
        for name in self.reports:
            if not name.startswith(tuple(events)):
                m.d.comb += getattr(self, name).eq(getattr(self.engine, name))


def _engine(named: NamedMemory) -> SpatialEngine | TemporalEngine | None:
    engine = named.occurrence.engine
    if engine is None:
        return None
    match engine.contract:
        case Spatial():
            return SpatialEngine(named)
        case Temporal():
            return TemporalEngine(named)


def _regions(service: ServiceRecord) -> tuple[tuple[int, int], ...]:
    return tuple(
        (region.address_base_bytes, region.size_bytes)
        for region in service.memory_service_contract.regions
    )


def _subordinates(named: NamedMemory) -> tuple[Subordinate, ...]:
    """Every subordinate; each of them reaches the local service, and nothing else."""
    service, layout = named.occurrence.local_service, carrier_layout(named)
    if service is None:
        return ()
    return tuple(
        Subordinate(
            subordinate_use(named, ordinal),
            rows=rows,
            regions=_regions(service),
            geometry=bank_geometry(named),
        )
        for ordinal, rows in enumerate(layout.decode)
    )


def _service(
    named: NamedMemory,
    channels: dict[tuple[int, int], ServiceChannelShape],
    subordinates: tuple[Subordinate, ...],
) -> tuple[LocalMemoryService | None, tuple[int, ...]]:
    """Service of the occurrence, and which of its requesters there are, in order.

    One that nothing may reach is not built.
    """
    service = named.occurrence.local_service
    asking = {port: channel for (port, _), channel in channels.items() if not channel.managed}
    behind = len(named.occurrence.operation_ports)
    asking |= {behind + at: each.channel for at, each in enumerate(subordinates)}
    requesters = tuple(asking)
    if service is None or not requesters:
        return None, ()
    capacities = service_capacities(service)
    return (
        LocalMemoryService(
            bank_geometry(named),
            requesters=tuple(asking.values()),
            regions=_regions(service),
            queues=tuple(capacities.queue[requester] for requester in requesters),
            outstanding=capacities.outstanding,
            policy=local_policy(capacities.grant, requesters),
            issue_lanes=named.implementation.issue_lanes,
        ),
        requesters,
    )


def local_policy(policy: GrantPolicy | None, requesters: tuple[int, ...]) -> GrantPolicy | None:
    """The same policy where only these requesters can ask, numbered as they stand here."""
    if policy is None:
        return None
    order = tuple(requesters.index(each) for each in policy.order if each in requesters)
    match policy:
        case RoundRobin():
            start = policy.order.index(policy.reset_cursor)
            turn = policy.order[start:] + policy.order[:start]
            first = next(each for each in turn if each in requesters)
            return RoundRobin(order, requesters.index(first))
        case FixedPriority():
            return FixedPriority(order)
