"""What a bank makes of one beat: read-modify-writes of its objects."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.atomic_use import FLOAT_RMW_KINDS, LocalAtomics
from fabricgen.rtl.logic import any_bit, named
from fabricgen.rtl.providers.lanes import Lanes, add_by_lanes
from fabricgen.vocab.dataflow import AtomicRmwKind

__all__ = ["OP_BITS", "STORE", "AtomicUnit", "op_of", "scale_bits"]

_K = AtomicRmwKind

#: Bits of the operation of one write: a store, or one of the fifteen kinds of integers.
OP_BITS = 4

#: A plain or atomic store, or what a compare-exchange desires.
STORE = 0

#: First of the wire tags that lie above those of floats, and how far down they are brought.
_HIGH_TAG, _LOWERED = 16, 4

# What an object becomes if its condition holds: the contents joined with the operand as it is held,
# in one of four ways; then that, its inverse, the sum or nothing. Each is one table of four inputs
# for a bit, and the sum, which is late, passes the second one only.
_AND, _OR, _XOR, _HELD = range(4)
_NOTHING, _TOTAL, _JOINED, _INVERTED = range(4)

#: Of each operation: joint, choice, and whether it closes. The operand of those in _INVERTS is held
#: inverted. Where the condition fails, an object is counted (or stays: nothing is counted), and
#: becomes zero where the operation closes.
_MADE = {
    STORE: (_HELD, _JOINED, False),
    _K.XCHG: (_HELD, _JOINED, False),
    _K.ADD: (_HELD, _TOTAL, False),
    _K.SUB: (_HELD, _TOTAL, False),
    _K.AND: (_AND, _JOINED, False),
    _K.NAND: (_AND, _INVERTED, False),
    _K.OR: (_OR, _JOINED, False),
    _K.XOR: (_XOR, _JOINED, False),
    _K.MAX: (_HELD, _INVERTED, False),
    _K.MIN: (_HELD, _INVERTED, False),
    _K.UMAX: (_HELD, _INVERTED, False),
    _K.UMIN: (_HELD, _INVERTED, False),
    _K.UINC_WRAP: (_HELD, _NOTHING, False),
    _K.UDEC_WRAP: (_HELD, _INVERTED, False),
    _K.USUB_COND: (_HELD, _TOTAL, False),
    _K.USUB_SAT: (_HELD, _TOTAL, True),
}

_SIGNED = (_K.MAX, _K.MIN)
_COUNTING = (_K.UINC_WRAP, _K.UDEC_WRAP)
_COMPARING = (*_SIGNED, _K.UMAX, _K.UMIN, *_COUNTING, _K.USUB_COND, _K.USUB_SAT)
_INVERTS = (*_COMPARING, _K.SUB)
#: The condition is that the contents are less than the operand, not at least as much.
_LESS = (_K.MAX, _K.UMAX)


def op_of(tag: Value) -> Value:
    """Operation of a kind of integers with this wire tag."""
    high = tag[_HIGH_TAG.bit_length() - 1]
    return (tag[:OP_BITS] | Cat(Const(0, 2), high, high))[:OP_BITS]


def _code(op: int | AtomicRmwKind) -> int:
    """The same number for one operation."""
    tag = op.value if isinstance(op, AtomicRmwKind) else op
    return tag - _LOWERED if tag >= _HIGH_TAG else tag


def scale_bits(atomics: LocalAtomics) -> int:
    """Bits that tell the sizes of the objects apart; 0 for one size, or without an object."""
    return max(0, (len(atomics.element_bytes) - 1).bit_length()) if atomics.kinds else 0


class AtomicUnit(wiring.Component):
    """Hold a beat and what is done to it, and show what it becomes.

    Every object of the beat is computed at its own place, whether it is written or not: one adder
    serves all object sizes and all places, by the lanes of the vector providers. A second one
    counts up or down, where a kind needs that beside a comparison.

    Latency 1: what is shown in cycle *n* becomes ``result`` in *n + 1*, and stays while it is held.
    Takes one beat in every cycle in which it is not. Reset is not needed: nothing is kept.

    Parameters
    ----------
    atomics
        Kinds of integers, and the sizes of their objects. Whether objects are exchanged makes no
        difference.
    beat_bytes
        Bytes of a beat; no object is larger.

    Members
    -------
    hold : In(1)
        In the next cycle everything is as it is now.
    op : In(OP_BITS)
        Store, or :func:`op_of` of a kind that occurs.
    scale : In, absent with one size
        Position of the size of the beat's objects; of no meaning to a store.
    old : In(8 * beat_bytes), operand : In(8 * beat_bytes)
        Contents, and what is stored or the operand of a read-modify-write.
    meets : In(beat_bytes)
        Bytes of the contents that are those of ``result`` in the same cycle.
    held : Out(8 * beat_bytes), result : Out(8 * beat_bytes)
        In the next cycle: the contents as they were, and as they become.
    last : Out(8 * beat_bytes)
        The result of the cycle before (registered), or of the one before that while it is held.
    """

    hold: Signal
    op: Signal
    scale: Signal
    old: Signal
    operand: Signal
    meets: Signal
    held: Signal
    result: Signal
    last: Signal

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
            "hold": In(1),
            "op": In(OP_BITS),
            "old": In(self.bits),
            "operand": In(self.bits),
            "meets": In(beat_bytes),
            "held": Out(self.bits),
            "result": Out(self.bits),
            "last": Out(self.bits),
        }
        if scale_bits(atomics):
            members["scale"] = In(scale_bits(atomics))
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """The registers, the adders, and per step of the lanes what is chosen.

        What becomes of an object if its condition holds is worked out beside the comparison, so
        only the choice is late.
        """
        m = Module()
        inverts = self._is(*_INVERTS).replicate(self.bits)
        second = self._held(m, self.operand ^ inverts, "second")
        # The result of the cycle before is taken here, not on its way into a register: it is late.
        m.d.comb += self.last.eq(self._held(m, self.result, "result"))
        stored = self._held(m, self.old, "old")
        meets = Cat(bit.replicate(8) for bit in self._held(m, self.meets, "meets"))
        old = self.held
        m.d.comb += old.eq((self.last & meets) | (stored & ~meets))
        lanes = self._lanes(m)

        total, at_least = self._compared(m, lanes, old, second)
        counted, nonzero = self._counted(m, lanes, old)
        made = self._made(m, old, second, total)
        closes = self._held(
            m, self._is(*(kind for kind in self.atomics.kinds if _MADE[kind][2])), "closes"
        )
        holds = self._condition(m, lanes, at_least, nonzero)
        for step, at in enumerate(lanes.steps):
            here = slice(at, at + lanes.step)
            if holds is None:
                m.d.comb += self.result[here].eq(made[here])
                continue
            otherwise = counted[here] & ~closes.replicate(lanes.step)
            m.d.comb += self.result[here].eq(Mux(holds[step], made[here], otherwise))
        return m

    def _held(self, m: Module, value: Value, name: str) -> Value:
        """The value of the cycle before, or of the one before that while it is held."""
        if isinstance(value, Const):
            return value
        held = Signal(len(value), name=f"held_{name}", reset_less=True)
        with m.If(~self.hold):
            m.d.sync += held.eq(value)
        return held

    def _has(self, *kinds: AtomicRmwKind) -> bool:
        """One of these kinds occurs."""
        return any(kind in self.atomics.kinds for kind in kinds)

    def _is(self, *ops: int | AtomicRmwKind) -> Value:
        """The operation that comes is one of these."""
        there = [op for op in ops if op in self._ops]
        return any_bit(self.op == _code(op) for op in there)

    @property
    def _ops(self) -> tuple[int | AtomicRmwKind, ...]:
        """Operations that occur."""
        return (STORE, *self.atomics.kinds)

    def _made(self, m: Module, old: Value, second: Value, total: Value) -> Value:
        """What all objects become where the condition holds."""
        joint, joint_high, choice, choice_high = (
            self._held(
                m,
                self._is(*(op for op in self._ops if _MADE[op][field] >> bit & 1)),
                f"{name}_{bit}",
            )
            for field, name in enumerate(("joint", "choice"))
            for bit in range(2)
        )
        lower, upper = Mux(joint, old | second, old & second), Mux(joint, second, old ^ second)
        joined = named(m, Mux(joint_high, upper, lower), "joined")
        each = choice.replicate(self.bits)
        return named(m, Mux(choice_high, joined ^ each, total & each), "made")

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
        if self._has(*_SIGNED):
            # Numbers with signs are in the order of numbers without one if both signs are inverted.
            signed = self._held(m, self._is(*_SIGNED), "signed")
            tops = Cat(
                Cat(Const(0, lanes.step - 1), signed & lanes.ends(at + lanes.step))
                for at in lanes.steps
            )
            old = named(m, old ^ tops, "ordered_old")
            second = named(m, second ^ tops, "ordered_second")
        return add_by_lanes(m, lanes, old, second, carry)

    def _counted(self, m: Module, lanes: Lanes, old: Value) -> tuple[Value, list[Value]]:
        """One more, one less, or the same; and per step whether something was carried out of
        the object that ends there: nothing is, in a decrement of zero.
        """
        if not self._has(*_COUNTING):
            return old, [Const(0, 1)] * len(lanes.steps)
        falls = self._held(m, self._is(_K.UDEC_WRAP), "falls")
        rises = self._held(m, self._is(_K.UINC_WRAP), "rises")
        return add_by_lanes(m, lanes, old, falls.replicate(self.bits), rises)

    def _condition(
        self, m: Module, lanes: Lanes, at_least: list[Value], nonzero: list[Value]
    ) -> list[Value] | None:
        """Per step, whether the condition of its object holds; None where no operation has one."""
        if not self._has(*_COMPARING):
            return None
        compares = self._held(m, self._is(*_COMPARING), "compares")
        # Of an operation that compares nothing, the condition always holds.
        plain = (op for op in self._ops if op not in _COMPARING)
        turned = self._held(m, self._is(*plain, *_LESS), "turned")
        wraps: list[Value] = [Const(0, 1)] * len(at_least)
        if self._has(_K.UDEC_WRAP):
            falls = self._held(m, self._is(_K.UDEC_WRAP), "wraps_at_zero")
            wraps = lanes.from_last([falls & ~each for each in nonzero], "wraps")
        at_least = lanes.from_last(at_least, "at_least")
        # What is not compared must not matter to a simulator either: contents may be unknown.
        return [
            _carried(m, (compares & ge) | wrap, turned, f"holds_{at}")
            for at, ge, wrap in zip(lanes.steps, at_least, wraps, strict=True)
        ]


def _carried(m: Module, late: Value, turned: Value, name: str) -> Value:
    """``late ^ turned``, as a carry is added.

    A synthesiser that looks for depth copies what is late into everything that it chooses, bit by
    bit; the output of an adder it leaves alone, if that has five bits.
    """
    total = Cat(late, Const(7, 3), turned) + Const(1, 5)
    return named(m, total, f"{name}_carries")[4]
