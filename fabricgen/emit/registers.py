"""The register map as a page that people read."""

from fabricgen.emit.template import rendered
from fabricgen.records.fabric import Fabric

__all__ = ["registers_text"]


def registers_text(fabric: Fabric, registers: dict[str, object]) -> str:
    """Markdown of what :func:`fabricgen.abi.registers.register_map` describes of a fabric."""
    return rendered("registers.md.j2", fabric=fabric, map=registers)
