"""Everything that the hardware of a Temporal engine needs to know of its records."""

from dataclasses import dataclass

from fabricgen.config.inventory import sink_connections, targets
from fabricgen.plan.capacity import port_capacities
from fabricgen.plan.demand import tag_width
from fabricgen.plan.geometry import MANAGER_ADDRESS_BITS, bank_geometry, port_targets
from fabricgen.records.connectivity import LocalMemoryServiceTarget
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.occurrence import OperationEngine, Temporal
from fabricgen.records.resource import GrantPolicy
from fabricgen.rtl.port_shape import PortShape, RolePath, port_shape
from fabricgen.rtl.service.channel import ServiceChannelShape
from fabricgen.rtl.temporal.shape import FrontEndShape, RoleShape
from fabricgen.vocab.dataflow import ServiceValueRole

__all__ = [
    "PublicationGroup",
    "TemporalShape",
    "publication_groups",
    "temporal_engine",
    "temporal_shape",
]


@dataclass(frozen=True, slots=True)
class TemporalShape:
    """Shape of one Temporal operation port.

    Parameters
    ----------
    port
        What the port shares with a Spatial one: roles, widths, access modes.
    rows
        Resident rows of the engine, K.
    tag_width
        Bits of a Physical Tag, T.
    context_slots
        Firings of each row between issue and retirement. Each takes one unit of ``InFlight`` and
        one of ``ResultHolding`` at issue and returns both at retirement, so the smaller capacity
        binds.
    total_slots
        The same over all rows.
    grant
        Order among the rows; absent where there is only one.
    targets
        Occurrence-wide ordinals of the targets that the port may reach, ascending.
    channels
        Shape of the channel to each of them.
    connections
        For each input role the internal connections that may feed it, ascending.
    connection_widths
        Payload bits of each of these connections as its sink takes it.
    """

    port: PortShape
    rows: int
    tag_width: int
    context_slots: tuple[int, ...]
    total_slots: int
    grant: GrantPolicy | None
    targets: tuple[int, ...]
    channels: tuple[ServiceChannelShape, ...]
    connections: tuple[tuple[int, ...], ...]
    connection_widths: tuple[tuple[int, int], ...]

    @property
    def row_slots(self) -> int:
        """Slots of every row: as many as one of them may have firings."""
        return max(self.context_slots)

    @property
    def index_bits(self) -> int:
        """Low bits of a slot number, which count within the row."""
        return (self.row_slots - 1).bit_length()

    @property
    def slots(self) -> int:
        """Slot numbers of the port: those of row ``r`` start at ``r << index_bits``."""
        return self.rows << self.index_bits

    def operand_width(self, path: RolePath) -> int:
        """Bits of one input role that a firing can use; the channel of the role may have more."""
        requester = self.port.requester
        match path.role:
            case ServiceValueRole.ADDRESS:
                widest = max(lane.stride for lane in self.port.address_lanes)
                return min(path.width, widest * requester.segments)
            case (
                ServiceValueRole.DATA
                | ServiceValueRole.UPDATE
                | ServiceValueRole.EXPECTED
                | ServiceValueRole.DESIRED
            ):
                return min(path.width, 8 * requester.data_bytes)
            case ServiceValueRole.MASK:
                return min(path.width, requester.lanes)
            case _:
                return 0

    def front_end(self) -> FrontEndShape:
        """Shape of the port's row front end; its roles are the port's inputs."""
        widths: dict[int, int] = {}
        used = dict.fromkeys(dict(self.connection_widths), 0)
        for path, connections in zip(self.port.inputs, self.connections, strict=True):
            widths |= dict(zip(path.endpoints, path.widths, strict=True))
            width = self.operand_width(path)
            used |= {connection: max(used[connection], width) for connection in connections}
        return FrontEndShape(
            rows=self.rows,
            tag_width=self.tag_width,
            roles=tuple(
                RoleShape(self.operand_width(path), path.endpoints, connections)
                for path, connections in zip(self.port.inputs, self.connections, strict=True)
            ),
            ingress_widths=tuple(sorted(widths.items())),
            connection_widths=tuple(
                (connection, min(width, used[connection]))
                for connection, width in self.connection_widths
            ),
            targets=len(self.targets),
            policy=self.grant,
        )


@dataclass(frozen=True, slots=True)
class PublicationGroup:
    """Ports that retire one after the other, because they share egress endpoints.

    Parameters
    ----------
    ports
        Ordinals, ascending.
    outputs
        Ordinals of all egress endpoints that their alternatives bind, ascending.
    connections
        Internal connections that start at one of them, ascending.
    """

    ports: tuple[int, ...]
    outputs: tuple[int, ...]
    connections: tuple[int, ...]

    @property
    def destinations(self) -> int:
        """Destinations of the group: the outputs, then the connections."""
        return len(self.outputs) + len(self.connections)


def temporal_shape(named: NamedMemory, ordinal: int) -> TemporalShape:
    """Derive the shape of operation port ``ordinal``; ``Unsupported`` where it has none."""
    occurrence = named.occurrence
    engine, contract = temporal_engine(named)
    port = engine.ports[ordinal]
    shape, capacities = port_shape(named, ordinal), port_capacities(port)
    slots = contract.resident_context_count << (capacities.row_slots - 1).bit_length()
    reached = port_targets(occurrence, ordinal)
    connections = tuple(sink_connections(occurrence, port, path.role) for path in shape.inputs)
    internal = occurrence.connectivity.internal_connections
    return TemporalShape(
        port=shape,
        rows=contract.resident_context_count,
        tag_width=tag_width(occurrence) or 0,
        context_slots=capacities.context_slots,
        total_slots=capacities.total_slots,
        grant=capacities.grant,
        targets=tuple(targets(occurrence).index(target) for target in reached),
        channels=tuple(
            ServiceChannelShape(
                shape.requester.at_service(), bank_geometry(named).address_bits, slots
            )
            if isinstance(target, LocalMemoryServiceTarget)
            else ServiceChannelShape(
                shape.requester.at_manager(), MANAGER_ADDRESS_BITS, slots, managed=True
            )
            for target in reached
        ),
        connections=connections,
        connection_widths=tuple(
            (c, occurrence.endpoints[internal[c].sink_endpoint_ordinal].payload_width)
            for c in sorted({c for each in connections for c in each})
        ),
    )


def temporal_engine(named: NamedMemory) -> tuple[OperationEngine, Temporal]:
    """Engine and contract of a memory; ``ValueError`` where they are not Temporal."""
    engine = named.occurrence.engine
    contract = None if engine is None else engine.contract
    if engine is None or not isinstance(contract, Temporal):
        raise ValueError(f"Memory {named.name} must have a Temporal engine, not {contract!r}")
    return engine, contract


def publication_groups(named: NamedMemory) -> tuple[PublicationGroup, ...]:
    """Partition the ports: two that bind one egress endpoint are in one group."""
    occurrence = named.occurrence
    engine, _ = temporal_engine(named)
    groups: list[tuple[list[int], set[int]]] = []
    for ordinal in range(len(engine.ports)):
        paths = port_shape(named, ordinal).results
        ports, outputs = [ordinal], {end for path in paths for end in path.endpoints}
        for other in [group for group in groups if group[1] & outputs]:
            groups.remove(other)
            ports, outputs = [*other[0], *ports], outputs | other[1]
        groups.append((sorted(ports), outputs))
    return tuple(
        PublicationGroup(
            tuple(ports),
            tuple(sorted(outputs)),
            tuple(
                ordinal
                for ordinal, connection in enumerate(occurrence.connectivity.internal_connections)
                if connection.source_endpoint_ordinal in outputs
            ),
        )
        for ports, outputs in sorted(groups, key=lambda group: group[0])
    )
