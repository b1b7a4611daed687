"""The worked example of ``docs/carrier.md`` was computed by hand; the code must agree with it."""

import re
from dataclasses import asdict
from pathlib import Path

import pytest

from fabricgen.abi.fields import unit_fields
from fabricgen.abi.meaning import field_meaning
from fabricgen.abi.unit import programming_unit
from fabricgen.config.codec import encode_configuration
from fabricgen.config.layout import carrier_layout
from tests.support.memories import CONTIGUOUS, DYNAMIC, ELEMENT, LOAD, row, table, view
from tests.support.records import load_fabric
from tests.support.temporal import temporal_memory, temporal_row, temporal_table

DOC = Path(__file__).parents[2] / "docs" / "carrier.md"
FABRIC = load_fabric()
CARRIER = encode_configuration(
    FABRIC.memories[0], table(row(0, LOAD, view(ELEMENT, element=16), base=0x120))
)


def rows(header):
    """Cells of the table that starts with the header line."""
    lines = DOC.read_text(encoding="utf-8").splitlines()
    start = lines.index(header) + 2
    for line in lines[start:]:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


def bits(cell):
    first, _, last = cell.partition("..")
    return int(first), int(last or first) - int(first) + 1


def test_the_fields_of_the_example_are_those_of_the_layout():
    written = list(rows("| field | carrier bits | payload bits | value | why |"))
    layout = carrier_layout(FABRIC.memories[0])
    fields = [layout.active, *layout.rows[0].values()]
    assert [name for name, *_ in written] == [field.name for field in fields]
    for (_, carrier, payload, value, _), field, placed in zip(
        written, fields, unit_fields(FABRIC), strict=True
    ):
        assert bits(carrier) == (field.offset, field.width)
        assert bits(payload) == (placed.field.offset, placed.field.width)
        assert int(value, 0) == field.get(CARRIER)


def test_the_words_of_the_example_are_those_of_the_payload():
    unit = programming_unit(FABRIC)
    payload = CARRIER << unit.carrier_offsets[0]
    written = list(rows("| word | address | set payload bits | value | storable |"))
    assert len(written) == unit.word_count
    for index, (word, address, positions, value, storable) in enumerate(written):
        assert (int(word), int(address, 0)) == (index, 4 * index)
        mask = 0xFFFF_FFFF << 32 * index
        named = 0 if positions == "none" else sum(1 << int(p) for p in positions.split(","))
        assert named == payload & mask
        assert int(value, 0) == (payload & mask) >> 32 * index
        assert int(storable, 0) == (unit.storable_mask & mask) >> 32 * index


def test_the_registers_of_the_example_are_those_of_the_unit():
    written = {name: int(address, 0) for name, address in rows("| register | address |")}
    registers = asdict(programming_unit(FABRIC).registers)
    words = registers.pop("words")
    assert written == registers | words


def test_the_counts_of_the_example_hold():
    unit, text = programming_unit(FABRIC), DOC.read_text(encoding="utf-8")
    assert f"{unit.storable_mask.bit_count()} of {unit.payload_bits}" in text


def test_every_field_of_the_document_has_a_meaning_in_the_register_map():
    headers = ("| field | width in bits |", "| decode field | width in bits |")
    cells = [cell for header in headers for cell, _ in rows(header)]
    names = [name for cell in cells for name in re.findall(r"`([a-z_0-9]+)", cell)]
    assert {"valid", "actor_value0", "source_", "forward_", "base_offset"} <= set(names)
    for name in ("active", *names):
        assert field_meaning(name)
    with pytest.raises(ValueError, match="must be one of the carrier"):
        field_meaning("colour")


def test_the_temporal_example_is_the_row_of_its_carrier():
    named = temporal_memory(
        managers={"ext0": 64}, connections=[("rd_data", "wr_data"), ("rd_done", "wr_ctrl")]
    )
    tags = {"address": 1, "mask": 7, "control": 3, "data": 5, "completion": 6}
    read = temporal_row(2, 0, LOAD, view(CONTIGUOUS, lanes=4, mask=DYNAMIC), tags=tags, base=0x100)
    carrier = encode_configuration(named, temporal_table(None, None, read))
    layout = carrier_layout(named)
    written = list(rows("| row field | offset | value | why |"))
    assert [name for name, *_ in written] == list(layout.rows[2])
    for name, place, value, _ in written:
        field = layout.rows[2][name]
        offset, width = bits(place)
        assert (241 + offset, width) == (field.offset, field.width)
        assert int(value, 0) == field.get(carrier)
    assert layout.width == 481
    assert carrier.bit_count() == 1 + sum(int(value, 0).bit_count() for _, _, value, _ in written)
