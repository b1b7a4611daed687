"""Memories whose ports serve all five memory actors and pointers, and legal rows of them."""

from dataclasses import replace

from hypothesis import strategies as st

from fabricgen.plan.contract import port_contract, use_pattern_key
from fabricgen.plan.demand import context_count
from fabricgen.plan.roles import active_roles
from fabricgen.plan.rows import OperationRow, ResultDestination, RoleSource
from fabricgen.records.access import OrdinaryData, PointerAddressed, PointerFormat
from fabricgen.records.actor import LoadStorePlain, MemoryActorContractDomain
from fabricgen.records.connectivity import ManagerEndpointTarget
from fabricgen.records.port import MemoryOperationPort
from fabricgen.records.resource import RoundRobin
from fabricgen.schema.actor import CanonicalActorProjection, CanonicalMemoryAccessView
from fabricgen.schema.contract import contract_of
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dataflow import MemoryAddressForm, ServiceValueRole
from fabricgen.vocab.fabric import MemoryPortTransactionProjection
from tests.support.actors import (
    ACTORS,
    CAS,
    FENCE,
    KIND,
    LANE,
    LOAD,
    ORDER,
    RMW,
    SCALAR,
    STORE,
    SYSTEM,
    THREAD,
    WHOLE,
    actors,
    alternative,
    atomic_access,
)
from tests.support.capabilities import CONTIGUOUS, ELEMENT, INDEXED, access
from tests.support.memories import memory

DIRECT, LANES = MemoryPortTransactionProjection
ROLE = ServiceValueRole
WIDE, NEAR = PointerFormat(0, 64, 48), PointerFormat(1, 32, 32)
PAYLOAD = {ROLE.ADDRESS: 256, ROLE.MASK: 4, ROLE.CONTROL: 0, ROLE.SUCCESS: 4, ROLE.COMPLETION: 0}
FIELDS = {
    LOAD: {"orderings": [ORDER.ACQUIRE, ORDER.SEQ_CST], "volatile": [False, True]},
    STORE: {"orderings": [ORDER.RELEASE, ORDER.SEQ_CST], "scopes": [SYSTEM, THREAD]},
    RMW: {"kinds": [KIND.ADD, KIND.XCHG, KIND.FMINIMUM_NUM]},
    CAS: {"orderings": [(ORDER.SEQ_CST,) * 2, (ORDER.RELEASE, ORDER.MONOTONIC)], "weak": [0, 1]},
    FENCE: {"orderings": [ORDER.ACQ_REL, ORDER.SEQ_CST], "scopes": [SYSTEM, THREAD]},
}
FIELDS[CAS]["weak"] = [False, True]
PLAIN = MemoryActorContractDomain.of(LOAD, LoadStorePlain((False,)))


def port_of(alternatives, semantics, slots, contexts=None):
    """A Spatial port, or one of ``contexts``; alternatives name document patterns."""
    schema = MEMORY_SCHEMAS[alternatives[0].actor_contract_domain.actor_schema]
    bound = {end for each in alternatives for _, end in each.role_to_endpoint}
    roles = {role for each in alternatives for role, _ in each.role_to_endpoint}
    inputs = [role for role in schema.input_roles if role in roles]
    count = contexts or 1
    contract = port_contract(
        in_flight=(4, 4 * count),
        result_holding=(4, 4 * count),
        operand_depths=(2 if contexts is None else 1,) * len(inputs),
        transactions=slots,
        contexts=count,
        grant=RoundRobin(tuple(range(count)), 0) if count > 1 else None,
    )
    listed = [
        replace(
            each,
            admissible_use_patterns=tuple(
                use_pattern_key(pattern, context, count)
                for pattern in each.admissible_use_patterns
                for context in range(count)
            ),
        )
        for each in alternatives
    ]
    repeated = tuple(each for each in semantics for _ in range(count))
    return MemoryOperationPort.of(bound, contract, repeated, listed)


def machine(*ports, connections=(), contexts=None):
    """A memory whose ports are lists of (schema, domain, classes, pattern), behind one manager.

    Endpoint ``p<port>_<role>`` serves a role. Temporal where ``contexts`` is given.
    """
    names, at = {}, {}
    for results in (False, True):
        for number, described in enumerate(ports):
            schema = MEMORY_SCHEMAS[described[0][0]]
            for role in schema.result_roles if results else schema.input_roles:
                at[number, role] = len(names)
                names[f"p{number}_{role.name.lower()}"] = PAYLOAD.get(role, 256)
    records = []
    for number, described in enumerate(ports):
        listed = []
        for schema, domain, classes, pattern in described:
            made = alternative(schema, *classes, domain=domain, patterns=(pattern,))
            bound = tuple((role, at[number, role]) for role, _ in made.role_to_endpoint)
            listed.append(replace(made, role_to_endpoint=bound))
        two = len({each[3] for each in described}) > 1
        semantics, slots = ((DIRECT, LANES), (1, 4)) if two else ((DIRECT,), (1,))
        records.append(port_of(listed, semantics, slots, contexts))
    inputs = sum(name_is_input(number, role, ports) for number, role in at)
    return memory(
        names,
        inputs,
        records,
        None,
        managers={"ext0": 64},
        connections=connections,
        contexts=contexts,
        tag_width=6,
    )


def name_is_input(number, role, ports):
    return role in MEMORY_SCHEMAS[ports[number][0][0]].input_roles


def both_granularities(schema):
    """Scalar and whole-payload elements, and masked lanes."""
    return [
        (
            schema,
            actors(schema, granularity=[SCALAR, WHOLE], **FIELDS[schema]),
            [atomic_access(schema)],
            0,
        ),
        (
            schema,
            actors(schema, granularity=[LANE], **FIELDS[schema]),
            [
                atomic_access(schema, CONTIGUOUS, mask=True),
                atomic_access(schema, INDEXED, lanes=(2, 4)),
            ],
            1,
        ),
    ]


POINTERS = [
    (
        LOAD,
        PLAIN,
        [
            replace(
                access(form, element=(64,), lanes=lanes),
                address_form=MemoryAddressForm.POINTER_ADDRESSED,
                address_domain=PointerAddressed.of(WIDE, NEAR),
                data_pointer_formats=(OrdinaryData(), WIDE),
            )
            for form, lanes in ((ELEMENT, (1,)), (INDEXED, (4,)))
        ]
        + [access(ELEMENT)],
        0,
    )
]
_EVERYTHING = (
    *(both_granularities(each) for each in ACTORS if each is not FENCE),
    [(FENCE, actors(FENCE, **FIELDS[FENCE]), [], 0)],
    POINTERS,
)
#: Ports 0 to 5: load, store, read-modify-write, compare-exchange, fence, loads of pointers.
ALL = machine(*_EVERYTHING)
#: The same ports of three contexts.
TEMPORAL = machine(*_EVERYTHING, contexts=3)


def members(domain):
    return [v for i in domain.intervals for v in range(i.lower, min(i.upper, i.lower + 3) + 1)]


@st.composite
def rows(draw, ordinal, named=ALL, context=None):
    """Any legal row of one port of a memory behind ``ext0``, in this context of a Temporal one.

    Its tags are 16 times the context plus the role's value, so no two rows have one in common.
    """
    port = named.occurrence.engine.ports[ordinal]
    number = draw(st.integers(0, len(port.capability_alternatives) - 1))
    chosen = port.capability_alternatives[number]
    domain = chosen.actor_contract_domain
    clause = draw(st.sampled_from(domain.contract_clauses))
    values = [draw(st.sampled_from(each)) for each in clause.inventories]
    view = draw(accesses_of(chosen, isinstance(clause, LoadStorePlain)))
    if view is not None and view.form is not ELEMENT:
        # The hardware of a manager gives up volatile vectors.
        values[-1] = False
    contract = contract_of(clause.tag, values, 1 if view is None else view.source_alignment_bytes)
    actor = CanonicalActorProjection(domain.actor_schema, contract)
    inputs, results = active_roles(chosen, actor, view)
    has_base = view is not None and view.address_pointer_format is None
    base = draw(st.integers(0, 2**61 - 1)) * 8 if has_base else 0
    contexts = context_count(named.occurrence)
    patterns = chosen.admissible_use_patterns

    def tag(role):
        return None if context is None else 16 * context + role.value

    return OperationRow(
        ordinal,
        number,
        draw(st.sampled_from([key for key in patterns if key % contexts == (context or 0)])),
        actor,
        view,
        base,
        tuple((role, RoleSource(tag=tag(role))) for role, _ in inputs),
        tuple((role, ResultDestination(expose=True, tag=tag(role))) for role, _ in results),
        ManagerEndpointTarget(0),
    )


@st.composite
def accesses_of(draw, chosen, is_plain):
    """Any access that an alternative admits; none of a fence."""
    domain = chosen.parameterized_access_domain
    if domain is None:
        return None
    each = draw(st.sampled_from(domain.access_classes))
    address = draw(st.sampled_from(each.address_pointer_formats or (None,)))
    data = draw(st.sampled_from(each.data_pointer_formats))
    exponents = members(each.source_alignment.accepted_log2_byte_alignments)
    return CanonicalMemoryAccessView(
        each.access_form,
        each.address_form,
        draw(st.sampled_from(members(each.element_width_bits))),
        draw(st.sampled_from(members(each.flattened_lane_count))),
        draw(st.sampled_from(each.mask_forms)),
        32 if address is None else address.representation_bits,
        1 if is_plain else 1 << draw(st.sampled_from(exponents)),
        address,
        None if data == OrdinaryData() else data,
    )


PORTS = len(ALL.occurrence.engine.ports)
ROWS = st.integers(0, PORTS - 1).flatmap(rows)

#: One row per port: load, store, read-modify-write, compare-exchange, fence, load of pointers.
WRITTEN = """
fabric = "actors"

[[memory.mem0.row]]
name = "flag"
port = "port0"
base = 0x40
target = "ext0"
[memory.mem0.row.load]
form = "element"
element_bits = 64
lanes = 1
mask = "absent"
index_bits = 32
pattern = "direct0"
volatile = true
alignment = 8
atomic = { ordering = "acquire", sync_scope = "system", granularity = "whole_payload" }

[[memory.mem0.row]]
name = "publish"
port = "port1"
base = 0
target = "ext0"
[memory.mem0.row.store]
form = "contiguous"
element_bits = 16
lanes = 4
mask = "dynamic"
index_bits = 32
pattern = "direct1"
alignment = 2
atomic = { ordering = "release", sync_scope = "single_thread", granularity = "per_lane" }

[[memory.mem0.row]]
name = "count"
port = "port2"
base = 0x100
target = "ext0"
[memory.mem0.row.rmw]
kind = "add"
ordering = "seq_cst"
sync_scope = "system"
granularity = "absent"
form = "element"
element_bits = 32
lanes = 1
mask = "absent"
index_bits = 32
pattern = "direct0"
alignment = 4

[[memory.mem0.row]]
name = "swap"
port = "port3"
base = 3
target = "ext0"
[memory.mem0.row.cmpxchg]
orderings = ["seq_cst", "seq_cst"]
sync_scope = "system"
granularity = "per_lane"
weak = true
form = "indexed"
element_bits = 8
lanes = 2
mask = "absent"
index_bits = 32
pattern = "direct1"
alignment = 1

[[memory.mem0.row]]
name = "order"
port = "port4"
target = "ext0"
fence = { ordering = "seq_cst", sync_scope = "system", pattern = "direct0" }

[[memory.mem0.row]]
name = "chase"
port = "port5"
target = "ext0"
[memory.mem0.row.load]
form = "indexed"
element_bits = 64
lanes = 4
mask = "absent"
pointer = { address_space = 1, representation_bits = 32, address_bits = 32 }
data_pointer = { address_space = 0, representation_bits = 64, address_bits = 48 }
pattern = "direct0"
"""
