# amaranth: UnusedElaboratable=no
"""The Verilog of each large part means what was elaborated, register by register."""

import pytest

from fabricgen.plan.geometry import AccessMode
from fabricgen.rtl.row_control import RowControl
from fabricgen.rtl.spatial.port import SpatialPort
from tests.support import formal_report, services
from tests.support.manager_model import requester
from tests.support.memories import hybrid_memory
from tests.support.records import gather_fabric
from tests.support.verilog import equivalent
from tests.unit.test_loader import loader

pytestmark = pytest.mark.formal

PARTS = {
    "loader": loader,
    "row control": lambda: RowControl(hybrid_memory(), 0),
    "reading port": lambda: SpatialPort(RowControl(hybrid_memory(), 0).shape),
    "writing port": lambda: SpatialPort(RowControl(hybrid_memory(), 1).shape),
    "gathering port": lambda: SpatialPort(RowControl(gather_fabric().memories[0], 0).shape),
    "reading requester": lambda: requester(
        (AccessMode(False, 2, 4), AccessMode(True, 2, 2)), beat_bytes=4, slots=2, walks=True
    ),
    "writing requester": lambda: requester(
        (AccessMode(False, 2, 4),), beat_bytes=4, slots=2, reads=False, writes=True
    ),
    "service": lambda: services.service(
        services.SUBWORD, services.VECTOR, capacity=32, beat=4, banks=2
    ),
    "unaligned service": lambda: services.service(services.LOOSE, capacity=32, beat=4, banks=2),
}


@pytest.mark.proves("the emitted text means what was elaborated")
@pytest.mark.parametrize("part", PARTS)
def test_the_text_means_what_was_elaborated(part, tmp_path):
    formal_report.note(part, "equivalence", 1)
    ok, log = equivalent(PARTS[part], tmp_path)
    assert ok, log[-3000:]
