"""Tables of recorded figures, and what differs between two runs."""

__all__ = ["Identity", "changes", "identity", "table"]

FIGURES = ("lut4", "lut_sum", "comb", "ff", "ram", "mult", "fmax_mhz")
LABELS = ("LUT4", "with LUT RAM", "COMB", "FF", "block RAM", "MULT18", "Fmax MHz")
Identity = tuple[str, str, int | None, int | None]


def identity(row: dict) -> Identity:
    """What tells a design from the others: name, parameters, and a provider's timing."""
    return row["design"], row["parameters"], row.get("latency"), row.get("interval")


def table(rows: list[dict]) -> str:
    """Markdown of the figures."""
    lines = [
        "# Cost and clock",
        "",
        "Written by `make qor`. ECP5-85F, speed grade 6, Yosys and nextpnr from the Python package",
        "index. Cells are of the bare module; COMB and Fmax (median of three seeds) are of the module",
        "inside a ring of registers, the ring's own LUTs subtracted. A 16x4 LUT RAM counts six LUT4.",
        "",
        f"| design | {' | '.join(LABELS)} | what |",
        f"|---|{'---|' * len(LABELS)}---|",
    ]
    for row in rows:
        if "rival" not in row:
            numbers = " | ".join("-" if row[f] is None else str(row[f]) for f in FIGURES)
            lines.append(f"| `{row['design']}` | {numbers} | {row['parameters']} |")
    return "\n".join([*lines, *_path_lines(rows), *_provider_lines(rows)]) + "\n"


def _path_lines(rows: list[dict]) -> list[str]:
    """What limits the clock of each design that has been placed since paths are recorded."""
    found = [
        f"- `{row['design']}`, {row['parameters']}: `{row['critical']}`"
        for row in rows
        if "rival" not in row and row.get("critical")
    ]
    if not found:
        return []
    return [
        "",
        "Signals on the critical path of the median seed, from its first register on:",
        *found,
    ]


def _provider_lines(rows: list[dict]) -> list[str]:
    """Table of the datapath providers."""
    columns = (
        *("design", "COMB", "FF", "MULT18", "Fmax MHz", "shared", "apart", "smaller by"),
        *("latency", "interval", "rivals", "target", "what"),
    )
    return [
        "",
        "## Datapath providers",
        "",
        "One seed, handshake and operand slots included. *Shared* is the packed COMB of the bare",
        "module, *apart* that of as many resources as there are members that differ, each with one",
        "of them alone and the same widths. Latency and interval are in cycles. Rivals are COMB and",
        "clock of circuits that do the same, measured with the same tools; theirs stand between",
        "registers, without a handshake where it says so.",
        "",
        f"| {' | '.join(columns)} |",
        f"|{'---|' * len(columns)}",
        *(_provider_line(row) for row in rows if "rival" in row),
    ]


def _provider_line(row: dict) -> str:
    shared, apart, target = (row.get(each) for each in ("shared", "apart", "target"))
    saved = None if apart is None else f"{100 * (apart - shared) // apart} %"
    verdict = target and f"{target}: {'met' if row['met'] else 'missed'}"
    cells = (
        *(f"`{row['design']}`", row["comb"], row["ff"], row["mult"], row["fmax_mhz"]),
        *(shared, apart, saved, row.get("latency"), row.get("interval")),
        *(row["rival"], verdict, row["parameters"]),
    )
    return f"| {' | '.join('-' if cell is None else str(cell) for cell in cells)} |"


def changes(rows: list[dict], recorded: list[dict]) -> list[str]:
    """What differs from the recorded figures, one line each."""
    before = {identity(row): row for row in recorded}
    return [
        f"{row['design']} ({row['parameters']}) {label}: {was[figure]} -> {row[figure]}"
        for row in rows
        if (was := before.get(identity(row)))
        for figure, label in zip(FIGURES, LABELS, strict=True)
        if row[figure] != was[figure]
    ]
