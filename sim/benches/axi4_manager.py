"""cocotb bench of an AXI4 manager adapter: random beats in front, a memory behind.

The memory is that of `cocotbext-axi`, which we did not write, or one that reorders and
interleaves what it answers, which the other does not.
"""

import json
import os
import random
from dataclasses import dataclass
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, Timer

from sim.axi4_agent import foreign_memory
from sim.axi4_memory import Axi4Memory, Pace
from sim.axi4_rules import Axi4Rules, bus_values
from sim.beat_traffic import BeatTraffic, StreamWidths, initial_byte


@dataclass
class Job:
    """One run.

    Parameters
    ----------
    widths
        Of the stream.
    seed, runs
        Random beats.
    traffic
        Further parameters of :class:`BeatTraffic`.
    pace
        Of our memory; without one `cocotbext-axi` answers.
    bad
        Addresses at which memory fails, as the parameters of a range.
    stalls
        Probability by which channels of `cocotbext-axi` pause.
    """

    widths: dict
    seed: int
    runs: int
    traffic: dict
    pace: dict | None = None
    bad: tuple[int, ...] = (0, 0)
    stalls: float = 0.4


class _Region:
    """Target of the foreign memory; whole words, as it reads them."""

    def __init__(self, bad: range) -> None:
        self.bytes: dict[int, int] = {}
        self._bad = bad

    async def read(self, address, length):
        self._refuse(address, length)
        places = range(address, address + length)
        return bytes(self.bytes.get(at, initial_byte(at)) for at in places)

    async def write(self, address, data):
        self._refuse(address, len(data))
        self.bytes.update(zip(range(address, address + len(data)), data, strict=True))

    def _refuse(self, address, length):
        if any(at in self._bad for at in range(address, address + length)):
            raise ValueError("this address fails")


class _Pins:
    """Signals of the bus and of the stream, by name."""

    def __init__(self, dut) -> None:
        self.dut = dut
        found = {child._name: child for child in dut}
        self.bus = {name[4:]: pin for name, pin in found.items() if name.startswith("bus_")}
        self.request = {
            name[11:]: pin for name, pin in found.items() if name.startswith("stream_req_")
        }
        self.answer = {
            name[11:]: pin for name, pin in found.items() if name.startswith("stream_rsp_")
        }

    def sample(self) -> dict[str, int]:
        """The bus; payloads count only while they are valid."""
        return bus_values(self.bus)

    @staticmethod
    def drive(pins, values) -> None:
        """Set those of the values that have pins."""
        for name, value in values.items():
            if name in pins:
                pins[name].value = value & (1 << len(pins[name])) - 1


def _foreign(dut, bus, job: Job, bad: range):
    """The memory that is not ours, with channels that pause at random."""
    region = _Region(bad)
    rng = random.Random(job.seed)
    for channel in foreign_memory(dut, "bus", bus, region).values():
        channel.set_pause_generator(iter(lambda: rng.random() < job.stalls, None))
    return region


async def _reset(dut, pins, both_sides: bool) -> None:
    pins.drive(pins.request, dict.fromkeys(pins.request, 0))
    dut.stream_rsp_ready.value = 1
    if both_sides:
        quiet = {name: 0 for name in pins.bus if name[:1] in "br" or name.endswith("ready")}
        quiet = {name: 0 for name in quiet if name not in ("bready", "rready")}
        pins.drive(pins.bus, quiet)
    dut.rst.value = 1
    await ClockCycles(dut.clk, 3)
    dut.rst.value = 0


async def run(dut, job: Job, own: bool) -> dict:
    """Drive one job to its end; figures of it."""
    pins = _Pins(dut)
    widths = StreamWidths(**job.widths | {"origins": tuple(job.widths["origins"])})
    bad = range(*job.bad)
    traffic = BeatTraffic(widths, job.runs, job.seed, bad=bad, **job.traffic)
    rules = Axi4Rules(widths.beat_bytes)
    memory = Axi4Memory(widths.beat_bytes, Pace(**job.pace), job.seed, bad) if own else None
    region = None if own else _foreign(dut, pins.bus, job, bad)
    await _reset(dut, pins, own)
    taken, answered, transfers, cycle = [], [], [], 0
    pins.drive(pins.request, traffic.drive())
    if memory:
        pins.drive(pins.bus, memory.drive())
    while not traffic.is_done:
        if memory and memory.pace.order == "both":
            await Timer(1, "ns")
            waiting = {name: int(pins.bus[name].value) for name in ("awvalid", "wvalid")}
            pins.drive(pins.bus, memory.both(waiting))
        await RisingEdge(dut.clk)
        values = pins.sample()
        rules.sample(values)
        if memory:
            memory.sample(values)
        fires = [values.get(f"{side}valid", 0) and values[f"{side}ready"] for side in "rw"]
        transfers += [cycle] * sum(map(bool, fires))
        if int(dut.stream_req_valid.value) and int(dut.stream_req_ready.value):
            traffic.take()
            taken.append(cycle)
        if int(dut.stream_rsp_valid.value):
            fields = {"origin", "beat", "data", "error"} & set(pins.answer)
            traffic.answer(_answer(pins.answer, fields))
            answered.append(cycle)
        cycle += 1
        assert cycle < 200 * job.runs + 5000, "the bench must end"
        pins.drive(pins.request, traffic.drive())
        if memory:
            pins.drive(pins.bus, memory.drive())
    rules.close()
    assert not rules.faults, rules.faults[:3]
    assert not traffic.faults, traffic.faults[:3]
    _compare(traffic, memory.bytes if memory else region.bytes, bad)
    if memory:
        strange = memory.touched - traffic.asked
        assert not strange, f"{len(strange)} bytes were read that nobody asked for"
    return {
        "cycles": cycle,
        "taken": taken,
        "answered": answered,
        "transfers": transfers,
        "reads": [(each.size, each.count) for each in rules.reads],
        "writes": [(each.size, each.count) for each in rules.writes],
        "errors": traffic.errors,
    }


def _answer(pins, fields) -> dict[str, int]:
    """One answer; bytes that nobody asked for may be unknown."""
    values = {name: int(pins[name].value) for name in fields - {"data"}}
    if "data" in fields:
        values["data"] = int(
            "".join(bit if bit in "01" else "1" for bit in str(pins["data"].value)), 2
        )
    return values


def _compare(traffic, got, bad) -> None:
    """Memory holds what was written and nothing else; where it fails, nobody knows."""
    unsure = {address // 4096 for address in bad}
    for address, value in traffic.written.items():
        if address // 4096 not in unsure:
            assert got.get(address) == value, f"{address:#x}"
    strange = set(got) - set(traffic.written)
    assert not strange, f"{len(strange)} bytes were written that nobody asked for"


@cocotb.test()
async def every_beat_is_answered_and_every_rule_kept(dut):
    jobs = [Job(**fields) for fields in json.loads(os.environ["FABRICGEN_AXI4"])]
    Clock(dut.clk, 10, unit="ns").start()
    figures = [await run(dut, job, own=job.pace is not None) for job in jobs]
    Path(os.environ["FABRICGEN_FIGURES"]).write_text(json.dumps(figures))
