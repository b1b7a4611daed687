"""What the beats of one subordinate endpoint may ask of the Local Memory Service."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd

from fabricgen.errors import Diagnostic, Unsupported
from fabricgen.plan.capacity import service_capacities
from fabricgen.plan.geometry import BEAT_LIMIT, AccessMode, RequesterShape, bank_geometry
from fabricgen.records.actor import LoadStorePlain
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.service import MemoryServiceCapability
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dispatch import AddressTransform

__all__ = ["SubordinateUse", "served_kinds", "subordinate_capabilities", "subordinate_use"]


@dataclass(frozen=True, slots=True)
class SubordinateUse:
    """Beats that one subordinate serves.

    A beat has no access view: it reads where some capability that serves the endpoint admits plain
    loads, writes where one admits plain stores, and reaches the regions that those name.

    Parameters
    ----------
    beat_bytes
        Bytes of one beat, a power of two; every address outside is a multiple of it.
    address_step
        Every address inside, with the base offset, is a multiple of this: those of a beat where no
        offset moves it, or only by whole beats (``aligned_bases``), else a byte.
    slots
        Beats between acceptance and answer: the queue of the endpoint in the service.
    read_regions, write_regions
        Ordinals of the regions that reads and writes reach; empty where none is served.
    """

    beat_bytes: int
    address_step: int
    slots: int
    read_regions: tuple[int, ...]
    write_regions: tuple[int, ...]

    @property
    def reads(self) -> bool:
        """Whether reads are served."""
        return bool(self.read_regions)

    @property
    def writes(self) -> bool:
        """Whether writes are served."""
        return bool(self.write_regions)

    @property
    def region_sets(self) -> tuple[tuple[int, ...], ...]:
        """Distinct sets of regions, that of reads first."""
        return tuple(
            dict.fromkeys(each for each in (self.read_regions, self.write_regions) if each)
        )

    def shape(self) -> RequesterShape:
        """The beats as accesses: the strobes are a mask over lanes of one byte."""
        return RequesterShape(
            reads=self.reads,
            writes=self.writes,
            modes=(AccessMode(indexed=False, element_bytes=1, lanes=self.beat_bytes),),
            region_sets=self.region_sets,
            aligned=False,
            address_step=self.address_step,
        )


def subordinate_capabilities(
    named: NamedMemory, ordinal: int
) -> tuple[MemoryServiceCapability, ...]:
    """Capabilities of the local service that serve a subordinate; it is behind all the ports."""
    service = named.occurrence.local_service
    if service is None:
        return ()
    contract = service.memory_service_contract
    requester = len(named.occurrence.operation_ports) + ordinal
    return tuple(contract.capabilities[at] for at in contract.serving_capabilities(requester))


def served_kinds(named: NamedMemory, ordinal: int) -> tuple[int, ...]:
    """Kinds of beats, 0 for reads and 1 for writes, that some capability serves."""
    found = subordinate_capabilities(named, ordinal)
    return tuple(kind for kind in (0, 1) if any(_plain(found, writes=bool(kind))))


def subordinate_use(named: NamedMemory, ordinal: int) -> SubordinateUse:
    """Derive what a subordinate of whole bytes may ask of the local service that it reaches.

    ``Unsupported`` where its beats are too many of the service's.
    """
    service = named.occurrence.local_service
    if service is None:
        raise ValueError(f"Memory {named.name} must have a local service, not None")
    capacities = service_capacities(service)
    found = subordinate_capabilities(named, ordinal)
    beat_bytes = named.occurrence.subordinate_endpoints[ordinal].beat_width_bits // 8
    transform = named.occurrence.connectivity.subordinate_endpoints[ordinal].address_transform
    is_whole = transform is AddressTransform.NONE or named.implementation.aligned_bases
    use = SubordinateUse(
        beat_bytes,
        beat_bytes if is_whole else 1,
        capacities.queue[len(named.occurrence.operation_ports) + ordinal],
        _regions(found, writes=False),
        _regions(found, writes=True),
    )
    beat = bank_geometry(named).beat_bytes
    beats = -(-(beat - gcd(use.address_step, beat) + beat_bytes) // beat)
    if beats > BEAT_LIMIT:
        raise Unsupported(
            Diagnostic(
                "access-beats",
                f"subordinate_endpoints[{ordinal}].beat_width_bits",
                f"An access must touch at most {BEAT_LIMIT} beats, not {beats}",
            )
        )
    return use


def _regions(found: tuple[MemoryServiceCapability, ...], *, writes: bool) -> tuple[int, ...]:
    return tuple(sorted({region for each in _plain(found, writes) for region in each}))


def _plain(found: tuple[MemoryServiceCapability, ...], writes: bool) -> Iterator[tuple[int, ...]]:
    """Regions of each capability of plain loads, or of plain stores."""
    for capability in found:
        domain = capability.actor_contract_domain
        schema = MEMORY_SCHEMAS[domain.actor_schema]
        is_plain = any(isinstance(each, LoadStorePlain) for each in domain.contract_clauses)
        if is_plain and (schema.writes if writes else schema.reads):
            yield capability.service_region_ordinals
