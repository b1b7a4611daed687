"""Tools are found, or named with the command that installs them."""

import os

import pytest

from sim import environment
from sim.environment import ToolMissing, changed, require


def test_the_python_simulator_needs_nothing(monkeypatch):
    monkeypatch.setenv("PATH", "")
    require("python")


@pytest.mark.parametrize(
    ("simulator", "name", "install"),
    [
        ("icarus", "iverilog", "apt-get install iverilog"),
        ("verilator", "c++", "apt-get install g++"),
    ],
)
def test_a_missing_program_is_named_with_its_install_line(monkeypatch, simulator, name, install):
    pytest.importorskip("cocotb")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ToolMissing) as caught:
        require(simulator)
    assert (caught.value.name, caught.value.install) == (name, install)
    assert str(caught.value) == f"{name} is not installed; install it with: {install}"


def test_a_missing_package_is_named_with_the_extra(monkeypatch):
    monkeypatch.setattr(environment.util, "find_spec", lambda name: None)
    with pytest.raises(ToolMissing, match=r"^cocotb is not installed; .*fabricgen\[sim\]"):
        require("icarus")


def test_an_unknown_simulator_is_a_mistake_of_the_caller():
    with pytest.raises(ValueError, match=r"^simulator must be one of verilator, icarus, python"):
        require("modelsim")


def test_a_changed_environment_drops_compiler_flags_and_is_restored(monkeypatch):
    monkeypatch.setenv("CXXFLAGS", "-DVL_TIME_CONTEXT")
    before = dict(os.environ)
    with changed({"SIM_TEST": "1"}):
        assert os.environ["SIM_TEST"] == "1"
        assert "CXXFLAGS" not in os.environ
        assert "PYTEST_CURRENT_TEST" not in os.environ
    assert dict(os.environ) == before
