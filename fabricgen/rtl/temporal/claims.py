"""Claims of a Temporal port: who may issue, and in which order firings retire."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.rtl.logic import any_bit, at_least, choose, one_hot, pick

__all__ = ["RowClaims", "slot_count"]


def slot_count(rows: int, depth: int) -> int:
    """Slot numbers of a port: row and index, each with whole bits."""
    return rows << (depth - 1).bit_length()


@dataclass(frozen=True, slots=True)
class _Pointer:
    """A place in the ring of one row's slots; it has no bits in a ring of one."""

    place: Value
    depth: int

    @classmethod
    def of(cls, name: str, depth: int) -> "_Pointer":
        return cls(Signal(range(depth), name=name) if depth > 1 else Cat(), depth)

    @property
    def is_last(self) -> Value:
        """A new lap begins behind it."""
        return self.place == self.depth - 1 if self.depth > 1 else Const(1, 1)

    @property
    def following(self) -> Value:
        """The place behind it."""
        return Mux(self.is_last, 0, self.place + 1)[: len(self.place)]

    @property
    def preceding(self) -> Value:
        """The place before it."""
        return Mux(self.place == 0, self.depth - 1, self.place - 1)[: len(self.place)]

    def ahead_by(self, count: int) -> Value:
        """The place so many slots behind it, at most a lap."""
        limit = self.depth - count
        return Mux(self.place >= limit, self.place - limit, self.place + count)[: len(self.place)]

    def advance(self, m: Module, moves: Value) -> None:
        """Go on by one slot."""
        if self.depth > 1:
            with m.If(moves):
                m.d.sync += self.place.eq(self.following)


class _Level:
    """What a row holds: a slot; more than one; all of its own.

    Flip-flops: whether a row may issue is asked at the head of the longest path of a port. Of the
    pointers only the next level is derived.
    """

    def __init__(self, row: int, depth: int, limit: int) -> None:
        self.depth = depth
        self.limit = limit
        self.any = Signal(name=f"any_{row}")
        self.more: Value = Signal(name=f"more_{row}") if depth > 1 else Const(0, 1)
        self.all: Value = self.any if limit == 1 else self.more
        if limit > 2:
            self.all = Signal(name=f"all_{row}")

    def follow(
        self, m: Module, takes: Value, returns: Value, tail: _Pointer, head: _Pointer
    ) -> None:
        """Take the level of the next cycle."""
        with m.If(takes & ~returns):
            m.d.sync += self.any.eq(1)
            if self.depth > 1:
                m.d.sync += self.more.eq(self.any)
            if self.limit > 2:
                m.d.sync += self.all.eq(self._is_last(tail, head))
        with m.If(returns & ~takes):
            m.d.sync += self.any.eq(self.more)
            if self.depth > 1:
                third = self.more & (tail.place != head.ahead_by(2)) if self.depth > 2 else 0
                m.d.sync += self.more.eq(third)
            if self.limit > 2:
                m.d.sync += self.all.eq(0)

    def _is_last(self, tail: _Pointer, head: _Pointer) -> Value:
        """The slot at the tail is the only one that the row may still take."""
        if self.limit == self.depth:
            return tail.following == head.place
        return tail.place == head.ahead_by(self.limit - 1)


class RowClaims(wiring.Component):
    """Own the result slots of every row of one port, and the pool that they share.

    A firing of a row takes one of the row's ``depth`` slots when it is granted, completes in any
    order, and retires in the order of the row's grants. No row has more than its limit. All rows
    together hold at most ``total`` slots, and each Active row has one of them in reserve: a row may
    always take its first slot, and a further one only while fewer than ``total - active_rows``
    slots beyond the first ones are taken. So no row can keep another from ever issuing.

    What is returned in cycle *n* can be taken from cycle *n + 1*. So that the choice among rows
    begins at flip-flops, a row is told a cycle ahead that its own slots allow it to issue; whether
    the pool still does counts when the choice is made. Reset frees every slot.

    A slot number is ``{row, index}``, the index in its low ``ceil(log2(depth))`` bits.

    Parameters
    ----------
    rows
        Resident rows.
    depth
        Slots of one row; at least 1.
    limits
        Firings of each row between grant and retirement, from 1 to ``depth``; that many of every
        row unless it is given.
    total
        Firings of all rows; at least 1.
    completions
        Firings that can complete in one cycle; at least 1.

    Members
    -------
    active_rows : In(range(rows + 1)), coming_rows : In(range(rows + 1)), absent where the pool
    cannot bind
        Rows with a slot in reserve, at most ``total``: those that are Active, or those that will
        be if they are more. Rows may become Active while others have firings: they are coming
        from before then on, and become so only where ``fits``.
    fits : Out(1)
        Slots beyond first ones are not, and will not be, more than the reserve leaves (registered
        but for the numbers of rows).
    available : Out(rows)
        The row may take a slot (registers alone).
    claimable : Out(rows)
        It may in the next cycle, unless it takes one now; but for its first one the pool may have
        been emptied by then.
    pool : Out(1)
        A row that has a slot may take a further one now (registers alone).
    remains : Out(rows)
        The row has a firing in the next cycle, even if it takes no slot now.
    issue : In(rows)
        One-hot: the row takes one; only while ``available``.
    leaving : Out(rows)
        The row's only firing is the one that may retire.
    further : In(1), beside : In(1)
        The row that issues has a firing already; it has one and is not ``leaving``.
    capture : In(rows), capture_row : In(range(max(2, rows)))
        In the cycle after each ``issue``, the row that issued, one-hot and its number.
    tail_slot : Out
        The slot that it took.
    complete_valid_<i> : In(1), complete_slot_<i> : In
        The firing in this slot is complete; at the earliest in the cycle after its ``issue``.
    places : Out(rows * bits), absent with a depth of 1
        Place of each row's oldest firing, in ``bits`` of an index (registered).
    head : In(rows), head_row : In(range(max(2, rows)))
        One-hot: the row that may retire, if any; its number.
    head_place : In(bits), place_behind : Out(bits), absent with a depth of 1
        Place of its oldest firing, as in ``places``; that of the firing behind it.
    head_slot : Out
        Slot of its oldest firing.
    retire : In(1)
        Return it; only where ``complete``.
    issued : Out(rows)
        The row has a firing between grant and retirement (registered).
    complete : Out(rows)
        The row's oldest firing is complete (registered).
    successor : Out(1)
        So is the one behind the oldest of ``head``.
    empty : Out(1)
        No row has a firing (registered).
    """

    active_rows: Signal
    coming_rows: Signal
    fits: Signal
    available: Signal
    claimable: Signal
    pool: Signal
    remains: Signal
    issue: Signal
    further: Signal
    leaving: Signal
    beside: Signal
    capture: Signal
    capture_row: Signal
    tail_slot: Signal
    head: Signal
    head_row: Signal
    places: Signal
    head_place: Signal
    place_behind: Signal
    head_slot: Signal
    retire: Signal
    issued: Signal
    complete: Signal
    successor: Signal
    empty: Signal

    def __init__(
        self,
        rows: int,
        *,
        depth: int,
        total: int,
        completions: int,
        limits: Sequence[int] | None = None,
    ) -> None:
        given = {"rows": rows, "depth": depth, "total": total, "completions": completions}
        for name, value in given.items():
            if not isinstance(value, int) or value < 1:
                raise TypeError(f"RowClaims {name} must be a positive integer, not {value!r}")
        self.limits = (depth,) * rows if limits is None else tuple(limits)
        if len(self.limits) != rows or not all(1 <= each <= depth for each in self.limits):
            raise ValueError(
                f"RowClaims limits must be {rows} integers from 1 to {depth}, not {self.limits}"
            )
        self.rows = rows
        self.depth = depth
        self.total = total
        self.completions = completions
        #: Where each row's next firing goes, and its oldest one is.
        self.tails = [_Pointer.of(f"tail_{row}", depth) for row in range(rows)]
        self.heads = [_Pointer.of(f"head_{row}", depth) for row in range(rows)]
        self.levels = [_Level(row, depth, limit) for row, limit in enumerate(self.limits)]
        self.is_shared = depth > 1 and total < sum(self.limits)
        #: Slots that all rows hold beyond their first ones, where the pool can bind.
        self.beyond = Signal(range(total + 1), name="beyond")
        row, slot = range(max(2, rows)), range(max(2, slot_count(rows, depth)))
        members: dict[str, wiring.Member] = {
            "available": Out(rows),
            "claimable": Out(rows),
            "pool": Out(1),
            "remains": Out(rows),
            "fits": Out(1),
            "issue": In(rows),
            "further": In(1),
            "leaving": Out(rows),
            "beside": In(1),
            "capture": In(rows),
            "capture_row": In(row),
            "tail_slot": Out(slot),
            "head": In(rows),
            "head_row": In(row),
            "head_slot": Out(slot),
            "retire": In(1),
            "issued": Out(rows),
            "complete": Out(rows),
            "successor": Out(1),
            "empty": Out(1),
        }
        if bits := (depth - 1).bit_length():
            members |= {
                "places": Out(rows * bits),
                "head_place": In(bits),
                "place_behind": Out(bits),
            }
        for i in range(completions):
            members |= {f"complete_valid_{i}": In(1), f"complete_slot_{i}": In(slot)}
        if self.is_shared:
            members |= {name: In(range(rows + 1)) for name in ("active_rows", "coming_rows")}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """One ring per row, and the pool of what all hold beyond their first slots."""
        m = Module()
        retires = [self.retire & here for here in self.head]

        for pointer, moves in zip(self.tails, self.issue, strict=True):
            pointer.advance(m, moves)
        for pointer, moves in zip(self.heads, retires, strict=True):
            pointer.advance(m, moves)

        for row, level in enumerate(self.levels):
            level.follow(m, self.issue[row], retires[row], self.tails[row], self.heads[row])
        further = any_bit(
            retire & here.more for here, retire in zip(self.levels, retires, strict=True)
        )
        if self.is_shared:
            self._share(m, further)
        else:
            m.d.comb += [self.fits.eq(1), self.pool.eq(1)]
        # A pool that is empty gives nothing: what is returned to it then is all that changes it.
        coming = self.pool | further
        m.d.comb += [
            self.issued.eq(Cat(here.any for here in self.levels)),
            self.available.eq(Cat(~here.any | (~here.all & self.pool) for here in self.levels)),
            self.remains.eq(
                Cat(
                    here.any & (here.more | ~retire)
                    for here, retire in zip(self.levels, retires, strict=True)
                )
            ),
            self.claimable.eq(
                Cat(
                    ~remains | (coming & (~here.all | retire))
                    for remains, here, retire in zip(
                        self.remains, self.levels, retires, strict=True
                    )
                )
            ),
            self.leaving.eq(
                Cat(
                    head & here.any & ~here.more
                    for here, head in zip(self.levels, self.head, strict=True)
                )
            ),
            self.empty.eq(~self.issued.any()),
        ]

        # A tail has moved past the slot that is asked for a cycle later.
        newest: Value = Cat()
        oldest: Value = Cat()
        if self.depth > 1:
            newest = choose(self.capture, [tail.preceding for tail in self.tails])
            oldest = self.head_place
            m.d.comb += [
                self.places.eq(Cat(head.place for head in self.heads)),
                self.place_behind.eq(_Pointer(self.head_place, self.depth).following),
            ]
        m.d.comb += [
            self.tail_slot.eq(self._numbered(newest, self.capture_row)),
            self.head_slot.eq(self._numbered(oldest, self.head_row)),
        ]
        self._completions(m)
        return m

    def _share(self, m: Module, further: Value) -> None:
        """Count the slots beyond first ones, of which one is returned now if ``further``."""
        # Whether one is taken is known last. It is counted a cycle later, when what it comes to
        # either way has been compared. The slot of a row that gives back its last one is its first
        # one again.
        taken = Signal()
        rest = Signal.like(self.beyond, name="rest")
        m.d.comb += self.beyond.eq(rest + taken)
        m.d.sync += [
            taken.eq(Mux(self.retire, self.beside, self.further)),
            rest.eq(self.beyond - further),
        ]
        # The reserve is the larger number of rows: both are compared, not looked for. What is
        # compared with constants has one carry chain, into which ``taken`` is carried.
        claimed = [
            (Cat(Const(1, 1), rest) + Cat(taken, rows))[1:]
            for rows in (self.active_rows, self.coming_rows)
        ]
        below = Signal()
        within = Signal()
        more_below = Signal()
        for outcome, bound in ((below, 0), (within, 1), (more_below, -1)):
            over = [at_least(each, self.total + bound) for each in claimed]
            m.d.comb += outcome.eq(~any_bit(over))
        # A slot that is given back can be taken unless a row has become Active meanwhile.
        has_room = Signal()
        has_more = Signal()
        m.d.sync += [
            has_room.eq(Mux(further, within, below)),
            has_more.eq(Mux(further, below, more_below)),
        ]
        m.d.comb += [
            self.pool.eq(Mux(taken, has_more, has_room)),
            self.fits.eq(below | (within & ~self.pool)),
        ]

    def _numbered(self, place: Value, row: Signal) -> Value:
        return Cat(place, row) if self.rows > 1 else place

    def _completions(self, m: Module) -> None:
        """Which firings at the heads are complete.

        Each slot counts its completions, modulo two. The head comes to it once a lap, so its count
        is that of the head's laps until the firing there is complete, and nothing has to be
        cleared.
        """
        bits = (self.depth - 1).bit_length()
        #: Of each completion: its row, and its place there, one-hot.
        self._arrivals: list[tuple[Signal, Signal]] = []
        for i in range(self.completions):
            valid: Signal = getattr(self, f"complete_valid_{i}")
            slot: Signal = getattr(self, f"complete_slot_{i}")
            rows = Signal(self.rows, name=f"arrives_{i}")
            places = Signal(self.depth, name=f"arrives_at_{i}")
            number = slot[bits:] if self.rows > 1 else None
            m.d.comb += [
                rows.eq(Cat(valid & here for here in one_hot(number, self.rows))),
                places.eq(Cat(one_hot(slot[:bits], self.depth))),
            ]
            self._arrivals.append((rows, places))
        following = Signal(self.rows)
        for row, (head, retires) in enumerate(zip(self.heads, self.head, strict=True)):
            lap = Signal(name=f"lap_{row}")
            next_lap = Signal(name=f"next_lap_{row}")
            counts = Signal(self.depth, name=f"completions_{row}")
            new = Signal(self.depth, name=f"new_completions_{row}")
            hits = [Cat(self._hits(row, i)) for i in range(self.completions)]
            m.d.comb += [next_lap.eq(lap ^ head.is_last), new.eq(counts ^ reduce(or_, hits))]
            m.d.sync += counts.eq(new)
            with m.If(self.retire & retires):
                m.d.sync += lap.eq(next_lap)
            oldest = pick(list(new), head.place) ^ lap
            behind = pick(list(new.rotate_right(1)), head.place) ^ next_lap
            m.d.sync += self.complete[row].eq(Mux(self.retire & retires, behind, oldest))
            m.d.comb += following[row].eq(pick(list(counts.rotate_right(1)), head.place) ^ next_lap)
        if self.depth > 1:
            m.d.comb += self.successor.eq((self.head & following).any())

    def _hits(self, row: int, completion: int) -> list[Value]:
        """Slots of a row in which a firing completes now, of those that may at a time."""
        rows, places = self._arrivals[completion]
        return [rows[row] & here for here in places]
