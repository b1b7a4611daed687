"""A fabric document said again through the builder, call by call."""

from fabricgen.author.builder import FabricBuilder

__all__ = ["rebuilt"]


def rebuilt(document):
    """The builder of a written-out document; ``KeyError`` where a name has no handle."""
    fabric = FabricBuilder(document["fabric"]["name"])
    for memory in document["memory"]:
        _memory(fabric, memory)
    return fabric


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
    requesters = {
        each["name"]: _port(memory, each, ends, targets) for each in document.get("port", [])
    }
    for each in document.get("subordinate", []):
        reached = [targets[name] for name in each["targets"]]
        requesters[each["name"]] = memory.subordinate(**(each | {"targets": reached}))
    if local is not None:
        _grant(local, document["local"].get("resources", {}), requesters)


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
    return port


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
