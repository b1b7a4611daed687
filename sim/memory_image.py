"""Bytes of a memory and words of its banks: beats are dealt out to the banks in turn."""

from collections.abc import Sequence

__all__ = ["Byte", "bytes_of_text", "bytes_of_words", "words_of_bytes"]

#: A byte read out of a four-state simulator; ``None`` where some bit is unknown.
Byte = int | None


def words_of_bytes(contents: bytes, word_bytes: int, banks: int) -> list[list[int]]:
    """Words of each bank, in row order; the last row is filled up with zeros."""
    if not banks:
        return []
    stride = word_bytes * banks
    rows = -(-len(contents) // stride)
    padded = contents + bytes(rows * stride - len(contents))
    starts = range(0, len(padded), stride)
    return [
        [
            int.from_bytes(padded[at : at + word_bytes], "little")
            for at in (start + bank * word_bytes for start in starts)
        ]
        for bank in range(banks)
    ]


def bytes_of_words(words: Sequence[Sequence[Sequence[Byte]]], size: int) -> list[Byte]:
    """Inverse of :func:`words_of_bytes`, for words given as their bytes, lowest first."""
    beats = [word for row in zip(*words, strict=True) for word in row]
    return [byte for beat in beats for byte in beat][:size]


def bytes_of_text(bits: str) -> list[Byte]:
    """Bytes of a binary string of whole bytes, highest bit first; lowest byte first."""
    parts = [bits[at : at + 8] for at in range(len(bits) - 8, -1, -8)]
    return [int(part, 2) if set(part) <= {"0", "1"} else None for part in parts]
