"""Token providers under random gaps and stalls, against actors, in the Python simulator."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from amaranth.hdl import ResetInserter, Signal

from tests.support.channel import run
from tests.support.token_actors import Run, run_actor

#: What comes too much comes within these cycles.
QUIET_CYCLES = 12


@dataclass
class Trace:
    """Handshakes of each cycle: tokens taken per input and given per output, ``None`` for none.

    Beside them whether the component is quiescent, and whether it offers a result.
    """

    taken: list[list[int | None]] = field(default_factory=list)
    given: list[list[int | None]] = field(default_factory=list)
    quiescent: list[bool] = field(default_factory=list)
    offers: list[bool] = field(default_factory=list)

    def outputs(self) -> list[list[int]]:
        """Tokens of each output."""
        return [[t for t in row if t is not None] for row in zip(*self.given, strict=True)]

    def counts(self) -> list[int]:
        """Tokens that each input lost."""
        return [sum(t is not None for t in row) for row in zip(*self.taken, strict=True)]

    def reaches(self, expected: Run) -> bool:
        """As many tokens as the actor takes and gives, or more."""
        given = [sum(t is not None for t in row) for row in zip(*self.given, strict=True)]
        return all(
            have >= want
            for have, want in zip(
                [*self.counts(), *given],
                [*expected.taken, *map(len, expected.outputs)],
                strict=True,
            )
        )

    def first(self, side: str, ordinal: int) -> int:
        """Cycle of the first handshake of a channel."""
        cycles = getattr(self, side)
        return next(at for at, row in enumerate(cycles) if row[ordinal] is not None)


@dataclass(frozen=True)
class Traffic:
    """How likely a source offers and a sink accepts in a cycle, in percent, per channel."""

    offers: Sequence[int]
    accepts: Sequence[int]
    seed: int = 0


def full_speed(dut) -> Traffic:
    """No gaps and no stalls."""
    return Traffic([100] * len(dut.inputs), [100] * len(dut.outputs))


def half_speed(dut) -> Traffic:
    """As many gaps and stalls as offers and acceptances."""
    return Traffic([50] * len(dut.inputs), [50] * len(dut.outputs))


def any_traffic(dut, seed: int) -> Traffic:
    """Each channel at a speed of its own."""
    drawn = random.Random(seed)
    speeds = (100, 70, 40)
    return Traffic(
        [drawn.choice(speeds) for _ in dut.inputs],
        [drawn.choice(speeds) for _ in dut.outputs],
        seed,
    )


@dataclass(frozen=True)
class Job:
    """Tokens that are offered to one configuration, and when that ends.

    It ends after ``cycles``, or some cycles behind the one in which ``until`` is reached. With
    ``reset_after``, that many cycles of the same traffic come first, then one cycle of reset, and
    only what follows is recorded, from the first tokens on.
    """

    inputs: Sequence[Sequence[int]]
    traffic: Traffic
    cycles: int
    configuration: int | None = None
    until: Run | None = None
    reset_after: int | None = None


def simulate(dut, jobs: Sequence[Job]) -> list[Trace]:
    """Offer each job's tokens and record what happens; an offer stays until it is taken.

    One cycle of reset stands between jobs.
    """
    traces, reset = [Trace() for _ in jobs], Signal()

    async def part(ctx, job: Job, count: int, record: Trace) -> None:
        inputs, traffic, until = job.inputs, job.traffic, job.until
        drawn = random.Random(traffic.seed)
        at = [0] * len(inputs)
        offered = [False] * len(inputs)
        quiet = 0
        stays: list[tuple[int, int] | None] = [None] * len(dut.outputs)
        for _ in range(count):
            for port, channel in enumerate(dut.inputs):
                rest = at[port] < len(inputs[port])
                offered[port] = rest and (
                    offered[port] or drawn.randrange(100) < traffic.offers[port]
                )
                ctx.set(channel.valid, offered[port])
                if hasattr(channel, "data"):
                    token = inputs[port][at[port]] if offered[port] else drawn.getrandbits(64)
                    ctx.set(channel.data, token % (1 << len(channel.data)))
            for port, channel in enumerate(dut.outputs):
                ctx.set(channel.ready, drawn.randrange(100) < traffic.accepts[port])
            taken: list[int | None] = []
            for port, channel in enumerate(dut.inputs):
                takes = offered[port] and ctx.get(channel.ready)
                taken.append(inputs[port][at[port]] if takes else None)
                if takes:
                    at[port] += 1
                    offered[port] = False
            record.taken.append(taken)
            record.quiescent.append(bool(ctx.get(dut.quiescent)))
            record.offers.append(any(ctx.get(channel.valid) for channel in dut.outputs))
            record.given.append(
                [
                    _token(ctx, channel)
                    if ctx.get(channel.valid) and ctx.get(channel.ready)
                    else None
                    for channel in dut.outputs
                ]
            )
            for port, channel in enumerate(dut.outputs):
                offer = (port, _token(ctx, channel)) if ctx.get(channel.valid) else None
                if stays[port] is not None:
                    assert offer == stays[port], f"out{port} must keep its offer {stays[port]}"
                stays[port] = None if ctx.get(channel.ready) else offer
            await ctx.tick()
            quiet = quiet + 1 if until is not None and record.reaches(until) else 0
            if quiet == QUIET_CYCLES:
                break

    async def restart(ctx) -> None:
        for channel in dut.inputs:
            ctx.set(channel.valid, 0)
        ctx.set(reset, 1)
        await ctx.tick()
        ctx.set(reset, 0)

    async def bench(ctx) -> None:
        for job, trace in zip(jobs, traces, strict=True):
            if job.configuration is not None:
                ctx.set(dut.configuration, job.configuration)
            if job.reset_after is not None:
                await part(ctx, job, job.reset_after, Trace())
                await restart(ctx)
            await part(ctx, job, job.cycles, trace)
            await restart(ctx)

    run(ResetInserter(reset)(dut), bench)
    return traces


def drive(dut, inputs: Sequence[Sequence[int]], traffic: Traffic, *, cycles: int) -> Trace:
    """One job of so many cycles."""
    (trace,) = simulate(dut, [Job(inputs, traffic, cycles)])
    return trace


def _token(ctx, channel) -> int:
    return ctx.get(channel.data) if hasattr(channel, "data") else 0


@dataclass(frozen=True)
class Case:
    """One configuration, the actor that it stands for, and its tokens."""

    actor: Callable[[], object]
    inputs: Sequence[Sequence[int]]
    traffic: Traffic
    configuration: int | None = None
    reset_after: int | None = None
    cycles: int | None = None


def check_all(dut, cases: Sequence[Case], ahead: Sequence[int] = ()) -> list[Trace]:
    """Fail unless the provider gives what the actors give, and takes what they take.

    ``ahead`` is how many tokens each input may take before the firing that needs them.
    """
    interval = dut.op.timing.initiation_interval_cycles
    wanted = [run_actor(case.actor(), case.inputs, len(dut.outputs)) for case in cases]
    jobs: list[Job] = []
    for case, expected in zip(cases, wanted, strict=True):
        slowest = min(*case.traffic.offers, *case.traffic.accepts)
        most = max(map(len, [*case.inputs, *expected.outputs]))
        jobs.append(
            Job(
                case.inputs,
                case.traffic,
                case.cycles or 30 + most * (400 // slowest + interval),
                case.configuration,
                None if case.cycles else expected,
                case.reset_after,
            )
        )
    traces = simulate(dut, jobs)
    room = list(ahead) or [0] * len(dut.inputs)
    for case, expected, trace in zip(cases, wanted, traces, strict=True):
        assert trace.outputs() == expected.outputs, f"configuration {case.configuration}"
        for port, (count, needed) in enumerate(zip(trace.counts(), expected.taken, strict=True)):
            assert needed <= count <= needed + room[port], f"in{port}: {needed}, not {count}"
    return traces


def check(dut, actor, inputs, traffic: Traffic, *, ahead: Sequence[int] = (), **case) -> Trace:
    """Same for one case."""
    (trace,) = check_all(dut, [Case(actor, inputs, traffic, **case)], ahead)
    return trace


def follow(dut, actor, inputs: Sequence[Sequence[int]], traffic: Traffic, *, cycles: int) -> Trace:
    """Fail unless each cycle's handshakes are one whole firing of the actor, or nothing at all."""
    trace = drive(dut, inputs, traffic, cycles=cycles)
    for cycle, (taken, given) in enumerate(zip(trace.taken, trace.given, strict=True)):
        moved = {port for port, token in enumerate(taken) if token is not None}
        results = {port: [token] for port, token in enumerate(given) if token is not None}
        if not moved and not results:
            continue
        found = actor.fire(taken)
        assert found is not None, f"cycle {cycle} must be a firing, not {taken} -> {given}"
        assert (found.takes, found.gives) == (moved, results), f"cycle {cycle}: {taken} -> {given}"
    return trace
