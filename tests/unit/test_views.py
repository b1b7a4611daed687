import inspect
import re

import pytest

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.errors import Invalid
from fabricgen.plan.transactions import (
    MemoryPortAssemblyView,
    MemoryPortChildTransactionView,
    MemoryPortTransactionPlanView,
    derive_memory_port_transaction_plan,
)
from fabricgen.records.access import (
    MemoryAccessClass,
    OrdinaryData,
    ParameterizedMemoryAccessDomain,
)
from fabricgen.records.actor import LoadStorePlain, MemoryActorContractDomain
from fabricgen.records.views import (
    FabricMemoryCapabilityAlternativeRef,
    FabricMemoryOperationPortRef,
    FabricResourceStateRef,
    FabricTransportEndpointRef,
    FabricUsePatternRef,
    MemoryCapabilityAlternativeView,
    MemoryOperationPatternView,
    MemoryOperationPortView,
)
from fabricgen.schema.actor import CanonicalActorProjection
from fabricgen.schema.contract import PlainContract
from fabricgen.schema.service import canonical_service
from fabricgen.vocab.fabric import MemoryPortTransactionProjection
from tests.support.actors import FENCE, alternative, exact
from tests.support.capabilities import (
    CONTIGUOUS,
    ELEMENT,
    LOAD,
    UNMASKED,
    WRITE,
    access,
    masked,
    plain,
    port,
)
from tests.support.memories import DYNAMIC, view

DIRECT, LANES = MemoryPortTransactionProjection
HERE, ELSEWHERE = FabricMemoryOperationPortRef(0, 1), FabricMemoryOperationPortRef(0, 2)
LOADS = alternative(
    LOAD,
    access(ELEMENT),
    access(CONTIGUOUS, mask_inactive_pairs=[UNMASKED, masked(LOAD)]),
    domain=plain(LOAD),
)
VIEW = MemoryOperationPortView(HERE, port(LOADS, alternative(FENCE, number=3)))
ACTOR = CanonicalActorProjection(LOAD, PlainContract())
PATTERN = FabricUsePatternRef(HERE, 0)
LOADS_VIEW = next(
    each
    for each in map(VIEW.capability_alternative, VIEW.capability_alternatives())
    if each.access_domain is not None
)
CLASS = LOADS_VIEW.access_domain.matching_class(view(ELEMENT))
PLAN = derive_memory_port_transaction_plan(
    VIEW.operation_pattern(PATTERN),
    ACTOR,
    canonical_service(ACTOR, view(ELEMENT)),
    view(ELEMENT),
)


#: The specification's views with every name that they have, and the record or view that is each.
#: A record is immutable and typed, so it is its own view.
NAMES = {
    (MemoryOperationPortView, VIEW): """
        endpoints resourceContract resourceStates usePatterns operationPattern
        capabilityAlternatives""",
    (MemoryCapabilityAlternativeView, LOADS_VIEW): """
        actorContractDomain roleBindings activeRoleBindings accessDomain admissibleUsePatterns""",
    (MemoryOperationPatternView, VIEW.operation_pattern(PATTERN)): "transactionProjection",
    (MemoryPortTransactionPlanView, PLAN): "parentService transactions assembly",
    (MemoryPortChildTransactionView, PLAN.transactions[0]): "ordinal activation projection",
    (MemoryPortAssemblyView, PLAN.assembly): "resultRoles resultStrategy retirement",
    (UnsignedDomain, CLASS.element_width_bits): "intervals contains",
    (AlignmentDomain, CLASS.source_alignment): "containsBytes",
    (ParameterizedMemoryAccessDomain, LOADS_VIEW.access_domain): """
        accessClasses matchingClass contains""",
    (MemoryAccessClass, CLASS): """
        accessForm addressForm rootRelativeIndexWidths addressPointerFormats dataPointerFormats
        elementWidths flattenedLaneCounts maskInactivePairs sourceAlignments
        readSubwordSemantics writeSubwordSemantics""",
    (MemoryActorContractDomain, LOADS_VIEW.actor_contract_domain): """
        actorSchema clauses contains""",
}


def spelled(name):
    return re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name)


@pytest.mark.parametrize(
    ("cls", "example", "name"),
    [(cls, one, name) for (cls, one), names in NAMES.items() for name in names.split()],
    ids=lambda value: value if isinstance(value, str) else getattr(value, "__name__", ""),
)
def test_every_name_of_the_specification_is_there_and_cannot_be_set(cls, example, name):
    assert type(example) is cls
    assert getattr(example, spelled(name)) is not None
    with pytest.raises((AttributeError, TypeError)):
        setattr(example, spelled(name), None)
    assert not hasattr(example, "__dict__")


def test_the_names_are_those_of_the_specification():
    """41 names of eleven views, and the one function beside them."""
    assert sum(len(names.split()) for names in NAMES.values()) == 41
    parameters = inspect.signature(derive_memory_port_transaction_plan).parameters
    assert list(parameters) == ["pattern", "actor", "parent_service", "access"]


def test_a_class_answers_with_its_fields():
    assert (CLASS.element_widths, CLASS.flattened_lane_counts) == (
        UnsignedDomain.of(32),
        UnsignedDomain.of(1),
    )
    assert CLASS.root_relative_index_widths == UnsignedDomain.of(32)
    assert CLASS.address_pointer_formats == ()
    assert CLASS.data_pointer_formats == (OrdinaryData(),)
    assert CLASS.mask_inactive_pairs == (UNMASKED,)
    assert CLASS.source_alignments.contains_bytes(8)
    assert not CLASS.source_alignments.contains_bytes(12)
    assert CLASS.read_subword_semantics == CLASS.read_subword
    assert CLASS.write_subword_semantics == (WRITE.NOT_APPLICABLE,)
    assert CLASS.element_widths.contains(32)
    assert not CLASS.element_widths.contains(33)
    assert LOADS_VIEW.actor_contract_domain.clauses == (LoadStorePlain((False,)),)


def chosen(schema):
    views = map(VIEW.capability_alternative, VIEW.capability_alternatives())
    return next(each for each in views if each.actor_contract_domain.actor_schema is schema)


def names(bindings):
    return [role.name for role, _ in bindings]


def test_inventories_are_typed_references():
    assert VIEW.endpoints()[0] == FabricTransportEndpointRef(0, 2)
    assert VIEW.resource_states() == (FabricResourceStateRef(HERE, 0),)
    assert VIEW.use_patterns() == (FabricUsePatternRef(HERE, 0),)
    assert VIEW.operation_pattern(VIEW.use_patterns()[0]).transaction_projection is DIRECT
    assert len(VIEW.capability_alternatives()) == 2
    assert chosen(LOAD).admissible_use_patterns() == VIEW.use_patterns()
    assert VIEW.resource_contract is VIEW.record.resource_contract


def test_the_mask_is_active_for_a_dynamic_mask_only():
    loads = chosen(LOAD)
    assert names(loads.role_bindings()) == ["ADDRESS", "DATA", "MASK", "CONTROL", "COMPLETION"]
    every = names(loads.active_role_bindings(ACTOR, view(CONTIGUOUS, lanes=4, mask=DYNAMIC)))
    assert every == names(loads.role_bindings())
    for unmasked in (view(CONTIGUOUS, lanes=4), view(ELEMENT)):
        found = names(loads.active_role_bindings(ACTOR, unmasked))
        assert found == ["ADDRESS", "DATA", "CONTROL", "COMPLETION"]


def test_a_fence_has_its_two_roles():
    fences = chosen(FENCE)
    assert fences.access_domain is None
    assert names(fences.active_role_bindings(exact(FENCE), None)) == ["CONTROL", "COMPLETION"]


@pytest.mark.parametrize(
    ("actor", "access", "where"),
    [
        (exact(LOAD), view(ELEMENT), "actor"),
        (exact(FENCE), None, "actor"),
        (ACTOR, None, "access"),
        (ACTOR, view(ELEMENT, element=8), "access"),
    ],
)
def test_no_role_is_active_for_what_is_not_admitted(actor, access, where):
    with pytest.raises(Invalid, match=rf"^{where}: .*\[view-not-admitted\]$"):
        chosen(LOAD).active_role_bindings(actor, access)


@pytest.mark.parametrize(
    ("reference", "code"),
    [
        (0, "reference-kind"),
        (FabricMemoryCapabilityAlternativeRef(HERE, 0), "reference-kind"),
        (FabricUsePatternRef(ELSEWHERE, 0), "reference-owner"),
        (FabricUsePatternRef(HERE, 1), "reference-ordinal"),
        (FabricUsePatternRef(HERE, -1), "reference-ordinal"),
    ],
)
def test_another_reference_is_refused(reference, code):
    with pytest.raises(Invalid) as caught:
        VIEW.operation_pattern(reference)
    assert [each.code for each in caught.value.diagnostics] == [code]
