"""Documents cover the records: what a record says, some document says, and expands to again."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabricgen.author.document import validated
from fabricgen.author.expand_service import expand_service
from fabricgen.author.fabric import parse_fabric
from fabricgen.author.findings import Findings
from fabricgen.author.service_document import LocalServiceDocument
from fabricgen.check.fabric import findings
from fabricgen.records.fabric import Fabric, NamedOp
from fabricgen.records.service import LocalMemoryService
from tests.support.actor_memories import ALL
from tests.support.documented import documented, local_document
from tests.support.documents import every_key_document, fabric_document, ops_document, toml
from tests.support.drawn_memories import memories
from tests.support.drawn_services import LOCAL_BINDINGS, service_contracts
from tests.support.examples import folder
from tests.support.fabrics import fabrics
from tests.support.hsg_params import concrete
from tests.support.rebuilt import rebuilt
from tests.support.rich_memory import RICH

FEW = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def holds(fabric):
    """The document of a fabric, read as text and through the builder, is that fabric."""
    assert findings(fabric) == ()
    document = documented(fabric)
    for read in (parse_fabric(toml(document)), rebuilt(document).build()):
        for again, memory in zip(read.memories, fabric.memories, strict=True):
            assert again.occurrence == memory.occurrence
            assert again.implementation == memory.implementation
        assert read.ops == fabric.ops


@pytest.mark.parametrize(
    "name", ["spatial-hybrid", "temporal-local", "temporal-vector", "memcpy-local"]
)
def test_the_records_of_an_example_have_a_document(name):
    holds(parse_fabric((folder(name) / "fabric.toml").read_text()))


def test_the_records_of_every_key_have_a_document():
    holds(parse_fabric(toml(every_key_document())))


def test_the_records_of_resources_have_a_document():
    fabric = parse_fabric(toml(ops_document()))
    document = documented(fabric)
    assert parse_fabric(toml(document)) == fabric
    assert rebuilt(document).build() == fabric


@settings(max_examples=10, deadline=None)
@given(fabrics(), st.lists(concrete(), max_size=3))
def test_the_records_of_memories_and_resources_have_a_document(fabric, drawn):
    ops = tuple(NamedOp(f"op{ordinal}", op) for ordinal, op in enumerate(drawn))
    holds(replace(fabric, ops=ops))


@pytest.mark.parametrize("memory", [RICH, ALL], ids=["rich", "actors"])
def test_the_records_of_a_large_memory_have_a_document(memory):
    holds(Fabric("whole", (memory,)))


def test_an_endpoint_of_a_port_may_be_without_a_role():
    (memory,) = parse_fabric(toml(fabric_document())).memories
    engine = memory.occurrence.engine
    first, second = engine.ports
    inventory = tuple(sorted({*first.endpoint_inventory, memory.names.endpoints.index("wr_mask")}))
    ports = (replace(first, endpoint_inventory=inventory), second)
    occurrence = replace(memory.occurrence, engine=replace(engine, ports=ports))
    holds(Fabric("little", (replace(memory, occurrence=occurrence),)))


@FEW
@given(fabrics())
def test_the_records_of_any_plain_memory_have_a_document(fabric):
    holds(fabric)


@FEW
@given(st.data())
def test_the_records_of_any_drawn_memory_have_a_document(data):
    holds(Fabric("drawn", (data.draw(memories()),)))


@FEW
@given(service_contracts(LOCAL_BINDINGS))
def test_any_service_contract_has_a_document(contract):
    requesters = [f"port-{key}" for key in range(contract.resource_contract.requester_count)]
    service = LocalMemoryService(contract.regions[-1].end_bytes, contract)
    document, found = validated(LocalServiceDocument, local_document(service, requesters))
    assert found == ()
    told = Findings()
    expanded = expand_service(document, requesters, "local", told)
    assert told.diagnostics == []
    assert expanded.record == service
