"""Bad inputs of Temporal memories, managers and connections, each one change of an example."""

import tomllib
from collections.abc import Iterator

from tests.support.bad_input import Case
from tests.support.documents import changed, toml
from tests.support.examples import folder

__all__ = ["temporal_documents", "temporal_mappings", "temporal_workloads"]

_MEMORY = ("memory", 0)
_READ = (*_MEMORY, "port", 0)
_FILES = ("fabric.toml", "mapping.toml", "workload.toml")


def _documents(name: str) -> dict[str, dict]:
    return {file: tomllib.loads((folder(name) / file).read_text()) for file in _FILES}


#: Rows: words (0), gather (1), copy (2), paste (3); what copy loads, paste stores.
_LOCAL = _documents("temporal-local")
_VECTOR = _documents("temporal-vector")
#: Rows: read (0), write (1), verify (2).
_COPY = _documents("memcpy-local")


def _case(kind, title, documents, file, at, value, *expected, exit_code=1):
    """A case in which one value of a fabric or mapping is changed."""
    written = documents | {file: changed(documents[file], at, value)}
    files = {name: toml(written[name]) for name in _FILES[: _FILES.index(file) + 1]}
    return Case(kind, title, files, ("check", *files), expected, exit_code)


def temporal_documents() -> Iterator[Case]:
    """Fabric documents."""

    def case(title, documents, at, value, *expected, exit_code=1):
        return _case(
            "document", title, documents, "fabric.toml", at, value, *expected, exit_code=exit_code
        )

    yield case(
        "active lanes for an element access",
        _LOCAL,
        (*_READ, "patterns", 0, "projection"),
        "active_lanes",
        "memory[0].port[0].patterns[0]: ActiveLanesRowMajor must be selected by contiguous and "
        "indexed accesses only, not by an element access [port-active-lanes-form]",
    )
    yield case(
        "two results of one firing on one egress",
        _LOCAL,
        (*_READ, "load", 0, "roles", "completion"),
        "rd_data",
        "memory[0].port[0].load[0].roles: Result roles must have distinct endpoints, not "
        "endpoint rd_data, endpoint rd_data [alternative-result-endpoints]",
    )
    yield case(
        "contexts that differ from the memory's",
        _LOCAL,
        (*_READ, "resources", "context"),
        8,
        "memory[0].port[0].resources.context: The contexts must be the 4 resident_contexts of the "
        "memory, not 8 [context-count]",
    )
    yield case(
        "contexts without a grant policy",
        _LOCAL,
        (*_READ, "resources", "grant"),
        None,
        "memory[0].port[0].resources.grant: A policy is required where several requesters claim "
        "one capacity, not absent [contention-without-grant-policy]",
    )
    yield case(
        "operand slots without a place",
        _LOCAL,
        (*_READ, "resources", "operand_depth"),
        0,
        "memory[0].port[0].resources.operand_depth: The value must be at least 1, not 0 "
        "[value-out-of-range]",
    )
    yield case(
        "connection that starts at an input",
        _LOCAL,
        (*_MEMORY, "connections", 0, "from"),
        "wr_in",
        "memory[0].connections[0].from: The source must be an OUT endpoint, not endpoint wr_in, "
        "which is IN [connection-direction]",
    )
    yield case(
        "connection into a wider endpoint",
        _COPY,
        (*_MEMORY, "connections", 0, "from"),
        "src_done",
        "memory[0].connections[0]: The source must be at least as wide as the sink of 128 bits, "
        "not 0 bits [connection-narrows]",
    )
    yield case(
        "manager that does not exist",
        _VECTOR,
        (*_READ, "load", 0, "targets"),
        ["ext1"],
        "memory[0].port[0].load[0].targets: The name must be one of ext0, "
        'not "ext1" (did you mean ext0?) [unknown-name]',
    )
    yield case(
        "manager beat of three bytes",
        _VECTOR,
        (*_MEMORY, "manager", 0, "beat_bits"),
        24,
        "memory[0].manager[0].beat_bits: A beat must be a power of two of whole bytes and at most "
        "4096 bits, not 24 bits [manager-beat-width]",
        exit_code=3,
    )
    yield case(
        "neither local service nor manager",
        _VECTOR,
        (*_MEMORY, "manager"),
        None,
        "memory[0].local: The key must be present where the memory has no manager, not absent "
        "[missing-key]",
    )


def temporal_mappings() -> Iterator[Case]:
    """Mapping documents."""

    def case(title, documents, at, value, *expected):
        return _case("mapping", title, documents, "mapping.toml", at, value, *expected)

    table = ("memory", "mem0", "row")
    words, gather, copying, pasting = _LOCAL["mapping.toml"]["memory"]["mem0"]["row"]
    yield case(
        "two rows with one ingress and tag",
        _LOCAL,
        (*table, 0, "inputs", "address", "tag"),
        1,
        "memory.mem0.row[1].inputs.address.tag: Tag 1 at endpoint rd_in must match one row and "
        "role, not 2: words.address, gather.address [row-ingress-conflict]",
    )
    tags = {"address": {"tag": 10}, "control": {"tag": 11}}
    yield case(
        "more rows than resident contexts",
        _LOCAL,
        table,
        [words, gather, copying, pasting, words | {"name": "more", "inputs": tags}],
        "memory.mem0.row[4]: The table must have at most 4 Active rows, not 5 [row-capacity]",
    )
    yield case(
        "row behind the table",
        _LOCAL,
        (*table, 1, "row"),
        4,
        "memory.mem0.row[1].row: The ordinal of a row must be below 4, not 4 [row-capacity]",
    )
    yield case(
        "operand without a tag",
        _LOCAL,
        (*table, 0, "inputs", "control"),
        None,
        "memory.mem0.row[0].inputs.control.tag: A role at an endpoint of a Temporal memory must "
        "have a tag, not none "
        "[row-tag-presence]",
    )
    yield case(
        "tag that does not fit",
        _LOCAL,
        (*table, 0, "outputs", "data", "tag"),
        16,
        "memory.mem0.row[0].outputs.data.tag: The tag must fit 4 bits, not be 16 [row-tag-range]",
    )
    yield case(
        "tag in a spatial memory",
        _COPY,
        (*table, 0, "inputs"),
        {"address": {"tag": 1}},
        "memory.mem0.row[0].inputs.address.tag: A role of a Spatial memory must have no tag, not 1 "
        "[row-tag-presence]",
    )
    yield case(
        "connection that is not eligible",
        _LOCAL,
        (*table, 0, "inputs", "address"),
        {"from": "copy.data"},
        "memory.mem0.row[0].inputs.address.from: The memory must declare a connection from rd_data "
        "to rd_in for this edge, not none to it [connection-not-eligible]",
    )
    yield case(
        "open connection: its consumer does not name it",
        _LOCAL,
        (*table, 3, "inputs", "data"),
        {"tag": 3},
        "memory.mem0.row[2].outputs.data.to[0]: Operand paste.data must name copy.data in its "
        "from, not nothing [row-connection-open]",
    )
    other = copying | {"name": "other", "inputs": tags, "outputs": {"completion": {"tag": 9}}}
    fed = pasting | {
        "name": "fed",
        "inputs": tags | {"data": {"from": "other.data"}},
        "outputs": {"completion": {"tag": 9}},
    }
    yield case(
        "connection with two producers",
        _LOCAL,
        table,
        [copying, pasting, other, fed],
        "memory.mem0.row[2].outputs.data: Connection rd_data -> wr_data must have one producer, "
        "not 2: copy.data, other.data [row-connection-producers]",
    )
    yield case(
        "result that goes nowhere",
        _LOCAL,
        (*table, 0, "outputs", "data"),
        None,
        "memory.mem0.row[0].outputs.data: An active result must go to its endpoint "
        "(expose, or a tag) or to an operand (to), not nowhere [row-destination-missing]",
    )
    yield case(
        "source that does not exist",
        _COPY,
        (*table, 1, "inputs", "control", "from"),
        "read.done",
        "memory.mem0.row[1].inputs.control.from: The name must be one of read.data, "
        "read.completion, write.completion, verify.data, verify.completion, "
        'not "read.done" (did you mean read.data?) [unknown-name]',
    )
    yield case(
        "target that the port does not reach",
        _VECTOR,
        (*table, 0, "target"),
        "local",
        "memory.mem0.row[0].target: The target must be a target of the port, ext0, "
        'not "local" [row-target]',
    )


def temporal_workloads() -> Iterator[Case]:
    """Workload documents."""

    def case(title, documents, workload, *expected):
        files = {name: toml(documents[name]) for name in _FILES[:2]}
        command = ("simulate", *_FILES, "--simulator", "python")
        return Case("workload", title, files | {"workload.toml": toml(workload)}, command, expected)

    yield case(
        "stream of a tagged endpoint without a tag",
        _LOCAL,
        {"expect": [{"endpoint": "mem0.rd_data", "tokens": []}]},
        "expect[0].tag: A tag must be given for mem0.rd_data, which belongs to a temporal memory, "
        "not absent [stream-tag]",
    )
    yield case(
        "tag that no row uses",
        _LOCAL,
        {"expect": [{"endpoint": "mem0.rd_data", "tag": 2, "tokens": []}]},
        "expect[0].tag: The tag must be one that an active row uses at mem0.rd_data, 1, 5, not 2 "
        "[stream-without-row]",
    )
    yield case(
        "tag of an untagged endpoint",
        _COPY,
        {"expect": [{"endpoint": "mem0.chk_data", "tag": 2, "tokens": []}]},
        "expect[0].tag: A tag must be absent for mem0.chk_data, which belongs to a spatial memory, "
        "not 2 [stream-tag]",
    )
    yield case(
        "tokens of a result that stays inside",
        _COPY,
        {"expect": [{"endpoint": "mem0.src_data", "tokens": []}]},
        "expect[0].endpoint: The endpoint must be one that is not left to an internal connection, "
        "not mem0.src_data [stream-internal]",
    )
    yield case(
        "image of a manager that does not exist",
        _COPY,
        {"memory": {"mem0": {"ext0": {"image": {"hex": "00", "at": 0}}}}},
        'memory.mem0.ext0: The name must be one of local, not "ext0" [unknown-name]',
    )
