"""Run a job on Amaranth's own simulator: no compiler, no cocotb, and a hundred times slower.

The design is the one that is emitted, before it becomes Verilog; traffic and monitors are those
of the cocotb bench.
"""

from functools import partial
from pathlib import Path
from typing import Any

from amaranth.hdl import Signal
from amaranth.sim import Simulator

from fabricgen.emit.package import top_ports
from fabricgen.records.fabric import Fabric
from fabricgen.rtl.fabric_top import FabricTop
from fabricgen.rtl.spatial.port import SpatialPort
from sim.checks import Answer, answer_finding, end_findings, read_flags
from sim.endpoints import EndpointPins, Pin
from sim.findings import Findings
from sim.job import Job, MemoryJob, RowJob, Run, RunResult, Step
from sim.manager_agent import ManagerPins
from sim.memory_image import Byte, bytes_of_words, words_of_bytes
from sim.probes import read_states
from sim.traffic import Traffic
from sim.wait_for import RowState

__all__ = ["run_job"]

_PERIOD_S = 1e-8
_RESPONSES = {0: "OKAY", 2: "SLVERR", 3: "DECERR"}


def run_job(
    fabric: Fabric, job: Job, directory: Path, *, waves: bool
) -> tuple[tuple[RunResult, ...], Path | None]:
    """Run every pass; return what came, and the waveform of the last pass."""
    directory.mkdir(parents=True, exist_ok=True)
    waves_file = directory / "dump.vcd" if waves else None
    return tuple(_run(fabric, job, run, waves_file) for run in job.runs), waves_file


def _run(fabric: Fabric, job: Job, run: Run, waves_file: Path | None) -> RunResult:
    """A fresh simulation for each pass stands for the reset between them."""
    results: list[RunResult] = []
    top = FabricTop(fabric)
    wires = {name: signal for name, (signal, _) in top_ports(top).items()}
    memory = job.memory or MemoryJob(b"", b"", 1, ())
    service = top.occurrence.service
    banks = [] if service is None else [bank.mem.data for bank in service.banks]

    async def bench(ctx: Any) -> None:
        findings = Findings()
        _preload(ctx, banks, memory)
        host = _Host(ctx, wires, job.bound)
        for step in job.program:
            if finding := answer_finding(step, await host.access(step)):
                findings.add(finding)
        endpoints = (*job.ingresses, *job.egresses)
        pins = {item.endpoint: _pins(ctx, wires, item.endpoint) for item in endpoints}
        streams = (*job.managers, *job.subordinates)
        managers = {item.name: _manager_pins(ctx, wires, item.name) for item in streams}
        states = partial(_states, ctx, top, job)
        traffic = Traffic(job, run, pins, findings, managers, states)
        while not traffic.is_over:
            traffic.sample()
            await ctx.tick()
            traffic.drive()
            traffic.respond()
        rows = traffic.close()
        flags, contents = await read_flags(job.registers, host.read), _contents(ctx, banks, memory)
        for finding in end_findings(job, traffic.cycle, flags, contents, traffic.managers):
            findings.add(finding)
        results.append(
            RunResult(
                run.pattern,
                run.seed,
                traffic.cycle,
                rows,
                findings.count,
                tuple(findings.kept),
                traffic.served,
            )
        )

    simulator = Simulator(top)
    simulator.add_clock(_PERIOD_S)
    simulator.add_testbench(bench)
    if waves_file is None:
        simulator.run()
    else:
        with simulator.write_vcd(str(waves_file)):
            simulator.run()
    return results[0]


class _Pin:
    """One signal as :class:`sim.traffic.Pin` sees it."""

    def __init__(self, ctx: Any, signal: Signal) -> None:
        self._ctx = ctx
        self._signal = signal

    @property
    def value(self) -> int:
        return self._ctx.get(self._signal)

    @value.setter
    def value(self, value: int) -> None:
        self._ctx.set(self._signal, value)


def _pins(ctx: Any, wires: dict[str, Signal], endpoint: str) -> EndpointPins:
    valid, ready = (_Pin(ctx, wires[f"{endpoint}_{part}"]) for part in ("valid", "ready"))
    data, tag = (
        None if wire is None else _Pin(ctx, wire)
        for wire in (wires.get(f"{endpoint}_{part}") for part in ("data", "tag"))
    )
    return EndpointPins(valid, ready, data, tag)


def _states(ctx: Any, top: FabricTop, job: Job) -> dict[int, RowState] | None:
    """What each row has, read out of its port."""
    engine = top.occurrence.engine
    if engine is None:
        return None
    ports = dict(zip(top.occurrence.named.names.ports, engine.ports, strict=True))

    def read(row: RowJob, name: str) -> int | None:
        port = ports[row.port]
        if isinstance(port, SpatialPort):
            if not port.counted:
                return None
            names = [f"present_{path.name}" for path in port.shape.inputs]
            names += ["claim", "issued", "held", "complete"]
            return ctx.get(port.waits) >> names.index(name) & 1 if name in names else None
        signal = getattr(port, name, None)
        return None if signal is None else ctx.get(signal)

    return read_states(job.rows, read)


def _manager_pins(ctx: Any, wires: dict[str, Signal], name: str) -> ManagerPins:
    def look_up(port: str) -> tuple[Pin, int] | None:
        wire = wires.get(port)
        return None if wire is None else (_Pin(ctx, wire), len(wire))

    return ManagerPins.find(look_up, name)


def _preload(ctx: Any, banks: list[Any], memory: MemoryJob) -> None:
    contents = words_of_bytes(memory.before, memory.word_bytes, len(banks))
    for data, words in zip(banks, contents, strict=True):
        for index, word in enumerate(words):
            ctx.set(data[index], word)


def _contents(ctx: Any, banks: list[Any], memory: MemoryJob) -> list[Byte]:
    size = memory.word_bytes
    words = [
        [list(ctx.get(data[index]).to_bytes(size, "little")) for index in range(data.depth)]
        for data in banks
    ]
    return bytes_of_words(words, len(memory.after))


class _Host:
    """A plain AXI4-Lite master: one access at a time, address and data together."""

    def __init__(self, ctx: Any, wires: dict[str, Signal], bound: int) -> None:
        self._ctx = ctx
        self._wires = {name.removeprefix("cfg_"): wire for name, wire in wires.items()}
        self._bound = bound + 100

    async def read(self, address: int) -> int:
        """Read one word; all ones where nothing answers."""
        _, data = await self.access(Step(False, address, 0))
        return 0xFFFFFFFF if data is None else data

    async def access(self, step: Step) -> Answer:
        """Do one access; ``no answer`` where none comes in time."""
        if step.write:
            self._set(awaddr=step.address, wdata=step.data, wstrb=15)
        else:
            self._set(araddr=step.address)
        requests, response = ({"aw", "w"}, "b") if step.write else ({"ar"}, "r")
        if not await self._wait(requests, response):
            return ("no answer", None)
        name = _RESPONSES.get(self._get(f"{response}resp"), "EXOKAY")
        answer = (name, None if step.write else self._get("rdata"))
        self._set(**{f"{response}ready": 1})
        await self._ctx.tick()
        self._set(**{f"{response}ready": 0})
        return answer

    async def _wait(self, requests: set[str], response: str) -> bool:
        """Offer the requests until each is taken; return with the response still offered."""
        for name in requests:
            self._set(**{f"{name}valid": 1})
        for _ in range(self._bound):
            if not requests and self._get(f"{response}valid"):
                return True
            taken = {name for name in requests if self._get(f"{name}ready")}
            await self._ctx.tick()
            for name in taken:
                self._set(**{f"{name}valid": 0})
            requests -= taken
        return False

    def _set(self, **values: int) -> None:
        for name, value in values.items():
            self._ctx.set(self._wires[name], value)

    def _get(self, name: str) -> int:
        return self._ctx.get(self._wires[name])
