"""Inputs of the codes of ``author``: one good document each, with one value changed."""

import copy
import io
import tempfile
import tomllib
from pathlib import Path

import numpy

from fabricgen.author.fabric import parse_fabric
from fabricgen.author.macro import parse_macro
from fabricgen.author.mapping import parse_mapping, read_mapping
from fabricgen.author.workload import parse_workload
from fabricgen.records.fabric import Fabric, NamedOp
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support.contracts import named
from tests.support.documents import changed, fabric_document, mapping_document, ops_document, toml
from tests.support.examples import folder
from tests.support.hsg import resource
from tests.support.producers import command
from tests.support.subordinates import NONE, RANGE, dispatch, exposed_memory


def example(name):
    """The three documents of a shipped example as plain values."""
    names = ("fabric", "mapping", "workload")
    return tuple(tomllib.loads((folder(name) / f"{each}.toml").read_text()) for each in names)


LITTLE = fabric_document(), mapping_document(), {}
#: Rows: words (0), gather (1), copy (2), paste (3), of which copy feeds paste.
TEMPORAL = example("temporal-local")
#: A manager instead of a local service, and a pattern that walks lanes.
VECTOR = example("temporal-vector")
#: Rows: read (0), write (1), verify (2), each of which feeds the next.
COPIES = example("memcpy-local")

#: Ports in short, and what a group of them has.
SHORT = (
    tomllib.loads((Path(__file__).parents[1] / "support" / "short" / "short.toml").read_text()),
)

#: Storage alone behind two subordinates.
BANK = tuple(
    tomllib.loads((Path(__file__).parents[1] / "support" / "bank" / f"{each}.toml").read_text())
    for each in ("fabric", "mapping")
)

OPS = (ops_document(),)

MEMORY, ROWS = ("memory", 0), ("memory", "mem0", "row")
READ, LOCAL = (*MEMORY, "port", 0), (*MEMORY, "local")
LOAD = (*READ, "load", 0)


def fabric(at, value=None, *, of=LITTLE):
    return lambda: parse_fabric(toml(changed(of[0], at, value)))


def mapping(at, value=None, *, of=LITTLE):
    return lambda: read_mapping(toml(changed(of[1], at, value)), parse_fabric(toml(of[0])))


def workload(*, of=LITTLE, stream=(), files=None, **tables):
    """A workload of these streams beside these data files."""

    def parsed():
        document = tables | {"stream": list(stream)}
        source = parse_fabric(toml(of[0]))
        rows = parse_mapping(toml(of[1]), source).memories
        with tempfile.TemporaryDirectory() as beside:
            for name, data in (files or {}).items():
                Path(beside, name).write_bytes(data)
            return parse_workload(toml(document), source, rows, Path(beside))

    return parsed


def stream(endpoint, tokens, **more):
    return {"endpoint": f"mem0.{endpoint}", "tokens": tokens, **more}


ADDRESSES, CONTROLS = stream("rd_addr", [0]), stream("rd_ctrl", {"count": 1})


def stored(data, **more):
    """Streams of the row that stores four lanes."""
    return [
        stream("wr_addr", [0]),
        stream("wr_data", data, **more),
        stream("wr_mask", [[1, 1, 0, 0]]),
        stream("wr_ctrl", {"fill": True}),
    ]


def image(*parts):
    return workload(memory={"mem0": {"local": {"image": list(parts)}}})


def array(values):
    file = io.BytesIO()
    numpy.save(file, values)
    return file.getvalue()


def from_npy(data):
    tokens = stream("rd_addr", {"npy": "x.npy"})
    return workload(stream=[tokens, CONTROLS], files={"x.npy": data})


def two_sets_of_targets():
    """The two patterns of one load reach different managers."""
    written = copy.deepcopy(VECTOR[0])
    written["memory"][0]["manager"].append({"name": "ext1", "beat_bits": 64})
    port = written["memory"][0]["port"][0]
    (load,) = port["load"]
    port["load"] = [
        load | {"patterns": ["direct"]},
        load | {"patterns": ["lanes"], "targets": ["ext1"]},
    ]
    return parse_fabric(toml(written))


def checked(data):
    return command("check", "fabric.toml", files={"fabric.toml": data})


DOCUMENT_CODES = {
    "file-unreadable": command("check", "absent.toml", files={}),
    "file-unwritable": command(
        "normalize",
        "fabric.toml",
        "-o",
        "fabric.toml/x",
        files={"fabric.toml": toml(LITTLE[0])},
    ),
    "not-utf8": checked(b"\xff"),
    "toml-syntax": checked("[fabric\n"),
    "unknown-key": fabric((*MEMORY, "width"), 3),
    "missing-key": fabric((*READ, "resources", "in_flight")),
    "wrong-type": fabric((*READ, "resources", "in_flight"), "4"),
    "unknown-value": fabric((*READ, "patterns", 0, "projection"), "by_lane"),
    "value-out-of-range": fabric((*READ, "resources", "in_flight"), 0),
    "list-length": fabric((*LOAD, "access", 0, "lanes"), []),
    "document-kind": lambda: parse_fabric(toml(LITTLE[1])),
    "text-format": fabric((*MEMORY, "name"), "Mem"),
    "duplicate-value": fabric(("op", 0, "hw_params", "integer_widths"), [8, 8], of=OPS),
    "duplicate-name": fabric((*MEMORY, "port", 1, "name"), "read0"),
    "unknown-name": fabric((*LOAD, "targets"), ["ext0"]),
    "context-count": fabric((*READ, "resources", "context"), 3, of=TEMPORAL),
    "active-lanes-limit": fabric(
        (*LOAD, "access", 0, "lanes"), [{"from": 1, "to": 2**40}], of=VECTOR
    ),
    "target-merge": two_sets_of_targets,
    "missing-memory-capability-contract": fabric((*MEMORY, "group", "targets"), of=SHORT),
    "shorthand-and-inventory": fabric((*MEMORY, "data_width"), 32),
    "group-fact-unused": fabric((*MEMORY, "load_group_size"), 0, of=SHORT),
    "port-without-alternative": fabric((*READ, "load")),
    "operand-depth-roles": fabric((*READ, "resources", "operand_depth"), {"address": 1}),
    "alignment-not-power-of-two": fabric((*LOAD, "access", 0, "alignment"), [3]),
}

CONTRACT = named(
    parse_fabric(toml(LITTLE[0])).memories[0].occurrence.engine.ports[0].resource_contract,
    ["direct"],
    ["row"],
)


def contract(at, value):
    """A port with a complete contract."""
    port = changed(LITTLE[0]["memory"][0]["port"][0], ("resources",))
    return fabric(READ, port | {"contract": changed(CONTRACT, at, value)})


def repeated(*at):
    """The first entry of a list of the contract stands in it twice."""
    entries = CONTRACT
    for key in at:
        entries = entries[key]
    return contract(at, [*entries, entries[0]])


CONTRACT_CODES = {
    "resources-and-contract": fabric((*READ, "contract"), CONTRACT),
    "duplicate-state-key": repeated("states"),
    "duplicate-capacity-dimension-key": repeated("states", 0, "dimensions"),
    "duplicate-resource-transition-key": contract(("transitions",), ["publish"] * 2),
    "duplicate-event-key": repeated("events"),
    "duplicate-timing-contract-key": repeated("timing"),
    "duplicate-requester-key": repeated("requesters"),
    "duplicate-eligibility-key": repeated("eligibility"),
    "duplicate-use-pattern-key": repeated("patterns"),
    "unknown-capacity-dimension-key": contract(
        ("patterns", 0, "claims", 0, "dimension"), "elsewhere"
    ),
    "unknown-use-pattern-key": contract(("patterns", 0, "name"), "straight"),
}

MAPPING_CODES = {
    "mapping-of-another-fabric": mapping(("fabric",), "other"),
    "port-mapped-twice": mapping(ROWS, LITTLE[1]["memory"]["mem0"]["row"][1:] * 2),
    "row-address-form": mapping(
        (*ROWS, 1, "load", "pointer"),
        {"address_space": 0, "representation_bits": 32, "address_bits": 32},
    ),
    "role-inactive": mapping((*ROWS, 0, "inputs", "mask"), {"tag": 3}, of=TEMPORAL),
    "connection-not-eligible": mapping(
        (*ROWS, 0, "inputs", "address"), {"from": "copy.data"}, of=TEMPORAL
    ),
    "edge-repeated": mapping((*ROWS, 2, "outputs", "data", "to"), ["paste.data"] * 2, of=TEMPORAL),
}

BINDING = {"name": "low", "region": 0, "offset": 0x80, "size": 0x100}
EXPOSED = exposed_memory(dispatch(1, (RANGE,), NONE))


def bound(binding=(), **row):
    """The row that loads goes through one binding."""
    load = changed(changed(LITTLE[1]["memory"]["mem0"]["row"][1], ("base",)), ("target",))
    memory = {"binding": [BINDING | dict(binding)], "row": [load | {"binding": "low"} | row]}
    return mapping(("memory", "mem0"), memory)


def exposed(*ranges):
    """Exposures of one binding to a subordinate of one, by base and size of their ranges."""
    matches = [{"range": {"base": base, "size": size}} for base, size in ranges]
    exposures = [{"subordinate": "from0", "binding": "low", "match": each} for each in matches]
    memory = {"binding": [BINDING], "exposure": exposures}
    text = toml({"fabric": "exposed", "memory": {"mem0": memory}})
    return lambda: read_mapping(text, Fabric("exposed", (EXPOSED,)))


BINDING_CODES = {
    "binding-region": bound({"region": 1}),
    "binding-outside-region": bound({"size": 0x400}),
    "row-binding-target": bound(target="ext0"),
    "row-outside-binding": bound(base=0x100),
    "exposure-count": exposed((0x80, 0x80), (0x80, 0x100)),
    "exposure-address": exposed((0x81, 0x80)),
    "exposure-outside-binding": exposed((0x80, 0x101)),
}

WORKLOAD_CODES = {
    "data-file-broken": from_npy(array(numpy.zeros(4, "i4"))[:-1]),
    "data-file-shape": from_npy(array(numpy.zeros((2, 2, 2), "i4"))),
    "element-too-wide": workload(stream=[stream("rd_addr", [2**32]), CONTROLS]),
    "token-shape": workload(stream=stored([[1, 2, 3]])),
    "token-incomplete": workload(stream=stored([1, 2, 3])),
    "pad-unused": workload(stream=stored([1, 2, 3, 4], packed=True, pad=1)),
    "stream-without-row": workload(stream=[ADDRESSES, CONTROLS, stream("rd_mask", [1])]),
    "request-repeated": workload(of=BANK, request=[{"subordinate": "ram.from1", "beats": []}] * 2),
    "stream-repeated": workload(stream=[ADDRESSES, CONTROLS, ADDRESSES]),
    "stream-tag": workload(of=COPIES, stream=[stream("src_addr", [1], tag=0)]),
    "stream-internal": workload(of=COPIES, stream=[stream("dst_data", [[1, 2, 3, 4]])]),
    "stream-missing": workload(stream=[ADDRESSES]),
    "fill-without-operand": workload(
        stream=[stream("rd_addr", {"fill": True}), stream("rd_ctrl", {"fill": True})]
    ),
    "image-outside-capacity": image({"hex": "0001", "at": 1023}),
    "image-overlap": image({"hex": "0011", "at": 1}, {"hex": "22", "at": 2}),
}

CONSTANT = Fabric("constant", (), (NamedOp("five", resource(F.TOKEN_CONSTANT)),))


def constant(kind, **table):
    """A mapping of one constant."""
    actor = {"operation": "dataflow.constant", "operands": ["none"], "results": [kind]} | table
    return lambda: read_mapping(toml({"fabric": "constant", "op": {"five": actor}}), CONSTANT)


ACTOR_CODES = {
    "constant-value": constant("i8"),
    "constant-type": constant("none", value=0),
    "constant-lanes": constant("vector<2xi8>", value=0),
    "constant-range": constant("i8", value=256),
}

PRODUCERS = {
    "macro-name": lambda: parse_macro('module = "2p"\nwords = 4\nbits = 8\nmask_bits = 8\n'),
    "macro-shape": lambda: parse_macro('module = "p"\nwords = 5\nbits = 8\nmask_bits = 8\n'),
    **ACTOR_CODES,
    **DOCUMENT_CODES,
    **CONTRACT_CODES,
    **MAPPING_CODES,
    **BINDING_CODES,
    **WORKLOAD_CODES,
}
