"""Each rule says where it is stated: under a heading of the specification, or on a page of ours."""

import re
from pathlib import Path

import pytest

from fabricgen.errors.catalog import CATALOG

ROOT = Path(__file__).parents[2]
FABRIC_MEMORY = {
    "Purpose",
    "Memory Spaces And Interfaces",
    "Legal Occurrence Forms",
    "Operation Engine",
    "Canonical Engine Definition",
    "Persistent Capability Schema",
    "Endpoint Width Ownership And Vector Admission",
    "Typed C++ Projection",
    "OperationSchema Ownership And Fail-Closed Boundary",
    "Spatial Ports",
    "Temporal Ports And Resident Capacity",
    "Operation Rows And Internal Dependencies",
    "Local Memory Service",
    "Dynamic Consistency Execution",
    "Configurable Service Dispatch",
    "Ownership And Derived Configuration",
    "Representation And Implementation Ownership",
    "Schedule And Access-Geometry Examples",
    "Validation Anchors",
}
SHARING_GROUPS = {
    "Ownership",
    "Normative Family Registry",
    "Initial Scalar Compute Families",
    "Initial Loop Control Families",
    "Initial Fixed-Vector Compute Families",
    "Initial Adapter And Token Families",
    "Initial Special-Math Families",
    "Genuine Physical Sharing",
    "Concrete Capability Rules",
    "Extending The Registry",
}


def is_stated(section):
    """Tell whether there is such a heading, or such a page with it."""
    page, _, heading = section.partition(", ")
    if not page.startswith("docs/"):
        return section in FABRIC_MEMORY | SHARING_GROUPS
    path = ROOT / page
    return path.is_file() and (not heading or f"## {heading}" in path.read_text().splitlines())


def test_each_rule_is_stated_somewhere():
    assert [code for code, rule in CATALOG.items() if not is_stated(rule.section)] == []


@pytest.mark.parametrize(
    "section",
    ["", "Memory", "docs/none.md", "docs/guide.md, A memory", "Ownership, A"],
)
def test_another_section_is_not(section):
    assert not is_stated(section)


@pytest.mark.parametrize("code", CATALOG)
def test_a_requirement_is_whole_sentences_about_what_is_required(code):
    text = CATALOG[code].requirement
    assert text == " ".join(text.split())
    assert text[-1] == "."
    # A word that is spelled in lower case in documents and emitted text may begin a sentence.
    assert text[0].isupper() or text.startswith(("clk", "hw_params"))
    assert len(text) <= 300
    assert not re.search(r"\b(TODO|should|error)\b", text)


def test_a_code_is_kebab_case():
    assert all(re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", code) for code in CATALOG)
