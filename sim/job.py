"""What one simulation has to do and what must come of it, as plain data that fits in JSON.

A job is made from records, mapping, workload and model; benches know nothing but the job.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self, TypeVar

from sim.findings import Finding

__all__ = [
    "EgressJob",
    "IngressJob",
    "InternalOperand",
    "Job",
    "ManagerBeat",
    "ManagerJob",
    "MemoryJob",
    "Registers",
    "RowJob",
    "RowResult",
    "Run",
    "RunResult",
    "ServedResult",
    "Step",
    "SubordinateBeat",
    "SubordinateJob",
    "read_results",
    "write_results",
]

_T = TypeVar("_T", "IngressJob", "EgressJob")


@dataclass(frozen=True, slots=True)
class IngressJob:
    """Tokens offered to one ingress, or under one tag of a tagged ingress.

    ``taken`` of them are accepted: what the firings consume, and what the queue holds beyond.
    ``row`` and ``role`` name the consumer; both are absent where no Active row takes the stream.
    A tagged endpoint without a stream has one job with ``tag_width`` and without ``tag``.
    """

    endpoint: str
    width: int
    tokens: tuple[int, ...]
    taken: int
    row: int | None = None
    role: str | None = None
    tag: int | None = None
    tag_width: int = 0


@dataclass(frozen=True, slots=True)
class EgressJob:
    """Tokens that one egress must deliver, all or under one tag, and who publishes them, if any."""

    endpoint: str
    width: int
    tokens: tuple[int, ...]
    row: int | None = None
    role: str | None = None
    tag: int | None = None
    tag_width: int = 0


@dataclass(frozen=True, slots=True)
class InternalOperand:
    """An input role that takes the tokens of a connection, and the row that publishes there."""

    role: str
    connection: int
    producer: int


@dataclass(frozen=True, slots=True)
class RowJob:
    """One Active row.

    Parameters
    ----------
    row, port
        Its ordinal and the name of its port.
    depths
        Operands of each active input role that wait at most.
    in_flight
        Firings that the row may have issued and not retired.
    firings
        How often it fires.
    internal
        Input roles that are fed by connections.
    target
        Who serves it.
    instance, bit
        Path of its port below the top, and its bit in what the port says of its rows; no path
        where the port has none.
    """

    row: int
    port: str
    depths: Mapping[str, int]
    in_flight: int
    firings: int
    internal: tuple[InternalOperand, ...] = ()
    target: str = "local"
    instance: str = ""
    bit: int = 0


@dataclass(frozen=True, slots=True, order=True)
class ManagerBeat:
    """One beat of a request: kind (0 read, 1 write, 2 read-modify-write, 3 compare-exchange, 4
    fence), byte address, byte strobe, sent data, and what else its fields say.

    Bytes of ``data`` and ``expected`` outside the strobe are zero; a read and a fence have none.
    Numbers are wire tags, and 0 where a beat has no such field.
    """

    kind: int
    address: int
    strobe: int
    data: int = 0
    volatile: bool = False
    expected: int = 0
    rmw_kind: int = 0
    ordering: int = 0
    failure_ordering: int = 0
    scope: int = 0
    weak: bool = False


@dataclass(frozen=True, slots=True)
class ManagerJob:
    """What one manager endpoint asks for, and the memory behind it.

    Parameters
    ----------
    name
        Prefix of its ports.
    beat_bytes
        Bytes of one beat.
    beats
        Every beat that the rows ask for, as often as they do, in no order.
    before, after
        Contents as parts ``(address, bytes)``; every other byte is zero.
    protocol
        Of its ports.
    """

    name: str
    beat_bytes: int
    beats: tuple[ManagerBeat, ...]
    before: tuple[tuple[int, bytes], ...] = ()
    after: tuple[tuple[int, bytes], ...] = ()
    protocol: str = "stream"


@dataclass(frozen=True, slots=True)
class SubordinateBeat:
    """One beat as its endpoint's stream has it, the data of its answer, and whether it fails."""

    kind: int
    address: int
    strobe: int
    data: int
    address_space: int
    context: int
    answer: int
    error: bool


@dataclass(frozen=True, slots=True)
class SubordinateJob:
    """What somebody outside asks of one subordinate endpoint, in order.

    Parameters
    ----------
    name
        Prefix of its ports.
    beat_bytes
        Bytes of one beat.
    beats
        In order, each with its answer.
    protocol
        Of its ports.
    is_injective
        Different addresses never reach the same byte.
    user
        Fields of a beat that are in the user signals of a bus, lowest first.
    """

    name: str
    beat_bytes: int
    beats: tuple[SubordinateBeat, ...] = ()
    protocol: str = "stream"
    is_injective: bool = True
    user: tuple[str, ...] = ()


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
class Registers:
    """Byte addresses of the sticky flags and of the first lane out of range: row, address words.

    Without an engine there are no rows.
    """

    flags: int
    row: int | None
    address: tuple[int, ...]


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
        Every Active row, and every endpoint of the top, a tagged one once per stream.
    memory
        The Local Memory Service's contents; absent where there is none.
    program
        Accesses that load and check the configuration.
    registers
        Where the sticky flags and their details are.
    faults
        First ``(row, address)`` out of range of each row that has one.
    is_quiescent
        Whether nothing is left inside at the end.
    bound
        Cycles within which a design that does not hang makes progress.
    runs
        Passes, in order, each after a reset.
    managers
        Every manager endpoint.
    subordinates
        Every subordinate endpoint.
    idle
        Inputs of the top that stay 0: to the ops nothing is offered, and nothing of them is taken.
    """

    rows: tuple[RowJob, ...]
    ingresses: tuple[IngressJob, ...]
    egresses: tuple[EgressJob, ...]
    memory: MemoryJob | None
    program: tuple[Step, ...]
    registers: Registers
    faults: tuple[tuple[int, int], ...]
    is_quiescent: bool
    bound: int
    runs: tuple[Run, ...]
    managers: tuple[ManagerJob, ...] = ()
    subordinates: tuple[SubordinateJob, ...] = ()
    idle: tuple[str, ...] = ()

    @property
    def is_unmatched(self) -> bool:
        """Whether some token is offered under a tag that no Active row matches."""
        return any(
            item.tag is not None and item.row is None and item.tokens for item in self.ingresses
        )

    def write(self, path: Path) -> None:
        """Write the job as JSON."""
        path.write_text(json.dumps(asdict(self), default=bytes.hex))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read what :meth:`write` wrote."""
        data = json.loads(path.read_text())
        return cls(
            rows=tuple(map(_row, data["rows"])),
            ingresses=tuple(_endpoint(IngressJob, item) for item in data["ingresses"]),
            egresses=tuple(_endpoint(EgressJob, item) for item in data["egresses"]),
            memory=None if data["memory"] is None else _memory(data["memory"]),
            program=tuple(Step(**step) for step in data["program"]),
            registers=Registers(
                **{**data["registers"], "address": tuple(data["registers"]["address"])}
            ),
            faults=tuple(tuple(fault) for fault in data["faults"]),
            is_quiescent=data["is_quiescent"],
            bound=data["bound"],
            runs=tuple(Run(**run) for run in data["runs"]),
            managers=tuple(map(_manager, data["managers"])),
            subordinates=tuple(map(_subordinate, data["subordinates"])),
            idle=tuple(data["idle"]),
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
class ServedResult:
    """Beats of one subordinate that were answered in one run, and when.

    Parameters
    ----------
    name
        Of the subordinate.
    beats, first_beats
        All of them, and those of the first cycle that had some: over a bus a response answers the
        whole burst of a write.
    first_cycle, last_cycle
        In which the first and the last answer were taken; cycles count from the first offer.
    """

    name: str
    beats: int = 0
    first_beats: int = 0
    first_cycle: int | None = None
    last_cycle: int | None = None

    def after(self, cycle: int, beats: int) -> "ServedResult":
        """The same with further beats that are answered in this cycle."""
        if self.first_cycle is None:
            return ServedResult(self.name, beats, beats, cycle, cycle)
        first = self.first_beats + beats * (cycle == self.first_cycle)
        return ServedResult(self.name, self.beats + beats, first, self.first_cycle, cycle)

    @property
    def rate(self) -> float:
        """Beats per cycle after the first answer, which marks the start."""
        if self.first_cycle is None or self.last_cycle in (None, self.first_cycle):
            return 0.0
        return (self.beats - self.first_beats) / (self.last_cycle - self.first_cycle)


@dataclass(frozen=True, slots=True)
class RunResult:
    """Outcome of one run; ``findings`` holds the first of ``finding_count``."""

    pattern: str
    seed: int
    cycles: int
    rows: tuple[RowResult, ...]
    finding_count: int = 0
    findings: tuple[Finding, ...] = field(default=())
    served: tuple[ServedResult, ...] = field(default=())


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
            served=tuple(ServedResult(**served) for served in item["served"]),
        )
        for item in json.loads(path.read_text())
    )


def _endpoint(kind: type[_T], fields: dict[str, Any]) -> _T:
    return kind(**{**fields, "tokens": tuple(fields["tokens"])})


def _row(fields: dict[str, Any]) -> RowJob:
    return RowJob(
        **{**fields, "internal": tuple(InternalOperand(**item) for item in fields["internal"])}
    )


def _memory(fields: dict[str, Any]) -> MemoryJob:
    return MemoryJob(
        before=bytes.fromhex(fields["before"]),
        after=bytes.fromhex(fields["after"]),
        word_bytes=fields["word_bytes"],
        banks=tuple(fields["banks"]),
    )


def _manager(fields: dict[str, Any]) -> ManagerJob:
    return ManagerJob(
        name=fields["name"],
        beat_bytes=fields["beat_bytes"],
        beats=tuple(ManagerBeat(**beat) for beat in fields["beats"]),
        before=_parts(fields["before"]),
        after=_parts(fields["after"]),
        protocol=fields["protocol"],
    )


def _subordinate(fields: dict[str, Any]) -> SubordinateJob:
    beats = tuple(SubordinateBeat(**beat) for beat in fields["beats"])
    return SubordinateJob(**{**fields, "beats": beats, "user": tuple(fields["user"])})


def _parts(parts: Iterable[tuple[int, str]]) -> tuple[tuple[int, bytes], ...]:
    return tuple((address, bytes.fromhex(data)) for address, data in parts)
