"""What one simulation has to do and what must come of it, as plain data that fits in JSON.

A job is made from records, mapping, workload and model; benches know nothing but the job.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self, TypeVar

from sim.findings import Finding

__all__ = [
    "EgressJob",
    "IngressJob",
    "Job",
    "MemoryJob",
    "RowJob",
    "RowResult",
    "Run",
    "RunResult",
    "Step",
    "read_results",
    "write_results",
]

_T = TypeVar("_T", "IngressJob", "EgressJob")


@dataclass(frozen=True, slots=True)
class IngressJob:
    """Tokens offered to one ingress.

    ``taken`` of them are accepted: what the firings consume, and what the queue holds beyond.
    ``row`` and ``role`` name the consumer; both are absent where no Active row uses the endpoint.
    """

    endpoint: str
    width: int
    tokens: tuple[int, ...]
    taken: int
    row: int | None = None
    role: str | None = None


@dataclass(frozen=True, slots=True)
class EgressJob:
    """Tokens that one egress must deliver, and the row and role that publish there, if any."""

    endpoint: str
    width: int
    tokens: tuple[int, ...]
    row: int | None = None
    role: str | None = None


@dataclass(frozen=True, slots=True)
class RowJob:
    """One Active row: its operand queues, its capacity, its firings and their cycle limit."""

    row: int
    port: str
    depths: Mapping[str, int]
    in_flight: int
    firings: int


@dataclass(frozen=True, slots=True)
class MemoryJob:
    """Contents before and after, and where the words are.

    Word ``n`` of bank ``b`` holds bytes ``[(n * banks + b) * word_bytes, ...)``, lowest first;
    ``banks[b]`` is the path of its array inside the top.
    """

    before: bytes
    after: bytes
    word_bytes: int
    banks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One AXI4-Lite access: ``data`` is written, or must be read; ``response`` must come back."""

    write: bool
    address: int
    data: int
    response: str = "OKAY"


@dataclass(frozen=True, slots=True)
class Run:
    """One pass over the whole job under one stall pattern."""

    pattern: str
    seed: int


@dataclass(frozen=True, slots=True)
class Job:
    """Everything that a bench needs.

    Parameters
    ----------
    rows, ingresses, egresses
        Every Active row, and every endpoint of the top.
    memory
        The Local Memory Service's contents.
    program
        Accesses that load and check the configuration.
    flags
        Byte address of the sticky flags, of the faulting row and of the faulting address.
    faults
        First ``(row, address)`` out of range of each row that has one.
    is_quiescent
        Whether nothing is left inside at the end.
    bound
        Cycles within which a design that does not hang makes progress.
    runs
        Passes, in order, each after a reset.
    """

    rows: tuple[RowJob, ...]
    ingresses: tuple[IngressJob, ...]
    egresses: tuple[EgressJob, ...]
    memory: MemoryJob
    program: tuple[Step, ...]
    flags: tuple[int, int, int]
    faults: tuple[tuple[int, int], ...]
    is_quiescent: bool
    bound: int
    runs: tuple[Run, ...]

    def write(self, path: Path) -> None:
        """Write the job as JSON."""
        path.write_text(json.dumps(asdict(self), default=bytes.hex))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read what :meth:`write` wrote."""
        data = json.loads(path.read_text())
        memory = data["memory"]
        return cls(
            rows=tuple(RowJob(**row) for row in data["rows"]),
            ingresses=tuple(_endpoint(IngressJob, item) for item in data["ingresses"]),
            egresses=tuple(_endpoint(EgressJob, item) for item in data["egresses"]),
            memory=MemoryJob(
                before=bytes.fromhex(memory["before"]),
                after=bytes.fromhex(memory["after"]),
                word_bytes=memory["word_bytes"],
                banks=tuple(memory["banks"]),
            ),
            program=tuple(Step(**step) for step in data["program"]),
            flags=tuple(data["flags"]),
            faults=tuple(tuple(fault) for fault in data["faults"]),
            is_quiescent=data["is_quiescent"],
            bound=data["bound"],
            runs=tuple(Run(**run) for run in data["runs"]),
        )


@dataclass(frozen=True, slots=True)
class RowResult:
    """What one row did in one run; cycles count from the first offer."""

    row: int
    firings: int
    first_cycle: int | None
    last_cycle: int | None
    latency_min: int | None
    latency_max: int | None

    @property
    def span(self) -> int:
        """Cycles from the first publication to the last, both included."""
        if self.first_cycle is None or self.last_cycle is None:
            return 0
        return self.last_cycle - self.first_cycle + 1


@dataclass(frozen=True, slots=True)
class RunResult:
    """Outcome of one run; ``findings`` holds the first of ``finding_count``."""

    pattern: str
    seed: int
    cycles: int
    rows: tuple[RowResult, ...]
    finding_count: int = 0
    findings: tuple[Finding, ...] = field(default=())


def write_results(results: list[RunResult], path: Path) -> None:
    """Write the outcome of all runs as JSON."""
    path.write_text(json.dumps([asdict(result) for result in results], indent=1))


def read_results(path: Path) -> tuple[RunResult, ...]:
    """Read what :func:`write_results` wrote."""
    return tuple(
        RunResult(
            pattern=item["pattern"],
            seed=item["seed"],
            cycles=item["cycles"],
            rows=tuple(RowResult(**row) for row in item["rows"]),
            finding_count=item["finding_count"],
            findings=tuple(Finding(**finding) for finding in item["findings"]),
        )
        for item in json.loads(path.read_text())
    )


def _endpoint(kind: type[_T], fields: dict[str, Any]) -> _T:
    return kind(**{**fields, "tokens": tuple(fields["tokens"])})
