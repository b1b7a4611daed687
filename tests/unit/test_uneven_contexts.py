"""Alternatives admitted in some contexts only, and patterns that differ between contexts."""

from dataclasses import replace
from itertools import product

import pytest
from amaranth.sim import Simulator

from fabricgen.author.mapping import parse_mapping
from fabricgen.check.fabric import findings
from fabricgen.config.codec import decode_configuration, encode_configuration
from fabricgen.config.layout import carrier_layout
from fabricgen.config.storable import storable_mask
from fabricgen.errors import FabricError, Invalid
from fabricgen.plan.contract import port_contract
from fabricgen.plan.realisation import unsupported
from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.rows import Active, ResultDestination, RoleSource
from fabricgen.records.fabric import Fabric
from fabricgen.records.port import MemoryOperationPort
from fabricgen.records.resource import RoundRobin
from fabricgen.rtl.temporal.row_reader import RowReader
from tests.support.mapping_text import mapping_text
from tests.support.memories import (
    CONTIGUOUS,
    DIRECT,
    ELEMENT,
    LANES,
    LOAD,
    ROLE,
    STORE,
    access_class,
    alternative,
    capability,
    memory,
    service,
    view,
)
from tests.support.temporal import temporal_row

WORDS = access_class(ELEMENT, LOAD, elements=(32,), lanes=(1,))
VECTORS = access_class(CONTIGUOUS, LOAD, elements=(32,), lanes=((2, 3),))
WORD, PAIR, TRIPLE = view(ELEMENT), view(CONTIGUOUS, lanes=2), view(CONTIGUOUS, lanes=3)


def loads(data, classes, keys):
    roles = {"address": 0, "control": 1, "data": data, "completion": 4}
    return alternative(LOAD, roles, classes, patterns=keys)


def two_contexts(*alternatives, inputs=2, transactions=(1,), walks=()):
    """A port of two contexts; use pattern 2d + k is document pattern d in context k."""
    contract = port_contract(
        in_flight=(2, 4),
        result_holding=(2, 4),
        operand_depths=(1,) * inputs,
        transactions=transactions,
        contexts=2,
        grant=RoundRobin((0, 1), 0),
    )
    ends = {end for each in alternatives for _, end in each.role_to_endpoint}
    keys = range(2 * len(transactions))
    projections = tuple(LANES if key in walks else DIRECT for key in keys)
    return MemoryOperationPort.of(ends, contract, projections, alternatives)


def uneven():
    """Vectors in row 1 alone, where pattern 1 walks; in row 0 it does not."""
    read = two_contexts(
        loads(2, (WORDS,), (0, 1, 2)),
        loads(3, (VECTORS,), (1, 3)),
        transactions=(1, (1, 3)),
        walks=(3,),
    )
    return memory(
        {"a": 32, "c": 0, "d": 32, "v": 96, "x": 0},
        2,
        (read,),
        service(capability(LOAD, (WORDS, VECTORS), (0,)), requesters=1, capacity=64),
        contexts=2,
        tag_width=1,
        connections=[("d", "a"), ("v", "a")],
    )


def copying():
    """Row 0 loads to ``d`` and stores from ``wd``, row 1 loads to ``v`` and stores from ``wv``.

    The connections of one row's load to its own store can have no table.
    """
    byte = {
        schema: (access_class(ELEMENT, schema, elements=(8,), lanes=(1,), index=(1,)),)
        for schema in (LOAD, STORE)
    }

    def stores(data, keys):
        roles = {"address": 0, "data": data, "control": 1, "completion": 6}
        return alternative(STORE, roles, byte[STORE], patterns=keys)

    def reads(data, keys):
        roles = {"address": 0, "control": 1, "data": data, "completion": 6}
        return alternative(LOAD, roles, byte[LOAD], patterns=keys)

    return memory(
        {"a": 1, "c": 0, "wd": 8, "wv": 8, "d": 8, "v": 8, "x": 0},
        4,
        (
            two_contexts(reads(4, (0,)), reads(5, (1,))),
            two_contexts(stores(2, (0,)), stores(3, (1,)), inputs=3),
        ),
        service(
            capability(LOAD, byte[LOAD], (0,)),
            capability(STORE, byte[STORE], (1,)),
            requesters=2,
            capacity=2,
        ),
        contexts=2,
        tag_width=3,
        connections=[("d", "wd"), ("d", "wv"), ("v", "wv")],
    )


NAMED = uneven()
#: The alternative of the vectors.
VECTOR = next(
    number
    for number, each in enumerate(NAMED.occurrence.engine.ports[0].capability_alternatives)
    if each.access_classes[0].access_form is CONTIGUOUS
)


def rows_of(named, ordinal, accesses, tags, base=0):
    """Every row of one context: each alternative and use pattern, legal or not, and each way in
    and out of its roles; its tags are equal.
    """
    connections = named.occurrence.connectivity.internal_connections
    for at, port in enumerate(named.occurrence.engine.ports):
        count = len(port.resource_contract.use_patterns) // 2
        for number, chosen in enumerate(port.capability_alternatives):
            schema, bound = chosen.actor_contract_domain.actor_schema, dict(chosen.role_to_endpoint)
            for access, pattern, tag in product(accesses, range(count), tags):
                made = temporal_row(
                    ordinal,
                    at,
                    schema,
                    access,
                    contexts=2,
                    pattern=pattern,
                    tags=dict.fromkeys((each.name.lower() for each in ROLE), tag),
                    base=base,
                    alternative_ordinal=number,
                )
                ways = [
                    [(role, source)]
                    + [
                        (role, RoleSource(connection))
                        for connection, each in enumerate(connections)
                        if each.sink_endpoint_ordinal == bound[role]
                    ]
                    for role, source in made.sources
                ]
                outs = [
                    [(role, there)]
                    + [
                        (role, ResultDestination(False, (connection,)))
                        for connection, each in enumerate(connections)
                        if each.source_endpoint_ordinal == bound[role]
                    ]
                    for role, there in made.destinations
                ]
                for sources, destinations in product(product(*ways), product(*outs)):
                    yield replace(made, sources=sources, destinations=destinations)


def union_of_all_carriers(named, accesses, tags, bases):
    union = 0
    rows = [
        [None, *(row for base in bases for row in rows_of(named, k, accesses, tags, base))]
        for k in range(2)
    ]
    for table in product(*rows):
        try:
            union |= encode_configuration(named, Active(table))
        except FabricError:
            continue
    return union


def test_such_a_memory_is_legal_and_realised():
    for named in (NAMED, copying()):
        fabric = Fabric("f", (named,))
        assert findings(fabric) == ()
        assert unsupported(fabric) == ()


def test_each_row_stores_exactly_what_some_table_sets_in_it():
    # A base is any byte, so those bits are left out.
    layout, stored = carrier_layout(NAMED), storable_mask(NAMED)
    union = union_of_all_carriers(NAMED, (WORD, PAIR, TRIPLE), (0, 1), (0,))
    bases = sum(fields["base_addr"].mask for fields in layout.rows)
    assert stored & ~bases == union
    # Row 0 has no vectors: no second alternative and no third lane.
    words = next(
        number
        for number, each in enumerate(NAMED.occurrence.engine.ports[0].capability_alternatives)
        if each.access_classes[0].access_form is ELEMENT
    )
    first, second = layout.rows
    assert [row["capability_alternative"].get(stored) for row in (first, second)] == [words, 1]
    assert [row["lane_count"].get(stored) for row in (first, second)] == [1, 3]
    assert [row["use_pattern"].get(stored) for row in (first, second)] == [1, 1]


def test_a_connection_between_rows_that_need_one_context_is_not_stored():
    named = copying()
    word = view(ELEMENT, element=8, index=1)
    layout, stored = carrier_layout(named), storable_mask(named)
    union = union_of_all_carriers(named, (word,), (0, 7), (0,))
    bases = sum(fields["base_addr"].mask for fields in layout.rows)
    assert stored & ~bases == union
    forwards = {
        (row, name)
        for row, fields in enumerate(layout.rows)
        for name, field in fields.items()
        if name.startswith("forward_") and field.get(stored)
    }
    assert forwards == {(0, "forward_data_1")}


def test_a_row_of_a_context_that_admits_it_not_is_refused_at_every_door():
    vector = next(
        row for row in rows_of(NAMED, 0, (PAIR,), (0,)) if row.capability_alternative == VECTOR
    )
    refused = Active((vector, None))
    assert [each.code for each in configuration_findings(NAMED, refused)] == [
        "use-pattern-not-admissible"
    ]
    with pytest.raises(Invalid):
        encode_configuration(NAMED, refused)
    # The same carrier as row 1 has, in row 0.
    legal = Active((None, replace(vector, use_pattern=1)))
    bits, layout = encode_configuration(NAMED, legal), carrier_layout(NAMED)
    moved = bits & layout.active.mask | (bits & ~layout.active.mask) >> layout.row_stride
    assert moved & ~storable_mask(NAMED)
    with pytest.raises(Invalid) as error:
        decode_configuration(NAMED, moved)
    assert [each.code for each in error.value.diagnostics] == ["use-pattern-not-admissible"]


def test_a_mapping_says_in_which_context_the_pattern_is_missing():
    fabric = Fabric("f", (NAMED,))
    vector = next(
        row for row in rows_of(NAMED, 1, (PAIR,), (0,)) if row.capability_alternative == VECTOR
    )
    written = mapping_text(fabric, Active((None, vector)))
    (parsed,) = parse_mapping(written, fabric).memories
    assert parsed.operation_rows[1] == vector
    with pytest.raises(Invalid) as error:
        parse_mapping(written.replace("row = 1", "row = 0"), fabric)
    (found,) = (
        each for each in error.value.diagnostics if each.code == "use-pattern-not-admissible"
    )
    assert found.message == (
        "The use pattern must be admitted in context 0, not only in others "
        f"(alternative {VECTOR} of port port0)"
    )


@pytest.mark.parametrize(("row", "pattern", "walks"), [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 1)])
def test_the_hardware_walks_where_the_rows_own_pattern_does(row, pattern, walks):
    access = PAIR if row else WORD
    made = next(
        each
        for each in rows_of(NAMED, row, (access,), (0,))
        if each.use_pattern == 2 * pattern + row
        and (each.capability_alternative == VECTOR) == (access is PAIR)
    )
    table = Active((made, None) if row == 0 else (None, made))
    dut = RowReader(NAMED, 0)
    seen = []

    async def read(ctx):
        ctx.set(dut.configuration, encode_configuration(NAMED, table))
        ctx.set(dut.row, 1 << row)
        seen.append(ctx.get(dut.controls.walk))

    simulator = Simulator(dut)
    simulator.add_testbench(read)
    simulator.run()
    assert seen == [walks]
