"""A Temporal engine whose ports all make every access, and mappings of some of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fabricgen.author.fabric import author_tables
from fabricgen.author.mapping import read_mapping_tables
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.records.fabric import Fabric
from fabricgen.vocab.dataflow import AtomicRmwKind

__all__ = ["KINDS", "ORDERINGS", "RaceFabric", "RaceRow"]

#: What the local service computes.
KINDS = tuple(kind for kind in AtomicRmwKind if not kind.name.startswith(("FADD", "FSUB", "FM")))
#: Orderings of each actor; a compare-exchange has pairs.
ORDERINGS: Mapping[str, Sequence[str | tuple[str, str]]] = {
    "load": ("monotonic", "acquire", "seq_cst"),
    "store": ("monotonic", "release", "seq_cst"),
    "rmw": ("monotonic", "acquire", "release", "acq_rel", "seq_cst"),
    "cmpxchg": (("monotonic", "monotonic"), ("acq_rel", "acquire"), ("seq_cst", "seq_cst")),
    "fence": ("acquire", "release", "acq_rel", "seq_cst"),
}
_ROLES: dict[str, dict[str, str]] = {
    "load": {"address": "addr", "data": "read"},
    "store": {"address": "addr", "data": "data"},
    "rmw": {"address": "addr", "update": "data", "old": "read"},
    "cmpxchg": {
        "address": "addr",
        "expected": "expected",
        "desired": "data",
        "old": "read",
        "success": "success",
    },
    "fence": {},
}
_BOTH = {"control": "ctrl", "completion": "done"}
_INPUTS = {"addr": 32, "data": 64, "expected": 64, "ctrl": 0}
_OUTPUTS = {"read": 64, "success": 2, "done": 0}
_BEAT_BITS = 64
_PROVIDER = {"release_visibility": "at_linearization", "progress": "fair_eventual"}


@dataclass(frozen=True, slots=True)
class RaceRow:
    """One row.

    Parameters
    ----------
    port
        Ordinal of its port.
    actor
        ``load``, ``store``, ``rmw``, ``cmpxchg`` or ``fence``.
    ordering
        One of :data:`ORDERINGS` of the actor; None of a plain load or store.
    size_bytes, lanes
        Of the elements; several lanes follow one another.
    base
        Address of element 0.
    kind, weak
        Of a read-modify-write, and of a compare-exchange.
    control
        Row whose completion is this row's control token; an external one if None.
    """

    port: int
    actor: str
    ordering: str | tuple[str, str] | None = None
    size_bytes: int = 4
    lanes: int = 1
    base: int = 0
    kind: AtomicRmwKind | None = None
    weak: bool = False
    control: int | None = None

    @property
    def is_atomic(self) -> bool:
        """Each lane is one object."""
        return self.ordering is not None

    @property
    def inputs(self) -> tuple[str, ...]:
        """Short names of its external operands' endpoints."""
        taken = [end for end in _ROLES[self.actor].values() if end in _INPUTS]
        return (*taken, *(() if self.control is not None else ("ctrl",)))


@dataclass(frozen=True, slots=True)
class RaceFabric:
    """One memory: ports that all make every access, and AXI4 masters before its service.

    Parameters
    ----------
    name
        Of the fabric.
    ports, contexts
        Of the engine; a Spatial one has no contexts, and one row for each port.
    hosts
        Subordinates, each of which reaches all of the memory.
    banks, capacity_bytes
        Of the service; a beat has 64 bits.
    links
        Pairs of ports: the completion of the first may lead to the control of the second.
    has_lanes
        Whether there are accesses of two lanes.
    sizes_bytes, kinds
        Of elements that are no lanes, and what is computed.
    """

    name: str
    ports: int = 4
    contexts: int | None = 8
    hosts: int = 2
    banks: int = 2
    capacity_bytes: int = 1024
    links: Sequence[tuple[int, int]] = field(default_factory=tuple[tuple[int, int], ...])
    has_lanes: bool = True
    sizes_bytes: Sequence[int] = (1, 2, 4, 8)
    kinds: Sequence[AtomicRmwKind] = KINDS

    @property
    def tag_bits(self) -> int:
        """Width of a tag, 0 without."""
        return 0 if self.contexts is None else 4

    def fabric(self) -> Fabric:
        """The record."""
        memory: dict[str, object] = {"name": "mem0", "schedule": "spatial"}
        if self.contexts is not None:
            memory |= {"schedule": "temporal", "resident_contexts": self.contexts}
            memory["tag_width"] = self.tag_bits
        memory["endpoints"] = [
            {"name": f"p{port}_{name}", "dir": direction, "bits": bits}
            for port in range(self.ports)
            for direction, ends in (("in", _INPUTS), ("out", _OUTPUTS))
            for name, bits in ends.items()
        ]
        memory["port"] = [self._port(port) for port in range(self.ports)]
        memory["local"] = self._local()
        if self.links:
            memory["connections"] = [
                {"from": f"p{source}_done", "to": f"p{sink}_ctrl"} for source, sink in self.links
            ]
        if self.hosts:
            memory["subordinate"] = [
                {
                    "name": f"host{number}",
                    "beat_bits": _BEAT_BITS,
                    "max_exposed_bindings": 1,
                    "match": [],
                    "transform": "none",
                    "targets": ["local"],
                }
                for number in range(self.hosts)
            ]
            memory["implementation"] = {"subordinate_protocol": "axi4"}
        return author_tables({"fabric": {"name": self.name}, "memory": [memory]})[0]

    def mapping(self, fabric: Fabric, rows: Sequence[RaceRow]) -> FabricConfiguration:
        """The rows, in their order; each has its ordinal as its tag."""
        table: dict[str, object] = {
            "row": [self._row(at, row, rows) for at, row in enumerate(rows)]
        }
        if self.hosts:
            size = self.capacity_bytes
            table["binding"] = [{"name": "all", "region": 0, "offset": 0, "size": size}]
            table["exposure"] = [
                {"subordinate": f"host{number}", "binding": "all"} for number in range(self.hosts)
            ]
        document = {"fabric": self.name, "memory": {"mem0": table}}
        return read_mapping_tables(document, fabric).configuration

    def _port(self, port: int) -> dict[str, object]:
        resources: dict[str, object] = {"in_flight": 4, "result_holding": 4, "operand_depth": 2}
        if self.contexts is not None:
            held = [3, 3 * self.contexts]
            resources = {
                "context": self.contexts,
                "in_flight": held,
                "result_holding": held,
                "operand_depth": 1,
                "grant": {"round_robin": {"reset_cursor": 0}},
            }
        patterns = [{"name": "direct", "projection": "direct"}]
        if self.has_lanes:
            patterns.append({"name": "walk", "projection": "active_lanes"})
        alternatives: dict[str, list[object]] = {}
        for actor, served, pattern in self._served():
            roles = {role: f"p{port}_{end}" for role, end in (_ROLES[actor] | _BOTH).items()}
            more: dict[str, object] = {"roles": roles, "patterns": [pattern], "targets": ["local"]}
            alternatives.setdefault(actor, []).append(served | more)
        found: dict[str, object] = {"name": f"port{port}", "resources": resources}
        return {**found, "patterns": patterns, **alternatives}

    def _served(self) -> Iterator[tuple[str, dict[str, object], str]]:
        """Actor, contract with accesses, and pattern of each alternative."""
        patterns = [("direct", "absent"), ("walk", "per_lane")][: 1 + self.has_lanes]
        for pattern, granularity in patterns:
            shared: dict[str, object] = {
                "sync_scopes": ["system"],
                "granularity": [granularity],
                "volatile": [False],
            }
            for actor in ("load", "store", "rmw", "cmpxchg"):
                said = shared | {"orderings": [*map(_listed, ORDERINGS[actor])]}
                contract: list[object] = [said]
                if actor == "rmw":
                    said["kinds"] = [kind.name.lower() for kind in self.kinds]
                elif actor == "cmpxchg":
                    said["weak"] = [False, True]
                else:
                    contract = [{"plain": {"volatile": [False]}}, {"atomic": said}]
                access = _access(actor, pattern, self.sizes_bytes)
                yield actor, {"contract": contract, "access": [access]}, pattern
        contract = [{"orderings": [*ORDERINGS["fence"]], "sync_scopes": ["system"]}]
        yield "fence", {"contract": contract}, "direct"

    def _local(self) -> dict[str, object]:
        everybody = self.ports + self.hosts
        capabilities: list[object] = []
        names = [f"port{port}" for port in range(self.ports)]
        for actor, served, pattern in self._served():
            more: dict[str, object] = {"consistency": {"local_provider": _PROVIDER}}
            if actor != "fence":
                more |= {"beat_bits": _BEAT_BITS, "regions": [0]}
            clauses = served["contract"]
            assert isinstance(clauses, list)
            plain = [each for each in clauses if "plain" in each]
            others = [each for each in clauses if "plain" not in each]
            capabilities.append({actor: served | more | {"contract": others, "patterns": names}})
            if plain and (self.hosts == 0 or pattern == "walk"):
                capabilities.append({actor: served | more | {"contract": plain, "patterns": names}})
            elif plain:
                capabilities.append({actor: served | more | {"contract": plain}})
        resources: dict[str, object] = {
            "banks": self.banks,
            "outstanding": 8 * everybody,
            "queue": 8,
        }
        if everybody > 1:
            resources["grant"] = {"round_robin": {"reset_cursor": 0}}
        return {
            "capacity_bytes": self.capacity_bytes,
            "regions": [{"base": 0, "size": self.capacity_bytes, "storage": {}}],
            "resources": resources,
            "capabilities": capabilities,
        }

    def _row(self, number: int, row: RaceRow, rows: Sequence[RaceRow]) -> dict[str, object]:
        actor: dict[str, object] = {"pattern": "direct" if row.lanes == 1 else "walk"}
        found: dict[str, object] = {"name": f"row{number}", "port": f"port{row.port}"}
        found["target"] = "local"
        if row.actor == "fence":
            actor |= {"ordering": row.ordering, "sync_scope": "system"}
        else:
            found["base"] = row.base
            actor |= {
                "form": "element" if row.lanes == 1 else "contiguous",
                "element_bits": 8 * row.size_bytes,
                "lanes": row.lanes,
                "mask": "absent",
                "index_bits": 32,
                "volatile": False,
            } | self._contract(row)
        leads = [at for at, each in enumerate(rows) if each.control == number]
        roles = _ROLES[row.actor] | _BOTH
        inputs: dict[str, object] = {}
        outputs: dict[str, object] = {}
        tag: dict[str, object] = {} if self.contexts is None else {"tag": number}
        for role, end in roles.items():
            if end in _OUTPUTS:
                if role == "completion" and leads:
                    outputs[role] = {"expose": True} | tag
                elif tag:
                    outputs[role] = tag
            elif role == "control" and row.control is not None:
                inputs[role] = {"from": f"row{row.control}.completion"}
            elif tag:
                inputs[role] = tag
        if inputs:
            found["inputs"] = inputs
        if outputs:
            found["outputs"] = outputs
        return found | {row.actor: actor}

    def _contract(self, row: RaceRow) -> dict[str, object]:
        if row.ordering is None:
            return {}
        said: dict[str, object] = {
            "sync_scope": "system",
            "granularity": "absent" if row.lanes == 1 else "per_lane",
        }
        more: dict[str, object] = {"alignment": row.size_bytes}
        if row.actor in ("load", "store"):
            return more | {"atomic": said | {"ordering": row.ordering}}
        if row.actor == "cmpxchg":
            return more | said | {"orderings": _listed(row.ordering), "weak": row.weak}
        return more | said | {"ordering": row.ordering, "kind": row.kind and row.kind.name.lower()}


def _listed(ordering: str | tuple[str, str]) -> object:
    return list(ordering) if isinstance(ordering, tuple) else ordering


def _access(actor: str, pattern: str, sizes_bytes: Sequence[int]) -> dict[str, object]:
    found: dict[str, object] = {
        "form": "element" if pattern == "direct" else "contiguous",
        "address": {"root_relative": [32]},
        "element_bits": [8 * size for size in sizes_bytes] if pattern == "direct" else [16, 32],
        "lanes": [1] if pattern == "direct" else [2],
        "mask": ["absent"],
        "alignment": "any",
    }
    if actor != "store":
        found["read_subword"] = ["zero_extend"]
    if actor != "load":
        found["write_subword"] = ["byte_enable"]
    return found
