"""One Active row, executed firing by firing from its transaction plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fabricgen.model.atomics import updated
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
from fabricgen.schema.contract import AtomicRmwContract, PlainContract
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dataflow import MemoryAccessForm, ServiceKind, ServiceValueRole

__all__ = ["Fault", "RowExecutor"]

#: Operand that each kind of access sends; a load and a fence send none.
_PAYLOADS = {
    ServiceKind.MEMORY_WRITE: ServiceValueRole.DATA,
    ServiceKind.MEMORY_ATOMIC_RMW: ServiceValueRole.UPDATE,
    ServiceKind.MEMORY_COMPARE_EXCHANGE: ServiceValueRole.DESIRED,
}

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
    misaligned
        First active lane of an atomic access whose object does not lie at a multiple of its size.
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
        self.misaligned: Fault | None = None
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
        self._kind = plan.parent_service.kind
        self._size = 0 if row.access is None else element_bytes(row.access)

    def fire(self, operands: Mapping[ServiceValueRole, int]) -> None:
        """Consume one token of each role and publish the one retirement packet."""
        if self._row.access is None:
            self.target.count((), 0, 0)
            self._publish({})
            return
        active = active_lanes(self._row.addressed, operands.get(_R.MASK))
        self.empty_masks += not any(active)
        children = [child for child in self._plan.transactions if child.is_submitted(active)]
        addresses = lane_addresses(self._row.addressed, self._row.base_addr, operands[_R.ADDRESS])
        lanes = [
            LaneAccess(lane, address, self._size, payload, expected)
            for lane, (address, payload, expected) in enumerate(
                zip(
                    addresses,
                    self._operand(operands, _PAYLOADS.get(self._kind)),
                    self._operand(operands, _R.EXPECTED),
                    strict=True,
                )
            )
        ]
        parts = [
            part
            for child in children
            for part in self._parts(child, self._served(child, active, lanes))
        ]
        read, successes = self._access(parts)
        walks = any(isinstance(child.projection, ElementLane) for child in children)
        served = sum(map(len, parts))
        walked = -(-served // self._issue_lanes) if walks else 0
        # A lane outside asks for its beats as any other; each of its bytes may lie in another one.
        outside = (sum(active) - served) * (self._size + 1)
        self.target.count(parts, walked, outside)
        joined = join_lanes(self._row.addressed, read)
        self._publish({_R.DATA: joined, _R.OLD: joined, _R.SUCCESS: successes})

    def _publish(self, results: Mapping[ServiceValueRole, int]) -> None:
        """Append one token to each result; a completion has no value."""
        self.firings += 1
        for role, tokens in self.published.items():
            tokens.append(results[role] if role in self._plan.assembly.result_roles else 0)

    def _operand(
        self, operands: Mapping[ServiceValueRole, int], role: ServiceValueRole | None
    ) -> Sequence[bytes | None]:
        """Bytes of each lane of an operand; none where the access has no such one."""
        if role is None or role not in operands:
            return (None,) * self._row.addressed.lane_count
        return split_lanes(self._row.addressed, operands[role])

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
        lanes: Sequence[LaneAccess],
    ) -> list[LaneAccess]:
        """Active lanes of one child that the target has; the others are faults."""
        served: list[LaneAccess] = []
        for lane in child.lanes(active):
            address = lanes[lane].address
            fault = Fault(self._ordinal, self.firings, lane, address)
            if not isinstance(self._row.actor.contract, PlainContract) and address % self._size:
                self.misaligned = self.misaligned or fault
            if self.target.has(address, self._size):
                served.append(lanes[lane])
                continue
            self.fault_count += 1
            self.first_fault = self.first_fault or fault
        return served

    def _access(self, parts: Sequence[Sequence[LaneAccess]]) -> tuple[list[bytes | None], int]:
        """Perform the lanes in their order; what each lane read, and a bit for each success."""
        read: list[bytes | None] = [None] * self._row.addressed.lane_count
        successes, memory = 0, self.target.memory
        for lane in (lane for lanes in parts for lane in lanes):
            self.accesses.add(self.firings, lane.address, lane.size)
            if self._kind is not ServiceKind.MEMORY_WRITE:
                read[lane.lane] = memory.read(lane.address, lane.size)
            written = self._written(lane, read[lane.lane])
            if written is not None:
                memory.write(lane.address, written)
                successes |= 1 << lane.lane
        return read, successes

    def _written(self, lane: LaneAccess, old: bytes | None) -> bytes | None:
        """What one lane leaves in memory; ``None`` where it writes nothing."""
        contract = self._row.actor.contract
        if isinstance(contract, AtomicRmwContract) and old is not None and lane.payload is not None:
            left, right = (int.from_bytes(each, "little") for each in (old, lane.payload))
            return updated(contract.kind, left, right, 8 * lane.size).to_bytes(lane.size, "little")
        # A weak compare-exchange fails here only where it has to.
        return lane.payload if lane.expected is None or lane.expected == old else None
