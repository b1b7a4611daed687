"""Claims of a Temporal port: who may issue, and in which order firings retire."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.rtl.logic import any_bit, one_hot, pick

__all__ = ["RowClaims", "slot_count"]


def slot_count(rows: int, depth: int) -> int:
    """Slot numbers of a port: row and index, each with whole bits."""
    return rows << (depth - 1).bit_length()


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
    capture : In(1), capture_row : In(range(max(2, rows)))
        In the cycle after each ``issue``, the row that issued.
    tail_slot : Out
        With ``capture``: the slot that it took.
    complete_valid_<i> : In(1), complete_slot_<i> : In
        The firing in this slot is complete; at the earliest in the cycle of its ``capture``.
    head_row : In(range(max(2, rows)))
        The row that may retire.
    head_slot : Out
        Slot of its oldest firing.
    retire : In(1)
        Return it; only where ``complete``.
    issued : Out(rows)
        The row has a firing between grant and retirement (registered).
    complete : Out(rows)
        The row's oldest firing is complete (registered).
    complete_next : Out(rows)
        It will be in the next cycle, if nothing retires now.
    successor_next : Out(1)
        In the next cycle the firing after the oldest one of ``head_row`` will be complete.
    empty : Out(1)
        No row has a firing (registered).
    """

    active_rows: Signal
    fits: Signal
    available: Signal
    issue: Signal
    capture: Signal
    capture_row: Signal
    tail_slot: Signal
    head_row: Signal
    head_slot: Signal
    retire: Signal
    issued: Signal
    complete: Signal
    complete_next: Signal
    successor_next: Signal
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
        self.is_shared = depth > 1 and total < rows * depth
        row, slot = range(max(2, rows)), range(max(2, slot_count(rows, depth)))
        members: dict[str, wiring.Member] = {
            "available": Out(rows),
            "fits": Out(1),
            "issue": In(rows),
            "capture": In(1),
            "capture_row": In(row),
            "tail_slot": Out(slot),
            "head_row": In(row),
            "head_slot": Out(slot),
            "retire": In(1),
            "issued": Out(rows),
            "complete": Out(rows),
            "complete_next": Out(rows),
            "successor_next": Out(1),
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
        retires = [self.retire & here for here in one_hot(self.head_row, self.rows)]
        captures = [self.capture & here for here in one_hot(self.capture_row, self.rows)]

        # Counts as thermometers: bit `n` of a row says that it holds more than `n` slots.
        levels = [Signal(self.depth, name=f"level_{row}") for row in range(self.rows)]
        for here, issue, retire in zip(levels, self.issue, retires, strict=True):
            with m.If(issue & ~retire):
                m.d.sync += here.eq(Cat(1, here))
            with m.If(retire & ~issue):
                m.d.sync += here.eq(here[1:])
        pool = Value.cast(1)
        if self.is_shared:
            beyond = Signal(range(self.total + 1))
            pool = self._pool(m, beyond, levels, retires)
        else:
            m.d.comb += self.fits.eq(1)
        further = [~here[-1] & pool for here in levels]
        if self.depth == 1:
            m.d.comb += self.available.eq(~self.issued)
        else:
            free = [~here[0] | more for here, more in zip(levels, further, strict=True)]
            m.d.comb += self.available.eq(Cat(*free))
        m.d.comb += [
            self.issued.eq(Cat(here[0] for here in levels)),
            self.empty.eq(~self.issued.any()),
        ]

        # Places in the rings. A tail moves at capture, so that it still names the slot there.
        tails = [self._pointer(m, f"tail_{row}", moves) for row, moves in enumerate(captures)]
        heads = [self._pointer(m, f"head_{row}", moves) for row, moves in enumerate(retires)]
        m.d.comb += [
            self.tail_slot.eq(self._slot(tails, self.capture_row)),
            self.head_slot.eq(self._slot(heads, self.head_row)),
        ]

        self._completions(m, heads, retires)
        return m

    def _pool(self, m: Module, beyond: Signal, levels: list[Signal], retires: list[Value]) -> Value:
        """Count the slots beyond first ones; one more may be taken (a flip-flop)."""
        limit = Signal(range(self.total + 1))
        m.d.comb += limit.eq(self.total - self.active_rows)
        rows = list(zip(levels, self.issue, retires, strict=True))
        takes = Signal()
        returns = Signal()
        m.d.comb += [
            takes.eq(any_bit(issue & here[0] for here, issue, _ in rows)),
            # The last slot of a row is not given back while the row takes another one.
            returns.eq(any_bit(retire & (here[1] | issue) for here, issue, retire in rows)),
        ]
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

    def _pointer(self, m: Module, name: str, moves: Value) -> Signal | None:
        """Place in the ring of one row; none in a ring of one."""
        if self.depth == 1:
            return None
        place = Signal(range(self.depth), name=name)
        with m.If(moves):
            m.d.sync += place.eq(self._after(place))
        return place

    def _after(self, place: Value) -> Value:
        return Mux(place == self.depth - 1, 0, place + 1)[: len(place)]

    def _slot(self, places: list[Signal | None], row: Signal) -> Value:
        """Slot number of a row, at its place."""
        index = [place for place in places if place is not None]
        return self._numbered(pick(index, row) if index else Cat(), row)

    def _numbered(self, index: Value, row: Signal) -> Value:
        return Cat(index, row) if self.rows > 1 else index

    def _completions(self, m: Module, heads: list[Signal | None], retires: list[Value]) -> None:
        """Done bits of every slot, and which firings at the heads are or will be complete.

        What is registered is chosen from its registers; what arrives is compared with the slot
        that was looked for.
        """
        bits = (self.depth - 1).bit_length()
        valids: list[Signal] = [
            getattr(self, f"complete_valid_{i}") for i in range(self.completions)
        ]
        slots: list[Signal] = [getattr(self, f"complete_slot_{i}") for i in range(self.completions)]
        in_row = [
            [valid & here for here in one_hot(slot[bits:], self.rows)]
            for valid, slot in zip(valids, slots, strict=True)
        ]
        following: list[Value] = []
        successor = Signal()
        for row, head in enumerate(heads):
            arrivals = [here[row] for here in in_row]
            if head is None:
                was, now = self.complete[row], any_bit(arrivals)
            else:
                done = self._done(m, row, head, retires[row], arrivals, slots)
                was = pick(done, head)
                now = any_bit(
                    here & (slot[:bits] == head) for here, slot in zip(arrivals, slots, strict=True)
                )
                following.append(pick([*done[1:], done[0]], head))
            m.d.comb += self.complete_next[row].eq(was | now)
            m.d.sync += self.complete[row].eq(Mux(retires[row], successor, self.complete_next[row]))

        if following:
            behind = Signal(range(self.depth))
            m.d.comb += [
                behind.eq(self._after(self.head_slot[:bits])),
                successor.eq(
                    pick(following, self.head_row)
                    | any_bit(
                        valid & (slot == self._numbered(behind, self.head_row))
                        for valid, slot in zip(valids, slots, strict=True)
                    )
                ),
            ]
        m.d.comb += self.successor_next.eq(successor)

    def _done(
        self,
        m: Module,
        row: int,
        head: Signal,
        retires: Value,
        arrivals: list[Value],
        slots: list[Signal],
    ) -> list[Signal]:
        """One bit per slot of a row. One that nobody holds is never done: retirement clears it."""
        bits = len(head)
        done = [Signal(name=f"done_{row}_{index}") for index in range(self.depth)]
        for index, here in enumerate(done):
            arrived = any_bit(
                hit & (slot[:bits] == index) for hit, slot in zip(arrivals, slots, strict=True)
            )
            m.d.sync += here.eq((here | arrived) & ~(retires & (head == index)))
        return done
