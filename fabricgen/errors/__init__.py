"""What went wrong, where, and the stable code that names it.

Every layer reports the same two failures. :class:`Invalid` says that the input is not legal
Fabric. :class:`Unsupported` says that it is legal and this generator has no realisation for it.
A wrong argument from Python code (a bug, not bad input) stays ``TypeError`` or ``ValueError``.
"""

from dataclasses import dataclass, replace
from typing import Self

from fabricgen.errors.catalog import CATALOG

__all__ = ["Diagnostic", "FabricError", "Invalid", "ToolMissing", "Unsupported"]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about one place in the input.

    Parameters
    ----------
    code
        Stable kebab-case identifier out of the catalogue; ``fabricgen explain CODE`` prints its
        rule.
    where
        Path of the offending field, such as ``service.regions[2].size_bytes``.
    message
        One sentence: what is required, then what was found.
    file
        Input file that ``where`` is a path in, where one is known.
    """

    code: str
    where: str
    message: str
    file: str | None = None

    def __post_init__(self) -> None:
        if self.code not in CATALOG:
            raise ValueError(f"Diagnostic code must stand in the catalogue, not {self.code!r}")

    def __str__(self) -> str:
        """One line, whatever the names and file names in it hold."""
        text = f"{self.where}: {self.message} [{self.code}]"
        if text.isprintable():
            return text
        return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class FabricError(Exception):
    """Base of :class:`Invalid` and :class:`Unsupported`; carries at least one diagnostic."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        if not diagnostics:
            raise ValueError(f"{type(self).__name__} needs at least one diagnostic, not 0")
        super().__init__("\n".join(map(str, diagnostics)))
        self.diagnostics = diagnostics

    def under(self, prefix: str) -> Self:
        """Same findings with longer paths: a container places what its part reported."""
        return type(self)(*(replace(d, where=f"{prefix}.{d.where}") for d in self.diagnostics))

    def within(self, file: str) -> Self:
        """Same findings, each in an input file; one about the file as a whole names it already."""
        return type(self)(
            *(d if d.where == file else replace(d, file=d.file or file) for d in self.diagnostics)
        )


class Invalid(FabricError):
    """The input is not a legal Fabric record."""


class Unsupported(FabricError):
    """The input is legal, and no provider of this generator realises it."""


class ToolMissing(Exception):
    """A program or Python package that this step needs is not installed.

    Parameters
    ----------
    name
        What is missing.
    install
        The command that installs it.
    """

    def __init__(self, name: str, install: str) -> None:
        super().__init__(f"{name} is not installed; install it with: {install}")
        self.name = name
        self.install = install
