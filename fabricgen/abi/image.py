"""The configuration image: what a host programs, as one file that proves itself.

u32be   header size
...     header: canonical JSON {abi, payload_bit_count, source_mapping, unit}
u64be   payload size
...     payload bytes; payload bit i is bit i % 8 of byte i // 8; bits past the count are zero
32      SHA-256 of everything before it
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from fabricgen.abi.identity import canonical_json, fabric_identity
from fabricgen.abi.unit import ProgrammingUnit, programming_unit
from fabricgen.config.codec import decode_configuration, encode_configuration
from fabricgen.config.layout import carrier_layout
from fabricgen.config.op_codec import decode_op_value, encode_op_value, op_field_width
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.errors.place import placed
from fabricgen.hsg.setting import OpValue
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.plan.rows import MemoryConfiguration
from fabricgen.records.fabric import Fabric
from fabricgen.wire.frame import u32be, u64be

__all__ = ["ABI_REF", "UNIT_ID", "decode_image", "encode_image", "image_payload"]

#: The one packed placement of :mod:`fabricgen.abi.unit`, and the one unit that it has.
ABI_REF = "fabricgen.configuration-abi.packed/1"
UNIT_ID = 0

_HEADER_CODES = {
    "abi": "image-abi",
    "payload_bit_count": "image-bit-count",
    "source_mapping": "image-other-fabric",
    "unit": "image-unit",
}
#: Characters of a header that a message repeats; a whole one has some 170.
_SHOWN_CHARACTERS = 240
_SIZE_BYTES, _PAYLOAD_SIZE_BYTES, _DIGEST_BYTES = 4, 8, 32


@dataclass(frozen=True, slots=True)
class _Parts:
    """Bytes of one record whose lengths add up."""

    header: bytes
    payload: bytes
    digest: bytes


def encode_image(fabric: Fabric, configuration: FabricConfiguration) -> bytes:
    """Build the image of a configuration of the whole fabric; ``Invalid`` for an illegal one."""
    _require_complete(fabric, configuration)
    unit, payload = programming_unit(fabric), 0
    for ordinal, named in enumerate(fabric.memories):
        with placed(f"memory[{ordinal}]"):
            carrier = encode_configuration(named, configuration.memories[ordinal])
        payload |= carrier << unit.carrier_offsets[ordinal]
    for ordinal, each in enumerate(fabric.ops):
        with placed(f"op[{ordinal}]"):
            bits = encode_op_value(each.op, configuration.ops[ordinal])
        payload |= bits << unit.op_offsets[ordinal]
    header, size = canonical_json(_header(fabric, unit)), _payload_bytes(unit)
    record = u32be(len(header)) + header + u64be(size) + payload.to_bytes(size, "little")
    return record + hashlib.sha256(record).digest()


def decode_image(fabric: Fabric, data: bytes) -> FabricConfiguration:
    """Check an image against the fabric and return the configuration of every part."""
    unit, payload = programming_unit(fabric), image_payload(fabric, data)
    memories: list[MemoryConfiguration] = []
    ops: list[OpValue] = []
    for ordinal, named in enumerate(fabric.memories):
        carrier = payload >> unit.carrier_offsets[ordinal]
        with placed(f"memory[{ordinal}]"):
            width = carrier_layout(named).width
            memories.append(decode_configuration(named, carrier & (1 << width) - 1))
    for ordinal, each in enumerate(fabric.ops):
        bits = payload >> unit.op_offsets[ordinal]
        with placed(f"op[{ordinal}]"):
            width = op_field_width(each.op)
            ops.append(decode_op_value(each.op, bits & (1 << width) - 1))
    return FabricConfiguration(tuple(memories), tuple(ops))


def _require_complete(fabric: Fabric, configuration: FabricConfiguration) -> None:
    """Refuse a configuration of another number of parts, which is a caller's mistake."""
    given = len(configuration.memories), len(configuration.ops)
    needed = len(fabric.memories), len(fabric.ops)
    if given != needed:
        raise ValueError(
            f"Configurations must be those of {needed[0]} memories and {needed[1]} ops, "
            f"not of {given[0]} and {given[1]}"
        )


def image_payload(fabric: Fabric, data: bytes) -> int:
    """Check everything around the carriers, and return the payload bits."""
    unit, parts = programming_unit(fabric), _split(data)
    found = tuple(_digest_findings(data, parts))
    # A header under a wrong digest says nothing; what it claims is not worth a finding.
    found = found or tuple(_header_findings(fabric, unit, parts.header))
    found = found or tuple(_payload_findings(unit, parts.payload))
    if found:
        raise Invalid(*found)
    return int.from_bytes(parts.payload, "little")


def _header(fabric: Fabric, unit: ProgrammingUnit) -> dict[str, str | int]:
    return {
        "abi": ABI_REF,
        "payload_bit_count": unit.payload_bits,
        "source_mapping": fabric_identity(fabric).hex(),
        "unit": UNIT_ID,
    }


def _payload_bytes(unit: ProgrammingUnit) -> int:
    return -(-unit.payload_bits // 8)


def _split(data: bytes) -> _Parts:
    header_at = _SIZE_BYTES
    payload_size_at = header_at + int.from_bytes(_slice(data, 0, _SIZE_BYTES), "big")
    header = _slice(data, header_at, payload_size_at)
    payload_at = payload_size_at + _PAYLOAD_SIZE_BYTES
    size = int.from_bytes(_slice(data, payload_size_at, payload_at), "big")
    payload = _slice(data, payload_at, payload_at + size)
    end = payload_at + size + _DIGEST_BYTES
    digest = _slice(data, payload_at + size, end)
    if end != len(data):
        raise Invalid(
            Diagnostic(
                "image-trailing", "image", f"The image must end after {end} bytes, not {len(data)}"
            )
        )
    return _Parts(header, payload, digest)


def _slice(data: bytes, start: int, end: int) -> bytes:
    if end > len(data):
        raise Invalid(
            Diagnostic(
                "image-truncated",
                "image",
                f"{end} bytes are required by what the image announces, not {len(data)}",
            )
        )
    return data[start:end]


def _digest_findings(data: bytes, parts: _Parts) -> Iterator[Diagnostic]:
    if (digest := hashlib.sha256(data[:-_DIGEST_BYTES]).digest()) != parts.digest:
        yield Diagnostic(
            "image-digest",
            "image.digest",
            f"The image must end in the SHA-256 of its record, {digest.hex()}, "
            f"not {parts.digest.hex()}",
        )


def _header_findings(fabric: Fabric, unit: ProgrammingUnit, header: bytes) -> Iterator[Diagnostic]:
    expected = _header(fabric, unit)
    fields = _parsed(header)
    if fields is None or fields.keys() != expected.keys() or canonical_json(fields) != header:
        yield Diagnostic(
            "image-header",
            "image.header",
            f"The header must be canonical JSON of {', '.join(expected)}, not {_short(header)}",
        )
        return
    for name, value in expected.items():
        # JSON knows no integers: 1.0 and true would compare equal to 1.
        if (type(fields[name]), fields[name]) != (type(value), value):
            yield Diagnostic(
                _HEADER_CODES[name],
                f"image.header.{name}",
                f"The value must be {value!r}, not {_short(fields[name])}",
            )


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}..."


def _parsed(header: bytes) -> dict[str, object] | None:
    """Read a JSON object; ``None`` for anything else."""
    try:
        value: object = json.loads(header.decode("ascii"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def _refuse_constant(name: str) -> object:
    raise ValueError(f"JSON numbers must be finite, not {name}")


def _payload_findings(unit: ProgrammingUnit, payload: bytes) -> Iterator[Diagnostic]:
    if len(payload) != (size := _payload_bytes(unit)):
        yield Diagnostic(
            "image-payload-size",
            "image.payload",
            f"The payload must have {size} bytes for {unit.payload_bits} bits, not {len(payload)}",
        )
        return
    bits = int.from_bytes(payload, "little")
    if padding := bits >> unit.payload_bits:
        yield Diagnostic(
            "image-padding",
            "image.payload",
            f"Bits past the {unit.payload_bits} of the payload must be zero, not {padding:#x}",
        )
    if bits & 1:
        yield Diagnostic(
            "image-reserved-bit", "image.payload", "Bit 0 of the payload must be zero, not 1"
        )
