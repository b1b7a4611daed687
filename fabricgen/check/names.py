"""Names: legal identifiers, unique, one per thing, and free of collisions in the emitted top."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from fabricgen.check.keywords import VERILOG_KEYWORDS
from fabricgen.errors import Diagnostic
from fabricgen.records.fabric import Fabric, NamedMemory
from fabricgen.records.occurrence import Temporal
from fabricgen.records.port import MemoryOperationPort

__all__ = ["IDENTIFIER", "LABEL", "LONGEST_NAME", "name_findings"]

#: Characters of the longest legal name.
LONGEST_NAME = 64
#: Part of emitted identifiers, taken over as it is.
IDENTIFIER = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
#: Read by people; a hyphen becomes an underscore where it reaches an identifier.
LABEL = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")
#: Names of the top's own ports.
_RESERVED = re.compile(r"clk|rst|cfg(_.*)?")


def name_findings(fabric: Fabric) -> Iterator[Diagnostic]:
    """Say which names are illegal, missing, repeated or taken."""
    yield from _spelling(fabric.name, "name", LABEL)
    places = [
        *_placed((named.name for named in fabric.memories), "memory"),
        *_placed((named.name for named in fabric.ops), "op"),
    ]
    yield from _unique(places)
    for ordinal, named in enumerate(fabric.memories):
        where = f"memory[{ordinal}]"
        yield from _spelling(named.name, f"{where}.name", IDENTIFIER)
        yield from _count_findings(named, where)
        yield from _edge_names(named.names.endpoints, f"{where}.endpoint")
        yield from _edge_names(named.names.managers, f"{where}.manager_endpoints")
        yield from _edge_names(named.names.subordinates, f"{where}.subordinate_endpoints")
        yield from _port_names(named, where)
    for ordinal, named in enumerate(fabric.ops):
        yield from _edge_name(named.name, f"op[{ordinal}].name")
    yield from _top_collisions(fabric)


def _edge_names(names: tuple[str, ...], where: str) -> Iterator[Diagnostic]:
    """Names from which ports of the top are made: endpoints, managers and subordinates."""
    for ordinal, name in enumerate(names):
        yield from _edge_name(name, f"{where}[{ordinal}].name")
    yield from _unique(_placed(names, where))


def _edge_name(name: str, where: str) -> Iterator[Diagnostic]:
    yield from _spelling(name, where, IDENTIFIER)
    if _RESERVED.fullmatch(name):
        yield Diagnostic(
            "name-reserved",
            where,
            f"The name must leave clk, rst, cfg and cfg_* to the top's own ports, "
            f"not {_shown(name)}",
        )


def _port_names(named: NamedMemory, where: str) -> Iterator[Diagnostic]:
    for ordinal, name in enumerate(named.names.ports):
        yield from _spelling(name, f"{where}.port[{ordinal}].name", LABEL)
    yield from _unique(_placed(named.names.ports, f"{where}.port"))
    for ordinal, patterns in enumerate(named.names.patterns):
        for key, name in enumerate(patterns):
            yield from _spelling(name, f"{where}.port[{ordinal}].pattern[{key}].name", LABEL)
        yield from _unique(_placed(patterns, f"{where}.port[{ordinal}].pattern"))


def _count_findings(named: NamedMemory, where: str) -> Iterator[Diagnostic]:
    names, ports = named.names, named.occurrence.operation_ports
    counts = [
        ("endpoints", len(named.occurrence.endpoints), len(names.endpoints)),
        ("managers", len(named.occurrence.manager_endpoints), len(names.managers)),
        ("subordinates", len(named.occurrence.subordinate_endpoints), len(names.subordinates)),
        ("ports", len(ports), len(names.ports)),
        ("patterns", len(ports), len(names.patterns)),
    ]
    for ordinal, (port, patterns) in enumerate(zip(ports, names.patterns, strict=False)):
        allowed = _pattern_counts(named, port)
        if len(patterns) not in allowed:
            counts.append((f"patterns[{ordinal}]", allowed[0], len(patterns)))
    for field, required, found in counts:
        if required != found:
            yield Diagnostic(
                "names-count",
                f"{where}.names.{field}",
                f"One name is required for each of {required}, not {found} names",
            )


def _pattern_counts(named: NamedMemory, port: MemoryOperationPort) -> tuple[int, ...]:
    """How many names a port's use patterns may have: one for all contexts of each, or one each."""
    engine, count = named.occurrence.engine, len(port.resource_contract.use_patterns)
    if engine is not None and isinstance(engine.contract, Temporal):
        names, rest = divmod(count, engine.contract.resident_context_count)
        return (count,) if rest else (names, count)
    return (count,)


def _spelling(name: str, where: str, pattern: re.Pattern[str]) -> Iterator[Diagnostic]:
    if not pattern.fullmatch(name):
        hyphen = " or hyphens" if pattern is LABEL else ""
        yield Diagnostic(
            "name-illegal",
            where,
            f"The name must be lower-case letters and digits, with single underscores{hyphen} "
            f"between them and a letter first, not {_shown(name)}",
        )
    elif name.replace("-", "_") in VERILOG_KEYWORDS:
        yield Diagnostic(
            "name-keyword",
            where,
            f"The name must be no keyword of (System)Verilog, not {_shown(name)}",
        )
    if len(name) > LONGEST_NAME:
        yield Diagnostic(
            "name-too-long",
            where,
            f"The name must have at most {LONGEST_NAME} characters, not {len(name)}",
        )


def _shown(name: str) -> str:
    """A name in a message; of one that is too long its beginning."""
    return repr(name[:LONGEST_NAME])


def _placed(names: Iterable[str], where: str) -> list[tuple[str, str]]:
    return [(name, f"{where}[{ordinal}]") for ordinal, name in enumerate(names)]


def _unique(places: Iterable[tuple[str, str]]) -> Iterator[Diagnostic]:
    """Refuse names that stand before, of things each with its place."""
    seen: dict[str, str] = {}
    for name, where in places:
        first = seen.setdefault(name, where)
        if first != where:
            yield Diagnostic(
                "name-duplicate",
                f"{where}.name",
                f"The name must differ from that of {first}, not repeat {_shown(name)}",
            )


def _service_ways(protocol: str) -> tuple[str, ...]:
    """What follows the name of a manager or subordinate in the names of its ports."""
    return ("req", "rsp") if protocol == "stream" else ("axi",)


def _top_collisions(fabric: Fabric) -> Iterator[Diagnostic]:
    """Starts of port names: endpoints, both directions of each manager and subordinate, and the
    channels of each datapath resource.

    With several memories, each port of one starts with its memory's name.
    """
    several = len(fabric.memories) > 1
    edges = {
        each.name: (each.name, each.names, each.implementation) for each in fabric.memories
    }.values()
    prefixes = Counter(
        f"{name}_{edge}" if several else edge
        for name, names, options in edges
        for edge in (
            *set(names.endpoints),
            *(
                f"{service}_{way}"
                for services, protocol in (
                    (names.managers, options.manager_protocol),
                    (names.subordinates, options.subordinate_protocol),
                )
                for service in set(services)
                for way in _service_ways(protocol)
            ),
        )
    )
    # A repeated name is said already; different ones never join to the same.
    ordinals = {named.name: ordinal for ordinal, named in enumerate(fabric.ops)}
    owners = {
        f"{named.name}_{way}{at}": f"op[{ordinals[named.name]}].name"
        for named in fabric.ops
        for way, widths in (("in", named.op.ports.inputs), ("out", named.op.ports.outputs))
        for at in range(len(widths))
    }
    prefixes.update(owners.keys())
    for prefix, count in sorted(prefixes.items()):
        if count > 1:
            yield Diagnostic(
                "name-collision",
                owners.get(prefix, "memory"),
                f"Names of memories, endpoints, managers, subordinates and ops must join to "
                f"different port names, not {count} times to {prefix!r}",
            )
