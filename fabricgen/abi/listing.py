"""An image read back field by field, for people."""

from dataclasses import dataclass

from fabricgen.abi.fields import UnitField, carrier_fields, op_fields, unit_fields
from fabricgen.abi.image import decode_image, image_payload
from fabricgen.abi.meaning import decode_meanings, row_meanings
from fabricgen.abi.op_meaning import op_value_meaning
from fabricgen.config.codec import decode_configuration
from fabricgen.plan.rows import Active, MemoryConfiguration
from fabricgen.records.fabric import Fabric, NamedMemory

__all__ = ["ImageField", "list_carrier", "list_image"]


@dataclass(frozen=True, slots=True)
class ImageField:
    """One field of an image.

    Parameters
    ----------
    name
        ``memory.port.field`` and the like, ``memory.active``, or ``op.configuration``.
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
    configuration, payload = decode_image(fabric, data), image_payload(fabric, data)
    reserved = ImageField("reserved", 0, 1, 0, "always 0")
    listed = (
        _listed(fabric.memories[each.memory], configuration.memories[each.memory], each, payload)
        for each in unit_fields(fabric)
    )
    ops = (
        ImageField(
            each.path,
            each.field.offset,
            each.field.width,
            each.field.get(payload),
            op_value_meaning(fabric.ops[each.op].op, configuration.ops[each.op]),
        )
        for each in op_fields(fabric)
    )
    return (reserved, *listed, *ops)


def list_carrier(named: NamedMemory, bits: int) -> tuple[ImageField, ...]:
    """Check the carrier of one memory and list every bit of it, in order."""
    configuration = decode_configuration(named, bits)
    return tuple(
        _listed(named, configuration, each, bits)
        for each in carrier_fields(named, memory=0, base=0)
    )


def _listed(
    named: NamedMemory, configuration: MemoryConfiguration, each: UnitField, payload: int
) -> ImageField:
    return ImageField(
        each.path,
        each.field.offset,
        each.field.width,
        each.field.get(payload),
        _meaning(named, configuration, each),
    )


def _meaning(named: NamedMemory, configuration: MemoryConfiguration, each: UnitField) -> str:
    active = isinstance(configuration, Active)
    if each.row is None:
        return "Active" if active else "Disabled"
    if each.subordinate is not None:
        binding = configuration.provider_decode[each.subordinate][each.row] if active else None
        return "Unused row" if binding is None else decode_meanings(named, binding)[each.field.name]
    row = configuration.operation_rows[each.row] if active else None
    if row is None:
        return "Unused row"
    return row_meanings(named, row).get(each.field.name, "inactive role")
