"""The authoring door of a mapping: TOML text to checked operation rows and decode rows."""

import re
from collections.abc import Callable
from collections.abc import Mapping as Tables
from dataclasses import dataclass

from fabricgen.author.document import shown, validated
from fabricgen.author.document_kind import require_kind
from fabricgen.author.findings import Findings, lookup, relocated, with_record_names
from fabricgen.author.mapping_bindings import Bindings, MemoryBinding, target_name
from fabricgen.author.mapping_document import (
    FenceRowDocument,
    MappingDocument,
    MemoryMappingDocument,
    RowDocument,
)
from fabricgen.author.mapping_edges import BoundRow, Edges, edge_place
from fabricgen.author.mapping_exposures import Exposures
from fabricgen.author.op_actor import op_value
from fabricgen.author.row_access import Selection, select
from fabricgen.author.row_actor import access_place, row_base
from fabricgen.author.row_ordinals import row_ordinals
from fabricgen.author.toml import read_toml
from fabricgen.errors import Diagnostic, Unsupported
from fabricgen.hsg.setting import OpValue, inactive_value
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.plan.demand import row_capacity
from fabricgen.plan.roles import active_roles
from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.rows import (
    Active,
    Disabled,
    MemoryConfiguration,
    OperationRow,
    ProviderDecode,
)
from fabricgen.records.connectivity import MemoryDispatchTarget, target_key
from fabricgen.records.fabric import Fabric, NamedMemory, NamedOp
from fabricgen.records.occurrence import Temporal

__all__ = [
    "Mapping",
    "parse_mapping",
    "read_mapping",
    "read_mapping_document",
    "read_mapping_tables",
]


@dataclass(frozen=True, slots=True)
class Mapping:
    """What a mapping document says about each memory of a fabric.

    Parameters
    ----------
    configuration
        Of every memory and datapath resource.
    row_names
        Names of the rows, per memory and row of its table.
    places
        Per memory, what gives a finding about its configured rows its place in the document.
    """

    configuration: FabricConfiguration
    row_names: tuple[tuple[str | None, ...], ...]
    places: tuple[Callable[[Diagnostic], Diagnostic], ...]


def parse_mapping(text: str, fabric: Fabric) -> FabricConfiguration:
    """Read a mapping document: the configuration of every part of ``fabric``.

    Raises
    ------
    Invalid
        All findings together, with paths inside the document.
    """
    return read_mapping(text, fabric).configuration


def read_mapping(text: str, fabric: Fabric) -> Mapping:
    """Read a mapping document together with the names of its rows; raises like the above."""
    return read_mapping_tables(read_toml(text), fabric)


def read_mapping_tables(data: Tables[str, object], fabric: Fabric) -> Mapping:
    """Read a mapping document that is tables and lists already; raises like the above."""
    require_kind("mapping", data)
    findings = Findings()
    document, found = validated(MappingDocument, data)
    findings.diagnostics += found
    mapping = _mapping(document, fabric, findings) if document is not None else None
    return findings.result(mapping)


def read_mapping_document(text: str, findings: Findings) -> MappingDocument | None:
    """Read the document alone, where there is no fabric to hold it against."""
    data = read_toml(text)
    require_kind("mapping", data)
    document, found = validated(MappingDocument, data)
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
    op_names = [named.name for named in fabric.ops]
    for name in document.op:
        lookup([name], op_names, f"op.{name}", findings)
    nothing = MemoryMappingDocument()
    tables = [
        _Table(memory, document.memory.get(memory.name, nothing), findings)
        for memory in fabric.memories
    ]
    return Mapping(
        configuration=FabricConfiguration(
            memories=tuple(table.configuration() for table in tables),
            ops=tuple(_op_value(named, document, findings) for named in fabric.ops),
        ),
        row_names=tuple(table.row_names() for table in tables),
        places=tuple(table.placed for table in tables),
    )


def _op_value(named: NamedOp, document: MappingDocument, findings: Findings) -> OpValue:
    """What a resource is configured to, with a table or without."""
    actor, where = document.op.get(named.name), f"op.{named.name}"
    try:
        if actor is None:
            return inactive_value(named.op)
        return op_value(named, actor, where, findings)
    except Unsupported as error:
        raise relocated(error, where) from None


class _Table:
    """The operation table and the decode rows of one memory while they are read."""

    def __init__(
        self,
        memory: NamedMemory,
        document: MemoryMappingDocument,
        findings: Findings,
    ) -> None:
        self.memory = memory
        self.documents = documents = document.row
        self.where = f"memory.{memory.name}"
        self.findings = findings
        engine = memory.occurrence.engine
        self.ports = memory.occurrence.operation_ports
        self.is_temporal = engine is not None and isinstance(engine.contract, Temporal)
        self.findings.require_unique(
            [(row.name, f"{self.where}.row[{i}].name") for i, row in enumerate(documents)]
        )
        self.bindings = Bindings(memory, document.binding, document.proxy, findings)
        self.exposures = Exposures(memory, document.exposure, self.bindings, findings)
        ordinals = row_ordinals(memory, documents, self.where, findings)
        #: Per row with a place in the table, its position in the document.
        self.positions = {ordinal: position for position, ordinal in ordinals.items()}

    def configuration(self) -> MemoryConfiguration:
        """Read every row, then judge them together."""
        selected = {
            ordinal: each
            for ordinal, position in sorted(self.positions.items())
            if (each := self._selected(position, ordinal)) is not None
        }
        names = [document.name for document in self.documents]
        bound = [each.bound for each in selected.values()]
        edges = Edges(self.memory, bound, names, self.findings)
        rows: list[OperationRow | None] = [None] * row_capacity(self.memory.occurrence)
        for ordinal, each in selected.items():
            rows[ordinal] = each.operation_row(edges)
        self.exposures.require_room()
        if not any(rows) and not self.exposures:
            return Disabled()
        configuration = Active(tuple(rows), self._decode())
        found = map(self.placed, configuration_findings(self.memory, configuration))
        self.findings.diagnostics += (each for each in found if not edges.is_implied(each))
        return configuration

    def _decode(self) -> ProviderDecode:
        try:
            return self.exposures.decode()
        except Unsupported as error:
            raise relocated(error, self.where) from None

    def row_names(self) -> tuple[str | None, ...]:
        """Names by row of the table."""
        return tuple(
            self.documents[self.positions[row]].name if row in self.positions else None
            for row in range(row_capacity(self.memory.occurrence))
        )

    def _selected(self, position: int, ordinal: int) -> "_SelectedRow | None":
        document, where = self.documents[position], f"{self.where}.row[{position}]"
        names = self.memory.names.ports
        found = lookup([document.port], names, f"{where}.port", self.findings)
        if found is None:
            return None
        (port,) = found
        context = ordinal if self.is_temporal else 0
        selection = select(self.memory, port, context, document, where, self.findings)
        binding = self.bindings.of_row(document, where)
        target = self._target(port, selection, document, binding, where)
        base = row_base(document, where, self.findings)
        if selection is None or target is None:
            return None
        if binding is not None and not _has_pointers(selection):
            base += binding.start
        alternative = self.ports[port].capability_alternatives[selection.alternative]
        inputs, results = active_roles(alternative, selection.actor, selection.access)
        bound = BoundRow(where, document, inputs, results)
        return _SelectedRow(bound, port, selection, base, target)

    def _target(
        self,
        port: int,
        selection: Selection | None,
        document: RowDocument,
        binding: MemoryBinding | None,
        where: str,
    ) -> MemoryDispatchTarget | None:
        """Find the service by its name or binding, if the row's alternative may reach it."""
        key, name = "target", document.target
        if binding is None and _is_bound(document):
            return None
        if binding is not None:
            bound = target_name(self.memory, binding.target)
            if name not in (None, bound):
                self.findings.add(
                    "row-binding-target",
                    f"{where}.target",
                    f"The target must be that of {binding.name}, {bound}, not {shown(name)}",
                )
                return None
            key, name = "binding", bound
        if name is None:
            self.findings.add(
                "missing-key",
                f"{where}.target",
                "The key must be present in a row without a binding, not absent",
            )
            return None
        dispatch = self.memory.occurrence.connectivity.operation_ports[port]
        domains = dispatch.capability_target_domains
        if selection is not None:
            domains = domains[selection.alternative : selection.alternative + 1]
        targets = {
            target_name(self.memory, target): target
            for target in sorted({each for domain in domains for each in domain}, key=target_key)
        }
        if name not in targets:
            self.findings.add(
                "row-target",
                f"{where}.{key}",
                f"The target must be a target of the port, {', '.join(targets)}, not {shown(name)}",
            )
        return targets.get(name)

    def placed(self, diagnostic: Diagnostic) -> Diagnostic:
        """Give a finding about a configured row its place in the document, and its names."""
        if (exposed := self.exposures.placed(diagnostic)) is not None:
            return exposed
        diagnostic = with_record_names(diagnostic, self.memory, self._row_role)
        row = re.match(r"operation_rows\[(\d+)\]\.?", diagnostic.where)
        if row is None or int(row[1]) not in self.positions:
            return Diagnostic(diagnostic.code, self.where, diagnostic.message)
        position = self.positions[int(row[1])]
        place = f"{self.where}.row[{position}]"
        field = diagnostic.where[row.end() :]
        end = edge_place(field, diagnostic.code)
        where = f"{place}.{end}" if end else access_place(place, self.documents[position], field)
        return Diagnostic(diagnostic.code, where, diagnostic.message)

    def _row_role(self, row: int, role: str) -> str:
        """Name of one role, such as writer.data."""
        return f"{self.documents[self.positions[row]].name}.{role}"


def _is_bound(document: RowDocument) -> bool:
    return not isinstance(document, FenceRowDocument) and document.binding is not None


def _has_pointers(selection: Selection) -> bool:
    """Whether lanes are addressed by pointers, to which no base is added."""
    return selection.access is None or selection.access.address_pointer_format is not None


@dataclass(frozen=True, slots=True)
class _SelectedRow:
    """One row whose port, alternative, base and target are known."""

    bound: BoundRow
    port: int
    selection: Selection
    base: int
    target: MemoryDispatchTarget

    def operation_row(self, edges: Edges) -> OperationRow:
        """Build the row with its sources and destinations."""
        return OperationRow(
            port=self.port,
            capability_alternative=self.selection.alternative,
            use_pattern=self.selection.use_pattern,
            actor=self.selection.actor,
            access=self.selection.access,
            base_addr=self.base,
            sources=edges.sources(self.bound),
            destinations=edges.destinations(self.bound),
            service_target=self.target,
        )
