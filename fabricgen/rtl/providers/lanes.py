"""Lanes of one flattened datapath whose element width is configured."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

from amaranth.hdl import Cat, Const, Module, Mux, Value

from fabricgen.rtl.logic import any_bit, named
from fabricgen.rtl.providers.frame import ProviderFrame

__all__ = ["Lanes", "add_by_lanes"]


class Lanes:
    """Where lanes begin and end, in steps of the narrowest reachable element.

    A datapath has room for as many whole steps as the payload has. Every admitted width is a
    multiple of those below it, so a boundary between two steps is one between two lanes exactly
    where the configured element is at most as wide as some constant. What lies above the lanes in
    use is treated as further lanes.

    Parameters
    ----------
    m
        Module of the provider.
    widths
        Reachable element widths in bits.
    is_at_most
        One bit: the configured element has at most so many bits, one of the widths.
    payload_bits
        Widest flattened value, in bits.

    Attributes
    ----------
    widths
        Reachable element widths in bits, ascending.
    step
        The narrowest of them.
    bits
        Width of the datapath: a multiple of the step.
    """

    def __init__(
        self,
        m: Module,
        widths: Iterable[int],
        is_at_most: Callable[[int], Value],
        payload_bits: int,
    ) -> None:
        self._m = m
        self.widths = sorted(widths)
        self.step = self.widths[0]
        self.bits = payload_bits // self.step * self.step
        self._at_most: dict[int, Value] = {self.widths[-1]: Const(1, 1)}
        for width in self.widths[:-1]:
            self._at_most[width] = named(m, is_at_most(width), f"element_at_most_{width}")

    @classmethod
    def of(cls, m: Module, provider: ProviderFrame, payload_bits: int) -> "Lanes":
        """Lanes of a provider: its configured behaviour says how wide they are."""
        widths = {key.element_bits for key in provider.behaviors if key.element_bits}

        def is_at_most(width: int) -> Value:
            return provider.is_configured(lambda key: (key.element_bits or 0) <= width)

        return cls(m, widths, is_at_most, payload_bits)

    @property
    def steps(self) -> range:
        """Lowest bits of all steps."""
        return range(0, self.bits, self.step)

    def is_at_most(self, width: int) -> Value:
        """One bit: the configured element has at most ``width`` bits, one of the widths."""
        return self._at_most[width]

    def cut(self, at: int) -> Value:
        """One bit: a lane begins at bit ``at``, a multiple of the step, and one ends below it."""
        return self._at_most[max(width for width in self.widths if at % width == 0)]

    def ends(self, at: int) -> Value:
        """One bit: a lane ends below bit ``at``, a multiple of the step above zero."""
        return Const(1, 1) if at == self.bits else self.cut(at)

    def by_width(self, choices: Mapping[int, Value], otherwise: Value | int = 0) -> Value:
        """The choice of the configured width; ``otherwise`` for a width that has none."""
        value: Value | int | None = None
        for width in reversed(self.widths):
            choice = choices.get(width, otherwise)
            value = choice if value is None else Mux(self._at_most[width], choice, value)
        return Value.cast(0 if value is None else value)

    def from_first(self, values: Sequence[Value], name: str) -> list[Value]:
        """Per step, the value of the first step of its lane."""
        spread: list[Value] = []
        for at, value in zip(self.steps, values, strict=True):
            below = self._wider(at)
            if below is None:
                spread.append(value)
            else:
                first = spread[at // below * below // self.step]
                spread.append(named(self._m, Mux(self.cut(at), value, first), f"{name}_{at}"))
        return spread

    def from_last(self, values: Sequence[Value], name: str) -> list[Value]:
        """Per step, the value of the last step of its lane."""
        spread: list[Value] = []
        for at, value in reversed(list(zip(self.steps, values, strict=True))):
            end = at + self.step
            above = self._wider(end)
            last = -(-end // above) * above if above else self.bits + 1
            if last > self.bits:
                spread.append(value)
            else:
                later = spread[(self.bits - last) // self.step]
                spread.append(named(self._m, Mux(self.cut(end), value, later), f"{name}_{at}"))
        return spread[::-1]

    def any_of(self, flags: Sequence[Value], name: str) -> list[Value]:
        """Per step: the lane that ends there has a flag in some of its steps."""
        found = list(flags)
        for below, width in pairwise(self.widths):
            # Where the element is wider than those below, the last of them tells of all.
            is_wider = ~self.is_at_most(below)
            for end in range(width, self.bits + 1, width):
                others = [
                    found[at // self.step - 1] for at in range(end - width + below, end, below)
                ]
                own = found[end // self.step - 1]
                found[end // self.step - 1] = named(
                    self._m, own | (is_wider & any_bit(others)), f"{name}_{width}_{end}"
                )
        return found

    def dense(self, flags: Sequence[Value]) -> Value:
        """One bit per lane, from the last step of each; zeros above the lanes that there are."""
        return Cat(
            self.by_width(
                {
                    width: flags[(lane + 1) * width // self.step - 1]
                    for width in self.widths
                    if (lane + 1) * width <= self.bits
                }
            )
            for lane in range(len(flags))
        )

    def spread(self, bits: Value) -> list[Value]:
        """Per step, the bit of its lane among ``bits``; zero where they have none."""
        return [
            self.by_width(
                {width: bits[at // width] for width in self.widths if at // width < len(bits)}
            )
            for at in self.steps
        ]

    def _wider(self, at: int) -> int | None:
        """The narrowest width whose lanes reach across bit ``at``."""
        return min((width for width in self.widths if at % width), default=None)


def add_by_lanes(
    m: Module, lanes: Lanes, left: Value, right: Value, carry: Value, *, inverts: bool = False
) -> tuple[Value, list[Value]]:
    """``left + right + carry`` in every lane: one adder with a bit between any two steps.

    That bit hands the carry on, or, where a lane begins, replaces it by ``carry``. Where it
    ``inverts``, the right operand is ``~right``: a subtraction, which costs no inverters.

    Returns
    -------
    The sums, and per step the carry that leaves the lane which ends there; some bit if none does.
    """
    step = lanes.step
    # A subtraction has a carry of its own, which is one.
    first: list[Value] = [carry if inverts else Const(1, 1)]
    second: list[Value] = [Const(0, 1) if inverts else carry]
    for at in lanes.steps:
        if at:
            cut = lanes.cut(at)
            first.append(~cut | carry)
            second.append(cut & carry)
        first.append(left[at : at + step])
        second.append(right[at : at + step])
    if inverts:
        guards = [~each if at % 2 == 0 else each for at, each in enumerate(second)]
        difference = Cat(*first, Const(0, 1)) - Cat(*guards, Const(1, 1))
        total = named(m, difference[: lanes.bits + lanes.bits // step + 1], "sums_between_carries")
    else:
        total = named(m, Cat(*first) + Cat(*second), "sums_between_carries")
    sums, carries = [], []
    for ordinal, at in enumerate(lanes.steps):
        start = at + ordinal + 1
        sums.append(total[start : start + step])
        carries.append(total[start + step])
    return Cat(*sums), carries
