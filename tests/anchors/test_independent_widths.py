"""Anchor: data, scalar address, indexed address, mask and service beat have widths of their own.

Spec: Validation Anchors, Endpoint Width Ownership And Vector Admission, and the correlated rows
of Persistent Capability Schema.
"""

import pytest

from fabricgen.check.fabric import findings
from fabricgen.plan.geometry import bank_geometry
from fabricgen.plan.realisation import unsupported
from fabricgen.plan.support import supports_memory_access
from fabricgen.records.fabric import Fabric
from tests.support.memories import (
    CONTIGUOUS,
    DYNAMIC,
    ELEMENT,
    INDEXED,
    LOAD,
    access_class,
    actor,
    alternative,
    capability,
    memory,
    port,
    service,
    view,
)

INDEX32 = access_class(INDEXED, LOAD, elements=(8,), lanes=((1, 4),), index=(32,))
INDEX64 = access_class(INDEXED, LOAD, elements=(8,), lanes=((1, 2),), index=(64,))


def loading(*classes, address=128, data=128, mask=4, beat=64):
    """One load port of these widths before a service of this beat."""
    ends = {"address": address, "mask": mask, "control": 0, "data": data, "completion": 0}
    roles = {name: ordinal for ordinal, name in enumerate(ends)}
    if not any(DYNAMIC in each.mask_forms for each in classes):
        del roles["mask"]
    load = port(alternative(LOAD, roles, classes), inputs=len(roles) - 2)
    served = service(capability(LOAD, classes, (0,), beat=beat), requesters=1)
    return memory(ends, 3, (load,), served)


def codes(named):
    return [finding.code for finding in findings(Fabric("widths", (named,)))]


def test_index_width_and_lane_count_are_correlated_by_rows():
    named = loading(INDEX32, INDEX64)
    assert codes(named) == []
    (admitted,) = named.occurrence.engine.ports[0].capability_alternatives
    assert len(admitted.parameterized_access_domain.access_classes) == 2
    for index, lanes, is_admitted in ((32, 4, True), (64, 2, True), (64, 3, False), (64, 4, False)):
        asked = view(INDEXED, element=8, lanes=lanes, index=index)
        found = supports_memory_access(named.occurrence, 0, 0, actor(LOAD), asked, 0)
        assert (not found) == is_admitted, (index, lanes)


def test_the_free_product_would_admit_an_address_that_does_not_fit():
    free = access_class(INDEXED, LOAD, elements=(8,), lanes=((1, 4),), index=(32, 64))
    assert codes(loading(free)) == ["address-endpoint-narrow"]
    assert codes(loading(free, address=256)) == []


def test_of_two_gathers_of_equal_data_width_only_one_address_vector_fits():
    few = access_class(INDEXED, LOAD, elements=(32,), lanes=(2,), index=(64,))
    many = access_class(INDEXED, LOAD, elements=(8,), lanes=(8,), index=(64,))
    assert codes(loading(few)) == []
    assert codes(loading(many)) == ["address-endpoint-narrow"]
    # Sixteen 64-bit indices are 1024 bits beside 128 bits of data.
    bytes16 = access_class(INDEXED, LOAD, elements=(8,), lanes=(16,), index=(64,))
    assert codes(loading(bytes16, address=1023)) == ["address-endpoint-narrow"]
    assert codes(loading(bytes16, address=1024)) == []


def test_a_contiguous_access_needs_one_scalar_address_however_wide_its_data_is():
    wide = access_class(CONTIGUOUS, LOAD, elements=(32,), lanes=(16,))
    assert codes(loading(wide, address=32, data=512)) == []
    assert codes(loading(wide, address=31, data=512)) == ["address-endpoint-narrow"]
    assert codes(loading(wide, address=32, data=511)) == ["data-endpoint-narrow"]


def test_a_mask_has_a_bit_per_lane_whatever_the_element_is():
    for element in (8, 32):
        masked = access_class(CONTIGUOUS, LOAD, elements=(element,), lanes=(4,), masks=(DYNAMIC,))
        assert codes(loading(masked, mask=4)) == []
        assert codes(loading(masked, mask=3)) == ["mask-endpoint-narrow"]


@pytest.mark.parametrize("beat", [8, 32, 64, 128, 512])
def test_the_beat_is_the_services_own(beat):
    words = access_class(ELEMENT, LOAD, elements=(32,), lanes=(1,))
    vectors = access_class(CONTIGUOUS, LOAD, elements=(32,), lanes=(4,))
    named = loading(words, vectors, address=32, beat=beat)
    assert codes(named) == []
    assert unsupported(Fabric("widths", (named,))) == ()
    assert bank_geometry(named).beat_bytes == beat // 8
