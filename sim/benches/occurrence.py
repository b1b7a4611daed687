"""cocotb bench of one emitted fabric: does what the job file says and writes down what came.

The clock is driven from here, so a ``RisingEdge`` wakes the bench before registers change, on
Verilator and on Icarus alike: what is read then stood on the pins before the edge, and what is
written then stands there after it. Readiness that answers a tag is written at the falling edge.

Every run but the first is begun twice: a reset cuts the first attempt off in mid traffic.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from sim.axi4_agent import Axi4Agent
from sim.bus_host import BusHost
from sim.checks import answer_finding, end_findings, read_flags
from sim.endpoints import EndpointPins, Pin
from sim.findings import Findings
from sim.job import (
    EgressJob,
    IngressJob,
    Job,
    RowJob,
    Run,
    RunResult,
    write_results,
)
from sim.manager_agent import ManagerPins
from sim.probes import read_states
from sim.programming_host import PERIOD_NS, ProgrammingHost
from sim.storage import Storage, descend
from sim.traffic import Traffic
from sim.wait_for import RowState

_RESET_CYCLES = 4

#: Cycles of traffic, at most, before the reset that interrupts a run.
_LONGEST_INTERRUPTED = 40


@cocotb.test()
async def occurrence(dut: Any) -> None:
    """Run every pass of the job; what they find is data, not a failure of this test."""
    job = Job.read(Path(os.environ["FABRICGEN_JOB"]))
    dut.rst.value = 1
    Clock(dut.clk, PERIOD_NS, unit="ns").start()
    buses = {item.name: Axi4Agent(dut, item) for item in job.managers if item.protocol == "axi4"}
    hosts = {
        item.name: BusHost(dut, item) for item in job.subordinates if item.protocol != "stream"
    }
    bench = _Bench(
        dut, job, ProgrammingHost(dut, job.bound), Storage(dut, job.memory), buses, hosts
    )
    results = [await _run(bench, run) for run in job.runs]
    write_results(results, Path(os.environ["FABRICGEN_RESULTS"]))


@dataclass(frozen=True, slots=True)
class _Bench:
    """The design, what to do with it, and what stands around it from run to run."""

    dut: Any
    job: Job
    host: ProgrammingHost
    storage: Storage
    buses: Mapping[str, Axi4Agent]
    hosts: Mapping[str, BusHost]


async def _run(bench: _Bench, run: Run) -> RunResult:
    findings, job = Findings(), bench.job
    if run is not job.runs[0]:
        await _interrupt(bench, run, findings)
    traffic = await _start(bench, run, findings)
    clock = _Clock(bench.dut, traffic)
    while not traffic.is_over:
        await clock.cycle()
    rows = traffic.close()

    flags = await read_flags(job.registers, bench.host.read)
    contents = bench.storage.read()
    for finding in end_findings(job, traffic.cycle, flags, contents, traffic.managers):
        findings.add(finding)
    return RunResult(
        run.pattern,
        run.seed,
        traffic.cycle,
        rows,
        findings.count,
        tuple(findings.kept),
        traffic.served,
    )


async def _start(bench: _Bench, run: Run, findings: Findings) -> Traffic:
    """Reset, load and program the fabric; its traffic begins at the next edge."""
    dut, job = bench.dut, bench.job
    await _reset(dut, job)
    bench.storage.preload()
    for step in job.program:
        if finding := answer_finding(step, await bench.host.access(step)):
            findings.add(finding)
    pins = {item.endpoint: _pins(dut, item) for item in (*job.ingresses, *job.egresses)}
    names = [item.name for item in (*job.managers, *job.subordinates)]
    bussed = {**bench.buses, **bench.hosts}
    streams = {name: _manager_pins(dut, name) for name in names if name not in bussed}
    await RisingEdge(dut.clk)
    states = partial(_states, dut, job)
    return Traffic(job, run, pins, findings, streams, states, bench.buses, bench.hosts)


async def _interrupt(bench: _Bench, run: Run, findings: Findings) -> None:
    """Begin the run, and leave it in the middle of its traffic: the next reset meets it there."""
    traffic = await _start(bench, run, findings)
    clock = _Clock(bench.dut, traffic)
    for _ in range(Random(run.seed).randint(1, _LONGEST_INTERRUPTED)):
        await clock.cycle()
        if traffic.is_over:
            break
    bench.storage.forget()


class _Clock:
    """Steps the traffic; a second look at the pins only where tags need it."""

    def __init__(self, dut: Any, traffic: Traffic) -> None:
        self._traffic = traffic
        self._rising = RisingEdge(dut.clk)
        self._falling = FallingEdge(dut.clk) if traffic.has_tags else None

    async def cycle(self) -> None:
        """From one edge to the next, or to the falling one behind it."""
        await self._rising
        self._traffic.sample()
        self._traffic.drive()
        if self._falling is not None:
            await self._falling
            self._traffic.respond()


async def _reset(dut: Any, job: Job) -> None:
    dut.rst.value = 1
    for ingress in job.ingresses:
        getattr(dut, f"{ingress.endpoint}_valid").value = 0
    for egress in job.egresses:
        getattr(dut, f"{egress.endpoint}_ready").value = 0
    for manager in (item for item in job.managers if item.protocol == "stream"):
        getattr(dut, f"{manager.name}_req_ready").value = 0
        getattr(dut, f"{manager.name}_rsp_valid").value = 0
    for subordinate in (item for item in job.subordinates if item.protocol == "stream"):
        getattr(dut, f"{subordinate.name}_req_valid").value = 0
        getattr(dut, f"{subordinate.name}_rsp_ready").value = 0
    for name in job.idle:
        getattr(dut, name).value = 0
    for _ in range(_RESET_CYCLES):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    await RisingEdge(dut.clk)


def _pins(dut: Any, item: IngressJob | EgressJob) -> EndpointPins:
    return EndpointPins(
        valid=getattr(dut, f"{item.endpoint}_valid"),
        ready=getattr(dut, f"{item.endpoint}_ready"),
        data=getattr(dut, f"{item.endpoint}_data") if item.width else None,
        tag=getattr(dut, f"{item.endpoint}_tag") if item.tag_width else None,
    )


def _states(dut: Any, job: Job) -> dict[int, RowState] | None:
    """What each row has, read through the hierarchy."""

    def read(row: RowJob, name: str) -> int | None:
        try:
            return int(descend(dut, f"{row.instance}.{name}").value)
        except (AttributeError, ValueError):
            return None

    return read_states(job.rows, read)


def _manager_pins(dut: Any, name: str) -> ManagerPins:
    def look_up(port: str) -> tuple[Pin, int] | None:
        handle: Any = getattr(dut, port, None)
        return None if handle is None else (handle, len(handle))

    return ManagerPins.find(look_up, name)
