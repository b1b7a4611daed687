"""Spatial memories of load and store ports with connections between them, in a few words each.

Ports are named by their position: ``"0.addr"`` is an endpoint, ``("0.data", "1.addr")`` an edge.
"""

from dataclasses import dataclass, replace

from fabricgen.plan.rows import Active, ResultDestination, RoleSource
from fabricgen.records.connectivity import (
    InternalConnection,
    ManagerEndpointTarget,
    OperationPortDispatch,
)
from fabricgen.records.endpoint import ServiceEndpoint
from fabricgen.records.fabric import NamedMemory
from tests.support import memories as mem

ROLES = {
    "addr": mem.ROLE.ADDRESS,
    "data": mem.ROLE.DATA,
    "mask": mem.ROLE.MASK,
    "ctrl": mem.ROLE.CONTROL,
    "done": mem.ROLE.COMPLETION,
}
SCHEMAS = {"L": mem.LOAD, "S": mem.STORE}
ROLE_NAMES = {"L": ("address", "mask", "control", "data", "completion")}
ROLE_NAMES["S"] = ("address", "data", "mask", "control", "completion")
SHORT = {"address": "addr", "control": "ctrl", "completion": "done"}


@dataclass(frozen=True, slots=True)
class Net:
    """A memory and one configuration; ``at`` finds an endpoint by its name."""

    named: NamedMemory
    configuration: Active
    at: dict[str, int]

    def streams(self, **tokens):
        """Streams by name, written ``a0=..., d1=..., m0=..., c0=...``."""
        roles = {"a": "addr", "d": "data", "m": "mask", "c": "ctrl"}
        return {
            (self.at[f"{name[1:]}.{roles[name[0]]}"], None): list(stream)
            for name, stream in tokens.items()
        }


def classes(schema, lanes):
    """Elements of 8 and 32 bits; contiguous and indexed lanes of both, masked or not."""
    masks = (mem.ABSENT, mem.DYNAMIC)
    return (
        mem.access_class(mem.ELEMENT, schema, elements=(8, 32), lanes=(1,), index=(8, 32)),
        *(
            mem.access_class(
                form, schema, elements=(8, 32), lanes=(lanes,), masks=masks, index=(8, 32)
            )
            for form in (mem.CONTIGUOUS, mem.INDEXED)
        ),
    )


def net(
    kinds,
    edges=(),
    *,
    accesses=None,
    bases=None,
    targets=None,
    managers=(),
    volatile=(),
    exposed=None,
    lanes=4,
    capacity=256,
    in_flight=4,
    implementation=None,
):
    """Build one memory and one row per port.

    ``kinds`` is one letter per port, ``L`` or ``S``. ``targets`` gives each port a manager
    ordinal or ``None`` (the service); ``managers`` the beat width of each manager in bits.
    ``exposed`` names the results that leave; by default those without an edge.
    """
    count = len(kinds)
    accesses = accesses or [mem.view(mem.ELEMENT)] * count
    bases, targets = bases or [0] * count, targets or [None] * count
    widths = {"address": 32 * lanes, "data": 32 * lanes, "mask": lanes}
    names = [
        (f"{port}.{SHORT.get(role, role)}", widths.get(role, 0), is_result(kind, role))
        for port, kind in enumerate(kinds)
        for role in ROLE_NAMES[kind]
    ]
    names.sort(key=lambda item: item[2])
    at = {name: ordinal for ordinal, (name, _, _) in enumerate(names)}
    ports = []
    for port, kind in enumerate(kinds):
        roles = {role: at[f"{port}.{SHORT.get(role, role)}"] for role in ROLE_NAMES[kind]}
        flags = (False, True) if volatile else ()
        alternative = mem.alternative(
            SCHEMAS[kind], roles, classes(SCHEMAS[kind], lanes), volatile=flags
        )
        ports.append(
            mem.port(
                alternative,
                inputs=len(ROLE_NAMES[kind]) - (2 if kind == "L" else 1),
                in_flight=in_flight,
                result_holding=in_flight,
            )
        )
    served = [
        mem.capability(
            schema,
            classes(schema, lanes),
            tuple(port for port, each in enumerate(kinds) if each == kind),
            volatile=(False, True) if volatile else (),
        )
        for kind, schema in SCHEMAS.items()
        if kind in kinds
    ]
    local = mem.service(*served, requesters=count, capacity=capacity)
    inputs = sum(not result for _, _, result in names)
    named = mem.memory(
        {name.replace(".", "_"): width for name, width, _ in names},
        inputs,
        ports,
        local,
        implementation=implementation,
    )
    connections = tuple(
        sorted({InternalConnection(at[source], at[sink]) for source, sink in edges})
    )
    everywhere = (mem.LOCAL, *(ManagerEndpointTarget(m) for m in range(len(managers))))
    named = mem.replaced(
        named,
        manager_endpoints=tuple(map(ServiceEndpoint, managers)),
        connectivity=replace(
            named.occurrence.connectivity,
            operation_ports=(OperationPortDispatch((everywhere,)),) * count,
            internal_connections=connections,
        ),
    )
    ordinals = {
        edge: connections.index(InternalConnection(at[edge[0]], at[edge[1]])) for edge in edges
    }
    rows = []
    for port, kind in enumerate(kinds):
        row = mem.row(port, SCHEMAS[kind], accesses[port], base=bases[port])
        here = {name: role for name, role in ROLES.items() if f"{port}.{name}" in at}
        by_role = {role: f"{port}.{name}" for name, role in here.items()}
        sources = tuple(
            (role, RoleSource(_sink(ordinals, by_role[role]))) for role, _ in row.sources
        )
        destinations = tuple(
            (role, _destination(ordinals, by_role[role], exposed)) for role, _ in row.destinations
        )
        target = targets[port]
        rows.append(
            replace(
                row,
                actor=mem.actor(SCHEMAS[kind], port in volatile),
                sources=sources,
                destinations=destinations,
                service_target=mem.LOCAL if target is None else ManagerEndpointTarget(target),
            )
        )
    return Net(named, Active(tuple(rows)), at)


def is_result(kind, role):
    return role == "completion" or (role == "data" and kind == "L")


def _sink(ordinals, name):
    (found,) = {ordinal for (_, sink), ordinal in ordinals.items() if sink == name} or {None}
    return found


def _destination(ordinals, name, exposed):
    chosen = tuple(sorted({ordinal for (source, _), ordinal in ordinals.items() if source == name}))
    return ResultDestination(
        expose=not chosen if exposed is None else name in exposed or not chosen,
        connections=chosen,
    )
