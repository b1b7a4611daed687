"""Operation ports out of a document: alternatives and resource contract."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from fabricgen.author.expand_access import access_domains, actor_domain, union
from fabricgen.author.fabric_document import (
    LoadDocument,
    OperandDepthDocument,
    PortDocument,
    StoreDocument,
)
from fabricgen.author.findings import Findings, Place, lookup, renamed
from fabricgen.plan.contract import port_contract
from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.port import MemoryCapabilityAlternative, MemoryOperationPort
from fabricgen.records.resource import ResourceContract
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dataflow import OperationSchemaId, ServiceValueRole
from fabricgen.vocab.fabric import MemoryPortTransactionProjection

__all__ = ["ExpandedPort", "Written", "expand_port"]

_AlternativeDocument = LoadDocument | StoreDocument


@dataclass(frozen=True, slots=True)
class Written:
    """One alternative before the port's relation is normalised, and where it was written.

    ``accesses[i]`` is what its access class ``i`` admits.
    """

    where: str
    schema: OperationSchemaId
    alternative: MemoryCapabilityAlternative
    accesses: tuple[ParameterizedMemoryAccessDomain, ...]


@dataclass(frozen=True, slots=True)
class ExpandedPort:
    """One port's record, its alternatives as they were written, and its patterns' names."""

    record: MemoryOperationPort
    written: tuple[Written, ...]
    patterns: tuple[str, ...]


def expand_port(
    document: PortDocument, endpoints: Sequence[str], where: str, findings: Findings
) -> ExpandedPort | None:
    """Build one port; ``endpoints`` are the names of the memory's endpoints, by ordinal."""
    names = [(p.name, f"{where}.patterns[{i}].name") for i, p in enumerate(document.patterns)]
    findings.require_unique(names)
    places = list(_places(document, where))
    attempts = [
        _alternative(document, each, schema, endpoints, place, findings)
        for place, schema, each in places
    ]
    written = [each for each in attempts if each is not None]
    if not places:
        findings.add(
            "port-without-alternative", where, "The port must have a load or a store, not none"
        )
    contract = _resource_contract(document, where, findings)
    if contract is None or not written or len(written) < len(places):
        return None
    semantics = [MemoryPortTransactionProjection[p.projection.upper()] for p in document.patterns]
    used = {endpoint for w in written for _, endpoint in w.alternative.role_to_endpoint}
    record = findings.attempt(
        _place(where),
        lambda: MemoryOperationPort.of(
            endpoint_inventory=tuple(sorted(used)),
            resource_contract=contract,
            operation_pattern_semantics=tuple(semantics),
            capability_alternatives=tuple(w.alternative for w in written),
        ),
    )
    if record is None:
        return None
    return ExpandedPort(record, tuple(written), tuple(p.name for p in document.patterns))


def _place(where: str) -> Place:
    """Place what the complete port reports about its patterns."""

    def place(record_path: str) -> str:
        pattern = re.match(r"resource_contract\.use_patterns(\[\d+\])", record_path)
        return where if pattern is None else f"{where}.patterns{pattern[1]}"

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
    endpoints: Sequence[str],
    where: str,
    findings: Findings,
) -> Written | None:
    actors = actor_domain(schema, document.contract, f"{where}.contract", findings)
    classes = access_domains(document.access, f"{where}.access", findings)
    roles = _roles(document, endpoints, f"{where}.roles", findings)
    patterns = [pattern.name for pattern in port.patterns]
    keys = lookup(document.patterns, patterns, f"{where}.patterns", findings)
    targets = lookup(document.targets, ["local"], f"{where}.targets", findings)
    if actors is None or classes is None or roles is None or keys is None or targets is None:
        return None
    alternative = findings.attempt(
        renamed(where, {"role_to_endpoint": "roles", "admissible_use_patterns": "patterns"}),
        lambda: MemoryCapabilityAlternative.of(actors, roles, union(classes), keys),
    )
    return None if alternative is None else Written(where, schema, alternative, classes)


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
    document: PortDocument, where: str, findings: Findings
) -> ResourceContract | None:
    depths = _operand_depths(document, f"{where}.resources.operand_depth", findings)
    if depths is None:
        return None
    resources = document.resources
    return findings.attempt(
        f"{where}.resources",
        partial(
            port_contract,
            in_flight=(resources.in_flight,) * 2,
            result_holding=(resources.result_holding,) * 2,
            operand_depths=depths,
            transactions=(1,) * len(document.patterns),
        ),
    )


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
