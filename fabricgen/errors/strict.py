"""Records whose constructor is the strict door: it reports everything that is wrong, at once."""

from abc import ABC, abstractmethod
from collections.abc import Iterator

from fabricgen.errors import Diagnostic, Invalid

__all__ = ["StrictRecord"]


class StrictRecord(ABC):
    """Base of a frozen dataclass that says in ``_findings`` what is illegal about its fields."""

    __slots__ = ()

    def __post_init__(self) -> None:
        if found := tuple(self._findings()):
            raise Invalid(*found)

    @abstractmethod
    def _findings(self) -> Iterator[Diagnostic]:
        """Say what is illegal; nothing for a legal record."""
