"""A provider whose result depends on the operands of its firing alone."""

from abc import abstractmethod

from amaranth.hdl import Module, Value

from fabricgen.errors import Diagnostic, Unsupported
from fabricgen.hsg.resource import FabricOp
from fabricgen.rtl.providers.frame import ProviderFrame
from fabricgen.rtl.providers.stages import Stages

__all__ = ["StatelessProvider"]


class StatelessProvider(ProviderFrame):
    """One result per firing, exactly ``latency_cycles`` after the last operand, one every cycle.

    Subclasses say in ``LATENCIES`` which latencies their datapath can be cut into.
    """

    LATENCIES: tuple[int, ...] = (1,)

    def __init__(self, op: FabricOp) -> None:
        timing = op.timing
        if timing.latency_cycles not in self.LATENCIES or timing.initiation_interval_cycles != 1:
            known = ", ".join(map(str, self.LATENCIES))
            raise Unsupported(
                Diagnostic(
                    "provider-timing",
                    "timing",
                    f"The timing must be a latency of {known} cycles and an initiation interval "
                    f"of 1, not {timing.latency_cycles} and {timing.initiation_interval_cycles}",
                )
            )
        super().__init__(op)

    def elaborate(self, platform: object) -> Module:
        """Slots, the datapath between its registers, and the result."""
        m = Module()
        (result,) = self.outputs
        stages = Stages(
            m,
            self.inputs,
            result,
            latency=self.op.timing.latency_cycles,
            used=self.used_operands(),
        )
        value = self.datapath(m, stages)
        if self.op.ports.outputs[0]:
            m.d.comb += result.data.eq(value)
        return m

    def used_operands(self) -> list[Value] | None:
        """Which operands the configured behaviour consumes; all, if ``None``."""
        return None

    @abstractmethod
    def datapath(self, m: Module, stages: Stages) -> Value:
        """Result of the operands in ``stages.operands``, cut by ``stages.register``."""
