"""What the fields of one Active row say, in words."""

import enum
from collections.abc import Hashable
from typing import cast

from fabricgen.atoms.pointer import PointerFormat
from fabricgen.atoms.sync_scope import SyncScope
from fabricgen.plan.rows import (
    AddressSpaceMatch,
    ContextMatch,
    MatchValue,
    OperationRow,
    PrefixMatch,
    ProviderDecodeRow,
    RangeMatch,
)
from fabricgen.plan.support import selected_class, selected_clause
from fabricgen.records.connectivity import LocalMemoryServiceTarget, MemoryDispatchTarget
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.port import MemoryCapabilityAlternative
from fabricgen.schema.actor import CanonicalActorProjection, CanonicalMemoryAccessView

__all__ = ["decode_meanings", "field_meaning", "row_meanings"]

#: What the values of a field say, by its name in any row.
_FIELDS = {
    "active": "1: the memory runs its rows; 0: disabled",
    "valid": "1: the row is Active",
    "port": "which operation port the row is of",
    "capability_alternative": "which actor of the port, counted in canonical order",
    "use_pattern": "which pattern of the port",
    "actor_clause": "which contract of the alternative",
    "base_addr": "byte address of element 0",
    "access_class": "which access class of the alternative, in canonical order",
    "element_width": "bits of an element",
    "lane_count": "lanes",
    "mask_pair": "which mask form, with what it leaves in inactive lanes",
    "alignment": "exponent of the alignment in bytes; 0 for a plain access",
    "index_width": "bits of an index that count",
    "address_pointer_format": "which format of the address pointers",
    "data_pointer_format": "which kind of data",
    "service_target": "which service: the local one, where there is one, then the managers",
    "range_base": "first address that is matched",
    "range_size": "addresses that are matched",
    "prefix_value": "the address under the prefix, with zeros behind it",
    "prefix_length": "top bits of the address that are matched",
    "address_space": "the address space that is matched",
    "context": "the context code that is matched",
    "base_offset": "what is added to the address, modulo 2**64",
}

#: The same of fields whose names go on with a role or a number.
_FAMILIES = {
    "actor_value": "which value of a set of the contract",
    "source_tag_": "tag of the operand at its endpoint",
    "source_": "where the operand comes from: 0 is its endpoint",
    "expose_tag_": "tag of the result at its endpoint",
    "expose_": "1: the result goes to its endpoint",
    "forward_": "1: the result goes to the connection",
}


def field_meaning(name: str) -> str:
    """Words for a field of the carrier, whatever its value."""
    for start, text in _FAMILIES.items():
        if name.startswith(start):
            return text
    if name not in _FIELDS:
        raise ValueError(f"The field must be one of the carrier, not {name!r}")
    return _FIELDS[name]


def row_meanings(named: NamedMemory, row: OperationRow) -> dict[str, str]:
    """Words for each field that the row uses; its other fields belong to inactive roles."""
    port = named.occurrence.operation_ports[row.port]
    alternative = port.capability_alternatives[row.capability_alternative]
    pattern = row.use_pattern // named.patterns_per_name(row.port)
    meanings = {
        "valid": "Active row",
        "port": named.names.ports[row.port],
        "capability_alternative": _word(row.actor.schema_id.name),
        "use_pattern": named.names.patterns[row.port][pattern],
        **_contract_meanings(alternative, row.actor),
        "base_addr": f"element 0 at byte {row.base_addr:#x}",
        **({} if row.access is None else _access_meanings(alternative, row.access)),
        "service_target": _target(named, row.service_target),
    }
    bound = dict(alternative.role_to_endpoint)
    for role, source in row.sources:
        origin = named.names.endpoints[bound[role]]
        if source.connection is not None:
            origin = f"connection {source.connection}"
        meanings[f"source_{role.name.lower()}"] = f"from {origin}"
        if source.tag is not None:
            meanings[f"source_tag_{role.name.lower()}"] = f"tag {source.tag}"
    for role, destination in row.destinations:
        endpoint = named.names.endpoints[bound[role]]
        negation = "" if destination.expose else "not "
        meanings[f"expose_{role.name.lower()}"] = f"{negation}to {endpoint}"
        if destination.tag is not None:
            meanings[f"expose_tag_{role.name.lower()}"] = f"tag {destination.tag}"
        for connection in destination.connections:
            meanings[f"forward_{role.name.lower()}_{connection}"] = f"to connection {connection}"
    return meanings


def decode_meanings(named: NamedMemory, row: ProviderDecodeRow) -> dict[str, str]:
    """Words for each field of one decode row."""
    meanings = {"valid": "Active row"}
    for value in row.match:
        meanings |= _match_meanings(value)
    return {
        **meanings,
        "service_target": _target(named, row.service_target),
        "base_offset": f"address plus {row.base_offset:#x}",
    }


def _match_meanings(value: MatchValue) -> dict[str, str]:
    match value:
        case RangeMatch(base, size):
            return {
                "range_base": f"from address {base:#x}",
                "range_size": f"{size} byte{'s' if size > 1 else ''}",
            }
        case PrefixMatch(top, length):
            return {
                "prefix_value": f"address {top:#x}",
                "prefix_length": f"in its top {length} bits",
            }
        case AddressSpaceMatch(number):
            return {"address_space": f"address space {number}"}
        case ContextMatch(number):  # exhaustive
            return {"context": f"context {number:#x}"}


def _contract_meanings(
    alternative: MemoryCapabilityAlternative, actor: CanonicalActorProjection
) -> dict[str, str]:
    _, clause = selected_clause(alternative, actor)
    named = zip(clause.CODECS, actor.contract.values, strict=True)
    words = (_value(name, value) for (name, _), value in named)
    return {
        "actor_clause": f"{_word(clause.tag.name.removeprefix('LOAD_STORE_'))} contract",
        **{f"actor_value{position}": text for position, text in enumerate(words)},
    }


def _value(name: str, value: Hashable) -> str:
    """One value of a contract; each part of an ordering pair is an ordering."""
    match value:
        case bool():
            return f"{'' if value else 'not '}{name.removesuffix('_values')}"
        case SyncScope():
            return f"scope {_word(value.kind.name)}"
        case None:
            return "scalar"
        case enum.Enum():
            return _word(value.name)
        case _:
            success, failure = cast("tuple[enum.Enum, enum.Enum]", value)
            return f"success {_word(success.name)}, failure {_word(failure.name)}"


def _access_meanings(
    alternative: MemoryCapabilityAlternative, access: CanonicalMemoryAccessView
) -> dict[str, str]:
    lanes, address = access.lane_count, access.address_pointer_format
    return {
        "access_class": f"{_word(access.form.name)}, {_word(access.address_form.name)}",
        "element_width": f"{access.element_bits} bits",
        "lane_count": f"{lanes} lane{'s' if lanes > 1 else ''}",
        "mask_pair": _mask(alternative, access),
        "alignment": f"aligned to {access.source_alignment_bytes} byte",
        **(
            {"index_width": f"{access.address_lane_bits} bits"}
            if address is None
            else {"address_pointer_format": _pointer(address)}
        ),
        "data_pointer_format": "ordinary data"
        if access.data_pointer_format is None
        else _pointer(access.data_pointer_format),
    }


def _pointer(form: PointerFormat) -> str:
    return (
        f"pointers of space {form.address_space}: {form.address_bits} of "
        f"{form.representation_bits} bits"
    )


def _mask(alternative: MemoryCapabilityAlternative, access: CanonicalMemoryAccessView) -> str:
    _, access_class = selected_class(alternative, access)
    pairs = dict(access_class.mask_inactive_pairs)
    form = access.mask_form
    return f"mask {_word(form.name)}, inactive lanes {_word(pairs[form].name)}"


def _target(named: NamedMemory, target: MemoryDispatchTarget) -> str:
    if isinstance(target, LocalMemoryServiceTarget):
        return "local service"
    return f"manager {named.names.managers[target.ordinal]}"


def _word(name: str) -> str:
    return name.lower().replace("_", " ")
