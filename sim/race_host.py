"""One AXI4 master before a subordinate: random bursts, and the history of their transfers.

The master is that of `cocotbext-axi`; what it did is read off the pins. Bursts come in groups:
when all of one is answered, the master may be reset while the rest of the system goes on, which is
the only time at which AXI4 lets one side be reset alone.
"""

import logging
import random
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiResp

from sim.axi4_rules import PAYLOADS, bus_pins
from sim.bus_host import masters
from sim.history import Kind, Operation
from sim.race_traffic import Addresses
from sim.stalls import Stall, pause

__all__ = ["RaceHost"]

_IDS = 4
_RESET_SHARE = 0.25


@dataclass
class _Burst:
    """A burst on its way: the transfers that are left, by address and bytes."""

    source: str
    edge: int
    transfers: deque[tuple[int, int]]
    pending: list[Operation] = field(default_factory=list[Operation])


class RaceHost:
    """Plays groups of bursts through one master, and listens to its pins.

    Parameters
    ----------
    dut, name
        Handle of the top, and the subordinate.
    beat_bytes
        Of the bus.
    """

    def __init__(self, dut: Any, name: str, beat_bytes: int) -> None:
        self.name = name
        self._dut, self._size = dut, beat_bytes
        self._reads, self._writes = masters(dut, f"{name}_axi", bus_pins(dut, f"{name}_axi"))
        self._pins = bus_pins(dut, f"{name}_axi")
        self._channels = {
            channel: getattr(side, f"{channel}_channel")
            for side in (self._reads, self._writes)
            for channel in PAYLOADS
            if hasattr(side, f"{channel}_channel")
        }
        # The master tells of every burst, which takes more time than the burst does.
        for side in (self._reads, self._writes):
            side.log.setLevel(logging.WARNING)
        self.resets = 0

    def begin(
        self, transfers: int, addresses: Addresses, stalls: dict[str, Stall], seed: int
    ) -> None:
        """Play until about so many transfers were made."""
        self._rng = random.Random(f"{self.name}/{seed}")
        self._addresses, self._stalls = addresses, stalls
        self._moved: set[str] = set()
        self._numbers: dict[str, int] = {}
        self._asked: deque[_Burst] = deque()
        self._data: deque[tuple[int, int, int]] = deque()
        self._written: dict[int, deque[_Burst]] = {}
        self._reading: dict[int, deque[_Burst]] = {}
        self.is_done = not transfers
        self._faults: list[str] = []
        self._left = 0
        if transfers:
            cocotb.start_soon(self._play(transfers))

    async def _play(self, left: int) -> None:
        rng = self._rng
        while left > 0:
            started = [self._start() for _ in range(rng.randint(1, 8))]
            left -= sum(transfers for transfers, _ in started)
            for _, burst in started:
                await burst
            if rng.random() < _RESET_SHARE:
                await self._reset()
        self.is_done = True

    def _start(self) -> tuple[int, Any]:
        """Ask for one burst; its transfers, and what ends when it is answered."""
        rng = self._rng
        size = rng.choice([3, 3, 3, 2, 1, 0])
        length = rng.choice([1, rng.randint(1, 8), 8, 8, 16, 8 * rng.randint(1, 5)])
        length = min(length, 16 << size)
        address = self._addresses.draw(rng, length)
        name = rng.randrange(_IDS)
        if rng.random() < 0.5:
            asked = self._reads.read(address, length, arid=name, size=size)
        else:
            data = rng.randbytes(length)
            asked = self._writes.write(address, data, awid=name, size=size)
        self._left += (transfers := ((address & (1 << size) - 1) + length - 1 >> size) + 1)
        return transfers, cocotb.start_soon(asked)

    async def _reset(self) -> None:
        """Reset the master, which has nothing outstanding, for a few cycles."""
        self.resets += 1
        parts = [self._reads, self._writes, *self._channels.values()]
        for part in parts:
            part.assert_reset(True)
        await ClockCycles(self._dut.clk, self._rng.randint(1, 6))
        for part in parts:
            part.assert_reset(False)

    def sample(self, edge: int, history: list[Operation]) -> bool:
        """Note what is handed over at this edge; tell whether anything is."""
        pins = self._pins
        moved = {
            channel
            for channel in PAYLOADS
            if pins[f"{channel}valid"].value and pins[f"{channel}ready"].value
        }
        self._moved = moved
        if not moved:
            return False
        if "ar" in moved:
            name = int(pins["arid"].value)
            burst = self._burst("ar", f"{self.name} reads {name}", edge)
            self._reading.setdefault(name, deque()).append(burst)
        if "aw" in moved:
            name = int(pins["awid"].value)
            burst = self._burst("aw", f"{self.name} writes {name}", edge)
            self._asked.append(burst)
            self._written.setdefault(name, deque()).append(burst)
        if "w" in moved:
            self._left -= 1
            self._data.append((edge, int(pins["wdata"].value), int(pins["wstrb"].value)))
        while self._asked and self._data:
            self._write()
        if "r" in moved:
            self._read(edge, history)
        if "b" in moved:
            burst = self._written[int(pins["bid"].value)].popleft()
            if burst.transfers:
                self._faults.append(f"{burst.source} is answered before all of its data came")
            history += [each._replace(responded=edge) for each in burst.pending]
            self._expect_okay(burst, "bresp")
        return True

    def close(self) -> list[str]:
        """What was wrong, that transfers are missing, too."""
        if self._left:
            self._faults.append(f"{self.name} must make all its transfers, not {self._left} less")
        return self._faults

    def drive(self, edge: int) -> None:
        """Let channels take part in the coming cycle, or pause."""
        pause(self._channels, self._stalls, self._moved, edge, cooperate=False)

    def _burst(self, channel: str, source: str, edge: int) -> _Burst:
        address, length, size = (
            int(self._pins[channel + part].value) for part in ("addr", "len", "size")
        )
        transfers: deque[tuple[int, int]] = deque()
        for _ in range(length + 1):
            end = (address >> size) + 1 << size
            base = address // self._size * self._size
            transfers.append((base, (1 << end - base) - (1 << address - base)))
            address = end
        return _Burst(source, edge, transfers)

    def _write(self) -> None:
        """One transfer of data meets its address."""
        burst = self._asked[0]
        base, lanes = burst.transfers.popleft()
        edge, data, strobe = self._data.popleft()
        if strobe & ~lanes:
            self._faults.append(f"{burst.source} has strobes beside its transfer")
        if strobe:
            burst.pending.append(
                Operation(
                    burst.source,
                    self._number(burst.source),
                    Kind.STORE,
                    max(edge, burst.edge),
                    None,
                    base,
                    self._size,
                    strobe,
                    data,
                )
            )
        if not burst.transfers:
            self._asked.popleft()

    def _read(self, edge: int, history: list[Operation]) -> None:
        self._left -= 1
        queue = self._reading[int(self._pins["rid"].value)]
        burst = queue[0]
        base, lanes = burst.transfers.popleft()
        history.append(
            Operation(
                burst.source,
                self._number(burst.source),
                Kind.LOAD,
                burst.edge,
                edge,
                base,
                self._size,
                lanes,
                observed=int(self._pins["rdata"].value),
            )
        )
        if not burst.transfers:
            queue.popleft()
        self._expect_okay(burst, "rresp")

    def _expect_okay(self, burst: _Burst, pin: str) -> None:
        if (response := AxiResp(int(self._pins[pin].value))) is not AxiResp.OKAY:
            self._faults.append(f"{burst.source} is answered with {response.name}, not OKAY")

    def _number(self, source: str) -> int:
        self._numbers[source] = number = self._numbers.get(source, -1) + 1
        return number
