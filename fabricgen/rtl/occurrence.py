"""The complete memory occurrence: the operation engine and everything behind it."""

from functools import reduce
from operator import and_

from amaranth.hdl import Array, Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from fabricgen.abi.status import status_shape
from fabricgen.plan.capacity import service_capacities
from fabricgen.plan.geometry import bank_geometry
from fabricgen.plan.manager_use import manager_use
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.occurrence import Spatial, Temporal
from fabricgen.records.resource import FixedPriority, GrantPolicy, RoundRobin
from fabricgen.rtl.logic import any_bit
from fabricgen.rtl.manager.arbiter import BeatArbiter
from fabricgen.rtl.manager.requester import ManagerRequester, user_stream
from fabricgen.rtl.manager.stream import ManagerStreamShape
from fabricgen.rtl.service.channel import ServiceChannel, ServiceChannelShape
from fabricgen.rtl.service.service import LocalMemoryService
from fabricgen.rtl.spatial.engine import SpatialEngine
from fabricgen.rtl.temporal.engine import TemporalEngine

__all__ = ["MemoryOccurrence", "local_policy"]


class MemoryOccurrence(wiring.Component):
    """Run the configured rows of one memory.

    ``ready`` of every ingress depends on ``hold``, on registers and, where the channel is tagged,
    on its own tag only. Every egress raises ``valid`` only in a cycle in which all destinations
    of its firing are ready.

    The configuration may change only while ``quiescent`` behind ``hold``, which then lasts two
    cycles more: the rows' controls are registered once. Reset empties the occurrence; it neither
    clears nor keeps what the storage holds. What lies behind the managers is to be reset with it.

    Parameters
    ----------
    named
        The memory; one that :func:`fabricgen.plan.realisation.unsupported` does not refuse.

    Members
    -------
    configuration : In(carrier width)
        The semantic carrier; all zero is Disabled.
    hold : In(1)
        Close every ingress in this cycle.
    quiescent : Out(1)
        No token, firing, request or beat inside (registered).
    out_of_range : Out(1)
        An active lane lay outside what its target has; one cycle per such access, registered.
    target_error : Out(1), absent without managers
        A manager answered an access with an error; one cycle per such access, registered.
    <report>_row, <report>_address : Out
        Of these two: the row, and low address bits of the lane or of the beat. Where several
        ports report together, those of the lowest port.
    unmatched, unpublished, unpublished_row, unpublished_destinations, waits : Out
        As the engine reports them, where it does.
    ingress_<endpoint> : In(channel), egress_<endpoint> : Out(channel)
        One per endpoint, by its ordinal in the occurrence.
    manager_<manager> : Out(stream)
        One per manager that some port may reach, by its ordinal in the occurrence.
    """

    configuration: Signal
    hold: Signal
    quiescent: Signal
    out_of_range: Signal
    target_error: Signal

    def __init__(self, named: NamedMemory) -> None:
        self.named = named
        self.engine = _engine(named)
        self.has_service = named.occurrence.local_service is not None
        self.geometry = bank_geometry(named) if self.has_service else None
        self.service, self.local_ports = _service(named, self.engine.channels)
        self.requesters: dict[tuple[int, int], ManagerRequester] = {}
        self.arbiters: dict[int, BeatArbiter] = {}
        for ordinal, endpoint in enumerate(named.occurrence.manager_endpoints):
            self._add_manager(ordinal, endpoint.beat_width_bits // 8)
        inner = self.engine.signature.members
        self.endpoints = tuple(name for name in inner if name.startswith(("ingress_", "egress_")))
        self.reports = status_shape(named).members
        super().__init__(
            {
                "configuration": inner["configuration"],
                "hold": In(1),
                "quiescent": Out(1),
                **{name: Out(width) for name, width in self.reports.items()},
                **{name: inner[name] for name in self.endpoints},
                **{
                    f"manager_{ordinal}": Out(arbiter.shape.signature())
                    for ordinal, arbiter in self.arbiters.items()
                },
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Engine, service and managers, then what the rest of the fabric watches."""
        m = Module()
        m.submodules.engine = engine = self.engine
        m.d.comb += [engine.configuration.eq(self.configuration), engine.hold.eq(self.hold)]
        for name in self.endpoints:
            connect(m, flipped(getattr(self, name)), getattr(engine, name))
        idle: list[Value] = [engine.empty]
        if self.service is not None:
            m.submodules.service = self.service
            idle.append(self.service.idle)
            for number, port in enumerate(self.local_ports):
                connect(m, self._request(port, 0), getattr(self.service, f"requester_{number}"))
        for (port, ordinal), requester in self.requesters.items():
            m.submodules[f"requester_{port}_{ordinal}"] = requester
            connect(m, self._request(port, self._target(ordinal)), requester.channel)
            idle.append(requester.idle)
        for ordinal, arbiter in self.arbiters.items():
            self._join(m, ordinal, arbiter)
        m.d.comb += self.quiescent.eq(reduce(and_, idle))
        self._report(m)
        return m

    @property
    def streams(self) -> dict[int, ManagerStreamShape]:
        """Shape of the stream of each manager that some port may reach, by its ordinal."""
        return {ordinal: arbiter.shape for ordinal, arbiter in self.arbiters.items()}

    def _target(self, manager: int) -> int:
        """Ordinal of a manager among all targets: the local service comes first."""
        return manager + int(self.has_service)

    def _request(self, port: int, target: int) -> ServiceChannel:
        return getattr(self.engine, f"request_{port}_{target}")

    def _add_manager(self, ordinal: int, beat_bytes: int) -> None:
        """A requester for each port that may reach the manager, and the arbiter behind them."""
        streams = []
        for (port, target), channel in self.engine.channels.items():
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
            (port, target): self._request(port, target) for port, target in self.engine.channels
        }
        rows: dict[tuple[int, int], Signal] = {
            (port, target): getattr(self.engine, f"fault_row_{port}_{target}")
            for port, target in self.engine.channels
        }
        flags = {
            "out_of_range": {
                key: (request.rsp_fault, request.rsp_fault_address)
                for key, request in requests.items()
            },
            "target_error": {
                key: (request.rsp_error, request.rsp_error_address)
                for key, request in requests.items()
                if self.engine.channels[key].managed
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


def _engine(named: NamedMemory) -> SpatialEngine | TemporalEngine:
    engine = named.occurrence.engine
    if engine is None:
        raise ValueError(f"Memory {named.name} must have an engine, not None")
    match engine.contract:
        case Spatial():
            return SpatialEngine(named)
        case Temporal():
            return TemporalEngine(named)


def _service(
    named: NamedMemory, channels: dict[tuple[int, int], ServiceChannelShape]
) -> tuple[LocalMemoryService | None, tuple[int, ...]]:
    """Service of the occurrence, and the ports that are its requesters, in order.

    One that no port may reach is not built.
    """
    service = named.occurrence.local_service
    ports = tuple(port for port, target in channels if not channels[port, target].managed)
    if service is None or not ports:
        return None, ()
    capacities = service_capacities(service)
    return (
        LocalMemoryService(
            bank_geometry(named),
            requesters=tuple(channels[port, 0] for port in ports),
            regions=tuple(
                (region.address_base_bytes, region.size_bytes)
                for region in service.memory_service_contract.regions
            ),
            queues=tuple(capacities.queue[port] for port in ports),
            outstanding=capacities.outstanding,
            policy=local_policy(capacities.grant, ports),
            issue_lanes=named.implementation.issue_lanes,
        ),
        ports,
    )


def local_policy(policy: GrantPolicy | None, ports: tuple[int, ...]) -> GrantPolicy | None:
    """The same policy where only these ports can ask, numbered as they stand here."""
    if policy is None:
        return None
    order = tuple(ports.index(port) for port in policy.order if port in ports)
    match policy:
        case RoundRobin():
            start = policy.order.index(policy.reset_cursor)
            turn = policy.order[start:] + policy.order[:start]
            return RoundRobin(order, next(ports.index(port) for port in turn if port in ports))
        case FixedPriority():
            return FixedPriority(order)
