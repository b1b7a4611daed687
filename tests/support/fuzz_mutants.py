"""Decoders with one planted bug each, which the fuzzer must find."""

from fabricgen.errors import Diagnostic, Invalid
from tools.fuzz_targets import Target, check

__all__ = ["TARGETS", "check", "tokens"]


def refusal():
    return Invalid(Diagnostic("wire-trailing", "bytes", "The record must end at offset 0, not 1"))


def crash(data):
    """A path that only coverage leads to, byte by byte."""
    if data[:1] == b"F" and data[1:2] == b"u" and data[2:3] == b"z":
        raise KeyError(data)
    raise refusal()


def hang(data):
    while data[:1] == b"\x07":
        pass
    raise refusal()


def memory(data):
    if data[:1] == b"\x07":
        bytearray(b"\1") * 2**29
    raise refusal()


def other_encoding(data):
    """Accepts any last byte, and encodes it as 0."""
    if len(data) != 4:
        raise refusal()
    return data[:3] + b"\0"


def good(data):
    if len(data) != 4 or data[3]:
        raise refusal()
    return data


TARGETS = {
    each.__name__: Target(each, lambda record: record, lambda: [b"\0\0\0\0"])
    for each in (crash, hang, memory, other_encoding, good)
}


def tokens():
    return [b"F", b"u", b"z"]
