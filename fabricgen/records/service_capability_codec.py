"""Wire form of :mod:`fabricgen.records.service_capability`, in the record's field order.

A capability is not framed: its container reads it in place. The access domain stands behind a
u32be tag, Absent(0) or Present(1), as in an operation port.
"""

from fabricgen.errors.place import placed
from fabricgen.records import access_codec, actor_codec, consistency_codec
from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.service_capability import MemoryServiceCapability
from fabricgen.wire.frame import Reader, frame, u32be, u64be

__all__ = ["SMALLEST", "encode", "encode_facts", "read"]

#: Bytes of two empty frames or counts more than any capability has.
SMALLEST = 8 + 4 + 8 + 8 + 8 + 4


def encode(record: MemoryServiceCapability) -> bytes:
    """Encode a record; total, because a record cannot hold an illegal value."""
    access = record.access_domain
    return b"".join(
        [
            frame(actor_codec.encode(record.actor_contract_domain)),
            u32be(0) if access is None else u32be(1) + frame(access_codec.encode(access)),
            u64be(len(record.service_region_ordinals)),
            *map(u64be, record.service_region_ordinals),
            u64be(record.service_beat_width_bits),
            u64be(len(record.admissible_use_patterns)),
            *map(u32be, record.admissible_use_patterns),
            consistency_codec.encode(record.consistency_binding),
        ]
    )


def encode_facts(record: MemoryServiceCapability) -> bytes:
    """Encode what one product of accesses is served by: regions, beat, consistency."""
    return b"".join(
        [
            u64be(len(record.service_region_ordinals)),
            *map(u64be, record.service_region_ordinals),
            u64be(record.service_beat_width_bits),
            consistency_codec.encode(record.consistency_binding),
        ]
    )


def read(reader: Reader) -> MemoryServiceCapability:
    """Read one capability out of its contract; ``Invalid`` for whatever is illegal."""
    actor = reader.frame()
    access = _access(reader)
    regions = tuple(reader.u64() for _ in range(reader.count(8)))
    beat = reader.u64()
    patterns = tuple(reader.u32() for _ in range(reader.count(4)))
    binding = consistency_codec.read(reader)
    with placed("actor_contract_domain"):
        actor_domain = actor_codec.decode(actor)
    access_domain: ParameterizedMemoryAccessDomain | None = None
    if access is not None:
        with placed("access_domain"):
            access_domain = access_codec.decode(access)
    return MemoryServiceCapability(actor_domain, access_domain, regions, beat, patterns, binding)


def _access(reader: Reader) -> bytes | None:
    match reader.u32():
        case 0:
            return None
        case 1:
            return reader.frame()
        case tag:
            raise reader.unknown("optional access domain", tag)
