"""Rows of all five memory actors and of pointers, through the carrier and back."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.check.fabric import occurrence_findings
from fabricgen.config.codec import decode_configuration, encode_configuration
from fabricgen.config.layout import carrier_layout
from fabricgen.config.storable import storable_mask
from fabricgen.errors import FabricError
from fabricgen.plan.realisation import unsupported
from fabricgen.plan.roles import active_roles, role_bits
from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.rows import Active, OperationRow, ResultDestination, RoleSource
from fabricgen.plan.support import supports_memory_access
from fabricgen.records.access import PointerFormat
from fabricgen.records.connectivity import ManagerEndpointTarget
from fabricgen.records.fabric import Fabric
from fabricgen.schema.actor import CanonicalActorProjection, CanonicalMemoryAccessView
from fabricgen.schema.contract import PlainContract
from fabricgen.vocab.dataflow import MemoryAddressForm, MemoryMaskForm
from tests.support.actor_memories import (
    ALL,
    FIELDS,
    PLAIN,
    POINTERS,
    PORTS,
    ROLE,
    ROWS,
    WIDE,
    both_granularities,
    machine,
)
from tests.support.actors import (
    ACTORS,
    CAS,
    FENCE,
    LANE,
    LOAD,
    RMW,
    SCALAR,
    STORE,
    actors,
    atomic_access,
    exact,
)
from tests.support.capabilities import CONTIGUOUS, ELEMENT, READ, WRITE, access


def table(row, port=None):
    place = row.port if port is None else port
    return Active(tuple(row if ordinal == place else None for ordinal in range(PORTS)))


def test_the_memory_is_legal():
    assert list(occurrence_findings(ALL.occurrence, "memory")) == []


@settings(max_examples=150)
@given(ROWS)
def test_every_row_has_one_carrier_in_storable_bits(row):
    bits = encode_configuration(ALL, table(row))
    assert decode_configuration(ALL, bits) == table(row)
    assert bits & ~STORABLE == 0


STORABLE = storable_mask(ALL)


@settings(max_examples=150)
@given(ROWS, st.data())
def test_a_flipped_carrier_is_refused_or_another_row(row, data):
    bits = encode_configuration(ALL, table(row))
    bits ^= 1 << data.draw(st.integers(0, carrier_layout(ALL).width - 1))
    try:
        found = decode_configuration(ALL, bits)
    except FabricError:
        return
    assert encode_configuration(ALL, found) == bits


def test_values_stand_in_the_order_of_their_clause():
    fields = carrier_layout(ALL).rows
    widths = [
        [row[f"actor_value{i}"].width if f"actor_value{i}" in row else 0 for i in range(5)]
        for row in fields
    ]
    # Load and store: ordering, scope, granularity, volatile. RMW: kind first. Compare-exchange:
    # pair, scope, granularity, weak, volatile. Fence: ordering, scope.
    assert widths == [
        [1, 0, 1, 1, 0],
        [1, 1, 1, 0, 0],
        [2, 0, 0, 1, 0],
        [1, 0, 1, 1, 0],
        [1, 1, 0, 0, 0],
        [0, 0, 0, 0, 0],
    ]
    assert not {"access_class", "element_width", "index_width"}.intersection(fields[4])
    assert fields[5]["address_pointer_format"].width == 1
    assert fields[5]["data_pointer_format"].width == 1


@settings(max_examples=60)
@given(ROWS)
def test_a_row_is_judged_by_each_of_its_parts(row):
    assert configuration_findings(ALL, table(row)) == ()
    ordinals = (row.port, row.capability_alternative)
    found = supports_memory_access(
        ALL.occurrence, *ordinals, row.actor, row.access, row.use_pattern
    )
    assert found == ()
    other = exact(CAS if row.actor.schema_id is not CAS else RMW)
    wrong = supports_memory_access(ALL.occurrence, *ordinals, other, row.access, row.use_pattern)
    assert wrong[0].code == "actor-schema-not-accepted"


def some(schema, form=None, **access):
    """One row of an actor."""
    number = ACTORS.index(schema)
    alternatives = ALL.occurrence.engine.ports[number].capability_alternatives
    form = form or ELEMENT
    ordinal = next(
        i
        for i, each in enumerate(alternatives)
        if schema is FENCE
        or form in [c.access_form for c in each.parameterized_access_domain.access_classes]
    )
    chosen = alternatives[ordinal]
    fields = {"element": 32, "lanes": 1, "mask": MemoryMaskForm.ABSENT} | access
    view = None
    if schema is not FENCE:
        view = CanonicalMemoryAccessView(
            form,
            MemoryAddressForm.ROOT_RELATIVE,
            fields["element"],
            fields["lanes"],
            fields["mask"],
            32,
            4,
        )
    actor = exact(schema, granularity=SCALAR if form is ELEMENT else LANE)
    inputs, results = active_roles(chosen, actor, view)
    return OperationRow(
        number,
        ordinal,
        chosen.admissible_use_patterns[0],
        actor,
        view,
        0,
        tuple((role, RoleSource()) for role, _ in inputs),
        tuple((role, ResultDestination(expose=True)) for role, _ in results),
        ManagerEndpointTarget(0),
    )


def test_a_compare_exchange_has_its_roles():
    row = some(CAS, CONTIGUOUS, lanes=4, mask=MemoryMaskForm.DYNAMIC)
    assert [role.name for role, _ in row.sources] == [
        "ADDRESS",
        "EXPECTED",
        "DESIRED",
        "MASK",
        "CONTROL",
    ]
    assert [role.name for role, _ in row.destinations] == ["OLD", "SUCCESS", "COMPLETION"]
    assert configuration_findings(ALL, table(row)) == ()
    bits = role_bits(row.access)
    assert bits[ROLE.EXPECTED] == bits[ROLE.DESIRED] == bits[ROLE.OLD] == 128
    assert bits[ROLE.SUCCESS] == bits[ROLE.MASK] == 4


def codes(row, **changes):
    return [each.code for each in configuration_findings(ALL, table(replace(row, **changes)))]


def test_a_fence_has_neither_access_nor_base():
    fence = some(FENCE)
    assert codes(fence) == []
    assert codes(fence, base_addr=8) == ["row-base-unused"]
    assert codes(fence, access=some(RMW).access) == ["fence-access", "access-form-not-accepted"]
    assert codes(some(RMW), access=None)[0] == "access-missing"


def test_an_atomic_row_has_its_actors_alignment():
    row = some(RMW)
    assert codes(row, access=replace(row.access, source_alignment_bytes=8)) == ["atomic-alignment"]


def test_pointers_are_told_apart_by_format():
    base = some(LOAD)
    chosen = ALL.occurrence.engine.ports[5].capability_alternatives[0]
    actor = CanonicalActorProjection(LOAD, PlainContract())
    view = CanonicalMemoryAccessView(
        ELEMENT,
        MemoryAddressForm.POINTER_ADDRESSED,
        64,
        1,
        MemoryMaskForm.ABSENT,
        64,
        1,
        WIDE,
        WIDE,
    )
    assert chosen.parameterized_access_domain.contains(view)
    row = replace(base, port=5, capability_alternative=0, use_pattern=0, actor=actor, access=view)
    assert codes(row) == []
    far = PointerFormat(2, 64, 48)
    assert codes(row, access=replace(view, address_pointer_format=far)) == [
        "address-pointer-not-accepted"
    ]
    assert codes(row, access=replace(view, data_pointer_format=far)) == [
        "data-pointer-not-accepted"
    ]
    assert codes(row, base_addr=64) == ["row-base-unused"]


@pytest.mark.parametrize(
    "described",
    [
        *(both_granularities(each) for each in (LOAD, STORE, RMW, CAS)),
        [(FENCE, actors(FENCE), [], 0)],
        POINTERS,
        [(LOAD, PLAIN, [access(ELEMENT)], 0)],
    ],
)
def test_every_actor_has_hardware_before_a_manager(described):
    named = machine(described)
    assert list(occurrence_findings(named.occurrence, "memory")) == []
    assert not unsupported(Fabric("kinds", (named,)))


@pytest.mark.parametrize(
    ("schema", "role", "code"),
    [
        (RMW, ROLE.UPDATE, "update-endpoint-narrow"),
        (RMW, ROLE.OLD, "old-endpoint-narrow"),
        (CAS, ROLE.EXPECTED, "expected-endpoint-narrow"),
        (CAS, ROLE.DESIRED, "desired-endpoint-narrow"),
        (CAS, ROLE.SUCCESS, "success-endpoint-narrow"),
        (CAS, ROLE.ADDRESS, "address-endpoint-narrow"),
    ],
)
def test_each_payload_fits_its_endpoint(schema, role, code):
    named = machine(both_granularities(schema))
    place = named.names.endpoints.index(f"p0_{role.name.lower()}")
    # Four lanes of 64 bits, four indices of 32 bits, four successes: exactly wide enough.
    needed = {ROLE.SUCCESS: 4, ROLE.ADDRESS: 128}.get(role, 256)
    for width, expected in ((needed, set()), (needed - 1, {code})):
        endpoints = list(named.occurrence.endpoints)
        endpoints[place] = replace(endpoints[place], payload_width=width)
        occurrence = replace(named.occurrence, endpoints=tuple(endpoints))
        assert {each.code for each in occurrence_findings(occurrence, "memory")} == expected


def test_an_address_vector_of_pointers_fits_its_endpoint():
    named = machine(POINTERS)
    place = named.names.endpoints.index("p0_address")
    for width, expected in ((256, set()), (255, {"address-endpoint-narrow"})):
        endpoints = list(named.occurrence.endpoints)
        endpoints[place] = replace(endpoints[place], payload_width=width)
        occurrence = replace(named.occurrence, endpoints=tuple(endpoints))
        assert {each.code for each in occurrence_findings(occurrence, "memory")} == expected


@pytest.mark.parametrize(("schema", "direction"), [(RMW, "read"), (CAS, "write")])
def test_exact_fills_every_data_endpoint(schema, direction):
    kind = READ if direction == "read" else WRITE
    classes = [atomic_access(schema, element=(64,), **{f"{direction}_subword": [kind.EXACT]})]
    named = machine([(schema, actors(schema), classes, 0)])
    found = {each.code for each in occurrence_findings(named.occurrence, "memory")}
    assert found == {f"{direction}-subword-exact"}
    narrow = tuple(
        replace(each, payload_width=64) if each.payload_width == 256 else each
        for each in named.occurrence.endpoints
    )
    occurrence = replace(named.occurrence, endpoints=narrow)
    assert list(occurrence_findings(occurrence, "memory")) == []


def chained(schema, port, *, taken=None, made=None):
    """A scalar row (or a fence) that takes a role from a connection or feeds one."""
    row = replace(some(schema), port=port)
    return replace(
        row,
        sources=tuple((role, RoleSource(dict(taken or {}).get(role))) for role, _ in row.sources),
        destinations=tuple(
            (role, ResultDestination(False, (made[role],)) if role in (made or {}) else there)
            for role, there in row.destinations
        ),
    )


def test_old_values_successes_and_fences_go_through_connections():
    kinds = [both_granularities(each) for each in (CAS, STORE)]
    named = machine(
        *kinds,
        [(FENCE, actors(FENCE, **FIELDS[FENCE]), [], 0)],
        connections=[
            ("p0_old", "p1_data"),
            ("p0_success", "p1_mask"),
            ("p1_completion", "p2_control"),
            ("p2_completion", "p0_control"),
        ],
    )
    declared = named.occurrence.connectivity.internal_connections
    at = [
        (named.names.endpoints[each.source_endpoint_ordinal], ordinal)
        for ordinal, each in enumerate(declared)
    ]
    by = dict(at)
    rows = (
        chained(CAS, 0, made={ROLE.OLD: by["p0_old"]}),
        chained(
            STORE,
            1,
            taken={ROLE.DATA: by["p0_old"]},
            made={ROLE.COMPLETION: by["p1_completion"]},
        ),
        chained(FENCE, 2, taken={ROLE.CONTROL: by["p1_completion"]}),
    )
    bits = encode_configuration(named, Active(rows))
    assert decode_configuration(named, bits) == Active(rows)
    storable, fields = storable_mask(named), carrier_layout(named).rows
    assert bits & ~storable == 0
    # A success of four lanes is a mask of four lanes, and a fence may start what it ended.
    success = f"forward_success_{by['p0_success']}"
    assert fields[0][success].get(storable) == 1
    assert fields[2][f"forward_completion_{by['p2_completion']}"].get(storable) == 1
    assert fields[1]["source_mask"].get(storable) == 1


def test_a_success_may_be_the_mask_of_its_own_row():
    named = machine(both_granularities(CAS), connections=[("p0_success", "p0_mask")])
    (fields,) = carrier_layout(named).rows
    assert fields["source_mask"].get(storable_mask(named)) == 1


@pytest.mark.parametrize(
    ("schema", "changes", "places"),
    [
        (RMW, {"read_subword": [READ.EXACT]}, ["access.old"]),
        (RMW, {"write_subword": [WRITE.EXACT]}, ["access.update"]),
        (CAS, {"write_subword": [WRITE.EXACT]}, ["access.expected", "access.desired"]),
        (CAS, {}, []),
    ],
)
def test_a_narrow_payload_needs_its_guarantee_at_each_endpoint(schema, changes, places):
    classes = [atomic_access(schema, **changes)]
    named = machine([(schema, actors(schema), classes, 0)])
    found = supports_memory_access(named.occurrence, 0, 0, exact(schema), some(schema).access, 0)
    assert [(each.where, each.code) for each in found] == [
        (place, "subword-not-accepted") for place in places
    ]
