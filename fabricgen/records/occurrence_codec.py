"""Wire form of :mod:`fabricgen.records.occurrence`, in the record's field order.

=====================  =========================================================================
endpoints              u64be count; each u32be direction (In 0, Out 1), u64be payload width,
                       u32be tag presence (Absent 0, Present 1), u64be tag width when present
engine                 u32be presence; u32be contract (Spatial 0, or Temporal 1 and u64be resident
                       context count), u64be port count, framed ports
local service          u32be presence; u64be capacity in bytes, framed service contract
manager endpoints      u64be count; each u64be beat width in bits
subordinate endpoints  the same
connectivity           framed connectivity contract
=====================  =========================================================================
"""

from fabricgen.errors.place import placed
from fabricgen.records import connectivity_codec, port_codec, service_codec
from fabricgen.records.endpoint import ServiceEndpoint, TransportEndpoint
from fabricgen.records.occurrence import (
    EngineContract,
    MemoryOccurrence,
    OperationEngine,
    Spatial,
    Temporal,
)
from fabricgen.records.port import MemoryOperationPort
from fabricgen.records.service import LocalMemoryService
from fabricgen.vocab.fabric import EndpointDirection
from fabricgen.wire.frame import Reader, frame, u32be, u64be

__all__ = ["decode", "encode"]

_ABSENT, _PRESENT = 0, 1
_SPATIAL, _TEMPORAL = 0, 1


def encode(record: MemoryOccurrence) -> bytes:
    """Encode a record; total, because a record cannot hold an illegal value."""
    return b"".join(
        [
            u64be(len(record.endpoints)),
            *map(_encode_endpoint, record.endpoints),
            _encode_engine(record.engine),
            _encode_service(record.local_service),
            _encode_service_endpoints(record.manager_endpoints),
            _encode_service_endpoints(record.subordinate_endpoints),
            frame(connectivity_codec.encode(record.connectivity)),
        ]
    )


def decode(data: bytes) -> MemoryOccurrence:
    """Decode strictly: truncation, unknown tags, disorder and trailing bytes are ``Invalid``.

    Rules over several of its records are left to :mod:`fabricgen.check`.

    Raises
    ------
    Unsupported
        For what is legal and not built, such as an MMIO region.
    """
    reader = Reader(data)
    endpoints = tuple(_read_endpoint(reader, i) for i in range(reader.count(16)))
    engine = _read_engine(reader)
    service = _read_service(reader)
    managers = _read_service_endpoints(reader, "manager_endpoints")
    subordinates = _read_service_endpoints(reader, "subordinate_endpoints")
    connectivity = reader.frame()
    reader.end()
    with placed("connectivity"):
        contract = connectivity_codec.decode(connectivity)
    return MemoryOccurrence(endpoints, engine, service, managers, subordinates, contract)


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
    tag = reader.u64() if _is_present(reader, "optional tag width") else None
    with placed(f"endpoint[{ordinal}]"):
        return TransportEndpoint(direction, width, tag)


def _encode_engine(engine: OperationEngine | None) -> bytes:
    if engine is None:
        return u32be(_ABSENT)
    ports = engine.ports
    return b"".join(
        [
            u32be(_PRESENT),
            _encode_contract(engine.contract),
            u64be(len(ports)),
            *(frame(port_codec.encode(port)) for port in ports),
        ]
    )


def _read_engine(reader: Reader) -> OperationEngine | None:
    if not _is_present(reader, "optional engine"):
        return None
    contract = _read_contract(reader)
    ports = tuple(_read_port(reader, i) for i in range(reader.count(8)))
    with placed("engine"):
        return OperationEngine(contract, ports)


def _encode_contract(contract: EngineContract) -> bytes:
    match contract:
        case Spatial():
            return u32be(_SPATIAL)
        case Temporal(resident_context_count):
            return u32be(_TEMPORAL) + u64be(resident_context_count)


def _read_contract(reader: Reader) -> EngineContract:
    match reader.u32():
        case 0:
            return Spatial()
        case 1:
            count = reader.u64()
            with placed("engine"):
                return Temporal(count)
        case tag:
            raise reader.unknown("engine contract", tag)


def _read_port(reader: Reader, ordinal: int) -> MemoryOperationPort:
    data = reader.frame()
    with placed(f"port[{ordinal}]"):
        return port_codec.decode(data)


def _encode_service(service: LocalMemoryService | None) -> bytes:
    if service is None:
        return u32be(_ABSENT)
    contract = service_codec.encode(service.memory_service_contract)
    return u32be(_PRESENT) + u64be(service.capacity_bytes) + frame(contract)


def _read_service(reader: Reader) -> LocalMemoryService | None:
    if not _is_present(reader, "optional local service"):
        return None
    capacity, data = reader.u64(), reader.frame()
    with placed("local_service"):
        return LocalMemoryService(capacity, service_codec.decode(data))


def _encode_service_endpoints(endpoints: tuple[ServiceEndpoint, ...]) -> bytes:
    widths = (u64be(endpoint.beat_width_bits) for endpoint in endpoints)
    return u64be(len(endpoints)) + b"".join(widths)


def _read_service_endpoints(reader: Reader, where: str) -> tuple[ServiceEndpoint, ...]:
    widths = [reader.u64() for _ in range(reader.count(8))]
    return tuple(
        _service_endpoint(width, f"{where}[{ordinal}]") for ordinal, width in enumerate(widths)
    )


def _service_endpoint(width: int, where: str) -> ServiceEndpoint:
    with placed(where):
        return ServiceEndpoint(width)


def _is_present(reader: Reader, kind: str) -> bool:
    match reader.u32():
        case 0:
            return False
        case 1:
            return True
        case tag:
            raise reader.unknown(kind, tag)
