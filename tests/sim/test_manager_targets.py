"""Rows of one port that go to the local service and to a manager, against the model."""

import random

import pytest

from fabricgen.author.workload import Workload
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.records.connectivity import ManagerEndpointTarget
from fabricgen.records.fabric import Fabric
from sim.simulate import simulate
from tests.support.memories import CONTIGUOUS, DYNAMIC, ELEMENT, ENDPOINTS, LOAD, STORE, view
from tests.support.temporal import temporal_memory, temporal_row, temporal_table

EXT0 = ManagerEndpointTarget(0)
FIRINGS = 12
AT = {name: ordinal for ordinal, name in enumerate(ENDPOINTS)}

#: Loads at both targets by port 0, stores at both by port 1; bases of the manager are ragged.
TABLE = temporal_table(
    temporal_row(0, 0, LOAD, view(CONTIGUOUS, lanes=4), base=0x40),
    temporal_row(1, 0, LOAD, view(CONTIGUOUS, lanes=4, mask=DYNAMIC), base=2**63 + 3, target=EXT0),
    temporal_row(2, 1, STORE, view(ELEMENT), base=0x800),
    temporal_row(3, 1, STORE, view(CONTIGUOUS, lanes=4, mask=DYNAMIC), base=0x1001, target=EXT0),
)


@pytest.mark.parametrize(
    "beat", [*(pytest.param(bits, marks=pytest.mark.slow) for bits in (8, 32, 64)), 128]
)
def test_rows_of_one_port_reach_their_own_targets(beat, tmp_path):
    named = temporal_memory(managers={"ext0": beat})
    rng = random.Random(beat)
    streams = {}
    for tag in range(4):
        side, step = "rd" if tag < 2 else "wr", 1 if tag == 2 else 4
        streams[0, AT[f"{side}_addr"], tag] = tuple(step * n for n in range(FIRINGS))
        streams[0, AT[f"{side}_ctrl"], tag] = (0,) * FIRINGS
        if tag in (1, 3):
            masks = tuple(rng.randrange(16) for _ in range(FIRINGS))
            streams[0, AT[f"{side}_mask"], tag] = masks
        if side == "wr":
            data = tuple(rng.getrandbits(128) for _ in range(FIRINGS))
            streams[0, AT["wr_data"], tag] = data
    workload = Workload(
        streams, (((0, rng.randbytes(2048)),),), managers=({0: ((2**63, rng.randbytes(512)),)},)
    )
    fabric = Fabric("two", (named,))
    report = simulate(
        fabric,
        FabricConfiguration((TABLE,)),
        workload,
        simulator="python",
        seed=1,
        build_dir=tmp_path,
    )
    assert report.passed, report.findings[:3]
    assert [row.firings for row in report.rows] == [FIRINGS] * 4
