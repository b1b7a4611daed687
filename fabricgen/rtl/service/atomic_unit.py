"""What a bank makes of one beat: read-modify-writes and compare-exchanges of its objects."""

from collections.abc import Iterable, Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.atomic_use import FLOAT_RMW_KINDS, LocalAtomics
from fabricgen.rtl.logic import any_bit, named
from fabricgen.rtl.providers.lanes import Lanes, add_by_lanes
from fabricgen.vocab.dataflow import AtomicRmwKind

__all__ = ["EXCHANGE", "OP_BITS", "STORE", "AtomicUnit", "scale_bits"]

_K = AtomicRmwKind

#: Bits of the operation of one write. Read-modify-writes have their wire tags.
OP_BITS = 5

#: A plain or atomic store.
STORE = 0

#: A compare-exchange; no kind has this tag.
EXCHANGE = 24

_SUBTRACTING = (_K.SUB, _K.USUB_COND, _K.USUB_SAT)
_MAXIMA, _MINIMA = (_K.MAX, _K.UMAX), (_K.MIN, _K.UMIN)
_SIGNED = (_K.MAX, _K.MIN)


def scale_bits(atomics: LocalAtomics) -> int:
    """Bits that tell the sizes of the objects apart; 0 for one size."""
    return max(0, (len(atomics.element_bytes) - 1).bit_length())


class AtomicUnit(wiring.Component):
    """Hold a beat and what is done to it, and show what it becomes.

    Every object of the beat is computed at its own place, whether it is written or not: one adder
    serves all object sizes and all places, by the lanes of the vector providers. A second one
    counts up or down, where a kind needs that beside a comparison.

    Latency 1: what is shown in cycle *n* becomes ``result`` in *n + 1*. Takes one beat in every
    cycle. Reset is not needed: nothing is kept.

    Parameters
    ----------
    atomics
        Kinds of integers, whether objects are exchanged, and their sizes.
    beat_bytes
        Bytes of a beat; no object is larger.

    Members
    -------
    op : In(OP_BITS)
        Store, compare-exchange, or the wire tag of a kind that occurs.
    scale : In, absent with one size
        Position of the size of the beat's objects; of no meaning to a store.
    old : In(8 * beat_bytes), operand : In(8 * beat_bytes)
        Contents, and what is stored, the operand of a read-modify-write, or the desired value.
    expected : In(8 * beat_bytes), absent unless objects are exchanged
    result : Out(8 * beat_bytes)
        In the next cycle; the contents where a compare-exchange fails.
    """

    op: Signal
    scale: Signal
    old: Signal
    operand: Signal
    expected: Signal
    result: Signal

    def __init__(self, atomics: LocalAtomics, beat_bytes: int) -> None:
        if not atomics.computes:
            raise ValueError(f"AtomicUnit atomics must compute something, not {atomics!r}")
        if floats := [kind.name for kind in atomics.kinds if kind in FLOAT_RMW_KINDS]:
            raise ValueError(f"AtomicUnit kinds must be those of integers, not {floats}")
        if max(atomics.element_bytes, default=beat_bytes + 1) > beat_bytes:
            raise ValueError(
                f"AtomicUnit element_bytes must be at most the {beat_bytes} of a beat and not "
                f"empty, not {atomics.element_bytes}"
            )
        self.atomics = atomics
        self.bits = 8 * beat_bytes
        members = {
            "op": In(OP_BITS),
            "old": In(self.bits),
            "operand": In(self.bits),
            "result": Out(self.bits),
        }
        if scale_bits(atomics):
            members["scale"] = In(scale_bits(atomics))
        if atomics.exchange:
            members["expected"] = In(self.bits)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """The registers, the two adders, and per step of the lanes what is chosen."""
        m = Module()
        # An operand that is subtracted or compared is held inverted: no adder has to do it.
        inverts = self._is(*_SUBTRACTING, *_MAXIMA, *_MINIMA, _K.UINC_WRAP, _K.UDEC_WRAP)
        second = self._held(m, self.operand ^ inverts.replicate(self.bits), "second")
        old = self._held(m, self.old, "old")
        does = self._decoded(m)
        lanes = self._lanes(m)

        total, at_least = self._compared(m, lanes, old, second, does)
        counted, above = self._counted(m, lanes, old, at_least, does)
        equal = self._equal(m, lanes, old)
        keeps, takes = self._choices(lanes, at_least, above, equal, does)
        sums = _per_step(
            lanes,
            [does(_K.ADD, _K.SUB)] * len(lanes.steps),
            [does(_K.USUB_COND, _K.USUB_SAT) & flag for flag in at_least],
        )
        counts = _per_step(
            lanes,
            [does(_K.UINC_WRAP) & ~flag for flag in at_least],
            [does(_K.UDEC_WRAP) & ~flag for flag in above],
        )
        inverted = does(*_MAXIMA, *_MINIMA, _K.UDEC_WRAP)
        for step, at in enumerate(lanes.steps):
            here = slice(at, at + lanes.step)
            chosen = self._function(m, step, old[here], second[here], keeps, takes, inverted, does)
            value = chosen | (total[here] & sums[step].replicate(lanes.step))
            value |= counted[here] & counts[step].replicate(lanes.step)
            m.d.comb += self.result[here].eq(value)
        return m

    def _held(self, m: Module, value: Value, name: str) -> Signal:
        held = Signal(len(value), name=f"held_{name}", reset_less=True)
        m.d.sync += held.eq(value)
        return held

    def _is(self, *kinds: AtomicRmwKind) -> Value:
        """The operation that comes is one of these kinds."""
        there = [kind for kind in kinds if kind in self.atomics.kinds]
        return any_bit(self.op == kind.value for kind in there)

    def _decoded(self, m: Module) -> "_Does":
        """One register for each operation that occurs."""
        bits: dict[AtomicRmwKind, Value] = {
            kind: self._held(m, self.op == kind.value, f"does_{kind.name.lower()}")
            for kind in self.atomics.kinds
            if kind is not _K.XCHG
        }
        exchanges: Value = Const(0, 1)
        if self.atomics.exchange:
            exchanges = self._held(m, self.op == EXCHANGE, "exchanges")
        # An exchange stores, too; the comparison is another matter.
        stores = self._held(m, (self.op == STORE) | (self.op == _K.XCHG.value), "stores")
        return _Does(bits, stores, exchanges)

    def _lanes(self, m: Module) -> Lanes:
        """Objects of the configured size, in steps of the smallest."""
        sizes = self.atomics.element_bytes
        held = self._held(m, self.scale, "scale") if scale_bits(self.atomics) else Const(0, 1)

        def is_at_most(width: int) -> Value:
            return any_bit(held == at for at, size in enumerate(sizes) if 8 * size <= width)

        return Lanes(m, [8 * size for size in sizes], is_at_most, self.bits)

    def _compared(
        self, m: Module, lanes: Lanes, old: Value, second: Value, does: "_Does"
    ) -> tuple[Value, list[Value]]:
        """``old + second`` with the carry of a subtraction, and per step whether the contents are
        at least the operand; whether they are more where the carry is not there.
        """
        steps = len(lanes.steps)
        adding = (_K.ADD, *_SUBTRACTING, *_MAXIMA, *_MINIMA, _K.UINC_WRAP, _K.UDEC_WRAP)
        if not does.has(*adding):
            return Const(0, self.bits), [Const(0, 1)] * steps
        carry = named(m, ~does(_K.ADD, _K.UDEC_WRAP), "carry")
        total, carries = add_by_lanes(m, lanes, old, second, carry)
        if not does.has(*_MAXIMA, *_MINIMA, *_SUBTRACTING[1:], _K.UINC_WRAP, _K.UDEC_WRAP):
            return total, [Const(0, 1)] * steps
        flags: list[Value] = carries
        if does.has(*_SIGNED):
            tops = [at + lanes.step - 1 for at in lanes.steps]
            # Of opposite signs, the one without a borrow is the other one; the operand is inverted.
            crosses = [does(*_SIGNED) & ~(old[top] ^ second[top]) for top in tops]
            flags = [carry ^ cross for carry, cross in zip(carries, crosses, strict=True)]
        return total, lanes.from_last(flags, "at_least")

    def _counted(
        self, m: Module, lanes: Lanes, old: Value, at_least: list[Value], does: "_Does"
    ) -> tuple[Value, list[Value]]:
        """One more, or one less for a decrement; and per step whether that one wraps: the contents
        are zero, or more than the operand.
        """
        steps = len(lanes.steps)
        if not does.has(_K.UINC_WRAP, _K.UDEC_WRAP):
            return Const(0, self.bits), [Const(0, 1)] * steps
        falls = does(_K.UDEC_WRAP)
        total, carries = add_by_lanes(m, lanes, old, falls.replicate(self.bits), ~falls)
        if not does.has(_K.UDEC_WRAP):
            return total, [Const(0, 1)] * steps
        # Nothing is carried out of what was zero.
        nonzero = lanes.from_last(carries, "nonzero")
        return total, [more | ~some for more, some in zip(at_least, nonzero, strict=True)]

    def _equal(self, m: Module, lanes: Lanes, old: Value) -> list[Value]:
        """Per step: its object is what was expected."""
        if not self.atomics.exchange:
            return [Const(0, 1)] * len(lanes.steps)
        both = old ^ self._held(m, self.expected, "expected")
        differs = lanes.any_of([both[at : at + lanes.step].any() for at in lanes.steps], "differs")
        return [~each for each in lanes.from_last(differs, "unequal")]

    def _choices(
        self,
        lanes: Lanes,
        at_least: list[Value],
        above: list[Value],
        equal: list[Value],
        does: "_Does",
    ) -> tuple[list[Value], list[Value]]:
        """Per step: the contents stay; the operand replaces them."""
        keeps = _per_step(
            lanes,
            [does(*_MAXIMA) & flag for flag in at_least],
            [does(*_MINIMA, _K.USUB_COND) & ~flag for flag in at_least],
            [does.exchanges & ~flag for flag in equal],
        )
        takes = _per_step(
            lanes,
            [does.stores] * len(lanes.steps),
            [does(*_MAXIMA) & ~flag for flag in at_least],
            [does(*_MINIMA) & flag for flag in at_least],
            [does(_K.UDEC_WRAP) & flag for flag in above],
            [does.exchanges & flag for flag in equal],
        )
        return keeps, takes

    def _function(
        self,
        m: Module,
        step: int,
        old: Value,
        second: Value,
        keeps: list[Value],
        takes: list[Value],
        inverted: Value,
        does: "_Does",
    ) -> Value:
        """One function of two bits and three for the whole step; zero where nothing is chosen.

        0: zero, contents, operand, or. 1: inverted operand, and, nand, exclusive or.
        """
        keep, take = keeps[step], takes[step]
        plain = take & ~inverted
        first = keep | does(_K.OR, _K.AND, _K.XOR)
        other = plain | does(_K.OR, _K.NAND, _K.XOR)
        above = (take & inverted) | does(_K.AND, _K.NAND, _K.XOR)
        p, q, r = (
            named(m, bit, f"{name}_{step}").replicate(len(old))
            for bit, name in ((first, "first"), (other, "other"), (above, "above"))
        )
        lower = (old & p) | (second & q)
        both = old & second
        upper = Mux(p[0], Mux(q[0], old ^ second, both), Mux(q[0], ~both, ~second))
        return Mux(r[0], upper, lower)


class _Does:
    """Which operation is held; constants for those that never are.

    ``stores`` and ``exchanges`` tell of stores, and of compare-exchanges.
    """

    def __init__(self, bits: dict[AtomicRmwKind, Value], stores: Value, exchanges: Value) -> None:
        self._bits = bits
        self.stores = stores
        self.exchanges = exchanges

    def __call__(self, *kinds: AtomicRmwKind) -> Value:
        """It is one of these kinds."""
        return any_bit(self._bits[kind] for kind in kinds if kind in self._bits)

    def has(self, *kinds: AtomicRmwKind) -> bool:
        """One of these kinds may be."""
        return any(kind in self._bits for kind in kinds)


def _per_step(lanes: Lanes, *flags: Sequence[Value]) -> list[Value]:
    """Or of some flags of each step."""
    columns: Iterable[tuple[Value, ...]] = zip(*flags, strict=True)
    return [Cat(*column).any() for column, _ in zip(columns, lanes.steps, strict=True)]
