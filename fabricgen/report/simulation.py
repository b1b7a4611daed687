"""The outcome of a simulation, for people: the report's own JSON values as a table."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.table import Table

__all__ = ["finding_lines", "results_json", "simulation_table", "warning_lines"]

_Json = Mapping[str, Any]


def simulation_table(report: _Json, names: Sequence[str | None] = ()) -> Table:
    """One line per active row, and one for all of them, in the run without stalls.

    Then one per subordinate, with the beats that must be answered and how many with an error.

    ``names`` are those of the rows in the mapping, by ordinal; empty where there are none.
    ``achieved`` and ``limit`` are firings per cycle, the second what banks and issue allow.
    """
    runs = report["runs"]
    title = f"{report['fabric']} on {report['simulator']}, seed {report['seed']}, {len(runs)} runs"
    table = Table(title=title, title_justify="left")
    for name in ("row", "firings", "mismatches", "cycles", "achieved", "limit", "of limit"):
        table.add_column(name, justify="left" if name == "row" else "right")
    listed = [finding["row"] for finding in report["findings"]]
    more = "+" if report["finding_count"] > len(listed) else ""
    ports = [row["port"] for row in report["rows"]]
    for row in report["rows"]:
        count = listed.count(row["row"])
        name = row["port"] if ports.count(row["port"]) == 1 else f"{row['port']} row {row['row']}"
        if names:
            name = f"{row['row']}: {names[row['row']]} ({row['port']})"
        table.add_row(name, *_figures(row, f"{count}{more if count else ''}"))
    table.add_section()
    table.add_row("all", *_figures(report, str(report["finding_count"])))
    table.add_section()
    for name, beats in report["beats"].items():
        table.add_row(f"{name}: {beats['count']} beats, {beats['errors']} answered with an error")
    return table


def _figures(part: _Json, mismatches: str) -> tuple[str, ...]:
    counts = (str(part["firings"]), mismatches, str(part["cycles"]))
    if not part["cycles"]:
        # Nothing has run, or nothing has fired.
        return (*counts, "-", f"{part['limit']:.3f}", "-")
    achieved, limit = part["achieved"], part["limit"]
    return (*counts, f"{achieved:.3f}", f"{limit:.3f}", f"{achieved / limit:.1%}")


def warning_lines(report: _Json) -> Iterator[str]:
    """What hardware and model agree on, and the author of the workload may not have meant."""
    for endpoint, count in report["leftover"].items():
        yield f"{endpoint}: tokens left over, which no firing took: {count}"
    if report["out_of_range"]:
        yield (
            f"active lanes out of range: {report['out_of_range']}; loads gave 0, stores changed "
            "nothing, and the flag out_of_range is set"
        )


def results_json(
    outputs: Mapping[str, Sequence[int]],
    memory: bytes,
    managers: Mapping[str, Sequence[tuple[int, bytes]]],
    answers: Mapping[str, Sequence[int | None]],
) -> dict[str, object]:
    """Tokens by output endpoint as hexadecimal strings, the memory from byte 0 on, and parts.

    The parts are what lies behind each manager; a fabric without managers has none. Beats of
    subordinates are answered with data, or with an error, which is null here.
    """
    results: dict[str, object] = {
        "outputs": {name: [f"{token:#x}" for token in tokens] for name, tokens in outputs.items()},
        "memory": memory.hex(),
    }
    if managers:
        results["managers"] = {
            name: [{"at": f"{address:#x}", "bytes": data.hex()} for address, data in parts]
            for name, parts in managers.items()
        }
    if answers:
        results["answers"] = {
            name: [None if data is None else f"{data:#x}" for data in given]
            for name, given in answers.items()
        }
    return results


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
