"""The published JSON Schemas accept what the documents accept."""

import tomllib
from importlib import resources

import pytest

from fabricgen.author.schema import KINDS, json_schema
from tests.support.documents import (
    changed,
    every_key_document,
    fabric_document,
    mapping_document,
)
from tests.support.every_row import EVERY_ROW, row_text
from tests.support.json_schema import errors

EXAMPLES = [
    pytest.param(file, id=f"{folder.name}/{file.name}")
    for folder in sorted(resources.files("fabricgen.examples").iterdir(), key=lambda f: f.name)
    if folder.is_dir()
    for file in sorted(folder.iterdir(), key=lambda f: f.name)
    if file.name.endswith(".toml")
]


def kind_of(name):
    return next(kind for kind in KINDS if name.startswith(kind))


@pytest.mark.parametrize("file", EXAMPLES)
def test_every_example_satisfies_its_schema(file):
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    assert list(errors(json_schema(kind_of(file.name)), document)) == []


def test_a_document_with_every_key_satisfies_its_schema():
    assert list(errors(json_schema("fabric"), every_key_document())) == []


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (("memory", 0, "width"), 3),
        (("memory", 0, "name"), "a b"),
        (("memory", 0, "local"), None),
        (("memory", 0, "endpoints", 0, "bits"), -1),
        (("memory", 0, "endpoints", 0, "dir"), "up"),
        (("memory", 0, "port", 0, "resources", "in_flight"), True),
        (("memory", 0, "port", 0, "resources", "operand_depth"), {"address": 0}),
        (("memory", 0, "port", 0, "load", 0, "access", 0, "alignment"), "none"),
        (("memory", 0, "port", 0, "load", 0, "access", 0, "lanes"), []),
        (("memory", 0, "port", 0, "load", 0, "access", 0, "lanes"), [{"from": 1}]),
        (("memory", 0, "local", "resources", "grant"), {}),
    ],
)
def test_the_schema_refuses_what_the_document_refuses(at, value):
    assert list(errors(json_schema("fabric"), changed(fabric_document(), at, value)))


def test_a_row_has_exactly_one_operation():
    row = mapping_document()["memory"]["mem0"]["row"][0]
    both = row | {"load": row["store"]}
    neither = {key: value for key, value in row.items() if key != "store"}
    for wrong in (both, neither):
        document = changed(mapping_document(), ("memory", "mem0", "row", 0), wrong)
        assert list(errors(json_schema("mapping"), document))
    assert not list(errors(json_schema("mapping"), mapping_document()))


POINTER = {"address_space": 0, "representation_bits": 64, "address_bits": 64}


@pytest.mark.parametrize("has_target", [False, True])
@pytest.mark.parametrize("has_binding", [False, True])
@pytest.mark.parametrize("has_base", [False, True])
@pytest.mark.parametrize("has_pointer", [False, True])
def test_a_row_has_a_binding_or_a_target_and_no_base_beside_pointers(
    has_target, has_binding, has_base, has_pointer
):
    load = {"form": "element", "element_bits": 32, "lanes": 1, "mask": "absent", "pattern": "p"}
    load |= {"pointer": POINTER} if has_pointer else {"index_bits": 32}
    row = {"name": "r", "port": "p", "load": load}
    row |= {"target": "local"} if has_target else {}
    row |= {"binding": "x"} if has_binding else {}
    row |= {"base": 0} if has_base else {}
    is_right = not (has_base and has_pointer)
    is_right &= has_binding or (has_target and (has_base or has_pointer))
    document = {"fabric": "f", "memory": {"m": {"row": [row]}}}
    assert bool(list(errors(json_schema("mapping"), document))) is not is_right


def test_bindings_proxies_and_exposures_satisfy_the_schema():
    match = {
        "range": {"base": 0, "size": 1},
        "prefix": {"value": 0, "length": 0},
        "address_space": 0,
        "context": 0,
    }
    memory = {
        "binding": [{"name": "x", "region": 0, "offset": 0, "size": 1}],
        "proxy": [{"name": "y", "manager": "ext0", "base": 0}],
        "exposure": [
            {"subordinate": "from0", "binding": "x"},
            {"subordinate": "from0", "binding": "y", "match": match},
        ],
    }
    good = {"fabric": "f", "memory": {"m": memory}}
    schema = json_schema("mapping")
    assert list(errors(schema, good)) == []
    for at, value in [
        (("binding", 0, "size"), 0),
        (("binding", 0, "offset"), None),
        (("proxy", 0, "base"), -1),
        (("proxy", 0, "size"), 1),
        (("exposure", 0, "binding"), None),
        (("exposure", 1, "match", "prefix", "length"), 65),
        (("exposure", 1, "match", "address_space"), 2**32),
        (("exposure", 1, "match", "range", "size"), 0),
        (("exposure", 1, "match", "hash"), 1),
    ]:
        assert list(errors(schema, changed(good, ("memory", "m", *at), value))), at


@pytest.mark.parametrize("kind", KINDS)
def test_every_table_and_key_is_described(kind):
    schema = json_schema(kind)
    tables = [schema, *schema["$defs"].values()]
    assert [t["title"] for t in tables if not t.get("description")] == []
    bare = [
        f"{table['title']}.{key}"
        for table in tables
        for key, value in table["properties"].items()
        if not value.get("description")
    ]
    assert bare == []


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_may_be_null(kind):
    assert "null" not in str(json_schema(kind))


def mapping_of(row):
    return tomllib.loads(row_text(row))


@pytest.mark.parametrize("name", EVERY_ROW)
def test_a_row_of_each_actor_satisfies_its_schema(name):
    assert list(errors(json_schema("mapping"), mapping_of(EVERY_ROW[name]))) == []


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        ("flag", ("load", "pointer"), POINTER),
        ("count", ("rmw", "index_bits"), None),
        ("chase", ("base",), 0),
        ("count", ("base",), None),
        ("flag", ("load", "alignment"), None),
        ("flag", ("load", "atomic", "granularity"), "lane"),
        ("count", ("rmw", "kind"), "multiply"),
        ("count", ("rmw", "sync_scope"), {"namespace": "gpu", "key": "warp"}),
        ("swap", ("cmpxchg", "orderings"), ["seq_cst"]),
        ("order", ("base",), 0),
        ("order", ("inputs",), {"address": {}}),
        ("chase", ("load", "pointer", "address_bits"), 0),
    ],
)
def test_the_schema_refuses_what_no_row_can_say(name, at, value):
    assert list(errors(json_schema("mapping"), mapping_of(changed(EVERY_ROW[name], at, value))))
