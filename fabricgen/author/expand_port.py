"""Operation ports out of a document: alternatives, dispatch and resource contract."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from fabricgen.author.expand_access import access_domains, actor_domain, union
from fabricgen.author.fabric_document import (
    LoadDocument,
    OperandDepthDocument,
    PortDocument,
    RoundRobinChoice,
    StoreDocument,
    TemporalResourcesDocument,
)
from fabricgen.author.findings import Findings, Place, lookup, renamed, with_endpoint_names
from fabricgen.errors import Diagnostic, Unsupported
from fabricgen.plan.contract import document_pattern, port_contract, use_pattern_key
from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.connectivity import MemoryDispatchTarget, OperationPortDispatch
from fabricgen.records.overlap import accesses_meet, actors_meet
from fabricgen.records.port import MemoryCapabilityAlternative, MemoryOperationPort
from fabricgen.records.resource import FixedPriority, GrantPolicy, ResourceContract, RoundRobin
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dataflow import OperationSchemaId, ServiceValueRole
from fabricgen.vocab.fabric import MemoryPortTransactionProjection

__all__ = ["ExpandedPort", "PortScope", "Written", "expand_port", "written_as"]

_AlternativeDocument = LoadDocument | StoreDocument

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

    ``accesses[i]`` is what its access class ``i`` admits; ``targets`` are the names of the
    services that it may reach.
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
            "port-without-alternative", where, "The port must have a load or a store, not none"
        )
    transactions = tuple(_transactions(document, written, scope.contexts, where))
    contract = _resource_contract(document, transactions, scope.contexts, where, findings)
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
) -> Iterator[tuple[str, OperationSchemaId, _AlternativeDocument]]:
    for index, load in enumerate(document.load):
        yield f"{where}.load[{index}]", OperationSchemaId.DATAFLOW_LOAD, load
    for index, store in enumerate(document.store):
        yield f"{where}.store[{index}]", OperationSchemaId.DATAFLOW_STORE, store


def _alternative(
    port: PortDocument,
    document: _AlternativeDocument,
    schema: OperationSchemaId,
    scope: PortScope,
    where: str,
    findings: Findings,
) -> Written | None:
    actors = actor_domain(schema, document.contract, f"{where}.contract", findings)
    classes = access_domains(document.access, f"{where}.access", findings)
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
        renamed(where, {"role_to_endpoint": "roles", "admissible_use_patterns": "patterns"}),
        lambda: MemoryCapabilityAlternative.of(actors, roles, union(classes), keys),
    )
    if alternative is None:
        findings.diagnostics[before:] = [
            with_endpoint_names(each, scope.endpoints) for each in findings.diagnostics[before:]
        ]
        return None
    reached = tuple(known[position] for position in sorted(set(targets)))
    return Written(where, schema, alternative, classes, reached)


def _roles(
    document: _AlternativeDocument,
    endpoints: Sequence[str],
    where: str,
    findings: Findings,
) -> tuple[tuple[ServiceValueRole, int], ...] | None:
    bound: dict[ServiceValueRole, str] = {
        role: name
        for role in ServiceValueRole
        if isinstance(name := getattr(document.roles, role.name.lower(), None), str)
    }
    found: list[tuple[ServiceValueRole, int]] = []
    for role, name in bound.items():
        keys = lookup([name], endpoints, f"{where}.{role.name.lower()}", findings)
        found += [(role, key) for key in keys or ()]
    return tuple(found) if len(found) == len(bound) else None


def _resource_contract(
    document: PortDocument,
    transactions: Sequence[int],
    contexts: int,
    where: str,
    findings: Findings,
) -> ResourceContract | None:
    depths = _operand_depths(document, f"{where}.resources.operand_depth", findings)
    if depths is None:
        return None
    where = f"{where}.resources"
    resources = document.resources
    if isinstance(resources, TemporalResourcesDocument):
        in_flight, result_holding = resources.in_flight, resources.result_holding
        grant = _grant(resources, contexts)
        if resources.context != contexts:
            findings.add(
                "context-count",
                f"{where}.context",
                f"The contexts must be the {contexts} resident_contexts of the memory, "
                f"not {resources.context}",
            )
            return None
    else:
        in_flight = (resources.in_flight,) * 2
        result_holding, grant = (resources.result_holding,) * 2, None
    return findings.attempt(
        renamed(
            where,
            {
                "grant_policy.order": "grant.fixed_priority.order",
                "grant_policy.reset_cursor": "grant.round_robin.reset_cursor",
                "grant_policy": "grant",
            },
        ),
        partial(
            port_contract,
            in_flight=(in_flight[0], in_flight[1]),
            result_holding=(result_holding[0], result_holding[1]),
            operand_depths=depths,
            transactions=transactions,
            contexts=contexts,
            grant=grant,
        ),
    )


def _grant(resources: TemporalResourcesDocument, contexts: int) -> GrantPolicy | None:
    match resources.grant:
        case None:
            return None
        case RoundRobinChoice(round_robin=policy):
            return RoundRobin(tuple(range(contexts)), policy.reset_cursor)
        case choice:
            return FixedPriority(tuple(choice.fixed_priority.order))


def _operand_depths(
    document: PortDocument, where: str, findings: Findings
) -> tuple[int, ...] | None:
    """One queue depth per input role of the port's alternatives, in role order."""
    roles = {
        role
        for _, schema, each in _places(document, where)
        for role in MEMORY_SCHEMAS[schema].input_roles
        if getattr(each.roles, role.name.lower(), None) is not None
    }
    ordered = [role.name.lower() for role in ServiceValueRole if role in roles]
    depth = document.resources.operand_depth
    if not isinstance(depth, OperandDepthDocument):
        return (depth,) * len(ordered)
    given = {name: value for name, value in depth if value is not None}
    if set(given) != set(ordered):
        findings.add(
            "operand-depth-roles",
            where,
            f"A depth must be given for {', '.join(ordered)}, not for "
            f"{', '.join(given) or 'no role'}",
        )
        return None
    return tuple(int(given[name]) for name in ordered)
