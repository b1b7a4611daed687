"""One good fabric, one change, one code: every rule that needs more than one record."""

from dataclasses import replace

import pytest

from fabricgen.check.fabric import findings
from fabricgen.records.connectivity import (
    InternalConnection,
    ManagerEndpointTarget,
    OperationPortDispatch,
    SubordinateDispatch,
)
from fabricgen.records.endpoint import ServiceEndpoint, TransportEndpoint
from fabricgen.records.fabric import Fabric, MemoryImplementation, MemoryNames
from fabricgen.records.occurrence import OperationEngine, Spatial, Temporal
from fabricgen.records.service import MemoryServiceRegion
from fabricgen.vocab.dataflow import ServiceValueRole
from fabricgen.vocab.dispatch import AddressTransform
from fabricgen.vocab.fabric import ReadSubwordSemantics, WriteSubwordSemantics
from tests.support.memories import replaced
from tests.support.records import (
    ADDRESS,
    COMPLETION,
    CONTIGUOUS,
    CONTROL,
    DATA,
    ELEMENT,
    IN,
    INDEXED,
    LOAD,
    LOCAL,
    MASK,
    MASKED_LOAD,
    OUT,
    STORE,
    UNMASKED,
    access,
    copy_fabric,
    gather_fabric,
    ins,
    load_fabric,
    occurrence,
    outs,
    port,
    service,
)
from tests.support.temporal import temporal_memory

EXACT, ZERO_EXTEND = ReadSubwordSemantics.EXACT, ReadSubwordSemantics.ZERO_EXTEND
BYTE_ENABLE = WriteSubwordSemantics.BYTE_ENABLE
ELEMENT_LOAD = access(ELEMENT, (32,), read=ZERO_EXTEND)
LOAD_ROLES = {ADDRESS: 0, DATA: 2, CONTROL: 1, COMPLETION: 3}
STORE_ROLES = {ADDRESS: 0, DATA: 1, CONTROL: 2, COMPLETION: 3}


def found(fabric: Fabric) -> list[tuple[str, str]]:
    return [(finding.where, finding.code) for finding in findings(fabric)]


def with_record(fabric: Fabric, **change) -> Fabric:
    """The same fabric with fields of its only occurrence changed."""
    (named,) = fabric.memories
    return replace(
        fabric, memories=(replace(named, occurrence=replace(named.occurrence, **change)),)
    )


def with_names(fabric: Fabric, **change) -> Fabric:
    (named,) = fabric.memories
    return replace(fabric, memories=(replace(named, names=replace(named.names, **change)),))


def record_of(fabric: Fabric):
    return fabric.memories[0].occurrence


def loads(access_class, *widths: tuple[int, ...], roles=None) -> Fabric:
    """A load port over the given (input widths, output widths)."""
    roles = roles or LOAD_ROLES
    record = occurrence(
        ins(*widths[0]) + outs(*widths[1]),
        (port(LOAD, roles, access_class),),
        service(((LOAD, (access_class,)),), requesters=1, banks=1, capacity_bytes=64, beat_bits=32),
    )
    names = tuple(f"e{i}" for i in range(len(record.endpoints)))
    good = load_fabric()
    named = replace(
        good.memories[0], occurrence=record, names=replace(good.memories[0].names, endpoints=names)
    )
    return replace(good, memories=(named,))


def stores(access_class, data_bits: int) -> Fabric:
    record = occurrence(
        ins(32, data_bits, 0) + outs(0),
        (port(STORE, STORE_ROLES, access_class),),
        service(
            ((STORE, (access_class,)),), requesters=1, banks=1, capacity_bytes=64, beat_bits=32
        ),
    )
    return with_record(load_fabric(), **{f: getattr(record, f) for f in record.__slots__})


@pytest.mark.parametrize("fabric", [load_fabric(), copy_fabric(), gather_fabric()])
def test_the_good_fabrics_are_legal(fabric):
    assert found(fabric) == []


def test_a_fabric_has_a_memory():
    assert found(replace(load_fabric(), memories=())) == [("memory", "fabric-empty")]


# Names


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Rd", "name-illegal"),
        ("9a", "name-illegal"),
        ("_a", "name-illegal"),
        ("a_", "name-illegal"),
        ("a__b", "name-illegal"),
        ("a-b", "name-illegal"),
        ("", "name-illegal"),
        ("a b", "name-illegal"),
        ("a\n", "name-illegal"),
        ("\u00e4", "name-illegal"),
        ("\ud800", "name-illegal"),
        ("output", "name-keyword"),
        ("medium", "name-keyword"),
        ("unique0", "name-keyword"),
        ("a" * 65, "name-too-long"),
        ("rd_ctrl", "name-duplicate"),
        ("clk", "name-reserved"),
        ("rst", "name-reserved"),
        ("cfg", "name-reserved"),
        ("cfg_awvalid", "name-reserved"),
    ],
)
def test_endpoint_names(name, code):
    fabric = with_names(load_fabric(), endpoints=("rd_addr", "rd_ctrl", "rd_data", name))
    assert found(fabric) == [("memory[0].endpoint[3].name", code)]


@pytest.mark.parametrize("name", ["a", "a1", "a" * 64, "clk2", "rst_n", "config_in", "a_1"])
def test_legal_endpoint_names(name):
    fabric = with_names(load_fabric(), endpoints=("rd_addr", "rd_ctrl", "rd_data", name))
    assert found(fabric) == []


@pytest.mark.parametrize(
    ("name", "codes"),
    [("a-b", []), ("casex", ["name-keyword"]), ("always-comb", ["name-keyword"]), ("A", None)],
)
def test_fabric_names_may_have_hyphens(name, codes):
    codes = ["name-illegal"] if codes is None else codes
    assert found(replace(load_fabric(), name=name)) == [("name", code) for code in codes]


def test_memory_names_are_identifiers():
    good = load_fabric()
    fabric = replace(good, memories=(replace(good.memories[0], name="mem-0"),))
    assert found(fabric) == [("memory[0].name", "name-illegal")]


def test_memory_names_are_unique():
    good = load_fabric()
    assert found(replace(good, memories=good.memories * 2)) == [
        ("memory[1].name", "name-duplicate")
    ]


def test_joined_names_do_not_collide():
    good = load_fabric()
    left = replace(good.memories[0], name="m")
    right = replace(
        good.memories[0],
        name="m_a",
        names=MemoryNames(("x", "rd_ctrl", "rd_data", "rd_done"), ("read0",), (("direct",),)),
    )
    left = replace(left, names=replace(left.names, endpoints=("a_x", "b", "c", "d")))
    assert found(replace(good, memories=(left, right))) == [("memory", "name-collision")]


@pytest.mark.parametrize(
    ("change", "where", "code"),
    [
        ({"endpoints": ("a", "b", "c")}, "names.endpoints", "names-count"),
        ({"ports": ("a", "b")}, "names.ports", "names-count"),
        ({"patterns": ()}, "names.patterns", "names-count"),
        ({"patterns": (("a", "b"),)}, "names.patterns[0]", "names-count"),
        ({"subordinates": ("from0",)}, "names.subordinates", "names-count"),
        ({"ports": ("Read",)}, "port[0].name", "name-illegal"),
        ({"patterns": (("in out",),)}, "port[0].pattern[0].name", "name-illegal"),
    ],
)
def test_each_thing_has_one_legal_name(change, where, code):
    assert found(with_names(load_fabric(), **change)) == [(f"memory[0].{where}", code)]


def test_port_names_are_unique():
    assert found(with_names(copy_fabric(), ports=("p", "p"))) == [
        ("memory[0].port[1].name", "name-duplicate")
    ]


# Occurrence forms


def test_an_occurrence_is_not_empty():
    record = record_of(load_fabric())
    empty = replace(record.connectivity, operation_ports=())
    fabric = with_record(load_fabric(), engine=None, local_service=None, connectivity=empty)
    fabric = with_names(fabric, ports=(), patterns=())
    assert found(fabric) == [("memory[0]", "occurrence-empty")]


def test_an_engine_has_something_behind_it():
    assert found(with_record(load_fabric(), local_service=None)) == [
        ("memory[0].engine", "engine-unbacked"),
        (
            "memory[0].connectivity.operation_ports[0].capability_target_domains[0][0]",
            "dispatch-target-missing",
        ),
    ]


def test_a_manager_backs_an_engine():
    far = (OperationPortDispatch(((ManagerEndpointTarget(0),),)),)
    fabric = with_record(
        load_fabric(),
        local_service=None,
        manager_endpoints=(ServiceEndpoint(64),),
        connectivity=replace(record_of(load_fabric()).connectivity, operation_ports=far),
    )
    (named,) = fabric.memories
    assert found(fabric) == [("memory[0].names.managers", "names-count")]
    names = replace(named.names, managers=("ext0",))
    assert found(replace(fabric, memories=(replace(named, names=names),))) == []


SUBORDINATE = SubordinateDispatch(1, (), AddressTransform.NONE, (LOCAL,))


@pytest.mark.parametrize(
    ("subordinates", "expected"),
    [(0, [("memory[0].local_service", "storage-unreachable")]), (1, [])],
)
def test_storage_alone_is_exposed(subordinates, expected):
    record = record_of(load_fabric())
    fabric = with_record(
        load_fabric(),
        endpoints=(),
        engine=None,
        subordinate_endpoints=(ServiceEndpoint(32),) * subordinates,
        connectivity=replace(
            record.connectivity,
            operation_ports=(),
            subordinate_endpoints=(SUBORDINATE,) * subordinates,
        ),
    )
    fabric = with_names(
        fabric, endpoints=(), ports=(), patterns=(), subordinates=("from0",) * subordinates
    )
    # The service of the good fabric has one requester, which only the subordinate provides.
    requester = ("memory[0].local_service.resource_contract.requester_count",)
    missing = [(*requester, "service-requester-count")] if not subordinates else []
    assert found(fabric) == expected + missing


@pytest.mark.parametrize("kept", [0, 2, 4])
def test_storage_alone_has_no_token_endpoints(kept):
    """Without an engine nobody could take or make their tokens; one storage has one record."""
    record, names = record_of(load_fabric()), load_fabric().memories[0].names.endpoints
    fabric = with_record(
        load_fabric(),
        endpoints=record.endpoints[:kept],
        engine=None,
        subordinate_endpoints=(ServiceEndpoint(32),),
        connectivity=replace(
            record.connectivity, operation_ports=(), subordinate_endpoints=(SUBORDINATE,)
        ),
    )
    fabric = with_names(
        fabric, endpoints=names[:kept], ports=(), patterns=(), subordinates=("from0",)
    )
    assert found(fabric) == ([("memory[0].endpoints", "storage-token-endpoint")] if kept else [])


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("from0", "from1"), []),
        (("from0",), [("memory[0].names.subordinates", "names-count")]),
        (("from0", "From1"), [("memory[0].subordinate_endpoints[1].name", "name-illegal")]),
        (("from0", "cfg_in"), [("memory[0].subordinate_endpoints[1].name", "name-reserved")]),
        (
            ("from0", "from0"),
            [("memory[0].subordinate_endpoints[1].name", "name-duplicate")],
        ),
    ],
)
def test_each_subordinate_has_a_name_like_an_endpoint(names, expected):
    assert found(exposed(names)) == expected


def test_a_subordinate_starts_ports_of_its_own():
    fabric = exposed(("from0", "from1"))
    taken = with_names(fabric, endpoints=("from0_req", "rd_ctrl", "rd_data", "rd_done"))
    assert found(taken) == [("memory", "name-collision")]
    free = with_names(fabric, endpoints=("from0", "rd_ctrl", "rd_data", "rd_done"))
    assert found(free) == []


def test_a_bus_of_a_subordinate_starts_its_ports():
    fabric = exposed(("from0", "from1"))
    option = MemoryImplementation(subordinate_protocol="axi4")
    bussed = replace(fabric, memories=(replace(fabric.memories[0], implementation=option),))
    taken = with_names(bussed, endpoints=("from0_axi", "rd_ctrl", "rd_data", "rd_done"))
    assert found(taken) == [("memory", "name-collision")]
    free = with_names(bussed, endpoints=("from0_req", "rd_ctrl", "rd_data", "rd_done"))
    assert found(free) == []


@pytest.mark.parametrize(
    ("patterns", "unserved"), [((0, 1, 2), []), ((0, 2), [0]), ((0, 1), [1]), ((0,), [0, 1])]
)
def test_a_subordinate_that_reaches_the_service_is_served(patterns, unserved):
    assert found(exposed(("from0", "from1"), patterns)) == [
        (f"memory[0].subordinate_endpoints[{ordinal}].targets", "target-serves-nothing")
        for ordinal in unserved
    ]


def test_a_subordinate_of_a_manager_alone_needs_no_service():
    fabric = exposed(("from0", "from1"), (0,))
    record = record_of(fabric)
    outward = replace(SUBORDINATE, targets=(ManagerEndpointTarget(0),))
    fabric = with_record(
        fabric,
        manager_endpoints=(ServiceEndpoint(32),),
        connectivity=replace(record.connectivity, subordinate_endpoints=(outward,) * 2),
    )
    assert found(with_names(fabric, managers=("ext0",))) == []


def exposed(names: tuple[str, ...], patterns: tuple[int, ...] = (0, 1, 2)) -> Fabric:
    """A load fabric whose service two subordinates reach, and which serves these requesters."""
    record = occurrence(
        ins(32, 0) + outs(32, 0),
        (port(LOAD, LOAD_ROLES, ELEMENT_LOAD),),
        service(((LOAD, (ELEMENT_LOAD,)),), requesters=3, banks=1, capacity_bytes=64, beat_bits=32),
    )
    contract = record.local_service.memory_service_contract
    (only,) = contract.capabilities
    served = replace(contract, capabilities=(replace(only, admissible_use_patterns=patterns),))
    fabric = with_record(
        load_fabric(),
        local_service=replace(record.local_service, memory_service_contract=served),
        subordinate_endpoints=(ServiceEndpoint(32), ServiceEndpoint(64)),
        connectivity=replace(record.connectivity, subordinate_endpoints=(SUBORDINATE,) * 2),
    )
    return with_names(fabric, subordinates=names)


# Endpoints and roles


def test_inputs_stand_first():
    endpoints = (*record_of(load_fabric()).endpoints, TransportEndpoint(IN, 0))
    fabric = with_names(
        with_record(load_fabric(), endpoints=endpoints), endpoints=("a", "b", "c", "d", "e")
    )
    assert found(fabric) == [("memory[0].endpoint[4]", "endpoint-order")]


def test_spatial_endpoints_are_untagged():
    endpoints = record_of(load_fabric()).endpoints
    tagged = (replace(endpoints[0], tag_width=4), *endpoints[1:])
    assert found(with_record(load_fabric(), endpoints=tagged)) == [
        ("memory[0].endpoint[0].tag_width", "endpoint-tagged")
    ]


def test_ports_list_endpoints_of_their_occurrence():
    endpoints = record_of(load_fabric()).endpoints[:3]
    fabric = with_names(with_record(load_fabric(), endpoints=endpoints), endpoints=("a", "b", "c"))
    assert found(fabric) == [("memory[0].port[0].endpoint_inventory[3]", "port-endpoint-missing")]


ALTERNATIVE = "memory[0].port[0].alternative[0]"


def test_an_input_role_has_an_input():
    roles = {ADDRESS: 1, DATA: 2, CONTROL: 0, COMPLETION: 3}
    fabric = loads(ELEMENT_LOAD, (0,), (32, 32, 0), roles=roles)
    assert found(fabric) == [(f"{ALTERNATIVE}.role_to_endpoint[address]", "role-direction")]


def test_a_result_role_has_an_output():
    roles = {ADDRESS: 0, DATA: 1, CONTROL: 2, COMPLETION: 3}
    fabric = loads(ELEMENT_LOAD, (32, 32, 0), (0,), roles=roles)
    assert found(fabric) == [(f"{ALTERNATIVE}.role_to_endpoint[data]", "role-direction")]


@pytest.mark.parametrize(
    ("widths", "role"), [(((32, 1), (32, 0)), "control"), (((32, 0), (32, 8)), "completion")]
)
def test_events_have_no_payload(widths, role):
    assert found(loads(ELEMENT_LOAD, *widths)) == [
        (f"{ALTERNATIVE}.role_to_endpoint[{role}]", "role-kind")
    ]


def test_roles_do_not_share_an_endpoint():
    masked = access(CONTIGUOUS, (8,), (4,), masks=(MASKED_LOAD,), read=ZERO_EXTEND)
    roles = {ADDRESS: 0, DATA: 2, MASK: 0, CONTROL: 1, COMPLETION: 3}
    assert found(loads(masked, (32, 0), (32, 0), roles=roles)) == [
        (f"{ALTERNATIVE}.role_to_endpoint[mask]", "role-endpoint-shared")
    ]


# Widths and subword guarantees


@pytest.mark.parametrize(
    ("access_class", "address", "data", "field", "code"),
    [
        (ELEMENT_LOAD, 31, 32, "address_domain", "address-endpoint-narrow"),
        (ELEMENT_LOAD, 32, 31, "element_width_bits", "data-endpoint-narrow"),
        (
            access(ELEMENT, (32,), index_bits=(16, 64), read=ZERO_EXTEND),
            63,
            32,
            "address_domain",
            "address-endpoint-narrow",
        ),
        (
            access(INDEXED, (8,), (1, 4), read=ZERO_EXTEND),
            127,
            32,
            "address_domain",
            "address-endpoint-narrow",
        ),
        (
            access(CONTIGUOUS, (16, 32), (2, 4), read=ZERO_EXTEND),
            32,
            127,
            "element_width_bits",
            "data-endpoint-narrow",
        ),
        (
            access(CONTIGUOUS, (2**63,), (2**63,), read=ZERO_EXTEND),
            32,
            2**64 - 1,
            "element_width_bits",
            "data-endpoint-narrow",
        ),
    ],
)
def test_every_admitted_payload_fits_its_endpoint(access_class, address, data, field, code):
    fabric = loads(access_class, (address, 0), (data, 0))
    assert found(fabric) == [(f"{ALTERNATIVE}.access[0].{field}", code)]


def test_equal_total_width_does_not_carry_an_indexed_address():
    """Sixteen bytes fill 128 bits, and so do two double words; their indices differ."""
    bytes16 = access(INDEXED, (8,), (16,), index_bits=(64,), read=EXACT)
    doubles = access(INDEXED, (64,), (2,), index_bits=(64,), read=EXACT)
    assert found(loads(doubles, (128, 0), (128, 0))) == []
    assert found(loads(bytes16, (128, 0), (128, 0))) == [
        (f"{ALTERNATIVE}.access[0].address_domain", "address-endpoint-narrow")
    ]


@pytest.mark.parametrize("bits", [3, 4])
def test_a_mask_endpoint_has_a_bit_per_lane(bits):
    masked = access(CONTIGUOUS, (8,), (2, 4), masks=(UNMASKED, MASKED_LOAD), read=ZERO_EXTEND)
    roles = {ADDRESS: 0, DATA: 3, MASK: 1, CONTROL: 2, COMPLETION: 4}
    expected = (f"{ALTERNATIVE}.access[0].flattened_lane_count", "mask-endpoint-narrow")
    assert found(loads(masked, (32, bits, 0), (32, 0), roles=roles)) == [expected][bits - 3 :]


@pytest.mark.parametrize(
    ("elements", "lanes", "data", "is_legal"),
    [((32,), (4,), 128, True), ((32,), (4,), 256, False), ((16, 32), (4,), 128, False)],
)
def test_exact_reads_fill_the_endpoint(elements, lanes, data, is_legal):
    fabric = loads(access(CONTIGUOUS, elements, lanes, read=EXACT), (32, 0), (data, 0))
    expected = (f"{ALTERNATIVE}.access[0].read_subword", "read-subword-exact")
    assert found(fabric) == ([] if is_legal else [expected])


def test_one_payload_that_fills_the_endpoint_is_not_enough_for_exact():
    fabric = loads(access(ELEMENT, (32, 64), read=EXACT), (32, 0), (32, 0))
    assert found(fabric) == [
        (f"{ALTERNATIVE}.access[0].element_width_bits", "data-endpoint-narrow"),
        (f"{ALTERNATIVE}.access[0].read_subword", "read-subword-exact"),
    ]


@pytest.mark.parametrize(
    ("write", "elements", "lanes", "data", "code"),
    [
        (WriteSubwordSemantics.EXACT, (32,), (1,), 32, None),
        (WriteSubwordSemantics.EXACT, (16,), (1,), 32, "write-subword-exact"),
        (WriteSubwordSemantics.EXACT, (12,), (1,), 12, None),
        (BYTE_ENABLE, (8, 16), (1,), 32, None),
        (BYTE_ENABLE, (8, 12), (1,), 32, "write-subword-byte-enable"),
        (BYTE_ENABLE, (4,), (2, 4), 32, None),
        (BYTE_ENABLE, (4,), (2, 3), 32, "write-subword-byte-enable"),
        (BYTE_ENABLE, ((16, 17),), (1,), 32, "write-subword-byte-enable"),
        (BYTE_ENABLE, ((1, 32),), (8,), 256, None),
    ],
)
def test_writes_keep_their_guarantee(write, elements, lanes, data, code):
    form = ELEMENT if lanes == (1,) else CONTIGUOUS
    fabric = stores(access(form, elements, lanes, write=write), data)
    expected = [(f"{ALTERNATIVE}.access[0].write_subword", code)] if code else []
    assert found(fabric) == expected


# Resource owners


def test_a_spatial_port_has_one_requester():
    record = record_of(load_fabric())
    (only,) = record.engine.ports
    contract = replace(only.resource_contract, requester_count=2)
    engine = OperationEngine(Spatial(), (replace(only, resource_contract=contract),))
    assert found(with_record(load_fabric(), engine=engine)) == [
        ("memory[0].port[0].resource_contract.requester_count", "port-requester-count")
    ]


def with_service(fabric: Fabric, **change) -> Fabric:
    return with_record(fabric, local_service=replace(record_of(fabric).local_service, **change))


def with_contract(fabric: Fabric, **change) -> Fabric:
    contract = record_of(fabric).local_service.memory_service_contract
    return with_service(fabric, memory_service_contract=replace(contract, **change))


def test_the_requesters_of_a_service_are_the_ports():
    contract = record_of(load_fabric()).local_service.memory_service_contract.resource_contract
    fabric = with_contract(load_fabric(), resource_contract=replace(contract, requester_count=2))
    assert found(fabric) == [
        (
            "memory[0].local_service.resource_contract.requester_count",
            "service-requester-count",
        )
    ]


@pytest.mark.parametrize("region", [(0, 1025), (1024, 1), (2**63, 2**63 - 1)])
def test_a_region_lies_inside_the_capacity(region):
    fabric = with_contract(load_fabric(), regions=(MemoryServiceRegion(*region),))
    assert found(fabric) == [("memory[0].local_service.region[0]", "region-outside-capacity")]


def test_a_reachable_service_serves_something():
    only = record_of(load_fabric()).local_service.memory_service_contract.capabilities[0]
    other = access(ELEMENT, (64,), read=ZERO_EXTEND)
    domain = replace(only.access_domain, access_classes=(other,))
    fabric = with_contract(load_fabric(), capabilities=(replace(only, access_domain=domain),))
    assert found(fabric) == [(ALTERNATIVE, "target-serves-nothing")]


def test_a_capability_of_another_requester_does_not_count():
    first, second = record_of(copy_fabric()).local_service.memory_service_contract.capabilities
    swapped = (
        replace(first, admissible_use_patterns=(1,)),
        replace(second, admissible_use_patterns=(0,)),
    )
    assert found(with_contract(copy_fabric(), capabilities=swapped)) == [
        ("memory[0].port[0].alternative[0]", "target-serves-nothing"),
        ("memory[0].port[1].alternative[0]", "target-serves-nothing"),
    ]


# Dispatch


def with_connectivity(fabric: Fabric, **change) -> Fabric:
    return with_record(fabric, connectivity=replace(record_of(fabric).connectivity, **change))


@pytest.mark.parametrize(
    ("change", "where", "code"),
    [
        ({"operation_ports": ()}, "operation_ports", "dispatch-shape"),
        (
            {"operation_ports": (OperationPortDispatch(((LOCAL,), (LOCAL,))),)},
            "operation_ports[0].capability_target_domains",
            "dispatch-shape",
        ),
        (
            {"subordinate_endpoints": (SUBORDINATE,)},
            "subordinate_endpoints",
            "dispatch-shape",
        ),
        (
            {"operation_ports": (OperationPortDispatch(((LOCAL, ManagerEndpointTarget(0)),)),)},
            "operation_ports[0].capability_target_domains[0][1]",
            "dispatch-target-missing",
        ),
        (
            {"internal_connections": (InternalConnection(4, 0),)},
            "internal_connections[0].source_endpoint_ordinal",
            "connection-endpoint-missing",
        ),
        (
            {"internal_connections": (InternalConnection(0, 1),)},
            "internal_connections[0].source_endpoint_ordinal",
            "connection-direction",
        ),
        (
            {"internal_connections": (InternalConnection(2, 3),)},
            "internal_connections[0].sink_endpoint_ordinal",
            "connection-direction",
        ),
        (
            {"internal_connections": (InternalConnection(3, 0),)},
            "internal_connections[0]",
            "connection-narrows",
        ),
    ],
)
def test_connectivity_fits_the_occurrence(change, where, code):
    assert found(with_connectivity(load_fabric(), **change)) == [
        (f"memory[0].connectivity.{where}", code)
    ]


def test_a_wider_source_may_feed_a_narrower_sink():
    fabric = with_connectivity(load_fabric(), internal_connections=(InternalConnection(2, 1),))
    assert found(fabric) == []


def test_all_findings_come_at_once():
    good = load_fabric()
    endpoints = (
        TransportEndpoint(IN, 8),
        *record_of(good).endpoints[1:3],
        TransportEndpoint(OUT, 1),
    )
    fabric = with_names(with_record(good, endpoints=endpoints), endpoints=("a", "a", "b", "cfg"))
    assert sorted(code for _, code in found(fabric)) == [
        "address-endpoint-narrow",
        "name-duplicate",
        "name-reserved",
        "role-kind",
    ]


def test_messages_name_requirement_and_found_value():
    (finding,) = findings(loads(ELEMENT_LOAD, (32, 0), (16, 0)))
    assert str(finding) == (
        "memory[0].port[0].alternative[0].access[0].element_width_bits: Every payload must fit "
        "the 16 bits of memory[0].port[0].alternative[0].role_to_endpoint[data], not take 32 bits "
        "(1 of 32) [data-endpoint-narrow]"
    )


def temporal(changes=None, **options):
    """Findings of the Temporal memory after a change to its engine or endpoints."""
    named = temporal_memory(**options)
    return found(Fabric("temporal", (replaced(named, **changes(named)) if changes else named,)))


def test_a_temporal_memory_is_legal():
    assert temporal() == []
    assert temporal(contexts=1, tag_width=1) == []
    assert temporal(managers={"ext0": 64}, connections=[("rd_data", "wr_data")]) == []


def test_a_temporal_control_shares_an_ingress_with_a_payload_and_a_completion_does_not():
    """As in the specification's example of several roles on one ingress."""

    def bound(role, endpoint):
        def change(named):
            first, *ports = named.occurrence.engine.ports
            (alternative,) = first.capability_alternatives
            roles = dict(alternative.role_to_endpoint) | {role: endpoint}
            changed = replace(alternative, role_to_endpoint=tuple(roles.items()))
            engine = replace(
                named.occurrence.engine,
                ports=(replace(first, capability_alternatives=(changed,)), *ports),
            )
            return {"engine": engine}

        return change

    # rd_addr is endpoint 0; wr_done, which has no payload, is the last one, and is widened here.
    assert temporal(bound(ServiceValueRole.CONTROL, 0)) == []

    def widened(named):
        *others, last = named.occurrence.endpoints
        return {"endpoints": (*others, replace(last, payload_width=8))}

    assert [code for _, code in temporal(widened)] == ["role-kind"]


@pytest.mark.parametrize("bits", [0, 1, 8])
def test_a_temporal_control_alone_has_an_ingress_without_payload(bits):
    """Where no role has a payload to share, nothing would ever use the ingress's bits."""

    def widened(named):
        (control,) = (i for i, name in enumerate(named.names.endpoints) if name == "rd_ctrl")
        endpoints = list(named.occurrence.endpoints)
        endpoints[control] = replace(endpoints[control], payload_width=bits)
        return {"endpoints": tuple(endpoints)}

    where = "memory[0].port[0].alternative[0].role_to_endpoint[control]"
    assert temporal(widened) == ([(where, "role-kind")] if bits else [])


def with_tag(width):
    def change(named):
        first, *rest = named.occurrence.endpoints
        return {"endpoints": (first, replace(rest[0], tag_width=width), *rest[1:])}

    return change


@pytest.mark.parametrize(
    ("width", "code"), [(None, "endpoint-untagged"), (5, "endpoint-tag-widths")]
)
def test_temporal_endpoints_have_tags_of_one_width(width, code):
    assert temporal(with_tag(width)) == [("memory[0].endpoint[1].tag_width", code)]


def test_the_requesters_of_a_temporal_port_are_its_contexts():
    def fewer(named):
        return {"engine": replace(named.occurrence.engine, contract=Temporal(2))}

    assert [code for _, code in temporal(fewer)] == [
        "names-count",
        "names-count",
        "port-requester-count",
        "port-requester-count",
    ]


@pytest.mark.parametrize(("count", "codes"), [(1, []), (4, []), (2, ["names-count"])])
def test_a_use_pattern_is_named_alone_or_with_those_of_the_other_contexts(count, codes):
    named = temporal_memory()
    (_, *others) = named.names.patterns
    assert len(named.occurrence.engine.ports[0].resource_contract.use_patterns) == 4
    patterns = (tuple(f"pattern-{i}" for i in range(count)), *others)
    named = replace(named, names=replace(named.names, patterns=patterns))
    assert [code for _, code in found(Fabric("temporal", (named,)))] == codes


@pytest.mark.parametrize(
    ("managers", "codes"),
    [
        ({"ext0": 64, "ext1": 64}, []),
        ({"Ext": 64}, ["name-illegal"]),
        ({"cfg_bus": 64}, ["name-reserved"]),
        ({"wire": 64}, ["name-keyword"]),
    ],
)
def test_manager_names_are_those_of_ports_of_the_top(managers, codes):
    assert [code for _, code in temporal(managers=managers)] == codes


def test_a_manager_and_an_endpoint_do_not_make_one_port_name():
    named = temporal_memory(managers={"ext": 64})
    endpoints = ("ext_req", *named.names.endpoints[1:])
    named = replace(named, names=replace(named.names, endpoints=endpoints))
    assert found(Fabric("temporal", (named,))) == [("memory", "name-collision")]
    named = temporal_memory(managers={"ext": 64, "far": 64})
    named = replace(named, names=replace(named.names, managers=("far", "far")))
    assert found(Fabric("temporal", (named,))) == [
        ("memory[0].manager_endpoints[1].name", "name-duplicate")
    ]
