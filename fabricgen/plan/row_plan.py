"""The transaction plan of one configured row."""

from fabricgen.plan.rows import OperationRow
from fabricgen.plan.transactions import (
    MemoryPortTransactionPlanView,
    derive_memory_port_transaction_plan,
)
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.records.views import (
    FabricMemoryOperationPortRef,
    FabricUsePatternRef,
    MemoryOperationPortView,
)
from fabricgen.schema.service import canonical_service

__all__ = ["row_transaction_plan"]


def row_transaction_plan(
    occurrence: MemoryOccurrence, row: OperationRow
) -> MemoryPortTransactionPlanView:
    """Derive the plan of a row by the use pattern that it selects.

    The row is legal on the occurrence, which is seen by itself, as the only memory.
    """
    if (engine := occurrence.engine) is None:
        raise ValueError("Occurrence must have an operation engine, not None")
    port = MemoryOperationPortView(
        FabricMemoryOperationPortRef(0, row.port), engine.ports[row.port]
    )
    pattern = port.operation_pattern(FabricUsePatternRef(port.reference, row.use_pattern))
    service = canonical_service(row.actor, row.access)
    return derive_memory_port_transaction_plan(pattern, row.actor, service, row.access)
