"""Drives the channels of one component, with monitors of what each of its channels promises.

A cycle is: look at what stands on the pins just before the clock edge, then drive what shall
stand there after it. The drivers know pins only by ``.value``.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from sim.endpoints import EndpointPins, Ingress, Pin, payload
from sim.findings import Finding, Findings
from sim.job import IngressJob
from sim.monitors import EndpointCount, KnownPins, OfferStays, TokenOrder, Watchdog
from sim.stalls import Shut, Stall, stalls, takes_part
from sim.token_job import PassJob, PassResult, UnitJob

__all__ = ["QUIET_CYCLES", "UnitPins", "UnitTraffic"]

#: What comes too much comes within these cycles.
QUIET_CYCLES = 12

#: A pass that is wrong this often has said enough.
_FINDING_LIMIT = 20


@dataclass(frozen=True, slots=True)
class UnitPins:
    """Pins of one component; ``configuration`` is absent where it has none."""

    inputs: Sequence[EndpointPins]
    outputs: Sequence[EndpointPins]
    reset: Pin
    quiescent: Pin
    configuration: Pin | None = None


class _Sink:
    """Takes what is valid while its pattern is willing; an offer may wait."""

    def __init__(
        self,
        pins: EndpointPins,
        stall: Stall,
        order: TokenOrder | None,
        stays: OfferStays,
    ) -> None:
        self._pins = pins
        self._stall = stall
        self.order = order
        self._stays = stays
        self._is_ready = False
        self.given: list[tuple[int, int]] = []
        self.ready: list[int] = []
        self._moved = False
        pins.ready.value = 0

    def sample(self, cycle: int) -> bool:
        """Tell whether a token is taken at the coming edge."""
        pins = self._pins
        if self._is_ready:
            self.ready.append(cycle)
        is_valid = bool(pins.valid.value)
        self._moved = is_valid and self._is_ready
        offer = None if not is_valid else "" if pins.data is None else str(pins.data.value)
        self._stays.observe(cycle, offer, self._is_ready)
        if self._moved:
            token = payload(pins)
            self.given.append((cycle, -1 if token is None else token))
            if self.order is not None:
                self.order.take(cycle, token)
        return self._moved

    def drive(self, cycle: int, cooperate: bool) -> None:
        """Show readiness for the coming cycle."""
        ready = takes_part(self._stall, cycle, moved=self._moved, cooperate=cooperate)
        if ready != self._is_ready:
            self._pins.ready.value = int(ready)
            self._is_ready = ready


class _Pass:
    """One pass on the pins of one unit."""

    def __init__(self, unit: UnitJob, job: PassJob, pins: UnitPins, unknown: Any) -> None:
        self.findings = Findings()
        self.cycle = 0
        self._job = job
        self._pins = pins
        self._unknown = unknown
        self._watchdog = Watchdog(unit.bound)
        self._quiet = 0
        inputs = [f"in{port}" for port in range(len(unit.inputs))]
        outputs = [f"out{port}" for port in range(len(unit.outputs))]
        stall = stalls("always", [[*inputs, *outputs]], job.seed)
        named = {"inputs": inputs, "outputs": outputs, "all": [*inputs, *outputs]}
        stall |= stalls(job.pattern, [named[job.stalled]], job.seed)
        self._shut = [each for each in stall.values() if isinstance(each, Shut)]
        self._least = [least for least, _ in job.taken]
        self._ingresses = [
            Ingress(
                IngressJob(name, width, tuple(tokens), most),
                channel,
                stall[name],
                EndpointCount(self.findings, name, None, most),
                job.seed,
            )
            for name, width, tokens, (_, most), channel in zip(
                inputs, unit.inputs, job.inputs, job.taken, pins.inputs, strict=True
            )
        ]
        self.taken: list[list[tuple[int, int]]] = [[] for _ in inputs]
        self.quiescent: list[int] = []
        expected = [None] * len(outputs) if job.outputs is None else job.outputs
        self.sinks = [
            _Sink(channel, stall[name], self._order(name, width, tokens), self._stays(name))
            for name, width, tokens, channel in zip(
                outputs, unit.outputs, expected, pins.outputs, strict=True
            )
        ]
        self._known = [
            (KnownPins(self.findings, name), channel)
            for name, channel in zip(
                [*inputs, *outputs], [*pins.inputs, *pins.outputs], strict=True
            )
        ]

    def _order(self, name: str, width: int, tokens: Sequence[int] | None) -> TokenOrder | None:
        if tokens is None:
            return None
        return TokenOrder(self.findings, 0, name, width, tokens, is_open=self._job.is_endless)

    def _stays(self, name: str) -> OfferStays:
        return OfferStays(self.findings, name)

    def drive(self) -> None:
        """Change the pins after the clock edge."""
        cooperate = self._watchdog.is_cooperating
        if cooperate:
            for each in self._shut:
                each.open()
        for ingress in self._ingresses:
            ingress.drive(self.cycle, cooperate)
            if self._job.idle_unknown and not ingress.is_offering and ingress.pins.data is not None:
                ingress.pins.data.value = self._unknown(ingress.job.width)
        for sink in self.sinks:
            sink.drive(self.cycle, cooperate)

    def sample(self) -> None:
        """Look at the pins just before the clock edge."""
        cycle, moved = self.cycle, False
        state = str(self._pins.quiescent.value)
        if state == "1":
            self.quiescent.append(cycle)
        elif state != "0":
            self.findings.add(Finding("unknown", cycle, "Quiescence is unknown", got=state))
        known = [monitor.observe(cycle, channel) for monitor, channel in self._known]
        if not all(known):
            self.cycle += 1
            self._watchdog.tick(False)
            return
        for port, ingress in enumerate(self._ingresses):
            at = len(self.taken[port])
            if ingress.sample(cycle) is not None:
                moved = True
                self.taken[port].append((cycle, ingress.job.tokens[at]))
        for sink in self.sinks:
            moved |= sink.sample(cycle)
        self.cycle += 1
        self._watchdog.tick(moved)
        self._quiet = self._quiet + 1 if self._is_complete() else 0
        if self._watchdog.is_hanging and not self._quiet:
            self.findings.add(Finding("hang", cycle, "Nothing moves although nothing stalls"))

    def _is_complete(self) -> bool:
        orders = [sink.order for sink in self.sinks]
        return all(order is not None and order.is_complete for order in orders) and all(
            len(taken) >= least for taken, least in zip(self.taken, self._least, strict=True)
        )

    @property
    def is_over(self) -> bool:
        """All that is expected has come and nothing else since, or nothing will."""
        if self.findings.count >= _FINDING_LIMIT:
            return True
        if self._job.cycles is not None:
            return self.cycle >= self._job.cycles
        quiet = 0 if self._job.is_endless else QUIET_CYCLES
        return self._quiet > quiet or self._watchdog.is_hanging

    def close(self) -> PassResult:
        """Report what is missing, and tell what came."""
        for sink in self.sinks:
            if sink.order is not None and self._job.cycles is None:
                sink.order.close(self.cycle)
        for port, (taken, least) in enumerate(zip(self.taken, self._least, strict=True)):
            if len(taken) < least and self._job.cycles is None:
                self.findings.add(
                    Finding(
                        "count",
                        self.cycle,
                        "Tokens are left that a firing consumes",
                        role=f"in{port}",
                        expected=str(least),
                        got=str(len(taken)),
                    )
                )
        return PassResult(
            self.cycle,
            self.taken,
            [sink.given for sink in self.sinks],
            [sink.ready for sink in self.sinks],
            self.quiescent,
            tuple(self.findings.kept),
        )


class UnitTraffic:
    """All passes of one unit.

    Parameters
    ----------
    unit, pins
        What to do, and where.
    unknown
        Value of so many unknown bits.
    """

    def __init__(self, unit: UnitJob, pins: UnitPins, unknown: Callable[[int], Any]) -> None:
        self._unit = unit
        self._pins = pins
        self._unknown = unknown
        self.results: list[PassResult] = []

    def cycles(self) -> Iterator[None]:
        """Drive the first cycle; at each step, look at the last one and drive the next."""
        for job in self._unit.passes:
            if job.interrupted:
                yield from self._reset(job)
                yield from self._traffic(job, Random(job.seed).randint(1, job.interrupted))
            yield from self._reset(job)
            self.results.append((yield from self._traffic(job, None)))

    def _reset(self, job: PassJob) -> Iterator[None]:
        pins = self._pins
        pins.reset.value = 1
        for channel in pins.inputs:
            channel.valid.value = 0
        if pins.configuration is not None:
            pins.configuration.value = job.configuration or 0
        yield
        pins.reset.value = 0

    def _traffic(self, job: PassJob, limit: int | None) -> Any:
        traffic = _Pass(self._unit, job, self._pins, self._unknown)
        traffic.drive()
        while not traffic.is_over and traffic.cycle != limit:
            yield
            traffic.sample()
            traffic.drive()
        return traffic.close()
