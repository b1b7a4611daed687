"""Text from the templates beside the package."""

from importlib import resources

from jinja2 import Environment, StrictUndefined

__all__ = ["rendered"]


def rendered(name: str, **values: object) -> str:
    """One template of ``rtl_templates`` with these values; each that it names must be given."""
    source = resources.files("rtl_templates").joinpath(name).read_text("utf-8")
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    return environment.from_string(source).render(values)
