"""Builds the drivers of a job's channels, and says how its rows are connected."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from sim.endpoints import (
    Egress,
    EndpointPins,
    Ingress,
    IngressStream,
    Result,
    TaggedEgress,
    TaggedIngress,
    TaggedResult,
    label,
)
from sim.findings import Findings
from sim.job import EgressJob, IngressJob, Job, RowJob, Run
from sim.monitors import EndpointCount, TokenOrder
from sim.stalls import Stall
from sim.wait_for import RowLinks

__all__ = ["channel_groups", "make_egresses", "make_ingresses", "row_links", "sides", "sinks"]

_Stream = TypeVar("_Stream", IngressJob, EgressJob)


def channel_groups(job: Job) -> list[list[str]]:
    """Channels by the row that owns them, then those that no row, or several, own."""
    rows = [*(row.row for row in job.rows), None]
    streams = (*job.ingresses, *job.egresses)
    return [[label(s.endpoint, s.tag) for s in streams if s.row == row] for row in rows]


def sinks(job: Job) -> list[str]:
    """Channels that may be dead: egresses of rows, and the two sides of managers."""
    outs = [label(s.endpoint, s.tag) for s in job.egresses if s.row is not None]
    return [*outs, *(side for item in job.managers for side in sides(item.name))]


def sides(endpoint: str) -> tuple[str, str]:
    """Names of the two channels of a manager or subordinate."""
    return f"{endpoint}_req", f"{endpoint}_rsp"


def make_ingresses(
    job: Job,
    run: Run,
    pins: Mapping[str, EndpointPins],
    stall: Mapping[str, Stall],
    findings: Findings,
) -> list[Ingress | TaggedIngress]:
    """One driver per input endpoint."""
    found: list[Ingress | TaggedIngress] = []
    for endpoint, streams in _by_endpoint(job.ingresses).items():
        counts = [
            EndpointCount(findings, label(endpoint, item.tag), item.row, item.taken)
            for item in streams
        ]
        stalled = [stall[label(endpoint, item.tag)] for item in streams]
        shape = streams[0]
        if not shape.tag_width:
            found.append(Ingress(shape, pins[endpoint], stalled[0], counts[0], run.seed))
            continue
        parts = [
            IngressStream(*part)
            for part in zip(streams, stalled, counts, strict=True)
            if part[0].tag is not None
        ]
        found.append(TaggedIngress(parts, shape, pins[endpoint], run.seed))
    return found


def make_egresses(
    job: Job, pins: Mapping[str, EndpointPins], stall: Mapping[str, Stall], findings: Findings
) -> tuple[list[Egress | TaggedEgress], list[Result]]:
    """One driver per output endpoint, and each stream that comes out of it."""
    egresses: list[Egress | TaggedEgress] = []
    results: list[Result] = []
    for endpoint, streams in _by_endpoint(job.egresses).items():
        shape = streams[0]
        if not shape.tag_width:
            order = _order(shape, findings)
            egress = Egress(shape, pins[endpoint], stall[endpoint], order)
            egresses.append(egress)
            results.append(egress)
            continue
        parts = [
            TaggedResult(item, stall[label(endpoint, item.tag)], _order(item, findings))
            for item in streams
            if item.tag is not None
        ]
        egresses.append(TaggedEgress(parts, shape, pins[endpoint], findings))
        results += parts
    return egresses, results


def _order(job: EgressJob, findings: Findings) -> TokenOrder:
    name = job.role or label(job.endpoint, job.tag)
    return TokenOrder(findings, -1 if job.row is None else job.row, name, job.width, job.tokens)


def _by_endpoint(streams: Sequence[_Stream]) -> dict[str, list[_Stream]]:
    found: dict[str, list[_Stream]] = {}
    for item in streams:
        found.setdefault(item.endpoint, []).append(item)
    return found


def row_links(row: RowJob, job: Job) -> RowLinks:
    """What one row is connected to."""
    return RowLinks(
        row=row.row,
        port=row.port,
        target=row.target,
        external={
            str(item.role): label(item.endpoint, item.tag)
            for item in job.ingresses
            if item.row == row.row
        },
        internal={edge.role: (edge.connection, edge.producer) for edge in row.internal},
        exposed=tuple(
            label(item.endpoint, item.tag) for item in job.egresses if item.row == row.row
        ),
    )
