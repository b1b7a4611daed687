"""Anchor: element, contiguous and indexed accesses are distinct; equal width is not compatibility.

Spec: Validation Anchors, and Endpoint Width Ownership And Vector Admission.
"""

import pytest

from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.support import supports_memory_access
from tests.support.memories import (
    ABSENT,
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
    row,
    service,
    table,
    view,
)

#: Three ways to carry 128 bits of data, all on one data endpoint.
CLASSES = {
    ELEMENT: access_class(ELEMENT, LOAD, elements=(128,), lanes=(1,)),
    CONTIGUOUS: access_class(CONTIGUOUS, LOAD, elements=(32,), lanes=(4,), masks=(ABSENT, DYNAMIC)),
    INDEXED: access_class(INDEXED, LOAD, elements=(32,), lanes=(4,)),
}
VIEWS = {
    ELEMENT: view(ELEMENT, element=128),
    CONTIGUOUS: view(CONTIGUOUS, element=32, lanes=4),
    INDEXED: view(INDEXED, element=32, lanes=4),
}
ENDS = {"address": 128, "mask": 4, "control": 0, "data": 128, "completion": 0}


def one_port(*classes):
    """A load port that admits ``classes``, before a service that admits all of them."""
    roles = {name: ordinal for ordinal, name in enumerate(ENDS)}
    if not any(DYNAMIC in each.mask_forms for each in classes):
        del roles["mask"]
    load = port(alternative(LOAD, roles, classes), inputs=len(roles) - 2)
    served = service(capability(LOAD, tuple(CLASSES.values()), (0,)), requesters=1)
    return memory(ENDS, 3, (load,), served)


def codes(named, access):
    found = supports_memory_access(named.occurrence, 0, 0, actor(LOAD), access, 0)
    rows = table(row(0, LOAD, access))
    assert bool(found) == bool(configuration_findings(named, rows))
    return [finding.code for finding in found]


@pytest.mark.parametrize("admitted", CLASSES, ids=lambda form: form.name)
@pytest.mark.parametrize("asked", CLASSES, ids=lambda form: form.name)
def test_a_form_is_admitted_by_its_own_class_only(admitted, asked):
    assert VIEWS[asked].data_bits == 128
    found = codes(one_port(CLASSES[admitted]), VIEWS[asked])
    assert found == ([] if asked is admitted else ["access-form-not-accepted"])


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (view(CONTIGUOUS, element=64, lanes=2), ["element-width", "lane-count"]),
        (view(CONTIGUOUS, element=16, lanes=8), ["element-width", "lane-count"]),
        (view(CONTIGUOUS, element=128, lanes=1), ["element-width", "lane-count"]),
        (view(CONTIGUOUS, element=32, lanes=3), ["lane-count"]),
        (view(CONTIGUOUS, element=32, lanes=4, index=16), ["index-width"]),
    ],
)
def test_equal_or_smaller_width_does_not_stand_in_for_geometry(asked, expected):
    found = codes(one_port(CLASSES[CONTIGUOUS]), asked)
    assert found == [f"{name}-not-accepted" for name in expected]


def test_the_element_of_a_vector_memory_is_no_contiguous_access():
    """One 128-bit element has no lane shape, so neither view implies the other."""
    both = one_port(CLASSES[ELEMENT], CLASSES[CONTIGUOUS])
    assert codes(both, VIEWS[ELEMENT]) == codes(both, VIEWS[CONTIGUOUS]) == []
    assert codes(both, view(ELEMENT, element=32)) == ["element-width-not-accepted"]


def test_a_mask_form_belongs_to_its_class():
    named = one_port(CLASSES[CONTIGUOUS], CLASSES[INDEXED])
    assert codes(named, view(CONTIGUOUS, lanes=4, mask=DYNAMIC)) == []
    assert codes(named, view(INDEXED, lanes=4, mask=DYNAMIC)) == ["mask-form-not-accepted"]
