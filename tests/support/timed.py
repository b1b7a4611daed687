"""The fastest hardware that the performance contract allows, cycle by cycle, with random delays.

Operand slots, claims, ports, ingresses, banks and managers do no more a cycle than they may; all
else is free. A limit that some run of this beats is no limit.
"""

import random
from collections import Counter
from dataclasses import dataclass, field

from fabricgen.plan.capacity import port_capacities
from fabricgen.plan.demand import memory_demand
from fabricgen.records.connectivity import LocalMemoryServiceTarget
from fabricgen.records.occurrence import Temporal


@dataclass
class Firing:
    """One firing on its way; ``beats`` are the banks or beats that it still needs."""

    issued: int
    beats: Counter
    ready: int


@dataclass
class Row:
    """One row: what it needs per firing, what it feeds, and what of it is inside."""

    port: int
    is_local: bool
    sources: list
    feeds: list
    egresses: list
    capacity: int
    costs: list
    slots: dict = field(default_factory=dict)
    taken: Counter = field(default_factory=Counter)
    flying: list = field(default_factory=list)
    issued: int = 0
    published: list = field(default_factory=list)


def shown_spans(named, configuration, streams, costs, *, seed, delays=()):
    """Cycles from first to last publication that an endpoint shows, per row and over all.

    ``costs[r]`` has one Counter of resources per firing of row ``r``. ``delays`` are latencies at
    managers, of the first beats; where there are some, publications are refused at random too.
    """
    return _Run(named, configuration, streams, costs, random.Random(seed), delays).spans()


class _Run:
    def __init__(self, named, configuration, streams, costs, rng, delays):
        occurrence = named.occurrence
        engine = occurrence.engine
        self.is_temporal = isinstance(engine.contract, Temporal)
        self.rng, self.delays, self.beats_sent = rng, list(delays), 0
        self.streams = {key: len(tokens) for key, tokens in streams.items()}
        self.demand = memory_demand(occurrence, configuration.operation_rows)
        self.rows = {}
        for r, row in enumerate(configuration.operation_rows):
            if row is None:
                continue
            capacities = port_capacities(engine.ports[row.port])
            keys = {
                u.role: k for k, users in self.demand.ingress.items() for u in users if u.row == r
            }
            out = [k[0] for k, users in self.demand.egress.items() for u in users if u.row == r]
            self.rows[r] = Row(
                port=row.port,
                is_local=isinstance(row.service_target, LocalMemoryServiceTarget),
                sources=[(role, keys.get(role), source.connection) for role, source in row.sources],
                feeds=[c for _, destination in row.destinations for c in destination.connections],
                egresses=out,
                capacity=capacities.slots_of(r),
                costs=costs[r],
                slots={role: 0 for role, _ in row.sources},
            )
        self.depth = 1 if self.is_temporal else 1000

    def spans(self):
        for cycle in range(100_000):
            if all(len(row.published) == len(row.costs) for row in self.rows.values()):
                break
            self.step(cycle)
        else:
            raise AssertionError("The run must end, not hang")
        shown = {
            r: row.published[-1] - row.published[0] + 1
            for r, row in self.rows.items()
            if row.published and row.egresses
        }
        times = [t for row in self.rows.values() if row.egresses for t in row.published]
        return shown, max(times) - min(times) + 1 if times else 0

    def step(self, cycle):
        before = {r: dict(row.slots) for r, row in self.rows.items()}
        flying = {r: len(row.flying) for r, row in self.rows.items()}
        self.publish(cycle, before)
        self.serve(cycle)
        self.issue(cycle, before, flying)
        self.serve_fresh(cycle)
        self.accept(before)

    def shuffled(self):
        rows = list(self.rows.items())
        self.rng.shuffle(rows)
        return rows

    def publish(self, cycle, before):
        used = set()
        for _, row in self.shuffled():
            if not row.flying or row.flying[0].beats or row.flying[0].ready > cycle:
                continue
            if row.flying[0].issued >= cycle:
                continue
            places = {("port", row.port), *row.egresses}
            behind = [u for c in row.feeds for u in self.demand.connections[c].consumers]
            if places & used or any(before[u.row][u.role] for u in behind):
                continue
            if self.delays and cycle < 60 and self.rng.random() < 0.7:
                continue
            used |= places
            row.flying.pop(0)
            row.published.append(cycle)
            for user in behind:
                self.rows[user.row].slots[user.role] += 1

    def issue(self, cycle, before, flying):
        ports = set()
        for r, row in self.shuffled():
            if row.port in ports or row.issued == len(row.costs) or flying[r] >= row.capacity:
                continue
            if all(before[r].values()):
                ports.add(row.port)
                for role in row.slots:
                    row.slots[role] -= 1
                row.flying.append(Firing(cycle, Counter(row.costs[row.issued]), cycle))
                row.issued += 1

    def serve(self, cycle):
        """One firing per port and target has its beats served, one a cycle per resource."""
        self.used, self.channels = set(), set()
        self.serve_fresh(cycle)

    def serve_fresh(self, cycle):
        for _, row in self.shuffled():
            waiting = next((f for f in row.flying if f.beats), None)
            channel = (row.port, row.is_local)
            if waiting is None or channel in self.channels:
                continue
            served = [each for each in waiting.beats if each not in self.used]
            if served:
                self.channels.add(channel)
            for resource in served:
                self.used.add(resource)
                waiting.beats -= Counter([resource])
                if not row.is_local and self.beats_sent < len(self.delays):
                    waiting.ready = max(waiting.ready, cycle + self.delays[self.beats_sent])
                    self.beats_sent += 1

    def accept(self, before):
        """A tagged ingress takes one token a cycle, an untagged one fills its queue."""
        used = set()
        for r, row in self.shuffled():
            for role, key, connection in row.sources:
                if connection is not None or (self.is_temporal and key[0] in used):
                    continue
                if row.taken[role] == self.streams.get(key, 0) or before[r][role] >= self.depth:
                    continue
                used.add(key[0])
                row.taken[role] += 1
                row.slots[role] += 1
