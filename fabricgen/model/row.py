"""One Active row, executed firing by firing from its transaction plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fabricgen.model.beats import LaneAccess
from fabricgen.model.targets import LocalMemory, Target
from fabricgen.model.touched import RowAccesses
from fabricgen.plan.lanes import (
    active_lanes,
    element_bytes,
    join_lanes,
    lane_addresses,
    split_lanes,
)
from fabricgen.plan.rows import OperationRow
from fabricgen.plan.transactions import (
    ElementLane,
    MemoryPortChildTransactionView,
    MemoryPortTransactionPlanView,
)
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dataflow import MemoryAccessForm, ServiceValueRole

__all__ = ["Fault", "RowExecutor"]

_R = ServiceValueRole


@dataclass(frozen=True, slots=True)
class Fault:
    """An active lane that its target does not have: it had no effect and read zero.

    At the Local Memory Service it lies outside every admitted region, at a manager beyond 64
    bits. ``address`` is exact; it may lie beyond any address that the hardware can express.
    """

    row: int
    firing: int
    lane: int
    address: int


class RowExecutor:
    """Fire one legal row, and note what it did.

    Parameters
    ----------
    ordinal, row
        The row.
    plan
        Its transaction plan.
    target
        What it reaches, with what its firings cost there.
    issue_lanes
        Children of one firing that go to the target per cycle, where each carries one lane.

    Attributes
    ----------
    firings, empty_masks
        How often it fired, and how many of these firings had no active lane.
    first_fault, fault_count
        First lane that the target does not have, and how many there were.
    accesses
        What it touched of its target.
    published
        Tokens of each result role; completions are zeros.
    """

    def __init__(
        self,
        ordinal: int,
        row: OperationRow,
        plan: MemoryPortTransactionPlanView,
        target: Target,
        issue_lanes: int,
    ) -> None:
        is_local = isinstance(target.memory, LocalMemory)
        self.firings = 0
        self.empty_masks = 0
        self.first_fault: Fault | None = None
        self.fault_count = 0
        self.accesses = RowAccesses(
            ordinal,
            is_write=MEMORY_SCHEMAS[row.actor.schema_id].writes,
            orders_firings=is_local or row.actor.contract.volatile,
            orders_lanes=is_local,
        )
        results = plan.parent_service.result_roles
        self.published: dict[ServiceValueRole, list[int]] = {role: [] for role in results}
        self.target = target
        self._ordinal = ordinal
        self._row = row
        self._plan = plan
        self._issue_lanes = issue_lanes
        self._size = element_bytes(row.addressed)

    def fire(self, operands: Mapping[ServiceValueRole, int]) -> None:
        """Consume one token of each role and publish the one retirement packet."""
        active = active_lanes(self._row.addressed, operands.get(_R.MASK))
        self.empty_masks += not any(active)
        children = [child for child in self._plan.transactions if child.is_submitted(active)]
        addresses = lane_addresses(self._row.addressed, self._row.base_addr, operands[_R.ADDRESS])
        payload: Sequence[bytes | None] = (None,) * self._row.addressed.lane_count
        if self.accesses.is_write:
            payload = split_lanes(self._row.addressed, operands[_R.DATA])
        parts = [
            part
            for child in children
            for part in self._parts(child, self._served(child, active, addresses, payload))
        ]
        read = self._access(parts)
        walks = any(isinstance(child.projection, ElementLane) for child in children)
        served = sum(map(len, parts))
        self.target.count(parts, -(-served // self._issue_lanes) if walks else 0)
        self.firings += 1
        for role, tokens in self.published.items():
            carries_value = role in self._plan.assembly.result_roles
            tokens.append(join_lanes(self._row.addressed, read) if carries_value else 0)

    def _parts(
        self, child: MemoryPortChildTransactionView, lanes: Sequence[LaneAccess]
    ) -> Sequence[Sequence[LaneAccess]]:
        """Group a child's lanes by the requests that they share."""
        is_indexed = self._row.addressed.form is MemoryAccessForm.INDEXED
        if is_indexed or isinstance(child.projection, ElementLane):
            return [(lane,) for lane in lanes]
        return (lanes,)

    def _served(
        self,
        child: MemoryPortChildTransactionView,
        active: Sequence[bool],
        addresses: Sequence[int],
        payload: Sequence[bytes | None],
    ) -> list[LaneAccess]:
        """Active lanes of one child that the target has; the others are faults."""
        served: list[LaneAccess] = []
        for lane in child.lanes(active):
            address = addresses[lane]
            if self.target.has(address, self._size):
                served.append(LaneAccess(lane, address, self._size, payload[lane]))
                continue
            self.fault_count += 1
            if self.first_fault is None:
                self.first_fault = Fault(self._ordinal, self.firings, lane, address)
        return served

    def _access(self, parts: Sequence[Sequence[LaneAccess]]) -> list[bytes | None]:
        """Perform the lanes in their order; return what each lane read."""
        read: list[bytes | None] = [None] * self._row.addressed.lane_count
        memory = self.target.memory
        for lanes in parts:
            for lane in lanes:
                self.accesses.add(self.firings, lane.address, lane.size)
                if lane.payload is None:
                    read[lane.lane] = memory.read(lane.address, lane.size)
                else:
                    memory.write(lane.address, lane.payload)
        return read
