"""cocotb bench of the configuration loader, with an AXI4-Lite master that is not ours."""

import json
import os
import random
from itertools import islice

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, Combine, RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

OKAY, SLVERR, DECERR = AxiResp.OKAY, AxiResp.SLVERR, AxiResp.DECERR


async def master(dut):
    """Reset the loader; a master whose channels all pause at random."""
    rng = random.Random(cocotb.RANDOM_SEED)
    Clock(dut.clk, 10, unit="ns").start()
    dut.rst.value = 1
    dut.quiescent.value = 1
    dut.settled.value = 1
    dut.out_of_range.value = 0
    axi = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "cfg"), dut.clk, dut.rst)
    for channel in (
        axi.write_if.aw_channel,
        axi.write_if.w_channel,
        axi.write_if.b_channel,
        axi.read_if.ar_channel,
        axi.read_if.r_channel,
    ):
        channel.set_pause_generator(iter(lambda: rng.random() < 0.4, None))
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    await RisingEdge(dut.clk)
    return axi


async def write(axi, address, value, size=4):
    """Response of one write."""
    return (await axi.write(address, value.to_bytes(size, "little"))).resp


async def read(axi, address):
    """Data and response of one word."""
    answer = await axi.read(address, 4)
    return int.from_bytes(answer.data, "little"), answer.resp


async def fill(axi, job, payload):
    """Write the payload and the identity; words also in part, with strobes, and with junk first.

    Addresses are those of whole words: the map knows no others.
    """
    rng = random.Random(payload)
    for word in range(job["words"]):
        value = (payload >> 32 * word & 0xFFFFFFFF).to_bytes(4, "little")
        assert (await axi.write(4 * word, bytes(rng.randrange(1, 4)))).resp == OKAY
        assert (await axi.write(4 * word, value)).resp == OKAY
        assert (await axi.write(4 * word, value[: rng.randrange(1, 5)])).resp == OKAY
    assert await write(axi, job["identity_word"], job["identity"]) == OKAY


async def active(axi, job):
    """The active payload."""
    words = [await read(axi, 4 * word) for word in range(job["words"])]
    assert all(response == OKAY for _data, response in words)
    return sum(data << 32 * word for word, (data, _response) in enumerate(words))


@cocotb.test()
async def payloads_are_programmed_and_read_back(dut):
    job = json.loads(os.environ["FABRICGEN_LOADER"])
    axi = await master(dut)
    assert await active(axi, job) == 0
    rng = random.Random(cocotb.RANDOM_SEED)
    for payload in islice(iter(lambda: rng.getrandbits(job["bits"]) & job["storable"], None), 4):
        before = await active(axi, job)
        await fill(axi, job, payload)
        assert await active(axi, job) == before
        assert await read(axi, job["status"]) == (1, OKAY)
        assert await write(axi, job["commit"], 1) == OKAY
        assert await active(axi, job) == payload
        assert int(dut.configuration.value) == payload


@cocotb.test()
async def what_must_not_become_active_does_not(dut):
    job = json.loads(os.environ["FABRICGEN_LOADER"])
    axi = await master(dut)
    assert await write(axi, job["commit"], 1) == SLVERR
    await fill(axi, job, job["storable"])
    assert await write(axi, job["identity_word"], job["identity"] ^ 4) == OKAY
    assert await write(axi, job["commit"], 1) == SLVERR
    assert await write(axi, job["identity_word"], job["identity"]) == OKAY
    dut.quiescent.value = 0
    dut.settled.value = 0
    assert await write(axi, job["commit"], 1) == SLVERR
    assert await active(axi, job) == 0
    dut.quiescent.value = 1
    dut.settled.value = 1
    assert await write(axi, job["commit"], 1) == OKAY
    assert await active(axi, job) == job["storable"]


@cocotb.test()
async def accesses_outside_the_map_are_refused(dut):
    job = json.loads(os.environ["FABRICGEN_LOADER"])
    axi = await master(dut)
    for address in (job["beyond"], 0x1000, 0xFFFFFFFC, 1):
        assert await write(axi, address, 0, 1) == DECERR
    assert (await read(axi, job["beyond"]))[1] == DECERR
    assert await write(axi, job["status"], 1) == SLVERR
    assert await write(axi, 4 * job["words"] - 4, 1 << 31) == SLVERR


@cocotb.test()
async def reads_and_writes_do_not_disturb_each_other(dut):
    job = json.loads(os.environ["FABRICGEN_LOADER"])
    axi = await master(dut)

    async def look():
        for _ in range(20):
            assert await active(axi, job) == 0

    await Combine(cocotb.start_soon(look()), cocotb.start_soon(fill(axi, job, job["storable"])))
    assert await write(axi, job["commit"], 1) == OKAY
    assert await active(axi, job) == job["storable"]
