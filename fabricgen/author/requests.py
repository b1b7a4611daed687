"""Beats of a workload document, and what their answers must be."""

from collections.abc import Sequence
from dataclasses import dataclass

from fabricgen.author.findings import Findings, lookup
from fabricgen.author.number import number
from fabricgen.author.request_document import ReadBeat, RequestDocument
from fabricgen.plan.beat_request import BeatRequest, beat_endpoint, beat_findings
from fabricgen.records.fabric import Fabric, NamedMemory

__all__ = ["ExpectedAnswer", "Requests", "read_requests"]

#: Key of a document that says a field of a beat, where it is not the field's own name.
_READ_KEYS = {"address": "read", "kind": "read"}
_WRITE_KEYS = {"address": "write", "kind": "write"}


@dataclass(frozen=True, slots=True)
class ExpectedAnswer:
    """What a document says about one answer; ``None`` is not compared."""

    data: int | None
    error: bool | None


@dataclass(frozen=True, slots=True)
class Requests:
    """Beats of one subordinate, and the answers that the document expects."""

    beats: tuple[BeatRequest, ...]
    expected: tuple[ExpectedAnswer, ...]


def read_requests(
    documents: Sequence[RequestDocument], fabric: Fabric, findings: Findings
) -> dict[tuple[int, int], Requests]:
    """Beats by memory and subordinate."""
    endpoints = {
        f"{memory.name}.{name}": (m, s)
        for m, memory in enumerate(fabric.memories)
        for s, name in enumerate(memory.names.subordinates)
    }
    found: dict[tuple[int, int], Requests] = {}
    places: dict[tuple[int, int], str] = {}
    for index, document in enumerate(documents):
        where = f"request[{index}]"
        place = f"{where}.subordinate"
        if lookup([document.subordinate], list(endpoints), place, findings) is None:
            continue
        memory, subordinate = reference = endpoints[document.subordinate]
        if reference in found:
            findings.add(
                "request-repeated",
                place,
                f"A subordinate must have one list of beats, not {document.subordinate} in "
                f"{places[reference]} as well",
            )
            continue
        places[reference] = where
        named = fabric.memories[memory]
        found[reference] = _requests(document, named, subordinate, where, findings)
    return found


def _requests(
    request: RequestDocument, named: NamedMemory, subordinate: int, where: str, findings: Findings
) -> Requests:
    beats, expected = list[BeatRequest](), list[ExpectedAnswer]()
    endpoint = beat_endpoint(named, subordinate)
    beat_bytes = endpoint.beat_bytes
    for index, document in enumerate(request.beats):
        is_read = isinstance(document, ReadBeat)
        address = document.read if is_read else document.write
        data = None if document.data is None else number(document.data)
        beat = BeatRequest(
            kind=0 if is_read else 1,
            address=number(address),
            strobe=(1 << beat_bytes) - 1 if document.strobe is None else number(document.strobe),
            data=data or 0,
            address_space=document.address_space,
            context=number(document.context),
        )
        keys = _READ_KEYS if is_read else _WRITE_KEYS
        for each in beat_findings(beat, endpoint):
            place = f"{where}.beats[{index}].{keys.get(each.where, each.where)}"
            findings.add(each.code, place, each.message)
        beats.append(beat)
        expected.append(ExpectedAnswer(data if is_read else None, document.error))
    return Requests(tuple(beats), tuple(expected))
