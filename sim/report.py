"""What one simulation says in the end."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from sim.findings import Finding
from sim.job import RunResult

__all__ = ["RowReport", "SimulationReport"]


@dataclass(frozen=True, slots=True)
class RowReport:
    """One Active row in the run without stalls.

    Parameters
    ----------
    row, port
        Its ordinal and the name of its port.
    firings, empty_masks
        How often it fired, and how many of those had no active lane.
    cycles, cycle_limit
        From its first publication to its last, both included: measured, and the fewest possible.
    latency_min, latency_max
        Cycles from the last operand of a firing to its results.
    """

    row: int
    port: str
    firings: int
    empty_masks: int
    cycles: int
    cycle_limit: int
    latency_min: int | None
    latency_max: int | None

    @property
    def achieved(self) -> float:
        """Firings per cycle, without the ramp of the first one."""
        return _rate(self.firings, self.cycles)

    @property
    def limit(self) -> float:
        """Most firings per cycle that the banks and one issue per cycle allow."""
        return _rate(self.firings, self.cycle_limit)


@dataclass(frozen=True, slots=True)
class SimulationReport:
    """Outcome of one workload on one simulator.

    Parameters
    ----------
    fabric, simulator, seed
        What ran; the same three and the same documents give the same report.
    rows
        Every Active row.
    cycles, cycle_limit
        From the first publication of any row to the last of all, in the run without stalls.
    out_of_range
        Active lanes outside every region.
    leftover
        Tokens that no firing took, by input endpoint; endpoints without any are not named.
    outputs, memory, managers, answers
        What must come out of every output endpoint, the final memory, what lies behind each
        manager in the end as ``(address, bytes)`` parts, and the data that each beat of a
        subordinate is answered with, none for an error; if nothing differed, it did. Of these the
        JSON values only have how many beats there are (``beats``), and how many are errors.
    runs
        Every run, with its pattern and seed.
    findings, finding_count
        What differed from the model; the first ones, and how many there were. Empty means that
        hardware and model agree.
    waves
        Waveform file, where one was asked for.
    """

    fabric: str
    simulator: str
    seed: int
    rows: tuple[RowReport, ...]
    cycles: int
    cycle_limit: int
    out_of_range: int
    leftover: Mapping[str, int]
    outputs: Mapping[str, tuple[int, ...]]
    memory: bytes
    managers: Mapping[str, tuple[tuple[int, bytes], ...]]
    answers: Mapping[str, tuple[int | None, ...]]
    runs: tuple[RunResult, ...]
    findings: tuple[Finding, ...]
    finding_count: int
    waves: Path | None = None

    @property
    def passed(self) -> bool:
        """Whether nothing differed."""
        return not self.finding_count

    @property
    def firings(self) -> int:
        """Firings of all rows in one run."""
        return sum(row.firings for row in self.rows)

    @property
    def achieved(self) -> float:
        """Firings of all rows per cycle."""
        return _rate(self.firings, self.cycles, self._active)

    @property
    def limit(self) -> float:
        """Most firings of all rows per cycle."""
        return _rate(self.firings, self.cycle_limit, self._active)

    @property
    def _active(self) -> int:
        return sum(row.firings > 0 for row in self.rows)

    def to_json(self) -> dict[str, object]:
        """Every field and figure as JSON values."""
        values = asdict(self)
        del values["outputs"], values["memory"], values["managers"], values["answers"]
        values["beats"] = {
            name: {"count": len(given), "errors": given.count(None)}
            for name, given in self.answers.items()
        }
        values["waves"] = None if self.waves is None else str(self.waves)
        for row, shown in zip(self.rows, values["rows"], strict=True):
            shown |= {"achieved": row.achieved, "limit": row.limit}
        return values | {
            "passed": self.passed,
            "firings": self.firings,
            "achieved": self.achieved,
            "limit": self.limit,
        }


def _rate(firings: int, cycles: int, rows: int = 1) -> float:
    """Firings per cycle after the first one of each of ``rows``: that one marks the start."""
    return (firings - rows) / (cycles - 1) if cycles > 1 else float(firings > 0)
