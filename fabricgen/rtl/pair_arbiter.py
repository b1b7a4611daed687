"""Combinational choice among requesters of two things at once, by the declared grant policy."""

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.records.resource import GrantPolicy
from fabricgen.rtl.arbiter import first_asked
from fabricgen.rtl.scan import Scan

__all__ = ["PairArbiter"]


class PairArbiter(wiring.Component):
    """Grant one read and one write of this cycle, in this cycle; who wants both gets both or none.

    A requester is granted what it wants where no requester before it in the scan wants any of it,
    granted or not. So the first one of all is always granted, and the cursor of a round robin
    moves past that one: nobody waits for more grants than there are others. The cursor stays where
    it is while nobody asks. Reset restores the declared cursor.

    No latency; the cursor is the only state.

    Parameters
    ----------
    policy
        Declared policy over the owner's requester ordinals, or None where nothing contends.
    participants
        Ordinals of the owner's requesters that can ask here, in the order of the ports' bits.
    word_bits
        Width of what each request carries.

    Members
    -------
    read_request, write_request : In(len(participants))
        A grant given in a cycle must be used in that cycle.
    read_grant, write_grant : Out(len(participants))
        Each one-hot or zero.
    words : In(len(participants) * word_bits)
    read_word, write_word : Out(word_bits)
        That of the granted one, or any one where nothing is granted.
    """

    read_request: Signal
    write_request: Signal
    read_grant: Signal
    write_grant: Signal
    words: Signal
    read_word: Signal
    write_word: Signal

    def __init__(
        self, policy: GrantPolicy | None, participants: tuple[int, ...], *, word_bits: int
    ) -> None:
        if word_bits < 1:
            raise ValueError(f"PairArbiter word_bits must be at least 1, not {word_bits!r}")
        self.scan = Scan(policy, participants)
        self.participants = participants
        self.word_bits = word_bits
        count = len(participants)
        super().__init__(
            {
                "read_request": In(count),
                "write_request": In(count),
                "read_grant": Out(count),
                "write_grant": Out(count),
                "words": In(count * word_bits),
                "read_word": Out(word_bits),
                "write_word": Out(word_bits),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """The first of each kind, and of all; a grant is to be first in all that one wants."""
        m = Module()
        places = range(len(self.participants))
        first_read, read_word = self._first(self.read_request)
        first_write, write_word = self._first(self.write_request)
        m.d.comb += [self.read_word.eq(read_word), self.write_word.eq(write_word)]
        for i in places:
            m.d.comb += [
                self.read_grant[i].eq(first_read[i] & (first_write[i] | ~self.write_request[i])),
                self.write_grant[i].eq(first_write[i] & (first_read[i] | ~self.read_request[i])),
            ]
        self._advance(m)
        return m

    def _first(self, requests: Signal) -> tuple[list[Value], Value]:
        return first_asked(self.scan, list(requests), self.words, self.word_bits)

    def _advance(self, m: Module) -> None:
        """Past the first one of all, which is granted."""
        asks = Signal(len(self.participants))
        m.d.comb += asks.eq(self.read_request | self.write_request)
        leads, _ = first_asked(self.scan, list(asks), None, 0)
        self.scan.advance(m, leads)
