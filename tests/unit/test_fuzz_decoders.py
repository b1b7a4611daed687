"""The fuzzer of decoders notices each kind of failure and keeps the input that shows it."""

import json
import subprocess
import sys

import pytest

from tools import fuzz_decoders
from tools.fuzz_targets import TARGETS, check

MUTANTS = "tests.support.fuzz_mutants"
#: What atheris calls an input that fails, and what replaying it raises.
FAILURES = [
    ("crash", ["crash"], "KeyError"),
    # Whichever comes first: a failed allocation, or a look at what the process holds.
    ("memory", ["oom", "crash"], None),
    ("other_encoding", ["crash"], "AssertionError"),
    ("hang", ["timeout"], None),
]


def fuzzed(entry, tmp_path, seconds, capsys):
    report = tmp_path / "report.json"
    options = ["--targets", MUTANTS, "--seconds", str(seconds), "--rss-mb", "512", "--timeout", "2"]
    code = fuzz_decoders.main([entry, *options, "--folder", str(tmp_path), "-o", str(report)])
    (result,) = json.loads(report.read_text())
    return code, result, capsys.readouterr().out


@pytest.fixture
def one_failure(monkeypatch):
    pytest.importorskip("atheris", reason="install with: pip install 'fabricgen[fuzz]'")
    monkeypatch.setattr(fuzz_decoders, "MAX_FAILURES", 1)


@pytest.mark.slow
@pytest.mark.parametrize(("entry", "kinds", "raised"), FAILURES, ids=[f[0] for f in FAILURES])
@pytest.mark.usefixtures("one_failure")
def test_a_planted_bug_is_found_and_its_input_kept(entry, kinds, raised, tmp_path, capsys):
    code, result, printed = fuzzed(entry, tmp_path, 60, capsys)
    assert code == 1
    (path,) = result["failures"]
    assert path.removeprefix(f"{tmp_path}/{entry}/failures/").split("-")[0] in kinds
    assert f"--replay {entry} {path}" in printed
    assert 0 < result["cpu_seconds"] < 60
    if raised:
        command = printed.strip().splitlines()[-1].replace("python", sys.executable, 1).split()
        again = subprocess.run(
            command, cwd=fuzz_decoders.ROOT, capture_output=True, text=True, check=False
        )
        assert again.returncode == 1
        assert again.stderr.strip().splitlines()[-1].startswith(raised)


@pytest.mark.slow
@pytest.mark.usefixtures("one_failure")
def test_a_decoder_without_a_bug_is_run_for_its_time(tmp_path, capsys):
    code, result, printed = fuzzed("good", tmp_path, 3, capsys)
    assert (code, result["failures"]) == (0, [])
    assert 3 <= result["cpu_seconds"] < 20
    assert result["executions"] > 1000
    assert 10 < result["peak_mb"] < 512
    assert printed.splitlines()[1].split()[0] == "good"


@pytest.mark.parametrize(
    "arguments", [["fabrik"], ["relation", "fabrik"], ["--replay", "fabrik", "no-such-input"]]
)
def test_an_entry_that_there_is_not_is_a_usage_error(arguments, tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        fuzz_decoders.main([*arguments, "--folder", str(tmp_path / "folder")])
    assert ended.value.code == 2
    assert "must be one of fabric, relation, " in capsys.readouterr().err
    assert not (tmp_path / "folder").exists()


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_the_seeds_of_each_entry_are_real_and_accepted(target):
    seeds = list(target.seeds())
    assert seeds
    for data in seeds:
        assert target.encode(target.decode(data)) == data
        check(target, data)
        check(target, data[:-1])
