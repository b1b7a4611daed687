"""Is there one order in which the operations of a history took effect, each in its own time?

The lifecycle of an access has exactly one linearisation between issue and retirement, whatever its
ordering (reference: Lifecycle, MemoryConsistency domain), so every ordering asks for the same:
each operation takes effect at one instant between its invocation and its response, a load finds
what the last store left, and nothing comes between what a read-modify-write finds and what it
leaves. What orderings and fences order beyond that is ordered by tokens, so by responses and
invocations. Plain accesses have instants, too, one for each of their operations: lanes and beats.

Linearisability is a property of each object by itself: if each object has such an order, all of
them together have one (Herlihy and Wing, 1990). So bytes are grouped by the operations that touch
several of them, and each group is searched alone. Where nothing is pending in a group, an epoch
ends; within one, only what is pending together can be in either order.

The search (Wing and Gong, 1993, with the memory of Lowe, 2017) goes from state to state: of those
operations that are invoked before all that is left responds, one is next. One that finds what is
there and changes nothing is taken at once, since it fits nowhere better; where several others
might be next, it comes back and tries the others: those of the last turn that could have left what
is missed, since what lies behind it makes no difference. States of which it came back are not tried
again, and a state is not left for one in which something is lost that is still to be found.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from fabricgen.model.atomics import updated
from sim.history import Kind, Operation

__all__ = ["Verdict", "Violation", "check"]

_NEVER = 1 << 62
#: Steps of the search per operation of a group, and for any group, before it gives up.
_STEPS_EACH, _STEPS_FREE = 400, 200_000


@dataclass(frozen=True, slots=True)
class Violation:
    """What no memory can have done.

    Parameters
    ----------
    code
        ``unanswered``; ``interval``, a response before its invocation; ``exchange``, a success that
        does not tell whether found and expected were the same; ``untouched``, a byte that changed
        by itself; ``order``, no order exists; ``undecided``, the search was given up.
    message
        What is wrong, with the state that was reached where there is no order.
    operations
        Of a group without an order those that came next and fit nowhere.
    """

    code: str
    message: str
    operations: tuple[Operation, ...] = ()

    def __str__(self) -> str:
        """Render the message, and an operation a line."""
        return "\n  ".join([f"{self.code}: {self.message}", *map(str, self.operations)])


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the search found, and how much there was to search.

    Parameters
    ----------
    violations
        Empty where the history is legal.
    operations, groups, epochs
        How many; an epoch is of one group.
    most_pending
        Operations of one group between invocation and response at once, at most.
    steps
        States that were looked at.
    """

    violations: tuple[Violation, ...] = ()
    operations: int = 0
    groups: int = 0
    epochs: int = 0
    most_pending: int = 0
    steps: int = 0

    @property
    def is_legal(self) -> bool:
        """Nothing is wrong."""
        return not self.violations


def check(
    history: Iterable[Operation], before: bytes, after: bytes | None = None, *, effort: float = 1.0
) -> Verdict:
    """Decide whether a legal linearisation exists.

    Parameters
    ----------
    history
        Operations in any order; all bytes lie in ``before``.
    before
        Contents of the memory from address 0 before the first operation.
    after
        Contents behind the last one, if known.
    effort
        Factor on the steps after which a group is given up.
    """
    listed = list(history)
    violations = [found for each in listed for found in _alone(each)]
    if violations:
        return Verdict(tuple(violations), len(listed))
    addressed = [each for each in listed if each.kind is not Kind.FENCE]
    found = Verdict(operations=len(listed))
    covered = bytearray(len(before))
    for start, end, members in _groups(addressed):
        covered[start:end] = b"\1" * (end - start)
        group = _Group(start, end, members, before, after)
        steps = int(effort * (_STEPS_FREE + _STEPS_EACH * len(members)))
        violation, taken = group.search(steps)
        if violation is not None:
            violations.append(violation)
        epochs, pending = _overlaps(members)
        found = Verdict(
            (),
            found.operations,
            found.groups + 1,
            found.epochs + epochs,
            max(found.most_pending, pending),
            found.steps + taken,
        )
    if after is not None:
        violations += [
            Violation(
                "untouched",
                f"Byte {at:#x} must stay {was:#x}, which nobody changed, not become {now:#x}",
            )
            for at, (was, now, touched) in enumerate(zip(before, after, covered, strict=True))
            if was != now and not touched
        ]
    return Verdict(
        tuple(violations),
        found.operations,
        found.groups,
        found.epochs,
        found.most_pending,
        found.steps,
    )


def _alone(each: Operation) -> Iterator[Violation]:
    """What is wrong with one operation, whatever the others did."""
    if each.responded is None:
        yield Violation("unanswered", "Every operation must be answered, not this one:", (each,))
    elif each.responded <= each.invoked:
        yield Violation("interval", "A response must follow its invocation, not here:", (each,))
    if each.kind is Kind.EXCHANGE:
        alike = each.observed == each.expected
        if each.success != alike and not (each.weak and alike):
            message = "Success must tell that found is expected, not the contrary:"
            yield Violation("exchange", message, (each,))


def _groups(
    operations: Sequence[Operation],
) -> Iterator[tuple[int, int, list[Operation]]]:
    """Stretches of bytes that operations tie together, and the operations of each."""
    spans = sorted({(each.address, each.address + each.size_bytes) for each in operations})
    place: dict[int, int] = {}
    stretches: list[tuple[int, int]] = []
    for start, end in spans:
        if stretches and start < stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(end, stretches[-1][1]))
        else:
            stretches.append((start, end))
        place[start] = len(stretches) - 1
    members: list[list[Operation]] = [[] for _ in stretches]
    for each in operations:
        members[place[each.address]].append(each)
    for (start, end), listed in zip(stretches, members, strict=True):
        yield start, end, listed


def _overlaps(members: Sequence[Operation]) -> tuple[int, int]:
    """Epochs of a group, and operations pending at once at most."""
    events = sorted(
        event for each in members for event in ((each.invoked, 1), (each.responded or 0, -1))
    )
    # At one edge responses come first: what they order is not pending together.
    epochs = pending = most = 0
    for _, change in events:
        pending += change
        most = max(most, pending)
        epochs += not pending
    return epochs, most


class _Line:
    """Operations of one group that take effect one after the other: how far it has come is one
    number.

    ``needs[i]`` are other lines, and how far each has come at least before operation ``i``.
    """

    def __init__(self) -> None:
        self.items: list[Operation] = []
        self.needs: list[tuple[tuple[int, int], ...]] = []

    def deadlines(self) -> list[int]:
        """For each operation the first response of it and all behind it; then never."""
        found = [_NEVER]
        for each in reversed(self.items):
            found.append(min(found[-1], each.responded or 0))
        found.reverse()
        return found


def _lines(members: Iterable[Operation]) -> list[_Line]:
    """Lines of a group: of each source one, and more where one number has several operations."""
    by_source: dict[str, list[Operation]] = {}
    for each in members:
        by_source.setdefault(each.source, []).append(each)
    alone: list[_Line] = []
    several: list[_Line] = []
    for listed in by_source.values():
        listed.sort(key=lambda each: each.number)
        own = _side_by_side(listed, len(several))
        (alone if len(own) == 1 else several).extend(own)
    return several + _joined(alone)


def _side_by_side(listed: Iterable[Operation], first: int) -> list[_Line]:
    """Lines of one source, which are numbered from ``first`` on; operations come by number."""
    own = [_Line()]
    last, rank, begun = None, 0, [0]
    for each in listed:
        if each.number == last:
            rank += 1
        else:
            last, rank = each.number, 0
            begun = [len(line.items) for line in own]
        if rank == len(own):
            own.append(_Line())
            begun.append(0)
        own[rank].items.append(each)
        own[rank].needs.append(
            tuple((first + at, done) for at, done in enumerate(begun) if at != rank and done)
        )
    return own


def _joined(lines: Iterable[_Line]) -> list[_Line]:
    """Sources that follow one another in time share a line."""
    found: list[_Line] = []
    ends: list[int] = []
    for line in sorted(lines, key=lambda line: min(each.invoked for each in line.items)):
        start = min(each.invoked for each in line.items)
        end = max(each.responded or 0 for each in line.items)
        for at, before in enumerate(ends):
            if before <= start:
                found[at].items += line.items
                found[at].needs += line.needs
                ends[at] = end
                break
        else:
            found.append(line)
            ends.append(end)
    return found


@lru_cache(maxsize=1024)
def _mask(size: int, strobe: int) -> int:
    """Bits of the bytes that a strobe names."""
    return sum(0xFF << 8 * at for at in range(size) if strobe >> at & 1)


#: How an operation moves: what it must find under its mask, what it leaves there, whether it has
#: to find anything, and whether it leaves what it found.
_Move = tuple[int, int, int, bool, bool]


@lru_cache(maxsize=4096)
def _places(mask: int) -> tuple[int, ...]:
    """Bytes that a mask of bits names."""
    return tuple(at for at in range((mask.bit_length() + 7) // 8) if mask >> 8 * at & 0xFF)


class _Turn:
    """A state from which operations were tried, one of which has moved on.

    Parameters
    ----------
    came, state
        How far each line had come, and the bytes.
    depths
        For each byte the number of turns before it was last written.
    choices
        What is left to be tried, by line and state behind it, and what is tried now, last.
    blame
        Bytes, as bits, that kept all from being next that might have been but did not fit, here and
        behind what was tried.
    """

    __slots__ = ("blame", "came", "choices", "depths", "state", "written")

    def __init__(
        self,
        came: tuple[int, ...],
        state: int,
        depths: tuple[int, ...],
        choices: list[tuple[int, int]],
        blame: int,
    ) -> None:
        self.came, self.state, self.depths = came, state, depths
        self.choices, self.blame = choices, blame
        self.written = 0


def _blame(refused: Iterable[int], depths: Sequence[int]) -> int:
    """Bytes, as bits, that differ from what was found: of each operation the one that was last
    written longest ago.
    """
    found = 0
    for wrong in refused:
        places = _places(wrong)
        found |= 1 << min(places, key=depths.__getitem__)
    return found


def _go_back(turns: list[_Turn], blame: int, dead: dict[tuple[tuple[int, ...], int], int]) -> None:
    """Leave the turns that have nothing left that could help.

    What was done at a turn that wrote none of the bytes to blame may as well be done later, or have
    been done before: without it nothing is other than it was where the search got stuck.
    """
    while turns:
        turn = turns[-1]
        if turn.written & blame:
            turn.blame |= blame
            if turn.choices:
                return
            blame = turn.blame
        dead[turn.came, turn.state] = blame
        turns.pop()


class _Values:
    """Who finds and who leaves each value of each byte.

    What an operation found must be there once more before it responds: what is there now, unless
    another one leaves the same. So what is there may not be lost while nobody brings it back.
    """

    def __init__(self, lines: Sequence[_Line], moves: Sequence[Sequence[_Move]]) -> None:
        self._finders: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
        self._leavers: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
        for line, (listed, own) in enumerate(zip(lines, moves, strict=True)):
            for at, (each, (mask, found, left, finds, rests)) in enumerate(
                zip(listed.items, own, strict=True)
            ):
                for place in _places(mask):
                    shift = 8 * place
                    if finds:
                        key = place, found >> shift & 0xFF
                        self._finders.setdefault(key, []).append((each.responded or 0, line, at))
                    if not rests:
                        key = place, left >> shift & 0xFF
                        self._leavers.setdefault(key, []).append((each.invoked, line, at))
        # Nothing takes longer, so what was invoked that long before is over.
        self._longest = max(
            (each.responded or 0) - each.invoked for line in lines for each in line.items
        )
        for each in (*self._finders.values(), *self._leavers.values()):
            each.sort()

    def lost(
        self, came: Sequence[int], bound: int, line: int, before: int, after: int
    ) -> int | None:
        """A byte that the next operation of ``line`` may not change as it does; None if it may.

        All that is left responds at ``bound`` or later.
        """
        for place in _places(before ^ after):
            key = place, before >> 8 * place & 0xFF
            finders = self._finders.get(key, ())
            for index in range(bisect_left(finders, (bound,)), len(finders)):
                end, finder, at = finders[index]
                if came[finder] > at or (finder == line and came[line] == at):
                    continue
                if not self._comes_back(came, bound, key, end):
                    return place
                break
        return None

    def _comes_back(self, came: Sequence[int], bound: int, key: tuple[int, int], end: int) -> bool:
        """Whether somebody who has not moved yet may leave the value before ``end``."""
        leavers = self._leavers.get(key, ())
        for index in range(bisect_left(leavers, (end,)) - 1, -1, -1):
            invoked, line, at = leavers[index]
            if came[line] <= at:
                return True
            if invoked + self._longest < bound:
                break
        return False


class _Group:
    """One stretch of bytes, as one little-endian integer, and the search for an order."""

    def __init__(
        self, start: int, end: int, members: list[Operation], before: bytes, after: bytes | None
    ) -> None:
        self._start, self._end = start, end
        self._state = int.from_bytes(before[start:end], "little")
        if after is not None:
            last = max(each.responded or 0 for each in members)
            value = int.from_bytes(after[start:end], "little")
            size = end - start
            final = Operation("memory", 0, Kind.LOAD, last, last + 1, start, size, observed=value)
            members = [*members, final]
        lines = _lines(members)
        self._items = [line.items for line in lines]
        self._needs = [line.needs for line in lines]
        self._invoked = [[each.invoked for each in line.items] for line in lines]
        self._deadlines = [line.deadlines() for line in lines]
        self._moves = [[self._move(each) for each in line.items] for line in lines]
        self._written = [[_places(mask) for mask, *_ in moves] for moves in self._moves]
        self._values = _Values(lines, self._moves)
        self._deepest = -1
        self._stuck: tuple[list[int], int] = ([], 0)

    def _move(self, each: Operation) -> _Move:
        shift, size = 8 * (each.address - self._start), each.size_bytes
        mask = _mask(size, each.strobe)
        found, left, finds = each.observed & mask, each.observed & mask, True
        if each.kind is Kind.STORE:
            left, finds = each.value & mask, False
        elif each.kind is Kind.EXCHANGE and each.success:
            left = each.value & mask
        elif each.kind is Kind.RMW:
            if each.rmw_kind is None:
                raise ValueError(f"A read-modify-write must have a kind, not {each}")
            left = updated(each.rmw_kind, each.observed, each.value, 8 * size)
        rests = finds and found == left
        return mask << shift, found << shift, left << shift, finds, rests

    def search(self, most_steps: int) -> tuple[Violation | None, int]:
        """Look for an order; return what is wrong, and the number of steps."""
        lines = range(len(self._items))
        came = [0] * len(self._items)
        due = [deadlines[0] for deadlines in self._deadlines]
        state, steps = self._state, 0
        turns: list[_Turn] = []
        depths = [0] * (self._end - self._start)
        # States from which nothing leads to the end, and the bytes to blame.
        dead: dict[tuple[tuple[int, ...], int], int] = {}
        while True:
            steps += 1
            bound = min(due)
            if bound == _NEVER:
                return None, steps
            choices: list[tuple[int, int]] = []
            refused: list[int] = []
            has_moved = False
            for line in lines:
                at = came[line]
                if due[line] == _NEVER or self._invoked[line][at] >= bound:
                    continue
                if (needs := self._needs[line][at]) and any(came[n] < done for n, done in needs):
                    continue
                mask, found, left, finds, rests = self._moves[line][at]
                if finds and state & mask != found:
                    refused.append(state & mask ^ found)
                elif rests:
                    came[line] = at + 1
                    due[line] = self._deadlines[line][at + 1]
                    has_moved = True
                else:
                    choices.append((line, state & ~mask | left))
            if has_moved:
                continue
            blame = _blame(refused, depths) if refused else 0
            here = tuple(came)
            if len(choices) > 1:
                if (known := dead.get((here, state))) is not None:
                    choices, blame = [], known
                else:
                    choices, lost = self._kept(came, bound, state, choices)
                    blame |= lost
                    self._sort(came, choices)
            if choices:
                turns.append(_Turn(here, state, tuple(depths), choices, blame))
            else:
                self._note(came, state)
                _go_back(turns, blame, dead)
                if not turns:
                    return self._violation(), steps
                if steps > most_steps:
                    return self._given_up(steps), steps
                came, depths = list(turns[-1].came), list(turns[-1].depths)
                due = [self._deadlines[line][at] for line, at in enumerate(came)]
            line, state = turns[-1].choices.pop()
            written = 0
            for at in self._written[line][came[line]]:
                depths[at] = len(turns)
                written |= 1 << at
            turns[-1].written = written
            came[line] += 1
            due[line] = self._deadlines[line][came[line]]

    def _kept(
        self, came: list[int], bound: int, state: int, choices: list[tuple[int, int]]
    ) -> tuple[list[tuple[int, int]], int]:
        """Choices that lose nothing that is still to be found, and bytes that the others do."""
        kept: list[tuple[int, int]] = []
        blame = 0
        for line, after in choices:
            place = self._values.lost(came, bound, line, state, after)
            if place is None:
                kept.append((line, after))
            else:
                blame |= 1 << place
        return kept, blame

    def _sort(self, came: list[int], choices: list[tuple[int, int]]) -> None:
        """Put the likeliest last: what fits only here, and what was invoked first."""
        choices.sort(
            key=lambda choice: (
                self._moves[choice[0]][came[choice[0]]][3],
                -self._invoked[choice[0]][came[choice[0]]],
            )
        )

    def _note(self, came: list[int], state: int) -> None:
        """Remember the state that was reached with most operations."""
        if sum(came) > self._deepest:
            self._deepest = sum(came)
            self._stuck = (list(came), state)

    def _violation(self) -> Violation:
        came, state = self._stuck
        count = sum(map(len, self._items))
        value = state.to_bytes(self._end - self._start, "little")
        next_ones = [
            items[at] for items, at in zip(self._items, came, strict=True) if at < len(items)
        ]
        bound = min(each.responded or 0 for each in next_ones)
        return Violation(
            "order",
            f"Bytes {self._start:#x} to {self._end - 1:#x} must have one order of their {count} "
            f"operations; none goes further than {self._deepest}, where they are "
            f"{value.hex(' ')} and one of these must be next:",
            tuple(each for each in next_ones if each.invoked < bound),
        )

    def _given_up(self, steps: int) -> Violation:
        found = self._violation()
        return Violation(
            "undecided",
            f"{steps} steps must decide it, but did not. {found.message}",
            found.operations,
        )
