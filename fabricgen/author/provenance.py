"""Where in its document a fabric's record comes from: the paths of checks, translated.

Records are normalised, so one access class may come from several that were written; a finding
about it then names the list.
"""

import re
from dataclasses import replace

from fabricgen.author.expand import ExpandedFabric, ExpandedMemory
from fabricgen.author.expand_access import CLASS_KEYS
from fabricgen.author.expand_port import ExpandedPort, Written
from fabricgen.author.findings import Place
from fabricgen.errors import Diagnostic
from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.overlap import accesses_meet, actors_meet

__all__ = ["document_place", "in_document"]


def in_document(diagnostic: Diagnostic, place: Place) -> Diagnostic:
    """Translate a finding's path, and the paths that its message names."""
    message = re.sub(r"memory\[\d+\]\.[\w.\[\]]*\w\]?", lambda m: place(m[0]), diagnostic.message)
    return replace(diagnostic, where=place(diagnostic.where), message=message)


#: Parts of a local service's record, and the keys that they were written under.
_SERVICE = {
    "capabilities": ".capabilities",
    "resource_contract": ".resources",
    "capacity_bytes": ".capacity_bytes",
}


def document_place(fabric: ExpandedFabric) -> Place:
    """Return the translation of record paths, ``memory[0].port[1].alternative[0]...``."""

    def place(where: str) -> str:
        if where == "name":
            return "fabric.name"
        memory = re.match(r"memory\[(\d+)\]\.?", where)
        if memory is None:
            return where
        prefix, rest = memory[0].rstrip("."), where[memory.end() :]
        rest = rest.replace("local_service.memory_service_contract", "local_service")
        expanded = fabric.memories[int(memory[1])]
        head = re.match(r"(endpoint|port|local_service\.region)\[(\d+)\]\.?", rest)
        if head is None:
            return _memory_place(prefix, rest)
        ordinal, tail = int(head[2]), rest[head.end() :]
        match head[1]:
            case "endpoint":
                position = expanded.endpoints[ordinal]
                key = tail.replace("payload_width", "bits")
                return _joined(f"{prefix}.endpoints[{position}]", key)
            case "port":
                return _port_place(expanded.ports[ordinal], f"{prefix}.port[{ordinal}]", tail)
            case _:
                return f"{prefix}.local.regions[{_region(expanded, ordinal)}]"

    return place


def _memory_place(prefix: str, rest: str) -> str:
    service = re.match(r"local_service\.?(\w*)", rest)
    if service is None:
        return _joined(prefix, rest)
    return f"{prefix}.local{_SERVICE.get(service[1], '')}"


def _region(memory: ExpandedMemory, ordinal: int) -> int:
    """Position of the first written region inside a merged one."""
    service = memory.record.occurrence.local_service
    if service is None:
        raise ValueError("Memory must have a local service, not none")
    region = service.memory_service_contract.regions[ordinal]
    bases = memory.region_bases
    return next(i for i, b in enumerate(bases) if region.address_base_bytes <= b < region.end_bytes)


def _joined(prefix: str, rest: str) -> str:
    return f"{prefix}.{rest}" if rest else prefix


def _port_place(port: ExpandedPort, prefix: str, rest: str) -> str:
    if pattern := re.match(r"pattern\[(\d+)\]", rest):
        return _joined(f"{prefix}.patterns[{pattern[1]}]", rest[pattern.end() + 1 :])
    head = re.match(r"alternative\[(\d+)\]\.?", rest)
    if head is None:
        return _joined(prefix, rest) if rest == "name" else prefix
    alternative = port.record.capability_alternatives[int(head[1])]
    sources = [
        written
        for written in port.written
        if written.alternative.role_to_endpoint == alternative.role_to_endpoint
        and actors_meet(
            written.alternative.actor_contract_domain, alternative.actor_contract_domain
        )
        and accesses_meet(
            written.alternative.parameterized_access_domain,
            alternative.parameterized_access_domain,
        )
    ]
    tail = rest[head.end() :]
    if role := re.match(r"role_to_endpoint\[(\w+)\]", tail):
        return f"{sources[0].where}.roles.{role[1]}"
    access = re.match(r"access\[(\d+)\]\.?", tail)
    if access is None or alternative.parameterized_access_domain is None:
        return sources[0].where
    admitted = alternative.parameterized_access_domain.access_classes[int(access[1])]
    domain = ParameterizedMemoryAccessDomain.of(admitted)
    return _access_place(sources, domain, tail[access.end() :])


def _access_place(
    sources: list[Written], domain: ParameterizedMemoryAccessDomain, field: str
) -> str:
    found = [
        f"{written.where}.access[{index}]"
        for written in sources
        for index, each in enumerate(written.accesses)
        if accesses_meet(each, domain)
    ]
    if len(found) == 1 and field in CLASS_KEYS:
        return f"{found[0]}.{CLASS_KEYS[field]}"
    return found[0] if len(found) == 1 else f"{sources[0].where}.access"
