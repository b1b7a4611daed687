"""References between the memory services and the consistency domains of a system.

Spec: Local Memory Service. Both inventories are keyed by the production bytes of a reference.
"""

from collections.abc import Iterator, Mapping

from fabricgen.errors import Diagnostic
from fabricgen.records.consistency import SystemDomain
from fabricgen.records.system import (
    MemoryConsistencyDomain,
    ServiceParticipant,
    SystemMemoryService,
)

__all__ = ["system_findings"]


def system_findings(
    services: Mapping[bytes, SystemMemoryService], domains: Mapping[bytes, MemoryConsistencyDomain]
) -> Iterator[Diagnostic]:
    """Say which references have nothing behind them, and who names a domain from outside it."""
    for name, service in services.items():
        for ordinal, capability in enumerate(service.memory_service_contract.capabilities):
            binding = capability.consistency_binding
            if isinstance(binding, SystemDomain):
                yield from _binding_findings(
                    name,
                    binding.reference,
                    domains,
                    f"services[{name.hex()}].memory_service_contract.capabilities[{ordinal}]"
                    ".consistency_binding",
                )
    for name, domain in domains.items():
        for ordinal, each in enumerate(domain.participants):
            if isinstance(each, ServiceParticipant) and each.reference not in services:
                yield Diagnostic(
                    "consistency-participant-unknown",
                    f"domains[{name.hex()}].participants[{ordinal}]",
                    f"A service that takes part must be one of the system's {len(services)}, "
                    f"not {each.reference.hex()}",
                )


def _binding_findings(
    service: bytes, reference: bytes, domains: Mapping[bytes, MemoryConsistencyDomain], where: str
) -> Iterator[Diagnostic]:
    domain = domains.get(reference)
    if domain is None:
        yield Diagnostic(
            "system-domain-unknown",
            where,
            f"The reference must name one of the system's {len(domains)} consistency domains, "
            f"not {reference.hex()}",
        )
    elif ServiceParticipant(service) not in domain.participants:
        yield Diagnostic(
            "system-domain-participant",
            where,
            f"The domain {reference.hex()} must have the service {service.hex()} as a "
            "participant, not be named from outside",
        )
