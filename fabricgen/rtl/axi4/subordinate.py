"""The AXI4 adapter in front of a subordinate's stream of beats."""

from fabricgen.plan.geometry import MANAGER_ADDRESS_BITS
from fabricgen.rtl.axi4.bus import Axi4, Axi4Shape
from fabricgen.rtl.axi4.subordinate_adapter import SubordinateAdapter
from fabricgen.rtl.axi4.subordinate_reads import SubordinateReads
from fabricgen.rtl.axi4.subordinate_writes import SubordinateWrites
from fabricgen.rtl.subordinate.stream import NAME_BITS, SubordinateStreamShape

__all__ = ["Axi4Subordinate", "subordinate_bus"]


def subordinate_bus(stream: SubordinateStreamShape, id_bits: int) -> Axi4Shape:
    """Shape of the bus in front of a stream.

    ``aruser`` and ``awuser`` are the address space, and the context above it, where the decode
    may match them.
    """
    widths = stream.request_widths()
    user_bits = widths.get("address_space", 0) + widths.get("context", 0)
    return Axi4Shape(
        stream.beat_bytes, id_bits, MANAGER_ADDRESS_BITS, stream.reads, stream.writes, user_bits
    )


class Axi4Subordinate(SubordinateAdapter):
    """Serve AXI4 through the beats of one subordinate.

    FIXED, INCR and WRAP bursts, narrow and unaligned transfers and strobes become beats, one for
    each transfer; see :class:`SubordinateReads` and :class:`SubordinateWrites`. All transactions of
    one direction are answered in order. An exclusive access is an ordinary one and is answered with
    OKAY, which says so. Hints (cache, protection, quality of service) are ignored.

    A transfer is offered to the subordinate two cycles after it was taken from the bus; what both
    directions have in common is in :class:`SubordinateAdapter`.

    Parameters
    ----------
    stream
        Fields of the stream, up to 128 bytes a beat; answers come in the order of the requests.
    id_bits
        Width of identifiers, 1 to 16.
    outstanding
        Beats of each direction, and bursts of writes, that may be without an answer that the bus
        has taken.
    """

    bus: Axi4
    bus_shape: Axi4Shape

    READS = SubordinateReads
    WRITES = SubordinateWrites

    def __init__(
        self, stream: SubordinateStreamShape, *, id_bits: int, outstanding: int = 16
    ) -> None:
        if not 1 <= id_bits <= NAME_BITS:
            raise ValueError(f"Axi4Subordinate id_bits must be 1 to {NAME_BITS}, not {id_bits}")
        super().__init__(stream, subordinate_bus(stream, id_bits), outstanding)
