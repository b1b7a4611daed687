"""Builds the drivers of a job's channels, and says how its rows are connected."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import TypeVar

from sim.bus_bursts import bursts
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
from sim.job import EgressJob, IngressJob, Job, ManagerJob, RowJob, Run, SubordinateJob
from sim.monitors import EndpointCount, TokenOrder
from sim.stalls import AFTER, Stall
from sim.wait_for import RowLinks

__all__ = [
    "channel_groups",
    "deaths",
    "make_egresses",
    "make_ingresses",
    "parts",
    "row_links",
    "sides",
]

_READ, _WRITE = 0, 1
#: Channels of a bus by the kind of beat that needs them.
_CHANNELS = {_READ: ("ar", "r"), _WRITE: ("aw", "w", "b")}
#: Those on which answers come.
_ANSWERS = frozenset({"r", "b"})
#: Transfers, at most, that pass before a pause takes effect.
_LATE = 1

_Stream = TypeVar("_Stream", IngressJob, EgressJob)


def channel_groups(job: Job) -> list[list[str]]:
    """Channels by the row that owns them, then those that no row, or several, own."""
    rows = [*(row.row for row in job.rows), None]
    streams = (*job.ingresses, *job.egresses)
    return [[label(s.endpoint, s.tag) for s in streams if s.row == row] for row in rows]


def deaths(job: Job) -> dict[str, str]:
    """What may be dead, each with what that is in words.

    Egresses on which a row publishes, and every channel of managers and subordinates that some beat
    needs. Of a subordinate answers, or the data of a burst, may also end in the middle.
    """
    outs = [
        label(item.endpoint, item.tag)
        for item in job.egresses
        if item.row is not None and item.tokens
    ]
    found = dict.fromkeys(outs, "egress of a row")
    for kind, items in (("manager", job.managers), ("subordinate", job.subordinates)):
        for item in items:
            used = tuple(_used(item))
            found |= {full: f"{short} of {item.protocol} {kind}" for short, full in used}
            if isinstance(item, SubordinateJob):
                found |= {
                    f"{full}{AFTER}{tokens}": f"{short} of {item.protocol} {kind}, {when}"
                    for short, full in used
                    for tokens, when in _middle(item, short)
                }
    return found


def _used(item: ManagerJob | SubordinateJob) -> Iterator[tuple[str, str]]:
    """Channels that some beat needs: what a protocol calls them, and their whole names."""
    kinds = {beat.kind for beat in item.beats}
    if item.protocol == "stream" and kinds:
        yield from zip(("req", "rsp"), sides(item.name), strict=True)
    elif item.protocol != "stream":
        for kind, names in _CHANNELS.items():
            for name in names if kind in kinds else ():
                yield name, f"{item.name}_axi_{name}"


def _middle(item: SubordinateJob, channel: str) -> Iterator[tuple[int, str]]:
    """Tokens that pass before a channel dies in the middle of its traffic, and where that is.

    Another maker's peer lets one more pass, so a burst that ends early has three transfers or more.
    """
    if channel in ("rsp", *_ANSWERS) and len(item.beats) > 1:
        yield 1, "after the first"
    if channel == "w":
        passed = 0
        for burst in bursts(item, Random(0), 1.0):
            if burst.kind == _WRITE and len(burst.parts) > _LATE + 1:
                yield passed + 1, "in a burst"
                return
            passed += len(burst.parts) * (burst.kind == _WRITE)


def sides(endpoint: str) -> tuple[str, str]:
    """Names of the two channels of a manager or subordinate."""
    return f"{endpoint}_req", f"{endpoint}_rsp"


def parts(item: ManagerJob | SubordinateJob) -> dict[str, str]:
    """Channels of a bus, each with the side that it belongs to; a stream has no parts."""
    if item.protocol == "stream":
        return {}
    asked, answered = sides(item.name)
    return {
        f"{item.name}_axi_{name}": answered if name in _ANSWERS else asked
        for names in _CHANNELS.values()
        for name in names
    }


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
