"""What accesses beside plain loads and stores may ask of a manager."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any

from fabricgen.plan.admission import Admission, FenceAdmission
from fabricgen.records.actor import (
    CompareExchange,
    ContractClause,
    LoadStorePlain,
)
from fabricgen.vocab.dataflow import OperationSchemaId

__all__ = ["NO_ATOMICS", "AtomicUse", "atomic_use", "field_codes"]

#: Field of a clause behind each field of a request, and the code of one of its values: the owner's
#: wire tag, or a flag.
_FIELDS: dict[str, dict[str, Callable[[Any], int]]] = {
    "rmw_kind": {"rmw_kinds": lambda kind: kind.value},
    "ordering": {
        "orderings": lambda ordering: ordering.value,
        "success_failure_ordering_pairs": lambda pair: pair[0].value,
    },
    "failure_ordering": {"success_failure_ordering_pairs": lambda pair: pair[1].value},
    "scope": {"sync_scopes": lambda scope: scope.kind.value},
    "weak": {"weak_values": int},
    "volatile": {"volatile_values": int},
}


@dataclass(frozen=True, slots=True)
class AtomicUse:
    """Kinds of accesses beside loads and stores, and what some access says beside its kind.

    Parameters
    ----------
    rmw, exchange, fence
        Read-modify-writes, compare-exchanges, fences.
    ordered
        Some access is atomic or a fence: it has an ordering and a scope.
    weak
        Some compare-exchange is weak.
    """

    rmw: bool = False
    exchange: bool = False
    fence: bool = False
    ordered: bool = False
    weak: bool = False

    def union(self, other: "AtomicUse") -> "AtomicUse":
        """What any of both uses."""
        names = [field.name for field in fields(self)]
        return AtomicUse(*(getattr(self, name) or getattr(other, name) for name in names))

    def is_within(self, other: "AtomicUse") -> bool:
        """Tell whether the other one uses all of this one."""
        return self.union(other) == other

    def field_widths(self) -> dict[str, int]:
        """Bits of each field of a request that says more than its kind; 0 where none has it."""
        return {
            "rmw_kind": 5 * self.rmw,
            "ordering": 3 * self.ordered,
            "failure_ordering": 3 * self.exchange,
            "scope": 2 * self.ordered,
            "weak": int(self.weak),
        }


NO_ATOMICS = AtomicUse()


def atomic_use(found: Iterable[Admission], fences: Iterable[FenceAdmission]) -> AtomicUse:
    """Derive what rows of managers may be; others are plain."""
    addressed = [each for each in found if each.capability is None]
    has_fence = any(each.capability is None for each in fences)
    schemas = {each.schema for each in addressed}
    contracts = [each.contract for each in addressed]
    return AtomicUse(
        rmw=OperationSchemaId.DATAFLOW_ATOMIC_RMW in schemas,
        exchange=OperationSchemaId.DATAFLOW_CMPXCHG in schemas,
        fence=has_fence,
        ordered=has_fence or any(not isinstance(each, LoadStorePlain) for each in contracts),
        weak=any(
            isinstance(each, CompareExchange) and True in each.weak_values for each in contracts
        ),
    )


def field_codes(clause: ContractClause, name: str) -> tuple[int, tuple[int, ...]] | None:
    """How a clause fills one field of a request: the position of its own field, and the code of
    each value there. ``None`` where it has none: the request then has 0.
    """
    for position, (field, _) in enumerate(clause.CODECS):
        if (code := _FIELDS[name].get(field)) is not None:
            return position, tuple(map(code, clause.inventories[position]))
    return None
