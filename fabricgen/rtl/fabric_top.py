"""The emitted top: one memory occurrence and the registers that configure it."""

from collections.abc import Iterator

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.abi.identity import identity_word
from fabricgen.abi.unit import programming_unit
from fabricgen.config.layout import carrier_layout
from fabricgen.records.fabric import Fabric
from fabricgen.rtl.axi_lite import AxiLite, axi_lite_signature
from fabricgen.rtl.channel import ChannelShape
from fabricgen.rtl.loader import ConfigurationLoader
from fabricgen.rtl.occurrence import MemoryOccurrence
from fabricgen.vocab.fabric import EndpointDirection

__all__ = ["FabricTop"]


class FabricTop(wiring.Component):
    """Wire the endpoints and the configuration of one fabric to its boundary.

    Nothing is added between the occurrence and the boundary: ``ready`` of an input endpoint and
    ``valid`` of an output endpoint mean what they mean at the occurrence.

    Parameters
    ----------
    fabric
        Fabric with one memory; ``Unsupported`` for one that cannot be generated.

    Members
    -------
    cfg : In(axi_lite_signature())
        Registers of the programming unit.
    endpoint_<ordinal> : In or Out(ChannelShape.signature())
        Channel of each transport endpoint.
    manager_<ordinal> : Out(ManagerStreamShape.signature())
        Beats of each manager that some port may reach.
    """

    cfg: AxiLite

    def __init__(self, fabric: Fabric) -> None:
        self.unit = programming_unit(fabric)
        (self.named,) = fabric.memories
        self.identity = identity_word(fabric)
        self.occurrence = MemoryOccurrence(self.named)
        members: dict[str, wiring.Member] = {"cfg": In(axi_lite_signature())}
        for ordinal, endpoint in enumerate(self.named.occurrence.endpoints):
            flow = In if endpoint.direction is EndpointDirection.IN else Out
            shape = ChannelShape(endpoint.payload_width, endpoint.tag_width or 0)
            members[f"endpoint_{ordinal}"] = flow(shape.signature())
        for ordinal, stream in self.occurrence.streams.items():
            members[f"manager_{ordinal}"] = Out(stream.signature())
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Join loader and occurrence."""
        m = Module()
        m.submodules.occurrence = occurrence = self.occurrence
        m.submodules.loader = loader = ConfigurationLoader(self.unit, self.identity)
        wiring.connect(m, wiring.flipped(self.cfg), loader.cfg)

        (offset,) = self.unit.carrier_offsets
        carrier = loader.configuration[offset : offset + carrier_layout(self.named).width]
        m.d.comb += [
            occurrence.configuration.eq(carrier),
            occurrence.hold.eq(loader.hold),
            loader.quiescent.eq(occurrence.quiescent),
        ]
        for name in self.unit.reports.members:
            m.d.comb += getattr(loader, name).eq(getattr(occurrence, name))

        for outer, inner, is_input in self._channels():
            if is_input:
                wiring.connect(m, wiring.flipped(outer), inner)
            else:
                wiring.connect(m, inner, wiring.flipped(outer))
        for ordinal in self.occurrence.streams:
            inner = getattr(occurrence, f"manager_{ordinal}")
            wiring.connect(m, inner, wiring.flipped(getattr(self, f"manager_{ordinal}")))
        return m

    def endpoint_ports(self) -> Iterator[tuple[str, Signal, bool]]:
        """Port name, signal and whether it is an input, for every endpoint in order."""
        for ordinal, name in enumerate(self.named.names.endpoints):
            channel = getattr(self, f"endpoint_{ordinal}")
            for member in ("data", "tag", "valid", "ready"):
                if member in channel.signature.members:
                    is_input = channel.signature.members[member].flow is In
                    yield f"{name}_{member}", getattr(channel, member), is_input

    def manager_ports(self) -> Iterator[tuple[str, Signal, bool]]:
        """Port name, signal and whether it is an input, for every manager in order."""
        for ordinal in self.occurrence.streams:
            stream = getattr(self, f"manager_{ordinal}")
            for member, described in stream.signature.members.items():
                name = f"{self.named.names.managers[ordinal]}_{member}"
                yield name, getattr(stream, member), described.flow is In

    def _channels(self) -> Iterator[tuple[wiring.PureInterface, wiring.PureInterface, bool]]:
        for ordinal, endpoint in enumerate(self.named.occurrence.endpoints):
            is_input = endpoint.direction is EndpointDirection.IN
            kind = "ingress" if is_input else "egress"
            inner = getattr(self.occurrence, f"{kind}_{ordinal}")
            yield getattr(self, f"endpoint_{ordinal}"), inner, is_input
