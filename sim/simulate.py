"""Simulate one mapped workload on the emitted design and hold it against the model."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from fabricgen.abi.image import decode_image, encode_image
from fabricgen.author.workload import Workload
from fabricgen.emit.package import EmittedFabric, emit_fabric
from fabricgen.errors import Diagnostic, Unsupported
from fabricgen.model.execute import Execution, execute
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.plan.rows import Active, MemoryConfiguration
from fabricgen.records.fabric import Fabric, NamedMemory
from sim import run
from sim.environment import require, require_memory
from sim.findings import Finding
from sim.job import Job, RowResult, Run, RunResult, read_results
from sim.make_job import Stimulus, make_job, memory_parts
from sim.python_simulator import run_job
from sim.report import RowReport, SimulationReport
from sim.stalls import PATTERNS

__all__ = ["model", "simulate"]

#: The model, each run and each report hold the whole contents.
_LARGEST_CAPACITY_BYTES = 2**26

#: A run on Python's simulator costs a hundred times as much.
_PYTHON_PATTERNS = ("always", "geometric")


def simulate(
    fabric: Fabric,
    configuration: FabricConfiguration,
    workload: Workload,
    *,
    simulator: str,
    seed: int,
    waves: bool = False,
    build_dir: Path,
    image: bytes | None = None,
    patterns: Sequence[str] | None = None,
) -> SimulationReport:
    """Run the workload without stalls, then under every stall pattern.

    Nothing is offered to the fabric's ops. ``Invalid`` where model, mapping or image refuse the
    input, ``Unsupported`` where there is no memory or one too large to compare, ``ToolMissing``
    where the simulator is not installed.

    Parameters
    ----------
    fabric, configuration, workload
        What to simulate.
    simulator
        ``verilator``, ``icarus`` or ``python``.
    seed
        Every stall pattern follows from it.
    waves
        Write a waveform too; the report says where.
    build_dir
        Folder for the emitted design, what is built from it, and logs.
    image
        Configuration image that replaces ``configuration``.
    patterns
        Stall patterns, of :data:`sim.stalls.PATTERNS`; the first run never stalls.
    """
    require(simulator)
    require_memory(fabric, simulator)
    _require_small(fabric)
    if image is None:
        image = encode_image(fabric, configuration)
    else:
        configuration = decode_image(fabric, image)
    (named,), (rows,) = fabric.memories, configuration.memories
    stimulus, execution = model(named, rows, workload)
    expectations = (
        *_unexpected(named, workload, execution),
        *_unexpected_answers(named, workload, execution),
    )
    runs: tuple[RunResult, ...] = ()
    waves_file = None
    if not expectations:
        if patterns is None:
            patterns = _PYTHON_PATTERNS if simulator == "python" else PATTERNS
        passes = [Run(pattern, seed + number) for number, pattern in enumerate(patterns)]
        # Python's simulator takes the design as it is; the others read what is emitted.
        emitted = None if simulator == "python" else emit_fabric(fabric, build_dir / "rtl")
        banks = () if emitted is None else emitted.banks[0]
        instances = () if emitted is None else _instances(emitted)
        job = make_job(fabric, rows, stimulus, execution, image, banks, passes, instances)
        directory = (build_dir / simulator).resolve()
        if emitted is None:
            runs, waves_file = run_job(fabric, job, directory, waves=waves)
        else:
            runs, waves_file = _run(job, emitted, simulator, waves, directory)
    ports = _row_ports(named, rows)
    return _report(fabric, simulator, seed, execution, ports, runs, expectations, waves_file)


def model(
    named: NamedMemory, configuration: MemoryConfiguration, workload: Workload
) -> tuple[Stimulus, Execution]:
    """What goes into the one memory of a fabric, and what the model makes of it."""
    streams = {(endpoint, tag): tokens for (_, endpoint, tag), tokens in workload.streams.items()}
    before = _contents(named, workload.memories[0] if workload.memories else ())
    managers = _manager_contents(workload.managers[0] if workload.managers else {})
    requests = {ordinal: each.beats for (_, ordinal), each in workload.requests.items()}
    execution = execute(named, configuration, streams, before, managers, requests)
    return Stimulus(streams, before, managers, requests), execution


def _run(
    job: Job, emitted: EmittedFabric, simulator: str, waves: bool, directory: Path
) -> tuple[tuple[RunResult, ...], Path | None]:
    """Run the job's passes on the emitted design; return what came, and the waveform."""
    text = "\n".join(source.read_text() for source in emitted.sources)
    built = run.build(text, emitted.top, directory, simulator=simulator, waves=waves)
    job_file, results = built.directory / "job.json", built.directory / "results.json"
    job.write(job_file)
    results.unlink(missing_ok=True)
    env = {"FABRICGEN_JOB": str(job_file), "FABRICGEN_RESULTS": str(results)}
    run.run_bench(built, "occurrence", seed=job.runs[0].seed, env=env)
    return read_results(results), built.waves_file if waves else None


def _instances(emitted: EmittedFabric) -> tuple[str, ...]:
    """Path of each port below the top."""
    names = json.loads((emitted.directory / "names.json").read_text())
    return tuple(port["instance"] for port in names["memories"][0]["ports"])


def _require_small(fabric: Fabric) -> None:
    """Refuse a memory whose contents would take the machine's own: all of them are compared."""
    service = fabric.memories[0].occurrence.local_service
    if service is not None and service.capacity_bytes > _LARGEST_CAPACITY_BYTES:
        raise Unsupported(
            Diagnostic(
                "simulation-capacity-limit",
                "memory[0].local_service.capacity_bytes",
                f"A simulated memory must have at most {_LARGEST_CAPACITY_BYTES} bytes, "
                f"not {service.capacity_bytes}",
            )
        )


def _contents(named: NamedMemory, parts: Sequence[tuple[int, bytes]]) -> bytes:
    """Whole initial contents; zero where the workload says nothing."""
    service = named.occurrence.local_service
    contents = bytearray(0 if service is None else service.capacity_bytes)
    for offset, data in parts:
        if not 0 <= offset <= len(contents) - len(data):
            raise ValueError(
                f"Memory parts must lie in {len(contents)} bytes, not at {offset} of {len(data)}"
            )
        contents[offset : offset + len(data)] = data
    return bytes(contents)


def _manager_contents(
    managers: Mapping[int, Sequence[tuple[int, bytes]]],
) -> dict[int, dict[int, int]]:
    """Bytes behind each manager, by address."""
    return {
        ordinal: {offset + at: byte for offset, data in parts for at, byte in enumerate(data)}
        for ordinal, parts in managers.items()
    }


def _unexpected(named: NamedMemory, workload: Workload, execution: Execution) -> Iterator[Finding]:
    """Hold what the workload expects against the model, before any hardware runs."""
    for (_, endpoint, tag), expected in workload.expected.items():
        name = _label(named.names.endpoints[endpoint], tag)
        tokens = execution.outputs.get((endpoint, tag), ())
        if len(tokens) != len(expected):
            yield Finding(
                "expect",
                0,
                f"The workload expects another number of tokens on {name} than the model gives",
                role=name,
                expected=str(len(expected)),
                got=str(len(tokens)),
            )
        for index, (wanted, got) in enumerate(zip(expected, tokens, strict=False)):
            if wanted != got:
                yield Finding(
                    "expect",
                    0,
                    f"The workload expects another token on {name} than the model gives",
                    role=name,
                    token=index,
                    expected=f"{wanted:#x}",
                    got=f"{got:#x}",
                )
                break


def _unexpected_answers(
    named: NamedMemory, workload: Workload, execution: Execution
) -> Iterator[Finding]:
    """The same of the answers to beats; the first one of each subordinate that differs."""
    for (_, ordinal), requests in workload.requests.items():
        name = named.names.subordinates[ordinal]
        answers = execution.answers.get(ordinal, ())
        for index, (wanted, got) in enumerate(zip(requests.expected, answers, strict=True)):
            differs = [
                (field, f"{int(value):#x}", f"{int(getattr(got, field)):#x}")
                for field, value in (("error", wanted.error), ("data", wanted.data))
                if value is not None and value != getattr(got, field)
            ]
            if differs:
                field, expected, found = differs[0]
                yield Finding(
                    "expect",
                    0,
                    f"The workload expects another {field} on {name} than the model gives",
                    role=name,
                    token=index,
                    expected=expected,
                    got=found,
                )
                break


def _report(
    fabric: Fabric,
    simulator: str,
    seed: int,
    execution: Execution,
    ports: Mapping[int, str],
    runs: Sequence[RunResult],
    expectations: Sequence[Finding],
    waves: Path | None,
) -> SimulationReport:
    (named,) = fabric.memories
    endpoints = [f"{named.name}.{endpoint}" for endpoint in named.names.endpoints]
    unstalled = {row.row: row for row in runs[0].rows} if runs else {}
    rows = tuple(
        RowReport(
            row=ordinal,
            port=ports[ordinal],
            firings=firings,
            empty_masks=execution.empty_masks[ordinal],
            cycles=unstalled[ordinal].span if ordinal in unstalled else 0,
            cycle_limit=execution.row_cycles[ordinal],
            latency_min=unstalled[ordinal].latency_min if ordinal in unstalled else None,
            latency_max=unstalled[ordinal].latency_max if ordinal in unstalled else None,
        )
        for ordinal, firings in enumerate(execution.firings)
        if ordinal in ports
    )
    return SimulationReport(
        fabric=fabric.name,
        simulator=simulator,
        seed=seed,
        rows=rows,
        cycles=_span(unstalled.values()),
        cycle_limit=execution.cycle_limit,
        out_of_range=execution.out_of_range_count,
        leftover={
            _label(endpoints[i], tag): count
            for (i, tag), count in execution.leftover.items()
            if count
        },
        outputs={
            _label(endpoints[i], tag): tokens for (i, tag), tokens in execution.outputs.items()
        },
        memory=execution.memory,
        managers={
            f"{named.name}.{name}": memory_parts(execution.managers[ordinal])
            for ordinal, name in enumerate(named.names.managers)
        },
        answers={
            f"{named.name}.{named.names.subordinates[ordinal]}": tuple(
                None if answer.error else answer.data for answer in answers
            )
            for ordinal, answers in execution.answers.items()
        },
        runs=tuple(runs),
        findings=(*expectations, *(finding for result in runs for finding in result.findings)),
        finding_count=len(expectations) + sum(result.finding_count for result in runs),
        waves=waves,
    )


def _row_ports(named: NamedMemory, configuration: MemoryConfiguration) -> dict[int, str]:
    """Port of every Active row."""
    rows = configuration.operation_rows if isinstance(configuration, Active) else ()
    return {
        ordinal: named.names.ports[row.port] for ordinal, row in enumerate(rows) if row is not None
    }


def _label(endpoint: str, tag: int | None) -> str:
    """One stream of one endpoint, as people read it."""
    return endpoint if tag is None else f"{endpoint} tag {tag}"


def _span(rows: Collection[RowResult]) -> int:
    """Cycles from the first publication of any row to the last of all, both included."""
    first = [row.first_cycle for row in rows if row.first_cycle is not None]
    last = [row.last_cycle for row in rows if row.last_cycle is not None]
    return max(last) - min(first) + 1 if first and last else 0
