"""A named collection of occurrences with the implementation options beside their records."""

from dataclasses import dataclass, field

from fabricgen.hsg.resource import FabricOp
from fabricgen.records.occurrence import MemoryOccurrence

__all__ = ["Fabric", "MemoryImplementation", "MemoryNames", "NamedMemory", "NamedOp"]


@dataclass(frozen=True, slots=True)
class MemoryNames:
    """Authoring names, outside the record's bytes; all unique within their kind.

    ``patterns[p]`` names the use patterns of port ``p`` in key order, each of them or one of every
    context together (:meth:`NamedMemory.patterns_per_name`); ``managers`` and ``subordinates`` name
    the manager and the subordinate endpoints, by ordinal.
    """

    endpoints: tuple[str, ...]
    ports: tuple[str, ...]
    patterns: tuple[tuple[str, ...], ...]
    managers: tuple[str, ...] = ()
    subordinates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryImplementation:
    """Implementation options of one occurrence; none changes an observable order or value.

    Parameters
    ----------
    bank_function
        ``"interleaved"``: consecutive beats lie in consecutive banks.
    aligned_bases
        Every mapped base is a multiple of its element size, so no element crosses a boundary of
        its own size. Saves the second beat of each element; a mapping with another base is
        ``Unsupported``.
    issue_lanes
        Children of one ActiveLanesRowMajor firing that go to the service per cycle; positive.
    counters
        Make the waiting state of every row readable over the programming port.
    manager_protocol
        ``"stream"``: managers are the beats themselves. ``"axi4"``: each stands behind an AXI4
        adapter.
    subordinate_protocol
        The same of subordinates, behind the adapter; ``"axi4_lite"`` is a third one.
    memory_wrapper
        The storage of each bank is a module of its own, in a file of its own, so that memory macros
        can take its place.
    """

    bank_function: str = "interleaved"
    aligned_bases: bool = False
    issue_lanes: int = 1
    counters: bool = False
    manager_protocol: str = "stream"
    subordinate_protocol: str = "stream"
    memory_wrapper: bool = False


@dataclass(frozen=True, slots=True)
class NamedMemory:
    """One occurrence, its names and its implementation options."""

    name: str
    occurrence: MemoryOccurrence
    names: MemoryNames
    implementation: MemoryImplementation = field(default_factory=MemoryImplementation)

    def patterns_per_name(self, port: int) -> int:
        """Use patterns of a port that one of its names stands for: one, or one per context."""
        patterns = self.occurrence.operation_ports[port].resource_contract.use_patterns
        return len(patterns) // len(self.names.patterns[port])


@dataclass(frozen=True, slots=True)
class NamedOp:
    """One datapath resource and its name; its ports are ``in0``, ``in1``, ... and ``out0``, ...."""

    name: str
    op: FabricOp


@dataclass(frozen=True, slots=True)
class Fabric:
    """What one fabric document or ``.fabric`` file describes."""

    name: str
    memories: tuple[NamedMemory, ...]
    ops: tuple[NamedOp, ...] = ()
