"""One good service, one change, one code; and what the authoring door normalises."""

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.sync_scope import SyncScope
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.errors import Invalid
from fabricgen.records.actor import LoadStorePlain, MemoryActorContractDomain
from fabricgen.records.clause import Fence
from fabricgen.records.consistency import (
    BoundedCompletionCycles,
    FairEventual,
    LocalProvider,
    SystemDomain,
)
from fabricgen.records.overlap import accesses_meet, actors_meet, shared_points
from fabricgen.records.region import merge_regions, region_conflicts, region_findings
from fabricgen.records.service import (
    LocalMemoryService,
    MemoryServiceCapability,
    MemoryServiceContract,
    MemoryServiceRegion,
    Mmio,
    Storage,
)
from fabricgen.records.service_capability_codec import encode
from fabricgen.relation.diagram import Diagram
from fabricgen.vocab.dataflow import AtomicOrdering, OperationSchemaId, SyncScopeKind
from fabricgen.vocab.fabric import (
    ReadSubwordSemantics,
    ReleaseVisibilityPoint,
    WriteSubwordSemantics,
)
from tests.support.actors import clause
from tests.support.capabilities import access_classes, access_points
from tests.support.records import (
    CONTIGUOUS,
    ELEMENT,
    LOAD,
    MASKED_LOAD,
    MASKED_STORE,
    STORE,
    UNMASKED,
    access,
    accesses,
    plain,
    service_resources,
)

EXACT, ZERO_EXTEND = ReadSubwordSemantics.EXACT, ReadSubwordSemantics.ZERO_EXTEND
WORDS = access(ELEMENT, (32,), read=ZERO_EXTEND)
BYTES = access(ELEMENT, (8,), read=ZERO_EXTEND)
STORED = access(ELEMENT, (32,), write=WriteSubwordSemantics.BYTE_ENABLE)

LOADS = MemoryServiceCapability(plain(LOAD), accesses(WORDS), (0, 1), 64, (0,))
STORES = MemoryServiceCapability(plain(STORE), accesses(STORED), (1,), 64, (0, 1))
GOOD = MemoryServiceContract(
    regions=(MemoryServiceRegion(0, 64), MemoryServiceRegion(128, 64)),
    resource_contract=service_resources(2, banks=2),
    capabilities=(LOADS, STORES),
)


def findings(build, *args, **kwargs):
    with pytest.raises(Invalid) as caught:
        build(*args, **kwargs)
    return [(finding.where, finding.code) for finding in caught.value.diagnostics]


# Capabilities

FENCES = MemoryActorContractDomain.of(
    OperationSchemaId.DATAFLOW_FENCE,
    Fence.of_sets([AtomicOrdering.ACQUIRE], [SyncScope(SyncScopeKind.SYSTEM)]),
)
PROVIDER = LocalProvider(ReleaseVisibilityPoint.BY_RETIREMENT, FairEventual())


def test_a_clause_that_is_not_plain_needs_a_consistency_binding():
    assert findings(MemoryServiceCapability, FENCES, None, (), 0, (0,)) == [
        ("consistency_binding", "consistency-binding-missing")
    ]
    for binding in (PROVIDER, SystemDomain(b"domain")):
        MemoryServiceCapability(FENCES, None, (), 0, (0,), binding)
    MemoryServiceCapability(plain(LOAD), accesses(WORDS), (0, 1), 64, (0,), PROVIDER)


def test_one_clause_that_is_not_plain_is_enough():
    mixed = MemoryActorContractDomain.of(LOAD, LoadStorePlain((False, True)), clause(LOAD))
    atomic = next(i for i, each in enumerate(mixed.contract_clauses) if each == clause(LOAD))
    with pytest.raises(Invalid) as caught:
        replace(LOADS, actor_contract_domain=mixed)
    (finding,) = caught.value.diagnostics
    assert finding.code == "consistency-binding-missing"
    assert f"contract_clauses[{atomic}], atomic" in finding.message
    replace(LOADS, actor_contract_domain=mixed, consistency_binding=PROVIDER)
    # Volatile alone needs nobody who orders.
    replace(
        LOADS, actor_contract_domain=MemoryActorContractDomain.of(LOAD, LoadStorePlain((True,)))
    )


@pytest.mark.parametrize(
    ("regions", "beat", "finding"),
    [
        ((), 0, None),
        ((0,), 0, ("service_region_ordinals", "service-capability-regions")),
        ((), 8, ("service_beat_width_bits", "service-beat-width")),
    ],
)
def test_a_fence_has_no_region_and_no_beat(regions, beat, finding):
    fields = (FENCES, None, regions, beat, (0,), PROVIDER)
    if finding is None:
        assert MemoryServiceCapability(*fields).service_beat_width_bits == 0
    else:
        assert findings(MemoryServiceCapability, *fields) == [finding]


def test_a_fence_has_no_access():
    assert findings(MemoryServiceCapability, FENCES, accesses(WORDS), (0,), 64, (0,), PROVIDER) == [
        ("access_domain", "alternative-fence-access")
    ]


def test_a_local_service_has_no_system_domain():
    ordered = replace(LOADS, consistency_binding=SystemDomain(b"domain"))
    contract = MemoryServiceContract.of(GOOD.regions, GOOD.resource_contract, [ordered, STORES])
    place = contract.capabilities.index(ordered)
    assert findings(LocalMemoryService, 256, contract) == [
        (
            f"memory_service_contract.capabilities[{place}].consistency_binding",
            "local-service-system-domain",
        )
    ]
    local = MemoryServiceContract.of(
        GOOD.regions, GOOD.resource_contract, [replace(LOADS, consistency_binding=PROVIDER), STORES]
    )
    assert LocalMemoryService(256, local).memory_service_contract == local


def test_a_bound_and_a_reference_are_not_empty():
    assert findings(BoundedCompletionCycles, 0) == [
        ("max_issue_to_retire_cycles", "consistency-bound-range")
    ]
    assert BoundedCompletionCycles(1).max_issue_to_retire_cycles == 1
    assert findings(SystemDomain, b"") == [("reference", "consistency-domain-reference")]


@pytest.mark.parametrize(
    ("change", "where", "code"),
    [
        ({"service_region_ordinals": (1, 0)}, "service_region_ordinals", "region-order"),
        ({"service_region_ordinals": (0, 0)}, "service_region_ordinals", "region-order"),
        ({"service_region_ordinals": (-1,)}, "service_region_ordinals", "region-order"),
        ({"service_region_ordinals": (2**64,)}, "service_region_ordinals", "region-order"),
        ({"service_region_ordinals": ()}, "service_region_ordinals", "regions"),
    ],
)
def test_a_capability_names_a_set_of_regions(change, where, code):
    assert findings(replace, LOADS, **change) == [(where, f"service-capability-{code}")]


@pytest.mark.parametrize("beat", [0, -8, 2**64])
def test_a_beat_is_positive(beat):
    assert findings(replace, LOADS, service_beat_width_bits=beat) == [
        ("service_beat_width_bits", "service-beat-width")
    ]


@pytest.mark.parametrize("keys", [(), (1, 0), (0, 0), (-1,), (2**32,)])
def test_a_capability_names_a_set_of_use_patterns(keys):
    assert findings(replace, LOADS, admissible_use_patterns=keys) == [
        ("admissible_use_patterns", "service-use-pattern-order")
    ]


def test_a_capability_without_access_serves_a_fence_only():
    found = findings(replace, LOADS, access_domain=None)
    assert found == [
        ("access_domain", "alternative-fence-access"),
        ("service_region_ordinals", "service-capability-regions"),
        ("service_beat_width_bits", "service-beat-width"),
    ]


def test_a_service_keeps_the_rules_of_the_actor():
    masked = access(CONTIGUOUS, (32,), (4,), masks=(MASKED_STORE,), read=ZERO_EXTEND)
    found = findings(replace, LOADS, access_domain=accesses(masked))
    assert found == [
        ("access_domain.access_classes[0].mask_inactive_pairs", "alternative-inactive-lanes")
    ]


def test_the_authoring_door_of_a_capability_sorts():
    built = MemoryServiceCapability.of(
        plain(STORE),
        accesses(STORED),
        service_region_ordinals=[1, 1],
        service_beat_width_bits=64,
        admissible_use_patterns=[1, 0, 1],
    )
    assert built == STORES


# Regions


@pytest.mark.parametrize(
    ("fields", "where", "code"),
    [
        ((-1, 1), "address_base_bytes", "region-base-range"),
        ((2**64, 0), "address_base_bytes", "region-base-range"),
        ((0, 0), "size_bytes", "region-size-range"),
        ((0, 2**64), "size_bytes", "region-size-range"),
        ((1, 2**64 - 1), "size_bytes", "region-end-overflow"),
    ],
)
def test_a_region_is_an_interval_of_addresses(fields, where, code):
    assert (where, code) in findings(MemoryServiceRegion, *fields)


def test_the_greatest_region_is_legal():
    assert MemoryServiceRegion(1, 2**64 - 2).end_bytes == 2**64 - 1


@pytest.mark.parametrize(
    ("spans", "code"),
    [
        (((128, 64), (0, 64)), "service-region-order"),
        (((0, 64), (63, 64)), "service-region-order"),
        (((0, 64), (0, 64)), "service-region-order"),
        (((0, 64), (64, 64)), "service-region-unmerged"),
    ],
)
def test_regions_are_sorted_disjoint_and_merged(spans, code):
    regions = tuple(MemoryServiceRegion(*span) for span in spans)
    assert findings(replace, GOOD, regions=regions) == [("regions[1]", code)]


MMIO = Mmio(accesses(WORDS))


@pytest.mark.parametrize(
    ("base", "behavior", "code"),
    [
        (63, MMIO, "service-region-behavior"),
        (64, MMIO, None),
        (63, Storage(), "service-region-order"),
        (64, Storage(), "service-region-unmerged"),
        (65, Storage(), None),
    ],
)
def test_regions_that_behave_differently_may_touch_and_not_overlap(base, behavior, code):
    regions = (MemoryServiceRegion(0, 64), MemoryServiceRegion(base, 64, behavior))
    if code is None:
        assert replace(GOOD, regions=regions, capabilities=(LOADS,)).regions == regions
    else:
        assert findings(replace, GOOD, regions=regions, capabilities=(LOADS,)) == [
            ("regions[1]", code)
        ]


def test_equivalent_adjacent_mmio_regions_are_merged():
    regions = (MemoryServiceRegion(0, 64, MMIO), MemoryServiceRegion(64, 64, MMIO))
    assert findings(replace, GOOD, regions=regions, capabilities=(LOADS,)) == [
        ("regions[1]", "service-region-unmerged")
    ]
    built = MemoryServiceContract.of(regions, GOOD.resource_contract, [LOADS])
    assert built.regions == (MemoryServiceRegion(0, 128, MMIO),)
    wider = Mmio(accesses(WORDS, BYTES))
    apart = (regions[0], replace(regions[1], behavior=wider))
    assert MemoryServiceContract.of(apart, GOOD.resource_contract, [LOADS]).regions == apart


@pytest.mark.parametrize(
    ("spans", "conflicts"),
    [
        ([(0, 64, "a"), (32, 64, "b")], [1]),
        ([(32, 64, "b"), (0, 64, "a")], [0]),
        ([(0, 64, "a"), (64, 64, "b")], []),
        # What began earlier and ends last is behind one that ended, and behind one like it.
        ([(0, 200, "a"), (8, 8, "b"), (16, 8, "a"), (100, 8, "b")], [1, 3]),
        ([(0, 100, "a"), (8, 192, "b"), (16, 8, "b"), (150, 8, "b"), (160, 8, "a")], [1, 2, 4]),
        ([(0, 100, "a"), (10, 10, "b"), (15, 100, "c"), (18, 1, "c")], [1, 2, 3]),
    ],
)
def test_every_address_with_two_behaviours_is_told(spans, conflicts):
    behaviors = {"a": Storage(), "b": MMIO, "c": Mmio(accesses(BYTES))}
    regions = [MemoryServiceRegion(base, size, behaviors[name]) for base, size, name in spans]
    found = [int(each.where[8:-1]) for each in region_conflicts(regions)]
    assert sorted(found) == conflicts


@given(
    st.lists(
        st.builds(
            MemoryServiceRegion,
            st.integers(0, 12),
            st.integers(1, 6),
            st.sampled_from([Storage(), MMIO, Mmio(accesses(BYTES))]),
        ),
        max_size=6,
    )
)
def test_merging_keeps_the_behaviour_of_every_address(regions):
    behaviors: dict[int, set] = {}
    for each in regions:
        for address in range(each.address_base_bytes, each.end_bytes):
            behaviors.setdefault(address, set()).add(each.behavior)
    conflicts = any(len(each) > 1 for each in behaviors.values())
    assert bool(list(region_conflicts(regions))) is conflicts
    if conflicts:
        return
    merged, place_of = merge_regions(regions)
    assert not any(region_findings(merged)) or not regions
    assert {a: {r.behavior} for r in merged for a in range(r.address_base_bytes, r.end_bytes)} == (
        behaviors
    )
    for position, each in enumerate(regions):
        whole = merged[place_of[position]]
        assert whole.address_base_bytes <= each.address_base_bytes < each.end_bytes
        assert each.end_bytes <= whole.end_bytes


@pytest.mark.parametrize(
    ("accepted", "accepts"),
    [
        (accesses(WORDS), True),
        (accesses(WORDS, BYTES), True),
        (accesses(access(ELEMENT, ((8, 64),), read=ZERO_EXTEND)), True),
        (accesses(BYTES), False),
        (accesses(access(CONTIGUOUS, (32,), (1,), read=ZERO_EXTEND)), False),
        (accesses(access(ELEMENT, (32,), index_bits=(64,), read=ZERO_EXTEND)), False),
        (accesses(access(ELEMENT, (32,), read=EXACT)), False),
        (accesses(replace(WORDS, source_alignment=AlignmentDomain(UnsignedDomain.of(2)))), False),
        (accesses(STORED), False),
    ],
    ids=["same", "more", "wider", "width", "form", "index", "subword", "alignment", "direction"],
)
def test_a_selected_region_accepts_every_access(accepted, accepts):
    regions = (GOOD.regions[0], replace(GOOD.regions[1], behavior=Mmio(accepted)))
    if accepts:
        contract = replace(GOOD, regions=regions, capabilities=(LOADS,))
        assert MemoryServiceContract.of(regions, GOOD.resource_contract, [LOADS]) == contract
        return
    refused = [("capabilities[0].access_domain", "service-region-access")]
    assert findings(replace, GOOD, regions=regions, capabilities=(LOADS,)) == refused
    assert (
        findings(MemoryServiceContract.of, regions, GOOD.resource_contract, [LOADS, STORES])[:1]
        == refused
    )
    elsewhere = replace(LOADS, service_region_ordinals=(0,))
    assert replace(GOOD, regions=regions, capabilities=(elsewhere,)).regions == regions


def test_an_access_may_be_accepted_by_several_classes_together():
    """Neither class of the region covers the capability's one class; together they do."""
    low, high = (
        access(ELEMENT, ((8, 32),), read=ZERO_EXTEND),
        access(ELEMENT, ((16, 64),), ((1, 1),), index_bits=(32, 64), read=ZERO_EXTEND),
    )
    whole = access(ELEMENT, ((8, 64),), read=ZERO_EXTEND)
    regions = (GOOD.regions[0], replace(GOOD.regions[1], behavior=Mmio(accesses(low, high))))
    wide = replace(LOADS, access_domain=accesses(whole))
    assert replace(GOOD, regions=regions, capabilities=(wide,)).capabilities == (wide,)
    wider = replace(LOADS, access_domain=accesses(access(ELEMENT, ((8, 65),), read=ZERO_EXTEND)))
    assert findings(replace, GOOD, regions=regions, capabilities=(wider,)) == [
        ("capabilities[0].access_domain", "service-region-access")
    ]


def test_the_work_of_looking_for_shared_and_accepted_accesses_is_bounded(monkeypatch):
    wider = Mmio(accesses(access(ELEMENT, ((8, 64),), read=ZERO_EXTEND)))
    regions = (GOOD.regions[0], replace(GOOD.regions[1], behavior=wider))
    monkeypatch.setitem(Diagram.__init__.__kwdefaults__, "max_visits", 3)
    assert findings(replace, GOOD, regions=regions, capabilities=(LOADS,)) == [
        ("capabilities[0].access_domain.relation", "relation-too-large"),
        ("capabilities.relation", "relation-too-large"),
    ]


def test_a_service_has_a_region():
    assert ("regions", "service-region-empty") in findings(replace, GOOD, regions=())


@pytest.mark.parametrize("capacity", [0, -1, 2**64])
def test_the_capacity_of_a_local_service_is_positive(capacity):
    assert findings(LocalMemoryService, capacity, GOOD) == [
        ("capacity_bytes", "service-capacity-range")
    ]


# Contracts


@pytest.mark.parametrize(
    ("capabilities", "where", "code"),
    [
        ((), "capabilities", "service-capability-empty"),
        (
            (replace(LOADS, service_region_ordinals=(2,)),),
            "capabilities[0].service_region_ordinals",
            "service-region-unknown",
        ),
        (
            (replace(LOADS, admissible_use_patterns=(2,)),),
            "capabilities[0].admissible_use_patterns",
            "service-use-pattern-unknown",
        ),
        ((STORES, LOADS), "capabilities[1]", "service-capability-order"),
    ],
)
def test_each_rule_of_a_contract_rejects(capabilities, where, code):
    assert findings(replace, GOOD, capabilities=capabilities) == [(where, code)]


def test_a_repeated_capability_is_out_of_order_and_overlaps():
    assert findings(replace, GOOD, capabilities=(LOADS, LOADS)) == [
        ("capabilities[1]", "service-capability-order"),
        ("capabilities[1]", "service-capability-overlap"),
    ]


@pytest.mark.parametrize(
    "other",
    [
        replace(LOADS, admissible_use_patterns=(1,)),
        replace(LOADS, service_beat_width_bits=128),
        replace(LOADS, service_region_ordinals=(1,)),
        replace(LOADS, access_domain=accesses(access(ELEMENT, ((32, 33),), read=ZERO_EXTEND))),
        replace(LOADS, access_domain=accesses(access(ELEMENT, (32,), read=EXACT))),
        replace(
            LOADS,
            actor_contract_domain=MemoryActorContractDomain(LOAD, (LoadStorePlain((False, True)),)),
        ),
    ],
    ids=["patterns", "beat", "regions", "access", "subword", "actor"],
)
def test_one_access_is_served_by_one_capability(other):
    """The strict door refuses any second owner of a point, whatever its facts are."""
    for pair in ((LOADS, other), (other, LOADS)):
        found = findings(replace, GOOD, capabilities=pair)
        assert ("capabilities[1]", "service-capability-overlap") in found


@pytest.mark.parametrize(
    "other",
    [
        replace(LOADS, service_beat_width_bits=128),
        replace(LOADS, service_region_ordinals=(1,)),
        replace(
            LOADS,
            access_domain=accesses(access(ELEMENT, (32,), read=EXACT)),
            admissible_use_patterns=(1,),
        ),
        replace(LOADS, consistency_binding=PROVIDER),
        replace(LOADS, consistency_binding=SystemDomain(b"domain")),
    ],
    ids=["beat", "regions", "subword", "provider", "domain"],
)
def test_the_authoring_door_does_not_choose_between_facts(other):
    found = findings(MemoryServiceContract.of, GOOD.regions, GOOD.resource_contract, [LOADS, other])
    assert found == [("capabilities[1]", "service-capability-overlap")]


def loads_of(*elements, volatile=(False,), patterns=(0,)):
    return replace(
        LOADS,
        actor_contract_domain=MemoryActorContractDomain(LOAD, (LoadStorePlain(volatile),)),
        access_domain=accesses(access(ELEMENT, elements, read=ZERO_EXTEND)),
        admissible_use_patterns=patterns,
    )


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        ([loads_of(8), loads_of(16)], [loads_of(8, 16)]),
        ([loads_of((8, 16)), loads_of((12, 32))], [loads_of((8, 32))]),
        (
            [loads_of(8), loads_of(8, volatile=(True,))],
            [loads_of(8, volatile=(False, True))],
        ),
        (
            [loads_of((8, 16)), loads_of((12, 32), patterns=(1,))],
            [
                loads_of((8, 11)),
                loads_of((12, 16), patterns=(0, 1)),
                loads_of((17, 32), patterns=(1,)),
            ],
        ),
    ],
    ids=["side by side", "overlapping", "actors", "patterns"],
)
def test_one_relation_has_one_decomposition(parts, whole):
    """The authoring door normalises; the strict door refuses every other decomposition."""
    built = MemoryServiceContract.of(GOOD.regions, GOOD.resource_contract, parts)
    assert set(built.capabilities) == set(whole)
    assert MemoryServiceContract.of(GOOD.regions, GOOD.resource_contract, whole) == built
    assert replace(GOOD, capabilities=built.capabilities) == built


def served_points(capabilities):
    """Every (volatile, access, facts, pattern) that capabilities admit, by brute force."""
    return [
        (volatile, point, each.service_beat_width_bits, key)
        for each in capabilities
        for clause in each.actor_contract_domain.contract_clauses
        for volatile in clause.volatile_values
        for point in access_points(each.access_domain)
        for key in each.admissible_use_patterns
    ]


@settings(max_examples=25)
@given(st.data())
def test_the_normal_form_depends_on_the_points_only(data):
    part = st.builds(
        lambda classes, volatile, beat, patterns: replace(
            LOADS,
            actor_contract_domain=MemoryActorContractDomain.of(LOAD, LoadStorePlain.of(*volatile)),
            access_domain=accesses(*classes),
            service_beat_width_bits=beat,
            admissible_use_patterns=tuple(sorted(patterns)),
        ),
        st.lists(access_classes(LOAD), min_size=1, max_size=2),
        st.sets(st.booleans(), min_size=1),
        st.sampled_from([8, 64, 64, 64]),
        st.sets(st.integers(0, 1), min_size=1),
    )
    parts = data.draw(st.lists(part, min_size=1, max_size=3))
    try:
        built = MemoryServiceContract.of(GOOD.regions, GOOD.resource_contract, parts)
    except Invalid as error:
        assume({found.code for found in error.diagnostics} != {"service-capability-overlap"})
        raise
    listed = served_points(built.capabilities)
    assert len(listed) == len(set(listed))
    assert set(listed) == set(served_points(parts))
    shuffled = data.draw(st.permutations([*parts, parts[0], *built.capabilities]))
    assert MemoryServiceContract.of(GOOD.regions, GOOD.resource_contract, shuffled) == built


def test_the_normal_form_is_bounded(monkeypatch):
    monkeypatch.setattr("fabricgen.records.products.MAX_ROWS", 1)
    too_large = [("capabilities.relation", "relation-too-large")]
    parts = [LOADS, STORES]
    assert (
        findings(MemoryServiceContract.of, GOOD.regions, GOOD.resource_contract, parts) == too_large
    )
    assert findings(replace, GOOD) == too_large


def test_the_strict_door_refuses_another_decomposition():
    parts = tuple(sorted([loads_of(8), loads_of(16)], key=encode))
    assert findings(replace, GOOD, capabilities=parts) == [
        ("capabilities", "relation-not-canonical")
    ]


def test_the_authoring_door_unites_patterns_and_sorts():
    parts = [STORES, replace(LOADS, admissible_use_patterns=(1,)), LOADS]
    built = MemoryServiceContract.of(GOOD.regions, GOOD.resource_contract, parts)
    assert built == replace(
        GOOD, capabilities=(replace(LOADS, admissible_use_patterns=(0, 1)), STORES)
    )


def test_disjoint_accesses_may_have_other_facts():
    narrow = replace(LOADS, access_domain=accesses(BYTES), service_beat_width_bits=8)
    built = MemoryServiceContract.of(GOOD.regions, GOOD.resource_contract, [LOADS, narrow, STORES])
    assert set(built.capabilities) == {LOADS, narrow, STORES}


def test_the_authoring_door_sorts_and_merges_regions():
    spans = [(192, 64), (0, 64), (128, 64), (64, 32)]
    built = MemoryServiceContract.of(
        [MemoryServiceRegion(*span) for span in spans],
        GOOD.resource_contract,
        [
            replace(LOADS, service_region_ordinals=(0, 2)),
            replace(STORES, service_region_ordinals=(1, 3)),
        ],
    )
    assert built.regions == (MemoryServiceRegion(0, 96), MemoryServiceRegion(128, 128))
    assert [each.service_region_ordinals for each in built.capabilities] == [(1,), (0,)]


def test_a_region_inside_another_is_merged_into_it():
    regions = [MemoryServiceRegion(0, 64), MemoryServiceRegion(16, 16)]
    both = replace(LOADS, service_region_ordinals=(0, 1))
    built = MemoryServiceContract.of(regions, GOOD.resource_contract, [both])
    assert built.regions == (MemoryServiceRegion(0, 64),)


def test_a_merge_never_widens_a_capability():
    regions = [MemoryServiceRegion(0, 64), MemoryServiceRegion(64, 64)]
    half = replace(LOADS, service_region_ordinals=(0,))
    assert findings(MemoryServiceContract.of, regions, GOOD.resource_contract, [half]) == [
        ("capabilities[0].service_region_ordinals", "region-merge-widens")
    ]


def test_an_unknown_region_stays_unknown_through_the_authoring_door():
    lost = replace(LOADS, service_region_ordinals=(7,))
    assert findings(MemoryServiceContract.of, GOOD.regions, GOOD.resource_contract, [lost]) == [
        ("capabilities[0].service_region_ordinals", "service-region-unknown")
    ]


# Overlap


def aligned(*exponents):
    domain = AlignmentDomain(UnsignedDomain.of(*exponents))
    return replace(WORDS, source_alignment=domain)


@pytest.mark.parametrize(
    ("left", "right", "meet"),
    [
        (WORDS, WORDS, True),
        (WORDS, BYTES, False),
        (WORDS, access(ELEMENT, (8, 32), read=EXACT), True),
        (WORDS, access(CONTIGUOUS, (32,), (1,), read=EXACT), False),
        (WORDS, access(ELEMENT, (32,), index_bits=(64,), read=EXACT), False),
        (aligned((0, 2)), aligned((2, 63)), True),
        (aligned((0, 1)), aligned((2, 63)), False),
        (
            access(CONTIGUOUS, (32,), ((1, 4),), read=EXACT),
            access(CONTIGUOUS, (32,), ((4, 8),), read=EXACT),
            True,
        ),
        (
            access(CONTIGUOUS, (32,), (2,), read=EXACT),
            access(CONTIGUOUS, (32,), (2,), masks=(MASKED_LOAD,), read=EXACT),
            False,
        ),
        (
            access(CONTIGUOUS, (32,), (2,), masks=(MASKED_STORE,), read=EXACT),
            access(CONTIGUOUS, (32,), (2,), masks=(MASKED_LOAD,), read=EXACT),
            True,
        ),
        (
            access(CONTIGUOUS, (32,), (2,), masks=(UNMASKED, MASKED_LOAD), read=EXACT),
            access(CONTIGUOUS, (32,), (2,), masks=(MASKED_LOAD,), read=ZERO_EXTEND),
            True,
        ),
    ],
)
def test_accesses_meet_where_a_concrete_access_is_in_both(left, right, meet):
    assert accesses_meet(accesses(left), accesses(right)) is meet
    assert accesses_meet(accesses(right), accesses(left)) is meet
    both = [(plain(LOAD), accesses(left)), (plain(LOAD), accesses(right))]
    assert shared_points(both) == (((0, 1),) if meet else ())


def test_an_access_never_meets_its_absence():
    assert accesses_meet(None, None)
    assert not accesses_meet(accesses(WORDS), None)


@pytest.mark.parametrize(
    ("left", "right", "meet"),
    [((False,), (False, True), True), ((False,), (True,), False)],
)
def test_actors_meet_by_schema_and_contract(left, right, meet):
    domains = [MemoryActorContractDomain(LOAD, (LoadStorePlain(v),)) for v in (left, right)]
    assert actors_meet(*domains) is meet
    assert not actors_meet(domains[0], replace(domains[1], actor_schema=STORE))
    both = [(domain, accesses(WORDS)) for domain in domains]
    assert shared_points(both) == (((0, 1),) if meet else ())


def test_shared_points_name_every_group():
    widths = [(8,), (8, 16), (16, 32), (64,), (8,)]
    found = shared_points(
        (plain(LOAD), accesses(access(ELEMENT, each, read=EXACT))) for each in widths
    )
    assert found == ((0, 1, 4), (1, 2))


def test_an_absent_access_is_shared_only_with_its_like():
    assert shared_points([(plain(LOAD), None), (plain(LOAD), accesses(WORDS))]) == ()
    assert shared_points([(plain(LOAD), None), (plain(LOAD), None)]) == ((0, 1),)
    assert shared_points([]) == ()
