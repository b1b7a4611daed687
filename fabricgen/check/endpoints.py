"""Endpoints and the roles that ports bind to them: direction, kind, sharing.

Spec: Spatial Ports, Temporal Ports And Resident Capacity, Persistent Capability Schema.
"""

from collections.abc import Iterator

from fabricgen.errors import Diagnostic
from fabricgen.records.occurrence import (
    EngineContract,
    MemoryOccurrence,
    OperationEngine,
    Spatial,
    Temporal,
)
from fabricgen.records.port import MemoryCapabilityAlternative
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dataflow import ServiceValueRole
from fabricgen.vocab.fabric import EndpointDirection

__all__ = ["endpoint_findings", "role_place"]

#: Roles whose tokens carry no payload.
_EVENTS = (ServiceValueRole.CONTROL, ServiceValueRole.COMPLETION)


def role_place(alternative: str, role: ServiceValueRole) -> str:
    """Path of one role binding."""
    return f"{alternative}.role_to_endpoint[{role.name.lower()}]"


def endpoint_findings(occurrence: MemoryOccurrence, where: str) -> Iterator[Diagnostic]:
    """Say which endpoints are out of order or tagged, and which roles are bound wrongly."""
    yield from _order_findings(occurrence, where)
    if occurrence.engine is None:
        return
    yield from _tag_findings(occurrence, occurrence.engine.contract, where)
    count = len(occurrence.endpoints)
    shared = _payload_endpoints(occurrence.engine)
    for ordinal, port in enumerate(occurrence.engine.ports):
        place = f"{where}.port[{ordinal}]"
        for index, endpoint in enumerate(port.endpoint_inventory):
            if not 0 <= endpoint < count:
                yield Diagnostic(
                    "port-endpoint-missing",
                    f"{place}.endpoint_inventory[{index}]",
                    f"The endpoint must be one of {count}, not {endpoint}",
                )
        for key, alternative in enumerate(port.capability_alternatives):
            there = f"{place}.alternative[{key}]"
            yield from _role_findings(occurrence, alternative, shared, there)
            if isinstance(occurrence.engine.contract, Spatial):
                yield from _sharing_findings(alternative, there)


def _order_findings(occurrence: MemoryOccurrence, where: str) -> Iterator[Diagnostic]:
    seen_output: int | None = None
    for ordinal, endpoint in enumerate(occurrence.endpoints):
        if endpoint.direction is EndpointDirection.OUT:
            seen_output = ordinal if seen_output is None else seen_output
        elif seen_output is not None:
            yield Diagnostic(
                "endpoint-order",
                f"{where}.endpoint[{ordinal}]",
                f"Inputs must stand before all outputs, not behind output {seen_output}",
            )


def _tag_findings(
    occurrence: MemoryOccurrence, contract: EngineContract, where: str
) -> Iterator[Diagnostic]:
    """No tag in a Spatial engine; tags of the first endpoint's width in a Temporal one."""
    is_temporal = isinstance(contract, Temporal)
    widths = [each.tag_width for each in occurrence.endpoints if each.tag_width is not None]
    for ordinal, endpoint in enumerate(occurrence.endpoints):
        place, width = f"{where}.endpoint[{ordinal}].tag_width", endpoint.tag_width
        if width is None:
            if is_temporal:
                yield Diagnostic(
                    "endpoint-untagged",
                    place,
                    "An endpoint of a Temporal engine must have a tag, not none",
                )
        elif not is_temporal:
            yield Diagnostic(
                "endpoint-tagged",
                place,
                f"An endpoint of a Spatial engine must have no tag, not {width} bits",
            )
        elif width != widths[0]:
            yield Diagnostic(
                "endpoint-tag-widths",
                place,
                f"The tags of an engine must all have {widths[0]} bits, not {width}",
            )


def _payload_endpoints(engine: OperationEngine) -> frozenset[int]:
    """Endpoints of a Temporal engine that some role with a payload has; tags tell roles apart."""
    if not isinstance(engine.contract, Temporal):
        return frozenset()
    return frozenset(
        endpoint
        for port in engine.ports
        for alternative in port.capability_alternatives
        for role, endpoint in alternative.role_to_endpoint
        if role not in _EVENTS
    )


def _role_findings(
    occurrence: MemoryOccurrence,
    alternative: MemoryCapabilityAlternative,
    shared: frozenset[int],
    where: str,
) -> Iterator[Diagnostic]:
    inputs = MEMORY_SCHEMAS[alternative.actor_contract_domain.actor_schema].input_roles
    for role, ordinal in alternative.role_to_endpoint:
        if not 0 <= ordinal < len(occurrence.endpoints):
            continue  # The port's inventory reports it.
        endpoint, place = occurrence.endpoints[ordinal], role_place(where, role)
        direction = EndpointDirection.IN if role in inputs else EndpointDirection.OUT
        if endpoint.direction is not direction:
            is_result = role is ServiceValueRole.DATA and direction is EndpointDirection.IN
            yield Diagnostic(
                "store-data-result" if is_result else "role-direction",
                place,
                f"The role must have an {direction.name} endpoint, "
                f"not endpoint {ordinal}, which is {endpoint.direction.name}",
            )
        # Tokens of a control role may share an ingress with those of roles with a payload.
        is_shared = role in inputs and ordinal in shared
        if role in _EVENTS and endpoint.payload_width and not is_shared:
            yield Diagnostic(
                "role-kind",
                place,
                f"The role must have an endpoint without payload, not endpoint {ordinal} of "
                f"{endpoint.payload_width} bits",
            )


def _sharing_findings(alternative: MemoryCapabilityAlternative, where: str) -> Iterator[Diagnostic]:
    """All maximal roles of an alternative can be active in one firing, so none may share.

    In a Temporal engine tags tell input roles apart; that results do not share is a rule of the
    alternative itself.
    """
    owners: dict[int, ServiceValueRole] = {}
    for role, ordinal in alternative.role_to_endpoint:
        owner = owners.setdefault(ordinal, role)
        if owner is not role:
            yield Diagnostic(
                "role-endpoint-shared",
                role_place(where, role),
                f"Each role must have an endpoint of its own, not endpoint {ordinal}, which "
                f"{owner.name.lower()} has",
            )
