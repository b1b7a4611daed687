"""What stands behind one diagnostic code."""

from dataclasses import dataclass

__all__ = ["Rule"]


@dataclass(frozen=True, slots=True)
class Rule:
    """The requirement in one or two sentences, and where it is stated.

    ``section`` is a heading of the specification or, for what is this project's own, one of its
    pages: ``docs/PAGE.md``, or ``docs/PAGE.md, HEADING``.
    """

    requirement: str
    section: str
