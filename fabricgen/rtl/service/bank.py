"""One bank: storage, its two arbiters, the write stage and forwarding."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fabricgen.plan.geometry import BankGeometry
from fabricgen.records.resource import GrantPolicy
from fabricgen.rtl.arbiter import Arbiter
from fabricgen.rtl.logic import select
from fabricgen.rtl.service.address import AddressSplit

__all__ = ["NO_COLLISION", "Bank", "word_of"]

#: Forwarding makes collisions harmless, and synthesis must know: emulating a defined result
#: costs a register and a multiplexer per bit. Yosys, Quartus, Synplify, Vivado.
NO_COLLISION = {
    "no_rw_check": "1",
    "ramstyle": "no_rw_check",
    "syn_ramstyle": "no_rw_check",
    "rw_addr_collision": "no",
}


class Bank(wiring.Component):
    """Serve one read and one write in each cycle.

    A write granted in cycle *n* reaches the storage at the end of *n + 1*; a read granted in *n*
    shows its beat in *n + 1*. So a read granted beside a write is the older one, and one granted
    in the next cycle meets the write in the storage: its bytes are taken from the write instead,
    and whatever the storage returns for them is not looked at. Bytes of that beat which are not
    written must be returned as they are. ``mem`` is the storage.

    ``read_beat`` is the whole beat for everybody. A reader that forwards for itself takes
    ``stored`` and the write stage; what nobody takes is removed by synthesis.

    A write granted while reset is active is forgotten; the storage is not reset.

    Parameters
    ----------
    geometry
        Beats and rows.
    policy
        Grant policy; reads and writes each have a cursor of their own.
    readers, writers
        Ordinals of the requesters that read or write at all.

    Members
    -------
    read_request, read_grant : In, Out(readers)
    read_rows : In(readers * row_bits)
    write_request, write_grant : In, Out(writers)
    write_rows : In(writers * row_bits)
    write_beats : In(writers * 8 * beat_bytes), write_enable : In(writers * beat_bytes)
        Of the write granted in the cycle before; what others show is not looked at.
    writing_row : Out(row_bits)
    writing_beat : Out(8 * beat_bytes), writing_enable : Out(beat_bytes)
        What is written at the end of this cycle.
    stored : Out(8 * beat_bytes)
        What the storage returns for the read granted in the cycle before.
    read_beat : Out(8 * beat_bytes)
        The same with the bytes of the write that the read met.

    Members of a direction that nobody uses are absent.
    """

    read_request: Signal
    read_grant: Signal
    read_rows: Signal
    stored: Signal
    read_beat: Signal
    write_request: Signal
    write_grant: Signal
    write_rows: Signal
    write_beats: Signal
    write_enable: Signal
    writing_row: Signal
    writing_beat: Signal
    writing_enable: Signal

    def __init__(
        self,
        geometry: BankGeometry,
        *,
        policy: GrantPolicy | None,
        readers: tuple[int, ...],
        writers: tuple[int, ...],
    ) -> None:
        self.split = AddressSplit(geometry)
        self.beat_bytes = geometry.beat_bytes
        self.readers = readers
        self.writers = writers
        self.mem = Memory(
            shape=8 * self.beat_bytes, depth=self.split.depth, init=[], attrs=dict(NO_COLLISION)
        )
        row, beat = self.split.row_bits, 8 * self.beat_bytes
        members: dict[str, wiring.Member] = {}
        if readers:
            self.read_arbiter = Arbiter(policy, readers, word_bits=row)
            members |= {
                "read_request": In(len(readers)),
                "read_grant": Out(len(readers)),
                "read_rows": In(len(readers) * row),
                "stored": Out(beat),
                "read_beat": Out(beat),
            }
        if writers:
            self.write_arbiter = Arbiter(policy, writers, word_bits=row)
            members |= {
                "write_request": In(len(writers)),
                "write_grant": Out(len(writers)),
                "write_rows": In(len(writers) * row),
                "write_beats": In(len(writers) * beat),
                "write_enable": In(len(writers) * self.beat_bytes),
                "writing_row": Out(row),
                "writing_beat": Out(beat),
                "writing_enable": Out(self.beat_bytes),
            }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Arbitrate, register the write, and forward it to the read that meets it."""
        m = Module()
        m.submodules.mem = self.mem
        if self.writers:
            self._write(m)
        if self.readers:
            self._read(m)
        return m

    def _write(self, m: Module) -> None:
        """Grant, then in the next cycle the granted requester's beat."""
        m.submodules.write_arbiter = arbiter = self.write_arbiter
        m.d.comb += [
            arbiter.request.eq(self.write_request),
            arbiter.words.eq(self.write_rows),
            self.write_grant.eq(arbiter.grant),
        ]
        granted = Signal(len(self.writers), name="write_granted")
        write_row = Signal(self.split.row_bits, reset_less=True)
        m.d.sync += [
            granted.eq(arbiter.grant),
            write_row.eq(arbiter.word),
        ]
        enable = word_of(granted, self.write_enable)
        m.d.comb += [
            self.writing_row.eq(write_row),
            self.writing_beat.eq(word_of(granted, self.write_beats)),
            self.writing_enable.eq(enable if len(self.writers) > 1 else Mux(granted, enable, 0)),
        ]
        port = self.mem.write_port(granularity=8)
        m.d.comb += [
            port.addr.eq(self.writing_row),
            port.data.eq(self.writing_beat),
            port.en.eq(self.writing_enable),
        ]

    def _read(self, m: Module) -> None:
        """Grant and read; where the last write met the read, its bytes are newer."""
        m.submodules.read_arbiter = arbiter = self.read_arbiter
        port = self.mem.read_port()
        m.d.comb += [
            arbiter.request.eq(self.read_request),
            arbiter.words.eq(self.read_rows),
            self.read_grant.eq(arbiter.grant),
            port.en.eq(1),
            port.addr.eq(arbiter.word),
            self.stored.eq(port.data),
            self.read_beat.eq(port.data),
        ]
        if self.writers:
            self._forward(m, port.addr)

    def _forward(self, m: Module, row: Value) -> None:
        """Where the read meets the write of the cycle before its answer, take the write."""
        newer_beat = Signal(8 * self.beat_bytes, reset_less=True)
        newer = Signal(self.beat_bytes)
        m.d.sync += [
            newer_beat.eq(self.writing_beat),
            newer.eq(Mux(row == self.writing_row, self.writing_enable, 0)),
        ]
        for byte in range(self.beat_bytes):
            with m.If(newer[byte]):
                m.d.comb += self.read_beat.word_select(byte, 8).eq(newer_beat.word_select(byte, 8))


def word_of(grant: Value, words: Value) -> Value:
    """Word of the granted one; with one requester its word, granted or not."""
    count = len(grant)
    if count == 1:
        return words
    width = len(words) // count
    return select([(grant[i], words.word_select(i, width)) for i in range(count)], width)
