"""One Temporal engine in the Python simulator, between driven endpoints and Python services."""

import random
from collections import defaultdict, deque
from dataclasses import dataclass, field

from amaranth.hdl import ResetInserter, Signal

from fabricgen.config.codec import encode_configuration
from fabricgen.plan.roles import active_roles
from fabricgen.plan.rows import Active
from fabricgen.rtl.temporal.engine import TemporalEngine
from fabricgen.vocab.dataflow import ServiceValueRole
from tests.support.channel import run
from tests.support.port_harness import PythonService, Rates, expected_results

_RESPONSE = ("slot", "data", "strobe", "in_range", "done", "fault", "error")
_REQUEST = {"mode": 0, "slot": 0, "data": 0, "address": 0, "beyond": 0, "lanes": 0, "volatile": 0}


@dataclass
class Trace:
    """What was seen at the engine; tokens by (endpoint, tag)."""

    outputs: dict = field(default_factory=lambda: defaultdict(list))
    accepted_at: dict = field(default_factory=lambda: defaultdict(list))
    published_at: dict = field(default_factory=lambda: defaultdict(list))
    requests: list = field(default_factory=list)
    responses: list = field(default_factory=list)
    unpublished: list = field(default_factory=list)
    unmatched: int = 0
    waits: list = field(default_factory=list)
    left: dict = field(default_factory=dict)
    empty: bool = False


def always(endpoint, tag, cycle):
    """An environment that takes every token."""
    return True


class TemporalRun:
    """Drive one engine cycle by cycle; every side's gaps come from one seed.

    ``accepts(endpoint, tag, cycle)`` tells whether an egress takes a token with the tag shown.
    ``memory`` is that of target 0; ``managers`` are those of the further ones. A target in
    ``dead`` takes no request, and accesses of a row in ``failing`` end in an error.
    """

    def __init__(
        self, named, memory, *, seed=0, rates=None, accepts=always, managers=(), dead=(), failing=()
    ):
        self.named = named
        self.dut = TemporalEngine(named)
        self.rng, self.rates = random.Random(seed), rates or Rates()
        self.accepts, self.dead, self.failing = accepts, dead, failing
        memories = [memory, *managers]
        self.services = {
            key: PythonService(channel, memories[key[1]], self.rng, self.rates)
            for key, channel in self.dut.channels.items()
        }
        self.ingress = {at: getattr(self.dut, f"ingress_{at}") for at in self.dut.inputs}
        self.egress = {at: getattr(self.dut, f"egress_{at}") for at in self.dut.outputs}
        self.hold_from = None
        self.reset = Signal()

    def run(self, rows, streams, *, cycles=2000, after=12):
        """Offer ``streams[endpoint, tag]``; stop some cycles after everything has come to rest."""
        return self.run_all([(rows, streams)], cycles=cycles, after=after)[0]

    def run_all(self, jobs, *, cycles=2000, after=12, reset_at=None):
        """One table after the other, behind ``hold``; a reset cuts off a first try of each."""
        traces = []

        async def bench(ctx):
            for rows, streams in jobs:
                ctx.set(self.dut.hold, -1)
                carrier = encode_configuration(self.named, Active(tuple(rows)))
                ctx.set(self.dut.configuration, carrier)
                await ctx.tick().repeat(2)
                ctx.set(self.dut.hold, 0)
                if reset_at is not None:
                    await self._run_job(ctx, streams, reset_at, after)
                    await self._pull_reset(ctx)
                traces.append(await self._run_job(ctx, streams, cycles, after))

        run(ResetInserter(self.reset)(self.dut), bench)
        return traces

    async def _pull_reset(self, ctx):
        for channel in self.ingress.values():
            ctx.set(channel.valid, 0)
        for (port, target), service in self.services.items():
            # What serves the engine is reset with it.
            service.waiting.clear()
            ctx.set(getattr(self.dut, f"request_{port}_{target}").rsp_valid, 0)
        ctx.set(self.reset, 1)
        await ctx.tick()
        ctx.set(self.reset, 0)
        # The rows are decoded again.
        ctx.set(self.dut.hold, -1)
        await ctx.tick()
        ctx.set(self.dut.hold, 0)

    async def _run_job(self, ctx, streams, cycles, after):
        trace, rest = Trace(), after
        pending = {key: deque(tokens) for key, tokens in streams.items()}
        for cycle in range(cycles):
            holds = self.hold_from is not None and cycle >= self.hold_from
            ctx.set(self.dut.hold, -1 if holds else 0)
            offered = self._drive(ctx, pending, cycle)
            self._observe(ctx, cycle, pending, offered, trace)
            await ctx.tick()
            moving = any(pending.values()) or not ctx.get(self.dut.empty)
            rest = after if moving else rest - 1
            if rest < 0:
                break
        trace.empty = bool(ctx.get(self.dut.empty))
        trace.left = {key: len(tokens) for key, tokens in pending.items() if tokens}
        return trace

    def _drive(self, ctx, pending, cycle):
        """Show one token per ingress, then be ready for the tags that the egresses show."""
        offered = {}
        for at, channel in self.ingress.items():
            waiting = [key for key in pending if key[0] == at and pending[key]]
            shown = bool(waiting) and self.rng.random() < self.rates.offer
            ctx.set(channel.valid, shown)
            if shown:
                # A source that is refused may show another token.
                offered[at] = key = waiting[cycle % len(waiting)]
                ctx.set(channel.tag, key[1])
                if hasattr(channel, "data"):
                    ctx.set(channel.data, pending[key][0])
        for at, channel in self.egress.items():
            wanted = self.accepts(at, ctx.get(channel.tag), cycle)
            ctx.set(channel.ready, wanted and self.rng.random() < self.rates.accept)
        for (port, target), service in self.services.items():
            self._answer(ctx, port, target, service)
        return offered

    def _answer(self, ctx, port, target, service):
        request, part = getattr(self.dut, f"request_{port}_{target}"), service.answer()
        ctx.set(request.ready, target not in self.dead and self.rng.random() < self.rates.serve)
        ctx.set(request.rsp_valid, part is not None)
        if part is not None:
            row = part["rsp_slot"] >> self.dut.ports[port].shape.index_bits
            failed = row in self.failing
            part = {**part, "rsp_error": failed}
            if failed:
                part |= {"rsp_in_range": 0, "rsp_fault": 0}
        for name in (f"rsp_{each}" for each in _RESPONSE if hasattr(request, f"rsp_{each}")):
            signal = getattr(request, name)
            # Nothing may be read from a response that is not valid.
            value = self.rng.getrandbits(len(signal)) if part is None else int(part[name])
            ctx.set(signal, value & (1 << len(signal)) - 1)

    def _observe(self, ctx, cycle, pending, offered, trace):
        for at, key in offered.items():
            if ctx.get(self.ingress[at].ready):
                pending[key].popleft()
                trace.accepted_at[key].append(cycle)
        for at, channel in self.egress.items():
            if ctx.get(channel.valid):
                assert ctx.get(channel.ready), f"egress {at} must be ready when it is valid"
                key = at, ctx.get(channel.tag)
                trace.outputs[key].append(ctx.get(channel.data) if hasattr(channel, "data") else 0)
                trace.published_at[key].append(cycle)
        for (port, target), service in self.services.items():
            request = getattr(self.dut, f"request_{port}_{target}")
            if ctx.get(request.rsp_valid) and ctx.get(request.rsp_done):
                row = ctx.get(getattr(self.dut, f"fault_row_{port}_{target}"))
                trace.responses.append((cycle, port, target, row))
            if ctx.get(request.valid) and ctx.get(request.ready):
                default = {**_REQUEST, "write": int(service.shape.requester.writes)}
                seen = {
                    name: ctx.get(getattr(request, name)) if hasattr(request, name) else value
                    for name, value in default.items()
                }
                trace.requests.append((cycle, port, target, seen))
                service.accept(seen)
        if ctx.get(self.dut.unpublished):
            row = ctx.get(self.dut.unpublished_row)
            trace.unpublished.append((cycle, row, ctx.get(self.dut.unpublished_destinations)))
        trace.unmatched |= ctx.get(self.dut.unmatched)
        if hasattr(self.dut, "waits"):
            trace.waits.append(ctx.get(self.dut.waits))


def row_streams(named, row, tokens):
    """Streams of one row by (endpoint, tag), from the tokens of its external input roles."""
    inputs, _ = _bound(named, row)
    return {
        (end, source.tag): list(tokens[role])
        for (role, source), (_, end) in zip(row.sources, inputs, strict=True)
        if source.connection is None
    }


def row_outputs(named, row):
    """(endpoint, tag) of each exposed result role of one row."""
    _, results = _bound(named, row)
    return {
        role: (end, destination.tag)
        for (role, destination), (_, end) in zip(row.destinations, results, strict=True)
        if destination.expose
    }


def _bound(named, row):
    port = named.occurrence.engine.ports[row.port]
    chosen = port.capability_alternatives[row.capability_alternative]
    return active_roles(chosen, row.actor, row.access)


def random_tokens(row, count, rng, *, elements):
    """Tokens of every active input role; indices stay below ``elements``."""
    lanes = row.access.lane_count
    bits = lanes * row.access.element_bits
    draw = {
        ServiceValueRole.ADDRESS: lambda: rng.randrange(elements),
        ServiceValueRole.DATA: lambda: rng.getrandbits(bits),
        ServiceValueRole.MASK: lambda: rng.choice([0, (1 << lanes) - 1, rng.getrandbits(lanes)]),
        ServiceValueRole.CONTROL: lambda: 0,
    }
    return {role: [draw[role]() for _ in range(count)] for role, _ in row.sources}


def expected(row, tokens, memory):
    """Data of every firing of a row, or zeros for a store; a store changes ``memory``."""
    reads = ServiceValueRole.DATA not in dict(row.sources)
    found = expected_results(row.access, reads, row.base_addr, tokens, memory)
    return [value or 0 for value in found]
