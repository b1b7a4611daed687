"""The memory that the page on managers shows, behind emitted Verilog that nothing here drives.

The bench is plain Verilog on the boundary: it makes the listed bus accesses, stores through one row
of a Temporal port, loads what it stored through another, and prints what comes.
"""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fabricgen.cli.main import app

pytestmark = pytest.mark.skipif(shutil.which("iverilog") is None, reason="apt-get install iverilog")

PAGE = (Path(__file__).parents[2] / "docs" / "managers.md").read_text()
CLASS = (
    'contract = [{ plain = { volatile = [false] } }]\npatterns = ["direct"]\ntargets = ["ext0"]\n'
    'access = [{ form = "element", address = { root_relative = [32] }, element_bits = [16], '
    'lanes = [1], mask = ["absent"], alignment = "any", '
)
PORT = (
    '[[memory.port]]\nname = "%s"\npatterns = [{ name = "direct", projection = "direct" }]\n'
    "resources = { context = 2, in_flight = [2, 4], result_holding = [2, 4], operand_depth = 1, "
    "grant = { round_robin = { reset_cursor = 0 } } }\n[[memory.port.%s]]\n"
)
FABRIC = f"""
fabric = {{ name = "page" }}
[[memory]]
name = "m"
schedule = "temporal"
resident_contexts = 2
tag_width = 1
endpoints = [
  {{ name = "ra", dir = "in", bits = 32 }}, {{ name = "rq", dir = "out", bits = 16 }},
  {{ name = "rd", dir = "out", bits = 0 }}, {{ name = "wa", dir = "in", bits = 32 }},
  {{ name = "wx", dir = "in", bits = 16 }}, {{ name = "wd", dir = "out", bits = 0 }},
]
manager = [{{ name = "ext0", beat_bits = 32 }}]
{PORT % ("r", "load")}
roles = {{ address = "ra", control = "ra", data = "rq", completion = "rd" }}
{CLASS} read_subword = ["exact"] }}]
{PORT % ("w", "store")}
roles = {{ address = "wa", control = "wa", data = "wx", completion = "wd" }}
{CLASS} write_subword = ["exact"] }}]
"""
ROW = (
    '[[memory.m.row]]\nname = "%s"\nport = "%s"\n%s = { form = "element", element_bits = 16, '
    'lanes = 1, mask = "absent", index_bits = 32, pattern = "direct" }\nbase = 0x8000_0000\n'
    'target = "ext0"\ninputs = { address = { tag = 0 }, control = { tag = 1 }%s }\n'
    "outputs = { %scompletion = { tag = 1 } }\n"
)
MAPPING = (
    'fabric = "page"\n'
    + ROW % ("get", "r", "load", "", "data = { tag = 1 }, ")
    + ROW % ("put", "w", "store", ", data = { tag = 1 }", "")
)
BENCH = """
module bench;
  reg clk = 0, rst = 1;
  always #5 clk = ~clk;
  reg [31:0] address, word;
  reg awvalid = 0, wvalid = 0, arvalid = 0;
  wire bvalid, rvalid;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata;
  reg [31:0] index = 0;
  reg tag = 0, load = 0, store = 0, give = 0;
  wire ra_ready, wa_ready, wx_ready, rq_valid, rq_tag, wd_valid;
  wire [15:0] rq;
  wire ext0_req_ready, ext0_req_valid;
  wire [2:0] ext0_req_kind;
  wire [ORIGIN-1:0] ext0_req_origin;
  wire [BEAT-1:0] ext0_req_beat;
  wire [63:0] ext0_req_address;
  wire [3:0] ext0_req_strobe;
  wire [31:0] ext0_req_data;
  reg ext0_rsp_valid, ext0_rsp_error;
  reg [ORIGIN-1:0] ext0_rsp_origin;
  reg [BEAT-1:0] ext0_rsp_beat;
  reg [31:0] ext0_rsp_data;
MEMORY
  page dut(
    .clk(clk), .rst(rst),
    .cfg_awaddr(address), .cfg_awvalid(awvalid), .cfg_wdata(word), .cfg_wstrb(4'hf),
    .cfg_wvalid(wvalid), .cfg_bresp(bresp), .cfg_bvalid(bvalid), .cfg_bready(1'b1),
    .cfg_araddr(address), .cfg_arvalid(arvalid), .cfg_rdata(rdata), .cfg_rresp(rresp),
    .cfg_rvalid(rvalid), .cfg_rready(1'b1), .cfg_awready(awready), .cfg_wready(wready),
    .cfg_arready(arready),
    .ra_data(index), .ra_tag(tag), .ra_valid(load), .ra_ready(ra_ready),
    .wa_data(index), .wa_tag(tag), .wa_valid(store), .wa_ready(wa_ready),
    .wx_data(16'h1000 + index[15:0]), .wx_tag(1'b1), .wx_valid(give), .wx_ready(wx_ready),
    .rq_data(rq), .rq_tag(rq_tag), .rq_valid(rq_valid), .rq_ready(1'b1), .rd_ready(1'b1),
    .wd_valid(wd_valid), .wd_ready(1'b1),
    .ext0_req_valid(ext0_req_valid), .ext0_req_ready(ext0_req_ready),
    .ext0_req_kind(ext0_req_kind), .ext0_req_origin(ext0_req_origin),
    .ext0_req_beat(ext0_req_beat), .ext0_req_address(ext0_req_address),
    .ext0_req_strobe(ext0_req_strobe), .ext0_req_data(ext0_req_data),
    .ext0_rsp_valid(ext0_rsp_valid), .ext0_rsp_origin(ext0_rsp_origin),
    .ext0_rsp_beat(ext0_rsp_beat), .ext0_rsp_data(ext0_rsp_data),
    .ext0_rsp_error(ext0_rsp_error));
  wire awready, wready, arready;
  task write(input [31:0] at, input [31:0] value); begin
    @(negedge clk) address = at; word = value; awvalid = 1; wvalid = 1;
    while (awvalid || wvalid) begin : offer
      reg a, w;
      #4 a = awready; w = wready;
      @(negedge clk) if (a) awvalid = 0;
      if (w) wvalid = 0;
    end
    while (!bvalid) @(negedge clk);
    if (bresp != 0) $display("write %h refused", at);
    @(negedge clk);
  end endtask
  task read(input [31:0] at, input [31:0] value); begin
    @(negedge clk) address = at; arvalid = 1;
    while (arvalid) begin : offer
      reg a;
      #4 a = arready;
      @(negedge clk) if (a) arvalid = 0;
    end
    while (!rvalid) @(negedge clk);
    if (rresp != 0 || rdata != value) $display("read %h gave %h", at, rdata);
    @(negedge clk);
  end endtask
  task offer_load(input which); begin
    tag = which; load = 1; #4 while (!ra_ready) begin @(negedge clk); #4; end
    @(negedge clk) load = 0;
  end endtask
  task offer_store(input which); begin
    tag = which; store = 1; #4 while (!wa_ready) begin @(negedge clk); #4; end
    @(negedge clk) store = 0;
  end endtask
  always @(posedge clk) if (rq_valid) $display("token %h tag %0d", rq, rq_tag);
  initial begin
    repeat (3) @(negedge clk);
    rst = 0;
ACCESSES
    for (index = 0; index < 5; index = index + 1) begin
      offer_store(0); offer_store(1);
      give = 1; #4 while (!wx_ready) begin @(negedge clk); #4; end
      @(negedge clk) give = 0;
      while (!wd_valid) @(negedge clk);
    end
    for (index = 5; index > 0; index = index) begin
      index = index - 1;
      offer_load(0); offer_load(1);
    end
    repeat (30) @(negedge clk);
    $finish;
  end
  initial #100000 begin $display("nothing moves"); $finish; end
endmodule
"""


def test_the_memory_of_the_page_answers_a_fabric(tmp_path):
    (tmp_path / "fabric.toml").write_text(FABRIC)
    (tmp_path / "mapping.toml").write_text(MAPPING)
    files = [str(tmp_path / name) for name in ("fabric.toml", "mapping.toml")]
    emitted = CliRunner().invoke(app, ["emit", files[0], "-o", str(tmp_path / "rtl")])
    assert emitted.exit_code == 0, emitted.stderr
    listed = CliRunner().invoke(app, ["image", *files, "--writes", "--json"])
    accesses = "\n".join(
        f"{step['access']}({step['address']}, 32'h{step['data']:08x});"
        for step in json.loads(listed.stdout)
    )
    manifest = json.loads((tmp_path / "rtl" / "manifest.json").read_text())
    widths = manifest["memories"][0]["managers"][0]["response"]
    bench = BENCH.replace("ORIGIN", str(widths["origin"])).replace("BEAT", str(widths["beat"]))
    memory = re.search(r"```verilog\n(.*?)```", PAGE, re.S)[1]
    bench = bench.replace("MEMORY", memory).replace("ACCESSES", accesses)
    (tmp_path / "bench.v").write_text(bench)
    sources = ["bench.v", "rtl/page.v"]
    subprocess.run(["iverilog", "-g2005", "-o", "bench", *sources], cwd=tmp_path, check=True)
    ran = subprocess.run(["vvp", "-n", "bench"], cwd=tmp_path, check=True, capture_output=True)
    told = [line for line in ran.stdout.decode().splitlines() if "$finish" not in line]
    assert sorted(told) == [f"token {0x1000 + index:04x} tag 1" for index in range(5)]
