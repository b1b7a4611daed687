"""What a bank makes of one beat: read-modify-writes and compare-exchanges of its objects."""

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

#: What an object may become, as five choices: three bits of one function of the contents and the
#: operand as it is held, or the sum, or the count; nothing chosen is zero.
_ZERO = (0, 0, 0, 0, 0)
_OLD = (1, 0, 0, 0, 0)
_HELD = (0, 1, 0, 0, 0)
_OR = (1, 1, 0, 0, 0)
_INVERTED = (0, 0, 1, 0, 0)
_AND = (1, 0, 1, 0, 0)
_NAND = (0, 1, 1, 0, 0)
_XOR = (1, 1, 1, 0, 0)
_SUM = (0, 0, 0, 1, 0)
_COUNT = (0, 0, 0, 0, 1)

#: What an operation makes of an object where its condition holds. The condition is that the
#: contents are equal to what was expected, that they are zero or more than the operand (decrement),
#: or that they are at least the operand; of an operation with one outcome it always holds.
_WITH = {
    STORE: _HELD,
    EXCHANGE: _HELD,
    _K.XCHG.value: _HELD,
    _K.ADD.value: _SUM,
    _K.SUB.value: _SUM,
    _K.AND.value: _AND,
    _K.NAND.value: _NAND,
    _K.OR.value: _OR,
    _K.XOR.value: _XOR,
    _K.MAX.value: _OLD,
    _K.MIN.value: _INVERTED,
    _K.UMAX.value: _OLD,
    _K.UMIN.value: _INVERTED,
    _K.UINC_WRAP.value: _ZERO,
    _K.UDEC_WRAP.value: _INVERTED,
    _K.USUB_COND.value: _SUM,
    _K.USUB_SAT.value: _SUM,
}

#: And where it does not.
_WITHOUT = {
    EXCHANGE: _OLD,
    _K.MAX.value: _INVERTED,
    _K.MIN.value: _OLD,
    _K.UMAX.value: _INVERTED,
    _K.UMIN.value: _OLD,
    _K.UINC_WRAP.value: _COUNT,
    _K.UDEC_WRAP.value: _COUNT,
    _K.USUB_COND.value: _OLD,
    _K.USUB_SAT.value: _ZERO,
}

_SIGNED = (_K.MAX, _K.MIN)
_COUNTING = (_K.UINC_WRAP, _K.UDEC_WRAP)
_COMPARING = (*_SIGNED, _K.UMAX, _K.UMIN, *_COUNTING, _K.USUB_COND, _K.USUB_SAT)


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
    held : Out(8 * beat_bytes), result : Out(8 * beat_bytes)
        In the next cycle: the contents as they were (registered), and as they become; the same
        where a compare-exchange fails.
    """

    op: Signal
    scale: Signal
    old: Signal
    operand: Signal
    expected: Signal
    held: Signal
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
            "held": Out(self.bits),
            "result": Out(self.bits),
        }
        if scale_bits(atomics):
            members["scale"] = In(scale_bits(atomics))
        if atomics.exchange:
            members["expected"] = In(self.bits)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """The registers, the adders, and per step of the lanes what is chosen.

        Both outcomes are worked out beside the comparisons, so only the choice between them is
        late.
        """
        m = Module()
        # An operand that is subtracted or compared is held inverted: no adder has to do it.
        second = self.operand ^ self._is(_K.SUB, *_COMPARING).replicate(self.bits)
        second = self._held(m, second, "second")
        old = self._held(m, self.old, "old")
        m.d.comb += self.held.eq(old)
        lanes = self._lanes(m)

        total, at_least = self._compared(m, lanes, old, second)
        counted, nonzero = self._counted(m, lanes, old)
        terms = self._conditions(m, at_least, nonzero, self._unequal(m, lanes, old))
        spread = [lanes.from_last(term, f"holds_{at}") for at, term in enumerate(terms)]
        lasts = self._choice(m, _WITH, old, second, total, counted, "with")
        firsts = self._choice(m, _WITHOUT, old, second, total, counted, "without")
        for step, at in enumerate(lanes.steps):
            here = slice(at, at + lanes.step)
            if not terms:
                m.d.comb += self.result[here].eq(lasts[here])
                continue
            holds = _carried(m, [term[step] for term in spread], f"holds_{at}")
            m.d.comb += self.result[here].eq(Mux(holds, lasts[here], firsts[here]))
        return m

    def _held(self, m: Module, value: Value, name: str) -> Value:
        if isinstance(value, Const):
            return value
        held = Signal(len(value), name=f"held_{name}", reset_less=True)
        m.d.sync += held.eq(value)
        return held

    def _has(self, *kinds: AtomicRmwKind) -> bool:
        """One of these kinds occurs."""
        return any(kind in self.atomics.kinds for kind in kinds)

    def _is(self, *kinds: AtomicRmwKind) -> Value:
        """The operation that comes is one of these kinds."""
        there = [kind for kind in kinds if kind in self.atomics.kinds]
        return any_bit(self.op == kind.value for kind in there)

    @property
    def _ops(self) -> list[int]:
        """Operations that occur."""
        exchange = [EXCHANGE] if self.atomics.exchange else []
        return [STORE, *(kind.value for kind in self.atomics.kinds), *exchange]

    def _choice(
        self,
        m: Module,
        outcomes: dict[int, tuple[int, ...]],
        old: Value,
        second: Value,
        total: Value,
        counted: Value,
        name: str,
    ) -> Value:
        """One of the two outcomes of the operation, for all objects."""
        bits = [
            self._held(
                m,
                any_bit(self.op == op for op in self._ops if outcomes.get(op, _ZERO)[bit]),
                f"{name}_{bit}",
            ).replicate(self.bits)
            for bit in range(len(_ZERO))
        ]
        p, q, r, sums, counts = bits
        function = named(m, _function(old, second, p, q, r), f"{name}_function")
        return named(m, function | (total & sums) | (counted & counts), name)

    def _lanes(self, m: Module) -> Lanes:
        """Objects of the configured size, in steps of the smallest."""
        sizes = self.atomics.element_bytes
        held = self._held(m, self.scale, "scale") if scale_bits(self.atomics) else Const(0, 1)

        def is_at_most(width: int) -> Value:
            return any_bit(held == at for at, size in enumerate(sizes) if 8 * size <= width)

        return Lanes(m, [8 * size for size in sizes], is_at_most, self.bits)

    def _compared(
        self, m: Module, lanes: Lanes, old: Value, second: Value
    ) -> tuple[Value, list[Value]]:
        """``old + second`` with the carry of a subtraction, and per step, for the object that ends
        there, whether the contents are at least the operand; whether they are more where the
        operation has no carry.
        """
        if not self._has(_K.ADD, _K.SUB, *_COMPARING):
            return Const(0, self.bits), [Const(0, 1)] * len(lanes.steps)
        carry = self._held(m, ~self._is(_K.ADD, _K.UDEC_WRAP), "carry")
        total, carries = add_by_lanes(m, lanes, old, second, carry)
        if not self._has(*_SIGNED):
            return total, carries
        signed = self._held(m, self._is(*_SIGNED), "signed")
        tops = [at + lanes.step - 1 for at in lanes.steps]
        # Of opposite signs, the one without a borrow is the other one; the operand is inverted.
        return total, [
            each ^ (signed & ~(old[top] ^ second[top]))
            for each, top in zip(carries, tops, strict=True)
        ]

    def _counted(self, m: Module, lanes: Lanes, old: Value) -> tuple[Value, list[Value]]:
        """One more, or one less for a decrement; and per step whether something was carried out of
        the object that ends there: nothing is, in a decrement of zero.
        """
        if not self._has(*_COUNTING):
            return Const(0, self.bits), [Const(0, 1)] * len(lanes.steps)
        falls = self._held(m, self._is(_K.UDEC_WRAP), "falls")
        return add_by_lanes(m, lanes, old, falls.replicate(self.bits), ~falls)

    def _unequal(self, m: Module, lanes: Lanes, old: Value) -> list[Value]:
        """Per step: the object that ends there is not what was expected. What differs is carried
        out of a sum with ones, which is as quick as the comparison beside it.
        """
        if not self.atomics.exchange:
            return [Const(0, 1)] * len(lanes.steps)
        differs = old ^ self._held(m, self.expected, "expected")
        _, carries = add_by_lanes(m, lanes, differs, Const(-1, self.bits), Const(0, 1))
        return carries

    def _conditions(
        self, m: Module, at_least: list[Value], nonzero: list[Value], unequal: list[Value]
    ) -> list[list[Value]]:
        """Per step, for the object that ends there, each way in which the operation's condition
        may hold; none where no operation has two outcomes.
        """
        if not any(op in _WITHOUT for op in self._ops):
            return []
        always = self._held(
            m, any_bit(self.op == op for op in self._ops if op not in _WITHOUT), "always_holds"
        )
        terms: list[list[Value]] = [[always] * len(at_least)]
        if self._has(*_COMPARING):
            compares = self._held(m, self._is(*_COMPARING), "compares")
            terms.append([compares & each for each in at_least])
        if self._has(_K.UDEC_WRAP):
            falls = self._held(m, self._is(_K.UDEC_WRAP), "wraps_at_zero")
            terms.append([falls & ~each for each in nonzero])
        if self.atomics.exchange:
            exchanges = self._held(m, self.op == EXCHANGE, "exchanges")
            terms.append([exchanges & ~each for each in unequal])
        return terms


def _carried(m: Module, terms: list[Value], name: str) -> Value:
    """Or of the terms, as what they carry out of a sum with ones. A synthesiser that looks for
    depth copies what is late into everything that it chooses, bit by bit; a carry it leaves alone.
    """
    count = len(terms)
    return named(m, Cat(*terms) + Const((1 << count) - 1, count), f"{name}_carries")[count]


def _function(old: Value, second: Value, p: Value, q: Value, r: Value) -> Value:
    """One function of the contents and the operand as it is held, by three bits for each bit."""
    lower = (old & p) | (second & q)
    both = old & second
    upper = Mux(p[0], Mux(q[0], old ^ second, both), Mux(q[0], ~both, ~second))
    return Mux(r[0], upper, lower)
