"""What ``plan`` shows of exposures, as a table and as JSON."""

import json
from pathlib import Path

from rich.console import Console
from typer.testing import CliRunner

from fabricgen.cli.main import app
from fabricgen.plan.rows import Disabled, PrefixMatch, RangeMatch
from fabricgen.records.fabric import Fabric
from fabricgen.report.decode import decode_json, decode_tables
from tests.support.subordinates import (
    EXT0,
    NONE,
    PREFIX,
    decode_row,
    dispatch,
    exposed_memory,
    exposing,
)

BANK = Path(__file__).parents[1] / "support" / "bank"
COMMAND = ["plan", str(BANK / "fabric.toml"), str(BANK / "mapping.toml")]


def test_the_plan_of_an_exposure_is_its_row():
    done = CliRunner().invoke(app, [*COMMAND, "--json"])
    assert done.exit_code == 3
    far, low, high, alone = json.loads(done.stdout)
    assert far == {
        "memory": "ram",
        "subordinate": "from0",
        "binding": 0,
        "match": {"range": {"base": 0, "size": 0x1000}, "address_space": 1},
        "target": "ext0",
        "base_offset": 2**32,
    }
    assert (low["base_offset"], high["base_offset"]) == (2**64 - 0x8000, 2**64 - 0x7800)
    assert alone == {
        "memory": "ram",
        "subordinate": "from1",
        "binding": 0,
        "match": {},
        "target": "local",
        "base_offset": None,
    }


def cells(listing):
    (table,) = decode_tables(listing)
    console = Console(width=200)
    with console.capture() as capture:
        console.print(table)
    rows = [line for line in capture.get().splitlines() if line.startswith("│")]
    return [[cell.strip() for cell in row.strip("│").split("│")] for row in rows]


def test_people_read_addresses_as_ranges_and_prefixes():
    named = exposed_memory(dispatch(2, (PREFIX,), NONE))
    rows = (decode_row(PrefixMatch(0x1000, 52)), decode_row(PrefixMatch(0x2000, 64), target=EXT0))
    assert cells(decode_json(Fabric("f", (named,)), (exposing(named, rows),))) == [
        ["mem0", "from0", "0", "addresses like 0x1000 in 52 bits", "local", "none"],
        ["mem0", "from0", "1", "addresses like 0x2000 in 64 bits", "ext0", "none"],
    ]
    ranged = exposed_memory(dispatch())
    row = decode_row(RangeMatch(0x10, 0x10), offset=0x20)
    assert cells(decode_json(Fabric("f", (ranged,)), (exposing(ranged, (row,)),))) == [
        ["mem0", "from0", "0", "addresses 0x10 to 0x1f", "local", "0x20"]
    ]


def test_nothing_is_shown_where_nothing_is_exposed():
    fabric = Fabric("f", (exposed_memory(dispatch()),))
    assert decode_json(fabric, (Disabled(),)) == []
    assert decode_tables([]) == []
