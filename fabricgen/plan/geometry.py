"""What the physical datapath must be able to do, derived from the records alone.

One derivation serves the hardware, the model's cycle limits and the realisation check.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import gcd

from fabricgen.errors import Diagnostic, Unsupported
from fabricgen.plan.admission import Admission, FenceAdmission, admissions, fence_admissions
from fabricgen.plan.atomic_use import (
    NO_ATOMICS,
    NO_LOCAL_ATOMICS,
    AtomicUse,
    LocalAtomics,
    atomic_use,
    local_atomics,
)
from fabricgen.plan.capacity import service_capacities
from fabricgen.records.actor import LoadStorePlain
from fabricgen.records.connectivity import (
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    MemoryDispatchTarget,
    target_key,
)
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.records.service import LocalMemoryService
from fabricgen.vocab.dataflow import MemoryAccessForm, OperationSchemaId
from fabricgen.vocab.fabric import MemoryPortTransactionProjection

__all__ = [
    "BEAT_LIMIT",
    "MANAGER_ADDRESS_BITS",
    "MODE_LIMIT",
    "AccessMode",
    "AddressLane",
    "BankGeometry",
    "RequesterShape",
    "bank_geometry",
    "local_beats",
    "pointer_lanes",
    "port_address_bits",
    "port_targets",
    "requester_shape",
    "service_beat_bytes",
]

#: A request names its mode by ordinal, and each mode is a layer of the lane multiplexers.
MODE_LIMIT = 64

#: Kinds of pointers that one port tells apart; each is a choice in front of every lane's address.
_POINTER_LIMIT = 64

#: Banks of the largest service: the crossbar grows with banks times requesters.
_BANK_LIMIT = 64

#: Beats that one access may touch: requester logic grows with their square.
BEAT_LIMIT = 128

#: Bits of a byte address at a manager.
MANAGER_ADDRESS_BITS = 64

#: Bytes of the largest service; a larger array is no single memory of any target.
_CAPACITY_LIMIT = 2**32


@dataclass(frozen=True, slots=True, order=True)
class AccessMode:
    """One way in which a requester lays lanes over bytes.

    Parameters
    ----------
    indexed
        Each lane has its own address. Otherwise all lanes follow the first one without gaps
        (element accesses are the one-lane case).
    element_bytes
        Bytes of one lane; lane ``i`` occupies payload bytes ``[i * element_bytes, (i + 1) *
        element_bytes)``.
    lanes
        Largest lane count admitted in this mode.
    """

    indexed: bool
    element_bytes: int
    lanes: int


#: The one mode of a port of fences, which has no access: a byte, of which nothing is used.
_NO_ACCESS = AccessMode(indexed=False, element_bytes=1, lanes=1)


@dataclass(frozen=True, slots=True, order=True)
class AddressLane:
    """How the lanes of an address token lie: lane ``i`` at bit ``i * stride``.

    Parameters
    ----------
    bits
        Low bits of a lane that count: all of an index, the address bits of a pointer.
    stride
        Bits of one lane: the index width, or those of the pointer's representation.
    """

    bits: int
    stride: int


@dataclass(frozen=True, slots=True)
class RequesterShape:
    """Geometry of one requester, whichever of its targets it talks to.

    Parameters
    ----------
    reads, writes
        Whether some row loads, and whether some row stores.
    modes
        Every access mode, sorted; a request names one by its ordinal.
    region_sets
        Distinct sets of region ordinals named by the admitting capabilities of the Local Memory
        Service, sorted; a request names one by its ordinal. Empty for managers alone, and where
        whoever asks has compared every byte with them.
    aligned
        Every element lies at a multiple of its size.
    walks
        Some pattern of the port has one child per active lane.
    volatile
        Some row of a manager may be volatile.
    atomics
        What rows of managers there may be beside plain loads and stores.
    address_step
        Every address is a multiple of this, a power of two, whatever the elements are.
    local
        What rows of the Local Memory Service there may be beside loads and stores.
    """

    reads: bool
    writes: bool
    modes: tuple[AccessMode, ...]
    region_sets: tuple[tuple[int, ...], ...]
    aligned: bool
    walks: bool = False
    volatile: bool = False
    atomics: AtomicUse = NO_ATOMICS
    address_step: int = 1
    local: LocalAtomics = NO_LOCAL_ATOMICS

    def at_manager(self) -> "RequesterShape":
        """What it asks of a manager."""
        return replace(self, local=NO_LOCAL_ATOMICS)

    def at_service(self) -> "RequesterShape":
        """What it asks of the Local Memory Service."""
        return replace(self, atomics=NO_ATOMICS, volatile=False)

    @property
    def every(self) -> AtomicUse:
        """What rows of any target there may be beside plain loads and stores."""
        return self.atomics.union(self.local.use)

    @property
    def kinds(self) -> int:
        """Kinds of accesses that rows may make."""
        every = self.every
        return sum((self.reads, self.writes, every.rmw, every.exchange, every.fence))

    @property
    def returns(self) -> bool:
        """Some access returns memory contents."""
        return self.reads or self.every.rmw or self.every.exchange

    @property
    def sends(self) -> bool:
        """Some access sends a payload."""
        return self.writes or self.every.rmw or self.every.exchange

    def step(self, mode: AccessMode) -> int:
        """Every address in ``mode`` is a multiple of this."""
        return mode.element_bytes if self.aligned else self.address_step

    @property
    def lanes(self) -> int:
        """Width of the lane mask."""
        return max(mode.lanes for mode in self.modes)

    @property
    def segments(self) -> int:
        """Addresses of one request: one, or one per lane of the widest indexed mode."""
        return max((mode.lanes for mode in self.modes if mode.indexed), default=1)

    @property
    def data_bytes(self) -> int:
        """Bytes of the widest payload."""
        return max(mode.lanes * mode.element_bytes for mode in self.modes)


@dataclass(frozen=True, slots=True)
class BankGeometry:
    """Beat-interleaved banks: beat ``n`` lies in bank ``n % banks`` at row ``n // banks``.

    Parameters
    ----------
    capacity_bytes
        Bytes of the service; addresses at and above it are out of range.
    beat_bytes, banks
        Powers of two.
    """

    capacity_bytes: int
    beat_bytes: int
    banks: int

    @property
    def address_bits(self) -> int:
        """Bits of a byte address inside the capacity."""
        return max(1, (self.capacity_bytes - 1).bit_length())

    @property
    def rows(self) -> int:
        """Beats per bank."""
        return -(-self.capacity_bytes // (self.beat_bytes * self.banks))


def bank_geometry(named: NamedMemory) -> BankGeometry:
    """Derive the banks of the Local Memory Service; ``Unsupported`` where they have no shape."""
    service = named.occurrence.local_service
    if service is None:
        raise ValueError(f"Memory {named.name} must have a local service, not None")
    if found := tuple(_bank_findings(named, service)):
        raise Unsupported(*found)
    (beat_bits,) = _beat_widths(service)
    banks = service_capacities(service).banks
    return BankGeometry(service.capacity_bytes, beat_bits // 8, len(banks))


def requester_shape(named: NamedMemory, port: int) -> RequesterShape:
    """Derive what operation port ``port`` may ask of its targets, all of them together.

    Only points count that both the port and a target admit: no legal row selects another, so no
    hardware is built for it.
    """
    found, fences = admissions(named.occurrence, port), fence_admissions(named.occurrence, port)
    aligned = named.implementation.aligned_bases
    if problems := tuple(_shape_findings(port, found, fences, aligned)):
        raise Unsupported(*problems)
    # Atomic objects lie at multiples of their size; what pointers promise is no fact of a row.
    aligned |= bool(found) and not any(
        each.address_formats or isinstance(each.contract, LoadStorePlain) for each in found
    )
    modes = _modes(found) or (_NO_ACCESS,)
    if len(modes) > MODE_LIMIT:
        raise Unsupported(
            Diagnostic(
                "access-modes",
                f"port[{port}].alternative",
                f"A port must have at most {MODE_LIMIT} access modes, not {len(modes)}",
            )
        )
    widths = _target_beats(named, port)
    beats = max((_most_beats(modes, width, aligned) for width in widths), default=0)
    if beats > BEAT_LIMIT:
        raise Unsupported(
            Diagnostic(
                "access-beats",
                f"port[{port}].alternative",
                f"An access must touch at most {BEAT_LIMIT} beats, not {beats}",
            )
        )
    service = named.occurrence.local_service
    capabilities = () if service is None else service.memory_service_contract.capabilities
    schemas = {admission.schema for admission in found}
    regions = {
        capabilities[admission.capability].service_region_ordinals
        for admission in found
        if admission.capability is not None
    }
    return RequesterShape(
        reads=OperationSchemaId.DATAFLOW_LOAD in schemas,
        writes=OperationSchemaId.DATAFLOW_STORE in schemas,
        modes=modes,
        region_sets=tuple(sorted(regions)),
        aligned=aligned,
        walks=_walks(named.occurrence, port),
        volatile=any(each.capability is None and True in each.volatile_values for each in found),
        atomics=atomic_use(found, fences),
        local=local_atomics(found, fences, service_beat_bytes(named)),
    )


def service_beat_bytes(named: NamedMemory) -> int:
    """Bytes of the narrowest beat of the local service; 0 where nothing has whole ones."""
    service = named.occurrence.local_service
    return 0 if service is None else min(_beat_widths(service), default=0) // 8


def local_beats(named: NamedMemory, shape: RequesterShape) -> int:
    """Most beats that one access of a port touches in the local service."""
    return _most_beats(shape.modes, 8 * service_beat_bytes(named), shape.aligned)


def pointer_lanes(found: Iterable[Admission]) -> tuple[AddressLane, ...]:
    """Pointers by what their formats make of a token, ascending; spaces do not matter there."""
    formats = {each for admission in found for each in admission.address_formats}
    return tuple(sorted({AddressLane(f.address_bits, f.representation_bits) for f in formats}))


def port_targets(occurrence: MemoryOccurrence, port: int) -> tuple[MemoryDispatchTarget, ...]:
    """Targets that some alternative of the port may reach: local first, then managers."""
    domains = occurrence.connectivity.operation_ports[port].capability_target_domains
    return tuple(sorted({target for domain in domains for target in domain}, key=target_key))


def port_address_bits(named: NamedMemory, port: int) -> int:
    """Bits of a byte address inside the port: those of its widest target."""
    return max(
        bank_geometry(named).address_bits
        if isinstance(target, LocalMemoryServiceTarget)
        else MANAGER_ADDRESS_BITS
        for target in port_targets(named.occurrence, port)
    )


def _bank_findings(named: NamedMemory, service: LocalMemoryService) -> Iterator[Diagnostic]:
    contract = "local_service.memory_service_contract"
    widths = _beat_widths(service)
    if len(widths) > 1:
        yield Diagnostic(
            "mixed-beat-widths",
            f"{contract}.capabilities",
            f"All capabilities must have one beat width, not {', '.join(map(str, widths))}",
        )
    if not widths:
        yield Diagnostic(
            "beat-width",
            f"{contract}.capabilities",
            "A beat must be a power of two of whole bytes, not absent, as where all are fences",
        )
    for width in widths:
        if width % 8 or not _is_power_of_two(width // 8):
            yield Diagnostic(
                "beat-width",
                f"{contract}.capabilities",
                f"A beat must be a power of two of whole bytes, not {width} bits",
            )
    banks = service_capacities(service).banks
    if not _is_power_of_two(len(banks)):
        yield Diagnostic(
            "bank-count",
            f"{contract}.resource_contract.states",
            f"The number of banks must be a power of two, not {len(banks)}",
        )
    if len(banks) > _BANK_LIMIT:
        yield Diagnostic(
            "bank-limit",
            f"{contract}.resource_contract.states",
            f"A service must have at most {_BANK_LIMIT} banks, not {len(banks)}",
        )
    if any(bank != (1, 1) for bank in banks):
        yield Diagnostic(
            "bank-ports",
            f"{contract}.resource_contract.states",
            f"Each bank must serve 1 read and 1 write a cycle, not {sorted(set(banks))}",
        )
    if service.capacity_bytes > _CAPACITY_LIMIT:
        yield Diagnostic(
            "service-capacity-limit",
            "local_service.capacity_bytes",
            f"The capacity must be at most 2**32 bytes, not {service.capacity_bytes}",
        )
    if named.implementation.bank_function != "interleaved":
        yield Diagnostic(
            "bank-function",
            "implementation.bank_function",
            f"The bank function must be interleaved, not {named.implementation.bank_function}",
        )


def _shape_findings(
    port: int, found: tuple[Admission, ...], fences: tuple[FenceAdmission, ...], aligned: bool
) -> Iterator[Diagnostic]:
    where = f"port[{port}].alternative"
    if not found and not fences:
        yield Diagnostic(
            "port-unserved",
            where,
            "Some access of the port must be served by one of its targets, not none",
        )
    for low, high in _element_spans(found):
        if low != high or low % 8:
            yield Diagnostic(
                "element-width-not-bytes",
                where,
                f"Every element width must be a multiple of 8 bits, not {low}..{high}",
            )
        elif aligned and not _is_power_of_two(low // 8):
            yield Diagnostic(
                "aligned-element-size",
                "implementation.aligned_bases",
                f"Aligned elements must be a power of two of bytes, not {low} bits",
            )
    if aligned and any(low > 8 for low, _ in _element_spans(f for f in found if f.address_formats)):
        yield Diagnostic(
            "aligned-pointers",
            "implementation.aligned_bases",
            "Aligned elements of more than a byte must have indices (root_relative), not pointers",
        )
    if (count := len(pointer_lanes(found))) > _POINTER_LIMIT:
        yield Diagnostic(
            "pointer-format-limit",
            where,
            f"A port must have at most {_POINTER_LIMIT} pairs of representation and address bits, "
            f"not {count}",
        )


def _beat_widths(service: LocalMemoryService) -> list[int]:
    """Beats of all capabilities; a fence has none."""
    capabilities = service.memory_service_contract.capabilities
    widths = {capability.service_beat_width_bits for capability in capabilities}
    return sorted(width for width in widths if width)


def _element_spans(found: Iterable[Admission]) -> list[tuple[int, int]]:
    return sorted(
        {
            (interval.lower, interval.upper)
            for admission in found
            for interval in admission.element_widths.intervals
        }
    )


def _modes(found: tuple[Admission, ...]) -> tuple[AccessMode, ...]:
    """Widest lane count of each (indexed, element) pair; spans are single widths by now."""
    lanes: dict[tuple[bool, int], int] = {}
    for admission in found:
        for interval in admission.element_widths.intervals:
            key = (admission.form is MemoryAccessForm.INDEXED, interval.lower // 8)
            lanes[key] = max(lanes.get(key, 0), admission.lane_counts.intervals[-1].upper)
    return tuple(AccessMode(*key, count) for key, count in sorted(lanes.items()))


def _walks(occurrence: MemoryOccurrence, port: int) -> bool:
    semantics = occurrence.operation_ports[port].operation_pattern_semantics
    return MemoryPortTransactionProjection.ACTIVE_LANES_ROW_MAJOR in semantics


def _target_beats(named: NamedMemory, port: int) -> Iterator[int]:
    """Narrowest beat of each target of the port, in bits."""
    occurrence, service = named.occurrence, named.occurrence.local_service
    local = () if service is None else _beat_widths(service)
    for target in port_targets(occurrence, port):
        match target:
            case LocalMemoryServiceTarget():
                # One that has fences alone is refused for its banks.
                yield from local[:1]
            case ManagerEndpointTarget(ordinal):  # exhaustive
                yield occurrence.manager_endpoints[ordinal].beat_width_bits


def _most_beats(modes: tuple[AccessMode, ...], beat_bits: int, aligned: bool) -> int:
    """Beats that the widest access touches at its worst offset, each lane's own where indexed."""
    beat = max(1, beat_bits // 8)

    def beats(mode: AccessMode) -> int:
        parts, count = (mode.lanes, 1) if mode.indexed else (1, mode.lanes)
        step = gcd(mode.element_bytes, beat) if aligned else 1
        return parts * -(-(beat - step + count * mode.element_bytes) // beat)

    return max(map(beats, modes))


def _is_power_of_two(value: int) -> bool:
    return value > 0 and value & (value - 1) == 0
