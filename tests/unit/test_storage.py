"""The storage of banks in modules of its own: arrays, and memory macros in their place."""

import random

import pytest

from fabricgen.author.macro import parse_macro
from fabricgen.emit import storage
from fabricgen.emit.storage import storage_text
from fabricgen.errors import Invalid
from fabricgen.records.storage_macro import MacroPins, StorageMacro
from tests.support.verilog import compiles_as_2005, lint, simulated

PLAIN = StorageMacro("sram", words=64, bits=32, mask_bits=8)
OTHER = StorageMacro(
    "SRAM2P_16X12",
    words=16,
    bits=12,
    mask_bits=4,
    low_mask=True,
    low_enables=True,
    pins=MacroPins("CLKA", "CENA", "AA", "QA", "CENB", "AB", "DB", "BWEB"),
)
#: Depth and width of storage, and the macro: exact, several rows and columns, a part of one macro,
#: a last row and a last column that are not used up.
SHAPES = {
    "one": (64, 32, PLAIN),
    "tiles": (128, 64, PLAIN),
    "part": (16, 16, PLAIN),
    "ragged": (40, 64, OTHER),
    "narrow": (32, 8, StorageMacro("bits", words=16, bits=2, mask_bits=1, low_mask=True)),
}


def macro_model(macro):
    """The macro as a data sheet would say it; what a collision leaves undefined is X."""
    pins, bits = macro.pins, macro.bits
    enabled = "!" if macro.low_enables else ""
    writes = "!" if macro.low_mask else ""
    address = (macro.words - 1).bit_length()
    masks = bits // macro.mask_bits
    return f"""
module {macro.module} (
  input {pins.clock}, input {pins.read_enable}, input {pins.write_enable},
  input [{address - 1}:0] {pins.read_address}, input [{address - 1}:0] {pins.write_address},
  input [{bits - 1}:0] {pins.write_data}, input [{masks - 1}:0] {pins.write_mask},
  output reg [{bits - 1}:0] {pins.read_data}
);
  reg [{bits - 1}:0] cells [0:{macro.words - 1}];
  integer i;
  always @(posedge {pins.clock}) begin
    if ({enabled}{pins.read_enable}) {pins.read_data} = cells[{pins.read_address}];
    if ({enabled}{pins.write_enable})
      for (i = 0; i < {bits}; i = i + 1)
        if ({writes}{pins.write_mask}[i / {macro.mask_bits}]) begin
          cells[{pins.write_address}][i] = {pins.write_data}[i];
          if ({enabled}{pins.read_enable} && {pins.read_address} == {pins.write_address})
            {pins.read_data}[i] = 1'bx;
        end
  end
endmodule
"""


def stimulus(depth, width, count=400):
    """Random accesses; the first ones fill every word."""
    rng = random.Random(depth * width)
    lines = []
    for at in range(depth + count):
        fills = at < depth
        address = at if fills else rng.randrange(depth)
        enable = (1 << width // 8) - 1 if fills else rng.getrandbits(width // 8)
        read = rng.choice([address, rng.randrange(depth)])
        lines.append(f"{read:x} {address:x} {rng.getrandbits(width):x} {enable:x}")
    return lines


def bench(depth, width):
    """Both modules side by side; bytes written while they are read are not compared."""
    address, count = (depth - 1).bit_length(), width // 8
    return f"""
module bench;
  reg clk = 0;
  reg [{address - 1}:0] ra, wa, last_ra, last_wa;
  reg [{width - 1}:0] wd;
  reg [{count - 1}:0] we, last_we;
  wire [{width - 1}:0] one, other;
  array dut0 (clk, ra, one, wa, wd, we);
  macros dut1 (clk, ra, other, wa, wd, we);
  integer file, found, at, compared, wrong, filled;
  initial begin
    file = $fopen("accesses.txt", "r"); compared = 0; wrong = 0; filled = 0;
    found = $fscanf(file, "%h %h %h %h", ra, wa, wd, we);
    while (found == 4) begin
      #1 clk = 1; last_ra = ra; last_wa = wa; last_we = we; filled = filled + 1;
      #1 clk = 0;
      if (filled > {depth})
        for (at = 0; at < {count}; at = at + 1)
          if (!(last_ra == last_wa && last_we[at])) begin
            compared = compared + 1;
            if (one[8 * at +: 8] !== other[8 * at +: 8]) wrong = wrong + 1;
          end
      found = $fscanf(file, "%h %h %h %h", ra, wa, wd, we);
    end
    $display("%0d compared, %0d wrong", compared, wrong);
    $finish;
  end
endmodule
"""


def compared(depth, width, macro, cwd):
    """Bytes compared and bytes that differ between arrays and macros."""
    texts = [
        storage_text("top", [("array", depth, width)]),
        storage_text("top", [("macros", depth, width)], macro),
        macro_model(macro),
        bench(depth, width),
    ]
    (cwd / "accesses.txt").write_text("\n".join(stimulus(depth, width)) + "\n")
    (line,) = simulated("\n".join(texts), cwd)
    found = line.split()
    return int(found[0]), int(found[2])


@pytest.mark.parametrize("name", SHAPES)
def test_macros_hold_what_arrays_hold(name, tmp_path):
    depth, width, macro = SHAPES[name]
    count, wrong = compared(depth, width, macro, tmp_path)
    assert count > 200 * width // 8
    assert wrong == 0


@pytest.mark.parametrize("part", ["low_mask", "low_enables"])
def test_the_comparison_sees_a_wrong_polarity(part, tmp_path, monkeypatch):
    # Mutant: the wrapper drives the other level.
    depth, width, macro = SHAPES["ragged"]
    wrong_way = StorageMacro(
        **{name: getattr(macro, name) for name in StorageMacro.__slots__} | {part: False}
    )
    plain = storage.storage_text
    monkeypatch.setitem(
        globals(),
        "storage_text",
        lambda top, modules, each=None: plain(top, modules, each and wrong_way),
    )
    assert compared(depth, width, macro, tmp_path)[1]


@pytest.mark.parametrize("name", SHAPES)
def test_the_wrapper_is_clean(name, tmp_path):
    depth, width, macro = SHAPES[name]
    text = storage_text("top", [("macros", depth, width)], macro) + macro_model(macro)
    assert compiles_as_2005(text, tmp_path) == ""
    # The model of the macro is a test's own, in the style of data sheets.
    found = [line for line in lint(text, "macros", tmp_path) if line.startswith("%Warning")]
    assert [line for line in found if "BLKSEQ" not in line] == []
    plain = storage_text("top", [("array", depth, width)])
    assert compiles_as_2005(plain, tmp_path) == ""
    assert lint(plain, "array", tmp_path) == []


DOCUMENT = """
module = "SRAM2P_16X12"
words = 16
bits = 12
mask_bits = 4
write_mask = "active_low"
enables = "active_low"
[pins]
clock = "CLKA"
read_enable = "CENA"
read_address = "AA"
read_data = "QA"
write_enable = "CENB"
write_address = "AB"
write_data = "DB"
write_mask = "BWEB"
"""


def test_a_macro_is_read_from_its_document():
    assert parse_macro(DOCUMENT) == OTHER
    short = 'module = "sram"\nwords = 64\nbits = 32\nmask_bits = 8\n'
    assert parse_macro(short) == PLAIN


def test_all_findings_of_a_macro_come_at_once():
    text = (
        'module = "2sram"\nwords = 48\nbits = 30\nmask_bits = 8\nkind = 1\n[pins]\nclock = "re"\n'
    )
    with pytest.raises(Invalid) as caught:
        parse_macro(text)
    assert sorted((d.where, d.code) for d in caught.value.diagnostics) == [
        ("bits", "macro-shape"),
        ("kind", "unknown-key"),
        ("module", "macro-name"),
        ("pins", "macro-name"),
        ("words", "macro-shape"),
    ]
