"""What was asked under each identifier, in order."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fabricgen.rtl.logic import pick
from fabricgen.rtl.manager.table import SlotTable

__all__ = ["IdQueue"]


class IdQueue(wiring.Component):
    """Queues of all identifiers in one memory, as linked lists.

    Each list ends with an entry that holds nothing yet: a push fills it and links a new one
    behind, a pop frees the first one. So no list is ever without an entry, a push writes the
    memory and the list's end, a pop only its beginning.

    ``word`` follows ``pop_id`` within the cycle. A word may be popped from the cycle after its
    push on; who pops knows that there is one. Reset empties all queues.

    Parameters
    ----------
    ids
        Identifiers, from 0 on.
    width
        Bits of a word; positive.
    entries
        Words in all queues together; at least 1.

    Members
    -------
    push : In(1), push_id : In, push_word : In(width)
        Append a word; only while ``free``.
    free : Out(1)
        There is room for a word (registered).
    pop : In(1), pop_id : In
        Remove the oldest word of this identifier.
    word : Out(width)
        The oldest word of ``pop_id``.
    empty : Out(1)
        No queue has a word (registered).
    """

    push: Signal
    push_id: Signal
    push_word: Signal
    free: Signal
    pop: Signal
    pop_id: Signal
    word: Signal
    empty: Signal

    def __init__(self, ids: int, width: int, entries: int) -> None:
        if min(ids, width, entries) < 1:
            raise TypeError(
                f"IdQueue ids, width and entries must be positive, not {ids}, {width}, {entries}"
            )
        self.ids, self.width, self.entries = ids, width, entries
        number = range(max(2, ids))
        super().__init__(
            {
                "push": In(1),
                "push_id": In(number),
                "push_word": In(width),
                "free": Out(1),
                "pop": In(1),
                "pop_id": In(number),
                "word": Out(width),
                "empty": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Count the words, and link, fill and free entries."""
        m = Module()
        # Entry i is the first end of list i; those above are free at first.
        depth = self.ids + self.entries
        bits = (depth - 1).bit_length()
        count = Signal(range(self.entries + 1))
        m.d.sync += count.eq(count + self.push - self.pop)
        m.d.comb += [self.free.eq(count != self.entries), self.empty.eq(count == 0)]

        first = self._ends(m, "first", bits, self.pop_id, self.pop)
        last = self._ends(m, "last", bits, self.push_id, self.push)
        fresh = Signal(bits)
        behind = Signal(bits)
        m.submodules.held = held = Memory(shape=self.width + bits, depth=depth, init=[])
        writer, reader = held.write_port(), held.read_port(domain="comb")
        m.d.comb += [
            writer.en.eq(self.push),
            writer.addr.eq(last.word),
            writer.data.eq(Cat(self.push_word, fresh)),
            reader.addr.eq(first.word),
            Cat(self.word, behind).eq(reader.data),
            first.data.eq(behind),
            last.data.eq(fresh),
            fresh.eq(self._fresh(m, bits, first.word)),
        ]
        return m

    def _ends(self, m: Module, name: str, bits: int, place: Signal, write: Signal) -> "_End":
        """One end of each list; before its first write that of list i is entry i."""
        table = SlotTable(self.ids, bits)
        m.submodules[name] = table
        moved = Signal(self.ids, name=f"{name}_moved")
        for number, flag in enumerate(moved):
            with m.If(write & (place == number)):
                m.d.sync += flag.eq(1)
        m.d.comb += [table.write.eq(write), table.at.eq(place), table.place.eq(place)]
        return _End(m, name, table, pick(list(moved), place), place)

    def _fresh(self, m: Module, bits: int, freed: Value) -> Value:
        """The entry to be linked next: freed ones come back in the order in which they were."""
        if self.entries == 1:
            kept = Signal(bits, name="kept", reset_less=True)
            was_freed = Signal()
            with m.If(self.pop):
                m.d.sync += [kept.eq(freed), was_freed.eq(1)]
            return Mux(was_freed, kept, self.ids)
        m.submodules.freed = ring = Memory(shape=bits, depth=self.entries, init=[])
        writer, reader = ring.write_port(), ring.read_port(domain="comb")
        write_at = Signal(range(self.entries))
        read_at = Signal(range(self.entries))
        again = Signal()
        with m.If(self.pop):
            m.d.sync += write_at.eq(self._after(write_at))
        with m.If(self.push):
            m.d.sync += read_at.eq(self._after(read_at))
            with m.If(read_at == self.entries - 1):
                m.d.sync += again.eq(1)
        m.d.comb += [
            writer.en.eq(self.pop),
            writer.addr.eq(write_at),
            writer.data.eq(freed),
            reader.addr.eq(read_at),
        ]
        return Mux(again, reader.data, read_at + self.ids)

    def _after(self, pointer: Signal) -> Value:
        return Mux(pointer == self.entries - 1, 0, pointer + 1)[: len(pointer)]


class _End:
    """A table whose words are their own numbers until they are written."""

    def __init__(self, m: Module, name: str, table: SlotTable, moved: Value, place: Signal) -> None:
        self.word = Signal(len(table.word), name=f"{name}_entry")
        self.data = table.data
        m.d.comb += self.word.eq(Mux(moved, table.word, place))
