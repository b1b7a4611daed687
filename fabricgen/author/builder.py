"""A fabric built in Python, with objects where a document has names.

A builder makes the tables of a fabric document and hands them to the one door that reads
documents, so it can say what a document can, and is told the same findings, with the same paths:
``memory[0].port[1]`` is the second port of the first memory, in the order of the calls.
"""

from collections.abc import Sequence
from typing import Literal

from fabricgen.author.builder_handles import (
    Endpoint,
    Handle,
    Input,
    Manager,
    Op,
    Output,
    Requester,
    Subordinate,
    Target,
    listed,
    plain,
    require_own,
)
from fabricgen.author.builder_op_params import HwParams
from fabricgen.author.builder_port import PortBuilder
from fabricgen.author.builder_service import LocalServiceBuilder
from fabricgen.author.builder_tables import (
    Implementation,
    Match,
    NamedContract,
    OpPorts,
    OpTiming,
    ServiceCapacities,
    SpatialResources,
    TemporalResources,
)
from fabricgen.author.fabric import author_tables
from fabricgen.records.fabric import Fabric

__all__ = [
    "FabricBuilder",
    "MemoryBuilder",
    "SpatialMemoryBuilder",
    "StorageMemoryBuilder",
    "TemporalMemoryBuilder",
]


class MemoryBuilder(Handle):
    """What every memory occurrence may have: a local service, managers, subordinates."""

    def __init__(self, owner: object, name: str, implementation: Implementation | None) -> None:
        super().__init__(owner, name)
        self._implementation = plain(implementation)
        self._local: LocalServiceBuilder | None = None
        self._managers: list[dict[str, object]] = []
        self._subordinates: list[Subordinate] = []
        self._subordinate_tables: list[dict[str, object]] = []

    def local(
        self,
        *,
        capacity_bytes: int,
        resources: ServiceCapacities | None = None,
        contract: NamedContract | None = None,
    ) -> LocalServiceBuilder:
        """Give the memory its local service, with capacities or a complete contract.

        Raises
        ------
        ValueError
            It has one already.
        """
        if self._local is not None:
            raise ValueError(f"{self!r} must have one local service, not a second one")
        self._local = LocalServiceBuilder(self, capacity_bytes, resources, contract)
        return self._local

    def manager(self, name: str, *, beat_bits: int) -> Manager:
        """Add a path to memory outside."""
        self._managers.append({"name": name, "beat_bits": beat_bits})
        return Manager(self, name)

    def subordinate(
        self,
        name: str,
        *,
        beat_bits: int,
        max_exposed_bindings: int,
        match: Sequence[Match],
        transform: Literal["none", "constant_base_offset"],
        targets: Sequence[Target],
    ) -> Subordinate:
        """Add an endpoint through which others reach services of the memory."""
        require_own(self, *targets)
        table: dict[str, object] = {
            "name": name,
            "beat_bits": beat_bits,
            "max_exposed_bindings": max_exposed_bindings,
            "match": plain(match),
            "transform": transform,
            "targets": listed(targets),
        }
        self._subordinate_tables.append(table)
        self._subordinates.append(Subordinate(self, name))
        return self._subordinates[-1]

    def table(self) -> dict[str, object]:
        """The memory as a table of the document."""
        table: dict[str, object] = {"name": self.name}
        if self._managers:
            table["manager"] = self._managers
        if self._subordinate_tables:
            table["subordinate"] = self._subordinate_tables
        if self._local is not None:
            table["local"] = self._local.table([*self._ports(), *self._subordinates])
        if self._implementation is not None:
            table["implementation"] = self._implementation
        return table

    def _ports(self) -> Sequence[Requester]:
        return ()


class StorageMemoryBuilder(MemoryBuilder):
    """A memory without an engine: a service that others reach."""


class _EngineMemoryBuilder(MemoryBuilder):
    def __init__(self, owner: object, name: str, implementation: Implementation | None) -> None:
        super().__init__(owner, name, implementation)
        self._endpoints: list[dict[str, object]] = []
        self._connections: list[dict[str, object]] = []
        self._port_builders: list[PortBuilder] = []

    def input(self, name: str, *, bits: int) -> Input:
        """Add a token channel into the memory; 0 bits for control tokens."""
        self._endpoints.append({"name": name, "dir": "in", "bits": bits})
        return Input(self, name)

    def output(self, name: str, *, bits: int) -> Output:
        """Add a token channel out of the memory; 0 bits for completion tokens."""
        self._endpoints.append({"name": name, "dir": "out", "bits": bits})
        return Output(self, name)

    def connect(self, source: Output, sink: Input) -> None:
        """Let mappings lead results to operands inside the memory."""
        require_own(self, source, sink)
        self._connections.append({"from": source.name, "to": sink.name})

    def table(self) -> dict[str, object]:
        """The memory as a table of the document."""
        table = super().table() | {
            "endpoints": self._endpoints,
            "port": [port.table() for port in self._port_builders],
        }
        return table | ({"connections": self._connections} if self._connections else {})

    def _ports(self) -> Sequence[Requester]:
        return self._port_builders

    def _port(
        self,
        name: str,
        resources: SpatialResources | TemporalResources | None,
        contract: NamedContract | None,
        endpoints: Sequence[Endpoint],
    ) -> PortBuilder:
        self._port_builders.append(PortBuilder(self, name, resources, contract, endpoints))
        return self._port_builders[-1]


class SpatialMemoryBuilder(_EngineMemoryBuilder):
    """A memory with one operation row per port."""

    def port(
        self,
        name: str,
        *,
        resources: SpatialResources | None = None,
        contract: NamedContract | None = None,
        endpoints: Sequence[Endpoint] = (),
    ) -> PortBuilder:
        """Add an operation port, with capacities or a complete contract.

        ``endpoints`` belong to the port although no role of it has them.
        """
        return self._port(name, resources, contract, endpoints)

    def table(self) -> dict[str, object]:
        """The memory as a table of the document."""
        return super().table() | {"schedule": "spatial"}


class TemporalMemoryBuilder(_EngineMemoryBuilder):
    """A memory whose resident operation rows share its ports."""

    def __init__(
        self,
        owner: object,
        name: str,
        resident_contexts: int,
        tag_width: int,
        implementation: Implementation | None,
    ) -> None:
        super().__init__(owner, name, implementation)
        self._resident_contexts = resident_contexts
        self._tag_width = tag_width

    def port(
        self,
        name: str,
        *,
        resources: TemporalResources | None = None,
        contract: NamedContract | None = None,
        endpoints: Sequence[Endpoint] = (),
    ) -> PortBuilder:
        """Add an operation port, with capacities or a complete contract.

        ``endpoints`` belong to the port although no role of it has them.
        """
        return self._port(name, resources, contract, endpoints)

    def table(self) -> dict[str, object]:
        """The memory as a table of the document."""
        return super().table() | {
            "schedule": "temporal",
            "resident_contexts": self._resident_contexts,
            "tag_width": self._tag_width,
        }


class FabricBuilder:
    """A fabric: memories and datapath resources, in the order in which they are added."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._memories: list[MemoryBuilder] = []
        self._ops: list[object] = []

    def __repr__(self) -> str:
        return f"FabricBuilder {self.name}"

    def spatial(
        self, name: str, *, implementation: Implementation | None = None
    ) -> SpatialMemoryBuilder:
        """Add a memory with one operation row per port."""
        memory = SpatialMemoryBuilder(self, name, implementation)
        self._memories.append(memory)
        return memory

    def temporal(
        self,
        name: str,
        *,
        resident_contexts: int,
        tag_width: int,
        implementation: Implementation | None = None,
    ) -> TemporalMemoryBuilder:
        """Add a memory whose resident operation rows share its ports."""
        memory = TemporalMemoryBuilder(self, name, resident_contexts, tag_width, implementation)
        self._memories.append(memory)
        return memory

    def storage(
        self, name: str, *, implementation: Implementation | None = None
    ) -> StorageMemoryBuilder:
        """Add a memory without an engine."""
        memory = StorageMemoryBuilder(self, name, implementation)
        self._memories.append(memory)
        return memory

    def op(
        self,
        name: str,
        family: str,
        *,
        op_list: Sequence[str],
        hw_params: HwParams,
        ports: OpPorts,
        timing: OpTiming,
    ) -> Op:
        """Add a datapath resource; ``hw_params`` is the table of its family's parameter record."""
        self._ops.append(
            plain(
                {
                    "name": name,
                    "family": family,
                    "op_list": op_list,
                    "hw_params": hw_params,
                    "ports": ports,
                    "timing": timing,
                }
            )
        )
        return Op(self, name)

    def tables(self) -> dict[str, object]:
        """Everything so far as the tables of a fabric document."""
        tables: dict[str, object] = {"fabric": {"name": self.name}}
        if self._memories:
            tables["memory"] = [plain(memory.table()) for memory in self._memories]
        if self._ops:
            tables["op"] = plain(self._ops)
        return tables

    def build(self) -> Fabric:
        """Check the fabric and return its records; raises like :func:`author_tables`."""
        fabric, _ = author_tables(self.tables())
        return fabric
