"""Direct carriers: packed by hand, and against a brute-force list of what actors need."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.errors import Invalid
from fabricgen.hsg.bits import (
    BitField,
    carrier_bytes,
    carrier_from_bytes,
    choice_bits,
    pack,
    unpack,
)
from fabricgen.hsg.semantics import DirectField, direct_value, semantic_field
from fabricgen.hsg.shuffle_carrier import ShuffleSetting
from fabricgen.hsg.slice_carrier import SliceSetting
from fabricgen.hsg.token_params import PayloadCapacityParams
from fabricgen.hsg.vector_params import (
    FixedVectorShuffleParams,
    FixedVectorSliceAlignMergeParams,
)
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.payload import NoPayload, ShuffleMask, StaticPosition, TypedConstant
from fabricgen.schema.types import NoneType, VectorType
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support.hsg import F16, FF, I8, I32, INDEX32, W, X, resource, vector

SLICE = resource(F.FIXED_VECTOR_SLICE_ALIGN_MERGE)
SHUFFLE = resource(F.FIXED_VECTOR_SHUFFLE)
GRID = VectorType((2, 4), I8)


def extract(container, part, components, *indices):
    return OperationActor(
        O.VECTOR_EXTRACT, (container, *indices), (part,), StaticPosition(components)
    )


def insert(container, part, components, *indices):
    return OperationActor(
        O.VECTOR_INSERT, (part, container, *indices), (container,), StaticPosition(components)
    )


def shuffle(left, right, mask, inner=()):
    kinds = [VectorType((count, *inner), I8) for count in (left, right, len(mask))]
    return OperationActor(O.VECTOR_SHUFFLE, tuple(kinds[:2]), (kinds[2],), ShuffleMask(mask))


def direct(op):
    field = semantic_field(op)
    assert isinstance(field, DirectField)
    return field


@pytest.mark.parametrize(
    ("count", "bits"), [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (128, 7), (129, 8)]
)
def test_bits_of_a_choice(count, bits):
    assert choice_bits(count) == bits


# The constant.


def constant(kind, *lanes):
    return OperationActor(O.DATAFLOW_CONSTANT, (NoneType(),), (kind,), TypedConstant(kind, lanes))


def test_a_constant_is_its_value():
    op = resource(F.TOKEN_CONSTANT, params=PayloadCapacityParams(64), outputs=(48,))
    field = direct(op)
    assert field.bit_count == 48
    assert field.carrier.inactive == 0
    assert field.carrier.is_valid(2**48 - 1)
    assert not field.carrier.is_valid(2**48)
    assert direct_value(op, constant(I8, 0xFE)) == 0xFE
    assert direct_value(op, constant(F16, 0x3C00)) == 0x3C00
    assert direct_value(op, constant(vector(3, I8), 1, 2, 3)) == 0x030201
    assert direct(resource(F.TOKEN_CONSTANT, params=PayloadCapacityParams(32))).bit_count == 32


# Slice, align, merge: mode 1, offset 7, width 6, stride 8 bits.


def test_the_layout_of_a_slice():
    field = direct(SLICE)
    assert [each.bits for each in field.carrier.layout] == [1, 7, 6, 8]
    assert field.bit_count == 22
    assert field.carrier.inactive == 7 << 8


@pytest.mark.parametrize(
    ("point", "carrier"),
    [
        (extract(vector(8, I8), I8, (7,)), 56 << 1 | 7 << 8),
        (extract(GRID, vector(4, I8), (1,)), 32 << 1 | 31 << 8),
        (extract(GRID, vector(4, I8), (None,), INDEX32), 31 << 8 | 32 << 14),
        (extract(GRID, I8, (None, 3), INDEX32), 24 << 1 | 7 << 8 | 32 << 14),
        (extract(GRID, I8, (1, None), INDEX32), 32 << 1 | 7 << 8 | 8 << 14),
        (extract(GRID, I8, (1, -1)), 32 << 1 | 7 << 8),
        (insert(vector(16, I8), I8, (0,)), 1 | 7 << 8),
        (insert(vector(16, I8), I8, (None,), INDEX32), 1 | 7 << 8 | 8 << 14),
    ],
)
def test_a_slice_packed_by_hand(point, carrier):
    assert direct_value(SLICE, point) == carrier
    assert direct(SLICE).carrier.is_valid(carrier)


@pytest.mark.parametrize(
    ("offset", "width", "stride", "valid"),
    [
        (0, 8, 0, True),
        (0, 24, 0, True),
        (0, 12, 0, False),  # no multiple of an element
        (0, 4, 0, False),
        (0, 64, 0, True),
        (4, 8, 0, False),  # offset between slices
        (120, 8, 0, True),
        (0, 8, 8, True),
        (0, 8, 16, True),
        (0, 8, 12, False),  # stride between slices
        (0, 16, 8, False),
        (0, 8, 128, True),
        (0, 8, 136, False),  # wider than any container
        (64, 8, 64, True),
        (64, 8, 120, True),
        (120, 8, 120, False),  # the second row would end at bit 240
    ],
)
def test_validity_of_a_slice(offset, width, stride, valid):
    carrier = direct(SLICE).carrier
    setting = SliceSetting(O.VECTOR_EXTRACT, offset, width, (stride,))
    assert carrier.admits(setting) is valid
    assert carrier.is_valid(carrier.encode_setting(setting)) is valid


def test_strides_are_a_chain_before_zeros():
    params = FixedVectorSliceAlignMergeParams((W.I8,), (), 128, 64, 3, (X.I32, X.I64))
    op = resource(F.FIXED_VECTOR_SLICE_ALIGN_MERGE, params=params, inputs=(128, 128, 32, 64, 16))
    carrier = direct(op).carrier
    assert [each.bits for each in carrier.layout] == [1, 7, 6, 8, 8, 8]

    def admits(*strides):
        return carrier.admits(SliceSetting(O.VECTOR_EXTRACT, 0, 8, strides))

    assert admits(0, 0, 0)
    assert admits(64, 16, 0)
    assert admits(8, 8, 0)
    assert not admits(0, 16, 0)  # a hole
    assert not admits(16, 64, 0)  # rising
    assert not admits(48, 32, 0)  # no chain of divisors
    assert not admits(64, 16, 8)  # no admitted index fits the third index port


def test_ports_narrow_a_slice():
    op = resource(F.FIXED_VECTOR_SLICE_ALIGN_MERGE, inputs=(32, 64, 32), outputs=(64,))
    carrier = direct(op).carrier
    admits = carrier.admits
    assert admits(SliceSetting(O.VECTOR_EXTRACT, 24, 8, (0,)))
    assert not admits(SliceSetting(O.VECTOR_EXTRACT, 32, 8, (0,)))
    assert admits(SliceSetting(O.VECTOR_INSERT, 56, 8, (0,)))
    assert not admits(SliceSetting(O.VECTOR_INSERT, 0, 40, (0,)))


def test_a_slice_without_choice_has_no_field():
    family = F.FIXED_VECTOR_SLICE_ALIGN_MERGE
    bit = FixedVectorSliceAlignMergeParams((W.I1,), (), 1, 1)
    ports = {"inputs": (1, 1), "outputs": (1,)}
    assert semantic_field(resource(family, O.VECTOR_EXTRACT, params=bit, **ports)) is None
    both = direct(resource(family, params=bit, **ports))
    assert both.bit_count == 1
    assert both.carrier.inactive == 0
    byte = FixedVectorSliceAlignMergeParams((W.I8,), (), 15, 15)
    ports = {"inputs": (32, 32), "outputs": (32,)}
    assert semantic_field(resource(family, O.VECTOR_INSERT, params=byte, **ports)) is None
    two = replace(byte, max_container_payload_bits=16)
    assert direct(resource(family, O.VECTOR_INSERT, params=two, **ports))
    dynamic = replace(byte, max_dynamic_position_rank=1, resolved_index_widths=(X.I32,))
    ports = {"inputs": (32, 32, 32), "outputs": (32,)}
    assert direct(resource(family, O.VECTOR_INSERT, params=dynamic, **ports))


def test_integers_come_before_floats_in_the_inactive_slice():
    params = FixedVectorSliceAlignMergeParams((W.I32,), (FF.F16,), 64, 32)
    op = resource(F.FIXED_VECTOR_SLICE_ALIGN_MERGE, params=params, inputs=(64, 64), outputs=(64,))
    # mode 1, offset 6, width 5 bits: the 32-bit integer, although 16 bits are narrower.
    assert direct(op).carrier.inactive == 31 << 7


def test_the_inactive_slice_is_reachable():
    params = FixedVectorSliceAlignMergeParams((W.I8, W.I32), (), 64, 32)
    op = resource(
        F.FIXED_VECTOR_SLICE_ALIGN_MERGE,
        O.VECTOR_INSERT,
        params=params,
        inputs=(8, 64),
        outputs=(64,),
    )
    assert direct(op).carrier.inactive == 7 << 6


def slices(bits):
    """Every extract and insert of bytes in containers of at most ``bits`` bits and rank 3."""
    extents = [1, 2, 3, 4]
    shapes = [s for rank in (1, 2, 3) for s in product(extents, repeat=rank)]
    for shape in shapes:
        container = VectorType(shape, I8)
        if container.bits > bits:
            continue
        for depth in range(1, len(shape) + 1):
            inner = shape[depth:]
            part = VectorType(inner, I8) if inner else I8
            for position in product(*([None, *range(extent)] for extent in shape[:depth])):
                indices = (INDEX32,) * position.count(None)
                yield extract(container, part, position, *indices)
                yield insert(container, part, position, *indices)


@pytest.mark.parametrize(
    "ports", [((32, 32, 32), (32,)), ((16, 24, 32), (32,)), ((32, 32, 8), (32,))]
)
def test_a_slice_is_valid_exactly_if_some_actor_needs_it(ports):
    params = FixedVectorSliceAlignMergeParams((W.I8,), (), 32, 16, 1, (X.I32,))
    op = resource(
        F.FIXED_VECTOR_SLICE_ALIGN_MERGE, params=params, inputs=ports[0], outputs=ports[1]
    )
    field = direct(op)
    assert field.bit_count == 1 + 5 + 4 + 6
    needed = {direct_value(op, point) for point in slices(32) if op.admits(point)}
    valid = {each for each in range(1 << field.bit_count) if field.carrier.is_valid(each)}
    assert valid == needed
    assert field.carrier.inactive in valid


# Shuffle: width 5, left 3, result 2 and four selectors of 3 bits.


def test_the_layout_of_a_shuffle():
    field = direct(SHUFFLE)
    assert [each.bits for each in field.carrier.layout] == [5, 3, 2, 3, 3, 3, 3]
    assert field.bit_count == 22
    assert field.carrier.inactive == 7


@pytest.mark.parametrize(
    ("point", "carrier"),
    [
        (shuffle(2, 2, (3, 1)), 7 | 1 << 5 | 1 << 8 | 3 << 10 | 1 << 13),
        (shuffle(4, 4, (7, -1, 0, 2)), 7 | 3 << 5 | 3 << 8 | 7 << 10 | 2 << 19),
        (shuffle(1, 1, (-1,)), 7),
        (shuffle(2, 1, (2,), (4,)), 31 | 1 << 5 | 2 << 10),
    ],
)
def test_a_shuffle_packed_by_hand(point, carrier):
    assert direct_value(SHUFFLE, point) == carrier
    assert direct(SHUFFLE).carrier.is_valid(carrier)


@pytest.mark.parametrize(
    ("setting", "valid"),
    [
        (ShuffleSetting(8, 1, 1, (0, 0, 0, 0)), True),
        (ShuffleSetting(8, 7, 1, (7, 0, 0, 0)), True),
        (ShuffleSetting(8, 8, 1, (0, 0, 0, 0)), False),  # no block is left for the right operand
        (ShuffleSetting(12, 1, 1, (0, 0, 0, 0)), False),
        (ShuffleSetting(8, 1, 1, (0, 1, 0, 0)), False),  # a selector behind the result
        (ShuffleSetting(32, 4, 4, (7, 6, 5, 4)), True),
        (ShuffleSetting(32, 5, 4, (0, 0, 0, 0)), False),  # 160 bits on the left
        (ShuffleSetting(32, 1, 1, (5, 0, 0, 0)), False),  # 160 bits on the right
        (ShuffleSetting(32, 1, 1, (4, 0, 0, 0)), True),
    ],
)
def test_validity_of_a_shuffle(setting, valid):
    carrier = direct(SHUFFLE).carrier
    assert carrier.admits(setting) is valid
    assert carrier.is_valid(carrier.encode_setting(setting)) is valid


@pytest.mark.parametrize("ports", [((32, 32), (16,)), ((8, 32), (16,)), ((16, 8), (8,))])
def test_a_shuffle_is_valid_exactly_if_some_actor_needs_it(ports):
    params = FixedVectorShuffleParams((W.I8,), (), 32, 16, 16, 3, 2)
    op = resource(F.FIXED_VECTOR_SHUFFLE, params=params, inputs=ports[0], outputs=ports[1])
    field = direct(op)
    assert field.bit_count == 4 + 2 + 1 + 2 * 2
    needed = set()
    for left, right, inner, count in product((1, 2, 3), (1, 2, 3), ((), (2,), (3,)), (1, 2)):
        for mask in product(range(-1, left + right), repeat=count):
            point = shuffle(left, right, mask, inner)
            if op.admits(point):
                needed.add(direct_value(op, point))
    valid = {each for each in range(1 << field.bit_count) if field.carrier.is_valid(each)}
    assert valid == needed
    assert field.carrier.inactive in valid


# Bytes.


@given(st.lists(st.integers(0, 12), max_size=6), st.data())
def test_fields_come_back(widths, data):
    layout = [BitField(f"f{i}", width) for i, width in enumerate(widths)]
    values = [data.draw(st.integers(0, (1 << width) - 1)) for width in widths]
    carrier = pack(layout, values)
    assert list(unpack(layout, carrier)) == values
    bits = sum(widths)
    assert carrier_from_bytes(carrier_bytes(carrier, bits), bits, "carrier") == carrier


@given(st.integers(1, 40), st.data())
def test_changed_bytes_are_another_carrier_or_refused(bits, data):
    carrier = data.draw(st.integers(0, (1 << bits) - 1))
    wire = bytearray(carrier_bytes(carrier, bits))
    wire[data.draw(st.integers(0, len(wire) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        other = carrier_from_bytes(bytes(wire), bits, "carrier")
    except Invalid:
        return
    assert other != carrier
    assert carrier_bytes(other, bits) == bytes(wire)


def test_padding_and_length_of_bytes():
    assert carrier_bytes(0x201, 10) == b"\x01\x02"
    for data in (b"\x01\x06", b"\x01", b"\x01\x02\x00"):
        with pytest.raises(Invalid, match=r"^carrier: .* \[carrier-pad\]$"):
            carrier_from_bytes(data, 10, "carrier")


def test_a_value_that_does_not_fit_is_a_bug():
    with pytest.raises(ValueError, match=r"^Field a must fit 2 bits, not 4$"):
        pack([BitField("a", 2)], [4])


@given(st.integers(0, 2**22 - 1))
def test_a_valid_carrier_says_what_it_is(carrier):
    for field in (direct(SLICE), direct(SHUFFLE)):
        setting = field.carrier.decode(carrier)
        assert field.carrier.encode_setting(setting) == carrier


def test_an_actor_that_is_not_admitted_has_no_carrier():
    with pytest.raises(Invalid, match=r"\[admission-width\]$"):
        direct_value(SLICE, extract(vector(2, I32), I32, (0,)))


@pytest.mark.parametrize("op", [SLICE, SHUFFLE, resource(F.TOKEN_CONSTANT)])
def test_a_carrier_encodes_its_own_operations(op):
    other = OperationActor(O.MATH_CTLZ, (I8,), (I8,), NoPayload())
    with pytest.raises(TypeError, match=r"^Actor must be a"):
        direct(op).carrier.encode(other)
