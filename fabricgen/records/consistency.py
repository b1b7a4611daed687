"""Who orders the atomic accesses of a service capability (spec: Local Memory Service)."""

from dataclasses import dataclass

from fabricgen.atoms.unsigned import U64_MAX
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.vocab.fabric import ReleaseVisibilityPoint

__all__ = [
    "NO_CONSISTENCY",
    "BoundedCompletionCycles",
    "ConsistencyBinding",
    "FairEventual",
    "LocalProvider",
    "LocalProviderProgress",
    "NoConsistency",
    "SystemDomain",
]


@dataclass(frozen=True, slots=True)
class NoConsistency:
    """No provider: legal only where every admitted clause is plain."""


@dataclass(frozen=True, slots=True)
class BoundedCompletionCycles:
    """Every access retires within so many cycles of its issue; positive."""

    max_issue_to_retire_cycles: int

    def __post_init__(self) -> None:
        if not 1 <= self.max_issue_to_retire_cycles <= U64_MAX:
            raise Invalid(
                Diagnostic(
                    "consistency-bound-range",
                    "max_issue_to_retire_cycles",
                    "The bound must be from 1 to 2**64 - 1 cycles, "
                    f"not {self.max_issue_to_retire_cycles}",
                )
            )


@dataclass(frozen=True, slots=True)
class FairEventual:
    """Every access retires, without a bound."""


LocalProviderProgress = BoundedCompletionCycles | FairEventual


@dataclass(frozen=True, slots=True)
class LocalProvider:
    """The exact local service is the sole participant."""

    release_visibility_point: ReleaseVisibilityPoint
    progress: LocalProviderProgress


@dataclass(frozen=True, slots=True)
class SystemDomain:
    """A separate domain contract of the system, by the bytes of its reference; not empty."""

    reference: bytes

    def __post_init__(self) -> None:
        if not self.reference:
            raise Invalid(
                Diagnostic(
                    "consistency-domain-reference",
                    "reference",
                    "The reference of a consistency domain must have bytes, not none",
                )
            )


#: What a capability has that names nobody.
NO_CONSISTENCY = NoConsistency()

ConsistencyBinding = NoConsistency | LocalProvider | SystemDomain
