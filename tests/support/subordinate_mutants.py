"""Wrong subordinates, one for each check that must see the fault."""

from amaranth.hdl import Cat, Const, Signal

from fabricgen.rtl.occurrence import MemoryOccurrence
from fabricgen.rtl.service.admission import Admission
from fabricgen.rtl.service.range_check import RangeCheck
from fabricgen.rtl.subordinate.decoder import ProviderDecoder
from fabricgen.rtl.subordinate.subordinate import Subordinate
from tests.support.channel import run as simulate

__all__ = ["simulate"]


class FirstByteDecoder(ProviderDecoder):
    """Compares the first byte alone."""

    def _matches(self, m, ordinal, fields):
        found = super()._matches(m, ordinal, fields)
        if "range_base" in fields:
            found[2] = Const(1, 1)
        return found


class FieldlessDecoder(ProviderDecoder):
    """Looks at no context."""

    def _matches(self, m, ordinal, fields):
        return super()._matches(m, ordinal, {k: v for k, v in fields.items() if k != "context"})


class StillDecoder(ProviderDecoder):
    """Adds nothing."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.offset.eq(0)
        return m


class EagerDecoder(ProviderDecoder):
    """Looks at unused rows, which have the range of no byte, and at rows of zeros."""

    def _matches(self, m, ordinal, fields):
        return [Const(1, 1)]


class LastRowDecoder(ProviderDecoder):
    """Takes the last row that matches."""

    def __init__(self, rows):
        super().__init__(rows)
        self.rows = tuple(reversed(rows))

    def elaborate(self, platform):
        first = self.rows[-1]["valid"].offset
        shift = self.rows[0]["valid"].offset - first
        configuration = self.configuration
        # Slices count from the row that stands first.
        self.configuration = Cat(configuration[shift:], configuration[:shift])
        m = super().elaborate(platform)
        self.configuration = configuration
        return m


class OpenCheck(RangeCheck):
    """Every byte is inside."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.in_range.eq(-1)
        return m


class CrookedSubordinate(Subordinate):
    """Rounds an address down."""

    def _is_beat(self, kind, address, strobe):
        return super()._is_beat(kind, Cat(Const(0, self.low_bits), address), strobe)


class KindSubordinate(Subordinate):
    """Looks at the lowest bit of a kind."""

    def _is_beat(self, kind, address, strobe):
        return super()._is_beat(kind[0], address, strobe)


class GreedySubordinate(Subordinate):
    """Takes one beat more than it has slots."""

    def _has_room(self, used):
        return Const(1, 1)


class OpenSubordinate(Subordinate):
    """Shows bytes that nobody asked for."""

    def _shown(self, asked, failed):
        return Const(-1, len(asked))


class HastySubordinate(Subordinate):
    """Says that everything is done at once."""

    def _ends(self, m, asked, give, given):
        done, error = super()._ends(m, asked, give, given)
        return Cat(Const(1, 1), done[1:]), error


class DeafSubordinate(Subordinate):
    """Takes beats under hold."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.stream.req_ready.eq(1)
        return m


class IdleSubordinate(Subordinate):
    """Never has anything inside."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self.idle.eq(1)
        return m


class BypassSubordinate(Subordinate):
    """Takes a beat in the cycle in which an answer leaves."""

    def _has_room(self, used):
        return super()._has_room(used) | self.stream.rsp_ready


class ClosingAdmission(Admission):
    """Lets nobody in while somebody outside has not taken an answer."""

    def __init__(self, policy, *, queues, outstanding):
        super().__init__(policy, queues=queues, outstanding=outstanding)
        self.closed = Signal()

    def elaborate(self, platform):
        m = super().elaborate(platform)
        with m.If(self.closed):
            m.d.comb += self.admit.eq(0)
        return m


class ClosingOccurrence(MemoryOccurrence):
    """A full response queue of the first subordinate holds the service."""

    def _expose(self, m, ordinal, subordinate):
        super()._expose(m, ordinal, subordinate)
        if ordinal == 0:
            stream = subordinate.stream
            waits = stream.rsp_valid & ~stream.rsp_ready & ~stream.req_ready
            m.d.comb += self.service.admission.closed.eq(waits)
