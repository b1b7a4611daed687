"""A port that asks a manager for its beats, in Python: right, or wrong in one way."""

import itertools
from dataclasses import dataclass, field, replace

from sim.job import ManagerBeat, ManagerJob
from sim.manager_agent import ManagerPins
from tests.sim.fake_row import FakePin

BYTES = 4
WIDTHS = {"valid": 1, "origin": 3, "beat": 4, "data": 8 * BYTES, "success": 1, "error": 1}
#: What a beat says beside its kind, its place and its data.
SAID = ("expected", "rmw_kind", "ordering", "failure_ordering", "scope", "weak", "volatile")


def read(address, strobe=0b1111):
    return ManagerBeat(0, address, strobe)


def write(address, data, strobe=0b1111):
    return ManagerBeat(1, address, strobe, data)


#: Firings of three loads and two stores; nothing depends on their order.
ACCESSES = (
    (read(0x100), read(0x104), read(0x108, 0b0011)),
    (write(0x204, 0xAABBCC00, 0b1110), write(0x208, 0x11223344)),
    (read(0x110, 0b1000), read(0x300), read(0x110, 0b0001)),
    (write((1 << 64) - 4, 0x55000000, 0b1000),),
    (read(0x100),),
)
BEFORE = ((0x100, bytes(range(1, 17))), (0x300, b"\x77"))
AFTER = (
    *BEFORE,
    (0x205, b"\xcc\xbb\xaa\x44\x33\x22\x11"),
    ((1 << 64) - 1, b"\x55"),
)


def fence():
    return ManagerBeat(4, 0, 0, ordering=6, scope=1)


def add(address, data, strobe):
    """A volatile sum with the ordering acq_rel."""
    return ManagerBeat(2, address, strobe, data, volatile=True, rmw_kind=2, ordering=5, scope=1)


def exchange(address, expected, desired, strobe):
    """A weak compare-exchange: seq_cst, and acquire where it fails."""
    said = {"ordering": 6, "failure_ordering": 3, "scope": 2, "weak": True}
    return ManagerBeat(3, address, strobe, desired, expected=expected, **said)


#: Sums of objects of two and four bytes, exchanges of which the second fails, and a fence.
ATOMICS = (
    (add(0x100, 0x00FF_0000, 0b1100),),
    (add(0x104, 1, 0b1111),),
    (exchange(0x108, 0x0000_0A00, 0x0000_7700, 0b0010), exchange(0x10C, 0, 1, 0b0001)),
    (fence(),),
)
ATOMICS_AFTER = (
    (0x100, bytes([1, 2, 2, 5, 6, 6, 7, 8, 9, 0x77, 11, 12, 13, 14, 15, 16])),
    (0x300, b"\x77"),
)


def job(accesses=None, **changes):
    beats = tuple(itertools.chain(*(accesses or ACCESSES)))
    fields = {"name": "ext0", "beat_bytes": BYTES, "beats": beats}
    return ManagerJob(**(fields | {"before": BEFORE, "after": AFTER} | changes))


def manager_pins():
    request = ("valid", "ready", "kind", "origin", "beat", "more", "address", "strobe", "data")
    request += SAID
    return ManagerPins(
        {name: FakePin() for name in request},
        {name: FakePin() for name in ("ready", *WIDTHS)},
        WIDTHS,
    )


@dataclass
class FakePort:
    """Sends every firing under an origin of its own; ``wrong`` names the rule that it breaks."""

    pins: ManagerPins
    wrong: str = ""
    accesses: tuple = ACCESSES
    todo: list = field(default_factory=list)
    answers: dict = field(default_factory=dict)
    successes: dict = field(default_factory=dict)
    cycle: int = 0
    refusals: int = 0

    def __post_init__(self):
        for origin, access in enumerate(self.accesses):
            for number, beat in enumerate(access):
                self.todo.append((origin, number, beat, self._more(access, number)))
        wrong = {
            "absent": lambda: self.todo.pop(2),
            "twice": lambda: self.todo.insert(1, self.todo[0]),
            "order": lambda: self.todo.insert(0, self.todo.pop(1)),
            "foreign": lambda: self._change(1, origin=5),
            "strobe": lambda: self._change(2, strobe=0b0111),
            "empty": lambda: self._change(2, strobe=0),
            "unaligned": lambda: self._change(0, address=0x101),
            "write": lambda: self._change(0, kind=1),
            "fence": lambda: self._change(0, kind=4),
            "kind": lambda: self._change(0, kind=5),
            "ordering": lambda: self._change(0, ordering=6),
            "failure": lambda: self._change(2, failure_ordering=6),
            "sum": lambda: self._change(0, rmw_kind=3),
            "expected": lambda: self._change(2, expected=0xFF00),
            "strong": lambda: self._change(2, weak=False),
            "scope": lambda: self._change(4, scope=2),
            "calm": lambda: self._change(1, volatile=False),
            "byte": lambda: self._change(3, data=0xAABBDD00),
            "more": lambda: self._change(0, more=1),
            "endless": lambda: self._change(9, more=1),
            "reuse": lambda: self._change(9, origin=0),
        }
        if self.wrong in wrong:
            wrong[self.wrong]()

    @staticmethod
    def _more(access, number):
        more = 0
        while number + more + 1 < len(access) and (
            access[number + more + 1].address == access[number + more].address + BYTES
        ):
            more += 1
        return more

    def _change(self, index, origin=None, more=None, **fields):
        at, number, beat, announced = self.todo[index]
        beat = replace(beat, **fields)
        self.todo[index] = (
            at if origin is None else origin,
            number,
            beat,
            announced if more is None else more,
        )

    def settle(self):
        """Show the next request, whatever ``ready`` says, and readiness for answers."""
        pins = self.pins.request
        is_valid = bool(self.todo)
        if self.wrong == "withdrawn" and self.refusals % 2:
            is_valid = False
        pins["valid"].value = int(is_valid)
        self.pins.response["ready"].value = int(self.wrong != "deaf" and self.cycle % 3 != 2)
        if not self.todo:
            return
        origin, number, beat, more = self.todo[0]
        values = {"kind": beat.kind, "origin": origin, "beat": number, "more": more}
        values |= {"address": beat.address, "strobe": beat.strobe}
        values |= {name: int(getattr(beat, name)) for name in SAID}
        junk = 0x5A5A5A5A & ~sum(0xFF << 8 * at for at in range(BYTES) if beat.strobe >> at & 1)
        values["data"] = beat.data | junk
        if self.wrong == "unstable" and self.refusals % 2:
            values["address"] ^= BYTES
        if self.wrong == "unknown" and number == 1:
            values["strobe"] = "x"
        for name, value in values.items():
            pins[name].value = value

    def edge(self):
        """Registers change."""
        request, response = self.pins.request, self.pins.response
        if request["valid"].value and request["ready"].value:
            self.todo.pop(0)
            self.refusals = 0
        elif self.todo:
            self.refusals += 1
        if response["valid"].value and response["ready"].value:
            key = response["origin"].value, response["beat"].value
            self.answers[key] = response["data"].value
            self.successes[key] = response["success"].value
        self.cycle += 1
