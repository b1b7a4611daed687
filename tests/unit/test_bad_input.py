"""Each kind of bad input gets its exact findings, its exit code, and writes nothing."""

import pytest

from tests.bad_input_table import CASES, main
from tests.support.bad_input import outcome


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kind}: {case.title}")
def test_bad_input_gets_its_findings_and_nothing_is_written(case, tmp_path):
    got = outcome(case, tmp_path)
    assert case.is_met(got.lines), "\n".join(got.lines)
    assert (got.exit_code, got.stdout, got.written) == (case.exit_code, "", [])
    listed = [f"{each['where']}: {each['message']} [{each['code']}]" for each in got.findings]
    assert listed == got.lines
    for each in got.findings:
        assert each["file"] is not None or each["where"] in case.command


def test_the_table_has_a_line_per_finding(capsys, monkeypatch):
    monkeypatch.setattr("tests.bad_input_table.CASES", CASES[:1] + CASES[-1:])
    assert main() == 0
    rows = capsys.readouterr().out.splitlines()[2:]
    assert [row.count(" | ") for row in rows] == [4, 4]
    assert rows[0].startswith("| document: unknown key | 1 | `memory[0].port[0].resources.depth` |")
