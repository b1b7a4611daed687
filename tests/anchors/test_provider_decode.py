"""Anchor: bounded subordinate provider decode, and mechanical response return.

Spec: Validation Anchors, and Configurable Service Dispatch: a subordinate declares how many
bindings it may expose and which fields tell them apart; a mapping says which it exposes, and the
decode rows follow; a request matches one row at most; and nothing says where a response goes, since
it returns to where its request came from. Hardware for it is refused by name.
"""

import tomllib
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import parse_mapping
from fabricgen.check.fabric import findings
from fabricgen.cli.main import app
from fabricgen.config.codec import decode_configuration, encode_configuration
from fabricgen.config.layout import carrier_layout
from fabricgen.errors import Invalid
from fabricgen.plan.realisation import unsupported
from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.rows import ProviderDecodeRow
from fabricgen.records import fabric_codec
from fabricgen.records.connectivity import SubordinateDispatch
from fabricgen.vocab.dispatch import AddressTransform, MatchField
from tests.support.documents import changed, toml
from tests.support.memories import LOCAL
from tests.support.subordinates import EXT0, holds

BANK = Path(__file__).parents[1] / "support" / "bank"
FABRIC, MAPPING = ((BANK / f"{kind}.toml").read_text() for kind in ("fabric", "mapping"))

SOURCE = parse_fabric(FABRIC)
(RAM,) = SOURCE.memories
(CONFIGURATION,) = parse_mapping(MAPPING, SOURCE).memories
FROM0, FROM1 = CONFIGURATION.provider_decode
#: First byte, bytes and service of each logical memory, as the mapping has them.
PLACES = {"low": (0, 0x100, LOCAL), "high": (0x800, 0x400, LOCAL), "far": (2**32, 2**64, EXT0)}


def test_documents_bytes_and_records_agree():
    assert findings(SOURCE) == ()
    assert fabric_codec.decode(fabric_codec.encode(SOURCE)) == SOURCE
    assert RAM.names.subordinates == ("from0", "from1")
    assert configuration_findings(RAM, CONFIGURATION) == ()


def test_the_rows_follow_from_exposures_and_bindings():
    # By range and size, then address space: 0x0 before 0x8000, and 0x100 bytes before 0x400.
    assert [row.service_target for row in FROM0] == [EXT0, LOCAL, LOCAL]
    assert [row.base_offset for row in FROM0] == [2**32, 2**64 - 0x8000, 2**64 - 0x7800]
    assert FROM1 == (ProviderDecodeRow((), LOCAL, 0),)


REQUESTS = [
    (0x8000, 1, "high", 0),
    (0x83FF, 1, "high", 0x3FF),
    (0x8400, 1, None, None),
    (0x8000, 2, "low", 0),
    (0x80FF, 2, "low", 0xFF),
    (0x8100, 2, None, None),
    (0x0, 1, "far", 0),
    (0xFFF, 1, "far", 0xFFF),
    (0xFFF, 2, None, None),
    (0x8000, 3, None, None),
]


@pytest.mark.parametrize(("address", "space", "memory", "place"), REQUESTS)
def test_a_request_resolves_to_the_byte_of_one_logical_memory(address, space, memory, place):
    rows = [row for row in FROM0 if holds(row.match, address, space, 0)]
    if memory is None:
        assert rows == []
        return
    (row,) = rows
    start, _, target = PLACES[memory]
    assert row.service_target == target
    assert (address + row.base_offset) % 2**64 == start + place


@given(st.integers(0, 0x9000) | st.integers(0, 2**64 - 1), st.integers(0, 3))
def test_no_request_leaves_what_is_exposed(address, space):
    rows = [row for row in FROM0 if holds(row.match, address, space, 0)]
    assert len(rows) <= 1
    for row in rows:
        reached = (address + row.base_offset) % 2**64
        inside = [
            start <= reached < start + size
            for start, size, target in PLACES.values()
            if target == row.service_target
        ]
        assert any(inside)


def test_the_carrier_is_bounded_and_gives_the_rows_back():
    # active; 3 rows of 1 + 128 + 32 + 1 + 64 bits; one of 1 + 1.
    assert carrier_layout(RAM).width == 1 + 3 * 226 + 2
    bits = encode_configuration(RAM, CONFIGURATION)
    assert decode_configuration(RAM, bits) == CONFIGURATION


def test_nothing_says_where_a_response_goes():
    """Neither record nor row nor carrier has more than match, target and translation."""
    assert [field.name for field in fields(SubordinateDispatch)] == [
        "max_exposed_bindings",
        "match_fields",
        "address_transform",
        "targets",
    ]
    assert [field.name for field in fields(ProviderDecodeRow)] == [
        "match",
        "service_target",
        "base_offset",
    ]
    for row in carrier_layout(RAM).decode[0]:
        assert list(row) == [
            "valid",
            "range_base",
            "range_size",
            "address_space",
            "service_target",
            "base_offset",
        ]
    assert [list(row) for row in carrier_layout(RAM).decode[1]] == [["valid", "service_target"]]


def test_two_endpoints_may_expose_one_logical_memory():
    """A response to either returns to it, so their rows are of no concern to one another."""
    (alone,) = FROM1
    assert alone.service_target == FROM0[1].service_target == LOCAL
    assert (0 + alone.base_offset) % 2**64 == (0x8000 + FROM0[1].base_offset) % 2**64 == 0


def refused(at, value):
    document = changed(tomllib.loads(MAPPING), ("memory", "ram", *at), value)
    with pytest.raises(Invalid) as caught:
        parse_mapping(toml(document), SOURCE)
    return [finding.code for finding in caught.value.diagnostics]


FOURTH = {
    "subordinate": "from0",
    "binding": "low",
    "match": {"range": {"base": 0x9000, "size": 1}, "address_space": 0},
}


@pytest.mark.parametrize(
    ("at", "value", "code"),
    [
        (("exposure", 3), FOURTH, "exposure-count"),
        (("exposure", 1, "match", "address_space"), 1, "decode-overlap"),
        (("exposure", 3, "binding"), "far", "decode-target"),
        (("exposure", 3, "binding"), "high", "exposure-address"),
        (("exposure", 1, "match", "range", "size"), 0x101, "exposure-outside-binding"),
        (("binding", 1, "size"), 0x801, "binding-outside-region"),
    ],
)
def test_each_bound_is_held(at, value, code):
    assert refused(at, value) == [code]


def test_several_bindings_need_a_match_field_and_one_needs_none():
    with pytest.raises(Invalid, match=r"\[subordinate-match-missing\]$"):
        SubordinateDispatch(2, (), AddressTransform.NONE, (LOCAL,))
    assert SubordinateDispatch(1, (), AddressTransform.NONE, (LOCAL,)).match_fields == ()
    assert SubordinateDispatch(2, (MatchField.CONTEXT,), AddressTransform.NONE, (LOCAL,))


def test_a_row_reaches_only_what_h_dispatch_declares():
    (row,) = FROM1
    other = replace(CONFIGURATION, provider_decode=(FROM0, (replace(row, service_target=EXT0),)))
    assert [finding.code for finding in configuration_findings(RAM, other)] == ["decode-target"]


def test_a_path_to_a_manager_is_refused_by_name_after_all_else_was_checked(tmp_path):
    assert [finding.code for finding in unsupported(SOURCE)] == ["subordinate-manager-dispatch"]
    fabric, mapping = tmp_path / "fabric.toml", tmp_path / "mapping.toml"
    fabric.write_text(FABRIC)
    mapping.write_text(MAPPING)
    done = CliRunner().invoke(app, ["check", str(fabric), str(mapping)])
    assert done.exit_code == 3
    mapping.write_text(
        MAPPING.replace("size = 0x400 }, address_space", "size = 0x401 }, address_space")
    )
    done = CliRunner().invoke(app, ["check", str(fabric), str(mapping)])
    assert done.exit_code == 1
    assert "[exposure-outside-binding]" in done.output
