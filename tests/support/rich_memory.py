"""One memory that uses everything a Spatial port can have, and legal rows of it."""

from dataclasses import replace

from tests.support.memories import (
    ABSENT,
    CONTIGUOUS,
    DYNAMIC,
    ELEMENT,
    INDEXED,
    LOAD,
    ROLE,
    STORE,
    access_class,
    alternative,
    capability,
    memory,
    port,
    row,
    service,
    view,
)

CAPACITY = 1024


def rich_memory():
    """Loads and stores, element, contiguous and indexed, in two region sets, on one port.

    A second port loads elements at the first one's endpoints; only one of the two can be active.
    """
    endpoints = {
        "address": 32,
        "indices": 128,
        "write_data": 128,
        "mask": 4,
        "control": 0,
        "other_control": 0,
        "read_data": 128,
        "done": 0,
        "write_done": 0,
    }
    at = {name: ordinal for ordinal, name in enumerate(endpoints)}
    scalar = {"address": at["address"], "mask": at["mask"], "control": at["control"]}
    masks = (ABSENT, DYNAMIC)

    def scalar_classes(schema):
        return (
            access_class(ELEMENT, schema, elements=(8, 24, 32), lanes=(1,), index=(16, 32)),
            access_class(CONTIGUOUS, schema, elements=(32,), lanes=((1, 4),), masks=masks),
        )

    gathers = (
        access_class(INDEXED, LOAD, elements=(32,), lanes=((2, 4),), masks=masks, index=(16, 32)),
    )
    loads = alternative(
        LOAD,
        {**scalar, "data": at["read_data"], "completion": at["done"]},
        scalar_classes(LOAD),
        volatile=(False, True),
    )
    gather = alternative(
        LOAD,
        {
            "address": at["indices"],
            "mask": at["mask"],
            "control": at["other_control"],
            "data": at["read_data"],
            "completion": at["done"],
        },
        gathers,
        volatile=(False, True),
    )
    stores = alternative(
        STORE,
        {**scalar, "data": at["write_data"], "completion": at["write_done"]},
        scalar_classes(STORE),
    )
    beside = alternative(
        LOAD,
        {
            "address": at["address"],
            "control": at["other_control"],
            "data": at["read_data"],
            "completion": at["done"],
        },
        (access_class(ELEMENT, LOAD, elements=(32,), lanes=(1,), index=(16, 32)),),
    )

    def vectors(lanes):
        return access_class(CONTIGUOUS, LOAD, elements=(32,), lanes=(lanes,), masks=masks)

    local = service(
        capability(LOAD, scalar_classes(LOAD)[:1], (0, 1), volatile=(False, True), regions=(0, 1)),
        capability(LOAD, scalar_classes(LOAD)[1:], (0,), volatile=(False,), regions=(0,)),
        capability(LOAD, (vectors((1, 2)),), (0,), volatile=(True,), regions=(1,)),
        capability(LOAD, (vectors((3, 4)),), (0,), volatile=(True,), regions=(0, 1)),
        capability(LOAD, gathers, (0,), volatile=(False, True), regions=(1,)),
        capability(STORE, scalar_classes(STORE), (0,), regions=(0,)),
        requesters=2,
        capacity=CAPACITY,
        regions=[(0, 256), (512, 256)],
    )
    ports = (port(loads, gather, stores, inputs=4), port(beside, inputs=2, in_flight=1))
    return memory(endpoints, 6, ports, local), at


RICH, AT = rich_memory()


def ordinal_of(schema, address):
    """Place of an alternative in the canonical order, by what tells it apart."""
    port_record, _ = RICH.occurrence.engine.ports
    keys = [
        (each.actor_contract_domain.actor_schema, each.endpoint_of(ROLE.ADDRESS))
        for each in port_record.capability_alternatives
    ]
    return keys.index((schema, AT[address]))


SCALAR, GATHER, STORING = (
    ordinal_of(LOAD, "address"),
    ordinal_of(LOAD, "indices"),
    ordinal_of(STORE, "address"),
)

ROWS = [
    row(0, LOAD, view(ELEMENT, element=8, index=16), alternative_ordinal=SCALAR),
    row(0, LOAD, view(ELEMENT, element=24, index=32), base=1023, alternative_ordinal=SCALAR),
    row(0, LOAD, view(CONTIGUOUS, lanes=3), base=0, alternative_ordinal=SCALAR),
    row(0, LOAD, view(CONTIGUOUS, lanes=1, mask=DYNAMIC), alternative_ordinal=SCALAR),
    row(0, LOAD, view(INDEXED, lanes=2, index=16), alternative_ordinal=GATHER, base=0x200),
    row(
        0,
        LOAD,
        view(INDEXED, lanes=4, index=32, mask=DYNAMIC),
        alternative_ordinal=GATHER,
        base=0x200,
    ),
    row(0, STORE, view(ELEMENT, element=32, index=32), alternative_ordinal=STORING),
    row(0, STORE, view(CONTIGUOUS, lanes=4, mask=DYNAMIC), alternative_ordinal=STORING),
]


def volatile(chosen):
    contract = replace(chosen.actor.contract, volatile=True)
    return replace(chosen, actor=replace(chosen.actor, contract=contract))


ROWS += [volatile(ROWS[0]), volatile(ROWS[2]), volatile(ROWS[3])]

#: The same endpoints served by the second port.
OTHER_ROW = row(1, LOAD, view(ELEMENT, element=32, index=32), base=0x200)
