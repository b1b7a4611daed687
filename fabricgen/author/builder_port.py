"""An operation port while it is built."""

from collections.abc import Mapping, Sequence
from typing import Literal

from fabricgen.author.builder_handles import (
    Endpoint,
    Handle,
    Input,
    Output,
    Pattern,
    Requester,
    Target,
    listed,
    plain,
    require_own,
)
from fabricgen.author.builder_tables import (
    CompareExchangeClause,
    FenceClause,
    LoadAccess,
    LoadStoreContract,
    NamedContract,
    RmwClause,
    SpatialResources,
    StoreAccess,
    TemporalResources,
    UpdateAccess,
)

__all__ = ["PortBuilder"]


class PortBuilder(Requester):
    """One operation port: patterns first, then the alternatives that use them.

    Methods take handles of the port's own memory, and raise ``ValueError`` for any other.
    """

    def __init__(
        self,
        owner: Handle,
        name: str,
        resources: SpatialResources | TemporalResources | None,
        contract: NamedContract | None,
        endpoints: Sequence[Endpoint],
    ) -> None:
        super().__init__(owner, name)
        self._memory = owner
        self._resources = plain(resources)
        self._contract = plain(contract)
        require_own(owner, *endpoints)
        self._endpoints = listed(endpoints)
        self._patterns: list[dict[str, object]] = []
        self._alternatives: dict[str, list[dict[str, object]]] = {}

    def pattern(self, name: str, projection: Literal["direct", "active_lanes"]) -> Pattern:
        """Declare a use pattern; where the port has a contract, give one of it its projection."""
        self._patterns.append({"name": name, "projection": projection})
        return Pattern(self, name)

    def load(
        self,
        *,
        address: Input,
        control: Input,
        data: Output,
        completion: Output,
        mask: Input | None = None,
        contract: Sequence[LoadStoreContract],
        access: Sequence[LoadAccess],
        patterns: Sequence[Pattern],
        targets: Sequence[Target],
    ) -> None:
        """Add an alternative of loads."""
        roles = {
            "address": address,
            "mask": mask,
            "control": control,
            "data": data,
            "completion": completion,
        }
        self._add("load", roles, patterns, targets, contract=contract, access=access)

    def store(
        self,
        *,
        address: Input,
        data: Input,
        control: Input,
        completion: Output,
        mask: Input | None = None,
        contract: Sequence[LoadStoreContract],
        access: Sequence[StoreAccess],
        patterns: Sequence[Pattern],
        targets: Sequence[Target],
    ) -> None:
        """Add an alternative of stores."""
        roles = {
            "address": address,
            "data": data,
            "mask": mask,
            "control": control,
            "completion": completion,
        }
        self._add("store", roles, patterns, targets, contract=contract, access=access)

    def rmw(
        self,
        *,
        address: Input,
        update: Input,
        control: Input,
        old: Output,
        completion: Output,
        mask: Input | None = None,
        contract: Sequence[RmwClause],
        access: Sequence[UpdateAccess],
        patterns: Sequence[Pattern],
        targets: Sequence[Target],
    ) -> None:
        """Add an alternative of read-modify-writes."""
        roles = {
            "address": address,
            "update": update,
            "mask": mask,
            "control": control,
            "old": old,
            "completion": completion,
        }
        self._add("rmw", roles, patterns, targets, contract=contract, access=access)

    def cmpxchg(
        self,
        *,
        address: Input,
        expected: Input,
        desired: Input,
        control: Input,
        old: Output,
        success: Output,
        completion: Output,
        mask: Input | None = None,
        contract: Sequence[CompareExchangeClause],
        access: Sequence[UpdateAccess],
        patterns: Sequence[Pattern],
        targets: Sequence[Target],
    ) -> None:
        """Add an alternative of compare-exchanges."""
        roles = {
            "address": address,
            "expected": expected,
            "desired": desired,
            "mask": mask,
            "control": control,
            "old": old,
            "success": success,
            "completion": completion,
        }
        self._add("cmpxchg", roles, patterns, targets, contract=contract, access=access)

    def fence(
        self,
        *,
        control: Input,
        completion: Output,
        contract: Sequence[FenceClause],
        patterns: Sequence[Pattern],
        targets: Sequence[Target],
    ) -> None:
        """Add an alternative of fences."""
        roles = {"control": control, "completion": completion}
        self._add("fence", roles, patterns, targets, contract=contract)

    def table(self) -> dict[str, object]:
        """The port as a table of the document."""
        table: dict[str, object] = {"name": self.name, "patterns": self._patterns}
        if self._resources is not None:
            table["resources"] = self._resources
        if self._contract is not None:
            table["contract"] = self._contract
        if self._endpoints:
            table["endpoints"] = self._endpoints
        return table | self._alternatives

    def _add(
        self,
        kind: str,
        roles: Mapping[str, Endpoint | None],
        patterns: Sequence[Pattern],
        targets: Sequence[Target],
        **tables: object,
    ) -> None:
        bound = {role: end for role, end in roles.items() if end is not None}
        require_own(self._memory, *bound.values(), *targets)
        require_own(self, *patterns)
        alternative: dict[str, object] = {
            "roles": {role: end.name for role, end in bound.items()},
            "patterns": listed(patterns),
            "targets": listed(targets),
        }
        alternative |= {key: plain(value) for key, value in tables.items()}
        self._alternatives.setdefault(kind, []).append(alternative)
