"""Storable bits against the union of every carrier that encodes at all."""

from dataclasses import replace
from itertools import product

import pytest

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.config.codec import encode_configuration
from fabricgen.config.layout import carrier_layout
from fabricgen.config.storable import storable_mask
from fabricgen.errors import FabricError
from fabricgen.plan.realisation import unsupported_rows
from fabricgen.records.access import OrdinaryData
from fabricgen.records.connectivity import ManagerEndpointTarget
from fabricgen.records.fabric import MemoryImplementation
from tests.support.actors import actors, exact
from tests.support.memories import (
    ABSENT,
    CONTIGUOUS,
    DYNAMIC,
    ELEMENT,
    INDEXED,
    LOAD,
    LOCAL,
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
from tests.support.pointers import BYTE, NEAR, WIDE, pointer_class, pointer_view

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


POINTED = (
    pointer_class(ELEMENT, LOAD, (BYTE, NEAR, WIDE), elements=(8, 32), lanes=(1,)),
    pointer_class(
        INDEXED, LOAD, (NEAR,), data=(OrdinaryData(), WIDE), elements=(64,), lanes=(1, 2)
    ),
)
#: A local service has two of the three formats, and no data that are numbers.
SERVED = (
    pointer_class(ELEMENT, LOAD, (NEAR, WIDE), elements=(8, 32), lanes=(1,)),
    pointer_class(INDEXED, LOAD, (NEAR,), data=(WIDE,), elements=(64,), lanes=(1, 2)),
)


@pytest.mark.parametrize("is_local", [True, False])
@pytest.mark.parametrize("volatile", [(False,), (True,), (False, True)])
def test_exactly_the_formats_that_some_row_may_have_are_storable(is_local, volatile):
    roles = {name: end for name, end in ROLES.items() if name != "mask"}
    load = alternative(LOAD, roles, POINTED, volatile=volatile)
    capabilities = capability(LOAD, SERVED, (0,), volatile=volatile)
    named = memory(
        {"a": 64, "m": 2, "c": 0, "d": 128, "x": 0},
        3,
        (port(load, inputs=2),),
        service(capabilities, requesters=1) if is_local else None,
        managers={} if is_local else {"ext0": 32},
    )
    target = LOCAL if is_local else ManagerEndpointTarget(0)
    accesses = [
        pointer_view(ELEMENT, address, element=element)
        for address, element in product((BYTE, NEAR, WIDE), (8, 32))
    ]
    accesses += [
        pointer_view(INDEXED, NEAR, element=64, lanes=lanes, data=data)
        for lanes, data in product((1, 2), (None, WIDE))
    ]
    union = 0
    for access, is_volatile in product(accesses, volatile):
        plain = replace(row(0, LOAD, access, base=0, target=target), actor=actor(LOAD, is_volatile))
        try:
            bits = encode_configuration(named, table(plain))
        except FabricError:
            continue
        if not unsupported_rows(named, table(plain)):
            union |= bits
    assert storable_mask(named) == union


def atomic_loads(formats, exponents):
    """A port of atomic loads of elements through pointers so aligned, behind a manager."""
    classes = (
        replace(
            pointer_class(ELEMENT, LOAD, formats, elements=(8, 32, 64, 128), lanes=(1,)),
            source_alignment=AlignmentDomain(UnsignedDomain.of(*exponents)),
        ),
    )
    roles = {role: end for role, end in ROLES.items() if role != "mask"}
    load = replace(alternative(LOAD, roles, classes), actor_contract_domain=actors(LOAD))
    return memory(
        {"a": 64, "m": 2, "c": 0, "d": 128, "x": 0},
        3,
        (port(load, inputs=2),),
        None,
        managers={"ext0": 64},
    )


@pytest.mark.parametrize("exponents", [((0, 4),), ((0, 1),), (0, (2, 4))])
def test_exactly_the_alignments_that_keep_an_object_in_its_beat_are_storable(exponents):
    named = atomic_loads((NEAR, WIDE), exponents)
    promised = [1 << each for each in range(5) if each in UnsignedDomain.of(*exponents)]
    union, refused = 0, set()
    for address, element, alignment in product((NEAR, WIDE), (8, 32, 64, 128), promised):
        access = pointer_view(ELEMENT, address, element=element)
        access = replace(access, source_alignment_bytes=alignment)
        one = row(0, LOAD, access, base=0, target=ManagerEndpointTarget(0))
        one = replace(one, actor=exact(LOAD, alignment=alignment))
        if found := unsupported_rows(named, table(one)):
            refused |= {
                (element, alignment, each.message.rpartition(" from ")[2]) for each in found
            }
        else:
            union |= encode_configuration(named, table(one))
    assert storable_mask(named) == union
    # An object of 128 bits is in no beat of 64; a smaller one is if its pointers are aligned to it.
    assert refused == {
        (element, alignment, "any byte" if alignment == 1 else f"any multiple of {alignment}")
        for element in (32, 64, 128)
        for alignment in promised
        if alignment < element // 8 or element == 128
    }
