"""Anchor: operation engine only, engine with local service, and storage only.

Spec: Validation Anchors, and Legal Occurrence Forms. All three are records with bytes, and all
three have hardware.
"""

from dataclasses import replace

import pytest

from fabricgen.check.fabric import findings
from fabricgen.plan.realisation import unsupported
from fabricgen.records import occurrence_codec
from fabricgen.records.connectivity import (
    ManagerEndpointTarget,
    MemoryConnectivityContract,
    OperationPortDispatch,
    SubordinateDispatch,
)
from fabricgen.records.endpoint import ServiceEndpoint
from fabricgen.records.fabric import Fabric, MemoryNames, NamedMemory
from fabricgen.vocab.dispatch import AddressTransform
from tests.support.records import LOCAL, load_fabric

BOTH = load_fabric().memories[0]
RECORD = BOTH.occurrence
ENGINE_ONLY = replace(
    RECORD,
    local_service=None,
    manager_endpoints=(ServiceEndpoint(64),),
    connectivity=MemoryConnectivityContract(
        (OperationPortDispatch(((ManagerEndpointTarget(0),),)),), (), ()
    ),
)
STORAGE_ONLY = replace(
    RECORD,
    endpoints=(),
    engine=None,
    subordinate_endpoints=(ServiceEndpoint(32),),
    connectivity=MemoryConnectivityContract(
        (), (SubordinateDispatch(1, (), AddressTransform.NONE, (LOCAL,)),), ()
    ),
)


def fabric_of(record):
    names = BOTH.names if record.engine is not None else MemoryNames((), (), ())
    names = replace(
        names,
        managers=("ext0",) * len(record.manager_endpoints),
        subordinates=("from0",) * len(record.subordinate_endpoints),
    )
    return Fabric("forms", (NamedMemory("mem0", record, names),))


@pytest.mark.parametrize(
    "record",
    [RECORD, ENGINE_ONLY, STORAGE_ONLY],
    ids=["engine and service", "engine only", "storage only"],
)
def test_each_form_is_legal_and_has_bytes_and_hardware(record):
    assert findings(fabric_of(record)) == ()
    assert occurrence_codec.decode(occurrence_codec.encode(record)) == record
    assert unsupported(fabric_of(record)) == ()


@pytest.mark.parametrize(
    ("record", "code"),
    [
        (replace(STORAGE_ONLY, local_service=None), "occurrence-empty"),
        (replace(ENGINE_ONLY, manager_endpoints=()), "engine-unbacked"),
        (
            replace(
                STORAGE_ONLY,
                subordinate_endpoints=(),
                connectivity=MemoryConnectivityContract((), (), ()),
            ),
            "storage-unreachable",
        ),
    ],
    ids=["neither", "an engine before nothing", "storage behind nothing"],
)
def test_other_forms_are_no_memory(record, code):
    assert code in [finding.code for finding in findings(fabric_of(record))]


def test_only_an_engine_has_a_schedule():
    """The contract of the schedule is part of the engine, so storage alone can have none."""
    wire = occurrence_codec.encode(STORAGE_ONLY)
    # No endpoints (u64), then no engine (u32): nothing says Spatial.
    assert wire[:12] == bytes(12)
