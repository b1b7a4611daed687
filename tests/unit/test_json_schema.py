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
