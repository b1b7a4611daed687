"""From one value of a stream to the next: the one integer operation of its resource."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from fabricgen.vocab.operations import StreamStepKind

__all__ = ["StreamStep", "step_intervals"]

_S = StreamStepKind
_DIVISIONS = (_S.SDIV, _S.UDIV)
#: Bits of a factor that one multiplier of the usual device takes.
_LIMB = 16


def step_intervals(kind: StreamStepKind, bits: int) -> tuple[int, ...]:
    """Cycles that a step of numbers of ``bits`` bits may take.

    A division makes one bit of its quotient a cycle, between one cycle before and one behind.
    A product is made in one cycle, or from registered partial products in two.
    """
    if kind in _DIVISIONS:
        return (bits + 2,)
    return (1, 2) if kind is _S.MUL else (1,)


class StreamStep:
    """Computes while the value is published.

    Numbers are as wide as the widest of the resource. A narrower one has its sign in the bits
    above for the two signed operations, and zeros otherwise; its result has any bits there.

    Parameters
    ----------
    m
        Module of the provider.
    kind, interval_cycles
        Operation, and cycles from a new value to the next one; one of :func:`step_intervals`.
    value, step
        The two operands, which stay while the firing does.
    runs
        The operands are there.
    leaves
        The firing ends in this cycle.

    Attributes
    ----------
    following
        The next value.
    is_ready
        It is there.
    """

    def __init__(
        self,
        m: Module,
        kind: StreamStepKind,
        interval_cycles: int,
        *,
        value: Value,
        step: Value,
        runs: Value,
        leaves: Value,
    ) -> None:
        self.is_ready: Value = Const(1, 1)
        if interval_cycles == 1:
            self.following = _at_once(kind, value, step)
            return
        elapsed = Signal(range(interval_cycles))
        self.is_ready = elapsed == interval_cycles - 1
        with m.If(leaves):
            m.d.sync += elapsed.eq(0)
        with m.Elif(runs & ~self.is_ready):
            m.d.sync += elapsed.eq(elapsed + 1)
        if kind is _S.MUL:
            self.following = _product(m, value, step)
        else:
            self.following = _quotient(m, kind is _S.SDIV, elapsed, value, step)


def _at_once(kind: StreamStepKind, value: Value, step: Value) -> Value:
    bits = len(value)
    amount = step[: (bits - 1).bit_length()]
    match kind:
        case _S.ADD:
            result = value + step
        case _S.SUB:
            result = value - step
        case _S.MUL:
            result = value * step
        case _S.SHL:
            result = value << amount
        case _S.ASHR:
            result = value.as_signed() >> amount
        case _:
            result = value >> amount
    return result.as_unsigned()[:bits]


def _product(m: Module, value: Value, step: Value) -> Value:
    """Low half of the product; the partial products are registers."""
    bits = len(value)
    total: Value = Const(0, bits)
    for low in range(0, bits, _LIMB):
        for other in range(0, bits - low, _LIMB):
            width = min(2 * _LIMB, bits - low - other)
            partial = Signal(width, name=f"partial_{low}_{other}", reset_less=True)
            factors = value[low : low + _LIMB] * step[other : other + _LIMB]
            m.d.sync += partial.eq(factors)
            total = (total + (partial << (low + other)))[:bits]
    return total


def _quotient(m: Module, is_signed: bool, elapsed: Signal, value: Value, step: Value) -> Value:
    """Quotient towards zero, bit by bit; all ones for a divisor of zero."""
    bits = len(value)
    negative_value = value[-1] if is_signed else Const(0, 1)
    negative_step = step[-1] if is_signed else Const(0, 1)
    quotient = Signal(bits, reset_less=True)
    remainder = Signal(bits, reset_less=True)

    # The divisor's amount is subtracted: it is added if the divisor is negative.
    shifted = Cat(quotient[-1], remainder)
    fill = negative_step.replicate(2)
    subtracts = ~negative_step
    wide = Cat(step, fill) ^ subtracts.replicate(bits + 2)
    total = (Cat(Const(1, 1), shifted, Const(0, 1)) + Cat(subtracts, wide))[1 : bits + 3]
    fits = ~total[-1]
    with m.If(elapsed == 0):
        m.d.sync += [
            quotient.eq((value ^ negative_value.replicate(bits)) + negative_value),
            remainder.eq(0),
        ]
    with m.Elif(elapsed <= bits):
        m.d.sync += [
            quotient.eq(Cat(fits, quotient[:-1])),
            remainder.eq(Mux(fits, total, shifted)),
        ]
    if not is_signed:
        return quotient
    negates = (negative_value ^ negative_step) & step.any()
    return ((quotient ^ negates.replicate(bits)) + negates)[:bits]
