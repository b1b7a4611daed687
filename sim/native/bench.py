"""Play all cases of a resource on its emitted Verilog and say what differs."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from fabricgen.emit.verilog import EmittedVerilog, emit_verilog
from fabricgen.hsg.registry import family_keyword
from fabricgen.hsg.resource import FabricOp
from fabricgen.hsg.semantics import FiniteField, semantic_field
from fabricgen.rtl.providers.registry import provider
from sim.native.build import NativeFailed, Program, build
from sim.native.cases import Case, field_bits
from sim.native.jobs import Job, Pattern, Played, Tokens, pack, unpack

__all__ = ["Row", "emit", "measure", "run"]

#: Starts of registers without a reset: whatever they are, results are the same.
_SEEDS = (1, 2)


@dataclass(slots=True)
class Row:
    """What was found about one member of a resource.

    Parameters
    ----------
    resource, family, member
        Which one.
    points, poisonous
        Firings whose results were compared, and those of them with a lane that may be anything.
    mismatches, example
        Wrong results, and the first of them.
    rate
        Results per cycle of the stream without stalls.
    """

    resource: str
    family: str
    member: str
    points: int = 0
    poisonous: int = 0
    mismatches: int = 0
    example: str = ""
    rate: float = field(default=0.0)


def emit(op: FabricOp) -> EmittedVerilog:
    """The resource as a module of its own."""
    return emit_verilog(provider(op), "dut")


def run(
    name: str,
    op: FabricOp,
    batches: Iterable[Sequence[Case]],
    folder: Path,
    *,
    change: Callable[[str], str] = lambda text: text,
) -> list[Row]:
    """Build a resource in ``folder``, play the batches, and compare every result.

    ``change`` edits the Verilog. ``NativeFailed`` tells a broken rule of a channel; a member whose
    registers start to matter; or a behaviour that no batch was for.
    """
    emitted = emit(op)
    program = build(replace(emitted, text=change(emitted.text)), folder)
    return measure(name, op, batches, program)


def measure(
    name: str, op: FabricOp, batches: Iterable[Sequence[Case]], program: Program
) -> list[Row]:
    """Play batches on a program that is there."""
    rows: dict[str, Row] = {}
    seen: set[int] = set()
    for cases in batches:
        jobs = [case.job for case in cases]
        seen.update(job.configuration for job in jobs)
        played = _play(op, program, jobs, _SEEDS[0])
        for case, result in zip(cases, played, strict=True):
            keyword = family_keyword(op.family)
            row = rows.setdefault(case.member, Row(name, keyword, case.member))
            _compare(row, case, result)
        _check_starts(op, program, jobs, played)
    _check_behaviors(op, seen)
    return list(rows.values())


def _play(op: FabricOp, program: Program, jobs: Sequence[Job], seed: int) -> list[Played]:
    return unpack(op.ports, jobs, program.run(pack(op.ports, field_bits(op), jobs), seed=seed))


def _compare(row: Row, case: Case, played: Played) -> None:
    for found, expected, promised in zip(played.outputs, case.expected, case.promised, strict=True):
        wrong = (((found ^ expected) & promised) != 0).any(axis=1)
        if wrong.any():
            row.example = row.example or _shown(case, found, expected, int(np.argmax(wrong)))
            row.mismatches += int(np.count_nonzero(wrong))
    work = case.work or len(case.expected[0])
    row.points += work
    row.poisonous += case.poisonous
    if case.job.pattern is Pattern.ALWAYS and work > 1:
        row.rate = max(row.rate, (work - 1) / (played.last - played.first))


def _shown(case: Case, found: Tokens, expected: Tokens, at: int) -> str:
    def number(tokens: Tokens) -> str:
        return hex(sum(int(word) << 64 * place for place, word in enumerate(tokens[at])))

    given = ", ".join(number(each) if at < len(each) else "-" for each in case.job.inputs)
    setting = f"configuration {case.job.configuration:#x}"
    return f"token {at} of ({given}) with {setting} -> {number(found)}, not {number(expected)}"


def _check_starts(
    op: FabricOp, program: Program, jobs: Sequence[Job], played: Sequence[Played]
) -> None:
    """Results, poison included, do not depend on what registers without a reset start with."""
    some = [at for at, job in enumerate(jobs) if job.pattern is not Pattern.ALWAYS]
    if not some:
        return
    again = _play(op, program, [jobs[at] for at in some], _SEEDS[1])
    for at, second in zip(some, again, strict=True):
        for left, right in zip(played[at].outputs, second.outputs, strict=True):
            if not np.array_equal(left, right):
                raise NativeFailed(f"job {at}: a result must not depend on a register's start")


def _check_behaviors(op: FabricOp, seen: set[int]) -> None:
    found = semantic_field(op)
    if isinstance(found, FiniteField) and seen != set(range(len(found.keys))):
        missing = sorted(set(range(len(found.keys))) - seen)
        raise NativeFailed(f"every behaviour must have points, not all but {missing}")
