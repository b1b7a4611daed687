"""The authoring door of a workload: TOML text and data files to tokens and memory contents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fabricgen.author.data_files import DataFiles
from fabricgen.author.document import validated
from fabricgen.author.findings import Findings, lookup
from fabricgen.author.images import read_images
from fabricgen.author.streams import EndpointUse, StreamReader, endpoint_uses
from fabricgen.author.toml import read_toml
from fabricgen.author.workload_document import StreamDocument, WorkloadDocument
from fabricgen.plan.rows import MemoryConfiguration
from fabricgen.records.fabric import Fabric
from fabricgen.vocab.fabric import EndpointDirection

__all__ = ["EndpointRef", "Workload", "parse_workload", "read_workload_document"]

#: Memory ordinal and endpoint ordinal.
EndpointRef = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Workload:
    """What goes into a mapped fabric, and what must come out.

    Parameters
    ----------
    streams
        Tokens per input endpoint.
    memories
        Initial contents per memory, as ``(byte offset, bytes)`` parts that do not overlap.
    expected
        Tokens per output endpoint; endpoints that are not listed are not compared.
    """

    streams: Mapping[EndpointRef, tuple[int, ...]]
    memories: tuple[tuple[tuple[int, bytes], ...], ...]
    expected: Mapping[EndpointRef, tuple[int, ...]] = field(
        default_factory=dict[EndpointRef, tuple[int, ...]]
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
    findings.raise_any()
    if workload is None:
        raise ValueError("Reading must report why there is no workload, not stay silent")
    return workload


def read_workload_document(text: str, findings: Findings) -> WorkloadDocument | None:
    """Read the document alone, where there is no mapping to hold it against."""
    document, found = validated(WorkloadDocument, read_toml(text))
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
    memories = tuple(
        read_images(memory, document.memory[memory.name].local, files, findings)
        if memory.name in document.memory
        else ()
        for memory in fabric.memories
    )
    uses = endpoint_uses(fabric, configurations)
    inputs = _bound(document.stream, "stream", EndpointDirection.IN, fabric, uses, findings)
    outputs = _bound(document.expect, "expect", EndpointDirection.OUT, fabric, uses, findings)
    reader = StreamReader(uses, files, findings)
    streams = reader.inputs(inputs)
    return Workload(streams, memories, reader.outputs(outputs))


def _bound(
    documents: Sequence[StreamDocument],
    key: str,
    direction: EndpointDirection,
    fabric: Fabric,
    uses: Mapping[EndpointRef, EndpointUse],
    findings: Findings,
) -> dict[EndpointRef, tuple[str, StreamDocument]]:
    """Find the endpoint of each stream; a stream without an active one is a finding."""
    bound: dict[EndpointRef, tuple[str, StreamDocument]] = {}
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
        reference = endpoints[document.endpoint]
        if reference not in uses:
            findings.add(
                "stream-without-row",
                f"{where}.endpoint",
                f"The endpoint must belong to an active row, not be {document.endpoint}",
            )
        elif reference in bound:
            findings.add(
                "stream-repeated",
                f"{where}.endpoint",
                f"An endpoint must have one stream, not {document.endpoint} in "
                f"{bound[reference][0]} as well",
            )
        else:
            bound[reference] = (where, document)
    return bound
