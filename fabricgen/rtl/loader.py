"""Programming interface of a fabric: registers on AXI4-Lite, commit at quiescence."""

from collections.abc import Mapping
from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.abi.status import FLAG_QUIESCENT, FLAG_UNMATCHED
from fabricgen.abi.unit import ProgrammingUnit
from fabricgen.rtl.axi_lite import AxiLite, AxiLiteTarget, Response, axi_lite_signature
from fabricgen.rtl.commit_sequencer import CommitSequencer
from fabricgen.rtl.configuration_bank import ConfigurationBank
from fabricgen.rtl.event_counters import EventCounters
from fabricgen.rtl.fault_record import FaultRecord

__all__ = ["ConfigurationLoader"]

_WORD_BITS = 32
_WORD_BYTES = 4


@dataclass(frozen=True, slots=True)
class _Parts:
    bus: AxiLiteTarget
    bank: ConfigurationBank
    commit: CommitSequencer
    faults: Mapping[str, FaultRecord]
    counters: EventCounters | None


class ConfigurationLoader(wiring.Component):
    """Registers of one programming unit.

    A write that is refused (SLVERR, or DECERR outside the map) changes nothing. A commit needs
    every payload byte written, none with a 1 that no configuration has, and the fabric's identity
    word written, all since reset or the last commit. It raises ``hold``, and ``hold_rows`` where
    the change affects them, for one cycle, in which no new work enters there; if what is held is
    settled then, the payload changes in one step and the holds stay for two more cycles, while the
    fabric registers what it decodes from the new payload. Otherwise the commit is refused, and can
    be repeated.

    Latency is 1 cycle from a request to its response, 2 for a commit. After reset the payload is
    the inactive one.

    Parameters
    ----------
    unit : :class:`ProgrammingUnit`
        Payload and addresses.
    identity
        32-bit word that must be written before each commit.

    Members
    -------
    cfg : In(axi_lite_signature())
    configuration : Out(unit.payload_bits)
        The active payload; changes only while ``hold``.
    following : Out(unit.payload_bits), pending : Out(1)
        The shadow, and that a commit would make it the active payload.
    affected : In(unit.reports.holds), absent without a memory
        Parts of the memory that differ between the two.
    hold : Out(1), hold_rows : Out(unit.reports.holds)
        Registered: nothing may enter the datapath resources, nor these parts of the memory.
    settled : In(1)
        Nothing is inside of what is held.
    drain : Out(unit.reports.rows), absent without rows
        Rows that shall begin no firing; what the host wrote last, 0 after reset.
    quiescent : In(1)
        Nothing is inside the fabric.
    <report> : In(1), <report>_<detail> : In
        Each of ``unit.reports``, for one cycle; the first one is kept until it is cleared.
    unmatched : In(unit.reports.unmatched), absent in a Spatial schedule
        A token stands at this input endpoint whose tag no row matches.
    busy : In(rows), partial : In(rows), waits : In(rows * bits), absent without counters
        What each row has, row 0 lowest; read as it is.
    events : In(rows * kinds), absent without counters
        What of :data:`fabricgen.abi.status.COUNTS` happens to each row in this cycle.
    """

    cfg: AxiLite
    configuration: Signal
    following: Signal
    pending: Signal
    affected: Signal
    hold: Signal
    hold_rows: Signal
    settled: Signal
    drain: Signal
    quiescent: Signal
    unmatched: Signal
    waits: Signal
    events: Signal

    def __init__(self, unit: ProgrammingUnit, identity: int) -> None:
        if not isinstance(unit, ProgrammingUnit):
            raise TypeError(f"ConfigurationLoader unit must be a ProgrammingUnit, not {unit!r}")
        if not 0 <= identity < 1 << _WORD_BITS:
            raise ValueError(f"ConfigurationLoader identity must have 32 bits, not {identity:#x}")
        self.unit = unit
        self.identity = identity
        holds = unit.reports.holds
        rows = {"affected": In(holds), "hold_rows": Out(holds)} if holds else {}
        if unit.reports.rows:
            rows["drain"] = Out(unit.reports.rows)
        super().__init__(
            {
                "cfg": In(axi_lite_signature()),
                "configuration": Out(unit.payload_bits),
                "following": Out(unit.payload_bits),
                "pending": Out(1),
                **rows,
                "hold": Out(1),
                "settled": In(1),
                "quiescent": In(1),
                **{name: In(width) for name, width in unit.reports.members.items()},
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Join the bus, the payload, the commit, the identity and the sticky fault."""
        m = Module()
        parts = _Parts(
            AxiLiteTarget(),
            ConfigurationBank(
                self.unit.payload_bits, self.unit.storable_mask, self.unit.inactive_payload
            ),
            CommitSequencer(self.unit.reports.holds),
            {each.name: FaultRecord(dict(each.details)) for each in self.unit.reports.reports},
            EventCounters(len(self.events)) if self.unit.reports.counts else None,
        )
        m.submodules.bus = parts.bus
        m.submodules.bank = parts.bank
        m.submodules.commit = parts.commit
        wiring.connect(m, wiring.flipped(self.cfg), parts.bus.bus)

        m.d.comb += [
            self.configuration.eq(parts.bank.configuration),
            self.following.eq(parts.bank.following),
            self.pending.eq(parts.commit.permitted),
            self.hold.eq(parts.commit.hold),
            parts.commit.quiescent.eq(self.settled),
            parts.bank.swap.eq(parts.commit.swap),
        ]
        if self.unit.reports.holds:
            m.d.comb += [
                parts.commit.affected.eq(self.affected),
                self.hold_rows.eq(parts.commit.hold_rows),
            ]
        if parts.counters is not None:
            m.submodules.counters = parts.counters
            m.d.comb += parts.counters.event.eq(self.events)
        for name, fault in parts.faults.items():
            m.submodules[name] = fault
            m.d.comb += fault.report.eq(getattr(self, name))
            for detail in fault.details:
                report = getattr(fault, f"report_{detail}")
                m.d.comb += report.eq(getattr(self, f"{name}_{detail}"))

        identify = Signal(_WORD_BYTES)
        identified = Signal(_WORD_BYTES)
        for lane in range(_WORD_BYTES):
            expected = self.identity >> 8 * lane & 0xFF
            with m.If(identify[lane]):
                same = parts.bus.write_data.word_select(lane, 8) == expected
                m.d.sync += identified[lane].eq(same)
        with m.If(parts.commit.swap):
            m.d.sync += identified.eq(0)
        shadow_fits = parts.bank.complete & parts.bank.legal
        m.d.comb += parts.commit.permitted.eq(shadow_fits & identified.all())

        clear = Signal(_WORD_BITS)
        self._writes(m, parts, identify, clear)
        for report in self.unit.reports.reports:
            m.d.comb += parts.faults[report.name].clear.eq(clear[report.flag])
        self._reads(m, parts, self._unmatched(m, clear[FLAG_UNMATCHED]))
        return m

    def _writes(self, m: Module, parts: _Parts, identify: Signal, clear: Signal) -> None:
        """Decode a write.

        ``identify`` has the bytes of the identity word that are written, ``clear`` the flags.
        """
        reports = self.unit.reports
        clearable = sum(1 << report.flag for report in reports.reports)
        clearable |= bool(reports.unmatched) << FLAG_UNMATCHED
        bus, bank, commit, registers = parts.bus, parts.bank, parts.commit, self.unit.registers
        data = bus.write_data
        ones = Signal(_WORD_BITS)
        only_bit_0 = Signal()
        m.d.comb += [
            ones.eq(data & Cat(strobe.replicate(8) for strobe in bus.write_strobe)),
            only_bit_0.eq(~ones[1:].any()),
            bank.write_data.eq(data),
            bank.write_strobe.eq(bus.write_strobe),
            bus.write_done.eq(1),
            bus.write_response.eq(Response.SLVERR),
        ]
        if self.unit.word_count > 1:
            m.d.comb += bank.write_word.eq(bus.write_address[2:])

        beyond = self._beyond_payload(bus.write_address, ones)
        with m.If(self._in_payload(bus.write_address)):
            m.d.comb += [
                bank.write.eq(bus.write & ~beyond),
                bus.write_response.eq(Mux(beyond, Response.SLVERR, Response.OKAY)),
            ]
        with m.Else(), m.Switch(bus.write_address):
            with m.Case(registers.commit), m.If(only_bit_0):
                m.d.comb += commit.request.eq(bus.write & ones[0])
                with m.If(ones[0]):
                    m.d.comb += bus.write_done.eq(commit.done)
                with m.If(~ones[0] | commit.success):
                    m.d.comb += bus.write_response.eq(Response.OKAY)
            with m.Case(registers.identity):
                m.d.comb += identify.eq(bus.write_strobe & bus.write.replicate(_WORD_BYTES))
                m.d.comb += bus.write_response.eq(Response.OKAY)
            with m.Case(registers.flags), m.If(~(ones & ~clearable).any()):
                m.d.comb += clear.eq(Mux(bus.write, ones, 0))
                m.d.comb += bus.write_response.eq(Response.OKAY)
            self._drains(m, bus, ones)
            with m.Case(registers.status, *self._read_only()):
                m.d.comb += bus.write_response.eq(Response.SLVERR)
            with m.Default():
                m.d.comb += bus.write_response.eq(Response.DECERR)

    def _drains(self, m: Module, bus: AxiLiteTarget, ones: Value) -> None:
        """Cases of the words that are written and read alike: bytes, and no bits above the rows."""
        for word in self.unit.reports.words():
            if not word.is_writable:
                continue
            with m.Case(self.unit.registers.words[word.name]), m.If(~ones[word.width :].any()):
                m.d.comb += bus.write_response.eq(Response.OKAY)
                for lane in range(-(-word.width // 8)):
                    low, high = 8 * lane, min(8 * lane + 8, word.width)
                    with m.If(bus.write & bus.write_strobe[lane]):
                        kept = self.drain[word.shift + low : word.shift + high]
                        m.d.sync += kept.eq(bus.write_data[low:high])

    def _read_only(self) -> list[int]:
        """Addresses of the words that only hardware writes."""
        addresses = self.unit.registers.words
        return [addresses[word.name] for word in self.unit.reports.words() if not word.is_writable]

    def _reads(self, m: Module, parts: _Parts, unmatched: Value) -> None:
        bus, bank, registers = parts.bus, parts.bank, self.unit.registers
        values = self._reported(parts, unmatched)
        answers: dict[int, Value | int] = {
            registers.commit: 0,
            registers.status: bank.complete,
            registers.identity: self.identity,
            registers.flags: self._flags(parts, unmatched),
        }
        for word in self.unit.reports.words():
            bits = values[word.member][word.shift : word.shift + word.width]
            answers[registers.words[word.name]] = bits
        if self.unit.word_count > 1:
            m.d.comb += bank.read_word.eq(bus.read_address[2:])

        with m.If(self._in_payload(bus.read_address)):
            m.d.comb += bus.read_data.eq(bank.read_data)
        with m.Else(), m.Switch(bus.read_address):
            for address, answer in answers.items():
                with m.Case(address):
                    m.d.comb += bus.read_data.eq(answer)
            with m.Default():
                m.d.comb += bus.read_response.eq(Response.DECERR)

    def _unmatched(self, m: Module, clear: Value) -> Value:
        """One sticky bit per input endpoint; a token in the cycle of the clear counts anew."""
        if not self.unit.reports.unmatched:
            return Const(0, 1)
        seen = Signal.like(self.unmatched, name="unmatched_seen")
        m.d.sync += seen.eq(Mux(clear, 0, seen) | self.unmatched)
        return seen

    def _flags(self, parts: _Parts, unmatched: Value) -> Value:
        flags: dict[int, Value] = {FLAG_QUIESCENT: self.quiescent, FLAG_UNMATCHED: unmatched.any()}
        for report in self.unit.reports.reports:
            flags[report.flag] = parts.faults[report.name].flag
        return Cat(flags.get(bit, Const(0, 1)) for bit in range(max(flags) + 1))

    def _reported(self, parts: _Parts, unmatched: Value) -> dict[str, Value]:
        """Value of every member that has words."""
        values: dict[str, Value] = {"unmatched": unmatched}
        for name, fault in parts.faults.items():
            values |= {f"{name}_{detail}": getattr(fault, detail) for detail in fault.details}
        for name in ("drain", "busy", "partial", "waits"):
            if hasattr(self, name):
                values[name] = getattr(self, name)
        if parts.counters is not None:
            values["counts"] = parts.counters.counts
        return values

    def _in_payload(self, address: Value) -> Value:
        return (address[2:] < self.unit.word_count) & (address[:2] == 0)

    def _beyond_payload(self, address: Value, ones: Value) -> Value:
        """Whether a write sets a bit of the last word that the payload does not have."""
        last = self.unit.word_count - 1
        used = self.unit.payload_bits - _WORD_BITS * last
        if used == _WORD_BITS:
            return Const(0, 1)
        return (address[2:] == last) & ones[used:].any()
