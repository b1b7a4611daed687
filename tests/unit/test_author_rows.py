"""Rows with tags, ordinals, managers and internal edges: what they come to, and bad ones."""

import copy
import tomllib

import pytest

from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import read_mapping
from fabricgen.errors import Invalid
from fabricgen.plan.rows import Active, ResultDestination, RoleSource
from fabricgen.records.connectivity import LocalMemoryServiceTarget, ManagerEndpointTarget
from fabricgen.vocab.dataflow import ServiceValueRole
from tests.support.documents import changed, toml
from tests.support.examples import folder

ROLE = ServiceValueRole


def example(name):
    """Fabric of an example and the plain values of its mapping."""
    at = folder(name)
    mapping = tomllib.loads((at / "mapping.toml").read_text())
    return parse_fabric((at / "fabric.toml").read_text()), mapping


#: Rows in the document: words (0), gather (1), copy (2), paste (3), of which copy feeds paste.
LOCAL = example("temporal-local")
VECTOR = example("temporal-vector")
#: Rows: read (0), write (1), verify (2), each of which feeds the next.
COPY = example("memcpy-local")


def row(position, *keys):
    return ("memory", "mem0", "row", position, *keys)


def read(source, at=None, value=None):
    fabric, mapping = source
    document = mapping if at is None else changed(mapping, at, value)
    return read_mapping(toml(document), fabric)


def rows(source, at=None, value=None):
    (configuration,) = read(source, at, value).configuration.memories
    assert isinstance(configuration, Active)
    return configuration.operation_rows


def refused(source, at=None, value=None):
    with pytest.raises(Invalid) as error:
        read(source, at, value)
    return str(error.value)


def test_rows_take_what_they_name_and_then_the_lowest_free_ones():
    assert read(LOCAL).row_names == (("words", "copy", "gather", "paste"),)
    assert read(LOCAL, row(2, "row"), 3).row_names == (("words", "paste", "gather", "copy"),)
    three = changed(LOCAL[1], row(0))
    assert read((LOCAL[0], three)).row_names == (("copy", "paste", "gather", None),)


def test_the_row_of_the_specification_has_a_tag_per_role():
    """context[2]: address, mask and control on tags 1, 7, 3; data and done on tags 5, 6."""
    for source in (LOCAL, VECTOR):
        gather = rows(source)[2]
        assert gather.sources == (
            (ROLE.ADDRESS, RoleSource(tag=1)),
            (ROLE.MASK, RoleSource(tag=7)),
            (ROLE.CONTROL, RoleSource(tag=3)),
        )
        assert gather.destinations == (
            (ROLE.DATA, ResultDestination(expose=True, tag=5)),
            (ROLE.COMPLETION, ResultDestination(expose=True, tag=6)),
        )


def test_an_internal_edge_has_no_tag():
    _, feeding, _, fed = rows(LOCAL)
    assert dict(feeding.destinations)[ROLE.DATA] == ResultDestination(False, (0,))
    assert dict(fed.sources)[ROLE.DATA] == RoleSource(connection=0)


def test_an_edge_may_be_written_at_its_consumer_alone():
    assert rows(LOCAL, row(2, "outputs", "data")) == rows(LOCAL)


def test_a_temporal_result_with_a_tag_goes_outside_as_well():
    both = {"tag": 9, "to": ["paste.data"]}
    feeding = rows(LOCAL, row(2, "outputs", "data"), both)[1]
    assert dict(feeding.destinations)[ROLE.DATA] == ResultDestination(True, (0,), 9)


def test_a_spatial_result_goes_outside_unless_it_says_to_whom_it_goes():
    def data(written):
        read_row = rows(COPY, row(0, "outputs", "data"), written)[0]
        return dict(read_row.destinations)[ROLE.DATA]

    # Connections in order of their endpoints: src_data to dst_data is number 0.
    assert data({"to": ["write.data"]}) == ResultDestination(False, (0,))
    assert data({"to": ["write.data"], "expose": True}) == ResultDestination(True, (0,))
    assert data({}) == data(None) == ResultDestination(True, (0,))
    assert data({"expose": False}) == ResultDestination(False, (0,))


def test_the_use_pattern_is_that_of_the_row_itself():
    assert [each.use_pattern for each in rows(VECTOR)] == [0, 1, 2, 3]
    lanes = (folder("temporal-vector") / "mapping-lanes.toml").read_text()
    (configuration,) = read_mapping(lanes, VECTOR[0]).configuration.memories
    assert [each.use_pattern for each in configuration.operation_rows] == [4, 5, 6, 7]


def test_the_target_is_a_service_by_name():
    assert {each.service_target for each in rows(VECTOR)} == {ManagerEndpointTarget(0)}
    assert {each.service_target for each in rows(LOCAL)} == {LocalMemoryServiceTarget()}
    assert rows(VECTOR)[2].base_addr == 2**32


PRESENT = "A role at an endpoint of a Temporal memory must have a tag, not none"
RESULTS = (
    "words.data, words.completion, copy.data, copy.completion, gather.data, gather.completion, "
    "paste.completion"
)
OPERANDS = (
    "words.address, words.control, copy.address, copy.control, gather.address, gather.mask, "
    "gather.control, paste.address, paste.data, paste.control"
)
BAD = [
    # Tags.
    (
        LOCAL,
        row(0, "inputs", "address", "tag"),
        None,
        f"row[0].inputs.address.tag: {PRESENT} [row-tag-presence]",
    ),
    (
        LOCAL,
        row(0, "inputs"),
        {"address": {"tag": 4}},
        f"row[0].inputs.control.tag: {PRESENT} [row-tag-presence]",
    ),
    (
        LOCAL,
        row(0, "outputs", "data", "tag"),
        16,
        "row[0].outputs.data.tag: The tag must fit 4 bits, not be 16 [row-tag-range]",
    ),
    (
        LOCAL,
        row(3, "inputs", "data", "tag"),
        3,
        "row[3].inputs.data.tag: A role that meets no endpoint must have no tag, not 3 "
        "[row-tag-presence]",
    ),
    (
        LOCAL,
        row(2, "outputs", "data", "expose"),
        True,
        f"row[2].outputs.data.tag: {PRESENT} [row-tag-presence]",
    ),
    (
        COPY,
        row(0, "inputs"),
        {"address": {"tag": 1}},
        "row[0].inputs.address.tag: A role of a Spatial memory must have no tag, not 1 "
        "[row-tag-presence]",
    ),
    (
        LOCAL,
        row(0, "inputs", "address", "tag"),
        1,
        "row[1].inputs.address.tag: Tag 1 at endpoint rd_in must match one row and role, not 2: "
        "words.address, gather.address [row-ingress-conflict]",
    ),
    (
        LOCAL,
        row(0, "inputs", "control", "tag"),
        4,
        "row[0].inputs.control.tag: Tag 4 at endpoint rd_in must match one row and role, not 2: "
        "words.address, words.control [row-ingress-conflict]",
    ),
    # Rows of the table.
    (
        LOCAL,
        row(1, "row"),
        4,
        "row[1].row: The ordinal of a row must be below 4, not 4 [row-capacity]",
    ),
    (
        LOCAL,
        row(0, "row"),
        2,
        "row[1].row: Each row must have an ordinal of its own, not 2, which number 0 has "
        "[row-ordinal-taken]",
    ),
    (
        COPY,
        row(0, "row"),
        1,
        "row[0].row: The row of a Spatial port must be the port's own, 0, not 1 [row-port]",
    ),
    # Edges.
    (
        LOCAL,
        row(3, "inputs", "data", "from"),
        "cop.data",
        f"row[3].inputs.data.from: The name must be one of {RESULTS}, "
        'not "cop.data" (did you mean copy.data?) [unknown-name]',
    ),
    (
        LOCAL,
        row(3, "inputs", "data", "from"),
        "copy.address",
        f"row[3].inputs.data.from: The name must be one of {RESULTS}, "
        'not "copy.address" [unknown-name]',
    ),
    (
        LOCAL,
        row(3, "inputs", "data", "from"),
        "copy",
        "row[3].inputs.data.from: The text must match the pattern "
        r"^[a-z][a-z0-9]*([-_][a-z0-9]+)*\.[a-z]+$, "
        'not "copy" [text-format]',
    ),
    (
        LOCAL,
        row(0, "inputs", "address"),
        {"from": "copy.data"},
        "row[0].inputs.address.from: The memory must declare a connection from rd_data to rd_in "
        "for this edge, not none to it [connection-not-eligible]",
    ),
    (
        COPY,
        row(2, "inputs", "control", "from"),
        "read.data",
        "row[1].outputs.completion.to[0]: Operand verify.control must name write.completion in "
        "its from, not read.data [row-connection-open]\n"
        "memory.mem0.row[2].inputs.control.from: The memory must declare a connection from "
        "src_data to chk_ctrl for this edge, not only from src_done, dst_done "
        "[connection-not-eligible]",
    ),
    (
        LOCAL,
        row(3, "inputs", "data"),
        {"tag": 3},
        "row[2].outputs.data.to[0]: Operand paste.data must name copy.data in its from, not "
        "nothing [row-connection-open]",
    ),
    (
        LOCAL,
        row(3, "inputs", "data", "from"),
        "gather.data",
        "row[2].outputs.data.to[0]: Operand paste.data must name copy.data in its from, not "
        "gather.data [row-connection-open]",
    ),
    (
        LOCAL,
        row(2, "outputs", "data", "to"),
        ["paste.data", "paste.data"],
        "row[2].outputs.data.to[1]: An operand must be named once, not paste.data again "
        "[edge-repeated]",
    ),
    (
        LOCAL,
        row(2, "outputs", "data", "to"),
        ["paste.dat"],
        f"row[2].outputs.data.to[0]: The name must be one of {OPERANDS}, "
        'not "paste.dat" (did you mean paste.data?) [unknown-name]',
    ),
    (
        COPY,
        row(2, "outputs"),
        {"data": {"expose": False}},
        "row[2].outputs.data: An active result must go to its endpoint (expose, or a tag) or to an "
        "operand (to), not nowhere [row-destination-missing]",
    ),
    # Roles, targets, patterns.
    (
        LOCAL,
        row(0, "inputs", "mask"),
        {"tag": 3},
        "row[0].inputs.mask: The role must be an active one of the row, address or control, not "
        "mask [role-inactive]",
    ),
    (
        LOCAL,
        row(0, "inputs", "data"),
        {"tag": 3},
        "row[0].inputs.data: The key must be one of address, control, mask, "
        'not "data" [unknown-key]',
    ),
    (
        VECTOR,
        row(0, "target"),
        "local",
        'row[0].target: The target must be a target of the port, ext0, not "local" [row-target]',
    ),
    (
        VECTOR,
        row(0, "load", "pattern"),
        "lines",
        "row[0].load.pattern: The name must be one of direct, lanes, "
        'not "lines" (did you mean lanes?) [unknown-name]',
    ),
]


@pytest.mark.parametrize(("source", "at", "value", "expected"), BAD)
def test_a_bad_row_gets_its_exact_finding(source, at, value, expected):
    found = refused(source, at, value).splitlines()
    assert sorted(found) == sorted(f"memory.mem0.{expected}".splitlines())


def test_edges_of_a_row_that_is_not_read_are_not_judged():
    # The results of copy and the operands of paste name each other, and only one of them is read.
    found = 'The name must be one of direct, not "lines" [unknown-name]'
    assert refused(LOCAL, row(2, "load", "pattern"), "lines") == (
        f"memory.mem0.row[2].load.pattern: {found}"
    )
    assert refused(LOCAL, row(3, "store", "pattern"), "lines") == (
        f"memory.mem0.row[3].store.pattern: {found}"
    )


def test_more_rows_than_contexts_are_refused():
    fabric, mapping = copy.deepcopy(LOCAL)
    table = mapping["memory"]["mem0"]["row"]
    tags = {"address": {"tag": 10}, "control": {"tag": 11}}
    table.append(table[0] | {"name": "more", "inputs": tags})
    assert refused((fabric, mapping)) == (
        "memory.mem0.row[4]: The table must have at most 4 Active rows, not 5 [row-capacity]"
    )


def test_a_connection_has_one_producer():
    fabric, mapping = copy.deepcopy(LOCAL)
    _, _, copying, pasting = mapping["memory"]["mem0"]["row"]

    def tags(address, control, **more):
        return {"address": {"tag": address}, "control": {"tag": control}, **more}

    other = copying | {"name": "other", "inputs": tags(10, 11)}
    other["outputs"] = {"completion": {"tag": 9}}
    fed = pasting | {"name": "fed", "inputs": tags(12, 13, data={"from": "other.data"})}
    fed["outputs"] = {"completion": {"tag": 12}}
    mapping["memory"]["mem0"]["row"] = [copying, pasting, other, fed]
    assert refused((fabric, mapping)) == (
        "memory.mem0.row[2].outputs.data: Connection rd_data -> wr_data must have one producer, "
        "not 2: copy.data, other.data [row-connection-producers]"
    )


def test_one_result_may_feed_many_operands():
    fabric, mapping = copy.deepcopy(LOCAL)
    _, _, copying, pasting = mapping["memory"]["mem0"]["row"]
    other = copy.deepcopy(pasting) | {"name": "other", "base": 0xC000}
    other["inputs"] |= {"address": {"tag": 7}, "control": {"tag": 8}}
    copying["outputs"]["data"]["to"].append("other.data")
    mapping["memory"]["mem0"]["row"] = [copying, pasting, other]
    feeding, *fed, _ = rows((fabric, mapping))
    assert dict(feeding.destinations)[ROLE.DATA] == ResultDestination(False, (0,))
    assert {dict(each.sources)[ROLE.DATA] for each in fed} == {RoleSource(connection=0)}


def test_what_a_broken_row_feeds_is_not_reported():
    found = refused(LOCAL, row(2, "port"), "read1")
    assert found.splitlines() == [
        'memory.mem0.row[2].port: The name must be one of read0, write0, not "read1" '
        "(did you mean read0?) [unknown-name]"
    ]


def test_more_active_rows_than_a_total_are_refused():
    fabric_text = (folder("temporal-local") / "fabric.toml").read_text()
    small = parse_fabric(fabric_text.replace("in_flight = [4, 8]", "in_flight = [2, 2]", 1))
    assert refused((small, LOCAL[1])) == (
        "memory.mem0: The 3 Active rows of port read0 must fit capacity 2 of dimension 4 of "
        "state 1, not claim 3 [row-reserve]"
    )


def test_what_else_is_wrong_is_reported_with_too_many_rows():
    fabric, mapping = copy.deepcopy(LOCAL)
    table = mapping["memory"]["mem0"]["row"]
    table[1]["base"] = 65536
    table.append(table[0] | {"name": "more"})
    assert refused((fabric, mapping)).splitlines() == [
        "memory.mem0.row[4]: The table must have at most 4 Active rows, not 5 [row-capacity]",
        "memory.mem0.row[1].base: The base address of a local row must lie inside the 65536 bytes "
        "of the service, not at 65536 [row-base-outside]",
    ]


def two_alternatives():
    """The vector example, whose unmasked loads walk lanes and reach another manager."""
    document = tomllib.loads((folder("temporal-vector") / "fabric.toml").read_text())
    memory = document["memory"][0]
    memory["manager"].append({"name": "ext1", "beat_bits": 64})
    (masked,) = memory["port"][0]["load"]
    (access,) = masked["access"]
    roles = {role: name for role, name in masked["roles"].items() if role != "mask"}
    masked["patterns"] = ["direct"]
    plain = masked | {
        "roles": roles,
        "access": [access | {"mask": ["absent"], "element_bits": [16], "lanes": [8]}],
        "patterns": ["lanes"],
        "targets": ["ext1"],
    }
    memory["port"][0]["load"].append(plain)
    return parse_fabric(toml(document)), VECTOR[1]


def test_the_target_is_one_of_the_rows_own_alternative():
    source = two_alternatives()
    assert rows(source)[0].service_target == ManagerEndpointTarget(0)
    assert refused(source, row(0, "target"), "ext1") == (
        "memory.mem0.row[0].target: The target must be a target of the port, ext0, "
        'not "ext1" [row-target]'
    )


def test_a_pattern_of_another_alternative_is_refused_by_its_name():
    found = refused(two_alternatives(), row(0, "load", "pattern"), "lanes").splitlines()
    (line,) = (each for each in found if each.endswith("[use-pattern-not-admissible]"))
    place, _, message = line.partition(": ")
    assert place == "memory.mem0.row[0].load.pattern"
    assert message.startswith("The use pattern must be one of direct, not lanes (alternative ")
