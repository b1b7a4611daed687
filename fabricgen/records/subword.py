"""Which writes a service serves, by what port and service guarantee about narrow payloads.

A payload that fills its data endpoint is written whole, and any guarantee will do. Bytes beside a
narrower one stay as they are only where both owners say ByteEnable (spec: Persistent Capability
Schema, subword and inactive-lane values).
"""

from collections.abc import Iterable

from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.records.access import MemoryAccessClass
from fabricgen.records.alternative import MemoryCapabilityAlternative
from fabricgen.records.endpoint import TransportEndpoint
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.fabric import WriteSubwordSemantics

__all__ = ["full_payload", "serves_narrow", "write_widths"]


def write_widths(
    alternative: MemoryCapabilityAlternative, endpoints: tuple[TransportEndpoint, ...]
) -> frozenset[int]:
    """Bits of the endpoints whose tokens an alternative writes; those that exist."""
    roles = MEMORY_SCHEMAS[alternative.actor_contract_domain.actor_schema].write_roles
    return frozenset(
        endpoints[endpoint].payload_width
        for role, endpoint in alternative.role_to_endpoint
        if role in roles and 0 <= endpoint < len(endpoints)
    )


def serves_narrow(asked: MemoryAccessClass, served: MemoryAccessClass) -> bool:
    """Tell whether every payload of a port's class is served, as far as guarantees go.

    A class that says Exact has no narrow payload.
    """
    return (
        WriteSubwordSemantics.BYTE_ENABLE not in asked.write_subword
        or WriteSubwordSemantics.EXACT in asked.write_subword
        or WriteSubwordSemantics.BYTE_ENABLE in served.write_subword
    )


def full_payload(
    widths: Iterable[int], asked: MemoryAccessClass, served: MemoryAccessClass
) -> tuple[int, int] | None:
    """Element width and lane count, in both classes, that fill every one of the widths.

    All payloads of the port's class fit its endpoints, so that only its widest one can.
    """
    domains = [(each.element_width_bits, each.flattened_lane_count) for each in (asked, served)]
    element, lanes = (domain.intervals[-1].upper for domain in domains[0])
    is_full = all(width == element * lanes for width in widths)
    return (element, lanes) if is_full and _are_in(domains[1], (element, lanes)) else None


def _are_in(domains: Iterable[UnsignedDomain], values: Iterable[int]) -> bool:
    return all(value in domain for domain, value in zip(domains, values, strict=True))
