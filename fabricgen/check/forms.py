"""Legal occurrence forms (spec: Legal Occurrence Forms)."""

from collections.abc import Iterator

from fabricgen.errors import Diagnostic
from fabricgen.records.connectivity import LocalMemoryServiceTarget
from fabricgen.records.occurrence import MemoryOccurrence

__all__ = ["form_findings"]


def form_findings(occurrence: MemoryOccurrence, where: str) -> Iterator[Diagnostic]:
    """Say why the parts that are present make no useful occurrence."""
    has_engine, has_service = occurrence.engine is not None, occurrence.local_service is not None
    if not has_engine and not has_service:
        yield Diagnostic(
            "occurrence-empty",
            where,
            "An occurrence must have an operation engine or a local service, not neither",
        )
    if has_engine and not has_service and not occurrence.manager_endpoints:
        yield Diagnostic(
            "engine-unbacked",
            f"{where}.engine",
            "An engine without a local service must reach a manager endpoint, not 0 of them",
        )
    if has_service and not has_engine and not _is_exposed(occurrence):
        yield Diagnostic(
            "storage-unreachable",
            f"{where}.local_service",
            "A service without an engine must be the target of a subordinate endpoint, not of none",
        )
    if has_service and not has_engine and occurrence.endpoints:
        yield Diagnostic(
            "storage-token-endpoint",
            f"{where}.endpoints",
            "A service without an engine must have no token endpoints, "
            f"not {len(occurrence.endpoints)}",
        )


def _is_exposed(occurrence: MemoryOccurrence) -> bool:
    return any(
        LocalMemoryServiceTarget() in dispatch.targets
        for dispatch in occurrence.connectivity.subordinate_endpoints
    )
