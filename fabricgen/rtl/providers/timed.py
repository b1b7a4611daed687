"""A provider that realises the timings it names, and no others."""

from collections.abc import Sequence
from itertools import product

from fabricgen.errors import Diagnostic, Unsupported
from fabricgen.hsg.resource import FabricOp
from fabricgen.rtl.providers.frame import ProviderFrame

__all__ = ["TimedProvider"]


class TimedProvider(ProviderFrame):
    """Channels and configuration of a resource whose declared timing is one that is named here.

    Subclasses say in ``LATENCIES`` which latencies their datapath can be cut into, and in
    ``INTERVALS`` how often it can fire, both in cycles; where that follows from the resource,
    ``timings`` says it. Another timing is ``Unsupported``.
    """

    LATENCIES: tuple[int, ...] = (1,)
    INTERVALS: tuple[int, ...] = (1,)

    def __init__(self, op: FabricOp) -> None:
        timing = op.timing
        declared = timing.latency_cycles, timing.initiation_interval_cycles
        known = self.timings(op)
        if declared not in known:
            latencies = ", ".join(str(each) for each in sorted({latency for latency, _ in known}))
            intervals = ", ".join(str(each) for each in sorted({each for _, each in known}))
            raise Unsupported(
                Diagnostic(
                    "provider-timing",
                    "timing",
                    f"The timing must be a latency of {latencies} cycles and an initiation "
                    f"interval of {intervals}, not {declared[0]} and {declared[1]}",
                )
            )
        super().__init__(op)

    @classmethod
    def timings(cls, op: FabricOp) -> Sequence[tuple[int, int]]:
        """Latencies and initiation intervals that the datapath of a resource can have."""
        return list(product(cls.LATENCIES, cls.INTERVALS))
