"""The decode rows of each subordinate endpoint, for people and scripts."""

from collections.abc import Iterator, Mapping

from rich.table import Table

from fabricgen.author.mapping_bindings import target_name
from fabricgen.plan.provider_decode import match_field
from fabricgen.plan.rows import (
    Active,
    AddressSpaceMatch,
    ContextMatch,
    MatchValue,
    MemoryConfiguration,
    PrefixMatch,
    RangeMatch,
)
from fabricgen.records.fabric import Fabric
from fabricgen.vocab.dispatch import AddressTransform

__all__ = ["decode_json", "decode_tables"]

JsonTable = dict[str, object]


def decode_json(fabric: Fabric, configurations: tuple[MemoryConfiguration, ...]) -> list[JsonTable]:
    """Describe every decode row in use; ``base_offset`` is null without a transform."""
    return [
        {
            "memory": memory.name,
            "subordinate": memory.names.subordinates[subordinate],
            "binding": ordinal,
            "match": dict(map(_match_json, row.match)),
            "target": target_name(memory, row.service_target),
            "base_offset": row.base_offset
            if dispatch.address_transform is AddressTransform.CONSTANT_BASE_OFFSET
            else None,
        }
        for memory, configuration in zip(fabric.memories, configurations, strict=True)
        if isinstance(configuration, Active)
        for subordinate, (dispatch, rows) in enumerate(
            zip(
                memory.occurrence.connectivity.subordinate_endpoints,
                configuration.provider_decode,
                strict=True,
            )
        )
        for ordinal, row in enumerate(rows)
        if row is not None
    ]


def _match_json(value: MatchValue) -> tuple[str, object]:
    """Key and value of the mapping document."""
    key = match_field(value).name.lower()
    match value:
        case RangeMatch(base, size):
            return key, {"base": base, "size": size}
        case PrefixMatch(top, length):
            return key, {"value": top, "length": length}
        case AddressSpaceMatch(number) | ContextMatch(number):
            return key, number


def decode_tables(listing: list[JsonTable]) -> list[Table]:
    """One table of all rows of :func:`decode_json`, if there are any."""
    if not listing:
        return []
    table = Table("memory", "subordinate", "binding", "match", "target", "base offset")
    for row in listing:
        match, offset = row["match"], row["base_offset"]
        table.add_row(
            *(str(row[key]) for key in ("memory", "subordinate", "binding")),
            ", ".join(_words(match)) if isinstance(match, dict) and match else "any request",
            str(row["target"]),
            f"{offset:#x}" if isinstance(offset, int) else "none",
        )
    return [table]


def _words(match: Mapping[str, object]) -> Iterator[str]:
    for key, value in match.items():
        match value:
            case {"base": int(base), "size": int(size)}:
                yield f"addresses {base:#x} to {base + size - 1:#x}"
            case {"value": int(top), "length": int(length)}:
                yield f"addresses like {top:#x} in {length} bits"
            case _:
                yield f"{key.replace('_', ' ')} {value}"
