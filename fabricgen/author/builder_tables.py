"""Types of the tables of a fabric document that hold no reference, for Python.

A table is a plain dictionary with the document's keys, so ``{"plain": {"volatile": [False]}}`` is a
clause; what its keys mean stands at the document class of the same name. Nothing is checked before
the fabric is built.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypedDict

from fabricgen.author.contract_document import Granularity, Ordering, RmwKind

__all__ = [
    "Address",
    "Alignment",
    "Atomic",
    "AtomicChoice",
    "BoundedCompletion",
    "Claim",
    "Commit",
    "CompareExchangeClause",
    "Consistency",
    "ContextPriority",
    "ContextPriorityChoice",
    "DataFormat",
    "Dimension",
    "FenceClause",
    "Implementation",
    "Interval",
    "LoadAccess",
    "LoadStoreContract",
    "LocalProvider",
    "LocalProviderChoice",
    "Match",
    "NamedContract",
    "NamedPriority",
    "NamedPriorityChoice",
    "NamedRoundRobin",
    "NamedRoundRobinChoice",
    "Numbers",
    "OpPorts",
    "OpTiming",
    "OperandDepth",
    "Plain",
    "PlainChoice",
    "PointerChoice",
    "PointerFormat",
    "RmwClause",
    "RootRelativeChoice",
    "RoundRobin",
    "RoundRobinChoice",
    "ServiceCapacities",
    "SpatialResources",
    "State",
    "StoreAccess",
    "SyncScope",
    "SystemDomainChoice",
    "TargetScope",
    "TargetScopeChoice",
    "TemporalResources",
    "Timing",
    "UpdateAccess",
    "UsePattern",
]

#: All integers from one bound to the other, both included.
Interval = TypedDict("Interval", {"from": int, "to": int})
Numbers = Sequence[int | Interval]


class PointerFormat(TypedDict):
    """Layout of a pointer whose bits are an integer."""

    address_space: int
    representation_bits: int
    address_bits: int


class RootRelativeChoice(TypedDict):
    """Address lanes are element indices of these widths."""

    root_relative: Numbers


class PointerChoice(TypedDict):
    """Address lanes are complete pointers of these formats."""

    pointer: Sequence[PointerFormat]


Address = RootRelativeChoice | PointerChoice
DataFormat = Literal["ordinary"] | PointerFormat
Alignment = Literal["any"] | Sequence[int]


class _Access(TypedDict):
    form: Literal["element", "contiguous", "indexed"]
    address: Address
    data: NotRequired[Sequence[DataFormat]]
    element_bits: Numbers
    lanes: Numbers
    mask: Sequence[Literal["absent", "dynamic"]]
    alignment: Alignment


class LoadAccess(_Access):
    """One class of admitted load geometries."""

    read_subword: Sequence[Literal["exact", "zero_extend"]]


class StoreAccess(_Access):
    """One class of admitted store geometries."""

    write_subword: Sequence[Literal["exact", "byte_enable"]]


class UpdateAccess(_Access):
    """One class of geometries of an actor that reads and writes."""

    read_subword: Sequence[Literal["exact", "zero_extend"]]
    write_subword: Sequence[Literal["exact", "byte_enable"]]


class TargetScope(TypedDict):
    """Name of a scope that a target defines."""

    namespace: str
    key: str


class TargetScopeChoice(TypedDict):
    """A scope of a target."""

    target: TargetScope


SyncScope = Literal["system", "single_thread"] | TargetScopeChoice


class Plain(TypedDict):
    """Plain accesses."""

    volatile: Sequence[bool]


class PlainChoice(TypedDict):
    """A clause of plain loads or stores."""

    plain: Plain


class Atomic(TypedDict):
    """Atomic loads or stores."""

    orderings: Sequence[Ordering]
    sync_scopes: Sequence[SyncScope]
    granularity: Sequence[Granularity]
    volatile: Sequence[bool]


class AtomicChoice(TypedDict):
    """A clause of atomic loads or stores."""

    atomic: Atomic


LoadStoreContract = PlainChoice | AtomicChoice


class RmwClause(TypedDict):
    """One clause of read-modify-writes."""

    kinds: Sequence[RmwKind]
    orderings: Sequence[Ordering]
    sync_scopes: Sequence[SyncScope]
    granularity: Sequence[Granularity]
    volatile: Sequence[bool]


class CompareExchangeClause(TypedDict):
    """One clause of compare-exchanges."""

    orderings: Sequence[Sequence[Ordering]]
    sync_scopes: Sequence[SyncScope]
    granularity: Sequence[Granularity]
    weak: Sequence[bool]
    volatile: Sequence[bool]


class FenceClause(TypedDict):
    """One clause of fences."""

    orderings: Sequence[Ordering]
    sync_scopes: Sequence[SyncScope]


class OperandDepth(TypedDict, total=False):
    """Depth of each operand queue of a port, in tokens."""

    address: int
    data: int
    update: int
    expected: int
    desired: int
    mask: int
    control: int


class SpatialResources(TypedDict):
    """Capacities of one Spatial port."""

    in_flight: int
    result_holding: int
    operand_depth: int | OperandDepth


class RoundRobin(TypedDict):
    """Scan from a cursor that moves behind each successful grant."""

    reset_cursor: int


class RoundRobinChoice(TypedDict):
    """Round robin among the contexts."""

    round_robin: RoundRobin


class ContextPriority(TypedDict):
    """The first eligible context wins, always."""

    order: Sequence[int]


class ContextPriorityChoice(TypedDict):
    """Fixed priority among the contexts."""

    fixed_priority: ContextPriority


class TemporalResources(TypedDict):
    """Capacities of one Temporal port."""

    context: int
    in_flight: Sequence[int]
    result_holding: Sequence[int]
    operand_depth: int | OperandDepth
    grant: NotRequired[RoundRobinChoice | ContextPriorityChoice]


class ServiceCapacities(TypedDict):
    """Capacities of a local service; its grant policy is said by its methods."""

    banks: int
    outstanding: int
    queue: int


class BoundedCompletion(TypedDict):
    """Every access retires within a bound."""

    bounded_completion_cycles: int


class LocalProvider(TypedDict):
    """How a local service orders what it serves."""

    release_visibility: Literal["at_linearization", "by_retirement"]
    progress: Literal["fair_eventual"] | BoundedCompletion


class LocalProviderChoice(TypedDict):
    """The service orders its accesses itself."""

    local_provider: LocalProvider


class SystemDomainChoice(TypedDict):
    """A domain of the system orders the accesses."""

    system_domain: str


Consistency = LocalProviderChoice | SystemDomainChoice
Match = Literal["range", "prefix", "address_space", "context"]


class Implementation(TypedDict, total=False):
    """Implementation options."""

    bank_function: Literal["interleaved"]
    aligned_bases: bool
    issue_lanes: int
    counters: bool
    manager_protocol: Literal["stream", "axi4"]
    subordinate_protocol: Literal["stream", "axi4", "axi4_lite"]
    memory_wrapper: bool


class Dimension(TypedDict):
    """Units of one capacity dimension of a state."""

    name: str
    capacity: int
    initial_occupancy: int


class State(TypedDict):
    """One resource state."""

    name: str
    dimensions: Sequence[Dimension]


class Timing(TypedDict):
    """The order of the events within one use."""

    name: str
    ranks: Mapping[str, int]


class Commit(TypedDict):
    """The durable transition of a use."""

    event: str
    transition: str


class Claim(TypedDict):
    """Units that a use holds."""

    name: str
    state: str
    dimension: str
    amount: int


class UsePattern(TypedDict):
    """One way of using the owner."""

    name: str
    requester: str
    eligibility: str
    acquire: str
    release: str
    commit: NotRequired[Commit]
    timing: str
    claims: Sequence[Claim]
    transactions: Sequence[Sequence[str]]


class NamedRoundRobin(TypedDict):
    """Scan from a cursor that moves behind each successful grant."""

    order: Sequence[str]
    reset_cursor: str


class NamedRoundRobinChoice(TypedDict):
    """Round robin among the requesters."""

    round_robin: NamedRoundRobin


class NamedPriority(TypedDict):
    """The first eligible requester wins, always."""

    order: Sequence[str]


class NamedPriorityChoice(TypedDict):
    """Fixed priority among the requesters."""

    fixed_priority: NamedPriority


class NamedContract(TypedDict):
    """A complete resource contract; its parts refer to one another by names."""

    states: Sequence[State]
    transitions: Sequence[str]
    events: Sequence[str]
    timing: Sequence[Timing]
    requesters: Sequence[str]
    eligibility: Sequence[str]
    patterns: Sequence[UsePattern]
    grant: NotRequired[NamedRoundRobinChoice | NamedPriorityChoice]


class OpPorts(TypedDict):
    """Physical ports of a datapath resource, as payload widths in bits."""

    inputs: Sequence[int]
    outputs: Sequence[int]


class OpTiming(TypedDict):
    """When results of a datapath resource appear, and how often it accepts tokens."""

    latency_cycles: int
    initiation_interval_cycles: int
