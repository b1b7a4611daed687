"""One decode row as field values, and back.

Values are integers by field name; :mod:`fabricgen.config.codec` places them.
"""

from collections.abc import Mapping

from fabricgen.config.inventory import targets
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.plan.rows import (
    AddressSpaceMatch,
    ContextMatch,
    MatchValue,
    PrefixMatch,
    ProviderDecodeRow,
    RangeMatch,
)
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.vocab.dispatch import MatchField

__all__ = ["decode_row_values", "read_decode_row"]


def decode_row_values(occurrence: MemoryOccurrence, row: ProviderDecodeRow) -> dict[str, int]:
    """Field values of a legal decode row."""
    values = {"valid": 1}
    for value in row.match:
        values |= _match_values(value)
    return {
        **values,
        "service_target": targets(occurrence).index(row.service_target),
        "base_offset": row.base_offset,
    }


def _match_values(value: MatchValue) -> dict[str, int]:
    match value:
        case RangeMatch(base, size):
            return {"range_base": base, "range_size": size}
        case PrefixMatch(top, length):
            return {"prefix_value": top, "prefix_length": length}
        case AddressSpaceMatch(number):
            return {"address_space": number}
        case ContextMatch(number):  # exhaustive
            return {"context": number}


def read_decode_row(
    occurrence: MemoryOccurrence, subordinate: int, values: Mapping[str, int]
) -> ProviderDecodeRow:
    """Read one valid decode row; ``Invalid`` for a target out of range.

    What the row then says is judged by :mod:`fabricgen.plan.provider_decode`.
    """
    known, index = targets(occurrence), values.get("service_target", 0)
    if index >= len(known):
        raise Invalid(
            Diagnostic(
                "carrier-index-range",
                "service_target",
                f"The index must name one of {len(known)} choices, not {index}",
            )
        )
    fields = occurrence.connectivity.subordinate_endpoints[subordinate].match_fields
    return ProviderDecodeRow(
        tuple(_read_match(field, values) for field in fields),
        known[index],
        values.get("base_offset", 0),
    )


def _read_match(field: MatchField, values: Mapping[str, int]) -> MatchValue:
    match field:
        case MatchField.RANGE:
            return RangeMatch(values["range_base"], values["range_size"])
        case MatchField.PREFIX:
            return PrefixMatch(values["prefix_value"], values["prefix_length"])
        case MatchField.ADDRESS_SPACE:
            return AddressSpaceMatch(values["address_space"])
        case MatchField.CONTEXT:  # exhaustive
            return ContextMatch(values["context"])
