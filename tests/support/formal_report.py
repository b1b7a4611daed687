"""Which properties are proved, on what, how deep, and which mutants their proofs reject.

A proof carries ``proves("property", ...)`` and a test that some proof rejects a wrong design
``rejects("property", ...)``; ``pytest --formal-json FILE`` writes one row per property and design.
"""

import json
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

__all__ = ["Proof", "note", "recorded", "rows", "runs", "table", "write"]

_KEY = "formal"


@dataclass(frozen=True)
class Proof:
    """One run of a prover: on which design, by which method, to which depth."""

    design: str
    method: str
    depth: int


def note(design: str, method: str, depth: int) -> None:
    """A test asks a prover: tell on what, how, and how deep."""
    runs.append(Proof(design, method, depth))


#: What the test that runs now has asked of a prover.
runs: list[Proof] = []


def recorded(item: pytest.Item) -> dict[str, object] | None:
    """What a test with one of the two markers has to say, as JSON values."""
    names = {kind: [*_names(item, kind)] for kind in ("proves", "rejects")}
    if not any(names.values()):
        return None
    return {**names, "test": item.name, "proofs": [asdict(run) for run in runs]}


def _names(item: pytest.Item, kind: str) -> list[str]:
    return [str(name) for marker in item.iter_markers(kind) for name in marker.args]


def rows(reports: list[pytest.TestReport]) -> list[dict[str, object]]:
    """One row per property and design; a property without a rejected mutant says so.

    Of several proofs the least depth counts.
    """
    proved: dict[tuple[str, str, str], list[tuple[bool, int]]] = defaultdict(list)
    mutants: dict[str, list[bool]] = defaultdict(list)
    for report in reports:
        if (said := dict(report.user_properties).get(_KEY)) is None:
            continue
        values = json.loads(str(said))
        for name in values["proves"]:
            for proof in values["proofs"]:
                key = (name, proof["design"], proof["method"])
                proved[key].append((report.passed, proof["depth"]))
        for name in values["rejects"]:
            mutants[name].append(report.passed)
    return [
        {
            "property": name,
            "design": design,
            "method": method,
            "depth": min(depth for _, depth in results),
            "proved": all(passed for passed, _ in results),
            "mutant_rejected": bool(mutants[name]) and all(mutants[name]),
            "mutants": len(mutants[name]),
        }
        for (name, design, method), results in sorted(proved.items())
    ]


def write(found: list[dict[str, object]], path: Path) -> None:
    """Write the rows as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=1) + "\n")


def table(found: list[dict[str, object]]) -> list[str]:
    """The rows as lines of a terminal."""
    return [
        f"{'proved' if row['proved'] else 'OPEN':6} {row['method']} {row['depth']:>3}  "
        f"mutants {'rejected' if row['mutant_rejected'] else 'MISSING'} ({row['mutants']})  "
        f"{row['property']}: {row['design']}"
        for row in found
    ]
