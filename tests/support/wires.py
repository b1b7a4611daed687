"""Damage to canonical bytes: what a strict decoder must refuse, or read as another record."""

import pytest
from hypothesis import strategies as st

from fabricgen.errors import FabricError, Invalid


def u32(value):
    return value.to_bytes(4, "big")


def u64(value):
    return value.to_bytes(8, "big")


def framed(data):
    return u64(len(data)) + data


def dataflow(name, tag):
    """An atom written out by its definition."""
    return b"loom.dataflow." + name.encode() + b"\0" + u32(1) + u32(0) + u32(tag)


def flip(wire: bytes, data: st.DataObject) -> bytes:
    damaged = bytearray(wire)
    damaged[data.draw(st.integers(0, len(wire) - 1))] ^= data.draw(st.integers(1, 255))
    return bytes(damaged)


def reads_as_itself(codec, wire: bytes) -> None:
    """Whatever decodes at all, decodes to the record that encodes back to these bytes."""
    try:
        record = codec.decode(wire)
    except FabricError:
        return
    assert codec.encode(record) == wire


def refuses_every_prefix_and_extension(codec, wire: bytes) -> None:
    for cut in range(len(wire)):
        with pytest.raises(Invalid) as caught:
            codec.decode(wire[:cut])
        assert caught.value.diagnostics[0].code == "wire-truncated"
    for extra in (b"\0", wire):
        with pytest.raises(Invalid, match=r"\[wire-trailing\]$"):
            codec.decode(wire + extra)


def survives_bit_flips(codec, wire: bytes, *, bits=range(8)) -> None:
    """Flips of the given bits of every byte are refused, or encode another record."""
    for position in range(len(wire)):
        for bit in bits:
            damaged = bytearray(wire)
            damaged[position] ^= 1 << bit
            reads_as_itself(codec, bytes(damaged))
