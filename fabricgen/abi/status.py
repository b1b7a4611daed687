"""What a host can read of a running fabric: sticky flags, what set them first, and who waits.

Each report is one bit of the ``flags`` register with details of its first event; every detail has
words of its own behind it. Of the rows it tells which have something inside, and the host says
which of them shall drain.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from fabricgen.errors import Diagnostic
from fabricgen.plan.capacity import port_input_roles
from fabricgen.plan.demand import is_temporal, row_capacity
from fabricgen.plan.geometry import bank_geometry
from fabricgen.records.fabric import Fabric, NamedMemory
from fabricgen.vocab.dataflow import ServiceValueRole
from fabricgen.vocab.fabric import EndpointDirection

__all__ = [
    "COUNTS",
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

#: What is counted of a row: firings that it has published, and cycles that it has lost, by cause.
#: Of the first three causes of loss there is one at most in a cycle, and one of the last two.
COUNTS = (
    "firings",
    "operand_stalls",
    "claim_stalls",
    "dispatch_stalls",
    "service_stalls",
    "publication_stalls",
)

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
    """One word: ``width`` bits of a member from bit ``shift`` upwards; read-only unless it says
    otherwise.
    """

    name: str
    member: str
    shift: int
    width: int
    is_writable: bool = False


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
    rows
        Rows of the operation table, each of which can be drained; none without an engine.
    waits, counts
        Names of the bits of a row's waiting state, lowest first, and of what is counted of it; none
        without the implementation option ``counters``.
    holds
        Parts that a commit holds by themselves: the rows of a Temporal memory, and its
        subordinates together; any other one as a whole; none where there is no memory.
    """

    reports: tuple[Report, ...]
    unmatched: int = 0
    rows: int = 0
    waits: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    holds: int = 0

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
            widths |= dict.fromkeys(("busy", "partial"), self.rows)
        if self.waits:
            widths["waits"] = self.rows * len(self.waits)
        if self.counts:
            widths["events"] = self.rows * len(self.counts)
        return widths

    def words(self) -> tuple[StatusWord, ...]:
        """Readable words behind the flags, in address order."""
        return tuple(self._words())

    def _words(self) -> Iterator[StatusWord]:
        for report in self.reports:
            for detail, width in report.details:
                yield from _split(f"{report.name}_{detail}", width)
        yield from _split("unmatched", self.unmatched)
        yield from (replace(word, is_writable=True) for word in _split("drain", self.rows))
        yield from _split("busy", self.rows)
        yield from _split("partial", self.rows)
        if size := len(self.waits):
            for row in range(self.rows):
                yield StatusWord(f"waits_{row}", "waits", row * size, size)
        for ordinal, (row, name) in enumerate(product(range(self.rows), self.counts)):
            yield StatusWord(f"{name}_{row}", "counts", ordinal * WORD_BITS, WORD_BITS)


def fabric_shape(fabric: Fabric) -> StatusShape:
    """Derive what a fabric reports: what its one memory does, and nothing where it has none."""
    return status_shape(fabric.memories[0]) if fabric.memories else StatusShape(())


def status_shape(named: NamedMemory) -> StatusShape:
    """Derive what one memory reports: nothing where no row can be at fault.

    What comes to a subordinate is answered with an error there.
    """
    occurrence = named.occurrence
    if occurrence.engine is None:
        return StatusShape((), holds=1)
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
        rows=rows,
        waits=_waits(named) if counted else (),
        counts=COUNTS if counted else (),
        holds=rows + bool(occurrence.subordinate_endpoints) if has_tags else 1,
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
    if not shape.waits:
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
