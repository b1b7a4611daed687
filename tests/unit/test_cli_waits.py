"""``fabricgen waits``: the words of running hardware, in sentences."""

import json

import pytest

from fabricgen.abi.registers import register_map
from fabricgen.author.fabric import parse_fabric
from tests.support.documents import LITTLE, changed, fabric_document, mapping_document, toml
from tests.unit.test_cli import MAPPING, run

#: Of read0 and write0: address 0, data 1, mask 2, control 3; claim 4, issued 5, held 6, complete 7.
ADDRESS, DATA, MASK, CONTROL, CLAIM, ISSUED, HELD, COMPLETE = (1 << bit for bit in range(8))


@pytest.fixture
def counted(tmp_path):
    document = fabric_document()
    options = document["memory"][0].get("implementation", {}) | {"counters": True}
    path = tmp_path / "counted.toml"
    path.write_text(toml(changed(document, ("memory", 0, "implementation"), options)))
    return path


@pytest.mark.parametrize(
    ("read0", "write0", "lines"),
    [
        (
            ADDRESS | CLAIM,
            ADDRESS | DATA | CONTROL | CLAIM,
            (
                "words: Row 0 (read0) waits for operands: CONTROL (rd_ctrl)",
                "vectors: Row 1 (write0) waits for operands: MASK (wr_mask)",
            ),
        ),
        (
            ISSUED | CLAIM,
            ISSUED | HELD | COMPLETE,
            (
                "words: Row 0 (read0) waits for the response of local",
                "vectors: Row 1 (write0) waits for its destinations: wr_done",
            ),
        ),
        (
            ADDRESS | CONTROL | ISSUED | HELD,
            ADDRESS | DATA | MASK | CONTROL,
            (
                "words: Row 0 (read0) stands in front of its target local",
                "vectors: Row 1 (write0) waits for a claim of its use pattern",
            ),
        ),
    ],
)
def test_each_row_has_a_sentence(counted, read0, write0, lines):
    result = run("waits", counted, MAPPING, hex(read0), write0)
    assert (result.exit_code, result.stderr) == (0, "")
    assert tuple(result.stdout.splitlines()) == lines


def test_the_same_as_data(counted):
    result = run("waits", counted, MAPPING, 0, COMPLETE | ISSUED, "--json")
    said = json.loads(result.stdout)
    assert [(row["row"], row["cause"]) for row in said["rows"]] == [
        (0, "operand"),
        (1, "destination"),
    ]
    assert said["cycles"] == []


def test_the_register_map_names_the_bits_of_each_row(counted):
    fabric = parse_fabric(counted.read_text())
    words = {r["name"]: r["meaning"] for r in register_map(fabric)["registers"]}
    assert words["waits_1"] == (
        "state of row 1, live; bit 0: operand_address, bit 1: operand_data, bit 2: operand_mask, "
        "bit 3: operand_control, bit 4: claim, bit 5: issued, bit 6: held, bit 7: complete"
    )


@pytest.mark.parametrize(
    ("words", "code", "where"),
    [
        ((1,), "waits-word-count", "words"),
        ((1, 256), "waits-word-range", "words[1]"),
        ((1, 2, 3), "waits-word-count", "words"),
    ],
)
def test_words_that_cannot_be_read_there_are_refused(counted, words, code, where):
    result = run("waits", counted, MAPPING, *words)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"{where}: ")
    assert result.stderr.rstrip().endswith(f"[{code}]")


def test_without_counters_nothing_can_be_read():
    fabric = str(LITTLE / "fabric.toml")
    result = run("waits", fabric, MAPPING, 0, 0, "--json")
    assert result.exit_code == 1
    (finding,) = json.loads(result.stdout)
    assert finding["code"] == "waits-without-counters"
    assert (finding["where"], finding["file"]) == ("memory[0].implementation.counters", fabric)


def test_a_word_that_is_no_number_is_named(counted):
    result = run("waits", counted, MAPPING, 1, "0x8z")
    assert result.exit_code == 2
    assert "not '0x8z'" in " ".join(result.stderr.split())


def test_a_row_that_is_not_mapped_waits_for_nothing(counted, tmp_path):
    document = mapping_document()
    document["memory"]["mem0"]["row"] = document["memory"]["mem0"]["row"][1:]
    path = tmp_path / "mapping.toml"
    path.write_text(toml(document))
    result = run("waits", counted, path, ADDRESS, 0)
    assert result.stdout == "words: Row 0 (read0) waits for operands: CONTROL (rd_ctrl)\n"


def test_a_word_is_a_number(counted):
    assert run("waits", counted, MAPPING, "read0", 0).exit_code == 2
