"""Where in its document a fabric's record comes from: the paths of checks, translated.

Records are normalised, so one access class may come from several that were written; a finding
about it then names the list.
"""

import re
from dataclasses import replace

from fabricgen.author.expand import ExpandedFabric, ExpandedMemory
from fabricgen.author.expand_access import written_place
from fabricgen.author.expand_dispatch import SUBORDINATE_KEYS
from fabricgen.author.expand_port import ExpandedPort, written_as
from fabricgen.author.expand_service import service_place
from fabricgen.author.findings import Place, renamed
from fabricgen.errors import Diagnostic

__all__ = ["document_place", "in_document"]


def in_document(diagnostic: Diagnostic, place: Place) -> Diagnostic:
    """Translate a finding's path, and the paths that its message names."""
    message = re.sub(r"memory\[\d+\]\.[\w.\[\]]*\w\]?", lambda m: place(m[0]), diagnostic.message)
    return replace(diagnostic, where=place(diagnostic.where), message=message)


#: Parts of the whole fabric.
_WHOLE = {"name": "fabric.name", "memories": "memory", "ops": "op"}

#: Ends of a connection's record, and the keys that they were written under.
_ENDS = {"source_endpoint_ordinal": "from", "sink_endpoint_ordinal": "to"}


def document_place(fabric: ExpandedFabric) -> Place:
    """Return the translation of record paths, ``memory[0].port[1].alternative[0]...``."""

    def place(where: str) -> str:
        memory = re.match(r"memory\[(\d+)\]\.?", where)
        if memory is None:
            return _WHOLE.get(where, where)
        prefix, rest = memory[0].rstrip("."), where[memory.end() :]
        expanded = fabric.memories[int(memory[1])]
        head = re.match(r"(endpoint|port)\[(\d+)\]\.?", rest)
        if head is None:
            return _memory_place(expanded, prefix, rest)
        ordinal, tail = int(head[2]), rest[head.end() :]
        if head[1] == "port":
            return _port_place(expanded.ports[ordinal], f"{prefix}.port[{ordinal}]", tail)
        if tail == "tag_width":
            return f"{prefix}.tag_width"
        position = expanded.endpoints[ordinal]
        return _joined(f"{prefix}.endpoints[{position}]", tail.replace("payload_width", "bits"))

    return place


def _memory_place(memory: ExpandedMemory, prefix: str, rest: str) -> str:
    if rest.startswith("engine.contract"):
        return f"{prefix}.resident_contexts"
    if manager := re.match(r"manager_endpoints(\[\d+\])\.?", rest):
        key = rest[manager.end() :].replace("beat_width_bits", "beat_bits")
        return _joined(f"{prefix}.manager{manager[1]}", key)
    if connection := re.match(r"connectivity\.internal_connections\[(\d+)\]\.?(\w*)", rest):
        position = memory.connections[int(connection[1])]
        return _joined(f"{prefix}.connections[{position}]", _ENDS.get(connection[2], ""))
    if subordinate := re.match(r"(connectivity\.)?subordinate_endpoints(\[\d+\])\.?", rest):
        where = f"{prefix}.subordinate{subordinate[2]}"
        return renamed(where, SUBORDINATE_KEYS)(rest[subordinate.end() :])
    if rest == "connectivity.subordinate_endpoints":
        return f"{prefix}.subordinate"
    service = re.match(r"local_service\b\.?", rest)
    if service is None or memory.service is None:
        return _joined(prefix, rest)
    return service_place(rest[service.end() :], memory.service, f"{prefix}.local")


def _joined(prefix: str, rest: str) -> str:
    return f"{prefix}.{rest}" if rest else prefix


def _port_place(port: ExpandedPort, prefix: str, rest: str) -> str:
    if pattern := re.match(r"pattern\[(\d+)\]", rest):
        position = port.patterns.positions[int(pattern[1])]
        return _joined(f"{prefix}.patterns[{position}]", rest[pattern.end() + 1 :])
    if pattern := re.match(r"operation_pattern_semantics\[(\d+)\]", rest):
        return f"{prefix}.patterns[{port.patterns.position_of(int(pattern[1]))}].projection"
    if rest.startswith("resource_contract."):
        return port.contract_place(rest.removeprefix("resource_contract."))
    head = re.match(r"alternative\[(\d+)\]\.?", rest)
    if head is None:
        return _joined(prefix, rest) if rest == "name" else prefix
    alternative = port.record.capability_alternatives[int(head[1])]
    sources = written_as(alternative, port.written)
    tail = rest[head.end() :]
    if role := re.match(r"role_to_endpoint\[(\w+)\]", tail):
        return f"{sources[0].where}.roles.{role[1]}"
    if tail.startswith("contract"):
        return f"{sources[0].where}.contract"
    access = re.match(r"access\[(\d+)\]\.?", tail)
    if access is None or alternative.parameterized_access_domain is None:
        return sources[0].where
    admitted = alternative.parameterized_access_domain.access_classes[int(access[1])]
    classes = [
        (f"{written.where}.access[{index}]", each)
        for written in sources
        for index, each in enumerate(written.accesses)
    ]
    otherwise = f"{sources[0].where}.access"
    return written_place(admitted, tail[access.end() :], classes, otherwise)
