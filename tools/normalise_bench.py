"""Time of the normaliser over what people write, and over what should explode: ``make bench-normalise``.

Prints the seconds of processor time for 10, 100, 1,000 and 10,000 authoring rows of each kind of
record, the exponent of the growth, and what becomes of relations that are built to cost much;
writes ``build/normalise.json``. It fails where 1,000 rows take 2 s or more, where the exponent is
above 1.3, or where a relation that should explode takes more than 1 s to finish or be refused.
"""

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.finite import FiniteDomain
from fabricgen.atoms.sync_scope import SyncScope
from fabricgen.atoms.unsigned import U64_MAX, UnsignedDomain
from fabricgen.errors import Invalid
from fabricgen.records.access import (
    MemoryAccessClass,
    ParameterizedMemoryAccessDomain,
    RootRelative,
)
from fabricgen.records.actor import AtomicRmw, LoadStorePlain, MemoryActorContractDomain
from fabricgen.records.alternative import MemoryCapabilityAlternative
from fabricgen.records.capability import normalise_alternatives
from fabricgen.relation.normal import canonical_findings, normalise
from fabricgen.relation.row import Row
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dataflow import (
    AtomicOrdering,
    AtomicRmwKind,
    MemoryAccessForm,
    MemoryMaskForm,
    OperationSchemaId,
    ServiceValueRole,
    SyncScopeKind,
    VectorAtomicGranularity,
)
from fabricgen.vocab.fabric import (
    InactiveLaneSemantics,
    ReadSubwordSemantics,
    WriteSubwordSemantics,
)

__all__ = ["EXPLODING", "MAX_EXPONENT", "WRITTEN", "exponent", "main", "outcome"]

ROOT = Path(__file__).parent.parent
COUNTS = (10, 100, 1000, 10_000)
#: Most seconds that 1,000 rows may take, that a relation which should explode may, and the growth.
MAX_SECONDS, MAX_EXPLODING_SECONDS, MAX_EXPONENT = 2.0, 1.0, 1.3
#: Runs of which the fastest counts.
REPEATS = 3

_T = TypeVar("_T")
_LOAD, _RMW = OperationSchemaId.DATAFLOW_LOAD, OperationSchemaId.DATAFLOW_ATOMIC_RMW
_UNMASKED = (MemoryMaskForm.ABSENT, InactiveLaneSemantics.NOT_APPLICABLE)
_MASKED = (MemoryMaskForm.DYNAMIC, InactiveLaneSemantics.SUPPRESS_AND_ZERO_FILL)
_U, _F = UnsignedDomain.of, FiniteDomain.of


@dataclass(frozen=True)
class Written:
    """One kind of record: draws so many authoring rows, and the call that normalises them."""

    name: str
    draw: Callable[[random.Random, int], Sequence[object]]
    normalised: Callable[[Sequence[object]], Sequence[object]]


def _some(rng: random.Random, values: Iterable[_T], most: int = 3) -> list[_T]:
    listed = list(values)
    return rng.sample(listed, rng.randint(1, min(most, len(listed))))


def _geometry(
    rng: random.Random, count: int, masks: Sequence[tuple[MemoryMaskForm, InactiveLaneSemantics]]
) -> MemoryAccessClass:
    """One list of geometries: widths and lane counts, masks, an alignment, index widths."""
    form = rng.choice(list(MemoryAccessForm))
    element = form is MemoryAccessForm.ELEMENT
    lanes = rng.choice(
        (
            [rng.randint(1, count + 4)],
            [(1, rng.randint(1, 16))],
            _some(rng, (2, 4, 8, 16, 32, 64)),
        )
    )
    return MemoryAccessClass.of(
        form,
        RootRelative(_U(*_some(rng, (32, 64)))),
        element_width_bits=_U(*_some(rng, (8, 16, 32, 64))),
        flattened_lane_count=_U(1) if element else _U(*lanes),
        mask_inactive_pairs=[_UNMASKED] if element else _some(rng, masks),
        source_alignment=AlignmentDomain(
            _U(rng.choice(((0, 63), (rng.randint(0, 3), 63), rng.randint(0, 6))))
        ),
        read_subword=[rng.choice((ReadSubwordSemantics.EXACT, ReadSubwordSemantics.ZERO_EXTEND))],
        write_subword=[WriteSubwordSemantics.NOT_APPLICABLE],
    )


def _classes(rng: random.Random, count: int) -> list[MemoryAccessClass]:
    return [_geometry(rng, count, (_UNMASKED, _MASKED)) for _ in range(count)]


def _distinct_classes(rng: random.Random, count: int) -> list[MemoryAccessClass]:
    """A class for each element width, with as many lanes: none merges with another."""
    rows = [
        MemoryAccessClass.of(
            MemoryAccessForm.CONTIGUOUS,
            RootRelative(_U(32)),
            element_width_bits=_U(width),
            flattened_lane_count=_U((1, width)),
            mask_inactive_pairs=[_UNMASKED],
            source_alignment=AlignmentDomain(_U((0, 63))),
            read_subword=[ReadSubwordSemantics.EXACT],
            write_subword=[WriteSubwordSemantics.NOT_APPLICABLE],
        )
        for width in range(1, count + 1)
    ]
    rng.shuffle(rows)
    return rows


def _clauses(rng: random.Random, count: int) -> list[AtomicRmw]:
    orderings = [each for each in AtomicOrdering if each is not AtomicOrdering.UNORDERED]
    scopes = [SyncScope(SyncScopeKind.SYSTEM), SyncScope(SyncScopeKind.SINGLE_THREAD)]
    return [
        AtomicRmw.of_sets(
            _some(rng, AtomicRmwKind),
            _some(rng, orderings),
            _some(rng, scopes),
            _some(rng, (None, *VectorAtomicGranularity)),
            _some(rng, (False, True)),
        )
        for _ in range(count)
    ]


def _alternatives(rng: random.Random, count: int) -> list[MemoryCapabilityAlternative]:
    """Alternatives of a load port: one list of geometries each, two use patterns."""
    described = MEMORY_SCHEMAS[_LOAD]
    roles = [
        role
        for role in ServiceValueRole
        if role in {*described.input_roles, *described.result_roles}
        and role is not ServiceValueRole.MASK
    ]
    return [
        MemoryCapabilityAlternative.of(
            MemoryActorContractDomain.of(_LOAD, LoadStorePlain.of(*_some(rng, (False, True)))),
            tuple((role, ordinal) for ordinal, role in enumerate(roles)),
            ParameterizedMemoryAccessDomain.of(_geometry(rng, count, (_UNMASKED,))),
            _some(rng, (0, 1)),
        )
        for _ in range(count)
    ]


#: What people write, by kind of record.
WRITTEN = (
    Written(
        "access classes",
        _classes,
        lambda rows: ParameterizedMemoryAccessDomain.of(*rows).access_classes,
    ),
    Written(
        "classes that never merge",
        _distinct_classes,
        lambda rows: ParameterizedMemoryAccessDomain.of(*rows).access_classes,
    ),
    Written(
        "contract clauses",
        _clauses,
        lambda rows: MemoryActorContractDomain.of(_RMW, *rows).contract_clauses,
    ),
    Written("capability array", _alternatives, normalise_alternatives),
)


def _spans(rng: random.Random, count: int, size: int = 10**9) -> UnsignedDomain:
    bounds = ((rng.randrange(size), rng.randrange(size)) for _ in range(count))
    return _U(*((min(pair), max(pair)) for pair in bounds))


def _overlapping(rows: int, fields: int, intervals: int) -> list[Row]:
    """Every field of every row holds intervals that overlap those of the others."""
    rng = random.Random(1)
    return [tuple(_spans(rng, intervals) for _ in range(fields)) for _ in range(rows)]


def _pairs(count: int) -> list[Row]:
    """Some pair of fields is (1, 1): few rows, and 2**count products."""
    return [
        tuple(_U(1 if field // 2 == pair else (0, 1)) for field in range(2 * count))
        for pair in range(count)
    ]


def _choices(count: int) -> list[Row]:
    """Each value of the last field forbids 1 in another field: every subset of rows is reached."""
    return [
        (*(_U(0 if field == i else (0, 1)) for field in range(count)), _U(2 * i))
        for i in range(count)
    ]


def _interleaved(rows: int, width: int) -> list[Row]:
    """Combs of many intervals whose teeth interleave, before suffixes that interleave too."""
    return [
        (_U(*range(i % 7, 4 * width, 2 + i % 5)), _U(*range(i % 3, 4 * width, 3)), _U(2 * i))
        for i in range(rows)
    ]


def _wide_sets(rows: int, width: int) -> list[Row]:
    """Random halves of wide finite sets: no two atoms lie in the same rows."""
    rng = random.Random(1)
    atoms = [i.to_bytes(4, "big") for i in range(width)]
    halves = [_F(*rng.sample(atoms, width // 2)) for _ in range(2 * rows)]
    return [(halves[2 * i], halves[2 * i + 1], _U(2 * i)) for i in range(rows)]


#: Relations that are built to cost much.
EXPLODING: dict[str, Callable[[], list[Row]]] = {
    "2**40 products": lambda: _pairs(40),
    "65,535 products": lambda: _pairs(16),
    "every subset of 30 rows": lambda: _choices(30),
    "200 rows of 10 overlapping fields": lambda: _overlapping(200, 10, 1),
    "60 rows of 10 fields of 8 intervals": lambda: _overlapping(60, 10, 8),
    "3,000 rows of 2 overlapping fields": lambda: _overlapping(3000, 2, 1),
    "300 rows of interleaved combs": lambda: _interleaved(300, 2000),
    "20 rows of 50,000 intervals": lambda: [(_U(*range(i, 10**5, 2)), _U(i)) for i in range(20)],
    "300 rows of wide finite sets": lambda: _wide_sets(300, 3000),
    "100 rows nested in 80 fields": lambda: [
        tuple(_U((i, U64_MAX - i)) for _ in range(80)) for i in range(100)
    ],
}


def _seconds(call: Callable[[], object]) -> float:
    started = time.process_time()
    call()
    return time.process_time() - started


def outcome(rows: Sequence[Row]) -> str:
    """What the normaliser makes of ``rows``: their canonical number, or the code of its refusal."""
    try:
        return f"{len(normalise(rows, (False,) * len(rows[0])))} rows"
    except Invalid as error:
        return error.diagnostics[0].code


def exponent(seconds: Sequence[float], counts: Sequence[int]) -> float:
    """Slope of the least-squares line through the logarithms."""
    x, y = [math.log(count) for count in counts], [math.log(each) for each in seconds]
    middle, level = sum(x) / len(x), sum(y) / len(y)
    above = sum((a - middle) * (b - level) for a, b in zip(x, y, strict=True))
    return above / sum((a - middle) ** 2 for a in x)


def _measure_written(kind: Written) -> dict[str, object]:
    measured = [_fastest(kind, kind.draw(random.Random(1), count)) for count in COUNTS]
    seconds = [each for each, _ in measured]
    return {
        "rows": list(COUNTS),
        "seconds": seconds,
        "canonical_rows": [rows for _, rows in measured],
        "exponent": exponent(seconds, COUNTS),
    }


def _fastest(kind: Written, rows: Sequence[object]) -> tuple[float, int]:
    """Seconds of the fastest run, and the rows of the canonical form."""
    found: list[Sequence[object]] = []
    runs = REPEATS if len(rows) <= 1000 else 1
    seconds = min(_seconds(lambda: found.append(kind.normalised(rows))) for _ in range(runs))
    return seconds, len(found[0])


def _measure_exploding(build: Callable[[], list[Row]]) -> dict[str, object]:
    rows = build()
    found: list[str] = []
    authoring = _seconds(lambda: found.append(outcome(rows)))
    structural = (False,) * len(rows[0])
    strict = _seconds(
        lambda: found.append(
            next((f.code for f in canonical_findings(rows, structural, "rows")), "accepted")
        )
    )
    return {
        "seconds": authoring,
        "outcome": found[0],
        "strict_seconds": strict,
        "strict_outcome": found[1],
    }


def _print(report: dict[str, dict[str, dict[str, object]]]) -> None:
    print(
        f"{'as people write them':26}"
        + "".join(f"{count:>12,}" for count in COUNTS)
        + "   exponent"
    )
    for name, each in report["written"].items():
        cells = "".join(f"{value:>10.4f} s" for value in each["seconds"])
        print(f"{name:26}{cells}{each['exponent']:>11.2f}")
        print(f"{'  canonical rows':26}" + "".join(f"{n:>12,}" for n in each["canonical_rows"]))
    print(f"\n{'built to cost much':38}{'normalise':>32}{'strict import':>34}")
    for name, each in report["exploding"].items():
        print(
            f"{name:38}{each['seconds']:>8.3f} s  {each['outcome']:<20}"
            f"{each['strict_seconds']:>10.3f} s  {each['strict_outcome']:<20}"
        )


def _failures(report: dict[str, dict[str, dict[str, object]]]) -> list[str]:
    found: list[str] = []
    for name, each in report["written"].items():
        if (taken := each["seconds"][COUNTS.index(1000)]) >= MAX_SECONDS:
            found.append(f"1,000 {name} must take under {MAX_SECONDS} s, not {taken:.2f} s")
        if each["exponent"] > MAX_EXPONENT:
            found.append(
                f"The exponent of {name} must be at most {MAX_EXPONENT}, not {each['exponent']:.2f}"
            )
    for name, each in report["exploding"].items():
        if (taken := max(each["seconds"], each["strict_seconds"])) > MAX_EXPLODING_SECONDS:
            found.append(f"{name} must take at most {MAX_EXPLODING_SECONDS} s, not {taken:.2f} s")
    return found


def main() -> int:
    """Measure, print, write, and tell whether every bound holds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "build" / "normalise.json")
    output: Path = parser.parse_args().output
    report = {
        "written": {kind.name: _measure_written(kind) for kind in WRITTEN},
        "exploding": {name: _measure_exploding(build) for name, build in EXPLODING.items()},
    }
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(report, indent=2) + "\n")
    _print(report)
    failures = _failures(report)
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
