"""Operation ports out of a document: alternatives, dispatch and resource contract."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fabricgen.author.expand_access import access_domains, classes_place, union
from fabricgen.author.expand_contract import actor_domain
from fabricgen.author.expand_resources import bound_names, port_resource_contract
from fabricgen.author.findings import Findings, Place, lookup, renamed, with_endpoint_names
from fabricgen.author.port_document import AlternativeDocument, FenceDocument, PortDocument
from fabricgen.errors import Diagnostic, Unsupported
from fabricgen.plan.contract import document_pattern, use_pattern_key
from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.connectivity import MemoryDispatchTarget, OperationPortDispatch
from fabricgen.records.overlap import accesses_meet, actors_meet
from fabricgen.records.port import MemoryCapabilityAlternative, MemoryOperationPort
from fabricgen.vocab.dataflow import OperationSchemaId, ServiceValueRole
from fabricgen.vocab.fabric import MemoryPortTransactionProjection

__all__ = ["ExpandedPort", "PortScope", "Written", "expand_port", "written_as"]

#: Lanes of the widest walk: no realised token has room for more.
_LANE_LIMIT = 16384


@dataclass(frozen=True, slots=True)
class PortScope:
    """What the ports of one memory share.

    Parameters
    ----------
    endpoints
        Names by ordinal.
    targets
        Services by name.
    contexts
        Rows that may select one port: K in a Temporal memory, 1 in a Spatial one.
    """

    endpoints: tuple[str, ...]
    targets: Mapping[str, MemoryDispatchTarget]
    contexts: int


@dataclass(frozen=True, slots=True)
class Written:
    """One alternative before the port's relation is normalised, and where it was written.

    ``accesses[i]`` is what its access class ``i`` admits, none in a fence; ``targets`` are the
    names of the services that it may reach.
    """

    where: str
    schema: OperationSchemaId
    alternative: MemoryCapabilityAlternative
    accesses: tuple[ParameterizedMemoryAccessDomain, ...]
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExpandedPort:
    """One port's record and its row of H_dispatch, with what was written for it.

    Parameters
    ----------
    record, dispatch
        The port, and the targets of each of its alternatives.
    written
        Alternatives as they were written.
    patterns
        Names of the document's patterns.
    contexts
        Use patterns of the record per pattern of the document.
    """

    record: MemoryOperationPort
    dispatch: OperationPortDispatch
    written: tuple[Written, ...]
    patterns: tuple[str, ...]
    contexts: int


def expand_port(
    document: PortDocument, scope: PortScope, where: str, findings: Findings
) -> ExpandedPort | None:
    """Build one port and its dispatch.

    Raises
    ------
    Unsupported
        ``active-lanes-limit``: a walk of more lanes than any realised token has.
    """
    names = [(p.name, f"{where}.patterns[{i}].name") for i, p in enumerate(document.patterns)]
    findings.require_unique(names)
    places = list(_places(document, where))
    attempts = [
        _alternative(document, each, schema, scope, place, findings)
        for place, schema, each in places
    ]
    written = tuple(each for each in attempts if each is not None)
    if not places:
        findings.add(
            "port-without-alternative",
            where,
            "The port must have a load, store, rmw, cmpxchg or fence, not none",
        )
    transactions = tuple(_transactions(document, written, scope.contexts, where))
    contract = port_resource_contract(
        document,
        [(schema, each) for _, schema, each in places],
        transactions,
        scope.contexts,
        where,
        findings,
    )
    if contract is None or not written or len(written) < len(places):
        return None
    semantics = [
        MemoryPortTransactionProjection[_PROJECTIONS[p.projection]]
        for p in document.patterns
        for _ in range(scope.contexts)
    ]
    used = {endpoint for w in written for _, endpoint in w.alternative.role_to_endpoint}
    record = findings.attempt(
        _place(where, scope.contexts),
        lambda: MemoryOperationPort.of(
            endpoint_inventory=tuple(sorted(used)),
            resource_contract=contract,
            operation_pattern_semantics=semantics,
            capability_alternatives=tuple(w.alternative for w in written),
        ),
    )
    dispatch = None if record is None else _dispatch(record, written, scope, findings)
    if record is None or dispatch is None:
        return None
    patterns = tuple(p.name for p in document.patterns)
    return ExpandedPort(record, dispatch, written, patterns, scope.contexts)


def written_as(
    alternative: MemoryCapabilityAlternative, written: Sequence[Written]
) -> tuple[Written, ...]:
    """Alternatives of the document that share points with one of the normal form."""
    return tuple(
        each
        for each in written
        if each.alternative.role_to_endpoint == alternative.role_to_endpoint
        and actors_meet(each.alternative.actor_contract_domain, alternative.actor_contract_domain)
        and accesses_meet(
            each.alternative.parameterized_access_domain, alternative.parameterized_access_domain
        )
    )


_PROJECTIONS = {"direct": "DIRECT", "active_lanes": "ACTIVE_LANES_ROW_MAJOR"}


def _dispatch(
    record: MemoryOperationPort, written: Sequence[Written], scope: PortScope, findings: Findings
) -> OperationPortDispatch | None:
    """Targets of each alternative; those that were merged into one must agree about them."""
    domains: list[tuple[MemoryDispatchTarget, ...]] = []
    for alternative in record.capability_alternatives:
        first, *others = written_as(alternative, written)
        domains.append(tuple(scope.targets[name] for name in first.targets))
        for other in others:
            if other.targets != first.targets:
                findings.add(
                    "target-merge",
                    f"{other.where}.targets",
                    f"Alternatives that admit one access must have the same targets, "
                    f"{', '.join(first.targets)} as {first.where}, "
                    f"not {', '.join(other.targets)}",
                )
                return None
    return OperationPortDispatch(tuple(domains))


def _transactions(
    document: PortDocument, written: Sequence[Written], contexts: int, where: str
) -> Iterator[int]:
    """Internal transactions of each pattern: for a walk, the lanes of its widest access."""
    for position, pattern in enumerate(document.patterns):
        if pattern.projection == "direct":
            yield 1
            continue
        key = use_pattern_key(position, 0, contexts)
        lanes = max(
            (
                access.flattened_lane_count.intervals[-1].upper
                for each in written
                if key in each.alternative.admissible_use_patterns
                for domain in each.accesses
                for access in domain.access_classes
            ),
            default=1,
        )
        if lanes > _LANE_LIMIT:
            raise Unsupported(
                Diagnostic(
                    "active-lanes-limit",
                    f"{where}.patterns[{position}].projection",
                    f"A walk must have at most {_LANE_LIMIT} lanes, not {lanes}",
                )
            )
        yield lanes


def _place(where: str, contexts: int) -> Place:
    """Place what the complete port reports about its patterns."""

    def place(record_path: str) -> str:
        pattern = re.match(
            r"(resource_contract\.use_patterns|operation_pattern_semantics)\[(\d+)\]", record_path
        )
        if pattern is None:
            return where
        position, _ = document_pattern(int(pattern[2]), contexts)
        return f"{where}.patterns[{position}]"

    return place


def _places(
    document: PortDocument, where: str
) -> Iterator[tuple[str, OperationSchemaId, AlternativeDocument]]:
    listed: tuple[tuple[str, OperationSchemaId, Sequence[AlternativeDocument]], ...] = (
        ("load", OperationSchemaId.DATAFLOW_LOAD, document.load),
        ("store", OperationSchemaId.DATAFLOW_STORE, document.store),
        ("rmw", OperationSchemaId.DATAFLOW_ATOMIC_RMW, document.rmw),
        ("cmpxchg", OperationSchemaId.DATAFLOW_CMPXCHG, document.cmpxchg),
        ("fence", OperationSchemaId.DATAFLOW_FENCE, document.fence),
    )
    for key, schema, alternatives in listed:
        for index, each in enumerate(alternatives):
            yield f"{where}.{key}[{index}]", schema, each


def _alternative(
    port: PortDocument,
    document: AlternativeDocument,
    schema: OperationSchemaId,
    scope: PortScope,
    where: str,
    findings: Findings,
) -> Written | None:
    actors = actor_domain(schema, document.contract, f"{where}.contract", findings)
    is_fence = isinstance(document, FenceDocument)
    classes = () if is_fence else access_domains(document.access, f"{where}.access", findings)
    roles = _roles(document, scope.endpoints, f"{where}.roles", findings)
    names = [pattern.name for pattern in port.patterns]
    patterns = lookup(document.patterns, names, f"{where}.patterns", findings)
    known = list(scope.targets)
    targets = lookup(document.targets, known, f"{where}.targets", findings) if known else None
    if actors is None or classes is None or roles is None or patterns is None or targets is None:
        return None
    keys = [
        use_pattern_key(pattern, context, scope.contexts)
        for pattern in patterns
        for context in range(scope.contexts)
    ]
    before = len(findings.diagnostics)
    alternative = findings.attempt(
        classes_place(
            classes,
            "parameterized_access_domain",
            f"{where}.access",
            renamed(where, {"role_to_endpoint": "roles", "admissible_use_patterns": "patterns"}),
        ),
        lambda: MemoryCapabilityAlternative.of(
            actors, roles, None if is_fence else union(classes), keys
        ),
    )
    if alternative is None:
        findings.diagnostics[before:] = [
            with_endpoint_names(each, scope.endpoints) for each in findings.diagnostics[before:]
        ]
        return None
    reached = tuple(known[position] for position in sorted(set(targets)))
    return Written(where, schema, alternative, classes, reached)


def _roles(
    document: AlternativeDocument,
    endpoints: Sequence[str],
    where: str,
    findings: Findings,
) -> tuple[tuple[ServiceValueRole, int], ...] | None:
    bound = bound_names(document)
    found: list[tuple[ServiceValueRole, int]] = []
    for role, name in bound.items():
        keys = lookup([name], endpoints, f"{where}.{role.name.lower()}", findings)
        found += [(role, key) for key in keys or ()]
    return tuple(found) if len(found) == len(bound) else None
