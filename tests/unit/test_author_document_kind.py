"""A document in another one's place is told as such, and nothing else is."""

import pytest

from fabricgen.author.document_kind import require_kind
from fabricgen.author.findings import Findings
from fabricgen.author.mapping import read_mapping_document
from fabricgen.author.workload import read_workload_document
from fabricgen.errors import Invalid
from tests.support.documents import fabric_document, mapping_document, toml

WORKLOAD = {"stream": []}


@pytest.mark.parametrize(
    ("read", "document", "message"),
    [
        (read_mapping_document, fabric_document(), "It must be a mapping, not a fabric"),
        (read_workload_document, fabric_document(), "It must be a workload, not a fabric"),
        (read_workload_document, mapping_document(), "It must be a workload, not a mapping"),
    ],
)
def test_one_finding_says_which_document_it_is(read, document, message):
    with pytest.raises(Invalid) as caught:
        read(toml(document), Findings())
    assert [str(each) for each in caught.value.diagnostics] == [
        f"document: {message} [document-kind]"
    ]


def test_a_workload_is_no_mapping():
    with pytest.raises(Invalid, match=r"^document: It must be a mapping, not a workload"):
        require_kind("mapping", WORKLOAD)


@pytest.mark.parametrize("kind", ["fabric", "mapping", "workload"])
@pytest.mark.parametrize("data", [{}, {"memory": {}}, {"fabric": 1}, {"fabric": "x", "memory": 1}])
def test_keys_that_do_not_tell_leave_the_findings_to_the_schema(kind, data):
    require_kind(kind, data)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("fabric", {"fabric": "x", "memory": []}),
        ("fabric", {"fabric": {}}),
        ("mapping", {"fabric": "x"}),
        ("mapping", {"fabric": "x", "memory": {}, "stream": []}),
        ("workload", WORKLOAD),
        ("workload", {"expect": [], "memory": {}}),
    ],
)
def test_a_document_in_its_place_is_read(kind, data):
    require_kind(kind, data)
