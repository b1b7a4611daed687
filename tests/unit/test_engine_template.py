"""Engine templates: what the projection keeps, what it leaves out, and references into it."""

from dataclasses import replace

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from fabricgen.check.template import template_findings
from fabricgen.errors import Invalid
from fabricgen.records import engine_codec
from fabricgen.records.connectivity import InternalConnection, SubordinateDispatch
from fabricgen.records.endpoint import ServiceEndpoint
from fabricgen.records.engine import memory_engine_template
from fabricgen.records.engine_inventory import (
    FabricMemoryEngineTemplateRef,
    FabricMemoryTemplateAlternativeRef,
    FabricMemoryTemplateConnectionRef,
    FabricMemoryTemplateEndpointRef,
    FabricMemoryTemplatePortRef,
    engine_template_inventory,
)
from fabricgen.records.occurrence import Temporal
from fabricgen.vocab.dispatch import AddressTransform
from fabricgen.vocab.fabric import EndpointDirection
from tests.support.drawn_memories import memories
from tests.support.memories import (
    DIRECT,
    ELEMENT,
    ENDPOINTS,
    LANES,
    LOAD,
    LOCAL,
    access_class,
    alternative,
    hybrid_memory,
    memory,
    plain,
    port,
)
from tests.support.temporal import temporal_memory

AT = {name: ordinal for ordinal, name in enumerate(ENDPOINTS)}
EDGES = [("rd_data", "wr_data"), ("rd_done", "wr_ctrl")]
BASE = temporal_memory(connections=EDGES).occurrence
TEMPLATE = memory_engine_template(BASE)


def templates(*occurrences):
    return engine_template_inventory(occurrences).templates


def exposed(occurrence):
    dispatch = SubordinateDispatch(1, (), AddressTransform.NONE, (LOCAL,))
    return replace(
        occurrence,
        subordinate_endpoints=(ServiceEndpoint(64),),
        connectivity=replace(occurrence.connectivity, subordinate_endpoints=(dispatch,)),
    )


def test_the_projection_is_the_engine_with_its_endpoints_and_connections():
    assert TEMPLATE.contract == BASE.engine.contract
    assert TEMPLATE.endpoints == BASE.endpoints
    assert TEMPLATE.ports == BASE.engine.ports
    assert TEMPLATE.internal_connections == (
        InternalConnection(AT["rd_data"], AT["wr_data"]),
        InternalConnection(AT["rd_done"], AT["wr_ctrl"]),
    )


SURROUNDINGS = {
    "another service": temporal_memory(connections=EDGES, capacity=1024, banks=2).occurrence,
    "managers instead": temporal_memory(
        connections=EDGES, local=False, managers={"ext0": 64}
    ).occurrence,
    "managers, too": temporal_memory(connections=EDGES, managers={"a": 64, "b": 128}).occurrence,
    "a subordinate": exposed(BASE),
}


@pytest.mark.parametrize("other", SURROUNDINGS.values(), ids=SURROUNDINGS)
def test_what_surrounds_an_engine_makes_no_other_template(other):
    assert other != BASE
    found = engine_template_inventory([BASE, other])
    assert found.templates == (TEMPLATE,)
    assert found.of_occurrences == (FabricMemoryEngineTemplateRef(0),) * 2


def test_dispatch_makes_no_other_template():
    both = temporal_memory(connections=EDGES, managers={"ext0": 64}).occurrence
    narrow = tuple(
        replace(each, capability_target_domains=((LOCAL,),) * len(each.capability_target_domains))
        for each in both.connectivity.operation_ports
    )
    fewer = replace(both, connectivity=replace(both.connectivity, operation_ports=narrow))
    assert fewer != both
    assert templates(both, fewer) == (TEMPLATE,)


def with_port(**changes):
    read, write = BASE.engine.ports
    engine = replace(BASE.engine, ports=(replace(read, **changes), write))
    return replace(BASE, engine=engine)


def narrower():
    """The element class of the first port's only alternative lost 8-bit elements."""
    (load,) = BASE.engine.ports[0].capability_alternatives
    classes = [
        access_class(ELEMENT, LOAD, elements=(16, 32), lanes=(1,)),
        *load.parameterized_access_domain.access_classes[1:],
    ]
    domain = type(load.parameterized_access_domain).of(*classes)
    return with_port(capability_alternatives=(replace(load, parameterized_access_domain=domain),))


def volatile():
    (load,) = BASE.engine.ports[0].capability_alternatives
    domain = plain(LOAD, False, True)
    return with_port(capability_alternatives=(replace(load, actor_contract_domain=domain),))


def lanes_memory(semantics):
    """One element-free port whose one-lane vector pattern has one slot under both projections."""
    ends = {"address": 32, "control": 0, "data": 32, "completion": 0}
    roles = {name: ordinal for ordinal, name in enumerate(ends)}
    classes = (access_class(type(ELEMENT).CONTIGUOUS, LOAD, elements=(32,), lanes=(1,)),)
    load = port(alternative(LOAD, roles, classes), inputs=2)
    load = replace(load, operation_pattern_semantics=(semantics,))
    return memory(ends, 2, (load,), BASE.local_service).occurrence


def retyped(ordinal, **changes):
    endpoints = list(BASE.endpoints)
    endpoints[ordinal] = replace(endpoints[ordinal], **changes)
    return replace(BASE, endpoints=tuple(endpoints))


def connected(*connections):
    return replace(BASE, connectivity=replace(BASE.connectivity, internal_connections=connections))


DIFFERENCES = {
    "an access of a port": (BASE, narrower()),
    "a contract of a port": (BASE, volatile()),
    "resources of a port": (
        BASE,
        temporal_memory(connections=EDGES, in_flight=(2, 7)).occurrence,
    ),
    "pattern semantics": (lanes_memory(DIRECT), lanes_memory(LANES)),
    "order of ports": (
        BASE,
        replace(BASE, engine=replace(BASE.engine, ports=BASE.engine.ports[::-1])),
    ),
    "payload of an endpoint": (BASE, retyped(AT["rd_mask"], payload_width=5)),
    "tag of an endpoint": (BASE, retyped(AT["rd_mask"], tag_width=5)),
    "direction of an endpoint": (BASE, retyped(AT["rd_mask"], direction=EndpointDirection.OUT)),
    "schedule": (temporal_memory(contexts=1).occurrence, hybrid_memory().occurrence),
    "capacity": (
        BASE,
        replace(
            BASE,
            engine=replace(
                BASE.engine, contract=replace(BASE.engine.contract, resident_context_count=5)
            ),
        ),
    ),
    "a connection less": (BASE, connected(*TEMPLATE.internal_connections[1:])),
    "another connection": (
        BASE,
        connected(
            TEMPLATE.internal_connections[0],
            InternalConnection(AT["rd_done"], AT["rd_ctrl"]),
            TEMPLATE.internal_connections[1],
        ),
    ),
}


@pytest.mark.parametrize(("left", "right"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_each_difference_makes_another_template(left, right):
    found = engine_template_inventory([left, right, left])
    assert len(found.templates) == 2
    first, second, third = found.of_occurrences
    assert first == third != second
    wires = [engine_codec.encode(each) for each in found.templates]
    assert wires == sorted(wires)
    assert found.view(first).record == memory_engine_template(left)
    assert found.view(second).record == memory_engine_template(right)
    assert (found.occurrences(first), found.occurrences(second)) == ((0, 2), (1,))


def test_storage_alone_has_no_template():
    storage = replace(exposed(BASE), engine=None)
    assert memory_engine_template(storage) is None
    found = engine_template_inventory([storage, BASE])
    assert found.of_occurrences == (None, FabricMemoryEngineTemplateRef(0))
    assert found.occurrences(FabricMemoryEngineTemplateRef(0)) == (1,)
    assert engine_template_inventory([storage]).references() == ()


OTHER = temporal_memory().occurrence
INVENTORY = engine_template_inventory([BASE, OTHER])
HERE, ELSEWHERE = INVENTORY.of_occurrences
VIEW = INVENTORY.view(HERE)


def endpoint(name, owner=HERE):
    return FabricMemoryTemplateEndpointRef(owner, AT[name])


def connection(source, sink, owner=HERE):
    return FabricMemoryTemplateConnectionRef(owner, endpoint(source, owner), endpoint(sink, owner))


def test_references_resolve_to_the_records():
    assert sorted(INVENTORY.references()) == sorted({HERE, ELSEWHERE})
    assert [VIEW.endpoint(each) for each in VIEW.endpoints()] == list(BASE.endpoints)
    assert [VIEW.port(each) for each in VIEW.ports()] == list(BASE.engine.ports)
    for ref, record in zip(VIEW.ports(), BASE.engine.ports, strict=True):
        found = [VIEW.capability_alternative(a) for a in VIEW.capability_alternatives(ref)]
        assert found == list(record.capability_alternatives)
    edges = VIEW.internal_connections()
    assert edges == tuple(connection(*names) for names in EDGES)
    # The ordinal is that of the pair in the connectivity of the occurrence.
    assert [VIEW.internal_connection(each) for each in edges] == [0, 1]


PORT = FabricMemoryTemplatePortRef(HERE, 0)


@pytest.mark.parametrize(
    ("resolve", "reference", "code"),
    [
        (INVENTORY.view, 0, "kind"),
        (INVENTORY.view, FabricMemoryEngineTemplateRef(2), "ordinal"),
        (INVENTORY.view, FabricMemoryEngineTemplateRef(-1), "ordinal"),
        (INVENTORY.occurrences, FabricMemoryEngineTemplateRef(2), "ordinal"),
        (VIEW.port, 0, "kind"),
        (VIEW.port, FabricMemoryTemplateEndpointRef(HERE, 0), "kind"),
        (VIEW.port, FabricMemoryTemplatePortRef(ELSEWHERE, 0), "owner"),
        (VIEW.port, FabricMemoryTemplatePortRef(HERE, 2), "ordinal"),
        (VIEW.endpoint, PORT, "kind"),
        (VIEW.endpoint, endpoint("rd_addr", ELSEWHERE), "owner"),
        (VIEW.endpoint, FabricMemoryTemplateEndpointRef(HERE, len(ENDPOINTS)), "ordinal"),
        (VIEW.capability_alternatives, 0, "kind"),
        (VIEW.capability_alternative, PORT, "kind"),
        (VIEW.capability_alternative, FabricMemoryTemplateAlternativeRef(0, 0), "kind"),
        (
            VIEW.capability_alternative,
            FabricMemoryTemplateAlternativeRef(FabricMemoryTemplatePortRef(ELSEWHERE, 0), 0),
            "owner",
        ),
        (VIEW.capability_alternative, FabricMemoryTemplateAlternativeRef(PORT, 1), "ordinal"),
        (VIEW.internal_connection, 0, "kind"),
        (VIEW.internal_connection, connection(*EDGES[0], owner=ELSEWHERE), "owner"),
        (
            VIEW.internal_connection,
            replace(connection(*EDGES[0]), sink=endpoint("wr_data", ELSEWHERE)),
            "owner",
        ),
        (VIEW.internal_connection, replace(connection(*EDGES[0]), source=AT["rd_data"]), "kind"),
        (
            VIEW.internal_connection,
            replace(connection(*EDGES[0]), sink=FabricMemoryTemplateEndpointRef(HERE, 10)),
            "ordinal",
        ),
        (VIEW.internal_connection, connection("rd_done", "rd_ctrl"), "connection"),
        (VIEW.internal_connection, connection(*EDGES[0][::-1]), "connection"),
        (INVENTORY.view(ELSEWHERE).internal_connection, connection(*EDGES[0]), "owner"),
    ],
)
def test_another_reference_is_refused(resolve, reference, code):
    with pytest.raises(Invalid) as caught:
        resolve(reference)
    assert [each.code for each in caught.value.diagnostics] == [f"reference-{code}"]


def test_an_engine_template_has_ports_and_sorted_connections():
    with pytest.raises(Invalid) as caught:
        replace(TEMPLATE, ports=(), internal_connections=TEMPLATE.internal_connections[::-1])
    codes = [each.code for each in caught.value.diagnostics]
    assert codes == ["engine-ports-empty", "connection-order"]


@pytest.mark.parametrize(
    ("changes", "codes"),
    [
        ({}, set()),
        (
            {"endpoints": retyped(AT["rd_addr"], payload_width=31).endpoints},
            {"address-endpoint-narrow"},
        ),
        ({"endpoints": retyped(AT["rd_addr"], tag_width=None).endpoints}, {"endpoint-untagged"}),
        (
            {"internal_connections": (InternalConnection(AT["wr_data"], AT["rd_data"]),)},
            {"connection-direction"},
        ),
        (
            {"contract": Temporal(TEMPLATE.contract.resident_context_count + 1)},
            {"port-requester-count"},
        ),
        (
            {"internal_connections": (InternalConnection(10, AT["wr_data"]),)},
            {"connection-endpoint-missing"},
        ),
    ],
)
def test_a_template_obeys_the_rules_of_its_occurrences(changes, codes):
    found = template_findings(replace(TEMPLATE, **changes), "template")
    assert {each.code for each in found} == codes


@settings(max_examples=30, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(st.lists(memories(), min_size=1, max_size=3), st.data())
def test_templates_of_drawn_memories_are_legal_and_partition_them(named, data):
    drawn = [each.occurrence for each in named]
    listed = data.draw(st.lists(st.sampled_from(drawn), min_size=1, max_size=5))
    found = engine_template_inventory(listed)
    wires = [engine_codec.encode(each) for each in found.templates]
    assert wires == sorted(set(wires))
    for wire, template in zip(wires, found.templates, strict=True):
        assert engine_codec.decode(wire) == template
        assert tuple(template_findings(template, "template")) == ()
    for occurrence, reference in zip(listed, found.of_occurrences, strict=True):
        record = found.view(reference).record
        assert record.contract == occurrence.engine.contract
        assert record.ports == occurrence.engine.ports
        assert record.endpoints == occurrence.endpoints
        assert record.internal_connections == occurrence.connectivity.internal_connections
    members = [found.occurrences(each) for each in found.references()]
    assert sorted(sum(members, ())) == list(range(len(listed)))
