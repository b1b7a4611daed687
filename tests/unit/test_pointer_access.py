"""Access classes whose addresses or data are pointers, against what they admit point by point."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.errors import Invalid
from fabricgen.records import access_codec
from fabricgen.records.access import (
    MemoryAccessClass,
    OrdinaryData,
    ParameterizedMemoryAccessDomain,
    PointerAddressed,
    PointerFormat,
    RootRelative,
)
from fabricgen.schema.actor import CanonicalMemoryAccessView
from fabricgen.vocab.dataflow import MemoryAddressForm, MemoryMaskForm
from tests.support.capabilities import CONTIGUOUS, ELEMENT, INDEXED, access, domain, values
from tests.support.wires import flip, reads_as_itself, refuses_every_prefix_and_extension

POINTER = MemoryAddressForm.POINTER_ADDRESSED
NARROW, WIDE, FAR = PointerFormat(0, 32, 32), PointerFormat(0, 64, 48), PointerFormat(1, 64, 48)
ORDINARY = OrdinaryData()
FEWER = settings(max_examples=60)


def pointers(form=ELEMENT, formats=(WIDE,), **changes):
    """One class of pointer addresses."""
    return replace(
        access(form, **changes),
        address_form=POINTER,
        address_domain=PointerAddressed.of(*formats),
    )


def view(form=ELEMENT, *, address=WIDE, data=None, element=32, lanes=1):
    return CanonicalMemoryAccessView(
        form,
        POINTER,
        element,
        lanes,
        MemoryMaskForm.ABSENT,
        address.representation_bits,
        1,
        address,
        data,
    )


def codes(build):
    with pytest.raises(Invalid) as caught:
        build()
    return [each.code for each in caught.value.diagnostics]


@st.composite
def classes(draw):
    """Either address form, with ordinary or pointer data."""
    form = draw(st.sampled_from([ELEMENT, INDEXED]))
    formats = draw(st.sets(st.sampled_from([NARROW, WIDE, FAR]), min_size=1))
    data = draw(st.sampled_from([(ORDINARY,), (WIDE,), (ORDINARY, WIDE, FAR)]))
    elements = (64,) if data != (ORDINARY,) else draw(st.sampled_from([(32,), (64,), (32, 64)]))
    fields = {
        "element": elements,
        "lanes": (1,) if form is ELEMENT else draw(st.sampled_from([(1,), (2,), (1, 2)])),
        "data_pointer_formats": data,
    }
    if draw(st.booleans()):
        return pointers(form, formats, **fields)
    widths = {each.representation_bits for each in formats}
    return access(form, index=widths, **fields)


def points(listed):
    return {
        (each.access_form, each.address_form, lane, data, element, lanes)
        for each in listed
        for lane in each.address_pointer_formats or values(each.root_relative_index_widths)
        for data in each.data_pointer_formats
        for element in values(each.element_width_bits)
        for lanes in values(each.flattened_lane_count)
    }


@FEWER
@given(st.lists(classes(), min_size=1, max_size=4))
def test_any_decomposition_has_one_normal_form(listed):
    record = domain(*listed)
    assert points(record.access_classes) == points(listed)
    singles = [
        replace(
            each,
            address_domain=PointerAddressed.of(lane)
            if isinstance(lane, PointerFormat)
            else RootRelative(UnsignedDomain.of(lane)),
            data_pointer_formats=(data,),
            element_width_bits=UnsignedDomain.of(element),
        )
        for each in listed
        for lane in each.address_pointer_formats or values(each.root_relative_index_widths)
        for data in each.data_pointer_formats
        for element in values(each.element_width_bits)
    ]
    assert access_codec.encode(domain(*reversed(singles))) == access_codec.encode(record)


@FEWER
@given(st.lists(classes(), min_size=1, max_size=3), st.data())
def test_one_record_has_one_encoding(listed, data):
    record = domain(*listed)
    assert access_codec.decode(access_codec.encode(record)) == record
    reads_as_itself(access_codec, flip(access_codec.encode(record), data))


def test_every_prefix_and_extension_is_refused():
    refuses_every_prefix_and_extension(access_codec, access_codec.encode(domain(pointers())))


def test_the_two_address_forms_never_merge():
    both = domain(access(index=(64,)), pointers())
    assert [each.address_form.name for each in both.access_classes] == [
        "ROOT_RELATIVE",
        "POINTER_ADDRESSED",
    ]
    assert both.access_classes[0].address_pointer_formats == ()
    assert both.access_classes[1].root_relative_index_widths is None
    assert values(both.access_classes[1].address_lane_widths) == [64]


def test_a_pointer_is_admitted_by_its_exact_format():
    record = domain(pointers(formats=(WIDE, NARROW)))
    assert record.contains(view())
    assert record.contains(view(address=NARROW))
    assert not record.contains(view(address=FAR))
    assert record.matching_class(view()) is record.access_classes[0]
    # Equal widths are no pointer.
    index = replace(
        view(), address_form=MemoryAddressForm.ROOT_RELATIVE, address_pointer_format=None
    )
    assert not record.contains(index)
    assert domain(access(index=(64,))).contains(index)


def test_ordinary_data_and_pointers_are_told_apart():
    record = domain(pointers(element=(64,), data_pointer_formats=[WIDE]))
    assert record.contains(view(data=WIDE, element=64))
    assert not record.contains(view(element=64))
    assert not record.contains(view(data=FAR, element=64))
    assert domain(pointers(element=(64,), data_pointer_formats=[ORDINARY, WIDE])).contains(
        view(element=64)
    )


@pytest.mark.parametrize("element", [(32,), (32, 64), ((63, 64),)])
def test_a_pointer_element_is_its_whole_representation(element):
    assert codes(lambda: pointers(element=element, data_pointer_formats=[WIDE])) == [
        "access-pointer-width"
    ]
    pointers(element=(64,), data_pointer_formats=[WIDE])


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"address_domain": RootRelative(UnsignedDomain.of(64))}, "access-address-domain"),
        ({"address_form": MemoryAddressForm.ROOT_RELATIVE}, "access-address-domain"),
        ({"address_domain": PointerAddressed(())}, "domain-empty"),
        ({"address_domain": PointerAddressed((WIDE, NARROW))}, "domain-not-canonical"),
        ({"address_domain": PointerAddressed((WIDE, WIDE))}, "domain-not-canonical"),
    ],
)
def test_the_form_selects_the_domain(change, code):
    assert codes(lambda: replace(pointers(), **change)) == [code]


@pytest.mark.parametrize(
    "change",
    [
        {"address_pointer_format": None},
        {"address_lane_bits": 48},
        {"element_bits": 32},
        {"address_form": MemoryAddressForm.ROOT_RELATIVE},
    ],
)
def test_a_view_has_the_widths_of_its_pointers(change):
    good = view(data=WIDE, element=64)
    assert set(codes(lambda: replace(good, **change))) == {"access-view-pointer"}


def test_a_vector_of_pointers_is_a_token_of_them_all():
    assert view(INDEXED, lanes=4).address_bits == 4 * 64
    assert view(CONTIGUOUS, lanes=4).address_bits == 64


def test_overlapping_pointer_classes_are_refused_by_the_strict_door():
    good = domain(pointers(formats=(WIDE, FAR)), pointers(INDEXED))
    rows = (*good.access_classes, pointers(formats=(FAR,)))
    assert codes(lambda: ParameterizedMemoryAccessDomain(rows)) == ["relation-overlap"]
    split = (pointers(formats=(WIDE,)), pointers(formats=(FAR,)))
    assert codes(lambda: ParameterizedMemoryAccessDomain(split)) == ["relation-not-canonical"]
    assert MemoryAccessClass.of_row(good.access_classes[0].row) == good.access_classes[0]
