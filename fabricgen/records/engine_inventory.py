"""Engine templates of a fabric, which occurrence has which, and references into a template.

Spec: Canonical Engine Definition. TechMapping selects by these references; the occurrence comes
later, and what a reference names has the same ordinal in every occurrence of the template.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from fabricgen.records import engine_codec
from fabricgen.records.connectivity import InternalConnection
from fabricgen.records.endpoint import TransportEndpoint
from fabricgen.records.engine import FabricMemoryEngineTemplate, memory_engine_template
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.records.port import MemoryCapabilityAlternative, MemoryOperationPort
from fabricgen.records.reference import refused, resolved, typed

__all__ = [
    "EngineTemplateInventory",
    "FabricMemoryEngineTemplateRef",
    "FabricMemoryEngineTemplateView",
    "FabricMemoryTemplateAlternativeRef",
    "FabricMemoryTemplateConnectionRef",
    "FabricMemoryTemplateEndpointRef",
    "FabricMemoryTemplatePortRef",
    "engine_template_inventory",
]


@dataclass(frozen=True, slots=True, order=True)
class FabricMemoryEngineTemplateRef:
    """One template of a fabric, by its place in the order of canonical bytes."""

    ordinal: int


@dataclass(frozen=True, slots=True, order=True)
class FabricMemoryTemplatePortRef:
    """One operation port of a template."""

    owner: FabricMemoryEngineTemplateRef
    ordinal: int


@dataclass(frozen=True, slots=True, order=True)
class FabricMemoryTemplateAlternativeRef:
    """One capability alternative of a template's port."""

    owner: FabricMemoryTemplatePortRef
    ordinal: int


@dataclass(frozen=True, slots=True, order=True)
class FabricMemoryTemplateEndpointRef:
    """One token endpoint of a template."""

    owner: FabricMemoryEngineTemplateRef
    ordinal: int


@dataclass(frozen=True, slots=True, order=True)
class FabricMemoryTemplateConnectionRef:
    """One internal connection of a template: it has no ordinal, its ends name it."""

    owner: FabricMemoryEngineTemplateRef
    source: FabricMemoryTemplateEndpointRef
    sink: FabricMemoryTemplateEndpointRef


@dataclass(frozen=True, slots=True)
class FabricMemoryEngineTemplateView:
    """One template with its place. Whatever takes a reference refuses any but its own."""

    reference: FabricMemoryEngineTemplateRef
    record: FabricMemoryEngineTemplate

    def endpoints(self) -> tuple[FabricMemoryTemplateEndpointRef, ...]:
        """Every token endpoint, inputs first."""
        count = len(self.record.endpoints)
        return tuple(FabricMemoryTemplateEndpointRef(self.reference, i) for i in range(count))

    def endpoint(self, reference: FabricMemoryTemplateEndpointRef) -> TransportEndpoint:
        """Type of one of the :meth:`endpoints`."""
        kind = FabricMemoryTemplateEndpointRef
        return resolved(kind, self.reference, reference, self.record.endpoints)

    def ports(self) -> tuple[FabricMemoryTemplatePortRef, ...]:
        """Every operation port, in canonical order."""
        count = len(self.record.ports)
        return tuple(FabricMemoryTemplatePortRef(self.reference, i) for i in range(count))

    def port(self, reference: FabricMemoryTemplatePortRef) -> MemoryOperationPort:
        """Record of one of the :meth:`ports`."""
        return resolved(FabricMemoryTemplatePortRef, self.reference, reference, self.record.ports)

    def capability_alternatives(
        self, port: FabricMemoryTemplatePortRef
    ) -> tuple[FabricMemoryTemplateAlternativeRef, ...]:
        """Every alternative of one of the :meth:`ports`."""
        count = len(self.port(port).capability_alternatives)
        return tuple(FabricMemoryTemplateAlternativeRef(port, i) for i in range(count))

    def capability_alternative(
        self, reference: FabricMemoryTemplateAlternativeRef
    ) -> MemoryCapabilityAlternative:
        """Record of an alternative of one of the :meth:`ports`."""
        kind = FabricMemoryTemplateAlternativeRef
        port = self.port(typed(kind, reference).owner)
        return resolved(kind, reference.owner, reference, port.capability_alternatives)

    def internal_connections(self) -> tuple[FabricMemoryTemplateConnectionRef, ...]:
        """Every internal connection, sorted by source, then sink."""
        ends = self.endpoints()
        return tuple(
            FabricMemoryTemplateConnectionRef(
                self.reference, ends[each.source_endpoint_ordinal], ends[each.sink_endpoint_ordinal]
            )
            for each in self.record.internal_connections
        )

    def internal_connection(self, reference: FabricMemoryTemplateConnectionRef) -> int:
        """Ordinal of the pair in the connectivity of every occurrence of the template.

        ``Invalid`` where the template has no such pair.
        """
        if typed(FabricMemoryTemplateConnectionRef, reference).owner != self.reference:
            raise refused("reference-owner", f"owned by {self.reference!r}", reference)
        for end in (reference.source, reference.sink):
            self.endpoint(end)
        pair = InternalConnection(reference.source.ordinal, reference.sink.ordinal)
        if pair not in self.record.internal_connections:
            raise refused("reference-connection", "a connection that the template has", reference)
        return self.record.internal_connections.index(pair)


@dataclass(frozen=True, slots=True)
class EngineTemplateInventory:
    """Distinct templates of a fabric and the exact occurrence-to-template relation.

    Parameters
    ----------
    templates
        In the order of their canonical bytes, each once.
    of_occurrences
        Template of each occurrence, by ordinal; ``None`` for storage alone.
    """

    templates: tuple[FabricMemoryEngineTemplate, ...]
    of_occurrences: tuple[FabricMemoryEngineTemplateRef | None, ...]

    def references(self) -> tuple[FabricMemoryEngineTemplateRef, ...]:
        """Every template."""
        return tuple(map(FabricMemoryEngineTemplateRef, range(len(self.templates))))

    def view(self, reference: FabricMemoryEngineTemplateRef) -> FabricMemoryEngineTemplateView:
        """View of one of the :meth:`references`; ``Invalid`` for any other reference."""
        count = len(self.templates)
        if not 0 <= typed(FabricMemoryEngineTemplateRef, reference).ordinal < count:
            raise refused("reference-ordinal", f"one of the fabric's {count}", reference)
        return FabricMemoryEngineTemplateView(reference, self.templates[reference.ordinal])

    def occurrences(self, reference: FabricMemoryEngineTemplateRef) -> tuple[int, ...]:
        """Ordinals of the occurrences that have one of the :meth:`references`."""
        self.view(reference)
        return tuple(i for i, each in enumerate(self.of_occurrences) if each == reference)


def engine_template_inventory(occurrences: Iterable[MemoryOccurrence]) -> EngineTemplateInventory:
    """Project every occurrence; projections with equal canonical bytes are one template."""
    projected = tuple(map(memory_engine_template, occurrences))
    wires = [None if each is None else engine_codec.encode(each) for each in projected]
    distinct = {w: t for w, t in zip(wires, projected, strict=True) if w is not None and t}
    order = sorted(distinct)
    places = {wire: FabricMemoryEngineTemplateRef(i) for i, wire in enumerate(order)}
    return EngineTemplateInventory(
        tuple(distinct[wire] for wire in order),
        tuple(None if wire is None else places[wire] for wire in wires),
    )
