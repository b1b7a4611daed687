"""Wire form of :mod:`fabricgen.records.engine`, in the record's field order.

====================  ==========================================================================
contract              u32be Spatial 0, or Temporal 1 and u64be resident context count
endpoints             u64be count; each u32be direction (In 0, Out 1), u64be payload width,
                      u32be tag presence (Absent 0, Present 1), u64be tag width when present
ports                 u64be count; framed ports
internal connections  u64be count; each u64be source, u64be sink
====================  ==========================================================================

An occurrence writes the first three in the same way.
"""

from fabricgen.errors.place import placed
from fabricgen.records import port_codec
from fabricgen.records.connectivity_codec import encode_connections, read_connections
from fabricgen.records.endpoint import TransportEndpoint
from fabricgen.records.engine import FabricMemoryEngineTemplate
from fabricgen.records.occurrence import EngineContract, Spatial, Temporal
from fabricgen.records.port import MemoryOperationPort
from fabricgen.vocab.fabric import EndpointDirection
from fabricgen.wire.frame import Reader, frame, u32be, u64be

__all__ = [
    "decode",
    "encode",
    "encode_contract",
    "encode_endpoints",
    "encode_ports",
    "read_contract",
    "read_endpoints",
    "read_ports",
]

_ABSENT, _PRESENT = 0, 1
_SPATIAL, _TEMPORAL = 0, 1


def encode(record: FabricMemoryEngineTemplate) -> bytes:
    """Encode a record; total, because a record cannot hold an illegal value."""
    return b"".join(
        [
            encode_contract(record.contract),
            encode_endpoints(record.endpoints),
            encode_ports(record.ports),
            encode_connections(record.internal_connections),
        ]
    )


def decode(data: bytes) -> FabricMemoryEngineTemplate:
    """Decode strictly: truncation, unknown tags, disorder and trailing bytes are ``Invalid``.

    Rules over several of its records are left to :mod:`fabricgen.check.template`.
    """
    reader = Reader(data)
    contract, endpoints = read_contract(reader), read_endpoints(reader)
    ports, connections = read_ports(reader), read_connections(reader)
    reader.end()
    return FabricMemoryEngineTemplate(contract, endpoints, ports, connections)


def encode_contract(contract: EngineContract) -> bytes:
    """Encode schedule and resident capacity."""
    match contract:
        case Spatial():
            return u32be(_SPATIAL)
        case Temporal(resident_context_count):  # exhaustive
            return u32be(_TEMPORAL) + u64be(resident_context_count)


def read_contract(reader: Reader) -> EngineContract:
    """Read what :func:`encode_contract` wrote."""
    match reader.u32():
        case 0:
            return Spatial()
        case 1:
            count = reader.u64()
            with placed("engine"):
                return Temporal(count)
        case tag:
            raise reader.unknown("engine contract", tag)


def encode_endpoints(endpoints: tuple[TransportEndpoint, ...]) -> bytes:
    """Encode endpoint types behind their count."""
    return u64be(len(endpoints)) + b"".join(map(_encode_endpoint, endpoints))


def read_endpoints(reader: Reader) -> tuple[TransportEndpoint, ...]:
    """Read what :func:`encode_endpoints` wrote."""
    return tuple(_read_endpoint(reader, i) for i in range(reader.count(16)))


def encode_ports(ports: tuple[MemoryOperationPort, ...]) -> bytes:
    """Encode framed ports behind their count."""
    return u64be(len(ports)) + b"".join(frame(port_codec.encode(port)) for port in ports)


def read_ports(reader: Reader) -> tuple[MemoryOperationPort, ...]:
    """Read what :func:`encode_ports` wrote."""
    return tuple(_read_port(reader, i) for i in range(reader.count(8)))


def _encode_endpoint(endpoint: TransportEndpoint) -> bytes:
    tag = endpoint.tag_width
    return b"".join(
        [
            u32be(endpoint.direction.value),
            u64be(endpoint.payload_width),
            u32be(_ABSENT) if tag is None else u32be(_PRESENT) + u64be(tag),
        ]
    )


def _read_endpoint(reader: Reader, ordinal: int) -> TransportEndpoint:
    direction, width = reader.tag(EndpointDirection), reader.u64()
    tag = reader.u64() if reader.is_present("optional tag width") else None
    with placed(f"endpoint[{ordinal}]"):
        return TransportEndpoint(direction, width, tag)


def _read_port(reader: Reader, ordinal: int) -> MemoryOperationPort:
    data = reader.frame()
    with placed(f"port[{ordinal}]"):
        return port_codec.decode(data)
