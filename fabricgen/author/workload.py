"""The authoring door of a workload: TOML text and data files to tokens and memory contents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fabricgen.atoms.unsigned import U64_MAX
from fabricgen.author.data_files import DataFiles
from fabricgen.author.document import shown, validated
from fabricgen.author.document_kind import require_kind
from fabricgen.author.findings import Findings, lookup
from fabricgen.author.images import Parts, read_images
from fabricgen.author.requests import Requests, read_requests
from fabricgen.author.streams import StreamReader, StreamRef, TokenUses, endpoint_uses
from fabricgen.author.toml import read_toml
from fabricgen.author.workload_document import (
    ContentsDocument,
    StreamDocument,
    WorkloadDocument,
)
from fabricgen.errors import Diagnostic
from fabricgen.plan.rows import MemoryConfiguration
from fabricgen.records.fabric import Fabric, NamedMemory
from fabricgen.vocab.fabric import EndpointDirection

__all__ = ["StreamRef", "Workload", "parse_workload", "read_workload_document"]


@dataclass(frozen=True, slots=True)
class Workload:
    """What goes into a mapped fabric, and what must come out.

    Parameters
    ----------
    streams
        Tokens per input endpoint and tag.
    memories
        Initial contents of each memory's local service, as ``(byte offset, bytes)`` parts that
        do not overlap.
    expected
        Tokens per output endpoint and tag; those that are not listed are not compared.
    managers
        Per memory, initial contents behind its managers, by manager ordinal; offsets have 64
        bits.
    requests
        Beats by memory and subordinate, with the answers that are expected.
    """

    streams: Mapping[StreamRef, tuple[int, ...]]
    memories: tuple[Parts, ...]
    expected: Mapping[StreamRef, tuple[int, ...]] = field(
        default_factory=dict[StreamRef, tuple[int, ...]]
    )
    managers: tuple[Mapping[int, Parts], ...] = ()
    requests: Mapping[tuple[int, int], Requests] = field(
        default_factory=dict[tuple[int, int], Requests]
    )


def parse_workload(
    text: str, fabric: Fabric, configurations: Sequence[MemoryConfiguration], folder: Path
) -> Workload:
    """Read a workload document; data files lie beside it in ``folder``.

    Raises
    ------
    Invalid
        All findings together, with paths inside the document.
    ToolMissing
        A file is named whose reader is not installed.
    """
    findings = Findings()
    document = read_workload_document(text, findings)
    workload = None
    if document is not None:
        files = DataFiles(folder, findings)
        workload = _workload(document, fabric, configurations, files, findings)
    return findings.result(workload)


def read_workload_document(text: str, findings: Findings) -> WorkloadDocument | None:
    """Read the document alone, where there is no mapping to hold it against."""
    data = read_toml(text)
    require_kind("workload", data)
    document, found = validated(WorkloadDocument, data)
    findings.diagnostics += found
    return document


def _workload(
    document: WorkloadDocument,
    fabric: Fabric,
    configurations: Sequence[MemoryConfiguration],
    files: DataFiles,
    findings: Findings,
) -> Workload:
    names = [memory.name for memory in fabric.memories]
    for name in document.memory:
        lookup([name], names, f"memory.{name}", findings)
    contents = [
        _contents(memory, document.memory.get(memory.name, {}), files, findings)
        for memory in fabric.memories
    ]
    uses = endpoint_uses(fabric, configurations)
    inputs = _bound(document.stream, "stream", EndpointDirection.IN, fabric, uses, findings)
    outputs = _bound(document.expect, "expect", EndpointDirection.OUT, fabric, uses, findings)
    reader = StreamReader(uses, files, findings)
    streams = reader.inputs(inputs)
    return Workload(
        streams=streams,
        memories=tuple(each.local for each in contents),
        expected=reader.outputs(outputs),
        managers=tuple(each.managers for each in contents),
        requests=read_requests(document.request, fabric, findings),
    )


@dataclass(frozen=True, slots=True)
class _Contents:
    local: Parts
    managers: Mapping[int, Parts]


def _contents(
    memory: NamedMemory,
    documents: Mapping[str, ContentsDocument],
    files: DataFiles,
    findings: Findings,
) -> _Contents:
    """Read what the services of one memory hold at first."""
    service = memory.occurrence.local_service
    known = ["local"] * (service is not None) + [*memory.names.managers]
    parts: dict[str, Parts] = {}
    for name, document in documents.items():
        where = f"memory.{memory.name}.{name}"
        if lookup([name], known, where, findings) is None:
            continue
        capacities = {} if service is None else {"local": service.capacity_bytes}
        capacity = capacities.get(name, U64_MAX + 1)
        parts[name] = read_images(document, capacity, where, files, findings)
    return _Contents(
        parts.get("local", ()),
        {i: parts[name] for i, name in enumerate(memory.names.managers) if name in parts},
    )


def _bound(
    documents: Sequence[StreamDocument],
    key: str,
    direction: EndpointDirection,
    fabric: Fabric,
    uses: TokenUses,
    findings: Findings,
) -> dict[StreamRef, tuple[str, StreamDocument]]:
    """Find the endpoint of each stream; a stream without an active one is a finding."""
    bound: dict[StreamRef, tuple[str, StreamDocument]] = {}
    endpoints = {
        f"{memory.name}.{name}": (m, e)
        for m, memory in enumerate(fabric.memories)
        for e, name in enumerate(memory.names.endpoints)
        if memory.occurrence.endpoints[e].direction is direction
    }
    known = list(endpoints)
    for index, document in enumerate(documents):
        where = f"{key}[{index}]"
        found = lookup([document.endpoint], known, f"{where}.endpoint", findings)
        if found is None:
            continue
        memory, endpoint = endpoints[document.endpoint]
        reference = (memory, endpoint, document.tag)
        is_tagged = fabric.memories[memory].occurrence.endpoints[endpoint].tag_width is not None
        if is_tagged is (document.tag is None):
            findings.add("stream-tag", f"{where}.tag", _tag_requirement(document))
        elif reference not in uses.streams:
            findings.diagnostics.append(_unused(document, reference, uses, where))
        elif reference in bound:
            findings.add(
                "stream-repeated",
                f"{where}.endpoint",
                f"{'A tag of an' if is_tagged else 'An'} endpoint must have one stream, not "
                f"{_named(document)} in {bound[reference][0]} as well",
            )
        else:
            bound[reference] = (where, document)
    return bound


def _named(document: StreamDocument) -> str:
    return document.endpoint + ("" if document.tag is None else f" tag {document.tag}")


def _tag_requirement(document: StreamDocument) -> str:
    if document.tag is None:
        return (
            f"A tag must be given for {document.endpoint}, which belongs to a temporal memory, "
            "not absent"
        )
    return (
        f"A tag must be absent for {document.endpoint}, which belongs to a spatial memory, "
        f"not {shown(document.tag)}"
    )


def _unused(
    document: StreamDocument, reference: StreamRef, uses: TokenUses, where: str
) -> Diagnostic:
    """Say why no active row has this endpoint, or this tag at it."""
    if document.tag is not None:
        tags = sorted(
            tag
            for memory, endpoint, tag in uses.streams
            if (memory, endpoint) == reference[:2] and tag is not None
        )
        return Diagnostic(
            "stream-without-row",
            f"{where}.tag",
            f"The tag must be one that an active row uses at {document.endpoint}, "
            f"{', '.join(map(str, tags)) or 'where there is none'}, not {shown(document.tag)}",
        )
    if reference[:2] in uses.internal:
        return Diagnostic(
            "stream-internal",
            f"{where}.endpoint",
            "The endpoint must be one that is not left to an internal connection, "
            f"not {document.endpoint}",
        )
    return Diagnostic(
        "stream-without-row",
        f"{where}.endpoint",
        f"The endpoint must belong to an active row, not be {document.endpoint}",
    )
