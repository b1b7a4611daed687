"""A provider whose result depends on the operands of its firing alone."""

from abc import abstractmethod

from amaranth.hdl import Module, Value

from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.timed import TimedProvider

__all__ = ["StatelessProvider"]


class StatelessProvider(TimedProvider):
    """One result per firing, exactly ``latency_cycles`` after the last operand, one every cycle."""

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
            holds=self.held_operands(m),
        )
        m.d.comb += self.quiescent.eq(stages.empty)
        value = self.datapath(m, stages)
        if self.op.ports.outputs[0]:
            m.d.comb += result.data.eq(value)
        return m

    def used_operands(self) -> list[Value] | None:
        """Which operands the configured behaviour consumes; all, if ``None``."""
        return None

    def held_operands(self, m: Module) -> list[Value] | None:
        """What the slots keep of the operands in front of them; their payloads, if ``None``."""
        return None

    @abstractmethod
    def datapath(self, m: Module, stages: Stages) -> Value:
        """Result of the operands in ``stages.operands``, cut by ``stages.register``."""
