import json

import pytest

from fabricgen.abi.identity import identity_word
from fabricgen.abi.image import encode_image
from fabricgen.abi.listing import ImageField, list_image
from fabricgen.abi.program import (
    AxiLiteRead,
    AxiLiteResponse,
    AxiLiteWrite,
    programming_sequence,
)
from fabricgen.abi.registers import register_map
from fabricgen.abi.unit import programming_unit
from fabricgen.errors import Invalid
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.plan.rows import Disabled
from fabricgen.records.connectivity import ManagerEndpointTarget
from fabricgen.records.fabric import Fabric
from tests.support.memories import CONTIGUOUS, DYNAMIC, ELEMENT, LOAD, row, table, view
from tests.support.records import copy_fabric, load_fabric
from tests.support.temporal import temporal_memory, temporal_row, temporal_table

FABRIC = load_fabric()
IMAGE = encode_image(
    FABRIC, FabricConfiguration((table(row(0, LOAD, view(ELEMENT, element=16), base=0x120)),))
)
COPY = copy_fabric()


def test_programming_fills_the_shadow_proves_the_fabric_commits_and_reads_back():
    # Words and addresses are those of docs/carrier.md.
    identity = identity_word(FABRIC)
    assert programming_sequence(FABRIC, IMAGE) == (
        AxiLiteRead(0x20, identity),
        AxiLiteWrite(0x0, 0x906),
        AxiLiteWrite(0x4, 0),
        AxiLiteWrite(0x8, 0xE00280),
        AxiLiteWrite(0x20, identity),
        AxiLiteRead(0x10, 1),
        AxiLiteWrite(0xC, 1),
        AxiLiteRead(0x0, 0x906),
        AxiLiteRead(0x4, 0),
        AxiLiteRead(0x8, 0xE00280),
    )


def test_every_step_writes_all_bytes_and_expects_okay():
    for step in programming_sequence(FABRIC, IMAGE):
        assert step.response is AxiLiteResponse.OKAY
        assert not isinstance(step, AxiLiteWrite) or step.strobe == 0b1111


def test_a_bad_image_has_no_programming_sequence():
    with pytest.raises(Invalid):
        programming_sequence(FABRIC, IMAGE[:-1])


def test_a_listing_covers_the_payload_with_values_and_their_meaning():
    listed = list_image(FABRIC, IMAGE)
    assert listed[0] == ImageField("reserved", 0, 1, 0, "always 0")
    assert listed[1] == ImageField("mem0.active", 1, 1, 1, "Active")
    assert listed[3] == ImageField("mem0.read0.base_addr", 3, 64, 0x120, "element 0 at byte 0x120")
    assert listed[4] == ImageField("mem0.read0.element_width", 67, 6, 16, "16 bits")
    assert listed[-1] == ImageField("mem0.read0.expose_completion", 87, 1, 1, "to rd_done")
    end = 0
    for field in listed:
        assert field.offset == end
        end += field.width
    assert end == programming_unit(FABRIC).payload_bits


def test_a_listing_says_what_indices_name_and_what_is_unused():
    rows = table(row(0, LOAD, view(CONTIGUOUS, lanes=4, mask=DYNAMIC)), None)
    meanings = {
        f.name: f.meaning
        for f in list_image(COPY, encode_image(COPY, FabricConfiguration((rows,))))
    }
    assert meanings["mem0.read0.access_class"] == "contiguous, root relative"
    assert meanings["mem0.read0.lane_count"] == "4 lanes"
    assert meanings["mem0.read0.mask_pair"] == (
        "mask dynamic, inactive lanes suppress and zero fill"
    )
    assert {meanings[name] for name in meanings if ".write0." in name} == {"Unused row"}


def test_a_disabled_image_lists_no_meaning_of_rows():
    meanings = {
        f.name: f.meaning
        for f in list_image(FABRIC, encode_image(FABRIC, FabricConfiguration((Disabled(),))))
    }
    assert meanings.pop("reserved") == "always 0"
    assert meanings.pop("mem0.active") == "Disabled"
    assert set(meanings.values()) == {"Unused row"}


def test_the_register_map_is_plain_data():
    described = register_map(FABRIC)
    assert json.loads(json.dumps(described)) == described
    assert described["storable_words"] == ["0x00001ffe", "0x00000000", "0x00e003c0"]
    assert {r["name"]: r["address"] for r in described["registers"]} == {
        "payload": 0,
        "commit": 0xC,
        "status": 0x10,
        "identity": 0x20,
        "flags": 0x24,
        "out_of_range_row": 0x28,
        "out_of_range_address": 0x2C,
        "drain": 0x30,
        "busy": 0x34,
        "partial": 0x38,
    }


def test_the_register_map_places_every_field_in_its_word():
    fields = {f["name"]: f for f in register_map(FABRIC)["fields"]}
    assert fields["mem0.read0.element_width"] == {
        "name": "mem0.read0.element_width",
        "bit": 67,
        "width": 6,
        "address": 8,
        "shift": 3,
        "storable": "0x38",
        "meaning": "bits of an element",
    }
    assert fields["mem0.read0.alignment"]["storable"] == "0x0"


def test_a_temporal_listing_names_rows_tags_ports_and_managers():
    fabric = Fabric("temporal", (temporal_memory(managers={"ext0": 64}),))
    read = temporal_row(
        1,
        0,
        LOAD,
        view(CONTIGUOUS, lanes=4, mask=DYNAMIC),
        tags={"mask": 7, "data": 5},
        base=2**40,
        target=ManagerEndpointTarget(0),
    )
    listed = list_image(
        fabric, encode_image(fabric, FabricConfiguration((temporal_table(None, read),)))
    )
    meanings = {f.name: (f.value, f.meaning) for f in listed}
    assert meanings["mem0.row1.port"] == (0, "port0")
    assert meanings["mem0.row1.source_tag_mask"] == (7, "tag 7")
    assert meanings["mem0.row1.expose_tag_data"] == (5, "tag 5")
    assert meanings["mem0.row1.expose_tag_completion"] == (1, "tag 1")
    assert meanings["mem0.row1.service_target"] == (1, "manager ext0")
    assert meanings["mem0.row1.source_tag_data"] == (0, "inactive role")
    assert {meaning for name, (_, meaning) in meanings.items() if ".row3." in name} == {
        "Unused row"
    }


def test_a_pattern_is_named_once_for_all_contexts():
    fabric = Fabric("temporal", (temporal_memory(lanes=True),))
    walked = temporal_row(2, 0, LOAD, view(CONTIGUOUS, lanes=4), pattern=1, alternative_ordinal=1)
    image = encode_image(fabric, FabricConfiguration((temporal_table(None, None, walked),)))
    meanings = {f.name: (f.value, f.meaning) for f in list_image(fabric, image)}
    assert meanings["mem0.row2.use_pattern"] == (1, "direct1")
