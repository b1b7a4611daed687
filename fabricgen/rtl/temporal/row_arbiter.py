"""Choice of one row by the grant policy of a Temporal port, in few levels of logic."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.records.resource import GrantPolicy, RoundRobin
from fabricgen.rtl.temporal.first_row import Range, first

__all__ = ["RowArbiter"]

#: Inputs of one look-up table.
_RADIX = 4


class RowArbiter(wiring.Component):
    """Choose one of the requests of this cycle, in this cycle; the owner commits it or not.

    Exactly one bit of ``choice`` is set whenever a request is. Round robin scans the declared
    order from a cursor, which moves past the chosen row if the choice is committed and stays
    where it is otherwise (reference: Grant policy). Reset restores the declared cursor. No
    latency; the cursor is the only state.

    Other than :class:`fabricgen.rtl.arbiter.Arbiter` it does not wait for a path through a tree:
    it looks for the first request, and for the first one that is not before the cursor, at once.
    What lies before each position tells the next cursor as well. Words come through a tree beside
    it, since behind the choice they would take as long again.

    Parameters
    ----------
    policy
        Grant policy over the rows, None with one row.
    rows
        Requesters.
    word_bits
        Bits that come with each row.

    Members
    -------
    request : In(rows)
    choice : Out(rows)
        One-hot.
    commit : In(1)
        The choice is granted; only with a request. May be decided late.
    word_<row> : In(word_bits), word : Out(word_bits), absent without bits
        What belongs to the row, and to the chosen one.
    """

    request: Signal
    choice: Signal
    commit: Signal
    word: Signal

    def __init__(self, policy: GrantPolicy | None, rows: int, *, word_bits: int = 0) -> None:
        if policy is None and rows > 1:
            raise ValueError(f"Grant policy must be declared for {rows} rows, not None")
        order = tuple(range(rows)) if policy is None else policy.order
        if sorted(order) != list(range(rows)):
            raise ValueError(f"Grant policy must order {rows} rows, not {order}")
        self.policy = policy
        self.rows = rows
        self.order = order
        #: The cursor of round robin. Bit `p`: position `p + 1` is not before it. With no such
        #: position the scan starts at the first one.
        self.ahead: Signal | None = None
        if isinstance(policy, RoundRobin) and rows > 1:
            start = order.index(policy.reset_cursor)
            init = sum(1 << p for p in range(rows - 1) if 0 < start <= p + 1)
            self.ahead = Signal(rows - 1, name="ahead", init=init)
        self.word_bits = word_bits
        words: dict[str, wiring.Member] = {}
        if word_bits:
            words |= {f"word_{row}": In(word_bits) for row in range(rows)}
            words["word"] = Out(word_bits)
        super().__init__({"request": In(rows), "choice": Out(rows), "commit": In(1), **words})

    def elaborate(self, platform: object) -> Module:
        """Two scans side by side, over positions of the declared order."""
        m = Module()
        asked = Signal(self.rows)
        late = Signal(self.rows)
        m.d.comb += asked.eq(Cat(self.request[row] for row in self.order))
        before = _before(m, "before", asked)
        chosen = asked & ~before
        if (ahead := self.ahead) is not None:
            m.d.comb += late.eq(asked & Cat(Const(0, 1), ahead))
            late_before = _before(m, "late_before", late)
            is_late = Signal()
            m.d.comb += is_late.eq(late.any())
            chosen = Mux(is_late, late & ~late_before, chosen)
            with m.If(self.commit):
                m.d.sync += ahead.eq(Mux(is_late, late_before[1:], before[1:]))
        first_one = Signal(self.rows)
        m.d.comb += first_one.eq(chosen)
        m.d.comb += [
            self.choice[row].eq(here) for row, here in zip(self.order, first_one, strict=True)
        ]
        if self.word_bits:
            words = [getattr(self, f"word_{row}") for row in self.order]
            ranges = zip(asked, late, words, strict=True)
            m.d.comb += self.word.eq(
                first([Range(ask, behind, word) for ask, behind, word in ranges]).word
            )
        return m


def _before(m: Module, name: str, bits: Value) -> Signal:
    """For each place, the or of the bits before it."""
    blocks = [bits[at : at + _RADIX] for at in range(0, len(bits), _RADIX)]
    whole = Signal(len(blocks), name=f"{name}_whole")
    m.d.comb += whole.eq(Cat(block.any() for block in blocks))
    above = _before(m, f"{name}_above", whole) if len(blocks) > _RADIX else None
    found = Signal(len(bits), name=name)
    places: list[Value] = []
    for at, block in enumerate(blocks):
        earlier = whole[:at] if above is None else above[at]
        places += [Cat(earlier, block[:place]).any() for place in range(len(block))]
    m.d.comb += found.eq(Cat(places))
    return found
