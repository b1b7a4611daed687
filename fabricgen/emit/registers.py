"""The register map as a page that people read."""

from importlib import resources

from jinja2 import Environment, StrictUndefined

from fabricgen.records.fabric import Fabric

__all__ = ["registers_text"]


def registers_text(fabric: Fabric, registers: dict[str, object]) -> str:
    """Markdown of what :func:`fabricgen.abi.registers.register_map` describes of a fabric."""
    source = resources.files("rtl_templates").joinpath("registers.md.j2").read_text("utf-8")
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    return environment.from_string(source).render(fabric=fabric, map=registers)
