"""The emitted top: a memory occurrence, datapath resources, the registers that configure them."""

from collections.abc import Iterator
from functools import reduce
from operator import and_

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.abi.identity import identity_word
from fabricgen.abi.unit import programming_unit
from fabricgen.config.layout import carrier_layout
from fabricgen.records.fabric import Fabric
from fabricgen.rtl.axi4.manager import Axi4Manager, manager_adapters
from fabricgen.rtl.axi4.subordinate_adapter import SubordinateAdapter
from fabricgen.rtl.axi4.subordinate_adapters import subordinate_adapters
from fabricgen.rtl.axi_lite import AxiLite, axi_lite_signature
from fabricgen.rtl.channel import ChannelShape
from fabricgen.rtl.loader import ConfigurationLoader
from fabricgen.rtl.occurrence import MemoryOccurrence
from fabricgen.rtl.op_occurrence import OpOccurrence
from fabricgen.vocab.fabric import EndpointDirection

__all__ = ["FabricTop"]


class FabricTop(wiring.Component):
    """Wire the channels and the configuration of one fabric to its boundary.

    Nothing is added between an occurrence and the boundary: ``ready`` of an input and ``valid`` of
    an output mean what they mean at the occurrence. A commit changes all of them at once. It needs
    all resources quiescent, and of the memory what the change affects.

    Parameters
    ----------
    fabric
        Fabric with one memory or none, and any datapath resources; ``Unsupported`` for one that
        cannot be generated.

    Members
    -------
    cfg : In(axi_lite_signature())
        Registers of the programming unit.
    endpoint_<ordinal> : In or Out(ChannelShape.signature())
        Channel of each transport endpoint of the memory.
    manager_<ordinal> : Out(ManagerStreamShape.signature())
        Beats of each manager that some port may reach; an AXI4 bus where the memory's managers
        have that protocol.
    subordinate_<ordinal> : In(SubordinateStreamShape.signature())
        Beats of each subordinate; a bus where the memory's subordinates have such a protocol.
    op_<ordinal>_in<input> : In(ChannelShape.signature())
        Operands of each resource.
    op_<ordinal>_out<output> : Out(ChannelShape.signature())
        Results of each resource.
    """

    cfg: AxiLite

    def __init__(self, fabric: Fabric) -> None:
        self.unit = programming_unit(fabric)
        self.identity = identity_word(fabric)
        #: The memory, if there is one.
        self.occurrence = MemoryOccurrence(fabric.memories[0]) if fabric.memories else None
        #: Adapters behind managers, and in front of subordinates, by ordinal.
        self.adapters: dict[int, Axi4Manager] = {}
        self.subordinate_adapters: dict[int, SubordinateAdapter] = {}
        if self.occurrence:
            if self.occurrence.named.implementation.manager_protocol == "axi4":
                self.adapters = manager_adapters(self.occurrence)
            self.subordinate_adapters = subordinate_adapters(self.occurrence)
        self.op_names = [each.name for each in fabric.ops]
        self.ops = [OpOccurrence(each.op) for each in fabric.ops]
        members: dict[str, wiring.Member] = {"cfg": In(axi_lite_signature())}
        if self.occurrence:
            for ordinal, endpoint in enumerate(self.occurrence.named.occurrence.endpoints):
                flow = In if endpoint.direction is EndpointDirection.IN else Out
                shape = ChannelShape(endpoint.payload_width, endpoint.tag_width or 0)
                members[f"endpoint_{ordinal}"] = flow(shape.signature())
            for ordinal, stream in self.occurrence.streams.items():
                edge = self.adapters[ordinal].bus_shape if ordinal in self.adapters else stream
                members[f"manager_{ordinal}"] = Out(edge.signature())
            for ordinal, stream in enumerate(self.occurrence.subordinate_streams):
                adapter = self.subordinate_adapters.get(ordinal)
                edge = adapter.bus_shape if adapter else stream
                members[f"subordinate_{ordinal}"] = In(edge.signature())
        for ordinal, each in enumerate(self.ops):
            for name in (*each.inputs, *each.outputs):
                members[f"op_{ordinal}_{name}"] = each.signature.members[name]
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Join loader, occurrence and resources."""
        m = Module()
        if self.occurrence:
            m.submodules.occurrence = self.occurrence
        m.submodules.loader = loader = ConfigurationLoader(self.unit, self.identity)
        wiring.connect(m, wiring.flipped(self.cfg), loader.cfg)
        idle = [self._join_op(m, loader, ordinal) for ordinal in range(len(self.ops))]
        settled = idle
        if self.occurrence:
            self._join_memory(m, loader, self.occurrence)
            buses = [adapter.idle for adapter in self.subordinate_adapters.values()]
            idle = [self.occurrence.quiescent, *buses, *idle]
            settled = [self.occurrence.settled, *buses, *settled]
        m.d.comb += loader.quiescent.eq(reduce(and_, idle))
        m.d.comb += loader.settled.eq(reduce(and_, settled))
        return m

    def _join_memory(
        self, m: Module, loader: ConfigurationLoader, occurrence: MemoryOccurrence
    ) -> None:
        """Connect the memory."""
        (offset,) = self.unit.carrier_offsets
        carrier = slice(offset, offset + carrier_layout(occurrence.named).width)
        m.d.comb += [
            occurrence.configuration.eq(loader.configuration[carrier]),
            occurrence.hold.eq(loader.hold_rows),
            loader.affected.eq(occurrence.affected),
        ]
        if hasattr(occurrence, "following"):
            m.d.comb += [
                occurrence.following.eq(loader.following[carrier]),
                occurrence.pending.eq(loader.pending),
            ]
        if hasattr(loader, "drain"):
            m.d.comb += occurrence.drain.eq(loader.drain)
        for name in self.unit.reports.members:
            m.d.comb += getattr(loader, name).eq(getattr(occurrence, name))

        for outer, inner, is_input in self._channels(occurrence):
            if is_input:
                wiring.connect(m, wiring.flipped(outer), inner)
            else:
                wiring.connect(m, inner, wiring.flipped(outer))
        for ordinal in occurrence.streams:
            inner = getattr(occurrence, f"manager_{ordinal}")
            if adapter := self.adapters.get(ordinal):
                m.submodules[f"adapter_{ordinal}"] = adapter
                wiring.connect(m, inner, adapter.stream)
                inner = adapter.bus
            wiring.connect(m, inner, wiring.flipped(getattr(self, f"manager_{ordinal}")))
        for ordinal, _ in enumerate(occurrence.subordinates):
            inner = getattr(occurrence, f"subordinate_{ordinal}")
            if bridge := self.subordinate_adapters.get(ordinal):
                m.submodules[f"subordinate_adapter_{ordinal}"] = bridge
                # Subordinates are held together, behind all rows.
                m.d.comb += bridge.hold.eq(loader.hold_rows[-1])
                wiring.connect(m, bridge.stream, inner)
                inner = bridge.bus
            wiring.connect(m, wiring.flipped(getattr(self, f"subordinate_{ordinal}")), inner)

    def _join_op(self, m: Module, loader: ConfigurationLoader, ordinal: int) -> Value:
        """Connect one resource; returns whether it is quiescent."""
        op, offset = self.ops[ordinal], self.unit.op_offsets[ordinal]
        # No port and no other part of the top ends so.
        m.submodules[f"{self.op_names[ordinal]}_op"] = op
        m.d.comb += op.hold.eq(loader.hold)
        if hasattr(op, "configuration"):
            # A code is an ordinal. Where the field has a bit above it, that is zero in every code,
            # and not stored.
            code = loader.configuration[offset : offset + len(op.configuration)]
            m.d.comb += op.configuration.eq(code)
        for name in op.inputs:
            outer = getattr(self, f"op_{ordinal}_{name}")
            wiring.connect(m, wiring.flipped(outer), getattr(op, name))
        for name in op.outputs:
            outer = getattr(self, f"op_{ordinal}_{name}")
            wiring.connect(m, getattr(op, name), wiring.flipped(outer))
        return op.quiescent

    def endpoint_ports(self) -> Iterator[tuple[str, Signal, bool]]:
        """Port name, signal and whether it is an input, for every endpoint in order."""
        names = self.occurrence.named.names.endpoints if self.occurrence else ()
        for ordinal, name in enumerate(names):
            yield from _ports(name, getattr(self, f"endpoint_{ordinal}"))

    def stream_ports(self) -> Iterator[tuple[str, Signal, bool]]:
        """Port name, signal and whether it is an input, for every manager, then subordinate."""
        if self.occurrence is None:
            return
        names = self.occurrence.named.names
        streams = [
            (
                f"{names.managers[at]}_axi" if at in self.adapters else names.managers[at],
                f"manager_{at}",
            )
            for at in self.occurrence.streams
        ]
        streams += [
            (f"{name}_axi" if at in self.subordinate_adapters else name, f"subordinate_{at}")
            for at, name in enumerate(names.subordinates)
        ]
        for name, member in streams:
            stream = getattr(self, member)
            for field, described in stream.signature.members.items():
                yield f"{name}_{field}", getattr(stream, field), described.flow is In

    def op_ports(self) -> Iterator[tuple[str, Signal, bool]]:
        """Port name, signal and whether it is an input, for every resource in order."""
        for ordinal, (name, op) in enumerate(zip(self.op_names, self.ops, strict=True)):
            for channel in (*op.inputs, *op.outputs):
                yield from _ports(f"{name}_{channel}", getattr(self, f"op_{ordinal}_{channel}"))

    def _channels(
        self, occurrence: MemoryOccurrence
    ) -> Iterator[tuple[wiring.PureInterface, wiring.PureInterface, bool]]:
        for ordinal, endpoint in enumerate(occurrence.named.occurrence.endpoints):
            is_input = endpoint.direction is EndpointDirection.IN
            kind = "ingress" if is_input else "egress"
            inner = getattr(occurrence, f"{kind}_{ordinal}")
            yield getattr(self, f"endpoint_{ordinal}"), inner, is_input


def _ports(name: str, channel: wiring.PureInterface) -> Iterator[tuple[str, Signal, bool]]:
    """Members of one channel that have bits, in port order."""
    for member in ("data", "tag", "valid", "ready"):
        if member in channel.signature.members:
            is_input = channel.signature.members[member].flow is In
            yield f"{name}_{member}", getattr(channel, member), is_input
