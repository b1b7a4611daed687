"""Memory bindings and boundary proxies of a mapping, and the rows that go through them.

Several logical memories share one service by bindings that lie apart in it, or over one another:
aliasing and lifetime belong to the program.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from fabricgen.atoms.unsigned import U64_MAX
from fabricgen.author.binding_document import BindingDocument, ProxyDocument
from fabricgen.author.findings import Findings, lookup
from fabricgen.author.mapping_document import FenceRowDocument, RowDocument
from fabricgen.records.connectivity import (
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    MemoryDispatchTarget,
)
from fabricgen.records.fabric import NamedMemory

__all__ = ["Bindings", "MemoryBinding", "target_name"]


def target_name(memory: NamedMemory, target: MemoryDispatchTarget) -> str:
    """Call a service by its name in the documents."""
    match target:
        case LocalMemoryServiceTarget():
            return "local"
        case ManagerEndpointTarget(ordinal):  # exhaustive
            return memory.names.managers[ordinal]


@dataclass(frozen=True, slots=True)
class MemoryBinding:
    """Where one logical memory lies.

    Parameters
    ----------
    name
        Its name in the mapping.
    target
        The service that it lies in; for a proxy, the manager that reaches it.
    start
        Service address of its first byte.
    size
        Its bytes; for a proxy those up to the end of the address space, since what lies outside
        has its own bounds.
    """

    name: str
    target: MemoryDispatchTarget
    start: int
    size: int

    @property
    def is_local(self) -> bool:
        """Whether it lies in the local service, in a region that bounds it."""
        return isinstance(self.target, LocalMemoryServiceTarget)


class Bindings:
    """All bindings and proxies of one memory by their names."""

    def __init__(
        self,
        memory: NamedMemory,
        bindings: Sequence[BindingDocument],
        proxies: Sequence[ProxyDocument],
        findings: Findings,
    ) -> None:
        self._memory = memory
        self._findings = findings
        where = f"memory.{memory.name}"
        named = [(each.name, f"{where}.binding[{i}].name") for i, each in enumerate(bindings)]
        named += [(each.name, f"{where}.proxy[{i}].name") for i, each in enumerate(proxies)]
        findings.require_unique(named)
        self._names = tuple(name for name, _ in named)
        found = [self._local(each, f"{where}.binding[{i}]") for i, each in enumerate(bindings)]
        found += [self._proxy(each, f"{where}.proxy[{i}]") for i, each in enumerate(proxies)]
        self._whole = {each.name: each for each in reversed(found) if each is not None}

    def find(self, name: str, where: str) -> MemoryBinding | None:
        """Find a binding or proxy by its name; ``None`` for one that is unknown or broken."""
        lookup([name], self._names, where, self._findings)
        return self._whole.get(name)

    def of_row(self, document: RowDocument, where: str) -> MemoryBinding | None:
        """Find what a row at ``where`` goes through, and hold the row's base against its size."""
        if isinstance(document, FenceRowDocument) or document.binding is None:
            return None
        binding = self.find(document.binding, f"{where}.binding")
        if binding is not None and document.base is not None and document.base >= binding.size:
            self._findings.add(
                "row-outside-binding",
                f"{where}.base",
                f"The base must lie inside the {binding.size} bytes of {binding.name}, "
                f"not at {document.base}",
            )
        return binding

    def _local(self, document: BindingDocument, where: str) -> MemoryBinding | None:
        service = self._memory.occurrence.local_service
        regions = () if service is None else service.memory_service_contract.regions
        if document.region >= len(regions):
            self._findings.add(
                "binding-region",
                f"{where}.region",
                f"The region must be one of the {len(regions)} of the local service, "
                f"not {document.region}",
            )
            return None
        region = regions[document.region]
        if document.offset + document.size > region.size_bytes:
            self._findings.add(
                "binding-outside-region",
                where,
                f"A binding must end within the {region.size_bytes} bytes of its region, "
                f"not at {document.offset + document.size}",
            )
            return None
        start = region.address_base_bytes + document.offset
        return MemoryBinding(document.name, LocalMemoryServiceTarget(), start, document.size)

    def _proxy(self, document: ProxyDocument, where: str) -> MemoryBinding | None:
        names = self._memory.names.managers
        found = lookup([document.manager], names, f"{where}.manager", self._findings)
        if found is None:
            return None
        size = U64_MAX + 1 - document.base
        return MemoryBinding(document.name, ManagerEndpointTarget(found[0]), document.base, size)
