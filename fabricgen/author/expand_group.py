"""The written-out document of a shorthand memory, and where in the shorthand its parts lie."""

import re
from typing import Literal

from fabricgen.author.access_document import (
    LoadAccessDocument,
    RootRelativeChoice,
    StoreAccessDocument,
)
from fabricgen.author.fabric_document import (
    EndpointDocument,
    EngineMemoryDocument,
    GroupMemoryDocument,
    SpatialGroupMemoryDocument,
    SpatialMemoryDocument,
    TemporalMemoryDocument,
)
from fabricgen.author.findings import Findings
from fabricgen.author.port_document import (
    LoadDocument,
    LoadRolesDocument,
    PatternDocument,
    SpatialPortDocument,
    StoreDocument,
    StoreRolesDocument,
    TemporalPortDocument,
)

__all__ = ["group_place", "written_out"]

_DIRECT = PatternDocument(name="direct", projection="direct")


def written_out(
    document: GroupMemoryDocument, where: str, findings: Findings
) -> EngineMemoryDocument | None:
    """Expand one shorthand; ``None`` where a fact is missing, or stands for no port."""
    sizes = {"load": document.load_group_size, "store": document.store_group_size}
    if not any(sizes.values()):
        findings.add(
            "engine-ports-empty", where, "The groups must have a load or a store port, not none"
        )
        return None
    before = len(findings.diagnostics)
    guarantees = {
        "read_subword": (document.group.read_subword, "load"),
        "write_subword": (document.group.write_subword, "store"),
    }
    for key, (guarantee, port) in guarantees.items():
        place = f"{where}.group.{key}"
        if guarantee is None and sizes[port]:
            findings.add(
                "missing-memory-capability-contract",
                place,
                f"The key must be present where there are {port} ports, not absent",
            )
        if guarantee is not None and not sizes[port]:
            findings.add(
                "group-fact-unused",
                place,
                f"The key must be absent where there are no {port} ports, not present",
            )
    return None if len(findings.diagnostics) > before else _engine(document)


def group_place(where: str) -> str:
    """Where in a shorthand memory a path of its written-out document lies.

    All ports are one group, so findings that say the same of several become one.
    """
    inside = re.match(r"(memory\[\d+\])\.(endpoints|port)\[(\d+)\]\.?(.*)", where)
    if inside is None:
        return where
    memory, part, position, rest = inside.groups()
    if part == "endpoints":
        width = _WIDTH_KEYS[int(position) % len(_WIDTH_KEYS)]
        return f"{memory}.{width}" if width is not None and rest == "bits" else memory
    if rest.startswith("resources"):
        return f"{memory}.group.{rest}"
    alternative = re.match(r"(?:load|store)\[0\]\.?(.*)", rest)
    if alternative is None:
        return f"{memory}.group"
    field = alternative[1].removeprefix("access[0].")
    if field.startswith("element_bits"):
        return f"{memory}.data_width"
    if field.startswith("address."):
        return f"{memory}.group.index_bits"
    known = re.match(r"contract|alignment|read_subword|write_subword|targets", field)
    return f"{memory}.group.{field}" if known else f"{memory}.group"


def _engine(document: GroupMemoryDocument) -> EngineMemoryDocument:
    loads = [f"load{index}" for index in range(document.load_group_size)]
    stores = [f"store{index}" for index in range(document.store_group_size)]
    endpoints = [
        *(each for name in loads for each in _endpoints(document, name, "out")),
        *(each for name in stores for each in _endpoints(document, name, "in")),
    ]
    load = {name: [_load(document, name)] for name in loads}
    store = {name: [_store(document, name)] for name in stores}
    if isinstance(document, SpatialGroupMemoryDocument):
        return SpatialMemoryDocument(
            name=document.name,
            schedule=document.schedule,
            endpoints=endpoints,
            port=[
                SpatialPortDocument(
                    name=name,
                    resources=document.group.resources,
                    patterns=[_DIRECT],
                    load=load.get(name, []),
                    store=store.get(name, []),
                )
                for name in (*loads, *stores)
            ],
            connections=document.connections,
            local=document.local,
            manager=document.manager,
            subordinate=document.subordinate,
            implementation=document.implementation,
        )
    return TemporalMemoryDocument(
        name=document.name,
        schedule=document.schedule,
        resident_contexts=document.resident_contexts,
        tag_width=document.tag_width,
        endpoints=endpoints,
        port=[
            TemporalPortDocument(
                name=name,
                resources=document.group.resources,
                patterns=[_DIRECT],
                load=load.get(name, []),
                store=store.get(name, []),
            )
            for name in (*loads, *stores)
        ],
        connections=document.connections,
        local=document.local,
        manager=document.manager,
        subordinate=document.subordinate,
        implementation=document.implementation,
    )


#: What decides the width of each of a port's endpoints, in the order of :func:`_endpoints`.
_WIDTH_KEYS = ("group.index_bits", None, "data_width", None)


def _endpoints(
    document: GroupMemoryDocument, port: str, direction: Literal["in", "out"]
) -> tuple[EndpointDocument, ...]:
    """Channels of one port; ``direction`` is that of its data."""
    return (
        EndpointDocument(name=f"{port}_address", dir="in", bits=document.group.index_bits),
        EndpointDocument(name=f"{port}_control", dir="in", bits=0),
        EndpointDocument(name=f"{port}_data", dir=direction, bits=document.data_width),
        EndpointDocument(name=f"{port}_completion", dir="out", bits=0),
    )


def _load(document: GroupMemoryDocument, port: str) -> LoadDocument:
    group = document.group
    return LoadDocument(
        roles=LoadRolesDocument(
            address=f"{port}_address",
            control=f"{port}_control",
            data=f"{port}_data",
            completion=f"{port}_completion",
        ),
        contract=group.contract,
        access=[
            LoadAccessDocument(
                form="element",
                address=RootRelativeChoice(root_relative=[group.index_bits]),
                element_bits=[document.data_width],
                lanes=[1],
                mask=["absent"],
                alignment=group.alignment,
                read_subword=group.read_subword or [],
            )
        ],
        patterns=[_DIRECT.name],
        targets=group.targets,
    )


def _store(document: GroupMemoryDocument, port: str) -> StoreDocument:
    group = document.group
    return StoreDocument(
        roles=StoreRolesDocument(
            address=f"{port}_address",
            data=f"{port}_data",
            control=f"{port}_control",
            completion=f"{port}_completion",
        ),
        contract=group.contract,
        access=[
            StoreAccessDocument(
                form="element",
                address=RootRelativeChoice(root_relative=[group.index_bits]),
                element_bits=[document.data_width],
                lanes=[1],
                mask=["absent"],
                alignment=group.alignment,
                write_subword=group.write_subword or [],
            )
        ],
        patterns=[_DIRECT.name],
        targets=group.targets,
    )
