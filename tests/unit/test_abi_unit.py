import pytest

from fabricgen.abi.fields import unit_fields
from fabricgen.abi.unit import RegisterMap, programming_unit
from fabricgen.config.storable import storable_mask
from fabricgen.errors import Unsupported
from fabricgen.records.fabric import Fabric
from tests.support.records import copy_fabric, load_fabric

#: Behind identity and flags, at 32 and 36.
WORDS = {
    "out_of_range_row": 40,
    "out_of_range_address": 44,
    "drain": 48,
    "busy": 52,
    "partial": 56,
}


def test_the_carrier_follows_one_reserved_bit():
    # 87 carrier bits and the reserved one are 88 bits in 3 words; commit at 12 and status at 16
    # end at 20, so the extension starts at 32.
    unit = programming_unit(load_fabric())
    assert (unit.payload_bits, unit.carrier_offsets, unit.word_count) == (88, (1,), 3)
    assert unit.registers == RegisterMap(12, 16, 32, 36, WORDS)


def test_the_extension_may_start_right_behind_the_status_word():
    # 181 bits are 6 words; commit at 24 and status at 28 end exactly at 32.
    unit = programming_unit(copy_fabric())
    assert (unit.payload_bits, unit.word_count) == (181, 6)
    assert unit.registers == RegisterMap(24, 28, 32, 36, WORDS)


def test_the_reserved_bit_is_not_storable():
    fabric = load_fabric()
    unit = programming_unit(fabric)
    assert unit.storable_mask == storable_mask(fabric.memories[0]) << 1


def test_a_fabric_that_cannot_be_generated_has_no_unit():
    memory = load_fabric().memories[0]
    with pytest.raises(Unsupported) as error:
        programming_unit(Fabric("two", (memory, memory)))
    assert [d.code for d in error.value.diagnostics] == ["multiple-memories"]


def test_the_fields_cover_every_bit_but_the_reserved_one_once():
    fabric = copy_fabric()
    end = 1
    for each in unit_fields(fabric):
        assert each.field.offset == end
        end += each.field.width
    assert end == programming_unit(fabric).payload_bits
    paths = [each.path for each in unit_fields(fabric)]
    assert paths[:3] == ["mem0.active", "mem0.read0.valid", "mem0.read0.base_addr"]
    assert paths[-1] == "mem0.write0.expose_completion"
