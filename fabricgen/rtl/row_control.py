"""From the carrier of one row to registered control signals (spec: Operation Rows)."""

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import and_, or_
from typing import Protocol

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.config.layout import CarrierField, carrier_layout
from fabricgen.plan.admission import Admission, admissions
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.port import MemoryCapabilityAlternative
from fabricgen.records.service import MemoryServiceCapability
from fabricgen.rtl.port_shape import PortShape, RolePath, port_shape
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dataflow import MemoryAccessForm, MemoryMaskForm, ServiceValueRole

__all__ = ["RowControl", "RowControls", "controls_signature"]


class RowControls(Protocol):
    """Interface object of the controls, for type checkers; members without bits are absent."""

    signature: wiring.Signature
    base: Signal
    lanes: Signal
    masked: Signal
    store: Signal
    mode: Signal
    regions: Signal
    scale: Signal
    reach: Signal


def controls_signature(shape: PortShape) -> wiring.Signature:
    """Static controls of one port, seen from their register.

    Members
    -------
    base : Out(address_bits)
        Byte address of element 0.
    lanes : Out(requester.lanes), absent with one lane
        Lanes below the configured lane count.
    masked : Out(1), absent without a mask role
        The row consumes a dynamic mask.
    store : Out(1), absent unless the port both reads and writes
    mode, regions : Out, absent with one choice
        Ordinals of the request channel.
    scale, reach : Out, absent with one choice
        As :class:`fabricgen.rtl.address_unit.AddressUnit` takes them.
    source_<role> : Out(endpoints of the role)
        One bit per endpoint, at most one set: the active role takes its tokens there.
    sink_<role> : Out(endpoints of the role)
        The same for an exposed result role.
    """
    req = shape.requester
    members: dict[str, wiring.Member] = {"base": Out(shape.address_bits)}
    if req.lanes > 1:
        members["lanes"] = Out(req.lanes)
    if shape.has_mask:
        members["masked"] = Out(1)
    if req.reads and req.writes:
        members["store"] = Out(1)
    for name, count in (
        ("mode", len(req.modes)),
        ("regions", len(req.region_sets)),
        ("scale", len(shape.element_bytes)),
    ):
        if count > 1:
            members[name] = Out(range(count))
    if len(shape.index_widths) > 1:
        members["reach"] = Out(len(shape.index_widths) - 1)
    for prefix, paths in (("source", shape.inputs), ("sink", shape.results)):
        members |= {f"{prefix}_{path.name}": Out(len(path.endpoints)) for path in paths}
    return wiring.Signature(members)


class RowControl(wiring.Component):
    """Decode one row of the carrier, once, into the controls of its port.

    The carrier is static while the row is active, so decoding costs no time on any data path.

    The controls follow the carrier by 1 cycle. Reset deselects every endpoint.

    Parameters
    ----------
    named
        The memory.
    ordinal
        Row, and operation port.

    Members
    -------
    configuration : In(carrier width)
        The occurrence's whole carrier.
    controls : Out(controls_signature(shape))
    """

    configuration: Signal
    controls: RowControls

    def __init__(self, named: NamedMemory, ordinal: int) -> None:
        if named.occurrence.engine is None:
            raise ValueError(f"Memory {named.name} must have an engine, not None")
        layout = carrier_layout(named)
        self.shape = port_shape(named, ordinal)
        self.admissions = admissions(named.occurrence, ordinal)
        self.capabilities = _capabilities(named)
        self.alternatives = named.occurrence.engine.ports[ordinal].capability_alternatives
        self.fields: Mapping[str, CarrierField] = layout.rows[ordinal]
        self.active = layout.active
        super().__init__(
            {
                "configuration": In(layout.width),
                "controls": Out(controls_signature(self.shape)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Decode the row's choices, then everything that follows from them."""
        m = Module()
        active = self.configuration[self.active.offset] & self._field("valid")
        chosen = [
            active & self._is("capability_alternative", ordinal)
            for ordinal in range(len(self.alternatives))
        ]
        masked = self._masked(chosen)
        values = {
            "base": self._field("base_addr"),
            "lanes": Cat(
                _at_least(self._field("lane_count"), lane + 1)
                for lane in range(self.shape.requester.lanes)
            ),
            "masked": masked,
            "store": self._store(chosen),
            "mode": self._mode(chosen),
            "regions": self._regions(chosen),
            "scale": self._scale(),
            "reach": Cat(
                _at_least(self._field("index_width"), width)
                for width in self.shape.index_widths[1:]
            ),
        }
        for path in self.shape.inputs:
            selected = self._bound(chosen, path, are_results=False)
            gate = masked if path.role is ServiceValueRole.MASK else Value.cast(1)
            values[f"source_{path.name}"] = Cat(bit & gate for bit in selected)
        for path in self.shape.results:
            selected = self._bound(chosen, path, are_results=True)
            expose = self._field(f"expose_{path.name}")
            values[f"sink_{path.name}"] = Cat(bit & expose for bit in selected)

        for name in controls_signature(self.shape).members:
            m.d.sync += getattr(self.controls, name).eq(values[name])
        return m

    def _field(self, name: str) -> Value:
        """Bits of one field; a field without bits is zero."""
        if (field := self.fields.get(name)) is None:
            return Value.cast(0)
        return self.configuration[field.offset : field.offset + field.width]

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

    def _store(self, chosen: list[Value]) -> Value:
        return _any(
            here
            for alternative, here in zip(self.alternatives, chosen, strict=True)
            if MEMORY_SCHEMAS[alternative.actor_contract_domain.actor_schema].writes
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

    def _regions(self, chosen: list[Value]) -> Value:
        """Region set of the one capability that admits the row's point."""
        sets = self.shape.requester.region_sets
        if len(sets) == 1:
            return Value.cast(0)
        serving: dict[tuple[int, ...], list[Value]] = {regions: [] for regions in sets}
        for admission in self.admissions:
            regions = self.capabilities[admission.capability].service_region_ordinals
            serving[regions].append(chosen[admission.alternative] & self._admits(admission))
        return _ordinal(_any(serving[regions]) for regions in sets)

    def _admits(self, admission: Admission) -> Value:
        """Tell whether the row's point lies in one product, its alternative aside."""
        alternative = self.alternatives[admission.alternative]
        clause = alternative.actor_contract_domain.contract_clauses[admission.clause]
        domain = alternative.parameterized_access_domain
        pairs = domain.access_classes[admission.access_class].mask_inactive_pairs if domain else ()
        return reduce(
            and_,
            (
                self._is("actor_clause", admission.clause),
                _any(
                    self._is("actor_value0", clause.volatile_values.index(value))
                    for value in admission.volatile_values
                ),
                self._is("access_class", admission.access_class),
                _contains(admission.element_widths, self._field("element_width")),
                _contains(admission.lane_counts, self._field("lane_count")),
                _contains(admission.index_widths, self._field("index_width")),
                _any(
                    self._is("mask_pair", position)
                    for position, (form, _) in enumerate(pairs)
                    if form in admission.mask_forms
                ),
            ),
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
