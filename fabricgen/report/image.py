"""A configuration image field by field, for people and scripts."""

from collections.abc import Sequence
from dataclasses import asdict

from rich.table import Table

from fabricgen.abi.listing import ImageField

__all__ = ["image_json", "image_table"]


def image_json(fields: Sequence[ImageField]) -> list[dict[str, object]]:
    """Fields as JSON values; wide values stay exact."""
    return [asdict(field) for field in fields]


def image_table(fields: Sequence[ImageField]) -> Table:
    """Table of all fields in payload order."""
    table = Table("field", "bit", "width", "value", "meaning")
    for field in fields:
        table.add_row(
            field.name, str(field.offset), str(field.width), f"{field.value:#x}", field.meaning
        )
    return table
