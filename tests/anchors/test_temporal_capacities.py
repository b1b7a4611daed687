"""Anchor: independent P, K and T.

Spec: Validation Anchors, and Temporal Ports And Resident Capacity.
"""

import pytest

from fabricgen.check.fabric import findings
from fabricgen.plan.capacity import port_capacities
from fabricgen.plan.realisation import unsupported
from fabricgen.records import occurrence_codec
from fabricgen.records.fabric import Fabric
from tests.support.temporal import temporal_memory


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
