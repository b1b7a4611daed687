"""Every rule that needs more than one record, over a whole fabric."""

from collections.abc import Iterator

from fabricgen.check.alignments import alignment_findings
from fabricgen.check.dispatch import dispatch_findings
from fabricgen.check.endpoints import endpoint_findings
from fabricgen.check.forms import form_findings
from fabricgen.check.names import name_findings
from fabricgen.check.requesters import requester_findings
from fabricgen.check.service import service_findings
from fabricgen.check.widths import width_findings
from fabricgen.errors import Diagnostic
from fabricgen.records.fabric import Fabric
from fabricgen.records.occurrence import MemoryOccurrence

__all__ = ["findings", "occurrence_findings"]


def findings(fabric: Fabric) -> tuple[Diagnostic, ...]:
    """Return why the fabric is illegal, all findings at once; empty where it is legal."""
    return tuple(_findings(fabric))


def occurrence_findings(occurrence: MemoryOccurrence, where: str) -> Iterator[Diagnostic]:
    """Say what is illegal in one occurrence, names apart."""
    yield from form_findings(occurrence, where)
    yield from endpoint_findings(occurrence, where)
    yield from width_findings(occurrence, where)
    yield from alignment_findings(occurrence, where)
    yield from requester_findings(occurrence, where)
    yield from dispatch_findings(occurrence, where)
    yield from service_findings(occurrence, where)


def _findings(fabric: Fabric) -> Iterator[Diagnostic]:
    if not fabric.memories and not fabric.ops:
        yield Diagnostic(
            "fabric-empty", "memory", "A fabric must have at least one memory or op, not 0"
        )
    yield from name_findings(fabric)
    for ordinal, named in enumerate(fabric.memories):
        yield from occurrence_findings(named.occurrence, f"memory[{ordinal}]")
