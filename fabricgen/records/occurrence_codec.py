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
from fabricgen.records import connectivity_codec, service_codec
from fabricgen.records.endpoint import ServiceEndpoint
from fabricgen.records.engine_codec import (
    encode_contract,
    encode_endpoints,
    encode_ports,
    read_contract,
    read_endpoints,
    read_ports,
)
from fabricgen.records.occurrence import MemoryOccurrence, OperationEngine
from fabricgen.records.service import LocalMemoryService
from fabricgen.wire.frame import Reader, frame, u32be, u64be

__all__ = ["decode", "encode"]

_ABSENT, _PRESENT = 0, 1


def encode(record: MemoryOccurrence) -> bytes:
    """Encode a record; total, because a record cannot hold an illegal value."""
    return b"".join(
        [
            encode_endpoints(record.endpoints),
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
    """
    reader = Reader(data)
    endpoints = read_endpoints(reader)
    engine = _read_engine(reader)
    service = _read_service(reader)
    managers = _read_service_endpoints(reader, "manager_endpoints")
    subordinates = _read_service_endpoints(reader, "subordinate_endpoints")
    connectivity = reader.frame()
    reader.end()
    with placed("connectivity"):
        contract = connectivity_codec.decode(connectivity)
    return MemoryOccurrence(endpoints, engine, service, managers, subordinates, contract)


def _encode_engine(engine: OperationEngine | None) -> bytes:
    if engine is None:
        return u32be(_ABSENT)
    return u32be(_PRESENT) + encode_contract(engine.contract) + encode_ports(engine.ports)


def _read_engine(reader: Reader) -> OperationEngine | None:
    if not reader.is_present("optional engine"):
        return None
    contract, ports = read_contract(reader), read_ports(reader)
    with placed("engine"):
        return OperationEngine(contract, ports)


def _encode_service(service: LocalMemoryService | None) -> bytes:
    if service is None:
        return u32be(_ABSENT)
    contract = service_codec.encode(service.memory_service_contract)
    return u32be(_PRESENT) + u64be(service.capacity_bytes) + frame(contract)


def _read_service(reader: Reader) -> LocalMemoryService | None:
    if not reader.is_present("optional local service"):
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
