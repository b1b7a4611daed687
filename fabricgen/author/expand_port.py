"""Operation ports out of a document: alternatives, dispatch and resource contract."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fabricgen.author.expand_access import access_domains, classes_place, union
from fabricgen.author.expand_contract import actor_domain
from fabricgen.author.expand_named_contract import (
    contract_place,
    expand_contract,
    require_one_contract,
)
from fabricgen.author.expand_patterns import (
    PatternNames,
    pattern_names,
    pattern_place,
    pattern_semantics,
)
from fabricgen.author.expand_resources import bound_names, port_resource_contract
from fabricgen.author.findings import Findings, Place, lookup, renamed, with_endpoint_names
from fabricgen.author.port_document import AlternativeDocument, FenceDocument, PortDocument
from fabricgen.errors import Diagnostic, Unsupported
from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.connectivity import MemoryDispatchTarget, OperationPortDispatch
from fabricgen.records.overlap import accesses_meet, actors_meet
from fabricgen.records.port import MemoryCapabilityAlternative, MemoryOperationPort
from fabricgen.records.resource import ResourceContract
from fabricgen.vocab.dataflow import OperationSchemaId, ServiceValueRole

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
        Names of its use patterns.
    contract_place
        Places of paths inside its resource contract.
    """

    record: MemoryOperationPort
    dispatch: OperationPortDispatch
    written: tuple[Written, ...]
    patterns: PatternNames
    contract_place: Place


def expand_port(
    document: PortDocument, scope: PortScope, where: str, findings: Findings
) -> ExpandedPort | None:
    """Build one port and its dispatch.

    Raises
    ------
    Unsupported
        ``active-lanes-limit``: a walk of more lanes than any realised token has.
    """
    require_one_contract(document.resources, document.contract, where, findings)
    patterns = pattern_names(document, scope.contexts, f"{where}.patterns", findings)
    places = list(_places(document, where))
    attempts = [
        _alternative(patterns, each, schema, scope, place, findings)
        for place, schema, each in places
    ]
    written = tuple(each for each in attempts if each is not None)
    if not places:
        findings.add(
            "port-without-alternative",
            where,
            "The port must have a load, store, rmw, cmpxchg or fence, not none",
        )
    contract = _contract(document, written, patterns, scope.contexts, where, findings)
    semantics = pattern_semantics(document, patterns)
    further = lookup(document.endpoints, scope.endpoints, f"{where}.endpoints", findings)
    if contract is None or semantics is None or further is None:
        return None
    if not written or len(written) < len(places):
        return None
    used = {endpoint for w in written for _, endpoint in w.alternative.role_to_endpoint}
    record = findings.attempt(
        pattern_place(document, patterns, where),
        lambda: MemoryOperationPort.of(
            endpoint_inventory=sorted(used | set(further)),
            resource_contract=contract,
            operation_pattern_semantics=semantics,
            capability_alternatives=tuple(w.alternative for w in written),
        ),
    )
    dispatch = None if record is None else _dispatch(record, written, scope, findings)
    if record is None or dispatch is None:
        return None
    place = contract_place(document.contract, where)
    return ExpandedPort(record, dispatch, written, patterns, place)


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


def _contract(
    document: PortDocument,
    written: Sequence[Written],
    patterns: PatternNames,
    contexts: int,
    where: str,
    findings: Findings,
) -> ResourceContract | None:
    if document.contract is not None:
        return expand_contract(document.contract, contexts, where, findings)
    transactions = tuple(_transactions(document, written, patterns, where))
    if document.resources is None:
        return None
    return port_resource_contract(
        document.resources,
        [(schema, each) for _, schema, each in _places(document, where)],
        transactions,
        contexts,
        f"{where}.resources",
        findings,
    )


def _transactions(
    document: PortDocument, written: Sequence[Written], patterns: PatternNames, where: str
) -> Iterator[int]:
    """Internal transactions of each pattern: for a walk, the lanes of its widest access."""
    for position, pattern in enumerate(document.patterns):
        if pattern.projection == "direct":
            yield 1
            continue
        key = patterns.keys(position)[0]
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
    port_patterns: PatternNames,
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
    names = port_patterns.names
    patterns = lookup(document.patterns, names, f"{where}.patterns", findings)
    known = list(scope.targets)
    targets = lookup(document.targets, known, f"{where}.targets", findings) if known else None
    if actors is None or classes is None or roles is None or patterns is None or targets is None:
        return None
    keys = [key for pattern in patterns for key in port_patterns.keys(pattern)]
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
