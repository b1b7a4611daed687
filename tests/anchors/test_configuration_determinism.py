# amaranth: UnusedElaboratable=no
"""Anchor: deterministic operation-table projection, encoded through the exact ConfigurationABI.

Spec: Validation Anchors, last item. One configuration has one carrier in every process, and no
part of a carrier is free.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.config.codec import decode_configuration, encode_configuration
from fabricgen.config.layout import carrier_layout
from fabricgen.config.storable import storable_mask
from fabricgen.errors import Invalid
from fabricgen.plan.rows import Disabled
from fabricgen.rtl.channel import ChannelShape
from fabricgen.rtl.occurrence import MemoryOccurrence
from fabricgen.vocab.fabric import EndpointDirection
from tests.support.memories import ELEMENT, LOAD, row, table, view
from tests.support.records import load_fabric
from tests.support.temporal import temporal_memory

NAMED = load_fabric().memories[0]

_PRINT_IMAGE = """
from fabricgen.abi.image import encode_image
from fabricgen.plan.configuration import FabricConfiguration
from tests.support.memories import CONTIGUOUS, DYNAMIC, LOAD, STORE, row, table, view
from tests.support.records import copy_fabric

vector = view(CONTIGUOUS, lanes=4, mask=DYNAMIC)
rows = table(row(0, LOAD, vector, base=0x40), row(1, STORE, vector, base=0x80))
print(encode_image(copy_fabric(), FabricConfiguration((rows,))).hex())
"""


def test_the_image_is_the_same_under_every_hash_seed():
    root = Path(__file__).parents[2]
    printed = {
        subprocess.run(
            [sys.executable, "-c", _PRINT_IMAGE],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(printed) == 1


@given(st.integers(0, 1023), st.sampled_from([8, 16, 32]))
def test_a_row_has_one_carrier_and_a_carrier_one_row(base, element):
    rows = table(row(0, LOAD, view(ELEMENT, element=element), base=base))
    bits = encode_configuration(NAMED, rows)
    assert decode_configuration(NAMED, bits) == rows
    assert bits & ~storable_mask(NAMED) == 0


@given(st.integers(0, 2**87 - 1))
def test_bits_drawn_at_random_are_a_canonical_carrier_or_refused(bits):
    try:
        decoded = decode_configuration(NAMED, bits)
    except Invalid:
        return
    assert encode_configuration(NAMED, decoded) == bits


def test_the_all_zero_carrier_is_disabled_and_only_it():
    assert decode_configuration(NAMED, 0) == Disabled()
    assert encode_configuration(NAMED, Disabled()) == 0


def test_control_and_completion_have_no_bits_of_their_own():
    # Zero-width payloads show up as their exposure only, never as a zero-width field.
    (fields,) = carrier_layout(NAMED).rows
    assert "source_control" not in fields
    assert all(field.width > 0 for field in fields.values())


@pytest.mark.parametrize(
    ("shape", "members"),
    [
        (ChannelShape(0), {"valid", "ready"}),
        (ChannelShape(0, 4), {"tag", "valid", "ready"}),
        (ChannelShape(32), {"data", "valid", "ready"}),
        (ChannelShape(32, 4), {"data", "tag", "valid", "ready"}),
    ],
)
def test_a_payload_without_bits_is_no_vector(shape, members):
    assert set(shape.signature().members) == members


@pytest.mark.parametrize("named", [NAMED, temporal_memory()], ids=["Spatial", "Temporal"])
def test_control_and_completion_channels_have_handshakes_and_at_most_a_tag(named):
    members = MemoryOccurrence(named).signature.members
    for ordinal, endpoint in enumerate(named.occurrence.endpoints):
        side = "ingress" if endpoint.direction is EndpointDirection.IN else "egress"
        channel = set(members[f"{side}_{ordinal}"].signature.members)
        data = {"data"} if endpoint.payload_width else set()
        tag = {"tag"} if endpoint.tag_width else set()
        assert channel == {"valid", "ready"} | data | tag
