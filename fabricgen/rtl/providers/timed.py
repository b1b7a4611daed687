"""A provider that realises the timings it names, and no others."""

from fabricgen.errors import Diagnostic, Unsupported
from fabricgen.hsg.resource import FabricOp
from fabricgen.rtl.providers.frame import ProviderFrame

__all__ = ["TimedProvider"]


class TimedProvider(ProviderFrame):
    """Channels and configuration of a resource whose declared timing is one that is named here.

    Subclasses say in ``LATENCIES`` which latencies their datapath can be cut into, and in
    ``INTERVALS`` how often it can fire, both in cycles. Another timing is ``Unsupported``.
    """

    LATENCIES: tuple[int, ...] = (1,)
    INTERVALS: tuple[int, ...] = (1,)

    def __init__(self, op: FabricOp) -> None:
        timing = op.timing
        if (
            timing.latency_cycles not in self.LATENCIES
            or timing.initiation_interval_cycles not in self.INTERVALS
        ):
            latencies = ", ".join(map(str, self.LATENCIES))
            intervals = ", ".join(map(str, self.INTERVALS))
            raise Unsupported(
                Diagnostic(
                    "provider-timing",
                    "timing",
                    f"The timing must be a latency of {latencies} cycles and an initiation "
                    f"interval of {intervals}, "
                    f"not {timing.latency_cycles} and {timing.initiation_interval_cycles}",
                )
            )
        super().__init__(op)
