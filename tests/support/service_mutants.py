"""Wrong parts of the Local Memory Service, one for each check that must see the fault."""

from itertools import count
from types import SimpleNamespace

from amaranth.hdl import Cat, Const, Elaboratable, Module, Mux, Signal
from amaranth.lib.memory import Memory

from fabricgen.rtl.arbiter import Arbiter
from fabricgen.rtl.logic import any_bit
from fabricgen.rtl.pair_arbiter import PairArbiter
from fabricgen.rtl.service.admission import Admission
from fabricgen.rtl.service.atomic_bank import AtomicBank
from fabricgen.rtl.service.bank import Bank
from fabricgen.rtl.service.beat_reader import BeatReader
from fabricgen.rtl.service.front_end import FrontEnd
from fabricgen.rtl.service.lane_walk import LaneWalk
from fabricgen.rtl.service.range_check import RangeCheck
from fabricgen.rtl.service.write_aligner import WriteAligner


class HastyArbiter(Arbiter):
    """The cursor moves in every cycle, granted or not."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count = len(self.participants)
        cursor = Signal(range(count))
        m.d.sync += cursor.eq((cursor + 1) % count)
        with m.Switch(cursor):
            for start in range(count):
                with m.Case(start):
                    for at in reversed([*range(start, count), *range(start)]):
                        with m.If(self.request[at]):
                            m.d.comb += self.grant.eq(1 << at)
                            if self.word_bits:
                                m.d.comb += self.word.eq(self.words.word_select(at, self.word_bits))
        return m


class StickyArbiter(Arbiter):
    """The cursor never moves: a fixed priority under another name."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for at in reversed(range(len(self.participants))):
            with m.If(self.request[at]):
                m.d.comb += [
                    self.grant.eq(1 << at),
                    self.word.eq(self.words.word_select(at, self.word_bits)),
                ]
        return m


class ForgetfulBank(Bank):
    """A read does not see the write that it meets."""

    def _forward(self, m, row):
        pass


class DividedBank(AtomicBank):
    """A read does not see what is being computed: another one may come between."""

    def _met(self, read_row, row, enable):
        if enable.name in ("computed_enable", "enabled"):
            return Const(0, len(enable))
        return super()._met(read_row, row, enable)


class ForgottenLastBank(AtomicBank):
    """A read does not see what was written in the cycle before."""

    def _met(self, read_row, row, enable):
        if enable.name == "last_enable":
            return Const(0, len(enable))
        return super()._met(read_row, row, enable)


class HastyBank(AtomicBank):
    """What was compared may be outdated when it is confirmed: the bank does not wait."""

    def _free(self, waits):
        return Const(1, 1)


class TrustingBank(AtomicBank):
    """An exchange is written whether it is confirmed or not."""

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.confirmed = self.write_confirm

    def elaborate(self, platform: object) -> Module:
        self.write_confirm = Const(-1, len(self.confirmed))
        return super().elaborate(platform)


class _LateMemory:
    """A storage that some bytes of a write reach later; ``late[i]`` cycles for byte ``i``."""

    def __init__(self, m, memory, late) -> None:
        self._m, self._memory, self._late = m, memory, late

    def write_port(self, *, granularity):
        port = SimpleNamespace(
            addr=Signal(range(self._memory.depth), name="early_row"),
            data=Signal(granularity * len(self._late), name="early_beat"),
            en=Signal(len(self._late), name="early_enable"),
        )
        for cycles in sorted(set(self._late)):
            real = self._memory.write_port(granularity=granularity)
            kept = sum(1 << at for at, late in enumerate(self._late) if late == cycles)
            stages = [port.addr, port.data, port.en & kept]
            for number in range(cycles):
                after = [
                    Signal(len(each), name=f"late_{cycles}_{number}_{at}")
                    for at, each in enumerate(stages)
                ]
                self._m.d.sync += [held.eq(each) for held, each in zip(after, stages, strict=True)]
                stages = after
            self._m.d.comb += [
                real.addr.eq(stages[0]),
                real.data.eq(stages[1]),
                real.en.eq(stages[2]),
            ]
        return port


class BufferedBank(AtomicBank):
    """Writes wait in a buffer where reads do not look, though they have been answered."""

    def _write(self, m, *rest):
        memory, self.mem = self.mem, _LateMemory(m, self.mem, self._late())
        super()._write(m, *rest)
        self.mem = memory

    def _late(self):
        return [12] * self.beat_bytes


class OneLateBank(BufferedBank):
    """Every second bank has such a buffer, counted by ``made``."""

    made = count()

    def __init__(self, *args, **options) -> None:
        super().__init__(*args, **options)
        self._is_late = next(self.made) % 2 == 0

    def _late(self):
        return [64 * self._is_late] * self.beat_bytes


class TearingBank(BufferedBank):
    """Every second byte of a write arrives later."""

    def _late(self):
        return [at % 2 * 6 for at in range(self.beat_bytes)]


class StickyPairArbiter(PairArbiter):
    """The cursor never moves."""

    def _advance(self, m):
        pass


class HalfPairArbiter(PairArbiter):
    """Who wants both may get one of them."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        first_read, read_word = self._first(self.read_request)
        first_write, write_word = self._first(self.write_request)
        m.d.comb += [
            self.read_word.eq(read_word),
            self.write_word.eq(write_word),
            self.read_grant.eq(Cat(first_read)),
            self.write_grant.eq(Cat(first_write)),
        ]
        self._advance(m)
        return m


class ForgetfulReader(BeatReader):
    """The same where the requester forwards for itself."""

    def _newer(self, byte, chosen):
        return Const(0, 1)


class _ReadPort:
    def __init__(self, like) -> None:
        self.addr = Signal.like(like.addr)
        self.en = Signal.like(like.en)
        self.data = Signal.like(like.data)


class GarblingMemory(Elaboratable):
    """A right storage that returns garbage for bytes written while they are read."""

    def __init__(self, plain: Memory) -> None:
        self.plain = plain
        self.data = plain.data

    def write_port(self, granularity):
        self.write = self.plain.write_port(granularity=granularity)
        return self.write

    def read_port(self):
        self.inner = self.plain.read_port()
        self.outer = _ReadPort(self.inner)
        return self.outer

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.plain = self.plain
        hit = Signal(len(self.write.en))
        m.d.sync += hit.eq(Mux(self.outer.addr == self.write.addr, self.write.en, 0))
        m.d.comb += [
            self.inner.addr.eq(self.outer.addr),
            self.inner.en.eq(self.outer.en),
            self.outer.data.eq(self.inner.data ^ Cat(bit.replicate(8) for bit in hit)),
        ]
        return m


class GarblingBank(Bank):
    """Not wrong: collisions are undefined, and this shows it."""

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.mem = GarblingMemory(self.mem)


class GarblingAtomicBank(AtomicBank):
    """The same."""

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.mem = GarblingMemory(self.mem)


class FirstLaneAligner(WriteAligner):
    """Where lanes overlap, the lower one wins."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        rings = [self._ring(m, segment) for segment in range(self.requester.segments)]
        for place in range(self.banks * self.plan.beat_bytes):
            data = Const(0, 8)
            for ring, enable in reversed(rings):
                if ring[place] is not None:
                    data = Mux(enable[place], ring[place], data)
            m.d.comb += [
                self.beats.word_select(place, 8).eq(data),
                self.enable[place].eq(
                    any_bit(enable[place] for _, enable in rings if enable[place] is not None)
                ),
            ]
        return m


class OpenRangeCheck(RangeCheck):
    """Only addresses beyond the capacity's bits are outside."""

    def _inside(self, mode, lane, base, size):
        return ~self.beyond[lane if mode.indexed else 0]


class ForgetfulFrontEnd(FrontEnd):
    """What was served is asked again."""

    def _pending(self, m):
        pending, taken = super()._pending(m)
        return {item: self.valid & self._needed(item, self.lanes) for item in pending}, taken


class OpenAdmission(Admission):
    """Everybody is let in."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.admit.eq(-1)
        return m


class PlainBank(Bank):
    """Right, but synthesis is not told that collisions do not matter."""

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.mem.attrs.clear()


class GreedyWalk(LaneWalk):
    """Lets one lane more in per cycle than declared."""

    def __init__(self, channel, issue_lanes):
        super().__init__(channel, issue_lanes)
        self.issue_lanes += 1


class TardyWalk(LaneWalk):
    """Lets no lane of the next request in before the held one is done."""

    def _let_in(self, m, moves, lanes, walk):
        never = Signal.like(self.i.valid)
        behind, self.i.valid = self.i.valid, never
        super()._let_in(m, moves, lanes, walk)
        self.i.valid = behind
