"""Small Temporal memories and rows of them."""

from fabricgen.plan.rows import OperationRow, ResultDestination, RoleSource
from tests.support.memories import (
    CONTIGUOUS,
    DYNAMIC,
    ELEMENT,
    LOAD,
    LOCAL,
    ROLE,
    STORE,
    access_class,
    actor,
    alternative,
    capability,
    memory,
    port,
    service,
)

#: A read port and a write port, then a second read port behind the first one's endpoints.
ENDPOINTS = {
    "rd_addr": 32,
    "rd_mask": 4,
    "rd_ctrl": 0,
    "wr_addr": 32,
    "wr_data": 32,
    "wr_ctrl": 0,
    "rd_data": 32,
    "rd_done": 0,
    "wr_done": 0,
}
INPUTS = 6
AT = {name: ordinal for ordinal, name in enumerate(ENDPOINTS)}

#: Copies, completions as controls, and a pointer chase.
CONNECTIONS = (
    ("rd_data", "rd_addr"),
    ("rd_data", "wr_data"),
    ("rd_done", "wr_ctrl"),
    ("wr_done", "rd_ctrl"),
)


def loads():
    return (
        access_class(ELEMENT, LOAD, elements=(8, 32), lanes=(1,)),
        access_class(CONTIGUOUS, LOAD, elements=(8,), lanes=(4,), masks=(DYNAMIC,)),
    )


def stores():
    return (
        access_class(ELEMENT, STORE, elements=(8, 32), lanes=(1,)),
        access_class(CONTIGUOUS, STORE, elements=(8,), lanes=(4,)),
    )


def engine_memory(
    rows=4,
    *,
    in_flight=(2, 8),
    holding=None,
    read_ports=1,
    tag_width=4,
    capacity=1024,
    volatile=(),
    depth=1,
    **options,
):
    """``read_ports`` read ports that share their endpoints, then one write port."""
    read = {
        "address": AT["rd_addr"],
        "mask": AT["rd_mask"],
        "control": AT["rd_ctrl"],
        "data": AT["rd_data"],
        "completion": AT["rd_done"],
    }
    write = {
        "address": AT["wr_addr"],
        "data": AT["wr_data"],
        "control": AT["wr_ctrl"],
        "completion": AT["wr_done"],
    }
    limits = {"in_flight": in_flight, "result_holding": holding or in_flight}
    limits["depth"] = depth
    ports = [
        port(alternative(LOAD, read, loads(), volatile=volatile), inputs=3, contexts=rows, **limits)
        for _ in range(read_ports)
    ]
    ports.append(port(alternative(STORE, write, stores()), inputs=3, contexts=rows, **limits))
    local = service(
        capability(LOAD, loads(), tuple(range(read_ports)), volatile=volatile),
        capability(STORE, stores(), (read_ports,)),
        requesters=len(ports),
        capacity=capacity,
    )
    return memory(ENDPOINTS, INPUTS, ports, local, contexts=rows, tag_width=tag_width, **options)


def both_ways_memory(rows=4, *, in_flight=(2, 8), **options):
    """One port that loads and stores elements through the endpoints of both."""
    shared = {"address": AT["rd_addr"], "control": AT["rd_ctrl"], "completion": AT["rd_done"]}
    reading, writing = loads()[:1], stores()[:1]
    both = port(
        alternative(LOAD, {**shared, "data": AT["rd_data"]}, reading),
        alternative(STORE, {**shared, "data": AT["wr_data"]}, writing),
        in_flight=in_flight,
        result_holding=in_flight,
        depth=1,
        inputs=3,
        contexts=rows,
    )
    local = service(
        capability(LOAD, reading, (0,)),
        capability(STORE, writing, (0,)),
        requesters=1,
        capacity=1024,
    )
    return memory(ENDPOINTS, INPUTS, [both], local, contexts=rows, **options)


def engine_row(
    context,
    port_ordinal,
    schema,
    access,
    tags,
    *,
    base=0x100,
    sources=None,
    to=None,
    target=LOCAL,
    volatile=False,
    alternative_ordinal=0,
):
    """``tags`` maps roles to tags; a result role without one is not exposed.

    ``sources`` maps input roles to connection ordinals, ``to`` result roles to several.
    """
    sources, to = sources or {}, to or {}
    masked = (ROLE.MASK,) if access.mask_form is DYNAMIC else ()
    data = (ROLE.DATA,)
    inputs = (ROLE.ADDRESS, *(data if schema is STORE else ()), *masked, ROLE.CONTROL)
    results = (*(data if schema is LOAD else ()), ROLE.COMPLETION)
    return OperationRow(
        port=port_ordinal,
        capability_alternative=alternative_ordinal,
        use_pattern=context,
        actor=actor(schema, volatile),
        access=access,
        base_addr=base,
        sources=tuple(
            (role, RoleSource(connection=sources[role]))
            if role in sources
            else (role, RoleSource(tag=tags[role]))
            for role in inputs
        ),
        destinations=tuple(
            (
                role,
                ResultDestination(
                    expose=tags.get(role) is not None,
                    connections=tuple(to.get(role, ())),
                    tag=tags.get(role),
                ),
            )
            for role in results
        ),
        service_target=target,
    )
