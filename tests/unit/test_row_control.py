from dataclasses import replace

import pytest

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import parse_mapping
from fabricgen.check.fabric import findings
from fabricgen.config.codec import encode_configuration
from fabricgen.config.layout import carrier_layout
from fabricgen.plan.geometry import requester_shape
from fabricgen.plan.realisation import unsupported
from fabricgen.plan.rows import Active, Disabled
from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.service import MemoryServiceContract, MemoryServiceRegion
from fabricgen.rtl.row_control import RowControl
from tests.support.atomic_text import atomic_fabric, atomic_mapping, atomic_row
from tests.support.channel import run
from tests.support.memories import DYNAMIC, ELEMENT, STORE, hybrid_memory, replaced, row, view
from tests.support.requester_choice import requester_choice
from tests.support.rich_memory import AT, GATHER, RICH, ROWS, SCALAR, STORING


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
    shape, found = controls_of(RICH, Active((chosen, None)))
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
    shape, found = controls_of(RICH, Active((chosen, None)))
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
    carrier = encode_configuration(RICH, Active((ROWS[0], None)))
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


def test_nothing_is_selected_while_the_carrier_is_not_active():
    carrier = encode_configuration(RICH, Active((ROWS[0], None)))
    _, found = controls_of(RICH, carrier & ~carrier_layout(RICH).active.mask)
    assert not any(value for name, value in found.items() if name.startswith(("source", "sink")))


def by_alignment():
    """Read-modify-writes that the service serves in one region below 4 bytes of promised
    alignment, and in another one from there on.
    """
    fabric = parse_fabric(atomic_fabric(only={"rmw"}, targets=["local"]))
    (named,) = fabric.memories
    service = named.occurrence.local_service
    contract = service.memory_service_contract
    split = []
    for each in contract.capabilities:
        for exponents, region in (((0, 1), 0), ((2, 63), 1)):
            alignment = AlignmentDomain(UnsignedDomain.of(exponents))
            classes = [
                replace(access, source_alignment=alignment)
                for access in each.access_domain.access_classes
            ]
            domain = ParameterizedMemoryAccessDomain.of(*classes)
            split.append(replace(each, access_domain=domain, service_region_ordinals=(region,)))
    changed = MemoryServiceContract.of(
        regions=[MemoryServiceRegion(0, 1024), MemoryServiceRegion(1536, 512)],
        resource_contract=contract.resource_contract,
        capabilities=split,
    )
    local = replace(service, memory_service_contract=changed)
    return replace(fabric, memories=(replaced(named, local_service=local),))


@pytest.mark.parametrize(("alignment", "region"), [(1, 0), (2, 0), (4, 1), (8, 1)])
def test_the_promised_alignment_tells_which_regions_an_atomic_row_reaches(alignment, region):
    fabric = by_alignment()
    assert not (*findings(fabric), *unsupported(fabric))
    facts = {"kind": "add", "ordering": "acq_rel", "target": "local", "alignment": alignment}
    facts |= {"sync_scope": "system", "granularity": "absent", "volatile": False}
    row = atomic_row("r", "rmw", **facts)
    (table,) = parse_mapping(atomic_mapping(row), fabric).memories
    (named,) = fabric.memories
    _, found = controls_of(named, table)
    regions = requester_shape(named, 0).region_sets[found["regions"]]
    assert regions == (region,)
    assert (found["mode"], found["regions"]) == requester_choice(named, table.operation_rows[0])
