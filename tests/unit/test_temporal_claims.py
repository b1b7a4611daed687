# amaranth: UnusedElaboratable=no
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.rtl.temporal.claims import RowClaims, slot_count
from tests.support.channel import run
from tests.support.temporal_front_mutants import ForgetfulClaims, GreedyClaims, OvertakingClaims


class ClaimsModel:
    """Every firing in a list per row; the rule of the reserve by counting all of them."""

    def __init__(self, rows, depth, total, active, limits):
        self.depth, self.total, self.active, self.limits = depth, total, active, limits
        self.firings = [[] for _ in range(rows)]  # [slot, is complete], oldest first
        self.issues = [0] * rows

    def available(self, row):
        """A free slot of its own, and one that no other Active row needs for its first firing."""
        count = len(self.firings[row])
        held = sum(map(len, self.firings))
        owed = sum(1 for other in range(self.active) if other != row and not self.firings[other])
        return count < self.limits[row] and held + owed < self.total

    def issue(self, row):
        bits = (self.depth - 1).bit_length()
        slot = row << bits | self.issues[row] % self.depth
        self.issues[row] += 1
        self.firings[row].append([slot, False])
        return slot

    def complete(self, slot):
        for firings in self.firings:
            for firing in firings:
                if firing[0] == slot:
                    firing[1] = True


def differences(dut, active, seed, cycles=200, limits=None):
    """Random issues, completions and retirements; rows below ``active`` are Active.

    ``limits`` are those that the rows should have, where not those of the design.
    """
    rng = random.Random(seed)
    model = ClaimsModel(dut.rows, dut.depth, dut.total, active, limits or dut.limits)
    found = []

    async def bench(ctx):
        if dut.is_shared:
            ctx.set(dut.active_rows, active)
            await ctx.tick()
        captured, waiting = None, []
        eagerness = rng.choice([0.2, 0.5, 0.9])
        for cycle in range(cycles):
            may = [row for row in range(active) if model.available(row)]
            available, issued = ctx.get(dut.available), ctx.get(dut.issued)
            complete = [bool(f and f[0][1]) for f in model.firings]
            seen = (
                [available >> row & 1 == 1 for row in range(active)],
                [issued >> row & 1 == 1 for row in range(dut.rows)],
                [ctx.get(dut.complete) >> row & 1 == 1 for row in range(dut.rows)],
                bool(ctx.get(dut.empty)),
            )
            expected = (
                [row in may for row in range(active)],
                [bool(f) for f in model.firings],
                complete,
                not any(model.firings),
            )
            if seen != expected:
                found.append(f"cycle {cycle}: {seen} is not {expected}")

            # The firing of the last cycle's issue shows its slot, and may complete at once.
            if captured is not None:
                row, slot = captured
                ctx.set(dut.capture, 1 << row)
                ctx.set(dut.capture_row, row)
                if ctx.get(dut.tail_slot) != slot:
                    found.append(f"cycle {cycle}: tail {ctx.get(dut.tail_slot)} is not {slot}")
                waiting.append(slot)

            completing = []
            for i in range(dut.completions):
                ends = bool(waiting) and rng.random() < 0.5
                slot = waiting.pop(rng.randrange(len(waiting))) if ends else 0
                ctx.set(getattr(dut, f"complete_valid_{i}"), ends)
                ctx.set(getattr(dut, f"complete_slot_{i}"), slot)
                completing += [slot] if ends else []

            head_row = rng.randrange(active)
            ctx.set(dut.head, 1 << head_row)
            ctx.set(dut.head_row, head_row)
            if bits := (dut.depth - 1).bit_length():
                ctx.set(dut.head_place, ctx.get(dut.places) >> bits * head_row & (1 << bits) - 1)
            retires = complete[head_row] and rng.random() < 0.7
            ctx.set(dut.retire, retires)
            firings = model.firings[head_row]
            if firings and ctx.get(dut.head_slot) != firings[0][0]:
                found.append(f"cycle {cycle}: head is not {firings[0][0]}")
            issues = rng.choice(may) if may and rng.random() < eagerness else None
            ctx.set(dut.issue, 0 if issues is None else 1 << issues)
            ctx.set(dut.further, issues is not None and issued >> issues & 1)
            remains = issues != head_row or len(model.firings[head_row]) > 1
            ctx.set(dut.beside, issues is not None and issued >> issues & 1 and remains)

            follows = len(firings) > 1 and firings[1][1]
            if bool(ctx.get(dut.successor)) != follows:
                found.append(f"cycle {cycle}: successor is not {follows}")
            for slot in completing:
                model.complete(slot)
            if retires:
                firings.pop(0)
            captured = None if issues is None else (issues, model.issue(issues))
            await ctx.tick()

    run(dut, bench)
    return found


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6), st.integers(1, 5), st.integers(1, 2), st.integers(0, 2**32), st.data())
def test_claims_follow_the_rule_of_the_reserve(rows, depth, completions, seed, data):
    active = data.draw(st.integers(1, rows))
    total = data.draw(st.integers(active, rows * depth + 1))
    dut = RowClaims(rows, depth=depth, total=total, completions=completions)
    assert differences(dut, active, seed) == []


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=5), st.integers(0, 2**32), st.data())
def test_no_row_has_more_than_its_own_limit(limits, seed, data):
    rows = len(limits)
    active = data.draw(st.integers(1, rows))
    total = data.draw(st.integers(active, sum(limits) + 1))
    dut = RowClaims(rows, depth=max(limits), limits=limits, total=total, completions=1)
    assert differences(dut, active, seed) == []


def test_the_comparison_rejects_limits_that_are_all_alike():
    dut = [RowClaims(3, depth=3, total=7, completions=1) for _ in range(6)]
    assert any(differences(dut[seed], 3, seed, limits=(3, 1, 2)) for seed in range(6))


@pytest.mark.parametrize("limits", [(1, 2), (1, 2, 0), (1, 2, 4)])
def test_each_row_has_a_limit_within_its_slots(limits):
    with pytest.raises(ValueError, match=r"^RowClaims limits must be 3 integers from 1 to 3, not"):
        RowClaims(3, depth=3, limits=limits, total=4, completions=1)


@pytest.mark.parametrize("mutant", [GreedyClaims, ForgetfulClaims, OvertakingClaims])
def test_the_comparison_rejects_wrong_claims(mutant):
    dut = [mutant(3, depth=3, total=5, completions=1) for _ in range(6)]
    assert any(differences(dut[seed], 3, seed) for seed in range(6))


def test_a_row_may_always_take_its_first_slot():
    dut = RowClaims(3, depth=4, total=4, completions=1)

    async def bench(ctx):
        ctx.set(dut.active_rows, 3)
        await ctx.tick()
        seen = []
        for _ in range(3):
            seen.append(ctx.get(dut.available))
            ctx.set(dut.issue, 0b001)
            ctx.set(dut.further, ctx.get(dut.issued) & 1)
            await ctx.tick()
            if not ctx.get(dut.available) & 1:
                break
        # One of its own, one of the pool of 4 - 3; then the other two rows have theirs.
        ctx.set(dut.issue, 0)
        ctx.set(dut.further, 0)
        assert seen == [0b111, 0b111]
        assert ctx.get(dut.available) == 0b110
        ctx.set(dut.issue, 0b010)
        await ctx.tick()
        assert ctx.get(dut.available) == 0b100

    run(dut, bench)


@pytest.mark.parametrize(("rows", "depth", "count"), [(4, 1, 4), (4, 2, 8), (3, 3, 12), (1, 4, 4)])
def test_a_slot_number_is_row_and_index(rows, depth, count):
    assert slot_count(rows, depth) == count


@pytest.mark.parametrize("name", ["rows", "depth", "total", "completions"])
def test_sizes_must_be_positive(name):
    sizes = {"rows": 2, "depth": 2, "total": 2, "completions": 1, name: 0}
    with pytest.raises(TypeError, match=rf"^RowClaims {name} must be a positive integer, not 0$"):
        RowClaims(sizes.pop("rows"), **sizes)
