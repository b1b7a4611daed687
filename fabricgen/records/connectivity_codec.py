"""Wire form of :mod:`fabricgen.records.connectivity`, in the record's field order."""

from fabricgen.records.connectivity import (
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    MemoryDispatchTarget,
    SubordinateDispatch,
    target_key,
)
from fabricgen.vocab.dispatch import AddressTransform, MatchField
from fabricgen.wire.frame import Reader, u32be, u64be

__all__ = ["decode", "encode"]


def encode(record: SubordinateDispatch) -> bytes:
    """Encode a record; total, because a record cannot hold an illegal value."""
    return b"".join(
        [
            u64be(record.max_exposed_bindings),
            u64be(len(record.match_fields)),
            *(u32be(field.value) for field in record.match_fields),
            u32be(record.address_transform.value),
            u64be(len(record.targets)),
            *map(_encode_target, record.targets),
        ]
    )


def decode(data: bytes) -> SubordinateDispatch:
    """Decode strictly: truncation, unknown tags, disorder and trailing bytes are ``Invalid``."""
    reader = Reader(data)
    record = SubordinateDispatch(
        max_exposed_bindings=reader.u64(),
        match_fields=tuple(reader.tag(MatchField) for _ in range(reader.count(4))),
        address_transform=reader.tag(AddressTransform),
        targets=tuple(_decode_target(reader) for _ in range(reader.count(4))),
    )
    reader.end()
    return record


def _encode_target(target: MemoryDispatchTarget) -> bytes:
    tag, ordinal = target_key(target)
    return u32be(tag) if tag == 0 else u32be(tag) + u64be(ordinal)


def _decode_target(reader: Reader) -> MemoryDispatchTarget:
    match reader.u32():
        case 0:
            return LocalMemoryServiceTarget()
        case 1:
            return ManagerEndpointTarget(reader.u64())
        case tag:
            raise reader.unknown("dispatch target", tag)
