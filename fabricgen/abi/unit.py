"""Where the fields of one fabric lie in its programming unit, and at which addresses.

The unit's payload starts with one reserved bit; the carriers of the memories follow without gaps,
then the fields of the datapath resources, each in the fabric's order. The host sees it as 32-bit
words from byte 0, then a commit and a status word, and at the next power of two the identity, the
flags and the words that say more about them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

from fabricgen.abi.status import WORD_BITS, StatusShape, fabric_shape
from fabricgen.config.layout import carrier_layout
from fabricgen.config.op_codec import encode_op_value, op_field_width, op_storable_mask
from fabricgen.config.storable import storable_mask
from fabricgen.errors import Diagnostic, Unsupported
from fabricgen.hsg.setting import inactive_value
from fabricgen.plan.realisation import unsupported
from fabricgen.records.fabric import Fabric

__all__ = [
    "ProgrammingUnit",
    "RegisterMap",
    "programming_unit",
    "register_addresses",
    "unplaceable",
]

_WORD_BYTES = WORD_BITS // 8
_RESERVED_BITS = 1
_SMALLEST_EXTENSION_BASE = 16
#: Bits of the largest payload; all of them are one register, whose bits Amaranth counts by 16.
_PAYLOAD_LIMIT = 65536


@dataclass(frozen=True, slots=True)
class RegisterMap:
    """Byte addresses of everything behind the payload words.

    Parameters
    ----------
    commit
        Writing 1 to bit 0 makes the written payload the active one.
    status
        Bit 0: every payload byte was written since reset or the last commit. Read-only.
    identity
        Reads as the first four bytes of the fabric's identity, big-endian; the same value must be
        written before each commit.
    flags
        Sticky flags of :mod:`fabricgen.abi.status`, each cleared by writing 1 to it, and live
        quiescence.
    words
        Words behind the flags, by name, in address order; read-only but for ``drain``.
    """

    commit: int
    status: int
    identity: int
    flags: int
    words: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ProgrammingUnit:
    """Placement of one fabric's carriers and fields.

    Parameters
    ----------
    payload_bits
        Bits of the payload; bit 0 is reserved and zero.
    carrier_offsets
        Payload bit of bit 0 of each memory's carrier.
    op_offsets
        Payload bit of bit 0 of the field of each datapath resource; that of the next field where
        it has no bits.
    word_count
        32-bit words of the payload.
    storable_mask
        Payload bits that some legal configuration sets; a commit with any other is refused.
    inactive_payload
        Payload after reset: every memory Disabled, every resource with its inactive value.
    registers
        Addresses behind the payload.
    reports
        What the memory reports, if there is one.
    """

    payload_bits: int
    carrier_offsets: tuple[int, ...]
    op_offsets: tuple[int, ...]
    word_count: int
    storable_mask: int
    inactive_payload: int
    registers: RegisterMap
    reports: StatusShape


def unplaceable(fabric: Fabric) -> tuple[Diagnostic, ...]:
    """Report every reason why a legal fabric has no programming unit; empty when it has one."""
    if found := unsupported(fabric):
        return found
    *_, bits = _offsets(fabric)
    if bits <= _PAYLOAD_LIMIT:
        return ()
    message = f"The configuration must have at most {_PAYLOAD_LIMIT} bits, not {bits}"
    return (Diagnostic("configuration-bit-limit", "fabric", message),)


def programming_unit(fabric: Fabric) -> ProgrammingUnit:
    """Place the fields of a fabric; ``Unsupported`` for one that cannot be generated."""
    if found := unplaceable(fabric):
        raise Unsupported(*found)
    *offsets, payload_bits = _offsets(fabric)
    carriers, fields = offsets[: len(fabric.memories)], offsets[len(fabric.memories) :]
    mask, inactive = 0, 0
    for named, offset in zip(fabric.memories, carriers, strict=True):
        mask |= storable_mask(named) << offset
    for each, offset in zip(fabric.ops, fields, strict=True):
        mask |= op_storable_mask(each.op) << offset
        inactive |= encode_op_value(each.op, inactive_value(each.op)) << offset
    word_count = -(-payload_bits // WORD_BITS)
    reports = fabric_shape(fabric)
    return ProgrammingUnit(
        payload_bits=payload_bits,
        carrier_offsets=tuple(carriers),
        op_offsets=tuple(fields),
        word_count=word_count,
        storable_mask=mask,
        inactive_payload=inactive,
        registers=register_addresses(word_count, reports),
        reports=reports,
    )


def _offsets(fabric: Fabric) -> list[int]:
    """Payload bit of each memory's carrier, then of each resource's field, then of the end."""
    widths = [carrier_layout(named).width for named in fabric.memories]
    widths += [op_field_width(each.op) for each in fabric.ops]
    return list(accumulate(widths, initial=_RESERVED_BITS))


def register_addresses(word_count: int, reports: StatusShape) -> RegisterMap:
    """Place the registers behind a payload of ``word_count`` words."""
    commit = word_count * _WORD_BYTES
    end = commit + 2 * _WORD_BYTES
    base = max(_SMALLEST_EXTENSION_BASE, 1 << (end - 1).bit_length())
    flags = base + _WORD_BYTES
    words = {
        word.name: flags + _WORD_BYTES * ordinal for ordinal, word in enumerate(reports.words(), 1)
    }
    return RegisterMap(commit, commit + _WORD_BYTES, base, flags, words)
