"""AXI4-Lite for pysim benches: a manager, the rules of the bus, and the register map in Python."""

from dataclasses import dataclass, field

from amaranth.hdl import C, Value

from fabricgen.abi.unit import ProgrammingUnit
from fabricgen.rtl.axi_lite import AxiLite, AxiLiteTarget

OKAY, SLVERR, DECERR = 0, 2, 3


async def write(ctx, bus: AxiLite, address, data, strobe=0xF, *, idles=(0, 0), stall=0) -> int:
    """One write; address and data come ``idles`` cycles late. Returns the response."""
    waiting = {"aw": idles[0], "w": idles[1]}
    payload = {"aw": {"awaddr": address}, "w": {"wdata": data, "wstrb": strobe}}
    while waiting:
        for channel, idle in waiting.items():
            if idle == 0:
                for name, value in payload[channel].items():
                    ctx.set(getattr(bus, name), value)
                ctx.set(getattr(bus, f"{channel}valid"), 1)
        ready = {channel: ctx.get(getattr(bus, f"{channel}ready")) for channel in waiting}
        await ctx.tick()
        for channel, idle in list(waiting.items()):
            if idle:
                waiting[channel] = idle - 1
            elif ready[channel]:
                ctx.set(getattr(bus, f"{channel}valid"), 0)
                del waiting[channel]
    return (await _response(ctx, bus, "b", ("bresp",), stall))[0]


async def read(ctx, bus: AxiLite, address, *, idle=0, stall=0) -> tuple[int, int]:
    """One read; returns data and response."""
    if idle:
        await ctx.tick().repeat(idle)
    ctx.set(bus.araddr, address)
    ctx.set(bus.arvalid, 1)
    await ctx.tick().until(bus.arready)
    ctx.set(bus.arvalid, 0)
    data, response = await _response(ctx, bus, "r", ("rdata", "rresp"), stall)
    return data, response


async def _response(ctx, bus, channel, names, stall) -> tuple[int, ...]:
    if stall:
        await ctx.tick().repeat(stall)
    ctx.set(getattr(bus, f"{channel}ready"), 1)
    signals = [getattr(bus, name) for name in names]
    sampled = await ctx.tick().sample(*signals).until(getattr(bus, f"{channel}valid"))
    ctx.set(getattr(bus, f"{channel}ready"), 0)
    return tuple(sampled)


def monitor(bus: AxiLite, faults: list[str], reset: Value | None = None):
    """Process that adds a line to ``faults`` for each broken rule of a response channel.

    What is offered in a cycle of ``reset`` may go.
    """
    channels = {"b": ("bresp",), "r": ("rdata", "rresp")}

    async def watch(ctx):
        offered: dict[str, tuple[int, ...]] = {}
        signals = [C(0) if reset is None else reset] + [
            getattr(bus, name)
            for channel, names in channels.items()
            for name in (f"{channel}valid", f"{channel}ready", *names)
        ]
        async for _edge, _rst, resetting, *values in ctx.tick().sample(*signals):
            rest = iter(values)
            for channel, names in channels.items():
                valid, ready = next(rest), next(rest)
                payload = tuple(next(rest) for _ in names)
                if channel in offered and not valid:
                    faults.append(f"{channel}valid must stay until {channel}ready")
                if channel in offered and payload != offered[channel]:
                    faults.append(f"{channel} payload must stay until {channel}ready")
                if valid and not ready and not resetting:
                    offered[channel] = payload
                else:
                    offered.pop(channel, None)

    return watch


@dataclass
class RegisterModel:
    """What the register map promises, said once more in plain Python."""

    unit: ProgrammingUnit
    identity: int
    active: int = 0
    fault: tuple[int, int] | None = None
    shadow: dict[int, int] = field(default_factory=dict)
    identified: dict[int, int] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether every byte of the payload was written."""
        return len(self.shadow) == -(-self.unit.payload_bits // 8)

    def write(self, address: int, data: int, strobe: int, quiescent: bool) -> int:
        """Apply one write; returns its response."""
        registers = self.unit.registers
        lanes = {lane: data >> 8 * lane & 0xFF for lane in range(4) if strobe >> lane & 1}
        ones = sum(value << 8 * lane for lane, value in lanes.items())
        if address % 4 == 0 and address < registers.commit:
            if ones << 8 * address >> self.unit.payload_bits:
                return SLVERR
            self.shadow |= {address + lane: value for lane, value in lanes.items()}
            beyond = [byte for byte in self.shadow if 8 * byte >= self.unit.payload_bits]
            for byte in beyond:
                del self.shadow[byte]
            return OKAY
        if address == registers.commit:
            if ones == 1:
                return self._commit(quiescent)
            return SLVERR if ones else OKAY
        if address == registers.identity:
            self.identified |= lanes
            return OKAY
        if address == registers.flags:
            if ones > 1:
                return SLVERR
            if ones:
                self.fault = None
            return OKAY
        read_only = (registers.status, *registers.words.values())
        return SLVERR if address in read_only else DECERR

    def _commit(self, quiescent: bool) -> int:
        payload = sum(value << 8 * byte for byte, value in self.shadow.items())
        identity = sum(value << 8 * lane for lane, value in self.identified.items())
        legal = not payload & ~self.unit.storable_mask
        known = len(self.identified) == 4 and identity == self.identity
        if not (self.complete and legal and known and quiescent):
            return SLVERR
        self.active, self.shadow, self.identified = payload, {}, {}
        return OKAY

    def read(self, address: int, quiescent: bool) -> tuple[int | None, int]:
        """Data (``None``: without meaning) and response of one read."""
        registers = self.unit.registers
        row, fault_address = self.fault or (0, 0)
        words = {
            **{4 * k: self.active >> 32 * k & 0xFFFFFFFF for k in range(self.unit.word_count)},
            registers.commit: 0,
            registers.status: int(self.complete),
            registers.identity: self.identity,
            registers.flags: int(self.fault is not None) | quiescent << 1,
            registers.words["out_of_range_row"]: row,
            registers.words["out_of_range_address"]: fault_address,
        }
        return (words[address], OKAY) if address in words else (None, DECERR)


class HastyTarget(AxiLiteTarget):
    """Gives up an offered response after one cycle."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        with m.If(self.bus.bvalid):
            m.d.sync += self.bus.bvalid.eq(0)
        with m.If(self.bus.rvalid):
            m.d.sync += self.bus.rvalid.eq(0)
        return m


class RestlessTarget(AxiLiteTarget):
    """Lets the payload of an offered response follow the register file."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += [self.bus.rdata.eq(self.read_data), self.bus.bresp.eq(self.write_response)]
        return m
