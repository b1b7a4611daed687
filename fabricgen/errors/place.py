"""Containers say where the part is that reported a finding."""

from collections.abc import Generator
from contextlib import contextmanager

from fabricgen.errors import FabricError

__all__ = ["placed"]


@contextmanager
def placed(prefix: str) -> Generator[None]:
    """Lengthen the paths of whatever the body reports by ``prefix``."""
    try:
        yield
    except FabricError as error:
        raise error.under(prefix) from None
