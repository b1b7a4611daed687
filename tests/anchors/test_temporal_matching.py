"""Anchors: same-ingress Temporal matching, and one tag per role of a vector token.

Spec: Validation Anchors, Persistent Capability Schema, Temporal Ports And Resident Capacity.
"""

import pytest

from fabricgen.check.fabric import findings
from fabricgen.errors import Invalid
from fabricgen.plan.row_check import configuration_findings
from fabricgen.records.fabric import Fabric
from tests.support.memories import (
    ABSENT,
    CONTIGUOUS,
    DYNAMIC,
    ENDPOINTS,
    LOAD,
    access_class,
    alternative,
    capability,
    memory,
    port,
    service,
    view,
)
from tests.support.temporal import temporal_memory, temporal_row, temporal_table
from tests.support.temporal_harness import TemporalRun

VECTORS = (access_class(CONTIGUOUS, LOAD, elements=(32,), lanes=(4,), masks=(ABSENT, DYNAMIC)),)
ENDS = {"address": 32, "control": 0, "data": 128, "done": 0}
#: Address and mask at one ingress.
SHARED = {"address": 0, "mask": 0, "control": 1, "data": 2, "completion": 3}


def loading(contexts, **roles):
    """One vector-load port; Spatial where ``contexts`` is ``None``."""
    load = alternative(LOAD, roles, VECTORS)
    ports = (port(load, contexts=contexts or 1, depth=1),)
    local = service(capability(LOAD, VECTORS, (0,)), requesters=1)
    return memory(ENDS, 2, ports, local, contexts=contexts)


def codes(named):
    return [finding.code for finding in findings(Fabric("anchor", (named,)))]


def row_codes(*rows):
    configuration = temporal_table(*rows)
    return [d.code for d in configuration_findings(loading(4, **SHARED), configuration)]


def vector(ordinal, **tags):
    access = view(CONTIGUOUS, lanes=4, mask=DYNAMIC)
    return temporal_row(ordinal, 0, LOAD, access, tags=tags)


def test_input_roles_of_a_temporal_row_may_share_one_ingress():
    assert codes(loading(4, **SHARED)) == []
    assert codes(loading(None, **SHARED)) == ["role-endpoint-shared"]


def test_each_role_of_a_row_has_a_tag_of_its_own_and_a_vector_has_one():
    # One token of 128 bits is published under one tag, whatever its lanes.
    row = vector(2, address=1, mask=7, control=3, data=5, completion=6)
    assert row_codes(None, None, row) == []


def test_an_interpretation_of_an_ingress_and_tag_is_unique():
    first = vector(0, address=1, mask=2, control=1)
    assert row_codes(first, vector(1, address=3, mask=4, control=2)) == []
    for duplicate in ({"address": 2, "mask": 4}, {"address": 3, "mask": 1}):
        second = vector(1, control=2, **duplicate)
        assert row_codes(first, second) == ["row-ingress-conflict"]
    assert row_codes(vector(0, address=1, mask=1)) == ["row-ingress-conflict"]


def test_two_results_of_one_firing_do_not_share_one_egress():
    with pytest.raises(Invalid, match=r"\[alternative-result-endpoints\]"):
        loading(4, **{**SHARED, "completion": 2})


#: context[2] of the specification: five roles, five tags, at five endpoints of the read port.
CONTEXT_2 = temporal_row(
    2,
    0,
    LOAD,
    view(CONTIGUOUS, lanes=4, mask=DYNAMIC),
    base=0x40,
    tags={"address": 1, "mask": 7, "control": 3, "data": 5, "completion": 6},
)
ADDRESS, MASK, CONTROL, RESULT, DONE = (
    list(ENDPOINTS).index(name) for name in ("rd_addr", "rd_mask", "rd_ctrl", "rd_data", "rd_done")
)


def ran(streams, cycles=60):
    memory = bytearray(range(256)) * 16
    rows = temporal_table(None, None, CONTEXT_2).operation_rows
    return TemporalRun(temporal_memory(), memory).run(rows, streams, cycles=cycles)


def test_the_resident_vector_read_context_of_the_specification():
    trace = ran({(ADDRESS, 1): [1], (MASK, 7): [0b1011], (CONTROL, 3): [0]})
    # One request, one result of 128 bits with lane 2 zero, one completion in the same cycle.
    ((_, _, _, request),) = trace.requests
    assert (request["address"], request["lanes"]) == (0x44, 0b1011)
    lanes = [0x47464544, 0x4B4A4948, 0, 0x53525150]
    data = sum(lane << 32 * at for at, lane in enumerate(lanes))
    assert trace.outputs == {(RESULT, 5): [data], (DONE, 6): [0]}
    assert trace.published_at[RESULT, 5] == trace.published_at[DONE, 6]
    assert trace.empty


@pytest.mark.parametrize("absent", [(ADDRESS, 1), (MASK, 7), (CONTROL, 3)])
def test_the_context_fires_only_with_all_of_its_roles_each_under_its_own_tag(absent):
    streams = {(ADDRESS, 1): [1], (MASK, 7): [0b1011], (CONTROL, 3): [0]}
    endpoint, tag = absent
    streams[endpoint, tag + 1] = streams.pop(absent)
    trace = ran(streams)
    assert (trace.requests, trace.outputs) == ([], {})
    assert trace.left == {(endpoint, tag + 1): 1}
    assert trace.unmatched == 1 << endpoint
