"""Configuration to carrier bits and back, strictly (spec: Operation Rows).

Bit ``i`` of the integer is carrier bit ``i``. One configuration has one carrier, and every other
integer is refused.
"""

from collections.abc import Iterator

from fabricgen.config.layout import CarrierLayout, carrier_layout
from fabricgen.config.row_codec import decode_row, row_values
from fabricgen.errors import Diagnostic, Invalid, Unsupported
from fabricgen.plan.realisation import unsupported_rows
from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.rows import Active, Disabled, MemoryConfiguration, OperationRow
from fabricgen.records.fabric import NamedMemory

__all__ = ["decode_configuration", "encode_configuration"]


def encode_configuration(named: NamedMemory, configuration: MemoryConfiguration) -> int:
    """Encode a configuration that is legal on this memory; ``Invalid`` for any other."""
    _require_legal(named, configuration)
    return _pack(named, carrier_layout(named), configuration)


def decode_configuration(named: NamedMemory, bits: int) -> MemoryConfiguration:
    """Decode strictly: indices in range, unused bits zero, a legal table, one encoding."""
    layout = carrier_layout(named)
    if found := tuple(_frame_findings(layout, bits)):
        raise Invalid(*found)
    if not bits:
        return Disabled()
    configuration = Active(tuple(_rows(named, layout, bits)))
    _require_legal(named, configuration)
    if (again := _pack(named, layout, configuration)) != bits:
        raise Invalid(
            Diagnostic(
                "carrier-not-canonical",
                "carrier",
                f"The configuration has the one encoding {again:#x}, not {bits:#x}",
            )
        )
    return configuration


def _require_legal(named: NamedMemory, configuration: MemoryConfiguration) -> None:
    if found := configuration_findings(named, configuration):
        raise Invalid(*found)
    if found := unsupported_rows(named, configuration):
        raise Unsupported(*found)


def _pack(named: NamedMemory, layout: CarrierLayout, configuration: MemoryConfiguration) -> int:
    match configuration:
        case Disabled():
            return 0
        case Active(rows):
            bits = layout.active.mask
    for fields, row in zip(layout.rows, rows, strict=True):
        values = {} if row is None else row_values(named.occurrence, row)
        for name, value in values.items():
            # A choice among one has no field, and its index is 0.
            bits |= value << fields[name].offset if value else 0
    return bits


def _frame_findings(layout: CarrierLayout, bits: int) -> Iterator[Diagnostic]:
    """Bits that lie where no configuration has any."""
    if bits < 0 or bits >> layout.width:
        yield Diagnostic(
            "carrier-width", "carrier", f"The carrier must fit {layout.width} bits, not {bits:#x}"
        )
        return
    if bits and not layout.active.get(bits):
        yield Diagnostic(
            "carrier-inactive-bits",
            "carrier.active",
            f"A Disabled carrier is all zero, not {bits:#x}",
        )
    for ordinal, fields in enumerate(layout.rows):
        if fields["valid"].get(bits):
            continue
        for field in fields.values():
            if value := field.get(bits):
                yield Diagnostic(
                    "carrier-unused-row",
                    f"carrier.rows[{ordinal}].{field.name}",
                    f"An Unused row is all zero, not {value:#x} here",
                )


def _rows(named: NamedMemory, layout: CarrierLayout, bits: int) -> Iterator[OperationRow | None]:
    found: list[Diagnostic] = []
    rows: list[OperationRow | None] = []
    for ordinal, fields in enumerate(layout.rows):
        values = {name: field.get(bits) for name, field in fields.items()}
        try:
            rows.append(decode_row(named.occurrence, ordinal, values) if values["valid"] else None)
        except Invalid as error:
            found += error.under(f"carrier.rows[{ordinal}]").diagnostics
    if found:
        raise Invalid(*found)
    yield from rows
