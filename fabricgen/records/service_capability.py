"""One admitted actor/access relation of a memory service (spec: Local Memory Service)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fabricgen.atoms.unsigned import U64_MAX
from fabricgen.errors import Diagnostic
from fabricgen.errors.listing import listed
from fabricgen.errors.strict import StrictRecord
from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.actor import MemoryActorContractDomain
from fabricgen.records.alternative import capability_findings
from fabricgen.records.consistency import NO_CONSISTENCY, ConsistencyBinding, NoConsistency
from fabricgen.records.resource import U32_MAX
from fabricgen.vocab.fabric import ContractClauseTag
from fabricgen.vocab.words import word

__all__ = ["MemoryServiceCapability"]


@dataclass(frozen=True, slots=True)
class MemoryServiceCapability(StrictRecord):
    """One admitted actor/access relation of a service and what serves it.

    Parameters
    ----------
    actor_contract_domain, access_domain
        What is admitted; no access domain exactly for a fence.
    service_region_ordinals
        Regions of the containing contract; sorted, unique, empty exactly for a fence.
    service_beat_width_bits
        Width of one physical beat; 0 exactly for a fence.
    admissible_use_patterns
        Keys into the containing contract's resource contract; non-empty, sorted, unique.
    consistency_binding
        Who orders what is admitted; present unless every clause is plain.
    """

    actor_contract_domain: MemoryActorContractDomain
    access_domain: ParameterizedMemoryAccessDomain | None
    service_region_ordinals: tuple[int, ...]
    service_beat_width_bits: int
    admissible_use_patterns: tuple[int, ...]
    consistency_binding: ConsistencyBinding = NO_CONSISTENCY

    @classmethod
    def of(
        cls,
        actor_contract_domain: MemoryActorContractDomain,
        access_domain: ParameterizedMemoryAccessDomain | None,
        *,
        service_region_ordinals: Iterable[int],
        service_beat_width_bits: int,
        admissible_use_patterns: Iterable[int],
        consistency_binding: ConsistencyBinding = NO_CONSISTENCY,
    ) -> "MemoryServiceCapability":
        """Build a capability from ordinals and keys in any order."""
        return cls(
            actor_contract_domain,
            access_domain,
            tuple(sorted(set(service_region_ordinals))),
            service_beat_width_bits,
            tuple(sorted(set(admissible_use_patterns))),
            consistency_binding,
        )

    def _findings(self) -> Iterator[Diagnostic]:
        actors = self.actor_contract_domain
        yield from capability_findings(actors, self.access_domain, "access_domain")
        yield from self._region_findings()
        yield from self._beat_findings()
        yield from self._consistency_findings()
        keys = self.admissible_use_patterns
        if not keys or list(keys) != sorted(set(keys)) or keys[0] < 0 or keys[-1] > U32_MAX:
            yield Diagnostic(
                "service-use-pattern-order",
                "admissible_use_patterns",
                f"Keys must be non-empty, sorted, unique and below 2**32, not {listed(keys)}",
            )

    def _region_findings(self) -> Iterator[Diagnostic]:
        ordinals, where = self.service_region_ordinals, "service_region_ordinals"
        if list(ordinals) != sorted(set(ordinals)) or any(
            not 0 <= ordinal <= U64_MAX for ordinal in ordinals
        ):
            yield Diagnostic(
                "service-capability-region-order",
                where,
                f"Ordinals must be sorted, unique and below 2**64, not {listed(ordinals)}",
            )
        if bool(ordinals) != (self.access_domain is not None):
            required = "no region" if self.access_domain is None else "at least 1 region"
            yield Diagnostic(
                "service-capability-regions",
                where,
                f"The capability must name {required}, not {len(ordinals)}",
            )

    def _consistency_findings(self) -> Iterator[Diagnostic]:
        """Atomic accesses and fences need somebody who orders them."""
        if not isinstance(self.consistency_binding, NoConsistency):
            return
        for ordinal, clause in enumerate(self.actor_contract_domain.contract_clauses):
            if clause.tag is not ContractClauseTag.LOAD_STORE_PLAIN:
                yield Diagnostic(
                    "consistency-binding-missing",
                    "consistency_binding",
                    "A consistency binding is required where a clause is not plain, not none for "
                    f"contract_clauses[{ordinal}], {word(clause.tag)}",
                )

    def _beat_findings(self) -> Iterator[Diagnostic]:
        beat = self.service_beat_width_bits
        if self.access_domain is None:
            required, is_legal = "0 bits", beat == 0
        else:
            required, is_legal = "from 1 to 2**64 - 1 bits", 1 <= beat <= U64_MAX
        if not is_legal:
            yield Diagnostic(
                "service-beat-width",
                "service_beat_width_bits",
                f"The beat must be {required}, not {beat} bits",
            )
