"""Everything that makes a configured occurrence illegal (spec: Operation Rows).

One owner: authoring, the carrier's codec and the model ask here.
"""

from collections.abc import Iterator
from dataclasses import replace

from fabricgen.atoms.unsigned import U64_MAX
from fabricgen.errors import Diagnostic
from fabricgen.errors.listing import listed
from fabricgen.plan.admission import admitting_capability
from fabricgen.plan.demand import (
    is_temporal,
    memory_demand,
    row_alternative,
    row_capacity,
    tag_width,
)
from fabricgen.plan.provider_decode import decode_findings
from fabricgen.plan.roles import RoleBindings, active_roles
from fabricgen.plan.rows import Active, Disabled, MemoryConfiguration, OperationRow
from fabricgen.plan.support import supports_memory_access
from fabricgen.plan.table_check import table_findings
from fabricgen.records.connectivity import LocalMemoryServiceTarget, target_words
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.vocab.dataflow import ServiceValueRole
from fabricgen.vocab.words import words

__all__ = ["configuration_findings"]


def configuration_findings(
    named: NamedMemory, configuration: MemoryConfiguration
) -> tuple[Diagnostic, ...]:
    """Report every reason why the configuration is not legal on this memory; empty when it is."""
    match configuration:
        case Disabled():
            return ()
        case Active(rows, decode):  # exhaustive
            return (
                *_emptiness_findings(configuration),
                *_table_findings(named.occurrence, rows),
                *decode_findings(named.occurrence, decode),
            )


def _emptiness_findings(configuration: Active) -> Iterator[Diagnostic]:
    decode_rows = (row for rows in configuration.provider_decode for row in rows)
    if not any(configuration.operation_rows) and not any(decode_rows):
        yield Diagnostic(
            "configuration-without-row",
            "operation_rows",
            "An Active configuration has at least one Active row, not 0; Disabled has none",
        )


def _table_findings(
    occurrence: MemoryOccurrence, rows: tuple[OperationRow | None, ...]
) -> Iterator[Diagnostic]:
    capacity = row_capacity(occurrence)
    if len(rows) != capacity:
        schedule = "Temporal" if is_temporal(occurrence) else "Spatial"
        owner = "context" if is_temporal(occurrence) else "port"
        yield Diagnostic(
            "row-count",
            "operation_rows",
            f"A {schedule} table has one row per {owner}, {capacity}, not {len(rows)}",
        )
        return
    for ordinal, row in enumerate(rows):
        if row is not None:
            for finding in _row_findings(occurrence, ordinal, row):
                yield replace(finding, where=f"operation_rows[{ordinal}].{finding.where}")
    yield from table_findings(occurrence, rows, memory_demand(occurrence, rows))


def _row_findings(
    occurrence: MemoryOccurrence, ordinal: int, row: OperationRow
) -> Iterator[Diagnostic]:
    if found := tuple(_port_findings(occurrence, ordinal, row)):
        yield from found
        return
    if (alternative := row_alternative(occurrence, row)) is None:
        yield Diagnostic(
            "row-alternative-range",
            "capability_alternative",
            f"The alternative must be one of the port's, not {row.capability_alternative}",
        )
        return
    unsupported = supports_memory_access(
        occurrence, row.port, row.capability_alternative, row.actor, row.access, row.use_pattern
    )
    yield from unsupported
    yield from _context_findings(occurrence, ordinal, row)
    yield from _target_findings(occurrence, row, is_supported=not unsupported)
    if row.actor.schema_id is alternative.actor_contract_domain.actor_schema:
        inputs, results = active_roles(alternative, row.actor, row.access)
        yield from _source_findings(occurrence, row, inputs)
        yield from _destination_findings(occurrence, row, results)


def _port_findings(
    occurrence: MemoryOccurrence, ordinal: int, row: OperationRow
) -> Iterator[Diagnostic]:
    ports = 0 if occurrence.engine is None else len(occurrence.engine.ports)
    if is_temporal(occurrence):
        if not 0 <= row.port < ports:
            yield Diagnostic(
                "row-port", "port", f"The port must be one of the {ports} ports, not {row.port}"
            )
    elif row.port != ordinal:
        yield Diagnostic(
            "row-port",
            "port",
            f"Row {ordinal} of a Spatial table is port {ordinal}, not {row.port}",
        )


def _context_findings(
    occurrence: MemoryOccurrence, ordinal: int, row: OperationRow
) -> Iterator[Diagnostic]:
    """The requester of a use pattern is a context, and row ``k`` of a Temporal table is one."""
    if not is_temporal(occurrence):
        return
    patterns = occurrence.operation_ports[row.port].resource_contract.use_patterns
    if 0 <= row.use_pattern < len(patterns):
        requester = patterns[row.use_pattern].requester
        if requester != ordinal:
            yield Diagnostic(
                "row-context",
                "use_pattern",
                f"The requester of the use pattern must be row {ordinal}, not {requester}",
            )


def _tag_findings(
    occurrence: MemoryOccurrence, tag: int | None, where: str, *, is_external: bool
) -> Iterator[Diagnostic]:
    """A tag is there exactly where a Temporal role meets its endpoint, and fits it."""
    width = tag_width(occurrence)
    if (tag is not None) != (is_external and width is not None):
        if tag is None:
            text = "A role at an endpoint of a Temporal memory must have a tag, not none"
        elif width is None:
            text = f"A role of a Spatial memory must have no tag, not {tag}"
        else:
            text = f"A role that meets no endpoint must have no tag, not {tag}"
        yield Diagnostic("row-tag-presence", where, text)
    elif tag is not None and width is not None and not 0 <= tag < 1 << width:
        yield Diagnostic("row-tag-range", where, f"The tag must fit {width} bits, not be {tag}")


def _target_findings(
    occurrence: MemoryOccurrence, row: OperationRow, *, is_supported: bool
) -> Iterator[Diagnostic]:
    dispatch = occurrence.connectivity.operation_ports[row.port]
    targets = dispatch.capability_target_domains[row.capability_alternative]
    if row.service_target not in targets:
        yield Diagnostic(
            "row-target",
            "service_target",
            f"The target must lie in H_dispatch, {target_words(targets)}, "
            f"not {target_words([row.service_target])}",
        )
    if row.base_addr and (row.access is None or row.access.address_pointer_format is not None):
        yield Diagnostic(
            "row-base-unused",
            "base_addr",
            f"The base must be 0 in a fence, and where addresses are complete pointers, "
            f"not {row.base_addr}",
        )
    if not 0 <= row.base_addr <= U64_MAX:
        yield Diagnostic(
            "row-base-range",
            "base_addr",
            f"The base address must be from 0 to 2**64 - 1, not {row.base_addr}",
        )
    service = occurrence.local_service
    if service is None or not isinstance(row.service_target, LocalMemoryServiceTarget):
        return
    if row.base_addr >= service.capacity_bytes:
        yield Diagnostic(
            "row-base-outside",
            "base_addr",
            f"The base address of a local row must lie inside the {service.capacity_bytes} bytes "
            f"of the service, not at {row.base_addr}",
        )
    # An access that the port itself refuses is reported once.
    if is_supported and admitting_capability(occurrence, row) is None:
        contract = service.memory_service_contract
        served = any(
            contract.capabilities[ordinal].actor_contract_domain.contains(row.actor)
            for ordinal in contract.serving_capabilities(row.port)
        )
        where, what = ("access", "access") if served else ("actor.contract", "contract")
        yield Diagnostic(
            "row-service-capability",
            where,
            f"Some capability of the local service that port {row.port} may use must admit the "
            f"{what}, not none",
        )


def _source_findings(
    occurrence: MemoryOccurrence, row: OperationRow, inputs: RoleBindings
) -> Iterator[Diagnostic]:
    active, bound = [role for role, _ in inputs], dict(inputs)
    if [role for role, _ in row.sources] != active:
        yield _role_mismatch("row-sources", "sources", active, [role for role, _ in row.sources])
    connections = occurrence.connectivity.internal_connections
    for role, source in row.sources:
        yield from _tag_findings(
            occurrence,
            source.tag,
            f"sources.{role.name.lower()}",
            is_external=source.connection is None,
        )
        if source.connection is None or role not in bound:
            continue
        if not (
            0 <= source.connection < len(connections)
            and connections[source.connection].sink_endpoint_ordinal == bound[role]
        ):
            yield Diagnostic(
                "row-source-connection",
                f"sources.{role.name.lower()}",
                f"The connection must sink at endpoint {bound[role]}, "
                f"which connection {source.connection} does not",
            )


def _destination_findings(
    occurrence: MemoryOccurrence, row: OperationRow, results: RoleBindings
) -> Iterator[Diagnostic]:
    active, bound = [role for role, _ in results], dict(results)
    named = [role for role, _ in row.destinations]
    if named != active:
        yield _role_mismatch("row-destinations", "destinations", active, named)
    connections = occurrence.connectivity.internal_connections
    for role, destination in row.destinations:
        where = f"destinations.{role.name.lower()}"
        chosen = destination.connections
        yield from _tag_findings(occurrence, destination.tag, where, is_external=destination.expose)
        if not destination.expose and not chosen:
            yield Diagnostic(
                "row-destination-missing",
                where,
                "An active result must go to its endpoint (expose, or a tag) or to an operand "
                "(to), not nowhere",
            )
        if list(chosen) != sorted(set(chosen)):
            yield Diagnostic(
                "row-destination-order",
                where,
                f"The connections must be ascending without repeats, not {listed(chosen)}",
            )
        for ordinal in chosen if role in bound else ():
            if not (
                0 <= ordinal < len(connections)
                and connections[ordinal].source_endpoint_ordinal == bound[role]
            ):
                yield Diagnostic(
                    "row-destination-connection",
                    where,
                    f"The connection must start at endpoint {bound[role]}, "
                    f"which connection {ordinal} does not",
                )


def _role_mismatch(
    code: str, where: str, active: list[ServiceValueRole], found: list[ServiceValueRole]
) -> Diagnostic:
    return Diagnostic(
        code,
        where,
        f"The roles must be exactly {words(active)} in this order, not {words(found)}",
    )
