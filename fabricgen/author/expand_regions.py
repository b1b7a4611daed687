"""Regions of a service in canonical order: sorted by address, adjacent ones merged."""

from collections.abc import Sequence
from dataclasses import dataclass

from fabricgen.author.fabric_document import CapabilityDocument, LoadChoice, RegionDocument
from fabricgen.author.findings import Findings
from fabricgen.records.service import MemoryServiceRegion

__all__ = ["ExpandedRegions", "expand_regions", "served"]


@dataclass(frozen=True, slots=True)
class ExpandedRegions:
    """Canonical regions, and where each written one has gone.

    Parameters
    ----------
    records
        Canonical regions.
    ordinals
        Per written region, the ordinal of the record that holds it.
    """

    records: tuple[MemoryServiceRegion, ...]
    ordinals: tuple[int, ...]

    def written(self, ordinal: int) -> int:
        """Position in the document of the first region inside a record."""
        return self.ordinals.index(ordinal)


def expand_regions(
    documents: Sequence[RegionDocument],
    capabilities: Sequence[CapabilityDocument],
    where: str,
    findings: Findings,
) -> ExpandedRegions | None:
    """Build the regions.

    Adjacent regions behave alike, so they are one record; a capability that names only one of
    them would then reach both, and is refused.
    """
    order = sorted(range(len(documents)), key=lambda i: (documents[i].base, documents[i].size))
    spans: list[tuple[int, int]] = []
    ordinals = [0] * len(documents)
    for index in order:
        region = documents[index]
        if spans and sum(spans[-1]) == region.base:
            spans[-1] = (spans[-1][0], spans[-1][1] + region.size)
        else:
            spans.append((region.base, region.size))
        ordinals[index] = len(spans) - 1
    if _split(capabilities, ordinals, where, findings):
        return None
    records = [
        findings.attempt(
            f"{where}.regions[{ordinals.index(i)}]", lambda s=span: MemoryServiceRegion(*s)
        )
        for i, span in enumerate(spans)
    ]
    complete = tuple(record for record in records if record is not None)
    return ExpandedRegions(complete, tuple(ordinals)) if len(complete) == len(records) else None


def served(document: CapabilityDocument) -> tuple[str, Sequence[int]]:
    """Document key of a capability, and the positions of its regions."""
    if isinstance(document, LoadChoice):
        return "load", document.load.regions
    return "store", document.store.regions


def _split(
    capabilities: Sequence[CapabilityDocument],
    ordinals: Sequence[int],
    where: str,
    findings: Findings,
) -> bool:
    """Note capabilities that name unknown regions, or a part of some adjacent ones."""
    before = len(findings.diagnostics)
    for index, document in enumerate(capabilities):
        key, named = served(document)
        place = f"{where}.capabilities[{index}].{key}.regions"
        if unknown := [position for position in named if position >= len(ordinals)]:
            findings.add(
                "unknown-region",
                place,
                f"A region must be one of {len(ordinals)} positions from 0, not {unknown[0]}",
            )
            continue
        reached = {ordinals[position] for position in named}
        whole = {position for position, ordinal in enumerate(ordinals) if ordinal in reached}
        if missing := sorted(whole - set(named)):
            findings.add(
                "region-partly-served",
                place,
                f"Adjacent regions are one, so all of {sorted(whole)} must be named, "
                f"not without {missing}",
            )
    return len(findings.diagnostics) > before
