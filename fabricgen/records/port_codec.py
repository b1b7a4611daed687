"""Wire form of :mod:`fabricgen.records.port`, in the record's field order.

Counts, endpoint ordinals and frame lengths are u64be, projections u32be; the resource contract
and each alternative are framed.
"""

from fabricgen.errors.place import placed
from fabricgen.records import alternative_codec, resource_codec
from fabricgen.records.alternative import MemoryCapabilityAlternative
from fabricgen.records.port import MemoryOperationPort
from fabricgen.vocab.fabric import MemoryPortTransactionProjection
from fabricgen.wire.frame import Reader, frame, u32be, u64be

__all__ = ["decode", "encode"]


def encode(record: MemoryOperationPort) -> bytes:
    """Encode a record; total, because a record cannot hold an illegal value."""
    alternatives = record.capability_alternatives
    return b"".join(
        [
            u64be(len(record.endpoint_inventory)),
            *map(u64be, record.endpoint_inventory),
            frame(resource_codec.encode(record.resource_contract)),
            u64be(len(record.operation_pattern_semantics)),
            *(u32be(projection.value) for projection in record.operation_pattern_semantics),
            u64be(len(alternatives)),
            *(frame(alternative_codec.encode(each)) for each in alternatives),
        ]
    )


def decode(data: bytes) -> MemoryOperationPort:
    """Decode strictly: every frame, order and rule, and the normal form of the whole array."""
    reader = Reader(data, "port")
    inventory = tuple(reader.u64() for _ in range(reader.count(8)))
    contract = reader.frame()
    semantics = tuple(reader.tag(MemoryPortTransactionProjection) for _ in range(reader.count(4)))
    alternatives = [reader.frame() for _ in range(reader.count(8))]
    reader.end()
    with placed("resource_contract"):
        resource_contract = resource_codec.decode(contract)
    return MemoryOperationPort(
        inventory,
        resource_contract,
        semantics,
        tuple(_alternative(each, i) for i, each in enumerate(alternatives)),
    )


def _alternative(data: bytes, ordinal: int) -> MemoryCapabilityAlternative:
    with placed(f"capability_alternatives[{ordinal}]"):
        return alternative_codec.decode(data)
