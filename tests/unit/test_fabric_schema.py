"""The JSON Schema of fabric documents: nothing of it is untested, and an editor can use it."""

import copy
import tomllib
from itertools import combinations

import pytest

from fabricgen.author.fabric import parse_fabric
from fabricgen.author.schema import KINDS, json_schema
from tests.support.bad_fabrics import actor_documents
from tests.support.contracts import named
from tests.support.documents import EVERY_KEY, LITTLE, OPS, changed, every_key_document, toml
from tests.support.json_schema import errors

SCHEMA = json_schema("fabric")
SHORT = LITTLE.parent / "short" / "short.toml"


def used(schema, value, root):
    """Each (table, key) of the schema that a valid value has, and each choice that it takes."""
    if "$ref" in schema:
        yield from used(root["$defs"][schema["$ref"].removeprefix("#/$defs/")], value, root)
    for choice in schema.get("oneOf", schema.get("anyOf", ())):
        if not list(errors(choice, value, root)):
            yield from used(choice, value, root)
    if isinstance(value, dict):
        for key, each in schema.get("properties", {}).items():
            if key in value:
                if "title" in schema:  # Conditions on a table have none.
                    yield schema["title"], key
                yield from used(each, value[key], root)
    for item in value if isinstance(value, list) else ():
        yield from used(schema.get("items", {}), item, root)


def keys(schema):
    tables = [schema, *schema["$defs"].values()]
    return {(table["title"], key) for table in tables for key in table.get("properties", {})}


def with_contracts():
    """The same fabric, with what may be left out written out; one use commits something."""
    document = every_key_document()
    engine, shared, _ = (each.occurrence for each in parse_fabric(EVERY_KEY.read_text()).memories)
    written = [
        (engine.engine.ports[0].resource_contract, (0, "port", 0), ("direct", "walk"), ("any",)),
        (shared.engine.ports[0].resource_contract, (1, "port", 0), ("direct",), ("one", "two")),
        (
            shared.local_service.memory_service_contract.resource_contract,
            (1, "local"),
            ("of-any", "of-host"),
            ("any", "host"),
        ),
    ]
    for contract, at, patterns, requesters in written:
        contract_document = named(contract, patterns, requesters)
        document = changed(document, ("memory", *at, "resources"))
        document = changed(document, ("memory", *at, "contract"), contract_document)
    for ordinal in (0, 1):
        memory = document["memory"][ordinal]
        memory["port"][0]["endpoints"] = [memory["endpoints"][0]["name"]]
    for ordinal, names in ((0, ["any", "host"]), (1, ["of-any", "of-host"])):
        for capability in document["memory"][ordinal]["local"]["capabilities"]:
            (served,) = capability.values()
            served["patterns"] = names
    contract = document["memory"][0]["port"][0]["contract"]
    contract["transitions"] = ["written"]
    contract["patterns"][0]["commit"] = {"event": "event-1", "transition": "written"}
    return document


def groups():
    """A Spatial and a Temporal memory in shorthand, with everything that may stand beside it."""
    document = tomllib.loads(SHORT.read_text())
    (spatial,) = document["memory"]
    spatial |= {
        "manager": [{"name": "ext0", "beat_bits": 64}],
        "subordinate": [every_key_document()["memory"][1]["subordinate"][0]],
        "implementation": {"counters": True},
    }
    spatial["local"]["resources"]["grant"] = {"round_robin": {"reset_cursor": 0}}
    temporal = copy.deepcopy(spatial) | {
        "name": "shared",
        "schedule": "temporal",
        "resident_contexts": 2,
        "tag_width": 3,
    }
    temporal["group"]["resources"] = every_key_document()["memory"][1]["port"][0]["resources"]
    return document | {"memory": [spatial, temporal]}


def ops():
    """One resource of each parameter record, with the sets that may be empty."""
    document = tomllib.loads(OPS.read_text())
    for op in document["op"]:
        if {"integer_element_widths", "float_element_formats"} & op["hw_params"].keys():
            op["hw_params"]["float_element_formats"] = ["f32"]
    return document


def adder_of_pointers():
    """An adder that computes addresses, which none may."""
    document = tomllib.loads(OPS.read_text())
    (adder,) = (op for op in document["op"] if op["family"] == "ScalarIntegerAddSub")
    form = {"address_space": 0, "representation_bits": 64, "address_bits": 64}
    adder["hw_params"]["pointer_formats"] = [form]
    return document


LEGAL = [every_key_document(), with_contracts(), groups(), ops()]
#: Documents that are refused for what they mean alone.
REFUSED = [
    adder_of_pointers(),
    *(
        document
        for case in actor_documents()
        if not list(errors(SCHEMA, document := tomllib.loads(case.files["fabric.toml"])))
    ),
]


@pytest.mark.parametrize("document", LEGAL, ids=["resources", "contracts", "groups", "ops"])
def test_the_documents_that_have_every_key_are_legal(document):
    parse_fabric(toml(document))
    assert list(errors(SCHEMA, document)) == []


def test_every_key_of_the_schema_is_in_a_document_of_the_tests():
    def found(documents):
        return {pair for document in documents for pair in used(SCHEMA, document, SCHEMA)}

    # No legal document names a scope of a target, a domain of the system or a pointer of an adder.
    assert keys(SCHEMA) - found(LEGAL) == {
        ("ScalarIntegerParamsDocument", "pointer_formats"),
        ("SystemDomainChoice", "system_domain"),
        ("TargetScopeChoice", "target"),
        ("TargetScopeDocument", "namespace"),
        ("TargetScopeDocument", "key"),
    }
    assert keys(SCHEMA) == found([*LEGAL, *REFUSED])


def tables(choices, root):
    """Tables among the choices of a union, lists of tables apart."""
    for choice in choices:
        name = choice.get("$ref", "").removeprefix("#/$defs/")
        if name:
            yield root["$defs"][name]


def unions(node):
    if isinstance(node, dict):
        if "oneOf" in node:
            yield node["oneOf"]
        for value in node.values():
            yield from unions(value)
    if isinstance(node, list):
        for item in node:
            yield from unions(item)


def tells_apart(left, right):
    """Whether a required key of the one is none of the other, or has no value of the other."""
    for one, other in ((left, right), (right, left)):
        for key in one.get("required", ()):
            if key not in other["properties"]:
                return True
            ours, theirs = one["properties"][key], other["properties"][key]
            if (values := listed_values(ours)) and not values & listed_values(theirs):
                return True
    return False


def listed_values(schema):
    """Values that are listed one by one; none where others may come."""
    return {schema["const"]} if "const" in schema else set(schema.get("enum", ()))


@pytest.mark.parametrize("kind", KINDS)
def test_tables_of_a_union_are_told_apart_by_their_required_keys(kind):
    schema = json_schema(kind)
    pairs = [
        (left["title"], right["title"])
        for union in unions(schema)
        for left, right in combinations(tables(union, schema), 2)
        if not tells_apart(left, right)
    ]
    assert pairs == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_table_is_closed_and_every_reference_leads_into_the_schema(kind):
    schema = json_schema(kind)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    for table in [schema, *schema["$defs"].values()]:
        if "properties" in table:
            assert table["additionalProperties"] is False, table["title"]

    def references(node):
        if isinstance(node, dict):
            if "$ref" in node:
                yield node["$ref"]
            for value in node.values():
                yield from references(value)
        if isinstance(node, list):
            for item in node:
                yield from references(item)

    assert {each.removeprefix("#/$defs/") for each in references(schema)} <= set(schema["$defs"])
