"""Wire form of :class:`fabricgen.records.service.MemoryServiceContract`, in field order.

A u64be region count and regions (u64be base, u64be size, u32be behaviour), the framed resource
contract, a u64be capability count and capabilities.
"""

from fabricgen.errors import Diagnostic, Unsupported
from fabricgen.errors.place import placed
from fabricgen.records import access_codec, resource_codec, service_capability_codec
from fabricgen.records.service import MemoryServiceContract, MemoryServiceRegion
from fabricgen.records.service_capability import MemoryServiceCapability
from fabricgen.wire.frame import Reader, frame, u32be, u64be

__all__ = ["decode", "encode"]

_STORAGE = 0


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
    """Decode strictly: truncation, unknown tags, disorder and trailing bytes are ``Invalid``.

    Raises
    ------
    Unsupported
        For MMIO regions, which are legal and not built. What is illegal in any region, resource
        or capability before that is told first.
    """
    reader = Reader(data)
    unbuilt: list[Diagnostic] = []
    regions = tuple(_read_region(reader, ordinal, unbuilt) for ordinal in range(reader.count(20)))
    with placed("resource_contract"):
        resources = resource_codec.decode(reader.frame())
    count = reader.count(service_capability_codec.SMALLEST)
    capabilities = tuple(_read_capability(reader, ordinal) for ordinal in range(count))
    reader.end()
    if unbuilt:
        raise Unsupported(*unbuilt)
    return MemoryServiceContract(regions, resources, capabilities)


def _encode_region(region: MemoryServiceRegion) -> bytes:
    return u64be(region.address_base_bytes) + u64be(region.size_bytes) + u32be(_STORAGE)


def _read_region(reader: Reader, ordinal: int, unbuilt: list[Diagnostic]) -> MemoryServiceRegion:
    """Read one region; an MMIO region is listed in ``unbuilt`` and read as storage."""
    base, size = reader.u64(), reader.u64()
    where = f"regions[{ordinal}]"
    with placed(where):
        match reader.u32():
            case 0:
                pass
            case 1:
                with placed("behavior.accepted_access_domain"):
                    access_codec.decode(reader.frame())
                message = "A region must be storage in this generator, not MMIO"
                unbuilt.append(Diagnostic("region-mmio-not-built", f"{where}.behavior", message))
            case tag:
                raise reader.unknown("region behaviour", tag)
        return MemoryServiceRegion(base, size)


def _read_capability(reader: Reader, ordinal: int) -> MemoryServiceCapability:
    with placed(f"capabilities[{ordinal}]"):
        return service_capability_codec.read(reader)
