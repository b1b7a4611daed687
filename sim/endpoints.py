"""Drivers of the token channels: what an ingress offers, and when an egress shows readiness.

They know pins only by ``.value``: a cocotb handle is one, and so is a wrapper around a signal of
the Amaranth simulator.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sim.findings import Finding, Findings
from sim.job import EgressJob, IngressJob
from sim.monitors import EndpointCount, FiringWindow, TokenOrder
from sim.stalls import Stall, takes_part

__all__ = [
    "Egress",
    "EndpointPins",
    "Ingress",
    "IngressStream",
    "Pin",
    "Result",
    "TaggedEgress",
    "TaggedIngress",
    "TaggedResult",
    "label",
]


class Pin(Protocol):
    """One signal. Reading gives something that ``bool`` and ``int`` refuse when it is unknown."""

    value: Any


@dataclass(frozen=True, slots=True)
class EndpointPins:
    """Pins of one endpoint; ``data`` is absent without payload, ``tag`` on an untagged channel."""

    valid: Pin
    ready: Pin
    data: Pin | None = None
    tag: Pin | None = None


def label(endpoint: str, tag: int | None) -> str:
    """One stream of one endpoint, as people read it."""
    return endpoint if tag is None else f"{endpoint} tag {tag}"


class Ingress:
    """Offers the tokens of an untagged endpoint in order; an offer stays until it is taken."""

    def __init__(
        self, job: IngressJob, pins: EndpointPins, stall: Stall, count: EndpointCount, seed: int
    ) -> None:
        self.job = job
        self.pins = pins
        self._stall = stall
        self._count = count
        self._noise = random.Random(f"{job.endpoint}/{seed}")
        self.window: FiringWindow | None = None
        self.is_offering = False
        self._moved = False
        self._next = 0
        pins.valid.value = 0
        if pins.data is not None:
            pins.data.value = 0

    def sample(self, cycle: int) -> "Ingress | None":
        """The stream of which a token is taken at the coming edge."""
        self._moved = self.is_offering and bool(self.pins.ready.value)
        if not self._moved:
            return None
        self._next += 1
        self._count.accept(cycle)
        return self

    def drive(self, cycle: int, cooperate: bool) -> None:
        """Offer, or show noise."""
        if self.is_offering and not self._moved:
            return
        pins, was_offering = self.pins, self.is_offering
        willing = takes_part(self._stall, cycle, moved=self._moved, cooperate=cooperate)
        self.is_offering = willing and self._next < len(self.job.tokens)
        if self.is_offering != was_offering:
            pins.valid.value = int(self.is_offering)
        if pins.data is not None and (self.is_offering or was_offering):
            # What stands on an idle channel means nothing, so let it be something.
            idle = self._noise.getrandbits(self.job.width)
            pins.data.value = self.job.tokens[self._next] if self.is_offering else idle

    @property
    def streams(self) -> "tuple[Ingress, ...]":
        """The only stream: the endpoint itself."""
        return (self,)

    @property
    def is_done(self) -> bool:
        """All tokens that the job wants taken are taken."""
        return self._next >= self.job.taken

    @property
    def is_exhausted(self) -> bool:
        """No token is left to offer."""
        return self._next >= len(self.job.tokens)


class IngressStream:
    """Tokens under one tag of a tagged ingress."""

    def __init__(self, job: IngressJob, stall: Stall, count: EndpointCount) -> None:
        self.job = job
        self.stall = stall
        self.count = count
        self.window: FiringWindow | None = None
        self.sent = 0
        self.refused_until = 0

    @property
    def is_done(self) -> bool:
        """All tokens that the job wants taken are taken."""
        return self.sent >= self.job.taken

    @property
    def is_exhausted(self) -> bool:
        """No token is left to offer."""
        return self.sent >= len(self.job.tokens)


class TaggedIngress:
    """Offers one of the endpoint's streams at a time, and turns to another one when refused.

    The stream of which fewest tokens were taken comes first; one that was refused comes last
    until every other one has had a cycle. Readiness may depend on the tag, so a producer that
    insisted on one stream would block the others by itself.
    """

    def __init__(
        self,
        streams: Sequence[IngressStream],
        shape: IngressJob,
        pins: EndpointPins,
        seed: int,
    ) -> None:
        self.streams = tuple(streams)
        self.job = shape
        self.pins = pins
        self._width = shape.width
        self._tag_width = shape.tag_width
        self._noise = random.Random(f"{shape.endpoint}/{seed}")
        self._offered: IngressStream | None = None
        self._moved: IngressStream | None = None
        self._stands: tuple[int, int, int] | None = None
        self._show(0, 0, 0)

    def sample(self, cycle: int) -> IngressStream | None:
        """The stream of which a token is taken at the coming edge."""
        offered = self._offered
        self._moved = None
        if offered is None:
            return None
        if not self.pins.ready.value:
            offered.refused_until = cycle + len(self.streams) + 1
            return None
        offered.sent += 1
        offered.count.accept(cycle)
        self._moved = offered
        return offered

    def drive(self, cycle: int, cooperate: bool) -> None:
        """Choose a stream and offer its next token, or show noise."""
        willing = [
            stream
            for stream in self.streams
            if takes_part(stream.stall, cycle, moved=stream is self._moved, cooperate=cooperate)
            and not stream.is_exhausted
        ]
        was_offering = self._offered is not None
        self._offered = None
        if willing:
            chosen = min(willing, key=lambda stream: (cycle < stream.refused_until, stream.sent))
            self._offered = chosen
            self._show(1, chosen.job.tokens[chosen.sent], chosen.job.tag or 0)
        elif was_offering:
            noise = self._noise
            self._show(0, noise.getrandbits(self._width), noise.getrandbits(self._tag_width))

    def _show(self, valid: int, data: int, tag: int) -> None:
        # A pin is slow to write, and an offer that is refused often stands.
        if (valid, data, tag) == self._stands:
            return
        self._stands = (valid, data, tag)
        pins = self.pins
        pins.valid.value = valid
        if pins.data is not None:
            pins.data.value = data
        if pins.tag is not None:
            pins.tag.value = tag


class Result(Protocol):
    """One result stream of one row, in one cycle."""

    job: EgressJob
    order: TokenOrder
    is_ready: bool
    is_willing: bool

    def sample(self, cycle: int) -> bool:
        """Tell whether a token of the stream is valid now, and check it."""
        ...


class Egress:
    """Takes what is valid on an untagged endpoint; readiness is what the stall pattern says."""

    def __init__(self, job: EgressJob, pins: EndpointPins, stall: Stall, order: TokenOrder) -> None:
        self.job = job
        self.pins = pins
        self._stall = stall
        self.order = order
        self.is_ready = False
        self._moved = False
        pins.ready.value = 0

    def sample(self, cycle: int) -> bool:
        """Tell whether a token is valid now, and check it."""
        is_valid = bool(self.pins.valid.value)
        self._moved = is_valid and self.is_ready
        if is_valid:
            self.order.take(cycle, payload(self.pins))
        return is_valid

    @property
    def is_willing(self) -> bool:
        """Readiness depends on nothing but the pattern."""
        return self.is_ready

    def drive(self, cycle: int, cooperate: bool) -> None:
        """Show readiness for the coming cycle."""
        ready = takes_part(self._stall, cycle, moved=self._moved, cooperate=cooperate)
        if ready != self.is_ready:
            self.pins.ready.value = int(ready)
            self.is_ready = ready


class TaggedResult:
    """The tokens under one tag of a tagged egress."""

    def __init__(self, job: EgressJob, stall: Stall, order: TokenOrder) -> None:
        self.job = job
        self.order = order
        self.stall = stall
        self.is_ready = False
        self.is_willing = False
        self.is_valid = False

    def sample(self, cycle: int) -> bool:
        """Tell whether a token is valid now; the egress has checked it."""
        return self.is_valid


class TaggedEgress:
    """Takes what is valid, and answers the tag on the channel with that tag's readiness.

    ``drive`` draws for each tag whether it is ready in the coming cycle; ``respond`` looks, later
    in that cycle, at the tag that is shown. A tag of which nothing is known is not ready.
    """

    def __init__(
        self,
        results: Sequence[TaggedResult],
        shape: EgressJob,
        pins: EndpointPins,
        findings: Findings,
    ) -> None:
        if pins.tag is None:
            raise ValueError(f"Egress {shape.endpoint} must have a tag, not none")
        self.results = {result.job.tag: result for result in results if result.job.tag is not None}
        self.job = shape
        self.pins = pins
        self._tag = pins.tag
        self._findings = findings
        self._is_ready = False
        pins.ready.value = 0

    def sample(self, cycle: int) -> bool:
        """Tell whether a token is valid now, and check it against the stream of its tag."""
        for result in self.results.values():
            result.is_valid = False
        if not self.pins.valid.value:
            return False
        tag = _shown(self._tag)
        result = None if tag is None else self.results.get(tag)
        if result is None:
            self._report(cycle, tag)
            return True
        result.is_valid = True
        result.order.take(cycle, payload(self.pins))
        return True

    def drive(self, cycle: int, cooperate: bool) -> None:
        """Draw the readiness of every tag for the coming cycle."""
        for result in self.results.values():
            moved = result.is_valid and result.is_ready
            result.is_willing = takes_part(result.stall, cycle, moved=moved, cooperate=cooperate)

    def respond(self) -> None:
        """Answer the tag that is shown now."""
        shown = _shown(self._tag)
        ready = False
        for tag, result in self.results.items():
            result.is_ready = tag == shown and result.is_willing
            ready |= result.is_ready
        if ready != self._is_ready:
            self.pins.ready.value = int(ready)
            self._is_ready = ready

    def _report(self, cycle: int, tag: int | None) -> None:
        kind = "unknown" if tag is None else "spurious"
        message = (
            f"A valid token of {self.job.endpoint} has an unknown tag"
            if tag is None
            else f"A token of {self.job.endpoint} has tag {tag}, under which no row publishes"
        )
        self._findings.add(Finding(kind, cycle, message, role=self.job.endpoint))


def payload(pins: EndpointPins) -> int | None:
    """Data of a valid token; ``None`` where some bit is unknown."""
    return 0 if pins.data is None else _shown(pins.data)


def _shown(pin: Pin) -> int | None:
    try:
        return int(pin.value)
    except ValueError:
        return None
