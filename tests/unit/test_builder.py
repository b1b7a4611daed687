"""The builder says what a document says: the same bytes, the same findings."""

import re
import tomllib
import typing
from importlib import resources
from pathlib import Path

import pytest

from fabricgen.author import (
    access_document,
    builder_op_params,
    builder_tables,
    contract_document,
    fabric_document,
    named_contract_document,
    op_document,
    op_params_document,
    port_document,
    service_document,
)
from fabricgen.author.builder import FabricBuilder
from fabricgen.author.document import Document
from fabricgen.author.fabric import parse_fabric
from fabricgen.author.fields import Interval
from fabricgen.author.grant_document import RoundRobinChoice, RoundRobinDocument
from fabricgen.errors import FabricError
from fabricgen.records import fabric_codec
from tests.support.contracts import named
from tests.support.documents import changed, every_key_document, ops_document, toml
from tests.support.documents import fabric_document as little
from tests.support.rebuilt import rebuilt
from tests.unit.test_author_bad_fabric import BAD

GUIDE = (Path(__file__).parents[2] / "docs" / "guide.md").read_text()


def with_contracts():
    """The little fabric with a complete contract for its second port and its service."""
    document = little()
    (memory,) = document["memory"]
    occurrence = parse_fabric(toml(document)).memories[0].occurrence
    _, port = memory["port"]
    del port["resources"], memory["local"]["resources"]
    contract = occurrence.engine.ports[1].resource_contract
    port["contract"] = named(contract, ["direct"], ["row"])
    contract = occurrence.local_service.memory_service_contract.resource_contract
    memory["local"]["contract"] = named(contract, ["reads", "writes"], ["read0", "write0"])
    return document


def examples():
    for folder in sorted(resources.files("fabricgen.examples").iterdir(), key=lambda f: f.name):
        if folder.is_dir():
            text = (folder / "fabric.toml").read_text(encoding="utf-8")
            yield pytest.param(tomllib.loads(text), id=folder.name)


DOCUMENTS = [
    *examples(),
    *(
        pytest.param(tomllib.loads(text), id=f"guide-{name}")
        for name, text in re.findall(r"```toml\n# (\S+)\n(\[fabric\].*?)```", GUIDE, re.S)
    ),
    pytest.param(little(), id="little"),
    pytest.param(with_contracts(), id="contracts"),
    pytest.param(every_key_document(), id="every-key"),
    pytest.param(ops_document(), id="ops"),
]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_document_can_be_built(document):
    fabric = rebuilt(document)
    assert fabric.tables() == document
    built, written = fabric.build(), parse_fabric(toml(document))
    assert fabric_codec.encode(built) == fabric_codec.encode(written)


def findings(read):
    try:
        read()
    except FabricError as error:
        return type(error), str(error)
    return None


def test_the_builder_is_told_the_findings_of_the_document():
    told = 0
    for at, value, _ in BAD:
        document = changed(little(), at, value)
        try:
            fabric = rebuilt(document)
        except (KeyError, IndexError, TypeError, ValueError):
            continue  # What has no handle cannot be said,
        if fabric.tables() != document:
            continue  # nor what has no argument.
        expected = findings(lambda document=document: parse_fabric(toml(document)))
        assert findings(fabric.build) == expected
        told += expected is not None
    assert told >= 20


# The tables of Python and of documents.

MODULES = (
    access_document,
    contract_document,
    fabric_document,
    named_contract_document,
    op_document,
    op_params_document,
    port_document,
    service_document,
)


def model(name):
    """The document class of a table of Python; most have the same name."""
    known = {
        "Interval": Interval,
        "ServiceCapacities": service_document.ServiceResourcesDocument,
        "RoundRobin": RoundRobinDocument,
        "RoundRobinChoice": RoundRobinChoice,
        "NamedContract": named_contract_document.NamedContractDocument,
    }
    names = (name, f"{name}Document", f"{name}ClauseDocument")
    found = [getattr(module, each) for module in MODULES for each in names if hasattr(module, each)]
    return known.get(name) or next(each for each in found if issubclass(each, Document))


TABLES = {
    name: each
    for module in (builder_tables, builder_op_params)
    for name in module.__all__
    if typing.is_typeddict(each := getattr(module, name))
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_the_keys_of_its_document(name):
    fields = {info.alias or key: info for key, info in model(name).model_fields.items()}
    table = TABLES[name]
    keys = set(table.__annotations__)
    # The policy of a service is said by its methods, which take handles.
    assert set(fields) - keys == ({"grant"} if name == "ServiceCapacities" else set())
    assert keys <= set(fields)
    assert {key for key in keys if fields[key].is_required()} == table.__required_keys__


def test_every_table_of_a_document_is_one_of_python_or_a_call():
    built = {model(name) for name in TABLES}
    documents = {
        each
        for module in MODULES
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Document) and each.__name__[0] != "_"
    }
    calls = re.compile(
        r"(Endpoint|Manager|Connection|Subordinate|Fabric|\w*Memory|\w*Port|Pattern|LocalService|"
        r"(Load|Store|Rmw|CompareExchange|Fence)(Capability|Roles|)|Storage|Mmio|\w+Region|"
        r"\w*Op|(Spatial|Temporal)Group|GroupSizes|FixedPriority)Document|"
        r"FabricHeader|(Load|Store|Rmw|CompareExchange|Fence|FixedPriority)Choice|Document"
    )
    rest = {each.__name__ for each in documents - built}
    assert {name for name in rest if not calls.fullmatch(name)} == set()


# Handles.


@pytest.fixture
def two():
    """Two memories with a port, a pattern, a local service and a region each."""
    fabric = FabricBuilder("two")
    made = []
    for name in ("left", "right"):
        memory = fabric.spatial(name)
        ends = memory.input("go", bits=0), memory.output("done", bits=0)
        port = memory.port("port")
        local = memory.local(capacity_bytes=64)
        made.append((memory, port, local, *ends, port.pattern("direct", "direct")))
    return made


def fence(port, control, completion, pattern, target):
    port.fence(
        control=control,
        completion=completion,
        contract=[{"orderings": ["seq_cst"], "sync_scopes": ["system"]}],
        patterns=[pattern],
        targets=[target],
    )


def test_a_handle_is_of_the_memory_that_uses_it(two):
    (memory, port, local, go, done, direct), (other, *_, far_local, far_go, far_done, _) = (
        two[0],
        (two[1][0], two[1][2], two[1][3], two[1][4], two[1][5]),
    )
    fence(port, go, done, direct, local)
    for ends in ((far_go, done), (go, far_done)):
        with pytest.raises(
            ValueError, match=r"^(In|Out)put \w+ must be of Spatial\w+ left, not of"
        ):
            fence(port, *ends, direct, local)
        with pytest.raises(ValueError, match="must be of SpatialMemoryBuilder left"):
            memory.connect(ends[1], ends[0])
    with pytest.raises(ValueError, match=r"LocalServiceBuilder local must be of .* left, not of"):
        fence(port, go, done, direct, far_local)
    with pytest.raises(ValueError, match=r"LocalServiceBuilder local must be of .* right, not of"):
        other.subordinate(
            "host", beat_bits=8, max_exposed_bindings=1, match=[], transform="none", targets=[local]
        )


def test_a_pattern_is_of_the_port_that_uses_it(two):
    memory, port, local, go, done, _ = two[0]
    second = memory.port("second").pattern("direct", "direct")
    message = r"^Pattern direct must be of PortBuilder port, not of PortBuilder second$"
    with pytest.raises(ValueError, match=message):
        fence(port, go, done, second, local)


def test_regions_and_requesters_are_of_the_service_that_uses_them(two):
    (_, port, local, *_), (_, far_port, far_local, *_) = two
    region = far_local.storage(base=0, size=64)
    with pytest.raises(ValueError, match=r"^Region 0 must be of LocalServiceBuilder local, not of"):
        local.serve_load(contract=[], access=[], beat_bits=8, regions=[region])
    for grant in (
        lambda: local.serve_fence(contract=[], patterns=[far_port]),
        lambda: local.fixed_priority([port, far_port]),
        lambda: local.round_robin(far_port),
    ):
        with pytest.raises(
            ValueError, match=r"^PortBuilder port must be of .* left, not of .* right"
        ):
            grant()


def test_what_is_served_may_be_of_some_requesters():
    document = little()
    load = document["memory"][0]["local"]["capabilities"][0]["load"]
    load["patterns"] = ["read0"]
    memory = FabricBuilder("one").spatial("ram")
    local = memory.local(capacity_bytes=8)
    read = memory.port("read0")
    body = {key: value for key, value in load.items() if key not in ("regions", "patterns")}
    region = local.storage(base=0, size=8)
    local.serve_load(**body, regions=[region], patterns=[read])
    (capability,) = memory.table()["local"]["capabilities"]
    assert capability == {"load": load}
    assert rebuilt(document).build() == parse_fabric(toml(document))


def test_a_memory_has_one_local_service(two):
    memory = two[0][0]
    with pytest.raises(ValueError, match=r"^SpatialMemoryBuilder left must have one local service"):
        memory.local(capacity_bytes=8)


def test_a_contract_has_its_policy_in_itself(two):
    memory, port, local, *_ = two[0]
    local.round_robin(port)
    with pytest.raises(ValueError, match=r"^A grant policy must be given beside resources"):
        memory.table()


def test_the_last_policy_holds():
    memory = FabricBuilder("one").spatial("ram")
    ports = [memory.port("first"), memory.port("second")]
    local = memory.local(capacity_bytes=8, resources={"banks": 1, "outstanding": 1, "queue": 1})
    host = memory.subordinate(
        "host", beat_bits=8, max_exposed_bindings=1, match=[], transform="none", targets=[local]
    )

    def policy():
        return memory.table()["local"]["resources"].get("grant")

    assert policy() is None
    local.round_robin(host)
    assert policy() == {"round_robin": {"reset_cursor": 2}}
    local.fixed_priority([host, *ports])
    assert policy() == {"fixed_priority": {"order": ["host", "first", "second"]}}
    local.round_robin(ports[1])
    assert policy() == {"round_robin": {"reset_cursor": 1}}


def test_what_the_caller_changes_later_changes_nothing():
    document = little()
    fabric = rebuilt(document)
    before = fabric_codec.encode(fabric.build())
    document["memory"][0]["port"][0]["load"][0]["access"].clear()
    fabric.tables()["memory"].clear()
    assert fabric_codec.encode(fabric.build()) == before


def test_numbers_may_be_of_any_sequence():
    document = little()
    access = document["memory"][0]["port"][0]["load"][0]["access"][1]
    access |= {"element_bits": range(32, 33), "mask": ("absent", "dynamic")}
    assert rebuilt(document).build() == parse_fabric(toml(little()))
