"""Transport endpoints: the occurrence's function type (spec: Spatial Ports, Temporal Ports)."""

from dataclasses import dataclass

from fabricgen.vocab.fabric import EndpointDirection

__all__ = ["ServiceEndpoint", "TransportEndpoint"]


@dataclass(frozen=True, slots=True)
class TransportEndpoint:
    """One token endpoint; inputs come before outputs in an inventory.

    Parameters
    ----------
    direction
        Seen from the occurrence.
    payload_width
        Bits of payload; 0 for control and completion tokens.
    tag_width
        Bits of Physical Tag; absent on an untagged (Spatial) endpoint.
    """

    direction: EndpointDirection
    payload_width: int
    tag_width: int | None = None


@dataclass(frozen=True, slots=True)
class ServiceEndpoint:
    """One manager or subordinate endpoint, untagged, with its own beat width in bits."""

    beat_width_bits: int
