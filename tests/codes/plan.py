"""Inputs of the codes of ``plan``: rows that a memory does not take, memories without hardware."""

from dataclasses import replace

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.pointer import PointerFormat
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.plan.beat_request import BeatEndpoint, BeatRequest, beat_findings
from fabricgen.plan.demand import assign_row_ordinals
from fabricgen.plan.provider_decode import decode_capacities
from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.rows import (
    Active,
    AddressSpaceMatch,
    ContextMatch,
    PrefixMatch,
    RangeMatch,
    ResultDestination,
    RoleSource,
)
from fabricgen.plan.support import supports_memory_access
from fabricgen.plan.transactions import derive_memory_port_transaction_plan
from fabricgen.records.access import (
    ParameterizedMemoryAccessDomain,
)
from fabricgen.records.connectivity import (
    InternalConnection,
    LocalMemoryServiceTarget,
)
from fabricgen.schema.service import canonical_service
from fabricgen.vocab.dataflow import MemoryAddressForm
from fabricgen.vocab.fabric import ReadSubwordSemantics
from tests.codes.hardware import HARDWARE_CODES
from tests.codes.inputs import NEAR, POINTERS
from tests.support.actors import CAS, exact
from tests.support.memories import (
    CONTIGUOUS,
    DIRECT,
    DYNAMIC,
    ELEMENT,
    INDEXED,
    LANES,
    LOAD,
    ROLE,
    STORE,
    access_class,
    actor,
    alternative,
    capability,
    hybrid_classes,
    memory,
    pattern_view,
    port,
    replaced,
    row,
    service,
    table,
    view,
)
from tests.support.records import copy_fabric, gather_fabric
from tests.support.subordinates import (
    CONTEXT,
    EXT0,
    NONE,
    PREFIX,
    RANGE,
    SPACE,
    decode_row,
    dispatch,
    exposed_memory,
    exposing,
)
from tests.support.temporal import temporal_memory, temporal_row, temporal_table

COPY = copy_fabric().memories[0]
GATHER = gather_fabric().memories[0]
LOCAL = LocalMemoryServiceTarget()

# What a port supports.

FAR = PointerFormat(1, 64, 48)
POINTER = replace(
    view(ELEMENT, element=64, index=64),
    address_form=MemoryAddressForm.POINTER_ADDRESSED,
    address_pointer_format=NEAR,
    data_pointer_format=NEAR,
)


def asked(access, *, of=COPY, who=None, pattern=0):
    """Whether port 0 takes an access."""
    who = who or actor(LOAD)
    return lambda: supports_memory_access(of.occurrence, 0, 0, who, access, pattern)


def with_class(named, **change):
    """The first access class of port 0 has one field changed."""
    engine = named.occurrence.engine
    first, *others = engine.ports
    (only,) = first.capability_alternatives
    changed, *rest = only.parameterized_access_domain.access_classes
    domain = ParameterizedMemoryAccessDomain.of(replace(changed, **change), *rest)
    changed = replace(only, parameterized_access_domain=domain)
    ports = (replace(first, capability_alternatives=(changed,)), *others)
    return replaced(named, engine=replace(engine, ports=ports))


(_, MASKED_ONLY) = (
    GATHER.occurrence.engine.ports[0]
    .capability_alternatives[0]
    .parameterized_access_domain.access_classes[0]
    .mask_inactive_pairs
)
WORDS_ONLY = AlignmentDomain(UnsignedDomain.of(2))

SUPPORT_CODES = {
    "actor-schema-not-accepted": asked(view(ELEMENT), who=actor(STORE)),
    "actor-contract-not-accepted": asked(view(ELEMENT), who=actor(LOAD, volatile=True)),
    "access-form-not-accepted": asked(view(INDEXED, lanes=4)),
    "element-width-not-accepted": asked(view(ELEMENT, element=64)),
    "lane-count-not-accepted": asked(view(CONTIGUOUS, lanes=2)),
    "index-width-not-accepted": asked(view(ELEMENT, index=16)),
    "address-pointer-not-accepted": asked(
        replace(POINTER, address_pointer_format=FAR), of=POINTERS
    ),
    "data-pointer-not-accepted": asked(replace(POINTER, data_pointer_format=FAR), of=POINTERS),
    "mask-form-not-accepted": asked(
        view(INDEXED, lanes=4), of=with_class(GATHER, mask_inactive_pairs=(MASKED_ONLY,))
    ),
    "alignment-not-accepted": asked(
        view(ELEMENT), of=with_class(COPY, source_alignment=WORDS_ONLY)
    ),
    "payload-exceeds-endpoint": asked(view(ELEMENT, index=64)),
    "subword-not-accepted": asked(
        view(ELEMENT), of=with_class(COPY, read_subword=(ReadSubwordSemantics.EXACT,))
    ),
    "use-pattern-not-admissible": asked(view(ELEMENT), pattern=1),
}

# Transaction plans.


def planned(projection, who, access, parent=None):
    service_of, pattern = parent or canonical_service(who, access), pattern_view(projection)
    return lambda: derive_memory_port_transaction_plan(pattern, who, service_of, access)


def data_of_a_store():
    stored = planned(DIRECT, actor(STORE), view(ELEMENT))()
    return stored.assembly.result_strategy(ROLE.DATA)


PLAN_CODES = {
    "assembly-role": data_of_a_store,
    "parent-service-mismatch": planned(
        DIRECT, actor(LOAD), view(ELEMENT), canonical_service(actor(STORE), view(ELEMENT))
    ),
    "projection-access-form": planned(LANES, actor(LOAD), view(ELEMENT)),
    "projection-granularity": planned(
        LANES, exact(CAS), replace(view(ELEMENT), source_alignment_bytes=4)
    ),
}

# Spatial tables.

READ = row(0, LOAD, view(CONTIGUOUS, lanes=4, mask=DYNAMIC))
EXPOSED, INSIDE = ResultDestination(True), ResultDestination(False, (0,))
CONNECTED = replaced(
    COPY,
    connectivity=replace(
        COPY.occurrence.connectivity, internal_connections=(InternalConnection(7, 4),)
    ),
)


def rows(*listed, of=COPY):
    return lambda: configuration_findings(of, table(*listed))


def read(**change):
    return rows(replace(READ, **change), None)


def result(destination, of=COPY):
    """The data of the read goes there."""
    destinations = ((ROLE.DATA, destination), (ROLE.COMPLETION, EXPOSED))
    return rows(replace(READ, destinations=destinations), None, of=of)


def copied(data, source, *, loaded=32):
    """A load and a store of one word, whose data may take connection 0."""
    load = replace(
        row(0, LOAD, view(ELEMENT, element=loaded)),
        destinations=((ROLE.DATA, data), (ROLE.COMPLETION, EXPOSED)),
    )
    store = row(1, STORE, view(ELEMENT))
    sources = tuple((r, source if r is ROLE.DATA else s) for r, s in store.sources)
    return rows(load, replace(store, sources=sources), of=CONNECTED)


def ports_on_one_egress():
    """Two load ports that answer on endpoint 5."""
    ends = {"a0": 32, "c0": 0, "a1": 32, "c1": 0, "x0": 0, "d": 32, "x1": 0}
    classes = hybrid_classes(LOAD)[:1]
    ports = [
        port(
            alternative(LOAD, {"address": a, "control": c, "data": 5, "completion": x}, classes),
            inputs=2,
        )
        for a, c, x in ((0, 1, 4), (2, 3, 6))
    ]
    named = memory(ends, 4, ports, service(capability(LOAD, classes, (0, 1)), requesters=2))
    return rows(*(row(ordinal, LOAD, view(ELEMENT)) for ordinal in (0, 1)), of=named)()


def unserved_row():
    """The service has no 32-bit words."""
    narrow = access_class(ELEMENT, LOAD, elements=(8, 16), lanes=(1,))
    roles = {"address": 0, "control": 1, "data": 2, "completion": 3}
    named = memory(
        {"a": 32, "c": 0, "d": 32, "x": 0},
        2,
        (port(alternative(LOAD, roles, hybrid_classes(LOAD)[:1]), inputs=2),),
        service(capability(LOAD, (narrow,), (0,)), requesters=1),
    )
    return rows(row(0, LOAD, view(ELEMENT)), of=named)()


def based_pointer():
    sources = tuple((role, RoleSource()) for role in (ROLE.ADDRESS, ROLE.CONTROL))
    based = replace(row(0, LOAD, view(ELEMENT)), access=POINTER, sources=sources, base_addr=64)
    return rows(replace(based, service_target=EXT0), of=POINTERS)()


ROW_CODES = {
    "row-count": lambda: configuration_findings(COPY, Active((READ,))),
    "configuration-without-row": rows(None, None),
    "row-port": read(port=1),
    "row-alternative-range": read(capability_alternative=1),
    "row-target": read(service_target=EXT0),
    "row-base-range": read(base_addr=-1),
    "row-base-unused": based_pointer,
    "row-base-outside": read(base_addr=4096),
    "row-service-capability": unserved_row,
    "row-sources": read(sources=READ.sources[::-1]),
    "row-source-connection": read(sources=((ROLE.ADDRESS, RoleSource(0)), *READ.sources[1:])),
    "row-destinations": read(destinations=READ.destinations[:1]),
    "row-destination-missing": result(ResultDestination(False)),
    "row-destination-order": result(ResultDestination(False, (0, 0)), CONNECTED),
    "row-destination-connection": result(ResultDestination(True, (0,))),
    "row-endpoint-conflict": ports_on_one_egress,
    "row-connection-open": copied(EXPOSED, RoleSource(0)),
    "row-connection-unconsumed": copied(INSIDE, RoleSource()),
    "row-connection-payload": copied(INSIDE, RoleSource(0), loaded=16),
}

# Temporal tables.

NAMED = temporal_memory(connections=[("rd_data", "wr_data")])


def load(ordinal, **tags):
    roles = ("address", "control", "data", "completion")
    tags = dict.fromkeys(roles, 8 + ordinal) | tags
    return temporal_row(ordinal, 0, LOAD, view(ELEMENT), tags=tags)


def temporal(*listed, of=NAMED):
    return lambda: configuration_findings(of, temporal_table(*listed))


def inside(ordinal):
    """A load whose data takes connection 0."""
    each = load(ordinal)
    return replace(each, destinations=((ROLE.DATA, INSIDE), *each.destinations[1:]))


def stored():
    """A store whose data comes from connection 0."""
    each = temporal_row(1, 1, STORE, view(ELEMENT))
    sources = tuple((r, RoleSource(0) if r is ROLE.DATA else s) for r, s in each.sources)
    return replace(each, sources=sources)


def untagged():
    each = load(0)
    return replace(each, sources=((ROLE.ADDRESS, RoleSource()), *each.sources[1:]))


TEMPORAL_CODES = {
    "row-capacity": lambda: assign_row_ordinals([None] * 5, 4),
    "row-ordinal-taken": lambda: assign_row_ordinals([2, 2], 4),
    "row-context": temporal(replace(load(0), use_pattern=1)),
    "row-tag-presence": temporal(untagged()),
    "row-tag-range": temporal(load(0, address=16)),
    "row-ingress-conflict": temporal(load(0), load(1, address=8)),
    "row-reserve": temporal(load(0), load(1), load(2), of=temporal_memory(in_flight=(2, 2))),
    "row-connection-producers": temporal(inside(0), stored(), inside(2)),
}

# Decode rows.

WHOLE, HALF = RangeMatch(0x100, 0x80), RangeMatch(0x180, 0x80)
EXPOSED_BY_RANGE = exposed_memory(dispatch())


def decoded(*listed, of=EXPOSED_BY_RANGE):
    """Decode rows of the one subordinate."""
    return lambda: configuration_findings(of, exposing(of, listed))


def matched(*fields, match):
    return decoded(decode_row(*match), of=exposed_memory(dispatch(2, fields)))


DECODE_CODES = {
    "decode-row-count": lambda: configuration_findings(EXPOSED_BY_RANGE, Active((None,), ())),
    "decode-row-order": decoded(decode_row(HALF), decode_row(WHOLE)),
    "decode-match-fields": decoded(decode_row(AddressSpaceMatch(0))),
    "decode-match-empty": matched(RANGE, PREFIX, match=(RangeMatch(0, 2), PrefixMatch(0x1000, 52))),
    "decode-range": decoded(decode_row(RangeMatch(0, 0))),
    "decode-prefix": matched(PREFIX, match=(PrefixMatch(1, 0),)),
    "decode-address-space": matched(SPACE, match=(AddressSpaceMatch(2**32),)),
    "decode-context": matched(CONTEXT, match=(ContextMatch(-1),)),
    "decode-overlap": decoded(decode_row(WHOLE), decode_row(RangeMatch(0x17F, 1))),
    "decode-target": decoded(
        decode_row(WHOLE, target=EXT0), of=exposed_memory(dispatch(targets=(LOCAL,)))
    ),
    "decode-offset-unused": decoded(
        decode_row(WHOLE, offset=1), of=exposed_memory(dispatch(transform=NONE))
    ),
    "decode-offset-range": decoded(decode_row(WHOLE, offset=2**64)),
    "subordinate-binding-limit": lambda: decode_capacities(
        exposed_memory(dispatch(257)).occurrence
    ),
}

PRODUCERS = {
    "beat-field-width": lambda: tuple(beat_findings(BeatRequest(0, 0, 0x1FF), BeatEndpoint(8))),
    "beat-protocol": lambda: tuple(beat_findings(BeatRequest(0, 4, 0xFF), BeatEndpoint(8, "axi4"))),
    **SUPPORT_CODES,
    **PLAN_CODES,
    **ROW_CODES,
    **TEMPORAL_CODES,
    **DECODE_CODES,
    **HARDWARE_CODES,
}
