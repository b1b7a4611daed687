"""cocotb bench of rows and masters that race at one Local Memory Service; notes what came.

The clock is driven from here, so a ``RisingEdge`` wakes the bench before registers change: what is
read then stood on the pins before the edge, and what is written then stands there after it.
"""

import os
import pickle
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from sim.checks import answer_finding
from sim.history import Operation
from sim.programming_host import PERIOD_NS, ProgrammingHost
from sim.race_host import RaceHost
from sim.race_job import RaceJob, RaceRecord, RaceSegment
from sim.race_traffic import Lockstep, PortPins, PortTraffic, RowTraffic
from sim.stalls import Stall, stalls
from sim.storage import Storage

_RESET_CYCLES = 4
#: Answers of the programming host come within so many cycles; nobody stands still for so long.
_BOUND = 2000
_PATIENCE = 3000
_INPUTS, _OUTPUTS = ("addr", "data", "expected", "ctrl"), ("read", "success", "done")


@cocotb.test()
async def races(dut: Any) -> None:
    """Play every segment; what they find is data, not a failure of this test."""
    job: RaceJob = pickle.loads(Path(os.environ["FABRICGEN_RACES"]).read_bytes())
    dut.rst.value = 1
    Clock(dut.clk, PERIOD_NS, unit="ns").start()
    host = ProgrammingHost(dut, _BOUND)
    hosts = [RaceHost(dut, name, job.memory.word_bytes) for name in job.hosts]
    storage = Storage(dut, job.memory)
    ports = [_pins(dut, port) for port in range(job.ports)]
    for pins in ports:
        for end in (*_INPUTS, *_OUTPUTS):
            pins.get(end, "valid" if end in _INPUTS else "ready").value = 0
    edge = RisingEdge(dut.clk)
    for _ in range(_RESET_CYCLES):
        await edge
    dut.rst.value = 0
    await edge
    storage.preload()
    before = job.memory.before
    with Path(os.environ["FABRICGEN_RECORDS"]).open("wb") as file:
        for segment in job.segments:
            if segment.restores:
                storage.forget()
                storage.preload()
                before = job.memory.before
            record = await _play(dut, segment, before, ports, host, hosts, storage)
            pickle.dump(record, file, protocol=pickle.HIGHEST_PROTOCOL)
            before = record.after
            if record.faults:
                return


async def _play(
    dut: Any,
    segment: RaceSegment,
    before: bytes,
    ports: list[PortPins],
    host: ProgrammingHost,
    hosts: list[RaceHost],
    storage: Storage,
) -> RaceRecord:
    answers = [(step, await host.access(step)) for step in segment.program]
    faults = [str(found) for each in answers if (found := answer_finding(*each)) is not None]
    resets = sum(each.resets for each in hosts)
    parts = [*_port_traffic(segment, ports), *_begun(segment, hosts)]
    history: list[Operation] = []
    edge = RisingEdge(dut.clk)
    cycle = moved_at = 0
    while not all(part.is_done for part in parts):
        await edge
        for part in parts:
            if part.sample(cycle, history):
                moved_at = cycle
        for part in parts:
            part.drive(cycle)
        cycle += 1
        if cycle - moved_at > _PATIENCE:
            waiting = ", ".join(part.name for part in parts if not part.is_done)
            faults.append(f"Nothing has moved for {_PATIENCE} cycles, at {cycle}: {waiting}")
            break
    for pins in ports:
        for end in _OUTPUTS:
            pins.get(end, "ready").value = 0
    for each in hosts:
        faults += each.close()
    after = storage.read()
    if None in after:
        faults.append("The memory has unknown bits")
    return RaceRecord(
        segment.seed,
        segment.pattern,
        history,
        before,
        bytes(byte or 0 for byte in after),
        cycle,
        sum(each.resets for each in hosts) - resets,
        tuple(faults),
    )


class _Ending:
    """A stall that ends."""

    def __init__(self, stall: Stall, end: int) -> None:
        self._stall, self._end = stall, end

    def willing(self, cycle: int, moved: bool) -> bool:
        return cycle >= self._end or self._stall.willing(cycle, moved)


def _drawn(segment: RaceSegment, groups: list[list[str]], seed: int) -> dict[str, Stall]:
    """Stalls of the segment."""
    drawn = stalls(segment.pattern, groups, seed)
    return {name: _Ending(stall, segment.stalled_cycles) for name, stall in drawn.items()}


def _port_traffic(segment: RaceSegment, ports: list[PortPins]) -> list[PortTraffic | Lockstep]:
    """Traffic of every port that has rows, and who holds it back."""
    seen: dict[tuple[int, int], int] = {}
    fixed = segment.fixed or (None,) * len(segment.rows)
    rows = [
        RowTraffic(row, ordinal, segment.firings, segment.addresses, segment.seed, seen, access)
        for ordinal, (row, access) in enumerate(zip(segment.rows, fixed, strict=True))
    ]
    for row in rows:
        if row.row.control is not None:
            rows[row.row.control].followers.append(row)
    ends = (*_INPUTS, *_OUTPUTS)
    groups = [[f"p{port}_{end}" for end in ends] for port in range(len(ports))]
    drawn = _drawn(segment, groups, segment.seed)
    threads = [[rows[ordinal] for ordinal in thread] for thread in segment.threads]
    lockstep = [Lockstep(threads, segment.seed)] if threads else []
    return lockstep + [
        PortTraffic(pins, own, {end: drawn[f"p{port}_{end}"] for end in ends})
        for port, pins in enumerate(ports)
        if (own := [row for row in rows if row.row.port == port])
    ]


def _begun(segment: RaceSegment, hosts: list[RaceHost]) -> list[RaceHost]:
    """Masters at the beginning of their traffic."""
    for host in hosts:
        channels = ["aw", "w", "b", "ar", "r"]
        drawn = _drawn(segment, [channels], segment.seed + 1 + hosts.index(host))
        host.begin(segment.transfers, segment.addresses, drawn, segment.seed)
    return hosts


def _pins(dut: Any, port: int) -> PortPins:
    signals = {
        (end, signal): getattr(dut, f"p{port}_{end}_{signal}", None)
        for end in (*_INPUTS, *_OUTPUTS)
        for signal in ("valid", "ready", "data", "tag")
    }
    return PortPins({key: pin for key, pin in signals.items() if pin is not None})
