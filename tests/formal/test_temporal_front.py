"""The parts in front of dispatch of a Temporal port: slots, row select, claims, holding."""

from dataclasses import replace
from functools import reduce
from operator import and_, or_

import pytest
from amaranth.hdl import Assert, Assume, Cat, Const, Elaboratable, Module, Mux, Signal, Value

from fabricgen.records.resource import FixedPriority, RoundRobin
from fabricgen.rtl.temporal.claims import RowClaims, slot_count
from fabricgen.rtl.temporal.front_end import RowFrontEnd
from fabricgen.rtl.temporal.holding import Holding
from fabricgen.rtl.temporal.row_arbiter import RowArbiter
from fabricgen.rtl.temporal.shape import FrontEndShape, RoleShape
from tests.formal.harness import check, prove
from tests.support.temporal_front_mutants import (
    DoublingFrontEnd,
    EvenClaims,
    ForgetfulClaims,
    GreedyClaims,
    HastyFrontEnd,
    HastyRowArbiter,
    OptimisticHolding,
    OvertakingClaims,
    OverwritingFrontEnd,
    ReopeningFrontEnd,
    StickyRowArbiter,
    TimidHolding,
)

pytestmark = pytest.mark.formal


class RowArbiterSpec(Elaboratable):
    """The choice is the first request from the cursor on; only a committed one moves it."""

    def __init__(self, dut: RowArbiter) -> None:
        self.dut = dut
        self.inputs = [dut.request, dut.commit]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        order, count = dut.order, dut.rows
        m.d.comb += [
            Assume(~dut.commit | dut.request.any()),
            Assert((dut.choice & ~dut.request) == 0),
            Assert((dut.choice & (dut.choice - 1)) == 0),
            Assert(dut.choice.any() == dut.request.any()),
        ]
        if not isinstance(dut.policy, RoundRobin):
            for place, row in enumerate(order):
                earlier = Cat(dut.request[other] for other in order[:place])
                m.d.comb += Assert(~(dut.choice[row] & earlier.any()))
            return m
        start = order.index(dut.policy.reset_cursor)
        cursor = Signal(range(count), init=start)
        for place, row in enumerate(order):
            with m.If(dut.commit & dut.choice[row]):
                m.d.sync += cursor.eq((place + 1) % count)
        for at in range(count):
            turn = [order[(at + step) % count] for step in range(count)]
            for step, row in enumerate(turn):
                earlier = Cat(dut.request[other] for other in turn[:step])
                with m.If(cursor == at):
                    m.d.comb += Assert(~(dut.choice[row] & earlier.any()))
        return m


@pytest.mark.proves("grant policy is exact")
@pytest.mark.parametrize(
    "policy",
    [RoundRobin((2, 0, 4, 3, 1), 4), FixedPriority((2, 0, 4, 3, 1))],
    ids=["robin", "fixed"],
)
def test_the_row_arbiter_keeps_its_contract(policy, tmp_path):
    spec = RowArbiterSpec(RowArbiter(policy, 5))
    check(spec, spec.inputs, tmp_path, depth=9)


@pytest.mark.rejects("grant policy is exact")
@pytest.mark.parametrize("mutant", [HastyRowArbiter, StickyRowArbiter])
def test_the_proof_rejects_a_wrong_cursor(mutant, tmp_path):
    spec = RowArbiterSpec(mutant(RoundRobin((2, 0, 4, 3, 1), 4), 5))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=9)


#: Two roles that may share ingress 0; the first may come from ingress 1 too, the second from
#: connection 2.
FRONT_END = FrontEndShape(
    rows=2,
    tag_width=1,
    roles=(RoleShape(1, (0, 1)), RoleShape(1, (0,), (2,))),
    ingress_widths=((0, 1), (1, 1)),
    connection_widths=((2, 1),),
    targets=2,
    policy=RoundRobin((0, 1), 0),
)


#: The other row first, and either policy.
POLICIES = {"robin": RoundRobin((1, 0), 1), "fixed": FixedPriority((1, 0))}


class FrontEndSpec(Elaboratable):
    """The contract of :class:`RowFrontEnd` for every configuration, stated against its ports.

    The front end says of each slot whether it is full; this follows what goes in and out. One
    slot, free to choose, is watched: the payload that it took last is what its row shows.

    ``longest_stay`` bounds how long a token waits in a slot: induction over ports alone cannot
    tell what a memory holds that is never read.
    """

    def __init__(self, dut: RowFrontEnd, longest_stay: int | None = None) -> None:
        self.dut = dut
        self.longest_stay = longest_stay
        shape = dut.shape
        names = ["enabled"]
        for i, role in enumerate(shape.roles):
            names += [f"needed_{i}", f"tag_{i}"]
            names += [f"selects_{i}_{at}" for at in role.ingresses]
            names += [f"consumes_{i}_{at}" for at in role.connections]
        names += [f"target_{at}" for at in range(shape.targets)]
        self.static = [getattr(dut, name) for name in names]
        self.channels = {at: getattr(dut, f"ingress_{at}") for at, _ in shape.ingress_widths}
        self.sent = {at: Signal(width, name=f"sent_{at}") for at, width in shape.connection_widths}
        self.watched = Signal(range(shape.rows * len(shape.roles)))
        self.closed = Signal(shape.rows)
        self.inputs = [
            *self.static,
            dut.hold,
            dut.drain,
            dut.claimable,
            dut.pool,
            dut.issued,
            dut.leaving,
            self.watched,
            *self.sent.values(),
            *(getattr(dut, f"fire_{at}") for at in self.sent),
            *(getattr(dut, f"permit_{at}") for at in range(shape.targets)),
            *(part for c in self.channels.values() for part in (c.valid, c.data, c.tag)),
        ]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        shape = dut.shape
        self._configuration(m)
        self._connections(m)

        held = [Signal(shape.rows, name=f"held_{i}") for i in range(len(shape.roles))]
        # A row that drains begins no firing; one that has begun gets what it lacks.
        m.d.comb += self.closed.eq(dut.hold | (dut.drain & ~reduce(or_, held)))
        taken = {at: Value.cast(0) for at in self.channels}
        count = 0
        for i in range(len(shape.roles)):
            m.d.comb += Assert(getattr(dut, f"present_{i}") == held[i])
            for row in range(shape.rows):
                enters = Signal(name=f"enters_{i}_{row}")
                payload = Signal(shape.roles[i].width, name=f"payload_{i}_{row}")
                self._entry(m, i, row, held, taken, enters, payload)
                with m.If(enters):
                    m.d.comb += Assert(~held[i][row])
                    m.d.sync += held[i][row].eq(1)
                with m.Elif(dut.grant[row]):
                    m.d.sync += held[i][row].eq(0)
                self._watch(m, count, i, row, enters, payload)
                count += 1
        for at, channel in self.channels.items():
            # Ready means: a slot takes it.
            m.d.comb += Assert(channel.ready == taken[at])
        self._grants(m, held)
        return m

    def _configuration(self, m: Module) -> None:
        """Any legal one. A row changes only while it is held and empty; the others stay."""
        dut, shape = self.dut, self.dut.shape
        is_set, held_before = Signal(), Signal(shape.rows)
        m.d.sync += [is_set.eq(1), held_before.eq(dut.hold)]
        chosen: dict[int, list[tuple[Value, Value]]] = {at: [] for at in self.channels}
        for row in range(shape.rows):
            word = Cat(each.word_select(row, len(each) // shape.rows) for each in self.static)
            was = Signal(len(word), name=f"was_{row}")
            full = Cat(getattr(dut, f"present_{i}")[row] for i in range(len(shape.roles))).any()
            reads = dut.selected_valid & (dut.selected == row)
            closed = held_before[row] & dut.hold[row] & ~full & ~reads
            m.d.sync += was.eq(word)
            m.d.comb += Assume(~is_set | (was == word) | closed)
            needs = []
            for i, role in enumerate(shape.roles):
                sources = [getattr(dut, f"selects_{i}_{at}")[row] for at in role.ingresses]
                sources += [getattr(dut, f"consumes_{i}_{at}")[row] for at in role.connections]
                needed = getattr(dut, f"needed_{i}")[row]
                m.d.comb += Assume(sum(sources, Const(0, 1)) == needed)
                needs.append(needed)
                tag = getattr(dut, f"tag_{i}").word_select(row, shape.tag_width)
                for at in role.ingresses:
                    selects = getattr(dut, f"selects_{i}_{at}")[row] & ~dut.hold[row]
                    chosen[at].append((selects, tag))
            enabled = dut.enabled[row]
            aims = [getattr(dut, f"target_{at}")[row] for at in range(shape.targets)]
            m.d.comb += [
                Assume(enabled == reduce(or_, needs)),
                Assume(sum(aims, Const(0, 1)) == enabled),
            ]
        for here in chosen.values():
            for at, (one, tag) in enumerate(here):
                for other, same in here[:at]:
                    m.d.comb += Assume(~(one & other & (tag == same)))

    def _connections(self, m: Module) -> None:
        """The engine's side: a payload register each, which fires only where it is free."""
        for at, sent in self.sent.items():
            fire = getattr(self.dut, f"fire_{at}")
            payload = Signal.like(sent, name=f"payload_{at}")
            m.d.comb += [
                Assume(~fire | getattr(self.dut, f"free_{at}")),
                getattr(self.dut, f"connection_{at}").eq(payload),
            ]
            with m.If(fire):
                m.d.sync += payload.eq(sent)

    def _entry(self, m, i, row, held, taken, enters, payload) -> None:
        """What enters one slot in this cycle, read from the boundary."""
        dut, role = self.dut, self.dut.shape.roles[i]
        tag = getattr(dut, f"tag_{i}").word_select(row, dut.shape.tag_width)
        entries: list[tuple[Value, Value]] = []
        for at in role.ingresses:
            channel = self.channels[at]
            names = getattr(dut, f"selects_{i}_{at}")[row] & (channel.tag == tag)
            taken[at] = taken[at] | (names & ~held[i][row] & ~self.closed[row])
            # Another row may have the tag while one of the two is held.
            takes = names & ~self.closed[row]
            entries.append((takes & channel.valid & channel.ready, channel.data))
        for at in role.connections:
            consumes = getattr(dut, f"consumes_{i}_{at}")[row]
            entries.append((consumes & getattr(dut, f"fire_{at}"), self.sent[at]))
        m.d.comb += enters.eq(reduce(or_, [here for here, _ in entries]))
        for here, data in entries:
            with m.If(here):
                m.d.comb += payload.eq(data)

    def _watch(self, m, count, i, row, enters, payload) -> None:
        """The payload that entered the watched slot last is read in the cycle after its grant."""
        dut = self.dut
        last = Signal.like(payload, name=f"last_{i}_{row}")
        with m.If(enters):
            m.d.sync += last.eq(payload)
        if self.longest_stay is not None:
            stays = Signal(range(self.longest_stay + 1), name=f"stays_{i}_{row}")
            full = getattr(dut, f"present_{i}")[row]
            m.d.sync += stays.eq(Mux(full & ~dut.grant[row], stays + 1, 0))
            m.d.comb += Assume(~full | (stays != self.longest_stay))
        needed = getattr(dut, f"needed_{i}")[row]
        here = dut.selected_valid & (dut.selected == row) & needed
        with m.If(here & (self.watched == count)):
            m.d.comb += Assert(getattr(dut, f"operand_{i}") == last)

    def _grants(self, m: Module, held: list[Signal]) -> list[Value]:
        """Only rows that may fire, one at a time, and one whenever one may; tell which may."""
        dut, shape = self.dut, self.dut.shape
        permits = [getattr(dut, f"permit_{at}") for at in range(shape.targets)]
        before = [Signal(name=f"permit_before_{at}") for at in range(shape.targets)]
        m.d.sync += [was.eq(now) for was, now in zip(before, permits, strict=True)]
        claimable = Signal.like(dut.claimable)
        m.d.sync += claimable.eq(dut.claimable)
        may = []
        for row in range(shape.rows):
            present = [here[row] | ~getattr(dut, f"needed_{i}")[row] for i, here in enumerate(held)]
            ready = dut.enabled[row] & claimable[row] & reduce(and_, present)
            pooled = dut.pool | ~dut.issued[row]
            aims = [getattr(dut, f"target_{at}")[row] for at in range(shape.targets)]
            now = reduce(or_, [aim & permit for aim, permit in zip(aims, permits, strict=True)])
            was = reduce(or_, [aim & permit for aim, permit in zip(aims, before, strict=True)])
            m.d.comb += Assert(~dut.grant[row] | (ready & now & was & pooled))
            may.append(ready & was)
            for at, aim in enumerate(aims):
                with m.If(dut.grant[row]):
                    m.d.comb += Assert(getattr(dut, f"select_{at}") == aim)
        granted, row = Signal(), Signal.like(dut.selected)
        m.d.sync += granted.eq(dut.grant.any())
        for at in range(shape.rows):
            with m.If(dut.grant[at]):
                m.d.sync += row.eq(at)
        m.d.comb += [
            Assert((dut.grant & (dut.grant - 1)) == 0),
            Assert(
                Cat(getattr(dut, f"select_{at}") for at in range(shape.targets)).any()
                == dut.grant.any()
            ),
            # Nobody is passed over where every target has a permit, and the pool a slot.
            Assert(~(Cat(permits).all() & dut.pool & Cat(may).any()) | dut.grant.any()),
            Assert(dut.further == (dut.grant & dut.issued).any()),
            Assert(dut.beside == (dut.grant & dut.issued & ~dut.leaving).any()),
            Assert(dut.selected_valid == granted),
            Assert(~granted | (dut.selected == row)),
        ]
        return may


class TurnSpec(FrontEndSpec):
    """The same, and the grant policy: no row that may fire comes before the granted one.

    That is, in the declared order, from the cursor on where it is round robin; only a grant moves
    the cursor.
    """

    def _grants(self, m: Module, held: list[Signal]) -> list[Value]:
        may = super()._grants(m, held)
        grant, policy = self.dut.grant, self.dut.shape.policy
        order, count = policy.order, len(policy.order)
        moves = isinstance(policy, RoundRobin)
        cursor = Signal(range(count), init=order.index(policy.reset_cursor) if moves else 0)
        for place, row in enumerate(order):
            with m.If(grant[row]):
                m.d.sync += cursor.eq((place + 1) % count if moves else 0)
        for at in range(count):
            turn = [order[(at + step) % count] for step in range(count)]
            for step, row in enumerate(turn):
                earlier = Cat(may[other] for other in turn[:step])
                m.d.comb += Assert((cursor != at) | ~grant[row] | ~earlier.any())
        return may


@pytest.mark.proves("grant policy is exact")
@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_a_port_grants_by_its_policy_what_may_fire(policy, tmp_path):
    spec = TurnSpec(RowFrontEnd(replace(FRONT_END, policy=policy)))
    check(spec, spec.inputs, tmp_path, depth=7)


@pytest.mark.rejects("grant policy is exact")
@pytest.mark.parametrize("mutant", [HastyRowArbiter, StickyRowArbiter])
def test_the_proof_rejects_a_port_with_a_wrong_cursor(mutant, tmp_path, monkeypatch):
    monkeypatch.setattr("fabricgen.rtl.temporal.row_select.RowArbiter", mutant)
    spec = TurnSpec(RowFrontEnd(FRONT_END))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=7)


@pytest.mark.proves("no loss or duplication of a token")
def test_every_token_reaches_its_row_once_in_every_configuration(tmp_path):
    spec = FrontEndSpec(RowFrontEnd(FRONT_END), longest_stay=2)
    prove(spec, spec.inputs, tmp_path)


@pytest.mark.proves("no loss or duplication of a token")
def test_and_however_long_it_waits_in_the_first_cycles(tmp_path):
    spec = FrontEndSpec(RowFrontEnd(FRONT_END))
    check(spec, spec.inputs, tmp_path, depth=9)


@pytest.mark.rejects("no loss or duplication of a token")
@pytest.mark.parametrize(
    "mutant", [ReopeningFrontEnd, DoublingFrontEnd, HastyFrontEnd, OverwritingFrontEnd]
)
def test_the_proof_rejects_a_wrong_front_end(mutant, tmp_path):
    spec = FrontEndSpec(mutant(FRONT_END))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=9)


class ClaimsSpec(Elaboratable):
    """The contract of :class:`RowClaims` for every set of Active rows.

    Each firing is followed from its issue: its slot, in the order of its row, whether it still
    waits for its completion, and that nobody issues into what another row has in reserve. With
    ``counts_only`` the counters of the hardware are looked into, as induction needs, and not the
    slots.
    """

    def __init__(self, dut: RowClaims, *, counts_only: bool = False) -> None:
        self.dut = dut
        self.counts_only = counts_only
        self.active = Signal(dut.rows)
        self.inputs = [
            self.active,
            dut.coming_rows,
            dut.issue,
            dut.complete_valid_0,
            dut.complete_slot_0,
            dut.head,
            dut.head_row,
            dut.retire,
        ]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        rows, depth = range(dut.rows), dut.depth
        bits = (depth - 1).bit_length()

        was, is_set = Signal.like(self.active), Signal()
        will = Signal.like(dut.coming_rows)
        m.d.sync += [was.eq(self.active), will.eq(dut.coming_rows), is_set.eq(1)]
        count = sum(self.active, Const(0, 1))
        reserve = Mux(dut.coming_rows > count, dut.coming_rows, count)
        m.d.comb += [
            dut.active_rows.eq(count),
            Assume(~is_set | ((was == self.active) & (will == dut.coming_rows))),
            Assume(reserve <= dut.total),
            # The pool learns the number of Active rows one cycle after it was configured.
            Assume(is_set | (dut.issue == 0)),
            Assume((dut.issue & (dut.issue - 1)) == 0),
            Assume((dut.issue & ~(dut.available & self.active)) == 0),
            Assume(dut.head_row < dut.rows),
            Assume((dut.head == 0) | (dut.head == 1 << dut.head_row)),
            Assume(~dut.retire | (dut.head & self._may_retire()).any()),
        ]
        captured = Signal()
        m.d.sync += [captured.eq(dut.issue.any()), dut.capture.eq(dut.issue)]
        m.d.comb += [
            dut.further.eq((dut.issue & dut.issued).any()),
            dut.beside.eq((dut.issue & dut.issued & ~dut.leaving).any()),
        ]
        for row in rows:
            with m.If(dut.issue[row]):
                m.d.sync += dut.capture_row.eq(row)

        claimable, issues, remains = (Signal(dut.rows, name=f"was_{i}") for i in range(3))
        m.d.sync += [
            claimable.eq(dut.claimable),
            remains.eq(dut.remains),
            issues.eq(dut.issue),
        ]
        counts = [Signal(range(depth + 2), name=f"count_{row}") for row in rows]
        heads = [Signal(range(depth), name=f"oldest_{row}") for row in rows]
        waiting = Signal(slot_count(dut.rows, depth))
        answered = Signal.like(waiting)
        with m.If(dut.complete_valid_0):
            m.d.comb += answered.eq(1 << dut.complete_slot_0)
        m.d.comb += Assume((answered & ~waiting) == 0)
        issued = Signal.like(waiting)
        m.d.sync += waiting.eq((waiting & ~answered) | issued)

        beyond = sum((Mux(count > 1, count - 1, 0) for count in counts), Const(0, 1))
        idle = sum(
            (self.active[row] & (count == 0) for row, count in enumerate(counts)), Const(0, 1)
        )
        m.d.comb += [
            Assert(sum(counts, Const(0, 1)) + idle <= dut.total),
            Assert(dut.empty == (sum(counts, Const(0, 1)) == 0)),
        ]
        is_told = Signal()
        m.d.sync += is_told.eq(is_set)
        for row, count in enumerate(counts):
            retires = dut.retire & (dut.head_row == row)
            m.d.sync += count.eq(count + dut.issue[row] - retires)
            with m.If(retires):
                m.d.sync += heads[row].eq(Mux(heads[row] == depth - 1, 0, heads[row] + 1))
            if depth > 1:
                place = dut.places.word_select(row, bits)
                m.d.comb += Assert(place == heads[row])
                with m.If(dut.head_row == row):
                    m.d.comb += dut.head_place.eq(heads[row])
                    m.d.comb += Assert(dut.place_behind == (heads[row] + 1) % depth)
            tail = Signal(range(depth), name=f"place_{row}")
            m.d.comb += tail.eq((heads[row] + count) % depth)
            with m.If(dut.issue[row]):
                m.d.comb += issued.eq(1 << (row << bits | tail))
            limit = dut.limits[row]
            more = (count < limit) & (beyond + reserve < dut.total)
            with m.If(self.active[row] & is_set):
                m.d.comb += Assert(dut.available[row] == ((count == 0) | more))
                # What is told a cycle ahead, with the pool of now, is neither more nor less.
                told = claimable[row] & ((count == 0) | dut.pool)
                m.d.comb += Assert(issues[row] | ~is_told | (dut.available[row] == told))
            m.d.comb += [
                Assert(~is_told | ((count != 0) == (remains[row] | issues[row]))),
                Assert(dut.leaving[row] == (dut.head[row] & (count == 1))),
            ]
            newest = Signal(range(depth), name=f"newest_{row}")
            m.d.comb += [
                newest.eq((heads[row] + count + depth - 1) % depth),
                Assert(count <= Mux(self.active[row], limit, 0)),
                Assert(dut.issued[row] == (count != 0)),
            ]
            if self.counts_only:
                level = dut.levels[row]
                m.d.comb += [
                    Assert(heads[row] < depth),
                    Assert(dut.heads[row].place == heads[row]),
                    Assert(dut.tails[row].place == tail),
                    Assert(level.more == (count > 1)),
                    Assert(level.all == (count == limit)),
                ]
                continue
            oldest = (row << bits) | heads[row]
            after = (row << bits) | ((heads[row] + 1) % depth)
            done = (count != 0) & ~waiting.bit_select(oldest, 1)
            m.d.comb += Assert(dut.complete[row] == done)
            with m.If(dut.head[row] & (count != 0)):
                m.d.comb += [
                    Assert(dut.head_slot == oldest),
                    Assert(dut.successor == ((count > 1) & ~waiting.bit_select(after, 1))),
                ]
            with m.If(captured & (dut.capture_row == row)):
                m.d.comb += Assert(dut.tail_slot == ((row << bits) | newest))
        if self.counts_only:
            m.d.comb += Assert(dut.beyond == beyond)
            with m.If(is_set):
                m.d.comb += Assert(dut.pool == (beyond + reserve < dut.total))
        return m

    def _may_retire(self) -> Signal:
        """Counting does not ask whether a firing is complete, only whether there is one."""
        return self.dut.issued if self.counts_only else self.dut.complete


@pytest.mark.proves("claims are conserved")
@pytest.mark.parametrize(
    ("limits", "total"), [((2, 2), 3), ((3, 3, 3), 5), ((1, 3), 3), ((4, 2, 3), 6)]
)
def test_claims_are_conserved_and_the_reserve_is_kept(limits, total, tmp_path):
    dut = RowClaims(len(limits), depth=max(limits), limits=limits, total=total, completions=1)
    spec = ClaimsSpec(dut, counts_only=True)
    prove(spec, spec.inputs, tmp_path)


@pytest.mark.proves("claims are conserved", "per-row order")
@pytest.mark.parametrize(("rows", "depth", "total"), [(2, 2, 3), (1, 3, 2)])
def test_firings_of_a_row_retire_in_order_when_complete(rows, depth, total, tmp_path):
    spec = ClaimsSpec(RowClaims(rows, depth=depth, total=total, completions=1))
    check(spec, spec.inputs, tmp_path, depth=9)


@pytest.mark.rejects("claims are conserved", "per-row order")
@pytest.mark.parametrize("mutant", [GreedyClaims, ForgetfulClaims, OvertakingClaims])
def test_the_proof_rejects_wrong_claims(mutant, tmp_path):
    spec = ClaimsSpec(mutant(2, depth=3, total=4, completions=1))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=10)


@pytest.mark.rejects("claims are conserved")
@pytest.mark.parametrize("limits", [(3, 2), (1, 3)])
def test_the_proof_rejects_a_row_with_the_limit_of_another(limits, tmp_path):
    spec = ClaimsSpec(EvenClaims(2, depth=3, limits=limits, total=4, completions=1))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=10)


class HoldingSpec(Elaboratable):
    """The contract of :class:`Holding`: what is granted fits, and what fits may be granted.

    One firing, free to choose, is watched from the cycle in which it is there to the one in which
    the target takes it.
    """

    def __init__(self, dut: Holding, longest_stall: int | None = None) -> None:
        self.dut = dut
        self.longest_stall = longest_stall
        self.watch = Signal()
        self.inputs = [dut.select, dut.firing, dut.skip, dut.o.ready, self.watch]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        coming, keeps, takes = Signal(), Signal(), Signal()
        inside = Signal(range(5))
        m.d.sync += [coming.eq(dut.select), inside.eq(inside + keeps - takes)]
        m.d.comb += [
            Assume(dut.permit | ~dut.select),
            keeps.eq(coming & ~dut.skip),
            takes.eq(dut.o.valid & dut.o.ready),
            Assert(inside <= 2),
            Assert(inside + coming <= 2),
            Assert(dut.o.valid == (inside != 0)),
            Assert(dut.empty == ((inside == 0) & ~coming)),
            # With one more on its way, there is never more than there are places for.
            Assert(dut.permit == (inside - takes + coming <= 1)),
        ]
        watching, ahead = Signal(), Signal.like(inside)
        firing = Signal.like(dut.firing)
        with m.If(~watching & self.watch & keeps):
            m.d.sync += [watching.eq(1), ahead.eq(inside - takes), firing.eq(dut.firing)]
        with m.Elif(watching & takes):
            m.d.sync += [watching.eq(ahead != 0), ahead.eq(ahead - 1)]
        with m.If(watching):
            m.d.comb += Assert(ahead < inside)
        with m.If(watching & (ahead == 0)):
            m.d.comb += Assert(dut.o.data == firing)
        if self.longest_stall is not None:
            stalled = Signal(range(self.longest_stall + 1))
            m.d.sync += stalled.eq(Mux(dut.o.valid & ~dut.o.ready, stalled + 1, 0))
            m.d.comb += Assume(dut.o.ready | (stalled != self.longest_stall))
        return m


@pytest.mark.proves("a holding queue never overflows")
def test_what_is_granted_fits_and_what_fits_may_be_granted(tmp_path):
    spec = HoldingSpec(Holding(2), longest_stall=1)
    prove(spec, spec.inputs, tmp_path)


@pytest.mark.proves("a holding queue never overflows")
def test_also_under_any_stall_in_the_first_cycles(tmp_path):
    spec = HoldingSpec(Holding(2))
    check(spec, spec.inputs, tmp_path, depth=12)


@pytest.mark.rejects("a holding queue never overflows")
@pytest.mark.parametrize("mutant", [OptimisticHolding, TimidHolding])
def test_the_proof_rejects_a_wrong_permit(mutant, tmp_path):
    spec = HoldingSpec(mutant(2))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=12)
