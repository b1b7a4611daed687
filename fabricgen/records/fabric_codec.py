"""The ``.fabric`` file: canonical records with names and implementation options beside them.

====================  ==========================================================================
magic                 8 bytes ``FABRICG`` and a zero
version               u32be 2
name                  framed UTF-8 name of the fabric
occurrences           u64be count; each
  name                  framed UTF-8 name
  record                framed occurrence (:mod:`fabricgen.records.occurrence_codec`)
  section               framed canonical JSON: names, implementation options
resources             u64be count; each
  name                  framed UTF-8 name
  record                framed datapath resource (:mod:`fabricgen.hsg.resource_codec`)
====================  ==========================================================================

The file ends exactly there.
"""

from fabricgen.errors import Diagnostic, Invalid
from fabricgen.errors.place import placed
from fabricgen.hsg import resource_codec
from fabricgen.records import fabric_section, occurrence_codec
from fabricgen.records.fabric import Fabric, NamedMemory, NamedOp
from fabricgen.wire.frame import Reader, frame, require_canonical, u32be, u64be

__all__ = ["MAGIC", "decode", "encode"]

MAGIC = b"FABRICG\0"
_VERSION = 2
#: Bytes of an occurrence's three empty frames.
_SMALLEST_MEMORY = 24
#: Bytes of a datapath resource's two empty frames.
_SMALLEST_OP = 16


def encode(fabric: Fabric) -> bytes:
    """Encode a fabric as the bytes of its ``.fabric`` file."""
    return b"".join(
        [
            MAGIC,
            u32be(_VERSION),
            frame(fabric.name.encode()),
            u64be(len(fabric.memories)),
            *map(_encode_memory, fabric.memories),
            u64be(len(fabric.ops)),
            *map(_encode_op, fabric.ops),
        ]
    )


def decode(data: bytes) -> Fabric:
    """Decode strictly; rules over several records are left to :mod:`fabricgen.check`.

    Raises
    ------
    Invalid
        For anything but the one encoding of a fabric.
    """
    reader = Reader(data)
    magic = reader.take(len(MAGIC))
    if magic != MAGIC:
        raise Invalid(
            Diagnostic(
                "fabric-magic", "bytes", f"The file must start with {MAGIC!r}, not {magic!r}"
            )
        )
    version = reader.u32()
    if version != _VERSION:
        raise Invalid(
            Diagnostic(
                "fabric-version", "bytes", f"The format version must be {_VERSION}, not {version}"
            )
        )
    name = _text(reader.frame(), "name")
    count = reader.count(_SMALLEST_MEMORY)
    memories = tuple(_read_memory(reader, f"memory[{ordinal}]") for ordinal in range(count))
    count = reader.count(_SMALLEST_OP)
    ops = tuple(_read_op(reader, f"op[{ordinal}]") for ordinal in range(count))
    reader.end()
    fabric = Fabric(name, memories, ops)
    require_canonical(data, encode(fabric))
    return fabric


def _encode_memory(named: NamedMemory) -> bytes:
    return b"".join(
        [
            frame(named.name.encode()),
            frame(occurrence_codec.encode(named.occurrence)),
            frame(fabric_section.encode(named.names, named.implementation)),
        ]
    )


def _read_memory(reader: Reader, where: str) -> NamedMemory:
    name, record, section = reader.frame(), reader.frame(), reader.frame()
    with placed(where):
        text = _text(name, "name")
        occurrence = occurrence_codec.decode(record)
        names, implementation = fabric_section.decode(section)
    return NamedMemory(text, occurrence, names, implementation)


def _encode_op(named: NamedOp) -> bytes:
    return frame(named.name.encode()) + frame(resource_codec.encode(named.op))


def _read_op(reader: Reader, where: str) -> NamedOp:
    name, record = reader.frame(), reader.frame()
    with placed(where):
        return NamedOp(_text(name, "name"), resource_codec.decode(record))


def _text(data: bytes, where: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Invalid(
            Diagnostic(
                "fabric-name-text",
                where,
                f"The name must be UTF-8, not byte {data[error.start]:#04x} at {error.start}",
            )
        ) from None
