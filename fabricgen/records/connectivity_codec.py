"""Wire form of :mod:`fabricgen.records.connectivity`, in the record's field order.

Counts and ordinals are u64be, closed-union tags u32be; nothing is framed.
"""

from collections.abc import Iterable

from fabricgen.errors.place import placed
from fabricgen.records.connectivity import (
    InternalConnection,
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    MemoryConnectivityContract,
    MemoryDispatchTarget,
    OperationPortDispatch,
    SubordinateDispatch,
    target_key,
)
from fabricgen.vocab.dispatch import AddressTransform, MatchField
from fabricgen.wire.frame import Reader, u32be, u64be

__all__ = ["decode", "encode", "encode_connections", "read_connections"]

#: Bytes of the smallest subordinate: bound, match count, transform, target count, one target.
_SUBORDINATE = 8 + 8 + 4 + 8 + 4


def encode(record: MemoryConnectivityContract) -> bytes:
    """Encode a record; total, because a record cannot hold an illegal value."""
    ports, subordinates = record.operation_ports, record.subordinate_endpoints
    return b"".join(
        [
            u64be(len(ports)),
            *map(_encode_port, ports),
            u64be(len(subordinates)),
            *map(_encode_subordinate, subordinates),
            encode_connections(record.internal_connections),
        ]
    )


def decode(data: bytes) -> MemoryConnectivityContract:
    """Decode strictly: truncation, unknown tags, disorder and trailing bytes are ``Invalid``."""
    reader = Reader(data)
    record = MemoryConnectivityContract(
        tuple(_decode_port(reader, i) for i in range(reader.count(8))),
        tuple(_decode_subordinate(reader, i) for i in range(reader.count(_SUBORDINATE))),
        read_connections(reader),
    )
    reader.end()
    return record


def encode_connections(connections: tuple[InternalConnection, ...]) -> bytes:
    """Encode connections behind their count, source before sink."""
    return u64be(len(connections)) + b"".join(
        u64be(each.source_endpoint_ordinal) + u64be(each.sink_endpoint_ordinal)
        for each in connections
    )


def read_connections(reader: Reader) -> tuple[InternalConnection, ...]:
    """Read what :func:`encode_connections` wrote; the record that holds them checks their order."""
    return tuple(InternalConnection(reader.u64(), reader.u64()) for _ in range(reader.count(16)))


def _encode_port(port: OperationPortDispatch) -> bytes:
    domains = port.capability_target_domains
    return u64be(len(domains)) + b"".join(map(_encode_targets, domains))


def _decode_port(reader: Reader, ordinal: int) -> OperationPortDispatch:
    domains = tuple(_decode_targets(reader) for _ in range(reader.count(12)))
    with placed(f"operation_ports[{ordinal}]"):
        return OperationPortDispatch(domains)


def _encode_subordinate(record: SubordinateDispatch) -> bytes:
    return b"".join(
        [
            u64be(record.max_exposed_bindings),
            u64be(len(record.match_fields)),
            *(u32be(field.value) for field in record.match_fields),
            u32be(record.address_transform.value),
            _encode_targets(record.targets),
        ]
    )


def _decode_subordinate(reader: Reader, ordinal: int) -> SubordinateDispatch:
    fields = (
        reader.u64(),
        tuple(reader.tag(MatchField) for _ in range(reader.count(4))),
        reader.tag(AddressTransform),
        _decode_targets(reader),
    )
    with placed(f"subordinate_endpoints[{ordinal}]"):
        return SubordinateDispatch(*fields)


def _encode_targets(targets: Iterable[MemoryDispatchTarget]) -> bytes:
    found = [_encode_target(target) for target in targets]
    return u64be(len(found)) + b"".join(found)


def _decode_targets(reader: Reader) -> tuple[MemoryDispatchTarget, ...]:
    return tuple(_decode_target(reader) for _ in range(reader.count(4)))


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
