"""The shipped examples, for people."""

from collections.abc import Mapping, Sequence

from rich.table import Table

__all__ = ["example_table"]


def example_table(listing: Sequence[Mapping[str, object]]) -> Table:
    """Table of names, descriptions and files."""
    table = Table("name", "description", "files")
    for example in listing:
        files = example["files"]
        names = ", ".join(map(str, files)) if isinstance(files, list) else ""
        table.add_row(str(example["name"]), str(example["description"]), names)
    return table
