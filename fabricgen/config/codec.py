"""Configuration to carrier bits and back, strictly (spec: Operation Rows).

Bit ``i`` of the integer is carrier bit ``i``. One configuration has one carrier, and every other
integer is refused.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeVar

from fabricgen.config.decode_codec import decode_row_values, read_decode_row
from fabricgen.config.layout import CarrierField, CarrierLayout, carrier_layout
from fabricgen.config.row_codec import decode_row, row_values
from fabricgen.errors import Diagnostic, Invalid, Unsupported
from fabricgen.plan.realisation import unsupported_rows
from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.rows import Active, Disabled, MemoryConfiguration
from fabricgen.records.fabric import NamedMemory

__all__ = ["decode_configuration", "encode_configuration"]

_Row = TypeVar("_Row")


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
    configuration = _read(named, layout, bits)
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
        case Active(rows, decode):  # exhaustive
            bits = layout.active.mask
    for fields, row in zip(layout.rows, rows, strict=True):
        if row is not None:
            bits |= _placed(fields, row_values(named.occurrence, row))
    for places, decode_rows in zip(layout.decode, decode, strict=True):
        for fields, chosen in zip(places, decode_rows, strict=True):
            if chosen is not None:
                bits |= _placed(fields, decode_row_values(named.occurrence, chosen))
    return bits


def _placed(fields: Mapping[str, CarrierField], values: Mapping[str, int]) -> int:
    bits = 0
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
    for place, fields in _row_places(layout):
        if fields["valid"].get(bits):
            continue
        for field in fields.values():
            if value := field.get(bits):
                yield Diagnostic(
                    "carrier-unused-row",
                    f"{place}.{field.name}",
                    f"An Unused row is all zero, not {value:#x} here",
                )


def _row_places(layout: CarrierLayout) -> Iterator[tuple[str, Mapping[str, CarrierField]]]:
    """Every row, operation rows first, with its place."""
    for ordinal, fields in enumerate(layout.rows):
        yield f"carrier.rows[{ordinal}]", fields
    for subordinate, rows in enumerate(layout.decode):
        for ordinal, fields in enumerate(rows):
            yield f"carrier.provider_decode[{subordinate}][{ordinal}]", fields


def _read(named: NamedMemory, layout: CarrierLayout, bits: int) -> Active:
    """Read every row, operation rows first; ``Invalid`` with the findings of all of them."""
    occurrence, found = named.occurrence, list[Diagnostic]()
    places = iter(_row_places(layout))

    def read(build: Callable[[Mapping[str, int]], _Row]) -> _Row | None:
        place, fields = next(places)
        values = {name: field.get(bits) for name, field in fields.items()}
        try:
            return build(values) if values["valid"] else None
        except Invalid as error:
            found.extend(error.under(place).diagnostics)
            return None

    rows = tuple(
        read(partial(decode_row, occurrence, ordinal)) for ordinal in range(len(layout.rows))
    )
    decode = tuple(
        tuple(read(partial(read_decode_row, occurrence, subordinate)) for _ in bindings)
        for subordinate, bindings in enumerate(layout.decode)
    )
    if found:
        raise Invalid(*found)
    return Active(rows, decode)
