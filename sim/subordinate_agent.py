"""Somebody outside who sends beats to one subordinate endpoint, on pins, and checks the answers."""

import random
from collections.abc import Iterator, Mapping

from sim.channels import sides
from sim.findings import Finding, Findings
from sim.job import ServedResult, SubordinateJob
from sim.manager_agent import ManagerPins
from sim.stalls import Stall, takes_part

__all__ = ["SubordinateAgent"]

#: Fields of a response; without served reads there is no data.
_ANSWER = ("origin", "beat", "data", "error")

#: Bits of the fields of a request that every endpoint has alike.
_WIDTHS = {
    "kind": 3,
    "origin": 16,
    "beat": 16,
    "address": 64,
    "address_space": 32,
    "context": 64,
}


class SubordinateAgent:
    """Offer the beats of one subordinate in their order, each under a name of its own.

    An offer stays until it is taken; between offers the pins show noise. Answers must come in the
    order of the beats, stay until they are taken, and be those of the model in every bit.

    Parameters
    ----------
    job, pins
        Beats and answers, and where.
    offer, take
        Stalls of the two sides.
    seed
        Names and noise follow from it.
    findings
        Where to report.
    """

    def __init__(
        self,
        job: SubordinateJob,
        pins: ManagerPins,
        offer: Stall,
        take: Stall,
        seed: int,
        findings: Findings,
    ) -> None:
        self.job = job
        self.pins = pins
        self._offer = offer
        self._take = take
        self._rng = random.Random(f"{job.name}/{seed}")
        self._findings = findings
        self._names = [(self._rng.getrandbits(16), self._rng.getrandbits(16)) for _ in job.beats]
        self._is_offering = False
        self._took = False
        self._is_ready = False
        self._was_taken = False
        self._refused: Mapping[str, int] | None = None
        self.sent = 0
        self.answered = 0
        self.served = ServedResult(job.name)
        pins.response["ready"].value = 0
        self._show(self._noise())

    def sample(self, cycle: int) -> bool:
        """Look at the pins just before the clock edge; tell whether something moved."""
        self._took = self._is_offering and bool(self.pins.request["ready"].value)
        self.sent += self._took
        self._was_taken = False
        if self.pins.response["valid"].value:
            self._response(cycle)
        elif self._refused is not None:
            self._report(cycle, "An offered answer is gone before it was taken")
            self._refused = None
        return self._took or self._was_taken

    def drive(self, cycle: int, cooperate: bool) -> None:
        """Change the pins after the clock edge."""
        ready = takes_part(self._take, cycle, moved=self._was_taken, cooperate=cooperate)
        if ready != self._is_ready:
            self.pins.response["ready"].value = int(ready)
            self._is_ready = ready
        willing = takes_part(self._offer, cycle, moved=self._took, cooperate=cooperate)
        if self._is_offering and not self._took:
            return
        was_offering = self._is_offering
        self._is_offering = willing and self.sent < len(self.job.beats)
        if self._is_offering or was_offering:
            self._show(self._request() if self._is_offering else self._noise())

    @property
    def is_done(self) -> bool:
        """Every beat was answered."""
        return self.answered >= len(self.job.beats)

    @property
    def waits(self) -> str:
        """What its beats wait for."""
        asked, answered = sides(self.job.name)
        if self._refused is not None:
            cause = f"waits for {answered}, not ready"
        elif not self._inside and not self._is_offering:
            cause = f"waits for {asked}, which offers nothing"
        else:
            cause = f"does not answer on {answered}"
        return f"{cause}, and takes nothing on {asked}" if self._is_offering else cause

    def stopped(self, dead: str) -> Iterator[str]:
        """What makes no progress, though it does not need the channel ``dead``."""
        if not self.is_done and dead not in sides(self.job.name):
            yield f"Subordinate {self.job.name}"

    def close(self, cycle: int) -> None:
        """Report answers that never came."""
        if not self.is_done:
            left = len(self.job.beats) - self.answered
            self._report(cycle, f"{left} beats were never answered, of which {self._inside} are in")

    @property
    def _inside(self) -> int:
        return self.sent - self.answered

    def _request(self) -> Mapping[str, int]:
        beat, (origin, place) = self.job.beats[self.sent], self._names[self.sent]
        fields = {name: getattr(beat, name) for name in ("kind", "address", "strobe", "data")}
        fields |= {"address_space": beat.address_space, "context": beat.context}
        return {**fields, "origin": origin, "beat": place, "valid": 1}

    def _noise(self) -> Mapping[str, int]:
        size = self.job.beat_bytes
        widths = {**_WIDTHS, "strobe": size, "data": 8 * size}
        return {name: self._rng.getrandbits(bits) for name, bits in widths.items()} | {"valid": 0}

    def _show(self, fields: Mapping[str, int]) -> None:
        for name, pin in self.pins.request.items():
            if name != "ready":
                pin.value = fields[name]

    def _response(self, cycle: int) -> None:
        pins = {name: pin for name, pin in self.pins.response.items() if name in _ANSWER}
        try:
            shown = {name: int(pin.value) for name, pin in pins.items()}
        except ValueError:
            message = f"A valid answer of {self.job.name} has unknown bits"
            self._findings.add(Finding("unknown", cycle, message, role=self.job.name))
            shown = None
        if self._refused is not None and shown != self._refused:
            self._report(cycle, "An offered answer changes before it is taken")
        self._refused = None if self._is_ready else shown
        if self._is_ready:
            self._was_taken = True
            if shown is not None:
                self._compare(cycle, shown)
            self.answered += 1
            self.served = self.served.after(cycle, 1)

    def _compare(self, cycle: int, shown: Mapping[str, int]) -> None:
        """Hold the next answer against the model's."""
        if self.answered >= self.sent:
            self._report(cycle, "An answer that nobody waits for")
            return
        beat, (origin, place) = self.job.beats[self.answered], self._names[self.answered]
        wanted = {"origin": origin, "beat": place, "error": int(beat.error), "data": beat.answer}
        for name, value in shown.items():
            if value != wanted[name]:
                self._findings.add(
                    Finding(
                        "subordinate",
                        cycle,
                        f"The {name} of an answer differs from the model ({self.job.name})",
                        role=self.job.name,
                        token=self.answered,
                        expected=f"{wanted[name]:#x}",
                        got=f"{value:#x}",
                    )
                )

    def _report(self, cycle: int, message: str) -> None:
        self._findings.add(
            Finding("subordinate", cycle, f"{message} ({self.job.name})", role=self.job.name)
        )
