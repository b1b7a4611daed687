"""What a run found wrong, in terms a person can look up: row, role, token, expected, got."""

from collections import Counter
from dataclasses import dataclass

__all__ = ["Finding", "Findings"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One violation.

    Parameters
    ----------
    kind
        ``token``, ``count``, ``joint``, ``spurious``, ``unknown``, ``unstable``, ``early``,
        ``capacity``, ``hang``, ``blocked``, ``manager``, ``subordinate``, ``memory``,
        ``out-of-range``, ``target-error``, ``unmatched``, ``quiescent``, ``program`` or ``expect``.
    cycle
        Cycle of the run in which it was seen.
    message
        One sentence.
    row, role, token
        Operation row, role and token index, where they apply.
    expected, got
        Values as text, where they apply.
    """

    kind: str
    cycle: int
    message: str
    row: int | None = None
    role: str | None = None
    token: int | None = None
    expected: str | None = None
    got: str | None = None


#: Said at the end of a run, once of each row, ingress and subordinate that stands; none may lack.
_ONCE = frozenset({"hang", "blocked"})


class Findings:
    """Collects findings; keeps the first ``limit`` of each kind and counts the rest.

    Of what stands at the end everything is kept.
    """

    def __init__(self, limit: int = 8) -> None:
        self._limit = limit
        self._kinds: Counter[str] = Counter()
        self.kept: list[Finding] = []
        self.count = 0

    def add(self, finding: Finding) -> None:
        """Record one finding."""
        self.count += 1
        self._kinds[finding.kind] += 1
        if self._kinds[finding.kind] <= self._limit or finding.kind in _ONCE:
            self.kept.append(finding)
