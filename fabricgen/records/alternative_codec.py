"""Wire form of :mod:`fabricgen.records.alternative`, in the record's field order."""

from fabricgen.atoms.dataflow import ROLES
from fabricgen.errors.place import placed
from fabricgen.records import access_codec, actor_codec
from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.alternative import MemoryCapabilityAlternative, RoleBinding
from fabricgen.vocab.dataflow import ServiceValueRole
from fabricgen.wire.frame import Reader, frame, u32be, u64be

__all__ = ["decode", "encode", "encode_binding"]


def encode(record: MemoryCapabilityAlternative) -> bytes:
    """Encode a record; total, because a record cannot hold an illegal value."""
    access = record.parameterized_access_domain
    return b"".join(
        [
            frame(actor_codec.encode(record.actor_contract_domain)),
            encode_binding(record.role_to_endpoint),
            u32be(0) if access is None else u32be(1) + frame(access_codec.encode(access)),
            u64be(len(record.admissible_use_patterns)),
            *map(u32be, record.admissible_use_patterns),
        ]
    )


def encode_binding(binding: RoleBinding) -> bytes:
    """Encode one complete role binding."""
    bound = (frame(ROLES.atom(role)) + u64be(endpoint) for role, endpoint in binding)
    return u64be(len(binding)) + b"".join(bound)


def decode(data: bytes) -> MemoryCapabilityAlternative:
    """Decode strictly: framing, order, the nested domains, and the rules of an alternative."""
    reader = Reader(data, "capability_alternative")
    actor = reader.frame()
    binding = tuple(_bound(reader) for _ in range(reader.count(16)))
    access = _access(reader)
    keys = tuple(reader.u32() for _ in range(reader.count(4)))
    reader.end()
    with placed("actor_contract_domain"):
        actor_domain = actor_codec.decode(actor)
    access_domain = _decode_access(access)
    return MemoryCapabilityAlternative(actor_domain, binding, access_domain, keys)


def _bound(reader: Reader) -> tuple[ServiceValueRole, int]:
    return ROLES.read(reader.frame(), "role_to_endpoint"), reader.u64()


def _access(reader: Reader) -> bytes | None:
    match reader.u32():
        case 0:
            return None
        case 1:
            return reader.frame()
        case tag:
            raise reader.unknown("optional access domain", tag)


def _decode_access(data: bytes | None) -> ParameterizedMemoryAccessDomain | None:
    if data is None:
        return None
    with placed("parameterized_access_domain"):
        return access_codec.decode(data)
