"""Drives every ingress, drains every egress, and feeds the monitors, one cycle at a time.

Knows pins only by ``.value``: a cocotb handle is one, and so is a wrapper around a signal of the
Amaranth simulator. A cycle is: :meth:`Traffic.sample` what stands on the pins just before the
clock edge, then :meth:`Traffic.drive` what shall stand there after it.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from sim.findings import Finding, Findings
from sim.job import EgressJob, IngressJob, Job, RowJob, RowResult, Run
from sim.monitors import EndpointCount, FiringWindow, JointPublication, TokenOrder, Watchdog
from sim.stalls import Stall, stalls

__all__ = ["EndpointPins", "Pin", "Traffic"]


#: A run that is wrong this often has said enough; it may never end by itself.
_FINDING_LIMIT = 200


class Pin(Protocol):
    """One signal. Reading gives something that ``bool`` and ``int`` refuse when it is unknown."""

    value: Any


@dataclass(frozen=True, slots=True)
class EndpointPins:
    """Pins of one endpoint; ``data`` is absent on a token without payload."""

    valid: Pin
    ready: Pin
    data: Pin | None


class _Ingress:
    """Offers its tokens in order; an offer stays until it is taken."""

    def __init__(
        self, job: IngressJob, pins: EndpointPins, stall: Stall, count: EndpointCount, seed: int
    ) -> None:
        self.job = job
        self.pins = pins
        self._stall = stall
        self._count = count
        self._noise = random.Random(f"{job.endpoint}/{seed}")
        self.is_offering = False
        self._moved = False
        self._next = 0
        pins.valid.value = 0
        if pins.data is not None:
            pins.data.value = 0

    def sample(self, cycle: int) -> bool:
        self._moved = self.is_offering and bool(self.pins.ready.value)
        if self._moved:
            self._next += 1
            self._count.accept(cycle)
        return self._moved

    def drive(self, cycle: int, cooperate: bool) -> None:
        if self.is_offering and not self._moved:
            return
        pins, was_offering = self.pins, self.is_offering
        willing = self._stall.willing(cycle, self._moved) or cooperate
        self.is_offering = willing and self._next < len(self.job.tokens)
        if self.is_offering != was_offering:
            pins.valid.value = int(self.is_offering)
        if pins.data is not None and (self.is_offering or was_offering):
            # What stands on an idle channel means nothing, so let it be something.
            idle = self._noise.getrandbits(self.job.width)
            pins.data.value = self.job.tokens[self._next] if self.is_offering else idle

    @property
    def is_done(self) -> bool:
        return self._next >= self.job.taken

    @property
    def is_exhausted(self) -> bool:
        return self._next >= len(self.job.tokens)


class _Egress:
    """Takes what is valid, and shows readiness as its stall pattern says."""

    def __init__(self, job: EgressJob, pins: EndpointPins, stall: Stall, order: TokenOrder) -> None:
        self.job = job
        self.pins = pins
        self._stall = stall
        self.order = order
        self.is_ready = False
        self.is_valid = False
        self._moved = False
        pins.ready.value = 0

    def sample(self, cycle: int) -> bool:
        self.is_valid = bool(self.pins.valid.value)
        self._moved = self.is_valid and self.is_ready
        if self.is_valid:
            self.order.take(cycle, self._value())
        return self.is_valid

    def _value(self) -> int | None:
        if self.pins.data is None:
            return 0
        try:
            return int(self.pins.data.value)
        except ValueError:
            return None

    def drive(self, cycle: int, cooperate: bool) -> None:
        ready = self._stall.willing(cycle, self._moved) or cooperate
        if ready != self.is_ready:
            self.pins.ready.value = int(ready)
            self.is_ready = ready


class _Row:
    """One Active row with the monitors that look at more than one of its endpoints."""

    def __init__(self, job: RowJob, findings: Findings, results: list[_Egress]) -> None:
        self.job = job
        self.results = results
        self.window = FiringWindow(findings, job.row, job.depths, job.in_flight)
        roles = [str(egress.job.role) for egress in results]
        self._joint = JointPublication(findings, job.row, roles)

    def sample(self, cycle: int) -> bool:
        valid = [egress.sample(cycle) for egress in self.results]
        if not any(valid):
            return False
        self._joint.observe(cycle, valid, [egress.is_ready for egress in self.results])
        self.window.publish(cycle)
        return True

    def result(self) -> RowResult:
        window = self.window
        return RowResult(
            self.job.row,
            window.published,
            window.first_cycle,
            window.last_cycle,
            window.latency_min,
            window.latency_max,
        )


class Traffic:
    """One run of one job on the pins of one design.

    Parameters
    ----------
    job, run
        What to do, and under which pattern and seed.
    pins
        Pins of every endpoint, by name.
    findings
        Where monitors report.
    """

    def __init__(
        self, job: Job, run: Run, pins: Mapping[str, EndpointPins], findings: Findings
    ) -> None:
        self._job = job
        self._findings = findings
        self._watchdog = Watchdog(job.bound)
        self._settled = 0
        self.cycle = 0
        self.is_hanging = False
        stall = stalls(run.pattern, _groups(job), run.seed)
        self._ingresses = [
            _Ingress(
                item,
                pins[item.endpoint],
                stall[item.endpoint],
                EndpointCount(findings, item.endpoint, item.row, item.taken),
                run.seed,
            )
            for item in job.ingresses
        ]
        egresses = [
            _Egress(
                item,
                pins[item.endpoint],
                stall[item.endpoint],
                TokenOrder(
                    findings,
                    -1 if item.row is None else item.row,
                    item.role or item.endpoint,
                    item.width,
                    item.tokens,
                ),
            )
            for item in job.egresses
        ]
        self._egresses = egresses
        self._rows = [
            _Row(row, findings, [egress for egress in egresses if egress.job.row == row.row])
            for row in job.rows
        ]
        self._idle_egresses = [egress for egress in egresses if egress.job.row is None]
        windows = {row.job.row: row.window for row in self._rows}
        self._sinks = [
            (ingress, None if ingress.job.row is None else windows[ingress.job.row])
            for ingress in self._ingresses
        ]
        self.drive()

    def sample(self) -> None:
        """Look at the pins just before the clock edge."""
        cycle, moved = self.cycle, False
        try:
            for row in self._rows:
                moved |= row.sample(cycle)
            for egress in self._idle_egresses:
                egress.sample(cycle)
            for ingress, window in self._sinks:
                if ingress.sample(cycle):
                    moved = True
                    if window is not None:
                        window.accept(cycle, str(ingress.job.role))
        except ValueError:
            self._report_unknown()
            self.is_hanging = True
        self.cycle += 1
        self._watchdog.tick(moved)
        self._settled = self._settled + 1 if self._is_complete() else 0
        if self._watchdog.is_hanging and not self._settled:
            self._report_hang()

    def drive(self) -> None:
        """Change the pins after the clock edge."""
        cooperate = self._watchdog.is_cooperating or self._settled > 0
        for ingress in self._ingresses:
            ingress.drive(self.cycle, cooperate)
        for egress in self._egresses:
            egress.drive(self.cycle, cooperate)

    @property
    def is_over(self) -> bool:
        """Everything expected has happened and nothing else came since, or nothing will."""
        return (
            self.is_hanging
            or self._settled > self._job.bound
            or self._findings.count >= _FINDING_LIMIT
        )

    def close(self) -> tuple[RowResult, ...]:
        """Report results that are missing; return what each row did."""
        for egress in self._egresses:
            egress.order.close(self.cycle)
        return tuple(row.result() for row in self._rows)

    def _is_complete(self) -> bool:
        return all(egress.order.is_complete for egress in self._egresses) and all(
            ingress.is_done for ingress in self._ingresses
        )

    def _report_unknown(self) -> None:
        for endpoint in (*self._ingresses, *self._egresses):
            for name in ("valid", "ready"):
                try:
                    bool(getattr(endpoint.pins, name).value)
                except ValueError:
                    self._findings.add(
                        Finding(
                            "unknown",
                            self.cycle,
                            f"{endpoint.job.endpoint}_{name} is unknown",
                            endpoint.job.row,
                            endpoint.job.role,
                        )
                    )

    def _report_hang(self) -> None:
        self.is_hanging = True
        for row in self._rows:
            if not all(egress.order.is_complete for egress in row.results):
                message = f"Row {row.job.row} ({row.job.port}) {self._waits_for(row)}"
                self._findings.add(
                    Finding("hang", self.cycle, message, row.job.row, token=row.window.published)
                )
        for ingress in self._ingresses:
            if not ingress.is_done:
                message = f"Ingress {ingress.job.endpoint} offers a token and is never ready"
                self._findings.add(Finding("hang", self.cycle, message, ingress.job.row))

    def _waits_for(self, row: _Row) -> str:
        missing = row.window.missing_operands()
        if missing:
            reasons = [self._operand(row, role) for role in missing]
            return f"waits for operands: {'; '.join(reasons)}"
        closed = [egress.job.endpoint for egress in row.results if not egress.is_ready]
        if closed:
            return f"waits for its destinations: {', '.join(closed)} not ready"
        return (
            "has every operand and every destination, and publishes nothing: it waits for a claim "
            "of its use pattern, or for the memory service"
        )

    def _operand(self, row: _Row, role: str) -> str:
        for ingress in self._ingresses:
            if (ingress.job.row, ingress.job.role) == (row.job.row, role):
                state = "has no token left" if ingress.is_exhausted else "is not ready"
                return f"{role} ({ingress.job.endpoint} {state})"
        return f"{role} (no ingress)"


def _groups(job: Job) -> list[list[str]]:
    """Endpoints by row, then those of no row."""
    rows = [*(row.row for row in job.rows), None]
    endpoints = (*job.ingresses, *job.egresses)
    return [[item.endpoint for item in endpoints if item.row == row] for row in rows]
