import json
from pathlib import Path

from sim.fuzz_report import coverage_text, main, together

RESULT = {
    "engines": 7,
    "mismatches": 1,
    "hangs": 2,
    "seed": 40,
    "points": {"rmw: local add": 3, "rmw: local fadd": 0, "policy: port none": 12},
    "gaps": {"rmw: local fadd": "it cannot be"},
}

PAGE = """\
7 engines from seed 40 on: 1 mismatches, 2 hangs; 2 of 3 points.

| did not occur | because |
|---|---|
| rmw: local fadd | it cannot be |

| rmw | times |
|---|---|
| local add | 3 |
| local fadd | 0 |

| policy | times |
|---|---|
| port none | 12 |
"""


def test_the_page_says_what_occurred_how_often_and_why_something_did_not():
    text = coverage_text(RESULT)
    assert text.startswith("# What random engines had\n")
    assert text.endswith(PAGE)


def test_without_gaps_there_is_no_table_of_them():
    text = coverage_text(RESULT | {"points": {"policy: port none": 12}, "gaps": {}})
    assert "because" not in text


def test_several_runs_are_one():
    other = {
        "engines": 5,
        "mismatches": 0,
        "hangs": 1,
        "seed": 90,
        "points": {"rmw: local add": 0, "rmw: local fadd": 0, "policy: port none": 1},
        "gaps": {"rmw: local add": "not drawn", "rmw: local fadd": "it cannot be"},
    }
    assert together([other, RESULT]) == {
        "engines": 12,
        "mismatches": 1,
        "hangs": 3,
        "seed": "90, 40",
        "points": {"rmw: local add": 3, "rmw: local fadd": 0, "policy: port none": 13},
        "gaps": {"rmw: local fadd": "it cannot be"},
    }


def test_the_page_is_written_from_the_json(tmp_path):
    files = [str(tmp_path / name) for name in ("one.json", "other.json")]
    for name in files:
        Path(name).write_text(json.dumps(RESULT))
    page = tmp_path / "coverage.md"
    assert main([*files[:1], "--output", str(page)]) == 0
    assert page.read_text() == coverage_text(RESULT)
    assert main([*files, "--output", str(page)]) == 0
    assert "14 engines from seed 40, 40 on" in page.read_text()
