"""Claims of a Temporal port: who may issue, and in which order firings retire."""

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.rtl.logic import any_bit, choose, one_hot, pick

__all__ = ["RowClaims", "slot_count"]


def slot_count(rows: int, depth: int) -> int:
    """Slot numbers of a port: row and index, each with whole bits."""
    return rows << (depth - 1).bit_length()


@dataclass(frozen=True, slots=True)
class _Pointer:
    """A place in the ring of one row's slots, and whether an even or odd number of laps led to it.

    The place has no bits in a ring of one.
    """

    place: Value
    lap: Signal

    depth: int

    @classmethod
    def of(cls, name: str, depth: int) -> "_Pointer":
        place = Signal(range(depth), name=name) if depth > 1 else Cat()
        return cls(place, Signal(name=f"{name}_lap"), depth)

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

    def advance(self, m: Module, moves: Value) -> None:
        """Go on by one slot."""
        with m.If(moves):
            m.d.sync += self.lap.eq(self.lap ^ self.is_last)
            if self.depth > 1:
                m.d.sync += self.place.eq(self.following)


@dataclass(frozen=True, slots=True)
class _Level:
    """A row holds a slot; more than one; all of its own."""

    any: Value
    more: Value
    all: Value


class RowClaims(wiring.Component):
    """Own the result slots of every row of one port, and the pool that they share.

    A firing of a row takes one of the row's ``depth`` slots when it is granted, completes in any
    order, and retires in the order of the row's grants. All rows together hold at most ``total``
    slots, and each Active row has one of them in reserve: a row may always take its first slot,
    and a further one only while fewer than ``total - active_rows`` slots beyond the first ones
    are taken. So no row can keep another from ever issuing.

    ``available`` tells registers alone: what is returned in cycle *n* can be taken from cycle
    *n + 1*. Reset frees every slot.

    A slot number is ``{row, index}``, the index in its low ``ceil(log2(depth))`` bits.

    Parameters
    ----------
    rows
        Resident rows.
    depth
        Firings of one row between grant and retirement; at least 1.
    total
        Firings of all rows; at least 1.
    completions
        Firings that can complete in one cycle; at least 1.

    Members
    -------
    active_rows : In(range(rows + 1)), absent where the pool cannot bind
        Rows with a slot in reserve, at most ``total``. Rows may become Active while others have
        firings: they are counted from before then on, and become so only where ``fits``.
    fits : Out(1)
        Slots beyond first ones are not, and will not be, more than the reserve leaves (registered
        but for ``active_rows``).
    available : Out(rows)
        The row may take a slot.
    issue : In(rows)
        One-hot: the row takes one; only while ``available``.
    further : In(1), with_head : In(1)
        The row that issues has a firing already; it is the row of ``head``.
    capture : In(rows), capture_row : In(range(max(2, rows)))
        In the cycle after each ``issue``, the row that issued, one-hot and its number.
    tail_slot : Out
        The slot that it took.
    complete_valid_<i> : In(1), complete_slot_<i> : In
        The firing in this slot is complete; at the earliest in the cycle after its ``issue``.
    head : In(rows), head_row : In(range(max(2, rows)))
        One-hot: the row that may retire, if any; its number.
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
    fits: Signal
    available: Signal
    issue: Signal
    further: Signal
    with_head: Signal
    capture: Signal
    capture_row: Signal
    tail_slot: Signal
    head: Signal
    head_row: Signal
    head_slot: Signal
    retire: Signal
    issued: Signal
    complete: Signal
    successor: Signal
    empty: Signal

    def __init__(self, rows: int, *, depth: int, total: int, completions: int) -> None:
        given = {"rows": rows, "depth": depth, "total": total, "completions": completions}
        for name, value in given.items():
            if not isinstance(value, int) or value < 1:
                raise TypeError(f"RowClaims {name} must be a positive integer, not {value!r}")
        self.rows = rows
        self.depth = depth
        self.total = total
        self.completions = completions
        #: Where each row's next firing goes, and its oldest one is.
        self.tails = [_Pointer.of(f"tail_{row}", depth) for row in range(rows)]
        self.heads = [_Pointer.of(f"head_{row}", depth) for row in range(rows)]
        self.is_shared = depth > 1 and total < rows * depth
        row, slot = range(max(2, rows)), range(max(2, slot_count(rows, depth)))
        members: dict[str, wiring.Member] = {
            "available": Out(rows),
            "fits": Out(1),
            "issue": In(rows),
            "further": In(1),
            "with_head": In(1),
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
        for i in range(completions):
            members |= {f"complete_valid_{i}": In(1), f"complete_slot_{i}": In(slot)}
        if self.is_shared:
            members["active_rows"] = In(range(rows + 1))
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """One ring per row, and the pool of what all hold beyond their first slots."""
        m = Module()
        retires = [self.retire & here for here in self.head]

        for pointer, moves in zip(self.tails, self.issue, strict=True):
            pointer.advance(m, moves)
        for pointer, moves in zip(self.heads, retires, strict=True):
            pointer.advance(m, moves)

        levels = [
            self._level(tail, head) for tail, head in zip(self.tails, self.heads, strict=True)
        ]
        pool = Value.cast(1)
        if self.is_shared:
            beyond = Signal(range(self.total + 1))
            pool = self._pool(m, beyond, levels, retires)
        else:
            m.d.comb += self.fits.eq(1)
        m.d.comb += [
            self.issued.eq(Cat(here.any for here in levels)),
            self.available.eq(Cat(~here.any | (~here.all & pool) for here in levels)),
            self.empty.eq(~self.issued.any()),
        ]

        # A tail has moved past the slot that is asked for a cycle later.
        newest: Value = Cat()
        oldest: Value = Cat()
        if self.depth > 1:
            newest = choose(self.capture, [tail.preceding for tail in self.tails])
            oldest = choose(self.head, [head.place for head in self.heads])
        m.d.comb += [
            self.tail_slot.eq(self._numbered(newest, self.capture_row)),
            self.head_slot.eq(self._numbered(oldest, self.head_row)),
        ]
        self._completions(m)
        return m

    def _level(self, tail: "_Pointer", head: "_Pointer") -> "_Level":
        """What a row holds; its pointers meet where it holds nothing, or all of its slots."""
        again = tail.lap ^ head.lap
        if self.depth == 1:
            return _Level(any=again, more=Const(0, 1), all=again)
        meet, one = tail.place == head.place, tail.place == head.following
        return _Level(any=~meet | again, more=~(meet | one) | (meet & again), all=meet & again)

    def _pool(
        self, m: Module, beyond: Signal, levels: list["_Level"], retires: list[Value]
    ) -> Value:
        """Count the slots beyond first ones; one more may be taken (a flip-flop)."""
        limit = Signal(range(self.total + 1))
        m.d.comb += limit.eq(self.total - self.active_rows)
        takes = self.further
        returns = Signal()
        more = any_bit(retire & here.more for here, retire in zip(levels, retires, strict=True))
        # The last slot of a row is not given back while the row takes another one.
        m.d.comb += returns.eq(more | (self.retire & self.head.any() & self.with_head))
        # All outcomes are compared before it is known which one it is. One that is given back can
        # be taken unless a row has become Active meanwhile.
        pool = Signal()
        m.d.sync += pool.eq(Mux(takes, beyond + 1 < limit, beyond <= limit))
        m.d.comb += self.fits.eq((beyond < limit) | ((beyond == limit) & ~pool))
        with m.If(takes == returns):
            m.d.sync += pool.eq(beyond < limit)
        with m.Else():
            m.d.sync += beyond.eq(Mux(takes, beyond + 1, beyond - 1))
        return pool

    def _numbered(self, place: Value, row: Signal) -> Value:
        return Cat(place, row) if self.rows > 1 else place

    def _completions(self, m: Module) -> None:
        """Which firings at the heads are complete.

        Each slot counts its completions, modulo two. The head comes to it once a lap, so its count
        is that of the head's laps until the firing there is complete, and nothing has to be
        cleared.
        """
        following: list[Value] = []
        for row, (head, retires) in enumerate(zip(self.heads, self.head, strict=True)):
            counts = [Signal(name=f"completions_{row}_{place}") for place in range(self.depth)]
            hits = [self._hits(row, i) for i in range(self.completions)]
            new = [
                count ^ any_bit(arrived)
                for count, arrived in zip(counts, zip(*hits, strict=True), strict=True)
            ]
            m.d.sync += Cat(counts).eq(Cat(new))
            lap = head.lap ^ head.is_last
            oldest = pick(new, head.place) ^ head.lap
            behind = pick([*new[1:], new[0]], head.place) ^ lap
            m.d.sync += self.complete[row].eq(Mux(self.retire & retires, behind, oldest))
            following.append(pick([*counts[1:], counts[0]], head.place) ^ lap)
        if self.depth > 1:
            m.d.comb += self.successor.eq((self.head & Cat(following)).any())

    def _hits(self, row: int, completion: int) -> list[Value]:
        """Slots of a row in which a firing completes now, of those that may at a time."""
        valid: Signal = getattr(self, f"complete_valid_{completion}")
        slot: Signal = getattr(self, f"complete_slot_{completion}")
        bits = (self.depth - 1).bit_length()
        mine = one_hot(slot[bits:], self.rows)[row]
        return [valid & here & mine for here in one_hot(slot[:bits], self.depth)]
