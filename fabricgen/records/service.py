"""Memory service contract and the Local Memory Service (spec: Local Memory Service)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from fabricgen.atoms.unsigned import U64_MAX
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.errors.listing import listed
from fabricgen.errors.place import placed
from fabricgen.errors.strict import StrictRecord
from fabricgen.records import service_capability_codec
from fabricgen.records.access import ACCESS_STRUCTURAL, ParameterizedMemoryAccessDomain
from fabricgen.records.consistency import SystemDomain
from fabricgen.records.overlap import shared_points
from fabricgen.records.products import Product, ProductRelation
from fabricgen.records.region import (
    MemoryServiceRegion,
    Mmio,
    Storage,
    merge_regions,
    region_conflicts,
    region_findings,
)
from fabricgen.records.resource import ResourceContract
from fabricgen.records.service_capability import MemoryServiceCapability
from fabricgen.relation.diagram import Diagram

__all__ = [
    "LocalMemoryService",
    "MemoryServiceCapability",
    "MemoryServiceContract",
    "MemoryServiceRegion",
    "Mmio",
    "Storage",
]


@dataclass(frozen=True, slots=True)
class MemoryServiceContract(StrictRecord):
    """Regions, resource contract and capabilities of one service.

    The constructor is the strict door. :meth:`of` sorts regions and merges those of one behaviour
    that touch or overlap, and normalises the relation of the capabilities.

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
            region; ``service-region-behavior`` where regions that behave differently overlap;
            ``service-capability-overlap`` where one actor and access would get different facts;
            and the other rules of the strict door.
        """
        merged, place_of = merge_regions(regions)
        given = list(capabilities)
        found = [*region_conflicts(regions), *_acceptance_findings(regions, given)]
        parts_of: dict[int, set[int]] = {}
        for part, place in place_of.items():
            parts_of.setdefault(place, set()).add(part)
        for ordinal, capability in enumerate(given):
            where = f"capabilities[{ordinal}]"
            found += _widening_findings(capability, place_of, parts_of, where)
        if found:
            raise Invalid(*found)
        renumbered = [_renumber(capability, place_of) for capability in given]
        return cls(merged, resource_contract, _canonical(renumbered) if renumbered else ())

    def _findings(self) -> Iterator[Diagnostic]:
        yield from region_findings(self.regions)
        if not self.capabilities:
            yield Diagnostic(
                "service-capability-empty",
                "capabilities",
                "A service must have at least one capability, not 0",
            )
        for ordinal, capability in enumerate(self.capabilities):
            yield from self._reference_findings(capability, f"capabilities[{ordinal}]")
        yield from _acceptance_findings(self.regions, self.capabilities)
        found = [*_order_findings(self.capabilities), *_overlap_findings(self.capabilities)]
        if found or not self.capabilities:
            yield from found
        else:
            yield from _decomposition_findings(self.capabilities)

    def serving_capabilities(self, requester: int) -> Iterator[int]:
        """Ordinals of the capabilities with a use pattern for this requester.

        The requesters of a local service are the operation ports, then the subordinate endpoints.
        """
        for ordinal, capability in enumerate(self.capabilities):
            if requester in self.requesters(capability):
                yield ordinal

    def requesters(self, capability: MemoryServiceCapability) -> set[int]:
        """Requesters whose use patterns one of the capabilities admits."""
        patterns = self.resource_contract.use_patterns
        return {patterns[key].requester for key in capability.admissible_use_patterns}

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
class LocalMemoryService(StrictRecord):
    """``capacity_bytes`` of local storage behind one service contract."""

    capacity_bytes: int
    memory_service_contract: MemoryServiceContract

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


def _acceptance_findings(
    regions: Sequence[MemoryServiceRegion], capabilities: Sequence[MemoryServiceCapability]
) -> Iterator[Diagnostic]:
    """Every region that a capability selects accepts its complete access domain."""
    accepted = {
        ordinal: region.behavior.accepted_access_domain
        for ordinal, region in enumerate(regions)
        if isinstance(region.behavior, Mmio)
    }
    # One diagram for all pairs, so that they share one bound.
    diagram = Diagram(ACCESS_STRUCTURAL)
    for position, capability in enumerate(capabilities):
        where = f"capabilities[{position}].access_domain"
        access = capability.access_domain
        selected = [each for each in capability.service_region_ordinals if each in accepted]
        if access is None or not selected:
            continue
        try:
            refusing = [each for each in selected if not _accepts(diagram, accepted[each], access)]
        except Invalid as error:
            yield from error.under(where).diagnostics
            return
        for ordinal in refusing:
            yield Diagnostic(
                "service-region-access",
                where,
                f"Every access must be accepted by the MMIO region {ordinal}, which the "
                "capability selects, not only some",
            )


def _accepts(
    diagram: Diagram,
    accepted: ParameterizedMemoryAccessDomain,
    access: ParameterizedMemoryAccessDomain,
) -> bool:
    return accepted == access or diagram.covers(accepted.rows, access.rows)


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


def _widening_findings(
    capability: MemoryServiceCapability,
    place_of: dict[int, int],
    parts_of: dict[int, set[int]],
    where: str,
) -> Iterator[Diagnostic]:
    """Refuse to admit, by a merge, bytes that the capability did not name."""
    named = set(capability.service_region_ordinals)
    for place in dict.fromkeys(place_of[each] for each in named if each in place_of):
        parts = parts_of[place]
        if not parts <= named:
            yield Diagnostic(
                "region-merge-widens",
                f"{where}.service_region_ordinals",
                f"A capability must name all of the adjacent regions {listed(sorted(parts))}, "
                f"which are one region, not only {listed(sorted(parts & named))}",
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
