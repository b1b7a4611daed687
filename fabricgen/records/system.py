"""System side of a memory service, for checking (spec: Local Memory Service).

A System memory service owns the same contract as a local one. Who orders its atomic accesses is a
separate record, the consistency domain, which it names by reference.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from fabricgen.atoms.unsigned import U64_MAX
from fabricgen.errors import Diagnostic
from fabricgen.errors.strict import StrictRecord
from fabricgen.records.consistency import FairEventual, LocalProvider
from fabricgen.records.resource import ResourceContract
from fabricgen.records.service import MemoryServiceContract
from fabricgen.vocab.fabric import ReleaseVisibilityPoint

__all__ = [
    "BoundedCompletion",
    "ConsistencyParticipant",
    "ConsistencyProgress",
    "MemoryConsistencyDomain",
    "ProviderParticipant",
    "ServiceParticipant",
    "SystemMemoryService",
]


@dataclass(frozen=True, slots=True)
class SystemMemoryService(StrictRecord):
    """A memory service of the system; its regions are absolute service addresses.

    Raises
    ------
    Invalid
        ``system-service-local-provider`` where a capability would be ordered by the service alone.
    """

    memory_service_contract: MemoryServiceContract

    def _findings(self) -> Iterator[Diagnostic]:
        for ordinal, capability in enumerate(self.memory_service_contract.capabilities):
            if isinstance(capability.consistency_binding, LocalProvider):
                yield Diagnostic(
                    "system-service-local-provider",
                    f"memory_service_contract.capabilities[{ordinal}].consistency_binding",
                    "A system service must be ordered by a system domain, not by a local provider",
                )


@dataclass(frozen=True, slots=True)
class ServiceParticipant(StrictRecord):
    """A System memory service, by the bytes of its reference; not empty."""

    reference: bytes

    def _findings(self) -> Iterator[Diagnostic]:
        yield from _reference_findings(self.reference, "reference")


@dataclass(frozen=True, slots=True)
class ProviderParticipant(StrictRecord):
    """An execution provider, by the bytes of its reference; not empty."""

    reference: bytes

    def _findings(self) -> Iterator[Diagnostic]:
        yield from _reference_findings(self.reference, "reference")


ConsistencyParticipant = ServiceParticipant | ProviderParticipant


@dataclass(frozen=True, slots=True)
class BoundedCompletion(StrictRecord):
    """Every access completes within ``ticks`` rising edges of a clock; positive."""

    clock_reference: bytes
    ticks: int

    def _findings(self) -> Iterator[Diagnostic]:
        yield from _reference_findings(self.clock_reference, "clock_reference")
        if not 1 <= self.ticks <= U64_MAX:
            yield Diagnostic(
                "consistency-bound-range",
                "ticks",
                f"The bound must be from 1 to 2**64 - 1 ticks, not {self.ticks}",
            )


ConsistencyProgress = BoundedCompletion | FairEventual


@dataclass(frozen=True, slots=True)
class MemoryConsistencyDomain(StrictRecord):
    """Who takes part in one total modification order of each object, and what they may rely on.

    Parameters
    ----------
    participants
        Non-empty, unique; services before providers, each kind in the order of its references.
    release_visibility_point
        When the effects before a release are visible to every participant.
    progress
        How soon an access completes that is admitted and whose retirement is ready.
    resource_contract
        The domain's own states and use patterns.
    """

    participants: tuple[ConsistencyParticipant, ...]
    release_visibility_point: ReleaseVisibilityPoint
    progress: ConsistencyProgress
    resource_contract: ResourceContract

    def _findings(self) -> Iterator[Diagnostic]:
        if not self.participants:
            yield Diagnostic(
                "consistency-participant-empty",
                "participants",
                "A domain must have at least one participant, not 0",
            )
        keys = map(_order, self.participants)
        for ordinal, (left, right) in enumerate(pairwise(keys), start=1):
            if left >= right:
                yield Diagnostic(
                    "consistency-participant-order",
                    f"participants[{ordinal}]",
                    "Participants must be in strict order of their kinds and references, not "
                    + ("repeated" if left == right else "behind a greater one"),
                )


def _order(participant: ConsistencyParticipant) -> tuple[bool, bytes]:
    return isinstance(participant, ProviderParticipant), participant.reference


def _reference_findings(reference: bytes, where: str) -> Iterator[Diagnostic]:
    if not reference:
        yield Diagnostic(
            "consistency-domain-reference", where, "A reference must have bytes, not none"
        )
