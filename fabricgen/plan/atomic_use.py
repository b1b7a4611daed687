"""What accesses beside plain loads and stores may ask of a target."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any

from fabricgen.plan.admission import Admission, FenceAdmission
from fabricgen.records.actor import (
    AtomicRmw,
    CompareExchange,
    ContractClause,
    LoadStorePlain,
)
from fabricgen.vocab.dataflow import AtomicRmwKind, OperationSchemaId

__all__ = [
    "FLOAT_RMW_KINDS",
    "NO_ATOMICS",
    "NO_LOCAL_ATOMICS",
    "AtomicUse",
    "LocalAtomics",
    "atomic_use",
    "field_codes",
    "local_atomics",
]

_K = AtomicRmwKind

#: Kinds that compute with floats; all others compute with integers, or not at all.
FLOAT_RMW_KINDS = frozenset(
    {
        _K.FADD,
        _K.FSUB,
        _K.FMAX,
        _K.FMIN,
        _K.FMAXIMUM,
        _K.FMINIMUM,
        _K.FMAXIMUM_NUM,
        _K.FMINIMUM_NUM,
    }
)

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


@dataclass(frozen=True, slots=True)
class LocalAtomics:
    """What the Local Memory Service computes for a requester, and what it orders.

    All orderings and scopes are served alike, since the service has one order of all accesses; so
    its requests say none of them.

    Parameters
    ----------
    kinds
        Kinds of read-modify-writes, by their wire tags.
    exchange, fence
        Compare-exchanges, fences.
    element_bytes
        Sizes of the objects of both, ascending; each lies inside one beat.
    """

    kinds: tuple[AtomicRmwKind, ...] = ()
    exchange: bool = False
    fence: bool = False
    element_bytes: tuple[int, ...] = ()

    @property
    def use(self) -> AtomicUse:
        """What requests to the service say."""
        return AtomicUse(rmw=bool(self.kinds), exchange=self.exchange, fence=self.fence)

    @property
    def computes(self) -> bool:
        """A bank reads and writes in one step for some access."""
        return bool(self.kinds) or self.exchange

    def union(self, other: "LocalAtomics") -> "LocalAtomics":
        """What any of both uses."""
        return LocalAtomics(
            kinds=_sorted(self.kinds + other.kinds),
            exchange=self.exchange or other.exchange,
            fence=self.fence or other.fence,
            element_bytes=tuple(sorted({*self.element_bytes, *other.element_bytes})),
        )


NO_LOCAL_ATOMICS = LocalAtomics()


def local_atomics(
    found: Iterable[Admission], fences: Iterable[FenceAdmission], beat_bytes: int
) -> LocalAtomics:
    """Derive what rows of the local service may ask of it; objects beyond a beat are no rows."""
    use, has_fence = NO_LOCAL_ATOMICS, any(each.capability is not None for each in fences)
    for each in found:
        if each.capability is None or not isinstance(each.contract, AtomicRmw | CompareExchange):
            continue
        widths = {interval.lower for interval in each.element_widths.intervals}
        sizes = {width // 8 for width in widths if width <= 8 * beat_bytes}
        if not sizes:
            continue
        kinds = each.contract.rmw_kinds if isinstance(each.contract, AtomicRmw) else ()
        use = use.union(
            LocalAtomics(
                kinds=tuple(kind for kind in kinds if kind not in FLOAT_RMW_KINDS),
                exchange=isinstance(each.contract, CompareExchange),
                element_bytes=tuple(sizes),
            )
        )
    return use.union(LocalAtomics(fence=has_fence))


def _sorted(kinds: Iterable[AtomicRmwKind]) -> tuple[AtomicRmwKind, ...]:
    return tuple(sorted(set(kinds), key=lambda kind: kind.value))


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
