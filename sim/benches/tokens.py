"""cocotb bench of components with token channels: does what the job file says, notes what came.

The clock is driven from here, so a ``RisingEdge`` wakes the bench before registers change: what
is read then stood on the pins before the edge, and what is written then stands there after it.
All units run side by side, each through its passes.
"""

import os
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotb.types import LogicArray

from sim.endpoints import EndpointPins
from sim.token_job import UnitJob, read_job, write_outcome
from sim.token_traffic import UnitPins, UnitTraffic

_RESET_CYCLES = 2


@cocotb.test()
async def tokens(dut: Any) -> None:
    """Run every pass; what they find is data, not a failure of this test."""
    units = read_job(Path(os.environ["FABRICGEN_TOKEN_JOB"]))
    pins = {unit.name: _pins(dut, unit) for unit in units}
    dut.rst.value = 1
    for each in pins.values():
        each.reset.value = 0
        for channel in each.inputs:
            channel.valid.value = 0
        for channel in each.outputs:
            channel.ready.value = 0
    Clock(dut.clk, 10, unit="ns").start()
    edge = RisingEdge(dut.clk)
    for _ in range(_RESET_CYCLES):
        await edge
    dut.rst.value = 0
    traffic = {unit.name: UnitTraffic(unit, pins[unit.name], _unknown) for unit in units}
    running = [each.cycles() for each in traffic.values()]
    while running:
        running = [each for each in running if next(each, each) is None]
        await edge
    results = {name: each.results for name, each in traffic.items()}
    write_outcome(results, Path(os.environ["FABRICGEN_TOKEN_OUTCOME"]))


def _unknown(width: int) -> LogicArray:
    return LogicArray("X" * width)


def _pins(dut: Any, unit: UnitJob) -> UnitPins:
    def channel(name: str, width: int) -> EndpointPins:
        prefix = f"{unit.name}_{name}"
        return EndpointPins(
            valid=getattr(dut, f"{prefix}_valid"),
            ready=getattr(dut, f"{prefix}_ready"),
            data=getattr(dut, f"{prefix}_data") if width else None,
        )

    configured = any(each.configuration is not None for each in unit.passes)
    return UnitPins(
        inputs=[channel(f"in{at}", width) for at, width in enumerate(unit.inputs)],
        outputs=[channel(f"out{at}", width) for at, width in enumerate(unit.outputs)],
        reset=getattr(dut, f"{unit.name}_reset"),
        quiescent=getattr(dut, f"{unit.name}_quiescent"),
        configuration=getattr(dut, f"{unit.name}_configuration") if configured else None,
    )
