"""The master of `cocotbext-axi` before one subordinate of a simulated fabric that is a bus.

The master is not ours, so neither is its idea of the protocol; a watch of the bus beside it holds
both sides to the rules, and every answer against the model.
"""

import random
from collections import deque
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

import cocotb
from cocotb.triggers import Event
from cocotbext.axi import (
    AxiBus,
    AxiLiteBus,
    AxiLiteMaster,
    AxiLiteMasterRead,
    AxiLiteMasterWrite,
    AxiLiteReadBus,
    AxiLiteWriteBus,
    AxiMaster,
    AxiMasterRead,
    AxiMasterWrite,
    AxiReadBus,
    AxiResp,
    AxiWriteBus,
)

from sim.axi4_rules import PAYLOADS, Axi4Rules, bus_pins, bus_values, lite_fixed, passing
from sim.bus_bursts import Burst, bursts
from sim.channels import sides
from sim.findings import Finding, Findings
from sim.job import ServedResult, SubordinateBeat, SubordinateJob
from sim.manager_agent import ManagerPins
from sim.stalls import Stall, pause

__all__ = ["BusHost"]

_READ, _WRITE = 0, 1
#: Channels of requests and answers of each kind.
_ENDS = {_READ: ("ar", "r"), _WRITE: ("aw", "b")}
#: Channels that no write needs.
_OF_READS = frozenset(_ENDS[_READ])


def masters(dut: Any, prefix: str, bus: Container[str]) -> tuple[Any, Any]:
    """Put the other maker's master before a bus: its reads and its writes, or ``None``.

    ``bus`` are the signals that it has, without prefix: AXI4-Lite knows no lengths of bursts.
    """
    reads, writes = "arvalid" in bus, "awvalid" in bus
    if "arlen" in bus or "awlen" in bus:
        whole, halves = (
            (AxiMaster, AxiBus),
            ((AxiMasterRead, AxiReadBus), (AxiMasterWrite, AxiWriteBus)),
        )
    else:
        whole = AxiLiteMaster, AxiLiteBus
        halves = (AxiLiteMasterRead, AxiLiteReadBus), (AxiLiteMasterWrite, AxiLiteWriteBus)

    def made(kind: Any, of: Any) -> Any:
        return kind(of.from_prefix(dut, prefix), dut.clk, dut.rst)

    if reads and writes:
        peer = made(*whole)
        return peer.read_if, peer.write_if
    return made(*halves[0]) if reads else None, made(*halves[1]) if writes else None


class BusHost:
    """Asks one subordinate for its beats over a bus, run after run; in place of an agent of beats.

    Bursts are asked for in the order of the beats. Reads wait for the responses of earlier writes,
    and the other way round, where they may touch the same bytes.

    Parameters
    ----------
    dut
        Handle of the top.
    job
        The subordinate.
    """

    def __init__(self, dut: Any, job: SubordinateJob) -> None:
        self.job = job
        self._prefix = prefix = f"{job.name}_axi"
        self._bus = bus_pins(dut, prefix)
        self._is_lite = job.protocol == "axi4_lite"
        self._fixed = lite_fixed(job.beat_bytes) if self._is_lite else {}
        self._reads, self._writes = masters(dut, prefix, self._bus)
        self._channels = {
            name: getattr(side, f"{name}_channel")
            for side in (self._reads, self._writes)
            for name in PAYLOADS
            if hasattr(side, f"{name}_channel")
        }
        self._strobes: deque[int] = deque()
        if self._writes is not None:
            self._thin_out(self._channels["w"])
        ready = "arready" if "arready" in self._bus else "awready"
        valid = "rvalid" if "rvalid" in self._bus else "bvalid"
        self.pins = ManagerPins({"ready": self._bus[ready]}, {"valid": self._bus[valid]}, {})
        self._task: Any = None

    def _thin_out(self, channel: Any) -> None:
        """Let the master send data with the strobes of the beats: its own are runs of bytes."""
        send = channel.send

        async def thinned(transfer: Any) -> None:
            transfer.wstrb = int(transfer.wstrb) & self._strobes.popleft()
            await send(transfer)

        channel.send = thinned

    def begin(
        self, stalls: Mapping[str, Stall], seed: int, findings: Findings, *, is_fast: bool
    ) -> "BusHost":
        """Begin a run, behind a reset; a fast one has bursts as long as they can be.

        ``stalls`` has one for each channel.
        """
        if self._task is not None:
            self._task.cancel()
        self._rng = random.Random(f"{self.job.name}/{seed}")
        self._findings = findings
        self._stalls = stalls
        self._rules = Axi4Rules(self.job.beat_bytes)
        self._left = list(bursts(self.job, self._rng, 1.0 if is_fast else 0.7))
        self._strobes.clear()
        self._outstanding: list[Burst] = []
        self._was_answered = Event()
        self._is_cut_off = False
        self._asked: deque[Burst] = deque(each for each in self._left if each.kind == _READ)
        #: Bursts of each kind that are outstanding and of which no address was taken.
        self._asking = dict.fromkeys(_ENDS, 0)
        self._reading: dict[int, deque[Burst]] = {}
        self._answers = [0] * len(self.job.beats)
        self._errors = [False] * len(self.job.beats)
        self._parts_left = [0] * len(self.job.beats)
        for burst in self._left:
            for ordinal, _ in burst.parts:
                self._parts_left[ordinal] += 1
        self._moved: set[str] = set()
        self._values: Mapping[str, int] = {}
        self._cycle = 0
        self.served = ServedResult(self.job.name)
        self._written = deque(len(each.parts) for each in self._left if each.kind == _WRITE)
        self._unanswered = len(self._left)
        self._task = cocotb.start_soon(self._play())
        return self

    # What is asked.

    async def _play(self) -> None:
        """Ask for every burst as soon as nothing that it depends on is outstanding."""
        for burst in self._left:
            while any(self._depends(burst, each) for each in self._outstanding):
                self._was_answered.clear()
                await self._was_answered.wait()
            if self._is_cut_off:
                return
            self._outstanding.append(burst)
            self._asking[burst.kind] += 1
            if burst.kind == _WRITE:
                self._strobes.extend(strobe for _, strobe in burst.parts)
            cocotb.start_soon(self._ask(burst))

    def _depends(self, burst: Burst, other: Burst) -> bool:
        """Whether two bursts of different directions may touch one byte."""
        if burst.kind == other.kind:
            return False
        return not self.job.is_injective or bool({*self._lines(burst)} & {*self._lines(other)})

    def _lines(self, burst: Burst) -> Sequence[int]:
        return [self.job.beats[ordinal].address for ordinal, _ in burst.parts]

    async def _ask(self, burst: Burst) -> None:
        """One transaction to its end; a reset cuts it off without a response."""
        options = {} if self._is_lite else {"size": burst.size, "user": burst.user}
        if burst.kind == _READ:
            end = self._beat(burst.parts[-1]).address + burst.parts[-1][1].bit_length()
            got = await self._reads.read(burst.address, end - burst.address, **options)
        else:
            size = self.job.beat_bytes
            data = b"".join(self._data(part).to_bytes(size, "little") for part in burst.parts)
            got = await self._writes.write(burst.address, data, **options)
        if got is None:
            self._is_cut_off = True
        elif burst.kind == _WRITE:
            self._conclude(burst, AxiResp(got.resp))
        self._outstanding.remove(burst)
        self._unanswered -= 1
        self._was_answered.set()

    def _beat(self, part: tuple[int, int]) -> SubordinateBeat:
        return self.job.beats[part[0]]

    def _data(self, part: tuple[int, int]) -> int:
        """Bytes of a write, and noise where it has no strobe."""
        size = self.job.beat_bytes
        mask = sum(0xFF << 8 * at for at in range(size) if part[1] >> at & 1)
        return self._beat(part).data & mask | self._rng.getrandbits(8 * size) & ~mask

    def _conclude(self, burst: Burst, got: AxiResp) -> None:
        """A write fails if one of its beats does."""
        failed = any(self._beat(part).error for part in burst.parts)
        wanted = AxiResp.DECERR if failed else AxiResp.OKAY
        if got != wanted:
            message = "The response of a write differs from the model"
            self._report(message, burst.parts[0][0], wanted.name, got.name)

    # What is seen.

    def sample(self, cycle: int) -> bool:
        """Look at the pins just before the clock edge; tell whether something moved."""
        self._cycle = cycle
        try:
            values = bus_values(self._bus, fixed=self._fixed)
        except ValueError:
            message = f"What {self.job.name} offers has unknown bits"
            self._findings.add(Finding("unknown", cycle, message, role=self.job.name))
            raise
        self._rules.sample(values)
        self._values = values
        self._moved = passing(values)
        if "r" in self._moved:
            self._receive(values)
            self.served = self.served.after(cycle, 1)
        if "b" in self._moved and self._written:
            self.served = self.served.after(cycle, self._written.popleft())
        for kind, (asked, _) in _ENDS.items():
            self._asking[kind] -= asked in self._moved
        if "ar" in self._moved and self._asked:
            burst = self._asked.popleft()
            self._reading.setdefault(values["arid"], deque()).append(
                Burst(burst.kind, burst.address, burst.size, burst.user, list(burst.parts))
            )
        return bool(self._moved)

    def _receive(self, values: dict[str, int]) -> None:
        """One transfer of read data."""
        queue = self._reading.get(values["rid"])
        if not queue:
            return  # The rules say so.
        ordinal, strobe = queue[0].parts.pop(0)
        if not queue[0].parts:
            queue.popleft()
        mask = sum(0xFF << 8 * at for at in range(self.job.beat_bytes) if strobe >> at & 1)
        self._answers[ordinal] |= values["rdata"] & mask
        response = AxiResp(values["rresp"])
        if response not in (AxiResp.OKAY, AxiResp.DECERR):
            message = "No transfer of the model has this response"
            self._report(message, ordinal, "OKAY or DECERR", response.name)
        self._errors[ordinal] |= response != AxiResp.OKAY
        self._parts_left[ordinal] -= 1
        if not self._parts_left[ordinal]:
            self._compare(ordinal)

    def _compare(self, ordinal: int) -> None:
        """Hold all parts of a beat that was read against the model."""
        beat, error = self.job.beats[ordinal], self._errors[ordinal]
        if error != beat.error:
            self._report(
                "The error of an answer differs from the model",
                ordinal,
                str(beat.error),
                str(error),
            )
        elif not error and self._answers[ordinal] != beat.answer:
            self._report(
                "The data of an answer differs from the model",
                ordinal,
                f"{beat.answer:#x}",
                f"{self._answers[ordinal]:#x}",
            )

    def drive(self, cycle: int, cooperate: bool) -> None:
        """Change what takes part in the next cycle."""
        pause(self._channels, self._stalls, self._moved, cycle, cooperate=cooperate)

    @property
    def is_done(self) -> bool:
        """Every burst was answered."""
        return not self._unanswered

    @property
    def waits(self) -> str:
        """What the bursts that were asked for wait for, by direction."""
        kinds = sorted({burst.kind for burst in self._outstanding})
        return "; ".join(self._waits(kind) for kind in kinds)

    def _waits(self, kind: int) -> str:
        asked, answered = _ENDS[kind]
        values, name, rules = self._values, self._prefix, self._rules
        offers = {channel for channel in PAYLOADS if values.get(f"{channel}valid")}
        lacking = rules.unwritten
        if answered in offers:
            cause = f"waits for {name}_{answered}, not ready"
        elif kind == _WRITE and lacking and "w" not in offers:
            cause = f"waits for {name}_w: {lacking.beats} of {lacking.count} transfers came"
        elif kind == _WRITE and rules.early and asked not in offers:
            cause = f"waits for {name}_{asked}: transfers without an address came"
        elif asked not in offers and self._asking[kind]:
            cause = f"waits for {name}_{asked}, which offers nothing"
        else:
            cause = f"does not answer on {name}_{answered}"
        channels = (asked, "w") if kind == _WRITE else (asked,)
        refused = [f"{name}_{channel}" for channel in channels if channel in offers]
        return f"{cause}, and takes nothing on {' and '.join(refused)}" if refused else cause

    def stopped(self, dead: str) -> Iterator[str]:
        """What makes no progress, though it does not need the channel ``dead``."""
        channel = dead.removeprefix(f"{self._prefix}_")
        if channel not in PAYLOADS:
            if not self.is_done and dead not in sides(self.job.name):
                yield f"Subordinate {self.job.name}"
            return
        other = _WRITE if channel in _OF_READS else _READ
        if any(burst.kind == other for burst in self._outstanding):
            direction = "Writes" if other == _WRITE else "Reads"
            yield f"{direction} of subordinate {self.job.name}"

    def close(self, cycle: int) -> None:
        """Report rules that were broken, and answers that never came."""
        self._rules.close()
        for fault in self._rules.faults:
            self._findings.add(
                Finding("subordinate", cycle, f"{self.job.name}: {fault}", role=self.job.name)
            )
        if not self.is_done:
            message = f"{self._unanswered} bursts were never answered ({self.job.name})"
            self._findings.add(Finding("subordinate", cycle, message, role=self.job.name))

    def _report(self, message: str, ordinal: int, expected: str, got: str) -> None:
        self._findings.add(
            Finding(
                "subordinate",
                self._cycle,
                f"{message} ({self.job.name})",
                role=self.job.name,
                token=ordinal,
                expected=expected,
                got=got,
            )
        )
