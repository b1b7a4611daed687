"""Synchronisation scopes of atomic actions (``SyncScopeRef``, owned by Dataflow)."""

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.errors import Diagnostic
from fabricgen.errors.strict import StrictRecord
from fabricgen.vocab.dataflow import SyncScopeKind
from fabricgen.vocab.words import word

__all__ = ["SyncScope"]


@dataclass(frozen=True, slots=True)
class SyncScope(StrictRecord):
    """One exact scope; ``namespace`` and ``key`` are non-empty exactly for a Target."""

    kind: SyncScopeKind
    namespace: str = ""
    key: str = ""

    def _findings(self) -> Iterator[Diagnostic]:
        is_target = self.kind is SyncScopeKind.TARGET
        for where, name in (("namespace", self.namespace), ("key", self.key)):
            if bool(name) != is_target or not _is_text(name):
                required = "Unicode text" if is_target else "absent"
                yield Diagnostic(
                    "sync-scope-name",
                    where,
                    f"The name must be {required} in a scope {word(self.kind)}, not {name[:64]!r}",
                )


def _is_text(name: str) -> bool:
    return not any(0xD800 <= ord(character) <= 0xDFFF for character in name)
