"""Wire form of :class:`fabricgen.records.service.MemoryServiceContract`, in field order.

A u64be region count and regions (u64be base, u64be size, u32be behaviour and, for MMIO, the framed
accepted access domain), the framed resource contract, a u64be capability count and capabilities.
"""

from fabricgen.errors.place import placed
from fabricgen.records import access_codec, resource_codec, service_capability_codec
from fabricgen.records.region import MemoryServiceRegion, Mmio, RegionBehavior, Storage
from fabricgen.records.service import MemoryServiceContract
from fabricgen.records.service_capability import MemoryServiceCapability
from fabricgen.wire.frame import Reader, frame, u32be, u64be

__all__ = ["decode", "encode"]

_STORAGE, _MMIO = 0, 1


def encode(record: MemoryServiceContract) -> bytes:
    """Encode a record; total, because a record cannot hold an illegal value."""
    return b"".join(
        [
            u64be(len(record.regions)),
            *map(_encode_region, record.regions),
            frame(resource_codec.encode(record.resource_contract)),
            u64be(len(record.capabilities)),
            *map(service_capability_codec.encode, record.capabilities),
        ]
    )


def decode(data: bytes) -> MemoryServiceContract:
    """Decode strictly: truncation, unknown tags, disorder and trailing bytes are ``Invalid``."""
    reader = Reader(data)
    regions = tuple(_read_region(reader, ordinal) for ordinal in range(reader.count(20)))
    with placed("resource_contract"):
        resources = resource_codec.decode(reader.frame())
    count = reader.count(service_capability_codec.SMALLEST)
    capabilities = tuple(_read_capability(reader, ordinal) for ordinal in range(count))
    reader.end()
    return MemoryServiceContract(regions, resources, capabilities)


def _encode_region(region: MemoryServiceRegion) -> bytes:
    span = u64be(region.address_base_bytes) + u64be(region.size_bytes)
    match region.behavior:
        case Storage():
            return span + u32be(_STORAGE)
        case Mmio(accepted_access_domain):  # exhaustive
            return span + u32be(_MMIO) + frame(access_codec.encode(accepted_access_domain))


def _read_region(reader: Reader, ordinal: int) -> MemoryServiceRegion:
    base, size = reader.u64(), reader.u64()
    with placed(f"regions[{ordinal}]"):
        return MemoryServiceRegion(base, size, _read_behavior(reader))


def _read_behavior(reader: Reader) -> RegionBehavior:
    match reader.u32():
        case 0:
            return Storage()
        case 1:
            with placed("behavior.accepted_access_domain"):
                return Mmio(access_codec.decode(reader.frame()))
        case tag:
            raise reader.unknown("region behaviour", tag)


def _read_capability(reader: Reader, ordinal: int) -> MemoryServiceCapability:
    with placed(f"capabilities[{ordinal}]"):
        return service_capability_codec.read(reader)
