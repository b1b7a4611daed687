"""A memory whose vector accesses go whole, or lane by lane."""

from dataclasses import replace

from fabricgen.vocab.fabric import MemoryPortTransactionProjection
from tests.support.memories import (
    ABSENT,
    CONTIGUOUS,
    DYNAMIC,
    ELEMENT,
    ENDPOINTS,
    INDEXED,
    LOAD,
    STORE,
    access_class,
    alternative,
    capability,
    memory,
    port,
    service,
)

DIRECT, ROW_MAJOR = MemoryPortTransactionProjection
LANES = 4

#: Endpoints of the memory: those of the hybrid one with room for an index per lane.
WIDE = {name: 128 if name in ("rd_addr", "wr_addr") else width for name, width in ENDPOINTS.items()}
_INPUT_COUNT = 7


def element_class(schema):
    """Elements of 8 and 32 bits."""
    return access_class(ELEMENT, schema, elements=(8, 32), lanes=(1,))


def vector_classes(schema):
    """1 to 4 lanes of 32 bits, contiguous or indexed, masked or not."""
    masks = (ABSENT, DYNAMIC)
    return tuple(
        access_class(form, schema, elements=(32,), lanes=((1, LANES),), masks=masks)
        for form in (CONTIGUOUS, INDEXED)
    )


def lanes_port(schema, prefix, **options):
    """Elements by pattern 0, vectors by pattern 0 (whole) or 1 (lane by lane)."""
    roles = {
        role: f"{prefix}_{end}"
        for role, end in (
            ("address", "addr"),
            ("mask", "mask"),
            ("control", "ctrl"),
            ("data", "data"),
            ("completion", "done"),
        )
    }
    unmasked = {role: end for role, end in roles.items() if role != "mask"}
    alternatives = (
        alternative(schema, unmasked, (element_class(schema),)),
        alternative(schema, roles, vector_classes(schema), patterns=(0, 1)),
    )
    inputs = 4 if schema is STORE else 3
    whole = port(*alternatives, inputs=inputs, pattern_count=2, **options)
    first, second = whole.resource_contract.use_patterns
    by_lane = replace(second, internal_transactions=second.internal_transactions * LANES)
    return replace(
        whole,
        resource_contract=replace(whole.resource_contract, use_patterns=(first, by_lane)),
        operation_pattern_semantics=(DIRECT, ROW_MAJOR),
    )


def lanes_memory(*, implementation=None, **service_options):
    """A read and a write port over 4 banks of 64-bit beats."""
    ports = tuple(lanes_port(schema, prefix) for schema, prefix in ((LOAD, "rd"), (STORE, "wr")))
    capabilities = (
        capability(
            schema,
            (element_class(schema), *vector_classes(schema)),
            (requester,),
        )
        for requester, schema in enumerate((LOAD, STORE))
    )
    local = service(*capabilities, requesters=2, **service_options)
    return memory(WIDE, _INPUT_COUNT, ports, local, implementation=implementation)
