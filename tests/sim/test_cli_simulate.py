"""``fabricgen emit`` and ``simulate`` from documents to their exit codes."""

import json

import pytest
from typer.testing import CliRunner

from fabricgen.cli.main import app
from fabricgen.cli.output import LACKING
from fabricgen.errors import ToolMissing
from sim import environment
from sim.run import SimulationFailed
from tests.support.documents import LITTLE, changed, fabric_document, mapping_document, toml

FABRIC, MAPPING = str(LITTLE / "fabric.toml"), str(LITTLE / "mapping.toml")


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def stream(endpoint, tokens):
    return {"endpoint": f"mem0.{endpoint}", "tokens": tokens}


WORKLOAD = {
    "memory": {"mem0": {"local": {"image": {"words": [5, 6, 7, 8], "bits": 32, "at": 0}}}},
    "stream": [
        stream("rd_addr", [3, 0, 1]),
        stream("rd_ctrl", {"fill": True}),
        stream("wr_addr", [0, 4]),
        stream("wr_data", [1, 2, 3, 4, 5, 6, 7, 8]),
        stream("wr_mask", [[1, 1, 1, 1], [0, 1, 0, 1]]),
        stream("wr_ctrl", {"fill": True}),
    ],
    "expect": [stream("rd_data", [8, 5, 6])],
}


@pytest.fixture
def simulate(tmp_path):
    """Run the workload on Python's simulator, with changes."""

    def start(*options, workload=WORKLOAD, mapping=None):
        (tmp_path / "workload.toml").write_text(toml(workload))
        (tmp_path / "mapping.toml").write_text(toml(mapping or mapping_document()))
        options = options or ("--simulator", "python", "--json")
        files = (FABRIC, tmp_path / "mapping.toml", tmp_path / "workload.toml")
        return run("simulate", *files, "--build-dir", tmp_path / "build", *options)

    return start


def test_a_workload_runs_without_a_mismatch(simulate):
    result = simulate()
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert (report["passed"], report["firings"], report["finding_count"]) == (True, 5, 0)
    assert [(row["port"], row["firings"]) for row in report["rows"]] == [
        ("read0", 3),
        ("write0", 2),
    ]


def test_what_comes_out_is_written_where_it_is_wanted(simulate, tmp_path):
    results = tmp_path / "out" / "results.json"
    assert simulate("--simulator", "python", "--results", results).exit_code == 0
    written = json.loads(results.read_text())
    assert written["outputs"]["mem0.rd_data"] == ["0x8", "0x5", "0x6"]
    assert written["outputs"]["mem0.rd_done"] == ["0x0"] * 3
    # The words of the image; the row of the stores has its own base.
    assert bytes.fromhex(written["memory"])[:16] == bytes(
        [5, 0, 0, 0, 6, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0]
    )


def test_no_results_are_written_where_an_expectation_is_not_met(simulate, tmp_path):
    results = tmp_path / "results.json"
    wrong = changed(WORKLOAD, ("expect", 0, "tokens"), [8, 5, 7])
    run_ = simulate("--simulator", "python", "--results", results, workload=wrong)
    assert (run_.exit_code, results.exists()) == (1, False)


def test_tokens_left_over_and_lanes_out_of_range_are_said(simulate):
    control = changed(WORKLOAD, ("stream", 1, "tokens"), {"count": 2})
    far = changed(control, ("stream", 0, "tokens"), [3, 2**31, 1])
    result = simulate(workload=changed(far, ("expect", 0, "tokens"), [8, 0]))
    assert result.exit_code == 0, result.stderr
    assert result.stderr.splitlines() == [
        "mem0.rd_addr: tokens left over, which no firing took: 1",
        "active lanes out of range: 1; loads gave 0, stores changed nothing, and the flag "
        "out_of_range is set",
    ]
    report = json.loads(result.stdout)
    assert (report["leftover"], report["out_of_range"]) == ({"mem0.rd_addr": 1}, 1)


def test_an_expectation_that_is_not_met_is_exit_1(simulate):
    result = simulate(workload=changed(WORKLOAD, ("expect", 0, "tokens"), [8, 5, 7]))
    assert result.exit_code == 1
    assert result.stderr == (
        "cycle 0, role rd_data, token 2: The workload expects another token on rd_data than the "
        "model gives, expected 0x7, got 0x6 [expect]\n"
    )


def test_a_race_names_the_row_of_the_mapping(simulate):
    mapping = changed(mapping_document(), ("memory", "mem0", "row", 0, "base"), 0)
    result = simulate(mapping=mapping)
    assert (result.exit_code, result.stdout) != (0, "")
    assert "memory.mem0.row[0]" in result.stdout
    assert "workload-race" in result.stdout


SERVED = {
    "contract": [{"plain": {"volatile": [False]}}],
    "access": [
        {
            "form": "element",
            "address": {"root_relative": [32]},
            "element_bits": [32],
            "lanes": [1],
            "mask": ["absent"],
            "alignment": "any",
            "read_subword": ["exact"],
        }
    ],
    "beat_bits": 32,
    "regions": [0],
}
WRITTEN = {"access": [{**SERVED["access"][0], "write_subword": ["exact"]}]}
del WRITTEN["access"][0]["read_subword"]


def shared_bank():
    """Storage behind two subordinates."""
    reach = {"beat_bits": 32, "max_exposed_bindings": 1, "match": [], "transform": "none"}
    return {
        "fabric": {"name": "bank"},
        "memory": [
            {
                "name": "ram",
                "subordinate": [
                    {"name": name, **reach, "targets": ["local"]} for name in ("left", "right")
                ],
                "local": {
                    "capacity_bytes": 64,
                    "regions": [{"base": 0, "size": 64, "storage": {}}],
                    "resources": {
                        "banks": 1,
                        "outstanding": 2,
                        "queue": 2,
                        "grant": {"round_robin": {"reset_cursor": 0}},
                    },
                    "capabilities": [{"load": SERVED}, {"store": {**SERVED, **WRITTEN}}],
                },
            }
        ],
    }


def simulate_bank(tmp_path, *requests, options=()):
    """Run beats on the bank, all of which both subordinates expose; return the files, too."""
    exposure = [{"subordinate": name, "binding": "all"} for name in ("left", "right")]
    binding = [{"name": "all", "region": 0, "offset": 0, "size": 64}]
    documents = {
        "fabric": shared_bank(),
        "mapping": {
            "fabric": "bank",
            "memory": {"ram": {"binding": binding, "exposure": exposure}},
        },
        "workload": {"request": [*requests]},
    }
    files = [tmp_path / f"{name}.toml" for name in documents]
    for file, document in zip(files, documents.values(), strict=True):
        file.write_text(toml(document))
    options = ("--simulator", "python", "--build-dir", tmp_path / "build", *options)
    return run("simulate", *files, *options), files


def test_a_race_names_the_request_of_the_workload(tmp_path):
    result, files = simulate_bank(
        tmp_path,
        {"subordinate": "ram.right", "beats": [{"read": 8}]},
        {"subordinate": "ram.left", "beats": [{"write": 8, "data": 1}]},
        options=["--json"],
    )
    assert result.exit_code == 1
    (finding,) = json.loads(result.stdout)
    assert (finding["where"], finding["file"]) == ("request[0]", str(files[2]))
    assert "subordinate right and subordinate left both touch byte 0x8" in finding["message"]


def test_beats_are_counted_where_no_row_is(tmp_path):
    beats = [{"write": 8, "data": 1}, {"read": 8, "data": 1}, {"read": 64, "error": True}]
    result, _ = simulate_bank(tmp_path, {"subordinate": "ram.left", "beats": beats})
    assert result.exit_code == 0, result.stderr
    assert "ram.left: 3 beats, 1 answered with an error" in result.stdout


def test_a_bad_workload_runs_nothing(simulate, tmp_path):
    result = simulate(workload=changed(WORKLOAD, ("stream", 1)))
    assert result.exit_code == 1
    assert not (tmp_path / "build").exists()


def test_a_memory_too_large_to_compare_is_exit_3(tmp_path, simulate):
    simulate("--simulator", "spice")
    large = changed(fabric_document(), ("memory", 0, "local", "capacity_bytes"), 2**30)
    (tmp_path / "large.toml").write_text(toml(large))
    files = [tmp_path / f"{name}.toml" for name in ("large", "mapping", "workload")]
    result = run("simulate", *files, "--build-dir", tmp_path / "build", "--simulator", "python")
    assert (result.exit_code, result.stderr) == (
        3,
        f"{LACKING}\nmemory[0].local.capacity_bytes: A simulated memory must have at most "
        "67108864 bytes, not 1073741824 [simulation-capacity-limit]\n",
    )
    assert not (tmp_path / "build").exists()


def test_a_missing_simulator_is_exit_4(simulate, monkeypatch):
    monkeypatch.setattr(environment.shutil, "which", lambda *_, **__: None)
    result = simulate("--simulator", "icarus")
    assert (result.exit_code, result.stdout) == (4, "")
    assert result.stderr == "iverilog is not installed; install it with: apt-get install iverilog\n"


def test_with_json_a_missing_tool_is_a_list_too(simulate, monkeypatch):
    monkeypatch.setattr(environment.shutil, "which", lambda *_, **__: None)
    result = simulate("--simulator", "icarus", "--json")
    assert (result.exit_code, result.stderr) == (4, "")
    assert json.loads(result.stdout) == [
        {
            "code": "tool-missing",
            "kind": "failure",
            "file": None,
            "where": "iverilog",
            "message": "iverilog is not installed; install it with: apt-get install iverilog",
        }
    ]


def test_with_json_a_failed_simulation_is_a_list_too(simulate, monkeypatch):
    def fail(*_, **__):
        raise SimulationFailed("python could not build little")

    monkeypatch.setattr("sim.simulate.simulate", fail)
    result = simulate("--json")
    assert (result.exit_code, result.stderr) == (1, "")
    (finding,) = json.loads(result.stdout)
    assert (finding["code"], finding["message"]) == (
        "simulation-failed",
        "python could not build little",
    )


def test_without_a_compiler_the_python_simulator_is_used_and_named(simulate, monkeypatch):
    def missing(simulator):
        if simulator == "verilator":
            raise ToolMissing("c++", "apt-get install g++")

    monkeypatch.setattr("fabricgen.cli.simulating.require", missing)
    result = simulate("--seed", "3")
    assert result.exit_code == 0
    assert result.stderr.startswith("c++ is not installed; install it with: apt-get install g++; ")
    assert "on python, seed 3" in result.stdout


def test_an_unknown_simulator_is_wrong_usage(simulate):
    assert simulate("--simulator", "spice").exit_code == 2


def test_emit_writes_what_the_manifest_lists(tmp_path):
    result = run("emit", FABRIC, "-o", tmp_path / "rtl")
    assert (result.exit_code, result.stdout) == (0, "")
    manifest = json.loads((tmp_path / "rtl" / "manifest.json").read_text())
    listed = {file["name"] for file in manifest["files"]} | {"manifest.json"}
    assert {path.name for path in (tmp_path / "rtl").iterdir()} == listed
    assert f"module {manifest['top']}" in (tmp_path / "rtl" / "little.v").read_text()


def test_emit_into_a_file_is_one_finding(tmp_path):
    (tmp_path / "file").write_text("")
    result = run("emit", FABRIC, "-o", tmp_path / "file")
    assert result.exit_code == 1
    assert result.stderr.rstrip().endswith("[file-unwritable]")
