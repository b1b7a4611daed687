"""One Active row, executed firing by firing from its transaction plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fabricgen.model.touched import TouchedBytes
from fabricgen.model.work import RowWork
from fabricgen.plan.admission import admitting_capability
from fabricgen.plan.geometry import bank_geometry
from fabricgen.plan.lanes import (
    active_lanes,
    element_bytes,
    join_lanes,
    lane_addresses,
    split_lanes,
)
from fabricgen.plan.roles import RoleBindings, active_roles
from fabricgen.plan.rows import OperationRow
from fabricgen.plan.transactions import (
    MemoryPortTransactionPlan,
    ParentMaskAny,
    derive_memory_port_transaction_plan,
)
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.service import MemoryServiceRegion
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.schema.service import canonical_service
from fabricgen.vocab.dataflow import ServiceValueRole

__all__ = ["Fault", "RowExecution", "execute_row"]

_R = ServiceValueRole


@dataclass(frozen=True, slots=True)
class Fault:
    """An active lane outside every admitted region: it had no effect and read zero.

    ``address`` is exact; it may lie beyond any address that the hardware can express.
    """

    row: int
    firing: int
    lane: int
    address: int


@dataclass(frozen=True, slots=True)
class RowExecution:
    """What one row consumed, published and found.

    Parameters
    ----------
    firings, empty_masks
        How often it fired, and how many of these firings had no active lane.
    inputs
        Endpoint of each active input role.
    outputs
        Published tokens of each result endpoint; completions are zeros.
    first_fault, fault_count
        First lane out of range, and how many there were.
    work
        Bank work of the row.
    """

    firings: int
    empty_masks: int
    inputs: RoleBindings
    outputs: dict[int, tuple[int, ...]]
    first_fault: Fault | None
    fault_count: int
    work: RowWork


def execute_row(
    named: NamedMemory,
    ordinal: int,
    row: OperationRow,
    streams: Mapping[int, Sequence[int]],
    memory: bytearray,
    touched: TouchedBytes,
) -> RowExecution:
    """Fire a legal row as long as every active input role has a token."""
    executor = _RowExecutor(named, ordinal, row, memory, touched)
    sources = [(role, streams.get(endpoint, ())) for role, endpoint in executor.inputs]
    count = min(len(tokens) for _, tokens in sources)
    for firing in range(count):
        executor.fire(firing, {role: tokens[firing] for role, tokens in sources})
    return executor.execution(count)


class _RowExecutor:
    """State of one row: its plan, what it published, what it found."""

    def __init__(
        self,
        named: NamedMemory,
        ordinal: int,
        row: OperationRow,
        memory: bytearray,
        touched: TouchedBytes,
    ) -> None:
        engine = named.occurrence.engine
        if engine is None:
            raise ValueError("Occurrence must have an operation engine, not None")
        port = engine.ports[row.port]
        alternative = port.capability_alternatives[row.capability_alternative]
        self._ordinal = ordinal
        self._row = row
        self._memory = memory
        self._touched = touched
        self._size = element_bytes(row.access)
        self._regions = _admitted_regions(named, row)
        self._plan = _plan(named, row)
        self.inputs, self._results = active_roles(alternative, row.actor, row.access)
        self._outputs: dict[int, list[int]] = {endpoint: [] for _, endpoint in self._results}
        self._empty_masks = 0
        self._first_fault: Fault | None = None
        self._fault_count = 0
        schema = MEMORY_SCHEMAS[row.actor.schema_id]
        self._work = RowWork(bank_geometry(named), writes=schema.writes)

    def fire(self, firing: int, operands: Mapping[ServiceValueRole, int]) -> None:
        """Consume one token of each role and publish the one retirement packet."""
        active = active_lanes(self._row.access, operands.get(_R.MASK))
        self._empty_masks += not any(active)
        (child,) = self._plan.transactions
        is_submitted = any(active) or not isinstance(child.activation, ParentMaskAny)
        lanes = self._served_lanes(firing, active, operands) if is_submitted else ()
        response = self._access(lanes, operands)
        self._work.fire((address, self._size) for _, address in lanes)
        for role, endpoint in self._results:
            carries_value = role in self._plan.assembly.result_roles
            self._outputs[endpoint].append(response if carries_value else 0)

    def execution(self, firings: int) -> RowExecution:
        """Summarise the row."""
        return RowExecution(
            firings=firings,
            empty_masks=self._empty_masks,
            inputs=self.inputs,
            outputs={endpoint: tuple(tokens) for endpoint, tokens in self._outputs.items()},
            first_fault=self._first_fault,
            fault_count=self._fault_count,
            work=self._work,
        )

    def _served_lanes(
        self, firing: int, active: Sequence[bool], operands: Mapping[ServiceValueRole, int]
    ) -> list[tuple[int, int]]:
        """Lane and address of the active lanes that lie inside one admitted region each."""
        addresses = lane_addresses(self._row.access, self._row.base_addr, operands[_R.ADDRESS])
        served: list[tuple[int, int]] = []
        for lane, address in enumerate(addresses):
            if not active[lane]:
                continue
            if any(_is_inside(region, address, self._size) for region in self._regions):
                served.append((lane, address))
                continue
            self._fault_count += 1
            if self._first_fault is None:
                self._first_fault = Fault(self._ordinal, firing, lane, address)
        return served

    def _access(
        self, lanes: Sequence[tuple[int, int]], operands: Mapping[ServiceValueRole, int]
    ) -> int:
        """Serve the child; a later lane of a store wins where lanes overlap."""
        if self._work.writes:
            payload = split_lanes(self._row.access, operands[_R.DATA])
            for lane, address in lanes:
                self._touched.write(self._ordinal, address, self._size)
                self._memory[address : address + self._size] = payload[lane]
            return 0
        read: list[bytes | None] = [None] * self._row.access.lane_count
        for lane, address in lanes:
            self._touched.read(self._ordinal, address, self._size)
            read[lane] = bytes(self._memory[address : address + self._size])
        return join_lanes(self._row.access, read)


def _admitted_regions(named: NamedMemory, row: OperationRow) -> tuple[MemoryServiceRegion, ...]:
    service = named.occurrence.local_service
    if service is None:
        raise ValueError("Occurrence must have a local service, not None")
    contract = service.memory_service_contract
    capability = admitting_capability(named.occurrence, row)
    if capability is None:
        raise ValueError(f"Row must be admitted by a service capability, not {row!r}")
    ordinals = contract.capabilities[capability].service_region_ordinals
    return tuple(contract.regions[ordinal] for ordinal in ordinals)


def _plan(named: NamedMemory, row: OperationRow) -> MemoryPortTransactionPlan:
    engine = named.occurrence.engine
    if engine is None:
        raise ValueError("Occurrence must have an operation engine, not None")
    projection = engine.ports[row.port].operation_pattern_semantics[row.use_pattern]
    service = canonical_service(row.actor, row.access)
    return derive_memory_port_transaction_plan(projection, row.actor, service, row.access)


def _is_inside(region: MemoryServiceRegion, address: int, size: int) -> bool:
    end = region.address_base_bytes + region.size_bytes
    return region.address_base_bytes <= address and address + size <= end
