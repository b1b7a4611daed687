from dataclasses import replace

import pytest

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.sync_scope import SyncScope
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.plan.support import (
    actor_findings,
    selected_class,
    selected_clause,
    supports_memory_access,
)
from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.actor import MemoryActorContractDomain
from fabricgen.records.clause import Fence
from fabricgen.schema.actor import CanonicalActorProjection
from fabricgen.schema.contract import FenceContract
from fabricgen.vocab.dataflow import AtomicOrdering, OperationSchemaId, SyncScopeKind
from tests.support.memories import (
    ABSENT,
    CONTIGUOUS,
    DYNAMIC,
    ELEMENT,
    INDEXED,
    LOAD,
    READ,
    ROLE,
    STORE,
    WRITE,
    actor,
    view,
)
from tests.support.records import copy_fabric, gather_fabric, load_fabric

FENCE, SEQ_CST = OperationSchemaId.DATAFLOW_FENCE, AtomicOrdering.SEQ_CST

COPY = copy_fabric().memories[0].occurrence
GATHER = gather_fabric().memories[0].occurrence
SINGLE = load_fabric().memories[0].occurrence


def found(occurrence, port, who, access, *, pattern=0):
    return [
        diagnostic.code
        for diagnostic in supports_memory_access(occurrence, port, 0, who, access, pattern)
    ]


def changed(occurrence, port, **changes):
    """The occurrence with other fields in the port's one alternative."""
    ports = list(occurrence.engine.ports)
    (alternative,) = ports[port].capability_alternatives
    ports[port] = replace(ports[port], capability_alternatives=(replace(alternative, **changes),))
    return replace(occurrence, engine=replace(occurrence.engine, ports=tuple(ports)))


def class_of(occurrence, port, ordinal, **changes):
    """The occurrence with one access class changed."""
    (alternative,) = occurrence.engine.ports[port].capability_alternatives
    classes = list(alternative.parameterized_access_domain.access_classes)
    classes[ordinal] = replace(classes[ordinal], **changes)
    domain = ParameterizedMemoryAccessDomain.of(*classes)
    return changed(occurrence, port, parameterized_access_domain=domain)


@pytest.mark.parametrize(
    "access",
    [
        view(ELEMENT, element=8),
        view(ELEMENT, element=32),
        view(CONTIGUOUS, lanes=4),
        view(CONTIGUOUS, lanes=4, mask=DYNAMIC),
    ],
)
def test_a_hybrid_port_supports_what_its_classes_admit(access):
    assert found(COPY, 0, actor(LOAD), access) == []
    assert found(COPY, 1, actor(STORE), access) == []


@pytest.mark.parametrize(
    ("access", "codes"),
    [
        # Equal total width is not enough: two lanes of 64 bits are not four of 32.
        (
            view(CONTIGUOUS, element=64, lanes=2),
            ["element-width-not-accepted", "lane-count-not-accepted"],
        ),
        (view(CONTIGUOUS, element=32, lanes=2), ["lane-count-not-accepted"]),
        (view(ELEMENT, element=64), ["element-width-not-accepted"]),
        (view(ELEMENT, element=128), ["element-width-not-accepted"]),
        (view(ELEMENT, index=64), ["index-width-not-accepted", "payload-exceeds-endpoint"]),
        (view(ELEMENT, index=16), ["index-width-not-accepted"]),
        (view(INDEXED, lanes=4), ["access-form-not-accepted", "payload-exceeds-endpoint"]),
    ],
)
def test_a_hybrid_port_refuses_every_other_geometry(access, codes):
    assert found(COPY, 0, actor(LOAD), access) == codes


def test_a_mask_form_outside_the_class_is_refused():
    pairs = GATHER.engine.ports[0].capability_alternatives[0]
    (access_class,) = pairs.parameterized_access_domain.access_classes
    dynamic_only = access_class.mask_inactive_pairs[1:]
    other = class_of(GATHER, 0, 0, mask_inactive_pairs=dynamic_only)
    assert found(other, 0, actor(LOAD), view(INDEXED, lanes=4, mask=DYNAMIC)) == []
    assert found(other, 0, actor(LOAD), view(INDEXED, lanes=4, mask=ABSENT)) == [
        "mask-form-not-accepted"
    ]


def test_only_one_of_two_equally_wide_gathers_has_room_for_its_addresses():
    # The 128-bit address endpoint holds four indices of 32 bits, not four of 64.
    assert found(GATHER, 0, actor(LOAD), view(INDEXED, lanes=4, index=32)) == []
    assert found(GATHER, 0, actor(LOAD), view(INDEXED, lanes=4, index=64)) == [
        "index-width-not-accepted",
        "payload-exceeds-endpoint",
    ]


def test_another_actor_is_refused_before_anything_else():
    assert found(COPY, 0, actor(STORE), view(ELEMENT)) == ["actor-schema-not-accepted"]


def test_a_contract_outside_the_clauses_is_refused():
    assert found(COPY, 0, actor(LOAD, volatile=True), view(ELEMENT)) == [
        "actor-contract-not-accepted"
    ]


def test_a_scope_outside_the_clause_is_refused_by_its_name():
    system, thread = (
        SyncScope(kind) for kind in (SyncScopeKind.SYSTEM, SyncScopeKind.SINGLE_THREAD)
    )
    domain = MemoryActorContractDomain.of(FENCE, Fence((SEQ_CST,), (system,)))
    fence, other = (
        CanonicalActorProjection(FENCE, FenceContract(SEQ_CST, scope)) for scope in (system, thread)
    )
    assert list(actor_findings(domain, fence)) == []
    assert list(map(str, actor_findings(domain, other))) == [
        "actor.contract.scope: The scope must be system, not single_thread "
        "[actor-contract-not-accepted]"
    ]


def test_a_plain_access_has_alignment_one():
    aligned = replace(view(ELEMENT), source_alignment_bytes=4)
    assert found(COPY, 0, actor(LOAD), aligned) == ["plain-alignment"]


def test_an_alignment_outside_the_class_is_refused():
    words_only = AlignmentDomain(UnsignedDomain.of(2))
    aligned = class_of(COPY, 0, 0, source_alignment=words_only)
    assert found(aligned, 0, actor(LOAD), view(ELEMENT)) == ["alignment-not-accepted"]


def test_a_mask_on_a_port_without_mask_role_is_refused():
    assert found(SINGLE, 0, actor(LOAD), view(CONTIGUOUS, lanes=4, mask=DYNAMIC)) == [
        "access-form-not-accepted",
        "payload-exceeds-endpoint",
    ]


@pytest.mark.parametrize(
    ("role", "access"),
    [
        (ROLE.ADDRESS, view(ELEMENT)),
        (ROLE.DATA, view(CONTIGUOUS, lanes=4)),
        (ROLE.MASK, view(CONTIGUOUS, lanes=4, mask=DYNAMIC)),
    ],
)
def test_each_token_must_fit_its_endpoint(role, access):
    (alternative,) = COPY.engine.ports[0].capability_alternatives
    narrow = alternative.endpoint_of(role)
    endpoints = list(COPY.endpoints)
    endpoints[narrow] = replace(endpoints[narrow], payload_width=3)
    occurrence = replace(COPY, endpoints=tuple(endpoints))
    assert found(occurrence, 0, actor(LOAD), access) == ["payload-exceeds-endpoint"]
    # Control and completion carry nothing, so their width never matters.
    assert found(COPY, 0, actor(LOAD), access) == []


def test_a_narrow_read_needs_zero_extension():
    exact = class_of(COPY, 0, 0, read_subword=(READ.EXACT,))
    assert found(exact, 0, actor(LOAD), view(ELEMENT)) == ["subword-not-accepted"]
    # Four lanes of 32 bits fill the endpoint, so Exact is enough there.
    assert found(exact, 0, actor(LOAD), view(CONTIGUOUS, lanes=4)) == []


def test_a_narrow_write_needs_byte_enables():
    exact = class_of(COPY, 1, 0, write_subword=(WRITE.EXACT,))
    assert found(exact, 1, actor(STORE), view(ELEMENT)) == ["subword-not-accepted"]


def test_a_pattern_must_be_admissible():
    assert found(COPY, 0, actor(LOAD), view(ELEMENT), pattern=1) == ["use-pattern-not-admissible"]


def test_a_legal_row_selects_one_clause_and_one_class():
    (read,) = COPY.engine.ports[0].capability_alternatives
    (clause,), (element, vector) = read.actor_contract_domain.contract_clauses, read.access_classes
    assert selected_clause(read, actor(LOAD)) == (0, clause)
    assert selected_class(read, view(ELEMENT, element=8)) == (0, element)
    assert selected_class(read, view(CONTIGUOUS, lanes=4)) == (1, vector)


def test_what_no_clause_or_class_admits_selects_none():
    (read,) = COPY.engine.ports[0].capability_alternatives
    with pytest.raises(ValueError, match="not in list"):
        selected_clause(read, actor(LOAD, volatile=True))
    with pytest.raises(ValueError, match="not in list"):
        selected_class(read, view(ELEMENT, element=64))


def test_the_message_says_what_is_admitted_and_what_was_found():
    (finding,) = supports_memory_access(COPY, 0, 0, actor(LOAD), view(ELEMENT, element=64), 0)
    assert str(finding) == (
        "access.element_bits: The value must lie in {8, 16, 32}, not 64 "
        "[element-width-not-accepted]"
    )
