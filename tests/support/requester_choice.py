"""What the hardware must select for a row: derived from the row alone, not from its carrier."""

from fabricgen.plan.admission import admitting_capability
from fabricgen.plan.geometry import requester_shape
from fabricgen.plan.lanes import element_bytes
from fabricgen.records.connectivity import LocalMemoryServiceTarget
from fabricgen.vocab.dataflow import MemoryAccessForm


def requester_choice(named, row):
    """Mode and region-set ordinals of a legal row's requests; a manager has no regions, so 0."""
    shape = requester_shape(named, row.port)
    indexed = row.access.form is MemoryAccessForm.INDEXED
    keys = [(mode.indexed, mode.element_bytes) for mode in shape.modes]
    mode = keys.index((indexed, element_bytes(row.access)))
    if not isinstance(row.service_target, LocalMemoryServiceTarget):
        return mode, 0
    capabilities = named.occurrence.local_service.memory_service_contract.capabilities
    chosen = capabilities[admitting_capability(named.occurrence, row)]
    return mode, shape.region_sets.index(chosen.service_region_ordinals)
