"""Complete resource contracts in documents: what they expand to, and every finding about names."""

import copy
import tomllib

import pytest
from hypothesis import given, settings

from fabricgen.author.document import validated
from fabricgen.author.expand_named_contract import expand_contract
from fabricgen.author.fabric import author_fabric, parse_fabric
from fabricgen.author.findings import Findings
from fabricgen.author.mapping import parse_mapping
from fabricgen.author.named_contract_document import NamedContractDocument
from fabricgen.author.schema import json_schema
from fabricgen.errors import Invalid
from fabricgen.plan.realisation import unsupported
from fabricgen.records import fabric_codec
from fabricgen.records.resource import (
    CapacityDimension,
    Claim,
    Commit,
    FixedPriority,
    ResourceContract,
    RoundRobin,
    UsePattern,
)
from tests.support.contracts import named
from tests.support.documents import changed, fabric_document, toml
from tests.support.examples import folder
from tests.support.json_schema import errors
from tests.support.resources import resource_contracts

M = ("memory", 0)
READ, LOCAL = (*M, "port", 0), (*M, "local")

#: Two rows share the units of `slots`; `reads` commits.
GOOD = {
    "states": [
        {"name": "idle", "dimensions": []},
        {
            "name": "slots",
            "dimensions": [
                {"name": "own", "capacity": 2, "initial_occupancy": 0},
                {"name": "all", "capacity": 4, "initial_occupancy": 1},
            ],
        },
    ],
    "transitions": ["publish"],
    "events": ["issue", "done", "retire"],
    "timing": [{"name": "usual", "ranks": {"retire": 2, "issue": 0, "done": 1}}],
    "requesters": ["left", "right"],
    "eligibility": ["always", "when-empty"],
    "patterns": [
        {
            "name": "reads",
            "requester": "left",
            "eligibility": "when-empty",
            "acquire": "issue",
            "release": "retire",
            "commit": {"event": "done", "transition": "publish"},
            "timing": "usual",
            "claims": [
                {"name": "mine", "state": "slots", "dimension": "own", "amount": 1},
                {"name": "shared", "state": "slots", "dimension": "all", "amount": 2},
            ],
            "transactions": [["shared", "mine"], ["mine"]],
        },
        {
            "name": "writes",
            "requester": "right",
            "eligibility": "always",
            "acquire": "issue",
            "release": "issue",
            "timing": "usual",
            "claims": [{"name": "shared", "state": "slots", "dimension": "all", "amount": 1}],
            "transactions": [],
        },
    ],
    "grant": {"round_robin": {"order": ["right", "left"], "reset_cursor": "left"}},
}
PATTERN = ("patterns", 0)


def expanded(document, contexts=1):
    """The record and the findings of one contract."""
    read, found = validated(NamedContractDocument, document)
    assert found == ()
    findings = Findings()
    return expand_contract(read, contexts, "port[0]", findings), [
        str(each) for each in findings.diagnostics
    ]


def test_names_become_positions_in_the_order_written():
    record, found = expanded(GOOD)
    assert found == []
    assert record == ResourceContract(
        states=((), (CapacityDimension(2), CapacityDimension(4, 1))),
        transition_count=1,
        timing_contracts=((0, 1, 2),),
        use_patterns=(
            UsePattern(
                requester=0,
                eligibility=1,
                acquire=0,
                release=2,
                commit=Commit(event=1, transition=0),
                timing=0,
                claims=(Claim(1, 0, 1), Claim(1, 1, 2)),
                internal_transactions=((0, 1), (0,)),
            ),
            UsePattern(1, 0, 0, 0, None, 0, (Claim(1, 1, 1),), ()),
        ),
        requester_count=2,
        eligibility_count=2,
        event_count=3,
        grant_policy=RoundRobin((1, 0), 0),
    )


def test_a_fixed_priority_keeps_its_order():
    grant = {"fixed_priority": {"order": ["right", "left"]}}
    record, _ = expanded(changed(GOOD, ("grant",), grant))
    assert record.grant_policy == FixedPriority((1, 0))


@settings(max_examples=200)
@given(resource_contracts())
def test_every_contract_can_be_written(contract):
    patterns = [f"pattern-{key}" for key in range(len(contract.use_patterns))]
    requesters = [f"row-{key}" for key in range(contract.requester_count)]
    assert expanded(named(contract, patterns or ["none"], requesters)) == (contract, [])


def repeated(key, code, field=".name", at=()):
    """Repeat the first entry of a list at its end."""
    entries = GOOD
    for each in (*at, key):
        entries = entries[each]
    where = "port[0].contract"
    for each in (*at, key):
        where += f"[{each}]" if isinstance(each, int) else f".{each}"
    name = entries[0] if field == "" else entries[0]["name"]
    return (
        (*at, key),
        [*entries, entries[0]],
        f'{where}[{len(entries)}]{field}: The name must be unique, not "{name}" as '
        f"{where}[0]{field} [{code}]",
    )


BAD = [
    repeated("states", "duplicate-state-key"),
    repeated("dimensions", "duplicate-capacity-dimension-key", at=("states", 1)),
    repeated("transitions", "duplicate-resource-transition-key", ""),
    repeated("events", "duplicate-event-key", ""),
    repeated("timing", "duplicate-timing-contract-key"),
    repeated("requesters", "duplicate-requester-key", ""),
    repeated("eligibility", "duplicate-eligibility-key", ""),
    repeated("patterns", "duplicate-use-pattern-key"),
    repeated("claims", "duplicate-claim-key", at=PATTERN),
    (
        (*PATTERN, "transactions", 1),
        ["mine", "mine"],
        'port[0].contract.patterns[0].transactions[1][1]: The name must be unique, not "mine" as '
        "port[0].contract.patterns[0].transactions[1][0] [duplicate-claim-key]",
    ),
    (
        ("grant", "round_robin", "order"),
        ["right", "left", "right"],
        "port[0].contract.grant.round_robin.order[2]: The name must be unique, "
        'not "right" as port[0].contract.grant.round_robin.order[0] '
        "[duplicate-requester-in-grant-policy]",
    ),
    (
        (*PATTERN, "requester"),
        "lefty",
        "port[0].contract.patterns[0].requester: The name must be one of left, right, "
        'not "lefty" (did you mean left?) [unknown-requester-key]',
    ),
    (
        (*PATTERN, "eligibility"),
        "never",
        "port[0].contract.patterns[0].eligibility: The name must be one of always, when-empty, "
        'not "never" [unknown-eligibility-key]',
    ),
    (
        (*PATTERN, "acquire"),
        "isue",
        "port[0].contract.patterns[0].acquire: The name must be one of issue, done, retire, "
        'not "isue" (did you mean issue?) [unknown-event-key]',
    ),
    (
        (*PATTERN, "release"),
        "end",
        "port[0].contract.patterns[0].release: The name must be one of issue, done, retire, "
        'not "end" [unknown-event-key]',
    ),
    (
        (*PATTERN, "commit", "event"),
        "commit",
        "port[0].contract.patterns[0].commit.event: The name must be one of issue, done, retire, "
        'not "commit" [unknown-event-key]',
    ),
    (
        (*PATTERN, "commit", "transition"),
        "publsh",
        "port[0].contract.patterns[0].commit.transition: The name must be one of publish, "
        'not "publsh" (did you mean publish?) [unknown-resource-transition-key]',
    ),
    (
        (*PATTERN, "timing"),
        "unusual",
        "port[0].contract.patterns[0].timing: The name must be one of usual, "
        'not "unusual" (did you mean usual?) [unknown-timing-contract-key]',
    ),
    (
        (*PATTERN, "claims", 1, "state"),
        "slot",
        "port[0].contract.patterns[0].claims[1].state: The name must be one of idle, slots, "
        'not "slot" (did you mean slots?) [unknown-state-key]',
    ),
    (
        (*PATTERN, "claims", 1, "dimension"),
        "al",
        "port[0].contract.patterns[0].claims[1].dimension: The name must be one of own, all, "
        'not "al" (did you mean all?) [unknown-capacity-dimension-key]',
    ),
    (
        (*PATTERN, "claims", 1, "state"),
        "idle",
        "port[0].contract.patterns[0].claims[1].dimension: There must be no name, as there "
        'is nothing to choose from, not "all" [unknown-capacity-dimension-key]',
    ),
    (
        (*PATTERN, "transactions"),
        [["yours"]],
        "port[0].contract.patterns[0].transactions[0][0]: The name must be one of mine, shared, "
        'not "yours" [unknown-claim-key]',
    ),
    (
        ("grant", "round_robin", "reset_cursor"),
        "middle",
        "port[0].contract.grant.round_robin.reset_cursor: The name must be one of left, right, "
        'not "middle" [unknown-requester-key]',
    ),
    (
        ("grant",),
        {"fixed_priority": {"order": ["left", "wright", "right"]}},
        "port[0].contract.grant.fixed_priority.order[1]: The name must be one of left, right, "
        'not "wright" (did you mean right?) [unknown-requester-key]',
    ),
    (
        ("timing", 0, "ranks", "end"),
        3,
        "port[0].contract.timing[0].ranks: The name must be one of issue, done, retire, "
        'not "end" [unknown-event-key]',
    ),
    (
        ("timing", 0, "ranks", "done"),
        None,
        "port[0].contract.timing[0].ranks: A rank is required for each of 3 events, "
        "not none for done [timing-contract-event-domain]",
    ),
    # Rules of the record, with the places of the document.
    (
        ("states", 0, "dimensions"),
        [{"name": "spare", "capacity": 1, "initial_occupancy": 2}],
        "port[0].contract.states[0].dimensions[0].initial_occupancy: The initial occupancy must "
        "be at most the capacity 1, not 2 [initial-occupancy-exceeds-capacity]",
    ),
    (
        (*PATTERN, "commit", "event"),
        "retire",
        None,
    ),
    (
        (*PATTERN, "acquire"),
        "retire",
        "port[0].contract.patterns[0].timing: Ranks must not fall from acquire over commit to "
        "release, not [2, 1, 2] [timing-contract-does-not-order-use]",
    ),
    (
        (*PATTERN, "claims", 0, "dimension"),
        "all",
        "port[0].contract.patterns[0].claims[0]: A pattern must claim dimension 1 of state 1 "
        "once, not 2 times [duplicate-capacity-claim]\n"
        "port[0].contract.patterns[0].claims[1]: A pattern must claim dimension 1 of state 1 "
        "once, not 2 times [duplicate-capacity-claim]",
    ),
    (
        (*PATTERN, "claims", 1, "amount"),
        5,
        "port[0].contract.patterns[0].claims[1].amount: Initial occupancy and claim together must "
        "fit the capacity 4, not 6 [claim-exceeds-capacity]",
    ),
    (
        ("grant",),
        None,
        "port[0].contract.grant: A policy is required where several requesters claim one "
        "capacity, not absent [contention-without-grant-policy]",
    ),
    (
        ("grant", "round_robin", "order"),
        ["left"],
        "port[0].contract.grant.round_robin.order: The order must name all 2 requesters, not 1 "
        "[requester-omitted-from-grant-policy]",
    ),
]


@pytest.mark.parametrize(("at", "value", "expected"), BAD)
def test_a_bad_contract_gets_its_exact_finding(at, value, expected):
    record, found = expanded(changed(GOOD, at, value))
    assert "\n".join(found) == (expected or "")
    assert (record is None) is (expected is not None)


def test_all_wrong_names_are_told_at_once():
    wrong = copy.deepcopy(GOOD)
    wrong["patterns"][0] |= {"requester": "a", "timing": "b", "acquire": "c"}
    wrong["patterns"][1]["claims"][0]["state"] = "d"
    wrong["grant"]["round_robin"]["reset_cursor"] = "e"
    wrong["events"].append("issue")
    _, found = expanded(wrong)
    assert [each.rsplit(" [")[1].rstrip("]") for each in found] == [
        "duplicate-event-key",
        "unknown-requester-key",
        "unknown-event-key",
        "unknown-timing-contract-key",
        "unknown-state-key",
        "unknown-requester-key",
    ]


# Contracts in their owners.


def example(name):
    return tomllib.loads((folder(name) / "fabric.toml").read_text())


def spelled(document):
    """The document with every contract written out."""
    written = copy.deepcopy(document)
    for memory, record in zip(
        written["memory"], parse_fabric(toml(document)).memories, strict=True
    ):
        occurrence = record.occurrence
        for port, owner in zip(memory["port"], occurrence.engine.ports, strict=True):
            del port["resources"]
            names = [pattern["name"] for pattern in port["patterns"]]
            rows = [f"row-{key}" for key in range(owner.resource_contract.requester_count)]
            port["contract"] = named(owner.resource_contract, names, rows)
        if occurrence.local_service is not None:
            contract = occurrence.local_service.memory_service_contract.resource_contract
            uses = [f"use-{key}" for key in range(len(contract.use_patterns))]
            del memory["local"]["resources"]
            ports = [port["name"] for port in memory["port"]]
            memory["local"]["contract"] = named(contract, uses, ports)
    return written


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(fabric_document(), id="little"),
        *(
            pytest.param(example(name), id=name)
            for name in ("spatial-hybrid", "temporal-local", "temporal-vector", "memcpy-local")
        ),
    ],
)
def test_a_contract_of_the_realised_shape_is_the_same_fabric(document):
    long = parse_fabric(toml(spelled(document)))
    short = parse_fabric(toml(document))
    assert fabric_codec.encode(long) == fabric_codec.encode(short)
    assert unsupported(long) == unsupported(short)
    assert list(errors(json_schema("fabric"), spelled(document))) == []


VECTOR = spelled(example("temporal-vector"))
PORT = (*M, "port", 0)


def refused(written):
    with pytest.raises(Invalid) as error:
        parse_fabric(toml(written))
    return str(error.value)


def own_names():
    """The vector memory with a name for each use pattern of its first port, and the names."""
    written = copy.deepcopy(VECTOR)
    port = written["memory"][0]["port"][0]
    names = []
    for key, use in enumerate(port["contract"]["patterns"]):
        use["name"] += f"-{key % 4}"
        names.append(use["name"])
    port["patterns"] = [
        {"name": name, "projection": "direct" if "direct" in name else "active_lanes"}
        for name in reversed(names)
    ]
    port["load"][0]["patterns"] = names
    return written, names


def test_every_use_pattern_of_a_temporal_port_may_have_its_own_name():
    written, names = own_names()
    (memory,) = parse_fabric(toml(written)).memories
    (short,) = parse_fabric(toml(example("temporal-vector"))).memories
    assert memory.occurrence == short.occurrence
    assert memory.names.patterns[0] == tuple(names)
    assert (memory.patterns_per_name(0), short.patterns_per_name(0)) == (1, 4)
    _, place = author_fabric(toml(written))
    assert place("memory[0].port[0].operation_pattern_semantics[1]") == (
        "memory[0].port[0].patterns[6].projection"
    )


def test_a_row_selects_the_use_pattern_of_its_own_context():
    long, short = parse_fabric(toml(own_names()[0])), parse_fabric(toml(example("temporal-vector")))
    mapping = tomllib.loads((folder("temporal-vector") / "mapping.toml").read_text())
    rows = mapping["memory"]["mem0"]["row"]
    for ordinal, row in enumerate(rows):
        row["row"] = ordinal
    named_rows = copy.deepcopy(mapping)
    loads = [row for row in named_rows["memory"]["mem0"]["row"] if "load" in row]
    for row in loads:
        row["load"]["pattern"] += f"-{row['row']}"
    assert parse_mapping(toml(named_rows), long) == parse_mapping(toml(mapping), short)
    loads[0]["load"]["pattern"] = "direct-3"
    with pytest.raises(Invalid) as error:
        parse_mapping(toml(named_rows), long)
    assert [each.code for each in error.value.diagnostics] == ["row-context"]


@pytest.mark.parametrize("swap", [(0, 1), (1, 5)])
def test_a_name_for_all_contexts_has_them_in_their_order(swap):
    written = copy.deepcopy(VECTOR)
    uses = written["memory"][0]["port"][0]["contract"]["patterns"]
    first, second = swap
    uses[first], uses[second] = uses[second], uses[first]
    assert "[duplicate-use-pattern-key]" in refused(written)


OWNERS = [
    (
        (*PORT, "resources"),
        example("temporal-vector")["memory"][0]["port"][0]["resources"],
        "memory[0].port[0].contract: The contract must be absent where there are resources, which "
        "are one already, not present [resources-and-contract]",
    ),
    (
        (*PORT, "contract"),
        None,
        "memory[0].port[0].resources: The key must be present where there is no contract, "
        "not absent [missing-key]",
    ),
    (
        (*PORT, "patterns", 2),
        {"name": "lane", "projection": "direct"},
        "memory[0].port[0].patterns[2].name: The name must be one of direct, lanes, "
        'not "lane" (did you mean lanes?) [unknown-use-pattern-key]',
    ),
    (
        (*PORT, "patterns"),
        [{"name": "direct", "projection": "direct"}],
        "memory[0].port[0].patterns: There must be a projection for each use pattern of the "
        "contract, not none for lanes [port-pattern-count]",
    ),
    (
        (*PORT, "load", 0, "patterns"),
        ["direct", "line"],
        "memory[0].port[0].load[0].patterns: The name must be one of direct, lanes, "
        'not "line" (did you mean lanes?) [unknown-name]',
    ),
    (
        (*PORT, "contract", "patterns", 4, "transactions"),
        [["claim-0"]],
        "memory[0].port[0].contract.patterns[4].transactions: There must be 4 internal "
        "transactions, the lanes of the widest access, not 1 [port-active-lanes-transactions]",
    ),
]


@pytest.mark.parametrize(("at", "value", "expected"), OWNERS)
def test_a_contract_and_its_owner_agree(at, value, expected):
    written = copy.deepcopy(VECTOR)
    if at[-1] == 2:
        written["memory"][0]["port"][0]["patterns"].append(value)
    else:
        written = changed(written, at, value)
    assert refused(written) == expected


def test_a_service_has_resources_or_a_contract():
    long = spelled(fabric_document())
    both = changed(
        long, (*LOCAL, "resources"), fabric_document()["memory"][0]["local"]["resources"]
    )
    assert refused(both) == (
        "memory[0].local.contract: The contract must be absent where there are resources, which "
        "are one already, not present [resources-and-contract]"
    )
    assert refused(changed(long, (*LOCAL, "contract"), None)) == (
        "memory[0].local.resources: The key must be present where there is no contract, "
        "not absent [missing-key]"
    )


def test_a_contract_of_another_shape_is_legal_and_unsupported():
    written = spelled(fabric_document())
    local = written["memory"][0]["local"]["contract"]
    local["timing"].append({"name": "other", "ranks": {"event-0": 3, "event-1": 3}})
    port = written["memory"][0]["port"][0]["contract"]
    port["states"].append({"name": "spare", "dimensions": []})
    port["eligibility"].append("never")
    fabric, place = author_fabric(toml(written))
    found = [(each.code, place(each.where)) for each in unsupported(fabric)]
    assert found == [
        ("port-contract-shape", "memory[0].port[0].contract.states"),
        ("service-contract-unlike", "memory[0].local.contract.timing"),
    ]


@pytest.mark.parametrize(
    ("at", "value"),
    [
        ((*READ, "contract", "states", 0, "dimensions", 0, "capacity"), 2**32),
        ((*READ, "contract", "events", 0), "a b"),
        ((*READ, "contract", "patterns", 0, "timing"), None),
        ((*READ, "contract", "grant"), {}),
        ((*READ, "contract", "timing", 0, "ranks", "event-0"), -1),
        ((*READ, "contract"), None),
        ((*LOCAL, "contract"), None),
        ((*LOCAL, "resources"), fabric_document()["memory"][0]["local"]["resources"]),
    ],
)
def test_the_schema_refuses_what_the_document_refuses(at, value):
    assert list(errors(json_schema("fabric"), changed(spelled(fabric_document()), at, value)))
