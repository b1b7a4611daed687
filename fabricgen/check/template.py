"""Rules over several records of one engine template: those of an occurrence with this engine."""

from collections.abc import Iterator

from fabricgen.check.alignments import alignment_findings
from fabricgen.check.dispatch import connection_findings
from fabricgen.check.endpoints import endpoint_findings
from fabricgen.check.requesters import requester_findings
from fabricgen.check.widths import width_findings
from fabricgen.errors import Diagnostic
from fabricgen.records.connectivity import MemoryConnectivityContract
from fabricgen.records.engine import FabricMemoryEngineTemplate
from fabricgen.records.occurrence import MemoryOccurrence, OperationEngine

__all__ = ["template_findings"]


def template_findings(template: FabricMemoryEngineTemplate, where: str) -> Iterator[Diagnostic]:
    """Say what is illegal in a template: whatever of it an occurrence could not have either."""
    connections = template.internal_connections
    engine = OperationEngine(template.contract, template.ports)
    alone = MemoryOccurrence(
        template.endpoints, engine, None, (), (), MemoryConnectivityContract((), (), connections)
    )
    yield from endpoint_findings(alone, where)
    yield from width_findings(alone, where)
    yield from alignment_findings(alone, where)
    yield from requester_findings(alone, where)
    yield from connection_findings(template.endpoints, connections, where)
