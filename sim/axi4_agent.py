"""The AXI4 memory of `cocotbext-axi` behind one manager of a simulated fabric.

The memory is not ours, so neither is its idea of the protocol; a watch of the bus beside it holds
both sides to the rules.
"""

from collections.abc import Container, Mapping
from typing import Any

from cocotbext.axi import AxiBus, AxiReadBus, AxiSlave, AxiSlaveRead, AxiSlaveWrite, AxiWriteBus

from sim.axi4_rules import PAYLOADS, Axi4Rules, bus_pins, bus_values, passing
from sim.findings import Finding, Findings
from sim.job import ManagerJob
from sim.manager_agent import ManagerPins, SparseMemory
from sim.stalls import Stall, pause

__all__ = ["Axi4Agent", "foreign_memory"]


def foreign_memory(dut: Any, prefix: str, bus: Container[str], target: object) -> dict[str, Any]:
    """Put the other maker's memory behind a bus; its channels, by name.

    ``bus`` are the signals that it has, without prefix; ``target`` reads and writes, as
    `cocotbext-axi` asks it to.
    """
    reads, writes = "arvalid" in bus, "awvalid" in bus
    if reads and writes:
        peer = AxiSlave(AxiBus.from_prefix(dut, prefix), dut.clk, dut.rst, target=target)
        sides = [peer.read_if, peer.write_if]
    else:
        kind, of = (AxiSlaveRead, AxiReadBus) if reads else (AxiSlaveWrite, AxiWriteBus)
        sides = [kind(of.from_prefix(dut, prefix), dut.clk, dut.rst, target=target)]
    return {
        name: getattr(side, f"{name}_channel")
        for side in sides
        for name in PAYLOADS
        if hasattr(side, f"{name}_channel")
    }


class _Target:
    """Where the foreign memory reads and writes."""

    def __init__(self) -> None:
        self.memory = SparseMemory()

    async def read(self, address: int, length: int) -> bytes:
        return bytes(map(self.memory.read, range(address, address + length)))

    async def write(self, address: int, data: bytes) -> None:
        for at, value in enumerate(data, address):
            self.memory.write(at, value)


class Axi4Agent:
    """Answers one AXI4 manager, run after run; takes the place of a ``ManagerAgent``.

    Parameters
    ----------
    dut
        Handle of the top.
    job
        The manager; its beats are not held against the bus, but what the memory has at the end is
        held against the model.
    """

    def __init__(self, dut: Any, job: ManagerJob) -> None:
        self.job = job
        self._target = _Target()
        prefix = f"{job.name}_axi"
        self._bus = bus_pins(dut, prefix)
        self._channels = foreign_memory(dut, prefix, self._bus, self._target)
        valid = "arvalid" if "arvalid" in self._bus else "awvalid"
        ready = "rready" if "rready" in self._bus else "bready"
        self.pins = ManagerPins({"valid": self._bus[valid]}, {"ready": self._bus[ready]}, {})

    @property
    def memory(self) -> SparseMemory:
        """What it holds now."""
        return self._target.memory

    def begin(self, stalls: Mapping[str, Stall], findings: Findings) -> "Axi4Agent":
        """Begin a run, behind a reset, with the contents of the job; each channel has a stall."""
        self._target.memory = SparseMemory(self.job.before)
        self._stalls = stalls
        self._findings = findings
        self._rules = Axi4Rules(self.job.beat_bytes)
        self._moved: set[str] = set()
        self._waiting = 0
        return self

    def sample(self, cycle: int) -> bool:
        """Look at the pins just before the clock edge; tell whether something moved."""
        values = bus_values(self._bus, _known)
        self._rules.sample(values)
        self._moved = passing(values)
        ended = self._moved & {"b"} | (self._moved & {"r"} if values.get("rlast") else set())
        self._waiting += len(self._moved & {"ar", "aw"}) - len(ended)
        return bool(self._moved)

    def drive(self, cycle: int, cooperate: bool) -> None:
        """Change what takes part in the next cycle."""
        pause(self._channels, self._stalls, self._moved, cycle, cooperate=cooperate)

    @property
    def is_done(self) -> bool:
        """Every burst was answered."""
        return not self._waiting

    def close(self, cycle: int) -> None:
        """Report rules that were broken."""
        self._rules.close()
        for fault in self._rules.faults:
            message = f"{self.job.name}: {fault}"
            self._findings.add(Finding("manager", cycle, message, role=self.job.name))


def _known(value: Any) -> int:
    """Payload as a number; bytes without a strobe may be unknown."""
    return int("".join(bit if bit in "01" else "0" for bit in str(value)), 2)
