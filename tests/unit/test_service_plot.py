"""The plot of served over offered loads, and the figures it is drawn from."""

import json
from xml.etree import ElementTree

import pytest

from tools.service_rates import DOCS, LIMITS, OFFERED, plot, served

SVG = "{http://www.w3.org/2000/svg}"


def test_what_is_offered_below_the_limit_is_served():
    assert served(2, 0.4, cycles=2000) == pytest.approx(0.4, abs=0.02)


def test_all_that_is_offered_is_served_as_the_heads_of_lines_allow():
    assert served(1, 1.0, cycles=500) == 1.0
    assert served(2, 1.0, cycles=2000) == pytest.approx(LIMITS[2], abs=0.02)


def test_recorded_figures_reach_the_limits_and_no_more_than_is_offered():
    recorded = {int(k): v for k, v in json.loads((DOCS / "service-load.json").read_text()).items()}
    assert recorded.keys() == LIMITS.keys()
    for banks, found in recorded.items():
        assert len(found) == len(OFFERED)
        assert found[-1] >= 0.98 * LIMITS[banks]
        assert all(each <= offered + 0.03 for each, offered in zip(found, OFFERED, strict=True))
    assert (DOCS / "service-load.svg").read_text() == plot(recorded)
    assert "service-load.svg" in (DOCS / "performance.md").read_text()


def test_the_plot_has_a_line_and_a_limit_for_each_count_of_banks():
    root = ElementTree.fromstring(plot({1: OFFERED, 2: [0.5] * len(OFFERED)}))
    lines = [each.get("points").split() for each in root.iter(f"{SVG}polyline")]
    # From (0.1, 0.1) to (1, 1) of 480 by 320 points whose corner is at (60, 20).
    assert (lines[0][0], lines[0][-1]) == ("108.0,308.0", "540.0,20.0")
    assert {point.split(",")[1] for point in lines[1]} == {"180.0"}
    assert [each.get("y1") for each in root.iter(f"{SVG}line")] == ["20.0", "100.0"]
