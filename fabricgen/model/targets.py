"""The memories that rows reach: the Local Memory Service, and what stands behind each manager.

A target is how one row sees its memory: which lanes it has, and what a firing costs there.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

from fabricgen.model.beats import Beat, LaneAccess, child_beats
from fabricgen.model.work import RowWork
from fabricgen.plan.admission import admitting_capability
from fabricgen.plan.geometry import BankGeometry, bank_geometry
from fabricgen.plan.rows import OperationRow
from fabricgen.records.connectivity import LocalMemoryServiceTarget, ManagerEndpointTarget
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.service import MemoryServiceRegion
from fabricgen.schema.service import canonical_service
from fabricgen.vocab.dataflow import ServiceKind

__all__ = ["LocalMemory", "ManagerMemory", "Memories", "Target"]


_BOTH = (ServiceKind.MEMORY_READ.name, ServiceKind.MEMORY_WRITE.name)
_SIDES = {
    ServiceKind.MEMORY_ATOMIC_RMW: _BOTH,
    ServiceKind.MEMORY_COMPARE_EXCHANGE: _BOTH,
}


class LocalMemory:
    """The whole contents of one Local Memory Service."""

    def __init__(self, contents: bytes) -> None:
        self.contents = bytearray(contents)

    def read(self, address: int, size: int) -> bytes:
        """``size`` bytes inside the capacity."""
        return bytes(self.contents[address : address + size])

    def write(self, address: int, payload: bytes) -> None:
        """Replace bytes inside the capacity."""
        self.contents[address : address + len(payload)] = payload


class ManagerMemory:
    """A sparse memory of 2**64 bytes; what nothing has written or initialised reads as zero."""

    def __init__(self, contents: Mapping[int, int]) -> None:
        self.contents = dict(contents)

    def read(self, address: int, size: int) -> bytes:
        """``size`` bytes from ``address``."""
        get = self.contents.get
        return bytes([get(byte, 0) for byte in range(address, address + size)])

    def write(self, address: int, payload: bytes) -> None:
        """Replace the bytes from ``address``."""
        self.contents.update(zip(range(address, address + len(payload)), payload, strict=True))


class Target(Protocol):
    """What one row reaches."""

    @property
    def memory(self) -> LocalMemory | ManagerMemory:
        """The bytes, shared with every row that reaches the same target."""
        ...

    @property
    def beats(self) -> Counter[Beat]:
        """Every request that the row makes at a manager."""
        ...

    @property
    def work(self) -> RowWork:
        """What the firings cost."""
        ...

    def has(self, address: int, size: int) -> bool:
        """Whether a lane of this many bytes has an effect."""
        ...

    def count(self, parts: Sequence[Sequence[LaneAccess]], walked: int, outside: int) -> None:
        """Account one firing.

        Parameters
        ----------
        parts
            Its lanes; those that share beats stand together.
        walked
            Fewest cycles in which its children are issued.
        outside
            Most turns that lanes without an effect take.
        """
        ...


class _LocalTarget:
    """The Local Memory Service as one row's capability admits it.

    Parameters
    ----------
    memory, geometry
        The service.
    regions
        Regions of the admitting capability; a lane lies inside one of them or has no effect.
    port, kind
        The row's port; what its accesses do.
    work
        Where the cost of firings goes.
    """

    def __init__(
        self,
        memory: LocalMemory,
        geometry: BankGeometry,
        regions: tuple[MemoryServiceRegion, ...],
        port: int,
        kind: ServiceKind,
        work: RowWork,
    ) -> None:
        self.memory = memory
        self.beats: Counter[Beat] = Counter()
        self.work = work
        self._spans = [(region.address_base_bytes, region.end_bytes) for region in regions]
        self._geometry = geometry
        self._is_fence = kind is ServiceKind.MEMORY_FENCE
        #: Sides of a bank that an access takes; what computes takes both at once.
        self._sides = _SIDES.get(kind, (kind.name,))
        self._channel = ("service", port)
        self._lanes = ("lanes", port)

    def has(self, address: int, size: int) -> bool:
        """Whether all bytes lie inside one region."""
        return any(base <= address and address + size <= end for base, end in self._spans)

    def count(self, parts: Sequence[Sequence[LaneAccess]], walked: int, outside: int) -> None:
        """A firing costs its distinct beats on the fullest bank; a port has one at a time.

        Lanes outside have no effect, and may take their turns all the same.
        """
        width, banks = self._geometry.beat_bytes, self._geometry.banks
        beats = {
            beat
            for lanes in parts
            for lane in lanes
            for beat in range(lane.address // width, (lane.address + lane.size - 1) // width + 1)
        }
        used = Counter((side, beat % banks) for beat in beats for side in self._sides)
        # A fence is a request without a beat.
        used[self._channel] = max(used.values(), default=int(self._is_fence))
        self.work.fire(used, {self._lanes: walked}, outside)


class _ManagerTarget:
    """The memory behind one manager.

    Parameters
    ----------
    memory, manager, beat_bytes
        The memory, the manager's ordinal, and its beat width.
    kind
        Read or write.
    work
        Where the cost of firings goes.
    """

    def __init__(
        self,
        memory: ManagerMemory,
        manager: int,
        beat_bytes: int,
        kind: ServiceKind,
        work: RowWork,
    ) -> None:
        self.memory = memory
        self.beats: Counter[Beat] = Counter()
        self.work = work
        self._resource = ("manager", manager)
        self._beat_bytes = beat_bytes
        self._kind = kind

    def has(self, address: int, size: int) -> bool:
        """Whether all bytes have an address of 64 bits."""
        return address + size <= 1 << 64

    def count(self, parts: Sequence[Sequence[LaneAccess]], walked: int, outside: int) -> None:
        """A firing costs its beats, one a cycle; lanes outside are not asked for."""
        del outside
        beats = list(child_beats(self._kind, parts, self._beat_bytes))
        self.beats.update(beats)
        self.work.fire({self._resource: max(walked, len(beats))})


class Memories:
    """All memories that one occurrence reaches.

    Parameters
    ----------
    named
        The occurrence.
    local
        Initial contents of its Local Memory Service.
    managers
        Initial contents behind its managers, by ordinal.
    """

    def __init__(
        self, named: NamedMemory, local: bytes, managers: Mapping[int, Mapping[int, int]]
    ) -> None:
        self.local = LocalMemory(local)
        self.managers = [
            ManagerMemory(managers.get(ordinal, {}))
            for ordinal in range(len(named.occurrence.manager_endpoints))
        ]
        self._named = named

    def target(self, row: OperationRow, work: RowWork) -> Target:
        """What a legal row reaches; the cost of its firings goes to ``work``."""
        kind = canonical_service(row.actor, row.access).kind
        match row.service_target:
            case LocalMemoryServiceTarget():
                regions = _admitted_regions(self._named, row)
                geometry = bank_geometry(self._named)
                return _LocalTarget(self.local, geometry, regions, row.port, kind, work)
            case ManagerEndpointTarget(ordinal):
                bits = self._named.occurrence.manager_endpoints[ordinal].beat_width_bits
                if bits % 8:
                    raise ValueError(f"Manager beats must be whole bytes, not {bits} bits")
                return _ManagerTarget(self.managers[ordinal], ordinal, bits // 8, kind, work)


def _admitted_regions(named: NamedMemory, row: OperationRow) -> tuple[MemoryServiceRegion, ...]:
    service = named.occurrence.local_service
    if service is None:
        raise ValueError("Occurrence must have a local service, not None")
    contract = service.memory_service_contract
    capability = admitting_capability(named.occurrence, row)
    if capability is None:
        raise ValueError(f"Row must be admitted by a service capability, not {row!r}")
    ordinals = contract.capabilities[capability].service_region_ordinals
    return tuple(contract.regions[ordinal] for ordinal in ordinals)
