"""Checks before and after the traffic, shared by every simulator."""

from collections.abc import Iterator, Sequence

from sim.findings import Finding
from sim.job import Job, Step
from sim.memory_image import Byte
from sim.monitors import memory_findings, sticky_findings

__all__ = ["Answer", "answer_finding", "end_findings"]

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


def end_findings(
    job: Job, cycle: int, flags: Sequence[int], contents: Sequence[Byte]
) -> Iterator[Finding]:
    """Compare sticky flags, quiescence and memory with the job.

    ``flags`` holds the flag word and the row and address of the report.
    """
    word, row, address = flags
    yield from sticky_findings(cycle, bool(word & 1), row, address, job.faults)
    is_quiescent = bool(word & 2)
    if is_quiescent != job.is_quiescent:
        yield Finding(
            "quiescent",
            cycle,
            "The occurrence must be quiescent exactly when nothing is left inside",
            expected=str(int(job.is_quiescent)),
            got=str(int(is_quiescent)),
        )
    yield from memory_findings(cycle, job.memory.after, contents)


def _text(answer: Answer) -> str:
    response, data = answer
    return response if data is None else f"{response} {data:#010x}"
