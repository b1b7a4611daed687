from dataclasses import replace

import pytest

from fabricgen.config.codec import encode_configuration
from fabricgen.config.layout import carrier_layout
from fabricgen.plan.geometry import requester_choice
from fabricgen.plan.rows import Active, Disabled
from fabricgen.rtl.row_control import RowControl
from tests.support.channel import run
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
    hybrid_memory,
    memory,
    port,
    row,
    service,
    view,
)


def rich_memory():
    """One port that loads and stores, element, contiguous and indexed, in two region sets."""
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
    local = service(
        capability(LOAD, scalar_classes(LOAD)[:1], (0,), volatile=(False, True), regions=(0, 1)),
        capability(LOAD, scalar_classes(LOAD)[1:], (0,), volatile=(False,), regions=(0,)),
        capability(LOAD, scalar_classes(LOAD)[1:], (0,), volatile=(True,), regions=(1,)),
        capability(LOAD, gathers, (0,), volatile=(False, True), regions=(1,)),
        capability(STORE, scalar_classes(STORE), (0,), regions=(0,)),
        requesters=1,
        regions=[(0, 1024), (2048, 1024)],
    )
    return memory(endpoints, 6, (port(loads, gather, stores, inputs=4),), local), at


RICH, AT = rich_memory()


def ordinal_of(schema, address):
    """Place of an alternative in the canonical order, by what tells it apart."""
    (port_record,) = RICH.occurrence.engine.ports
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
    row(0, LOAD, view(ELEMENT, element=24, index=32), base=4095, alternative_ordinal=SCALAR),
    row(0, LOAD, view(CONTIGUOUS, lanes=3), base=0, alternative_ordinal=SCALAR),
    row(0, LOAD, view(CONTIGUOUS, lanes=1, mask=DYNAMIC), alternative_ordinal=SCALAR),
    row(0, LOAD, view(INDEXED, lanes=2, index=16), alternative_ordinal=GATHER),
    row(0, LOAD, view(INDEXED, lanes=4, index=32, mask=DYNAMIC), alternative_ordinal=GATHER),
    row(0, STORE, view(ELEMENT, element=32, index=32), alternative_ordinal=STORING),
    row(0, STORE, view(CONTIGUOUS, lanes=4, mask=DYNAMIC), alternative_ordinal=STORING),
]


def volatile(chosen):
    contract = replace(chosen.actor.contract, volatile=True)
    return replace(chosen, actor=replace(chosen.actor, contract=contract))


ROWS += [volatile(ROWS[0]), volatile(ROWS[2])]


def controls_of(named, carrier, ordinal=0):
    """Every control signal of a port, one cycle after its carrier."""
    if not isinstance(carrier, int):
        carrier = encode_configuration(named, carrier)
    dut = RowControl(named, ordinal)
    found = {}

    async def bench(ctx):
        ctx.set(dut.configuration, carrier)
        await ctx.tick()
        for name in dut.controls.signature.members:
            found[name] = ctx.get(getattr(dut.controls, name))

    run(dut, bench)
    return dut.shape, found


@pytest.mark.parametrize("chosen", ROWS, ids=range(len(ROWS)))
def test_controls_say_what_the_row_says(chosen):
    shape, found = controls_of(RICH, Active((chosen,)))
    access = chosen.access
    mode, regions = requester_choice(RICH, chosen)
    assert (found["mode"], found["regions"]) == (mode, regions)
    assert found["base"] == chosen.base_addr
    assert found["lanes"] == (1 << access.lane_count) - 1
    assert found["masked"] == (access.mask_form is DYNAMIC)
    assert found["store"] == (chosen.actor.schema_id is STORE)
    assert shape.element_bytes[found["scale"]] == access.element_bits // 8
    assert found["reach"] == (access.address_lane_bits == 32)
    assert shape.index_widths == (16, 32)


@pytest.mark.parametrize("chosen", ROWS, ids=range(len(ROWS)))
def test_exactly_the_bound_endpoint_of_each_active_role_is_selected(chosen):
    shape, found = controls_of(RICH, Active((chosen,)))
    bound = {
        SCALAR: {
            "address": "address",
            "control": "control",
            "data": "read_data",
            "completion": "done",
        },
        GATHER: {
            "address": "indices",
            "control": "other_control",
            "data": "read_data",
            "completion": "done",
        },
        STORING: {
            "address": "address",
            "control": "control",
            "data": "write_data",
            "completion": "write_done",
        },
    }[chosen.capability_alternative]
    if chosen.access.mask_form is DYNAMIC:
        bound = bound | {"mask": "mask"}
    for prefix, paths in (("source", shape.inputs), ("sink", shape.results)):
        for path in paths:
            expected = sum(
                1 << position
                for position, endpoint in enumerate(path.endpoints)
                if bound.get(path.name) in AT and AT[bound[path.name]] == endpoint
            )
            assert found[f"{prefix}_{path.name}"] == expected, (prefix, path)


def test_a_result_that_is_not_exposed_has_no_endpoint():
    carrier = encode_configuration(RICH, Active((ROWS[0],)))
    hidden = carrier & ~carrier_layout(RICH).rows[0]["expose_data"].mask
    _, found = controls_of(RICH, hidden)
    assert (found["sink_data"], found["sink_completion"]) == (0, 1)


@pytest.mark.parametrize(
    "configuration", [Disabled(), Active((None, row(1, STORE, view(ELEMENT))))]
)
def test_an_unused_row_selects_no_endpoint(configuration):
    _, found = controls_of(hybrid_memory(), configuration)
    selected = [value for name, value in found.items() if name.startswith(("source", "sink"))]
    assert selected == [0] * 5
