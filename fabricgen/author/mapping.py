"""The authoring door of a mapping: TOML text to checked operation rows."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fabricgen.author.document import validated
from fabricgen.author.findings import Findings, lookup, with_endpoint_names
from fabricgen.author.mapping_document import (
    MappingDocument,
    MemoryMappingDocument,
    RowDocument,
)
from fabricgen.author.row_access import Selection, access_place, select
from fabricgen.author.toml import read_toml
from fabricgen.errors import Diagnostic
from fabricgen.plan.roles import active_roles
from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.rows import (
    Active,
    Disabled,
    MemoryConfiguration,
    OperationRow,
    ResultDestination,
    RoleSource,
)
from fabricgen.records.connectivity import LocalMemoryServiceTarget
from fabricgen.records.fabric import Fabric, NamedMemory
from fabricgen.records.port import MemoryOperationPort

__all__ = ["Mapping", "parse_mapping", "read_mapping", "read_mapping_document"]


@dataclass(frozen=True, slots=True)
class Mapping:
    """What a mapping document says about each memory of a fabric.

    Parameters
    ----------
    configurations
        One per memory.
    row_names
        Names of the rows, per memory and port.
    places
        Per memory, what gives a finding about its configured rows its place in the document.
    """

    configurations: tuple[MemoryConfiguration, ...]
    row_names: tuple[tuple[str | None, ...], ...]
    places: tuple[Callable[[Diagnostic], Diagnostic], ...]


def parse_mapping(text: str, fabric: Fabric) -> tuple[MemoryConfiguration, ...]:
    """Read a mapping document: one configuration per memory of ``fabric``.

    Raises
    ------
    Invalid
        All findings together, with paths inside the document.
    """
    return read_mapping(text, fabric).configurations


def read_mapping(text: str, fabric: Fabric) -> Mapping:
    """Read a mapping document together with the names of its rows; raises like the above."""
    findings = Findings()
    document = read_mapping_document(text, findings)
    mapping = _mapping(document, fabric, findings) if document is not None else None
    findings.raise_any()
    if mapping is None:
        raise ValueError("Reading must report why there is no mapping, not stay silent")
    return mapping


def read_mapping_document(text: str, findings: Findings) -> MappingDocument | None:
    """Read the document alone, where there is no fabric to hold it against."""
    document, found = validated(MappingDocument, read_toml(text))
    findings.diagnostics += found
    return document


def _mapping(document: MappingDocument, fabric: Fabric, findings: Findings) -> Mapping:
    if document.fabric != fabric.name:
        findings.add(
            "mapping-of-another-fabric",
            "fabric",
            f'The mapping must be for "{fabric.name}", not "{document.fabric}"',
        )
    names = [memory.name for memory in fabric.memories]
    for name in document.memory:
        lookup([name], names, f"memory.{name}", findings)
    nothing = MemoryMappingDocument()
    tables = [
        _Table(memory, document.memory.get(memory.name, nothing).row, findings)
        for memory in fabric.memories
    ]
    return Mapping(
        configurations=tuple(table.configuration() for table in tables),
        row_names=tuple(table.row_names() for table in tables),
        places=tuple(table.placed for table in tables),
    )


class _Table:
    """The operation table of one memory while its rows are read."""

    def __init__(
        self,
        memory: NamedMemory,
        documents: Sequence[RowDocument],
        findings: Findings,
    ) -> None:
        self.memory = memory
        self.documents = documents
        self.where = f"memory.{memory.name}"
        self.findings = findings
        #: Per port with a row, the row's position in the document.
        self.positions: dict[int, int] = {}

    def configuration(self) -> MemoryConfiguration:
        """Read every row, then judge them together."""
        engine = self.memory.occurrence.engine
        ports = engine.ports if engine is not None else ()
        rows: list[OperationRow | None] = [None] * len(ports)
        self.findings.require_unique(
            [(row.name, f"{self.where}.row[{i}].name") for i, row in enumerate(self.documents)]
        )
        for position, document in enumerate(self.documents):
            ordinal = self._port(position, document)
            if ordinal is not None:
                rows[ordinal] = self._row(position, document, ordinal, ports[ordinal])
        if not any(rows):
            return Disabled()
        configuration = Active(tuple(rows))
        for diagnostic in configuration_findings(self.memory, configuration):
            self.findings.diagnostics.append(self.placed(diagnostic))
        return configuration

    def row_names(self) -> tuple[str | None, ...]:
        """Names by port."""
        count = len(self.memory.names.ports)
        return tuple(
            self.documents[self.positions[port]].name if port in self.positions else None
            for port in range(count)
        )

    def _port(self, position: int, document: RowDocument) -> int | None:
        where = f"{self.where}.row[{position}].port"
        found = lookup([document.port], self.memory.names.ports, where, self.findings)
        if found is None:
            return None
        if found[0] in self.positions:
            self.findings.add(
                "port-mapped-twice",
                where,
                f"A Spatial port must have one row, not {document.port} in row "
                f"{self.positions[found[0]]} as well",
            )
            return None
        self.positions[found[0]] = position
        return found[0]

    def _row(
        self, position: int, document: RowDocument, ordinal: int, port: MemoryOperationPort
    ) -> OperationRow | None:
        where = f"{self.where}.row[{position}]"
        selection = select(self.memory, ordinal, document, where, self.findings)
        if document.target != "local":
            self.findings.add(
                "row-target",
                f"{where}.target",
                f'The target must be in H_dispatch of the port, local, not "{document.target}"',
            )
            return None
        return _operation_row(document, ordinal, port, selection) if selection else None

    def placed(self, diagnostic: Diagnostic) -> Diagnostic:
        """Give a finding about a configured row its place in the document, and its names."""
        diagnostic = with_endpoint_names(diagnostic, self.memory.names.endpoints)
        row = re.match(r"operation_rows\[(\d+)\]\.?", diagnostic.where)
        if row is None:
            return Diagnostic(diagnostic.code, self.where, diagnostic.message)
        position = self.positions[int(row[1])]
        place = f"{self.where}.row[{position}]"
        field = diagnostic.where[row.end() :]
        return Diagnostic(
            diagnostic.code,
            access_place(place, self.documents[position], field),
            diagnostic.message,
        )


def _operation_row(
    document: RowDocument, ordinal: int, port: MemoryOperationPort, selection: Selection
) -> OperationRow:
    """Bind every active role to its endpoint: without connections there is no other choice."""
    alternative = port.capability_alternatives[selection.alternative]
    inputs, results = active_roles(alternative, selection.actor, selection.access)
    return OperationRow(
        port=ordinal,
        capability_alternative=selection.alternative,
        use_pattern=selection.use_pattern,
        actor=selection.actor,
        access=selection.access,
        base_addr=document.base,
        sources=tuple((role, RoleSource()) for role, _ in inputs),
        destinations=tuple((role, ResultDestination(expose=True)) for role, _ in results),
        service_target=LocalMemoryServiceTarget(),
    )
