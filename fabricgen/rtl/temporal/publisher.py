"""Retirement of one group of Temporal ports: which row publishes, and when."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.completion import hold_cycles
from fabricgen.records.resource import RoundRobin
from fabricgen.rtl.logic import encode
from fabricgen.rtl.temporal.row_arbiter import RowArbiter

__all__ = ["Publisher"]


class Publisher(wiring.Component):
    """Point at one complete row, and publish it in a cycle in which all its destinations are ready.

    The candidate is a register: what it shows (tags) does not depend on any ready, and its
    destinations answer from that and from their own registers. Either all selected destinations
    of the candidate take its results in one cycle or none does. A candidate that is refused makes
    way for the next complete row, round robin from row 0. A row that the pointer finds again
    after it was refused stays the candidate for ``hold_cycles(rows)`` cycles, or until it is
    published, in every turn until then.

    The next candidate is chosen among rows that are complete already: the choice waits for no
    response, only for what the destinations of the last one said. A row that is complete in cycle
    *n* is the candidate in *n + 1* if no other is, and one whose destinations are ready from then
    on is published by cycle *n + 1 + (rows - 1) * hold_cycles(rows)*, whatever the destinations of
    other rows do. While candidates are ready and none is held there is one publication in every
    cycle. Reset empties the candidate and points before row 0.

    Parameters
    ----------
    rows
        Resident rows.
    destinations
        Egress endpoints and internal connections that some row may select; at least 1.
    word_bits
        Width of what else comes with a candidate.
    place_bits
        Width of the place of a firing among those of its row.

    Members
    -------
    complete : In(rows)
        The row's oldest firing is complete; it stays so until it is published.
    successor : In(1)
        So is the one behind the candidate's oldest.
    selected_<row> : In(destinations)
        Where the row's results go; static while the row has firings.
    word_<row> : In(word_bits), word : Out(word_bits), absent without bits
        What else belongs to the row, and that of the candidate (registered); static likewise.
    place_<row> : In(place_bits), place : Out(place_bits), place_behind : In(place_bits), absent
    without bits
        Place of the row's oldest firing, which changes only when that is published; that of the
        candidate (registered), and the one behind it.
    ready : In(destinations)
        The destination takes a token in this cycle.
    candidate : Out(1), row : Out(range(rows)), here : Out(rows)
        A complete row stands here; its number, and its bit alone (registered).
    selected : Out(destinations)
        Where its results go (registered).
    retire : Out(1)
        It is published now.
    fire : Out(destinations)
        Destinations that take its results now.
    unpublished : Out(1), refusing : Out(destinations)
        The last cycle of a hold, refused; with it, the destinations that were not ready.
    """

    complete: Signal
    successor: Signal
    ready: Signal
    word: Signal
    place: Signal
    place_behind: Signal
    candidate: Signal
    row: Signal
    here: Signal
    selected: Signal
    retire: Signal
    fire: Signal
    unpublished: Signal
    refusing: Signal

    def __init__(
        self, rows: int, destinations: int, *, word_bits: int = 0, place_bits: int = 0
    ) -> None:
        for name, value in (("rows", rows), ("destinations", destinations)):
            if not isinstance(value, int) or value < 1:
                raise TypeError(f"Publisher {name} must be a positive integer, not {value!r}")
        self.rows = rows
        self.destinations = destinations
        self.word_bits = word_bits
        self.place_bits = place_bits
        #: Chooses the next candidate, round robin from row 0.
        self.arbiter = RowArbiter(
            RoundRobin(tuple(range(rows)), 0) if rows > 1 else None,
            rows,
            word_bits=destinations + word_bits + place_bits + 1,
        )
        words: dict[str, wiring.Member] = {}
        if word_bits:
            words |= {f"word_{row}": In(word_bits) for row in range(rows)}
            words["word"] = Out(word_bits)
        if place_bits:
            words |= {f"place_{row}": In(place_bits) for row in range(rows)}
            words |= {"place": Out(place_bits), "place_behind": In(place_bits)}
        super().__init__(
            {
                **words,
                "complete": In(rows),
                "successor": In(1),
                **{f"selected_{row}": In(destinations) for row in range(rows)},
                "ready": In(destinations),
                "candidate": Out(1),
                "row": Out(range(max(2, rows))),
                "here": Out(rows),
                "selected": Out(destinations),
                "retire": Out(1),
                "fire": Out(destinations),
                "unpublished": Out(1),
                "refusing": Out(destinations),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Decide on the candidate, then on the next one."""
        m = Module()
        # The pointer rests before row 0.
        pointer = Signal.like(self.row, init=self.rows - 1)
        m.d.comb += self.row.eq(pointer)
        held = Signal()
        words = [self.word] if self.word_bits else []
        places = [self.place] if self.place_bits else []
        shown = Cat(self.selected, *words, *places, held)
        left = Signal(range(hold_cycles(self.rows)))
        passed = Signal(self.rows)

        self._commit(m, self.selected)
        refused = Signal()
        stay = Signal()
        m.d.comb += [
            refused.eq(self.candidate & self.refusing.any()),
            stay.eq(refused & held & (left != 0)),
            self.unpublished.eq(refused & held & (left == 0)),
        ]

        # What is shown comes with the choice: static while the row has firings, so it can stay.
        asks = Signal()
        again = Signal()
        m.submodules.arbiter = arbiter = self.arbiter
        for row in range(self.rows):
            m.d.comb += getattr(arbiter, f"word_{row}").eq(self._shown(row, passed))
        m.d.comb += [
            arbiter.request.eq(self.complete),
            arbiter.commit.eq(asks & ~stay),
            asks.eq(self._asked().any()),
            again.eq(~self.retire | self.successor),
        ]
        with m.If(stay):
            m.d.sync += left.eq(left - 1)
        with m.Else():
            m.d.sync += left.eq(hold_cycles(self.rows) - 1)
            with m.If(asks):
                m.d.sync += [
                    self.candidate.eq(1),
                    pointer.eq(encode(arbiter.choice)),
                    self.here.eq(arbiter.choice),
                    shown.eq(arbiter.word),
                ]
            with m.Else():
                m.d.sync += [
                    self.candidate.eq(self.candidate & again),
                    self.here.eq(Mux(again, self.here, 0)),
                    held.eq(refused),
                ]
                self._go_on(m)
        m.d.sync += passed.eq(Mux(refused, passed | self.here, passed & ~self.here))
        return m

    def _commit(self, m: Module, selected: Signal) -> None:
        """All selected destinations or none."""
        m.d.comb += [
            self.refusing.eq(selected & ~self.ready),
            self.retire.eq(self.candidate & ~self.refusing.any()),
            self.fire.eq(Mux(self.retire, selected, 0)),
        ]

    def _go_on(self, m: Module) -> None:
        """The row stays the candidate, with the firing behind the one that is published."""
        if self.place_bits:
            with m.If(self.retire):
                m.d.sync += self.place.eq(self.place_behind)

    def _asked(self) -> Value:
        """Complete rows but the candidate: all of them come before it, so it never wins."""
        return self.complete & ~self.here

    def _shown(self, row: int, passed: Signal) -> Value:
        """What comes with a row that is chosen: destinations, its words, and whether it is held."""
        names = ["selected"]
        names += ["word"] if self.word_bits else []
        names += ["place"] if self.place_bits else []
        return Cat(*(getattr(self, f"{name}_{row}") for name in names), passed[row])
