"""Anchor: one hybrid 128-bit port; a shared hybrid port versus separate ports.

Spec: Validation Anchors, and Schedule And Access-Geometry Examples. The geometry class is derived
by whoever lists a port; no record stores it, so equal relations are equal records.
"""

from dataclasses import fields

import pytest

from fabricgen.plan.geometry_class import geometry_class
from fabricgen.records import port_codec
from fabricgen.records.access import MemoryAccessClass
from fabricgen.records.alternative import MemoryCapabilityAlternative
from fabricgen.records.port import MemoryOperationPort
from fabricgen.schema.actor import CanonicalMemoryAccessView
from fabricgen.vocab.dataflow import MemoryAddressForm, MemoryMaskForm
from tests.support.capabilities import (
    CONTIGUOUS,
    ELEMENT,
    INDEXED,
    LOAD,
    READ,
    STORE,
    UNMASKED,
    access,
    alternative,
    masked,
    port,
)

ABSENT, DYNAMIC = MemoryMaskForm
ELEMENTS = access(ELEMENT, element=(8, 16, 32))
VECTORS = access(
    CONTIGUOUS, mask_inactive_pairs=[UNMASKED, masked(LOAD)], read_subword=[READ.EXACT]
)
HYBRID = port(alternative(ELEMENTS, VECTORS))


def view(form, element, lanes, mask=ABSENT):
    return CanonicalMemoryAccessView(
        form, MemoryAddressForm.ROOT_RELATIVE, element, lanes, mask, 32
    )


@pytest.mark.parametrize(
    ("asked", "admitted"),
    [
        (view(ELEMENT, 32, 1), True),
        (view(ELEMENT, 8, 1), True),
        (view(CONTIGUOUS, 32, 4), True),
        (view(CONTIGUOUS, 32, 4, DYNAMIC), True),
        (view(CONTIGUOUS, 64, 2), False),
        (view(CONTIGUOUS, 16, 8), False),
        (view(INDEXED, 32, 4), False),
        (view(ELEMENT, 128, 1), False),
    ],
)
def test_the_single_alternative_admits_exact_geometries_not_total_widths(asked, admitted):
    (single,) = HYBRID.capability_alternatives
    assert single.parameterized_access_domain.contains(asked) == admitted


def test_one_alternative_holds_both_forms():
    (single,) = HYBRID.capability_alternatives
    assert single.parameterized_access_domain.access_classes == (ELEMENTS, VECTORS)
    assert port_codec.decode(port_codec.encode(HYBRID)) == HYBRID


def test_separate_ports_are_other_hardware_than_one_shared_port():
    """Two ports have two contracts and two endpoint sets; together they admit the same views."""
    element = port(alternative(ELEMENTS))
    vector = port(alternative(VECTORS, number=1))
    assert set(element.endpoint_inventory).isdisjoint(vector.endpoint_inventory)
    assert len(HYBRID.endpoint_inventory) == 5
    assert len(element.endpoint_inventory) + len(vector.endpoint_inventory) == 9

    def in_flight(*ports):
        return sum(each.resource_contract.states[0][0].capacity for each in ports)

    assert (in_flight(HYBRID), in_flight(element, vector)) == (4, 8)


@pytest.mark.parametrize(
    ("alternatives", "expected"),
    [
        ([alternative(ELEMENTS)], "ElementAccessOnly"),
        ([alternative(VECTORS)], "VectorAccessOnly"),
        ([alternative(access(INDEXED, lanes=(4,)))], "VectorAccessOnly"),
        ([alternative(ELEMENTS, VECTORS)], "ElementAndVectorAccess"),
        # One alternative per form is one hybrid port as well.
        (
            [
                alternative(access(ELEMENT, STORE), schema=STORE),
                alternative(access(INDEXED, lanes=(4,))),
            ],
            "ElementAndVectorAccess",
        ),
        # One 128-bit element has no lane shape.
        ([alternative(access(ELEMENT, element=(128,)))], "ElementAccessOnly"),
    ],
)
def test_the_geometry_class_follows_from_the_forms(alternatives, expected):
    assert geometry_class(port(*alternatives)).value == expected


def test_no_record_stores_a_geometry_class():
    names = {
        field.name
        for record in (MemoryOperationPort, MemoryCapabilityAlternative, MemoryAccessClass)
        for field in fields(record)
    }
    assert not any("geometry" in name or "class_name" in name for name in names)
    assert sorted(field.name for field in fields(MemoryOperationPort)) == [
        "capability_alternatives",
        "endpoint_inventory",
        "operation_pattern_semantics",
        "resource_contract",
    ]
