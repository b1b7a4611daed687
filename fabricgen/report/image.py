"""A configuration image field by field, for people and scripts."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from rich.table import Table

from fabricgen.abi.listing import ImageField
from fabricgen.abi.program import AxiLitePoll, AxiLiteRead, AxiLiteStep, AxiLiteWrite

__all__ = ["image_json", "image_table", "steps_json", "steps_table"]

_ACCESS: Mapping[type[AxiLiteStep], str] = {
    AxiLiteWrite: "write",
    AxiLiteRead: "read",
    AxiLitePoll: "poll",
}


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


def steps_json(steps: Sequence[AxiLiteStep]) -> list[dict[str, object]]:
    """Bus accesses as JSON values; ``data`` of a read is what must come, that of a poll what must
    come under its ``mask``.
    """
    return [
        {
            "access": _ACCESS[type(step)],
            "address": step.address,
            "data": step.data,
            **({"mask": step.mask} if isinstance(step, AxiLitePoll) else {}),
            "response": step.response.name,
        }
        for step in steps
    ]


def steps_table(steps: Sequence[AxiLiteStep], registers: Mapping[int, str]) -> Table:
    """Table of the bus accesses in order; ``registers`` are names by byte address.

    What the map has no name for is a further word of the payload.
    """
    table = Table("access", "address", "register", "data", "response")
    for step in steps:
        data = f"{step.data:#010x}"
        if isinstance(step, AxiLitePoll):
            data += f" under {step.mask:#010x}"
        name = registers.get(step.address, "payload")
        table.add_row(_ACCESS[type(step)], f"{step.address:#05x}", name, data, step.response.name)
    return table
