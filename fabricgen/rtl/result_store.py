"""Result payloads of one port, between the service's responses and retirement."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["ResultStore"]


class ResultStore(wiring.Component):
    """Assemble each result from the bytes that arrive, and read it out with its holes as zero.

    A lane that is inactive or out of range, and every byte that belongs to no lane, reads as
    zero: the lane bits of each slot gate what the memory holds, which is never cleared.

    A part that arrives in cycle *n* can be read from cycle *n + 1*; reading is asynchronous.
    Nothing is reset: a slot is read only after it was claimed and completed.

    Parameters
    ----------
    slots
        Results held.
    lanes
        Width of the lane mask.
    data_bytes
        Bytes of the widest payload.
    element_lanes
        Most lanes of each admitted element size in bytes; sizes ascending.
    compares
        Some firing is a compare-exchange, of which each lane has a success.

    Members
    -------
    issue : In(1), issue_slot : In, issue_lanes : In(lanes)
        A firing takes this slot with these active lanes.
    arrive : In(1), done : In(1), slot : In, data : In(8 * data_bytes), strobe : In(data_bytes),
    in_range : In(lanes)
        Response of the service, as in its channel; never for a slot issued in this cycle.
    tested : In(lanes), success : In(lanes), absent unless ``compares``
        The same: lanes whose comparison arrives, and how each ended.
    head : In
        The slot to read.
    scale : In(range(len(element_lanes))), absent with one element size
        Position of the configured size in ``element_lanes``.
    result : Out(8 * data_bytes)
    successes : Out(lanes), absent unless ``compares``
        Zero in a lane that is inactive or out of range.
    """

    issue: Signal
    issue_slot: Signal
    issue_lanes: Signal
    arrive: Signal
    done: Signal
    slot: Signal
    data: Signal
    strobe: Signal
    in_range: Signal
    tested: Signal
    success: Signal
    head: Signal
    scale: Signal
    result: Signal
    successes: Signal

    def __init__(
        self,
        slots: int,
        *,
        lanes: int,
        data_bytes: int,
        element_lanes: dict[int, int],
        compares: bool = False,
    ) -> None:
        self.slots = slots
        self.lanes = lanes
        self.data_bytes = data_bytes
        self.element_lanes = element_lanes
        self.compares = compares
        number = range(max(2, slots))
        members: dict[str, wiring.Member] = {
            "issue": In(1),
            "issue_slot": In(number),
            "issue_lanes": In(lanes),
            "arrive": In(1),
            "done": In(1),
            "slot": In(number),
            "data": In(8 * data_bytes),
            "strobe": In(data_bytes),
            "in_range": In(lanes),
            "head": In(number),
            "result": Out(8 * data_bytes),
        }
        if compares:
            members |= {"tested": In(lanes), "success": In(lanes), "successes": Out(lanes)}
        if len(element_lanes) > 1:
            members["scale"] = In(range(len(element_lanes)))
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Build the byte memory, the lane bits of each slot, and the gates of the read side."""
        m = Module()

        # Lanes: active ones at issue, of which the last response drops those out of range. Each
        # is written in one place, so both are memories; without a response no lane was active.
        stored = self._bytes(m)
        active = self._lanes(m, "active", self.issue, self.issue_slot, self.issue_lanes)
        inside = self._lanes(m, "inside", self.arrive & self.done, self.slot, self.in_range)

        lanes = Signal(self.lanes)
        m.d.comb += lanes.eq(active & inside)
        gates = [self._gate(lanes, byte) for byte in range(self.data_bytes)]
        m.d.comb += self.result.eq(stored & Cat(gate.replicate(8) for gate in gates))
        if self.compares:
            m.d.comb += self.successes.eq(self._successes(m) & lanes)
        return m

    def _successes(self, m: Module) -> Value:
        """Successes of the slot at the head; each lane is written as its comparison arrives."""
        tested = Mux(self.arrive, self.tested, 0)
        if self.slots == 1:
            held = Signal(self.lanes, name="kept_successes", reset_less=True)
            for lane in range(self.lanes):
                with m.If(tested[lane]):
                    m.d.sync += held[lane].eq(self.success[lane])
            return held
        m.submodules.successes = store = Memory(shape=self.lanes, depth=self.slots, init=[])
        write, read = store.write_port(granularity=1), store.read_port(domain="comb")
        m.d.comb += [
            write.addr.eq(self.slot),
            write.data.eq(self.success),
            write.en.eq(tested),
            read.addr.eq(self.head),
        ]
        return read.data

    def _bytes(self, m: Module) -> Value:
        """Bytes of the slot at the head; written as they arrive."""
        if self.slots == 1:
            # A memory of one word has no address.
            held = Signal(8 * self.data_bytes, name="bytes", reset_less=True)
            for byte in range(self.data_bytes):
                with m.If(self.arrive & self.strobe[byte]):
                    m.d.sync += held.word_select(byte, 8).eq(self.data.word_select(byte, 8))
            return held
        m.submodules.bytes = store = Memory(shape=8 * self.data_bytes, depth=self.slots, init=[])
        write, read = store.write_port(granularity=8), store.read_port(domain="comb")
        m.d.comb += [
            write.addr.eq(self.slot),
            write.data.eq(self.data),
            write.en.eq(Mux(self.arrive, self.strobe, 0)),
            read.addr.eq(self.head),
        ]
        return read.data

    def _lanes(self, m: Module, name: str, enable: Value, slot: Signal, lanes: Signal) -> Value:
        """Lane bits of the slot at the head, as they were written last."""
        if self.slots == 1:
            held = Signal(self.lanes, name=f"{name}_lanes", reset_less=True)
            with m.If(enable):
                m.d.sync += held.eq(lanes)
            return held
        m.submodules[f"{name}_lanes"] = store = Memory(shape=self.lanes, depth=self.slots, init=[])
        write, read = store.write_port(), store.read_port(domain="comb")
        m.d.comb += [
            write.addr.eq(slot),
            write.data.eq(lanes),
            write.en.eq(enable),
            read.addr.eq(self.head),
        ]
        return read.data

    def _gate(self, lanes: Signal, byte: int) -> Value:
        """Lane bit of the lane that owns this byte under the configured element size."""
        owners = {byte // size for size, most in self.element_lanes.items() if byte // size < most}
        chosen: list[int | None] = []
        for size, most in self.element_lanes.items():
            # A size that has no lane here reads zero, as does any lane that it never activates:
            # with one owner under the other sizes, that is most often the owner itself.
            idle = [owner for owner in owners if owner >= most]
            chosen.append(byte // size if byte // size < most else min(idle, default=None))
        bits = [Value.cast(0) if owner is None else lanes[owner] for owner in chosen]
        return bits[0] if len(set(chosen)) == 1 else Value.cast(Array(bits)[self.scale])
