"""Drives every channel of one design and feeds the monitors, one cycle at a time.

A cycle is: :meth:`Traffic.sample` what stands on the pins just before the clock edge, then
:meth:`Traffic.drive` what shall stand there after it. Where an egress has tags, readiness answers
the tag that is shown: then :meth:`Traffic.respond` comes later in the cycle that has begun.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, Self

from sim.channels import channel_groups, make_egresses, make_ingresses, parts, row_links, sides
from sim.endpoints import EndpointPins, Result, TaggedEgress, label
from sim.findings import Finding, Findings
from sim.job import (
    Job,
    ManagerJob,
    RowJob,
    RowResult,
    Run,
    ServedResult,
    SubordinateJob,
)
from sim.manager_agent import ManagerAgent, ManagerPins, SparseMemory
from sim.monitors import FiringWindow, JointPublication, Watchdog
from sim.stalls import DEAD, Dead, Shut, Stall, stalls
from sim.subordinate_agent import SubordinateAgent
from sim.wait_for import RowState, Surroundings, cycles, wait_for

__all__ = ["BusAgent", "HostAgent", "Traffic"]


#: A run that is wrong this often has said enough; it may never end by itself.
_FINDING_LIMIT = 200

#: Reads the state of every Active row out of the design, if it can.
StateReader = Callable[[], Mapping[int, RowState] | None]


class _Row:
    """One Active row with the monitors that look at more than one of its endpoints."""

    def __init__(
        self, job: RowJob, findings: Findings, results: list[Result], seen: Sequence[str]
    ) -> None:
        self.job = job
        self.results = results
        depths = {role: job.depths[role] for role in seen}
        self.window = FiringWindow(findings, job.row, depths, job.in_flight)
        roles = [str(result.job.role) for result in results]
        self._joint = JointPublication(findings, job.row, roles)

    def sample(self, cycle: int) -> bool:
        valid = [result.sample(cycle) for result in self.results]
        if not any(valid):
            return False
        self._joint.observe(cycle, valid, [result.is_ready for result in self.results])
        self.window.publish(cycle)
        return True

    @property
    def is_complete(self) -> bool:
        return all(result.order.is_complete for result in self.results)

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


class BusAgent(Protocol):
    """A memory behind a manager with a bus, run after run; else as :class:`ManagerAgent`."""

    pins: ManagerPins

    @property
    def memory(self) -> SparseMemory:
        """What it holds now."""
        ...

    @property
    def is_done(self) -> bool:
        """Everything was answered."""
        ...

    def begin(self, stalls: Mapping[str, Stall], findings: Findings) -> Self:
        """Begin a run; each channel of the bus has a stall."""
        ...

    def sample(self, cycle: int) -> bool:
        """Look at the pins just before the clock edge; tell whether something moved."""
        ...

    def drive(self, cycle: int, cooperate: bool) -> None:
        """Change the pins after the clock edge."""
        ...

    def close(self, cycle: int) -> None:
        """Report what is wrong at the end."""
        ...


class HostAgent(Protocol):
    """A master before a subordinate with a bus, run after run; else :class:`SubordinateAgent`."""

    pins: ManagerPins
    served: ServedResult

    @property
    def is_done(self) -> bool:
        """Everything was answered."""
        ...

    @property
    def waits(self) -> str:
        """What it waits for, where it does."""
        ...

    def stopped(self, dead: str) -> Iterator[str]:
        """What makes no progress, though it does not need the channel ``dead``."""
        ...

    def begin(
        self, stalls: Mapping[str, Stall], seed: int, findings: Findings, *, is_fast: bool
    ) -> Self:
        """Begin a run; each channel of the bus has a stall."""
        ...

    def sample(self, cycle: int) -> bool:
        """Look at the pins just before the clock edge; tell whether something moved."""
        ...

    def drive(self, cycle: int, cooperate: bool) -> None:
        """Change the pins after the clock edge."""
        ...

    def close(self, cycle: int) -> None:
        """Report what is wrong at the end."""
        ...


class Traffic:
    """One run of one job on the pins of one design.

    Parameters
    ----------
    job, run
        What to do, and under which pattern and seed.
    pins, streams
        Pins of every endpoint, and of every manager and subordinate with a stream, by name.
    findings
        Where monitors report.
    states
        What reads the rows' states out of the design when nothing moves any more.
    buses, hosts
        Memories behind managers with a bus, and masters before such subordinates, by name.
    """

    def __init__(
        self,
        job: Job,
        run: Run,
        pins: Mapping[str, EndpointPins],
        findings: Findings,
        streams: Mapping[str, ManagerPins] | None = None,
        states: StateReader | None = None,
        buses: Mapping[str, BusAgent] | None = None,
        hosts: Mapping[str, HostAgent] | None = None,
    ) -> None:
        self._job = job
        self._findings = findings
        self._states = states
        self._watchdog = Watchdog(job.bound)
        self._settled = 0
        self.cycle = 0
        self.is_hanging = False
        joined = (*job.managers, *job.subordinates)
        *owned, others = channel_groups(job)
        others += [side for item in joined for side in sides(item.name)]
        belonging = {part: side for item in joined for part, side in parts(item).items()}
        stall = stalls(run.pattern, owned, run.seed, others, belonging)
        self._ingresses = make_ingresses(job, run, pins, stall, findings)
        self._egresses, results = make_egresses(job, pins, stall, findings)
        self._results = results
        self._tagged = [item for item in self._egresses if isinstance(item, TaggedEgress)]
        # What is published at connections only is not seen, nor when.
        seen = {result.job.row for result in results}
        self._rows = [
            _Row(
                row,
                findings,
                [result for result in results if result.job.row == row.row],
                _seen_roles(row, seen),
            )
            for row in job.rows
        ]
        self._idle_results = [result for result in results if result.job.row is None]
        self._by_row = {row.job.row: row for row in self._rows}
        for stream in (stream for item in self._ingresses for stream in item.streams):
            row, role = self._by_row.get(stream.job.row), stream.job.role
            stream.window = row.window if row and role in row.window.accepted else None
        self._edges = [
            (self._by_row[edge.producer], row.window, edge.role)
            for row in self._rows
            for edge in row.job.internal
            if edge.role in row.window.accepted
        ]
        self.managers: dict[str, ManagerAgent | BusAgent] = {}
        for item in job.managers:
            both = stall[sides(item.name)[0]], stall[sides(item.name)[1]]
            behind = (buses or {}).get(item.name)
            self.managers[item.name] = (
                ManagerAgent(
                    item,
                    (streams or {})[item.name],
                    *both,
                    run.seed,
                    findings,
                    is_fast=run.pattern == "always",
                )
                if behind is None
                else behind.begin(_by_channel(item, stall), findings)
            )
        self.subordinates: dict[str, SubordinateAgent | HostAgent] = {}
        for item in job.subordinates:
            both = stall[sides(item.name)[0]], stall[sides(item.name)[1]]
            before = (hosts or {}).get(item.name)
            is_fast = run.pattern == "always" or run.pattern.startswith(DEAD)
            self.subordinates[item.name] = (
                SubordinateAgent(item, (streams or {})[item.name], *both, run.seed, findings)
                if before is None
                else before.begin(_by_channel(item, stall), run.seed, findings, is_fast=is_fast)
            )
        self._agents = (*self.managers.values(), *self.subordinates.values())
        closed = [item for item in stall.items() if isinstance(item[1], Shut | Dead)]
        self._closed = closed[0] if closed else None
        self._free = self._rows_without_closed()
        self.drive()
        self.respond()

    def sample(self) -> None:
        """Look at the pins just before the clock edge."""
        cycle, moved = self.cycle, False
        try:
            moved = self._sample(cycle)
        except ValueError:
            self._report_unknown()
            self.is_hanging = True
        self.cycle += 1
        self._watchdog.tick(moved)
        self._settled = self._settled + 1 if self._is_complete() else 0
        self._watch_shut()
        if self._watchdog.is_hanging and not self._settled:
            self._report_hang()

    def _sample(self, cycle: int) -> bool:
        moved, published = False, list[_Row]()
        for egress in self._tagged:
            egress.sample(cycle)
        for row in self._rows:
            if row.sample(cycle):
                published.append(row)
        for result in self._idle_results:
            moved |= result.sample(cycle)
        if published and self._edges:
            for producer, window, role in self._edges:
                if producer in published:
                    window.accept(cycle, role)
        for ingress in self._ingresses:
            stream = ingress.sample(cycle)
            if stream is not None:
                moved = True
                if stream.window is not None:
                    stream.window.accept(cycle, str(stream.job.role))
        for agent in self._agents:
            moved |= agent.sample(cycle)
        return moved or bool(published)

    def drive(self) -> None:
        """Change the pins after the clock edge."""
        cooperate = self._watchdog.is_cooperating or self._settled > 0
        for ingress in self._ingresses:
            ingress.drive(self.cycle, cooperate)
        for egress in self._egresses:
            egress.drive(self.cycle, cooperate)
        for agent in self._agents:
            agent.drive(self.cycle, cooperate)

    @property
    def has_tags(self) -> bool:
        """Whether readiness depends on tags, so that :meth:`respond` must be called."""
        return bool(self._tagged)

    def respond(self) -> None:
        """Answer the tags that stand on the egresses now."""
        for egress in self._tagged:
            egress.respond()

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
        for result in self._results:
            result.order.close(self.cycle)
        for agent in self._agents:
            agent.close(self.cycle)
        return tuple(row.result() for row in self._rows)

    @property
    def served(self) -> tuple[ServedResult, ...]:
        """What each subordinate did."""
        return tuple(agent.served for agent in self.subordinates.values())

    def _is_complete(self) -> bool:
        return (
            all(result.order.is_complete for result in self._results)
            and all(stream.is_done for item in self._ingresses for stream in item.streams)
            and all(agent.is_done for agent in self._agents)
        )

    def _rows_without_closed(self) -> frozenset[int]:
        """Rows that neither own the closed channel nor are connected with one that does."""
        if self._closed is None:
            return frozenset()
        name, job = self._closed[0], self._job
        streams = (*job.ingresses, *job.egresses)
        bound = {s.row for s in streams if label(s.endpoint, s.tag) == name}
        managers = [item.name for item in job.managers if name in (*sides(item.name), *parts(item))]
        bound |= {row.row for row in job.rows if row.target in managers}
        edges = [(row.row, edge.producer) for row in job.rows for edge in row.internal]
        while grown := {row for edge in edges if bound & set(edge) for row in edge} - bound:
            bound |= grown
        return frozenset(row.row for row in job.rows) - bound

    def _watch_shut(self) -> None:
        """Open the shut channel once the other rows are done; they may not wait for it."""
        if self._closed is None:
            return
        _, stall = self._closed
        if not isinstance(stall, Shut) or stall.is_open:
            return
        if not self._stopped():
            stall.open()
        elif self._watchdog.is_cooperating:
            stall.open()
            self._report_blocked("shut")

    def _stopped(self) -> list[tuple[str, int | None]]:
        """What is not done, though it does not need the closed channel; and its row, if it is one.

        No subordinate needs a row, a manager, or another subordinate.
        """
        name = "" if self._closed is None else self._closed[0]
        waiting = [row.job.row for row in self._rows if not row.is_complete]
        agents = self.subordinates.values()
        return [
            *((f"Row {row}", row) for row in waiting if row in self._free),
            *((what, None) for agent in agents for what in agent.stopped(name)),
        ]

    def _report_blocked(self, how: str) -> None:
        name = "" if self._closed is None else self._closed[0]
        for what, row in self._stopped():
            message = f"{what} makes no progress while nothing but {name} is {how}"
            self._findings.add(Finding("blocked", self.cycle, message, row))

    def _report_unknown(self) -> None:
        watched = [
            (f"{item.job.endpoint}_{name}", pin, item.job.row, item.job.role)
            for item in (*self._ingresses, *self._egresses)
            for name, pin in (("valid", item.pins.valid), ("ready", item.pins.ready))
        ]
        for name, agent in self.managers.items():
            watched.append((f"{name}_req_valid", agent.pins.request["valid"], None, name))
            watched.append((f"{name}_rsp_ready", agent.pins.response["ready"], None, name))
        for name, agent in self.subordinates.items():
            watched.append((f"{name}_req_ready", agent.pins.request["ready"], None, name))
            watched.append((f"{name}_rsp_valid", agent.pins.response["valid"], None, name))
        for name, pin, row, role in watched:
            try:
                bool(pin.value)
            except ValueError:
                message = f"{name} is unknown"
                self._findings.add(Finding("unknown", self.cycle, message, row, role))

    def _report_hang(self) -> None:
        self.is_hanging = True
        if self._closed is not None and isinstance(self._closed[1], Dead):
            self._report_blocked("dead")
        states = (self._states() if self._states else None) or self._boundary_states()
        links = [row_links(row, self._job) for row in self._job.rows]
        waits = wait_for(links, states, self._surroundings())
        for wait in waits:
            row = self._by_row[wait.row]
            if not row.is_complete or states[wait.row].issued:
                self._findings.add(
                    Finding("hang", self.cycle, wait.message, wait.row, token=row.window.published)
                )
        for circle in cycles(waits):
            names = " -> ".join(f"row {row}" for row in (*circle, circle[0]))
            self._findings.add(
                Finding("hang", self.cycle, f"Rows wait for one another: {names}", circle[0])
            )
        for stream in (stream for item in self._ingresses for stream in item.streams):
            if not stream.is_done:
                name = label(stream.job.endpoint, stream.job.tag)
                message = f"Ingress {name} offers a token and is never ready"
                self._findings.add(Finding("hang", self.cycle, message, stream.job.row))
        for name, agent in self.subordinates.items():
            if not agent.is_done:
                message = f"Subordinate {name} {agent.waits}"
                self._findings.add(Finding("hang", self.cycle, message, role=name))

    def _boundary_states(self) -> dict[int, RowState]:
        """What can be told from outside: an operand counts as present until it is published."""
        return {
            row.job.row: RowState(
                {role: role not in row.window.missing_operands() for role in row.window.accepted}
            )
            for row in self._rows
        }

    def _surroundings(self) -> Surroundings:
        offers = {
            label(stream.job.endpoint, stream.job.tag): (
                "has no token left" if stream.is_exhausted else "is not ready"
            )
            for item in self._ingresses
            for stream in item.streams
        }
        ready = {
            label(result.job.endpoint, result.job.tag): result.is_willing
            for result in self._results
        }
        return Surroundings(offers, ready)


def _by_channel(item: ManagerJob | SubordinateJob, stall: Mapping[str, Stall]) -> dict[str, Stall]:
    """Stalls of the channels of a bus by what its protocol calls them."""
    return {part.rpartition("_")[2]: stall[part] for part in parts(item)}


def _seen_roles(row: RowJob, publishing: set[int | None]) -> list[str]:
    """Input roles of which the bench sees when an operand arrives and when it is consumed."""
    if row.row not in publishing:
        return []
    hidden = {edge.role for edge in row.internal if edge.producer not in publishing}
    return [role for role in row.depths if role not in hidden]
