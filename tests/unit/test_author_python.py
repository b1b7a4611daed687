"""Documents that are built in Python are those that are read."""

import tomllib

import pytest

from fabricgen.author.access_document import (
    LoadAccessDocument,
    PointerChoice,
    PointerFormatDocument,
    RootRelativeChoice,
    StoreAccessDocument,
)
from fabricgen.author.contract_document import (
    AtomicChoice,
    AtomicDocument,
    FenceClauseDocument,
    PlainChoice,
    PlainDocument,
    TargetScopeChoice,
    TargetScopeDocument,
)
from fabricgen.author.expand import expand_fabric
from fabricgen.author.fabric import parse_fabric
from fabricgen.author.fabric_document import (
    FabricDocument,
    FabricHeader,
    StorageMemoryDocument,
    SubordinateDocument,
)
from fabricgen.author.findings import Findings
from fabricgen.author.grant_document import RoundRobinChoice, RoundRobinDocument
from fabricgen.author.service_document import (
    BoundedCompletionDocument,
    FenceCapabilityDocument,
    FenceChoice,
    LoadCapabilityDocument,
    LoadChoice,
    LocalProviderChoice,
    LocalProviderDocument,
    LocalServiceDocument,
    MmioDocument,
    MmioRegionDocument,
    ServiceResourcesDocument,
    StorageDocument,
    StorageRegionDocument,
)
from tests.support.documents import EVERY_KEY, every_key_document, fabric_document

COMMON = {"form": "element", "lanes": [1], "mask": ["absent"], "alignment": "any"}
INDEX = RootRelativeChoice(root_relative=[32])
LOADS = LoadAccessDocument(**COMMON, address=INDEX, element_bits=[32], read_subword=["exact"])

WRITTEN = (EVERY_KEY.parent / "built.toml").read_text()


def built():
    pointer = PointerFormatDocument(address_space=0, representation_bits=64, address_bits=48)
    bounded = BoundedCompletionDocument(bounded_completion_cycles=9)
    atomic = AtomicDocument(
        orderings=["seq_cst"], sync_scopes=["system"], granularity=["absent"], volatile=[False]
    )

    def ordered(progress):
        provider = LocalProviderDocument(release_visibility="by_retirement", progress=progress)
        return LocalProviderChoice(local_provider=provider)

    def subordinate(name, bindings, match):
        return SubordinateDocument(
            name=name,
            beat_bits=32,
            max_exposed_bindings=bindings,
            match=match,
            transform="none",
            targets=["local"],
        )

    registers = StoreAccessDocument(
        **COMMON,
        address=PointerChoice(pointer=[pointer]),
        data=[pointer],
        element_bits=[64],
        write_subword=["byte_enable"],
    )
    loads = LoadCapabilityDocument(
        contract=[PlainChoice(plain=PlainDocument(volatile=[False])), AtomicChoice(atomic=atomic)],
        consistency=ordered(bounded),
        beat_bits=32,
        regions=[0],
        access=[LOADS],
    )
    fences = FenceCapabilityDocument(
        contract=[FenceClauseDocument(orderings=["seq_cst"], sync_scopes=["system"])],
        consistency=ordered("fair_eventual"),
    )
    local = LocalServiceDocument(
        capacity_bytes=64,
        regions=[
            StorageRegionDocument(base=0, size=32, storage=StorageDocument()),
            MmioRegionDocument(base=32, size=32, mmio=MmioDocument(store=[registers])),
        ],
        resources=ServiceResourcesDocument(
            banks=1,
            outstanding=2,
            queue=1,
            grant=RoundRobinChoice(round_robin=RoundRobinDocument(reset_cursor=1)),
        ),
        capabilities=[LoadChoice(load=loads), FenceChoice(fence=fences)],
    )
    memory = StorageMemoryDocument(
        name="ram",
        subordinate=[subordinate("a", 2, ["range"]), subordinate("b", 1, [])],
        local=local,
    )
    return FabricDocument(fabric=FabricHeader(name="built"), memory=[memory])


def test_a_document_built_in_python_is_the_one_that_is_read():
    assert built() == FabricDocument.model_validate(tomllib.loads(WRITTEN))


def test_a_document_built_in_python_expands_to_the_record_of_the_text():
    findings = Findings()
    expanded = expand_fabric(built(), findings)
    assert findings.diagnostics == []
    assert expanded.record == parse_fabric(WRITTEN)


@pytest.mark.parametrize("document", [every_key_document(), fabric_document()])
def test_parts_of_a_document_stand_where_their_tables_stood(document):
    read = FabricDocument.model_validate(document)
    again = FabricDocument(fabric=read.fabric, memory=read.memory)
    assert again == read
    local = read.memory[0].local
    assert LocalServiceDocument(**dict(local)) == local


def test_a_scope_of_a_target_is_one_document_too():
    scope = TargetScopeChoice(target=TargetScopeDocument(namespace="gpu", key="warp"))
    clause = FenceClauseDocument(orderings=["acquire"], sync_scopes=["system", scope])
    assert clause.sync_scopes == ["system", scope]
