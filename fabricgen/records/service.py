"""Memory service contract and the Local Memory Service (spec: Local Memory Service)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from fabricgen.atoms.unsigned import U64_MAX
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.errors.place import placed
from fabricgen.records import service_capability_codec
from fabricgen.records.consistency import SystemDomain
from fabricgen.records.overlap import shared_points
from fabricgen.records.products import Product, ProductRelation
from fabricgen.records.resource import ResourceContract
from fabricgen.records.service_capability import MemoryServiceCapability

__all__ = [
    "LocalMemoryService",
    "MemoryServiceCapability",
    "MemoryServiceContract",
    "MemoryServiceRegion",
    "Storage",
]


@dataclass(frozen=True, slots=True)
class Storage:
    """Region behaviour: ordinary storage."""


@dataclass(frozen=True, slots=True)
class MemoryServiceRegion:
    """``size_bytes`` bytes from ``address_base_bytes``, with one behaviour."""

    address_base_bytes: int
    size_bytes: int
    behavior: Storage = Storage()

    def __post_init__(self) -> None:
        if found := tuple(self._findings()):
            raise Invalid(*found)

    @property
    def end_bytes(self) -> int:
        """First address behind the region."""
        return self.address_base_bytes + self.size_bytes

    def _findings(self) -> Iterator[Diagnostic]:
        if not 0 <= self.address_base_bytes <= U64_MAX:
            yield Diagnostic(
                "region-base-range",
                "address_base_bytes",
                f"The base must be from 0 to 2**64 - 1, not {self.address_base_bytes}",
            )
        if not 1 <= self.size_bytes <= U64_MAX:
            yield Diagnostic(
                "region-size-range",
                "size_bytes",
                f"The size must be from 1 to 2**64 - 1, not {self.size_bytes}",
            )
        elif self.end_bytes > U64_MAX:
            yield Diagnostic(
                "region-end-overflow",
                "size_bytes",
                f"Base and size together must be at most 2**64 - 1, not {self.end_bytes}",
            )


@dataclass(frozen=True, slots=True)
class MemoryServiceContract:
    """Regions, resource contract and capabilities of one service.

    The constructor is the strict door. :meth:`of` sorts regions and merges those that touch or
    overlap, and normalises the relation of the capabilities.

    Parameters
    ----------
    regions
        Non-empty, sorted, disjoint; adjacent ones differ in behaviour.
    resource_contract
        The service's own states and use patterns.
    capabilities
        The reduced products of the relation of actor, access, facts (regions, beat, consistency)
        and use patterns, in the order of their complete bytes; no two admit one actor and access.
    """

    regions: tuple[MemoryServiceRegion, ...]
    resource_contract: ResourceContract
    capabilities: tuple[MemoryServiceCapability, ...]

    def __post_init__(self) -> None:
        if found := tuple(self._findings()):
            raise Invalid(*found)

    @classmethod
    def of(
        cls,
        regions: Sequence[MemoryServiceRegion],
        resource_contract: ResourceContract,
        capabilities: Iterable[MemoryServiceCapability],
    ) -> "MemoryServiceContract":
        """Build the canonical contract; region ordinals are positions in ``regions`` as given.

        Raises
        ------
        Invalid
            ``region-merge-widens`` where a capability names only a part of what becomes one
            region; ``service-capability-overlap`` where one actor and access would get different
            facts; and the other rules of the strict door.
        """
        merged, place_of = _merge_regions(regions)
        given = list(capabilities)
        found = [
            finding
            for ordinal, capability in enumerate(given)
            for finding in _widening_findings(capability, place_of, f"capabilities[{ordinal}]")
        ]
        if found:
            raise Invalid(*found)
        renumbered = [_renumber(capability, place_of) for capability in given]
        return cls(merged, resource_contract, _canonical(renumbered) if renumbered else ())

    def _findings(self) -> Iterator[Diagnostic]:
        yield from _region_findings(self.regions)
        if not self.capabilities:
            yield Diagnostic(
                "service-capability-empty",
                "capabilities",
                "A service must have at least one capability, not 0",
            )
        for ordinal, capability in enumerate(self.capabilities):
            yield from self._reference_findings(capability, f"capabilities[{ordinal}]")
        found = [*_order_findings(self.capabilities), *_overlap_findings(self.capabilities)]
        if found or not self.capabilities:
            yield from found
        else:
            yield from _decomposition_findings(self.capabilities)

    def _reference_findings(
        self, capability: MemoryServiceCapability, where: str
    ) -> Iterator[Diagnostic]:
        patterns = len(self.resource_contract.use_patterns)
        for ordinal in capability.service_region_ordinals:
            if ordinal >= len(self.regions):
                yield Diagnostic(
                    "service-region-unknown",
                    f"{where}.service_region_ordinals",
                    f"An ordinal must name one of {len(self.regions)} regions, not {ordinal}",
                )
        for key in capability.admissible_use_patterns:
            if key >= patterns:
                yield Diagnostic(
                    "service-use-pattern-unknown",
                    f"{where}.admissible_use_patterns",
                    f"A key must name one of {patterns} use patterns, not {key}",
                )


@dataclass(frozen=True, slots=True)
class LocalMemoryService:
    """``capacity_bytes`` of local storage behind one service contract."""

    capacity_bytes: int
    memory_service_contract: MemoryServiceContract

    def __post_init__(self) -> None:
        if found := tuple(self._findings()):
            raise Invalid(*found)

    def _findings(self) -> Iterator[Diagnostic]:
        if not 1 <= self.capacity_bytes <= U64_MAX:
            yield Diagnostic(
                "service-capacity-range",
                "capacity_bytes",
                f"The capacity must be from 1 to 2**64 - 1 bytes, not {self.capacity_bytes}",
            )
        for ordinal, capability in enumerate(self.memory_service_contract.capabilities):
            if isinstance(capability.consistency_binding, SystemDomain):
                yield Diagnostic(
                    "local-service-system-domain",
                    f"memory_service_contract.capabilities[{ordinal}].consistency_binding",
                    "A local service must order its accesses itself, not by a system domain",
                )


def _region_findings(regions: tuple[MemoryServiceRegion, ...]) -> Iterator[Diagnostic]:
    if not regions:
        yield Diagnostic(
            "service-region-empty", "regions", "A service must have at least one region, not 0"
        )
    for ordinal, (left, right) in enumerate(pairwise(regions), start=1):
        where = f"regions[{ordinal}]"
        if right.address_base_bytes < left.end_bytes:
            yield Diagnostic(
                "service-region-order",
                where,
                f"A region must begin at or behind {left.end_bytes}, where the one before ends, "
                f"not at {right.address_base_bytes}",
            )
        elif right.address_base_bytes == left.end_bytes and right.behavior == left.behavior:
            yield Diagnostic(
                "service-region-unmerged",
                where,
                f"Adjacent regions of one behaviour must be merged, not meet at {left.end_bytes}",
            )


def _order_findings(capabilities: tuple[MemoryServiceCapability, ...]) -> Iterator[Diagnostic]:
    encoded = [service_capability_codec.encode(capability) for capability in capabilities]
    for ordinal, (left, right) in enumerate(pairwise(encoded), start=1):
        if left >= right:
            yield Diagnostic(
                "service-capability-order",
                f"capabilities[{ordinal}]",
                "Capabilities must be in strict order of their bytes, not "
                + ("repeated" if left == right else "behind a greater one"),
            )


def _overlap_findings(capabilities: tuple[MemoryServiceCapability, ...]) -> Iterator[Diagnostic]:
    try:
        groups = shared_points((c.actor_contract_domain, c.access_domain) for c in capabilities)
    except Invalid as error:
        yield from error.under("capabilities").diagnostics
        return
    pairs = sorted({(second, first) for group in groups for first, second in pairwise(group)})
    for second, first in pairs:
        yield Diagnostic(
            "service-capability-overlap",
            f"capabilities[{second}]",
            f"One actor and access must be served by one capability, not by number {first} too",
        )


def _decomposition_findings(
    capabilities: tuple[MemoryServiceCapability, ...],
) -> Iterator[Diagnostic]:
    """Refuse ordered, disjoint capabilities that are not the products of the normal form."""
    try:
        canonical = _canonical(capabilities)
    except Invalid as error:
        yield from error.diagnostics
        return
    if canonical != capabilities:
        yield Diagnostic(
            "relation-not-canonical",
            "capabilities",
            f"Capabilities must be the {len(canonical)} products of the normal form, not "
            f"{len(capabilities)} other products of the same relation",
        )


def _merge_regions(
    regions: Sequence[MemoryServiceRegion],
) -> tuple[tuple[MemoryServiceRegion, ...], dict[int, int]]:
    """Merge touching regions of one behaviour; also map given positions to merged ordinals."""
    merged: list[MemoryServiceRegion] = []
    place_of: dict[int, int] = {}
    order = sorted(range(len(regions)), key=lambda i: regions[i].address_base_bytes)
    for position in order:
        region = regions[position]
        if merged and region.address_base_bytes <= merged[-1].end_bytes:
            last = merged.pop()
            end = max(last.end_bytes, region.end_bytes)
            region = MemoryServiceRegion(last.address_base_bytes, end - last.address_base_bytes)
        merged.append(region)
        place_of[position] = len(merged) - 1
    return tuple(merged), place_of


def _widening_findings(
    capability: MemoryServiceCapability, place_of: dict[int, int], where: str
) -> Iterator[Diagnostic]:
    """Refuse to admit, by a merge, bytes that the capability did not name."""
    named = set(capability.service_region_ordinals)
    for ordinal in capability.service_region_ordinals:
        parts = {p for p, place in place_of.items() if place == place_of.get(ordinal)}
        if not parts <= named:
            yield Diagnostic(
                "region-merge-widens",
                f"{where}.service_region_ordinals",
                f"A capability must name all of the adjacent regions {sorted(parts)}, which are "
                f"one region, not only {sorted(parts & named)}",
            )
            return


def _renumber(
    capability: MemoryServiceCapability, place_of: dict[int, int]
) -> MemoryServiceCapability:
    # An unknown position stays unknown, so that the strict door names it.
    ordinals = {place_of.get(old, old) for old in capability.service_region_ordinals}
    return replace(capability, service_region_ordinals=tuple(sorted(ordinals)))


def _canonical(
    capabilities: Sequence[MemoryServiceCapability],
) -> tuple[MemoryServiceCapability, ...]:
    """Reduce capabilities to the products of the relation that they denote together."""
    # Any capability with these facts lends them; the rest of it is replaced.
    lenders = {service_capability_codec.encode_facts(each): each for each in capabilities}
    given = [
        Product(
            each.actor_contract_domain,
            each.access_domain,
            service_capability_codec.encode_facts(each),
            each.admissible_use_patterns,
        )
        for each in capabilities
    ]
    with placed("capabilities"):
        found = [
            replace(
                lenders[each.facts],
                actor_contract_domain=each.actors,
                access_domain=each.accesses,
                admissible_use_patterns=each.use_patterns,
            )
            for each in ProductRelation(given).products()
        ]
    return tuple(sorted(found, key=service_capability_codec.encode))
