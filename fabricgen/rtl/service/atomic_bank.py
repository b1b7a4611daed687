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

    A compare-exchange that fails writes back what was there.

    ``mem`` is the storage. A write granted while reset is active, or one cycle before, is
    forgotten; the storage is not reset.

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
    write_expected : In(participants * 8 * beat_bytes), absent unless objects are exchanged
        Of the write granted in the cycle before; what others show is not looked at.
    read_beat : Out(8 * beat_bytes)
        Of the read granted two cycles before (registered).
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
    write_expected: Signal
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
            members["write_expected"] = In(count * beat)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Grant and read; meet the beat; compute and write."""
        m = Module()
        m.submodules.mem = self.mem
        m.submodules.arbiter = arbiter = self.arbiter
        m.submodules.unit = self.unit
        m.d.comb += [
            arbiter.read_request.eq(self.read_request),
            arbiter.write_request.eq(self.write_request),
            arbiter.words.eq(self.rows),
            self.read_grant.eq(arbiter.read_grant),
            self.write_grant.eq(arbiter.write_grant),
        ]
        granted = Signal(len(self.write_grant), name="write_granted")
        read_row = Signal(self.split.row_bits, reset_less=True)
        write_row = Signal(self.split.row_bits, reset_less=True)
        m.d.sync += [
            granted.eq(arbiter.write_grant),
            read_row.eq(arbiter.read_word),
            write_row.eq(arbiter.write_word),
        ]
        enable = word_of(granted, self.write_enable)
        if len(granted) == 1:
            enable = Mux(granted, enable, 0)
        self._compute(m, granted)
        port = self.mem.read_port()
        m.d.comb += [port.en.eq(1), port.addr.eq(arbiter.read_word)]
        self._write(m, read_row, write_row, enable, port.data)
        return m

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
        if hasattr(unit, "expected"):
            m.d.comb += unit.expected.eq(word_of(granted, self.write_expected))

    def _write(
        self, m: Module, read_row: Signal, write_row: Signal, enable: Value, stored: Value
    ) -> None:
        """The write that is computed, the one before it, and the beat read behind both."""
        result = self.unit.result
        row = Signal(self.split.row_bits, name="computed_row", reset_less=True)
        enabled = Signal(self.beat_bytes, name="computed_enable")
        m.d.comb += [
            self.writing_row.eq(row),
            self.writing_beat.eq(result),
            self.writing_enable.eq(enabled),
        ]
        last_row = Signal(self.split.row_bits, reset_less=True)
        last_enable = Signal(self.beat_bytes)
        last_beat = Signal(8 * self.beat_bytes, reset_less=True)
        m.d.sync += [
            row.eq(write_row),
            enabled.eq(enable),
            last_row.eq(row),
            last_enable.eq(enabled),
            last_beat.eq(result),
        ]
        m.d.comb += self.busy.eq(enabled.any())
        port = self.mem.write_port(granularity=8)
        m.d.comb += [port.addr.eq(row), port.data.eq(result), port.en.eq(enabled)]

        meets = Signal(self.beat_bytes)
        follows = Signal(self.beat_bytes)
        m.d.comb += [
            meets.eq(self._met(read_row, row, enabled)),
            follows.eq(self._met(read_row, last_row, last_enable)),
        ]
        for byte in range(self.beat_bytes):
            newer, new, old = (each.word_select(byte, 8) for each in (result, last_beat, stored))
            value = Mux(meets[byte], newer, Mux(follows[byte], new, old))
            m.d.comb += self.unit.old.word_select(byte, 8).eq(value)

    def _met(self, read_row: Value, row: Value, enable: Value) -> Value:
        """Bytes of a write that a read of this row must see."""
        return Mux(read_row == row, enable, 0)
