"""Anchor: load.data to store.data and done to ctrl inside the engine.

Spec: Validation Anchors, and Operation Rows And Internal Dependencies.
"""

from dataclasses import replace

import pytest

from fabricgen.check.fabric import findings
from fabricgen.plan.realisation import unsupported
from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.rows import ResultDestination, RoleSource
from fabricgen.records.connectivity import InternalConnection
from fabricgen.records.fabric import Fabric
from tests.support.memories import ELEMENT, LOAD, ROLE, STORE, replaced, row, table, view
from tests.support.records import copy_fabric

#: load.data to store.data is connection 0, load.done to store.ctrl connection 1.
COPY = copy_fabric().memories[0]
COPY = replaced(
    COPY,
    connectivity=replace(
        COPY.occurrence.connectivity,
        internal_connections=(InternalConnection(7, 4), InternalConnection(8, 6)),
    ),
)
READ, WRITE = row(0, LOAD, view(ELEMENT)), row(1, STORE, view(ELEMENT))


def test_a_copy_is_legal_and_realised():
    fabric = Fabric("anchor", (COPY,))
    assert findings(fabric) == ()
    assert unsupported(fabric) == ()
    inside = replace(
        READ,
        destinations=(
            (ROLE.DATA, ResultDestination(False, (0,))),
            (ROLE.COMPLETION, ResultDestination(True, (1,))),
        ),
    )
    fed = {ROLE.DATA: RoleSource(0), ROLE.CONTROL: RoleSource(1)}
    sources = tuple((role, fed.get(role, source)) for role, source in WRITE.sources)
    assert configuration_findings(COPY, table(inside, replace(WRITE, sources=sources))) == ()


@pytest.mark.parametrize(
    "producer", [ResultDestination(True, (0,)), ResultDestination(False, (0,))]
)
def test_a_connection_without_a_consumer_is_refused(producer):
    opened = replace(READ, destinations=((ROLE.DATA, producer), READ.destinations[1]))
    codes = [d.code for d in configuration_findings(COPY, table(opened, WRITE))]
    assert codes == ["row-connection-unconsumed"]
