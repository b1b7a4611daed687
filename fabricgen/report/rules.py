"""The catalogue of diagnostics, for people."""

from rich.table import Table

from fabricgen.errors.catalog import CATALOG

__all__ = ["rule_table", "rules"]


def rules(code: str | None = None) -> list[dict[str, str]]:
    """List one rule, or all in layer order."""
    return [
        {
            "code": each,
            "requirement": rule.requirement,
            "section": rule.section,
            "kind": rule.kind,
        }
        for each, rule in CATALOG.items()
        if code in (None, each)
    ]


def rule_table(listing: list[dict[str, str]]) -> Table:
    """Table of :func:`rules`."""
    table = Table("code", "rule", "where it is stated")
    for rule in listing:
        table.add_row(rule["code"], rule["requirement"], rule["section"])
    return table
