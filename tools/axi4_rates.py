"""Rates of the AXI4 manager adapter in front of a memory of 32 cycles: ``make bench-axi4``.

Each line shows what was measured on the emitted Verilog, and beside it the limit: all cycles of a
channel, or, by Little's law, what may be in flight divided by how long it is.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from sim.axi4_bench import make_manager, manager_bench
from sim.axi4_memory import Pace

__all__ = ["LATENCY", "burst_rate", "single_read_rate"]

#: Cycles from a request on the bus to its first answer.
LATENCY = 32
#: Cycles that the adapter adds to the time for which a transfer counts as outstanding.
OVERHEAD = 3
_PACE = asdict(Pace(1, 1, latency=LATENCY, spread=0, interleaves=False))


def _run(folder: Path, runs: int, beats: int, **options: object) -> dict:
    dut = make_manager(8, (64,), volatile=False, **options)
    traffic = {"beats": beats, "shapes": ["full"], "gap": 0}
    job = {"seed": 1, "runs": runs, "traffic": traffic, "pace": _PACE}
    return manager_bench(dut, folder, job)[0]


def _between(transfers: Sequence[int], first: int, last: int) -> float:
    steady = [at for at in transfers if first <= at < last]
    return len(steady) / (steady[-1] - steady[0] + 1)


def burst_rate(folder: Path, *, reads: bool, beats: int) -> tuple[float, int]:
    """Transfers in each cycle of runs of this length, and how much may be outstanding: 40 beats.

    That are 40 transfers of reads, or bursts of writes that have as many together.
    """
    outstanding = 40 if reads else -(-40 // beats)
    figures = _run(
        folder, 640 // beats, beats, reads=reads, writes=not reads, outstanding=outstanding
    )
    return _between(figures["transfers"], 80, figures["taken"][-1]), outstanding


def single_read_rate(folder: Path, outstanding: int) -> tuple[float, float]:
    """Reads of one beat in each cycle, and their limit by Little's law."""
    figures = _run(folder, 12 * outstanding, 1, writes=False, outstanding=outstanding)
    transfers = figures["transfers"]
    rate = (len(transfers) - outstanding) / (transfers[-1] - transfers[outstanding - 1])
    return rate, min(1.0, outstanding / (LATENCY + OVERHEAD))


def main() -> None:
    """Measure and print."""
    print(f"Memory of {LATENCY} cycles, beats of 8 bytes")
    for reads in (True, False):
        for beats in (1, 2, 4, 8):
            with tempfile.TemporaryDirectory() as folder:
                rate, outstanding = burst_rate(Path(folder), reads=reads, beats=beats)
            what = "transfers" if reads else "bursts"
            direction = "reads" if reads else "writes"
            print(
                f"{direction}, runs of {beats}, {outstanding} {what} outstanding: "
                f"{100 * rate:.1f} % of the cycles used"
            )
    for outstanding in (1, 4, 16, 32):
        with tempfile.TemporaryDirectory() as folder:
            rate, law = single_read_rate(Path(folder), outstanding)
        print(f"single reads, {outstanding} outstanding: {rate:.3f} a cycle, law {law:.3f}")


if __name__ == "__main__":
    main()
