import json

from sim.fuzz_report import coverage_text, main

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


def test_the_page_is_written_from_the_json(tmp_path):
    (tmp_path / "fuzz.json").write_text(json.dumps(RESULT))
    assert main([str(tmp_path / "fuzz.json"), "--output", str(tmp_path / "coverage.md")]) == 0
    assert (tmp_path / "coverage.md").read_text() == coverage_text(RESULT)
