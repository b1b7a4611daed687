"""Comparison of two integers: one subtraction, for every predicate, minimum and maximum."""

from amaranth.hdl import Cat, Const, Module, Mux, Value

from fabricgen.hsg.keys import BehaviorKey
from fabricgen.rtl.logic import any_bit, named
from fabricgen.rtl.providers.frame import ProviderFrame
from fabricgen.rtl.providers.widths import active_widths, segments, with_guards
from fabricgen.vocab.operations import SIGNED_PREDICATES
from fabricgen.vocab.operations import IntegerPredicate as P

__all__ = ["Comparison", "compares_signed", "is_equality", "is_inclusive", "is_opposite"]

_EQUALITIES = (P.EQ, P.NE)
#: Relations that hold of equal numbers, or whose opposites do not: a subtraction of one more.
_INCLUSIVE = (P.SLE, P.SGT, P.ULE, P.UGT)
_OPPOSITES = (P.NE, P.SGT, P.SGE, P.UGT, P.UGE)


class Comparison:
    """``left - right``, whose borrow says which is less and whose bits say whether they are equal.

    Where only equalities are configured there is no subtraction.

    Parameters
    ----------
    m, frame
        Module and provider. A behaviour without a predicate that has a sign in its role compares
        signed numbers, one without either unsigned ones.
    left, right
        Numbers of the same width.
    is_extended
        They have zeros above their active width; without, a signed relation ignores what they
        have there, and numbers of other relations fill their width.

    Attributes
    ----------
    less
        The left number is less, or, for a relation that counts equal numbers to it, not greater.
    equal
        They are equal; only where an equality is configured.
    """

    def __init__(
        self,
        m: Module,
        frame: ProviderFrame,
        left: Value,
        right: Value,
        *,
        is_extended: bool = False,
    ) -> None:
        self._frame = frame
        if all(map(is_equality, frame.behaviors)):
            self.less: Value = Const(0, 1)
            self.equal: Value = left == right
            return
        width = len(left)
        widths = sorted({*active_widths(frame), width})
        actives = [frame.is_configured(lambda key, w=w: _has_sign_at(key, w)) for w in widths]
        # A signed number is taken from the least one on: its top bit is inverted.
        signs = Cat(
            Cat(Const(0, stop - start - 1), active)
            for (start, stop), active in zip(segments(widths, width), actives, strict=True)
        )
        signs = named(m, signs, "sign_bit")

        ends = [width] if is_extended else widths
        inclusive = frame.is_configured(is_inclusive)
        guards = [Const(0, 1)] * len(ends)
        total = width + len(ends)
        minuend = with_guards(left ^ signs, ends, guards)
        inverted = with_guards(~(right ^ signs), ends, [~each for each in guards])
        difference = ((minuend + inverted)[:total] + ~inclusive)[:total]
        difference = named(m, difference, "difference")

        borrows = [difference[end + at] for at, end in enumerate(ends)]
        if len(ends) == 1:
            self.less = borrows[0]
        else:
            unsigned = frame.is_configured(lambda key: not compares_signed(key))
            chosen = [*actives[:-1], actives[-1] | unsigned]
            pairs = zip(chosen, borrows, strict=True)
            self.less = named(m, any_bit(active & borrow for active, borrow in pairs), "less")
        pieces = enumerate(segments(ends, width))
        bits = [difference[start + at : stop + at] for at, (start, stop) in pieces]
        self.equal = ~Cat(*bits).any()

    def verdict(self) -> Value:
        """One bit: the configured relation holds."""
        equates = self._frame.is_configured(is_equality)
        opposite = self._frame.is_configured(is_opposite)
        return Mux(equates, self.equal, self.less) ^ opposite


def is_equality(key: BehaviorKey) -> bool:
    """The behaviour asks whether numbers are equal."""
    return key.predicate in _EQUALITIES


def is_inclusive(key: BehaviorKey) -> bool:
    """The relation is told by the borrow of a subtraction of one more."""
    return key.predicate in _INCLUSIVE


def is_opposite(key: BehaviorKey) -> bool:
    """The relation is the opposite of equal, less, or less or equal."""
    return key.predicate in _OPPOSITES


def compares_signed(key: BehaviorKey) -> bool:
    """The relation, minimum or maximum is one of signed numbers."""
    return key.predicate in SIGNED_PREDICATES or key.role.startswith("Signed")


def _has_sign_at(key: BehaviorKey, width: int) -> bool:
    return compares_signed(key) and key.active_bits == width
