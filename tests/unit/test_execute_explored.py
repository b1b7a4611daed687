"""The model against every interleaving of tiny networks.

What the model accepts has one end and one order of conflicting accesses, and they are the model's.
What it refuses as unconsumed never comes to rest cleanly; what it refuses as a race has several
orders.
"""

import random
from dataclasses import dataclass

import pytest

from fabricgen.errors import Invalid
from fabricgen.model.execute import execute
from fabricgen.model.network import Network
from fabricgen.model.touched import RowAccesses
from tests.support import memories as mem
from tests.support.explorer import TinyRow, explore
from tests.support.networks import net

CAPACITY = 4
#: More firings than any row has, so that capacities order nothing.
PLENTY = 4


@dataclass
class Tiny:
    """One network in both worlds."""

    made: object
    rows: list
    streams: dict
    memories: dict


def tiny(rng):
    """Two or three rows with up to three tokens per stream and some connections."""
    kinds = "".join(rng.choice("LS") for _ in range(rng.choice([2, 2, 3])))
    lanes = [rng.choice([1, 1, 2]) for _ in kinds]
    outs = [f"{r}.{name}" for r, kind in enumerate(kinds) for name in OUT[kind]]
    ins = [f"{r}.{name}" for r, kind in enumerate(kinds) for name in IN[kind]]
    chosen = rng.sample(ins, rng.randint(0, min(3, len(ins))))
    edges = [(rng.choice(outs), sink) for sink in chosen]
    edges = [(source, sink) for source, sink in edges if fits(source, sink, lanes)]
    places = [rng.choice([None, None, 0]) for _ in kinds]
    accesses = [
        mem.view(mem.ELEMENT, element=8, index=8)
        if count == 1
        else mem.view(mem.INDEXED, element=8, lanes=2, index=8)
        for count in lanes
    ]
    made = net(
        kinds,
        edges,
        accesses=accesses,
        targets=places,
        managers=[8],
        lanes=2,
        capacity=CAPACITY,
    )
    ordinals = {}
    for row in made.configuration.operation_rows:
        for role, source in row.sources:
            if source.connection is not None:
                ordinals[row.port, role] = source.connection
    count = rng.choice([1, 2, 3, 3])
    rows, streams = [], {}
    for r, kind in enumerate(kinds):
        sources = {}
        for name in IN[kind]:
            if (r, ROLES[name]) in ordinals:
                sources[name] = ordinals[r, ROLES[name]]
                continue
            length = count if rng.random() < 0.55 else rng.randint(0, count)
            tokens = tuple(token(rng, name, lanes[r]) for _ in range(length))
            sources[name] = streams[f"{name[0]}{r}"] = tokens
        row = made.configuration.operation_rows[r]
        feeds = {
            "done" if role is mem.ROLE.COMPLETION else "data": destination.connections
            for role, destination in row.destinations
        }
        rows.append(TinyRow(kind == "S", lanes[r], places[r], 0, sources, feeds))
    memories = {None: tuple(rng.randrange(4) for _ in range(CAPACITY)), 0: (0,) * 1024}
    return Tiny(made, rows, streams, memories)


IN = {"L": ("addr", "ctrl"), "S": ("addr", "data", "ctrl")}
OUT = {"L": ("data", "done"), "S": ("done",)}
ROLES = {"addr": mem.ROLE.ADDRESS, "data": mem.ROLE.DATA, "ctrl": mem.ROLE.CONTROL}


def fits(source, sink, lanes):
    """An address or data needs a byte per lane; a completion has none."""
    if sink.endswith("ctrl"):
        return True
    return source.endswith("data") and lanes[int(source[0])] >= lanes[int(sink[0])]


def token(rng, name, lanes):
    match name:
        case "addr":
            return sum(rng.choice([0, 1, 1, 2, 3, 5]) << 8 * lane for lane in range(lanes))
        case "data":
            return sum(rng.randrange(4) << 8 * lane for lane in range(lanes))
        case _:
            return 0


def executed(each):
    streams = each.made.streams(**each.streams)
    memory = bytes(each.memories[None])
    return execute(each.made.named, each.made.configuration, streams, memory)


def compare(each):
    """Hold the model against all interleavings; tells what the model said."""
    ends = explore(each.rows, each.memories, CAPACITY, PLENTY)
    if ends is None:
        return "too-many"
    try:
        done = executed(each)
    except Invalid as error:
        codes = {finding.code for finding in error.diagnostics}
        if codes == {"workload-unconsumed"}:
            assert all(end.stuck for end in ends)
        else:
            assert codes == {"workload-race"}
            assert len({end.history for end in ends}) > 1
        (code,) = codes
        return code
    assert not any(end.stuck for end in ends)
    assert len({end.history for end in ends}) == 1
    (end,) = ends
    assert end.taken == done.firings
    contents = dict(end.contents)
    assert bytes(contents[None]) == done.memory
    assert {at: byte for at, byte in enumerate(contents[0]) if byte} == {
        at: byte for at, byte in done.managers[0].items() if byte
    }
    shorts = {role: name for name, role in ROLES.items()}
    held = {(key.row, shorts[key.role]): count for key, count in done.held.items()}
    assert {key: int(value is not None) for key, value in end.slots} == held
    for r, row in enumerate(each.rows):
        name = f"{r}.done" if row.is_write else f"{r}.data"
        if not row.feeds["done" if row.is_write else "data"]:
            assert done.outputs[each.made.at[name], None] == end.outputs[r]
    assert bounded(each) == {(end.contents, end.outputs, end.slots, end.taken)}
    return "accepted"


def bounded(each):
    """The same with one firing in flight per row: capacities change no outcome."""
    ends = explore(each.rows, each.memories, CAPACITY, 1)
    return {(end.contents, end.outputs, end.slots, end.taken) for end in ends}


@pytest.mark.parametrize("seed", range(6))
def test_the_model_says_what_every_interleaving_says(seed):
    rng = random.Random(seed)
    for _ in range(10):
        compare(tiny(rng))


def test_all_verdicts_occur():
    rng = random.Random(7)
    verdicts = [compare(tiny(rng)) for _ in range(50)]
    assert {"accepted", "workload-race", "workload-unconsumed"} <= set(verdicts)
    assert verdicts.count("accepted") > 10
    assert verdicts.count("too-many") < 15


@pytest.mark.parametrize(
    ("owner", "name", "wrong", "seed"),
    [
        (Network, "precedes", lambda *_: False, 72),
        (Network, "precedes", lambda *_: True, 4),
        (Network, "unconsumed", lambda *_: iter(()), 21),
        (RowAccesses, "overlap", lambda _: None, 49),
        (RowAccesses, "last", RowAccesses.first, 10),
    ],
)
def test_a_model_with_another_order_is_caught(monkeypatch, owner, name, wrong, seed):
    each = tiny(random.Random(seed))
    compare(each)
    monkeypatch.setattr(owner, name, wrong)
    with pytest.raises(AssertionError):
        compare(each)


@pytest.mark.slow
def test_many_networks_say_the_same():
    rng = random.Random(2026)
    for _ in range(2000):
        compare(tiny(rng))
