"""``json-schema``, ``examples``, ``explain`` and the registries: what is known without input."""

import difflib
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

import typer

from fabricgen.author.schema import KINDS, json_schema
from fabricgen.cli.arguments import AsJson
from fabricgen.cli.output import guarded, note, print_json
from fabricgen.cli.tables import print_table
from fabricgen.emit.files import write_folder
from fabricgen.errors.catalog import CATALOG
from fabricgen.errors.catalog.rule import Kind
from fabricgen.report.examples import example_table
from fabricgen.report.registry import families, family_table, operation_table, operations
from fabricgen.report.rules import rule_table, rules

__all__ = ["register"]

#: What ``explain`` says about the kind of a code.
_KINDS: dict[Kind, str] = {
    "illegal": "the input is not legal (exit code 1)",
    "unsupported": "legal, but not built in this version (exit code 3)",
    "failure": "something around the input failed (exit code 4 for a tool that is missing, else 1)",
}


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("json-schema")(print_schema)
    app.command("examples")(write_examples)
    app.command(short_help="Print the rule behind a diagnostic.")(explain)
    app.command("families", short_help="List the implementation families.")(list_families)
    app.command("operations", short_help="List the registered operation schemas.")(list_operations)


@guarded
def print_schema(
    kind: Annotated[str, typer.Argument(metavar="|".join(KINDS), help="Kind of document.")],
) -> None:
    """Print the JSON Schema of a document, for editors."""
    if kind not in KINDS:
        raise typer.BadParameter(f"The kind must be one of {', '.join(KINDS)}, not {kind!r}")
    print_json(json_schema(kind))


@guarded
def write_examples(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Example to write; else they are listed.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="Folder to write to.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the shipped examples, or write one into a folder."""
    folders = resources.files("fabricgen.examples").iterdir()
    examples = {folder.name: folder for folder in folders if _is_example(folder)}
    if name is None:
        listing = [_described(examples[each]) for each in sorted(examples)]
        if as_json:
            print_json(listing)
        else:
            print_table(example_table(listing))
        return
    if name not in examples:
        raise typer.BadParameter(f"The example must be one of {', '.join(sorted(examples))}")
    if output is None:
        raise typer.BadParameter("An example needs a folder to be written to: -o DIR")
    files = sorted(examples[name].iterdir(), key=lambda file: file.name)
    write_folder(output, {file.name: file.read_bytes() for file in files})
    for file in files:
        note(f"wrote {output / file.name}")


def _is_example(folder: Traversable) -> bool:
    return folder.is_dir() and folder.joinpath("fabric.toml").is_file()


def _described(folder: Traversable) -> dict[str, object]:
    first = folder.joinpath("fabric.toml").read_text(encoding="utf-8").splitlines()[0]
    return {
        "name": folder.name,
        "description": first.lstrip("# "),
        "files": sorted(file.name for file in folder.iterdir()),
    }


@guarded
def explain(
    code: Annotated[
        str | None, typer.Argument(metavar="[CODE]", help="Code of a diagnostic.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="List every code.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print the rule behind a diagnostic, and where the specification or a page states it."""
    if (code is None) != every:
        raise typer.BadParameter("Either one code or --all must be given")
    if code is not None and code not in CATALOG:
        close = difflib.get_close_matches(code, CATALOG, n=1)
        near = [each for each in CATALOG if code in each][:5] or close
        guess = f" (did you mean {', '.join(near)}?)" if near else ""
        raise typer.BadParameter(f"The code must be one of explain --all, not {code!r}{guess}")
    listing = rules(code)
    if as_json:
        print_json(listing)
    elif code is None:
        print_table(rule_table(listing))
    else:
        typer.echo(f"{code}: {listing[0]['requirement']}")
        typer.echo(f"Kind: {_KINDS[CATALOG[code].kind]}")
        section = listing[0]["section"]
        typer.echo(f"{'Page' if section.startswith('docs/') else 'Specification'}: {section}")


@guarded
def list_families(as_json: AsJson = False) -> None:
    """List the implementation families and the operations that may share each datapath."""
    if as_json:
        print_json(families())
    else:
        print_table(family_table())


@guarded
def list_operations(as_json: AsJson = False) -> None:
    """List the registered operation schemas and the families that have them as members."""
    if as_json:
        print_json(operations())
    else:
        print_table(operation_table())
