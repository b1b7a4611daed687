"""Atomic accesses and fences at the local service, from documents to hardware.

What comes out is computed here from the reference's words, so the model is held against it, too.
"""

import random
import shutil

import pytest

from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import parse_mapping
from fabricgen.author.workload import parse_workload
from sim.simulate import simulate
from tests.support.atomic_text import INTEGER_KINDS, atomic_fabric, atomic_mapping, atomic_row
from tests.support.rmw_oracle import updated

pytest.importorskip("cocotb")
pytestmark = pytest.mark.usefixtures("emit_once")

ICARUS = pytest.param(
    "icarus", marks=pytest.mark.skipif(shutil.which("iverilog") is None, reason="no iverilog")
)
VERILATOR = pytest.param("verilator", marks=pytest.mark.slow)

SCALAR = {"sync_scope": "system", "granularity": "absent", "volatile": False}
LANES = {"sync_scope": "single_thread", "granularity": "per_lane", "volatile": False}


def tagged(number, roles, results, row):
    """A Temporal row with its number as the tag of each role."""
    tags = {"tag": number}
    return row | {"inputs": dict.fromkeys(roles, tags), "outputs": dict.fromkeys(results, tags)}


class Table:
    """A mapping row by row, with what each is offered and must publish, and the memory after it."""

    def __init__(self, rng, count):
        self.rng = rng
        self.count = count
        self.rows = []
        self.lines = {"stream": [], "expect": []}
        self.before = bytearray(rng.randbytes(2048))
        self.memory = bytearray(self.before)

    def add(self, row, operands, results, *, inputs, outputs):
        """One more row; its tokens by endpoint."""
        tag = len(self.rows)
        self.rows.append(tagged(tag, inputs, outputs, row))
        operands |= {"ctrl": [0] * self.count}
        results |= {"done": [0] * self.count}
        for kind, listed in (("stream", operands), ("expect", results)):
            self.lines[kind] += [
                f'  {{ endpoint = "mem0.{end}", tag = {tag}, packed = true, tokens = {tokens} }},'
                for end, tokens in listed.items()
            ]

    def get(self, at, size):
        return int.from_bytes(self.memory[at : at + size], "little")

    def put(self, at, size, value):
        self.memory[at : at + size] = value.to_bytes(size, "little")

    def value(self, bits):
        """Small ones often, so that comparisons go both ways."""
        top = (1 << bits) - 1
        return self.rng.choice(
            [self.rng.getrandbits(bits), self.rng.randrange(4), top - self.rng.randrange(3)]
        )

    def update(self, kind, *, base, bits, spread):
        """Elements of one kind on few objects."""
        rng, size = self.rng, bits // 8
        addresses = [rng.randrange(spread) for _ in range(self.count)]
        operands, old = [self.value(bits) for _ in addresses], []
        for at, value in zip(addresses, operands, strict=True):
            old.append(self.get(base + size * at, size))
            self.put(base + size * at, size, updated(kind, old[-1], value, bits))
        row = atomic_row(
            f"r_{kind}",
            "rmw",
            target="local",
            base=base,
            bits=bits,
            kind=kind,
            ordering="acq_rel",
            alignment=size,
            **SCALAR,
        )
        self.add(
            row,
            {"addr": addresses, "data": operands},
            {"read": old},
            inputs=["address", "update", "control"],
            outputs=["old", "completion"],
        )

    def exchange(self, *, base, bits, spread):
        """Elements that are often what is expected."""
        rng, size = self.rng, bits // 8
        addresses = [rng.randrange(spread) for _ in range(self.count)]
        expected, desired, old, success = [], [], [], []
        for at in (base + size * at for at in addresses):
            now = self.get(at, size)
            guess = now if rng.random() < 0.6 else now ^ 1 << rng.randrange(bits)
            expected.append(guess)
            desired.append(self.value(bits))
            old.append(now)
            success.append(int(guess == now))
            if guess == now:
                self.put(at, size, desired[-1])
        row = atomic_row(
            "swap",
            "cmpxchg",
            target="local",
            base=base,
            bits=bits,
            orderings=["seq_cst", "acquire"],
            weak=True,
            alignment=size,
            **SCALAR,
        )
        self.add(
            row,
            {"addr": addresses, "expected": expected, "data": desired},
            {"read": old, "success": success},
            inputs=["address", "expected", "desired", "control"],
            outputs=["old", "success", "completion"],
        )

    def lanes(self, actor, form, *, base, kind=None):
        """Two lanes of 16 bits behind a mask; indexed ones often the same."""
        rng, inputs = self.rng, ["address", "mask", "control"]
        tokens = {name: [] for name in ("addr", "mask", "data", "expected")}
        old, successes = [], []
        for _ in range(self.count):
            index = [rng.randrange(3) for _ in range(2)]
            if form == "contiguous":
                index = [index[0], index[0] + 1]
            mask, operands = rng.randrange(4), [self.value(16) for _ in range(2)]
            guesses, found, hits = [], 0, 0
            for lane in range(2):
                at = base + 2 * index[lane]
                now = self.get(at, 2)
                guess = now if rng.random() < 0.6 else self.value(16)
                guesses.append(guess)
                if not mask >> lane & 1:
                    continue
                found |= now << 16 * lane
                if actor == "rmw":
                    self.put(at, 2, updated(kind, now, operands[lane], 16))
                elif guess == now:
                    hits |= 1 << lane
                    self.put(at, 2, operands[lane])
            tokens["addr"].append(index[0] | (index[1] << 32 if form == "indexed" else 0))
            tokens["mask"].append(mask)
            tokens["data"].append(operands[0] | operands[1] << 16)
            tokens["expected"].append(guesses[0] | guesses[1] << 16)
            old.append(found)
            successes.append(hits)
        said = {"form": form, "bits": 16, "lanes": 2, "mask": "dynamic", "alignment": 2}
        results = {"read": old}
        if actor == "rmw":
            del tokens["expected"]
            inputs, outputs = [*inputs, "update"], ["old", "completion"]
            said |= {"kind": kind, "ordering": "acq_rel"}
        else:
            inputs, outputs = [*inputs, "expected", "desired"], ["old", "success", "completion"]
            said |= {"orderings": ["monotonic", "monotonic"], "weak": False}
            results["success"] = successes
        row = atomic_row(f"{actor}_{form}", actor, target="local", base=base, **said, **LANES)
        self.add(row, tokens, results, inputs=inputs, outputs=outputs)

    def load_and_store(self, base):
        """An atomic load of what nobody writes, an atomic store, and a fence."""
        rng = self.rng
        addresses = [rng.randrange(4) for _ in range(self.count)]
        load = atomic_row(
            "look",
            "load",
            target="local",
            base=base,
            bits=32,
            alignment=4,
            volatile=False,
            atomic={"ordering": "acquire", "sync_scope": "system", "granularity": "whole_payload"},
        )
        self.add(
            load,
            {"addr": addresses},
            {"read": [self.get(base + 4 * at, 4) for at in addresses]},
            inputs=["address", "control"],
            outputs=["data", "completion"],
        )
        values = [self.value(16) for _ in addresses]
        for at, value in zip(addresses, values, strict=True):
            self.put(base + 16 + 2 * at, 2, value)
        store = atomic_row(
            "leave",
            "store",
            target="local",
            base=base + 16,
            bits=16,
            alignment=2,
            volatile=False,
            atomic={"ordering": "release", "sync_scope": "system", "granularity": "absent"},
        )
        self.add(
            store,
            {"addr": addresses, "data": values},
            {},
            inputs=["address", "data", "control"],
            outputs=["completion"],
        )
        fence = atomic_row(
            "order", "fence", target="local", ordering="seq_cst", sync_scope="system"
        )
        self.add(fence, {}, {}, inputs=["control"], outputs=["completion"])

    def run(self, fabric_text, directory, simulator):
        fabric = parse_fabric(fabric_text)
        rows = parse_mapping(atomic_mapping(*self.rows), fabric)
        text = f"memory.mem0.local.image = {{ words = {list(self.before)}, bits = 8, at = 0 }}\n"
        for kind, lines in self.lines.items():
            text += "\n".join([f"{kind} = [", *lines, "]\n"])
        report = simulate(
            fabric,
            rows,
            parse_workload(text, fabric, rows.memories, directory),
            simulator=simulator,
            seed=self.rng.randrange(1000),
            build_dir=directory,
            patterns=("always", "geometric"),
        )
        assert not report.findings
        assert report.memory == bytes(self.memory)


@pytest.mark.parametrize("simulator", [ICARUS, VERILATOR])
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_temporal_rows_of_every_integer_kind(seed, simulator, tmp_path):
    rng = random.Random(seed)
    table = Table(rng, 12)
    for place, kind in enumerate(INTEGER_KINDS):
        table.update(kind, base=64 * place, bits=rng.choice([8, 16, 32, 64]), spread=2)
    table.exchange(base=64 * 15, bits=rng.choice([8, 16, 32, 64]), spread=2)
    table.run(atomic_fabric(16, targets=["local"], beat_bits=64), tmp_path, simulator)


@pytest.mark.parametrize("simulator", [ICARUS, VERILATOR])
@pytest.mark.parametrize("seed", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_temporal_lanes_loads_stores_and_fences(seed, simulator, tmp_path):
    table = Table(random.Random(seed), 10)
    table.lanes("rmw", "contiguous", base=0, kind="add")
    table.lanes("rmw", "indexed", base=64, kind="usub_sat")
    table.lanes("cmpxchg", "contiguous", base=128)
    table.lanes("cmpxchg", "indexed", base=192)
    table.load_and_store(256)
    table.run(atomic_fabric(8, targets=["local"]), tmp_path, simulator)


@pytest.mark.parametrize("simulator", [ICARUS, VERILATOR])
def test_one_port_dispatches_to_the_service_and_to_a_manager(simulator, tmp_path):
    rng = random.Random(5)
    table = Table(rng, 10)
    table.update("add", base=0, bits=32, spread=2)
    table.exchange(base=64, bits=16, spread=2)
    # Nothing orders accesses at a manager, so each has an object of its own; they are zero.
    for place, target in enumerate(("ext0", "local")):
        addresses, values = list(range(10)), [table.value(32) for _ in range(10)]
        if target == "local":
            table.memory[512 : 512 + 40] = b"".join(each.to_bytes(4, "little") for each in values)
            table.before[512 : 512 + 40] = bytes(40)
        row = atomic_row(
            f"apart_{target}",
            "rmw",
            target=target,
            base=512,
            bits=32,
            kind="umax",
            ordering="acq_rel",
            alignment=4,
            **SCALAR,
        )
        assert len(table.rows) == 2 + place
        table.add(
            row,
            {"addr": addresses, "data": values},
            {"read": [0] * 10},
            inputs=["address", "update", "control"],
            outputs=["old", "completion"],
        )
    text = atomic_fabric(4, targets=["local", "ext0"], kinds=["add", "umax"])
    table.run(text, tmp_path, simulator)
