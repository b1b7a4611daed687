"""Admissions of the loop-control and token families."""

from collections.abc import Iterator, Sequence
from typing import cast

from fabricgen.errors import Diagnostic
from fabricgen.hsg.admission_rules import (
    capacity_findings,
    fit_findings,
    narrow,
    port_findings,
    predicate_findings,
    width_findings,
)
from fabricgen.hsg.lanes import effective_widths
from fabricgen.hsg.params import CapabilityParams
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.token_params import (
    LoopStreamParams,
    PayloadCapacityParams,
    RoutedTokenParams,
    TokenPlaneParams,
)
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.payload import StreamRecurrence
from fabricgen.schema.types import IndexType, ValueType
from fabricgen.vocab.words import word

__all__ = ["constant_token", "demux_token", "mux_token", "stream", "sync_token", "token_plane"]


def stream(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """An admitted width and predicate, and the one step of the resource."""
    record = narrow(params, LoopStreamParams)
    yield from width_findings("operands[0]", actor.operands[0], record.integer_widths)
    # A stream has no payload of another case.
    recurrence = cast("StreamRecurrence", actor.payload)
    yield from predicate_findings(recurrence.predicate, record.continuation_predicates)
    if recurrence.step is not record.fixed_step_kind:
        yield Diagnostic(
            "admission-step",
            "payload.step",
            f"The step must be {word(record.fixed_step_kind)}, not {word(recurrence.step)}",
        )
    yield from port_findings(ports, actor)


def token_plane(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """A payload that tokens carry, within the ports."""
    narrow(params, TokenPlaneParams)
    yield from _payload_findings(f"operands[{len(actor.operands) - 1}]", actor.operands[-1])
    yield from port_findings(ports, actor)


def constant_token(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """A constant within payload and port."""
    record = narrow(params, PayloadCapacityParams)
    yield from capacity_findings("results[0]", actor.results[0].bits, record.max_payload_bits)
    yield from port_findings(ports, actor)


def sync_token(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """Lanes within fan and payload, each with a lane of hardware that is wide enough."""
    record = narrow(params, RoutedTokenParams)
    yield from _lane_findings("operands", actor.operands, record)
    physical = [width for _, width in effective_widths(actor.schema_id, record, ports)]
    yield from _room_findings("operands", [kind.bits for kind in actor.operands], physical)


def mux_token(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """Choices within fan and payload, enough inputs of their width, a selector that fits."""
    record = narrow(params, RoutedTokenParams)
    yield from _lane_findings("operands", actor.operands[1:], record)
    physical = [width for _, width in effective_widths(actor.schema_id, record, ports)]
    yield from _room_findings("operands", [kind.bits for kind in actor.operands[1:]], physical)
    yield from fit_findings("operands[0]", actor.operands[0], ports.inputs[0])


def demux_token(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """Results within fan and payload, enough outputs of their width, a selector that fits."""
    record = narrow(params, RoutedTokenParams)
    yield from _lane_findings("results", actor.results, record)
    physical = [width for _, width in effective_widths(actor.schema_id, record, ports)]
    yield from _room_findings("results", [kind.bits for kind in actor.results], physical)
    yield from fit_findings("operands[0]", actor.operands[0], ports.inputs[0])


def _payload_findings(where: str, kind: ValueType) -> Iterator[Diagnostic]:
    if isinstance(kind, IndexType):
        yield Diagnostic(
            "admission-payload-type",
            where,
            f"The payload must be a signless integer, float, vector, pointer or none, not {kind}",
        )


def _lane_findings(
    where: str, lanes: Sequence[ValueType], record: RoutedTokenParams
) -> Iterator[Diagnostic]:
    for kind in dict.fromkeys(lanes):
        yield from _payload_findings(where, kind)
        yield from capacity_findings(where, kind.bits, record.max_payload_bits)
    if len(lanes) > record.max_fan:
        yield Diagnostic(
            "admission-fan",
            where,
            f"There must be at most {record.max_fan} lanes, not {len(lanes)}",
        )


def _room_findings(
    where: str, lanes: Sequence[int], physical: Sequence[int]
) -> Iterator[Diagnostic]:
    """Each lane gets a physical lane of its own that is wide enough."""
    wanted, offered = sorted(lanes, reverse=True), sorted(physical, reverse=True)
    if len(wanted) > len(offered) or any(
        want > have for want, have in zip(wanted, offered, strict=False)
    ):
        yield Diagnostic(
            "admission-lane-room",
            where,
            f"Lanes of {wanted} bits must fit distinct physical lanes, not those of {offered}",
        )
