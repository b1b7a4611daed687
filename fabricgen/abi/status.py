"""What a host can read of a running fabric: sticky flags, what set them first, and who waits.

Each report is one bit of the ``flags`` register with details of its first event; every detail has
words of its own behind it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fabricgen.errors import Diagnostic
from fabricgen.plan.capacity import port_input_roles
from fabricgen.plan.demand import is_temporal, row_capacity
from fabricgen.plan.geometry import bank_geometry
from fabricgen.records.fabric import Fabric, NamedMemory
from fabricgen.vocab.dataflow import ServiceValueRole
from fabricgen.vocab.fabric import EndpointDirection

__all__ = [
    "FLAG_QUIESCENT",
    "FLAG_UNMATCHED",
    "WORD_BITS",
    "Report",
    "StatusShape",
    "StatusWord",
    "fabric_shape",
    "flag_bits",
    "input_roles",
    "status_shape",
    "waits_findings",
]

WORD_BITS = 32

#: Bits of the flags register that are no report: live quiescence, and any unmatched tag.
FLAG_QUIESCENT, FLAG_UNMATCHED = 1, 4

_FLAG_OUT_OF_RANGE, _FLAG_TARGET_ERROR, _FLAG_UNPUBLISHED = 0, 2, 3

_MANAGER_ADDRESS_BITS = 64

#: What the bits of a row's word say after its operands, from the lowest.
_WAITS = ("claim", "issued", "held", "complete")


@dataclass(frozen=True, slots=True)
class Report:
    """One sticky flag.

    Parameters
    ----------
    name
        Member of the occurrence that raises it; its details are ``<name>_<detail>``.
    flag
        Bit of the flags register.
    details
        Name and width in bits of what is kept of the first event; no width is zero.
    """

    name: str
    flag: int
    details: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class StatusWord:
    """One readable word: ``width`` bits of a member from bit ``shift`` upwards."""

    name: str
    member: str
    shift: int
    width: int


@dataclass(frozen=True, slots=True)
class StatusShape:
    """Everything that one memory reports.

    Parameters
    ----------
    reports
        Sticky flags, in flag order.
    unmatched
        Input endpoints with one sticky bit each for a token whose tag no row matches; 0 in a
        Spatial schedule.
    rows, waits
        Rows whose waiting state can be read, and the names of its bits, lowest first; no rows
        without the implementation option ``counters``.
    """

    reports: tuple[Report, ...]
    unmatched: int = 0
    rows: int = 0
    waits: tuple[str, ...] = ()

    @property
    def members(self) -> dict[str, int]:
        """Every member that the programming interface takes from the occurrence, with its width."""
        widths: dict[str, int] = {}
        for report in self.reports:
            widths[report.name] = 1
            widths |= {f"{report.name}_{detail}": width for detail, width in report.details}
        if self.unmatched:
            widths["unmatched"] = self.unmatched
        if self.rows:
            widths["waits"] = self.rows * len(self.waits)
        return widths

    def words(self) -> tuple[StatusWord, ...]:
        """Readable words behind the flags, in address order."""
        return tuple(self._words())

    def _words(self) -> Iterator[StatusWord]:
        for report in self.reports:
            for detail, width in report.details:
                yield from _split(f"{report.name}_{detail}", width)
        yield from _split("unmatched", self.unmatched)
        size = len(self.waits)
        for row in range(self.rows):
            yield StatusWord(f"waits_{row}", "waits", row * size, size)


def fabric_shape(fabric: Fabric) -> StatusShape:
    """Derive what a fabric reports: what its one memory does, and nothing where it has none."""
    return status_shape(fabric.memories[0]) if fabric.memories else StatusShape(())


def status_shape(named: NamedMemory) -> StatusShape:
    """Derive what one memory reports: nothing where no row can be at fault.

    What comes to a subordinate is answered with an error there.
    """
    occurrence = named.occurrence
    if occurrence.engine is None:
        return StatusShape(())
    has_tags, rows = is_temporal(occurrence), row_capacity(occurrence)
    row = ("row", max(1, (rows - 1).bit_length()))
    reports = [Report("out_of_range", _FLAG_OUT_OF_RANGE, (row, ("address", _address_bits(named))))]
    if occurrence.manager_endpoints:
        details = (row, ("address", _MANAGER_ADDRESS_BITS))
        reports.append(Report("target_error", _FLAG_TARGET_ERROR, details))
    inputs = sum(e.direction is EndpointDirection.IN for e in occurrence.endpoints)
    if has_tags:
        outputs = len(occurrence.endpoints) - inputs
        destinations = outputs + len(occurrence.connectivity.internal_connections)
        details = (row, ("destinations", destinations))
        reports.append(Report("unpublished", _FLAG_UNPUBLISHED, details))
    counted = named.implementation.counters
    return StatusShape(
        reports=tuple(reports),
        unmatched=inputs if has_tags else 0,
        rows=rows if counted else 0,
        waits=_waits(named) if counted else (),
    )


def input_roles(named: NamedMemory) -> tuple[ServiceValueRole, ...]:
    """Input roles that some port of the engine has, in role order."""
    engine = named.occurrence.engine
    roles = {role for port in (engine.ports if engine else ()) for role in port_input_roles(port)}
    return tuple(sorted(roles, key=lambda role: role.value))


def flag_bits(shape: StatusShape) -> Mapping[str, int]:
    """Bit of every flag by its name."""
    bits = {report.name: report.flag for report in shape.reports} | {"quiescent": FLAG_QUIESCENT}
    return bits | ({"unmatched": FLAG_UNMATCHED} if shape.unmatched else {})


def waits_findings(named: NamedMemory, words: Sequence[int]) -> Iterator[Diagnostic]:
    """Report why these words cannot be what the ``waits`` registers of this memory read."""
    shape = status_shape(named)
    if not shape.rows:
        yield Diagnostic(
            "waits-without-counters",
            "implementation.counters",
            "Waiting rows must be readable, which takes counters = true, not false",
        )
        return
    if len(words) != shape.rows:
        yield Diagnostic(
            "waits-word-count",
            "words",
            f"There must be one word per row, {shape.rows}, not {len(words)}",
        )
    for row, word in enumerate(words):
        if not 0 <= word < 1 << len(shape.waits):
            yield Diagnostic(
                "waits-word-range",
                f"words[{row}]",
                f"The word must have the {len(shape.waits)} bits of a row, not be {word:#x}",
            )


def _waits(named: NamedMemory) -> tuple[str, ...]:
    return (*(f"operand_{role.name.lower()}" for role in input_roles(named)), *_WAITS)


def _address_bits(named: NamedMemory) -> int:
    if named.occurrence.manager_endpoints:
        return _MANAGER_ADDRESS_BITS
    return bank_geometry(named).address_bits


def _split(member: str, width: int) -> Iterator[StatusWord]:
    """Words of one member: the first has its name, the next ones a number as well."""
    for number, shift in enumerate(range(0, width, WORD_BITS)):
        name = member if number == 0 else f"{member}_{number}"
        yield StatusWord(name, member, shift, min(WORD_BITS, width - shift))
