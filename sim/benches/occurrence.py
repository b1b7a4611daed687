"""cocotb bench of one emitted fabric: does what the job file says and writes down what came.

The clock is driven from here, so a ``RisingEdge`` wakes the bench before registers change, on
Verilator and on Icarus alike: what is read then stood on the pins before the edge, and what is
written then stands there after it.
"""

import os
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.handle import Immediate
from cocotb.triggers import RisingEdge, SimTimeoutError, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

from sim.findings import Finding, Findings
from sim.job import EgressJob, IngressJob, Job, MemoryJob, Run, RunResult, Step, write_results
from sim.memory_image import Byte, bytes_of_text, bytes_of_words, words_of_bytes
from sim.monitors import memory_findings, sticky_findings
from sim.traffic import EndpointPins, Traffic

_PERIOD_NS = 10
_RESET_CYCLES = 4


@cocotb.test()
async def occurrence(dut: Any) -> None:
    """Run every pass of the job; what they find is data, not a failure of this test."""
    job = Job.read(Path(os.environ["FABRICGEN_JOB"]))
    dut.rst.value = 1
    Clock(dut.clk, _PERIOD_NS, unit="ns").start()
    host = _Host(dut, job.bound)
    results = [await _run(dut, host, job, run) for run in job.runs]
    write_results(results, Path(os.environ["FABRICGEN_RESULTS"]))


async def _run(dut: Any, host: "_Host", job: Job, run: Run) -> RunResult:
    findings = Findings()
    await _reset(dut, job)
    _preload(dut, job.memory)
    for step in job.program:
        await host.check(step, findings)

    pins = {item.endpoint: _pins(dut, item) for item in (*job.ingresses, *job.egresses)}
    edge = RisingEdge(dut.clk)
    await edge
    traffic = Traffic(job, run, pins, findings)
    while not traffic.is_over:
        await edge
        traffic.sample()
        traffic.drive()
    rows = traffic.close()

    await _check_flags(host, job, traffic.cycle, findings)
    for finding in memory_findings(traffic.cycle, job.memory.after, _contents(dut, job.memory)):
        findings.add(finding)
    return RunResult(
        run.pattern, run.seed, traffic.cycle, rows, findings.count, tuple(findings.kept)
    )


class _Host:
    """The programming host: an AXI4-Lite master that this project did not write."""

    def __init__(self, dut: Any, bound: int) -> None:
        self._master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "cfg"), dut.clk, dut.rst)
        self._timeout_ns = _PERIOD_NS * (bound + 100)

    async def check(self, step: Step, findings: Findings) -> None:
        """Do one access; report another answer than the step's, or none."""
        answer = await self.access(step)
        expected = (step.response, None if step.write else step.data)
        if answer != expected:
            kind = "Write to" if step.write else "Read from"
            findings.add(
                Finding(
                    "program",
                    0,
                    f"{kind} {step.address:#x} is answered otherwise",
                    expected=_answer(expected),
                    got=_answer(answer),
                )
            )

    async def read(self, address: int) -> int:
        """Read one word; all ones where nothing answers."""
        _, data = await self.access(Step(False, address, 0))
        return 0xFFFFFFFF if data is None else data

    async def access(self, step: Step) -> tuple[str, int | None]:
        if step.write:
            wait = self._master.write(step.address, step.data.to_bytes(4, "little"))
        else:
            wait = self._master.read(step.address, 4)
        try:
            result = await with_timeout(wait, self._timeout_ns, "ns")
        except SimTimeoutError:
            return ("no answer", None)
        data = None if step.write else int.from_bytes(result.data, "little")
        return (AxiResp(result.resp).name, data)


def _answer(answer: tuple[str, int | None]) -> str:
    response, data = answer
    return response if data is None else f"{response} {data:#010x}"


async def _reset(dut: Any, job: Job) -> None:
    dut.rst.value = 1
    for ingress in job.ingresses:
        getattr(dut, f"{ingress.endpoint}_valid").value = 0
    for egress in job.egresses:
        getattr(dut, f"{egress.endpoint}_ready").value = 0
    for _ in range(_RESET_CYCLES):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    await RisingEdge(dut.clk)


def _pins(dut: Any, item: IngressJob | EgressJob) -> EndpointPins:
    return EndpointPins(
        valid=getattr(dut, f"{item.endpoint}_valid"),
        ready=getattr(dut, f"{item.endpoint}_ready"),
        data=getattr(dut, f"{item.endpoint}_data") if item.width else None,
    )


async def _check_flags(host: _Host, job: Job, cycle: int, findings: Findings) -> None:
    at_flags, at_row, at_address = job.flags
    flags = await host.read(at_flags)
    # Row and address are registers without reset: they mean nothing while the flag is clear.
    row, address = [await host.read(at) if flags & 1 else 0 for at in (at_row, at_address)]
    for finding in sticky_findings(cycle, bool(flags & 1), row, address, job.faults):
        findings.add(finding)
    is_quiescent = bool(flags & 2)
    if is_quiescent != job.is_quiescent:
        findings.add(
            Finding(
                "quiescent",
                cycle,
                "The occurrence must be quiescent exactly when nothing is left inside",
                expected=str(int(job.is_quiescent)),
                got=str(int(is_quiescent)),
            )
        )


def _bank(dut: Any, path: str) -> Any:
    handle = dut
    for name in path.split("."):
        handle = getattr(handle, name)
    return handle


def _preload(dut: Any, memory: MemoryJob) -> None:
    words = words_of_bytes(memory.before, memory.word_bytes, len(memory.banks))
    for path, contents in zip(memory.banks, words, strict=True):
        array = _bank(dut, path)
        for index, word in enumerate(contents):
            array[index].value = Immediate(word)


def _contents(dut: Any, memory: MemoryJob) -> list[Byte]:
    rows = range(-(-len(memory.after) // (memory.word_bytes * len(memory.banks))))
    arrays = [_bank(dut, path) for path in memory.banks]
    words = [[bytes_of_text(str(array[index].value)) for index in rows] for array in arrays]
    return bytes_of_words(words, len(memory.after))
