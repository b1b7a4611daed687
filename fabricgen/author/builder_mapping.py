"""A mapping built in Python: rows, bindings, exposures and actors over a fabric's handles.

It makes the tables of a mapping document and hands them to the one door that reads mappings.
"""

from collections.abc import Sequence
from typing import Literal, TypeVar

from fabricgen.author.builder import FabricBuilder, MemoryBuilder
from fabricgen.author.builder_actors import OpActor
from fabricgen.author.builder_handles import (
    Handle,
    Manager,
    Op,
    Pattern,
    Subordinate,
    Target,
    plain,
    require_own,
)
from fabricgen.author.builder_port import PortBuilder
from fabricgen.author.builder_rows import (
    CmpxchgAccess,
    ExposureMatch,
    FenceOrder,
    LoadStoreAccess,
    OperandRole,
    ResultRole,
    RmwAccess,
)
from fabricgen.author.mapping import Mapping, read_mapping_tables
from fabricgen.records.fabric import Fabric

__all__ = ["Binding", "MappingBuilder", "MemoryMappingBuilder", "Operand", "Result", "RowBuilder"]

_Kind = Literal["load", "store", "rmw", "cmpxchg", "fence"]
_H = TypeVar("_H", bound=Handle)


class Binding(Handle):
    """A logical memory: in the local service, or behind a manager."""


class Operand(Handle):
    """One operand of a row; its name is that of row and role."""


class Result(Handle):
    """One result of a row; its name is that of row and role."""


class RowBuilder(Handle):
    """One active row while it is built: where its operands come from, and its results go.

    Methods take results and operands of rows of the same memory, and raise ``ValueError`` for any
    other.
    """

    def __init__(self, owner: "MemoryMappingBuilder", table: dict[str, object], name: str) -> None:
        super().__init__(owner, name)
        self._mapping = owner
        self._table = table
        self._inputs: dict[str, dict[str, object]] = {}
        self._outputs: dict[str, dict[str, object]] = {}

    def operand(self, role: OperandRole) -> Operand:
        """Name an operand, for the row that feeds it."""
        return Operand(self._mapping, f"{self.name}.{role}")

    def result(self, role: ResultRole) -> Result:
        """Name a result, for the rows that it feeds."""
        return Result(self._mapping, f"{self.name}.{role}")

    def input(
        self, role: OperandRole, *, tag: int | None = None, source: Result | None = None
    ) -> None:
        """Say where an operand comes from: its endpoint, with a tag or without, or a result."""
        table: dict[str, object] = {} if tag is None else {"tag": tag}
        if source is not None:
            require_own(self._mapping, source)
            table["from"] = source.name
        self._inputs[role] = table

    def output(
        self,
        role: ResultRole,
        *,
        tag: int | None = None,
        to: Sequence[Operand] = (),
        expose: bool | None = None,
    ) -> None:
        """Say where a result goes: to its endpoint, to operands, or both."""
        require_own(self._mapping, *to)
        table: dict[str, object] = {} if tag is None else {"tag": tag}
        if to:
            table["to"] = [operand.name for operand in to]
        if expose is not None:
            table["expose"] = expose
        self._outputs[role] = table

    def table(self) -> dict[str, object]:
        """The row as a table of the document."""
        table = dict(self._table)
        if self._inputs:
            table["inputs"] = self._inputs
        if self._outputs:
            table["outputs"] = self._outputs
        return table


class MemoryMappingBuilder(Handle):
    """What one memory does.

    Methods take handles of the memory itself and bindings of this mapping, and raise
    ``ValueError`` for any other.
    """

    def __init__(self, owner: "MappingBuilder", memory: MemoryBuilder) -> None:
        super().__init__(owner, memory.name)
        self._memory = memory
        self._bindings: list[dict[str, object]] = []
        self._proxies: list[dict[str, object]] = []
        self._rows: list[RowBuilder] = []
        self._exposures: list[dict[str, object]] = []

    def binding(self, name: str, *, region: int, offset: int, size: int) -> Binding:
        """Place a logical memory in the local service; regions count from 0 by address."""
        self._bindings.append({"name": name, "region": region, "offset": offset, "size": size})
        return Binding(self, name)

    def proxy(self, name: str, *, manager: Manager, base: int) -> Binding:
        """Place a logical memory behind a manager."""
        require_own(self._memory, manager)
        self._proxies.append({"name": name, "manager": manager.name, "base": base})
        return Binding(self, name)

    def expose(
        self, subordinate: Subordinate, binding: Binding, match: ExposureMatch | None = None
    ) -> None:
        """Let requests of a subordinate reach a logical memory."""
        require_own(self._memory, subordinate)
        require_own(self, binding)
        table: dict[str, object] = {"subordinate": subordinate.name, "binding": binding.name}
        if match is not None:
            table["match"] = plain(match)
        self._exposures.append(table)

    def load(
        self,
        name: str,
        port: PortBuilder,
        access: LoadStoreAccess,
        *,
        pattern: Pattern,
        target: Target | None = None,
        binding: Binding | None = None,
        base: int | None = None,
        row: int | None = None,
    ) -> RowBuilder:
        """Add a row that loads."""
        return self._row("load", name, port, access, pattern, target, binding, base, row)

    def store(
        self,
        name: str,
        port: PortBuilder,
        access: LoadStoreAccess,
        *,
        pattern: Pattern,
        target: Target | None = None,
        binding: Binding | None = None,
        base: int | None = None,
        row: int | None = None,
    ) -> RowBuilder:
        """Add a row that stores."""
        return self._row("store", name, port, access, pattern, target, binding, base, row)

    def rmw(
        self,
        name: str,
        port: PortBuilder,
        access: RmwAccess,
        *,
        pattern: Pattern,
        target: Target | None = None,
        binding: Binding | None = None,
        base: int | None = None,
        row: int | None = None,
    ) -> RowBuilder:
        """Add a row that reads, modifies and writes in one atomic action."""
        return self._row("rmw", name, port, access, pattern, target, binding, base, row)

    def cmpxchg(
        self,
        name: str,
        port: PortBuilder,
        access: CmpxchgAccess,
        *,
        pattern: Pattern,
        target: Target | None = None,
        binding: Binding | None = None,
        base: int | None = None,
        row: int | None = None,
    ) -> RowBuilder:
        """Add a row that compares and exchanges."""
        return self._row("cmpxchg", name, port, access, pattern, target, binding, base, row)

    def fence(
        self,
        name: str,
        port: PortBuilder,
        order: FenceOrder,
        *,
        pattern: Pattern,
        target: Target,
        row: int | None = None,
    ) -> RowBuilder:
        """Add a row that orders accesses and makes none."""
        return self._row("fence", name, port, order, pattern, target, None, None, row)

    def table(self) -> dict[str, object]:
        """What the memory does as a table of the document."""
        parts: dict[str, list[dict[str, object]]] = {
            "binding": self._bindings,
            "proxy": self._proxies,
            "row": [row.table() for row in self._rows],
            "exposure": self._exposures,
        }
        return {key: part for key, part in parts.items() if part}

    def _row(
        self,
        kind: _Kind,
        name: str,
        port: PortBuilder,
        access: LoadStoreAccess | RmwAccess | CmpxchgAccess | FenceOrder,
        pattern: Pattern,
        target: Target | None,
        binding: Binding | None,
        base: int | None,
        row: int | None,
    ) -> RowBuilder:
        require_own(self._memory, port, *_given(target))
        require_own(port, pattern)
        require_own(self, *_given(binding))
        body: dict[str, object] = {key: plain(value) for key, value in access.items()}
        table: dict[str, object] = {
            "name": name,
            "port": port.name,
            kind: body | {"pattern": pattern.name},
        }
        optional = {
            "target": None if target is None else target.name,
            "binding": None if binding is None else binding.name,
            "base": base,
            "row": row,
        }
        table |= {key: value for key, value in optional.items() if value is not None}
        self._rows.append(RowBuilder(self, table, name))
        return self._rows[-1]


class MappingBuilder(Handle):
    """A mapping of one fabric."""

    def __init__(self, fabric: FabricBuilder) -> None:
        super().__init__(fabric, fabric.name)
        self._fabric = fabric
        self._memories: dict[str, MemoryMappingBuilder] = {}
        self._ops: dict[str, object] = {}

    def memory(self, memory: MemoryBuilder) -> MemoryMappingBuilder:
        """What a memory of the fabric does; one that is never named here is disabled.

        Raises
        ------
        ValueError
            The memory is of another fabric.
        """
        if memory.owner is not self._fabric:
            raise ValueError(f"{memory!r} must be of {self._fabric!r}, not of {memory.owner!r}")
        if memory.name not in self._memories:
            self._memories[memory.name] = MemoryMappingBuilder(self, memory)
        return self._memories[memory.name]

    def op(self, op: Op, actor: OpActor) -> None:
        """Say what a datapath resource carries out; one that is never named here is inactive.

        Raises
        ------
        ValueError
            The resource is of another fabric.
        """
        require_own(self._fabric, op)
        self._ops[op.name] = plain(actor)

    def tables(self) -> dict[str, object]:
        """Everything so far as the tables of a mapping document."""
        memories = {name: plain(each.table()) for name, each in self._memories.items()}
        tables: dict[str, object] = {"fabric": self._fabric.name}
        if memories:
            tables["memory"] = memories
        if self._ops:
            tables["op"] = plain(self._ops)
        return tables

    def build(self, fabric: Fabric) -> Mapping:
        """Check the mapping against the built fabric; raises like :func:`read_mapping_tables`."""
        return read_mapping_tables(self.tables(), fabric)


def _given(handle: _H | None) -> tuple[_H, ...]:
    return () if handle is None else (handle,)
