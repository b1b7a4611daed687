"""The complete memory occurrence: the operation engine and the Local Memory Service."""

from functools import reduce
from operator import or_

from amaranth.hdl import Array, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from fabricgen.plan.capacity import ServiceCapacities, service_capacities
from fabricgen.plan.geometry import bank_geometry
from fabricgen.records.fabric import NamedMemory
from fabricgen.rtl.service.channel import ServiceChannel
from fabricgen.rtl.service.service import LocalMemoryService
from fabricgen.rtl.spatial.engine import SpatialEngine

__all__ = ["MemoryOccurrence"]


class MemoryOccurrence(wiring.Component):
    """Run the configured rows of one memory.

    ``ready`` of every ingress depends on ``hold`` and on registers only. Every egress raises
    ``valid`` only in a cycle in which all destinations of its firing are ready.

    The configuration may change only while ``quiescent`` behind ``hold``, which then lasts two
    cycles more: the rows' controls are registered once. Reset empties the occurrence; it neither
    clears nor keeps what the storage holds.

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
        No token, firing or request inside (registered).
    out_of_range : Out(1)
        An active lane lay outside every admitted region; one cycle per such access, registered.
    out_of_range_row : Out, out_of_range_address : Out(address_bits)
        Row and low address bits of it; the lowest row where several ports report together.
    ingress_<endpoint> : In(channel), egress_<endpoint> : Out(channel)
        One per endpoint, by its ordinal in the occurrence.
    """

    configuration: Signal
    hold: Signal
    quiescent: Signal
    out_of_range: Signal
    out_of_range_row: Signal
    out_of_range_address: Signal

    def __init__(self, named: NamedMemory) -> None:
        self.engine = SpatialEngine(named)
        self.geometry = bank_geometry(named)
        self.service = _service(named, self.engine)
        inner = self.engine.signature.members
        self.endpoints = tuple(name for name in inner if name.startswith(("ingress_", "egress_")))
        port, target = next(iter(self.engine.channels))
        super().__init__(
            {
                "configuration": inner["configuration"],
                "hold": In(1),
                "quiescent": Out(1),
                "out_of_range": Out(1),
                "out_of_range_row": inner[f"fault_row_{port}_{target}"],
                "out_of_range_address": Out(self.geometry.address_bits),
                **{name: inner[name] for name in self.endpoints},
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Engine and service, then what the rest of the fabric watches."""
        m = Module()
        m.submodules.engine = engine = self.engine
        m.submodules.service = service = self.service
        m.d.comb += [
            engine.configuration.eq(self.configuration),
            engine.hold.eq(self.hold),
            self.quiescent.eq(engine.empty & service.idle),
        ]
        for name in self.endpoints:
            connect(m, flipped(getattr(self, name)), getattr(engine, name))
        for port, target in engine.channels:
            request: ServiceChannel = getattr(engine, f"request_{port}_{target}")
            connect(m, request, getattr(service, f"requester_{port}"))
        self._report(m)
        return m

    def _report(self, m: Module) -> None:
        """First out-of-range access of a cycle, one cycle later."""
        requests: list[ServiceChannel] = []
        rows: list[Signal] = []
        for port, target in self.engine.channels:
            requests.append(getattr(self.engine, f"request_{port}_{target}"))
            rows.append(getattr(self.engine, f"fault_row_{port}_{target}"))
        faults = [request.rsp_valid & request.rsp_done & request.rsp_fault for request in requests]
        first = Signal(range(max(2, len(faults))))
        for ordinal in reversed(range(len(faults))):
            with m.If(faults[ordinal]):
                m.d.comb += first.eq(ordinal)
        m.d.sync += [
            self.out_of_range.eq(reduce(or_, faults)),
            self.out_of_range_row.eq(Array(rows)[first]),
            self.out_of_range_address.eq(
                Array(request.rsp_fault_address for request in requests)[first]
            ),
        ]


def _service(named: NamedMemory, engine: SpatialEngine) -> LocalMemoryService:
    """Service of the occurrence, with one requester per port."""
    service = named.occurrence.local_service
    if service is None:
        raise ValueError(f"Memory {named.name} must have a local service, not None")
    capacities: ServiceCapacities = service_capacities(service)
    return LocalMemoryService(
        bank_geometry(named),
        requesters=tuple(engine.channels.values()),
        regions=tuple(
            (region.address_base_bytes, region.size_bytes)
            for region in service.memory_service_contract.regions
        ),
        queues=capacities.queue,
        outstanding=capacities.outstanding,
        policy=capacities.grant,
    )
