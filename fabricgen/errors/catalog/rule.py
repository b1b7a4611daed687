"""What stands behind one diagnostic code."""

from dataclasses import dataclass

__all__ = ["Rule"]


@dataclass(frozen=True, slots=True)
class Rule:
    """The requirement in one or two sentences, and the section of the specification."""

    requirement: str
    section: str
