"""cocotb bench of an AXI4 subordinate adapter: transactions in front, a memory of beats behind.

In front is the master of `cocotbext-axi`, which we did not write, or random transactions of every
kind, which it does not make.
"""

import json
import os
import random
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiBus, AxiMaster, AxiResp

from sim.axi4_rules import Axi4Rules, bus_values
from sim.axi4_traffic import RESERVED, Axi4Traffic, BeatMemory

_FIELDS = {
    "req": ("valid", "ready", "kind", "origin", "beat", "address", "strobe", "data"),
    "rsp": ("valid", "ready", "origin", "beat", "data", "error"),
}


class _Pins:
    """Signals of the bus and of the stream, by name."""

    def __init__(self, dut) -> None:
        found = {child._name: child for child in dut}
        self.bus = {name[4:]: pin for name, pin in found.items() if name.startswith("bus_")}
        # The hierarchy has inner signals with such names, too.
        self.stream = {
            f"{side}_{field}": found[f"stream_{side}_{field}"]
            for side, fields in _FIELDS.items()
            for field in fields
            if f"stream_{side}_{field}" in found
        }

    def sample_bus(self) -> dict[str, int]:
        """Payloads count only while they are valid."""
        return bus_values(self.bus)

    def sample_stream(self) -> dict[str, int]:
        """The same of the stream."""
        values = {
            name: int(self.stream[name].value)
            for name in ("req_valid", "req_ready", "rsp_valid", "rsp_ready")
        }
        for name, pin in self.stream.items():
            if name.startswith("req_") and name not in values:
                values[name] = int(pin.value) if values["req_valid"] else 0
        return values

    @staticmethod
    def drive(pins, values) -> None:
        """Set those of the values that have pins."""
        for name, value in values.items():
            if name in pins:
                pins[name].value = value & (1 << len(pins[name])) - 1


async def _reset(dut, pins) -> None:
    inputs = [name for name in pins.bus if name[:2] in ("aw", "ar") and not name.endswith("ready")]
    inputs += ["wdata", "wstrb", "wlast", "wvalid", "bready", "rready"]
    pins.drive(pins.bus, dict.fromkeys(inputs, 0))
    pins.drive(pins.stream, dict.fromkeys(("req_ready", "rsp_valid"), 0))
    dut.hold.value = 0
    dut.rst.value = 1
    await ClockCycles(dut.clk, 3)
    dut.rst.value = 0


async def _own(dut, job) -> dict:
    """Random transactions of every kind."""
    pins = _Pins(dut)
    bad = range(*job["bad"])
    size = len(dut.stream_req_strobe)
    width = len(pins.bus["arid" if "arid" in pins.bus else "awid"])
    traffic = Axi4Traffic(size, width, seed=job["seed"], bad=bad, **job["traffic"])
    memory = BeatMemory(size, job["seed"], bad=bad, **job["memory"])
    rules = Axi4Rules(size)
    await _reset(dut, pins)
    transfers, cycle = [], 0
    legal = max(traffic.bursts) < RESERVED
    while not traffic.is_done:
        pins.drive(pins.bus, traffic.drive())
        pins.drive(pins.stream, memory.drive())
        await RisingEdge(dut.clk)
        values = pins.sample_bus()
        if legal:
            rules.sample(values)
        traffic.sample(values)
        memory.sample(pins.sample_stream())
        fires = [values.get(f"{side}valid", 0) and values[f"{side}ready"] for side in "rw"]
        transfers += [cycle] * sum(map(bool, fires))
        cycle += 1
        assert cycle < 400 * traffic.count + 1000, "the bench must end"
    rules.close()
    for faults in (rules.faults, traffic.faults, memory.faults):
        assert not faults, faults[:3]
    assert memory.bytes == traffic.written, "memory holds what was written, and nothing else"
    assert memory.touched <= traffic.asked, "bytes were read that nobody asked for"
    return {"cycles": cycle, "transfers": transfers, "responses": sorted(traffic.responses)}


async def _serve(dut, pins, memory) -> None:
    """Keep the memory going."""
    while True:
        pins.drive(pins.stream, memory.drive())
        await RisingEdge(dut.clk)
        memory.sample(pins.sample_stream())


async def _foreign(dut, job) -> dict:
    """The master that is not ours: unaligned and narrow INCR bursts, several at once."""
    pins, rng = _Pins(dut), random.Random(job["seed"])
    size = len(dut.stream_req_strobe)
    memory = BeatMemory(size, job["seed"], bad=range(*job["bad"]), **job["memory"])
    master = AxiMaster(AxiBus.from_prefix(dut, "bus"), dut.clk, dut.rst)
    for side, names in ((master.write_if, ("aw", "w", "b")), (master.read_if, ("ar", "r"))):
        for name in names:
            channel = getattr(side, f"{name}_channel")
            channel.set_pause_generator(iter(lambda: rng.random() < job["stalls"], None))
    pins.drive(pins.stream, dict.fromkeys(("req_ready", "rsp_valid"), 0))
    dut.hold.value = 0
    dut.rst.value = 1
    await ClockCycles(dut.clk, 3)
    dut.rst.value = 0
    cocotb.start_soon(_serve(dut, pins, memory))
    expected: dict[int, int] = {}

    async def one(base: int) -> None:
        """Write, then read, bytes that belong to nobody else."""
        for _ in range(3):
            address, narrow = base + rng.randrange(300), rng.randint(0, size.bit_length() - 1)
            data = rng.randbytes(rng.randint(1, 200))
            done = await master.write(address, data, size=narrow)
            assert done.resp == AxiResp.OKAY
            expected.update(zip(range(address, address + len(data)), data, strict=True))
            got = await master.read(address, len(data), size=rng.randint(0, size.bit_length() - 1))
            assert (got.resp, bytes(got.data)) == (AxiResp.OKAY, data)

    tasks = [cocotb.start_soon(one(0x10_0F00 + 0x1000 * each)) for each in range(job["count"])]
    for task in tasks:
        await task
    if job["bad"][1]:
        low = job["bad"][0]
        assert (await master.write(low, b"\x01")).resp == AxiResp.DECERR
        assert (await master.read(low, 1)).resp == AxiResp.DECERR
    assert memory.bytes == expected
    assert not memory.faults, memory.faults[:3]
    return {"beats": memory.beats}


@cocotb.test()
async def transactions_reach_the_memory_and_every_rule_is_kept(dut):
    jobs = json.loads(os.environ["FABRICGEN_AXI4"])
    Clock(dut.clk, 10, unit="ns").start()
    figures = [await (_own if "traffic" in job else _foreign)(dut, job) for job in jobs]
    Path(os.environ["FABRICGEN_FIGURES"]).write_text(json.dumps(figures))
