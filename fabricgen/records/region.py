"""Regions of a memory service and how they behave (spec: Local Memory Service)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fabricgen.atoms.unsigned import U64_MAX
from fabricgen.errors import Diagnostic
from fabricgen.errors.strict import StrictRecord
from fabricgen.records.access import ParameterizedMemoryAccessDomain

__all__ = [
    "MemoryServiceRegion",
    "Mmio",
    "RegionBehavior",
    "Storage",
    "merge_regions",
    "region_conflicts",
    "region_findings",
]


@dataclass(frozen=True, slots=True)
class Storage:
    """Ordinary storage: every access that a capability of the service admits."""


@dataclass(frozen=True, slots=True)
class Mmio:
    """Device registers: exactly the accesses of ``accepted_access_domain``.

    Whoever provides the region observes each access of it at most once, and none of them traps.
    """

    accepted_access_domain: ParameterizedMemoryAccessDomain


RegionBehavior = Storage | Mmio


@dataclass(frozen=True, slots=True)
class MemoryServiceRegion(StrictRecord):
    """``size_bytes`` bytes from ``address_base_bytes``, with one behaviour."""

    address_base_bytes: int
    size_bytes: int
    behavior: RegionBehavior = Storage()

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


def region_findings(regions: tuple[MemoryServiceRegion, ...]) -> Iterator[Diagnostic]:
    """Say why ``regions`` are not the canonical regions of a contract."""
    if not regions:
        yield Diagnostic(
            "service-region-empty", "regions", "A service must have at least one region, not 0"
        )
    for ordinal, (left, right) in enumerate(pairwise(regions), start=1):
        where = f"regions[{ordinal}]"
        base, is_alike = right.address_base_bytes, right.behavior == left.behavior
        if base < left.address_base_bytes or (base < left.end_bytes and is_alike):
            yield Diagnostic(
                "service-region-order",
                where,
                f"A region must begin at or behind {left.end_bytes}, where the one before ends, "
                f"not at {base}",
            )
        elif base == left.end_bytes and is_alike:
            yield Diagnostic(
                "service-region-unmerged",
                where,
                f"Adjacent regions of one behaviour must be merged, not meet at {left.end_bytes}",
            )
    yield from region_conflicts(regions)


def region_conflicts(regions: Sequence[MemoryServiceRegion]) -> Iterator[Diagnostic]:
    """Refuse addresses to which two regions, in any order, give two behaviours."""
    # Of the regions that begin before: the one that ends last, and among those of another
    # behaviour than that one's again the one that ends last.
    last = other = -1
    for position in _by_address(regions):
        region = regions[position]
        before = last if last < 0 or regions[last].behavior != region.behavior else other
        if before >= 0 and regions[before].end_bytes > region.address_base_bytes:
            yield Diagnostic(
                "service-region-behavior",
                f"regions[{position}]",
                f"An address must have one behaviour, not also that of regions[{before}] at "
                f"{region.address_base_bytes}",
            )
        if last < 0 or region.end_bytes > regions[last].end_bytes:
            if last >= 0 and before == last:
                other = last
            last = position
        elif before == last and (other < 0 or region.end_bytes > regions[other].end_bytes):
            other = position


def merge_regions(
    regions: Sequence[MemoryServiceRegion],
) -> tuple[tuple[MemoryServiceRegion, ...], dict[int, int]]:
    """Merge touching and overlapping regions of one behaviour, which do not conflict.

    Returns the regions in address order, and the ordinal that each given position has there.
    """
    merged: list[MemoryServiceRegion] = []
    place_of: dict[int, int] = {}
    for position in _by_address(regions):
        region = regions[position]
        last = merged[-1] if merged else None
        if (
            last is not None
            and last.behavior == region.behavior
            and region.address_base_bytes <= last.end_bytes
        ):
            base, end = last.address_base_bytes, max(last.end_bytes, region.end_bytes)
            merged[-1] = MemoryServiceRegion(base, end - base, region.behavior)
        else:
            merged.append(region)
        place_of[position] = len(merged) - 1
    return tuple(merged), place_of


def _by_address(regions: Sequence[MemoryServiceRegion]) -> list[int]:
    return sorted(range(len(regions)), key=lambda i: regions[i].address_base_bytes)
