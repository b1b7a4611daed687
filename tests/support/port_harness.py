"""One configured Spatial port, its environment, and what it must publish.

The environment is one loop over cycles, so that stalls of all sides come from one seed.
"""

import random
from collections import deque
from dataclasses import dataclass, field

from amaranth.hdl import Elaboratable, Module, Signal
from amaranth.lib.wiring import connect

from fabricgen.config.codec import encode_configuration
from fabricgen.config.layout import carrier_layout
from fabricgen.plan.lanes import active_lanes, join_lanes, lane_addresses, split_lanes
from fabricgen.plan.roles import active_roles
from fabricgen.plan.rows import Active
from fabricgen.rtl.row_control import RowControl
from fabricgen.rtl.spatial.port import SpatialPort
from fabricgen.vocab.dataflow import ServiceValueRole
from tests.support.channel import run

ROLE = ServiceValueRole

_RESPONSE = ("rsp_slot", "rsp_data", "rsp_strobe", "rsp_in_range", "rsp_done", "rsp_fault")


class ConfiguredPort(Elaboratable):
    """A port behind its row control."""

    def __init__(self, named, ordinal, port_class=SpatialPort):
        self.control = RowControl(named, ordinal)
        self.port = port_class(self.control.shape)
        self.configuration = Signal(carrier_layout(named).width)

    def elaborate(self, platform):
        m = Module()
        m.submodules.control, m.submodules.port = self.control, self.port
        connect(m, self.control.controls, self.port.controls)
        m.d.comb += self.control.configuration.eq(self.configuration)
        return m


@dataclass
class Rates:
    """Probability, per cycle, that each side of the environment takes part."""

    offer: float = 1.0
    accept: float = 1.0
    serve: float = 1.0
    answer: float = 1.0


@dataclass
class PythonService:
    """A service that answers whole requests from a ``bytearray``, late and in any order."""

    shape: object
    memory: bytearray
    rng: random.Random
    rates: Rates
    waiting: list = field(default_factory=list)

    def accept(self, request):
        """Serve one request at once; its answer waits, and some of its bytes come early."""
        mode = self.shape.requester.modes[request["mode"]]
        bits = self.shape.address_bits
        in_range, data, strobe = 0, 0, 0
        for lane in range(mode.lanes):
            if not request["lanes"] >> lane & 1:
                continue
            segment = lane if mode.indexed else 0
            offset = 0 if mode.indexed else lane * mode.element_bytes
            address = (request["address"] >> segment * bits & (1 << bits) - 1) + offset
            place, size = lane * mode.element_bytes, mode.element_bytes
            beyond = request["beyond"] >> segment & 1
            if beyond or address + size > len(self.memory):
                # Such bytes carry no meaning: anything may arrive for them.
                data |= self.rng.getrandbits(8 * size) << 8 * place
                strobe |= ((1 << size) - 1) << place
                continue
            in_range |= 1 << lane
            if request["write"]:
                payload = request["data"] >> 8 * place & (1 << 8 * size) - 1
                self.memory[address : address + size] = payload.to_bytes(size, "little")
            else:
                value = int.from_bytes(self.memory[address : address + size], "little")
                data |= value << 8 * place
                strobe |= ((1 << size) - 1) << place
        early = strobe & self.rng.getrandbits(self.shape.requester.data_bytes)
        parts = (
            [(early, 0), (strobe & ~early, 1)]
            if self.rng.random() > self.rates.answer
            else [(strobe, 1)]
        )
        outside = request["lanes"] & ~in_range
        for part, done in parts:
            self.waiting.append(
                {
                    "rsp_slot": request["slot"],
                    "rsp_data": data,
                    "rsp_strobe": part,
                    "rsp_in_range": in_range | ~request["lanes"] & self.rng.getrandbits(64),
                    "rsp_done": done,
                    "rsp_fault": int(bool(outside)),
                }
            )

    def answer(self):
        """The part that arrives in this cycle, if any; parts of one request keep their order."""
        if not self.waiting or self.rng.random() >= self.rates.answer:
            return None
        chosen = self.rng.choice(self.waiting) if self.rates.answer < 1 else self.waiting[0]
        first = next(part for part in self.waiting if part["rsp_slot"] == chosen["rsp_slot"])
        self.waiting.remove(first)
        return first


class JointPublicationMonitor:
    """Each result endpoint in use transfers in the same cycles, and is never offered otherwise."""

    def observe(self, results):
        """``results`` maps each exposed endpoint to its sampled ``(valid, ready)``."""
        valids = {valid for valid, _ in results.values()}
        assert len(valids) <= 1, f"one packet must be published together, not {results}"
        for endpoint, (valid, ready) in results.items():
            assert ready or not valid, f"endpoint {endpoint} must be ready when it is valid"


def expected_results(access, schema_reads, base, tokens, memory):
    """Payload of every firing of a load, or ``None`` each for a store; stores change memory."""
    found = []
    for n in range(len(tokens[ROLE.CONTROL])):
        mask = tokens[ROLE.MASK][n] if ROLE.MASK in tokens else None
        addresses = lane_addresses(access, base, tokens[ROLE.ADDRESS][n])
        size = access.element_bits // 8
        lanes = []
        writes = None if schema_reads else split_lanes(access, tokens[ROLE.DATA][n])
        for lane, (address, active) in enumerate(
            zip(addresses, active_lanes(access, mask), strict=True)
        ):
            inside = active and address + size <= len(memory)
            if inside and writes is not None:
                memory[address : address + size] = writes[lane]
            lanes.append(bytes(memory[address : address + size]) if inside else None)
        found.append(join_lanes(access, lanes) if schema_reads else None)
    return found


@dataclass
class Outcome:
    """What one run showed, payloads in order and the cycles at which things happened."""

    results: dict
    accepted_at: dict
    published_at: list
    requests: int
    empty: bool


class PortRun:
    """Drive one configured port cycle by cycle."""

    def __init__(self, named, row, memory, *, seed=0, rates=None, port_class=SpatialPort):
        self.dut = ConfiguredPort(named, row.port, port_class)
        self.port = self.dut.port
        self.rng, self.rates = random.Random(seed), rates or Rates()
        self.service = PythonService(self.port.shape, memory, self.rng, self.rates)
        rows = [None] * len(named.occurrence.engine.ports)
        rows[row.port] = row
        self.carrier = encode_configuration(named, Active(tuple(rows)))
        port = named.occurrence.engine.ports[row.port]
        inputs, results = active_roles(
            port.capability_alternatives[row.capability_alternative], row.actor, row.access
        )
        exposed = {role for role, destination in row.destinations if destination.expose}
        self.sources = {role: self._channel(role, end) for role, end in inputs}
        self.sinks = {role: self._channel(role, end) for role, end in results if role in exposed}
        self.monitor = JointPublicationMonitor()

    def _channel(self, role, endpoint):
        return getattr(self.port, f"{role.name.lower()}_{endpoint}")

    def run(self, tokens, *, firings=None, cycle_limit=3000):
        """Send the tokens of each role; stop after ``firings`` publications and some cycles."""
        firings = len(tokens[ROLE.CONTROL]) if firings is None else firings
        outcome = Outcome(
            {role: [] for role in self.sinks}, {role: [] for role in self.sources}, [], 0, False
        )
        pending = {role: deque(tokens[role]) for role in self.sources}

        async def bench(ctx):
            ctx.set(self.dut.configuration, self.carrier)
            await ctx.tick()
            after = 8
            for cycle in range(cycle_limit):
                self._drive(ctx, pending)
                self._observe(ctx, cycle, pending, outcome)
                await ctx.tick()
                after -= len(outcome.published_at) >= firings
                if after < 0:
                    break
            outcome.empty = bool(ctx.get(self.port.empty))

        run(self.dut, bench)
        return outcome

    def _drive(self, ctx, pending):
        for role, channel in self.sources.items():
            # An offer that stands is kept.
            offers = bool(pending[role]) and bool(
                ctx.get(channel.valid) or self.rng.random() < self.rates.offer
            )
            ctx.set(channel.valid, offers)
            if offers and hasattr(channel, "data"):
                ctx.set(channel.data, pending[role][0])
        for channel in self.sinks.values():
            ctx.set(channel.ready, self.rng.random() < self.rates.accept)
        request, part = self.port.request_0, self.service.answer()
        ctx.set(request.ready, self.rng.random() < self.rates.serve)
        ctx.set(request.rsp_valid, part is not None)
        for name in (name for name in request.signature.members if name in _RESPONSE):
            signal = getattr(request, name)
            # Nothing may be read from a response that is not valid.
            value = self.rng.getrandbits(len(signal)) if part is None else part[name]
            ctx.set(signal, value & (1 << len(signal)) - 1)

    def _observe(self, ctx, cycle, pending, outcome):
        for role, channel in self.sources.items():
            if ctx.get(channel.valid) and ctx.get(channel.ready):
                pending[role].popleft()
                # The next token may be offered at once, or not at all.
                outcome.accepted_at[role].append(cycle)
        self.monitor.observe(
            {
                role: (ctx.get(channel.valid), ctx.get(channel.ready))
                for role, channel in self.sinks.items()
            }
        )
        for role, channel in self.sinks.items():
            if ctx.get(channel.valid):
                outcome.results[role].append(
                    ctx.get(channel.data) if hasattr(channel, "data") else None
                )
        if any(ctx.get(channel.valid) for channel in self.sinks.values()):
            outcome.published_at.append(cycle)
        request = self.port.request_0
        if ctx.get(request.valid) and ctx.get(request.ready):
            outcome.requests += 1
            shape = self.port.shape.requester
            default = {"mode": 0, "slot": 0, "write": int(shape.writes), "data": 0}
            self.service.accept(
                {
                    name: ctx.get(getattr(request, name)) if hasattr(request, name) else value
                    for name, value in {**default, "address": 0, "beyond": 0, "lanes": 0}.items()
                }
            )
