"""What random engines have unlike elsewhere: alignments, contexts, and ingresses of two kinds."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.records.access import MemoryAccessClass
from fabricgen.vocab.fabric import WriteSubwordSemantics

__all__ = ["ANY_ALIGNMENT", "Pair", "UnevenDrawing"]

#: Document pattern and context of one use pattern.
Pair = tuple[int, int]

_LAST = 63
ANY_ALIGNMENT = AlignmentDomain(UnsignedDomain.of((0, _LAST)))
#: Exponents that a class accepts; those of a plain access, which has alignment 1, accept 0.
_PLAIN = ((0, 0), (0, 3), (0, _LAST))
_ATOMIC = ((0, 0), (0, 2), (0, 4), (2, _LAST), (3, _LAST), (0, _LAST), (0, _LAST))


class UnevenDrawing:
    """Draws from a generator of its own: an engine without any of this does not depend on it."""

    def __init__(self, seed: str) -> None:
        self._rng = rng = random.Random(f"uneven {seed}")
        self._aligns, self._splits, self._weighs, self._mixes = (
            rng.random() < 0.5 for _ in range(4)
        )
        self._is_tagged_narrowly = rng.random() < 0.15
        self._guarantees = random.Random(f"guarantee {seed}")
        self._is_exact = self._guarantees.random() < 0.4

    def tag_width(self, usual: int) -> int:
        """Bits of the tags; now and then a single one."""
        return 1 if self._is_tagged_narrowly else usual

    def shares(self) -> bool:
        """Whether a Temporal control role takes an ingress that has a payload."""
        return self._mixes and self._rng.random() < 0.5

    def choice(self, endpoints: Sequence[int]) -> int:
        """One of them."""
        return self._rng.choice(endpoints)

    def capacity(self, usual: int, contexts: int) -> int | list[int]:
        """That of every context, or one for each; the greatest is as usual."""
        if contexts == 1 or not self._weighs:
            return usual
        return [self._rng.choice([usual, self._rng.randint(1, usual)]) for _ in range(contexts)]

    def aligned(self, access: MemoryAccessClass, *, is_atomic: bool) -> MemoryAccessClass:
        """The class with another domain of alignments, in some engines."""
        if not self._aligns:
            return access
        span = self._rng.choice(_ATOMIC if is_atomic else _PLAIN)
        return replace(access, source_alignment=AlignmentDomain(UnsignedDomain.of(span)))

    def guaranteed(self, access: MemoryAccessClass) -> MemoryAccessClass:
        """The class of a service, which now and then writes only what fills an endpoint."""
        is_written = WriteSubwordSemantics.BYTE_ENABLE in access.write_subword
        if not is_written or not self._is_exact or self._guarantees.random() < 0.4:
            return access
        return replace(access, write_subword=(WriteSubwordSemantics.EXACT,))

    def parts(
        self, classes: Sequence[MemoryAccessClass]
    ) -> Iterator[tuple[MemoryAccessClass, ...]]:
        """The classes at once, or those parts of them that accept little and much alignment."""
        if not classes or not self._aligns or self._rng.random() < 0.3:
            yield tuple(classes)
            return
        middle = self._rng.choice([1, 2, 3, 4])
        for low, high in ((0, middle - 1), (middle, _LAST)):
            found = (_within(each, low, high) for each in classes)
            if part := tuple(each for each in found if each is not None):
                yield part

    def admitted(self, patterns: Sequence[tuple[int, ...]], contexts: int) -> list[set[Pair]]:
        """What each alternative may use of its patterns, which is every pair or a part of them.

        Each pair is somebody's, and each alternative has one.
        """
        found = [{(pattern, k) for pattern in some for k in range(contexts)} for some in patterns]
        if contexts == 1 or not self._splits:
            return found
        for pair in sorted(set().union(*found)):
            owners = [number for number, each in enumerate(found) if pair in each]
            kept = self._rng.sample(owners, self._rng.randint(1, len(owners)))
            for number in owners:
                if number not in kept and len(found[number]) > 1:
                    found[number].discard(pair)
        return found

    def is_direct(self) -> bool:
        """Whether a pattern that walks does not in one context."""
        return self._splits and self._rng.random() < 0.4


def _within(access: MemoryAccessClass, low: int, high: int) -> MemoryAccessClass | None:
    """The part of a class that accepts exponents from ``low`` to ``high``, if there is one."""
    spans = [
        (max(low, each.lower), min(high, each.upper))
        for each in access.source_alignment.accepted_log2_byte_alignments.intervals
        if each.upper >= low and each.lower <= high
    ]
    if not spans:
        return None
    return replace(access, source_alignment=AlignmentDomain(UnsignedDomain.of(*spans)))
