"""Transport endpoints: the occurrence's function type (spec: Spatial Ports, Temporal Ports)."""

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.atoms.unsigned import U64_MAX
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.errors.strict import StrictRecord
from fabricgen.vocab.fabric import EndpointDirection

__all__ = ["ServiceEndpoint", "TransportEndpoint"]


@dataclass(frozen=True, slots=True)
class TransportEndpoint(StrictRecord):
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

    def _findings(self) -> Iterator[Diagnostic]:
        if not 0 <= self.payload_width <= U64_MAX:
            yield Diagnostic(
                "endpoint-width-range",
                "payload_width",
                f"The width must be from 0 to 2**64 - 1 bits, not {self.payload_width}",
            )
        if self.tag_width is not None and not 1 <= self.tag_width <= U64_MAX:
            yield Diagnostic(
                "endpoint-tag-width-range",
                "tag_width",
                f"The width must be absent or from 1 to 2**64 - 1 bits, not {self.tag_width}",
            )


@dataclass(frozen=True, slots=True)
class ServiceEndpoint:
    """One manager or subordinate endpoint, untagged, with its own beat width in bits."""

    beat_width_bits: int

    def __post_init__(self) -> None:
        if not 1 <= self.beat_width_bits <= U64_MAX:
            raise Invalid(
                Diagnostic(
                    "service-endpoint-beat-width",
                    "beat_width_bits",
                    f"The beat must be from 1 to 2**64 - 1 bits, not {self.beat_width_bits}",
                )
            )
