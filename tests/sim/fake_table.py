"""Three load rows of a Temporal engine as a few lines of Python, right or wrong in one way.

Row 2 takes its addresses from the data of row 0; the other operands and all results have tags.
"""

from dataclasses import dataclass, field

from sim.endpoints import EndpointPins
from sim.job import EgressJob, IngressJob, InternalOperand, Job, Registers, RowJob, Run
from tests.sim.fake_row import FakePin, table

IN_FLIGHT, LATENCY = 2, 3
#: Endpoint and tag of each external operand, and of each result.
OPERANDS = {
    (0, "ADDRESS"): ("in0", 1),
    (0, "CONTROL"): ("in1", 1),
    (1, "ADDRESS"): ("in0", 3),
    (1, "CONTROL"): ("in0", 2),
    (2, "CONTROL"): ("in1", 5),
}
RESULTS = {
    (0, "DATA"): ("data", 5),
    (0, "COMPLETION"): ("done", 6),
    (1, "DATA"): ("data", 7),
    (1, "COMPLETION"): ("done", 5),
    (2, "DATA"): ("data", 6),
    (2, "COMPLETION"): ("done", 8),
}
ENDPOINTS = {"in0": 8, "in1": 8, "data": 8, "done": 0, "idle": 4, "quiet": 4}


def pins():
    return {
        name: EndpointPins(FakePin(), FakePin(), FakePin() if width else None, FakePin())
        for name, width in ENDPOINTS.items()
    }


def job(firings=30, pattern="always", seed=1, extra=0, stray=False, **changes):
    """Every row fires equally often; ``extra`` addresses of row 1 are left over."""
    tokens = {
        (0, "ADDRESS"): tuple(range(firings)),
        (1, "ADDRESS"): tuple(100 + n for n in range(firings + extra)),
    }
    values = {
        0: tuple(map(table, tokens[0, "ADDRESS"])),
        1: tuple(map(table, tokens[1, "ADDRESS"][:firings])),
        2: tuple(table(table(n)) for n in range(firings)),
    }
    ingresses = [
        IngressJob(
            endpoint,
            8,
            tokens.get((row, role), (0,) * firings),
            firings + min(extra if (row, role) in tokens and row else 0, 1),
            row,
            role,
            tag,
            3,
        )
        for (row, role), (endpoint, tag) in OPERANDS.items()
    ]
    if stray:
        ingresses.append(IngressJob("in1", 8, (1, 2), 0, tag=7, tag_width=3))
    egresses = [
        EgressJob(
            endpoint,
            ENDPOINTS[endpoint],
            values[row] if role == "DATA" else (0,) * firings,
            row,
            role,
            tag,
            4,
        )
        for (row, role), (endpoint, tag) in RESULTS.items()
    ]
    depths = {"ADDRESS": 1, "CONTROL": 1}
    fields = {
        "rows": (
            RowJob(0, "read0", depths, IN_FLIGHT, firings),
            RowJob(1, "read0", depths, IN_FLIGHT, firings),
            RowJob(
                2, "read0", depths, IN_FLIGHT, firings, (InternalOperand("ADDRESS", 4, 0),), "ext0"
            ),
        ),
        "ingresses": (*ingresses, IngressJob("idle", 4, (), 0, tag_width=3)),
        "egresses": (*egresses, EgressJob("quiet", 4, (), tag_width=3)),
        "memory": None,
        "program": (),
        "registers": Registers(0, 4, (8,)),
        "faults": (),
        "is_quiescent": not extra,
        "bound": 40,
        "runs": (Run(pattern, seed),),
    }
    return Job(**(fields | changes))


@dataclass
class FakeTable:
    """``wrong`` names the one rule that the table breaks."""

    pins: dict
    wrong: str = ""
    slots: dict = field(default_factory=dict)
    inside: dict = field(default_factory=lambda: {0: [], 1: [], 2: []})
    cycle: int = 0
    candidate: int = 0
    late: int | None = None
    count: int = 0

    def settle(self):
        """Combinational outputs from registers, the ingress tags, and readiness as it stands."""
        for name in ("in0", "in1"):
            pins = self.pins[name]
            pins.ready.value = int(self._takes(name, pins.tag.value))
        row = self.candidate
        for role in ("DATA", "COMPLETION"):
            endpoint, tag = RESULTS[row, role]
            if self.wrong == "tag" and (row, role) == (1, "COMPLETION"):
                tag = 6
            if self.wrong == "nameless" and self.count == 7:
                tag = "x"
            self.pins[endpoint].tag.value = tag
        self.pins["data"].data.value = self.inside[row][0][1] if self.inside[row] else 0
        go = self._is_complete(row) and self._has_room(row)
        if self.wrong == "hang" and row == 1 and self.count > 20:
            go = False
        ready = [bool(self.pins[name].ready.value) for name in ("data", "done")]
        valid = [go and all(ready)] * 2
        if self.wrong == "unready" and go:
            valid = [True, True]
        if self.wrong == "nameless" and go and self.count == 7:
            valid = [True, True]
        if self.wrong == "apart":
            valid = [valid[0] and self.late is None, self.late is not None and ready[1]]
        if self.wrong == "loud" and self.cycle == 50:
            self.pins["quiet"].valid.value = 1
            self.pins["quiet"].tag.value = 2
        else:
            self.pins["quiet"].valid.value = 0
        for name, is_valid in zip(("data", "done"), valid, strict=True):
            self.pins[name].valid.value = int(is_valid)

    def _role(self, name, tag):
        return next((key for key, at in OPERANDS.items() if at == (name, tag)), None)

    def _takes(self, name, tag):
        key = self._role(name, tag)
        if key is None:
            return self.wrong == "greedy"
        if self.wrong == "narrow" and name == "in0" and tag == 2:
            # Readiness of one tag looks at the slot of another: row 0 must have fired.
            return key not in self.slots and (0, "ADDRESS") not in self.slots
        return key not in self.slots or self.wrong == "deep"

    def _is_complete(self, row):
        return bool(self.inside[row]) and self.cycle >= self.inside[row][0][0]

    def _has_room(self, row):
        return row != 0 or (2, "ADDRESS") not in self.slots or self.wrong == "overrun"

    def edge(self):
        """Registers change."""
        moved = {name: p.valid.value and p.ready.value for name, p in self.pins.items()}
        row, published = self.candidate, bool(moved["data"])
        if self.wrong == "apart":
            published = bool(moved["done"])
            self.late = row if moved["data"] else None
        publications = []
        if published and self.inside[row]:
            _, value = self.inside[row].pop(0)
            self.count += 1
            publications = [value] if row == 0 else []
        for each in range(3):
            keys = [(each, "ADDRESS"), (each, "CONTROL")]
            room = 9 if self.wrong == "crowd" else IN_FLIGHT
            if all(key in self.slots for key in keys) and len(self.inside[each]) < room:
                address = self.slots.pop(keys[0])
                self.slots.pop(keys[1])
                self.inside[each].append((self.cycle + LATENCY - 1, table(address)))
                break
        for value in publications:
            self.slots[2, "ADDRESS"] = value
        for name in ("in0", "in1"):
            key = self._role(name, self.pins[name].tag.value)
            if moved[name] and key is not None:
                if self.wrong == "cross" and self.count >= 9 and key == (0, "ADDRESS"):
                    key = (1, "ADDRESS")
                self.slots[key] = self.pins[name].data.value
        is_held = self.wrong == "blocking" and self._is_complete(row) and not published
        if self.late is None and not is_held:
            turns = [(row + step) % 3 for step in (1, 2, 3)]
            self.candidate = next((r for r in turns if self._is_complete(r)), row)
        self.cycle += 1
