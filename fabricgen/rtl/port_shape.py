"""Everything that the hardware of one operation port needs to know of its records."""

from dataclasses import dataclass

from fabricgen.config.inventory import sink_connections, source_connections, targets
from fabricgen.plan.admission import admissions
from fabricgen.plan.capacity import port_capacities
from fabricgen.plan.geometry import (
    MANAGER_ADDRESS_BITS,
    AddressLane,
    RequesterShape,
    bank_geometry,
    pointer_lanes,
    port_address_bits,
    port_targets,
    requester_shape,
)
from fabricgen.records.connectivity import ManagerEndpointTarget
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.records.port import MemoryOperationPort
from fabricgen.rtl.channel import ChannelShape
from fabricgen.rtl.service.channel import ServiceChannelShape
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dataflow import ServiceValueRole

__all__ = ["PortShape", "RolePath", "port_shape"]


@dataclass(frozen=True, slots=True)
class RolePath:
    """One service role of a port and the endpoints that its alternatives bind it to.

    ``widths[i]`` is the payload width of endpoint ``endpoints[i]``; ordinals ascend.
    ``connections`` are the internal connections that may end at an input role, or start at a
    result role, and ``connection_widths`` the payload widths of their sinks. A port that loads and
    stores has its data among the inputs and, with ``is_result``, among the results.
    """

    role: ServiceValueRole
    endpoints: tuple[int, ...]
    widths: tuple[int, ...]
    connections: tuple[int, ...] = ()
    connection_widths: tuple[int, ...] = ()
    is_result: bool = False

    @property
    def name(self) -> str:
        """Role name as part of a member name."""
        return self.role.name.lower()

    @property
    def width(self) -> int:
        """Payload width of the widest endpoint."""
        return max(self.widths)

    def channels(self) -> dict[str, ChannelShape]:
        """Member name and shape of the channel at each endpoint."""
        return {
            f"{self.name}_{endpoint}": ChannelShape(width)
            for endpoint, width in zip(self.endpoints, self.widths, strict=True)
        }

    def links(self) -> dict[str, ChannelShape]:
        """The same of each connection; what a connection carries is as wide as its sink."""
        return {
            self.link(connection): ChannelShape(width)
            for connection, width in zip(self.connections, self.connection_widths, strict=True)
        }

    def link(self, connection: int) -> str:
        """Member name of the channel of one connection: one may lead from a port to itself."""
        return f"{self.name}_{'feed' if self.is_result else 'link'}_{connection}"


@dataclass(frozen=True, slots=True)
class PortShape:
    """Shape of one operation port; of one row of it in a Temporal engine.

    Parameters
    ----------
    requester
        What it asks of its targets.
    address_bits
        Width of one byte address inside the port: that of its widest target.
    slots
        Firings between issue and retirement. Each takes one unit of ``InFlight`` and one of
        ``ResultHolding`` at issue and returns both at retirement, so the smaller capacity
        binds.
    inputs, results
        Roles in canonical order.
    operand_depths
        Queue depth of each input role.
    index_widths
        Admitted index widths in bits, ascending; none where all addresses are pointers.
    targets
        The occurrence's ordinals of the targets that the port may reach, ascending: the Local
        Memory Service first, then the managers.
    target_address_bits
        Width of one byte address at each of them; empty stands for the port's own.
    managed
        The targets among them that are managers.
    pointers
        How admitted pointers lie in an address token, ascending.
    """

    requester: RequesterShape
    address_bits: int
    slots: int
    inputs: tuple[RolePath, ...]
    results: tuple[RolePath, ...]
    operand_depths: tuple[int, ...]
    index_widths: tuple[int, ...]
    targets: tuple[int, ...] = (0,)
    target_address_bits: tuple[int, ...] = ()
    managed: frozenset[int] = frozenset()
    pointers: tuple[AddressLane, ...] = ()

    def channel(self, target: int) -> ServiceChannelShape:
        """Shape of the channel to one of the targets."""
        widths = self.target_address_bits or (self.address_bits,) * len(self.targets)
        width = widths[self.targets.index(target)]
        is_far = target in self.managed
        requester = self.requester.at_manager() if is_far else self.requester.at_service()
        return ServiceChannelShape(requester, width, self.slots, is_far)

    @property
    def address_lanes(self) -> tuple[AddressLane, ...]:
        """How admitted indices and pointers lie in an address token, ascending."""
        indices = {AddressLane(width, width) for width in self.index_widths}
        return tuple(sorted(indices.union(self.pointers)))

    @property
    def element_bytes(self) -> tuple[int, ...]:
        """Admitted element sizes, ascending."""
        return tuple(sorted({mode.element_bytes for mode in self.requester.modes}))

    @property
    def element_lanes(self) -> dict[int, int]:
        """Most lanes of each admitted element size in bytes; sizes ascending."""
        return {
            size: max(mode.lanes for mode in self.requester.modes if mode.element_bytes == size)
            for size in self.element_bytes
        }

    @property
    def has_mask(self) -> bool:
        """Some row may consume a dynamic mask."""
        return self.input_of(ServiceValueRole.MASK) is not None

    def input_of(self, role: ServiceValueRole) -> RolePath | None:
        """Path of one input role, ``None`` where no alternative binds it."""
        return next((path for path in self.inputs if path.role is role), None)

    def result_of(self, role: ServiceValueRole) -> RolePath | None:
        """Path of one result role, ``None`` where no alternative binds it."""
        return next((path for path in self.results if path.role is role), None)


def port_shape(named: NamedMemory, ordinal: int) -> PortShape:
    """Derive the shape of operation port ``ordinal``; ``Unsupported`` where it has none."""
    occurrence = named.occurrence
    if occurrence.engine is None:
        raise ValueError(f"Memory {named.name} must have an engine, not None")
    port = occurrence.engine.ports[ordinal]
    capacities = port_capacities(port)
    every, reached = targets(occurrence), port_targets(occurrence, ordinal)
    managed = [isinstance(target, ManagerEndpointTarget) for target in reached]
    return PortShape(
        requester=requester_shape(named, ordinal),
        address_bits=port_address_bits(named, ordinal),
        slots=capacities.row_slots,
        inputs=_paths(occurrence, port, are_results=False),
        results=_paths(occurrence, port, are_results=True),
        operand_depths=tuple(depth for _, depth in capacities.operand_depth),
        index_widths=_index_widths(named, ordinal),
        targets=tuple(every.index(target) for target in reached),
        target_address_bits=tuple(
            MANAGER_ADDRESS_BITS if far else bank_geometry(named).address_bits for far in managed
        ),
        managed=frozenset(
            every.index(target) for target, far in zip(reached, managed, strict=True) if far
        ),
        pointers=pointer_lanes(admissions(occurrence, ordinal)),
    )


def _paths(
    occurrence: MemoryOccurrence, port: MemoryOperationPort, *, are_results: bool
) -> tuple[RolePath, ...]:
    bound: dict[ServiceValueRole, set[int]] = {}
    for alternative in port.capability_alternatives:
        schema = MEMORY_SCHEMAS[alternative.actor_contract_domain.actor_schema]
        roles = schema.result_roles if are_results else schema.input_roles
        for role, endpoint in alternative.role_to_endpoint:
            if role in roles:
                bound.setdefault(role, set()).add(endpoint)
    endpoints = occurrence.endpoints
    eligible = source_connections if are_results else sink_connections
    every = occurrence.connectivity.internal_connections
    return tuple(
        RolePath(
            role,
            ordinals,
            tuple(endpoints[at].payload_width for at in ordinals),
            connections,
            tuple(endpoints[every[c].sink_endpoint_ordinal].payload_width for c in connections),
            are_results,
        )
        for role in sorted(bound, key=lambda role: role.value)
        for ordinals in [tuple(sorted(bound[role]))]
        for connections in [eligible(occurrence, port, role)]
    )


def _index_widths(named: NamedMemory, ordinal: int) -> tuple[int, ...]:
    return tuple(
        sorted(
            {
                width
                for admission in admissions(named.occurrence, ordinal)
                if not admission.address_formats
                for interval in admission.index_widths.intervals
                for width in range(interval.lower, interval.upper + 1)
            }
        )
    )
