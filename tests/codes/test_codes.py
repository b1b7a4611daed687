"""Each code of the catalogue is produced by some input, through the doors that users have."""

import re
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.errors import FabricError, Invalid, Unsupported, catalog
from fabricgen.errors.catalog import CATALOG
from tests.codes.hardware import HARDWARE_CODES
from tests.support.producers import complaints, findings

LAYERS = [module.name for module in iter_modules(catalog.__path__) if module.name != "rule"]
FOLDER = Path(__file__).parent
PRODUCERS = {name: import_module(f"tests.codes.{name}").PRODUCERS for name in LAYERS}


def rules(layer):
    return import_module(f"{catalog.__name__}.{layer}").RULES


@pytest.mark.parametrize("layer", LAYERS)
def test_each_code_of_a_layer_is_produced_and_nothing_else_is(layer):
    assert list(complaints(rules(layer), PRODUCERS[layer])) == []


def test_producers_use_the_doors_of_the_product():
    """A finding is never built by hand here."""
    for path in FOLDER.glob("*.py"):
        assert not re.search(r"\b(Diagnostic|Invalid|Unsupported)\(", path.read_text()), path


@pytest.mark.parametrize("layer", LAYERS)
def test_a_finding_is_of_the_kind_of_its_code(layer):
    for code, producer in PRODUCERS[layer].items():
        kind = CATALOG[code].kind
        try:
            producer()
        except FabricError as error:
            raised = {finding.code: type(error) for finding in error.diagnostics}
            assert raised[code] is (Unsupported if kind == "unsupported" else Invalid), code
        else:
            assert (kind == "unsupported") == (code in LISTED_UNSUPPORTED), code


#: What a person can not have written: the name of an enumeration's value, or a record's ``repr``.
PYTHON = re.compile(r"\b[A-Z]+_[A-Z0-9_]+\b|\b[A-Z]\w*\(|<\w+\.\w+")

#: Whoever meets these gave an object from Python: no document has it.
FROM_PYTHON = {"reference-connection", "reference-kind", "reference-ordinal", "reference-owner"}


@pytest.mark.parametrize("layer", LAYERS)
def test_messages_have_the_words_of_documents(layer):
    found = {
        code: message
        for producer in PRODUCERS[layer].values()
        for code, message in findings(producer)
        if code not in FROM_PYTHON and PYTHON.search(message)
    }
    assert found == {}


#: Of the codes whose findings are listed rather than raised.
LISTED_UNSUPPORTED = {
    *HARDWARE_CODES,
    "simulation-capacity-limit",
    "simulation-without-memory",
    "simulation-manager-protocol",
    "simulation-subordinate-protocol",
}

GOOD = {"domain-empty": lambda: UnsignedDomain(())}
RULES = {"domain-empty": CATALOG["domain-empty"]}


def test_a_good_layer_has_no_complaint():
    assert list(complaints(RULES, GOOD)) == []


@pytest.mark.parametrize(
    ("producers", "complaint"),
    [
        ({}, "domain-empty: no input produces it"),
        (
            {"domain-empty": lambda: UnsignedDomain.of(1)},
            "domain-empty: its input gets no finding",
        ),
        (
            {"domain-empty": lambda: UnsignedDomain.of((2, 1))},
            "domain-empty: its input gets interval-out-of-range",
        ),
        (
            GOOD | {"domain-full": GOOD["domain-empty"]},
            "domain-full: not in the catalogue of the layer",
        ),
    ],
)
def test_a_layer_with_one_change_has_a_complaint(producers, complaint):
    assert complaint in complaints(RULES, producers)
