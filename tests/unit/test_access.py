from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.errors import Invalid
from fabricgen.records.access import (
    MemoryAccessClass,
    OrdinaryData,
    ParameterizedMemoryAccessDomain,
    PointerFormat,
    RootRelative,
)
from fabricgen.schema.actor import CanonicalMemoryAccessView
from fabricgen.vocab.dataflow import MemoryAccessForm, MemoryAddressForm, MemoryMaskForm
from fabricgen.vocab.fabric import InactiveLaneSemantics
from tests.support.capabilities import (
    CONTIGUOUS,
    ELEMENT,
    INDEXED,
    LOAD,
    READ,
    UNMASKED,
    WRITE,
    access,
    access_classes,
    access_points,
    domain,
    masked,
    masked_classes,
)

#: Each example builds several relations.
FEWER = settings(max_examples=50)

U = UnsignedDomain.of
GOOD = access(CONTIGUOUS, element=(8, 32), lanes=(2, 4), mask_inactive_pairs=[UNMASKED])
ROOT, POINTER = MemoryAddressForm
ZERO = U((0, 3))


def codes(caught):
    return [finding.code for finding in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"address_form": POINTER}, "access-address-domain"),
        ({"address_domain": RootRelative(ZERO)}, "access-not-positive"),
        ({"element_width_bits": ZERO}, "access-not-positive"),
        ({"flattened_lane_count": ZERO}, "access-not-positive"),
        ({"data_pointer_formats": ()}, "domain-empty"),
        ({"mask_inactive_pairs": ()}, "domain-empty"),
        ({"read_subword": ()}, "domain-empty"),
        ({"write_subword": ()}, "domain-empty"),
        ({"data_pointer_formats": (OrdinaryData(), OrdinaryData())}, "domain-not-canonical"),
        ({"mask_inactive_pairs": (masked(LOAD), UNMASKED)}, "domain-not-canonical"),
        ({"read_subword": (READ.ZERO_EXTEND, READ.EXACT)}, "domain-not-canonical"),
        ({"write_subword": (WRITE.EXACT, WRITE.EXACT)}, "domain-not-canonical"),
        ({"access_form": ELEMENT}, "access-element-lanes"),
        (
            {
                "access_form": ELEMENT,
                "flattened_lane_count": U(1),
                "mask_inactive_pairs": (masked(LOAD),),
            },
            "access-element-mask",
        ),
    ],
)
def test_each_rule_of_a_class_rejects(change, code):
    with pytest.raises(Invalid) as caught:
        replace(GOOD, **change)
    assert codes(caught) == [code]


@pytest.mark.parametrize("form", MemoryMaskForm)
@pytest.mark.parametrize("inactive", InactiveLaneSemantics)
def test_an_absent_mask_pairs_with_not_applicable_and_a_dynamic_one_with_the_others(form, inactive):
    legal = (form is MemoryMaskForm.ABSENT) == (inactive is InactiveLaneSemantics.NOT_APPLICABLE)
    if legal:
        assert replace(GOOD, mask_inactive_pairs=((form, inactive),)).mask_forms == (form,)
        return
    with pytest.raises(Invalid) as caught:
        replace(GOOD, mask_inactive_pairs=((form, inactive),))
    assert [str(finding) for finding in caught.value.diagnostics] == [
        "mask_inactive_pairs: absent must pair with not_applicable and dynamic with a suppressing "
        f"value, not ({form.name.lower()}, {inactive.name.lower()}) [access-mask-pair]"
    ]


def test_all_findings_of_a_class_come_at_once():
    with pytest.raises(Invalid) as caught:
        MemoryAccessClass(
            ELEMENT, POINTER, RootRelative(U(0)), (), U(0), U(2, 4), (), ANY, (), (READ_NA,)
        )
    assert codes(caught) == [
        *["domain-empty"] * 3,
        "access-address-domain",
        *["access-not-positive"] * 2,
        "access-element-lanes",
    ]
    assert caught.value.diagnostics[-1].message == (
        "An element access must have the lane count 1, not 2..2, 4..4"
    )


ANY = AlignmentDomain(U((0, 63)))
READ_NA = WRITE.NOT_APPLICABLE


@FEWER
@given(st.permutations([READ.EXACT, READ.ZERO_EXTEND, READ.EXACT]))
def test_the_authoring_door_sorts_sets(subwords):
    found = access(CONTIGUOUS, mask_inactive_pairs=[masked(LOAD), UNMASKED], read_subword=subwords)
    assert found.read_subword == (READ.EXACT, READ.ZERO_EXTEND)
    assert found.mask_inactive_pairs == (UNMASKED, masked(LOAD))


@FEWER
@given(masked_classes())
def test_a_class_is_read_back_from_its_row(record):
    assert MemoryAccessClass.of_row(record.row) == record


@FEWER
@given(st.lists(access_classes(), min_size=1, max_size=4), st.data())
def test_the_canonical_domain_depends_on_the_points_only(classes, data):
    record = domain(*classes)
    listed = access_points(record)
    assert len(listed) == len(set(listed))
    assert set(listed) == {point for each in classes for point in access_points_of(each)}
    assert domain(*data.draw(st.permutations(classes)), classes[0]) == record
    assert domain(*record.access_classes) == record


def access_points_of(each):
    return access_points(ParameterizedMemoryAccessDomain((each,)))


@FEWER
@given(st.lists(access_classes(), min_size=1, max_size=4))
def test_the_strict_door_takes_the_normal_form_only(classes):
    canonical = domain(*classes).access_classes
    if tuple(classes) == canonical:
        assert ParameterizedMemoryAccessDomain(tuple(classes)).access_classes == canonical
        return
    with pytest.raises(Invalid) as caught:
        ParameterizedMemoryAccessDomain(tuple(classes))
    listed = [point for each in classes for point in access_points_of(each)]
    if len(listed) > len(set(listed)):
        assert codes(caught) == ["relation-overlap"]
    elif set(classes) == set(canonical):
        assert codes(caught) == ["relation-order"]
    else:
        assert codes(caught) == ["relation-not-canonical"]


def test_a_domain_is_not_empty():
    for build in (lambda: domain(), lambda: ParameterizedMemoryAccessDomain(())):
        with pytest.raises(Invalid) as caught:
            build()
        assert [str(finding) for finding in caught.value.diagnostics] == [
            "access_classes: A relation must have at least one row, not 0 [relation-empty]"
        ]


def view(form=ELEMENT, element=32, lanes=1, mask=MemoryMaskForm.ABSENT, index=32, alignment=1):
    return CanonicalMemoryAccessView(form, ROOT, element, lanes, mask, index, alignment)


HYBRID = domain(
    access(ELEMENT, element=(8, 16, 32)),
    access(CONTIGUOUS, mask_inactive_pairs=[UNMASKED, masked(LOAD)], read_subword=[READ.EXACT]),
)


@pytest.mark.parametrize(
    ("asked", "admitted"),
    [
        (view(), True),
        (view(element=8), True),
        (view(element=64), False),
        (view(index=64), False),
        (view(CONTIGUOUS, lanes=4), True),
        (view(CONTIGUOUS, lanes=4, mask=MemoryMaskForm.DYNAMIC), True),
        (view(CONTIGUOUS, lanes=2, element=64), False),
        (view(INDEXED, lanes=4), False),
        (view(CONTIGUOUS, lanes=4, alignment=2**63), True),
    ],
)
def test_a_domain_admits_exact_accesses(asked, admitted):
    assert HYBRID.contains(asked) == admitted
    found = HYBRID.matching_class(asked)
    assert (None if found is None else found.access_form) == (asked.form if admitted else None)


def test_an_access_needs_an_accepted_alignment():
    aligned = domain(access(source_alignment=AlignmentDomain(U(2))))
    assert [n for n in (1, 2, 4, 8) if aligned.contains(view(alignment=n))] == [4]


def test_a_pointer_address_is_no_index():
    pointer = PointerFormat(0, view().address_lane_bits, 16)
    assert not HYBRID.contains(
        replace(view(), address_form=POINTER, address_pointer_format=pointer)
    )


def test_forms_are_listed_in_the_order_of_their_atoms():
    found = domain(access(INDEXED), access(CONTIGUOUS), access(ELEMENT))
    assert [each.access_form for each in found.access_classes] == list(MemoryAccessForm)
