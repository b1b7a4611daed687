"""The outcome of a simulation, for people: the report's own JSON values as a table."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.table import Table

__all__ = ["finding_lines", "simulation_table"]

_Json = Mapping[str, Any]


def simulation_table(report: _Json) -> Table:
    """One line per active row, and one for all of them, in the run without stalls.

    ``achieved`` and ``limit`` are firings per cycle, the second what banks and issue allow.
    """
    runs = report["runs"]
    title = f"{report['fabric']} on {report['simulator']}, seed {report['seed']}, {len(runs)} runs"
    table = Table(title=title, title_justify="left")
    for name in ("row", "firings", "mismatches", "cycles", "achieved", "limit", "of limit"):
        table.add_column(name, justify="left" if name == "row" else "right")
    listed = [finding["row"] for finding in report["findings"]]
    more = "+" if report["finding_count"] > len(listed) else ""
    for row in report["rows"]:
        count = listed.count(row["row"])
        table.add_row(row["port"], *_figures(row, f"{count}{more if count else ''}"))
    table.add_section()
    table.add_row("all", *_figures(report, str(report["finding_count"])))
    return table


def _figures(part: _Json, mismatches: str) -> tuple[str, ...]:
    counts = (str(part["firings"]), mismatches, str(part["cycles"]))
    if not part["cycles"]:
        # Nothing has run, or nothing has fired.
        return (*counts, "-", f"{part['limit']:.3f}", "-")
    achieved, limit = part["achieved"], part["limit"]
    return (*counts, f"{achieved:.3f}", f"{limit:.3f}", f"{achieved / limit:.1%}")


def finding_lines(report: _Json) -> Iterator[str]:
    """What differed, one line each, then how many more there were."""
    for finding in report["findings"]:
        place = [f"cycle {finding['cycle']}"]
        place += [
            f"{key} {finding[key]}" for key in ("row", "role", "token") if finding[key] is not None
        ]
        text = f"{', '.join(place)}: {finding['message']}"
        if finding["expected"] is not None:
            text += f", expected {finding['expected']}, got {finding['got']}"
        yield f"{text} [{finding['kind']}]"
    hidden = report["finding_count"] - len(report["findings"])
    if hidden > 0:
        yield f"and {hidden} more"
