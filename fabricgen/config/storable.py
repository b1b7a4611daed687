"""Which carrier bits any legal configuration sets; the others need no storage."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from fabricgen.atoms.unsigned import U64_MAX, UnsignedDomain
from fabricgen.config.closure import Closure, RowKind
from fabricgen.config.inventory import (
    clause_values,
    sink_connections,
    source_connections,
    targets,
)
from fabricgen.config.layout import CarrierField, CarrierLayout, carrier_layout
from fabricgen.plan.admission import (
    Admission,
    FenceAdmission,
    admissions,
    fence_admissions,
)
from fabricgen.plan.contract import patterns_in
from fabricgen.plan.demand import context_count, is_temporal, tag_width
from fabricgen.plan.geometry import service_beat_bytes
from fabricgen.plan.realisation import lies_in_one_beat
from fabricgen.records.clause import ContractClause, Fence, LoadStorePlain
from fabricgen.records.connectivity import (
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    MemoryDispatchTarget,
)
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.records.port import MemoryCapabilityAlternative
from fabricgen.vocab.dataflow import MemoryMaskForm

__all__ = ["storable_mask"]

#: Each field with the union of its values, of rows of one kind.
_Unions = Callable[[RowKind], Iterator[tuple[str, int]]]


def storable_mask(named: NamedMemory) -> int:
    """Union of the carriers of all legal configurations.

    For realised memories: every point that a class admits fits its endpoints, so each field of a
    row unites on its own, except for the joint legality of connections.
    """
    occurrence, layout = named.occurrence, carrier_layout(named)
    closure, mask = Closure(occurrence), _decode_mask(named, layout)
    kinds = [
        list(_row_kinds(named, closure, port)) for port in range(len(occurrence.operation_ports))
    ]
    if is_temporal(occurrence):
        # Rows that are alike in what their contexts admit store the same bits.
        every = [kind for each in kinds for kind in each]
        for first, *others in _alike(occurrence):
            found = _row_mask(every, layout.rows[first], first)
            for row in (first, *others):
                mask |= found << (row - first) * layout.row_stride
    else:
        for each, fields in zip(kinds, layout.rows, strict=True):
            mask |= _row_mask(each, fields, 0)
    return mask | layout.active.mask if mask else 0


def _alike(occurrence: MemoryOccurrence) -> list[list[int]]:
    """Rows of a Temporal table by what is admitted in their contexts."""
    found: dict[tuple[tuple[int, ...], ...], list[int]] = {}
    contexts = context_count(occurrence)
    for row in range(contexts):
        admitted = tuple(
            patterns_in(alternative.admissible_use_patterns, row, contexts)
            for port in occurrence.operation_ports
            for alternative in port.capability_alternatives
        )
        found.setdefault(admitted, []).append(row)
    return list(found.values())


def _row_kinds(
    named: NamedMemory, closure: Closure, port: int
) -> Iterator[tuple[RowKind, _Unions]]:
    """Rows of one port, and the fields that each sets in the one context that it is narrowed to."""
    occurrence = named.occurrence
    for product in _products(named, port):
        for form in product.admission.mask_forms:
            kind = closure.kind(port, product.admission, form)
            yield kind, partial(_unions, occurrence, closure, product, form)
    for fence in fence_admissions(occurrence, port):
        kind = closure.fence(port, fence.alternative)
        yield kind, partial(_fence_unions, occurrence, closure, fence)


def _row_mask(
    kinds: Iterable[tuple[RowKind, _Unions]], fields: Mapping[str, CarrierField], context: int
) -> int:
    """Bits that a row in one context sets."""
    mask = 0
    for kind, unions in kinds:
        if context in kind.contexts:
            mask |= _placed(fields, dict(unions(replace(kind, contexts=frozenset({context})))))
    return mask


def _decode_mask(named: NamedMemory, layout: CarrierLayout) -> int:
    """Every bit of every decode row, but for targets that its endpoint does not reach.

    Aligned base offsets are multiples of the beat.
    """
    occurrence = named.occurrence
    mask, known = 0, targets(occurrence)
    for endpoint, dispatch, rows in zip(
        occurrence.subordinate_endpoints,
        occurrence.connectivity.subordinate_endpoints,
        layout.decode,
        strict=True,
    ):
        step = max(1, endpoint.beat_width_bits // 8) if named.implementation.aligned_bases else 1
        special = {
            "service_target": _or(map(known.index, dispatch.targets)),
            "base_offset": U64_MAX // step * step,
        }
        for fields in rows:
            for name, field in fields.items():
                mask |= special.get(name, (1 << field.width) - 1) << field.offset
    return mask


def _placed(fields: Mapping[str, CarrierField], values: Mapping[str, int]) -> int:
    bits = 0
    for name, value in values.items():
        bits |= value << fields[name].offset if value else 0
    return bits


@dataclass(frozen=True, slots=True)
class _Product:
    """Points of one port that may be rows of one target, with the union of their bases."""

    port: int
    admission: Admission
    target: MemoryDispatchTarget
    bases: int


def _products(named: NamedMemory, port: int) -> Iterator[_Product]:
    occurrence = named.occurrence
    domains = occurrence.connectivity.operation_ports[port].capability_target_domains
    for admission in admissions(occurrence, port):
        if admission.capability is not None:
            service = occurrence.local_service
            last = 0 if service is None else service.capacity_bytes - 1
            beat = service_beat_bytes(named)
            for served in _atomic_in_one_beat(admission, beat):
                bases = _bases(named, served, last)
                yield _Product(port, served, LocalMemoryServiceTarget(), bases)
            continue
        for target in domains[admission.alternative]:
            if isinstance(target, ManagerEndpointTarget):
                for served in _served(occurrence, admission, target):
                    bases = _bases(named, served, U64_MAX)
                    yield _Product(port, served, target, bases)


def _served(
    occurrence: MemoryOccurrence, admission: Admission, target: ManagerEndpointTarget
) -> Iterator[Admission]:
    """Points that the hardware of a manager serves: elements of volatile and of atomic ones lie in
    one beat, and a volatile one has one lane.
    """
    beat = occurrence.manager_endpoints[target.ordinal].beat_width_bits // 8
    if (kept := _with_volatile(admission, volatile=False)) is not None:
        yield from _atomic_in_one_beat(kept, beat)
    kept = _with_volatile(admission, volatile=True)
    if kept is not None and 1 in admission.lane_counts:
        yield from _in_one_beat(replace(kept, lane_counts=UnsignedDomain.of(1)), beat)


def _atomic_in_one_beat(admission: Admission, beat_bytes: int) -> Iterator[Admission]:
    """Points of which atomic elements lie in one beat."""
    is_plain = isinstance(admission.contract, LoadStorePlain)
    yield from [admission] if is_plain else _in_one_beat(admission, beat_bytes)


def _in_one_beat(admission: Admission, beat_bytes: int) -> Iterator[Admission]:
    """Points whose elements lie in one beat, by their size; pointers promise their alignment."""
    is_plain = isinstance(admission.contract, LoadStorePlain)
    for interval in admission.element_widths.intervals:
        size = interval.lower // 8
        anywhere = bool(admission.address_formats) and is_plain
        if not lies_in_one_beat(size, beat_bytes, anywhere=anywhere):
            continue
        found = replace(admission, element_widths=UnsignedDomain((interval,)))
        if admission.address_formats and not is_plain:
            least = size.bit_length() - 1
            spans = [
                (max(least, each.lower), each.upper)
                for each in admission.alignments.intervals
                if each.upper >= least
            ]
            if not spans:
                continue
            found = replace(found, alignments=UnsignedDomain.of(*spans))
        yield found


def _with_volatile(admission: Admission, *, volatile: bool) -> Admission | None:
    """Points of one volatility, if there are any."""
    contract = admission.contract
    if isinstance(contract, Fence) or volatile not in contract.volatile_values:
        return None
    return replace(admission, contract=replace(contract, volatile_values=(volatile,)))


def _unions(
    occurrence: MemoryOccurrence,
    closure: Closure,
    product: _Product,
    form: MemoryMaskForm,
    kind: RowKind,
) -> Iterator[tuple[str, int]]:
    """Each field with the union of its values over the points of one product and mask form.

    Nothing where no legal table has such a row.
    """
    admission = product.admission
    if not closure.is_possible(kind):
        return
    port = occurrence.operation_ports[product.port]
    alternative = port.capability_alternatives[admission.alternative]
    yield from _selected(occurrence, kind, admission.alternative)
    yield from _contract_unions(alternative, admission.clause, admission.contract)
    yield "base_addr", product.bases
    yield "access_class", admission.access_class
    yield "element_width", _members(admission.element_widths)
    yield "lane_count", _members(admission.lane_counts)
    yield "mask_pair", _or(_pairs(alternative, admission, form))
    yield "alignment", _members(admission.alignments)
    access_class = alternative.access_classes[admission.access_class]
    if formats := access_class.address_pointer_formats:
        yield "address_pointer_format", _or(map(formats.index, admission.address_formats))
    else:
        yield "index_width", _members(admission.index_widths)
    data = access_class.data_pointer_formats
    yield "data_pointer_format", _or(map(data.index, admission.data_formats))
    yield "service_target", targets(occurrence).index(product.target)
    yield from _role_unions(occurrence, closure, kind)


def _fence_unions(
    occurrence: MemoryOccurrence, closure: Closure, fence: FenceAdmission, kind: RowKind
) -> Iterator[tuple[str, int]]:
    """The same for the fences of one clause; they have no access and no base.

    A fence with its one operand and its one result outside is legal alone.
    """
    alternative = occurrence.operation_ports[kind.port].capability_alternatives[fence.alternative]
    yield from _selected(occurrence, kind, fence.alternative)
    yield from _contract_unions(alternative, fence.clause, fence.contract)
    domains = occurrence.connectivity.operation_ports[kind.port].capability_target_domains
    is_local = fence.capability is not None
    chosen = [
        target
        for target in domains[fence.alternative]
        if isinstance(target, LocalMemoryServiceTarget) == is_local
    ]
    yield "service_target", _or(map(targets(occurrence).index, chosen))
    yield from _role_unions(occurrence, closure, kind)


def _selected(
    occurrence: MemoryOccurrence, kind: RowKind, number: int
) -> Iterator[tuple[str, int]]:
    """Fields that name a port's alternative and its patterns in one context."""
    alternative = occurrence.operation_ports[kind.port].capability_alternatives[number]
    (context,), contexts = kind.contexts, context_count(occurrence)
    yield "valid", 1
    if is_temporal(occurrence):
        yield "port", kind.port
    yield "capability_alternative", number
    yield "use_pattern", _or(patterns_in(alternative.admissible_use_patterns, context, contexts))


def _contract_unions(
    alternative: MemoryCapabilityAlternative, clause: int, contract: ContractClause
) -> Iterator[tuple[str, int]]:
    """Fields that name the contracts of a part of one clause."""
    yield "actor_clause", clause
    inventories = clause_values(alternative.actor_contract_domain.contract_clauses[clause])
    for position, (inventory, admitted) in enumerate(
        zip(inventories, clause_values(contract), strict=True)
    ):
        yield f"actor_value{position}", _or(map(inventory.index, admitted))


def _role_unions(
    occurrence: MemoryOccurrence, closure: Closure, kind: RowKind
) -> Iterator[tuple[str, int]]:
    """Fields of the active roles of one kind of rows."""
    port = occurrence.operation_ports[kind.port]
    for role, endpoint in kind.inputs:
        codes = enumerate(sink_connections(occurrence, port, role), 1)
        sinks = [
            code
            for code, c in codes
            if occurrence.connectivity.internal_connections[c].sink_endpoint_ordinal == endpoint
            and closure.consumes(kind, role, c)
        ]
        yield f"source_{role.name.lower()}", _or(sinks)
        if closure.is_external(kind, role):
            yield f"source_tag_{role.name.lower()}", _tags(occurrence)
    for role, endpoint in kind.results:
        yield f"expose_{role.name.lower()}", 1
        yield f"expose_tag_{role.name.lower()}", _tags(occurrence)
        for c in source_connections(occurrence, port, role):
            source = occurrence.connectivity.internal_connections[c].source_endpoint_ordinal
            if source == endpoint and closure.produces(kind, role, c):
                yield f"forward_{role.name.lower()}_{c}", 1


def _tags(occurrence: MemoryOccurrence) -> int:
    return (1 << (tag_width(occurrence) or 0)) - 1


def _pairs(
    alternative: MemoryCapabilityAlternative, admission: Admission, form: MemoryMaskForm
) -> Iterator[int]:
    """Ordinals of the mask pairs of one form."""
    chosen = alternative.access_classes[admission.access_class]
    for ordinal, (other, _) in enumerate(chosen.mask_inactive_pairs):
        if other is form:
            yield ordinal


def _bases(named: NamedMemory, admission: Admission, last: int) -> int:
    """Union of the base addresses up to the last, or of the aligned ones among them.

    A pointer has no base.
    """
    if admission.address_formats:
        return 0
    sizes = [interval.lower // 8 for interval in admission.element_widths.intervals]
    is_plain = isinstance(admission.contract, LoadStorePlain)
    is_far = admission.capability is None
    is_aligned = named.implementation.aligned_bases or not is_plain
    is_aligned |= is_far and True in admission.volatile_values
    step = min(sizes) if is_aligned else 1
    # Aligned sizes are powers of two, so the smallest allows every multiple of the others.
    return _members(UnsignedDomain.of((0, last // step))) * step


def _or(values: Iterable[int]) -> int:
    union = 0
    for value in values:
        union |= value
    return union


def _members(domain: UnsignedDomain) -> int:
    """Union of all members: below the highest bit in which two bounds differ, all are met."""
    return _or(
        i.lower | i.upper | (1 << (i.lower ^ i.upper).bit_length()) - 1 for i in domain.intervals
    )
