"""Jobs of the driver: tokens for each input, how everybody stalls, and what came out.

A token is a row of 64-bit words, lowest first; one of a channel without payload has none.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from fabricgen.hsg.ports import PhysicalPorts

__all__ = [
    "Job",
    "Pattern",
    "Played",
    "Tokens",
    "Words",
    "no_tokens",
    "pack",
    "unpack",
    "word_count",
]

Words = NDArray[np.uint64]
#: Shape (tokens, words of one token).
Tokens = Words


class Pattern(IntEnum):
    """How the endpoints of a job stall, each by itself."""

    ALWAYS = 0
    GEOMETRIC = 1
    BURSTS = 2
    NEVER_TWICE = 3
    STARVED = 4
    AFTER_VALID = 5


@dataclass(frozen=True, slots=True)
class Job:
    """One configuration and a stream of firings.

    Parameters
    ----------
    inputs
        Tokens of each input. Where results are timed, an input without any is not used: it is
        offered tokens that the model must not take.
    results
        How many tokens each output must give.
    configuration
        Dense ordinal or carrier.
    latency, capacity
        Exact cycles from the last operand of a firing to its result, and firings that are inside
        at most; a latency of 0 says that results are not timed.
    pattern, chance, seed
        How endpoints stall; the chance, of 256, is that one goes on.
    limit
        Cycles that the job may take.
    """

    inputs: tuple[Tokens, ...]
    results: tuple[int, ...]
    configuration: int = 0
    latency: int = 0
    capacity: int = 0
    pattern: Pattern = Pattern.ALWAYS
    chance: int = 128
    seed: int = 1
    limit: int = 2**40


@dataclass(frozen=True, slots=True)
class Played:
    """Cycles of the first and last result of a job, and the tokens of each output."""

    first: int
    last: int
    outputs: tuple[Tokens, ...]


def word_count(bits: int) -> int:
    """Words of a token."""
    return -(-bits // 64)


def no_tokens(bits: int) -> Tokens:
    """What an input that is not used is given."""
    return np.zeros((0, word_count(bits)), np.uint64)


def pack(ports: PhysicalPorts, configuration_bits: int, jobs: Iterable[Job]) -> bytes:
    """Write jobs as the driver reads them."""
    parts: list[Words] = []
    for job in jobs:
        head = [job.pattern, job.chance, job.seed, job.latency, job.capacity, job.limit]
        head += [
            job.configuration >> 64 * at & (1 << 64) - 1
            for at in range(word_count(configuration_bits))
        ]
        head += [len(each) for each in job.inputs] + list(job.results)
        parts.append(np.array(head, np.uint64))
        for tokens, bits in zip(job.inputs, ports.inputs, strict=True):
            if tokens.shape[1] != word_count(bits):
                raise ValueError(f"Tokens must have {word_count(bits)} words, not {tokens.shape}")
            parts.append(tokens.reshape(-1))
    return np.concatenate(parts).astype("<u8").tobytes()


def unpack(ports: PhysicalPorts, jobs: Sequence[Job], data: bytes) -> list[Played]:
    """Read what the driver wrote about these jobs."""
    words = np.frombuffer(data, "<u8").astype(np.uint64)
    at = 0

    def take(count: int) -> Words:
        nonlocal at
        at += count
        return words[at - count : at]

    played: list[Played] = []
    for job in jobs:
        first, last = map(int, take(2))
        outputs = tuple(
            take(count * word_count(bits)).reshape(count, word_count(bits))
            for count, bits in zip(job.results, ports.outputs, strict=True)
        )
        played.append(Played(first, last, outputs))
    if at != len(words):
        raise ValueError(f"Results must have {at} words, not {len(words)}")
    return played
