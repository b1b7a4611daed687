"""What one operation port may ask of one manager."""

from dataclasses import dataclass

from fabricgen.plan.admission import admissions, fence_admissions
from fabricgen.plan.atomic_use import NO_ATOMICS, AtomicUse, atomic_use
from fabricgen.records.connectivity import ManagerEndpointTarget
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.vocab.dataflow import OperationSchemaId

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
    atomics
        What there is beside plain loads and stores.
    """

    reads: bool
    writes: bool
    volatile: bool
    atomics: AtomicUse = NO_ATOMICS


def manager_use(occurrence: MemoryOccurrence, port: int, manager: int) -> ManagerUse:
    """Derive what port ``port`` may ask of manager ``manager``; nothing where it is no target."""
    domains = occurrence.connectivity.operation_ports[port].capability_target_domains
    target = ManagerEndpointTarget(manager)
    found = [
        admission
        for admission in admissions(occurrence, port)
        if admission.capability is None and target in domains[admission.alternative]
    ]
    fences = [
        admission
        for admission in fence_admissions(occurrence, port)
        if admission.capability is None and target in domains[admission.alternative]
    ]
    schemas = {admission.schema for admission in found}
    return ManagerUse(
        reads=OperationSchemaId.DATAFLOW_LOAD in schemas,
        writes=OperationSchemaId.DATAFLOW_STORE in schemas,
        volatile=any(True in admission.volatile_values for admission in found),
        atomics=atomic_use(found, fences),
    )
