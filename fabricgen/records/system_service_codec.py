"""Wire form of a System memory service: exactly that of the contract that it owns."""

from fabricgen.errors.place import placed
from fabricgen.records import service_codec
from fabricgen.records.system import SystemMemoryService

__all__ = ["decode", "encode"]


def encode(record: SystemMemoryService) -> bytes:
    """Encode a record; total, because a record cannot hold an illegal value."""
    return service_codec.encode(record.memory_service_contract)


def decode(data: bytes) -> SystemMemoryService:
    """Decode strictly: what is illegal in the contract, and a local provider, are ``Invalid``."""
    with placed("memory_service_contract"):
        contract = service_codec.decode(data)
    return SystemMemoryService(contract)
