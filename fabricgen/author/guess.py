"""What a wrong name or key was meant to be."""

import difflib
from collections.abc import Sequence

from fabricgen.check.names import LONGEST_NAME

__all__ = ["guess"]

#: Known words that one wrong word is compared with; comparing costs time, and findings are many.
_MOST_COMPARED = 128


def guess(word: str, known: Sequence[str]) -> str:
    """Ask whether the closest known word was meant; empty where none is close, or too many are."""
    if len(word) > LONGEST_NAME or len(known) > _MOST_COMPARED:
        return ""
    close = difflib.get_close_matches(word, known, n=1)
    return f" (did you mean {close[0]}?)" if close else ""
