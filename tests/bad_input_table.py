"""What each kind of bad input gets: ``python -m tests.bad_input_table`` prints it as markdown."""

import io
import pickle
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy

from fabricgen.abi.image import encode_image
from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import parse_mapping
from fabricgen.records import (
    access_codec,
    fabric_codec,
    fabric_section,
    occurrence_codec,
    service_codec,
)
from fabricgen.relation import codec
from fabricgen.relation.row import encode_row
from fabricgen.wire.frame import frame
from tests.support.bad_fabrics import actor_documents
from tests.support.bad_input import Case, outcome
from tests.support.bad_ops import op_images, op_mappings
from tests.support.bad_rows import actor_mappings
from tests.support.bad_temporal import (
    temporal_documents,
    temporal_mappings,
    temporal_workloads,
)
from tests.support.contracts import named
from tests.support.documents import changed, fabric_document, mapping_document, toml

__all__ = ["CASES"]

FABRIC = parse_fabric(toml(fabric_document()))
WIRE = fabric_codec.encode(FABRIC)
IMAGE = encode_image(FABRIC, parse_mapping(toml(mapping_document()), FABRIC))

CONTRACT = named(
    FABRIC.memories[0].occurrence.engine.ports[0].resource_contract, ["direct"], ["row"]
)
MEMORY = ("memory", 0)
READ, LOCAL = (*MEMORY, "port", 0), (*MEMORY, "local")
LOAD = (*READ, "load", 0)
LOAD_ROW = ("memory", "mem0", "row", 1)
TWO_DOUBLES = {
    "form": "contiguous",
    "element_bits": 64,
    "lanes": 2,
    "mask": "absent",
    "index_bits": 32,
    "pattern": "direct",
}


def documents() -> Iterator[Case]:
    """Fabric documents."""

    def case(title, at, value, *expected, exit_code=1):
        text = toml(changed(fabric_document(), at, value))
        command = ("check", "fabric.toml")
        return Case("document", title, {"fabric.toml": text}, command, expected, exit_code)

    yield case(
        "unknown key",
        (*READ, "resources", "depth"),
        4,
        "memory[0].port[0].resources.depth: The key must be one of "
        'in_flight, operand_depth, result_holding, not "depth" '
        "[unknown-key]",
    )
    yield case(
        "missing key",
        (*READ, "resources", "in_flight"),
        None,
        "memory[0].port[0].resources.in_flight: The key must be present, not absent [missing-key]",
    )
    yield case(
        "wrong type",
        (*READ, "resources", "in_flight"),
        "4",
        'memory[0].port[0].resources.in_flight: The value must be an integer, not "4" [wrong-type]',
    )
    yield case(
        "NaN",
        (*READ, "resources", "in_flight"),
        float("nan"),
        "memory[0].port[0].resources.in_flight: The value must be an integer, not nan [wrong-type]",
    )
    yield case(
        "empty list",
        (*LOAD, "access", 0, "lanes"),
        [],
        "memory[0].port[0].load[0].access[0].lanes: The list must hold at "
        "least 1 item, not 0 [list-length]",
    )
    yield case(
        "integer beyond its field",
        (*LOCAL, "capacity_bytes"),
        2**64,
        "memory[0].local.capacity_bytes: The value must be at most "
        "18446744073709551615, not 18446744073709551616 "
        "[value-out-of-range]",
    )
    yield case(
        "Verilog keyword as a name",
        (*MEMORY, "name"),
        "module",
        "memory[0].name: The name must be no keyword of (System)Verilog, "
        "not 'module' [name-keyword]",
    )
    clock = {"name": "clk", "dir": "in", "bits": 0}
    endpoints = [*fabric_document()["memory"][0]["endpoints"], clock]
    yield case(
        "name of one of the top's own ports",
        (*MEMORY, "endpoints"),
        endpoints,
        "memory[0].endpoints[10].name: The name must leave clk, rst, cfg "
        "and cfg_* to the top's own ports, not 'clk' [name-reserved]",
    )
    yield case(
        "name twice",
        (*MEMORY, "port", 1, "name"),
        "read0",
        'memory[0].port[1].name: The name must be unique, not "read0" as '
        "memory[0].port[0].name [duplicate-name]",
    )
    yield case(
        "data endpoint narrower than an access",
        (*MEMORY, "endpoints", 0, "bits"),
        64,
        "memory[0].port[0].load[0].access[1].element_bits: Every payload "
        "must fit the 64 bits of memory[0].port[0].load[0].roles.data, not "
        "take 128 bits (4 of 32) [data-endpoint-narrow]",
        "memory[0].port[0].load[0].access[1].read_subword: Exact requires "
        "payloads of the data endpoint's 64 bits, not of 128 bits "
        "[read-subword-exact]",
    )
    yield case(
        "address endpoint narrower than an index",
        (*MEMORY, "endpoints", 1, "bits"),
        16,
        "memory[0].port[0].load[0].access[0].address.root_relative: Every "
        "payload must fit the 16 bits of "
        "memory[0].port[0].load[0].roles.address, not take 32 bits (1 of "
        "32) [address-endpoint-narrow]",
        "memory[0].port[0].load[0].access[1].address.root_relative: Every "
        "payload must fit the 16 bits of "
        "memory[0].port[0].load[0].roles.address, not take 32 bits (1 of "
        "32) [address-endpoint-narrow]",
    )
    yield case(
        "mask endpoint narrower than the lanes",
        (*MEMORY, "endpoints", 2, "bits"),
        3,
        "memory[0].port[0].load[0].access[1].lanes: Every payload must fit "
        "the 3 bits of memory[0].port[0].load[0].roles.mask, not take 4 "
        "bits [mask-endpoint-narrow]",
    )
    yield case(
        "target that does not exist",
        (*LOAD, "targets"),
        ["ext0"],
        "memory[0].port[0].load[0].targets: The name must be one of local, "
        'not "ext0" [unknown-name]',
    )
    yield case(
        "mask role without a dynamic class",
        (*LOAD, "access", 1, "mask"),
        ["absent"],
        "memory[0].port[0].load[0].roles: The mask role must have none, as "
        "the access classes admit no dynamic mask, not one "
        "[alternative-mask-role]",
    )
    yield case(
        "dynamic class without a mask role",
        (*LOAD, "roles", "mask"),
        None,
        "memory[0].port[0].load[0].roles: The mask role must have one, as "
        "the access classes admit a dynamic mask, not none "
        "[alternative-mask-role]",
    )
    yield case(
        "in-flight capacity of 0",
        (*READ, "resources", "in_flight"),
        0,
        "memory[0].port[0].resources.in_flight: The value must be at least "
        "1, not 0 [value-out-of-range]",
    )
    yield case(
        "contention without a grant policy",
        (*LOCAL, "resources", "grant"),
        None,
        "memory[0].local.resources.grant: A policy is required where "
        "several requesters claim one capacity, not absent "
        "[contention-without-grant-policy]",
    )
    yield case(
        "region outside the capacity",
        (*LOCAL, "regions", 0, "size"),
        1025,
        "memory[0].local.regions[0]: A region must end within the 1024 "
        "bytes of the service, not at 1025 [region-outside-capacity]",
    )
    yield case(
        "one of two regions that touch",
        (*LOCAL, "regions"),
        [{"base": 0, "size": 512, "storage": {}}, {"base": 512, "size": 512, "storage": {}}],
        "memory[0].local.capabilities[0].load.regions: A capability must "
        "name all of the adjacent regions [0, 1], which are one region, "
        "not only [0] [region-merge-widens]",
        "memory[0].local.capabilities[1].store.regions: A capability must "
        "name all of the adjacent regions [0, 1], which are one region, "
        "not only [0] [region-merge-widens]",
    )
    yield case(
        "a contract beside resources",
        (*READ, "contract"),
        CONTRACT,
        "memory[0].port[0].contract: The contract must be absent where there are resources, which "
        "are one already, not present [resources-and-contract]",
    )
    yield case(
        "neither resources nor a contract",
        (*LOCAL, "resources"),
        None,
        "memory[0].local.resources: The key must be present where there is no contract, "
        "not absent [missing-key]",
    )
    for title, at, value, expected in contracts():
        port = changed(fabric_document()["memory"][0]["port"][0], ("resources",))
        yield case(
            title, READ, port | {"contract": changed(CONTRACT, at, value)}, *expected.splitlines()
        )
    yield case(
        "banks that are no power of two",
        (*LOCAL, "resources", "banks"),
        3,
        "memory[0].local.resources: The number of banks must be a power of two, not 3 [bank-count]",
        exit_code=3,
    )
    yield case(
        "schedule that does not exist",
        (*MEMORY, "schedule"),
        "systolic",
        "memory[0].schedule: The value must be 'spatial' or 'temporal', "
        'not "systolic" [unknown-value]',
    )
    yield case(
        "shorthand beside records",
        (*MEMORY, "data_width"),
        32,
        "memory[0].data_width: The key must be absent where endpoints and port are written out, "
        "not present [shorthand-and-inventory]",
    )
    short = tomllib.loads((Path(__file__).parent / "support" / "short" / "short.toml").read_text())
    for title, at, value, expected in (
        (
            "shorthand without a fact",
            ("group", "alignment"),
            None,
            "memory[0].group.alignment: The key must be present, not absent "
            "[missing-memory-capability-contract]",
        ),
        (
            "shorthand without a guarantee",
            ("group", "read_subword"),
            None,
            "memory[0].group.read_subword: The key must be present where there are load ports, "
            "not absent [missing-memory-capability-contract]",
        ),
        (
            "shorthand with a fact of no port",
            ("load_group_size",),
            0,
            "memory[0].group.read_subword: The key must be absent where there are no load ports, "
            "not present [group-fact-unused]",
        ),
    ):
        yield case(title, ("memory",), [changed(short["memory"][0], at, value)], expected)


def contracts() -> Iterator[tuple[str, tuple[str | int, ...], object, str]]:
    """Complete contracts of the read port."""
    place = "memory[0].port[0].contract"
    use = CONTRACT["patterns"][0]
    yield (
        "two states of one name",
        ("states", 1, "name"),
        "state-0",
        f'{place}.states[1].name: The name must be unique, not "state-0" as '
        f"{place}.states[0].name [duplicate-state-key]\n"
        f"{place}.patterns[0].claims[0].state: The name must be one of state-0, state-0, state-2, "
        'state-3, state-4, state-5, not "state-1" (did you mean state-5?) [unknown-state-key]\n'
        f"{place}.patterns[0].claims[1].state: The name must be one of state-0, state-0, state-2, "
        'state-3, state-4, state-5, not "state-1" (did you mean state-5?) [unknown-state-key]',
    )
    yield (
        "two use patterns of one name",
        ("patterns",),
        [use, use],
        f'{place}.patterns[1].name: The name must be unique, not "direct" as '
        f"{place}.patterns[0].name [duplicate-use-pattern-key]",
    )
    yield (
        "a claim that nobody declares",
        ("patterns", 0, "transactions", 0, 1),
        "claim-9",
        f"{place}.patterns[0].transactions[0][1]: The name must be one of claim-0, claim-1, "
        'claim-2, claim-3, not "claim-9" (did you mean claim-3?) [unknown-claim-key]',
    )
    yield (
        "an event without a rank",
        ("timing", 0, "ranks", "event-1"),
        None,
        f"{place}.timing[0].ranks: A rank is required for each of 2 events, not none for event-1 "
        "[timing-contract-event-domain]",
    )
    yield (
        "a claim above its capacity",
        ("patterns", 0, "claims", 2, "amount"),
        4,
        f"{place}.patterns[0].claims[2].amount: Initial occupancy and claim together must fit the "
        "capacity 3, not 4 [claim-exceeds-capacity]",
    )


def files() -> Iterator[Case]:
    """Documents that cannot be read."""

    def case(title, data, *expected):
        return Case("document", title, {"fabric.toml": data}, ("check", "fabric.toml"), expected)

    yield case(
        "empty file",
        b"",
        "fabric: The key must be present, not absent [missing-key]",
    )
    yield case(
        "no TOML",
        b"[fabric\n",
        "document: The text must be TOML 1.0, not broken: Expected ']' at "
        "the end of a table declaration (at line 1, column 8) [toml-syntax]",
    )
    yield case(
        "no UTF-8",
        b"\xff\xfe[\0",
        "fabric.toml: The file must be UTF-8 text, not have byte 0xff at offset 0 [not-utf8]",
    )
    yield Case(
        "document",
        "absent file",
        {},
        ("check", "absent.toml"),
        (
            "absent.toml: The file must be readable, not: No such file or "
            "directory [file-unreadable]",
        ),
    )
    yield Case(
        "document",
        "folder",
        {},
        ("check", "."),
        (".: The file must be readable, not: Is a directory [file-unreadable]",),
    )


def mappings() -> Iterator[Case]:
    """Mapping documents."""

    def case(title, at, value, *expected):
        text = toml(changed(mapping_document(), at, value))
        command = ("check", "fabric.toml", "mapping.toml")
        return Case("mapping", title, {"mapping.toml": text}, command, expected)

    row = mapping_document()["memory"]["mem0"]["row"][1]
    yield case(
        "unknown key",
        (*LOAD_ROW, "bas"),
        0,
        "memory.mem0.row[1].bas: The key must be one of base, binding, inputs, load, "
        "name, outputs, port, row, target, "
        'not "bas" (did you mean base?) [unknown-key]',
    )
    yield case(
        "another fabric's name",
        ("fabric",),
        "other",
        'fabric: The mapping must be for "little", not "other" [mapping-of-another-fabric]',
    )
    yield case(
        "vector<2xf64> on a port of vector<4xf32>",
        (*LOAD_ROW, "load"),
        TWO_DOUBLES,
        "memory.mem0.row[1].load.element_bits: The value must lie in {32}, "
        "not 64 (alternative 0 of port read0) [element-width-not-accepted]",
        "memory.mem0.row[1].load.lanes: The value must lie in {4}, not 2 "
        "(alternative 0 of port read0) [lane-count-not-accepted]",
    )
    yield case(
        "indexed access on a contiguous port",
        (*LOAD_ROW, "load", "form"),
        "indexed",
        "memory.mem0.row[1].load.form: The access form must be one of "
        "contiguous root_relative or element root_relative, not indexed "
        "root_relative (alternative 0 of port read0) "
        "[access-form-not-accepted]",
    )
    yield case(
        "target outside H_dispatch",
        (*LOAD_ROW, "target"),
        "ext0",
        "memory.mem0.row[1].target: The target must be a target of "
        'the port, local, not "ext0" [row-target]',
    )
    bound = {key: value for key, value in row.items() if key not in ("base", "target")}
    binding = {"name": "low", "region": 0, "offset": 0x80, "size": 0x100}

    def bound_case(title, where, changes, *expected):
        memory = {"binding": [binding], "row": [bound | {"binding": "low"}]}
        memory = changed(memory, (where, 0), memory[where][0] | changes)
        return case(title, ("memory", "mem0"), memory, *expected)

    yield bound_case(
        "memory binding past its region",
        "binding",
        {"size": 0x400},
        "memory.mem0.binding[0]: A binding must end within the 1024 bytes of its region, not at "
        "1152 [binding-outside-region]",
    )
    yield bound_case(
        "row that begins behind its binding",
        "row",
        {"base": 0x100},
        "memory.mem0.row[0].base: The base must lie inside the 256 bytes of low, not at 256 "
        "[row-outside-binding]",
    )
    yield bound_case(
        "target that is not the binding's",
        "row",
        {"target": "ext0"},
        'memory.mem0.row[0].target: The target must be that of low, local, not "ext0" '
        "[row-binding-target]",
    )
    yield case(
        "base outside the capacity",
        (*LOAD_ROW, "base"),
        1024,
        "memory.mem0.row[1].base: The base address of a local row must lie "
        "inside the 1024 bytes of the service, not at 1024 "
        "[row-base-outside]",
    )
    rows = [*mapping_document()["memory"]["mem0"]["row"], {**row, "name": "again"}]
    yield case(
        "two rows on one port",
        ("memory", "mem0", "row"),
        rows,
        "memory.mem0.row[2].port: A Spatial port must have one row, not "
        "read0 in row 1 as well [port-mapped-twice]",
    )
    yield case(
        "port that does not exist",
        (*LOAD_ROW, "port"),
        "read1",
        "memory.mem0.row[1].port: The name must be one of read0, write0, "
        'not "read1" (did you mean read0?) [unknown-name]',
    )


def workloads() -> Iterator[Case]:
    """Workload documents and their data files."""
    good = {
        "stream": [
            {"endpoint": "mem0.rd_addr", "tokens": [0, 1]},
            {"endpoint": "mem0.rd_ctrl", "tokens": {"fill": True}},
        ]
    }
    tokens = ("stream", 0, "tokens")

    def case(title, at, value, *expected, **data):
        text = toml(changed(good, at, value))
        beside = {name.replace("_", "."): data for name, data in data.items()}
        command = ("simulate", "fabric.toml", "mapping.toml", "workload.toml")
        return Case("workload", title, {"workload.toml": text, **beside}, command, expected)

    def image(title, image, *expected, **data):
        return case(title, ("memory",), {"mem0": {"local": {"image": image}}}, *expected, **data)

    yield case(
        "unknown key",
        ("streams",),
        [],
        "streams: The key must be one of expect, memory, request, stream, not "
        '"streams" (did you mean stream?) [unknown-key]',
    )
    yield case(
        "token wider than its endpoint's element",
        tokens,
        [2**32],
        "stream[0].tokens: Element 0 must fit 32 bits, not be 4294967296 [element-too-wide]",
    )
    yield case(
        "operand without a stream",
        ("stream", 1),
        None,
        "stream[0]: Every operand of the row must have a stream, not "
        "without mem0.rd_ctrl [stream-missing]",
    )
    yield case(
        "endpoint that does not exist",
        ("stream", 0, "endpoint"),
        "mem0.rd_adr",
        "stream[0].endpoint: The name must be one of mem0.rd_addr, "
        "mem0.rd_mask, mem0.rd_ctrl, mem0.wr_addr, mem0.wr_data, "
        'mem0.wr_mask, mem0.wr_ctrl, not "mem0.rd_adr" (did you mean '
        "mem0.rd_addr?) [unknown-name]",
        "stream[1]: Every operand of the row must have a stream, not "
        "without mem0.rd_addr [stream-missing]",
    )
    yield image(
        "memory image outside the capacity",
        {"hex": "00", "at": 1024},
        "memory.mem0.local.image: The image must end within the 1024 bytes "
        "of the service, not at 1025 [image-outside-capacity]",
    )
    overlapping = [{"hex": "0000", "at": 0}, {"hex": "00", "at": 1}]
    yield image(
        "memory images that overlap",
        overlapping,
        "memory.mem0.local.image[1]: The image must start at or after 2, "
        "where memory.mem0.local.image[0] ends, not at 1 [image-overlap]",
    )
    yield case(
        "absent file",
        tokens,
        {"npy": "x.npy"},
        "stream[0].tokens.npy: x.npy must be a readable file, not: No such "
        "file or directory [file-unreadable]",
    )
    yield case(
        "pickled objects",
        tokens,
        {"npy": "x.npy"},
        "stream[0].tokens.npy: x.npy must be whole, not: Array can't be "
        "memory-mapped: Python objects in dtype. [data-file-broken]",
        x_npy=_npy_of_objects(),
    )
    yield case(
        "pickle",
        tokens,
        {"npy": "x.npy"},
        "stream[0].tokens.npy: x.npy must be whole, not: it does not start "
        "as one array of NumPy does [data-file-broken]",
        x_npy=pickle.dumps(_Bomb()),
    )
    yield case(
        "complex numbers",
        tokens,
        {"npy": "x.npy"},
        "stream[0].tokens.npy: x.npy must hold one- or two-dimensional "
        "real numbers, not 1 dimensions of complex64 [data-file-shape]",
        x_npy=_npy(numpy.zeros(4, "c8")),
    )
    yield case(
        "truncated array",
        tokens,
        {"npy": "x.npy"},
        "stream[0].tokens.npy: x.npy must be whole, not: mmap length is "
        "greater than file size [data-file-broken]",
        x_npy=_npy(numpy.zeros(4, "i4"))[:-1],
    )
    yield case(
        "floats of another width",
        tokens,
        {"npy": "x.npy"},
        "stream[0].tokens: Floats must have the 32 bits of an element, not 64 [element-too-wide]",
        x_npy=_npy(numpy.zeros(4)),
    )
    yield case(
        "raw file of odd length",
        tokens,
        {"raw": "x.bin", "bits": 32},
        "stream[0].tokens.raw: The bytes of x.bin must be a multiple of 4, not 7 [data-file-shape]",
        x_bin=bytes(7),
    )
    banner = "%%MatrixMarket matrix coordinate pattern general\n"
    yield case(
        "entry outside the matrix",
        tokens,
        {"mtx": "a.mtx"},
        "stream[0].tokens.mtx: a.mtx must be whole, not: line 3 has an "
        "entry outside 2 x 2 [data-file-broken]",
        a_mtx=banner + "2 2 1\n0 1\n",
    )
    yield case(
        "entries that are missing",
        tokens,
        {"mtx": "a.mtx"},
        "stream[0].tokens.mtx: a.mtx must be whole, not: 2 entries are "
        "announced and 1 follow [data-file-broken]",
        a_mtx=banner + "2 2 2\n1 1\n",
    )
    yield case(
        "no Matrix Market file",
        tokens,
        {"mtx": "a.mtx"},
        "stream[0].tokens.mtx: a.mtx must be whole, not: the first line is "
        "no Matrix Market banner of a matrix [data-file-broken]",
        a_mtx="1 1\n",
    )
    yield case(
        "endless stream",
        tokens,
        {"count": 2**40},
        "stream[0].tokens.count: The value must be at most 16777216, not "
        "1099511627776 [value-out-of-range]",
    )


class _Bomb:
    """Ends the process where it is unpickled."""

    def __reduce__(self):
        return sys.exit, (99,)


def _npy(array: numpy.ndarray) -> bytes:
    file = io.BytesIO()
    numpy.save(file, array)
    return file.getvalue()


def _npy_of_objects() -> bytes:
    return _npy(numpy.array([_Bomb()], dtype=object))


def wires() -> Iterator[Case]:
    """Files of canonical bytes."""

    def case(title, data, *expected):
        return Case("wire file", title, {"x.fabric": data}, ("check", "x.fabric"), expected)

    count = len(fabric_codec.MAGIC) + 4 + len(frame(b"little"))
    yield case(
        "trailing byte",
        WIRE + b"\0",
        "bytes: The record must end at offset 6450, not 6451 [wire-trailing]",
    )
    yield case(
        "truncated",
        WIRE[:-1],
        "bytes: 8 bytes are required at offset 6442, and 7 are left [wire-truncated]",
    )
    yield case(
        "hostile count",
        WIRE[:count] + b"\xff" * 8 + WIRE[count + 8 :],
        "bytes: 18446744073709551615 items of 24 or more bytes are "
        "announced before offset 34, and 6416 bytes are left "
        "[wire-truncated]",
    )
    yield case(
        "another decomposition of the same relation",
        _another_decomposition(),
        "memory[0].local_service.capabilities[0].access_domain.rows: Rows "
        "must be the 2 products of the normal form, not 3 other products "
        "of the same relation [relation-not-canonical]",
    )
    yield case(
        "another format version",
        WIRE.replace(b"\0\0\0\2", b"\0\0\0\1", 1),
        "bytes: The format version must be 2, not 1 [fabric-version]",
    )
    section = fabric_section.encode(FABRIC.memories[0].names, FABRIC.memories[0].implementation)
    spelled = section.replace(b'"rd_addr"', b'"rd\\u005faddr"')
    yield case(
        "names in another spelling",
        WIRE.replace(frame(section), frame(spelled)),
        "memory[0].section: The bytes must equal the encoding of the "
        "record that they decode to, not differ from it at offset 213 "
        "[wire-not-canonical]",
    )
    yield case(
        "magic only",
        fabric_codec.MAGIC,
        "bytes: 4 bytes are required at offset 8, and 0 are left [wire-truncated]",
    )


def _another_decomposition() -> bytes:
    """Admits what the little fabric's service admits, with one class more."""
    named = FABRIC.memories[0]
    service = service_codec.encode(named.occurrence.local_service.memory_service_contract)
    record = occurrence_codec.encode(named.occurrence)
    domain = named.occurrence.local_service.memory_service_contract.capabilities[0].access_domain
    rows: list[codec.Row] = []
    for access_class in domain.access_classes:
        widths = access_class.element_width_bits
        for interval in widths.intervals:
            part = replace(widths, intervals=(interval,))
            rows.append(replace(access_class, element_width_bits=part).row)
    whole, split = access_codec.encode(domain), codec.encode(sorted(rows, key=encode_row))
    inner = service.replace(frame(whole), frame(split))
    outer = record.replace(frame(service), frame(inner))
    return WIRE.replace(frame(record), frame(outer))


def images() -> Iterator[Case]:
    """Configuration images."""

    def case(title, data, *expected, **files):
        command = ("image", "fabric.toml", "--read", "x.image")
        return Case("image", title, {"x.image": data, **files}, command, expected)

    def flipped(position):
        data = bytearray(IMAGE)
        data[position] ^= 1
        return bytes(data)

    other = toml(changed(fabric_document(), (*LOCAL, "resources", "queue"), 3))
    yield case(
        "of another fabric",
        IMAGE,
        "image.header.source_mapping: The value must be '...', not '...' [image-other-fabric]",
        **{"fabric.toml": other},
    )
    yield case(
        "truncated",
        IMAGE[:-1],
        "image: 230 bytes are required by what the image announces, not 229 [image-truncated]",
    )
    yield case(
        "trailing byte",
        IMAGE + b"\0",
        "image: The image must end after 230 bytes, not 231 [image-trailing]",
    )
    yield case(
        "flipped bit in the header",
        flipped(20),
        "image.digest: The image must end in the SHA-256 of its record, "
        "..., not ... [image-digest]",
    )
    yield case(
        "flipped bit in the payload",
        flipped(-40),
        "image.digest: The image must end in the SHA-256 of its record, "
        "..., not ... [image-digest]",
    )
    yield case(
        "flipped bit in the digest",
        flipped(-1),
        "image.digest: The image must end in the SHA-256 of its record, "
        "..., not ... [image-digest]",
    )
    yield case(
        "flipped bit in a length",
        flipped(0),
        "image: 16777383 bytes are required by what the image announces, not 230 [image-truncated]",
    )
    yield case(
        "empty",
        b"",
        "image: 4 bytes are required by what the image announces, not 0 [image-truncated]",
    )


#: Every case; its expectation is what the tests hold the tool to.
CASES = [
    *documents(),
    *temporal_documents(),
    *actor_documents(),
    *files(),
    *mappings(),
    *temporal_mappings(),
    *actor_mappings(),
    *op_mappings(),
    *op_images(),
    *workloads(),
    *temporal_workloads(),
    *wires(),
    *images(),
]


def main() -> int:
    """Run every case and print what it got; 1 where that is not what is expected."""
    lines = ["| bad input | exit | where | code | message |", "|---|---|---|---|---|"]
    wrong: list[str] = []
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            got = outcome(case, Path(folder))
        is_met = case.is_met(got.lines) and got.exit_code == case.exit_code
        if not is_met:
            wrong.append(f"{case.kind}, {case.title}: not what is expected")
        lines += _rows(case, got.exit_code, case.expected if is_met else got.lines)
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stderr.write("".join(f"{line}\n" for line in wrong))
    return 1 if wrong else 0


def _rows(case: Case, exit_code: int, lines: Sequence[str]) -> Iterator[str]:
    """One row per finding; what they share stands in the first one."""
    shared = f"| {case.kind}: {case.title} | {exit_code} |"
    for line in lines:
        where, message, code = re.fullmatch(r"(.*?): (.*) \[(.*)\]", line).groups()
        yield f"{shared} `{where}` | `{code}` | {_cell(message)} |"
        shared = "| | |"


def _cell(text: str) -> str:
    return text.replace("|", r"\|").replace("<", "&lt;")


if __name__ == "__main__":
    sys.exit(main())
