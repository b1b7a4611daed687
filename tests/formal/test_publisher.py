import pytest
from amaranth.hdl import Array, Assert, Assume, Cat, Elaboratable, Module, Mux, Signal

from fabricgen.plan.completion import hold_cycles
from fabricgen.rtl.temporal.publisher import Publisher
from tests.formal.harness import prove
from tests.support.temporal_mutants import (
    EagerPublisher,
    ImpatientPublisher,
    OfferingPublisher,
    RepeatingPublisher,
    StalePublisher,
    StayingPublisher,
    StubbornPublisher,
)

pytestmark = pytest.mark.formal


class PublisherSpec(Elaboratable):
    """The contract of :class:`Publisher`, stated against its ports only.

    Firings complete when they like, destinations are ready when they like, and rows select what
    they like. One row, free to choose, has destinations that are ready from its completion on:
    it is published within the bound although nothing is said about those of the other rows.
    """

    def __init__(self, dut: Publisher) -> None:
        self.dut = dut
        rows = range(dut.rows)
        self.selected = [getattr(dut, f"selected_{row}") for row in rows]
        self.watched = Signal(range(max(2, dut.rows)))
        self.words = [getattr(dut, f"word_{row}") for row in rows]
        self.places = [getattr(dut, f"place_{row}") for row in rows]
        self.inputs = [dut.complete, dut.successor, dut.ready, self.watched]
        self.inputs += [*self.selected, *self.words]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        selected = Signal(dut.destinations)
        m.d.comb += selected.eq(Array(self.selected)[dut.row])
        refusing = selected & ~dut.ready

        # The environment: a firing that is complete stays so until it is published, and what was
        # said of the one behind it holds for the row then.
        stays = Signal(dut.rows)
        for row in range(dut.rows):
            with m.If(dut.here[row] & dut.retire):
                m.d.sync += stays[row].eq(dut.successor)
            with m.Else():
                m.d.sync += stays[row].eq(dut.complete[row])
            m.d.comb += Assume(dut.complete[row] | ~stays[row])
            # A configuration is static while something is inside.
            static = Cat(self.selected[row], self.words[row])
            before = Signal(len(static), name=f"static_before_{row}")
            m.d.sync += before.eq(static)
            m.d.comb += Assume((before == static) | ~dut.complete[row])
            # Firings of a row lie in a ring of two.
            ring = Signal.like(self.places[row], name=f"ring_{row}")
            m.d.sync += ring.eq(ring ^ (dut.here[row] & dut.retire))
            m.d.comb += self.places[row].eq(ring)

        m.d.comb += dut.place_behind.eq(~dut.place)
        m.d.comb += [
            Assume(self.watched < dut.rows),
            Assert(dut.row < dut.rows),
            # Joint, and never valid without ready.
            Assert(~dut.retire | dut.candidate),
            Assert((dut.fire & ~dut.ready) == 0),
            Assert((dut.fire == selected) | ~dut.retire),
            Assert((dut.fire == 0) | dut.retire),
            # What is shown is the candidate's.
            Assert(~dut.candidate | (dut.word == Array(self.words)[dut.row])),
            Assert(~dut.candidate | (dut.selected == selected)),
            Assert(~dut.candidate | (dut.place == Array(self.places)[dut.row])),
            # Only what is complete.
            Assert(dut.here == Mux(dut.candidate, 1 << dut.row, 0)),
            Assert((dut.here & ~stays) == 0),
            # Work conserving.
            Assert(dut.retire == (dut.candidate & ~refusing.any())),
            Assert(dut.candidate | (stays == 0)),
        ]
        # An induction invariant: the next turn begins behind the candidate.
        if (ahead := dut.arbiter.ahead) is not None:
            m.d.comb += [Assert(bit == (dut.row < row)) for row, bit in enumerate(ahead, 1)]
        self._hold(m, refusing)
        self._progress(m)
        return m

    def _hold(self, m: Module, refusing) -> None:
        """``unpublished`` means: refused in every one of so many cycles in a row."""
        dut, limit = self.dut, hold_cycles(self.dut.rows)
        waited = Signal(range(2 * limit + 3))
        m.d.comb += Assert(~dut.unpublished | (dut.refusing == refusing))
        was = Signal.like(dut.row)
        shown = Signal()
        m.d.comb += shown.eq(dut.candidate & refusing.any())
        same = Signal()
        m.d.comb += same.eq((waited == 0) | (was == dut.row))
        m.d.sync += was.eq(dut.row)
        with m.If(~shown):
            m.d.sync += waited.eq(0)
        with m.Elif(~same):
            m.d.sync += waited.eq(1)
        with m.Elif(waited != 2 * limit + 1):
            m.d.sync += waited.eq(waited + 1)
        with m.If(dut.unpublished):
            m.d.comb += Assert(shown & same & (waited >= limit - 1))

    def _progress(self, m: Module) -> None:
        """The watched row is published within the bound, and others overtake it only once."""
        dut = self.dut
        bound = 1 + (dut.rows - 1) * hold_cycles(dut.rows)
        waits, was = Signal(range(bound + 2)), Signal.like(self.watched)
        m.d.sync += was.eq(self.watched)
        mine = Signal(dut.destinations)
        here, waiting = Signal(), Signal()
        m.d.comb += [
            Assume((was == self.watched) | (waits == 0)),
            mine.eq(Array(self.selected)[self.watched]),
            here.eq(dut.candidate & (dut.row == self.watched)),
            waiting.eq(dut.complete.bit_select(self.watched, 1)),
            Assume(((mine & ~dut.ready) == 0) | ~waiting),
            Assert(waits <= bound),
        ]
        m.d.sync += waits.eq(0)
        with m.If(waiting & ~(here & dut.retire)):
            m.d.sync += waits.eq(waits + 1)


@pytest.mark.proves("joint publication", "no row is blocked by another row's destination")
@pytest.mark.parametrize(("rows", "destinations"), [(1, 2), (2, 3), (3, 2)])
def test_a_packet_is_published_jointly_and_no_row_blocks_another(rows, destinations, tmp_path):
    spec = PublisherSpec(Publisher(rows, destinations, word_bits=1, place_bits=1))
    prove(spec, spec.inputs, tmp_path)


@pytest.mark.rejects("joint publication", "no row is blocked by another row's destination")
@pytest.mark.parametrize(
    "mutant",
    [
        EagerPublisher,
        OfferingPublisher,
        StubbornPublisher,
        ImpatientPublisher,
        RepeatingPublisher,
        StalePublisher,
        StayingPublisher,
    ],
)
def test_the_proof_rejects_a_wrong_publisher(mutant, tmp_path):
    spec = PublisherSpec(mutant(2, 2, word_bits=1, place_bits=1))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        prove(spec, spec.inputs, tmp_path)
