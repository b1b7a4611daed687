"""Connectivity out of a document: targets, subordinates and internal connections.

Spec: Configurable Service Dispatch.
"""

from collections.abc import Mapping, Sequence

from fabricgen.author.fabric_document import (
    ConnectionDocument,
    ManagerDocument,
    SubordinateDocument,
)
from fabricgen.author.findings import Findings, lookup, renamed
from fabricgen.records.connectivity import (
    InternalConnection,
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    MemoryDispatchTarget,
    SubordinateDispatch,
    target_key,
)
from fabricgen.vocab.dispatch import AddressTransform, MatchField

__all__ = ["SUBORDINATE_KEYS", "expand_connections", "expand_subordinates", "expand_targets"]

#: Document key of each field of a subordinate's dispatch and endpoint.
SUBORDINATE_KEYS = {
    "beat_width_bits": "beat_bits",
    "max_exposed_bindings": "max_exposed_bindings",
    "match_fields": "match",
    "address_transform": "transform",
    "targets": "targets",
    "name": "name",
}


def expand_targets(
    has_service: bool, managers: Sequence[ManagerDocument], where: str, findings: Findings
) -> dict[str, MemoryDispatchTarget]:
    """Services of a memory by the names under which its sources reach them."""
    names = [(each.name, f"{where}.manager[{i}].name") for i, each in enumerate(managers)]
    findings.require_unique(names)
    targets: dict[str, MemoryDispatchTarget] = {}
    if has_service:
        targets["local"] = LocalMemoryServiceTarget()
    for ordinal, (name, _) in enumerate(names):
        targets.setdefault(name, ManagerEndpointTarget(ordinal))
    if not targets:
        findings.add(
            "missing-key",
            f"{where}.local",
            "The key must be present where the memory has no manager, not absent",
        )
    return targets


def expand_subordinates(
    documents: Sequence[SubordinateDocument],
    targets: Mapping[str, MemoryDispatchTarget],
    where: str,
    findings: Findings,
) -> tuple[SubordinateDispatch, ...] | None:
    """What each subordinate may expose, match on, and reach."""
    attempts = [
        _subordinate(each, targets, f"{where}.subordinate[{index}]", findings)
        for index, each in enumerate(documents)
    ]
    found = tuple(each for each in attempts if each is not None)
    return found if len(found) == len(attempts) else None


def _subordinate(
    document: SubordinateDocument,
    targets: Mapping[str, MemoryDispatchTarget],
    where: str,
    findings: Findings,
) -> SubordinateDispatch | None:
    known = list(targets)
    reached = lookup(document.targets, known, f"{where}.targets", findings) if known else None
    if reached is None:
        return None
    return findings.attempt(
        renamed(where, SUBORDINATE_KEYS),
        lambda: SubordinateDispatch(
            document.max_exposed_bindings,
            tuple(each for each in MatchField if each.name.lower() in document.match),
            AddressTransform[document.transform.upper()],
            tuple(sorted({targets[known[i]] for i in reached}, key=target_key)),
        ),
    )


def expand_connections(
    documents: Sequence[ConnectionDocument],
    endpoints: Sequence[str],
    where: str,
    findings: Findings,
) -> dict[InternalConnection, int] | None:
    """Connections in canonical order, each with its first position in the document."""
    found: dict[InternalConnection, int] = {}
    is_whole = True
    for position, each in enumerate(documents):
        place = f"{where}.connections[{position}]"
        source = lookup([each.source], endpoints, f"{place}.from", findings)
        sink = lookup([each.sink], endpoints, f"{place}.to", findings)
        if source is None or sink is None:
            is_whole = False
        else:
            found.setdefault(InternalConnection(source[0], sink[0]), position)
    return dict(sorted(found.items())) if is_whole else None
