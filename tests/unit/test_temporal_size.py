"""Temporal engines of many rows: they elaborate, and grow with their rows and ports."""

import pytest

from fabricgen.emit.verilog import to_verilog
from fabricgen.plan.realisation import unsupported
from fabricgen.rtl.temporal.engine import TemporalEngine
from tests.support.verilog import compiles_as_2005
from tools.engines import temporal_fabric


def engine_text(rows, ports):
    (named,) = temporal_fabric(rows, ports).memories
    return to_verilog(TemporalEngine(named), "engine")


@pytest.mark.parametrize("rows", [1, 4, 64])
@pytest.mark.parametrize("ports", [1, 8])
def test_engines_of_up_to_64_rows_are_realised(rows, ports):
    assert unsupported(temporal_fabric(rows, ports)) == ()


@pytest.mark.slow
def test_the_text_of_an_engine_grows_no_faster_than_its_rows(tmp_path):
    texts = {rows: engine_text(rows, 2) for rows in (16, 64)}
    assert len(texts[64]) < 4 * len(texts[16])
    assert compiles_as_2005(texts[64], tmp_path) == ""
