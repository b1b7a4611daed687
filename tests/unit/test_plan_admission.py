from dataclasses import replace

import pytest

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.sync_scope import SyncScope
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.author.fabric import parse_fabric
from fabricgen.check.fabric import findings
from fabricgen.plan.admission import (
    FenceAdmission,
    admissions,
    admitting_capability,
    fence_admissions,
)
from fabricgen.plan.geometry import AccessMode, requester_shape
from fabricgen.plan.manager_use import ManagerUse, manager_use
from fabricgen.plan.realisation import unsupported
from fabricgen.plan.row_check import configuration_findings
from fabricgen.records.clause import Fence
from fabricgen.records.connectivity import ManagerEndpointTarget
from fabricgen.records.fabric import Fabric
from fabricgen.records.subword import full_payload
from fabricgen.vocab.dataflow import AtomicOrdering, OperationSchemaId, SyncScopeKind
from tests.support.documents import EVERY_KEY
from tests.support.memories import (
    ABSENT,
    CONTIGUOUS,
    DYNAMIC,
    ELEMENT,
    LOAD,
    STORE,
    WRITE,
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
from tests.support.temporal import manager_memory

ELEMENTS = access_class(ELEMENT, LOAD, elements=(8, 16, 32), lanes=(1,))
VECTORS = access_class(CONTIGUOUS, LOAD, elements=(32,), lanes=((1, 4),), masks=(ABSENT, DYNAMIC))


def loading(port_classes, *capabilities, volatile=(False,)):
    """One load port of 128 bits before the given capabilities."""
    ends = {"a": 32, "m": 4, "c": 0, "d": 128, "x": 0}
    roles = {"address": 0, "control": 2, "data": 3, "completion": 4}
    inputs = 2
    if any(DYNAMIC in each.mask_forms for each in port_classes):
        roles, inputs = {**roles, "mask": 1}, 3
    load = alternative(LOAD, roles, port_classes, volatile=volatile)
    local = service(*capabilities, requesters=1)
    return memory(ends, 3, (port(load, inputs=inputs),), local)


def test_two_products_meet_field_by_field():
    narrow = access_class(CONTIGUOUS, LOAD, elements=(16, 32), lanes=((2, 9),), index=((16, 40),))
    named = loading((ELEMENTS, VECTORS), capability(LOAD, (narrow,), (0,)))
    (admission,) = admissions(named.occurrence, 0)
    assert admission.form is CONTIGUOUS
    assert admission.element_widths == UnsignedDomain.of(32)
    assert admission.lane_counts == UnsignedDomain.of((2, 4))
    assert admission.index_widths == UnsignedDomain.of(32)
    assert admission.mask_forms == (ABSENT,)


def test_products_that_share_no_value_of_some_field_do_not_meet():
    for other in (
        access_class(ELEMENT, LOAD, elements=(64,), lanes=(1,)),
        access_class(ELEMENT, LOAD, elements=(8,), lanes=(1,), index=(64,)),
        access_class(CONTIGUOUS, LOAD, elements=(8,), lanes=(1,)),
        replace(ELEMENTS, source_alignment=AlignmentDomain(UnsignedDomain.of((1, 63)))),
    ):
        named = loading((ELEMENTS,), capability(LOAD, (other,), (0,)))
        assert admissions(named.occurrence, 0) == ()


def test_vectors_without_a_common_mask_form_do_not_meet():
    plain, masked = (
        access_class(CONTIGUOUS, LOAD, elements=(32,), lanes=((1, 4),), masks=(form,))
        for form in (ABSENT, DYNAMIC)
    )
    for asked, served, count in ((plain, masked, 0), (masked, plain, 0), (masked, VECTORS, 1)):
        named = loading((asked,), capability(LOAD, (served,), (0,)))
        assert len(admissions(named.occurrence, 0)) == count


def test_a_port_class_without_alignment_one_admits_no_plain_access():
    aligned = replace(ELEMENTS, source_alignment=AlignmentDomain(UnsignedDomain.of((1, 63))))
    named = loading((aligned,), capability(LOAD, (ELEMENTS,), (0,)))
    assert admissions(named.occurrence, 0) == ()


def test_contracts_meet_too():
    named = loading(
        (ELEMENTS,), capability(LOAD, (ELEMENTS,), (0,), volatile=(True,)), volatile=(False, True)
    )
    (admission,) = admissions(named.occurrence, 0)
    assert admission.volatile_values == (True,)
    asked = row(0, LOAD, view(ELEMENT))
    volatile = replace(asked, actor=actor(LOAD, volatile=True))
    assert admitting_capability(named.occurrence, volatile) == 0
    assert admitting_capability(named.occurrence, asked) is None


def test_the_widest_lane_count_of_a_mode_wins_in_any_order():
    # Class order follows the index width, so the wider class comes first here.
    classes = (
        access_class(CONTIGUOUS, LOAD, elements=(8,), lanes=(16,), index=(16,)),
        access_class(CONTIGUOUS, LOAD, elements=(8,), lanes=(2,), index=(32,)),
    )
    named = loading(classes, capability(LOAD, classes, (0,)))
    assert [a.lane_counts.intervals[-1].upper for a in admissions(named.occurrence, 0)] == [16, 2]
    assert requester_shape(named, 0).modes == (AccessMode(False, 1, 16),)


def storing(port_guarantees, service_guarantees, *, width=32, **points):
    """One store port for 32-bit words, and a service of them."""
    points = {"form": ELEMENT, "elements": (32,), "lanes": (1,)} | points
    words = access_class(points.pop("form"), STORE, **points)
    asked, served = (
        replace(words, write_subword=tuple(WRITE[name] for name in names))
        for names in (port_guarantees, service_guarantees)
    )
    roles = {"address": 0, "data": 1, "control": 2, "completion": 3}
    ends = {"a": 32, "d": width, "c": 0, "x": 0}
    store = port(alternative(STORE, roles, (asked,)))
    return memory(ends, 3, (store,), service(capability(STORE, (served,), (0,)), requesters=1))


@pytest.mark.parametrize(
    ("asked", "served", "width", "is_served"),
    [
        (["BYTE_ENABLE"], ["BYTE_ENABLE"], 40, True),
        (["BYTE_ENABLE"], ["EXACT", "BYTE_ENABLE"], 40, True),
        (["BYTE_ENABLE"], ["EXACT"], 40, False),
        # Nothing is narrow where the words fill the endpoint.
        (["BYTE_ENABLE"], ["EXACT"], 32, True),
        (["EXACT"], ["EXACT"], 32, True),
        (["EXACT"], ["BYTE_ENABLE"], 32, True),
        (["EXACT", "BYTE_ENABLE"], ["EXACT"], 32, True),
    ],
)
def test_a_narrow_store_is_served_where_the_service_keeps_the_other_bytes(
    asked, served, width, is_served
):
    named = storing(asked, served, width=width)
    words = row(0, STORE, view(ELEMENT), base=0)
    assert bool(admissions(named.occurrence, 0)) == is_served
    assert (admitting_capability(named.occurrence, words) is not None) == is_served
    codes = [finding.code for finding in configuration_findings(named, table(words))]
    assert codes == ([] if is_served else ["row-service-capability"])
    # What is admitted and what the legal record must reach are one question.
    codes = [finding.code for finding in findings(Fabric("f", (named,)))]
    assert codes == ([] if is_served else ["target-serves-nothing"])
    assert [each.code for each in unsupported(Fabric("f", (named,)))] == (
        [] if is_served else ["port-unserved"]
    )


def test_a_service_that_says_exact_serves_the_payload_that_fills_the_endpoint():
    points = {"form": CONTIGUOUS, "elements": (8, 16, 32), "lanes": ((1, 4),)}
    named = storing(["BYTE_ENABLE"], ["EXACT"], width=128, **points)
    (found,) = admissions(named.occurrence, 0)
    assert found.element_widths == UnsignedDomain.of(32)
    assert found.lane_counts == UnsignedDomain.of(4)
    served = {
        (element, lanes)
        for element in (8, 16, 32)
        for lanes in range(1, 5)
        if not configuration_findings(
            named,
            table(row(0, STORE, view(CONTIGUOUS, element=element, lanes=lanes), base=0)),
        )
    }
    assert served == {(32, 4)}


def test_an_exchange_fills_both_endpoints_that_it_writes_or_none():
    word = access_class(ELEMENT, STORE, elements=(32, 64), lanes=(1,))
    exact = replace(word, write_subword=(WRITE.EXACT,))
    assert full_payload({64}, word, exact) == (64, 1)
    assert full_payload({64, 128}, word, exact) is None
    # The service has to serve the widest payload, too.
    assert (
        full_payload({64}, word, replace(exact, element_width_bits=UnsignedDomain.of(32))) is None
    )


def test_a_manager_admits_what_its_alternatives_admit():
    aligned = replace(VECTORS, source_alignment=AlignmentDomain(UnsignedDomain.of((1, 63))))
    ends = {"a": 32, "m": 4, "c": 0, "d": 128, "x": 0}
    roles = {"address": 0, "mask": 1, "control": 2, "data": 3, "completion": 4}
    load = alternative(LOAD, roles, (ELEMENTS, VECTORS), volatile=(False, True))
    named = memory(ends, 3, (port(load),), None, managers={"ext0": 64})
    element, vector = admissions(named.occurrence, 0)
    assert element.capability is vector.capability is None
    assert (element.form, element.volatile_values) == (ELEMENT, (False, True))
    assert vector.lane_counts == UnsignedDomain.of((1, 4))
    assert vector.mask_forms == (ABSENT, DYNAMIC)
    # Plain accesses have alignment one, and the class has none of them.
    load = alternative(LOAD, roles, (ELEMENTS, aligned))
    named = memory(ends, 3, (port(load),), None, managers={"ext0": 64})
    assert [each.form for each in admissions(named.occurrence, 0)] == [ELEMENT]


def test_products_of_the_service_stand_before_those_of_managers():
    ends = {"a": 32, "c": 0, "d": 32, "x": 0}
    roles = {"address": 0, "control": 1, "data": 2, "completion": 3}
    load = port(alternative(LOAD, roles, (ELEMENTS,)), inputs=2)
    local = service(capability(LOAD, (ELEMENTS,), (0,)), requesters=1)
    named = memory(ends, 2, (load,), local, managers={"ext0": 64, "ext1": 64})
    assert [each.capability for each in admissions(named.occurrence, 0)] == [0, None]


def test_fences_are_those_that_an_alternative_and_its_target_share():
    # Each memory has one port with one alternative of fences, whose one clause has one contract.
    system = (SyncScope(SyncScopeKind.SYSTEM),)
    near, far, _ = (each.occurrence for each in parse_fabric(EVERY_KEY.read_text()).memories)
    assert fence_admissions(near, 0) == (
        FenceAdmission(2, 0, 3, Fence((AtomicOrdering.SEQ_CST,), system)),
    )
    served = near.local_service.memory_service_contract.capabilities[3]
    assert served.actor_contract_domain.actor_schema is OperationSchemaId.DATAFLOW_FENCE
    assert fence_admissions(far, 0) == (
        FenceAdmission(1, 0, None, Fence((AtomicOrdering.ACQUIRE,), system)),
    )
    # They are no accesses: the other alternatives have products, and these have none.
    assert {each.alternative for each in admissions(near, 0)} == {0, 1, 3, 4, 5}
    assert {each.alternative for each in admissions(far, 0)} == {0, 2, 3, 4}


def test_no_capability_admits_a_row_where_there_is_no_service():
    occurrence = manager_memory().occurrence
    read = row(0, LOAD, view(ELEMENT), target=ManagerEndpointTarget(0))
    assert admitting_capability(occurrence, read) is None


def test_a_port_uses_a_manager_as_its_alternatives_say():
    occurrence = manager_memory().occurrence
    assert manager_use(occurrence, 0, 0) == ManagerUse(reads=True, writes=False, volatile=False)
    assert manager_use(occurrence, 1, 0) == ManagerUse(reads=False, writes=True, volatile=False)
    assert manager_use(occurrence, 1, 1) == ManagerUse(reads=False, writes=False, volatile=False)
