"""Monitors: each states one rule of the occurrence boundary and reports what breaks it.

They see plain values, cycle by cycle, and know no simulator.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from typing import Any, Protocol

from sim.findings import Finding, Findings
from sim.memory_image import Byte

__all__ = [
    "EndpointCount",
    "FiringWindow",
    "JointPublication",
    "KnownPins",
    "OfferStays",
    "TokenOrder",
    "Watchdog",
    "memory_findings",
    "sticky_findings",
]


class ChannelPins(Protocol):
    """Pins of one channel; their values as text are 0, 1 or unknown, bit by bit."""

    @property
    def valid(self) -> Any: ...
    @property
    def ready(self) -> Any: ...
    @property
    def data(self) -> Any: ...


class TokenOrder:
    """Every token of one result equals the model's, in order, and none follows the last.

    With ``is_open`` what follows the last one is not looked at.
    """

    def __init__(
        self,
        findings: Findings,
        row: int,
        role: str,
        width: int,
        expected: Sequence[int],
        *,
        is_open: bool = False,
    ) -> None:
        self._findings = findings
        self._row = row
        self._role = role
        self._width = width
        self._expected = expected
        self._is_open = is_open
        self.count = 0

    def take(self, cycle: int, value: int | None) -> None:
        """One token came out; ``None`` stands for unknown bits."""
        index, self.count = self.count, self.count + 1
        if index >= len(self._expected):
            if self._is_open:
                return
            kind, message = "spurious", f"A token follows the last of {len(self._expected)}"
            expected = None
        elif value == self._expected[index]:
            return
        elif value is None:
            kind, message = "unknown", "A valid token has unknown bits"
            expected = self._text(self._expected[index])
        else:
            kind, message = "token", "A token differs from the model"
            expected = self._text(self._expected[index])
        got = "x" if value is None else self._text(value)
        self._findings.add(
            Finding(kind, cycle, message, self._row, self._role, index, expected, got)
        )

    def close(self, cycle: int) -> None:
        """The run is over: all tokens must have come."""
        if self.count < len(self._expected):
            self._findings.add(
                Finding(
                    "count",
                    cycle,
                    "Tokens are missing",
                    self._row,
                    self._role,
                    self.count,
                    str(len(self._expected)),
                    str(self.count),
                )
            )

    @property
    def is_complete(self) -> bool:
        """Whether all expected tokens have come."""
        return self.count >= len(self._expected)

    def _text(self, value: int) -> str:
        return f"{value:#0{2 + -(-self._width // 4)}x}" if self._width else "token"


class JointPublication:
    """All exposed results of one row transfer in the same cycle, into ready destinations only."""

    def __init__(self, findings: Findings, row: int, roles: Sequence[str]) -> None:
        self._findings = findings
        self._row = row
        self._roles = roles

    def observe(self, cycle: int, valid: Sequence[bool], ready: Sequence[bool]) -> None:
        """See one cycle in which some result of the row is valid."""
        for role, is_valid, is_ready in zip(self._roles, valid, ready, strict=True):
            if is_valid and not is_ready:
                self._add(cycle, role, "A result is valid while its destination is not ready")
        if any(valid) and not all(valid):
            missing = [
                role for role, is_valid in zip(self._roles, valid, strict=True) if not is_valid
            ]
            self._add(cycle, missing[0], "A result is absent while another of its row is published")

    def _add(self, cycle: int, role: str, message: str) -> None:
        self._findings.add(Finding("joint", cycle, message, self._row, role))


class FiringWindow:
    """No firing retires before its operands came, and no more are inside than declared.

    Also measures: the cycles of publication, and the latency from the last operand of a firing
    to its results.

    Parameters
    ----------
    findings, row
        Where to report, and as which row.
    depths
        Queue depth of each active input role.
    in_flight
        Firings that the port may have issued and not retired.
    """

    def __init__(
        self, findings: Findings, row: int, depths: Mapping[str, int], in_flight: int
    ) -> None:
        self._findings = findings
        self._row = row
        self._room = {role: depth + in_flight for role, depth in depths.items()}
        self._accepted: dict[str, deque[int]] = {role: deque() for role in depths}
        self.accepted = dict.fromkeys(depths, 0)
        self.published = 0
        self.first_cycle: int | None = None
        self.last_cycle: int | None = None
        self.latency_min: int | None = None
        self.latency_max: int | None = None

    def accept(self, cycle: int, role: str) -> None:
        """One operand was taken in."""
        waiting = self._accepted[role]
        waiting.append(cycle)
        self.accepted[role] += 1
        if len(waiting) > self._room[role]:
            self._findings.add(
                Finding(
                    "capacity",
                    cycle,
                    "More operands are inside than queue and in-flight capacity hold",
                    self._row,
                    role,
                    self.accepted[role] - 1,
                    f"at most {self._room[role]}",
                    str(len(waiting)),
                )
            )

    def publish(self, cycle: int) -> None:
        """One firing was published; its operands came in an earlier cycle."""
        index, self.published = self.published, self.published + 1
        times: list[int] = []
        for role, waiting in self._accepted.items():
            if waiting and waiting[0] < cycle:
                times.append(waiting.popleft())
            else:
                self._findings.add(
                    Finding(
                        "early",
                        cycle,
                        "A firing was published before its operand was taken in",
                        self._row,
                        role,
                        index,
                    )
                )
        if self.first_cycle is None:
            self.first_cycle = cycle
        self.last_cycle = cycle
        if times:
            latency = cycle - max(times)
            self.latency_min = min(latency, self.latency_min or latency)
            self.latency_max = max(latency, self.latency_max or latency)

    def missing_operands(self) -> list[str]:
        """Roles of which no operand waits inside."""
        return [role for role, waiting in self._accepted.items() if not waiting]


class EndpointCount:
    """An ingress never takes more tokens than its firings consume and its queue holds."""

    def __init__(self, findings: Findings, name: str, row: int | None, limit: int) -> None:
        self._findings = findings
        self._name = name
        self._row = row
        self._limit = limit
        self.count = 0

    def accept(self, cycle: int) -> None:
        """One token was taken in."""
        self.count += 1
        if self.count > self._limit:
            self._findings.add(
                Finding(
                    "count",
                    cycle,
                    f"Ingress {self._name} takes more tokens than its row can hold",
                    self._row,
                    expected=str(self._limit),
                    got=str(self.count),
                )
            )


class OfferStays:
    """What a channel offers stays offered, with the same payload, until it is taken."""

    def __init__(self, findings: Findings, name: str) -> None:
        self._findings = findings
        self._name = name
        self._waiting: str | None = None

    def observe(self, cycle: int, offer: str | None, is_ready: bool) -> None:
        """See one cycle: bits of the payload that is offered, ``None`` where nothing is."""
        waiting, self._waiting = self._waiting, None if is_ready else offer
        if waiting is None or offer == waiting:
            return
        self._findings.add(
            Finding(
                "unstable",
                cycle,
                "An offer is taken back" if offer is None else "A waiting token changes",
                role=self._name,
                expected=waiting,
                got=offer,
            )
        )


class KnownPins:
    """``valid`` and ``ready`` are 0 or 1, and all bits of a valid payload are."""

    def __init__(self, findings: Findings, name: str) -> None:
        self._findings = findings
        self._name = name

    def observe(self, cycle: int, pins: ChannelPins) -> bool:
        """See one cycle; tell whether all is known."""
        texts = {"valid": str(pins.valid.value), "ready": str(pins.ready.value)}
        if pins.data is not None and texts["valid"] == "1":
            texts["data"] = str(pins.data.value)
        wrong = [name for name, text in texts.items() if set(text) - {"0", "1"}]
        for name in wrong:
            self._findings.add(
                Finding(
                    "unknown",
                    cycle,
                    f"The {name} has unknown bits",
                    role=self._name,
                    got=texts[name],
                )
            )
        return not wrong


class Watchdog:
    """Tells a hang from a stall that the environment causes.

    After ``bound`` cycles without progress the environment must cooperate (every endpoint
    willing); if nothing moves for ``bound`` further cycles, the design hangs.
    """

    def __init__(self, bound: int) -> None:
        self._bound = bound
        self._idle = 0

    def tick(self, moved: bool) -> None:
        """Count one cycle."""
        self._idle = 0 if moved else self._idle + 1

    @property
    def is_cooperating(self) -> bool:
        """Whether patterns are suspended."""
        return self._idle > self._bound

    @property
    def is_hanging(self) -> bool:
        """Whether a cooperative environment got nothing either."""
        return self._idle > 2 * self._bound


def memory_findings(cycle: int, expected: bytes, got: Sequence[Byte]) -> Iterator[Finding]:
    """One finding per run of bytes that differ; an unknown byte always does."""
    differs = [byte != wanted for byte, wanted in zip_longest(got, expected, fillvalue=-1)]
    start = 0
    for is_wrong, group in groupby(differs):
        end = start + len(list(group))
        if is_wrong:
            shown = slice(start, min(end, start + 16))
            yield Finding(
                "memory",
                cycle,
                f"Memory differs from the model in {end - start} bytes from {start:#x}",
                expected=expected[shown].hex(),
                got="".join("xx" if byte is None else f"{byte:02x}" for byte in got[shown]),
            )
        start = end


def sticky_findings(
    cycle: int, flag: bool, row: int, address: int, admitted: Sequence[tuple[int, int]]
) -> Iterator[Finding]:
    """The sticky out-of-range report names one row's first fault, exactly if there is a fault."""
    if flag != bool(admitted):
        yield Finding(
            "out-of-range",
            cycle,
            "The sticky out_of_range flag differs from the model",
            expected=str(int(bool(admitted))),
            got=str(int(flag)),
        )
    elif flag and (row, address) not in admitted:
        yield Finding(
            "out-of-range",
            cycle,
            "The out_of_range report is no row's first fault",
            expected=" or ".join(f"row {r} at {a:#x}" for r, a in admitted),
            got=f"row {row} at {address:#x}",
        )
