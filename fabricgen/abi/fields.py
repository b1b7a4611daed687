"""Every bit of the programming unit by name."""

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.abi.unit import programming_unit
from fabricgen.config.layout import CarrierField, carrier_layout
from fabricgen.plan.demand import is_temporal
from fabricgen.records.fabric import Fabric

__all__ = ["UnitField", "unit_fields"]


@dataclass(frozen=True, slots=True)
class UnitField:
    """One field of one carrier, in payload position.

    Parameters
    ----------
    memory, row
        Ordinals; no row for the carrier's ``active`` bit.
    path
        ``memory.port.field`` in the fabric's names, ``memory.row<k>.field`` in a Temporal memory.
    field
        Name, and payload bits.
    """

    memory: int
    row: int | None
    path: str
    field: CarrierField


def unit_fields(fabric: Fabric) -> tuple[UnitField, ...]:
    """List the fields in payload order; they cover every bit but the reserved one."""
    return tuple(_fields(fabric))


def _fields(fabric: Fabric) -> Iterator[UnitField]:
    offsets = programming_unit(fabric).carrier_offsets
    for memory, named in enumerate(fabric.memories):
        layout = carrier_layout(named)

        def at(field: CarrierField, base: int = offsets[memory]) -> CarrierField:
            return CarrierField(field.name, base + field.offset, field.width)

        yield UnitField(memory, None, f"{named.name}.active", at(layout.active))
        for row, fields in enumerate(layout.rows):
            place = f"row{row}" if is_temporal(named.occurrence) else named.names.ports[row]
            for field in fields.values():
                path = f"{named.name}.{place}.{field.name}"
                yield UnitField(memory, row, path, at(field))
