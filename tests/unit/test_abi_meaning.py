"""Words for the fields of rows and for registers, of every kind that a small memory has."""

from dataclasses import replace

import pytest

from fabricgen.abi.meaning import row_meanings
from fabricgen.abi.registers import register_map
from fabricgen.plan.rows import OperationRow, ResultDestination, RoleSource
from fabricgen.records.connectivity import ManagerEndpointTarget
from fabricgen.records.fabric import Fabric
from tests.codes.inputs import POINTERS, one_actor
from tests.codes.plan import POINTER
from tests.support.actors import CAS, FENCE, alternative, atomic_access, exact
from tests.support.memories import ELEMENT, LOAD, ROLE, actor, view
from tests.support.temporal import temporal_memory, temporal_row

CONNECTED = temporal_memory(connections=[("rd_data", "wr_data")])
EXT0 = ManagerEndpointTarget(0)


def meanings(named, who, access):
    return row_meanings(named, OperationRow(0, 0, 0, who, access, 0, (), (), EXT0))


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (CAS, ["success seq cst, failure seq cst", "scope system", "scalar", "not weak"]),
        (FENCE, ["seq cst", "scope system"]),
    ],
)
def test_each_value_of_a_contract_has_words(schema, expected):
    accesses = () if schema is FENCE else (atomic_access(schema),)
    access = None if schema is FENCE else replace(view(ELEMENT), source_alignment_bytes=4)
    found = meanings(one_actor(alternative(schema, *accesses)), exact(schema), access)
    assert [found[f"actor_value{i}"] for i in range(len(expected))] == expected


def test_pointers_have_their_format():
    found = meanings(POINTERS, actor(LOAD), POINTER)
    assert found["address_pointer_format"] == "pointers of space 0: 48 of 64 bits"
    assert found["data_pointer_format"] == "pointers of space 0: 48 of 64 bits"


def test_connections_have_their_numbers():
    row = temporal_row(0, 0, LOAD, view(ELEMENT))
    joined = replace(
        row,
        sources=((ROLE.ADDRESS, RoleSource(0)), *row.sources[1:]),
        destinations=((ROLE.DATA, ResultDestination(False, (0,))), *row.destinations[1:]),
    )
    found = row_meanings(CONNECTED, joined)
    assert found["forward_data_0"] == "to connection 0"
    assert [text for text in found.values() if text.endswith("from connection 0")]


def test_registers_of_a_temporal_memory_name_endpoints_and_destinations():
    listed = register_map(Fabric("few", (CONNECTED,)))["registers"]
    words = {each["name"]: each["meaning"] for each in listed}
    assert words["unmatched"].endswith("bit 6: wr_ctrl")
    (destinations,) = (text for text in words.values() if text.startswith("destinations"))
    assert "bit 0: rd_data" in destinations
    assert "bit 3:" in destinations
