"""Memories with subordinate endpoints, and decode rows for them."""

from dataclasses import replace

from hypothesis import strategies as st

from fabricgen.plan.provider_decode import decode_order
from fabricgen.plan.rows import (
    Active,
    AddressSpaceMatch,
    ContextMatch,
    PrefixMatch,
    ProviderDecodeRow,
    RangeMatch,
)
from fabricgen.records.connectivity import ManagerEndpointTarget, SubordinateDispatch
from fabricgen.records.endpoint import ServiceEndpoint
from fabricgen.vocab.dispatch import AddressTransform, MatchField
from tests.support.memories import (
    ELEMENT,
    ENDPOINTS,
    LOAD,
    LOCAL,
    STORE,
    access_class,
    alternative,
    capability,
    hybrid_classes,
    memory,
    port,
    replaced,
    service,
)

OFFSET, NONE = AddressTransform.CONSTANT_BASE_OFFSET, AddressTransform.NONE
RANGE, PREFIX = MatchField.RANGE, MatchField.PREFIX
SPACE, CONTEXT = MatchField.ADDRESS_SPACE, MatchField.CONTEXT
EXT0 = ManagerEndpointTarget(0)

_LOADS = access_class(ELEMENT, LOAD, elements=(8, 16, 32), lanes=(1,))
_ENDS = {"rd_addr": 32, "rd_ctrl": 0, "rd_data": 32, "rd_done": 0}
_ROLES = {"address": 0, "control": 1, "data": 2, "completion": 3}


def dispatch(bound=2, fields=(RANGE,), transform=OFFSET, targets=(LOCAL, EXT0)):
    return SubordinateDispatch(bound, tuple(fields), transform, tuple(targets))


def exposed_memory(*dispatches, engine=True, managers=1, capacity=4096, regions=None):
    """A load port (or storage alone) over a service that subordinates of 64-bit beats reach."""
    ports = (port(alternative(LOAD, _ROLES, (_LOADS,)), inputs=2),) if engine else ()
    requesters = len(ports) + len(dispatches)
    local = service(
        capability(
            LOAD, (_LOADS,), tuple(range(requesters)), regions=tuple(range(len(regions or [()])))
        ),
        requesters=requesters,
        capacity=capacity,
        regions=regions,
    )
    named = memory(
        _ENDS if engine else {},
        2 if engine else 0,
        ports,
        local,
        managers={f"ext{ordinal}": 64 for ordinal in range(managers)},
    )
    named = replaced(
        named,
        subordinate_endpoints=(ServiceEndpoint(64),) * len(dispatches),
        connectivity=replace(named.occurrence.connectivity, subordinate_endpoints=dispatches),
    )
    names = tuple(f"from{ordinal}" for ordinal in range(len(dispatches)))
    return replace(named, names=replace(named.names, subordinates=names))


def exposed_storage(
    *dispatches,
    beat=64,
    service_beat=64,
    banks=2,
    capacity=256,
    queue=6,
    regions=None,
    kinds=(LOAD, STORE),
    engine=False,
    implementation=None,
):
    """Bytes that subordinates read and write, beside the ports of the hybrid memory or alone.

    ``kinds`` may map a schema to the ordinals of its regions.
    """
    dispatches = dispatches or (dispatch(2, (RANGE,), targets=(LOCAL,)),)
    ports = _hybrid_ports() if engine else ()
    first, count = len(ports), len(ports) + len(dispatches)
    regions = regions or [(0, capacity)]
    everywhere = tuple(range(len(regions)))
    reached = kinds if isinstance(kinds, dict) else dict.fromkeys(kinds, everywhere)
    bytes_of = {
        schema: (access_class(ELEMENT, schema, elements=(8,), lanes=(1,)),) for schema in reached
    }
    capabilities = [
        capability(
            schema,
            hybrid_classes(schema) if engine else bytes_of[schema],
            # The loads of port 0 and the stores of port 1 are served like the beats.
            (*((int(schema is STORE),) if engine else ()), *range(first, count)),
            beat=service_beat,
            regions=reached[schema],
        )
        for schema in reached
    ]
    local = service(
        *capabilities,
        requesters=count,
        banks=banks,
        capacity=capacity,
        queue=queue,
        regions=regions,
    )
    named = memory(ENDPOINTS if engine else {}, 7 if engine else 0, ports, local)
    named = replaced(
        named,
        subordinate_endpoints=(ServiceEndpoint(beat),) * len(dispatches),
        connectivity=replace(named.occurrence.connectivity, subordinate_endpoints=dispatches),
    )
    names = tuple(f"from{ordinal}" for ordinal in range(len(dispatches)))
    named = replace(named, names=replace(named.names, subordinates=names))
    return named if implementation is None else replace(named, implementation=implementation)


def _hybrid_ports():
    read = {"mask": "rd_mask", "control": "rd_ctrl", "data": "rd_data", "completion": "rd_done"}
    write = {"mask": "wr_mask", "control": "wr_ctrl", "data": "wr_data", "completion": "wr_done"}
    return (
        port(alternative(LOAD, {"address": "rd_addr", **read}, hybrid_classes(LOAD))),
        port(alternative(STORE, {"address": "wr_addr", **write}, hybrid_classes(STORE)), inputs=4),
    )


def decode_row(*match, target=LOCAL, offset=0):
    return ProviderDecodeRow(match, target, offset)


def exposing(named, *decode, rows=None):
    """An Active configuration with the rows of each subordinate, filled up with unused ones."""
    bounds = [each.max_exposed_bindings for each in subordinates_of(named)]
    engine = named.occurrence.engine
    unused = (None,) * (0 if engine is None else len(engine.ports))
    return Active(
        unused if rows is None else rows,
        tuple(
            (*given, *(None,) * (bound - len(given)))
            for given, bound in zip(decode, bounds, strict=True)
        ),
    )


def subordinates_of(named):
    return named.occurrence.connectivity.subordinate_endpoints


_U64 = st.integers(0, 2**64 - 1)


@st.composite
def dispatches(draw, managers):
    """A dispatch of at most four bindings onto a local service and some managers."""
    fields = draw(st.sets(st.sampled_from(MatchField)))
    targets = [LOCAL, *map(ManagerEndpointTarget, range(managers))]
    chosen = draw(st.sets(st.sampled_from(targets), min_size=1))
    return dispatch(
        draw(st.integers(1, 4)) if fields else 1,
        sorted(fields, key=lambda field: field.value),
        draw(st.sampled_from(AddressTransform)),
        [each for each in targets if each in chosen],
    )


@st.composite
def exposed_memories(draw):
    """A legal memory with one or two subordinates."""
    managers, engine = draw(st.integers(0, 2)), draw(st.booleans())
    drawn = [draw(dispatches(managers)) for _ in range(draw(st.integers(1, 2)))]
    if not engine and not any(LOCAL in each.targets for each in drawn):
        drawn[0] = replace(drawn[0], targets=(LOCAL, *drawn[0].targets))
    return exposed_memory(*drawn, engine=engine, managers=managers)


@st.composite
def decode_rows(draw, dispatched):
    """Legal decode rows of one endpoint: what meets a row drawn before is left out."""
    rows = []
    for _ in range(draw(st.integers(0, dispatched.max_exposed_bindings))):
        match = tuple(_MATCHES[field](draw) for field in dispatched.match_fields)
        target = draw(st.sampled_from(dispatched.targets))
        offset = draw(_U64) if dispatched.address_transform is OFFSET else 0
        row = ProviderDecodeRow(match, target, offset)
        if holds_somewhere(match) and not any(meets(match, other.match) for other in rows):
            rows.append(row)
    return tuple(sorted(rows, key=decode_order))


def _range(draw):
    base = draw(st.integers(0, 40) | st.integers(0, 2**64 - 2))
    return RangeMatch(base, draw(st.integers(1, min(20, 2**64 - 1 - base)) | st.just(1)))


def _prefix(draw):
    length = draw(st.integers(0, 64))
    value = draw(st.integers(0, 40) | _U64) >> 64 - length << 64 - length
    return PrefixMatch(value, length)


_MATCHES = {
    RANGE: _range,
    PREFIX: _prefix,
    SPACE: lambda draw: AddressSpaceMatch(draw(st.integers(0, 3) | st.just(2**32 - 1))),
    CONTEXT: lambda draw: ContextMatch(draw(st.integers(0, 3) | _U64)),
}


def holds(match, address, space, context):
    """Whether one request matches, by the definition of each field."""
    for value in match:
        match value:
            case RangeMatch(base, size):
                found = base <= address < base + size
            case PrefixMatch(top, length):
                found = f"{address:064b}"[:length] == f"{top:064b}"[:length]
            case AddressSpaceMatch(number):
                found = space == number
            case ContextMatch(number):
                found = context == number
        if not found:
            return False
    return True


def _edges(match):
    """Addresses at which a match begins or ends, with those beside them."""
    for value in match:
        match value:
            case RangeMatch(base, size):
                yield from (base, base + size - 1)
            case PrefixMatch(top, length):
                yield from (top, top | (1 << 64 - length) - 1)


def holds_somewhere(match):
    return meets(match, match)


def meets(left, right):
    """Whether some request matches both; intervals meet at an end of one of them, if at all."""
    spaces = {v.value for v in left if isinstance(v, AddressSpaceMatch)} or {0}
    contexts = {v.value for v in left if isinstance(v, ContextMatch)} or {0}
    return any(
        holds(left, address, space, context) and holds(right, address, space, context)
        for address in {0, *_edges(left), *_edges(right)}
        for space in spaces
        for context in contexts
    )


@st.composite
def exposures(draw, named):
    """A legal Active configuration without operation rows, or none at all."""
    decode = [draw(decode_rows(each)) for each in subordinates_of(named)]
    return exposing(named, *decode) if any(decode) else None
