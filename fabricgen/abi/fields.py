"""Every bit of the programming unit by name."""

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.abi.unit import programming_unit
from fabricgen.config.layout import CarrierField, carrier_layout
from fabricgen.config.op_codec import op_field_width
from fabricgen.plan.demand import is_temporal
from fabricgen.records.fabric import Fabric, NamedMemory

__all__ = ["OpField", "UnitField", "carrier_fields", "op_fields", "unit_fields"]


@dataclass(frozen=True, slots=True)
class UnitField:
    """One field of one carrier, in payload position.

    Parameters
    ----------
    memory, row
        Ordinals; no row for the carrier's ``active`` bit.
    path
        ``memory.port.field`` in the fabric's names, ``memory.row<k>.field`` in a Temporal memory,
        ``memory.subordinate.binding<k>.field`` for a decode row.
    field
        Name, and payload bits.
    subordinate
        Ordinal of the subordinate endpoint whose decode row it is; none for an operation row.
    """

    memory: int
    row: int | None
    path: str
    field: CarrierField
    subordinate: int | None = None


@dataclass(frozen=True, slots=True)
class OpField:
    """The one field of a datapath resource, in payload position.

    Parameters
    ----------
    op
        Ordinal of the resource.
    path
        ``op.configuration`` in the fabric's names.
    field
        Name, and payload bits.
    """

    op: int
    path: str
    field: CarrierField


def unit_fields(fabric: Fabric) -> tuple[UnitField, ...]:
    """List the fields of all carriers in payload order, which start behind the reserved bit."""
    offsets = programming_unit(fabric).carrier_offsets
    return tuple(
        field
        for memory, (named, base) in enumerate(zip(fabric.memories, offsets, strict=True))
        for field in carrier_fields(named, memory, base)
    )


def op_fields(fabric: Fabric) -> tuple[OpField, ...]:
    """List the fields of the resources that have one, up to the end of the payload."""
    offsets = programming_unit(fabric).op_offsets
    return tuple(
        OpField(op, f"{named.name}.configuration", CarrierField("configuration", offset, width))
        for op, (named, offset) in enumerate(zip(fabric.ops, offsets, strict=True))
        if (width := op_field_width(named.op))
    )


def carrier_fields(named: NamedMemory, memory: int, base: int) -> Iterator[UnitField]:
    """List the fields of one memory's carrier, of which bit 0 is payload bit ``base``."""
    layout = carrier_layout(named)

    def at(field: CarrierField) -> CarrierField:
        return CarrierField(field.name, base + field.offset, field.width)

    yield UnitField(memory, None, f"{named.name}.active", at(layout.active))
    for row, fields in enumerate(layout.rows):
        place = f"row{row}" if is_temporal(named.occurrence) else named.names.ports[row]
        for field in fields.values():
            yield UnitField(memory, row, f"{named.name}.{place}.{field.name}", at(field))
    for subordinate, rows in enumerate(layout.decode):
        for row, fields in enumerate(rows):
            place = f"{named.name}.{named.names.subordinates[subordinate]}.binding{row}"
            for field in fields.values():
                path = f"{place}.{field.name}"
                yield UnitField(memory, row, path, at(field), subordinate)
