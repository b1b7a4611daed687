"""Wire form of :mod:`fabricgen.records.consistency`; not framed, its container reads it in place.

A u32be tag: None 0; LocalProvider 1, then u32be release visibility (AtLinearization 0, ByRetirement
1) and u32be progress (BoundedCompletionCycles 0 with its u64be cycles, FairEventual 1);
SystemDomain 2, then the framed bytes of its reference.
"""

from fabricgen.errors.place import placed
from fabricgen.records.consistency import (
    BoundedCompletionCycles,
    ConsistencyBinding,
    FairEventual,
    LocalProvider,
    LocalProviderProgress,
    NoConsistency,
    SystemDomain,
)
from fabricgen.vocab.fabric import ReleaseVisibilityPoint
from fabricgen.wire.frame import Reader, frame, u32be, u64be

__all__ = ["encode", "read"]

_NONE, _LOCAL, _SYSTEM = 0, 1, 2
_BOUNDED, _FAIR = 0, 1


def encode(binding: ConsistencyBinding) -> bytes:
    """Encode a binding; total, because a record cannot hold an illegal value."""
    match binding:
        case NoConsistency():
            return u32be(_NONE)
        case LocalProvider(visibility, progress):
            return u32be(_LOCAL) + u32be(visibility.value) + _encode_progress(progress)
        case SystemDomain(reference):  # exhaustive
            return u32be(_SYSTEM) + frame(reference)


def _encode_progress(progress: LocalProviderProgress) -> bytes:
    match progress:
        case BoundedCompletionCycles(cycles):
            return u32be(_BOUNDED) + u64be(cycles)
        case FairEventual():  # exhaustive
            return u32be(_FAIR)


def read(reader: Reader) -> ConsistencyBinding:
    """Read one binding out of its capability; ``Invalid`` for whatever is illegal."""
    with placed("consistency_binding"):
        match reader.u32():
            case 0:
                return NoConsistency()
            case 1:
                visibility = reader.tag(ReleaseVisibilityPoint)
                with placed("progress"):
                    return LocalProvider(visibility, _read_progress(reader))
            case 2:
                return SystemDomain(reader.frame())
            case tag:
                raise reader.unknown("consistency binding", tag)


def _read_progress(reader: Reader) -> LocalProviderProgress:
    match reader.u32():
        case 0:
            return BoundedCompletionCycles(reader.u64())
        case 1:
            return FairEventual()
        case tag:
            raise reader.unknown("progress", tag)
