"""The transaction plan of one firing (spec: Typed C++ Projection, deriveMemoryPortTransactionPlan).

One parent request, its port-local children, and how their responses become one retirement. Views
only: nothing here is persistent or has an identity of its own.
"""

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fabricgen.errors import Diagnostic, Invalid
from fabricgen.records.views import MemoryOperationPatternView
from fabricgen.schema.actor import (
    CanonicalActorProjection,
    CanonicalMemoryAccessView,
    access_findings,
    granularity_projection,
)
from fabricgen.schema.contract import FenceContract, PlainContract
from fabricgen.schema.service import CanonicalService, canonical_service
from fabricgen.vocab.dataflow import (
    MemoryAccessForm,
    MemoryMaskForm,
    ServiceValueRole,
)
from fabricgen.vocab.fabric import MemoryPortTransactionProjection
from fabricgen.vocab.words import word, words

__all__ = [
    "Activation",
    "Always",
    "ChildProjection",
    "ElementLane",
    "InactiveValue",
    "MemoryPortAssemblyView",
    "MemoryPortChildTransactionView",
    "MemoryPortTransactionPlanView",
    "ParentMaskAny",
    "ParentMaskLane",
    "ParentRequest",
    "ParentResponseOrZeroOnEmptyMask",
    "PassThroughParent",
    "ResultStrategy",
    "Retirement",
    "RowMajorLaneValues",
    "SingleParentRetirement",
    "derive_memory_port_transaction_plan",
]


@dataclass(frozen=True, slots=True)
class Always:
    """The child is submitted by every firing."""


@dataclass(frozen=True, slots=True)
class ParentMaskAny:
    """The child is submitted when at least one lane of the parent's mask is set."""


@dataclass(frozen=True, slots=True)
class ParentMaskLane:
    """The child is submitted when this lane of the parent's mask is set."""

    lane: int


Activation = Always | ParentMaskAny | ParentMaskLane


@dataclass(frozen=True, slots=True)
class ParentRequest:
    """The child carries the whole parent: contract, access view, mask, address and payload."""


@dataclass(frozen=True, slots=True)
class ElementLane:
    """The child carries one lane: its address and payload, and no mask."""

    lane: int


ChildProjection = ParentRequest | ElementLane


@dataclass(frozen=True, slots=True)
class PassThroughParent:
    """The result is the parent response."""


@dataclass(frozen=True, slots=True)
class ParentResponseOrZeroOnEmptyMask:
    """The result is the parent response, or zero made locally when no lane is active."""


class InactiveValue(enum.Enum):
    """What the lanes read that no child serves."""

    NOT_APPLICABLE = "NotApplicable"
    ZERO_BITS = "ZeroBits"


@dataclass(frozen=True, slots=True)
class RowMajorLaneValues:
    """The result is assembled from the children's values, lane by lane."""

    lane_count: int
    inactive_value: InactiveValue


ResultStrategy = PassThroughParent | ParentResponseOrZeroOnEmptyMask | RowMajorLaneValues


@dataclass(frozen=True, slots=True)
class SingleParentRetirement:
    """All results and the completion leave as one packet of the one parent."""


Retirement = SingleParentRetirement


@dataclass(frozen=True, slots=True)
class MemoryPortChildTransactionView:
    """One port-local child: its slot, when it is submitted, and what it carries."""

    ordinal: int
    activation: Activation
    projection: ChildProjection

    def is_submitted(self, active_lanes: Sequence[bool]) -> bool:
        """Tell whether a firing with these active lanes of its parent submits the child."""
        match self.activation:
            case Always():
                return True
            case ParentMaskAny():
                return any(active_lanes)
            case ParentMaskLane(lane):  # exhaustive
                return active_lanes[lane]

    def lanes(self, active_lanes: Sequence[bool]) -> tuple[int, ...]:
        """Lanes that the child accesses, ascending, where it is submitted."""
        match self.projection:
            case ParentRequest():
                return tuple(lane for lane, active in enumerate(active_lanes) if active)
            case ElementLane(lane):  # exhaustive
                return (lane,)


@dataclass(frozen=True, slots=True)
class MemoryPortAssemblyView:
    """How responses become results: each non-completion result role, in role order."""

    strategies: tuple[tuple[ServiceValueRole, ResultStrategy], ...]
    retirement: Retirement

    @property
    def result_roles(self) -> tuple[ServiceValueRole, ...]:
        """Roles that carry a value; empty for a store."""
        return tuple(role for role, _ in self.strategies)

    def result_strategy(self, role: ServiceValueRole) -> ResultStrategy:
        """Strategy of one of the :attr:`result_roles`; ``Invalid`` for any other role."""
        for each, strategy in self.strategies:
            if each is role:
                return strategy
        names = words(self.result_roles) if self.result_roles else "absent"
        raise Invalid(
            Diagnostic("assembly-role", "role", f"The role must be {names}, not {word(role)}")
        )


@dataclass(frozen=True, slots=True)
class MemoryPortTransactionPlanView:
    """The one plan that model and hardware consume."""

    parent_service: CanonicalService
    transactions: tuple[MemoryPortChildTransactionView, ...]
    assembly: MemoryPortAssemblyView


def derive_memory_port_transaction_plan(
    pattern: MemoryOperationPatternView,
    actor: CanonicalActorProjection,
    parent_service: CanonicalService,
    access: CanonicalMemoryAccessView | None,
) -> MemoryPortTransactionPlanView:
    """Derive children, assembly and retirement of one parent request.

    ``Invalid`` when actor, parent service and access view do not describe the same actor, or the
    projection of the pattern is illegal for the access.
    """
    projection = pattern.transaction_projection
    found = (
        *_form_findings(projection, access),
        *_granularity_findings(projection, actor),
        *_mismatches(actor, parent_service, access),
    )
    if found:
        raise Invalid(*found)
    masked = access is not None and access.mask_form is MemoryMaskForm.DYNAMIC
    if projection is MemoryPortTransactionProjection.DIRECT or access is None:
        activation = ParentMaskAny() if masked else Always()
        children = (MemoryPortChildTransactionView(0, activation, ParentRequest()),)
        strategy = ParentResponseOrZeroOnEmptyMask() if masked else PassThroughParent()
    else:
        children = tuple(
            MemoryPortChildTransactionView(
                lane, ParentMaskLane(lane) if masked else Always(), ElementLane(lane)
            )
            for lane in range(access.lane_count)
        )
        inactive = InactiveValue.ZERO_BITS if masked else InactiveValue.NOT_APPLICABLE
        strategy = RowMajorLaneValues(access.lane_count, inactive)
    return MemoryPortTransactionPlanView(
        parent_service=parent_service,
        transactions=children,
        assembly=MemoryPortAssemblyView(
            strategies=tuple(
                (role, strategy)
                for role in parent_service.result_roles
                if role is not ServiceValueRole.COMPLETION
            ),
            retirement=SingleParentRetirement(),
        ),
    )


def _form_findings(
    projection: MemoryPortTransactionProjection, access: CanonicalMemoryAccessView | None
) -> Iterator[Diagnostic]:
    """A fence and an element access have no lanes to walk, so they are always Direct."""
    if projection is MemoryPortTransactionProjection.DIRECT:
        return
    if access is None or access.form is MemoryAccessForm.ELEMENT:
        found = "no access view" if access is None else f"an {word(access.form)} access"
        yield Diagnostic(
            "projection-access-form",
            "projection",
            f"{word(projection)} is for contiguous and indexed accesses, not for {found}",
        )


def _granularity_findings(
    projection: MemoryPortTransactionProjection, actor: CanonicalActorProjection
) -> Iterator[Diagnostic]:
    """A PerLane atomic is one child per lane; any other atomic is one child."""
    contract = actor.contract
    if isinstance(contract, PlainContract | FenceContract):
        return
    if projection is not (required := granularity_projection(contract.granularity)):
        yield Diagnostic(
            "projection-granularity",
            "projection",
            f"The projection of atomic granularity {word(contract.granularity)} must be "
            f"{word(required)}, not {word(projection)}",
        )


def _mismatches(
    actor: CanonicalActorProjection,
    parent_service: CanonicalService,
    access: CanonicalMemoryAccessView | None,
) -> Iterator[Diagnostic]:
    if found := tuple(access_findings(actor, access)):
        yield from found
    elif parent_service != (expected := canonical_service(actor, access)):
        yield Diagnostic(
            "parent-service-mismatch",
            "parent_service",
            f"The parent service of {word(actor.schema_id)} must be {_spelled(expected)}, "
            f"not {_spelled(parent_service)}",
        )


def _spelled(service: CanonicalService) -> str:
    roles = f"{words(service.argument_roles)} to {words(service.result_roles)}"
    return f"{word(service.kind)} of {roles}"
