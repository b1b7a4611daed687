"""A document's resources from its text to their results: emitted, programmed, fed on Icarus.

The bus accesses are those that ``fabricgen image --writes`` prints, and no part of the project
takes part in the simulation.
"""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fabricgen.cli.main import app
from tests.support.documents import toml
from tests.support.verilog import ports

pytestmark = pytest.mark.skipif(shutil.which("iverilog") is None, reason="apt-get install iverilog")


def op(name, family, op_list, hw_params, inputs):
    """A resource of one cycle with a result of 32 bits."""
    return {
        "name": name,
        "family": family,
        "op_list": op_list,
        "hw_params": hw_params,
        "ports": {"inputs": inputs, "outputs": [32]},
        "timing": {"latency_cycles": 1, "initiation_interval_cycles": 1},
    }


def binary(operation):
    """The actor of an integer operation."""
    return {"operation": operation, "operands": ["i32", "i32"], "results": ["i32"]}


def constant(value):
    """The actor of a constant."""
    return {
        "operation": "dataflow.constant",
        "operands": ["none"],
        "results": ["i32"],
        "value": value,
    }


#: One access at a time, as its response comes; an unexpected one is told.
BUS = """
  task write(input [31:0] address, input [31:0] value, input [1:0] response);
    begin
      cfg_awaddr = address; cfg_wdata = value; cfg_wstrb = 15; cfg_awvalid = 1; cfg_wvalid = 1;
      while (cfg_awvalid || cfg_wvalid) begin
        #1 aw = cfg_awready; w = cfg_wready;
        @(posedge clk) #1;
        if (aw) cfg_awvalid = 0;
        if (w) cfg_wvalid = 0;
      end
      while (!cfg_bvalid) @(posedge clk) #1;
      if (cfg_bresp !== response) $display("bresp %d at %d", cfg_bresp, address);
      cfg_bready = 1; @(posedge clk) #1 cfg_bready = 0;
    end
  endtask
  task read(input [31:0] address, input [31:0] value, input [1:0] response);
    begin
      cfg_araddr = address; cfg_arvalid = 1;
      #1 while (!cfg_arready) @(posedge clk) #1;
      @(posedge clk) #1 cfg_arvalid = 0;
      while (!cfg_rvalid) @(posedge clk) #1;
      if (cfg_rresp !== response) $display("rresp %d at %d", cfg_rresp, address);
      if (cfg_rdata !== value) $display("rdata %h at %d", cfg_rdata, address);
      cfg_rready = 1; @(posedge clk) #1 cfg_rready = 0;
    end
  endtask
"""


def offer(name, value=None):
    """Offer one token until it is taken."""
    data = "" if value is None else f" {name}_data = {value};"
    return (
        f"    {name}_valid = 1;{data} #1 while (!{name}_ready) @(posedge clk) #1;\n"
        f"    @(posedge clk) #1 {name}_valid = 0;\n"
    )


def take(name):
    """Print one token."""
    return (
        f"    {name}_ready = 1; #1 while (!{name}_valid) @(posedge clk) #1;\n"
        f'    $display("{name} %0d", {name}_data); @(posedge clk) #1 {name}_ready = 0;\n'
    )


def accesses(steps):
    """The bus accesses of a listing."""
    codes = {"OKAY": 0, "SLVERR": 2}
    return "".join(
        f"    {step['access']}({step['address']}, {step['data']}, {codes[step['response']]});\n"
        for step in steps
    )


@dataclass
class Design:
    """An emitted fabric, and the bus accesses of its mappings."""

    folder: Path
    text: str
    steps: list[str]

    def simulate(self, program, *, beside="", change=str):
        """Play a program, with what stands beside it, on the text; returns what it printed."""
        declared, joined = [], []
        for name, span in ports(self.text, "unit").items():
            kind, *width = span.split()
            drives, start = ("wire", "") if kind == "output" else ("reg", " = 0")
            declared.append(f"  {drives} {' '.join(width)} {name}{start};\n")
            joined.append(f".{name}({name})")
        bench = (
            f"module bench;\n{''.join(declared)}  reg aw, w;\n  unit dut({', '.join(joined)});\n"
            f"  always #5 clk = !clk;\n{BUS}{beside}  initial begin\n    rst = 1;\n"
            f"    repeat (2) @(posedge clk) #1; rst = 0;\n{program}    $finish;\n  end\n"
            '  initial begin #40000 $display("timeout"); $finish; end\nendmodule\n'
        )
        (self.folder / "bench.v").write_text(change(self.text) + bench)
        built = self.folder / "bench.vvp"
        subprocess.run(["iverilog", "-g2005", "-o", built, self.folder / "bench.v"], check=True)
        done = subprocess.run(["vvp", built], check=True, capture_output=True, text=True)
        return [line for line in done.stdout.splitlines() if "$finish" not in line]


def designed(folder, ops, *mappings):
    """Emit the document of these ops, and list the accesses of each mapping."""
    run = CliRunner().invoke
    (folder / "unit.toml").write_text(toml({"fabric": {"name": "unit"}, "op": ops}))
    done = run(app, ["emit", str(folder / "unit.toml"), "-o", str(folder / "rtl")])
    assert done.exit_code == 0, done.output
    steps = []
    for mapping in mappings:
        (folder / "mapping.toml").write_text(toml({"fabric": "unit", "op": mapping}))
        words = ["image", str(folder / "unit.toml"), str(folder / "mapping.toml")]
        done = run(app, [*words, "--writes", "--json"])
        assert done.exit_code == 0, done.output
        steps.append(accesses(json.loads(done.stdout)))
    return Design(folder, (folder / "rtl" / "unit.v").read_text(), steps)


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """An adder that adds, then subtracts, and a constant that is 7, then 2^31."""
    widths = {"integer_widths": [8, 32]}
    alu = op("alu", "ScalarIntegerAddSub", ["arith.addi", "arith.subi"], widths, [32, 32])
    value = op("value", "TokenConstant", ["dataflow.constant"], {"max_payload_bits": 32}, [0])
    return designed(
        tmp_path_factory.mktemp("pair"),
        [alu, value],
        {"alu": binary("arith.addi"), "value": constant(7)},
        {"alu": binary("arith.subi"), "value": constant(1 << 31)},
    )


def test_programmed_behaviours_give_their_results(pair):
    firing = offer("alu_in0", 7) + offer("alu_in1", 5) + take("alu_out0")
    firing += offer("value_in0") + take("value_out0")
    add, sub = pair.steps
    assert pair.simulate(add + firing + sub + firing) == [
        "alu_out0 12",
        "value_out0 7",
        "alu_out0 2",
        f"value_out0 {1 << 31}",
    ]


def test_a_commit_while_an_operand_is_inside_is_refused(pair):
    """The firing that was begun ends as an addition; the accesses tell what was not expected."""
    half, rest = offer("alu_in0", 7), offer("alu_in1", 5) + take("alu_out0")
    add, sub = pair.steps
    told = pair.simulate(add + half + sub + rest)
    assert told.pop() == "alu_out0 12"
    # The commit, and the two words of the image that is still in force.
    assert [line.split()[0] for line in told] == ["bresp", "rdata", "rdata"]
    assert pair.simulate(add + half + rest + sub) == ["alu_out0 12"]


@pytest.fixture(scope="module")
def shifter(tmp_path_factory):
    """A shifter, which holds what it shifts left mirrored."""
    members = ["arith.shli", "arith.shrui"]
    shift = op("shift", "ScalarIntegerShift", members, {"integer_widths": [32]}, [32, 32])
    mappings = ({"shift": binary(member)} for member in members)
    return designed(tmp_path_factory.mktemp("shifter"), [shift], *mappings)


#: Numbers from 256 on are shifted by 2, one offered in each of a number of cycles or later.
TRAFFIC = """
  integer number = 256, pause = 0; reg on = 0;
  initial shift_out0_ready = 1;
  always @(posedge clk) begin
    if (shift_out0_valid) $display("%0d", shift_out0_data);
    if (shift_in0_valid && shift_in0_ready) begin
      number = number + 1; pause <= {gap}; #1 shift_in0_valid = 0; shift_in1_valid = 0;
    end else if (pause > 0) pause <= pause - 1;
    #2 if (on && !shift_in0_valid && pause == 0) begin
      shift_in0_data = number; shift_in1_data = 2; shift_in0_valid = 1; shift_in1_valid = 1;
    end
  end
"""


def switched(design, gap, change=str):
    """Results of a stream through repeated changes between both behaviours."""
    changes = "".join(design.steps * 12)
    program = f"{design.steps[0]}    on = 1;\n{changes}    on = 0; repeat (20) @(posedge clk);\n"
    told = design.simulate(program, beside=TRAFFIC.format(gap=gap), change=change)
    return [int(line) for line in told if line.isdecimal()]


@pytest.mark.parametrize("gap", range(1, 8))
def test_what_is_offered_through_a_commit_meets_one_behaviour(shifter, gap):
    """Commits that come between two firings succeed; nothing is lost, doubled or half changed."""
    results = switched(shifter, gap)
    both = [(number << 2, number >> 2) for number in range(256, 256 + len(results))]
    assert len(results) > 30
    found = [pair.index(each) for each, pair in zip(results, both, strict=True)]
    # Two accesses or more lie between two commits, so a free cycle is met by some of them.
    assert gap < 4 or set(found) == {0, 1}


def test_an_operand_that_is_taken_while_a_commit_is_decided_is_seen(shifter):
    """Without the hold, what was taken by one behaviour is shifted by the other."""

    def change(text):
        assert text.count("assign closed = hold;") == 1
        return text.replace("assign closed = hold;", "assign closed = 1'b0;")

    wrong = 0
    for gap in range(1, 8):
        results = switched(shifter, gap, change)
        numbers = range(256, 256 + len(results))
        wrong += any(each not in (n << 2, n >> 2) for each, n in zip(results, numbers, strict=True))
    assert wrong
