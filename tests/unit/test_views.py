import pytest

from fabricgen.errors import Invalid
from fabricgen.records.views import (
    FabricMemoryCapabilityAlternativeRef,
    FabricMemoryOperationPortRef,
    FabricResourceStateRef,
    FabricTransportEndpointRef,
    FabricUsePatternRef,
    MemoryOperationPortView,
)
from fabricgen.schema.actor import CanonicalActorProjection
from fabricgen.schema.contract import PlainContract
from fabricgen.vocab.fabric import MemoryPortTransactionProjection
from tests.support.actors import FENCE, alternative, exact
from tests.support.capabilities import (
    CONTIGUOUS,
    ELEMENT,
    LOAD,
    UNMASKED,
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
