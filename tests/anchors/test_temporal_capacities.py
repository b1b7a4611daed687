"""Anchor: independent P, K and T.

Spec: Validation Anchors, and Temporal Ports And Resident Capacity.
"""

import pytest

from fabricgen.check.fabric import findings
from fabricgen.plan.capacity import port_capacities
from fabricgen.plan.realisation import unsupported
from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.rows import Active
from fabricgen.records import occurrence_codec
from fabricgen.records.fabric import Fabric
from tests.support.memories import ELEMENT, LOAD, ROLE, view
from tests.support.temporal import temporal_memory
from tests.support.temporal_engines import AT, engine_memory, engine_row
from tests.support.temporal_harness import TemporalRun, row_streams


@pytest.mark.parametrize("contexts", [1, 2, 5])
@pytest.mark.parametrize("tag_width", [1, 4])
def test_contexts_are_bound_to_neither_ports_nor_tags(contexts, tag_width):
    named = temporal_memory(contexts=contexts, tag_width=tag_width)
    fabric = Fabric("anchor", (named,))
    assert findings(fabric) == ()
    assert unsupported(fabric) == ()
    record = named.occurrence
    assert occurrence_codec.decode(occurrence_codec.encode(record)) == record
    assert record.engine.contract.resident_context_count == contexts
    assert [port_capacities(port).contexts for port in record.engine.ports] == [contexts] * 2
    assert {endpoint.tag_width for endpoint in record.endpoints} == {tag_width}


@pytest.mark.parametrize(("read_ports", "contexts", "tag_width"), [(1, 3, 2), (2, 1, 3), (2, 5, 4)])
def test_hardware_runs_with_any_of_the_three(read_ports, contexts, tag_width):
    """The last row of the last read port, on the highest tags."""
    named = engine_memory(contexts, read_ports=read_ports, tag_width=tag_width)
    top = (1 << tag_width) - 1
    tags = dict.fromkeys((ROLE.ADDRESS, ROLE.CONTROL, ROLE.DATA, ROLE.COMPLETION), top)
    row = engine_row(contexts - 1, read_ports - 1, LOAD, view(ELEMENT), tags, base=0)
    streams = row_streams(named, row, {ROLE.ADDRESS: [3, 0], ROLE.CONTROL: [0, 0]})
    memory = bytearray(range(256)) * 4
    trace = TemporalRun(named, memory).run([None] * (contexts - 1) + [row], streams)
    assert trace.outputs[AT["rd_data"], top] == [0x0F0E0D0C, 0x03020100]
    assert {port for _, port, _, _ in trace.requests} == {read_ports - 1}
    assert trace.empty


def test_a_tag_means_something_at_its_own_ingress_only():
    """Two rows with the same two tags, one for the address and one for the control, crosswise."""
    named = engine_memory(2)
    rows = [
        engine_row(
            ordinal,
            0,
            LOAD,
            view(ELEMENT),
            {
                ROLE.ADDRESS: 1 + ordinal,
                ROLE.CONTROL: 2 - ordinal,
                ROLE.DATA: 1 + ordinal,
                ROLE.COMPLETION: 1 + ordinal,
            },
            base=0x40 * ordinal,
        )
        for ordinal in range(2)
    ]
    assert configuration_findings(named, Active(tuple(rows))) == ()
    memory = bytearray(range(256)) * 4
    # Only the address of row 0 and the control of row 1 arrive: tag 1 of both ingresses.
    mixed = {(AT["rd_addr"], 1): [1], (AT["rd_ctrl"], 1): [0]}
    trace = TemporalRun(named, memory).run(rows, mixed, cycles=60)
    assert (trace.requests, trace.outputs) == ([], {})
    both = {}
    for each in rows:
        both |= row_streams(named, each, {ROLE.ADDRESS: [1], ROLE.CONTROL: [0]})
    trace = TemporalRun(named, memory).run(rows, both)
    assert trace.outputs[AT["rd_data"], 1] == [0x07060504]
    assert trace.outputs[AT["rd_data"], 2] == [0x47464544]
    assert trace.empty
