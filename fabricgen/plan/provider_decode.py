"""Bounded provider decode: what makes the decode rows of a subordinate illegal.

Each request of a subordinate endpoint resolves to at most one row, and rows that mean the same are
written in one way: from the first place on, ascending by their matches.

Spec: Configurable Service Dispatch.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise

from fabricgen.atoms.unsigned import U64_MAX
from fabricgen.errors import Diagnostic, Unsupported
from fabricgen.plan.rows import (
    AddressSpaceMatch,
    ContextMatch,
    MatchValue,
    PrefixMatch,
    ProviderDecode,
    ProviderDecodeRow,
    RangeMatch,
)
from fabricgen.records.connectivity import SubordinateDispatch, target_words
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.vocab.dispatch import AddressTransform, MatchField
from fabricgen.vocab.words import word, words

__all__ = [
    "PREFIX_BITS",
    "decode_capacities",
    "decode_findings",
    "decode_order",
    "empty_decode",
    "match_field",
    "match_window",
]

#: Bits of the address that a prefix is the top of.
PREFIX_BITS = 64

_U32_MAX = 2**32 - 1

#: Decode rows of the largest carrier; the rows of one endpoint compare side by side.
_ROW_LIMIT = 256


def decode_capacities(occurrence: MemoryOccurrence) -> tuple[int, ...]:
    """Decode rows of each subordinate endpoint; ``Unsupported`` for more than a carrier holds."""
    bounds = tuple(
        dispatch.max_exposed_bindings for dispatch in occurrence.connectivity.subordinate_endpoints
    )
    if sum(bounds) > _ROW_LIMIT:
        raise Unsupported(
            Diagnostic(
                "subordinate-binding-limit",
                "connectivity.subordinate_endpoints",
                f"The subordinates of a memory must expose at most {_ROW_LIMIT} bindings, "
                f"not {sum(bounds)}",
            )
        )
    return bounds


def empty_decode(occurrence: MemoryOccurrence) -> ProviderDecode:
    """Decode rows that are all unused."""
    return tuple((None,) * bound for bound in decode_capacities(occurrence))


def match_field(value: MatchValue) -> MatchField:
    """The field that a value is compared with."""
    match value:
        case RangeMatch():
            return MatchField.RANGE
        case PrefixMatch():
            return MatchField.PREFIX
        case AddressSpaceMatch():
            return MatchField.ADDRESS_SPACE
        case ContextMatch():  # exhaustive
            return MatchField.CONTEXT


def match_window(values: Sequence[MatchValue]) -> tuple[int, int]:
    """First address that every value admits, and the first one behind them; equal if none is."""
    lower, end = 0, U64_MAX + 1
    for value in values:
        match value:
            case RangeMatch(base, size):
                lower, end = max(lower, base), min(end, base + size)
            case PrefixMatch(top, length):
                lower, end = max(lower, top), min(end, top + (1 << PREFIX_BITS - length))
            case AddressSpaceMatch() | ContextMatch():  # exhaustive
                pass
    return lower, max(lower, end)


def decode_order(row: ProviderDecodeRow) -> tuple[tuple[int, ...], ...]:
    """Canonical order of the rows of one endpoint: by their matches, field by field."""
    return tuple(_numbers(value) for value in row.match)


def _numbers(value: MatchValue) -> tuple[int, ...]:
    match value:
        case RangeMatch(base, size):
            return (base, size)
        case PrefixMatch(top, length):
            return (top, length)
        case AddressSpaceMatch(number) | ContextMatch(number):  # exhaustive
            return (number,)


def decode_findings(occurrence: MemoryOccurrence, decode: ProviderDecode) -> Iterator[Diagnostic]:
    """Say what is illegal about the decode rows of an Active configuration."""
    dispatches = occurrence.connectivity.subordinate_endpoints
    if len(decode) != len(dispatches):
        yield Diagnostic(
            "decode-row-count",
            "provider_decode",
            f"The decode rows must be those of {len(dispatches)} subordinate endpoints, "
            f"not of {len(decode)}",
        )
        return
    for ordinal, (dispatch, rows) in enumerate(zip(dispatches, decode, strict=True)):
        where = f"provider_decode[{ordinal}]"
        if len(rows) != dispatch.max_exposed_bindings:
            yield Diagnostic(
                "decode-row-count",
                where,
                f"A subordinate has one decode row for each of {dispatch.max_exposed_bindings} "
                f"bindings, not {len(rows)}",
            )
            continue
        found = tuple(_endpoint_findings(dispatch, rows))
        yield from (replace(each, where=f"{where}{each.where}") for each in found)


def _endpoint_findings(
    dispatch: SubordinateDispatch, rows: Sequence[ProviderDecodeRow | None]
) -> Iterator[Diagnostic]:
    """Paths start with the ordinal of the row."""
    whole: list[tuple[int, ProviderDecodeRow]] = []
    for ordinal, row in enumerate(rows):
        if row is None:
            continue
        found = tuple(_row_findings(dispatch, row))
        yield from (replace(each, where=f"[{ordinal}].{each.where}") for each in found)
        if not any(each.where.startswith("match") for each in found):
            whole.append((ordinal, row))
    yield from _order_findings(rows, whole)
    for (first, left), (second, right) in combinations(whole, 2):
        if _meet(left.match, right.match):
            yield Diagnostic(
                "decode-overlap",
                f"[{second}].match",
                f"A request must match one decode row of its endpoint, not rows {first} and "
                f"{second}: {_spelled(left.match)} and {_spelled(right.match)}",
            )


def _order_findings(
    rows: Sequence[ProviderDecodeRow | None], whole: Sequence[tuple[int, ProviderDecodeRow]]
) -> Iterator[Diagnostic]:
    used = [ordinal for ordinal, row in enumerate(rows) if row is not None]
    if used != list(range(len(used))):
        yield Diagnostic(
            "decode-row-order",
            f"[{next(o for i, o in enumerate(used) if o != i)}]",
            f"Decode rows must be filled from the first one on, not at {used}",
        )
    for (first, left), (second, right) in pairwise(whole):
        if decode_order(left) > decode_order(right):
            yield Diagnostic(
                "decode-row-order",
                f"[{second}].match",
                f"Decode rows must ascend by their matches, not row {second} with "
                f"{_spelled(right.match)} stand behind row {first} with {_spelled(left.match)}",
            )


def _meet(left: Sequence[MatchValue], right: Sequence[MatchValue]) -> bool:
    """Tell whether one request can match both; equal fields stand at equal places."""
    lower, end = match_window((*left, *right))
    return lower < end and all(
        one == other
        for one, other in zip(left, right, strict=True)
        if isinstance(one, AddressSpaceMatch | ContextMatch)
    )


def _row_findings(dispatch: SubordinateDispatch, row: ProviderDecodeRow) -> Iterator[Diagnostic]:
    found = [match_field(value) for value in row.match]
    if tuple(found) != dispatch.match_fields:
        yield Diagnostic(
            "decode-match-fields",
            "match",
            f"A decode row must match the fields {words(dispatch.match_fields)}, "
            f"not {words(found)}",
        )
    else:
        values = [each for value in row.match for each in _match_findings(value)]
        yield from values
        lower, end = match_window(row.match) if not values else (0, 1)
        if lower == end:
            yield Diagnostic(
                "decode-match-empty",
                "match",
                f"Some address must lie in all matches of a row, not none: {_spelled(row.match)}",
            )
    if row.service_target not in dispatch.targets:
        yield Diagnostic(
            "decode-target",
            "service_target",
            f"The target must lie in H_dispatch, {target_words(dispatch.targets)}, "
            f"not {target_words([row.service_target])}",
        )
    if dispatch.address_transform is AddressTransform.NONE and row.base_offset:
        yield Diagnostic(
            "decode-offset-unused",
            "base_offset",
            f"The offset must be 0 where the endpoint has no transform, not {row.base_offset}",
        )
    elif not 0 <= row.base_offset <= U64_MAX:
        yield Diagnostic(
            "decode-offset-range",
            "base_offset",
            f"The offset must be from 0 to 2**64 - 1, not {row.base_offset}",
        )


def _match_findings(value: MatchValue) -> Iterator[Diagnostic]:
    match value:
        case RangeMatch(base, size):
            if base < 0 or size < 1 or base + size > U64_MAX:
                yield Diagnostic(
                    "decode-range",
                    "match.range",
                    "A range must have a base of at least 0, a size of at least 1 and an end of "
                    f"at most 2**64 - 1, not base {base} and size {size}",
                )
        case PrefixMatch(top, length):
            if not (0 <= length <= PREFIX_BITS and 0 <= top <= U64_MAX):
                yield Diagnostic(
                    "decode-prefix",
                    "match.prefix",
                    "A prefix must have a length from 0 to 64 and a value from 0 to 2**64 - 1, "
                    f"not {length} and {top}",
                )
            elif top & (1 << PREFIX_BITS - length) - 1:
                yield Diagnostic(
                    "decode-prefix",
                    "match.prefix",
                    f"The bits behind a prefix of {length} bits must be 0, not those of {top:#x}",
                )
        case AddressSpaceMatch(number):
            if not 0 <= number <= _U32_MAX:
                yield Diagnostic(
                    "decode-address-space",
                    "match.address_space",
                    f"An address space must be from 0 to 2**32 - 1, not {number}",
                )
        case ContextMatch(number):  # exhaustive
            if not 0 <= number <= U64_MAX:
                yield Diagnostic(
                    "decode-context",
                    "match.context",
                    f"A context must be from 0 to 2**64 - 1, not {number}",
                )


def _spelled(match: Sequence[MatchValue]) -> str:
    """Match values in a message, each with the key that documents have for it."""
    return ", ".join(map(_value, match)) or "any request"


def _value(value: MatchValue) -> str:
    key = word(match_field(value))
    match value:
        case RangeMatch(base, size):
            return f"{key} from {base} of size {size}"
        case PrefixMatch(top, length):
            return f"{key} {top} of length {length}"
        case AddressSpaceMatch(number) | ContextMatch(number):  # exhaustive
            return f"{key} {number}"
