"""Emitted fabrics of datapath resources: every family, by tools that we did not write."""

# amaranth: UnusedElaboratable=no
import json
import random
import subprocess
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from fabricgen.cli.main import app
from fabricgen.emit.package import emit_fabric
from fabricgen.errors import Unsupported
from fabricgen.hsg.resource import ResourceTiming
from fabricgen.records.fabric import Fabric, NamedOp
from fabricgen.rtl.providers.registry import PROVIDERS
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support import memories as mem
from tests.support import token_ops as token
from tests.support.documented_op import op_document
from tests.support.documents import toml
from tests.support.family_ops import SMALL
from tests.support.hsg_ops import add_sub, sine
from tests.support.verilog import (
    check,
    compiles_as_2005,
    emitted_elsewhere,
    lint,
    ports,
    require_icarus,
)

#: Beginnings of families: a fabric each.
GROUPS = ("SCALAR", "FIXED_VECTOR", "TOKEN", "LOOP")


def emitted(directory, *ops, memories=()):
    """A fabric of these ops, in a folder of its own."""
    return emit_fabric(Fabric("ops", memories, tuple(ops)), directory / "emitted")


def group(prefix):
    """The small resources whose family begins so, each under the name of its family."""
    return [
        NamedOp(family.name.lower(), op)
        for family, op in SMALL.items()
        if family.name.startswith(prefix)
    ]


def channels(ops):
    """Name and width of all operands, then of all results."""
    return tuple(
        [
            (f"{named.name}_{way}{at}", width)
            for named in ops
            for at, width in enumerate(getattr(named.op.ports, side))
        ]
        for way, side in (("in", "inputs"), ("out", "outputs"))
    )


def undefined_bits(text, ops, cwd, cycles=60):
    """What four-state simulation finds undefined behind a reset, under traffic that never waits.

    Verilog has no channels: a register for each valid, and constants that are drawn here.
    """
    drawn = random.Random(1)
    inputs, outputs = channels(ops)
    steps = "".join(
        f"  #5 clk = 0; {offer} #5 clk = 1; #1;\n{watch}"
        for offer, watch in [
            (
                " ".join(
                    f"{name}_valid = {drawn.randrange(2)};"
                    + (f" {name}_data = {drawn.getrandbits(width)};" if width else "")
                    for name, width in inputs
                ),
                "".join(
                    f'  if (^{name}_valid === 1\'bx) $display("{name}_valid");\n'
                    + (
                        f'  if ({name}_valid && ^{name}_data === 1\'bx) $display("{name}_data");\n'
                        if width
                        else ""
                    )
                    for name, width in outputs
                )
                + "".join(
                    f'  if (^{name}_ready === 1\'bx) $display("{name}_ready");\n'
                    for name, _ in inputs
                ),
            )
            for _ in range(cycles)
        ]
    )
    declared, joined = [], []
    for name, span in ports(text, "ops").items():
        kind, *width = span.split()
        drives = "wire" if kind == "output" else "reg"
        start = "" if kind == "output" else " = 0"
        declared.append(f"  {drives} {' '.join(width)} {name}{start};\n")
        joined.append(f".{name}({name})")
    ready = " ".join(f"{name}_ready = 1;" for name, _ in outputs)
    bench = (
        f"module bench;\n{''.join(declared)}  ops dut({', '.join(joined)});\n"
        f"  initial begin\n  rst = 1; {ready} #5 clk = 1; #5 clk = 0; rst = 0;\n"
        f"{steps}  $finish;\n  end\nendmodule\n"
    )
    (cwd / "bench.v").write_text(text + bench)
    program = cwd / "bench.vvp"
    subprocess.run(["iverilog", "-g2005", "-o", program, cwd / "bench.v"], check=True)
    done = subprocess.run(["vvp", program], check=True, capture_output=True, text=True)
    return sorted({line for line in done.stdout.splitlines() if "$finish" not in line})


def test_every_family_with_a_provider_is_emitted_here():
    named = {each.name for prefix in GROUPS for each in group(prefix)}
    assert named == {family.name.lower() for family in PROVIDERS}


def emitted_document(directory, ops):
    """The text that the command line makes of the document of these ops."""
    document = {"fabric": {"name": "ops"}, "op": [op_document(named) for named in ops]}
    (directory / "ops.toml").write_text(toml(document))
    words = ["emit", str(directory / "ops.toml"), "-o", str(directory / "emitted")]
    assert CliRunner().invoke(app, words).exit_code == 0
    return (directory / "emitted" / "ops.v").read_text()


@pytest.mark.parametrize("prefix", GROUPS)
def test_the_text_of_every_family_is_clean(prefix, tmp_path):
    ops = group(prefix)
    text = emitted_document(tmp_path, ops)
    for named in ops:
        assert ports(text, f"ops_{named.name}_op_provider")["quiescent"] == "output"
    assert lint(text, "ops", tmp_path) == []
    assert check(text, "ops", tmp_path) == ""
    assert compiles_as_2005(text, tmp_path) == ""
    assert undefined_bits(text, ops, tmp_path) == []


def test_an_undefined_bit_is_found(tmp_path):
    """A slot that keeps nothing."""
    require_icarus()
    op = NamedOp("alu", add_sub(widths=(8,)))
    text = emitted(tmp_path, op).verilog.read_text()
    spoiled = text.replace("operand_0 <= in0_data;", "operand_0 <= 8'bx;")
    assert spoiled != text
    assert undefined_bits(spoiled, [op], tmp_path) == ["alu_out0_data"]


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """Two resources whose names come in another order than they are written."""
    ops = (NamedOp("sub", add_sub(widths=(8,))), NamedOp("loop", token.carry()))
    return emitted(tmp_path_factory.mktemp("pair"), *ops)


def test_the_ports_are_those_of_the_resources_in_order(pair):
    own = [name for name in ports(pair.verilog.read_text(), "ops") if not name.startswith("cfg_")]
    assert own == [
        "clk",
        "rst",
        *(
            f"{channel}_{member}"
            for channel in ("sub_in0", "sub_in1", "sub_out0")
            for member in ("data", "valid", "ready")
        ),
        *(
            f"loop_{channel}_{member}"
            for channel in ("in0", "in1", "in2", "out0")
            for member in ("data", "valid", "ready")
        ),
    ]


def test_each_provider_is_a_module_of_its_own(pair):
    text = pair.verilog.read_text()
    assert ports(text, "ops_sub_op_provider")["configuration"] == "input"
    assert ports(text, "ops_sub_op")["configuration"] == "input"
    assert "configuration" not in ports(text, "ops_loop_op_provider")


def test_the_manifest_describes_the_resources(pair):
    manifest = json.loads(pair.manifest.read_text())
    assert manifest["memories"] == []
    assert pair.banks == ()
    assert manifest["ops"][0] == {
        "name": "sub",
        "family": "ScalarIntegerAddSub",
        "op_list": ["ArithAddI", "ArithSubI"],
        "inputs": [
            {"name": "sub_in0", "payload_width": 8},
            {"name": "sub_in1", "payload_width": 8},
        ],
        "outputs": [{"name": "sub_out0", "payload_width": 8}],
        "timing": {"latency_cycles": 1, "initiation_interval_cycles": 1},
        "configuration": {"bit": 1, "width": 2},
    }
    assert [op["configuration"] for op in manifest["ops"]] == [{"bit": 1, "width": 2}, None]


def test_the_names_lead_to_the_providers(pair):
    names = json.loads((pair.directory / "names.json").read_text())
    assert names["memories"] == []
    assert names["ops"] == [
        {"name": "sub", "instance": "sub_op", "provider": "sub_op.provider"},
        {"name": "loop", "instance": "loop_op", "provider": "loop_op.provider"},
    ]
    assert names["instances"]["sub_op.provider"] == "ScalarIntegerAddSub"
    assert names["instances"]["loop_op.provider"] == "LoopCarry"


def test_a_memory_and_resources_stand_beside_one_another(tmp_path):
    ops = NamedOp("alu", add_sub(widths=(8,))), NamedOp("loop", token.carry())
    done = emitted(tmp_path, *ops, memories=(mem.hybrid_memory(capacity=256),))
    text = done.verilog.read_text()
    assert lint(text, "ops", tmp_path) == []
    names = json.loads((done.directory / "names.json").read_text())
    assert len(names["memories"]) == 1
    assert len(names["ops"]) == 2


def test_another_hash_seed_gives_the_same_bytes(tmp_path):
    program = (
        "from fabricgen.emit.package import emit_fabric\n"
        "from fabricgen.records.fabric import Fabric, NamedOp\n"
        "from pathlib import Path\n"
        "from tests.support.family_ops import SMALL, F\n"
        "chosen = (F.SCALAR_INTEGER_COMPARE_MIN_MAX, F.TOKEN_MUX, F.FIXED_VECTOR_SERIALIZE)\n"
        "ops = tuple(NamedOp(f'op{at}', SMALL[family]) for at, family in enumerate(chosen))\n"
        "done = emit_fabric(Fabric('ops', (), ops), Path('emitted'))\n"
        "print(done.manifest.read_text())\n"
    )
    texts = []
    for seed in ("1", "2"):
        (tmp_path / seed).mkdir()
        texts.append(emitted_elsewhere(program, seed, tmp_path / seed))
    assert texts[0] == texts[1]
    assert "ops.v" in texts[0]


def test_every_resource_without_a_provider_is_told_of_and_nothing_is_written(tmp_path):
    late = replace(add_sub(widths=(8,)), timing=ResourceTiming(2))
    ops = NamedOp("sine", sine()), NamedOp("fine", add_sub()), NamedOp("late", late)
    with pytest.raises(Unsupported) as refused:
        emitted(tmp_path, *ops)
    assert [(each.code, each.where) for each in refused.value.diagnostics] == [
        ("family-without-provider", "op[0].family"),
        ("provider-timing", "op[2].timing"),
    ]
    assert not (tmp_path / "emitted").exists()


def test_families_without_a_provider_are_those_of_floats():
    assert all("FLOAT" in each.name or "MATH" in each.name for each in set(F) - set(PROVIDERS))
