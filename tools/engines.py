"""Temporal fabrics of K resident rows and P ports, for what grows with either."""

from fabricgen.author.fabric import parse_fabric
from fabricgen.records.fabric import Fabric

__all__ = ["temporal_document", "temporal_fabric"]

_ACCESS = (
    'access = [{ form = "element", address = { root_relative = [32] }, element_bits = [32], '
    'lanes = [1], mask = ["absent"], alignment = "any", %s = ["exact"] }]'
)
_CONTRACT = "contract = [{ plain = { volatile = [false] } }]"
_SUBWORD = {"load": "read_subword", "store": "write_subword"}


def temporal_fabric(rows: int, ports: int) -> Fabric:
    """Fabric of :func:`temporal_document`."""
    return parse_fabric(temporal_document(rows, ports))


def temporal_document(rows: int, ports: int) -> str:
    """A memory with ``rows`` contexts whose ``ports`` load and store 32-bit elements in turn.

    Every role of a port has an endpoint of its own, so that nothing but the local service is
    shared; each row may have two firings in flight, two rows together at a time. Tags have six
    bits, or as many as tell all rows apart: up to 64 rows, a row is the same in each engine.
    """
    tag = max(6, (rows - 1).bit_length())
    kinds = ["load" if port % 2 == 0 else "store" for port in range(ports)]
    lines = [
        "[fabric]",
        f'name = "temporal-{rows}-{ports}"',
        "[[memory]]",
        'name = "mem"',
        'schedule = "temporal"',
        f"resident_contexts = {rows}",
        f"tag_width = {tag}",
        "endpoints = [",
        *(line for port, kind in enumerate(kinds) for line in _endpoints(port, kind)),
        "]",
    ]
    for port, kind in enumerate(kinds):
        lines += _port(port, kind, rows)
    lines += [
        "[memory.local]",
        "capacity_bytes = 16384",
        "regions = [{ base = 0, size = 16384, storage = {} }]",
        f"resources = {{ banks = {max(2, ports)}, outstanding = {4 * ports}, queue = 2"
        + (", grant = { round_robin = { reset_cursor = 0 } } }" if ports > 1 else " }"),
    ]
    for kind in dict.fromkeys(kinds):
        lines += [
            "[[memory.local.capabilities]]",
            f"[memory.local.capabilities.{kind}]",
            _CONTRACT,
            _ACCESS % _SUBWORD[kind],
            "beat_bits = 32",
            "regions = [0]",
        ]
    return "\n".join([*lines, "[memory.implementation]", "aligned_bases = true", ""])


def _roles(kind: str) -> dict[str, tuple[str, int]]:
    """Direction and payload bits of each role."""
    return {
        "address": ("in", 32),
        "data": ("out" if kind == "load" else "in", 32),
        "control": ("in", 0),
        "completion": ("out", 0),
    }


def _endpoints(port: int, kind: str) -> list[str]:
    return [
        f'  {{ name = "p{port}_{role}", dir = "{way}", bits = {bits} }},'
        for role, (way, bits) in _roles(kind).items()
    ]


def _port(port: int, kind: str, rows: int) -> list[str]:
    roles = ", ".join(f'{role} = "p{port}_{role}"' for role in _roles(kind))
    grant = ", grant = { round_robin = { reset_cursor = 0 } }" if rows > 1 else ""
    slots = f"[2, {rows + 2}]"
    limits = f"in_flight = {slots}, result_holding = {slots}"
    return [
        "[[memory.port]]",
        f'name = "port{port}"',
        f"resources = {{ context = {rows}, {limits}, operand_depth = 1{grant} }}",
        'patterns = [{ name = "direct", projection = "direct" }]',
        f"[[memory.port.{kind}]]",
        f"roles = {{ {roles} }}",
        _CONTRACT,
        _ACCESS % _SUBWORD[kind],
        'patterns = ["direct"]',
        'targets = ["local"]',
    ]
