import hashlib
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.abi.identity import fabric_identity, identity_word
from fabricgen.abi.image import decode_image, encode_image, image_payload
from fabricgen.config.codec import encode_configuration
from fabricgen.errors import Invalid, Unsupported
from fabricgen.hsg import resource_codec
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.plan.rows import Disabled
from fabricgen.records import occurrence_codec
from fabricgen.records.fabric import Fabric, MemoryImplementation, NamedOp
from tests.support.hsg_ops import add_sub
from tests.support.memories import CONTIGUOUS, DYNAMIC, ELEMENT, LOAD, STORE, row, table, view
from tests.support.records import copy_fabric, load_fabric

FABRIC = load_fabric()
ROWS = table(row(0, LOAD, view(ELEMENT, element=16), base=0x120))
IMAGE = encode_image(FABRIC, FabricConfiguration((ROWS,)))
COPY = copy_fabric()
COPY_ROWS = table(
    row(0, LOAD, view(CONTIGUOUS, lanes=4, mask=DYNAMIC), base=0xFF0),
    row(1, STORE, view(ELEMENT, element=8), base=1),
)

HEADER_END = 4 + int.from_bytes(IMAGE[:4], "big")
PAYLOAD = slice(HEADER_END + 8, HEADER_END + 8 + 11)


def refused(data, fabric=FABRIC):
    with pytest.raises(Invalid) as error:
        decode_image(fabric, data)
    return [(d.where, d.code) for d in error.value.diagnostics]


def resealed(header, payload):
    """A record with a right digest around any header and payload."""
    record = len(header).to_bytes(4, "big") + header
    record += len(payload).to_bytes(8, "big") + payload
    return record + hashlib.sha256(record).digest()


def header(**changes):
    fields = {**json.loads(IMAGE[4:HEADER_END]), **changes}
    return json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()


def test_an_image_gives_back_its_configurations():
    assert decode_image(FABRIC, IMAGE) == FabricConfiguration((ROWS,))
    assert decode_image(
        COPY, encode_image(COPY, FabricConfiguration((COPY_ROWS,)))
    ) == FabricConfiguration((COPY_ROWS,))
    assert decode_image(
        COPY, encode_image(COPY, FabricConfiguration((Disabled(),)))
    ) == FabricConfiguration((Disabled(),))


def test_an_image_is_the_record_laid_out_by_hand():
    # The payload is that of docs/carrier.md: words 0x906, 0 and 0xe00280 in little-endian bytes.
    text = (
        '{"abi":"fabricgen.configuration-abi.packed/1","payload_bit_count":88,'
        f'"source_mapping":"{fabric_identity(FABRIC).hex()}","unit":0}}'
    ).encode()
    payload = bytes.fromhex("0609000000000000 8002e0")
    assert resealed(text, payload) == IMAGE


def test_the_payload_is_the_carrier_above_one_reserved_bit():
    assert image_payload(FABRIC, IMAGE) == encode_configuration(FABRIC.memories[0], ROWS) << 1


def test_every_truncation_is_refused():
    for size in range(len(IMAGE)):
        assert refused(IMAGE[:size]) == [("image", "image-truncated")]


def test_bytes_behind_the_digest_are_refused():
    assert refused(IMAGE + b"\0") == [("image", "image-trailing")]


def test_every_flipped_bit_is_refused():
    for position in range(8 * len(IMAGE)):
        flipped = bytearray(IMAGE)
        flipped[position // 8] ^= 1 << position % 8
        (((_, code),)) = refused(bytes(flipped))
        assert code in {"image-digest", "image-truncated", "image-trailing"}


@given(st.binary(max_size=300))
def test_no_bytes_are_a_crash(data):
    refused(data)


def test_a_hostile_size_costs_nothing():
    assert refused(b"\xff" * 44) == [("image", "image-truncated")]
    assert refused(IMAGE[:HEADER_END] + b"\xff" * 51) == [("image", "image-truncated")]


def test_an_image_of_another_fabric_is_refused():
    other = encode_image(COPY, FabricConfiguration((COPY_ROWS,)))
    assert ("image.header.source_mapping", "image-other-fabric") in refused(other)


@pytest.mark.parametrize(
    "options",
    [
        {"aligned_bases": True},
        {"issue_lanes": 2},
        {"counters": True},
        {"manager_protocol": "axi4"},
        {"subordinate_protocol": "axi4"},
        {"memory_wrapper": True},
    ],
)
def test_an_implementation_option_makes_another_fabric(options):
    memory = FABRIC.memories[0]
    option = replace(memory, implementation=MemoryImplementation(**options))
    other = Fabric(FABRIC.name, (option,))
    assert refused(IMAGE, other) == [("image.header.source_mapping", "image-other-fabric")]


def test_names_make_no_other_fabric():
    memory = FABRIC.memories[0]
    names = replace(memory.names, endpoints=("a", "b", "c", "d"))
    renamed = Fabric("other", (replace(memory, name="m", names=names),))
    assert fabric_identity(renamed) == fabric_identity(FABRIC)
    assert decode_image(renamed, IMAGE) == FabricConfiguration((ROWS,))


def test_the_identity_is_the_digest_of_records_and_options():
    def framed(data):
        return len(data).to_bytes(8, "big") + data

    (memory,) = FABRIC.memories
    options = (
        b'{"aligned_bases":false,"bank_function":"interleaved","counters":false,"issue_lanes":1,'
        b'"manager_protocol":"stream","memory_wrapper":false,"subordinate_protocol":"stream"}'
    )
    body = (1).to_bytes(8, "big") + framed(occurrence_codec.encode(memory.occurrence))
    body += framed(options)
    assert fabric_identity(FABRIC) == hashlib.sha256(body + bytes(8)).digest()
    op = add_sub()
    counted = (2).to_bytes(8, "big") + 2 * framed(resource_codec.encode(op))
    two = replace(FABRIC, ops=(NamedOp("a", op), NamedOp("b", op)))
    assert fabric_identity(two) == hashlib.sha256(body + counted).digest()


def test_the_identity_word_is_the_first_four_bytes():
    assert identity_word(FABRIC) == int(fabric_identity(FABRIC).hex()[:8], 16)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"abi": "other"}, "image-abi"),
        ({"unit": 1}, "image-unit"),
        ({"unit": False}, "image-unit"),
        ({"unit": 0.0}, "image-unit"),
        ({"payload_bit_count": 87}, "image-bit-count"),
        ({"source_mapping": "00" * 32}, "image-other-fabric"),
        ({"source_mapping": None}, "image-other-fabric"),
    ],
)
def test_each_header_field_has_its_code(changes, code):
    (name,) = changes
    found = refused(resealed(header(**changes), IMAGE[PAYLOAD]))
    assert found == [(f"image.header.{name}", code)]


def test_all_wrong_header_fields_are_reported_at_once():
    data = resealed(header(abi="x", unit=7), IMAGE[PAYLOAD])
    assert [code for _, code in refused(data)] == ["image-abi", "image-unit"]


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b"[" * 10_000,
        header(extra=1),
        header().replace(b",", b", "),
        header().replace(b"abi", b"ab\\u0069"),
        header()[:-1],
        header().replace(b'"unit":0', b'"unit":NaN'),
    ],
)
def test_a_header_that_is_not_the_canonical_object_is_refused(text):
    assert refused(resealed(text, IMAGE[PAYLOAD])) == [("image.header", "image-header")]


@pytest.mark.parametrize("text", [b"x" * 100_000, header(abi="x" * 100_000)])
def test_a_message_repeats_little_of_a_hostile_header(text):
    with pytest.raises(Invalid) as error:
        decode_image(FABRIC, resealed(text, IMAGE[PAYLOAD]))
    assert len(str(error.value)) < 400


@pytest.mark.parametrize("payload", [b"", IMAGE[PAYLOAD][:-1], IMAGE[PAYLOAD] + b"\0"])
def test_a_payload_of_another_size_is_refused(payload):
    assert refused(resealed(header(), payload)) == [("image.payload", "image-payload-size")]


def test_padding_and_the_reserved_bit_are_zero():
    # The payload of the copy fabric has 181 bits in 23 bytes, so 3 bits of padding.
    image = encode_image(COPY, FabricConfiguration((COPY_ROWS,)))
    end = 4 + int.from_bytes(image[:4], "big")
    text, payload = image[4:end], image[end + 8 : -32]
    assert len(payload) == 23
    padded = payload[:-1] + bytes([payload[-1] | 0x80])
    assert refused(resealed(text, padded), COPY) == [("image.payload", "image-padding")]
    reserved = bytes([payload[0] | 1]) + payload[1:]
    assert refused(resealed(text, reserved), COPY) == [("image.payload", "image-reserved-bit")]


def test_a_carrier_that_is_not_canonical_is_placed_in_its_memory():
    payload = bytes([IMAGE[PAYLOAD][0] & ~0b10]) + IMAGE[PAYLOAD][1:]
    assert refused(resealed(header(), payload)) == [
        ("memory[0].carrier.active", "carrier-inactive-bits")
    ]


def test_an_illegal_configuration_has_no_image():
    with pytest.raises(Invalid) as error:
        encode_image(FABRIC, FabricConfiguration((table(row(0, LOAD, view(ELEMENT), base=1024)),)))
    assert [d.where for d in error.value.diagnostics] == ["memory[0].operation_rows[0].base_addr"]


def test_a_fabric_that_cannot_be_generated_has_no_image():
    memory = FABRIC.memories[0]
    with pytest.raises(Unsupported):
        encode_image(Fabric("two", (memory, memory)), FabricConfiguration((ROWS, ROWS)))


def test_there_is_one_configuration_per_memory():
    with pytest.raises(ValueError, match=r"^Configurations must be those of 1 memories and 0 ops"):
        encode_image(FABRIC, FabricConfiguration(()))
