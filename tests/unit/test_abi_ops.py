"""Units, images, listings and register maps of fabrics with datapath resources."""

import hashlib
import json
from dataclasses import replace

import pytest

from fabricgen.abi.fields import op_fields, unit_fields
from fabricgen.abi.image import decode_image, encode_image, image_payload
from fabricgen.abi.listing import ImageField, list_image
from fabricgen.abi.op_meaning import op_field_meaning, op_value_meaning
from fabricgen.abi.program import AxiLiteRead, AxiLiteWrite, programming_sequence
from fabricgen.abi.registers import register_map
from fabricgen.abi.unit import RegisterMap, programming_unit, unplaceable
from fabricgen.errors import Invalid
from fabricgen.hsg.semantics import FiniteField, semantic_field
from fabricgen.hsg.setting import configured_value, inactive_value
from fabricgen.hsg.token_params import PayloadCapacityParams
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.plan.rows import Disabled
from fabricgen.records.fabric import Fabric, NamedOp
from fabricgen.vocab.families import CapabilityParamsSchemaId
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.operations import FastMath
from tests.support.hsg import PARAMS, first_lanes, resource
from tests.support.hsg_ops import add_sub
from tests.support.memories import ELEMENT, LOAD, row, table, view
from tests.support.records import load_fabric

ADDER, MULTIPLIER = add_sub(), resource(F.SCALAR_INTEGER_MULTIPLY)
SLICE, CONSTANT = resource(F.FIXED_VECTOR_SLICE_ALIGN_MERGE), resource(F.TOKEN_CONSTANT)
ADD, SUB = semantic_field(ADDER).keys
#: Reserved bit 0; sum in 1 and 2; nothing for the product; the slice from 3 on, 22 bits.
OPS = Fabric("ops", (), (NamedOp("alu", ADDER), NamedOp("mul", MULTIPLIER), NamedOp("cut", SLICE)))
FIXED = Fabric("fixed", (), (NamedOp("mul", MULTIPLIER),))
BOTH = Fabric("both", load_fabric().memories, OPS.ops)
ROWS = table(row(0, LOAD, view(ELEMENT, element=16), base=0x120))


def test_fields_follow_the_reserved_bit_without_gaps():
    unit = programming_unit(OPS)
    assert (unit.carrier_offsets, unit.op_offsets, unit.payload_bits) == ((), (1, 3, 3), 25)
    # The second bit of the sum is never set; the whole slice carrier has storage but the stride of
    # 128 bits, which an extract of 8 bits cannot have beside an index.
    assert unit.storable_mask & 0b111 == 0b010
    # The slice is 8 bits wide at rest: 7 behind mode and offset.
    assert unit.inactive_payload == 7 << 8 + 3
    # One word; commit at 4 and status at 8 end at 12.
    assert unit.registers == RegisterMap(4, 8, 16, 20, {})


def test_fields_follow_the_carrier():
    unit = programming_unit(BOTH)
    assert (unit.carrier_offsets, unit.op_offsets, unit.payload_bits) == (
        (1,),
        (88, 90, 90),
        112,
    )
    assert unit.storable_mask & (1 << 88) - 1 == programming_unit(load_fabric()).storable_mask
    assert unit.reports == programming_unit(load_fabric()).reports
    assert unit.inactive_payload == 7 << 8 + 90


def test_a_fabric_without_a_configured_bit_has_the_reserved_one():
    unit = programming_unit(FIXED)
    assert (unit.payload_bits, unit.word_count, unit.storable_mask) == (1, 1, 0)
    assert (unit.op_offsets, unit.inactive_payload) == ((1,), 0)
    image = encode_image(FIXED, FabricConfiguration((), (None,)))
    assert decode_image(FIXED, image) == FabricConfiguration((), (None,))
    assert image_payload(FIXED, image) == 0
    assert list_image(FIXED, image) == (ImageField("reserved", 0, 1, 0, "always 0"),)
    assert register_map(FIXED)["fields"] == []


def test_an_image_holds_each_code_in_its_place():
    value = 24 << 1 | 7 << 8 | 32 << 14
    configuration = FabricConfiguration((), (SUB, None, value))
    image = encode_image(OPS, configuration)
    assert image_payload(OPS, image) == 1 << 1 | value << 3
    assert decode_image(OPS, image) == configuration
    both = FabricConfiguration((ROWS,), configuration.ops)
    carrier = image_payload(
        load_fabric(), encode_image(load_fabric(), FabricConfiguration((ROWS,)))
    )
    assert image_payload(BOTH, encode_image(BOTH, both)) == carrier | 1 << 88 | value << 90
    assert decode_image(BOTH, encode_image(BOTH, both)) == both


def test_the_inactive_configuration_is_the_payload_after_reset():
    for fabric in (OPS, FIXED, BOTH):
        configuration = FabricConfiguration.inactive(fabric)
        image = encode_image(fabric, configuration)
        assert image_payload(fabric, image) == programming_unit(fabric).inactive_payload
        assert decode_image(fabric, image) == configuration
    assert FabricConfiguration.inactive(BOTH).memories == (Disabled(),)


@pytest.mark.parametrize("family", F, ids=lambda each: each.name.lower())
def test_every_reachable_actor_survives_an_image(family):
    op = resource(family)
    fabric = Fabric("one", (), (NamedOp("it", op),))
    mask = programming_unit(fabric).storable_mask
    values = {configured_value(op, each, first_lanes(each)) for each in op.reachable()}
    for value in sorted(values, key=str)[:24]:
        configuration = FabricConfiguration((), (value,))
        image = encode_image(fabric, configuration)
        assert decode_image(fabric, image) == configuration
        assert not image_payload(fabric, image) & ~mask
        assert len(list_image(fabric, image)) == (1 if semantic_field(op) is None else 2)


def sealed(fabric, payload):
    """An image of any payload under a right digest."""
    image = encode_image(fabric, FabricConfiguration.inactive(fabric))
    size = len(image) - 32 - (programming_unit(fabric).payload_bits + 7) // 8
    record = image[:size] + payload.to_bytes(len(image) - 32 - size, "little")
    return record + hashlib.sha256(record).digest()


def refused(fabric, data):
    with pytest.raises(Invalid) as caught:
        decode_image(fabric, data)
    return [(d.where, d.code) for d in caught.value.diagnostics]


def test_codes_that_mean_nothing_are_refused_in_their_place():
    rest = programming_unit(OPS).inactive_payload
    assert refused(OPS, sealed(OPS, rest | 0b100)) == [("op[0].configuration", "op-code")]
    assert refused(OPS, sealed(OPS, rest | 0b110)) == [("op[0].configuration", "op-code")]
    assert refused(OPS, sealed(OPS, 0)) == [("op[2].configuration", "op-carrier")]
    assert decode_image(OPS, sealed(OPS, rest | 0b010)).ops[0] == SUB
    assert refused(OPS, sealed(OPS, rest | 1)) == [("image.payload", "image-reserved-bit")]
    assert refused(OPS, sealed(OPS, rest | 1 << 25)) == [("image.payload", "image-padding")]


def test_every_flipped_bit_is_refused_or_says_something_else():
    image = encode_image(OPS, FabricConfiguration((), (SUB, None, 7 << 8)))
    payload = image_payload(OPS, image)
    for position in range(8 * len(image)):
        flipped = bytearray(image)
        flipped[position // 8] ^= 1 << position % 8
        assert refused(OPS, bytes(flipped))
    for position in range(32):
        changed = sealed(OPS, payload ^ 1 << position)
        try:
            configuration = decode_image(OPS, changed)
        except Invalid:
            continue
        assert configuration.ops != (SUB, None, 7 << 8)
        assert encode_image(OPS, configuration) == changed


def test_a_value_of_another_resource_has_no_image():
    with pytest.raises(Invalid) as caught:
        encode_image(OPS, FabricConfiguration((), (SUB, SUB, 7 << 8)))
    assert [(d.where, d.code) for d in caught.value.diagnostics] == [
        ("op[1].configuration", "op-value")
    ]
    with pytest.raises(ValueError, match="those of 0 memories and 3 ops, not of 0 and 0"):
        encode_image(OPS, FabricConfiguration(()))


def test_the_fields_cover_every_bit_behind_the_reserved_one():
    end = 1
    for each in (*unit_fields(BOTH), *op_fields(BOTH)):
        assert each.field.offset == end
        end += each.field.width
    assert end == programming_unit(BOTH).payload_bits
    assert [each.path for each in op_fields(BOTH)] == ["alu.configuration", "cut.configuration"]
    assert unit_fields(OPS) == ()


def test_a_listing_says_what_each_resource_does():
    value = 1 | 24 << 1 | 7 << 8 | 32 << 14
    image = encode_image(OPS, FabricConfiguration((), (SUB, None, value)))
    assert list_image(OPS, image) == (
        ImageField("reserved", 0, 1, 0, "always 0"),
        ImageField("alu.configuration", 1, 2, 1, "sub"),
        ImageField(
            "cut.configuration", 3, 22, value, "mode insert, offset 24, slice_width 8, stride_0 32"
        ),
    )


def first(family, **parts):
    """Meaning of one key of a family, found by some of its components."""
    op = resource(family)
    value = next(
        key
        for key in semantic_field(op).keys
        if all(getattr(key, name) == part for name, part in parts.items())
    )
    fabric = Fabric("one", (), (NamedOp("it", op),))
    return list_image(fabric, encode_image(fabric, FabricConfiguration((), (value,))))[1].meaning


def test_keys_in_words():
    assert first(F.SCALAR_INTEGER_SHIFT, active_bits=16) == "arithmetic right, 16 bits"
    assert first(F.SCALAR_INTEGER_CAST, role="Truncate") == "truncate, from 32 bits, to 8 bits"
    compare = F.SCALAR_INTEGER_COMPARE_MIN_MAX
    assert first(compare, role="Compare", active_bits=8).startswith("compare, 8 bits, s")
    assert first(F.FIXED_VECTOR_INTEGER_SHIFT, role="Left", element_bits=8) == (
        "left, elements of 8 bits"
    )
    assert first(F.SCALAR_FLOAT_ADD_SUB, role="Add") == "add, f16, to_nearest_even"
    assert first(F.SCALAR_FLOAT_WIDTH_CAST, role="Extend") == "extend, from f16, to f32"
    assert first(F.TOKEN_MUX, lanes=(1, 2)) == "lanes 1, 2"
    assert first(F.FIXED_VECTOR_SERIALIZE, element_bits=32, lane_count=1) == (
        "elements of 32 bits, 1 lane"
    )
    assert first(F.LOOP_STREAM, active_bits=64).startswith("64 bits, ")


def test_comparisons_without_nans_in_words():
    family = F.SCALAR_FLOAT_COMPARE_MIN_MAX
    params = PARAMS[CapabilityParamsSchemaId.SCALAR_FLOAT_COMPARE_MIN_MAX]
    behavior = replace(params.behavior, required_fast_math=FastMath.NNAN)
    op = resource(family, params=replace(params, behavior=behavior))
    assert "any format of 16 bits" in op_field_meaning(op)


def test_fields_and_values_that_there_are_not_have_no_words():
    assert op_field_meaning(CONSTANT) == "the constant, low-aligned"
    with pytest.raises(ValueError, match="must have a field"):
        op_field_meaning(MULTIPLIER)
    with pytest.raises(ValueError, match="must be one of the resource's field, not 5"):
        op_value_meaning(ADDER, 5)


def test_carriers_in_words():
    op = resource(F.FIXED_VECTOR_SHUFFLE)
    fabric = Fabric("some", (), (NamedOp("mix", op), NamedOp("five", CONSTANT)))
    value = 7 | 1 << 5 | 2 << 8 | 3 << 10 | 1 << 16
    image = encode_image(fabric, FabricConfiguration((), (value, 5)))
    assert [each.meaning for each in list_image(fabric, image)[1:]] == [
        "block_width 8, left_blocks 2, result_blocks 3, selectors 3, 0, 1",
        "constant 0x5",
    ]


def test_the_register_map_of_resources():
    described = register_map(OPS)
    assert json.loads(json.dumps(described)) == described
    assert [each["name"] for each in described["registers"]] == [
        "payload",
        "commit",
        "status",
        "identity",
        "flags",
    ]
    assert described["registers"][-1]["meaning"] == "bit 1: quiescent, live"
    alu, cut = described["fields"]
    assert alu == {
        "name": "alu.configuration",
        "bit": 1,
        "width": 2,
        "address": 0,
        "shift": 1,
        "storable": "0x1",
        "meaning": "0: add; 1: sub",
    }
    assert cut["meaning"] == (
        "carrier of fields, lowest first, with their bits: mode 1, offset 7, "
        "slice_width_less_one 6, stride_0 8"
    )
    both = register_map(BOTH)
    assert both["registers"] == [
        {**each, "address": at["address"], "meaning": at["meaning"]}
        for each, at in zip(
            register_map(load_fabric())["registers"], both["registers"], strict=True
        )
    ]


def test_programming_writes_the_one_word_of_a_fixed_fabric():
    image = encode_image(FIXED, FabricConfiguration((), (None,)))
    steps = programming_sequence(FIXED, image)
    assert [(type(each), each.address) for each in steps] == [
        (AxiLiteRead, 16),
        (AxiLiteWrite, 0),
        (AxiLiteWrite, 16),
        (AxiLiteRead, 8),
        (AxiLiteWrite, 4),
        (AxiLiteRead, 0),
    ]


def test_finite_fields_start_at_their_first_key():
    for family in F:
        op = resource(family)
        if isinstance(semantic_field(op), FiniteField):
            assert inactive_value(op) == semantic_field(op).keys[0]


@pytest.mark.parametrize(("last", "codes"), [(16383, []), (16384, ["configuration-bit-limit"])])
def test_a_payload_has_at_most_65536_bits(last, codes):
    # With the reserved bit, three fields of 16,384 bits and the last one.
    ops = [
        resource(F.TOKEN_CONSTANT, params=PayloadCapacityParams(bits), outputs=(bits,))
        for bits in (16384, 16384, 16384, last)
    ]
    fabric = Fabric("f", (), tuple(NamedOp(f"c{i}", op) for i, op in enumerate(ops)))
    assert [each.code for each in unplaceable(fabric)] == codes
