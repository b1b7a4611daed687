"""A run on Python's simulator, once more on the emitted Verilog: every cycle must be the same."""

from pathlib import Path

from amaranth.hdl._ir import PortDirection

from fabricgen.emit.package import emit_fabric, top_ports
from fabricgen.plan.geometry import bank_geometry
from sim.memory_image import words_of_bytes
from tests.support.verilog import simulated

_BENCH = """
module bench;
  reg clk = 0, rst = 1;
  always #5 clk = ~clk;
  reg [{drives}-1:0] drive [0:{cycles}-1];
  reg [{shows}-1:0] show [0:{cycles}-1], care [0:{cycles}-1];
  reg [{drives}-1:0] driven = 0;
  wire [{shows}-1:0] shown;
  integer cycle;
  {top} dut(.clk(clk), .rst(rst), {connections});
  initial begin
    $readmemb("drive.txt", drive);
    $readmemb("show.txt", show);
    $readmemb("care.txt", care);
    {banks}
    repeat (3) @(negedge clk);
    rst = 0;
    for (cycle = 0; cycle < {cycles}; cycle = cycle + 1) begin
      driven = drive[cycle];
      #4;
      if (((shown ^ show[cycle]) & care[cycle]) !== 0) begin
        $display("cycle %0d: %b", cycle, (shown ^ show[cycle]) & care[cycle]);
        $finish;
      end
      @(negedge clk);
    end
    $display("%0d cycles alike", cycle);
    $finish;
  end
endmodule
"""


class Recording:
    """Everything on the ports of a top just before each clock edge."""

    def __init__(self, top):
        self.ports = top_ports(top)
        self.cycles = []

    async def watch(self, ctx):
        """Record until the run ends."""
        signals = [signal for signal, _ in self.ports.values()]
        async for _edge, _reset, *values in ctx.tick().sample(*signals):
            self.cycles.append(dict(zip(self.ports, values, strict=True)))

    def words(self, *, inputs):
        """Names and bits of the inputs or outputs, the highest first."""
        return [
            (name, len(signal))
            for name, (signal, direction) in self.ports.items()
            if (direction is PortDirection.Input) == inputs
        ]


def replayed(recording, fabric, memory, folder: Path):
    """What Icarus says of the first cycle that differs, or how many do not.

    An output counts if it is a handshake, or if what it belongs to is valid; inputs are those of
    the recording, and ``memory`` is in the banks at first.
    """
    emitted = emit_fabric(fabric, folder / "rtl")
    drives, shows = recording.words(inputs=True), recording.words(inputs=False)
    for name, words, pick in (
        ("drive", drives, lambda cycle, port: cycle[port]),
        ("show", shows, lambda cycle, port: cycle[port]),
        ("care", shows, _cares),
    ):
        lines = [
            "".join(f"{pick(cycle, port):0{bits}b}"[-bits:] for port, bits in words)
            for cycle in recording.cycles
        ]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")
    banks = _banks(fabric, emitted.banks[0], memory, folder)
    text = _BENCH.format(
        top=emitted.top,
        cycles=len(recording.cycles),
        drives=sum(bits for _, bits in drives),
        shows=sum(bits for _, bits in shows),
        connections=", ".join((*_slices(drives, "driven"), *_slices(shows, "shown"))),
        banks="\n    ".join(banks),
    )
    return simulated(text, folder, *emitted.sources)


def _cares(cycle, port):
    """All ones where an output means something."""
    if port.endswith(("valid", "ready")):
        return 1
    name = port.removeprefix("cfg_")
    valid = f"cfg_{name[0]}valid" if port != name else f"{port.rpartition('_')[0]}_valid"
    return -cycle[valid] & (1 << 64) - 1


def _slices(words, vector):
    """Each port joined with its bits of a vector whose highest ones are the first port's."""
    at = sum(bits for _, bits in words)
    for name, bits in words:
        at -= bits
        yield f".{name}({vector}[{at}+:{bits}])"


def _banks(fabric, paths, memory, folder):
    size = bank_geometry(fabric.memories[0]).beat_bytes
    for at, (path, words) in enumerate(
        zip(paths, words_of_bytes(memory, size, len(paths)), strict=True)
    ):
        (folder / f"bank{at}.txt").write_text("".join(f"{word:x}\n" for word in words))
        yield f'$readmemh("bank{at}.txt", dut.{path}, 0, {len(words) - 1});'
