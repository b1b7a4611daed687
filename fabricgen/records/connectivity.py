"""The fixed connectivity of one occurrence (spec: Configurable Service Dispatch)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fabricgen.atoms.unsigned import U64_MAX
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.errors.listing import listed, listed_names
from fabricgen.errors.strict import StrictRecord
from fabricgen.vocab.dispatch import AddressTransform, MatchField
from fabricgen.vocab.words import words

__all__ = [
    "InternalConnection",
    "LocalMemoryServiceTarget",
    "ManagerEndpointTarget",
    "MemoryConnectivityContract",
    "MemoryDispatchTarget",
    "OperationPortDispatch",
    "SubordinateDispatch",
    "connection_order_findings",
    "target_key",
    "target_words",
]


@dataclass(frozen=True, slots=True)
class LocalMemoryServiceTarget:
    """The occurrence's own Local Memory Service."""


@dataclass(frozen=True, slots=True)
class ManagerEndpointTarget:
    """One manager endpoint, by its ordinal in the occurrence's inventory."""

    ordinal: int

    def __post_init__(self) -> None:
        if not 0 <= self.ordinal <= U64_MAX:
            raise Invalid(
                Diagnostic(
                    "manager-ordinal-range",
                    "ordinal",
                    f"The ordinal must be from 0 to 2**64 - 1, not {self.ordinal}",
                )
            )


MemoryDispatchTarget = LocalMemoryServiceTarget | ManagerEndpointTarget


@dataclass(frozen=True, slots=True)
class SubordinateDispatch(StrictRecord):
    """What one subordinate endpoint may expose, match on, and reach.

    Parameters
    ----------
    max_exposed_bindings
        Bound on configured decode entries; positive.
    match_fields
        Fields the decoder may compare, in tag order, without repeats. May be empty only when
        ``max_exposed_bindings`` is 1, because the selector is then constant.
    address_transform
        Translation the endpoint may apply after decode.
    targets
        Services the endpoint may reach; non-empty, local first, then managers by ordinal.
    """

    max_exposed_bindings: int
    match_fields: tuple[MatchField, ...]
    address_transform: AddressTransform
    targets: tuple[MemoryDispatchTarget, ...]

    def _findings(self) -> Iterator[Diagnostic]:
        if not 1 <= self.max_exposed_bindings <= U64_MAX:
            yield Diagnostic(
                "subordinate-binding-bound",
                "max_exposed_bindings",
                f"The bound must be from 1 to 2**64 - 1, not {self.max_exposed_bindings}",
            )

        tags = [field.value for field in self.match_fields]
        if tags != sorted(set(tags)):
            yield Diagnostic(
                "subordinate-match-order",
                "match_fields",
                f"Fields must be in tag order without repeats, not {words(self.match_fields)}",
            )
        if self.max_exposed_bindings > 1 and not tags:
            yield Diagnostic(
                "subordinate-match-missing",
                "match_fields",
                f"A field is required to tell {self.max_exposed_bindings} bindings apart, not 0",
            )

        keys = [target_key(target) for target in self.targets]
        if not keys or keys != sorted(set(keys)):
            yield Diagnostic(
                "subordinate-target-order",
                "targets",
                f"Targets must be non-empty, sorted and unique, not {target_words(self.targets)}",
            )


def target_key(target: MemoryDispatchTarget) -> tuple[int, int]:
    """Canonical order of targets; the first component is the wire tag."""
    match target:
        case LocalMemoryServiceTarget():
            return (0, 0)
        case ManagerEndpointTarget(ordinal):  # exhaustive
            return (1, ordinal)


def target_words(targets: Iterable[MemoryDispatchTarget]) -> str:
    """Spell targets for a message; the names of managers are the fabric's."""
    return listed_names(
        "local" if isinstance(each, LocalMemoryServiceTarget) else f"manager {each.ordinal}"
        for each in targets
    )


@dataclass(frozen=True, slots=True)
class OperationPortDispatch(StrictRecord):
    """Targets that each capability alternative of one port may reach, in alternative order.

    Each domain is non-empty, local first, then managers by ordinal.
    """

    capability_target_domains: tuple[tuple[MemoryDispatchTarget, ...], ...]

    @classmethod
    def of(cls, *domains: Iterable[MemoryDispatchTarget]) -> "OperationPortDispatch":
        """Build the dispatch of one port from target sets in any order."""
        return cls(tuple(tuple(sorted(set(domain), key=target_key)) for domain in domains))

    def _findings(self) -> Iterator[Diagnostic]:
        for ordinal, targets in enumerate(self.capability_target_domains):
            keys = [target_key(target) for target in targets]
            if not keys or keys != sorted(set(keys)):
                yield Diagnostic(
                    "dispatch-target-order",
                    f"capability_target_domains[{ordinal}]",
                    f"Targets must be non-empty, sorted and unique, not {target_words(targets)}",
                )


@dataclass(frozen=True, slots=True, order=True)
class InternalConnection(StrictRecord):
    """Eligibility of one engine-internal token connection, by endpoint ordinals."""

    source_endpoint_ordinal: int
    sink_endpoint_ordinal: int

    def _findings(self) -> Iterator[Diagnostic]:
        for field in ("source_endpoint_ordinal", "sink_endpoint_ordinal"):
            ordinal: int = getattr(self, field)
            if not 0 <= ordinal <= U64_MAX:
                yield Diagnostic(
                    "connection-endpoint-range",
                    field,
                    f"The ordinal must be from 0 to 2**64 - 1, not {ordinal}",
                )


@dataclass(frozen=True, slots=True)
class MemoryConnectivityContract(StrictRecord):
    """H_dispatch and the internal-connection relation of one occurrence."""

    operation_ports: tuple[OperationPortDispatch, ...]
    subordinate_endpoints: tuple[SubordinateDispatch, ...]
    internal_connections: tuple[InternalConnection, ...]

    def _findings(self) -> Iterator[Diagnostic]:
        yield from connection_order_findings(self.internal_connections)


def connection_order_findings(connections: tuple[InternalConnection, ...]) -> Iterator[Diagnostic]:
    """Say whether connections are not sorted by source, then sink, or not unique."""
    if list(connections) != sorted(set(connections)):
        pairs = [(c.source_endpoint_ordinal, c.sink_endpoint_ordinal) for c in connections]
        yield Diagnostic(
            "connection-order",
            "internal_connections",
            f"Connections must be sorted by source, then sink, and unique, not {listed(pairs)}",
        )
