"""The builder of mappings says what a mapping document says: the same rows, the same findings."""

import re
import tomllib
import typing
from importlib import resources
from pathlib import Path

import pytest

from fabricgen.author import binding_document, builder_rows, op_actor_document, row_document
from fabricgen.author.builder import FabricBuilder
from fabricgen.author.builder_actors import OpActor
from fabricgen.author.builder_mapping import MappingBuilder
from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import parse_mapping
from fabricgen.errors import Invalid
from tests.support.documents import (
    changed,
    every_key_document,
    fabric_document,
    mapping_document,
    toml,
)
from tests.support.every_row import EVERY_ROW
from tests.support.rebuilt import mapped, with_handles

GUIDE = (Path(__file__).parents[2] / "docs" / "guide.md").read_text()


def examples():
    for folder in sorted(resources.files("fabricgen.examples").iterdir(), key=lambda f: f.name):
        for file in sorted(folder.iterdir(), key=lambda f: f.name) if folder.is_dir() else ():
            if file.name.startswith("mapping"):
                fabric = tomllib.loads((folder / "fabric.toml").read_text(encoding="utf-8"))
                mapping = tomllib.loads(file.read_text(encoding="utf-8"))
                yield pytest.param(fabric, mapping, id=f"{folder.name}/{file.name}")


def of_the_guide():
    written = [
        tomllib.loads(text) for _, text in re.findall(r"```toml\n# (\S+)\n(.*?)```", GUIDE, re.S)
    ]
    fabrics = {each["fabric"]["name"]: each for each in written if "name" in each.get("fabric", ())}
    for each in written:
        if isinstance(each.get("fabric"), str):
            yield pytest.param(fabrics[each["fabric"]], each, id=f"guide-{each['fabric']}")


def rows():
    for name, row in EVERY_ROW.items():
        mapping = {"fabric": "every-key", "memory": {"engine": {"row": [row]}}}
        yield pytest.param(every_key_document(), mapping, id=name)


ALU = {
    "fabric": {"name": "alus"},
    "op": [
        {
            "name": name,
            "family": "ScalarIntegerAddSub",
            "op_list": ["arith.addi", "arith.subi"],
            "hw_params": {"integer_widths": [8, 32]},
            "ports": {"inputs": [32, 32], "outputs": [32]},
            "timing": {"latency_cycles": 1, "initiation_interval_cycles": 1},
        }
        for name in ("alu", "other")
    ],
}
SUB = {"operation": "arith.subi", "operands": ["i8", "i8"], "results": ["i8"]}
DOCUMENTS = [
    pytest.param(ALU, {"fabric": "alus", "op": {"other": SUB | {"overflow": ["nuw"]}}}, id="op"),
    pytest.param(ALU, {"fabric": "alus", "op": {"alu": SUB | {"results": ["i9"]}}}, id="bad-op"),
    *examples(),
    *of_the_guide(),
    *rows(),
    pytest.param(fabric_document(), mapping_document(), id="little"),
    pytest.param(fabric_document(), {"fabric": "little"}, id="disabled"),
]


def outcome(read):
    """Configurations, or the findings that stand against them."""
    try:
        return read()
    except Invalid as error:
        return str(error)


@pytest.mark.parametrize(("fabric", "mapping"), DOCUMENTS)
def test_every_mapping_can_be_built(fabric, mapping):
    builder, handles = with_handles(fabric)
    built = mapped(mapping, builder, handles)
    assert built.tables() == mapping
    record = parse_fabric(toml(fabric))
    expected = outcome(lambda: parse_mapping(toml(mapping), record))
    assert outcome(lambda: built.build(builder.build()).configuration) == expected


def test_bindings_and_exposures_are_among_the_documents():
    text = "".join(toml(each.values[1]) for each in DOCUMENTS)
    assert all(f"{key} = [" in text for key in ("binding", "proxy", "exposure", "row"))


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (("memory", "mem0", "row", 0, "base"), None),
        (("memory", "mem0", "row", 0, "store", "lanes"), 3),
        (("memory", "mem0", "row", 1, "load", "form"), "vector"),
        (("memory", "mem0", "row", 1, "name"), "other name"),
    ],
)
def test_the_builder_is_told_the_findings_of_the_document(at, value):
    mapping = changed(mapping_document(), at, value)
    builder, handles = with_handles(fabric_document())
    written = outcome(lambda: parse_mapping(toml(mapping), parse_fabric(toml(fabric_document()))))
    assert isinstance(written, str)
    assert outcome(lambda: mapped(mapping, builder, handles).build(builder.build())) == written


MODELS = {
    "AtomicAccess": row_document.AtomicAccessDocument,
    "LoadStoreAccess": row_document.LoadStoreDocument,
    "RmwAccess": row_document.RmwDocument,
    "CmpxchgAccess": row_document.CmpxchgDocument,
    "FenceOrder": row_document.FenceDocument,
    "Range": binding_document.RangeDocument,
    "Prefix": binding_document.PrefixDocument,
    "ExposureMatch": binding_document.MatchDocument,
}


def test_a_table_has_the_keys_of_its_document():
    tables = {
        name: each
        for name in builder_rows.__all__
        if typing.is_typeddict(each := getattr(builder_rows, name))
    }
    assert set(tables) == set(MODELS)
    for name, table in tables.items():
        # The pattern is a handle.
        fields = {k: v for k, v in MODELS[name].model_fields.items() if k != "pattern"}
        assert set(fields) == set(table.__annotations__)
        assert {k for k, v in fields.items() if v.is_required()} == table.__required_keys__


# Handles.

ACCESS = {"form": "element", "element_bits": 8, "lanes": 1, "mask": "absent", "index_bits": 8}


@pytest.fixture
def two():
    """Two memories with a port, a pattern, a manager and a subordinate each, and their mapping."""
    fabric = FabricBuilder("two")
    mapping, made = MappingBuilder(fabric), []
    for name in ("left", "right"):
        memory = fabric.spatial(name)
        manager = memory.manager("ext0", beat_bits=8)
        host = memory.subordinate(
            "host",
            beat_bits=8,
            max_exposed_bindings=1,
            match=[],
            transform="none",
            targets=[manager],
        )
        port = memory.port("port")
        pattern = port.pattern("direct", "direct")
        made.append((mapping.memory(memory), port, pattern, manager, host))
    return made


def test_a_handle_is_of_the_memory_that_uses_it(two):
    (mapping, port, pattern, manager, host), (far, far_port, far_pattern, far_manager, far_host) = (
        two
    )
    proxy, far_proxy = (
        mapping.proxy("a", manager=manager, base=0),
        far.proxy("a", manager=far_manager, base=0),
    )
    good = {"pattern": pattern, "target": manager, "base": 0}
    row = mapping.load("row", port, ACCESS, **good)
    far_row = far.load("row", far_port, ACCESS, pattern=far_pattern, target=far_manager, base=0)
    for wrong in ({"pattern": far_pattern}, {"target": far_manager}, {"binding": far_proxy}):
        with pytest.raises(ValueError, match=r"^\w+ \w+ must be of \w+ \w+, not of \w+ \w+$"):
            mapping.load("row", port, ACCESS, **(good | wrong))
    for wrong in (
        lambda: mapping.load("row", far_port, ACCESS, **good),
        lambda: mapping.proxy("b", manager=far_manager, base=0),
        lambda: mapping.expose(far_host, proxy),
        lambda: mapping.expose(host, far_proxy),
        lambda: row.input("control", source=far_row.result("completion")),
        lambda: row.output("completion", to=[far_row.operand("control")]),
    ):
        with pytest.raises(ValueError, match=r" must be of \w+ \w+, not of \w+ \w+$"):
            wrong()


def test_a_memory_is_of_the_fabric_of_the_mapping(two):
    mapping = MappingBuilder(FabricBuilder("other"))
    with pytest.raises(ValueError, match=r"^SpatialMemoryBuilder m must be of FabricBuilder other"):
        mapping.memory(FabricBuilder("third").spatial("m"))


def test_a_resource_is_of_the_fabric_of_the_mapping():
    fabric = FabricBuilder("one")
    far = FabricBuilder("two").op(**ALU["op"][0])
    with pytest.raises(ValueError, match=r"^Op alu must be of FabricBuilder one, not of "):
        MappingBuilder(fabric).op(far, SUB)


def test_the_table_of_an_actor_has_the_keys_of_its_documents():
    models = [
        each
        for each in vars(op_actor_document).values()
        if isinstance(each, type)
        and issubclass(each, op_actor_document.PlainActorDocument.__base__)
    ]
    fields = [set(each.model_fields) for each in models if "operation" in each.model_fields]
    assert set.union(*fields) == set(OpActor.__annotations__)
    assert set.intersection(*fields) == OpActor.__required_keys__


def test_one_memory_has_one_mapping(two):
    fabric = FabricBuilder("one")
    memory, mapping = fabric.storage("ram"), MappingBuilder(fabric)
    assert mapping.memory(memory) is mapping.memory(memory)
    assert mapping.tables() == {"fabric": "one", "memory": {"ram": {}}}
