"""Names and implementation options of one memory as canonical JSON.

Canonical: keys sorted, no white space, ASCII only, no key twice. The text stands outside the
record's bytes, so it is no part of a template's identity.
"""

import json
from typing import TypeGuard

from fabricgen.errors import Diagnostic, Invalid
from fabricgen.records.fabric import MemoryImplementation, MemoryNames
from fabricgen.wire.frame import require_canonical

__all__ = ["canonical_json", "decode", "encode", "implementation_fields"]

_NAMES = ("endpoints", "managers", "patterns", "ports", "subordinates")

_Json = None | bool | int | float | str | list["_Json"] | dict[str, "_Json"]


def canonical_json(value: object) -> bytes:
    """Encode JSON data in its one canonical form."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")


def implementation_fields(implementation: MemoryImplementation) -> dict[str, str | bool | int]:
    """List every implementation option by its document key."""
    return {
        "aligned_bases": implementation.aligned_bases,
        "bank_function": implementation.bank_function,
        "counters": implementation.counters,
        "issue_lanes": implementation.issue_lanes,
        "manager_protocol": implementation.manager_protocol,
        "memory_wrapper": implementation.memory_wrapper,
        "subordinate_protocol": implementation.subordinate_protocol,
    }


def encode(names: MemoryNames, implementation: MemoryImplementation) -> bytes:
    """Encode one section."""
    return canonical_json(
        {
            "implementation": implementation_fields(implementation),
            "names": {
                "endpoints": names.endpoints,
                "managers": names.managers,
                "patterns": names.patterns,
                "ports": names.ports,
                "subordinates": names.subordinates,
            },
        }
    )


def decode(data: bytes) -> tuple[MemoryNames, MemoryImplementation]:
    """Decode one section strictly: unknown or missing keys, other types, another spelling."""
    root = _table(_parse(data), "section", ("implementation", "names"))
    fields = _table(root["names"], "names", _NAMES)
    names = MemoryNames(
        endpoints=_texts(fields["endpoints"], "names.endpoints"),
        ports=_texts(fields["ports"], "names.ports"),
        patterns=tuple(
            _texts(item, f"names.patterns[{i}]")
            for i, item in enumerate(_list(fields["patterns"], "names.patterns"))
        ),
        managers=_texts(fields["managers"], "names.managers"),
        subordinates=_texts(fields["subordinates"], "names.subordinates"),
    )
    implementation = _implementation(root["implementation"])
    require_canonical(data, encode(names, implementation), "section")
    return names, implementation


def _implementation(value: _Json) -> MemoryImplementation:
    options = _table(value, "implementation", tuple(implementation_fields(MemoryImplementation())))
    lanes = options["issue_lanes"]
    if isinstance(lanes, bool) or not isinstance(lanes, int):
        raise _shape("implementation.issue_lanes", "an integer", lanes)
    return MemoryImplementation(
        _text(options, "bank_function"),
        _flag(options, "aligned_bases"),
        lanes,
        _flag(options, "counters"),
        _text(options, "manager_protocol"),
        _text(options, "subordinate_protocol"),
        _flag(options, "memory_wrapper"),
    )


def _text(options: dict[str, _Json], key: str) -> str:
    value = options[key]
    if not isinstance(value, str):
        raise _shape(f"implementation.{key}", "text", value)
    return value


def _flag(options: dict[str, _Json], key: str) -> bool:
    value = options[key]
    if not isinstance(value, bool):
        raise _shape(f"implementation.{key}", "a boolean", value)
    return value


def _parse(data: bytes) -> _Json:
    try:
        parsed: _Json = json.loads(data.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise Invalid(
            Diagnostic(
                "fabric-section-json",
                "section",
                f"The section must be JSON in ASCII, not {len(data)} bytes that fail with "
                f"{type(error).__name__}",
            )
        ) from None
    return parsed


def _table(value: _Json, where: str, keys: tuple[str, ...]) -> dict[str, _Json]:
    if not isinstance(value, dict) or tuple(sorted(value)) != keys:
        raise _shape(where, f"a table with exactly the keys {', '.join(keys)}", value)
    return value


def _list(value: _Json, where: str) -> list[_Json]:
    if not isinstance(value, list):
        raise _shape(where, "a list", value)
    return value


def _texts(value: _Json, where: str) -> tuple[str, ...]:
    items = _list(value, where)
    if not _are_texts(items):
        raise _shape(where, "a list of texts", value)
    return tuple(items)


def _are_texts(items: list[_Json]) -> TypeGuard[list[str]]:
    return all(isinstance(item, str) for item in items)


def _shape(where: str, required: str, found: _Json) -> Invalid:
    kind = f"a table with the keys {', '.join(sorted(found))}" if isinstance(found, dict) else ""
    return Invalid(
        Diagnostic(
            "fabric-section-shape",
            where,
            f"The value must be {required}, not {kind or type(found).__name__}",
        )
    )
