"""A provider that realises the timings it names, and no others."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from itertools import product

from amaranth.hdl import Module

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
        if found := tuple(self.timing_findings(op)):
            raise Unsupported(*found)
        super().__init__(op)

    @classmethod
    def timing_findings(cls, op: FabricOp) -> Iterator[Diagnostic]:
        """Say whether the declared timing is another one."""
        declared = op.timing.latency_cycles, op.timing.initiation_interval_cycles
        known = cls.timings(op)
        if declared not in known:
            latencies = ", ".join(str(each) for each in sorted({latency for latency, _ in known}))
            intervals = ", ".join(str(each) for each in sorted({each for _, each in known}))
            yield Diagnostic(
                "provider-timing",
                "timing",
                f"The timing must be a latency of {latencies} cycles and an initiation "
                f"interval of {intervals}, not {declared[0]} and {declared[1]}",
            )

    @abstractmethod
    def elaborate(self, platform: object) -> Module:
        """The datapath between the channels."""

    @classmethod
    def timings(cls, op: FabricOp) -> Sequence[tuple[int, int]]:
        """Latencies and initiation intervals that the datapath of a resource can have."""
        return list(product(cls.LATENCIES, cls.INTERVALS))
