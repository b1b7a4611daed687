"""Where rows, roles, storage and ops are in the emitted hierarchy, for benches and debuggers."""

from fabricgen.emit.verilog import EmittedVerilog
from fabricgen.emit.writer import STORAGE_KINDS
from fabricgen.records.fabric import Fabric, NamedMemory
from fabricgen.records.occurrence import Spatial

__all__ = ["bank_paths", "instance_names"]

_Json = dict[str, object]


def bank_paths(emitted: EmittedVerilog) -> tuple[str, ...]:
    """Path below the top of each bank's storage array, in bank order."""
    banks = tuple(f"{path}." for kind in STORAGE_KINDS for path in _instances(emitted, kind))
    return tuple(path for path in emitted.memories if path.startswith(banks))


def instance_names(fabric: Fabric, emitted: EmittedVerilog) -> _Json:
    """Describe every port, its row and its roles, and every op, by their paths below the top."""
    return {
        "loader": _one(_instances(emitted, "ConfigurationLoader")),
        "memories": [_memory(named, emitted) for named in fabric.memories],
        "ops": [
            {"name": name, "instance": f"{name}_op", "provider": f"{name}_op.provider"}
            for name in (named.name for named in fabric.ops)
        ],
        "instances": emitted.instances,
    }


def _memory(named: NamedMemory, emitted: EmittedVerilog) -> _Json:
    return {
        "name": named.name,
        "instance": _one(_instances(emitted, "MemoryOccurrence")),
        "service": next(iter(_instances(emitted, "LocalMemoryService")), None),
        "managers": _managers(named, emitted),
        "subordinates": [
            {"name": name, "instance": path}
            for name, path in zip(
                named.names.subordinates, _instances(emitted, "Subordinate"), strict=True
            )
        ],
        "banks": list(bank_paths(emitted)),
        "ports": _ports(named, emitted),
    }


def _managers(named: NamedMemory, emitted: EmittedVerilog) -> list[_Json]:
    """Arbiter of each manager that has ports, and the ports' requesters in front of it."""
    requesters = _instances(emitted, "ManagerRequester")
    managers: list[_Json] = []
    for path in _instances(emitted, "BeatArbiter"):
        parent, _, part = path.rpartition(".")
        ordinal = part.removeprefix("arbiter_")
        managers.append(
            {
                "name": named.names.managers[int(ordinal)],
                "arbiter": path,
                "requesters": {
                    name: inner
                    for port, name in enumerate(named.names.ports)
                    if (inner := f"{parent}.requester_{port}_{ordinal}") in requesters
                },
            }
        )
    return managers


def _ports(named: NamedMemory, emitted: EmittedVerilog) -> list[_Json]:
    engine = named.occurrence.engine
    if engine is None:
        return []
    is_spatial = isinstance(engine.contract, Spatial)
    paths = _instances(emitted, "SpatialPort" if is_spatial else "TemporalPort")
    return [
        {
            "name": name,
            # In a Temporal schedule every port may serve every row.
            "row": ordinal if is_spatial else None,
            "instance": path,
            "parts": _parts(path, emitted),
            "roles": _roles(named, ordinal, path, emitted),
        }
        for ordinal, (name, path) in enumerate(zip(named.names.ports, paths, strict=True))
    ]


def _roles(named: NamedMemory, ordinal: int, path: str, emitted: EmittedVerilog) -> _Json:
    engine = named.occurrence.engine
    alternatives = engine.ports[ordinal].capability_alternatives if engine else ()
    bound: dict[str, set[int]] = {}
    for alternative in alternatives:
        for role, endpoint in alternative.role_to_endpoint:
            bound.setdefault(role.name.lower(), set()).add(endpoint)
    roles: _Json = {}
    for role, endpoints in sorted(bound.items()):
        entry: _Json = {"endpoints": [named.names.endpoints[at] for at in sorted(endpoints)]}
        if (queue := f"{path}.{role}_queue") in emitted.instances:
            entry["queue"] = queue
        roles[role] = entry
    return roles


def _parts(path: str, emitted: EmittedVerilog) -> _Json:
    """Direct parts of an instance: name to path."""
    prefix = f"{path}."
    return {
        inner.removeprefix(prefix): inner
        for inner in emitted.instances
        if inner.startswith(prefix) and "." not in inner.removeprefix(prefix)
    }


def _instances(emitted: EmittedVerilog, kind: str) -> tuple[str, ...]:
    return tuple(path for path, found in emitted.instances.items() if found == kind)


def _one(paths: tuple[str, ...]) -> str:
    (path,) = paths
    return path
