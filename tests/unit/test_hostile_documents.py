"""Documents made to cost time or memory: they cost what their size explains."""

import copy
import sys
import time
from dataclasses import replace

import pytest

from fabricgen.author.fabric import author_fabric, author_tables, parse_fabric
from fabricgen.author.mapping import parse_mapping
from fabricgen.author.toml import MOST_KEY_PARTS, read_toml
from fabricgen.check import fabric as check_fabric
from fabricgen.errors import Invalid, Unsupported
from fabricgen.errors.listing import MOST_LISTED, listed, listed_names
from fabricgen.plan.realisation import unsupported
from fabricgen.records.access import MemoryAccessClass, OrdinaryData, PointerFormat
from fabricgen.records.connectivity import InternalConnection, MemoryConnectivityContract
from fabricgen.records.fabric import Fabric
from tests.support.documents import changed, fabric_document, mapping_document, toml

#: Processor seconds; what grew with the square of these sizes took ten times as long. A tool that
#: traces every line, as coverage does, makes everything several times slower.
SECONDS = 10 if sys.gettrace() is None else 60
MEMORY = ("memory", 0)
PORT = (*MEMORY, "port", 0)


def refused(build, document):
    started = time.process_time()
    with pytest.raises(Invalid) as error:
        build(document)
    assert time.process_time() - started < SECONDS
    return error.value.diagnostics


def built(document):
    started = time.process_time()
    author_tables(document)
    assert time.process_time() - started < SECONDS


@pytest.mark.parametrize("part", ["a", '"a"', "'.'", "a ", '"\\"."'])
@pytest.mark.parametrize("around", ["{}c = 1", "[{}c]", "[[{}c]]", "b = [{{ {}c = 1 }}]"])
def test_a_key_of_too_many_parts_is_refused_before_it_is_parsed(part, around):
    allowed = around.format(f"{part}." * (MOST_KEY_PARTS - 1))
    read_toml(allowed)
    (found,) = refused(read_toml, around.format(f"{part}." * MOST_KEY_PARTS))
    assert (found.code, found.message) == (
        "toml-syntax",
        "The text must be TOML 1.0, not broken: a key must have at most 64 parts, not more",
    )


DOTS = "a." * 100


@pytest.mark.parametrize(
    "text",
    [
        f'a = "{DOTS}"',
        f"a = '{DOTS}'",
        f'a = """\n{DOTS}"""""',
        f"a = '''\n{DOTS}'''''",
        f'a = "\\"{DOTS}"',
        f'a = """\\"""{DOTS}"""',
        f"# {DOTS}\na = 1",
        f"a = [{', '.join(['1.5'] * 100)}]",
    ],
)
def test_dots_in_strings_comments_and_numbers_part_no_keys(text):
    assert list(read_toml(text)) == ["a"]


def test_a_long_key_behind_a_string_that_ends_in_a_quote_is_seen():
    (found,) = refused(read_toml, f'a = {{ b = """c"""", {DOTS}d = 1 }}')
    assert "at most 64 parts" in found.message


@pytest.mark.parametrize(
    "text",
    [
        "." * 100 + "a" * 1_000_000,
        "." * 100 + "a . " * 60 + " " * 1_000_000,
        "." * 100 + '"""' + '\\"""' * 500_000,
        "." * 100 + "'''" + "''" * 500_000,
        ".".join(["a"] * 1_000_000),
    ],
)
def test_looking_for_long_keys_takes_time_in_proportion_to_the_text(text):
    assert [d.code for d in refused(read_toml, text)] == ["toml-syntax"]


def test_unknown_keys_anywhere_are_all_told_and_leave_what_is_known():
    document = fabric_document()
    document["odd"] = 1
    document["memory"][0] |= {"a": 1, "b": {"c": 2}}
    for endpoint in document["memory"][0]["endpoints"]:
        endpoint["colour"] = "red"
    kept = copy.deepcopy(document)
    places = [d.where for d in refused(author_tables, document)]
    count = len(document["memory"][0]["endpoints"])
    colours = [f"memory[0].endpoints[{i}].colour" for i in range(count)]
    assert sorted(places) == sorted(["odd", "memory[0].a", "memory[0].b", *colours])
    assert document == kept


def test_30_000_unknown_keys_are_told_at_once():
    document = fabric_document() | {f"k{i}": i for i in range(30_000)}
    assert len(refused(author_tables, document)) == 30_000


def test_many_unknown_names_beside_many_known_ones_make_short_messages():
    names = [{"name": f"known{i}", "projection": "direct"} for i in range(3_000)]
    document = changed(fabric_document(), (*PORT, "patterns"), names)
    at = (*PORT, "load", 0, "patterns")
    document = changed(document, at, [f"unknown{i}" for i in range(3_000)])
    found = [d for d in refused(author_tables, document) if d.where.endswith("load[0].patterns")]
    assert len(found) == 3_000
    assert found[0].message == (
        f"The name must be one of {', '.join(f'known{i}' for i in range(MOST_LISTED))} and "
        f'{3_000 - MOST_LISTED} more, not "unknown0"'
    )


def test_many_bindings_are_found_by_their_names():
    fabric = parse_fabric(toml(fabric_document()))
    mapping = mapping_document()
    memory = mapping["memory"]["mem0"]
    row = {k: v for k, v in memory["row"][0].items() if k not in ("target", "base")}
    memory["binding"] = [
        {"name": f"b{i}", "region": 0, "offset": 0, "size": 8} for i in range(4_000)
    ]
    memory["row"] = [{**row, "name": f"r{i}", "binding": f"c{i}"} for i in range(4_000)]
    found = refused(lambda text: parse_mapping(text, fabric), toml(mapping))
    assert max(len(d.message) for d in found) < 500


@pytest.mark.parametrize("size", [8, 16])
def test_many_regions_apart_and_merged(size):
    document = fabric_document()
    local = document["memory"][0]["local"]
    local["capacity_bytes"] = 2**20
    regions = range(10_000)
    local["regions"] = [{"base": 16 * i, "size": size, "storage": {}} for i in regions]
    for capability in local["capabilities"]:
        for each in capability.values():
            each["regions"] = list(regions)
    built(document)


def test_findings_about_many_regions_have_their_places():
    document = fabric_document()
    local = document["memory"][0]["local"]
    local["regions"] = [{"base": 16 * i, "size": 8, "storage": {}} for i in range(10_000)][::-1]
    for capability in local["capabilities"]:
        for each in capability.values():
            each["regions"] = [9_999]
    inside = local["capacity_bytes"] // 16
    found = refused(author_tables, document)
    assert {d.where for d in found} == {
        f"memory[0].local.regions[{i}]" for i in range(10_000 - inside)
    }


def test_of_regions_that_became_one_the_first_written_is_the_place():
    document = fabric_document()
    local = document["memory"][0]["local"]
    end = local["capacity_bytes"]
    bounds = [(end + 8, 8), (0, 8), (end, 8), (8, end - 16)]
    local["regions"] = [{"base": base, "size": size, "storage": {}} for base, size in bounds]
    for capability in local["capabilities"]:
        for each in capability.values():
            each["regions"] = [0, 1, 2, 3]
    (found,) = refused(author_tables, document)
    assert (found.code, found.where) == ("region-outside-capacity", "memory[0].local.regions[0]")


def test_many_endpoints_and_connections():
    document = fabric_document()
    memory = document["memory"][0]
    for kind in ("in", "out"):
        memory["endpoints"] += [
            {"name": f"{kind}{i}", "dir": kind, "bits": 8} for i in range(9_000)
        ]
    memory["connections"] = [{"from": f"out{i}", "to": f"in{i}"} for i in range(9_000)]
    built(document)


def test_many_use_patterns_of_one_port():
    document = changed(
        fabric_document(),
        (*PORT, "patterns"),
        [{"name": f"p{i}", "projection": "direct"} for i in range(10_000)],
    )
    document = changed(document, (*PORT, "load", 0, "patterns"), [f"p{i}" for i in range(10_000)])
    text = toml(document)
    started = time.process_time()
    fabric, _ = author_fabric(text)
    assert time.process_time() - started < SECONDS
    assert len(fabric.memories[0].names.patterns[0]) == 10_000


def test_a_name_of_a_megabyte_is_not_repeated_in_messages():
    memory = parse_fabric(toml(fabric_document())).memories[0]
    long = "A" * 1_000_000
    names = replace(memory.names, endpoints=(long,) * len(memory.names.endpoints))
    found = check_fabric.findings(Fabric("little", (replace(memory, names=names),)))
    assert {d.code for d in found} == {"name-illegal", "name-too-long", "name-duplicate"}
    assert max(len(d.message) for d in found) < 300


@pytest.mark.parametrize("count", [0, 1, MOST_LISTED])
def test_short_lists_are_shown_whole(count):
    values = tuple(range(count))
    assert listed(values) == str(list(values))
    assert listed_names(map(str, values)) == (", ".join(map(str, values)) or "none")


def test_long_lists_are_shown_by_their_beginning():
    values = range(MOST_LISTED + 1)
    first = ", ".join(map(str, range(MOST_LISTED)))
    assert listed(tuple(values)) == f"[{first}, ...] of {MOST_LISTED + 1}"
    assert listed_names(map(str, values)) == f"{first} and 1 more"


def test_findings_of_a_record_repeat_no_long_list():
    formats = [PointerFormat(space, 64, 64) for space in range(500)]
    accesses = parse_fabric(toml(fabric_document())).memories[0].occurrence.engine.ports[0]
    access = accesses.capability_alternatives[0].parameterized_access_domain.access_classes[0]
    widths = type(access.element_width_bits).of(*range(1, 10_000, 2))
    with pytest.raises(Invalid) as error:
        MemoryAccessClass.of(
            access.access_form,
            access.address_domain,
            element_width_bits=widths,
            flattened_lane_count=access.flattened_lane_count,
            mask_inactive_pairs=access.mask_inactive_pairs,
            source_alignment=access.source_alignment,
            read_subword=access.read_subword,
            write_subword=access.write_subword,
            data_pointer_formats=[OrdinaryData(), *formats],
        )
    assert len(error.value.diagnostics) == 500
    assert max(len(d.message) for d in error.value.diagnostics) < 1_000
    connections = tuple(InternalConnection(i, 0) for i in range(10_000, 0, -1))
    with pytest.raises(Invalid) as error:
        MemoryConnectivityContract((), (), connections)
    assert len(error.value.diagnostics[0].message) < 1_000


# Datapath resources.

MOST = 2**32 - 1
ELEMENTS = {
    "integer_element_widths": [1, 8, 16, 32, 64],
    "float_element_formats": ["f16", "bf16", "f32", "f64"],
}


def op(name, family, operation, hw_params, inputs, outputs):
    return {
        "name": name,
        "family": family,
        "op_list": [operation],
        "hw_params": hw_params,
        "ports": {"inputs": inputs, "outputs": outputs},
        "timing": {"latency_cycles": 1, "initiation_interval_cycles": 1},
    }


def adder(name, **changes):
    ports = [64, 64], [64]
    widths = {"integer_widths": [8, 16, 32, 64]}
    return op(name, "ScalarIntegerAddSub", "arith.addi", widths, *ports) | changes


def gather(name, single, *group, **hw_params):
    most = ELEMENTS | {"max_payload_bits": MOST} | hw_params
    family, operation = "FixedVectorParallelize", "dataflow.parallelize"
    return op(name, family, operation, most, [single, 1], [*group, 1])


def shuffle(name, blocks, port):
    most = {
        "max_operand_payload_bits": MOST,
        "max_result_payload_bits": MOST,
        "max_block_payload_bits": MOST,
        "max_source_blocks": blocks,
        "max_result_blocks": blocks,
    }
    ports = [port, port], [port]
    return op(name, "FixedVectorShuffle", "vector.shuffle", ELEMENTS | most, *ports)


def routed(kind, inputs, outputs):
    most = {"max_payload_bits": MOST, "max_fan": MOST}
    return op(kind, f"Token{kind.capitalize()}", f"dataflow.{kind}", most, inputs, outputs)


def resources(*ops):
    return {"fabric": {"name": "hostile"}, "op": list(ops)}


@pytest.mark.parametrize(
    ("each", "codes"),
    [
        (op("c", "TokenConstant", "dataflow.constant", {"max_payload_bits": MOST}, [0], [MOST]), 1),
        (op("c", "TokenConstant", "dataflow.constant", {"max_payload_bits": MOST}, [0], [64]), 0),
        (shuffle("s", MOST, 64), "op-field-limit"),
        (shuffle("s", MOST, MOST), 3),
        (shuffle("s", 8, 64), 0),
        (gather("g", 64, MOST, MOST), 2),
        (gather("g", 64, 16384, 16384), "semantic-keys-too-many"),
        (gather("g", 64, 4096, 512), 0),
        (routed("sync", [8] * 1024, [8] * 1024), 0),
        (routed("sync", [8] * 1025, [8] * 1025), "semantic-keys-too-many"),
        (routed("sync", list(range(2000)), list(range(2000))), "semantic-keys-too-many"),
        (routed("mux", [32, *[8, 16, 32] * 1000], [64]), "semantic-keys-too-many"),
        (routed("demux", [32, 64], [8, 16, 32] * 1000), "semantic-keys-too-many"),
    ],
)
def test_a_huge_resource_is_legal_and_too_large_to_be_built(each, codes):
    """A count stands for that many ports that are too wide."""
    started = time.process_time()
    fabric, _ = author_tables(resources(each))
    expected = ["endpoint-width-limit"] * codes if isinstance(codes, int) else [codes]
    assert [found.code for found in unsupported(fabric)] == expected
    assert time.process_time() - started < SECONDS


def test_dynamic_indices_are_as_many_as_there_are_ports_for_them():
    most = {
        "max_container_payload_bits": MOST,
        "max_slice_payload_bits": MOST,
        "max_dynamic_position_rank": MOST,
        "resolved_index_widths": [32],
    }
    family, operation = "FixedVectorSliceAlignMerge", "vector.extract"
    each = op("s", family, operation, ELEMENTS | most, [64, 64], [64])
    assert [d.code for d in refused(author_tables, resources(each))] == ["resource-port-count"]


def test_10_000_resources_are_refused_before_they_are_read():
    document = resources(*(adder(f"a{i}") for i in range(10_000)))
    started = time.process_time()
    with pytest.raises(Unsupported) as error:
        author_tables(document)
    assert time.process_time() - started < SECONDS
    assert [(d.where, d.code) for d in error.value.diagnostics] == [("op", "op-count-limit")]


def test_1_024_resources_are_read():
    ops = [adder(f"a{i}", ports={"inputs": [64 + i, 64], "outputs": [64]}) for i in range(1024)]
    started = time.process_time()
    fabric, _ = author_tables(resources(*ops))
    assert [each.code for each in unsupported(fabric)] == ["fabric-wire-limit"]
    assert time.process_time() - started < SECONDS


def test_resources_of_many_keys_each_are_told_before_all_are_derived():
    ops = [gather(f"g{i}", 64, 16384 - i, 16384) for i in range(1000)]
    started = time.process_time()
    fabric, _ = author_tables(resources(*ops))
    found = unsupported(fabric)
    assert time.process_time() - started < SECONDS
    assert {each.code for each in found} == {"semantic-keys-too-many"}
    assert found[-1].where == "ops"
    assert len(found) < 20


def test_resources_that_nothing_reaches_are_told_at_once():
    ops = [gather(f"g{i}", 0, MOST, MOST) for i in range(1000)]
    assert {d.code for d in refused(author_tables, resources(*ops))} == {"op-unreachable"}


def test_many_unknown_families_and_operations_are_told():
    ops = [adder(f"a{i}", family=f"ScalarIntegerAddSu{i}") for i in range(1000)]
    found = refused(author_tables, resources(*ops))
    assert len(found) == 1000
    assert found[0].message.endswith("(did you mean ScalarIntegerAddSub?)")
    assert max(len(d.message) for d in found) < 1_500
    many = adder("a", op_list=[f"arith.addi{i}" for i in range(30_000)])
    assert len(refused(author_tables, resources(many))) == 30_000
