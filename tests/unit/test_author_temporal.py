"""Documents of Temporal memories, managers, connections and lanes: records and exact findings."""

import copy
import tomllib

import pytest

from fabricgen.author.fabric import author_fabric, parse_fabric
from fabricgen.errors import Invalid, Unsupported
from fabricgen.plan.capacity import port_capacities
from fabricgen.plan.contract import port_contract
from fabricgen.records.connectivity import (
    InternalConnection,
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
)
from fabricgen.records.fabric import MemoryImplementation
from fabricgen.records.occurrence import Temporal
from fabricgen.records.resource import FixedPriority, RoundRobin
from fabricgen.vocab.fabric import MemoryPortTransactionProjection
from tests.support.documents import changed, toml
from tests.support.examples import folder

M = ("memory", 0)
READ, LOAD = (*M, "port", 0), (*M, "port", 0, "load", 0)
LOCAL, EXT0 = LocalMemoryServiceTarget(), ManagerEndpointTarget(0)
DIRECT = MemoryPortTransactionProjection.DIRECT
LANES = MemoryPortTransactionProjection.ACTIVE_LANES_ROW_MAJOR


def document(name):
    return tomllib.loads((folder(name) / "fabric.toml").read_text())


TEMPORAL, VECTOR = document("temporal-local"), document("temporal-vector")


def parsed(written):
    (memory,) = parse_fabric(toml(written)).memories
    return memory


def refused(written, kind=Invalid):
    with pytest.raises(kind) as error:
        parse_fabric(toml(written))
    return str(error.value)


def test_a_temporal_memory_has_contexts_and_tags():
    memory = parsed(TEMPORAL)
    occurrence = memory.occurrence
    assert occurrence.engine.contract == Temporal(4)
    assert {end.tag_width for end in occurrence.endpoints} == {4}
    assert {end.tag_width for end in parsed(document("spatial-local")).occurrence.endpoints} == {
        None
    }
    assert memory.names.patterns == (("direct",), ("direct",))


def test_a_temporal_port_has_the_contract_of_its_contexts():
    resources = {
        "context": 4,
        "in_flight": [2, 7],
        "result_holding": [3, 9],
        "operand_depth": {"address": 1, "mask": 1, "control": 1},
        "grant": {"fixed_priority": {"order": [2, 0, 1, 3]}},
    }
    port = parsed(changed(TEMPORAL, (*READ, "resources"), resources)).occurrence.engine.ports[0]
    assert port.resource_contract == port_contract(
        in_flight=(2, 7),
        result_holding=(3, 9),
        operand_depths=(1, 1, 1),
        transactions=(1,),
        contexts=4,
        grant=FixedPriority((2, 0, 1, 3)),
    )
    assert port_capacities(parsed(TEMPORAL).occurrence.engine.ports[0]).grant == RoundRobin(
        (0, 1, 2, 3), 0
    )


def test_one_context_has_no_policy():
    written = changed(VECTOR, (*M, "resident_contexts"), 1)
    for port in written["memory"][0]["port"]:
        port["resources"] = {
            "context": 1,
            "in_flight": [2, 2],
            "result_holding": [2, 2],
            "operand_depth": 1,
        }
    assert parsed(written).occurrence.engine.ports[0].resource_contract.grant_policy is None


def test_a_pattern_of_the_document_is_one_per_context():
    port = parsed(VECTOR).occurrence.engine.ports[0]
    assert port.operation_pattern_semantics == (*(DIRECT,) * 4, *(LANES,) * 4)
    patterns = port.resource_contract.use_patterns
    assert [pattern.requester for pattern in patterns] == [0, 1, 2, 3, 0, 1, 2, 3]
    assert [len(pattern.internal_transactions) for pattern in patterns] == [1] * 4 + [4] * 4
    (alternative,) = port.capability_alternatives
    assert alternative.admissible_use_patterns == tuple(range(8))


def test_a_walk_has_the_lanes_of_the_widest_access_that_selects_it():
    written = document("temporal-vector")
    port = written["memory"][0]["port"][0]
    load = port["load"][0]
    (access,) = load["access"]
    eight = access | {
        "element_bits": [8],
        "lanes": [{"from": 2, "to": 8}],
        "mask": ["absent"],
        "read_subword": ["zero_extend"],
    }
    # A mask decides whether there is a mask role, so the narrow lanes are an alternative without.
    roles = {role: name for role, name in load["roles"].items() if role != "mask"}
    port["load"].append(load | {"access": [eight], "patterns": ["lanes"], "roles": roles})
    patterns = parsed(written).occurrence.engine.ports[0].resource_contract.use_patterns
    assert [len(pattern.internal_transactions) for pattern in patterns] == [1] * 4 + [8] * 4
    port["load"][1]["patterns"] = ["direct"]
    patterns = parsed(written).occurrence.engine.ports[0].resource_contract.use_patterns
    assert [len(pattern.internal_transactions) for pattern in patterns] == [1] * 4 + [4] * 4


def test_a_spatial_port_may_walk_lanes():
    written = document("spatial-vector")
    port = written["memory"][0]["port"][0]
    port["patterns"] = [{"name": "lanes", "projection": "active_lanes"}]
    port["load"][0]["patterns"] = ["lanes"]
    port = parsed(written).occurrence.engine.ports[0]
    assert port.operation_pattern_semantics == (LANES,)
    assert len(port.resource_contract.use_patterns[0].internal_transactions) == 4


def test_managers_are_targets_by_name():
    written = changed(TEMPORAL, (*M, "manager"), [{"name": "ext0", "beat_bits": 64}])
    written["memory"][0]["port"][0]["load"][0]["targets"] = ["ext0", "local"]
    written["memory"][0]["port"][1]["store"][0]["targets"] = ["ext0"]
    # The local service still needs a store that it may serve.
    memory = parsed(written)
    dispatch = memory.occurrence.connectivity.operation_ports
    assert dispatch[0].capability_target_domains == ((LOCAL, EXT0),)
    assert dispatch[1].capability_target_domains == ((EXT0,),)
    assert [each.beat_width_bits for each in memory.occurrence.manager_endpoints] == [64]
    assert memory.names.managers == ("ext0",)


def test_connections_stand_in_the_order_of_their_endpoints():
    written = document("memcpy-local")
    connections = written["memory"][0]["connections"]
    memory = parsed(written)
    ends = {name: ordinal for ordinal, name in enumerate(memory.names.endpoints)}
    assert memory.occurrence.connectivity.internal_connections == tuple(
        sorted(InternalConnection(ends[each["from"]], ends[each["to"]]) for each in connections)
    )
    written["memory"][0]["connections"] = [*reversed(connections), connections[0]]
    assert parsed(written) == memory


def test_a_finding_about_a_connection_names_the_first_place_where_it_stands():
    written = document("memcpy-local")
    connections = written["memory"][0]["connections"]
    wrong = {"from": "src_done", "to": "src_addr"}
    written["memory"][0]["connections"] = [*reversed(connections), wrong, connections[0], wrong]
    assert refused(written) == (
        "memory[0].connections[7]: The source must be at least as wide as the sink of 32 bits, "
        "not 0 bits [connection-narrows]"
    )


def test_implementation_options_reach_the_record():
    options = {"issue_lanes": 4, "counters": True, "aligned_bases": True}
    written = changed(TEMPORAL, (*M, "implementation"), options)
    assert parsed(written).implementation == MemoryImplementation(
        aligned_bases=True, issue_lanes=4, counters=True
    )
    assert parsed(VECTOR).implementation == MemoryImplementation()


ENDS = "rd_in, rd_mask, wr_in, wr_data, wr_mask, rd_data, rd_done, wr_done"
BAD = [
    (
        TEMPORAL,
        (*READ, "resources", "context"),
        3,
        "memory[0].port[0].resources.context: The contexts must be the 4 resident_contexts of the "
        "memory, not 3 [context-count]",
    ),
    (
        TEMPORAL,
        (*READ, "resources", "grant"),
        None,
        "memory[0].port[0].resources.grant: A policy is required where several requesters claim "
        "one capacity, not absent [contention-without-grant-policy]",
    ),
    (
        TEMPORAL,
        (*READ, "resources", "grant"),
        {"fixed_priority": {"order": [0, 1, 2]}},
        "memory[0].port[0].resources.grant.fixed_priority.order: The order must name all 4 "
        "requesters, not 3 [requester-omitted-from-grant-policy]",
    ),
    (
        TEMPORAL,
        (*READ, "resources", "in_flight"),
        [4],
        "memory[0].port[0].resources.in_flight: The list must hold at least 2 items, not 1 "
        "[list-length]",
    ),
    (
        TEMPORAL,
        (*READ, "resources", "in_flight"),
        [4, 4, 8],
        "memory[0].port[0].resources.in_flight: The list must hold at most 2 items, not 3 "
        "[list-length]",
    ),
    (
        TEMPORAL,
        (*READ, "resources", "result_holding"),
        8,
        "memory[0].port[0].resources.result_holding: The value must be a list, not 8 [wrong-type]",
    ),
    (
        TEMPORAL,
        (*M, "resident_contexts"),
        0,
        "memory[0].resident_contexts: The value must be at least 1, not 0 [value-out-of-range]",
    ),
    (
        TEMPORAL,
        (*M, "tag_width"),
        None,
        "memory[0].tag_width: The key must be present, not absent [missing-key]",
    ),
    (
        TEMPORAL,
        (*READ, "patterns", 0, "projection"),
        "active_lanes",
        "memory[0].port[0].patterns[0]: ActiveLanesRowMajor must be selected by contiguous and "
        "indexed accesses only, not by an element access [port-active-lanes-form]",
    ),
    (
        TEMPORAL,
        (*LOAD, "roles", "completion"),
        "rd_data",
        "memory[0].port[0].load[0].roles: Result roles must have distinct endpoints, not "
        "endpoint rd_data, endpoint rd_data [alternative-result-endpoints]",
    ),
    (
        VECTOR,
        (*LOAD, "patterns"),
        ["direct"],
        "memory[0].port[0].patterns[1]: An alternative must admit the pattern, and none does "
        "[port-pattern-unreachable]",
    ),
    (
        VECTOR,
        (*LOAD, "targets"),
        ["ext1"],
        "memory[0].port[0].load[0].targets: The name must be one of ext0, "
        'not "ext1" (did you mean ext0?) [unknown-name]',
    ),
    (
        VECTOR,
        (*M, "manager"),
        [{"name": "ext0", "beat_bits": 64}, {"name": "ext0", "beat_bits": 64}],
        'memory[0].manager[1].name: The name must be unique, not "ext0" as '
        "memory[0].manager[0].name [duplicate-name]",
    ),
    (
        TEMPORAL,
        (*M, "manager"),
        [{"name": "local", "beat_bits": 64}],
        "memory[0].manager[0].name: The name must be no keyword of (System)Verilog, not 'local' "
        "[name-keyword]",
    ),
    (
        TEMPORAL,
        (*M, "manager"),
        [{"name": "cfg_bus", "beat_bits": 64}],
        "memory[0].manager[0].name: The name must leave clk, rst, cfg and cfg_* to the top's own "
        "ports, not 'cfg_bus' [name-reserved]",
    ),
    (
        VECTOR,
        (*M, "manager"),
        None,
        "memory[0].local: The key must be present where the memory has no manager, not absent "
        "[missing-key]",
    ),
    (
        VECTOR,
        (*M, "manager", 0, "beat_bits"),
        0,
        "memory[0].manager[0].beat_bits: The value must be at least 1, not 0 [value-out-of-range]",
    ),
    (
        TEMPORAL,
        (*M, "connections", 0, "from"),
        "rd_dat",
        f"memory[0].connections[0].from: The name must be one of {ENDS}, "
        'not "rd_dat" (did you mean rd_data?) [unknown-name]',
    ),
    (
        TEMPORAL,
        (*M, "connections", 0, "from"),
        "wr_in",
        "memory[0].connections[0].from: The source must be an OUT endpoint, "
        "not endpoint wr_in, which is IN [connection-direction]",
    ),
    (
        TEMPORAL,
        (*M, "connections", 0, "to"),
        "rd_done",
        "memory[0].connections[0].to: The sink must be an IN endpoint, "
        "not endpoint rd_done, which is OUT [connection-direction]",
    ),
    (
        TEMPORAL,
        (*M, "connections", 0, "from"),
        "rd_done",
        "memory[0].connections[0]: The source must be at least as wide as the sink of 128 bits, "
        "not 0 bits [connection-narrows]",
    ),
    (
        TEMPORAL,
        (*M, "implementation", "issue_lanes"),
        0,
        "memory[0].implementation.issue_lanes: The value must be at least 1, not 0 "
        "[value-out-of-range]",
    ),
]


@pytest.mark.parametrize(("written", "at", "value", "expected"), BAD)
def test_a_bad_document_gets_its_exact_finding(written, at, value, expected):
    assert refused(changed(written, at, value)) == expected


def test_alternatives_that_are_one_have_one_set_of_targets():
    written = copy.deepcopy(VECTOR)
    written["memory"][0]["manager"].append({"name": "ext1", "beat_bits": 64})
    port = written["memory"][0]["port"][0]
    (load,) = port["load"]
    port["load"] = [
        load | {"patterns": ["direct"]},
        load | {"patterns": ["lanes"], "targets": ["ext1"]},
    ]
    assert refused(written) == (
        "memory[0].port[0].load[1].targets: Alternatives that admit one access must have the same "
        "targets, ext0 as memory[0].port[0].load[0], not ext1 [target-merge]"
    )
    port["load"][1]["targets"] = ["ext0"]
    assert (
        parsed(written).occurrence == parse_fabric(toml(with_two_managers())).memories[0].occurrence
    )


def with_two_managers():
    written = copy.deepcopy(VECTOR)
    written["memory"][0]["manager"].append({"name": "ext1", "beat_bits": 64})
    return written


@pytest.mark.parametrize(
    ("at", "value", "expected"),
    [
        (
            (*M, "resident_contexts"),
            65,
            "memory[0].resident_contexts: An engine must have at most 64 contexts, not 65 "
            "[resident-context-limit]",
        ),
        (
            (*LOAD, "access", 0, "lanes"),
            [{"from": 1, "to": 2**40}],
            "memory[0].port[0].patterns[1].projection: A walk must have at most 16384 lanes, "
            "not 1099511627776 [active-lanes-limit]",
        ),
    ],
)
def test_what_would_cost_memory_is_refused_first(at, value, expected):
    assert refused(changed(VECTOR, at, value), Unsupported) == expected


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("memory[0].endpoint[3].tag_width", "memory[0].tag_width"),
        ("memory[0].endpoint[3].payload_width", "memory[0].endpoints[5].bits"),
        ("memory[0].engine.contract.resident_context_count", "memory[0].resident_contexts"),
        ("memory[0].port[1].resource_contract.states", "memory[0].port[1].resources"),
        (
            "memory[0].port[0].operation_pattern_semantics[6]",
            "memory[0].port[0].patterns[1].projection",
        ),
        ("memory[0].manager_endpoints[0].beat_width_bits", "memory[0].manager[0].beat_bits"),
        ("memory[0].implementation.issue_lanes", "memory[0].implementation.issue_lanes"),
    ],
)
def test_paths_of_a_record_are_places_in_its_document(path, place):
    _, placed = author_fabric(toml(VECTOR))
    assert placed(path) == place
