"""What stands behind one diagnostic code."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["Kind", "Rule"]

#: What a finding says: the input is not legal, it is legal without hardware for it in this
#: version, or neither, as something around the input failed.
Kind = Literal["illegal", "unsupported", "failure"]


@dataclass(frozen=True, slots=True)
class Rule:
    """The requirement in one or two sentences, and where it is stated.

    ``section`` is a heading of the specification or, for what is this project's own, one of its
    pages: ``docs/PAGE.md``, or ``docs/PAGE.md, HEADING``. ``kind`` is that of every finding with
    the code.
    """

    requirement: str
    section: str
    kind: Kind = "illegal"
