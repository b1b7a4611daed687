"""Regions, subordinates and storage-only memories of a document, against records built by hand."""

import json
import re

import pytest
from typer.testing import CliRunner

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.author.fabric import parse_fabric
from fabricgen.cli.main import app
from fabricgen.errors import Invalid
from fabricgen.records import fabric_codec
from fabricgen.records.access import (
    MemoryAccessClass,
    ParameterizedMemoryAccessDomain,
    RootRelative,
)
from fabricgen.records.connectivity import (
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    SubordinateDispatch,
)
from fabricgen.records.endpoint import ServiceEndpoint
from fabricgen.records.resource import FixedPriority, RoundRobin
from fabricgen.records.service import MemoryServiceRegion, Mmio, Storage
from fabricgen.vocab.dataflow import MemoryAccessForm, MemoryMaskForm
from fabricgen.vocab.dispatch import AddressTransform, MatchField
from fabricgen.vocab.fabric import (
    InactiveLaneSemantics,
    ReadSubwordSemantics,
    WriteSubwordSemantics,
)
from tests.support.documents import EVERY_KEY, changed, every_key_document, toml

LOCAL = LocalMemoryServiceTarget()


@pytest.fixture(scope="module")
def fabric():
    return parse_fabric(EVERY_KEY.read_text())


def element(bits, log2, read, write):
    return MemoryAccessClass.of(
        MemoryAccessForm.ELEMENT,
        RootRelative(UnsignedDomain.of(32)),
        element_width_bits=UnsignedDomain.of(bits),
        flattened_lane_count=UnsignedDomain.of(1),
        mask_inactive_pairs=[(MemoryMaskForm.ABSENT, InactiveLaneSemantics.NOT_APPLICABLE)],
        source_alignment=AlignmentDomain(UnsignedDomain.of(*log2)),
        read_subword=[read],
        write_subword=[write],
    )


def test_a_region_of_registers_accepts_what_each_actor_may_do(fabric):
    read, write = ReadSubwordSemantics, WriteSubwordSemantics
    accepted = ParameterizedMemoryAccessDomain.of(
        element(32, [2], read.ZERO_EXTEND, write.NOT_APPLICABLE),
        element(32, [0, 2], read.NOT_APPLICABLE, write.BYTE_ENABLE),
        element(32, [2], read.ZERO_EXTEND, write.BYTE_ENABLE),
        element(64, [3], read.ZERO_EXTEND, write.BYTE_ENABLE),
    )
    contract = fabric.memories[0].occurrence.local_service.memory_service_contract
    assert contract.regions == (
        MemoryServiceRegion(0, 2048, Storage()),
        MemoryServiceRegion(2048, 256, Mmio(accepted)),
    )


def test_regions_that_touch_are_merged_only_where_they_behave_alike(fabric):
    contract = fabric.memories[2].occurrence.local_service.memory_service_contract
    assert contract.regions == (MemoryServiceRegion(0, 512),)
    assert [each.service_region_ordinals for each in contract.capabilities] == [(0,)]


def test_subordinates_are_endpoints_with_their_dispatch(fabric):
    engine, shared, storage = (memory.occurrence for memory in fabric.memories)
    ranged = AddressTransform.CONSTANT_BASE_OFFSET
    both = (LOCAL, ManagerEndpointTarget(0))
    assert engine.subordinate_endpoints == (ServiceEndpoint(64),)
    assert engine.connectivity.subordinate_endpoints == (
        SubordinateDispatch(4, (MatchField.RANGE, MatchField.CONTEXT), ranged, both),
    )
    assert shared.connectivity.subordinate_endpoints == (
        SubordinateDispatch(2, (MatchField.PREFIX,), AddressTransform.NONE, (LOCAL,)),
    )
    assert storage.subordinate_endpoints == (ServiceEndpoint(64), ServiceEndpoint(32))
    assert storage.connectivity.subordinate_endpoints == (
        SubordinateDispatch(1, (), AddressTransform.NONE, (LOCAL,)),
        SubordinateDispatch(
            8, (MatchField.RANGE, MatchField.ADDRESS_SPACE), AddressTransform.NONE, both
        ),
    )
    assert [memory.names.subordinates for memory in fabric.memories] == [
        ("host",),
        ("host",),
        ("first", "second"),
    ]


def test_a_memory_without_schedule_and_ports_is_storage_only(fabric):
    memory = fabric.memories[2]
    assert memory.occurrence.engine is None
    assert memory.occurrence.endpoints == ()
    assert memory.occurrence.connectivity.operation_ports == ()
    assert (memory.names.endpoints, memory.names.ports, memory.names.patterns) == ((), (), ())


def test_requesters_of_a_service_are_the_ports_and_then_the_subordinates(fabric):
    contracts = [
        memory.occurrence.local_service.memory_service_contract.resource_contract
        for memory in fabric.memories
    ]
    assert [each.requester_count for each in contracts] == [2, 2, 2]
    # Requester 0 is the port, requester 1 the subordinate, which is written first.
    assert contracts[0].grant_policy == FixedPriority((1, 0))
    assert contracts[1].grant_policy == RoundRobin((0, 1), 1)
    assert contracts[2].grant_policy == RoundRobin((0, 1), 0)


def test_the_document_its_bytes_and_its_listing_are_one_fabric(fabric, tmp_path):
    path = tmp_path / "every.fabric"
    path.write_bytes(fabric_codec.encode(fabric))
    assert fabric_codec.decode(path.read_bytes()) == fabric
    listings = [
        CliRunner().invoke(app, ["normalize", str(source), "--json"])
        for source in (EVERY_KEY, path)
    ]
    assert [each.exit_code for each in listings] == [0, 0]
    assert listings[0].stdout == listings[1].stdout
    # What only some documents have is in the listing, by the names of its records.
    kinds = set(re.findall(r'"record": "(\w+)"', listings[0].stdout))
    assert kinds >= {
        *("LoadStoreAtomic", "AtomicRmw", "CompareExchange", "Fence", "SyncScope"),
        *("PointerAddressed", "PointerFormat", "OrdinaryData", "Mmio", "Storage"),
        *("LocalProvider", "BoundedCompletionCycles", "FairEventual", "NoConsistency"),
        *("SubordinateDispatch", "ManagerEndpointTarget", "ServiceEndpoint"),
    }
    wire = CliRunner().invoke(app, ["normalize", str(EVERY_KEY), "--wire", "-o", str(path)])
    assert wire.exit_code == 0
    assert path.read_bytes() == fabric_codec.encode(fabric)


#: What the document describes that no hardware has, with the places of it.
UNSUPPORTED = {
    "multiple-memories": ["memory"],
    "subordinate-manager-dispatch": [
        "memory[0].subordinate[0].targets",
        "memory[2].subordinate[1].targets",
    ],
    "subordinate-synchronisation": ["memory[0].subordinate[0].targets"],
    "region-mmio": ["memory[0].local.regions[1]"],
    "mixed-beat-widths": ["memory[0].local.capabilities"],
    "aligned-pointers": ["memory[0].implementation.aligned_bases"],
}


def test_the_document_is_legal_and_no_hardware_has_all_of_it():
    result = CliRunner().invoke(app, ["check", str(EVERY_KEY), "--json"])
    assert result.exit_code == 3
    found = {}
    for each in json.loads(result.stdout):
        found.setdefault(each["code"], []).append(each["where"])
    assert {code: sorted(places) for code, places in found.items()} == UNSUPPORTED


@pytest.mark.parametrize(
    ("at", "value", "code", "where"),
    [
        (
            ("memory", 0, "subordinate", 0, "max_exposed_bindings"),
            257,
            "subordinate-binding-limit",
            "memory[0].subordinate",
        ),
        (
            ("memory", 1, "resident_contexts"),
            65,
            "resident-context-limit",
            "memory[1].resident_contexts",
        ),
    ],
)
def test_a_limit_of_hardware_is_found_where_it_is_written(at, value, code, where, tmp_path):
    document = changed(every_key_document(), at, value)
    if code == "resident-context-limit":
        (resources,) = [port["resources"] for port in document["memory"][1]["port"]]
        resources |= {"context": value, "in_flight": [1, value], "result_holding": [1, value]}
        resources["grant"] = {"fixed_priority": {"order": [*range(value)]}}
    path = tmp_path / "fabric.toml"
    path.write_text(toml(document))
    result = CliRunner().invoke(app, ["check", str(path), "--json"])
    assert result.exit_code == 3
    found = [each["where"] for each in json.loads(result.stdout) if each["code"] == code]
    assert found == [where]


M, SHARED, STORED = ("memory", 0), ("memory", 1), ("memory", 2)
PORT, CAPABILITIES = (*M, "port", 0), (*M, "local", "capabilities")
HOST, SECOND = (*M, "subordinate", 0), (*STORED, "subordinate", 1)
DEVICE, GRANT = (*M, "local", "regions", 1), (*M, "local", "resources", "grant")


def served(kind, **changes):
    """One capability of the document, changed."""
    (found,) = (
        each[kind]
        for each in every_key_document()["memory"][0]["local"]["capabilities"]
        if kind in each
    )
    return {kind: found | changes}


def keyword_pattern():
    """The port of the Temporal memory, whose pattern has a name that Verilog keeps."""
    (port,) = every_key_document()["memory"][1]["port"]
    port["patterns"][0]["name"] = "always"
    for kind in ("load", "store", "rmw", "cmpxchg", "fence"):
        port[kind][0]["patterns"] = ["always"]
    return port


def unreachable():
    """The storage behind one subordinate that reaches another memory."""
    memory = every_key_document()["memory"][2]
    memory["subordinate"] = [memory["subordinate"][0] | {"targets": ["ext"]}]
    del memory["local"]["resources"]["grant"]
    return memory


BAD = [
    (
        (*DEVICE, "mmio"),
        {},
        "memory[0].local.regions[1].mmio: A load, store, rmw or cmpxchg must be present, "
        "not absent [missing-key]",
    ),
    (
        (*DEVICE, "mmio"),
        None,
        "memory[0].local.regions[1]: The value must be a table with storage or mmio, "
        "not a table with base, size [wrong-type]",
    ),
    (
        (*DEVICE, "mmio", "fence"),
        [],
        "memory[0].local.regions[1].mmio.fence: The key must be one of cmpxchg, load, "
        'rmw, store, not "fence" [unknown-key]',
    ),
    (
        (*DEVICE, "mmio", "load", 0, "lanes"),
        [2],
        "memory[0].local.regions[1].mmio.load[0].lanes: An element access must have the"
        " lane count 1, not 2..2 [access-element-lanes]",
    ),
    (
        (*DEVICE, "base"),
        2000,
        "memory[0].local.regions[1]: An address must have one behaviour, not also that "
        "of regions[0] at 2000 [service-region-behavior]",
    ),
    (
        (*DEVICE, "mmio", "store", 0, "alignment"),
        [8],
        "memory[0].local.capabilities[6].store.access: Every access must be accepted by"
        " the MMIO region 1, which the capability selects, not only some [service-"
        "region-access]",
    ),
    (
        (*DEVICE, "size"),
        4096,
        "memory[0].local.regions[1]: A region must end within the 4096 bytes of the "
        "service, not at 6144 [region-outside-capacity]",
    ),
    (
        (*HOST, "match"),
        [],
        "memory[0].subordinate[0].match: A field is required to tell 4 bindings apart, "
        "not 0 [subordinate-match-missing]",
    ),
    (
        (*HOST, "match"),
        ["ranges"],
        "memory[0].subordinate[0].match[0]: The value must be 'range', 'prefix', "
        "'address_space' or 'context', not \"ranges\" [unknown-value]",
    ),
    (
        (*HOST, "transform"),
        None,
        "memory[0].subordinate[0].transform: The key must be present, not absent [missing-key]",
    ),
    (
        (*HOST, "max_exposed_bindings"),
        0,
        "memory[0].subordinate[0].max_exposed_bindings: The value must be at least 1, "
        "not 0 [value-out-of-range]",
    ),
    (
        (*HOST, "targets"),
        ["ext0"],
        "memory[0].subordinate[0].targets: The name must be one of local, ext, not "
        '"ext0" (did you mean ext?) [unknown-name]',
    ),
    (
        (*HOST, "targets"),
        [],
        "memory[0].subordinate[0].targets: The list must hold at least 1 item, not 0 [list-length]",
    ),
    (
        (*HOST, "name"),
        "any",
        'memory[0].subordinate[0].name: The name must be unique, not "any" as '
        "memory[0].port[0].name [duplicate-name]\n"
        "memory[0].local.resources.grant.fixed_priority.order: The name must be one of "
        'any, any, not "host" [unknown-name]',
    ),
    (
        (*SECOND, "name"),
        "clk",
        "memory[2].subordinate[1].name: The name must leave clk, rst, cfg and cfg_* to "
        "the top's own ports, not 'clk' [name-reserved]",
    ),
    (
        (*SECOND, "name"),
        "first",
        'memory[2].subordinate[1].name: The name must be unique, not "first" as '
        "memory[2].subordinate[0].name [duplicate-name]",
    ),
    (
        (*GRANT, "fixed_priority", "order"),
        ["any", "hosts"],
        "memory[0].local.resources.grant.fixed_priority.order: The name must be one of "
        'any, host, not "hosts" (did you mean host?) [unknown-name]',
    ),
    (
        GRANT,
        None,
        "memory[0].local.resources.grant: A policy is required where several requesters"
        " claim one capacity, not absent [contention-without-grant-policy]",
    ),
    (
        (*STORED, "subordinate"),
        None,
        "memory[2].subordinate: The key must be present, not absent [missing-key]",
    ),
    (
        (*STORED, "subordinate"),
        [],
        "memory[2].subordinate: The list must hold at least 1 item, not 0 [list-length]",
    ),
    (
        (*STORED, "local"),
        None,
        "memory[2].local: The key must be present, not absent [missing-key]",
    ),
    (
        STORED,
        unreachable(),
        "memory[2].local: A service without an engine must be the target of a "
        "subordinate endpoint, not of none [storage-unreachable]",
    ),
    (
        # Two classes have become one, so their list is what is wrong.
        (*PORT, "rmw", 0, "access"),
        [
            dict(
                every_key_document()["memory"][0]["port"][0]["rmw"][0]["access"][0],
                form="element",
                lanes=[1],
                mask=["absent"],
            )
        ]
        * 2,
        "memory[0].port[0].rmw[0].access: The form of granularity per_lane must be "
        "contiguous or indexed, not element [atomic-granularity-form]\n"
        "memory[0].port[0].rmw[0].roles: The mask role must have none, as the access "
        "classes admit no dynamic mask, not one [alternative-mask-role]",
    ),
    (
        CAPABILITIES,
        every_key_document()["memory"][0]["local"]["capabilities"] + [served("rmw", beat_bits=32)],
        "memory[0].local.capabilities: One actor and access must be served by one "
        "capability, not by number 5 too [service-capability-overlap]",
    ),
    (
        CAPABILITIES,
        [
            *every_key_document()["memory"][0]["local"]["capabilities"][:3],
            *every_key_document()["memory"][0]["local"]["capabilities"][4:],
            *[served("rmw", consistency={"system_domain": "00"})] * 2,
        ],
        "memory[0].local.capabilities: A local service must order its accesses itself, "
        "not by a system domain [local-service-system-domain]",
    ),
    (
        (*SHARED, "port", 0, "name"),
        "module",
        "memory[1].port[0].name: The name must be no keyword of (System)Verilog, not "
        "'module' [name-keyword]",
    ),
    (
        (*SHARED, "port"),
        [keyword_pattern()],
        "memory[1].port[0].patterns[0].name: The name must be no keyword of "
        "(System)Verilog, not 'always' [name-keyword]",
    ),
    (
        (*STORED, "endpoints"),
        [],
        "memory[2].schedule: The key must be present, not absent [missing-key]\n"
        "memory[2].endpoints: The list must hold at least 1 item, not 0 [list-length]\n"
        "memory[2].port: The key must be present, not absent [missing-key]",
    ),
]


@pytest.mark.parametrize(("at", "value", "expected"), BAD)
def test_a_bad_document_gets_its_exact_findings(at, value, expected):
    with pytest.raises(Invalid) as error:
        parse_fabric(toml(changed(every_key_document(), at, value)))
    assert str(error.value) == expected
