"""Wire form of :mod:`fabricgen.records.resource`: every scalar is u32be, without outer frame.

The counts of requesters, eligibilities and events stand behind the use patterns.
"""

from fabricgen.records.resource import (
    CapacityDimension,
    Claim,
    Commit,
    FixedPriority,
    GrantPolicy,
    ResourceContract,
    RoundRobin,
    UsePattern,
)
from fabricgen.wire.frame import Reader, u32be

__all__ = ["decode", "encode"]


def encode(record: ResourceContract) -> bytes:
    """Encode a record; total, because a record cannot hold an illegal value."""
    words = [len(record.states)]
    for dimensions in record.states:
        words.append(len(dimensions))
        for dimension in dimensions:
            words += [dimension.capacity, dimension.initial_occupancy]
    words += [record.transition_count, len(record.timing_contracts)]
    for ranks in record.timing_contracts:
        words += [len(ranks), *ranks]
    words.append(len(record.use_patterns))
    for pattern in record.use_patterns:
        words += _pattern_words(pattern)
    words += [record.requester_count, record.eligibility_count, record.event_count]
    words += _policy_words(record.grant_policy)
    return b"".join(map(u32be, words))


def _pattern_words(pattern: UsePattern) -> list[int]:
    words = [pattern.requester, pattern.eligibility, pattern.acquire, pattern.release]
    if pattern.commit is None:
        words.append(0)
    else:
        words += [1, pattern.commit.event, pattern.commit.transition]
    words += [pattern.timing, len(pattern.claims)]
    for claim in pattern.claims:
        words += [claim.state, claim.dimension, claim.amount]
    words.append(len(pattern.internal_transactions))
    for keys in pattern.internal_transactions:
        words += [len(keys), *keys]
    return words


def _policy_words(policy: GrantPolicy | None) -> list[int]:
    match policy:
        case None:
            return [0]
        case FixedPriority(order):
            return [1, len(order), *order]
        case RoundRobin(order, reset_cursor):  # exhaustive
            return [2, len(order), *order, reset_cursor]


def decode(data: bytes) -> ResourceContract:
    """Decode strictly: truncation, unknown tags or keys and trailing bytes are ``Invalid``."""
    reader = Reader(data)
    fields = (
        tuple(_state(reader) for _ in range(reader.count32(4))),
        reader.u32(),
        tuple(_keys(reader) for _ in range(reader.count32(4))),
        tuple(_pattern(reader) for _ in range(reader.count32(32))),
        reader.u32(),
        reader.u32(),
        reader.u32(),
        _policy(reader),
    )
    reader.end()
    return ResourceContract(*fields)


def _state(reader: Reader) -> tuple[CapacityDimension, ...]:
    return tuple(CapacityDimension(reader.u32(), reader.u32()) for _ in range(reader.count32(8)))


def _keys(reader: Reader) -> tuple[int, ...]:
    return tuple(reader.u32() for _ in range(reader.count32(4)))


def _pattern(reader: Reader) -> UsePattern:
    return UsePattern(
        requester=reader.u32(),
        eligibility=reader.u32(),
        acquire=reader.u32(),
        release=reader.u32(),
        commit=_commit(reader),
        timing=reader.u32(),
        claims=tuple(
            Claim(reader.u32(), reader.u32(), reader.u32()) for _ in range(reader.count32(12))
        ),
        internal_transactions=tuple(_keys(reader) for _ in range(reader.count32(4))),
    )


def _commit(reader: Reader) -> Commit | None:
    match reader.u32():
        case 0:
            return None
        case 1:
            return Commit(reader.u32(), reader.u32())
        case tag:
            raise reader.unknown("optional commit", tag)


def _policy(reader: Reader) -> GrantPolicy | None:
    match reader.u32():
        case 0:
            return None
        case 1:
            return FixedPriority(_keys(reader))
        case 2:
            return RoundRobin(_keys(reader), reader.u32())
        case tag:
            raise reader.unknown("grant policy", tag)
