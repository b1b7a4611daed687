"""Mapping documents: the rows they come to, and the exact findings of bad ones."""

import pytest

from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import parse_mapping, read_mapping
from fabricgen.errors import Invalid
from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.rows import Active, Disabled, OperationRow, ResultDestination, RoleSource
from fabricgen.records.connectivity import LocalMemoryServiceTarget
from fabricgen.schema.actor import (
    CanonicalActorProjection,
    CanonicalMemoryAccessView,
    PlainContract,
)
from fabricgen.vocab.dataflow import (
    MemoryAccessForm,
    MemoryAddressForm,
    MemoryMaskForm,
    OperationSchemaId,
    ServiceValueRole,
)
from tests.support.documents import changed, fabric_document, mapping_document, toml

ROLE = ServiceValueRole
STORE_ROW, LOAD_ROW = ("memory", "mem0", "row", 0), ("memory", "mem0", "row", 1)
TWO_DOUBLES = {
    "form": "contiguous",
    "element_bits": 64,
    "lanes": 2,
    "mask": "absent",
    "index_bits": 32,
    "pattern": "direct",
}


def little(**edits):
    document = fabric_document()
    for at, value in edits.items():
        document["memory"][0][at] = value
    return parse_fabric(toml(document))


def mapped(document, fabric=None):
    return parse_mapping(toml(document), fabric or little()).memories


def refused(document, fabric=None):
    with pytest.raises(Invalid) as error:
        mapped(document, fabric)
    return str(error.value)


def test_rows_stand_at_their_ports_whatever_their_order():
    (configuration,) = mapped(mapping_document())
    assert isinstance(configuration, Active)
    load, store = configuration.operation_rows
    assert load == OperationRow(
        port=0,
        capability_alternative=0,
        use_pattern=0,
        actor=CanonicalActorProjection(OperationSchemaId.DATAFLOW_LOAD, PlainContract(False)),
        access=CanonicalMemoryAccessView(
            MemoryAccessForm.ELEMENT,
            MemoryAddressForm.ROOT_RELATIVE,
            element_bits=32,
            lane_count=1,
            mask_form=MemoryMaskForm.ABSENT,
            address_lane_bits=32,
        ),
        base_addr=0,
        sources=((ROLE.ADDRESS, RoleSource()), (ROLE.CONTROL, RoleSource())),
        destinations=(
            (ROLE.DATA, ResultDestination(expose=True)),
            (ROLE.COMPLETION, ResultDestination(expose=True)),
        ),
        service_target=LocalMemoryServiceTarget(),
    )
    assert (store.port, store.base_addr) == (1, 512)
    assert [role for role, _ in store.sources] == [
        ROLE.ADDRESS,
        ROLE.DATA,
        ROLE.MASK,
        ROLE.CONTROL,
    ]
    assert configuration_findings(little().memories[0], configuration) == ()


def test_names_of_rows_are_kept_by_port():
    assert read_mapping(toml(mapping_document()), little()).row_names == (("words", "vectors"),)
    document = changed(mapping_document(), LOAD_ROW)
    assert read_mapping(toml(document), little()).row_names == ((None, "vectors"),)


def test_a_port_without_a_row_is_unused_and_a_memory_without_rows_disabled():
    (configuration,) = mapped(changed(mapping_document(), STORE_ROW))
    assert configuration.operation_rows[1] is None
    assert mapped({"fabric": "little"}) == (Disabled(),)
    assert mapped({"fabric": "little", "memory": {"mem0": {}}}) == (Disabled(),)


def test_each_access_finds_the_alternative_that_admits_it():
    document = fabric_document()
    load = document["memory"][0]["port"][0]["load"][0]
    wide = {
        "form": "indexed",
        "address": {"root_relative": [16]},
        "element_bits": [32],
        "lanes": [2],
        "mask": ["dynamic"],
        "alignment": "any",
        "read_subword": ["zero_extend"],
    }
    roles = load["roles"] | {"address": "wr_addr"}
    document["memory"][0]["port"][0]["load"].append(load | {"roles": roles, "access": [wide]})
    document["memory"][0]["local"]["capabilities"][0]["load"]["access"].append(wide)
    fabric = parse_fabric(toml(document))
    access = {"form": "indexed", "element_bits": 32, "lanes": 2, "mask": "dynamic"}
    mapping = changed(mapping_document(), STORE_ROW)
    chosen = []
    for load in (mapping["memory"]["mem0"]["row"][0]["load"], access | {"index_bits": 16}):
        load = {"pattern": "direct"} | load
        (configuration,) = mapped(changed(mapping, (*STORE_ROW, "load"), load), fabric)
        chosen.append(configuration.operation_rows[0].capability_alternative)
    alternatives = fabric.memories[0].occurrence.engine.ports[0].capability_alternatives
    addresses = [alternatives[i].endpoint_of(ROLE.ADDRESS) for i in chosen]
    assert addresses == [0, 3]


def volatile_fabric(values):
    document = fabric_document()
    contract = [{"plain": {"volatile": values}}]
    document["memory"][0]["port"][0]["load"][0]["contract"] = contract
    document["memory"][0]["local"]["capabilities"][0]["load"]["contract"] = contract
    return parse_fabric(toml(document))


def test_volatility_is_taken_from_the_port_where_it_admits_one_value():
    (configuration,) = mapped(mapping_document(), volatile_fabric([True]))
    assert configuration.operation_rows[0].actor.contract == PlainContract(volatile=True)


def test_volatility_must_be_given_where_the_port_admits_both():
    fabric = volatile_fabric([False, True])
    assert refused(mapping_document(), fabric) == (
        "memory.mem0.row[1].load.volatile: The key must be present where port read0 admits both "
        "values, not absent [missing-key]"
    )
    document = changed(mapping_document(), (*LOAD_ROW, "load", "volatile"), True)
    (configuration,) = mapped(document, fabric)
    assert configuration.operation_rows[0].actor.contract == PlainContract(volatile=True)


BAD = [
    (
        ("fabric",),
        "other",
        'fabric: The mapping must be for "little", not "other" [mapping-of-another-fabric]',
    ),
    (
        ("memory",),
        {"mem1": {}},
        'memory.mem1: The name must be one of mem0, not "mem1" (did you mean mem0?) [unknown-name]',
    ),
    (
        (*LOAD_ROW, "bse"),
        3,
        "memory.mem0.row[1].bse: The key must be one of base, binding, inputs, load, name, "
        "outputs, port, row, target, "
        'not "bse" (did you mean base?) [unknown-key]',
    ),
    (
        (*STORE_ROW, "store"),
        None,
        "memory.mem0.row[0]: The value must be a table with load, store, rmw, cmpxchg or "
        "fence, not a table with name, port, base, target [wrong-type]",
    ),
    (
        (*STORE_ROW, "port"),
        "write1",
        "memory.mem0.row[0].port: The name must be one of read0, write0, "
        'not "write1" (did you mean write0?) [unknown-name]',
    ),
    (
        (*LOAD_ROW, "name"),
        "vectors",
        'memory.mem0.row[1].name: The name must be unique, not "vectors" as '
        "memory.mem0.row[0].name [duplicate-name]",
    ),
    (
        (*STORE_ROW, "port"),
        "read0",
        "memory.mem0.row[1].port: A Spatial port must have one row, not read0 in row 0 as well "
        "[port-mapped-twice]\n"
        "memory.mem0.row[0].store: Port read0 must have a store alternative for this row, "
        "not none [actor-schema-not-accepted]",
    ),
    # vector<2xf64> has the 128 bits of vector<4xf32> and another geometry.
    (
        (*LOAD_ROW, "load"),
        TWO_DOUBLES,
        "memory.mem0.row[1].load.element_bits: The value must lie in {32}, not 64 "
        "(alternative 0 of port read0) [element-width-not-accepted]\n"
        "memory.mem0.row[1].load.lanes: The value must lie in {4}, not 2 "
        "(alternative 0 of port read0) [lane-count-not-accepted]",
    ),
    (
        (*LOAD_ROW, "load", "lanes"),
        2,
        "memory.mem0.row[1].load.lanes: An element access has exactly 1 lane, not 2 "
        "[access-view-lanes]",
    ),
    (
        (*LOAD_ROW, "load", "pattern"),
        "fast",
        'memory.mem0.row[1].load.pattern: The name must be one of direct, not "fast" '
        "[unknown-name]",
    ),
    (
        (*LOAD_ROW, "base"),
        1024,
        "memory.mem0.row[1].base: The base address of a local row must lie inside the 1024 bytes "
        "of the service, not at 1024 [row-base-outside]",
    ),
    (
        (*LOAD_ROW, "base"),
        -1,
        "memory.mem0.row[1].base: The value must be at least 0, not -1 [value-out-of-range]",
    ),
    (
        (*LOAD_ROW, "target"),
        "ext0",
        "memory.mem0.row[1].target: The target must be a target of the port, local, "
        'not "ext0" [row-target]',
    ),
]


@pytest.mark.parametrize(("at", "value", "expected"), BAD)
def test_a_bad_mapping_gets_its_exact_findings(at, value, expected):
    assert refused(changed(mapping_document(), at, value)) == expected


def test_every_alternative_says_why_it_refuses():
    document = fabric_document()
    load = document["memory"][0]["port"][0]["load"][0]
    element, vector = load["access"]
    roles = {role: name for role, name in load["roles"].items() if role != "mask"}
    document["memory"][0]["port"][0]["load"] = [
        load | {"access": [vector]},
        load | {"access": [element], "roles": roles},
    ]
    document["memory"][0]["endpoints"].append({"name": "x_addr", "dir": "in", "bits": 32})
    roles["address"] = "x_addr"
    text = refused(
        changed(mapping_document(), (*LOAD_ROW, "load"), TWO_DOUBLES), parse_fabric(toml(document))
    )
    by_alternative = {
        ordinal: [line for line in text.splitlines() if f"(alternative {ordinal} of" in line]
        for ordinal in (0, 1)
    }
    codes = sorted(
        sorted(line.rpartition("[")[2].rstrip("]") for line in lines)
        for lines in by_alternative.values()
    )
    assert codes == [
        ["access-form-not-accepted"],
        ["element-width-not-accepted", "lane-count-not-accepted"],
    ]


def test_rows_that_share_an_endpoint_are_refused():
    document = fabric_document()
    document["memory"][0]["port"][1]["store"][0]["roles"]["control"] = "rd_ctrl"
    fabric = parse_fabric(toml(document))
    with pytest.raises(Invalid) as error:
        mapped(mapping_document(), fabric)
    assert [d.code for d in error.value.diagnostics] == ["row-endpoint-conflict"]
