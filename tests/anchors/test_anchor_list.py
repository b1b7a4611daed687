"""Every validation anchor, with the file that holds it or the code that refuses what it needs.

Spec: Validation Anchors, in their order. What is not built is refused by name, and a variant that
comes to be built has to leave this table.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from fabricgen.errors import Unsupported
from fabricgen.plan.realisation import unsupported
from fabricgen.records.connectivity import ManagerEndpointTarget, SubordinateDispatch
from fabricgen.records.endpoint import ServiceEndpoint
from fabricgen.records.fabric import Fabric
from fabricgen.vocab.dispatch import AddressTransform, MatchField
from tests.support.memories import replaced
from tests.support.records import LOCAL, load_fabric, service_resources

NAMED = load_fabric().memories[0]
RECORD = NAMED.occurrence


def realise(**changes):
    if found := unsupported(Fabric("anchors", (replaced(NAMED, **changes),))):
        raise Unsupported(*found)


def provider_decode():
    targets = (LOCAL, ManagerEndpointTarget(0))
    dispatch = SubordinateDispatch(2, (MatchField.RANGE,), AddressTransform.NONE, targets)
    contract = RECORD.local_service.memory_service_contract
    both = replace(contract, resource_contract=service_resources(2, banks=2))
    realise(
        local_service=replace(RECORD.local_service, memory_service_contract=both),
        manager_endpoints=(ServiceEndpoint(32),),
        subordinate_endpoints=(ServiceEndpoint(32),),
        connectivity=replace(RECORD.connectivity, subordinate_endpoints=(dispatch,)),
    )


#: Anchor, its file where (a part of) it is built, and what is refused where (a part of) it is not.
ANCHORS = [
    ("domains, access classes, capability relation, contracts", "canonical_normalisation", []),
    ("one hybrid port of 128 bits", "hybrid_port", []),
    ("states and use patterns through the port", "port_round_trip", []),
    ("child-transaction projection", "transaction_projection", []),
    ("independent P, K and T", "temporal_capacities", []),
    ("same-ingress Temporal matching", "temporal_matching", []),
    ("one hybrid port or separate ports", "hybrid_port", []),
    ("element, contiguous and indexed compatibility", "access_compatibility", []),
    ("independent widths", "independent_widths", []),
    ("dynamic masks", "dynamic_mask", []),
    ("a wide endpoint over narrow beats", "wide_endpoint", []),
    ("one tag per Temporal vector token", "temporal_matching", []),
    ("internal dependencies", "internal_dependencies", []),
    ("occurrence forms", "occurrence_forms", []),
    (
        "one capability record of a local and a system service",
        "one_service_record",
        [],
    ),
    ("many logical memories on one service", "shared_service", []),
    ("H_dispatch and C_dispatch", "dispatch_subset", []),
    (
        "bounded provider decode",
        "provider_decode",
        [(provider_decode, "subordinate-manager-dispatch")],
    ),
    ("operation table through the configuration ABI", "configuration_determinism", []),
]


def test_every_anchor_has_a_file_or_a_refusal():
    assert len(ANCHORS) == 19
    assert all(file or refusals for _, file, refusals in ANCHORS)


def test_every_file_holds_an_anchor():
    files = {path.stem.removeprefix("test_") for path in Path(__file__).parent.glob("test_*.py")}
    assert files - {"anchor_list"} == {file for _, file, _ in ANCHORS if file}


@pytest.mark.parametrize(
    ("refuse", "code"),
    sorted(
        {pair for _, _, refusals in ANCHORS for pair in refusals}, key=lambda pair: pair[0].__name__
    ),
    ids=lambda value: getattr(value, "__name__", value),
)
def test_what_is_not_built_is_refused_by_name(refuse, code):
    with pytest.raises(Unsupported) as caught:
        refuse()
    assert code in [finding.code for finding in caught.value.diagnostics]
