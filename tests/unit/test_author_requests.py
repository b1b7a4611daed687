"""Beats of a workload document: their fields, what they must be answered with, and bad ones."""

from dataclasses import replace
from pathlib import Path

import pytest

from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import parse_mapping
from fabricgen.author.requests import ExpectedAnswer
from fabricgen.author.workload import parse_workload
from fabricgen.errors import Invalid
from fabricgen.plan.beat_request import BeatRequest
from fabricgen.records.fabric import MemoryImplementation
from tests.support.documents import toml

BANK = Path(__file__).parents[1] / "support" / "bank"
FABRIC = parse_fabric((BANK / "fabric.toml").read_text())
ROWS = parse_mapping((BANK / "mapping.toml").read_text(), FABRIC).memories


def parsed(*requests, fabric=FABRIC):
    return parse_workload(toml({"request": list(requests)}), fabric, ROWS, BANK).requests


def refused(*requests, fabric=FABRIC):
    with pytest.raises(Invalid) as caught:
        parsed(*requests, fabric=fabric)
    return [(each.where, each.code) for each in caught.value.diagnostics]


def request(*beats, subordinate="ram.from0"):
    return {"subordinate": subordinate, "beats": list(beats)}


def test_every_key_of_a_beat_has_its_place():
    read = {"read": 0x8000, "strobe": 0x0F, "address_space": 1, "context": "0xffffffffffffffff"}
    write = {"write": "0x8000_0000_0000_0008", "data": "0xfedc_ba98_7654_3210"}
    found = parsed(
        request(read | {"data": 5}, write | {"error": True}, {"read": 16, "error": False}),
        request(subordinate="ram.from1"),
    )
    assert found[0, 1].beats == found[0, 1].expected == ()
    requests = found[0, 0]
    assert requests.beats == (
        BeatRequest(0, 0x8000, 0x0F, 5, 1, 2**64 - 1),
        BeatRequest(1, 0x8000_0000_0000_0008, 0xFF, 0xFEDC_BA98_7654_3210),
        BeatRequest(0, 16, 0xFF),
    )
    assert requests.expected == (
        ExpectedAnswer(5, None),
        ExpectedAnswer(None, True),
        ExpectedAnswer(None, False),
    )


@pytest.mark.parametrize(
    ("beat", "where", "code"),
    [
        ({"read": -8}, "read", "beat-field-width"),
        ({"write": "0x10000000000000000", "data": 0}, "write", "beat-field-width"),
        ({"write": 0, "data": "0x10000000000000000"}, "data", "beat-field-width"),
        ({"read": 0, "strobe": 256}, "strobe", "beat-field-width"),
        ({"read": 0, "address_space": 2**32}, "address_space", "beat-field-width"),
        ({"read": 0, "context": "0x1" + "0" * 400}, "context", "beat-field-width"),
        ({"write": 0}, "data", "missing-key"),
        ({"fence": 0}, "", None),
    ],
)
def test_a_bad_beat_is_found_where_it_stands(beat, where, code):
    ((place, found),) = refused(request({"read": 0}, beat))
    assert place == "request[0].beats[1]" + (where and f".{where}")
    assert code in (None, found)


def test_a_wrong_name_and_a_second_list_are_found():
    assert refused(request(subordinate="ram.from2")) == [("request[0].subordinate", "unknown-name")]
    assert refused(request(), request()) == [("request[1].subordinate", "request-repeated")]


def over(protocol):
    (memory,) = FABRIC.memories
    option = MemoryImplementation(subordinate_protocol=protocol)
    return replace(FABRIC, memories=(replace(memory, implementation=option),))


@pytest.mark.parametrize(
    ("beat", "key"),
    [
        ({"read": 0x8004}, "read"),
        # Nothing serves stores here.
        ({"write": 0x8000, "data": 0}, "write"),
        ({"read": 0x8000, "strobe": 0}, "strobe"),
    ],
)
def test_what_no_transfer_carries_is_refused_over_a_bus(beat, key):
    """On the stream it is answered with an error."""
    assert parsed(request(beat))
    place = f"request[0].beats[0].{key}"
    assert refused(request(beat), fabric=over("axi4")) == [(place, "beat-protocol")]


def test_a_beat_that_fits_no_field_is_told_so_alone():
    beat = {"read": 0x8001, "strobe": 256}
    assert [code for _, code in refused(request(beat), fabric=over("axi4"))] == ["beat-field-width"]
