"""A local memory service while it is built."""

from collections.abc import Sequence

from fabricgen.author.builder_handles import (
    Handle,
    Region,
    Requester,
    Target,
    listed,
    plain,
    require_own,
)
from fabricgen.author.builder_tables import (
    CompareExchangeClause,
    Consistency,
    FenceClause,
    LoadAccess,
    LoadStoreContract,
    NamedContract,
    RmwClause,
    ServiceCapacities,
    StoreAccess,
    UpdateAccess,
)

__all__ = ["LocalServiceBuilder"]


class LocalServiceBuilder(Target):
    """The local service of one memory, and a target of it: regions first, then what it serves.

    Methods take regions of the service itself and requesters of its memory, and raise
    ``ValueError`` for any other. What is served, is served to all of the service's use patterns, or
    to those of the requesters in ``patterns``; use patterns of a complete contract are named there.
    """

    def __init__(
        self,
        owner: Handle,
        capacity_bytes: int,
        resources: ServiceCapacities | None,
        contract: NamedContract | None,
    ) -> None:
        super().__init__(owner, "local")
        self._memory = owner
        self._capacity_bytes = capacity_bytes
        self._resources = None if resources is None else dict(resources)
        self._contract = plain(contract)
        self._regions: list[dict[str, object]] = []
        self._capabilities: list[dict[str, object]] = []
        self._first: Requester | None = None
        self._order: tuple[Requester, ...] | None = None

    def storage(self, *, base: int, size: int) -> Region:
        """Declare a region of storage, in bytes."""
        return self._region(base, size, {"storage": {}})

    def mmio(
        self,
        *,
        base: int,
        size: int,
        load: Sequence[LoadAccess] = (),
        store: Sequence[StoreAccess] = (),
        rmw: Sequence[UpdateAccess] = (),
        cmpxchg: Sequence[UpdateAccess] = (),
    ) -> Region:
        """Declare a region of device registers, in bytes, with the accesses that it accepts."""
        accepted = {"load": load, "store": store, "rmw": rmw, "cmpxchg": cmpxchg}
        table = {kind: plain(classes) for kind, classes in accepted.items() if classes}
        return self._region(base, size, {"mmio": table})

    def round_robin(self, first: Requester) -> None:
        """Grant contending requesters in turn; the first scan starts at ``first``."""
        require_own(self._memory, first)
        self._first, self._order = first, None

    def fixed_priority(self, order: Sequence[Requester]) -> None:
        """Grant the first of contending requesters, always; all of them are named."""
        require_own(self._memory, *order)
        self._first, self._order = None, tuple(order)

    def serve_load(
        self,
        *,
        contract: Sequence[LoadStoreContract],
        access: Sequence[LoadAccess],
        beat_bits: int,
        regions: Sequence[Region],
        consistency: Consistency | None = None,
        patterns: Sequence[Requester | str] | None = None,
    ) -> None:
        """Serve loads."""
        self._serve(
            "load", contract, consistency, patterns, regions, access=access, beat_bits=beat_bits
        )

    def serve_store(
        self,
        *,
        contract: Sequence[LoadStoreContract],
        access: Sequence[StoreAccess],
        beat_bits: int,
        regions: Sequence[Region],
        consistency: Consistency | None = None,
        patterns: Sequence[Requester | str] | None = None,
    ) -> None:
        """Serve stores."""
        self._serve(
            "store", contract, consistency, patterns, regions, access=access, beat_bits=beat_bits
        )

    def serve_rmw(
        self,
        *,
        contract: Sequence[RmwClause],
        access: Sequence[UpdateAccess],
        beat_bits: int,
        regions: Sequence[Region],
        consistency: Consistency | None = None,
        patterns: Sequence[Requester | str] | None = None,
    ) -> None:
        """Serve read-modify-writes."""
        self._serve(
            "rmw", contract, consistency, patterns, regions, access=access, beat_bits=beat_bits
        )

    def serve_cmpxchg(
        self,
        *,
        contract: Sequence[CompareExchangeClause],
        access: Sequence[UpdateAccess],
        beat_bits: int,
        regions: Sequence[Region],
        consistency: Consistency | None = None,
        patterns: Sequence[Requester | str] | None = None,
    ) -> None:
        """Serve compare-exchanges."""
        self._serve(
            "cmpxchg", contract, consistency, patterns, regions, access=access, beat_bits=beat_bits
        )

    def serve_fence(
        self,
        *,
        contract: Sequence[FenceClause],
        consistency: Consistency | None = None,
        patterns: Sequence[Requester | str] | None = None,
    ) -> None:
        """Serve fences."""
        self._serve("fence", contract, consistency, patterns)

    def table(self, requesters: Sequence[Requester]) -> dict[str, object]:
        """The service as a table of the document; ``requesters`` are all of them, in order.

        Raises
        ------
        ValueError
            A contract has its grant policy in itself, and one was given beside it.
        """
        table: dict[str, object] = {
            "capacity_bytes": self._capacity_bytes,
            "regions": self._regions,
            "capabilities": self._capabilities,
        }
        policy = self._policy(requesters)
        if self._resources is not None:
            table["resources"] = self._resources | policy
        elif policy:
            raise ValueError("A grant policy must be given beside resources, not beside a contract")
        if self._contract is not None:
            table["contract"] = self._contract
        return table

    def _policy(self, requesters: Sequence[Requester]) -> dict[str, object]:
        if self._first is not None:
            return {"grant": {"round_robin": {"reset_cursor": requesters.index(self._first)}}}
        if self._order is not None:
            return {"grant": {"fixed_priority": {"order": listed(self._order)}}}
        return {}

    def _region(self, base: int, size: int, behaviour: dict[str, object]) -> Region:
        self._regions.append({"base": base, "size": size} | behaviour)
        return Region(self, len(self._regions) - 1)

    def _serve(
        self,
        kind: str,
        contract: object,
        consistency: Consistency | None,
        patterns: Sequence[Requester | str] | None,
        regions: Sequence[Region] | None = None,
        **tables: object,
    ) -> None:
        capability = {"contract": plain(contract)}
        capability |= {key: plain(value) for key, value in tables.items()}
        if regions is not None:
            require_own(self, *regions)
            capability["regions"] = [region.position for region in regions]
        if consistency is not None:
            capability["consistency"] = plain(consistency)
        if patterns is not None:
            require_own(self._memory, *(each for each in patterns if not isinstance(each, str)))
            capability["patterns"] = [
                each if isinstance(each, str) else each.name for each in patterns
            ]
        self._capabilities.append({kind: capability})
