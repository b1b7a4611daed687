"""What simulations of one module share: each fabric is elaborated once."""

import shutil
from dataclasses import replace

import pytest

from fabricgen.emit.package import emit_fabric
from sim import simulate as subject


@pytest.fixture(scope="module")
def designs(tmp_path_factory):
    """Emitted designs by fabric, each elaborated once for the whole module."""
    made = {}

    def emit(fabric, directory):
        if fabric not in made:
            made[fabric] = emit_fabric(fabric, tmp_path_factory.mktemp("rtl"))
        shutil.copytree(made[fabric].directory, directory)
        sources = tuple(directory / each.name for each in made[fabric].sources)
        return replace(made[fabric], directory=directory, sources=sources)

    return emit


@pytest.fixture
def emit_once(designs, monkeypatch):
    """Let simulations take their designs from there."""
    monkeypatch.setattr(subject, "emit_fabric", designs)
