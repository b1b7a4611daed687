"""Programming interface of a fabric: registers on AXI4-Lite, commit at quiescence."""

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.abi.unit import ProgrammingUnit
from fabricgen.rtl.axi_lite import AxiLite, AxiLiteTarget, Response, axi_lite_signature
from fabricgen.rtl.commit_sequencer import CommitSequencer
from fabricgen.rtl.configuration_bank import ConfigurationBank
from fabricgen.rtl.fault_record import FaultRecord

__all__ = ["ConfigurationLoader"]

_WORD_BITS = 32
_WORD_BYTES = 4


@dataclass(frozen=True, slots=True)
class _Parts:
    bus: AxiLiteTarget
    bank: ConfigurationBank
    commit: CommitSequencer
    fault: FaultRecord


class ConfigurationLoader(wiring.Component):
    """Registers of one programming unit.

    A write that is refused (SLVERR, or DECERR outside the map) changes nothing. A commit needs
    every payload byte written, none with a 1 that no configuration has, and the fabric's identity
    word written, all since reset or the last commit. It raises ``hold`` for one cycle, in which no
    new work enters; if the fabric is quiescent then, the payload changes in one step and ``hold``
    stays for two more cycles, while the fabric registers what it decodes from the new payload.
    Otherwise the commit is refused, and can be repeated.

    Latency is 1 cycle from a request to its response, 2 for a commit. After reset the payload is
    all zero.

    Parameters
    ----------
    unit : :class:`ProgrammingUnit`
        Payload and addresses.
    identity
        32-bit word that must be written before each commit.
    row_bits, address_bits
        Widths of the fault's row and byte address; 0 leaves the member out.

    Members
    -------
    cfg : In(axi_lite_signature())
    configuration : Out(unit.payload_bits)
        The active payload; changes only while ``hold``.
    hold : Out(1)
        Registered: nothing may enter the fabric.
    quiescent : In(1)
        Nothing is inside the fabric.
    out_of_range : In(1), out_of_range_row : In(row_bits), out_of_range_address : In(address_bits)
        An access left every region in this cycle; the first one is kept until it is cleared.
    """

    cfg: AxiLite
    configuration: Signal
    hold: Signal
    quiescent: Signal
    out_of_range: Signal
    out_of_range_row: Signal
    out_of_range_address: Signal

    def __init__(
        self, unit: ProgrammingUnit, identity: int, *, row_bits: int, address_bits: int
    ) -> None:
        if not isinstance(unit, ProgrammingUnit):
            raise TypeError(f"ConfigurationLoader unit must be a ProgrammingUnit, not {unit!r}")
        if not 0 <= identity < 1 << _WORD_BITS:
            raise ValueError(f"ConfigurationLoader identity must have 32 bits, not {identity:#x}")
        self.unit = unit
        self.identity = identity
        details = {"row": row_bits, "address": address_bits}
        for name, width in details.items():
            if width < 0:
                raise ValueError(
                    f"ConfigurationLoader {name}_bits must not be negative, not {width}"
                )
        self.details = {name: width for name, width in details.items() if width}
        widths = {f"out_of_range_{name}": width for name, width in self.details.items()}
        super().__init__(
            {
                "cfg": In(axi_lite_signature()),
                "configuration": Out(unit.payload_bits),
                "hold": Out(1),
                "quiescent": In(1),
                "out_of_range": In(1),
                **{name: In(width) for name, width in widths.items()},
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Join the bus, the payload, the commit, the identity and the sticky fault."""
        m = Module()
        parts = _Parts(
            AxiLiteTarget(),
            ConfigurationBank(self.unit.payload_bits, self.unit.storable_mask),
            CommitSequencer(),
            FaultRecord(self.details),
        )
        m.submodules.bus = parts.bus
        m.submodules.bank = parts.bank
        m.submodules.commit = parts.commit
        m.submodules.fault = parts.fault
        wiring.connect(m, wiring.flipped(self.cfg), parts.bus.bus)

        m.d.comb += [
            self.configuration.eq(parts.bank.configuration),
            self.hold.eq(parts.commit.hold),
            parts.commit.quiescent.eq(self.quiescent),
            parts.bank.swap.eq(parts.commit.swap),
            parts.fault.report.eq(self.out_of_range),
        ]
        for name in self.details:
            report = getattr(parts.fault, f"report_{name}")
            m.d.comb += report.eq(getattr(self, f"out_of_range_{name}"))

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

        self._writes(m, parts, identify)
        self._reads(m, parts)
        return m

    def _writes(self, m: Module, parts: _Parts, identify: Signal) -> None:
        """Decode a write; ``identify`` has the bytes of the identity word that are written."""
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
            with m.Case(registers.flags), m.If(only_bit_0):
                m.d.comb += parts.fault.clear.eq(bus.write & ones[0])
                m.d.comb += bus.write_response.eq(Response.OKAY)
            with m.Case(
                registers.status, registers.out_of_range_row, registers.out_of_range_address
            ):
                m.d.comb += bus.write_response.eq(Response.SLVERR)
            with m.Default():
                m.d.comb += bus.write_response.eq(Response.DECERR)

    def _reads(self, m: Module, parts: _Parts) -> None:
        bus, bank, fault, registers = parts.bus, parts.bank, parts.fault, self.unit.registers
        answers: dict[int, Value | int] = {
            registers.commit: 0,
            registers.status: bank.complete,
            registers.identity: self.identity,
            registers.flags: Cat(fault.flag, self.quiescent),
            registers.out_of_range_row: fault.row if "row" in self.details else 0,
            registers.out_of_range_address: fault.address if "address" in self.details else 0,
        }
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

    def _in_payload(self, address: Value) -> Value:
        return (address[2:] < self.unit.word_count) & (address[:2] == 0)

    def _beyond_payload(self, address: Value, ones: Value) -> Value:
        """Whether a write sets a bit of the last word that the payload does not have."""
        last = self.unit.word_count - 1
        used = self.unit.payload_bits - _WORD_BITS * last
        if used == _WORD_BITS:
            return Const(0, 1)
        return (address[2:] == last) & ones[used:].any()
