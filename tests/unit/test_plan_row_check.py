from dataclasses import replace

import pytest

from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.rows import Active, Disabled, ResultDestination, RoleSource
from fabricgen.records.connectivity import InternalConnection, ManagerEndpointTarget
from tests.support.memories import (
    CONTIGUOUS,
    DYNAMIC,
    ELEMENT,
    LOAD,
    ROLE,
    STORE,
    access_class,
    actor,
    alternative,
    capability,
    hybrid_classes,
    memory,
    port,
    replaced,
    row,
    service,
    table,
    view,
)
from tests.support.records import copy_fabric

COPY = copy_fabric().memories[0]
READ = row(0, LOAD, view(CONTIGUOUS, lanes=4, mask=DYNAMIC))
WRITE = row(1, STORE, view(ELEMENT))


def found(configuration, named=COPY):
    return [(d.where, d.code) for d in configuration_findings(named, configuration)]


def of_row(changed, named=COPY):
    """Codes for the read row alone, which sits at ordinal 0."""
    codes = []
    for where, code in found(table(changed, None), named):
        assert where.startswith("operation_rows"), where
        codes.append(code)
    return codes


def test_legal_tables_have_no_finding():
    assert found(Disabled()) == []
    assert found(table(READ, WRITE)) == []
    assert found(table(None, WRITE)) == []


def test_a_table_has_a_row_per_port():
    assert found(Active((READ,))) == [("operation_rows", "row-count")]


def test_a_table_has_an_active_row():
    assert found(table(None, None)) == [("operation_rows", "configuration-without-row")]


@pytest.mark.parametrize(
    ("changes", "codes"),
    [
        ({"port": 1}, ["row-port"]),
        ({"capability_alternative": 1}, ["row-alternative-range"]),
        ({"capability_alternative": -1}, ["row-alternative-range"]),
        ({"use_pattern": 1}, ["use-pattern-not-admissible"]),
        ({"actor": actor(STORE)}, ["actor-schema-not-accepted"]),
        ({"access": view(CONTIGUOUS, element=16, lanes=4, mask=DYNAMIC)},
         ["element-width-not-accepted"]),
        ({"base_addr": 4096}, ["row-base-outside"]),
        ({"base_addr": 2**64}, ["row-base-range", "row-base-outside"]),
        ({"base_addr": -1}, ["row-base-range"]),
        ({"service_target": ManagerEndpointTarget(0)}, ["row-target"]),
        ({"sources": READ.sources[1:]}, ["row-sources"]),
        ({"sources": READ.sources[::-1]}, ["row-sources"]),
        ({"sources": ((ROLE.ADDRESS, RoleSource(0)), *READ.sources[1:])},
         ["row-source-connection"]),
        ({"sources": ((ROLE.ADDRESS, RoleSource(tag=0)), *READ.sources[1:])},
         ["row-tag-presence"]),
        ({"destinations": READ.destinations[:1]}, ["row-destinations"]),
        ({"destinations": (READ.destinations[0], (ROLE.COMPLETION, ResultDestination(False)))},
         ["row-destination-missing"]),
        ({"destinations": (READ.destinations[0], (ROLE.COMPLETION, ResultDestination(True, (0,))))},
         ["row-destination-connection"]),
    ],
)  # fmt: skip
def test_each_rule_of_a_row_has_its_code(changes, codes):
    assert of_row(replace(READ, **changes)) == codes


def test_the_last_byte_of_the_service_is_a_legal_base():
    assert of_row(replace(READ, base_addr=4095)) == []


def test_a_mask_source_without_a_dynamic_mask_is_refused():
    unmasked = replace(READ, access=view(CONTIGUOUS, lanes=4))
    assert of_row(unmasked) == ["row-sources"]


def test_every_row_is_judged():
    changed = table(replace(READ, base_addr=4096), replace(WRITE, use_pattern=7))
    assert found(changed) == [
        ("operation_rows[0].base_addr", "row-base-outside"),
        ("operation_rows[1].use_pattern", "use-pattern-not-admissible"),
    ]


def test_what_the_service_does_not_admit_is_refused():
    narrow = access_class(ELEMENT, LOAD, elements=(8, 16), lanes=(1,))
    local = service(capability(LOAD, (narrow,), (0,)), requesters=1)
    ends = {"a": 32, "c": 0, "d": 32, "x": 0}
    roles = {"address": 0, "control": 1, "data": 2, "completion": 3}
    read = port(alternative(LOAD, roles, hybrid_classes(LOAD)[:1]), inputs=2)
    named = memory(ends, 2, (read,), local)
    assert found(table(row(0, LOAD, view(ELEMENT, element=16))), named) == []
    assert found(table(row(0, LOAD, view(ELEMENT, element=32))), named) == [
        ("operation_rows[0].access", "row-service-capability")
    ]


def test_a_capability_for_another_requester_does_not_serve_the_port():
    loads, stores = COPY.occurrence.local_service.memory_service_contract.capabilities
    contract = replace(
        COPY.occurrence.local_service.memory_service_contract,
        capabilities=(replace(loads, admissible_use_patterns=(1,)), stores),
    )
    local = replace(COPY.occurrence.local_service, memory_service_contract=contract)
    assert of_row(READ, replaced(COPY, local_service=local)) == ["row-service-capability"]


def shared_endpoint_memory():
    """Two load ports that both answer on endpoint 5."""
    ends = {"a0": 32, "c0": 0, "a1": 32, "c1": 0, "x0": 0, "d": 32, "x1": 0}
    classes = hybrid_classes(LOAD)[:1]
    ports = (
        port(
            alternative(LOAD, {"address": 0, "control": 1, "data": 5, "completion": 4}, classes),
            inputs=2,
        ),
        port(
            alternative(LOAD, {"address": 2, "control": 3, "data": 5, "completion": 6}, classes),
            inputs=2,
        ),
    )
    return memory(ends, 4, ports, service(capability(LOAD, classes, (0, 1)), requesters=2))


def test_two_active_rows_do_not_share_an_endpoint():
    named = shared_endpoint_memory()
    first, second = (row(ordinal, LOAD, view(ELEMENT)) for ordinal in (0, 1))
    assert found(table(first, None), named) == []
    assert found(table(None, second), named) == []
    assert found(table(first, second), named) == [
        ("operation_rows[1].destinations.data", "row-endpoint-conflict")
    ]


def connected():
    """The copy memory with load.data to store.data, and both completions to both controls."""
    connectivity = replace(
        COPY.occurrence.connectivity,
        internal_connections=(InternalConnection(7, 4), InternalConnection(8, 6)),
    )
    return replaced(COPY, connectivity=connectivity)


def loaded(data):
    return replace(
        row(0, LOAD, view(ELEMENT)),
        destinations=((ROLE.DATA, data), (ROLE.COMPLETION, ResultDestination(True))),
    )


def stored(source):
    access = row(1, STORE, view(ELEMENT))
    sources = tuple((r, source if r is ROLE.DATA else s) for r, s in access.sources)
    return replace(access, sources=sources)


def test_a_connection_with_producer_and_consumer_is_closed():
    copy = table(loaded(ResultDestination(False, (0,))), stored(RoleSource(0)))
    assert found(copy, connected()) == []


@pytest.mark.parametrize(
    ("rows", "where", "code"),
    [
        (
            (loaded(ResultDestination(True, (0,))), stored(RoleSource())),
            "[0].destinations.data",
            "unconsumed",
        ),
        ((loaded(ResultDestination(True)), stored(RoleSource(0))), "[1].sources.data", "open"),
    ],
)
def test_a_connection_that_is_not_closed_is_refused(rows, where, code):
    assert found(table(*rows), connected()) == [
        (f"operation_rows{where}", f"row-connection-{code}")
    ]


def test_a_connection_carries_all_bits_that_its_consumer_needs():
    def copied(loaded_bits, stored_bits):
        inside = ResultDestination(False, (0,))
        load = replace(loaded(inside), access=view(ELEMENT, element=loaded_bits))
        store = replace(stored(RoleSource(0)), access=view(ELEMENT, element=stored_bits))
        return found(table(load, store), connected())

    assert copied(32, 32) == copied(32, 8) == []
    assert copied(16, 32) == [("operation_rows[1].sources.data", "row-connection-payload")]


def test_a_connection_must_touch_the_endpoints_of_its_roles():
    assert ("operation_rows[1].sources.data", "row-source-connection") in found(
        table(None, stored(RoleSource(1))), connected()
    )
    assert ("operation_rows[0].destinations.data", "row-destination-connection") in found(
        table(loaded(ResultDestination(True, (1,))), None), connected()
    )


def test_connections_of_a_role_are_a_sorted_set():
    twice = loaded(ResultDestination(False, (0, 0)))
    codes = [code for _, code in found(table(twice, stored(RoleSource(0))), connected())]
    assert codes == ["row-destination-order"]


def test_an_endpoint_is_free_for_another_role_where_a_connection_takes_its_place():
    # Load port 0 may feed the address of load port 1, which shares its ingress 0 with port 0.
    ends = {"a": 32, "c0": 0, "c1": 0, "d0": 32, "x0": 0, "d1": 32, "x1": 0}
    classes = hybrid_classes(LOAD)[:1]
    ports = [
        port(
            alternative(LOAD, {"address": 0, "control": c, "data": d, "completion": x}, classes),
            inputs=2,
        )
        for c, d, x in ((1, 3, 4), (2, 5, 6))
    ]
    named = memory(ends, 3, ports, service(capability(LOAD, classes, (0, 1)), requesters=2))
    connectivity = replace(
        named.occurrence.connectivity, internal_connections=(InternalConnection(3, 0),)
    )
    named = replaced(named, connectivity=connectivity)
    first, second = (row(ordinal, LOAD, view(ELEMENT)) for ordinal in (0, 1))
    fed = replace(second, sources=((ROLE.ADDRESS, RoleSource(0)), *second.sources[1:]))
    feeding = replace(
        first,
        destinations=((ROLE.DATA, ResultDestination(False, (0,))), *first.destinations[1:]),
    )
    assert found(table(first, second), named) == [
        ("operation_rows[1].sources.address", "row-endpoint-conflict")
    ]
    assert found(table(feeding, fed), named) == []


def test_a_result_that_is_not_exposed_leaves_its_endpoint_free():
    named = shared_endpoint_memory()
    connectivity = replace(
        named.occurrence.connectivity, internal_connections=(InternalConnection(5, 2),)
    )
    named = replaced(named, connectivity=connectivity)
    first, second = (row(ordinal, LOAD, view(ELEMENT)) for ordinal in (0, 1))
    inside = replace(
        first,
        destinations=((ROLE.DATA, ResultDestination(False, (0,))), *first.destinations[1:]),
    )
    fed = replace(second, sources=((ROLE.ADDRESS, RoleSource(0)), *second.sources[1:]))
    assert found(table(inside, fed), named) == []
    both = replace(
        first,
        destinations=((ROLE.DATA, ResultDestination(True, (0,))), *first.destinations[1:]),
    )
    assert found(table(both, fed), named) == [
        ("operation_rows[1].destinations.data", "row-endpoint-conflict")
    ]


def test_a_row_without_an_access_is_not_addressed():
    assert READ.addressed is READ.access
    with pytest.raises(ValueError, match="must have an access, not DATAFLOW_LOAD"):
        _ = replace(READ, access=None).addressed
