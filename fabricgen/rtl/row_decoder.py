"""What the fields of one row say to its port, as plain expressions (spec: Operation Rows)."""

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import and_, or_

from amaranth.hdl import Cat, Value

from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.plan.admission import Admission, admissions
from fabricgen.plan.atomic_use import field_codes
from fabricgen.plan.capacity import port_capacities
from fabricgen.plan.geometry import AddressLane
from fabricgen.records.access import MemoryAccessClass
from fabricgen.records.actor import LoadStorePlain
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.port import MemoryCapabilityAlternative
from fabricgen.records.service import MemoryServiceCapability
from fabricgen.rtl.port_shape import PortShape, RolePath
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dataflow import (
    MemoryAccessForm,
    MemoryMaskForm,
    ServiceKind,
    ServiceValueRole,
)
from fabricgen.vocab.fabric import MemoryPortTransactionProjection

__all__ = ["RowDecoder"]

_WALK = MemoryPortTransactionProjection.ACTIVE_LANES_ROW_MAJOR


class RowDecoder:
    """Decode the fields of one row as one operation port understands them.

    It builds expressions and owns no signal: whoever gives it registered fields may register
    what it says, and whoever gives it fields that change from cycle to cycle gets their meaning
    in the same cycle. Where the row is not active on this port every endpoint is deselected.

    Parameters
    ----------
    named
        The memory.
    ordinal
        Operation port; one with an engine behind it.
    shape
        Shape of the port.
    fields
        Bits of each field of the row by its name in the carrier. A field that is not listed is
        zero.
    active
        The row is Active on this port.
    context
        One-hot: the context that the row is; a Spatial port has one.
    """

    def __init__(
        self,
        named: NamedMemory,
        ordinal: int,
        shape: PortShape,
        *,
        fields: Mapping[str, Value],
        active: Value,
        context: Value,
    ) -> None:
        if named.occurrence.engine is None:
            raise ValueError(f"Memory {named.name} must have an engine, not None")
        self.shape = shape
        self.fields = fields
        self.active = active
        self.admissions = admissions(named.occurrence, ordinal)
        self.capabilities = _capabilities(named)
        port = named.occurrence.engine.ports[ordinal]
        self.alternatives = port.capability_alternatives
        self.projections = port_capacities(port).projections
        self.context = context
        self.chosen = [
            active & self._is("capability_alternative", alternative)
            for alternative in range(len(self.alternatives))
        ]
        self.masked = self._masked(self.chosen)

    def controls(self) -> dict[str, Value]:
        """Value of every member of the port's controls, and of those that it does not need."""
        chosen, masked = self.chosen, self.masked
        values = {
            "base": self._field("base_addr"),
            "lanes": Cat(
                _at_least(self._field("lane_count"), lane + 1)
                for lane in range(self.shape.requester.lanes)
            ),
            "masked": masked,
            "store": self._is_kind(chosen, ServiceKind.MEMORY_WRITE),
            "rmw": self._is_kind(chosen, ServiceKind.MEMORY_ATOMIC_RMW),
            "exchange": self._is_kind(chosen, ServiceKind.MEMORY_COMPARE_EXCHANGE),
            "fence": self._is_kind(chosen, ServiceKind.MEMORY_FENCE),
            "mode": self._mode(chosen),
            "regions": self._regions(chosen),
            "walk": _any(self._walks()),
            "scale": self._scale(),
            "reach": self._reach(chosen),
            "pointer": _any(here for _, here in self._pointers(chosen)),
        }
        target = [
            self.active & self._is("service_target", ordinal) for ordinal in self.shape.targets
        ]
        managed = [
            here
            for here, ordinal in zip(target, self.shape.targets, strict=True)
            if ordinal in self.shape.managed
        ]
        for name, width in self.shape.requester.every.field_widths().items():
            values[name] = self._said(chosen, name, width)
        volatile = self._said(chosen, "volatile", 1)
        values |= {"target": Cat(target), "volatile": volatile & _any(managed)}
        for path in self.shape.inputs:
            selected = self._bound(chosen, path, are_results=False)
            source = f"source_{path.name}"
            gate = masked if path.role is ServiceValueRole.MASK else Value.cast(1)
            if path.connections:
                needed = self.active & gate
                gate &= self._is(source, 0)
                values[f"link_{path.name}"] = Cat(
                    needed & self._is(source, 1 + place) for place in range(len(path.connections))
                )
            values[source] = Cat(bit & gate for bit in selected)
        for path in self.shape.results:
            selected = self._bound(chosen, path, are_results=True)
            expose = self._field(f"expose_{path.name}")
            values[f"sink_{path.name}"] = Cat(bit & expose for bit in selected)
            if path.connections:
                values[f"forward_{path.name}"] = Cat(
                    self.active & self._field(f"forward_{path.name}_{connection}")
                    for connection in path.connections
                )
        return values

    def _walks(self) -> Iterable[Value]:
        """Conditions that the row's pattern walks; the field counts those of its own context."""
        for pattern, projections in enumerate(self.projections):
            walking = [
                context for context, projection in enumerate(projections) if projection is _WALK
            ]
            if len(walking) == len(projections):
                yield self._is("use_pattern", pattern)
            elif walking:
                here = _any(self.context[context] for context in walking)
                yield self._is("use_pattern", pattern) & here

    def _field(self, name: str) -> Value:
        """Bits of one field; a field without bits is zero."""
        return self.fields.get(name, Value.cast(0))

    def _is(self, name: str, value: int) -> Value:
        field = self._field(name)
        return field == value if len(field) else Value.cast(int(value == 0))

    def _classes(
        self, chosen: list[Value]
    ) -> Iterable[tuple[MemoryCapabilityAlternative, int, Value]]:
        """Every access class with the condition that the row selects it."""
        for alternative, here in zip(self.alternatives, chosen, strict=True):
            domain = alternative.parameterized_access_domain
            for ordinal in range(len(domain.access_classes) if domain else 0):
                yield alternative, ordinal, here & self._is("access_class", ordinal)

    def _masked(self, chosen: list[Value]) -> Value:
        terms: list[Value] = []
        for alternative, ordinal, here in self._classes(chosen):
            domain = alternative.parameterized_access_domain
            pairs = domain.access_classes[ordinal].mask_inactive_pairs if domain else ()
            for position, (form, _) in enumerate(pairs):
                if form is MemoryMaskForm.DYNAMIC:
                    terms.append(here & self._is("mask_pair", position))
        return _any(terms)

    def _is_kind(self, chosen: list[Value], kind: ServiceKind) -> Value:
        return _any(
            here
            for alternative, here in zip(self.alternatives, chosen, strict=True)
            if MEMORY_SCHEMAS[alternative.actor_contract_domain.actor_schema].service_kind is kind
        )

    def _said(self, chosen: list[Value], name: str, width: int) -> Value:
        """One field of the row's requests, out of its contract; 0 where that says nothing."""
        return _any(
            (
                here & self._is("actor_clause", ordinal) & self._is(f"actor_value{position}", index)
            ).replicate(width)
            & code
            for alternative, here in zip(self.alternatives, chosen, strict=True)
            for ordinal, clause in enumerate(alternative.actor_contract_domain.contract_clauses)
            if (found := field_codes(clause, name)) is not None
            for position, codes in [found]
            for index, code in enumerate(codes)
            if code
        )

    def _mode(self, chosen: list[Value]) -> Value:
        indexed = _any(
            here
            for alternative, ordinal, here in self._classes(chosen)
            if (domain := alternative.parameterized_access_domain)
            and domain.access_classes[ordinal].access_form is MemoryAccessForm.INDEXED
        )
        return _ordinal(
            (indexed if mode.indexed else ~indexed)
            & self._is("element_width", 8 * mode.element_bytes)
            for mode in self.shape.requester.modes
        )

    def _scale(self) -> Value:
        return _ordinal(self._is("element_width", 8 * size) for size in self.shape.element_bytes)

    def _pointers(self, chosen: list[Value]) -> list[tuple[AddressLane, Value]]:
        """How pointers of each format lie in a token, with the condition that the row has it."""
        return [
            (lane, here & self._is("address_pointer_format", position))
            for alternative, ordinal, here in self._classes(chosen)
            for position, each in enumerate(
                alternative.access_classes[ordinal].address_pointer_formats
            )
            if (lane := AddressLane(each.address_bits, each.representation_bits))
            in self.shape.pointers
        ]

    def _reach(self, chosen: list[Value]) -> Value:
        """One bit per address lane but the first: the row's is that one, or one behind it."""
        lanes, pointers = self.shape.address_lanes, self._pointers(chosen)
        indices = {AddressLane(width, width) for width in self.shape.index_widths}
        bits: list[Value] = []
        for place in range(1, len(lanes)):
            # A row of pointers has no index width, and a row of indices no format.
            terms = [here for lane, here in pointers if lane >= lanes[place]]
            if widths := [lane.bits for lane in lanes[place:] if lane in indices]:
                terms.append(_at_least(self._field("index_width"), widths[0]))
            bits.append(reduce(or_, terms))
        return Cat(bits)

    def _regions(self, chosen: list[Value]) -> Value:
        """Region set of the one capability that admits the row's point."""
        sets = self.shape.requester.region_sets
        if len(sets) <= 1:
            return Value.cast(0)
        serving: dict[tuple[int, ...], list[Value]] = {regions: [] for regions in sets}
        for admission in self.admissions:
            if admission.capability is not None:
                regions = self.capabilities[admission.capability].service_region_ordinals
                serving[regions].append(chosen[admission.alternative] & self._admits(admission))
        return _ordinal(_any(serving[regions]) for regions in sets)

    def _admits(self, admission: Admission) -> Value:
        """Tell whether the row's point lies in one product of the local service, its alternative
        aside.
        """
        alternative = self.alternatives[admission.alternative]
        clause = alternative.actor_contract_domain.contract_clauses[admission.clause]
        access_class = alternative.access_classes[admission.access_class]
        formats = access_class.address_pointer_formats
        return reduce(
            and_,
            (
                self._is("actor_clause", admission.clause),
                *(
                    _any(self._is(f"actor_value{position}", named.index(value)) for value in values)
                    for position, (named, values) in enumerate(
                        zip(clause.inventories, admission.contract.inventories, strict=True)
                    )
                ),
                self._is("access_class", admission.access_class),
                _contains(admission.element_widths, self._field("element_width")),
                _contains(admission.lane_counts, self._field("lane_count")),
                _any(
                    self._is("address_pointer_format", formats.index(each))
                    for each in admission.address_formats
                )
                if formats
                else _contains(admission.index_widths, self._field("index_width")),
                _any(
                    self._is("mask_pair", position)
                    for position, (form, _) in enumerate(access_class.mask_inactive_pairs)
                    if form in admission.mask_forms
                ),
                *self._data_formats(access_class, admission),
                *self._alignments(access_class, admission),
            ),
        )

    def _alignments(self, access_class: MemoryAccessClass, admission: Admission) -> Iterable[Value]:
        """Tell whether the row's promise of alignment is admitted, where there is a choice: a plain
        access has none.
        """
        every = access_class.source_alignment.accepted_log2_byte_alignments
        if admission.alignments != every and not isinstance(admission.contract, LoadStorePlain):
            yield _contains(admission.alignments, self._field("alignment"))

    def _data_formats(
        self, access_class: MemoryAccessClass, admission: Admission
    ) -> Iterable[Value]:
        """Tell whether the row's data is admitted, where there is a choice."""
        formats = access_class.data_pointer_formats
        if len(formats) > 1:
            yield _any(
                self._is("data_pointer_format", formats.index(each))
                for each in admission.data_formats
            )

    def _bound(self, chosen: list[Value], path: RolePath, *, are_results: bool) -> list[Value]:
        """One bit per endpoint of a role: the selected alternative binds it there."""
        terms: dict[int, list[Value]] = {endpoint: [] for endpoint in path.endpoints}
        for alternative, here in zip(self.alternatives, chosen, strict=True):
            schema = MEMORY_SCHEMAS[alternative.actor_contract_domain.actor_schema]
            roles = schema.result_roles if are_results else schema.input_roles
            endpoint = alternative.endpoint_of(path.role)
            if path.role in roles and endpoint is not None:
                terms[endpoint].append(here)
        return [_any(terms[endpoint]) for endpoint in path.endpoints]


def _capabilities(named: NamedMemory) -> tuple[MemoryServiceCapability, ...]:
    service = named.occurrence.local_service
    return () if service is None else service.memory_service_contract.capabilities


def _any(terms: Iterable[Value]) -> Value:
    return reduce(or_, terms, Value.cast(0))


def _ordinal(conditions: Iterable[Value]) -> Value:
    """Position of the one condition that holds; 0 when none does."""
    conditions = list(conditions)
    width = max(1, (len(conditions) - 1).bit_length())
    return _any(
        condition.replicate(width) & ordinal for ordinal, condition in enumerate(conditions)
    )


def _at_least(value: Value, bound: int) -> Value:
    """Comparison with a constant that may lie above every value of the field."""
    return value >= bound if bound < 1 << len(value) else Value.cast(0)


def _contains(domain: UnsignedDomain, value: Value) -> Value:
    return _any(
        _at_least(value, interval.lower) & ~_at_least(value, interval.upper + 1)
        for interval in domain.intervals
    )
