"""Services of many geometries, in a few words each."""

from fabricgen.plan.atomic_use import FLOAT_RMW_KINDS, NO_LOCAL_ATOMICS, LocalAtomics
from fabricgen.plan.geometry import AccessMode, BankGeometry, RequesterShape
from fabricgen.records.resource import GrantPolicy, RoundRobin
from fabricgen.rtl.service.channel import ServiceChannelShape
from fabricgen.rtl.service.service import LocalMemoryService
from fabricgen.vocab.dataflow import AtomicRmwKind

#: (indexed, element bytes, lanes)
Mode = tuple[bool, int, int]


def shape(
    *modes: Mode,
    aligned: bool = True,
    reads: bool = True,
    writes: bool = True,
    region_sets=((0,),),
    walks: bool = False,
    local: LocalAtomics = NO_LOCAL_ATOMICS,
) -> RequesterShape:
    return RequesterShape(
        reads=reads,
        writes=writes,
        modes=tuple(sorted(AccessMode(*mode) for mode in modes)),
        region_sets=region_sets,
        aligned=aligned,
        walks=walks,
        local=local,
    )


def atomics(*kinds: AtomicRmwKind, exchange=False, fence=False, sizes=(4,)) -> LocalAtomics:
    return LocalAtomics(kinds, exchange, fence, sizes)


def service(
    *shapes: RequesterShape,
    capacity: int = 256,
    beat: int = 4,
    banks: int = 4,
    regions: tuple[tuple[int, int], ...] | None = None,
    slots: int = 1,
    queue: int = 2,
    outstanding: int | None = None,
    policy: GrantPolicy | None = None,
    issue_lanes: int = 1,
) -> LocalMemoryService:
    geometry = BankGeometry(capacity, beat, banks)
    count = len(shapes)
    return LocalMemoryService(
        geometry,
        requesters=tuple(ServiceChannelShape(s, geometry.address_bits, slots) for s in shapes),
        regions=((0, capacity),) if regions is None else regions,
        queues=(queue,) * count,
        outstanding=2 * count if outstanding is None else outstanding,
        policy=policy or RoundRobin(tuple(range(count)), reset_cursor=0),
        issue_lanes=issue_lanes,
    )


WORD = shape((False, 4, 1))
SUBWORD = shape((False, 1, 1), (False, 2, 1), (False, 4, 1))
LOOSE = shape((False, 1, 1), (False, 2, 1), (False, 4, 1), (False, 8, 1), aligned=False)
VECTOR = shape((False, 4, 4))
LOOSE_VECTOR = shape((False, 2, 8), (False, 4, 4), aligned=False)
GATHER = shape((False, 4, 4), (True, 4, 4))
LOOSE_GATHER = shape((False, 8, 1), (True, 1, 5), (True, 2, 3), aligned=False)
LOAD = shape((False, 4, 1), writes=False)
STORE = shape((False, 4, 1), reads=False)
HALVES = shape((False, 2, 1), region_sets=((0,), (0, 1), (1,)))
WALK = shape((False, 4, 4), (True, 4, 4), walks=True)
LOOSE_WALK = shape((False, 8, 1), (True, 1, 5), (True, 2, 3), aligned=False, walks=True)

INTEGER_KINDS = tuple(kind for kind in AtomicRmwKind if kind not in FLOAT_RMW_KINDS)
EVERY = atomics(*INTEGER_KINDS, exchange=True, fence=True)
COUNTER = shape((False, 4, 1), reads=False, writes=False, local=atomics(AtomicRmwKind.ADD))
ATOMIC = shape((False, 4, 1), local=EVERY)
ATOMIC_SIZES = shape(
    *((False, size, 1) for size in (1, 2, 4, 8)),
    local=atomics(*INTEGER_KINDS, exchange=True, fence=True, sizes=(1, 2, 4, 8)),
)
#: Plain accesses of any alignment beside lanes that are computed, some of them with one address.
ATOMIC_LANES = shape(
    (False, 2, 3),
    (True, 2, 3),
    (False, 8, 1),
    aligned=False,
    walks=True,
    local=atomics(AtomicRmwKind.ADD, AtomicRmwKind.UMAX, exchange=True, fence=True, sizes=(2,)),
)
ATOMIC_VECTOR = shape((False, 4, 4), walks=True, local=EVERY)
FENCES = shape((False, 1, 1), reads=False, writes=False, local=atomics(fence=True, sizes=()))
