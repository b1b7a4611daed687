"""One load row as a few lines of Python, with pins: right, or wrong in one chosen way."""

from dataclasses import dataclass, field

from sim.endpoints import EndpointPins
from sim.job import EgressJob, IngressJob, Job, MemoryJob, Registers, RowJob, Run

DEPTH, IN_FLIGHT, LATENCY = 2, 3, 3


class FakePin:
    def __init__(self):
        self.value = 0


def pins(names):
    return {name: EndpointPins(FakePin(), FakePin(), FakePin()) for name in names}


def table(address):
    return (address * 7 + 3) & 0xFF


def job(firings=40, pattern="always", seed=1, extra=0, **changes):
    """Job of the row: addresses and controls in, data and done out."""
    addresses = tuple(range(firings + extra))
    taken = firings + min(extra, DEPTH)
    fields = {
        "rows": (RowJob(0, "read0", {"ADDRESS": DEPTH, "CONTROL": DEPTH}, IN_FLIGHT, firings),),
        "ingresses": (
            IngressJob("addr", 8, addresses, taken, 0, "ADDRESS"),
            IngressJob("ctrl", 1, (0,) * firings, firings, 0, "CONTROL"),
        ),
        "egresses": (
            EgressJob("data", 8, tuple(map(table, addresses[:firings])), 0, "DATA"),
            EgressJob("done", 0, (0,) * firings, 0, "COMPLETION"),
        ),
        "memory": MemoryJob(b"", b"", 1, ()),
        "program": (),
        "registers": Registers(0, 4, (8,)),
        "faults": (),
        "is_quiescent": not extra,
        "bound": 40,
        "runs": (Run(pattern, seed),),
    }
    return Job(**(fields | changes))


@dataclass
class FakeRow:
    """``wrong`` names the one rule that this row breaks."""

    pins: dict
    wrong: str = ""
    queues: dict = field(default_factory=lambda: {"addr": [], "ctrl": []})
    inside: list = field(default_factory=list)
    cycle: int = 0
    count: int = 0
    late: bool = False

    def settle(self):
        """Combinational outputs, from state and from the readiness of the destinations."""
        depth = 99 if self.wrong == "deep" else DEPTH
        for name, queue in self.queues.items():
            self.pins[name].ready.value = int(len(queue) < depth)
        ready = {name: bool(self.pins[name].ready.value) for name in ("data", "done")}
        waiting = bool(self.inside) and self.cycle >= self.inside[0][0]
        if self.wrong == "hang" and self.count == 5:
            waiting = False
        go = waiting and all(ready.values())
        valid = {"data": go, "done": go}
        if self.wrong == "unready" and waiting:
            valid = {"data": True, "done": True}
        if self.wrong == "late-done":
            valid = {"data": go and not self.late, "done": self.late and ready["done"]}
        if self.wrong == "flood" and all(ready.values()):
            valid = {"data": True, "done": True}
        if self.wrong == "ghost" and self.cycle == 300 and all(ready.values()):
            valid = {"data": True, "done": True}
        for name, is_valid in valid.items():
            self.pins[name].valid.value = int(is_valid)
        value = self.inside[0][1] if self.inside else 0
        if self.wrong == "bit" and self.count == 7:
            value ^= 1
        if self.wrong == "unknown" and self.count == 7:
            value = "x"
        self.pins["data"].data.value = value

    def edge(self):
        """Registers change."""
        moved = {name: p.valid.value and p.ready.value for name, p in self.pins.items()}
        retire = bool(moved["data"])
        if self.wrong == "late-done":
            retire = bool(moved["done"])
            self.late = bool(moved["data"])
        if retire and self.inside:
            repeat = self.wrong == "twice" and self.count == 7
            self.count += 1
            if not repeat:
                self.inside.pop(0)
        room = len(self.inside) < (9 if self.wrong == "crowd" else IN_FLIGHT)
        if all(self.queues.values()) and room:
            address = self.queues["addr"].pop(0)
            self.queues["ctrl"].pop(0)
            self.inside.append((self.cycle + LATENCY - 1, table(address)))
        for name, queue in self.queues.items():
            if moved[name]:
                queue.append(self.pins[name].data.value)
        self.cycle += 1
