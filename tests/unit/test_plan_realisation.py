from dataclasses import replace

import pytest

from fabricgen.errors.catalog.plan import RULES
from fabricgen.plan.contract import port_contract
from fabricgen.plan.realisation import unsupported, unsupported_rows
from fabricgen.plan.rows import Disabled
from fabricgen.records.connectivity import ManagerEndpointTarget, SubordinateDispatch
from fabricgen.records.endpoint import ServiceEndpoint
from fabricgen.records.fabric import Fabric, MemoryImplementation, NamedOp
from fabricgen.records.occurrence import Temporal
from fabricgen.records.resource import CapacityDimension
from fabricgen.records.service import Mmio
from fabricgen.vocab.dispatch import AddressTransform
from fabricgen.vocab.fabric import EndpointDirection, MemoryPortTransactionProjection
from tests.support.hsg_ops import add_sub
from tests.support.memories import (
    CONTIGUOUS,
    ELEMENT,
    LOAD,
    LOCAL,
    access_class,
    actor,
    alternative,
    capability,
    memory,
    port,
    replaced,
    row,
    service,
    table,
    view,
)
from tests.support.records import copy_fabric, gather_fabric, load_fabric, service_resources
from tests.support.temporal import manager_memory, temporal_memory

SINGLE = load_fabric().memories[0]
RECORD = SINGLE.occurrence
(PORT,) = RECORD.engine.ports
(CAPABILITY,) = RECORD.local_service.memory_service_contract.capabilities


def found(**changes):
    named = replace(SINGLE, occurrence=replace(RECORD, **changes))
    return [(d.where, d.code) for d in unsupported(Fabric("f", (named,)))]


def with_port(**changes):
    return replace(RECORD.engine, ports=(replace(PORT, **changes),))


@pytest.mark.parametrize("fabric", [load_fabric(), copy_fabric(), gather_fabric()])
def test_the_good_fabrics_are_realised(fabric):
    assert unsupported(fabric) == ()


def test_a_fabric_has_at_most_one_memory():
    assert [d.code for d in unsupported(Fabric("f", (SINGLE, SINGLE)))] == ["multiple-memories"]
    assert unsupported(Fabric("f", (), (NamedOp("alu", add_sub()),))) == ()


def test_a_fabric_has_at_most_1024_ops():
    op = NamedOp("alu", add_sub(widths=(8,)))
    for count, codes in ((1024, []), (1025, ["op-count-limit"])):
        assert [d.code for d in unsupported(Fabric("f", (SINGLE,), (op,) * count))] == codes


def test_a_fabric_has_at_most_65_000_wires_into_it():
    """An adder of 64 bits has two operands and their offers, and takes whether its result went."""
    wide, narrow = NamedOp("wide", add_sub(widths=(64,))), NamedOp("narrow", add_sub(widths=(8,)))
    assert (65000 - 495 * 131) // 19 == 8
    assert 495 * 131 + 8 * 19 <= 65000 < 495 * 131 + 9 * 19
    assert unsupported(Fabric("f", (), (wide,) * 495 + (narrow,) * 8)) == ()
    (finding,) = unsupported(Fabric("f", (), (wide,) * 495 + (narrow,) * 9))
    assert (finding.code, finding.where) == ("fabric-wire-limit", "fabric")
    assert finding.message.endswith("at most 65000 wires into it, not 65016")


def test_endpoints_count_among_the_wires_into_a_fabric():
    """Those of this memory: payload and offer of each input, and one wire back of each output."""
    ways = RECORD.endpoints
    own = sum(1 + each.payload_width * (each.direction is EndpointDirection.IN) for each in ways)
    full = (65000 - own) // 131
    op = NamedOp("wide", add_sub(widths=(64,)))
    assert unsupported(Fabric("f", (SINGLE,), (op,) * full)) == ()
    (finding,) = unsupported(Fabric("f", (SINGLE,), (op,) * (full + 1)))
    assert finding.message.endswith(f"not {own + (full + 1) * 131}")


def test_device_registers_have_no_hardware():
    service = RECORD.local_service
    contract = service.memory_service_contract
    (capability,) = contract.capabilities
    (region,) = contract.regions
    registers = replace(region, behavior=Mmio(capability.access_domain))
    changed = replace(service, memory_service_contract=replace(contract, regions=(registers,)))
    assert found(local_service=changed) == [
        ("memory[0].local_service.memory_service_contract.regions[0].behavior", "region-mmio")
    ]


WIDE = replace(RECORD.endpoints[0], payload_width=16385)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"manager_endpoints": (ServiceEndpoint(24),)}, "manager-beat-width"),
        ({"manager_endpoints": (ServiceEndpoint(4),)}, "manager-beat-width"),
        ({"manager_endpoints": (ServiceEndpoint(8192),)}, "manager-beat-width"),
        ({"endpoints": (WIDE, *RECORD.endpoints[1:])}, "endpoint-width-limit"),
    ],
)
def test_each_limit_has_its_code(changes, code):
    assert [c for _, c in found(**changes)] == [code]


@pytest.mark.parametrize(
    "named",
    [
        temporal_memory(),
        temporal_memory(contexts=1, tag_width=64),
        temporal_memory(lanes=True, connections=[("rd_data", "wr_data")]),
        temporal_memory(managers={"ext0": 64, "ext1": 8}),
        manager_memory(beat=8),
    ],
)
def test_temporal_memories_are_realised(named):
    assert unsupported(Fabric("f", (named,))) == ()


def codes_of(named):
    return {d.code for d in unsupported(Fabric("f", (named,)))}


def test_a_tag_has_at_most_64_bits():
    assert codes_of(temporal_memory(tag_width=65)) == {"tag-width-limit"}


def test_an_engine_has_at_most_64_contexts():
    # Only the contract says so: a record of so many rows is slow to build, and is not looked at.
    named = temporal_memory(contexts=1)
    engine = replace(named.occurrence.engine, contract=Temporal(65))
    assert codes_of(replaced(named, engine=engine)) == {"resident-context-limit"}


@pytest.mark.parametrize(("slots", "codes"), [(1024, set()), (1025, {"port-depth-limit"})])
def test_the_rings_of_all_rows_have_at_most_4096_entries(slots, codes):
    # 4 rows of 1025 entries take 4 rings of 2048.
    capacities = {"in_flight": (slots, 8192), "result_holding": (slots, 8192)}
    assert codes_of(temporal_memory(**capacities)) == codes


@pytest.mark.parametrize(
    ("depth", "codes"), [(0, {"port-depth-limit"}), (1, set()), (2, set()), (2**32 - 1, set())]
)
def test_a_temporal_operand_has_a_place_whatever_its_depth(depth, codes):
    """It takes a token only while it is empty, so a greater depth asks for nothing more."""
    named = temporal_memory()
    read, write = named.occurrence.engine.ports
    states = read.resource_contract.states
    deep = replace(
        read,
        resource_contract=replace(
            read.resource_contract, states=(*states[:-1], (CapacityDimension(depth),))
        ),
    )
    engine = replace(named.occurrence.engine, ports=(deep, write))
    assert codes_of(replaced(named, engine=engine)) == codes


@pytest.mark.parametrize("lanes", [0, -1])
def test_a_port_issues_a_lane_a_cycle(lanes):
    option = MemoryImplementation(issue_lanes=lanes)
    assert codes_of(temporal_memory(implementation=option)) == {"issue-lanes"}


@pytest.mark.parametrize(("depth", "codes"), [(0, 1), (1, 0), (4096, 0), (4097, 1)])
def test_a_queue_has_a_realisable_depth(depth, codes):
    contract = port_contract(
        in_flight=(4, 4), result_holding=(4, 4), operand_depths=(2, depth), transactions=(1,)
    )
    found_codes = [c for _, c in found(engine=with_port(resource_contract=contract))]
    assert found_codes == ["port-depth-limit"] * codes


def test_an_index_wider_than_a_byte_address_is_not_realised():
    wide = access_class(ELEMENT, LOAD, elements=(32,), lanes=(1,), index=(32, 65))
    roles = {"address": 0, "control": 1, "data": 2, "completion": 3}
    named = memory(
        {"a": 128, "c": 0, "d": 32, "x": 0},
        2,
        (port(alternative(LOAD, roles, (wide,)), inputs=2),),
        service(capability(LOAD, (wide,), (0,)), requesters=1),
    )
    assert [(d.where, d.code) for d in unsupported(Fabric("f", (named,)))] == [
        ("memory[0].port[0].alternative[0].access[0].address_domain", "index-width-limit")
    ]


def test_row_major_lanes_are_realised():
    named = gather_fabric().memories[0]
    (port,) = named.occurrence.engine.ports
    contract = port.resource_contract
    (pattern,) = contract.use_patterns
    lanes = replace(pattern, internal_transactions=((0, 1, 2, 3),) * 4)
    port = replace(
        port,
        resource_contract=replace(contract, use_patterns=(lanes,)),
        operation_pattern_semantics=(MemoryPortTransactionProjection.ACTIVE_LANES_ROW_MAJOR,),
    )
    named = replaced(named, engine=replace(named.occurrence.engine, ports=(port,)))
    assert unsupported(Fabric("f", (named,))) == ()


def test_a_contract_of_other_states_is_placed_in_its_port():
    states = PORT.resource_contract.states[:-1]
    contract = replace(PORT.resource_contract, states=states)
    assert found(engine=with_port(resource_contract=contract)) == [
        ("memory[0].port[0].resource_contract.states", "port-contract-shape")
    ]


def test_every_finding_is_reported_at_once():
    codes = [c for _, c in found(endpoints=(WIDE,), manager_endpoints=(ServiceEndpoint(24),))]
    assert codes == ["endpoint-width-limit", "manager-beat-width"]


def test_without_the_option_every_base_is_realised():
    odd = row(0, LOAD, view(ELEMENT), base=5)
    assert unsupported_rows(SINGLE, table(odd)) == ()
    assert unsupported_rows(SINGLE, Disabled()) == ()


def test_aligned_bases_are_multiples_of_their_element():
    aligned = replace(SINGLE, implementation=MemoryImplementation(aligned_bases=True))

    def refused(base, element):
        rows = table(row(0, LOAD, view(ELEMENT, element=element), base=base))
        return [(d.where, d.code) for d in unsupported_rows(aligned, rows)]

    assert refused(6, 16) == []
    assert refused(5, 8) == []
    assert refused(6, 32) == [("operation_rows[0].base_addr", "row-base-unaligned")]


def test_codes_are_kebab_case():
    assert all(code == code.lower().replace("_", "-") for code in RULES)


def test_the_requesters_are_the_ports():
    local = replace(
        RECORD.local_service,
        memory_service_contract=replace(
            RECORD.local_service.memory_service_contract,
            resource_contract=service_resources(2, banks=2),
            capabilities=(replace(CAPABILITY, admissible_use_patterns=(0, 1)),),
        ),
    )
    assert [c for _, c in found(local_service=local)] == ["service-requester-count"]
    # The second one is a subordinate endpoint.
    dispatched = (SubordinateDispatch(1, (), AddressTransform.NONE, (LOCAL,)),)
    assert (
        found(
            local_service=local,
            subordinate_endpoints=(ServiceEndpoint(32),),
            connectivity=replace(RECORD.connectivity, subordinate_endpoints=dispatched),
        )
        == []
    )


EXT0 = ManagerEndpointTarget(0)


@pytest.mark.parametrize(
    ("access", "base", "target", "codes"),
    [
        (view(ELEMENT), 4, EXT0, []),
        (view(ELEMENT), 6, EXT0, ["row-volatile-beats"]),
        (view(ELEMENT, element=64), 8, EXT0, ["row-volatile-beats"]),
        (view(ELEMENT, element=24), 3, EXT0, ["row-volatile-beats"]),
        (view(CONTIGUOUS, element=8, lanes=2), 0, EXT0, ["row-volatile-beats"]),
        (view(CONTIGUOUS, element=8, lanes=2), 0, LOCAL, []),
    ],
)
def test_a_volatile_access_of_a_manager_is_one_operation(access, base, target, codes):
    named = temporal_memory(managers={"ext0": 32})
    plain = row(0, LOAD, access, base=base, target=target)
    volatile = replace(plain, actor=actor(LOAD, volatile=True))
    assert [d.code for d in unsupported_rows(named, table(volatile))] == codes
    assert unsupported_rows(named, table(plain)) == ()
