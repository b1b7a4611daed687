"""The complete memory occurrence: ports, their endpoints, and the Local Memory Service."""

from collections.abc import Iterable
from functools import reduce
from operator import and_, or_

from amaranth.hdl import Array, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect

from fabricgen.config.layout import carrier_layout
from fabricgen.plan.capacity import ServiceCapacities, service_capacities
from fabricgen.plan.geometry import bank_geometry
from fabricgen.records.fabric import NamedMemory
from fabricgen.rtl.channel import Channel, ChannelShape
from fabricgen.rtl.port_shape import RolePath
from fabricgen.rtl.row_control import RowControl
from fabricgen.rtl.service.service import LocalMemoryService
from fabricgen.rtl.spatial_port import SpatialPort
from fabricgen.vocab.fabric import EndpointDirection

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
        engine = named.occurrence.engine
        if engine is None:
            raise ValueError(f"Memory {named.name} must have an engine, not None")
        self.named = named
        self.geometry = bank_geometry(named)
        self.controls = tuple(RowControl(named, port) for port in range(len(engine.ports)))
        self.ports = tuple(SpatialPort(control.shape) for control in self.controls)
        self.service = _service(named, self.ports)
        members: dict[str, wiring.Member] = {
            "configuration": In(carrier_layout(named).width),
            "hold": In(1),
            "quiescent": Out(1),
            "out_of_range": Out(1),
            "out_of_range_row": Out(range(max(2, len(self.ports)))),
            "out_of_range_address": Out(self.geometry.address_bits),
        }
        for ordinal, endpoint in enumerate(named.occurrence.endpoints):
            signature = ChannelShape(endpoint.payload_width).signature()
            if endpoint.direction is EndpointDirection.IN:
                members[f"ingress_{ordinal}"] = In(signature)
            else:
                members[f"egress_{ordinal}"] = Out(signature)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Instances, then the endpoints, then what the rest of the fabric watches."""
        m = Module()
        m.submodules.service = self.service
        for ordinal, (control, port) in enumerate(zip(self.controls, self.ports, strict=True)):
            m.submodules[f"control_{ordinal}"] = control
            m.submodules[f"port_{ordinal}"] = port
            connect(m, control.controls, port.controls)
            connect(m, port.request, getattr(self.service, f"requester_{ordinal}"))
            m.d.comb += [control.configuration.eq(self.configuration), port.hold.eq(self.hold)]

        for ordinal, endpoint in enumerate(self.named.occurrence.endpoints):
            if endpoint.direction is EndpointDirection.IN:
                self._join_ingress(m, ordinal)
            else:
                self._join_egress(m, ordinal)

        idle = reduce(and_, (port.empty for port in self.ports))
        m.d.comb += self.quiescent.eq(idle & self.service.idle)
        self._report(m)
        return m

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

    def _report(self, m: Module) -> None:
        """First out-of-range access of a cycle, one cycle later."""
        requests = [port.request for port in self.ports]
        faults = [request.rsp_valid & request.rsp_done & request.rsp_fault for request in requests]
        row = Signal.like(self.out_of_range_row)
        for ordinal in reversed(range(len(faults))):
            with m.If(faults[ordinal]):
                m.d.comb += row.eq(ordinal)
        m.d.sync += self.out_of_range.eq(_any(faults))
        m.d.sync += self.out_of_range_row.eq(row)
        m.d.sync += self.out_of_range_address.eq(
            Array(request.rsp_fault_address for request in requests)[row]
        )


def _service(named: NamedMemory, ports: tuple[SpatialPort, ...]) -> LocalMemoryService:
    """Service of the occurrence, with one requester per port."""
    service = named.occurrence.local_service
    if service is None:
        raise ValueError(f"Memory {named.name} must have a local service, not None")
    capacities: ServiceCapacities = service_capacities(service)
    return LocalMemoryService(
        bank_geometry(named),
        requesters=tuple(port.service for port in ports),
        regions=tuple(
            (region.address_base_bytes, region.size_bytes)
            for region in service.memory_service_contract.regions
        ),
        queues=capacities.queue,
        outstanding=capacities.outstanding,
        policy=capacities.grant,
    )


def _any(terms: Iterable[Value]) -> Value:
    return reduce(or_, terms, Value.cast(0))
