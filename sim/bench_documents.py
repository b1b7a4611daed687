"""Fabric and mapping documents of the performance suite, written from a few numbers."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["BenchEngine", "BenchPort", "BenchRow", "BenchStorage"]

_ROLES = {
    "load": ("address", "mask", "control", "data", "completion"),
    "store": ("address", "data", "mask", "control", "completion"),
    "rmw": ("address", "update", "mask", "control", "old", "completion"),
    "cmpxchg": (
        *("address", "expected", "desired", "mask", "control"),
        *("old", "success", "completion"),
    ),
}
_RESULTS = {
    "load": ("data", "completion"),
    "store": ("completion",),
    "rmw": ("old", "completion"),
    "cmpxchg": ("old", "success", "completion"),
}
#: Contract of a row that is not plain, and the key and values of each part of it in a clause.
_SAID = {
    "rmw": (
        {"kind": "add", "ordering": "monotonic"},
        {"kinds": ["add"], "orderings": ["monotonic"]},
    ),
    "cmpxchg": (
        {"orderings": ["monotonic", "monotonic"], "weak": False},
        {"orderings": [["monotonic", "monotonic"]], "weak": [False]},
    ),
}
_SHORT = {"address": "addr", "control": "ctrl", "completion": "done"}
_TAG_WIDTH = 4
_PROVIDER = {"release_visibility": "at_linearization", "progress": "fair_eventual"}


@dataclass(frozen=True, slots=True)
class BenchPort:
    """One operation port with one access.

    Parameters
    ----------
    kind
        ``load``, ``store``, ``rmw`` (an addition) or ``cmpxchg``.
    form
        ``element``, ``contiguous`` or ``indexed``.
    element_bits, lanes, masked
        Geometry of the access.
    in_flight
        In-flight and result-holding capacity, of a row and of all rows.
    projection
        ``direct`` or ``active_lanes``.
    target
        ``local`` or ``ext0``, a manager of 64 bits.
    shared
        Roles that stand on the endpoint of another role.
    """

    kind: str
    form: str
    element_bits: int
    lanes: int = 1
    masked: bool = False
    in_flight: int = 4
    projection: str = "direct"
    target: str = "local"
    shared: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def data_bits(self) -> int:
        """Width of the payload."""
        return self.element_bits * self.lanes

    @property
    def roles(self) -> tuple[str, ...]:
        """Roles of the access, in their order."""
        return tuple(role for role in _ROLES[self.kind] if self.masked or role != "mask")

    @property
    def inputs(self) -> tuple[str, ...]:
        """Roles that take tokens."""
        return tuple(role for role in self.roles if role not in _RESULTS[self.kind])

    def bits(self, role: str) -> int:
        """Width of the tokens of one role."""
        addresses = self.lanes if self.form == "indexed" else 1
        widths = {"address": 32 * addresses, "mask": self.lanes, "success": self.lanes}
        if role in ("control", "completion"):
            return 0
        return widths.get(role, self.data_bits)

    @property
    def granularity(self) -> str:
        """That of an atomic contract."""
        return "absent" if self.form == "element" else "per_lane"

    def contract(self) -> dict[str, object]:
        """The one clause."""
        if self.kind not in _SAID:
            return {"plain": {"volatile": [False]}}
        said: dict[str, object] = dict(_SAID[self.kind][1])
        more = {"sync_scopes": ["system"], "granularity": [self.granularity], "volatile": [False]}
        return said | more

    def row_contract(self) -> dict[str, object]:
        """What a row says of it."""
        if self.kind not in _SAID:
            return {}
        said: dict[str, object] = dict(_SAID[self.kind][0])
        more = {"sync_scope": "system", "granularity": self.granularity, "volatile": False}
        return said | more | {"alignment": self.element_bits // 8}

    def access(self) -> dict[str, object]:
        """The one access class, as port and service admit it."""
        directions = {"load": ["read"], "store": ["write"]}.get(self.kind, ["read", "write"])
        found: dict[str, object] = {
            "form": self.form,
            "address": {"root_relative": [32]},
            "element_bits": [self.element_bits],
            "lanes": [self.lanes],
            "mask": ["dynamic" if self.masked else "absent"],
            "alignment": "any",
        }
        return found | {f"{direction}_subword": ["exact"] for direction in directions}


@dataclass(frozen=True, slots=True)
class BenchRow:
    """One row, named ``row<ordinal>``.

    Parameters
    ----------
    port
        Ordinal of its port.
    base
        Address of element 0.
    sources
        Operands that results of rows feed, such as ``{"data": "row0.data"}``.
    """

    port: int = 0
    base: int = 0
    sources: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class BenchEngine:
    """One memory with its rows.

    Parameters
    ----------
    ports, rows
        In Spatial, row ``i`` is that of port ``i``.
    contexts
        Resident contexts of a Temporal engine; absent in a Spatial one.
    banks, beat_bits, capacity_bytes
        The local service; there is none where no port has it as a target.
    issue_lanes
        Lanes of one firing that an active-lanes port lets in per cycle.
    """

    ports: Sequence[BenchPort]
    rows: Sequence[BenchRow]
    contexts: int | None = None
    banks: int = 4
    beat_bits: int = 32
    capacity_bytes: int = 8192
    issue_lanes: int = 1

    def endpoint(self, port: int, role: str) -> str:
        """Name of the endpoint of a role."""
        role = self.ports[port].shared.get(role, role)
        return f"p{port}_{_SHORT.get(role, role)}"

    def tag(self, row: int, role: str) -> int | None:
        """Tag of an external role: apart by row, and by role where an endpoint has several."""
        if self.contexts is None:
            return None
        port = self.ports[self.rows[row].port]
        home = port.shared.get(role, role)
        along = [each for each in port.roles if port.shared.get(each, each) == home]
        return row * len(along) + along.index(role)

    def fabric_document(self, name: str) -> str:
        """TOML of the fabric."""
        memory: dict[str, object] = {"name": "mem0", "schedule": "spatial"}
        if self.contexts is not None:
            memory |= {
                "schedule": "temporal",
                "resident_contexts": self.contexts,
                "tag_width": _TAG_WIDTH,
            }
        memory["endpoints"] = list(self._endpoints())
        memory["port"] = [self._port(number) for number in range(len(self.ports))]
        if any(port.target == "local" for port in self.ports):
            memory["local"] = self._local()
        if any(port.target != "local" for port in self.ports):
            memory["manager"] = [{"name": "ext0", "beat_bits": 64}]
        if connections := list(self._connections()):
            memory["connections"] = connections
        memory["implementation"] = {
            "bank_function": "interleaved",
            "issue_lanes": self.issue_lanes,
        }
        return _toml({"fabric": {"name": name}, "memory": [memory]})

    def mapping_document(self, name: str) -> str:
        """TOML of the rows."""
        rows = [self._row(number) for number in range(len(self.rows))]
        return _toml({"fabric": name, "memory": {"mem0": {"row": rows}}})

    def _endpoints(self) -> Iterator[dict[str, object]]:
        for number, port in enumerate(self.ports):
            widths: dict[str, int] = {}
            for role in port.roles:
                home = port.shared.get(role, role)
                widths[home] = max(widths.get(home, 0), port.bits(role))
            for role, bits in widths.items():
                direction = "in" if role in port.inputs else "out"
                yield {"name": self.endpoint(number, role), "dir": direction, "bits": bits}

    def _port(self, number: int) -> dict[str, object]:
        port, depth = self.ports[number], self.contexts
        resources: dict[str, object] = {
            "in_flight": port.in_flight,
            "result_holding": port.in_flight,
            "operand_depth": 2,
        }
        if depth is not None:
            capacity = [port.in_flight, port.in_flight * depth]
            resources = {
                "context": depth,
                "in_flight": capacity,
                "result_holding": capacity,
                "operand_depth": 1,
            }
            if depth > 1:
                resources["grant"] = {"round_robin": {"reset_cursor": 0}}
        alternative = {
            "roles": {role: self.endpoint(number, role) for role in port.roles},
            "contract": [port.contract()],
            "access": [port.access()],
            "patterns": ["way"],
            "targets": [port.target],
        }
        return {
            "name": f"port{number}",
            "resources": resources,
            "patterns": [{"name": "way", "projection": port.projection}],
            port.kind: [alternative],
        }

    def _local(self) -> dict[str, object]:
        ports = [port for port in self.ports if port.target == "local"]
        contexts = self.contexts or 1
        resources: dict[str, object] = {
            "banks": self.banks,
            "outstanding": contexts * sum(port.in_flight for port in ports),
            "queue": contexts * max(port.in_flight for port in ports),
        }
        if len(ports) > 1:
            resources["grant"] = {"round_robin": {"reset_cursor": 0}}
        capabilities: list[object] = []
        groups: dict[tuple[str, str], list[BenchPort]] = {}
        for port in sorted(ports, key=lambda each: list(_ROLES).index(each.kind)):
            groups.setdefault((port.kind, json.dumps(port.contract())), []).append(port)
        for (kind, _), alike in groups.items():
            accesses = {json.dumps(each.access()): each.access() for each in alike}
            served: dict[str, object] = {
                "contract": [alike[0].contract()],
                "access": list(accesses.values()),
                "beat_bits": self.beat_bits,
                "regions": [0],
            }
            if kind in _SAID:
                served["consistency"] = {"local_provider": _PROVIDER}
            capabilities.append({kind: served})
        return {
            "capacity_bytes": self.capacity_bytes,
            "regions": [{"base": 0, "size": self.capacity_bytes, "storage": {}}],
            "resources": resources,
            "capabilities": capabilities,
        }

    def _connections(self) -> Iterator[dict[str, str]]:
        found: dict[tuple[str, str], None] = {}
        for row in self.rows:
            for role, source in row.sources.items():
                producer, result = source.split(".")
                port = self.rows[int(producer.removeprefix("row"))].port
                found[self.endpoint(port, result), self.endpoint(row.port, role)] = None
        for start, sink in found:
            yield {"from": start, "to": sink}

    def _row(self, number: int) -> dict[str, object]:
        row = self.rows[number]
        port = self.ports[row.port]
        fed = {source for each in self.rows for source in each.sources.values()}
        inputs: dict[str, object] = {}
        outputs: dict[str, object] = {}
        for role in port.roles:
            tag = self.tag(number, role)
            if role in row.sources:
                inputs[role] = {"from": row.sources[role]}
            elif role in port.inputs and tag is not None:
                inputs[role] = {"tag": tag}
            elif role not in port.inputs and f"row{number}.{role}" in fed:
                outputs[role] = {"expose": False}
            elif role not in port.inputs and tag is not None:
                outputs[role] = {"tag": tag}
        found: dict[str, object] = {
            "name": f"row{number}",
            "port": f"port{row.port}",
            port.kind: {
                "form": port.form,
                "element_bits": port.element_bits,
                "lanes": port.lanes,
                "mask": "dynamic" if port.masked else "absent",
                "index_bits": 32,
                "pattern": "way",
            }
            | port.row_contract(),
            "base": row.base,
            "target": port.target,
        }
        if inputs:
            found["inputs"] = inputs
        if outputs:
            found["outputs"] = outputs
        return found


@dataclass(frozen=True, slots=True)
class BenchStorage:
    """Storage alone, behind one subordinate ``host`` that reaches all of it at its own addresses.

    Parameters
    ----------
    protocol
        Of the subordinate.
    banks, beat_bits, capacity_bytes
        The local service; beats of the subordinate are as wide as its own.
    queue
        Beats inside.
    """

    protocol: str
    banks: int = 4
    beat_bits: int = 32
    capacity_bytes: int = 16384
    queue: int = 6
    ports: Sequence[BenchPort] = ()
    rows: Sequence[BenchRow] = ()

    def fabric_document(self, name: str) -> str:
        """TOML of the fabric."""
        subordinate = {
            "name": "host",
            "beat_bits": self.beat_bits,
            "max_exposed_bindings": 1,
            "match": [],
            "transform": "none",
            "targets": ["local"],
        }
        local = {
            "capacity_bytes": self.capacity_bytes,
            "regions": [{"base": 0, "size": self.capacity_bytes, "storage": {}}],
            "resources": {
                "banks": self.banks,
                "outstanding": self.queue + 2,
                "queue": self.queue,
            },
            "capabilities": [
                {
                    kind: {
                        "contract": [{"plain": {"volatile": [False]}}],
                        "access": [BenchPort(kind, "element", 8).access()],
                        "beat_bits": self.beat_bits,
                        "regions": [0],
                    }
                }
                for kind in ("load", "store")
            ],
        }
        memory = {
            "name": "mem0",
            "subordinate": [subordinate],
            "local": local,
            "implementation": {"subordinate_protocol": self.protocol},
        }
        return _toml({"fabric": {"name": name}, "memory": [memory]})

    def mapping_document(self, name: str) -> str:
        """TOML of what is exposed."""
        size = self.capacity_bytes
        memory = {
            "binding": [{"name": "all", "region": 0, "offset": 0, "size": size}],
            "exposure": [{"subordinate": "host", "binding": "all"}],
        }
        return _toml({"fabric": name, "memory": {"mem0": memory}})


def _toml(document: Mapping[str, object]) -> str:
    """TOML text of plain values; everything below the top level is inline."""
    return "".join(f"{key} = {_inline(value)}\n" for key, value in document.items())


def _inline(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return repr(value)
        case str():
            return json.dumps(value)
        case list():
            return "[" + ", ".join(map(_inline, value)) + "]"
        case dict():
            return "{" + ", ".join(f"{key} = {_inline(each)}" for key, each in value.items()) + "}"
        case _:
            raise TypeError(f"No TOML for {value!r}")
