"""A memory behind one manager endpoint, on pins: it answers late and in any order, and watches.

Every request is held against the beats that the model makes; in which order a port walks lanes
and beats is its own business, apart from what ``more`` announces.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from fabricgen.model.atomics import updated
from fabricgen.vocab.dataflow import AtomicRmwKind
from sim.endpoints import Pin
from sim.findings import Finding, Findings
from sim.job import ManagerBeat, ManagerJob
from sim.stalls import Stall, takes_part

__all__ = ["ManagerAgent", "ManagerPins", "SparseMemory", "manager_findings"]

#: Cycles, at most, from acceptance to answer where the pattern lets the memory be slow.
LONGEST_LATENCY = 40

_READ, _WRITE, _RMW, _EXCHANGE, _FENCE = range(5)
_KINDS = ("read", "write", "read-modify-write", "compare-exchange", "fence")
#: What a beat says beside its kind and its bytes.
_SAID = ("rmw_kind", "ordering", "failure_ordering", "scope", "weak", "volatile")
#: Fields of a request and of a response; some are absent where no row can use them.
_REQUEST = ("kind", "origin", "beat", "more", "address", "strobe", "data", "expected", *_SAID)
#: What only a subordinate has.
_MATCHED = ("address_space", "context")
_RESPONSE = ("origin", "beat", "data", "success", "error")

#: Origin, place, kind, address and `more` of the beat that must be the next one.
_Announced = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class ManagerPins:
    """Pins of one manager, or subordinate, by field; handshakes are always there.

    ``widths`` are those of the fields of the response.
    """

    request: Mapping[str, Pin]
    response: Mapping[str, Pin]
    widths: Mapping[str, int]

    @classmethod
    def find(cls, look_up: Callable[[str], tuple[Pin, int] | None], name: str) -> Self:
        """Look up ``<name>_req_<field>`` and ``<name>_rsp_<field>``; most may be absent."""
        found = {
            (side, field): pin
            for side, fields in (("req", (*_REQUEST, *_MATCHED)), ("rsp", _RESPONSE))
            for field in ("valid", "ready", *fields)
            if (pin := look_up(f"{name}_{side}_{field}")) is not None
        }
        return cls(
            *(
                {field: pin for (at, field), (pin, _) in found.items() if at == side}
                for side in ("req", "rsp")
            ),
            {field: width for (side, field), (_, width) in found.items() if side == "rsp"},
        )


class SparseMemory:
    """Bytes of a 64-bit space; what nobody wrote is zero."""

    def __init__(self, parts: Sequence[tuple[int, bytes]] = ()) -> None:
        self.bytes: dict[int, int] = {}
        for address, data in parts:
            self.bytes.update(zip(range(address, address + len(data)), data, strict=True))

    def read(self, address: int) -> int:
        """One byte."""
        return self.bytes.get(address, 0)

    def write(self, address: int, value: int) -> None:
        """Replace one byte."""
        self.bytes[address] = value


@dataclass(slots=True)
class _Pending:
    """One accepted beat before its answer is taken; ``data`` is known once it had its effect."""

    beat: ManagerBeat
    origin: int
    place: int
    due: int
    data: int | None = None
    success: int = 0


class ManagerAgent:
    """Accept, serve and answer the beats of one manager.

    A beat takes effect when it is accepted or when it is answered, as a coin falls: nothing may
    depend on which. Bytes outside the strobe are answered with noise.

    Parameters
    ----------
    job, pins
        What is asked for, and where.
    accept, answer
        Stalls of the two sides.
    seed
        Latencies, orders and noise follow from it.
    is_fast
        Answer in order, a cycle after acceptance.
    findings
        Where to report.
    """

    def __init__(
        self,
        job: ManagerJob,
        pins: ManagerPins,
        accept: Stall,
        answer: Stall,
        seed: int,
        findings: Findings,
        *,
        is_fast: bool,
    ) -> None:
        self.job = job
        self.pins = pins
        self.memory = SparseMemory(job.before)
        self._accept = accept
        self._answer = answer
        self._rng = random.Random(f"{job.name}/{seed}")
        self._is_fast = is_fast
        self._findings = findings
        self._watch = _Watch(job, findings)
        self._ready = False
        self._took = False
        self._refused: dict[str, int] | None = None
        self._pending: list[_Pending] = []
        self._offered: _Pending | None = None
        self._answered = False
        self.beats = 0
        self.first_cycle: int | None = None
        self.last_cycle: int | None = None
        pins.request["ready"].value = 0
        self._show(0, 0, 0, 0, 0)

    def sample(self, cycle: int) -> bool:
        """Look at the pins just before the clock edge; tell whether something moved."""
        self._answered = False
        if self._offered is not None and self.pins.response["ready"].value:
            self._pending.remove(self._offered)
            self._answered = True
            self._watch.answer(self._offered.origin, self._offered.place)
        self._took = False
        if self.pins.request["valid"].value:
            self._request(cycle)
        elif self._refused is not None:
            self._report(cycle, "An offered request is gone before it was taken")
            self._refused = None
        return self._took or self._answered

    def drive(self, cycle: int, cooperate: bool) -> None:
        """Change the pins after the clock edge."""
        ready = takes_part(self._accept, cycle, moved=self._took, cooperate=cooperate)
        if ready != self._ready:
            self.pins.request["ready"].value = int(ready)
            self._ready = ready
        if self._offered is not None and not self._answered:
            return
        was_offering = self._offered is not None
        willing = takes_part(self._answer, cycle, moved=self._answered, cooperate=cooperate)
        due = [item for item in self._pending if cooperate or item.due <= cycle]
        self._offered = None
        if willing and due:
            item = self._offered = due[0] if self._is_fast else self._rng.choice(due)
            data = self._serve(item)
            self._show(1, item.origin, item.place, data, item.success)
        elif was_offering:
            bits = self._rng.getrandbits
            self._show(0, bits(64), bits(16), bits(8 * self.job.beat_bytes), bits(1))

    @property
    def is_done(self) -> bool:
        """Everything that the model makes was asked for and answered."""
        return self._watch.is_complete and not self._pending

    def close(self, cycle: int) -> None:
        """Report what is missing or left."""
        self._watch.close(cycle)
        if self._pending:
            message = f"{len(self._pending)} accepted beats were never answered"
            self._report(cycle, message)

    def _request(self, cycle: int) -> None:
        try:
            fields = {
                name: int(pin.value) for name, pin in self.pins.request.items() if name in _REQUEST
            }
        except ValueError:
            self._findings.add(
                Finding(
                    "unknown",
                    cycle,
                    f"A valid request of {self.job.name} has unknown bits",
                    role=self.job.name,
                )
            )
            fields = None
        if self._refused is not None and fields != self._refused:
            self._report(cycle, "An offered request changes before it is taken")
        self._refused = None
        if not self._ready:
            self._refused = fields
            return
        self._took = True
        if fields is not None:
            self._take(cycle, fields)

    def _take(self, cycle: int, fields: Mapping[str, int]) -> None:
        strobe, kind = fields.get("strobe", 0), fields["kind"]
        said = {name: fields.get(name, 0) for name in _SAID}
        said |= {name: bool(said[name]) for name in ("weak", "volatile")}
        beat = ManagerBeat(
            kind,
            fields.get("address", 0),
            strobe,
            self._sent(fields, "data", kind in (_WRITE, _RMW, _EXCHANGE)),
            expected=self._sent(fields, "expected", kind == _EXCHANGE),
            **said,
        )
        origin, place = fields.get("origin", 0), fields.get("beat", 0)
        self._watch.take(cycle, beat, origin, place, fields.get("more", 0))
        self.beats += 1
        if self.first_cycle is None:
            self.first_cycle = cycle
        self.last_cycle = cycle
        latency = 1 if self._is_fast else self._rng.randint(1, LONGEST_LATENCY)
        item = _Pending(beat, origin, place, cycle + latency)
        if self._is_fast or self._rng.getrandbits(1):
            self._serve(item)
        self._pending.append(item)

    def _sent(self, fields: Mapping[str, int], name: str, is_sent: bool) -> int:
        """Payload of a request in the bytes that count."""
        strobe = fields.get("strobe", 0)
        return _masked(fields.get(name, 0), strobe, self.job.beat_bytes) if is_sent else 0

    def _serve(self, item: _Pending) -> int:
        """Let the beat take effect, once; the bytes of its answer."""
        if item.data is not None:
            return item.data
        beat, bits = item.beat, self._rng.getrandbits
        places = [at for at in range(self.job.beat_bytes) if beat.strobe >> at & 1]
        old = sum(self.memory.read(beat.address + at) << 8 * at for at in places)
        item.data = bits(8 * self.job.beat_bytes)
        if beat.kind != _WRITE:
            item.data = old | item.data & ~sum(0xFF << 8 * at for at in places)
        # What is no comparison may be answered with any success.
        item.success = int(old == beat.expected) if beat.kind == _EXCHANGE else bits(1)
        if (new := self._new(beat, places, old)) is not None:
            for at in places:
                self.memory.write(beat.address + at, new >> 8 * at & 0xFF)
        return item.data

    def _new(self, beat: ManagerBeat, places: Sequence[int], old: int) -> int | None:
        """What the beat leaves in its bytes, in their places; ``None`` where it writes nothing."""
        match beat.kind:
            case 1:  # write
                return beat.data
            case 2:  # read-modify-write, of an object that is all bytes of the strobe
                shift, width = 8 * places[0] if places else 0, 8 * len(places)
                if beat.rmw_kind not in {each.value for each in AtomicRmwKind} or not places:
                    return None  # Nothing to compute; the watch has told.
                kind = AtomicRmwKind(beat.rmw_kind)
                return updated(kind, old >> shift, beat.data >> shift, width) << shift
            case 3:  # compare-exchange
                return beat.data if old == beat.expected else None
            case _:
                return None

    def _show(self, valid: int, origin: int, place: int, data: int, success: int) -> None:
        """Drive the response; what does not fit a field is cut off."""
        values = {"valid": valid, "origin": origin, "beat": place, "data": data, "error": 0}
        values["success"] = success
        for name, pin in self.pins.response.items():
            if name != "ready":
                pin.value = values[name] & (1 << self.pins.widths[name]) - 1

    def _report(self, cycle: int, message: str) -> None:
        self._findings.add(
            Finding("manager", cycle, f"{message} ({self.job.name})", role=self.job.name)
        )


class _Watch:
    """Beats are those of the model, each once; what a beat announces follows without a break."""

    def __init__(self, job: ManagerJob, findings: Findings) -> None:
        self._job = job
        self._findings = findings
        self._left = Counter(job.beats)
        self._outstanding: set[tuple[int, int]] = set()
        self._announced: _Announced | None = None

    def take(self, cycle: int, beat: ManagerBeat, origin: int, place: int, more: int) -> None:
        """One beat was accepted."""
        for message in self._form(beat):
            self._report(cycle, message, beat)
        if (origin, place) in self._outstanding:
            self._report(cycle, "A beat has the origin and the place of one without answer", beat)
        self._outstanding.add((origin, place))
        now = (origin, place, beat.kind, beat.address, more)
        if self._announced is not None and now != self._announced:
            self._report(cycle, "A beat is not the one that `more` announced", beat)
        self._announced = None
        if more:
            address = beat.address + self._job.beat_bytes
            self._announced = (origin, place + 1, beat.kind, address, more - 1)
        self._left[beat] -= 1
        if self._left[beat] < 0:
            self._report(cycle, "A request that the model does not make", beat)

    def answer(self, origin: int, place: int) -> None:
        """One beat was answered."""
        self._outstanding.discard((origin, place))

    @property
    def is_complete(self) -> bool:
        """Every beat has come at least as often as the model makes it."""
        return all(count <= 0 for count in self._left.values())

    def close(self, cycle: int) -> None:
        """Report what never came."""
        for beat, count in self._left.items():
            if count > 0:
                self._report(cycle, f"A request never came ({count} times)", beat)
        if self._announced is not None:
            origin, place, kind, address, _ = self._announced
            message = f"Beat {place} of origin {origin} was announced and never came"
            self._report(cycle, message, ManagerBeat(kind, address, 0))

    def _form(self, beat: ManagerBeat) -> Iterator[str]:
        if beat.kind >= len(_KINDS):
            yield f"The kind of a request is {beat.kind}, which no row makes"
        if beat.kind == _FENCE and (beat.strobe or beat.address):
            yield "A fence touches bytes"
        if beat.kind != _FENCE and not beat.strobe:
            yield "A request touches no byte"
        if beat.address % self._job.beat_bytes:
            yield f"A request is not aligned to its beat of {self._job.beat_bytes} bytes"

    def _report(self, cycle: int, message: str, beat: ManagerBeat) -> None:
        name = _KINDS[beat.kind] if beat.kind < len(_KINDS) else "request"
        shown = f"{name} at {beat.address:#x}, strobe {beat.strobe:#x}"
        if beat.kind in (_WRITE, _RMW, _EXCHANGE):
            shown += f", data {beat.data:#x}"
        if beat.kind == _EXCHANGE:
            shown += f", expected {beat.expected:#x}"
        said = ((name, getattr(beat, name)) for name in _SAID)
        shown += "".join(f", {name} {int(value)}" for name, value in said if value)
        self._findings.add(
            Finding(
                "manager", cycle, f"{message} ({self._job.name})", None, self._job.name, got=shown
            )
        )


def manager_findings(cycle: int, job: ManagerJob, memory: SparseMemory) -> Iterator[Finding]:
    """Final contents against the model, a finding per byte that differs."""
    expected = SparseMemory(job.after)
    for address in sorted({*expected.bytes, *memory.bytes}):
        wanted, got = expected.read(address), memory.read(address)
        if wanted != got:
            yield Finding(
                "memory",
                cycle,
                f"Memory behind {job.name} differs from the model at {address:#x}",
                role=job.name,
                expected=f"{wanted:02x}",
                got=f"{got:02x}",
            )


def _masked(data: int, strobe: int, size: int) -> int:
    return sum(data & 0xFF << 8 * at for at in range(size) if strobe >> at & 1)
