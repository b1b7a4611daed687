"""Everything that the hardware of one Spatial operation port needs to know of its records."""

from dataclasses import dataclass

from fabricgen.plan.admission import admissions
from fabricgen.plan.capacity import port_capacities
from fabricgen.plan.geometry import RequesterShape, port_address_bits, requester_shape
from fabricgen.records.endpoint import TransportEndpoint
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.port import MemoryOperationPort
from fabricgen.rtl.channel import ChannelShape
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dataflow import ServiceValueRole

__all__ = ["PortShape", "RolePath", "port_shape"]


@dataclass(frozen=True, slots=True)
class RolePath:
    """One service role of a port and the endpoints that its alternatives bind it to.

    ``widths[i]`` is the payload width of endpoint ``endpoints[i]``; ordinals ascend.
    """

    role: ServiceValueRole
    endpoints: tuple[int, ...]
    widths: tuple[int, ...]

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


@dataclass(frozen=True, slots=True)
class PortShape:
    """Shape of one Spatial operation port.

    Parameters
    ----------
    requester
        What it asks of the Local Memory Service.
    address_bits
        Width of one byte address at the widest target.
    slots
        Firings between issue and retirement. Each takes one unit of ``InFlight`` and one of
        ``ResultHolding`` at issue and returns both at retirement, so the smaller capacity
        binds.
    inputs, results
        Roles in canonical order.
    operand_depths
        Queue depth of each input role.
    index_widths
        Admitted index widths in bits, ascending.
    """

    requester: RequesterShape
    address_bits: int
    slots: int
    inputs: tuple[RolePath, ...]
    results: tuple[RolePath, ...]
    operand_depths: tuple[int, ...]
    index_widths: tuple[int, ...]

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
    return PortShape(
        requester=requester_shape(named, ordinal),
        address_bits=port_address_bits(named, ordinal),
        slots=min(capacities.in_flight, capacities.result_holding),
        inputs=_paths(port, occurrence.endpoints, are_results=False),
        results=_paths(port, occurrence.endpoints, are_results=True),
        operand_depths=tuple(depth for _, depth in capacities.operand_depth),
        index_widths=_index_widths(named, ordinal),
    )


def _paths(
    port: MemoryOperationPort, endpoints: tuple[TransportEndpoint, ...], *, are_results: bool
) -> tuple[RolePath, ...]:
    bound: dict[ServiceValueRole, set[int]] = {}
    for alternative in port.capability_alternatives:
        schema = MEMORY_SCHEMAS[alternative.actor_contract_domain.actor_schema]
        roles = schema.result_roles if are_results else schema.input_roles
        for role, endpoint in alternative.role_to_endpoint:
            if role in roles:
                bound.setdefault(role, set()).add(endpoint)
    return tuple(
        RolePath(role, ordinals, tuple(endpoints[at].payload_width for at in ordinals))
        for role in sorted(bound, key=lambda role: role.value)
        for ordinals in [tuple(sorted(bound[role]))]
    )


def _index_widths(named: NamedMemory, ordinal: int) -> tuple[int, ...]:
    return tuple(
        sorted(
            {
                width
                for admission in admissions(named.occurrence, ordinal)
                for interval in admission.index_widths.intervals
                for width in range(interval.lower, interval.upper + 1)
            }
        )
    )
