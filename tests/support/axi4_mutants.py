"""Wrong AXI4 adapters, one for each check that must see the fault."""

from amaranth.hdl import Const, Mux, Signal

from fabricgen.rtl.axi4.burst_walk import BurstWalk
from fabricgen.rtl.axi4.lite_subordinate import LiteReads, LiteSubordinate, LiteWrites
from fabricgen.rtl.axi4.manager import Axi4Manager
from fabricgen.rtl.axi4.manager_reads import ManagerReads
from fabricgen.rtl.axi4.manager_writes import ManagerWrites
from fabricgen.rtl.axi4.subordinate import Axi4Subordinate
from fabricgen.rtl.axi4.subordinate_reads import SubordinateReads
from fabricgen.rtl.axi4.subordinate_writes import SubordinateWrites


def manager_of(reads=ManagerReads, writes=ManagerWrites):
    """An adapter that is made of these parts."""

    class Made(Axi4Manager):
        READS, WRITES = reads, writes

    return Made


def _look_away(m, valid, ready):
    """Withdraw an offer while it waits."""
    waits = Signal()
    m.d.sync += waits.eq(valid & ~ready)
    with m.If(waits):
        m.d.comb += valid.eq(0)


class ForgetfulReads(ManagerReads):
    """An address that waits is that of whoever comes next."""

    def _ask(self, m, requests, fields):
        super()._ask(m, requests, fields)
        m.d.comb += self.bus.araddr.eq(fields[: len(self.bus.araddr)])


class WithdrawingReads(ManagerReads):
    """Looks away while it waits."""

    def _ask(self, m, requests, fields):
        super()._ask(m, requests, fields)
        waits = Signal()
        m.d.sync += waits.eq(requests.o.valid & ~self.bus.arready & ~waits)
        m.d.comb += self.bus.arvalid.eq(requests.o.valid & ~waits)


class CrossingReads(ManagerReads):
    """Knows no 4 KiB."""

    @property
    def _stays_in_block(self):
        return Const(1, 1)


class GreedyReads(ManagerReads):
    """Reads whole beats."""

    def _active(self):
        return Const(-1, self.shape.beat_bytes)


class ConfusedReads(ManagerReads):
    """Answers whoever asked last in the place of the identifier."""

    def _answer(self, m, asked):
        super()._answer(m, asked)
        m.d.comb += asked.pop_id.eq(self.bus.rid ^ 1)


class DeafReads(ManagerReads):
    """Sees no error of an earlier part of a beat."""

    def _answer(self, m, asked):
        super()._answer(m, asked)
        m.d.comb += self.stream.rsp_error.eq(self.bus.rresp[1])


class CrossingWrites(ManagerWrites):
    """Knows no 4 KiB."""

    def _room(self):
        return Const(-1, 12 - self.offset_bits)


class EndlessWrites(ManagerWrites):
    """Marks the last transfer of a run, not of a burst."""

    def _drive(self, m, addresses, transfers):
        super()._drive(m, addresses, transfers)
        m.d.comb += self.bus.wlast.eq(0)


class OrderlyWrites(ManagerWrites):
    """Offers data only when the address was taken."""

    def _drive(self, m, addresses, transfers):
        super()._drive(m, addresses, transfers)
        m.d.comb += self.bus.wvalid.eq(transfers.o.valid & ~addresses.o.valid)


class HastyWrites(ManagerWrites):
    """Answers each beat when it is taken, and drops the responses."""

    def _answer(self, m, asked):
        super()._answer(m, asked)
        stream = self.stream
        taken = Signal()
        origin = Signal.like(stream.req_origin)
        beat = Signal.like(stream.req_beat)
        m.d.sync += [
            taken.eq(stream.req_valid & stream.req_ready),
            origin.eq(stream.req_origin),
            beat.eq(stream.req_beat),
        ]
        m.d.comb += [
            stream.rsp_valid.eq(taken),
            stream.rsp_origin.eq(origin),
            stream.rsp_beat.eq(beat),
        ]


class DeafWrites(ManagerWrites):
    """Sees no error."""

    def _answer(self, m, asked):
        super()._answer(m, asked)
        m.d.comb += self.stream.rsp_error.eq(0)


class StrobelessWrites(ManagerWrites):
    """Writes whole beats."""

    def _drive(self, m, addresses, transfers):
        super()._drive(m, addresses, transfers)
        m.d.comb += self.bus.wstrb.eq(Mux(transfers.o.valid, -1, 0))


def subordinate_of(reads=SubordinateReads, writes=SubordinateWrites):
    """An adapter that is made of these parts."""

    class Made(Axi4Subordinate):
        READS, WRITES = reads, writes

    return Made


def lite_of(reads=LiteReads, writes=LiteWrites):
    """An adapter that is made of these parts."""

    class Made(LiteSubordinate):
        READS, WRITES = reads, writes

    return Made


class _StraightWalk(BurstWalk):
    """Knows no WRAP."""

    def _next(self, m, here):
        after = Signal.like(here)
        m.d.comb += after.eq((here | (1 << self.size) - 1) + 1)
        return after


class StraightReads(SubordinateReads):
    """Goes on where a burst should wrap."""

    WALK = _StraightWalk


class _AlignedWalk(BurstWalk):
    """Begins where the aligned piece does."""

    def _lanes(self, m, here):
        return super()._lanes(m, here & ~((1 << self.size) - 1)[: len(here)])


class AlignedReads(SubordinateReads):
    """Reads bytes below an unaligned address, too."""

    WALK = _AlignedWalk


class CredulousReads(SubordinateReads):
    """Takes whatever comes for a request."""

    def _is_wrong(self, request):
        return Const(0, 1)


class CredulousWrites(SubordinateWrites):
    """Takes whatever comes for a request."""

    def _is_wrong(self, request):
        return Const(0, 1)


class DeafSubordinateReads(SubordinateReads):
    """Sees no error."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.bus.rresp.eq(0)
        return m


class GreedySubordinateReads(SubordinateReads):
    """Asks whether there is a place for the answer or not."""

    def _has_place(self, taken):
        return Const(1, 1)


class CarelessWrites(SubordinateWrites):
    """Writes whole words."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.stream.req_strobe.eq(-1)
        return m


class EarlyResponses(SubordinateWrites):
    """Responds when the last data has come."""

    def _respond(self, m, slot, identifier, ends, ends_alone, wrong, gives):
        super()._respond(m, slot, identifier, ends, ends, wrong, gives)


class WithdrawingResponses(SubordinateWrites):
    """Looks away while it waits."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        _look_away(m, self.bus.bvalid, self.bus.bready)
        return m


class DeafSubordinateWrites(SubordinateWrites):
    """Sees no error."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.bus.bresp.eq(0)
        return m


class LastlessReads(SubordinateReads):
    """Never says which transfer is the last one."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.bus.rlast.eq(0)
        return m


class NamelessReads(SubordinateReads):
    """Answers everybody alike."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.bus.rid.eq(0)
        return m


class WithdrawingData(SubordinateReads):
    """Looks away while it waits."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        _look_away(m, self.bus.rvalid, self.bus.rready)
        return m


class TwiceReads(SubordinateReads):
    """Shows each transfer again in the cycle after it was taken."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        again = Signal()
        m.d.sync += again.eq(self.bus.rvalid & self.bus.rready & ~again)
        with m.If(again):
            m.d.comb += self.bus.rvalid.eq(1)
        return m


class HastySubordinateWrites(SubordinateWrites):
    """Takes the first answer of a burst for the last one."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.stream.req_beat[0].eq(1)
        return m


class NamelessWrites(SubordinateWrites):
    """Answers everybody alike."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.bus.bid.eq(0)
        return m


class FickleLiteReads(LiteReads):
    """Looks away while it waits."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        _look_away(m, self.bus.rvalid, self.bus.rready)
        return m


class HastyLiteWrites(LiteWrites):
    """Responds to an address without waiting for its data."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.bus.bvalid.eq(~self.idle)
        return m


class WaitingSubordinate(Axi4Subordinate):
    """Takes no answer from the stream while read data waits on the bus."""

    def _answer(self, m, parts):
        super()._answer(m, parts)
        waits = self.bus.rvalid & ~self.bus.rready
        m.d.comb += self.stream.rsp_ready.eq(~waits)
        with m.If(waits):
            m.d.comb += [part.stream.rsp_valid.eq(0) for part, _kind in parts]
