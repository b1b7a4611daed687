"""One bank that computes: storage, its arbiter, and the pipeline of its atomic unit."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fabricgen.plan.atomic_use import LocalAtomics
from fabricgen.plan.geometry import BankGeometry
from fabricgen.records.resource import GrantPolicy
from fabricgen.rtl.pair_arbiter import PairArbiter
from fabricgen.rtl.service.address import AddressSplit
from fabricgen.rtl.service.atomic_unit import OP_BITS, AtomicUnit, scale_bits
from fabricgen.rtl.service.bank import NO_COLLISION, word_of

__all__ = ["AtomicBank"]


class AtomicBank(wiring.Component):
    """Serve one read and one write in each cycle, or one that is both.

    What is granted in cycle *n* meets its beat in *n + 1*, and is held with it: a read is answered
    from there in *n + 2*. A write, and whatever computes, becomes what it writes in *n + 2*, and
    reaches the storage at the end of that cycle. A beat that is read in the meantime has the bytes
    of the write that it meets on its way, or right behind it, so everybody sees all writes granted
    before and no other: between the read and the write of one that is both, nobody sees anything
    else.
    So accesses of one beat go at one per cycle, whatever they compute.

    A compare-exchange keeps the bank for two cycles: nothing is granted in *n + 1*. Whoever asks
    compares the beat that it was answered in *n + 2*, and confirms in *n + 3* what is written then.

    ``mem`` is the storage. A write granted while reset is active, or one cycle before, is
    forgotten, and so is a compare-exchange granted two cycles before; the storage is not reset.

    Parameters
    ----------
    geometry
        Beats and rows.
    policy
        Grant policy; the bank has one cursor, as :class:`PairArbiter` moves it.
    participants
        Ordinals of the requesters.
    atomics
        What is computed.

    Members
    -------
    read_request, read_grant, write_request, write_grant : In, Out, In, Out(participants)
        Who wants both in a cycle computes; who wants to write alone stores.
    rows : In(participants * row_bits)
    write_ops : In(participants * OP_BITS)
    write_scales : In(participants * scale bits), absent with one size of objects
    write_beats : In(participants * 8 * beat_bytes), write_enable : In(participants * beat_bytes)
        Of the write granted in the cycle before; what others show is not looked at.
    exchanges : In(participants), absent unless objects are exchanged
        Who wants both wants to exchange.
    write_confirm : In(participants * beat_bytes), absent unless objects are exchanged
        Of the compare-exchange granted three cycles before: bytes that are as expected.
    read_beat : Out(8 * beat_bytes)
        Of the read granted two cycles before: a choice between two registers.
    writing_row : Out(row_bits)
    writing_beat : Out(8 * beat_bytes), writing_enable : Out(beat_bytes)
        What is written at the end of this cycle.
    busy : Out(1)
        A write is on its way to the storage (registered).
    """

    read_request: Signal
    read_grant: Signal
    write_request: Signal
    write_grant: Signal
    rows: Signal
    write_ops: Signal
    write_scales: Signal
    write_beats: Signal
    write_enable: Signal
    exchanges: Signal
    write_confirm: Signal
    read_beat: Signal
    writing_row: Signal
    writing_beat: Signal
    writing_enable: Signal
    busy: Signal

    def __init__(
        self,
        geometry: BankGeometry,
        *,
        policy: GrantPolicy | None,
        participants: tuple[int, ...],
        atomics: LocalAtomics,
    ) -> None:
        self.split = AddressSplit(geometry)
        self.beat_bytes = geometry.beat_bytes
        self.atomics = atomics
        self.mem = Memory(
            shape=8 * self.beat_bytes, depth=self.split.depth, init=[], attrs=dict(NO_COLLISION)
        )
        count, row, beat = len(participants), self.split.row_bits, 8 * self.beat_bytes
        self.arbiter = PairArbiter(policy, participants, word_bits=row)
        self.unit = AtomicUnit(atomics, geometry.beat_bytes)
        members: dict[str, wiring.Member] = {
            "read_request": In(count),
            "read_grant": Out(count),
            "write_request": In(count),
            "write_grant": Out(count),
            "rows": In(count * row),
            "write_ops": In(count * OP_BITS),
            "write_beats": In(count * beat),
            "write_enable": In(count * self.beat_bytes),
            "read_beat": Out(beat),
            "writing_row": Out(row),
            "writing_beat": Out(beat),
            "writing_enable": Out(self.beat_bytes),
            "busy": Out(1),
        }
        if scale_bits(atomics):
            members["write_scales"] = In(count * scale_bits(atomics))
        if atomics.exchange:
            members |= {"exchanges": In(count), "write_confirm": In(count * self.beat_bytes)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Grant and read; meet the beat; compute and write."""
        m = Module()
        m.submodules.mem = self.mem
        m.submodules.arbiter = arbiter = self.arbiter
        m.submodules.unit = self.unit
        count = len(self.write_grant)
        # The compare-exchange granted in the cycle before has the bank for this one, too.
        waits = Signal()
        unconfirmed = Signal()
        free = self._free(waits).replicate(count)
        m.d.comb += [
            arbiter.read_request.eq(self.read_request & free),
            arbiter.write_request.eq(self.write_request & free),
            arbiter.words.eq(self.rows),
            self.read_grant.eq(arbiter.read_grant),
            self.write_grant.eq(arbiter.write_grant),
            self.unit.hold.eq(unconfirmed),
        ]
        if self.atomics.exchange:
            m.d.sync += [
                waits.eq((arbiter.write_grant & self.exchanges).any()),
                unconfirmed.eq(waits),
            ]
        granted = Signal(count, name="write_granted")
        read_row = Signal(self.split.row_bits, reset_less=True)
        write_row = Signal(self.split.row_bits, reset_less=True)
        m.d.sync += [
            granted.eq(arbiter.write_grant),
            read_row.eq(arbiter.read_word),
            write_row.eq(arbiter.write_word),
        ]
        self._compute(m, granted)
        port = self.mem.read_port()
        m.d.comb += [port.en.eq(1), port.addr.eq(arbiter.read_word)]
        writing = self._writing(m, granted, write_row, unconfirmed)
        self._write(m, read_row, writing, port.data)
        return m

    def _free(self, waits: Signal) -> Value:
        """Somebody may be granted something."""
        return ~waits

    def _compute(self, m: Module, granted: Signal) -> None:
        """What the granted write does, and to what it read."""
        unit = self.unit
        m.d.comb += [
            unit.op.eq(word_of(granted, self.write_ops)),
            unit.operand.eq(word_of(granted, self.write_beats)),
            self.read_beat.eq(unit.held),
        ]
        if hasattr(unit, "scale"):
            m.d.comb += unit.scale.eq(word_of(granted, self.write_scales))

    def _writing(
        self, m: Module, granted: Signal, write_row: Signal, unconfirmed: Signal
    ) -> tuple[Signal, Signal]:
        """Row and bytes that are written at the end of this cycle."""
        enable = word_of(granted, self.write_enable)
        if len(granted) == 1:
            enable = Mux(granted, enable, 0)
        row = Signal(self.split.row_bits, name="computed_row", reset_less=True)
        computed = Signal(self.beat_bytes, name="computed_enable")
        with m.If(~unconfirmed):
            m.d.sync += [row.eq(write_row), computed.eq(enable)]
        m.d.comb += self.busy.eq(computed.any())
        if not self.atomics.exchange:
            return row, computed
        # Of an exchange: who waits for its bytes, from the cycle in which they are confirmed on.
        asks = Signal(len(granted), name="exchange_granted", reset_less=True)
        confirmed = Signal()
        with m.If(~unconfirmed):
            m.d.sync += asks.eq(granted)
        m.d.sync += confirmed.eq(unconfirmed)
        enabled = Signal(self.beat_bytes, name="enabled")
        m.d.comb += enabled.eq(
            computed
            & ~unconfirmed.replicate(self.beat_bytes)
            & (word_of(asks, self.write_confirm) | ~confirmed.replicate(self.beat_bytes))
        )
        return row, enabled

    def _write(
        self, m: Module, read_row: Signal, writing: tuple[Signal, Signal], stored: Value
    ) -> None:
        """The write that is computed, the one before it, and the beat read behind both."""
        result = self.unit.result
        row, enabled = writing
        m.d.comb += [
            self.writing_row.eq(row),
            self.writing_beat.eq(result),
            self.writing_enable.eq(enabled),
        ]
        last_row = Signal(self.split.row_bits, reset_less=True)
        last_enable = Signal(self.beat_bytes)
        m.d.sync += [last_row.eq(row), last_enable.eq(enabled)]
        port = self.mem.write_port(granularity=8)
        m.d.comb += [port.addr.eq(row), port.data.eq(result), port.en.eq(enabled)]

        follows = Signal(self.beat_bytes)
        m.d.comb += [
            self.unit.meets.eq(self._met(read_row, row, enabled)),
            follows.eq(self._met(read_row, last_row, last_enable)),
        ]
        for byte in range(self.beat_bytes):
            new, old = (each.word_select(byte, 8) for each in (self.unit.last, stored))
            m.d.comb += self.unit.old.word_select(byte, 8).eq(Mux(follows[byte], new, old))

    def _met(self, read_row: Value, row: Value, enable: Value) -> Value:
        """Bytes of a write that a read of this row must see."""
        return Mux(read_row == row, enable, 0)
