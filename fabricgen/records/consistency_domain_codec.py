"""Wire form of :class:`fabricgen.records.system.MemoryConsistencyDomain`, in field order.

A u64be participant count and participants (u32be Service 0 or Provider 1, framed reference), u32be
release visibility, u32be progress (BoundedCompletion 0, then the framed clock reference and u64be
ticks; FairEventual 1), and the framed resource contract.
"""

from fabricgen.errors.place import placed
from fabricgen.records import resource_codec
from fabricgen.records.consistency import FairEventual
from fabricgen.records.system import (
    BoundedCompletion,
    ConsistencyParticipant,
    ConsistencyProgress,
    MemoryConsistencyDomain,
    ProviderParticipant,
    ServiceParticipant,
)
from fabricgen.vocab.fabric import ReleaseVisibilityPoint
from fabricgen.wire.frame import Reader, frame, u32be, u64be

__all__ = ["decode", "encode"]

_SERVICE, _PROVIDER = 0, 1
_BOUNDED, _FAIR = 0, 1


def encode(record: MemoryConsistencyDomain) -> bytes:
    """Encode a record; total, because a record cannot hold an illegal value."""
    return b"".join(
        [
            u64be(len(record.participants)),
            *map(_encode_participant, record.participants),
            u32be(record.release_visibility_point.value),
            _encode_progress(record.progress),
            frame(resource_codec.encode(record.resource_contract)),
        ]
    )


def decode(data: bytes) -> MemoryConsistencyDomain:
    """Decode strictly: truncation, unknown tags, disorder and trailing bytes are ``Invalid``."""
    reader = Reader(data)
    participants = tuple(_participant(reader, ordinal) for ordinal in range(reader.count(12)))
    with placed("release_visibility_point"):
        visibility = reader.tag(ReleaseVisibilityPoint)
    with placed("progress"):
        progress = _progress(reader)
    with placed("resource_contract"):
        resources = resource_codec.decode(reader.frame())
    reader.end()
    return MemoryConsistencyDomain(participants, visibility, progress, resources)


def _encode_participant(participant: ConsistencyParticipant) -> bytes:
    match participant:
        case ServiceParticipant(reference):
            return u32be(_SERVICE) + frame(reference)
        case ProviderParticipant(reference):  # exhaustive
            return u32be(_PROVIDER) + frame(reference)


def _participant(reader: Reader, ordinal: int) -> ConsistencyParticipant:
    with placed(f"participants[{ordinal}]"):
        match reader.u32():
            case 0:
                return ServiceParticipant(reader.frame())
            case 1:
                return ProviderParticipant(reader.frame())
            case tag:
                raise reader.unknown("participant", tag)


def _encode_progress(progress: ConsistencyProgress) -> bytes:
    match progress:
        case BoundedCompletion(clock_reference, ticks):
            return u32be(_BOUNDED) + frame(clock_reference) + u64be(ticks)
        case FairEventual():  # exhaustive
            return u32be(_FAIR)


def _progress(reader: Reader) -> ConsistencyProgress:
    match reader.u32():
        case 0:
            return BoundedCompletion(reader.frame(), reader.u64())
        case 1:
            return FairEventual()
        case tag:
            raise reader.unknown("progress", tag)
