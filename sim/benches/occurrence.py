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
from cocotb.handle import Immediate
from cocotb.triggers import FallingEdge, RisingEdge, SimTimeoutError, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

from sim.axi4_agent import Axi4Agent
from sim.bus_host import BusHost
from sim.checks import Answer, answer_finding, end_findings, read_flags
from sim.endpoints import EndpointPins, Pin
from sim.findings import Findings
from sim.job import (
    EgressJob,
    IngressJob,
    Job,
    MemoryJob,
    RowJob,
    Run,
    RunResult,
    Step,
    write_results,
)
from sim.manager_agent import ManagerPins
from sim.memory_image import Byte, bytes_of_text, bytes_of_words, words_of_bytes
from sim.probes import read_states
from sim.traffic import Traffic
from sim.wait_for import RowState

_PERIOD_NS = 10
_RESET_CYCLES = 4

#: Cycles of traffic, at most, before the reset that interrupts a run.
_LONGEST_INTERRUPTED = 40


@cocotb.test()
async def occurrence(dut: Any) -> None:
    """Run every pass of the job; what they find is data, not a failure of this test."""
    job = Job.read(Path(os.environ["FABRICGEN_JOB"]))
    dut.rst.value = 1
    Clock(dut.clk, _PERIOD_NS, unit="ns").start()
    buses = {item.name: Axi4Agent(dut, item) for item in job.managers if item.protocol == "axi4"}
    hosts = {
        item.name: BusHost(dut, item) for item in job.subordinates if item.protocol != "stream"
    }
    bench = _Bench(dut, job, _Host(dut, job.bound), _Storage(dut, job.memory), buses, hosts)
    results = [await _run(bench, run) for run in job.runs]
    write_results(results, Path(os.environ["FABRICGEN_RESULTS"]))


@dataclass(frozen=True, slots=True)
class _Bench:
    """The design, what to do with it, and what stands around it from run to run."""

    dut: Any
    job: Job
    host: "_Host"
    storage: "_Storage"
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


class _Host:
    """The programming host: an AXI4-Lite master that this project did not write."""

    def __init__(self, dut: Any, bound: int) -> None:
        self._master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "cfg"), dut.clk, dut.rst)
        self._timeout_ns = _PERIOD_NS * (bound + 100)

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
            return int(_descend(dut, f"{row.instance}.{name}").value)
        except (AttributeError, ValueError):
            return None

    return read_states(job.rows, read)


def _manager_pins(dut: Any, name: str) -> ManagerPins:
    def look_up(port: str) -> tuple[Pin, int] | None:
        handle: Any = getattr(dut, port, None)
        return None if handle is None else (handle, len(handle))

    return ManagerPins.find(look_up, name)


class _Storage:
    """The banks' words, reached through the hierarchy."""

    def __init__(self, dut: Any, memory: MemoryJob | None) -> None:
        memory = memory or MemoryJob(b"", b"", 1, ())
        self._memory = memory
        self._before = words_of_bytes(memory.before, memory.word_bytes, len(memory.banks))
        arrays = [_descend(dut, path) for path in memory.banks]
        self._words = [
            [array[index] for index in range(len(contents))]
            for array, contents in zip(arrays, self._before, strict=True)
        ]
        self._texts = [[""] * len(contents) for contents in self._before]

    def preload(self) -> None:
        """Write every word that is not known to hold its initial contents."""
        width = 8 * self._memory.word_bytes
        for handles, texts, contents in zip(self._words, self._texts, self._before, strict=True):
            for handle, text, word in zip(handles, texts, contents, strict=True):
                if text != f"{word:0{width}b}":
                    handle.value = Immediate(word)

    def forget(self) -> None:
        """Somebody wrote: nothing is known of any word."""
        self._texts = [[""] * len(texts) for texts in self._texts]

    def read(self) -> list[Byte]:
        """Read every byte."""
        self._texts = [[str(handle.value) for handle in handles] for handles in self._words]
        words = [[bytes_of_text(text) for text in texts] for texts in self._texts]
        return bytes_of_words(words, len(self._memory.after))


def _descend(dut: Any, path: str) -> Any:
    handle = dut
    for name in path.split("."):
        handle = getattr(handle, name)
    return handle
