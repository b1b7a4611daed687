"""A fabric document said again through the builder, call by call."""

from dataclasses import dataclass

from fabricgen.author.builder import FabricBuilder, MemoryBuilder
from fabricgen.author.builder_mapping import MappingBuilder

__all__ = ["mapped", "rebuilt", "with_handles"]


@dataclass(frozen=True)
class Handles:
    """What a mapping refers to of one memory, by names."""

    memory: MemoryBuilder
    targets: dict
    requesters: dict
    patterns: dict


def rebuilt(document):
    """The builder of a written-out document; ``KeyError`` where a name has no handle."""
    return with_handles(document)[0]


def with_handles(document):
    """The builder of a written-out document, and the handles of its parts by name."""
    fabric = FabricBuilder(document["fabric"]["name"])
    ops = {op["name"]: fabric.op(**op) for op in document.get("op", [])}
    memories = document.get("memory", [])
    return fabric, ops | {memory["name"]: _memory(fabric, memory) for memory in memories}


def mapped(document, fabric, memories):
    """The builder of a mapping document of a fabric."""
    mapping = MappingBuilder(fabric)
    for name, table in document.get("memory", {}).items():
        _mapped_memory(mapping.memory(memories[name].memory), table, memories[name])
    for name, actor in document.get("op", {}).items():
        mapping.op(memories[name], actor)
    return mapping


def _mapped_memory(mapping, document, handles):
    bindings = {each["name"]: mapping.binding(**each) for each in document.get("binding", [])}
    for each in document.get("proxy", []):
        manager = handles.targets[each["manager"]]
        bindings[each["name"]] = mapping.proxy(**(each | {"manager": manager}))
    rows = {
        each["name"]: _row(mapping, each, handles, bindings) for each in document.get("row", [])
    }
    for each in document.get("row", []):
        row = rows[each["name"]]
        for role, end in each.get("inputs", {}).items():
            source = {"source": _role(rows, end["from"], "result")} if "from" in end else {}
            row.input(role, **_some(end, "tag"), **source)
        for role, end in each.get("outputs", {}).items():
            to = {"to": [_role(rows, name, "operand") for name in end["to"]]} if "to" in end else {}
            row.output(role, **_some(end, "tag", "expose"), **to)
    for each in document.get("exposure", []):
        subordinate, binding = handles.requesters[each["subordinate"]], bindings[each["binding"]]
        mapping.expose(subordinate, binding, *_some(each, "match").values())


def _role(rows, name, kind):
    row, role = name.split(".")
    return getattr(rows[row], kind)(role)


def _row(mapping, document, handles, bindings):
    (kind,) = document.keys() & {"load", "store", "rmw", "cmpxchg", "fence"}
    body, port = document[kind], handles.requesters[document["port"]]
    access = {key: value for key, value in body.items() if key != "pattern"}
    ends = _some(document, "base", "row")
    if "target" in document:
        ends["target"] = handles.targets[document["target"]]
    if "binding" in document:
        ends["binding"] = bindings[document["binding"]]
    pattern = handles.patterns[document["port"]][body["pattern"]]
    return getattr(mapping, kind)(document["name"], port, access, pattern=pattern, **ends)


def _memory(fabric, document):
    options = _some(document, "implementation")
    match document.get("schedule"):
        case "spatial":
            memory = fabric.spatial(document["name"], **options)
        case "temporal":
            shape = _some(document, "resident_contexts", "tag_width")
            memory = fabric.temporal(document["name"], **shape, **options)
        case _:
            memory = fabric.storage(document["name"], **options)
    ends = {
        each["name"]: {"in": memory.input, "out": memory.output}[each["dir"]](
            each["name"], bits=each["bits"]
        )
        for each in document.get("endpoints", [])
    }
    for each in document.get("connections", []):
        memory.connect(ends[each["from"]], ends[each["to"]])
    targets = {
        each["name"]: memory.manager(each["name"], beat_bits=each["beat_bits"])
        for each in document.get("manager", [])
    }
    local = _local(memory, document["local"]) if "local" in document else None
    if local is not None:
        targets["local"] = local
    ports = {each["name"]: _port(memory, each, ends, targets) for each in document.get("port", [])}
    requesters = {name: port for name, (port, _) in ports.items()}
    for each in document.get("subordinate", []):
        reached = [targets[name] for name in each["targets"]]
        requesters[each["name"]] = memory.subordinate(**(each | {"targets": reached}))
    if local is not None:
        _grant(local, document["local"].get("resources", {}), requesters)
    patterns = {name: each for name, (_, each) in ports.items()}
    return Handles(memory, targets, requesters, patterns)


def _port(memory, document, ends, targets):
    further = [ends[name] for name in document.get("endpoints", [])]
    shape = _some(document, "resources", "contract")
    port = memory.port(document["name"], endpoints=further, **shape)
    patterns = {each["name"]: port.pattern(**each) for each in document["patterns"]}
    for kind in ("load", "store", "rmw", "cmpxchg", "fence"):
        for each in document.get(kind, []):
            getattr(port, kind)(
                **{role: ends[name] for role, name in each["roles"].items()},
                **_some(each, "contract", "access"),
                patterns=[patterns[name] for name in each["patterns"]],
                targets=[targets[name] for name in each["targets"]],
            )
    return port, patterns


def _local(memory, document):
    shape = _some(document, "capacity_bytes", "resources", "contract")
    if "resources" in shape:
        shape["resources"] = {k: v for k, v in shape["resources"].items() if k != "grant"}
    local = memory.local(**shape)
    regions = []
    for each in document["regions"]:
        place = {"base": each["base"], "size": each["size"]}
        if "mmio" in each:
            regions.append(local.mmio(**place, **each["mmio"]))
        else:
            regions.append(local.storage(**place))
    for each in document["capabilities"]:
        ((kind, body),) = each.items()
        changed = dict(body)
        if "regions" in body:
            changed["regions"] = [regions[position] for position in body["regions"]]
        getattr(local, f"serve_{kind}")(**changed)
    return local


def _grant(local, resources, requesters):
    match resources.get("grant"):
        case {"round_robin": {"reset_cursor": cursor}}:
            local.round_robin(list(requesters.values())[cursor])
        case {"fixed_priority": {"order": order}}:
            local.fixed_priority([requesters[name] for name in order])


def _some(table, *keys):
    return {key: table[key] for key in keys if key in table}
