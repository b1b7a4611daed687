"""Storable bits against the union of every carrier that encodes at all."""

from dataclasses import replace
from itertools import product

import pytest

from fabricgen.config.codec import encode_configuration
from fabricgen.config.layout import carrier_layout
from fabricgen.config.storable import storable_mask
from fabricgen.errors import FabricError
from fabricgen.records.fabric import MemoryImplementation
from tests.support.memories import (
    ABSENT,
    CONTIGUOUS,
    DYNAMIC,
    ELEMENT,
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

ROLES = {"address": 0, "mask": 1, "control": 2, "data": 3, "completion": 4}
ENDS = {"a": 32, "m": 4, "c": 0, "d": 128, "x": 0}
ELEMENTS = access_class(ELEMENT, LOAD, elements=(16, 32), lanes=(1,), index=(16, 32))
VECTORS = access_class(CONTIGUOUS, LOAD, elements=(32,), lanes=((2, 4),), masks=(ABSENT, DYNAMIC))
UNMASKED = access_class(CONTIGUOUS, LOAD, elements=(32,), lanes=(2, 3))


def one_port(service_classes, *, capacity, aligned=False):
    """Two patterns, two volatile values, two classes."""
    load = alternative(LOAD, ROLES, (ELEMENTS, VECTORS), volatile=(False, True), patterns=(0, 1))
    return memory(
        ENDS,
        3,
        (port(load, pattern_count=2),),
        service(
            capability(LOAD, service_classes, (0,), volatile=(False, True)),
            requesters=1,
            capacity=capacity,
        ),
        implementation=MemoryImplementation(aligned_bases=aligned),
    )


def union_of_all_carriers(named, capacity):
    accesses = [view(ELEMENT, element=e, index=i) for e, i in product((8, 16, 32), (16, 32))]
    accesses += [
        view(CONTIGUOUS, lanes=lanes, mask=mask)
        for lanes, mask in product(range(1, 6), (ABSENT, DYNAMIC))
    ]
    union = 0
    for access, base, pattern, volatile in product(
        accesses, range(capacity + 1), (0, 1), (False, True)
    ):
        plain = row(0, LOAD, access, base=base, pattern=pattern)
        try:
            union |= encode_configuration(named, table(replace(plain, actor=actor(LOAD, volatile))))
        except FabricError:
            continue
    return union


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("classes", [(ELEMENTS, VECTORS), (ELEMENTS,), (UNMASKED,)])
@pytest.mark.parametrize("capacity", [8, 11])
def test_exactly_the_bits_that_some_legal_carrier_sets_are_storable(classes, capacity, aligned):
    named = one_port(classes, capacity=capacity, aligned=aligned)
    assert storable_mask(named) == union_of_all_carriers(named, capacity)


def test_aligned_bases_need_no_bits_below_the_smallest_element():
    named = one_port((UNMASKED,), capacity=1000, aligned=True)
    field = carrier_layout(named).rows[0]["base_addr"]
    assert field.get(storable_mask(named)) == 0x3FC


def test_a_port_that_nothing_serves_stores_nothing():
    other = access_class(ELEMENT, LOAD, elements=(64,), lanes=(1,))
    assert storable_mask(one_port((other,), capacity=64)) == 0
