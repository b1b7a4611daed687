"""Checks before and after the traffic, shared by every simulator."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sim.findings import Finding
from sim.job import Job, Registers, Step
from sim.manager_agent import ManagerAgent, manager_findings
from sim.memory_image import Byte
from sim.monitors import memory_findings, sticky_findings
from sim.traffic import BusAgent

__all__ = ["Answer", "StickyFlags", "answer_finding", "end_findings", "read_flags"]

#: Bits of the flag word.
_OUT_OF_RANGE, _QUIESCENT, _TARGET_ERROR, _UNMATCHED = 1, 2, 4, 16

#: Response of one AXI4-Lite access and, for a read, its data.
Answer = tuple[str, int | None]


def answer_finding(step: Step, answer: Answer) -> Finding | None:
    """Compare the answer of one programming step with what the step demands."""
    expected: Answer = (step.response, None if step.write else step.data)
    if answer == expected:
        return None
    return Finding(
        "program",
        0,
        f"{'Write to' if step.write else 'Read from'} {step.address:#x} is answered otherwise",
        expected=_text(expected),
        got=_text(answer),
    )


@dataclass(frozen=True, slots=True)
class StickyFlags:
    """The flag word, and row and address of the first lane out of range, if there is one."""

    word: int
    row: int = 0
    address: int = 0


async def read_flags(registers: Registers, read: Callable[[int], Awaitable[int]]) -> StickyFlags:
    """Read the flags; row and address mean nothing while the flag is clear."""
    word = await read(registers.flags)
    if not word & _OUT_OF_RANGE or registers.row is None:
        return StickyFlags(word)
    address = 0
    for position, at in enumerate(registers.address):
        address |= await read(at) << 32 * position
    return StickyFlags(word, await read(registers.row), address)


def end_findings(
    job: Job,
    cycle: int,
    flags: StickyFlags,
    contents: Sequence[Byte],
    managers: Mapping[str, ManagerAgent | BusAgent] | None = None,
) -> Iterator[Finding]:
    """Compare sticky flags, quiescence and all memory with the job."""
    is_out = bool(flags.word & _OUT_OF_RANGE)
    yield from sticky_findings(cycle, is_out, flags.row, flags.address, job.faults)
    for bit, kind, expected, message in (
        (
            _QUIESCENT,
            "quiescent",
            job.is_quiescent,
            "The occurrence must be quiescent exactly when nothing is left inside",
        ),
        (
            _TARGET_ERROR,
            "target-error",
            False,
            "The sticky target_error flag must be set exactly when a manager answers an error",
        ),
        (
            _UNMATCHED,
            "unmatched",
            job.is_unmatched,
            "The sticky unmatched flag must be set exactly when some tag matches no row",
        ),
    ):
        got = bool(flags.word & bit)
        if got != expected:
            yield Finding(kind, cycle, message, expected=str(int(expected)), got=str(int(got)))
    if job.memory is not None:
        yield from memory_findings(cycle, job.memory.after, contents)
    for manager in job.managers:
        yield from manager_findings(cycle, manager, (managers or {})[manager.name].memory)


def _text(answer: Answer) -> str:
    response, data = answer
    return response if data is None else f"{response} {data:#010x}"
