"""From one value of a stream to the next: the one integer operation of its resource."""

from amaranth.hdl import Const, Module, Signal, Value

from fabricgen.rtl.providers.datapath_divide import (
    DivisionLoop,
    division_operands,
    division_result,
)
from fabricgen.rtl.providers.frame import ProviderFrame
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

    Numbers are as wide as the widest of the resource. A narrower one has zeros in the bits above,
    its sign for an arithmetic shift, and as a step any bits; its result has any bits there.

    Parameters
    ----------
    m, frame
        Module and provider.
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
        frame: ProviderFrame,
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
            dividend, addend, signs = division_operands(
                m, frame, (value, step), is_signed=kind is _S.SDIV
            )
            loop = DivisionLoop(
                m,
                dividend,
                addend,
                signs,
                first=elapsed == 0,
                works=runs & ~self.is_ready,
                clears=leaves,
                loads=True,
            )
            self.following = division_result(m, frame, loop.quotient, loop.remainder, signs)


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
