"""Hypothesis strategies of memories of both schedules and of legal tables of their rows.

Ports share endpoints, alternatives reach the local service, managers or both, and connections
join any results to any operands that they fit.
"""

from dataclasses import replace

from hypothesis import strategies as st

from fabricgen.plan.admission import admissions
from fabricgen.plan.capacity import port_capacities
from fabricgen.plan.demand import is_temporal, row_bindings, row_capacity, tag_width
from fabricgen.plan.rows import Active, Disabled, OperationRow, ResultDestination, RoleSource
from fabricgen.records.connectivity import (
    InternalConnection,
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    OperationPortDispatch,
)
from fabricgen.schema.actor import CanonicalMemoryAccessView
from fabricgen.vocab.dataflow import MemoryAddressForm
from tests.support.fabrics import access_classes, services, widest
from tests.support.memories import LOAD, LOCAL, ROLE, STORE, actor, alternative, memory, port

RESULTS = {LOAD: (ROLE.DATA, ROLE.COMPLETION), STORE: (ROLE.COMPLETION,)}


@st.composite
def memories(draw):
    """A legal memory of either schedule; not every one is realised."""
    contexts = draw(st.none() | st.integers(1, 5))
    plans = [
        (schema, tuple(draw(st.lists(access_classes(schema), min_size=1, max_size=2))))
        for schema in draw(st.lists(st.sampled_from([LOAD, STORE]), min_size=1, max_size=3))
    ]
    widths, roles = _endpoints(draw, plans)
    inputs = [name for name in widths if not name.startswith("out")]
    ends = {name: widths[name] for name in (*inputs, *(n for n in widths if n not in inputs))}
    at = list(ends).index
    ports = [
        _port(draw, schema, classes, {role: at(end) for role, end in bound.items()}, contexts)
        for (schema, classes), bound in zip(plans, roles, strict=True)
    ]
    managers = {f"ext{i}": draw(st.sampled_from([8, 32, 64, 128])) for i in range(draw(_FEW))}
    local = draw(services(plans)) if not managers or draw(st.booleans()) else None
    named = memory(
        ends, len(inputs), ports, local, contexts=contexts, tag_width=draw(st.integers(1, 5)),
        managers=managers,
    )  # fmt: skip
    return _connected(draw, named, len(inputs))


_FEW = st.integers(0, 2)


def _endpoints(draw, plans):
    """Names with payload widths, and the endpoint of each role of each port."""
    widths, roles = {}, []
    for index, (schema, classes) in enumerate(plans):
        bound = {}
        for role, width in widest(classes).items():
            kind = "out" if role in RESULTS[schema] else "in"
            owner = draw(st.sampled_from(["all", f"p{index}"]))
            bound[role] = f"{kind}_{role.name.lower()}_{owner}"
            widths[bound[role]] = max(width, widths.get(bound[role], 0))
        roles.append(bound)
    return widths, roles


def _port(draw, schema, classes, roles, contexts):
    patterns = draw(st.integers(1, 2))
    capacity = (draw(st.integers(1, 3)), draw(st.integers(3, 8)))
    return port(
        alternative(
            schema,
            {role.name: end for role, end in roles.items()},
            classes,
            patterns=tuple(range(patterns)),
        ),
        in_flight=capacity,
        result_holding=(draw(st.integers(1, 3)), draw(st.integers(3, 8))),
        depth=1 if contexts else draw(st.integers(1, 4)),
        inputs=len(roles) - len(RESULTS[schema]),
        pattern_count=patterns,
        contexts=contexts or 1,
    )


def _connected(draw, named, input_count):
    occurrence = named.occurrence
    ends = occurrence.endpoints
    pairs = [
        InternalConnection(source, sink)
        for source in range(input_count, len(ends))
        for sink in range(input_count)
        if ends[source].payload_width >= ends[sink].payload_width
    ]
    chosen = draw(st.sets(st.sampled_from(pairs), max_size=4)) if pairs else set()
    every = [LOCAL] if occurrence.local_service else []
    every += map(ManagerEndpointTarget, range(len(occurrence.manager_endpoints)))
    domains = [
        OperationPortDispatch.of(
            *(
                draw(st.sets(st.sampled_from(every), min_size=1))
                for _ in record.capability_alternatives
            )
        )
        for record in occurrence.engine.ports
    ]
    connectivity = replace(
        occurrence.connectivity,
        operation_ports=tuple(domains),
        internal_connections=tuple(sorted(chosen)),
    )
    return replace(named, occurrence=replace(occurrence, connectivity=connectivity))


@st.composite
def tables(draw, named):
    """A legal configuration of a realised memory."""
    occurrence, temporal = named.occurrence, is_temporal(named.occurrence)
    rows = [None] * row_capacity(occurrence)
    taken, served = set(), {}
    for ordinal in draw(st.permutations(range(len(rows)))):
        chosen = draw(st.integers(0, len(occurrence.engine.ports) - 1)) if temporal else ordinal
        capacities = port_capacities(occurrence.engine.ports[chosen])
        if draw(st.booleans()) or served.get(chosen, 0) == capacities.total_slots:
            continue
        row = _row(draw, occurrence, ordinal, chosen)
        if (placed := _placed(draw, occurrence, row, taken)) is not None:
            rows[ordinal] = placed
            served[chosen] = served.get(chosen, 0) + 1
    for connection in range(len(occurrence.connectivity.internal_connections)):
        if draw(st.booleans()):
            _join(draw, occurrence, rows, connection)
    return Active(tuple(rows)) if any(rows) else Disabled()


def _member(draw, domain):
    interval = draw(st.sampled_from(domain.intervals))
    return draw(st.integers(interval.lower, interval.upper))


def _row(draw, occurrence, ordinal, chosen):
    product = draw(st.sampled_from(admissions(occurrence, chosen)))
    record = occurrence.engine.ports[chosen]
    selected = record.capability_alternatives[product.alternative]
    domain = occurrence.connectivity.operation_ports[chosen]
    local = product.capability is not None
    targets = [
        target
        for target in domain.capability_target_domains[product.alternative]
        if isinstance(target, LocalMemoryServiceTarget) == local
    ]
    last = occurrence.local_service.capacity_bytes - 1 if local else 2**64 - 1
    patterns = record.resource_contract.use_patterns
    requester = ordinal if is_temporal(occurrence) else 0
    return OperationRow(
        port=chosen,
        capability_alternative=product.alternative,
        use_pattern=draw(
            st.sampled_from(
                [
                    key
                    for key in selected.admissible_use_patterns
                    if patterns[key].requester == requester
                ]
            )
        ),
        actor=actor(product.schema),
        access=CanonicalMemoryAccessView(
            product.form,
            MemoryAddressForm.ROOT_RELATIVE,
            _member(draw, product.element_widths),
            _member(draw, product.lane_counts),
            draw(st.sampled_from(product.mask_forms)),
            _member(draw, product.index_widths),
        ),
        base_addr=draw(st.integers(0, last)),
        sources=(),
        destinations=(),
        service_target=draw(st.sampled_from(targets)),
    )


def _placed(draw, occurrence, row, taken):
    """The row with free tags, or at free endpoints; ``None`` where it finds none."""
    inputs, results = row_bindings(occurrence, row)
    width, sources, keys = tag_width(occurrence), [], set()
    for role, end in inputs:
        free = [
            tag
            for tag in ([None] if width is None else range(1 << width))
            if (end, tag) not in taken | keys
        ]
        if not free:
            return None
        tag = draw(st.sampled_from(free))
        keys.add((end, tag))
        sources.append((role, RoleSource(tag=tag)))
    if width is None:
        outputs = {(end, None) for _, end in results}
        if outputs & taken:
            return None
        keys |= outputs
    taken |= keys
    tags = st.none() if width is None else st.integers(0, (1 << width) - 1)
    destinations = [(role, ResultDestination(True, (), draw(tags))) for role, _ in results]
    return replace(row, sources=tuple(sources), destinations=tuple(destinations))


def _bits(row, role):
    return {
        ROLE.ADDRESS: row.access.address_bits,
        ROLE.DATA: row.access.data_bits,
        ROLE.MASK: row.access.mask_bits,
    }.get(role, 0)


def _join(draw, occurrence, rows, connection):
    """Let a result of one row feed operands of others, where some fit."""
    ends = occurrence.connectivity.internal_connections[connection]
    active = [
        (ordinal, row, row_bindings(occurrence, row)) for ordinal, row in enumerate(rows) if row
    ]
    makers = [
        (ordinal, role)
        for ordinal, _, (_, results) in active
        for role, end in results
        if end == ends.source_endpoint_ordinal
    ]
    if not makers:
        return
    maker, result = draw(st.sampled_from(makers))
    takers = [
        (ordinal, role)
        for ordinal, row, (inputs, _) in active
        for role, end in inputs
        if end == ends.sink_endpoint_ordinal
        and dict(row.sources)[role].connection is None
        and _bits(row, role) <= _bits(rows[maker], result)
    ]
    if not takers:
        return
    for ordinal, role in draw(st.sets(st.sampled_from(takers), min_size=1)):
        fed = dict(rows[ordinal].sources) | {role: RoleSource(connection)}
        rows[ordinal] = replace(rows[ordinal], sources=tuple(fed.items()))
    old = dict(rows[maker].destinations)[result]
    exposed = old.expose and draw(st.booleans())
    new = ResultDestination(exposed, (*old.connections, connection), old.tag if exposed else None)
    made = dict(rows[maker].destinations) | {result: new}
    rows[maker] = replace(rows[maker], destinations=tuple(made.items()))
