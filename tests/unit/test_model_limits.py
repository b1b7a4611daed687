"""Cycle limits against the fastest hardware that the contract allows: nothing beats them."""

import random
from collections import Counter
from dataclasses import replace
from types import MappingProxyType

import pytest

from fabricgen.model import execute as model
from fabricgen.model.execute import execute
from fabricgen.model.rates import row_rates
from fabricgen.model.targets import Memories
from fabricgen.model.work import RowRates, RowWork
from fabricgen.plan.rows import ResultDestination, RoleSource
from fabricgen.records.connectivity import ManagerEndpointTarget
from tests.support import memories as mem
from tests.support.networks import net
from tests.support.temporal import temporal_memory, temporal_row, temporal_table
from tests.support.timed import shown_spans

ROLE = mem.ROLE
VECTOR = mem.view(mem.CONTIGUOUS, lanes=4)
WORD = mem.view(mem.ELEMENT)


def spatial(rng):
    """Two or three ports with some connections, at the service or before a manager."""
    kinds, edges = rng.choice(
        [
            ("LS", [("0.data", "1.data")]),
            ("LS", [("0.data", "1.data"), ("0.done", "1.ctrl")]),
            ("LL", []),
            ("LLS", [("0.data", "2.data"), ("1.done", "2.ctrl")]),
            ("LSS", [("0.data", "1.data"), ("0.data", "2.data")]),
            ("L", []),
        ]
    )
    count = rng.choice([3, 20, 40])
    places = [rng.choice([None, None, 0]) for _ in kinds]
    made = net(
        kinds,
        edges,
        accesses=[VECTOR, *(rng.choice([WORD, VECTOR]) for _ in kinds[1:])],
        bases=[4096 * port for port in range(len(kinds))],
        targets=places,
        managers=[32],
        capacity=16384,
        in_flight=rng.choice([1, 2, 4]),
        exposed=None if rng.random() < 0.5 else {"0.data", "0.done"},
    )
    sinks = {sink for _, sink in edges}
    streams = {}
    for port, kind in enumerate(kinds):
        for name in ("addr", "data", "ctrl") if kind == "S" else ("addr", "ctrl"):
            if f"{port}.{name}" not in sinks:
                streams[made.at[f"{port}.{name}"], None] = tokens(rng, name, count)
    return made.named, made.configuration, streams, bytes(16384)


def tokens(rng, name, count):
    if name == "addr":
        return rng.sample(range(0, 800, 4), count)
    return [0] * count


def temporal(rng):
    """Loads and stores of one table; sometimes load 0 feeds store 1."""
    named = temporal_memory(
        managers={"ext0": 32}, connections=[("rd_data", "wr_data")], capacity=16384
    )
    count = rng.choice([3, 20, 40])
    kinds = rng.choice(["L", "LS", "LLL", "LSLS"])
    is_fed = len(kinds) > 1 and kinds[1] == "S" and rng.random() < 0.5
    rows, streams = [], {}
    for r, kind in enumerate(kinds):
        access = rng.choice([WORD, VECTOR])
        row = temporal_row(
            r, int(kind == "S"), mem.LOAD if kind == "L" else mem.STORE, access, base=4096 * r
        )
        if rng.random() < 0.3:
            row = replace(row, service_target=ManagerEndpointTarget(0))
        if is_fed and r == 0:
            row = changed(replace(row, access=VECTOR), ROLE.DATA, ResultDestination(False, (0,)))
        if is_fed and r == 1:
            row = changed(row, ROLE.DATA, RoleSource(0))
        rows.append(row)
        for end, name in (("addr", "addr"), ("ctrl", "ctrl")):
            prefix = "rd" if kind == "L" else "wr"
            at = list(named.names.endpoints).index(f"{prefix}_{end}")
            streams[at, r] = tokens(rng, name, count)
        if kind == "S" and not (is_fed and r == 1):
            streams[list(named.names.endpoints).index("wr_data"), r] = [0] * count
    return named, temporal_table(*rows), streams, bytes(16384)


def changed(row, role, value):
    entries = "sources" if isinstance(value, RoleSource) else "destinations"
    pairs = ((r, value if r is role else old) for r, old in getattr(row, entries))
    return replace(row, **{entries: tuple(pairs)})


def recorded(monkeypatch):
    """Costs of every firing, as the model counts them, in the order of the rows' execution."""
    found = {}
    target = Memories.target

    def watching(self, row, work):
        costs = found.setdefault(id(row), [])
        fire = work.fire

        def counted(uses, ahead=MappingProxyType({}), more=0):
            costs.append(Counter(uses) + Counter(ahead))
            fire(uses, ahead, more)

        work.fire = counted
        return target(self, row, work)

    monkeypatch.setattr(Memories, "target", watching)
    return found


@pytest.mark.parametrize("draw", [spatial, temporal])
@pytest.mark.parametrize("seed", range(15))
def test_no_hardware_beats_the_limit(monkeypatch, draw, seed):
    check(monkeypatch, draw, seed)


@pytest.mark.parametrize(
    ("draw", "seed", "wrong"),
    [
        (temporal, 3, lambda rates: {"skipped": 1}),
        (temporal, 3, lambda rates: {"skipped": max(1, rates.skipped - 1)}),
        (spatial, 1, lambda rates: {"spacing": rates.spacing + 1}),
        (temporal, 0, lambda rates: {"in_flight": max(0, rates.in_flight - 2)}),
        (temporal, 8, lambda _: {"is_alone": True}),
        (spatial, 6, lambda _: {"feeds_connection": True}),
    ],
)
def test_a_limit_that_claims_too_much_is_beaten(monkeypatch, draw, seed, wrong):
    def rates(*arguments):
        found = row_rates(*arguments)
        return replace(found, **wrong(found))

    monkeypatch.setattr(model, "row_rates", rates)
    with pytest.raises(AssertionError):
        check(monkeypatch, draw, seed)


def check(monkeypatch, draw, seed):
    """Hold the limits of one workload against runs with and without delays."""
    rng = random.Random(seed)
    named, configuration, streams, memory = draw(rng)
    found = recorded(monkeypatch)
    done = execute(named, configuration, streams, memory)
    costs = {
        r: [
            # A port at the service is a channel there, which the timed hardware has anyhow.
            Counter({use: n for use, n in each.items() if use[0] != "service"})
            for each in found.get(id(row), [])
        ]
        for r, row in enumerate(configuration.operation_rows)
        if row is not None
    }
    has_manager = any(
        row is not None and isinstance(row.service_target, ManagerEndpointTarget)
        for row in configuration.operation_rows
    )
    for run in range(4):
        delays = [rng.choice([0, 5, 30])] * 8 if has_manager and run else ()
        spans, total = shown_spans(
            named, configuration, streams, costs, seed=f"{seed}/{run}", delays=delays
        )
        assert total >= done.cycle_limit
        assert all(span >= done.row_cycles[r] for r, span in spans.items())


def test_lanes_without_an_effect_may_delay_the_first_publication():
    rates = RowRates(
        in_flight=8,
        lead=8,
        skipped=1,
        spacing=2,
        is_alone=True,
        is_shown=True,
        feeds_connection=False,
        publishes=(),
        ingresses=(),
    )
    spans = []
    for turns in (0, 3):
        work = RowWork(rates)
        work.fire({("read", 0): 1}, more=turns)
        for _ in range(4):
            work.fire({("read", 0): 1})
        spans.append(work.span())
    # Hardware asks for beats of all lanes, so the first of five firings may be three turns later.
    assert spans == [1 + 2 * 4, 1 + 2 * 4 - 3]
