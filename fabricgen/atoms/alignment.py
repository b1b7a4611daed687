"""Sets of power-of-two byte alignments."""

from dataclasses import dataclass

from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.errors import Diagnostic, Invalid

__all__ = ["AlignmentDomain"]


@dataclass(frozen=True, slots=True)
class AlignmentDomain:
    """Accepted alignments, held as base-two exponents of bytes in ``[0, 63]``."""

    accepted_log2_byte_alignments: UnsignedDomain

    def __post_init__(self) -> None:
        highest = self.accepted_log2_byte_alignments.intervals[-1].upper
        if highest > 63:
            raise Invalid(
                Diagnostic(
                    "alignment-out-of-range",
                    "accepted_log2_byte_alignments",
                    f"Exponents must be from 0 to 63, not {highest}",
                )
            )

    def contains_bytes(self, alignment_bytes: int) -> bool:
        """Tell whether a byte alignment is a power of two whose exponent is accepted."""
        exponent = alignment_bytes.bit_length() - 1
        return (
            alignment_bytes > 0
            and alignment_bytes == 1 << exponent
            and exponent in self.accepted_log2_byte_alignments
        )
