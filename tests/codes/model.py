"""Inputs of the codes of ``model``: workloads without one outcome, or for another memory."""

from fabricgen.model.execute import execute
from fabricgen.plan.rows import Disabled
from tests.support.memories import ELEMENT, LOAD, hybrid_memory, view
from tests.support.networks import net
from tests.support.temporal import manager_memory, temporal_memory, temporal_row, temporal_table

HYBRID = hybrid_memory()
CONTENTS = bytes(range(256)) * 16
RD_MASK, RD_DATA = 1, 7


def offered(streams, contents=CONTENTS):
    """Tokens and bytes for a memory that is switched off."""
    return lambda: execute(HYBRID, Disabled(), streams, contents)


def run(made, **tokens):
    return execute(made.named, made.configuration, made.streams(**tokens), CONTENTS[:256])


def race():
    """Nothing orders the store and the load of one word."""
    return run(net("SL"), a0=[0], d0=[7], c0=[0], a1=[0], c1=[0])


def unconsumed():
    """One of three loaded words is stored; the slot before the store has room for one more."""
    made = net("LS", [("0.data", "1.data")], bases=[0, 128])
    return run(made, a0=[0, 1, 2], c0=[0] * 3, a1=[0], c1=[0])


def two_rows_on_one_tag():
    """Two rows load different words and publish them with tag 9."""
    tags = [dict.fromkeys(("address", "control", "completion"), row) for row in (0, 1)]
    rows = [
        temporal_row(row, 0, LOAD, view(ELEMENT), base=0, tags=tags[row] | {"data": 9})
        for row in (0, 1)
    ]
    streams = {(0, row): [row] for row in (0, 1)} | {(2, row): [0] for row in (0, 1)}
    return execute(temporal_memory(), temporal_table(*rows), streams, CONTENTS)


def behind_a_manager():
    return execute(manager_memory(), Disabled(), {}, b"", {0: {0: 256}})


PRODUCERS = {
    "workload-race": race,
    "workload-unconsumed": unconsumed,
    "workload-output-order": two_rows_on_one_tag,
    "stream-not-an-input": offered({(RD_DATA, None): [0]}),
    "stream-token-width": offered({(RD_MASK, None): [16]}),
    "stream-tag-width": offered({(RD_MASK, 0): [0]}),
    "memory-contents-size": offered({}, b""),
    "manager-contents": behind_a_manager,
}
