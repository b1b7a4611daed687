"""An image read back field by field, for people."""

from dataclasses import dataclass

from fabricgen.abi.fields import UnitField, unit_fields
from fabricgen.abi.image import decode_image, image_payload
from fabricgen.abi.meaning import row_meanings
from fabricgen.plan.rows import Active, MemoryConfiguration
from fabricgen.records.fabric import Fabric

__all__ = ["ImageField", "list_image"]


@dataclass(frozen=True, slots=True)
class ImageField:
    """One field of an image.

    Parameters
    ----------
    name
        ``memory.port.field``, or ``memory.active``.
    offset, width
        Payload bits of the field.
    value
        The bits as an unsigned integer.
    meaning
        What the value says.
    """

    name: str
    offset: int
    width: int
    value: int
    meaning: str


def list_image(fabric: Fabric, data: bytes) -> tuple[ImageField, ...]:
    """Check an image and list every bit of its payload, in order."""
    configurations, payload = decode_image(fabric, data), image_payload(fabric, data)
    reserved = ImageField("reserved", 0, 1, 0, "always 0")
    listed = (
        ImageField(
            each.path,
            each.field.offset,
            each.field.width,
            each.field.get(payload),
            _meaning(fabric, configurations[each.memory], each),
        )
        for each in unit_fields(fabric)
    )
    return (reserved, *listed)


def _meaning(fabric: Fabric, configuration: MemoryConfiguration, each: UnitField) -> str:
    active = isinstance(configuration, Active)
    if each.row is None:
        return "Active" if active else "Disabled"
    row = configuration.operation_rows[each.row] if active else None
    if row is None:
        return "Unused row"
    return row_meanings(fabric.memories[each.memory], row).get(each.field.name, "inactive role")
