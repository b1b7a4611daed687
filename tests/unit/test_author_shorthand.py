"""Shorthand for equal element ports: what it stands for, and everything that it leaves open."""

import copy
import tomllib
from pathlib import Path

import pytest

from fabricgen.author.fabric import author_fabric, parse_fabric
from fabricgen.author.schema import json_schema
from fabricgen.errors import Invalid, Unsupported
from fabricgen.plan.realisation import unsupported
from fabricgen.records import fabric_codec
from tests.support.documents import changed, toml
from tests.support.json_schema import errors

FOLDER = Path(__file__).parents[1] / "support" / "short"
SHORT = tomllib.loads((FOLDER / "short.toml").read_text())
WRITTEN = tomllib.loads((FOLDER / "written.toml").read_text())

M = ("memory", 0)
GROUP = (*M, "group")


def test_the_shorthand_and_what_it_stands_for_are_one_fabric():
    short, written = parse_fabric(toml(SHORT)), parse_fabric(toml(WRITTEN))
    assert fabric_codec.encode(short) == fabric_codec.encode(written)
    assert unsupported(short) == ()


def temporal(document):
    """The same with four contexts, a manager, and no local service."""
    document = copy.deepcopy(document)
    (memory,) = document["memory"]
    memory |= {"schedule": "temporal", "resident_contexts": 4, "tag_width": 3}
    memory["manager"] = [{"name": "ext0", "beat_bits": 64}]
    memory["implementation"] = {"counters": True}
    del memory["local"]
    resources = {
        "context": 4,
        "in_flight": [2, 6],
        "result_holding": [2, 6],
        "operand_depth": 1,
        "grant": {"round_robin": {"reset_cursor": 3}},
    }
    for port in memory.get("port", []):
        port["resources"] = resources
        (alternative,) = port.get("load", port.get("store"))
        alternative["targets"] = ["ext0"]
    if "group" in memory:
        memory["group"] |= {"resources": resources, "targets": ["ext0"]}
    return document


def test_a_temporal_shorthand_has_tags_and_contexts():
    short, written = (parse_fabric(toml(temporal(each))) for each in (SHORT, WRITTEN))
    assert fabric_codec.encode(short) == fabric_codec.encode(written)
    assert short.memories[0].names.managers == ("ext0",)


@pytest.mark.parametrize(("kept", "gone"), [("load", "store"), ("store", "load")])
def test_one_kind_of_port_needs_the_facts_of_that_kind_only(kept, gone):
    fact = {"load": "read_subword", "store": "write_subword"}
    short = changed(temporal(SHORT), (*M, f"{gone}_group_size"), 0)
    short = changed(changed(short, (*M, "connections")), (*GROUP, fact[gone]))
    written = temporal(WRITTEN)
    (memory,) = written["memory"]
    del memory["connections"]
    memory["port"] = [port for port in memory["port"] if kept in port]
    memory["endpoints"] = [end for end in memory["endpoints"] if end["name"].startswith(kept)]
    assert fabric_codec.encode(parse_fabric(toml(short))) == fabric_codec.encode(
        parse_fabric(toml(written))
    )


def refused(document, kind=Invalid):
    with pytest.raises(kind) as error:
        parse_fabric(toml(document))
    return str(error.value)


ABSENT = "The key must be present, not absent [missing-memory-capability-contract]"
FACTS = [
    ("load_group_size", ABSENT),
    ("store_group_size", ABSENT),
    ("data_width", ABSENT),
    ("group.index_bits", ABSENT),
    ("group.contract", ABSENT),
    ("group.alignment", ABSENT),
    ("group.resources", ABSENT),
    ("group.resources.in_flight", ABSENT),
    ("group.targets", ABSENT),
    (
        "group.read_subword",
        "The key must be present where there are load ports, not absent "
        "[missing-memory-capability-contract]",
    ),
    (
        "group.write_subword",
        "The key must be present where there are store ports, not absent "
        "[missing-memory-capability-contract]",
    ),
]


@pytest.mark.parametrize(("fact", "message"), FACTS)
def test_nothing_is_left_to_a_default(fact, message):
    assert refused(changed(SHORT, (*M, *fact.split(".")))) == f"memory[0].{fact}: {message}"


def test_a_shorthand_alone_is_told_each_fact_that_it_leaves_open():
    memory = {"name": "mem0", "schedule": "spatial", "load_group_size": 1}
    document = {"fabric": {"name": "short"}, "memory": [memory]}
    facts = ["store_group_size", "data_width"]
    facts += [f"group.{key}" for key in ("index_bits", "contract", "alignment", "targets")]
    facts += ["group.resources"]
    assert refused(document) == "\n".join(f"memory[0].{fact}: {ABSENT}" for fact in facts)


BAD = [
    (
        (*M, "load_group_size"),
        0,
        "memory[0].group.read_subword: The key must be absent where there are no load ports, "
        "not present [group-fact-unused]",
    ),
    (
        (*M, "load_group_size"),
        1025,
        "memory[0].load_group_size: The value must be at most 1024, not 1025 [value-out-of-range]",
    ),
    (
        (*M, "schedule"),
        "systolic",
        "memory[0].schedule: The value must be 'spatial' or 'temporal', "
        'not "systolic" [unknown-value]',
    ),
    # Findings about what is written out, in the place where it was written once.
    (
        (*GROUP, "targets"),
        ["locl"],
        'memory[0].group.targets: The name must be one of local, not "locl" '
        "(did you mean local?) [unknown-name]",
    ),
    (
        (*GROUP, "alignment"),
        [3],
        "memory[0].group.alignment[0]: The alignment must be a power of two of bytes, not 3 "
        "[alignment-not-power-of-two]",
    ),
    (
        (*GROUP, "resources", "operand_depth"),
        {"address": 2, "control": 2, "data": 2},
        "memory[0].group.resources.operand_depth: A depth must be given for address, control, "
        "not for address, data, control [operand-depth-roles]",
    ),
    (
        (*M, "connections", 0, "to"),
        "store1_data",
        "memory[0].connections[0].to: The name must be one of load0_address, load0_control, "
        "load1_address, load1_control, store0_address, store0_control, store0_data, load0_data, "
        "load0_completion, load1_data, load1_completion, store0_completion, "
        'not "store1_data" (did you mean store0_data?) [unknown-name]',
    ),
    (
        (*M, "manager"),
        [{"name": "load0_data", "beat_bits": 32}],
        None,
    ),
]


@pytest.mark.parametrize(("at", "value", "expected"), BAD)
def test_a_bad_shorthand_gets_its_exact_finding(at, value, expected):
    document = changed(SHORT, at, value)
    if expected is None:
        parse_fabric(toml(document))
    else:
        assert refused(document) == expected


def test_groups_of_no_port_are_no_engine():
    document = changed(changed(SHORT, (*M, "load_group_size"), 0), (*M, "store_group_size"), 0)
    assert refused(document) == (
        "memory[0]: The groups must have a load or a store port, not none [engine-ports-empty]"
    )


def test_a_width_that_is_not_served_is_told_of_the_group():
    assert {
        line.split(":")[0] for line in refused(changed(SHORT, (*M, "data_width"), 64)).split("\n")
    } == {"memory[0].group"}


@pytest.mark.parametrize("key", ["load_group_size", "store_group_size", "data_width", "group"])
def test_shorthand_never_stands_beside_an_inventory(key):
    value = SHORT["memory"][0][key]
    message = (
        f"memory[0].{key}: The key must be absent where endpoints and port are written out, "
        "not present [shorthand-and-inventory]"
    )
    both = changed(WRITTEN, (*M, key), value)
    assert refused(both) == message
    # What is written out is read in the same run.
    wrong = changed(both, (*M, "port", 0, "load", 0, "targets"), ["ext0"])
    assert refused(wrong).split("\n")[0] == message
    assert "[unknown-name]" in refused(wrong)


@pytest.mark.parametrize("key", ["endpoints", "port"])
def test_half_an_inventory_is_one_too(key):
    both = changed(SHORT, (*M, key), WRITTEN["memory"][0][key])
    found = refused(both)
    assert found.count("[shorthand-and-inventory]") == 4
    assert found.count("[missing-key]") == 1


def test_too_many_contexts_are_unsupported():
    document = changed(temporal(SHORT), (*M, "resident_contexts"), 65)
    assert refused(document, Unsupported) == (
        "memory[0].resident_contexts: An engine must have at most 64 contexts, not 65 "
        "[resident-context-limit]"
    )


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("memory[0].endpoint[0].payload_width", "memory[0].group.index_bits"),
        ("memory[0].endpoint[1].payload_width", "memory[0]"),
        ("memory[0].endpoint[6].payload_width", "memory[0].data_width"),
        ("memory[0].port[2].resource_contract.states", "memory[0].group.resources"),
        ("memory[0].port[1].alternative[0].access[0].address_domain", "memory[0].group.index_bits"),
        ("memory[0].port[1].alternative[0].access[0].element_width_bits", "memory[0].data_width"),
        (
            "memory[0].port[1].alternative[0].access[0].source_alignment",
            "memory[0].group.alignment",
        ),
        ("memory[0].port[1].alternative[0].role_to_endpoint[data]", "memory[0].group"),
        ("memory[0].port[0].operation_pattern_semantics[0]", "memory[0].group"),
        ("memory[0].local_service.resource_contract.states", "memory[0].local.resources"),
        ("memory[0].implementation.issue_lanes", "memory[0].implementation.issue_lanes"),
    ],
)
def test_paths_of_a_record_are_places_in_the_shorthand(path, place):
    assert author_fabric(toml(SHORT))[1](path) == place


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("memory[0].port[0].resource_contract.states", "memory[0].port[0].resources"),
        ("memory[0].port[0].alternative[0].contract", "memory[0].port[0].load[0].contract"),
        (
            "memory[0].local_service.memory_service_contract.capabilities[0].consistency_binding",
            "memory[0].local.capabilities[0].load.consistency",
        ),
        ("memory[0].local_service.resource_contract.states", "memory[0].local.resources"),
    ],
)
def test_paths_of_a_record_are_places_in_the_whole_document(path, place):
    assert author_fabric(toml(WRITTEN))[1](path) == place


@pytest.mark.parametrize("document", [SHORT, WRITTEN, temporal(SHORT)])
def test_the_schema_accepts_shorthand(document):
    assert list(errors(json_schema("fabric"), document)) == []


@pytest.mark.parametrize(
    ("at", "value"),
    [
        ((*M, "data_width"), None),
        ((*GROUP, "targets"), None),
        ((*M, "port"), WRITTEN["memory"][0]["port"]),
        ((*GROUP, "index_bits"), 0),
        ((*M, "schedule"), "temporal"),
    ],
)
def test_the_schema_refuses_what_the_document_refuses(at, value):
    assert list(errors(json_schema("fabric"), changed(SHORT, at, value)))
