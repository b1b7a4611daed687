"""The Local Memory Service inside its occurrence (spec: Local Memory Service)."""

from collections.abc import Iterator

from fabricgen.errors import Diagnostic
from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.connectivity import LocalMemoryServiceTarget
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.records.overlap import actors_meet, classes_meet
from fabricgen.records.port import MemoryCapabilityAlternative
from fabricgen.records.service import LocalMemoryService
from fabricgen.records.subword import full_payload, serves_narrow, write_widths

__all__ = ["service_findings"]


def service_findings(occurrence: MemoryOccurrence, where: str) -> Iterator[Diagnostic]:
    """Say which regions, requesters and reachable accesses do not fit the service."""
    service = occurrence.local_service
    if service is None:
        return
    place = f"{where}.local_service"
    yield from _region_findings(service, place)
    yield from _requester_findings(occurrence, service, place)
    yield from _reach_findings(occurrence, service, where)
    yield from _exposure_findings(occurrence, service, where)


def _region_findings(service: LocalMemoryService, where: str) -> Iterator[Diagnostic]:
    for ordinal, region in enumerate(service.memory_service_contract.regions):
        if region.end_bytes > service.capacity_bytes:
            yield Diagnostic(
                "region-outside-capacity",
                f"{where}.region[{ordinal}]",
                f"A region must end within the {service.capacity_bytes} bytes of the service, "
                f"not at {region.end_bytes}",
            )


def _requester_findings(
    occurrence: MemoryOccurrence, service: LocalMemoryService, where: str
) -> Iterator[Diagnostic]:
    ports = len(occurrence.operation_ports)
    subordinates = len(occurrence.subordinate_endpoints)
    found = service.memory_service_contract.resource_contract.requester_count
    if found != ports + subordinates:
        yield Diagnostic(
            "service-requester-count",
            f"{where}.resource_contract.requester_count",
            f"The requesters must be the {ports} operation ports and {subordinates} subordinate "
            f"endpoints, not {found}",
        )


def _reach_findings(
    occurrence: MemoryOccurrence, service: LocalMemoryService, where: str
) -> Iterator[Diagnostic]:
    """A path to a service that serves nothing of it would be unreachable hardware."""
    dispatches = occurrence.connectivity.operation_ports
    pairs = zip(occurrence.operation_ports, dispatches, strict=False)
    for port, (record, dispatch) in enumerate(pairs):
        domains = dispatch.capability_target_domains
        for key, (alternative, targets) in enumerate(
            zip(record.capability_alternatives, domains, strict=False)
        ):
            if LocalMemoryServiceTarget() in targets and not _serves(
                service, port, alternative, write_widths(alternative, occurrence.endpoints)
            ):
                yield Diagnostic(
                    "target-serves-nothing",
                    f"{where}.port[{port}].alternative[{key}]",
                    "The local service must serve some access of the alternative to this port, "
                    "not none",
                )


def _exposure_findings(
    occurrence: MemoryOccurrence, service: LocalMemoryService, where: str
) -> Iterator[Diagnostic]:
    """The same of a subordinate endpoint, which is a requester behind all the ports."""
    contract = service.memory_service_contract
    served = {each for some in contract.capabilities for each in contract.requesters(some)}
    ports = len(occurrence.operation_ports)
    endpoints, dispatches = (
        occurrence.subordinate_endpoints,
        occurrence.connectivity.subordinate_endpoints,
    )
    for ordinal, (_, dispatch) in enumerate(zip(endpoints, dispatches, strict=False)):
        if LocalMemoryServiceTarget() in dispatch.targets and ports + ordinal not in served:
            yield Diagnostic(
                "target-serves-nothing",
                f"{where}.subordinate_endpoints[{ordinal}].targets",
                "The local service must serve some access to this subordinate, not none",
            )


def _serves(
    service: LocalMemoryService,
    port: int,
    alternative: MemoryCapabilityAlternative,
    widths: frozenset[int],
) -> bool:
    """``widths`` are those of the endpoints that the alternative writes."""
    contract = service.memory_service_contract
    served = (contract.capabilities[each] for each in contract.serving_capabilities(port))
    return any(
        actors_meet(capability.actor_contract_domain, alternative.actor_contract_domain)
        and _serves_access(alternative, capability.access_domain, widths)
        for capability in served
    )


def _serves_access(
    alternative: MemoryCapabilityAlternative,
    offered: ParameterizedMemoryAccessDomain | None,
    widths: frozenset[int],
) -> bool:
    if offered is None or alternative.parameterized_access_domain is None:
        # The actors are the same ones, so both are fences or neither is.
        return offered is alternative.parameterized_access_domain
    return any(
        classes_meet(asked, served)
        and (serves_narrow(asked, served) or full_payload(widths, asked, served) is not None)
        for asked in alternative.access_classes
        for served in offered.access_classes
    )
