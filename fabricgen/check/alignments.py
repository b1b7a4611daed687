"""Access classes against the alignment of plain accesses (spec: Persistent Capability Schema).

A plain access has alignment 1, whatever its address will be, so a class that does not accept it is
one that no plain access can ever select.
"""

from collections.abc import Iterator

from fabricgen.errors import Diagnostic
from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.actor import MemoryActorContractDomain
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.vocab.fabric import ContractClauseTag

__all__ = ["alignment_findings"]


def alignment_findings(occurrence: MemoryOccurrence, where: str) -> Iterator[Diagnostic]:
    """Say which access classes of plain accesses, port or local service, admit none of them."""
    ports = occurrence.operation_ports
    for ordinal, port in enumerate(ports):
        for key, alternative in enumerate(port.capability_alternatives):
            yield from _class_findings(
                alternative.actor_contract_domain,
                alternative.parameterized_access_domain,
                f"{where}.port[{ordinal}].alternative[{key}].access",
            )
    service = occurrence.local_service
    capabilities = () if service is None else service.memory_service_contract.capabilities
    for ordinal, capability in enumerate(capabilities):
        yield from _class_findings(
            capability.actor_contract_domain,
            capability.access_domain,
            f"{where}.local_service.capabilities[{ordinal}].access_domain.access_classes",
        )


def _class_findings(
    actors: MemoryActorContractDomain,
    accesses: ParameterizedMemoryAccessDomain | None,
    where: str,
) -> Iterator[Diagnostic]:
    if accesses is None or ContractClauseTag.LOAD_STORE_PLAIN not in actors.variants:
        return
    for ordinal, each in enumerate(accesses.access_classes):
        if not each.source_alignment.contains_bytes(1):
            lowest = each.source_alignment.accepted_log2_byte_alignments.intervals[0].lower
            yield Diagnostic(
                "plain-alignment-missing",
                f"{where}[{ordinal}].source_alignment",
                "An access class of plain accesses, which have alignment 1, must accept it, "
                f"not only {1 << lowest} bytes or more",
            )
