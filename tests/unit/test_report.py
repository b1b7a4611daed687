"""Tables for people say what the figures are."""

import io

from rich.console import Console

from fabricgen.report.simulation import finding_lines, simulation_table


def text(table):
    console = Console(file=io.StringIO(), width=200)
    console.print(table)
    return console.file.getvalue()


def cells(line):
    return [cell.strip() for cell in line.replace("┃", "│").strip("│\n ").split("│")]


REPORT = {
    "fabric": "spatial-local",
    "simulator": "verilator",
    "seed": 3,
    "beats": {"ram.host": {"count": 7, "errors": 2}},
    "runs": [{}, {}],
    "rows": [
        {
            "row": 0,
            "port": "read0",
            "firings": 256,
            "cycles": 256,
            "achieved": 1.0,
            "limit": 1.0,
        },
        {
            "row": 1,
            "port": "write0",
            "firings": 0,
            "cycles": 0,
            "achieved": 0.0,
            "limit": 0.0,
        },
    ],
    "firings": 256,
    "cycles": 300,
    "achieved": 0.75,
    "limit": 1.0,
    "findings": [
        {
            "kind": "token",
            "cycle": 17,
            "message": "The token differs",
            "row": 0,
            "role": "data",
            "token": 4,
            "expected": "0x1",
            "got": "0x2",
        }
    ],
    "finding_count": 9,
}


def test_a_simulation_has_a_line_per_row_and_one_for_all():
    lines = text(simulation_table(REPORT)).splitlines()
    assert lines[0].strip() == "spatial-local on verilator, seed 3, 2 runs"
    assert cells(lines[2]) == [
        *("row", "firings", "mismatches", "cycles", "achieved", "limit", "of limit"),
    ]
    assert cells(lines[4]) == ["read0", "256", "1+", "256", "1.000", "1.000", "100.0%"]
    assert cells(lines[5]) == ["write0", "0", "0", "0", "-", "0.000", "-"]
    assert cells(lines[7]) == ["all", "256", "9", "300", "0.750", "1.000", "75.0%"]
    assert cells(lines[9])[0] == "ram.host: 7 beats, 2 answered with an error"


def test_rows_of_a_mapping_have_their_names():
    lines = text(simulation_table(REPORT, ["fetch", "keep"])).splitlines()
    assert [cells(line)[0] for line in lines[4:6]] == ["0: fetch (read0)", "1: keep (write0)"]


def test_a_difference_is_one_line_and_hidden_ones_are_counted():
    assert list(finding_lines(REPORT)) == [
        "cycle 17, row 0, role data, token 4: The token differs, expected 0x1, got 0x2 [token]",
        "and 8 more",
    ]
