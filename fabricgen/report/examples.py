"""The shipped examples, for people."""

from collections.abc import Mapping, Sequence

from rich.table import Table

__all__ = ["example_table"]


def example_table(listing: Sequence[Mapping[str, object]]) -> Table:
    """Table of names, descriptions and documents; data files lie beside them."""
    table = Table("name", "description", "documents")
    for example in listing:
        files = example["files"]
        names = [str(file) for file in files] if isinstance(files, list) else []
        documents = ", ".join(name for name in names if name.endswith(".toml"))
        table.add_row(str(example["name"]), str(example["description"]), documents)
    return table
