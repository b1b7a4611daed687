"""Which adapter stands in front of each subordinate of an occurrence."""

from fabricgen.rtl.axi4.lite_subordinate import LiteSubordinate
from fabricgen.rtl.axi4.subordinate import Axi4Subordinate
from fabricgen.rtl.axi4.subordinate_adapter import SubordinateAdapter
from fabricgen.rtl.occurrence import MemoryOccurrence

__all__ = ["subordinate_adapters"]

#: Bits of the identifiers at the boundary: what AXI4 recommends of a subordinate, four for the
#: manager and four for the place where its interconnect joins it.
_ID_BITS = 8

#: Beats that an adapter has in flight at most, and how many more than its endpoint: a beat waits a
#: cycle in front of the endpoint, and its answer one behind it.
_MOST_OUTSTANDING, _AHEAD = 128, 2


def subordinate_adapters(occurrence: MemoryOccurrence) -> dict[int, SubordinateAdapter]:
    """An adapter for each subordinate of an occurrence, by its ordinal; none before streams.

    As many beats of each direction may be in flight as keep the endpoint's slots full.
    """
    adapters: dict[int, SubordinateAdapter] = {}
    for ordinal, each in enumerate(occurrence.subordinates):
        outstanding = min(each.slots + _AHEAD, _MOST_OUTSTANDING)
        match occurrence.named.implementation.subordinate_protocol:
            case "axi4":
                adapters[ordinal] = Axi4Subordinate(
                    each.stream_shape, id_bits=_ID_BITS, outstanding=outstanding
                )
            case "axi4_lite":
                adapters[ordinal] = LiteSubordinate(each.stream_shape, outstanding=outstanding)
            case _:
                pass
    return adapters
