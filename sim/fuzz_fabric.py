"""Random legal fabrics of one memory: schedule, targets, connections, every capacity and width."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product

from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.check.fabric import findings
from fabricgen.errors import Invalid
from fabricgen.plan.contract import port_contract, service_contract, use_pattern_key
from fabricgen.plan.realisation import unsupported
from fabricgen.records.access import (
    AddressDomain,
    DataFormat,
    MaskInactivePair,
    MemoryAccessClass,
    OrdinaryData,
    ParameterizedMemoryAccessDomain,
)
from fabricgen.records.actor import LoadStorePlain, MemoryActorContractDomain
from fabricgen.records.connectivity import (
    InternalConnection,
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    MemoryConnectivityContract,
    MemoryDispatchTarget,
    OperationPortDispatch,
)
from fabricgen.records.endpoint import ServiceEndpoint, TransportEndpoint
from fabricgen.records.fabric import Fabric, MemoryImplementation, MemoryNames, NamedMemory
from fabricgen.records.occurrence import MemoryOccurrence, OperationEngine, Spatial, Temporal
from fabricgen.records.port import MemoryCapabilityAlternative, MemoryOperationPort
from fabricgen.records.resource import FixedPriority, GrantPolicy, RoundRobin
from fabricgen.records.service import (
    LocalMemoryService,
    MemoryServiceCapability,
    MemoryServiceContract,
    MemoryServiceRegion,
)
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dataflow import (
    MemoryAccessForm,
    MemoryMaskForm,
    OperationSchemaId,
    ServiceValueRole,
)
from fabricgen.vocab.fabric import (
    EndpointDirection,
    InactiveLaneSemantics,
    MemoryPortTransactionProjection,
    ReadSubwordSemantics,
    WriteSubwordSemantics,
)
from sim.fuzz_atomics import AtomicDrawing
from sim.fuzz_pointers import (
    PointerDrawing,
    address_domain,
    address_keys,
    data_format,
    data_keys,
)
from sim.fuzz_subordinates import BYTES, SubordinateDrawing
from sim.fuzz_uneven import ANY_ALIGNMENT, Pair, UnevenDrawing

__all__ = ["draw_fabric"]

_LOAD, _STORE = OperationSchemaId.DATAFLOW_LOAD, OperationSchemaId.DATAFLOW_STORE
_R, _FORM = ServiceValueRole, MemoryAccessForm
_UNMASKED = (MemoryMaskForm.ABSENT, InactiveLaneSemantics.NOT_APPLICABLE)
_RMW, _EXCHANGE = OperationSchemaId.DATAFLOW_ATOMIC_RMW, OperationSchemaId.DATAFLOW_CMPXCHG
_FENCE = OperationSchemaId.DATAFLOW_FENCE
_ZERO_FILLED = (MemoryMaskForm.DYNAMIC, InactiveLaneSemantics.SUPPRESS_AND_ZERO_FILL)
_MASKED = {
    _LOAD: _ZERO_FILLED,
    _STORE: (MemoryMaskForm.DYNAMIC, InactiveLaneSemantics.SUPPRESS),
    _RMW: _ZERO_FILLED,
    _EXCHANGE: _ZERO_FILLED,
}
_LOCAL = LocalMemoryServiceTarget()
_DIRECT, _LANES = MemoryPortTransactionProjection
_LANE_LIMIT = 8
_CONNECTION_LIMIT = 4
_BEAT_LIMIT = 16


def draw_fabric(rng: random.Random, name: str) -> Fabric:
    """Draw until legal; nearly every draw is."""
    while True:
        try:
            fabric = _Drawing(rng, name).fabric()
        except Invalid:
            continue
        if not findings(fabric) and not unsupported(fabric):
            return fabric


@dataclass(slots=True)
class _Endpoint:
    is_input: bool
    width: int


@dataclass(frozen=True, slots=True)
class _Choice:
    """One alternative before its endpoints have ordinals; roles point into the pool."""

    actors: MemoryActorContractDomain
    volatile: tuple[bool, ...]
    classes: tuple[MemoryAccessClass, ...]
    roles: dict[ServiceValueRole, int]
    patterns: tuple[int, ...]
    targets: tuple[MemoryDispatchTarget, ...]

    @property
    def schema(self) -> OperationSchemaId:
        """The actor."""
        return self.actors.actor_schema

    @property
    def lanes(self) -> int:
        """Most lanes of an access; 1 of a fence."""
        return max(
            (each.flattened_lane_count.intervals[-1].upper for each in self.classes), default=1
        )


@dataclass(frozen=True, slots=True)
class _Port:
    """One port before its endpoints have ordinals.

    What each alternative may use, and a projection for each document pattern in each context.
    """

    choices: tuple[_Choice, ...]
    admitted: tuple[frozenset[Pair], ...]
    projections: tuple[tuple[MemoryPortTransactionProjection, ...], ...]

    def transactions(self) -> list[list[int]]:
        """Internal transactions of each pattern in each context."""
        return [
            [
                1
                if projection is _DIRECT
                else max(
                    each.lanes
                    for each, pairs in zip(self.choices, self.admitted, strict=True)
                    if (pattern, context) in pairs
                )
                for context, projection in enumerate(projections)
            ]
            for pattern, projections in enumerate(self.projections)
        ]


class _Drawing:
    """One draw: the pool of endpoints grows while the ports bind their roles."""

    def __init__(self, rng: random.Random, name: str) -> None:
        self.rng = rng
        self.name = name
        self.contexts = rng.choice([None, None, None, 1, 2, 3, 4, 6])
        self.uneven = UnevenDrawing(name)
        tag_width = None if self.contexts is None else rng.choice([2, 3, 3, 4, 6])
        self.tag_width = None if tag_width is None else self.uneven.tag_width(tag_width)
        self.managers = rng.choice([(), (), (64,), (rng.choice([8, 16, 32, 128]),), (32, 64)])
        self.has_local = not self.managers or rng.random() < 0.6
        self.aligned = rng.random() < 0.3
        self.pointers = PointerDrawing(name, aligned=self.aligned)
        self.atomics = AtomicDrawing(name, managers=len(self.managers), has_local=self.has_local)
        self.sharing = rng.choice([0.0, 0.3, 0.8])
        self.pool: list[_Endpoint] = []
        self.successes: set[int] = set()
        self.beat = rng.choice([8, 16, 32, 32, 64, 64, 128, 256])
        self.exposed = SubordinateDrawing(name, has_local=self.has_local, beat=self.beat)
        # Wide engines cost most of the time and have few more ways to be wrong: the service's
        # logic grows with the square of the beats of one access.
        narrowest = min((self.beat, *self.managers))
        self.payload_bits = min(rng.choice([64, 128, 128, 256, 512]), _BEAT_LIMIT * narrowest)
        sizes = [8, 16, 32, 64, 128] if self.aligned else [8, 16, 24, 32, 40, 64, 96, 128]
        sizes = [size for size in sizes if size <= self.payload_bits]
        self.sizes = sorted(rng.sample(sizes, rng.randint(1, min(3, len(sizes)))))

    def fabric(self) -> Fabric:
        """Ports first; the service then serves what they ask."""
        rng = self.rng
        ports = [self._port() for _ in range(rng.choice([1, 1, 2, 2, 3, 4]))]
        order = sorted(range(len(self.pool)), key=lambda at: not self.pool[at].is_input)
        ordinal = {at: place for place, at in enumerate(order)}
        records = tuple(self._record(port, ordinal) for port in ports)
        contract = Spatial() if self.contexts is None else Temporal(self.contexts)
        occurrence = MemoryOccurrence(
            endpoints=tuple(
                TransportEndpoint(
                    EndpointDirection.IN if end.is_input else EndpointDirection.OUT,
                    end.width,
                    self.tag_width,
                )
                for end in (self.pool[at] for at in order)
            ),
            engine=OperationEngine(contract, records),
            local_service=self._service([port.choices for port in ports])
            if self.has_local
            else None,
            manager_endpoints=tuple(map(ServiceEndpoint, self.managers)),
            subordinate_endpoints=tuple(map(ServiceEndpoint, self.exposed.widths)),
            connectivity=MemoryConnectivityContract(
                operation_ports=tuple(
                    self._dispatch(port, record, ordinal)
                    for port, record in zip(ports, records, strict=True)
                ),
                subordinate_endpoints=self.exposed.dispatches,
                internal_connections=self._connections(ordinal),
            ),
        )
        names = MemoryNames(
            tuple(f"e{place}" for place in range(len(order))),
            tuple(f"port{place}" for place in range(len(records))),
            tuple(tuple(f"way{key}" for key in range(len(port.projections))) for port in ports),
            tuple(f"ext{place}" for place in range(len(self.managers))),
            tuple(f"from{place}" for place in range(len(self.exposed.widths))),
        )
        options = MemoryImplementation(
            aligned_bases=self.aligned,
            issue_lanes=rng.choice([1, 1, 2, 3, 8]),
            counters=rng.random() < 0.3,
            manager_protocol=self.atomics.protocol(),
            subordinate_protocol=self.exposed.protocol,
        )
        return Fabric(self.name, (NamedMemory("mem0", occurrence, names, options),))

    def _connections(self, ordinal: dict[int, int]) -> tuple[InternalConnection, ...]:
        """Pairs of a result and an operand that is no wider."""
        pairs = [
            InternalConnection(ordinal[source], ordinal[sink])
            for source, out in enumerate(self.pool)
            for sink, end in enumerate(self.pool)
            if end.is_input and not out.is_input and out.width >= end.width
        ]
        count = self.atomics.connections(self.rng.choice([0, 1, 2, _CONNECTION_LIMIT]))
        chosen = self.rng.sample(pairs, min(count, len(pairs)))
        own = [
            each
            for at in self.successes
            for each in pairs
            if each.source_endpoint_ordinal == ordinal[at]
        ]
        return tuple(sorted({*chosen, *self.atomics.some_of(own)}))

    def _dispatch(
        self, port: _Port, record: MemoryOperationPort, ordinal: dict[int, int]
    ) -> OperationPortDispatch:
        """Targets in the order that the normal form gave the alternatives."""
        by_roles = {
            (
                choice.schema,
                frozenset((role, ordinal[at]) for role, at in choice.roles.items()),
            ): choice.targets
            for choice in port.choices
        }
        return OperationPortDispatch(
            tuple(
                by_roles[
                    alternative.actor_contract_domain.actor_schema,
                    frozenset(alternative.role_to_endpoint),
                ]
                for alternative in record.capability_alternatives
            )
        )

    def _targets(self) -> tuple[MemoryDispatchTarget, ...]:
        rng = self.rng
        every: list[MemoryDispatchTarget] = [_LOCAL] if self.has_local else []
        every += [ManagerEndpointTarget(ordinal) for ordinal in range(len(self.managers))]
        chosen = rng.sample(range(len(every)), rng.randint(1, len(every)))
        return tuple(every[at] for at in sorted(chosen))

    def _port(self) -> _Port:
        """Alternatives and use patterns, each of which some alternative admits."""
        rng = self.rng
        count = rng.choice([1, 1, 1, 2])
        projections = tuple(rng.choice([_DIRECT, _DIRECT, _LANES]) for _ in range(count))
        chosen: list[_Choice] = []
        for _ in range(rng.choice([1, 1, 2, 3])):
            patterns = tuple(sorted(rng.sample(range(count), rng.randint(1, count))))
            chosen.append(self._alternative(patterns, projections))
        missing = set(range(count)) - {key for each in chosen for key in each.patterns}
        if missing:
            chosen.append(self._alternative(tuple(sorted(missing)), projections))
        pairs = self.uneven.admitted([each.patterns for each in chosen], self.contexts or 1)
        return _Port(
            tuple(chosen),
            tuple(map(frozenset, pairs)),
            tuple(
                tuple(
                    self._projection(
                        projection,
                        [
                            each
                            for each, some in zip(chosen, pairs, strict=True)
                            if (pattern, context) in some
                        ],
                    )
                    for context in range(self.contexts or 1)
                )
                for pattern, projection in enumerate(projections)
            ),
        )

    def _projection(
        self, usual: MemoryPortTransactionProjection, users: Sequence[_Choice]
    ) -> MemoryPortTransactionProjection:
        """One pattern in one context: lanes need no walk, but for atomic objects of each."""
        is_free = usual is _LANES and all(each.volatile for each in users)
        return _DIRECT if is_free and self.uneven.is_direct() else usual

    def _alternative(
        self, patterns: tuple[int, ...], projections: Sequence[MemoryPortTransactionProjection]
    ) -> _Choice:
        rng = self.rng
        kinds = {projections[pattern] for pattern in patterns}
        if self.atomics.is_next() and len(kinds) == 1:
            return self._atomic(patterns, walks=kinds == {_LANES})
        schema = rng.choice([_LOAD, _STORE])
        volatile = rng.choice([(False,), (False,), (True,), (False, True)])
        # Only an access with lanes can be walked.
        walks = any(projections[pattern] is _LANES for pattern in patterns)
        forms = [form for form in _FORM if not walks or form is not _FORM.ELEMENT]
        classes = [self._access_class(schema, forms) for _ in range(rng.choice([1, 1, 2, 3]))]
        roles = self._bound(schema, self._widths(classes))
        data = self.pool[roles[_R.DATA]].width
        exact = tuple(self._exact(each, schema, data) for each in classes)
        actors = _actors(schema, volatile)
        return _Choice(actors, volatile, exact, roles, patterns, self._targets())

    def _atomic(self, patterns: tuple[int, ...], *, walks: bool) -> _Choice:
        """Actors that synchronise; lanes are walked, elements are not."""
        # Each object lies in one beat of every target, or no row of it may be legal.
        widest = min((*self.managers, *((self.beat,) if self.has_local else ())))
        sizes = [size for size in self.sizes if not size & (size - 1) and size <= widest] or [8]
        targets = self.atomics.targets()
        actors = self.atomics.actors(sizes, walks=walks, is_local=_LOCAL in targets)
        schema = actors.actor_schema
        if schema is _FENCE:
            widths = {_R.CONTROL: 0, _R.COMPLETION: 0}
            return _Choice(actors, (), (), self._bound(schema, widths), patterns, targets)
        forms = [_FORM.CONTIGUOUS, _FORM.INDEXED] if walks else [_FORM.ELEMENT]
        classes = [
            self._access_class(schema, forms, sizes, is_atomic=True)
            for _ in range(self.rng.choice([1, 1, 2]))
        ]
        widths = self._widths(classes)
        data = widths.pop(_R.DATA)
        described = MEMORY_SCHEMAS[schema]
        widths |= dict.fromkeys((*described.read_roles, *described.write_roles), data)
        if _R.SUCCESS in described.result_roles:
            widths[_R.SUCCESS] = max(
                each.flattened_lane_count.intervals[-1].upper for each in classes
            )
            widths[_R.SUCCESS] += self.atomics.spare_success()
        roles = self._bound(schema, widths)
        self.successes |= {roles[_R.SUCCESS]} if _R.SUCCESS in roles else set()
        return _Choice(actors, (), tuple(classes), roles, patterns, targets)

    def _bound(
        self, schema: OperationSchemaId, widths: dict[ServiceValueRole, int]
    ) -> dict[ServiceValueRole, int]:
        """An endpoint for each role."""
        roles: dict[ServiceValueRole, int] = {}
        for role, width in widths.items():
            is_input = role in MEMORY_SCHEMAS[schema].input_roles
            # Tags tell the operands of a row apart, but its results need their own endpoints.
            shares = is_input and self.contexts is not None
            roles[role] = self._bind(is_input, width, set() if shares else set(roles.values()))
        return roles

    def _bind(self, is_input: bool, width: int, taken: set[int]) -> int:
        """Share an endpoint that carries the role, or add one with some bits to spare."""
        fitting = [
            at
            for at, end in enumerate(self.pool)
            if end.is_input == is_input
            and at not in taken
            and (end.width >= width if width else not end.width)
        ]
        if is_input and not width and self.contexts is not None:
            wide = [at for at, end in enumerate(self.pool) if end.is_input and end.width]
            if wide and self.uneven.shares():
                return self.uneven.choice(wide)
        if fitting and self.rng.random() < self.sharing:
            return self.rng.choice(fitting)
        self.pool.append(_Endpoint(is_input, width and width + self.rng.choice([0, 0, 0, 1, 8])))
        return len(self.pool) - 1

    def _access_class(
        self,
        schema: OperationSchemaId,
        forms: Sequence[MemoryAccessForm],
        sizes: Sequence[int] = (),
        *,
        is_atomic: bool = False,
    ) -> MemoryAccessClass:
        rng = self.rng
        form = rng.choice(forms)
        sizes = sizes or self.sizes
        elements = sorted(rng.sample(sizes, rng.randint(1, min(2, len(sizes)))))
        lanes, masks = (1, 1), (_UNMASKED,)
        if form is not _FORM.ELEMENT:
            most = max(1, min(_LANE_LIMIT, self.payload_bits // elements[-1]))
            low = rng.randint(1, most)
            lanes = (low, rng.randint(low, most))
            if is_atomic and self.atomics.is_narrow():
                lanes = (1, lanes[1])
            masks = rng.choice([(_UNMASKED,), (_MASKED[schema],), (_UNMASKED, _MASKED[schema])])
        widths = [rng.choice([1, 2, 4, 7, 8, 12, 16, 32, 33, 64]) for _ in range(rng.randint(1, 3))]
        addresses = self.pointers.addresses(UnsignedDomain.of(*widths))
        chosen, data = UnsignedDomain.of(*elements), (OrdinaryData(),)
        if not is_atomic:
            chosen, data = self.pointers.elements(elements)
        made = _class(schema, form, chosen, lanes, masks, addresses, data)
        return self.uneven.aligned(made, is_atomic=is_atomic)

    def _exact(
        self, access: MemoryAccessClass, schema: OperationSchemaId, width: int
    ) -> MemoryAccessClass:
        """Now and then promise nothing about narrow payloads, where there are none."""
        elements, lanes = access.element_width_bits.intervals, access.flattened_lane_count.intervals
        narrowest = elements[0].lower * lanes[0].lower
        if narrowest < width or self.rng.random() < 0.5:
            return access
        if schema is _LOAD:
            return replace(access, read_subword=(ReadSubwordSemantics.EXACT,))
        return replace(access, write_subword=(WriteSubwordSemantics.EXACT,))

    def _widths(self, classes: Iterable[MemoryAccessClass]) -> dict[ServiceValueRole, int]:
        roles = (_R.ADDRESS, _R.DATA, _R.CONTROL, _R.COMPLETION)
        widths: dict[ServiceValueRole, int] = dict.fromkeys(roles, 0)
        for each in classes:
            lanes = each.flattened_lane_count.intervals[-1].upper
            index = each.address_lane_widths.intervals[-1].upper
            addresses = lanes if each.access_form is _FORM.INDEXED else 1
            element = each.element_width_bits.intervals[-1].upper
            widths[_R.ADDRESS] = max(widths[_R.ADDRESS], index * addresses)
            widths[_R.DATA] = max(widths[_R.DATA], element * lanes)
            if MemoryMaskForm.DYNAMIC in each.mask_forms:
                widths[_R.MASK] = max(widths.get(_R.MASK, 0), lanes)
        items = list(widths.items())
        self.rng.shuffle(items)
        return dict(items)

    def _record(self, port: _Port, ordinal: dict[int, int]) -> MemoryOperationPort:
        rng, contexts = self.rng, self.contexts or 1
        inputs = {
            role
            for each in port.choices
            for role in each.roles
            if role in MEMORY_SCHEMAS[each.schema].input_roles
        }
        deepest = 1 if self.contexts is not None else 4
        return MemoryOperationPort.of(
            endpoint_inventory={ordinal[at] for each in port.choices for at in each.roles.values()},
            resource_contract=port_contract(
                in_flight=self._capacity([1, 1, 2, 3, 4, 5, 8]),
                result_holding=self._capacity([1, 2, 3, 4, 6, 7, 8]),
                operand_depths=[rng.randint(1, deepest) for _ in inputs],
                transactions=port.transactions(),
                contexts=contexts,
                grant=_grant(rng, contexts),
            ),
            operation_pattern_semantics=tuple(
                each for projections in port.projections for each in projections
            ),
            capability_alternatives=[
                MemoryCapabilityAlternative.of(
                    each.actors,
                    [(role, ordinal[at]) for role, at in each.roles.items()],
                    ParameterizedMemoryAccessDomain.of(*each.classes) if each.classes else None,
                    [
                        use_pattern_key(pattern, context, contexts)
                        for pattern, context in sorted(pairs)
                    ],
                )
                for each, pairs in zip(port.choices, port.admitted, strict=True)
            ],
        )

    def _capacity(self, choices: Sequence[int]) -> tuple[int | list[int], int]:
        """Of each context and of all, which may be less than the sum, and less than the rows."""
        rng = self.rng
        each, rows = rng.choice(choices), self.contexts or 1
        own = self.uneven.capacity(each, rows)
        return own, rng.choice([each, rng.choice(choices), rows, each * rows, each + rows])

    def _service(self, ports: Sequence[Sequence[_Choice]]) -> LocalMemoryService:
        rng, count = self.rng, len(ports)
        banks = rng.choice([1, 1, 2, 2, 4, 8])
        # Also far less than one beat of every bank, and less than the widest access.
        capacity = rng.choice([rng.randint(16, 128), rng.randint(100, 2000), 256, 1024])
        regions = _regions(rng, capacity)
        resources = service_contract(
            queues=[*(rng.choice([1, 1, 2, 3, 4]) for _ in range(count)), *self.exposed.queues()],
            banks=[(1, 1)] * banks,
            outstanding=rng.choice([1, 1, 2, 3, 4, 8, 16]),
            grant=self._service_grant(ports, count + len(self.exposed.widths)),
        )
        capabilities = [
            *self._capabilities(ports, len(regions)),
            *self._synchronising(ports, len(regions)),
            *self._exposed_capabilities(count, len(regions)),
        ]
        return LocalMemoryService(
            capacity, MemoryServiceContract.of(regions, resources, capabilities)
        )

    def _service_grant(
        self, ports: Sequence[Sequence[_Choice]], requesters: int
    ) -> GrantPolicy | None:
        """A port that synchronises is not kept waiting for ever."""
        grant = _grant(self.rng, requesters)
        ordered = {
            port
            for port, choices in enumerate(ports)
            if any(not each.volatile and _LOCAL in each.targets for each in choices)
        }
        if isinstance(grant, FixedPriority) and not ordered <= {grant.order[0]}:
            return RoundRobin(grant.order, grant.order[0])
        return grant

    def _synchronising(
        self, ports: Sequence[Sequence[_Choice]], regions: int
    ) -> Iterator[MemoryServiceCapability]:
        """One per actor that synchronises, and apart for lanes: everything that is asked."""
        rng, found = self.rng, dict[tuple[OperationSchemaId, bool], list[tuple[int, _Choice]]]()
        for port, choices in enumerate(ports):
            for choice in choices:
                if not choice.volatile and _LOCAL in choice.targets:
                    is_element = any(each.access_form is _FORM.ELEMENT for each in choice.classes)
                    found.setdefault((choice.schema, is_element), []).append((port, choice))
        for (schema, _), asked in sorted(found.items(), key=lambda each: each[0][0].value):
            is_fence = schema is _FENCE
            clauses = [c for _, each in asked for c in each.actors.contract_clauses]
            for classes in self.uneven.parts([c for _, each in asked for c in each.classes]):
                yield MemoryServiceCapability.of(
                    MemoryActorContractDomain.of(schema, *clauses),
                    None if is_fence else ParameterizedMemoryAccessDomain.of(*classes),
                    service_region_ordinals=()
                    if is_fence
                    else rng.sample(range(regions), rng.randint(1, regions)),
                    service_beat_width_bits=0 if is_fence else self.beat,
                    admissible_use_patterns=[port for port, _ in asked],
                    consistency_binding=self.atomics.provider(),
                )

    def _capabilities(
        self, ports: Sequence[Sequence[_Choice]], regions: int
    ) -> Iterator[MemoryServiceCapability]:
        """One per actor, form, element and kind of pointers, each with regions of its own."""
        rng = self.rng
        asked = sorted(
            {
                (choice.schema.value, volatile, access.access_form.value, element, *keys, port)
                for port, choices in enumerate(ports)
                for choice in choices
                if _LOCAL in choice.targets
                for volatile in choice.volatile
                for access in choice.classes
                for interval in access.element_width_bits.intervals
                for element in (interval.lower,)
                for keys in product(address_keys(access), data_keys(access))
            }
        )
        for key, group in groupby(asked, key=lambda each: each[:-1]):
            schema, form = OperationSchemaId(key[0]), MemoryAccessForm(key[2])
            lanes, masks = (1, 1), (_UNMASKED,)
            if form is not _FORM.ELEMENT:
                lanes = rng.choice([(1, 8), (1, 8), (1, 4), (2, 8)])
                masks = (_UNMASKED, _MASKED[schema])
            served = _class(
                schema,
                form,
                UnsignedDomain.of(key[3]),
                lanes,
                masks,
                address_domain(key[4]),
                (data_format(key[5]),),
            )
            yield MemoryServiceCapability.of(
                _actors(schema, (key[1],)),
                ParameterizedMemoryAccessDomain.of(
                    self.uneven.guaranteed(self.uneven.aligned(served, is_atomic=False))
                ),
                service_region_ordinals=rng.sample(range(regions), rng.randint(1, regions)),
                service_beat_width_bits=self.beat,
                admissible_use_patterns=[each[-1] for each in group],
            )

    def _exposed_capabilities(self, first: int, regions: int) -> Iterator[MemoryServiceCapability]:
        """Bytes for the subordinates, which are the requesters from ``first`` on."""
        for schema, requesters, reached in self.exposed.capabilities(first, regions):
            access = _class(schema, _FORM.ELEMENT, BYTES, (1, 1), (_UNMASKED,), address_domain(()))
            yield MemoryServiceCapability.of(
                _actors(schema, (False,)),
                ParameterizedMemoryAccessDomain.of(access),
                service_region_ordinals=reached,
                service_beat_width_bits=self.beat,
                admissible_use_patterns=requesters,
            )


def _class(
    schema: OperationSchemaId,
    form: MemoryAccessForm,
    elements: UnsignedDomain,
    lanes: tuple[int, int],
    masks: Iterable[MaskInactivePair],
    addresses: AddressDomain,
    data: Iterable[DataFormat] = (OrdinaryData(),),
) -> MemoryAccessClass:
    """One class; narrow payloads are zero-extended or byte-enabled."""
    read, write = ReadSubwordSemantics.NOT_APPLICABLE, WriteSubwordSemantics.NOT_APPLICABLE
    if MEMORY_SCHEMAS[schema].reads:
        read = ReadSubwordSemantics.ZERO_EXTEND
    if MEMORY_SCHEMAS[schema].writes:
        write = WriteSubwordSemantics.BYTE_ENABLE
    return MemoryAccessClass.of(
        form,
        addresses,
        element_width_bits=elements,
        flattened_lane_count=UnsignedDomain.of(lanes),
        mask_inactive_pairs=masks,
        source_alignment=ANY_ALIGNMENT,
        read_subword=(read,),
        write_subword=(write,),
        data_pointer_formats=data,
    )


def _actors(schema: OperationSchemaId, volatile: tuple[bool, ...]) -> MemoryActorContractDomain:
    return MemoryActorContractDomain.of(schema, LoadStorePlain(volatile))


def _grant(rng: random.Random, count: int) -> GrantPolicy | None:
    if count == 1:
        return None
    order = tuple(rng.sample(range(count), count))
    return rng.choice([FixedPriority(order), RoundRobin(order, rng.randrange(count))])


def _regions(rng: random.Random, capacity: int) -> list[MemoryServiceRegion]:
    """The whole capacity, or parts of it with gaps between them, at any byte."""
    if rng.random() < 0.4:
        return [MemoryServiceRegion(0, capacity)]
    cuts = sorted(rng.sample(range(capacity + 1), 2 * rng.randint(1, 4)))
    return [
        MemoryServiceRegion(low, high - low)
        for low, high in zip(cuts[::2], cuts[1::2], strict=True)
    ]
