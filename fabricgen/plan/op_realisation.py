"""What of legal datapath resources is too large to be realised."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fabricgen.errors import Diagnostic, Unsupported
from fabricgen.hsg.lanes import MAX_KEYS
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.resource import FabricOp
from fabricgen.hsg.semantics import FiniteField, semantic_field
from fabricgen.plan.limits import ENDPOINT_LIMIT
from fabricgen.records.fabric import NamedOp

__all__ = ["op_count_findings", "op_findings"]

#: Datapath resources of the largest fabric.
_OP_LIMIT = 1024

#: Bits of the widest configuration field of one resource.
_FIELD_LIMIT = 16384

#: Behaviours of all different resources of a fabric; each is derived, named and listed.
_KEY_LIMIT = 65536


def op_count_findings(count: int, where: str) -> tuple[Diagnostic, ...]:
    """Say whether a fabric has more datapath resources than are built."""
    if count <= _OP_LIMIT:
        return ()
    message = f"A fabric must have at most {_OP_LIMIT} ops, not {count}"
    return (Diagnostic("op-count-limit", where, message),)


def op_findings(ops: Sequence[NamedOp]) -> Iterator[Diagnostic]:
    """Say what is too large: the count, a port, a configuration field, the keys of them all."""
    if too_many := op_count_findings(len(ops), "ops"):
        yield from too_many
        return
    known: dict[FabricOp, tuple[Diagnostic, ...]] = {}
    keys = 0
    for ordinal, named in enumerate(ops):
        if named.op not in known:
            count, known[named.op] = _resource_findings(named.op)
            keys += count
            if keys > _KEY_LIMIT:
                yield Diagnostic(
                    "semantic-keys-too-many",
                    "ops",
                    f"Different ops must have at most {_KEY_LIMIT} behaviours in all, "
                    f"not {keys} or more",
                )
                return
        for finding in known[named.op]:
            yield replace(finding, where=f"op[{ordinal}].{finding.where}")


def _resource_findings(op: FabricOp) -> tuple[int, tuple[Diagnostic, ...]]:
    """Keys of one resource, which have cost time, and what is too large about it.

    Wide ports hide the rest.
    """
    if wide := tuple(_port_findings(op.ports)):
        return 0, wide
    try:
        field = semantic_field(op)
    except Unsupported as error:
        return MAX_KEYS, error.diagnostics
    if isinstance(field, FiniteField):
        return len(field.keys), ()
    if field is None or field.bit_count <= _FIELD_LIMIT:
        return 0, ()
    message = f"A configuration field must have at most {_FIELD_LIMIT} bits, not {field.bit_count}"
    return 0, (Diagnostic("op-field-limit", "hw_params", message),)


def _port_findings(ports: PhysicalPorts) -> Iterator[Diagnostic]:
    for way, widths in (("inputs", ports.inputs), ("outputs", ports.outputs)):
        for ordinal, width in enumerate(widths):
            if width > ENDPOINT_LIMIT:
                yield Diagnostic(
                    "endpoint-width-limit",
                    f"ports.{way}[{ordinal}]",
                    f"A token must have at most {ENDPOINT_LIMIT} bits, not {width}",
                )
