"""What a bench of components with token channels has to do, and what came, as plain data in JSON.

One design holds any number of units, each with channels, a configuration and a reset of its own.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sim.findings import Finding

__all__ = [
    "PassJob",
    "PassResult",
    "UnitJob",
    "read_job",
    "read_outcome",
    "write_job",
    "write_outcome",
]


@dataclass(frozen=True, slots=True)
class PassJob:
    """One run of one unit between two resets.

    Parameters
    ----------
    inputs
        Tokens that are offered to each input, in order.
    taken
        Fewest and most of them that each input takes.
    outputs
        Tokens that each output gives, in order; ``None`` where their values are not defined.
    pattern, seed
        Stalls of the channels.
    stalled
        Which channels stall: ``inputs``, ``outputs`` or ``all``.
    configuration
        Value of the unit's configuration; absent where it has none.
    cycles
        Where given, the pass ends after so many cycles, whatever came.
    interrupted
        Cycles of the same traffic before a reset, with which the pass begins; none for 0.
    is_endless
        Outputs go on behind the tokens that are expected, which end the pass.
    idle_unknown
        Payloads that are not offered are unknown, not random: only where a simulator has X.
    """

    inputs: Sequence[Sequence[int]]
    taken: Sequence[tuple[int, int]]
    outputs: Sequence[Sequence[int]] | None
    pattern: str
    seed: int
    stalled: str = "all"
    configuration: int | None = None
    cycles: int | None = None
    interrupted: int = 0
    is_endless: bool = False
    idle_unknown: bool = False


@dataclass(frozen=True, slots=True)
class UnitJob:
    """One component.

    Parameters
    ----------
    name
        Prefix of its ports: ``<name>_in0_valid`` and so on, ``<name>_configuration`` where a pass
        has one, ``<name>_reset`` and ``<name>_quiescent``.
    inputs, outputs
        Payload bits of each channel.
    bound
        Cycles within which it makes progress when nothing stalls.
    passes
        Runs, in order.
    """

    name: str
    inputs: Sequence[int]
    outputs: Sequence[int]
    bound: int
    passes: Sequence[PassJob]


@dataclass(frozen=True, slots=True)
class PassResult:
    """What one pass saw; cycles count from the first one after the reset.

    Parameters
    ----------
    cycles
        How many there were.
    taken, given
        Cycle and token of each handshake, per input and per output.
    ready
        Cycles in which each output was ready to take a token.
    quiescent
        Cycles in which the unit said that nothing is inside.
    findings
        What was wrong.
    """

    cycles: int
    taken: Sequence[Sequence[tuple[int, int]]]
    given: Sequence[Sequence[tuple[int, int]]]
    ready: Sequence[Sequence[int]]
    quiescent: Sequence[int]
    findings: Sequence[Finding] = field(default=())


def write_job(units: Sequence[UnitJob], path: Path) -> None:
    """Write the units of one design as JSON."""
    path.write_text(json.dumps([asdict(unit) for unit in units]))


def read_job(path: Path) -> list[UnitJob]:
    """Read what :func:`write_job` wrote."""
    return [
        UnitJob(**{**unit, "passes": [PassJob(**each) for each in unit["passes"]]})
        for unit in json.loads(path.read_text())
    ]


def write_outcome(results: dict[str, list[PassResult]], path: Path) -> None:
    """Write the results of the passes of each unit as JSON."""
    data = {name: [asdict(each) for each in passes] for name, passes in results.items()}
    path.write_text(json.dumps(data))


def read_outcome(path: Path) -> dict[str, list[PassResult]]:
    """Read what :func:`write_outcome` wrote."""
    data = json.loads(path.read_text())
    return {name: [_result(each) for each in passes] for name, passes in data.items()}


def _result(fields: dict[str, Any]) -> PassResult:
    def tokens(channels: list[list[list[int]]]) -> list[list[tuple[int, int]]]:
        return [[(cycle, token) for cycle, token in channel] for channel in channels]

    return PassResult(
        fields["cycles"],
        tokens(fields["taken"]),
        tokens(fields["given"]),
        fields["ready"],
        fields["quiescent"],
        [Finding(**each) for each in fields["findings"]],
    )
