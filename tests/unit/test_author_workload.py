"""Workloads: how elements become tokens and images bytes, and the findings of bad ones."""

import random
import sys
from dataclasses import replace

import numpy
import pytest

from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import parse_mapping
from fabricgen.author.packing import TokenShape, token_shape
from fabricgen.author.workload import parse_workload
from fabricgen.errors import Invalid, ToolMissing
from tests.support.documents import fabric_document, mapping_document, toml
from tests.support.memories import INDEXED, LOAD, ROLE, row
from tests.support.pointers import NEAR, WIDE, pointer_view

FABRIC = parse_fabric(toml(fabric_document()))
CONFIGURATIONS = parse_mapping(toml(mapping_document()), FABRIC).memories
NAMES = FABRIC.memories[0].names.endpoints


def stream(endpoint, tokens, **more):
    return {"endpoint": f"mem0.{endpoint}", "tokens": tokens, **more}


def store_streams(data, **more):
    """Streams of the store row: two firings, but for the data."""
    return [
        stream("wr_addr", [0, 4]),
        stream("wr_data", data, **more),
        stream("wr_mask", [[1, 1, 0, 0], [1, 0, 0, 0]]),
        stream("wr_ctrl", {"fill": True}),
    ]


def parsed(folder, **document):
    return parse_workload(toml(document), FABRIC, CONFIGURATIONS, folder)


def tokens(folder, endpoint, **document):
    return parsed(folder, **document).streams[0, NAMES.index(endpoint), None]


def data_tokens(folder, data, **more):
    return tokens(folder, "wr_data", stream=store_streams(data, **more))


def refused(folder, **document):
    with pytest.raises(Invalid) as error:
        parsed(folder, **document)
    return str(error.value)


def test_a_flat_list_packs_lane_0_lowest(tmp_path):
    assert data_tokens(tmp_path, [1, 2, 3, 4, 5, 6, 7, 8]) == (
        0x00000004_00000003_00000002_00000001,
        0x00000008_00000007_00000006_00000005,
    )


def test_a_list_of_lanes_is_one_token(tmp_path):
    assert data_tokens(tmp_path, [[1, 2, 3, "0xffffffff"]]) == (
        0xFFFFFFFF_00000003_00000002_00000001,
    )


def test_a_mask_has_one_bit_per_lane(tmp_path):
    streams = store_streams([0] * 8)
    assert tokens(tmp_path, "wr_mask", stream=streams) == (0b0011, 0b0001)


def test_packed_numbers_are_complete_tokens(tmp_path):
    assert data_tokens(tmp_path, ["0x" + "f" * 32, 7], packed=True) == (2**128 - 1, 7)


def test_negative_data_is_in_twos_complement_and_negative_indices_are_refused(tmp_path):
    assert data_tokens(tmp_path, [-1, -(2**31), 0, 0]) == (0x80000000_FFFFFFFF,)
    streams = [stream("rd_addr", [5, -1, -2]), stream("rd_ctrl", {"fill": True})]
    assert refused(tmp_path, stream=streams) == (
        "stream[0].tokens: Element 1 must fit 32 bits, not be -1 (and 1 more) [element-too-wide]"
    )


def test_pointers_are_whole_unsigned_representations_as_addresses_and_as_data():
    pointed = row(0, LOAD, pointer_view(INDEXED, WIDE, element=32, lanes=2, data=NEAR), base=0)
    assert token_shape(pointed, ROLE.ADDRESS) == TokenShape(2, 64, is_signed=False)
    assert token_shape(pointed, ROLE.DATA) == TokenShape(2, 32, is_signed=False)
    numbers = replace(pointed, access=replace(pointed.access, data_pointer_format=None))
    assert token_shape(numbers, ROLE.DATA) == TokenShape(2, 32, is_signed=True)


def test_an_incomplete_token_needs_a_pad(tmp_path):
    assert refused(tmp_path, stream=store_streams([1, 2, 3, 4, 5])) == (
        "stream[1].tokens: Elements must fill tokens of 4 lanes unless there is a pad, "
        "not be 5 of them [token-incomplete]"
    )
    assert data_tokens(tmp_path, [1, 2, 3, 4, 5], pad=9)[1] == (
        0x00000009_00000009_00000009_00000005
    )


def test_a_pad_must_fit_an_element(tmp_path):
    assert refused(tmp_path, stream=store_streams([1, 2, 3, 4, 5], pad=2**32)) == (
        "stream[1].pad: Element 0 must fit 32 bits, not be 4294967296 [element-too-wide]"
    )


def test_fill_follows_the_shortest_operand(tmp_path):
    streams = [stream("wr_addr", [0, 4, 8]), *store_streams([0] * 8)[1:]]
    assert tokens(tmp_path, "wr_ctrl", stream=streams) == (0, 0)
    streams[2] = stream("wr_mask", {"fill": True, "value": 15})
    assert tokens(tmp_path, "wr_mask", stream=streams) == (15, 15)


def test_count_repeats_a_token(tmp_path):
    streams = [stream("rd_addr", {"count": 3, "value": 7}), stream("rd_ctrl", {"count": 2})]
    assert tokens(tmp_path, "rd_addr", stream=streams) == (7, 7, 7)
    assert tokens(tmp_path, "rd_ctrl", stream=streams) == (0, 0)


def test_expected_tokens_take_the_same_forms(tmp_path):
    streams = [stream("rd_addr", [1, 2]), stream("rd_ctrl", {"fill": True})]
    expected = [stream("rd_data", [3, -1]), stream("rd_done", {"fill": True})]
    workload = parsed(tmp_path, stream=streams, expect=expected)
    assert dict(workload.expected) == {
        (0, NAMES.index("rd_data"), None): (3, 0xFFFFFFFF),
        (0, NAMES.index("rd_done"), None): (0, 0),
    }


@pytest.mark.parametrize("order", ["<", ">"])
def test_floats_are_their_bits(tmp_path, order):
    array = numpy.array([0.0, 1.0, -2.0, 0.5]).astype(f"{order}f4")
    numpy.save(tmp_path / "x.npy", array)
    assert data_tokens(tmp_path, {"npy": "x.npy"}) == (0x3F000000_C0000000_3F800000_00000000,)


def test_integers_of_any_width_are_their_values(tmp_path):
    numpy.save(tmp_path / "x.npy", numpy.array([3, -1, 2**31, 0]))
    assert data_tokens(tmp_path, {"npy": "x.npy"}) == (0x00000000_80000000_FFFFFFFF_00000003,)


@pytest.mark.parametrize("layout", ["C", "F"])
def test_a_matrix_has_one_token_per_row(tmp_path, layout):
    numpy.save(tmp_path / "x.npy", numpy.arange(8).reshape((2, 4), order="C").copy(order=layout))
    assert data_tokens(tmp_path, {"npy": "x.npy"}) == (
        0x00000003_00000002_00000001_00000000,
        0x00000007_00000006_00000005_00000004,
    )


def test_raw_elements_are_little_endian(tmp_path):
    (tmp_path / "x.bin").write_bytes(bytes(range(16)))
    assert data_tokens(tmp_path, {"raw": "x.bin", "bits": 32}) == (
        int.from_bytes(bytes(range(16)), "little"),
    )
    (tmp_path / "y.bin").write_bytes(bytes(range(4)))
    assert data_tokens(tmp_path, {"raw": "y.bin", "bits": 8}) == (
        0x00000003_00000002_00000001_00000000,
    )


def test_a_matrix_market_file_gives_its_column_indices(tmp_path):
    (tmp_path / "a.mtx").write_text(
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 4\n3 1 -1\n3 3 4\n"
    )
    streams = [stream("rd_addr", {"mtx": "a.mtx"}), stream("rd_ctrl", {"fill": True})]
    assert tokens(tmp_path, "rd_addr", stream=streams) == (0, 2, 0, 2)


def images(folder, image):
    return parsed(folder, memory={"mem0": {"local": {"image": image}}}).memories[0]


def test_images_are_bytes_at_offsets(tmp_path):
    numpy.save(tmp_path / "x.npy", numpy.array([1.0, 2.0], dtype=">f4"))
    (tmp_path / "x.bin").write_bytes(b"abc")
    assert images(tmp_path, {"npy": "x.npy", "at": 256}) == ((256, b"\0\0\x80?\0\0\0@"),)
    assert images(
        tmp_path,
        [
            {"raw": "x.bin", "at": 1021},
            {"hex": "00 ff\n10", "at": 0},
            {"words": [1, "0xffff", -2], "bits": 16, "at": 3},
        ],
    ) == ((0, b"\0\xff\x10"), (3, b"\1\0\xff\xff\xfe\xff"), (1021, b"abc"))


BAD_IMAGES = [
    (
        {"hex": "0001", "at": 1023},
        "memory.mem0.local.image: The image must end within the 1024 bytes of the service, "
        "not at 1025 [image-outside-capacity]",
    ),
    (
        [{"hex": "0011", "at": 1}, {"hex": "22", "at": 2}],
        "memory.mem0.local.image[1]: The image must start at or after 3, where "
        "memory.mem0.local.image[0] ends, not at 2 [image-overlap]",
    ),
    (
        {"words": [65536], "bits": 16, "at": 0},
        "memory.mem0.local.image.words: Element 0 must fit 16 bits, not be 65536 "
        "[element-too-wide]",
    ),
    (
        {"hex": "00"},
        "memory.mem0.local.image.at: The key must be present, not absent [missing-key]",
    ),
    (
        [{"hex": "00", "at": 0, "too": 1}],
        'memory.mem0.local.image[0].too: The key must be one of at, hex, not "too" [unknown-key]',
    ),
    (
        {"at": 0},
        "memory.mem0.local.image: The value must be a list or a table with npy, raw, hex or "
        "words, not a table with at [wrong-type]",
    ),
]


@pytest.mark.parametrize(("image", "expected"), BAD_IMAGES)
def test_a_bad_image_gets_its_exact_finding(tmp_path, image, expected):
    assert refused(tmp_path, memory={"mem0": {"local": {"image": image}}}) == expected


BAD_DATA = [
    ([2**32, 0, 0, 0], "tokens: Element 0 must fit 32 bits, not be 4294967296 [element-too-wide]"),
    ([[1, 2, 3], [4, 5, 6]], "tokens: A token must have 4 lanes, not 3 [token-shape]"),
    (
        [1, [2]],
        "tokens: Tokens must all be numbers or all be lists of one length, not mixed [token-shape]",
    ),
    (
        ["12"],
        "tokens[0]: The text must match the pattern ^0[xX][0-9a-fA-F](_?[0-9a-fA-F])*$, "
        'not "12" [text-format]',
    ),
    (
        [1.5],
        "tokens[0]: The value must be an integer, a hexadecimal string or a list of lanes, "
        "not 1.5 [wrong-type]",
    ),
    (
        {"npy": "wide.npy", "raw": "x"},
        'tokens.raw: The key must be one of npy, not "raw" [unknown-key]\n'
        "stream[1].tokens: A token must have 4 lanes, not 5 [token-shape]",
    ),
    (
        {"file": "x"},
        "tokens: The value must be a list or a table with npy, raw, mtx, count or fill, "
        "not a table with file [wrong-type]",
    ),
    (
        {"npy": "none.npy"},
        "tokens.npy: none.npy must be a readable file, not: No such file or directory "
        "[file-unreadable]",
    ),
    (
        {"raw": ".", "bits": 8},
        "tokens.raw: . must be a readable file, not: not a regular file [file-unreadable]",
    ),
    (
        {"raw": "sparse.bin", "bits": 8},
        "tokens.raw: sparse.bin must be a readable file, not: more than 268435456 bytes "
        "[file-unreadable]",
    ),
    (
        {"raw": "long.bin", "bits": 8},
        "tokens.raw: long.bin must hold at most 16777216 numbers, not 16777217 [data-file-shape]",
    ),
    (
        {"npy": "long.npy"},
        "tokens.npy: long.npy must hold at most 16777216 numbers, not 16777217 [data-file-shape]",
    ),
    (
        {"count": 2**24 + 1},
        "tokens.count: The value must be at most 16777216, not 16777217 [value-out-of-range]",
    ),
    (
        {"npy": "f64.npy"},
        "tokens: Floats must have the 32 bits of an element, not 64 [element-too-wide]",
    ),
    (
        {"npy": "f128.npy"},
        f"tokens.npy: Floats must have at most 64 bits, not {numpy.dtype('g')} [data-file-shape]",
    ),
    (
        {"npy": "cube.npy"},
        "tokens.npy: cube.npy must hold one- or two-dimensional real numbers, "
        "not 3 dimensions of int64 [data-file-shape]",
    ),
    ({"npy": "text.npy"}, "tokens.npy: text.npy must hold numbers, not <U1 [data-file-shape]"),
    ({"npy": "wide.npy"}, "tokens: A token must have 4 lanes, not 5 [token-shape]"),
    (
        {"npy": "cut.npy"},
        "tokens.npy: cut.npy must be whole, not: mmap length is greater than file size "
        "[data-file-broken]",
    ),
    (
        {"npy": "huge.npy"},
        "tokens.npy: huge.npy must be whole, not: mmap length is greater than file size "
        "[data-file-broken]",
    ),
    (
        {"raw": "cut.npy", "bits": 24},
        "tokens.raw: The bytes of cut.npy must be a multiple of 3, not 160 [data-file-shape]",
    ),
    (
        {"mtx": "cut.npy"},
        "tokens.mtx: cut.npy must be whole, not: the first line is no Matrix Market banner of a "
        "matrix [data-file-broken]",
    ),
]


@pytest.fixture(scope="module")
def bad_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    numpy.save(folder / "f64.npy", numpy.zeros(4))
    numpy.save(folder / "f128.npy", numpy.zeros(4, dtype="g"))
    numpy.save(folder / "cube.npy", numpy.zeros((2, 2, 2), dtype="i8"))
    numpy.save(folder / "text.npy", numpy.array(["a"]))
    numpy.save(folder / "wide.npy", numpy.zeros((2, 5), dtype="i8"))
    numpy.save(folder / "cut.npy", numpy.zeros(8, dtype="i8"))
    whole = (folder / "cut.npy").read_bytes()
    (folder / "cut.npy").write_bytes(whole[:160])
    with (folder / "sparse.bin").open("wb") as sparse:
        sparse.truncate(2**40)
    with (folder / "long.bin").open("wb") as long:
        long.truncate(2**24 + 1)
    numpy.save(folder / "long.npy", numpy.zeros(2**24 + 1, dtype="i1"))
    (folder / "huge.npy").write_bytes(whole.replace(b"(8,), }          ", b"(9999999999999,)}"))
    return folder


@pytest.mark.parametrize(("data", "expected"), BAD_DATA)
def test_bad_data_gets_its_exact_finding(bad_files, data, expected):
    assert refused(bad_files, stream=store_streams(data)) == f"stream[1].{expected}"


def test_objects_are_never_unpickled(tmp_path):
    numpy.save(tmp_path / "o.npy", numpy.array([print], dtype=object), allow_pickle=True)
    text = refused(tmp_path, stream=store_streams({"npy": "o.npy"}))
    assert text.endswith("[data-file-broken]")


@pytest.mark.parametrize("seed", range(200))
def test_no_damage_to_an_array_is_a_traceback(tmp_path, seed):
    chance = random.Random(seed)
    numpy.save(tmp_path / "x.npy", numpy.arange(8))
    data = bytearray((tmp_path / "x.npy").read_bytes())
    for _ in range(chance.randint(1, 3)):
        data[chance.randrange(130)] = chance.randrange(256)
    (tmp_path / "x.npy").write_bytes(data[: chance.randint(0, 2 * len(data))])
    try:
        data_tokens(tmp_path, {"npy": "x.npy"}, pad=0)
    except Invalid:
        return


READ = [stream("rd_addr", [1]), stream("rd_ctrl", {"fill": True})]
BAD_STREAMS = [
    (
        READ[:1],
        "stream[0]: Every operand of the row must have a stream, not without mem0.rd_ctrl "
        "[stream-missing]",
    ),
    (
        [*READ, READ[0]],
        "stream[2].endpoint: An endpoint must have one stream, not mem0.rd_addr in stream[0] as "
        "well [stream-repeated]",
    ),
    (
        [*READ, stream("rd_mask", [1])],
        "stream[2].endpoint: The endpoint must belong to an active row, not be mem0.rd_mask "
        "[stream-without-row]",
    ),
    (
        [*READ, stream("rd_data", [1])],
        "stream[2].endpoint: The name must be one of mem0.rd_addr, mem0.rd_mask, mem0.rd_ctrl, "
        "mem0.wr_addr, mem0.wr_data, mem0.wr_mask, mem0.wr_ctrl, not "
        '"mem0.rd_data" (did you mean mem0.wr_data?) [unknown-name]',
    ),
    (
        [stream("rd_addr", {"fill": True}), READ[1]],
        "stream[0].tokens: Another operand of the row must have a counted stream, not none "
        "[fill-without-operand]\n"
        "stream[1].tokens: Another operand of the row must have a counted stream, not none "
        "[fill-without-operand]",
    ),
    (
        [READ[0], stream("rd_ctrl", [0, 1])],
        "stream[1].tokens: Element 1 must be 0, since the token has no payload, not be 1 "
        "[element-too-wide]",
    ),
    (
        [READ[0], stream("rd_ctrl", {"fill": True}, pad=1)],
        "stream[1].pad: A pad must complete elements, not complete tokens [pad-unused]",
    ),
    (
        [stream("rd_addr", [1], packed=True, pad=1), READ[1]],
        "stream[0].pad: A pad must complete elements, not complete tokens [pad-unused]",
    ),
    (
        [stream("rd_addr", [[1, 2]], packed=True), READ[1]],
        "stream[0].tokens: A complete token must be 1 number, not 2 [token-shape]",
    ),
]


@pytest.mark.parametrize(("streams", "expected"), BAD_STREAMS)
def test_bad_streams_get_their_exact_findings(tmp_path, streams, expected):
    assert refused(tmp_path, stream=streams) == expected


def test_an_unknown_memory_is_named(tmp_path):
    image = {"local": {"image": {"hex": "", "at": 0}}}
    assert refused(tmp_path, memory={"mem1": image}) == (
        'memory.mem1: The name must be one of mem0, not "mem1" (did you mean mem0?) [unknown-name]'
    )


def test_everything_is_reported_at_once(tmp_path):
    text = refused(
        tmp_path,
        memory={"mem0": {"local": {"image": {"npy": "none.npy", "at": 0}}}},
        stream=[*store_streams([1, 2, 3]), stream("rd_addr", [2**40]), READ[1]],
        extra=1,
    )
    codes = [line.rpartition("[")[2].rstrip("]") for line in text.splitlines()]
    assert codes == ["unknown-key", "file-unreadable", "token-incomplete", "element-too-wide"]


def test_a_missing_numpy_is_named_with_its_install_line(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    (tmp_path / "x.npy").write_bytes(b"")
    with pytest.raises(ToolMissing) as error:
        data_tokens(tmp_path, {"npy": "x.npy"})
    assert str(error.value) == (
        "numpy is not installed; install it with: pip install 'fabricgen[sim]'"
    )
