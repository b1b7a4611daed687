"""Multiplexers for what the source assigns under conditions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fabricgen.emit.netlist import Bit, Cell, Module, Value
from fabricgen.emit.nir import NetCell, Nets

__all__ = ["Case", "Choices", "cases_of"]


@dataclass(slots=True)
class Case:
    """What happens in order where one case of a choice applies.

    Parameters
    ----------
    matches
        Position of the cell that tests for it; 0 applies always.
    patterns
        Bits of the tested value, the highest first, ``-`` for any.
    items
        Assignments ``(lowest bit, value)``, and choices within.
    parts
        Assignments of this case, those within included.
    """

    matches: int = 0
    patterns: tuple[str, ...] = ()
    items: list["tuple[int, Nets] | Choice"] = field(default_factory=list)
    parts: list[tuple[int, Nets]] = field(default_factory=list)

    def touches(self, low: int, high: int) -> bool:
        """Whether something is assigned to bits ``[low, high)``, which no assignment divides."""
        return any(start <= low and high <= start + len(value) for start, value in self.parts)

    def always_assigns(self, low: int, high: int) -> bool:
        """Whether these bits are assigned whatever the conditions within are."""
        return any(
            item.always_assigns(low, high)
            if isinstance(item, Choice)
            else item[0] <= low and high <= item[0] + len(item[1])
            for item in self.items
        )


class Choice:
    """Cases of one tested value, of which the first that applies counts.

    Attributes
    ----------
    cases
        Those that may apply.
    is_full
        Whether one always applies.
    groups
        Number of each case; those with the same number, in a row, exclude one another.
    """

    def __init__(self, position: int, cells: Sequence[NetCell]) -> None:
        self.position = position
        self.test: Nets = ()
        self.all_cases: list[Case] = []
        for net in cells[position].inputs:
            if net == 1:
                self.all_cases.append(Case())
            else:
                matches = cells[net >> 16]
                self.test = matches.value
                self.all_cases.append(Case(net >> 16, matches.patterns))
        self.cases: list[Case] = []
        self.is_full = False
        known: set[str] = set()
        for case in self.all_cases:
            if not self.is_full:
                self.cases.append(case)
                known.update(pattern for pattern in case.patterns if "-" not in pattern)
                self.is_full = not case.matches or len(known) == 1 << len(self.test)
        self.groups = _groups(self.cases)

    def touches(self, low: int, high: int) -> bool:
        """Whether something is assigned to bits ``[low, high)``, which no assignment divides."""
        return any(case.touches(low, high) for case in self.cases)

    def always_assigns(self, low: int, high: int) -> bool:
        """Whether these bits are assigned in every case, and one always applies."""
        return self.is_full and all(case.always_assigns(low, high) for case in self.cases)


def _groups(cases: Sequence[Case]) -> list[int]:
    patterns = [pattern for case in cases for pattern in case.patterns]
    if len(set(patterns)) == len(patterns) and not any("-" in each for each in patterns):
        return [0] * len(cases)
    numbers: list[int] = []
    taken: list[str] = []
    for case in cases:
        meets = not case.matches or any(_meet(one, two) for one in case.patterns for two in taken)
        numbers.append(numbers[-1] + meets if numbers else 0)
        taken = [*([] if meets else taken), *case.patterns]
    return numbers


def _meet(one: str, two: str) -> bool:
    """Whether some value has both patterns."""
    return all(a == b or "-" in (a, b) for a, b in zip(one, two, strict=True))


def cases_of(cell: NetCell, cells: Sequence[NetCell]) -> Case:
    """The assignments to one value as the source has nested them."""
    root = Case()
    # The nesting of the last assignment: the net of each condition, and its case.
    nested: list[tuple[int, Case]] = [(1, root)]
    for assignment in cell.assignments:
        depth = {net: place for place, (net, _case) in enumerate(nested)}
        path: list[int] = []
        condition = assignment.cond
        while condition not in depth:
            path.append(condition)
            condition = cells[condition >> 16].en
        del nested[depth[condition] + 1 :]
        for net in reversed(path):
            items = nested[-1][1].items
            choice = items[-1] if items else None
            if not isinstance(choice, Choice) or choice.position != net >> 16:
                choice = Choice(net >> 16, cells)
                items.append(choice)
            nested.append((net, choice.all_cases[net & 0xFFFF]))
        item = (assignment.start, assignment.value)
        nested[-1][1].items.append(item)
        for _net, case in nested:
            case.parts.append(item)
    return root


class Choices:
    """Multiplexers of one module.

    Parameters
    ----------
    module
        It gets the cells.
    bits
        Bits of a value's nets.

    Attributes
    ----------
    made
        The multiplexer behind each result.
    """

    def __init__(self, module: Module, bits: Callable[[Nets], Value]) -> None:
        self.module, self.bits = module, bits
        self.made: dict[Value, Cell] = {}
        self._conditions: dict[int, Bit | str] = {}

    def value(self, case: Case, low: int, high: int, value: Value) -> Value:
        """Bits ``[low, high)`` after everything in ``case``, if they are ``value`` before."""
        for item in case.items:
            if isinstance(item, Choice):
                if item.touches(low, high):
                    value = self._chosen(item, low, high, value)
            else:
                start, assigned = item
                if start <= low and high <= start + len(assigned):
                    value = self.bits(assigned[low - start : high - start])
        return value

    def _chosen(self, choice: Choice, low: int, high: int, before: Value) -> Value:
        cases = [
            (case, group, self.value(case, low, high, before))
            for case, group in zip(choice.cases, choice.groups, strict=True)
        ]
        result = before
        if choice.always_assigns(low, high) or not cases[-1][0].matches:
            # What is left when no other case applies.
            result = cases.pop()[2]
        mux: Cell | None = None
        mux_group = -1
        # The first case comes last: it decides over the others.
        for case, group, value in reversed(cases):
            if mux is not None and group == mux_group:
                if value != mux.ports["A"]:
                    self._extend(mux, value, self._condition(case, choice.test))
            elif value != result:
                condition = self._condition(case, choice.test)
                if condition == "1":
                    result, mux = value, None
                elif condition != "0":
                    mux, mux_group = self._mux(result, value, condition), group
                    result = mux.ports["Y"]
        return result

    def _mux(self, otherwise: Value, value: Value, condition: Bit | str) -> Cell:
        result = self.module.new_wire(len(value)).bits
        ports = {"A": otherwise, "B": value, "S": (condition,), "Y": result}
        mux = self.made[result] = Cell("$mux", result[0].wire, ports=ports)
        self.module.cells.append(mux)
        return mux

    def _extend(self, mux: Cell, value: Value, condition: Bit | str) -> None:
        if condition != "0":
            mux.kind = "$pmux"
            mux.ports["B"] += value
            mux.ports["S"] += (condition,)

    def _condition(self, case: Case, test: Nets) -> Bit | str:
        """Whether one of the patterns of a case matches."""
        known = self._conditions.get(case.matches)
        if known is None:
            value = self.bits(test)
            found = {self._matched(value, pattern): None for pattern in case.patterns}
            found.pop("0", None)
            if "1" in found:
                known = "1"
            elif len(found) > 1:
                known = self.operator("$reduce_or", A=tuple(found))
            else:
                known = next(iter(found), "0")
            self._conditions[case.matches] = known
        return known

    def _matched(self, value: Value, pattern: str) -> Bit | str:
        bits: list[Bit | str] = []
        digits: list[str] = []
        for bit, digit in zip(value, reversed(pattern), strict=True):
            if digit != "-" and bit != digit:
                if not isinstance(bit, Bit):
                    return "0"
                bits.append(bit)
                digits.append(digit)
        if not bits:
            return "1"
        if digits == ["1"]:
            return bits[0]
        return self.operator("$eq", A=tuple(bits), B=tuple(digits))

    def operator(self, kind: str, **operands: Value) -> Bit:
        """Result of an operator of one bit."""
        (result,) = bits = self.module.new_wire(1).bits
        signs: dict[str, int | str] = dict.fromkeys((f"{port}_SIGNED" for port in operands), 0)
        self.module.cells.append(Cell(kind, result.wire, signs, {**operands, "Y": bits}))
        return result
