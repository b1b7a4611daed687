from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.errors import Invalid
from fabricgen.records import alternative_codec, port_codec, resource_codec
from fabricgen.records.port import MemoryOperationPort
from fabricgen.vocab.fabric import MemoryPortTransactionProjection
from tests.support.capabilities import (
    CONTIGUOUS,
    DIRECT,
    ELEMENT,
    INDEXED,
    STORE,
    access,
    alternative,
    alternatives,
    contract,
    port,
)
from tests.support.wires import (
    dataflow,
    flip,
    framed,
    reads_as_itself,
    refuses_every_prefix_and_extension,
    survives_bit_flips,
    u32,
    u64,
)

#: Each example builds several relations.
FEWER = settings(max_examples=25)

LANES = MemoryPortTransactionProjection.ACTIVE_LANES_ROW_MAJOR
LOADS = alternative(access(ELEMENT))
STORES = alternative(access(ELEMENT, STORE), schema=STORE, number=1, patterns=(1,))
GOOD = port(LOADS, STORES)


@st.composite
def ports(draw):
    drawn = draw(st.lists(alternatives(), min_size=1, max_size=3))
    used = sorted({key for each in drawn for key in each.admissible_use_patterns})
    dense = [
        replace(each, admissible_use_patterns=tuple(map(used.index, each.admissible_use_patterns)))
        for each in drawn
    ]
    return port(*dense)


def codes(caught):
    return [finding.code for finding in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"endpoint_inventory": GOOD.endpoint_inventory[::-1]}, "port-endpoints"),
        ({"endpoint_inventory": GOOD.endpoint_inventory * 2}, "port-endpoints"),
        ({"endpoint_inventory": (*GOOD.endpoint_inventory, 2**64)}, "port-endpoints"),
        ({"endpoint_inventory": (-1, *GOOD.endpoint_inventory)}, "port-endpoints"),
        ({"endpoint_inventory": GOOD.endpoint_inventory[1:]}, "port-endpoint-foreign"),
        ({"operation_pattern_semantics": (DIRECT,)}, "port-pattern-count"),
        ({"operation_pattern_semantics": (DIRECT,) * 3}, "port-pattern-count"),
        (
            {"resource_contract": contract(1, 1, 1), "operation_pattern_semantics": (DIRECT,) * 3},
            "port-pattern-unreachable",
        ),
        (
            {"resource_contract": contract(1), "operation_pattern_semantics": (DIRECT,)},
            "port-pattern-unknown",
        ),
        ({"resource_contract": contract(1, 0)}, "port-direct-transactions"),
        ({"resource_contract": contract(2, 1)}, "port-direct-transactions"),
        (
            {"capability_alternatives": GOOD.capability_alternatives[::-1]},
            "relation-order",
        ),
    ],
)
def test_each_rule_rejects(change, code):
    with pytest.raises(Invalid) as caught:
        replace(GOOD, **change)
    assert codes(caught) == [code]


def test_a_port_has_an_alternative_and_an_endpoint():
    for build in (MemoryOperationPort, MemoryOperationPort.of):
        with pytest.raises(Invalid) as caught:
            build((), contract(), (), ())
        assert codes(caught) == ["port-endpoints", "relation-empty"]


def test_all_findings_come_at_once():
    with pytest.raises(Invalid) as caught:
        MemoryOperationPort((3, 2), contract(1, 2), (DIRECT,), (STORES, LOADS))
    assert codes(caught) == [
        "port-endpoints",
        *["port-endpoint-foreign"] * 6,
        "port-pattern-count",
        "relation-order",
    ]


def test_the_authoring_door_sorts_endpoints_and_joins_alternatives():
    pieces = [alternative(access(form)) for form in (CONTIGUOUS, ELEMENT)]
    found = MemoryOperationPort.of([11, 8, 3, 2, 3], contract(1), [DIRECT], pieces)
    assert found.endpoint_inventory == (2, 3, 8, 11)
    assert found.capability_alternatives == (alternative(access(ELEMENT), access(CONTIGUOUS)),)


@pytest.mark.parametrize(
    ("transactions", "codes_found"),
    [(4, []), (3, ["port-active-lanes-transactions"]), (5, ["port-active-lanes-transactions"])],
)
def test_active_lanes_have_one_transaction_per_lane_of_the_widest_access(transactions, codes_found):
    vectors = alternative(access(CONTIGUOUS, lanes=(2,)), access(INDEXED, lanes=(4,)))
    ends = [end for _, end in vectors.role_to_endpoint]
    try:
        MemoryOperationPort.of(ends, contract(transactions), [LANES], [vectors])
        found = []
    except Invalid as error:
        found = [finding.code for finding in error.diagnostics]
    assert found == codes_found


def test_active_lanes_exclude_element_accesses():
    with pytest.raises(Invalid) as caught:
        port(alternative(access(ELEMENT)), semantics=[LANES])
    assert codes(caught) == ["port-active-lanes-form"]


@FEWER
@given(ports())
def test_round_trip(record):
    assert port_codec.decode(port_codec.encode(record)) == record


@FEWER
@given(ports(), st.data())
def test_one_record_has_one_encoding(record, data):
    reads_as_itself(port_codec, flip(port_codec.encode(record), data))


def test_every_prefix_and_extension_is_refused():
    refuses_every_prefix_and_extension(port_codec, port_codec.encode(GOOD))


def test_a_flip_in_any_byte_is_refused_or_another_record():
    survives_bit_flips(port_codec, port_codec.encode(port(LOADS)), bits=(0,))


def wire(inventory, resource_contract, projections, pieces):
    """A port by its definition."""
    return (
        u64(len(inventory))
        + b"".join(map(u64, inventory))
        + framed(resource_codec.encode(resource_contract))
        + u64(len(projections))
        + b"".join(map(u32, projections))
        + u64(len(pieces))
        + b"".join(framed(alternative_codec.encode(each)) for each in pieces)
    )


def test_bytes_are_pinned():
    ends = (2, 3, 8, 11, 12, 13, 18, 21)
    assert port_codec.encode(GOOD) == wire(ends, contract(1, 1), (0, 0), (LOADS, STORES))


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (u64(2**61), "wire-truncated"),
        (wire((2, 3, 8, 11), contract(1), (2,), (LOADS,)), "wire-unknown-tag"),
        (wire((2, 3, 8, 11), contract(1), (0, 0), (LOADS,)), "port-pattern-count"),
        (wire((2, 3, 8, 11), contract(1), (0,), ()), "relation-empty"),
        (wire((2, 3, 8, 11), contract(1), (0,), (LOADS, LOADS)), "capability-alternative-subsumed"),
        (
            wire(
                (2, 3, 8, 11),
                contract(1),
                (0,),
                (alternative(access(element=(8,))), alternative(access(element=(16,)))),
            ),
            "relation-not-canonical",
        ),
    ],
)
def test_what_is_no_port_is_refused(data, code):
    with pytest.raises(Invalid) as caught:
        port_codec.decode(data)
    assert code in codes(caught)


def test_nested_findings_say_where():
    broken = wire((2, 3, 8, 11), contract(1), (0,), (LOADS,)).replace(
        dataflow("canonical-boolean", 0), dataflow("canonical-boolean", 2)
    )
    with pytest.raises(Invalid) as caught:
        port_codec.decode(broken)
    assert [(finding.where, finding.code) for finding in caught.value.diagnostics] == [
        (
            "capability_alternatives[0].actor_contract_domain.contract_clauses[0].volatile_values",
            "atom-unknown",
        )
    ]


def test_a_port_of_a_broken_contract_says_where():
    plain_clause = u32(0) + u64(1) + framed(u64(1) + framed(dataflow("canonical-boolean", 0)))
    atomic_clause = u32(1) + u64(4) + framed(u64(1) + framed(b"x")) * 4
    actor = framed(dataflow("operation-schema-id", 0x4C530201 + 88)) + u64(1)
    encoded = alternative_codec.encode(LOADS)
    piece = encoded.replace(
        framed(actor + framed(plain_clause)), framed(actor + framed(atomic_clause))
    )
    assert piece != encoded
    data = wire((2, 3, 8, 11), contract(1), (0,), ()).removesuffix(u64(0)) + u64(1) + framed(piece)
    with pytest.raises(Invalid) as caught:
        port_codec.decode(data)
    assert [finding.where for finding in caught.value.diagnostics] == [
        "capability_alternatives[0].actor_contract_domain.contract_clauses[0].orderings"
    ]
