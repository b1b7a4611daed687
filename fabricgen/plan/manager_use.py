"""What one operation port may ask of one manager."""

from dataclasses import dataclass

from fabricgen.plan.admission import admissions
from fabricgen.records.connectivity import ManagerEndpointTarget
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.schema.memory import MEMORY_SCHEMAS

__all__ = ["ManagerUse", "manager_use"]


@dataclass(frozen=True, slots=True)
class ManagerUse:
    """Kinds of accesses that some row of the record may send.

    Parameters
    ----------
    reads, writes
        Loads, stores.
    volatile
        Volatile ones.
    """

    reads: bool
    writes: bool
    volatile: bool


def manager_use(occurrence: MemoryOccurrence, port: int, manager: int) -> ManagerUse:
    """Derive what port ``port`` may ask of manager ``manager``; nothing where it is no target."""
    domains = occurrence.connectivity.operation_ports[port].capability_target_domains
    found = [
        admission
        for admission in admissions(occurrence, port)
        if admission.capability is None
        and ManagerEndpointTarget(manager) in domains[admission.alternative]
    ]
    schemas = [MEMORY_SCHEMAS[admission.schema] for admission in found]
    return ManagerUse(
        reads=any(schema.reads for schema in schemas),
        writes=any(schema.writes for schema in schemas),
        volatile=any(True in admission.volatile_values for admission in found),
    )
