"""The programming host of a cocotb bench."""

from typing import Any

from cocotb.triggers import SimTimeoutError, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

from sim.checks import Answer
from sim.job import Step

__all__ = ["PERIOD_NS", "ProgrammingHost"]

#: Of the clock.
PERIOD_NS = 10


class ProgrammingHost:
    """The programming host: an AXI4-Lite master that this project did not write."""

    def __init__(self, dut: Any, bound: int) -> None:
        self._master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "cfg"), dut.clk, dut.rst)
        self._timeout_ns = PERIOD_NS * (bound + 100)

    async def read(self, address: int) -> int:
        """Read one word; all ones where nothing answers."""
        _, data = await self.access(Step(False, address, 0))
        return 0xFFFFFFFF if data is None else data

    async def access(self, step: Step) -> Answer:
        """Do one access; ``no answer`` where none comes in time."""
        if step.write:
            wait = self._master.write(step.address, step.data.to_bytes(4, "little"))
        else:
            wait = self._master.read(step.address, 4)
        try:
            result: Any = await with_timeout(wait, self._timeout_ns, "ns")
        except SimTimeoutError:
            return ("no answer", None)
        data = None if step.write else int.from_bytes(result.data, "little")
        return (AxiResp(result.resp).name, data)
