"""Temporal memories by constructors, and rows of them with tags."""

from dataclasses import replace

from fabricgen.plan.contract import use_pattern_key
from fabricgen.plan.rows import Active
from tests.support.memories import (
    ENDPOINTS,
    LOAD,
    STORE,
    alternative,
    capability,
    hybrid_classes,
    memory,
    port,
    row,
    service,
)

CONTEXTS, TAG_WIDTH = 4, 4
_READ = {
    "address": "rd_addr",
    "mask": "rd_mask",
    "control": "rd_ctrl",
    "data": "rd_data",
    "completion": "rd_done",
}
_WRITE = {
    "address": "wr_addr",
    "data": "wr_data",
    "mask": "wr_mask",
    "control": "wr_ctrl",
    "completion": "wr_done",
}


def temporal_ports(contexts=CONTEXTS, *, in_flight=(2, 8), result_holding=(2, 8), lanes=False):
    """A read and a write port with the endpoints of the hybrid memory.

    With ``lanes`` the pattern 1 of both walks the lanes of the contiguous accesses, which are
    alternative 1 then (element accesses have no mask role, and are alternative 0).
    """

    def built(schema, roles, inputs):
        element, vector = hybrid_classes(schema)
        if lanes:
            unmasked = {role: end for role, end in roles.items() if role != "mask"}
            alternatives = (
                alternative(schema, unmasked, (element,), patterns=(0,)),
                alternative(schema, roles, (vector,), patterns=(0, 1)),
            )
        else:
            alternatives = (alternative(schema, roles, (element, vector)),)
        return port(
            *alternatives,
            in_flight=in_flight,
            result_holding=result_holding,
            depth=1,
            inputs=inputs,
            transactions=(1, 4) if lanes else (1,),
            contexts=contexts,
        )

    return built(LOAD, _READ, 3), built(STORE, _WRITE, 4)


def temporal_memory(
    *,
    contexts=CONTEXTS,
    tag_width=TAG_WIDTH,
    local=True,
    managers=(),
    connections=(),
    implementation=None,
    lanes=False,
    in_flight=(2, 8),
    result_holding=(2, 8),
    **service_options,
):
    """One read and one write port of 128 bits; 4 KiB in 4 banks where ``local``."""
    store = service(
        capability(LOAD, hybrid_classes(LOAD), (0,)),
        capability(STORE, hybrid_classes(STORE), (1,)),
        requesters=2,
        **service_options,
    )
    return memory(
        ENDPOINTS,
        7,
        temporal_ports(contexts, in_flight=in_flight, result_holding=result_holding, lanes=lanes),
        store if local else None,
        contexts=contexts,
        tag_width=tag_width,
        managers=managers,
        connections=connections,
        implementation=implementation,
    )


def manager_memory(*, contexts=CONTEXTS, beat=64, **options):
    """The same ports before one manager, ``ext0``, and nothing else."""
    return temporal_memory(contexts=contexts, local=False, managers={"ext0": beat}, **options)


def temporal_row(
    ordinal, port_ordinal, schema, access, *, tags=None, contexts=CONTEXTS, pattern=0, **options
):
    """A row with all roles external; ``tags`` by role name, else the row's ordinal."""
    tags = tags or {}
    plain = row(
        port_ordinal,
        schema,
        access,
        pattern=use_pattern_key(pattern, ordinal, contexts),
        **options,
    )

    def tag(role):
        return tags.get(role.name.lower(), ordinal)

    return replace(
        plain,
        sources=tuple((role, replace(source, tag=tag(role))) for role, source in plain.sources),
        destinations=tuple(
            (role, replace(destination, tag=tag(role))) for role, destination in plain.destinations
        ),
    )


def temporal_table(*rows, contexts=CONTEXTS):
    """``rows[k]`` is row ``k``; the rest of the table is Unused."""
    return Active((*rows, *(None,) * (contexts - len(rows))))
