"""Capacities of ports and services, read out of their resource contracts.

A contract whose states do not have the shape of :mod:`fabricgen.plan.contract` has no such
reading: the functions raise ``Unsupported``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import TypeVar

from fabricgen.errors import Diagnostic, Invalid, Unsupported
from fabricgen.plan.contract import port_contract, service_contract
from fabricgen.records.port import MemoryOperationPort
from fabricgen.records.resource import GrantPolicy, ResourceContract
from fabricgen.records.service import LocalMemoryService
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dataflow import ServiceValueRole
from fabricgen.vocab.fabric import MemoryPortTransactionProjection

__all__ = [
    "PortCapacities",
    "ServiceCapacities",
    "port_capacities",
    "port_input_roles",
    "port_result_roles",
    "service_capacities",
]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class PortCapacities:
    """Capacities of one operation port.

    Parameters
    ----------
    contexts
        Rows that the port may serve: 1 in a Spatial engine, K in a Temporal one.
    in_flight
        Firings of each row issued and not retired; the total bounds them as well.
    result_holding
        Result slots of each row; a firing takes one at issue and returns it at retirement.
    total_in_flight, total_result_holding
        The same over all rows.
    operand_depth
        Queue depth of each input role of the port, in role order.
    projections
        Transaction projection of each document pattern in each context.
    grant
        Order among the rows; absent where there is only one.
    """

    contexts: int
    in_flight: tuple[int, ...]
    result_holding: tuple[int, ...]
    total_in_flight: int
    total_result_holding: int
    operand_depth: tuple[tuple[ServiceValueRole, int], ...]
    projections: tuple[tuple[MemoryPortTransactionProjection, ...], ...]
    grant: GrantPolicy | None

    @property
    def context_slots(self) -> tuple[int, ...]:
        """Firings of each row between issue and retirement: the smaller capacity binds."""
        return tuple(map(min, self.in_flight, self.result_holding))

    @property
    def row_slots(self) -> int:
        """Those of the row that may have the most."""
        return max(self.context_slots)

    def slots_of(self, row: int) -> int:
        """Those of one row of the table; a Spatial port has one, whatever its ordinal."""
        return self.context_slots[row if self.contexts > 1 else 0]

    @property
    def total_slots(self) -> int:
        """The same over all rows."""
        return min(self.total_in_flight, self.total_result_holding)


@dataclass(frozen=True, slots=True)
class ServiceCapacities:
    """Capacities of one Local Memory Service.

    Parameters
    ----------
    port, queue
        Accesses in service, and accesses held, per requester.
    banks
        Reads and writes a cycle, per bank.
    outstanding
        Accesses of all requesters admitted and not answered.
    grant
        Order among contending requesters; absent where there is only one.
    """

    port: tuple[int, ...]
    queue: tuple[int, ...]
    banks: tuple[tuple[int, int], ...]
    outstanding: int
    grant: GrantPolicy | None


def port_input_roles(port: MemoryOperationPort) -> tuple[ServiceValueRole, ...]:
    """Input roles that some alternative of the port binds, in role order."""
    return _roles(port, results=False)


def port_result_roles(port: MemoryOperationPort) -> tuple[ServiceValueRole, ...]:
    """Result roles that some alternative of the port binds, in role order."""
    return _roles(port, results=True)


def port_capacities(port: MemoryOperationPort) -> PortCapacities:
    """Read the capacities of one port; its requester count is its number of contexts."""
    roles = port_input_roles(port)
    contract = port.resource_contract
    contexts, dimensions = contract.requester_count, _capacities(contract)
    each = contexts + 1
    # The counts come first: a hostile requester count must not cost memory.
    if contexts < 1 or [len(state) for state in dimensions] != [1, each, each] + [1] * len(roles):
        raise _misshapen(
            "port-contract-shape",
            f"1, {each}, {each} and {len(roles)} times 1 (operand queues)",
            dimensions,
        )
    _, in_flight, result_holding, *depths = dimensions
    operand_depths = [depth for (depth,) in depths]
    transactions = [len(use.internal_transactions) for use in contract.use_patterns]
    _require_like(
        "port-contract-unlike",
        contract,
        partial(
            port_contract,
            in_flight=(in_flight[:-1], in_flight[-1]),
            result_holding=(result_holding[:-1], result_holding[-1]),
            operand_depths=operand_depths,
            transactions=_runs(transactions, contexts),
            contexts=contexts,
            grant=contract.grant_policy,
        ),
    )
    return PortCapacities(
        contexts=contexts,
        in_flight=tuple(min(each, in_flight[-1]) for each in in_flight[:-1]),
        result_holding=tuple(min(each, result_holding[-1]) for each in result_holding[:-1]),
        total_in_flight=in_flight[-1],
        total_result_holding=result_holding[-1],
        operand_depth=tuple(zip(roles, operand_depths, strict=True)),
        projections=_runs(port.operation_pattern_semantics, contexts),
        grant=contract.grant_policy,
    )


def service_capacities(service: LocalMemoryService) -> ServiceCapacities:
    """Read the capacities of one service; its requester count tells its states apart."""
    contract = service.memory_service_contract.resource_contract
    requesters, dimensions = contract.requester_count, _capacities(contract)
    banks = len(dimensions) - 2 * requesters - 1
    lengths = [len(state) for state in dimensions]
    # The counts come first: a hostile requester count must not cost memory.
    if not (
        requesters >= 1 and banks >= 1 and lengths == [1] * (2 * requesters) + [2] * banks + [1]
    ):
        needed = f"{2 * requesters} times 1 (ports, queues), 2 per bank, 1 (outstanding)"
        raise _misshapen("service-contract-shape", needed, dimensions)
    ports = tuple(depth for (depth,) in dimensions[:requesters])
    queues = tuple(depth for (depth,) in dimensions[requesters : 2 * requesters])
    bank_dimensions = tuple((read, write) for read, write in dimensions[2 * requesters : -1])
    ((outstanding,),) = dimensions[-1:]
    _require_like(
        "service-contract-unlike",
        contract,
        partial(
            service_contract,
            queues=queues,
            banks=bank_dimensions,
            outstanding=outstanding,
            grant=contract.grant_policy,
        ),
    )
    return ServiceCapacities(ports, queues, bank_dimensions, outstanding, contract.grant_policy)


def _roles(port: MemoryOperationPort, *, results: bool) -> tuple[ServiceValueRole, ...]:
    found: set[ServiceValueRole] = set()
    for alternative in port.capability_alternatives:
        schema = MEMORY_SCHEMAS[alternative.actor_contract_domain.actor_schema]
        wanted = schema.result_roles if results else schema.input_roles
        found.update(role for role, _ in alternative.role_to_endpoint if role in wanted)
    return tuple(sorted(found, key=lambda role: role.value))


def _runs(values: Sequence[_T], contexts: int) -> tuple[tuple[_T, ...], ...]:
    """Values of the use patterns of each document pattern, which stand together."""
    return tuple(
        tuple(values[start : start + contexts]) for start in range(0, len(values), contexts)
    )


def _capacities(contract: ResourceContract) -> list[list[int]]:
    return [[dimension.capacity for dimension in state] for state in contract.states]


def _misshapen(code: str, needed: str, dimensions: list[list[int]]) -> Unsupported:
    found = ", ".join(str(len(state)) for state in dimensions)
    return Unsupported(
        Diagnostic(
            code,
            "resource_contract.states",
            f"The states must have these dimensions in key order: {needed}, not {found}",
        )
    )


def _require_like(
    code: str, contract: ResourceContract, build: Callable[[], ResourceContract]
) -> None:
    """Refuse a contract that differs from the one built with its own capacities."""
    try:
        expected = build()
    except Invalid:
        # No contract of the realised form has such capacities, such as a queue of none.
        expected = None
    differing = [
        field.name
        for field in fields(contract)
        if expected is None or getattr(expected, field.name) != getattr(contract, field.name)
    ]
    if differing:
        raise Unsupported(
            *(
                Diagnostic(
                    code,
                    f"resource_contract.{name}",
                    "The value must be that of the one realised contract with these capacities, "
                    "not another",
                )
                for name in differing
            )
        )
