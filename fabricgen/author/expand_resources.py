"""Resource contracts of operation ports out of a document: capacities, queues, grants."""

from collections.abc import Iterable, Sequence
from functools import partial

from fabricgen.author.findings import Findings, renamed
from fabricgen.author.grant_document import RoundRobinChoice
from fabricgen.author.port_document import (
    AlternativeDocument,
    OperandDepthDocument,
    SpatialResourcesDocument,
    TemporalResourcesDocument,
)
from fabricgen.plan.contract import port_contract
from fabricgen.records.resource import FixedPriority, GrantPolicy, ResourceContract, RoundRobin
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dataflow import OperationSchemaId, ServiceValueRole

__all__ = ["bound_names", "port_resource_contract"]


def bound_names(document: AlternativeDocument) -> dict[ServiceValueRole, str]:
    """Endpoint names of the roles that an alternative binds, in role order."""
    return {
        role: name
        for role in ServiceValueRole
        if isinstance(name := getattr(document.roles, role.name.lower(), None), str)
    }


def port_resource_contract(
    resources: SpatialResourcesDocument | TemporalResourcesDocument,
    alternatives: Iterable[tuple[OperationSchemaId, AlternativeDocument]],
    transactions: Sequence[int],
    contexts: int,
    where: str,
    findings: Findings,
) -> ResourceContract | None:
    """Build the contract of one port from its capacities.

    Parameters
    ----------
    resources, alternatives
        The capacities, and the port's alternatives with the schemas of their actors.
    transactions
        Internal transactions of each pattern.
    contexts
        Rows that may select the port.
    where, findings
        Place of the capacities, and what is wrong so far.
    """
    depths = _operand_depths(
        resources.operand_depth, alternatives, f"{where}.operand_depth", findings
    )
    if depths is None:
        return None
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
    depth: int | OperandDepthDocument,
    alternatives: Iterable[tuple[OperationSchemaId, AlternativeDocument]],
    where: str,
    findings: Findings,
) -> tuple[int, ...] | None:
    """One queue depth per input role of the port's alternatives, in role order."""
    roles = {
        role
        for schema, each in alternatives
        for role in bound_names(each)
        if role in MEMORY_SCHEMAS[schema].input_roles
    }
    ordered = [role.name.lower() for role in ServiceValueRole if role in roles]
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
