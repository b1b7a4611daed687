"""Small access classes, contracts, alternatives and ports, and what they admit point by point.

Roles bind to endpoints ``10 * binding + role tag``, so each binding has its own endpoints.
"""

from itertools import product

from hypothesis import strategies as st

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.records.access import (
    MemoryAccessClass,
    ParameterizedMemoryAccessDomain,
    RootRelative,
)
from fabricgen.records.actor import LoadStorePlain, MemoryActorContractDomain
from fabricgen.records.alternative import MemoryCapabilityAlternative
from fabricgen.records.port import MemoryOperationPort
from fabricgen.records.resource import CapacityDimension, Claim, ResourceContract, UsePattern
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dataflow import (
    MemoryAccessForm,
    MemoryMaskForm,
    OperationSchemaId,
    ServiceValueRole,
)
from fabricgen.vocab.fabric import (
    InactiveLaneSemantics,
    MemoryPortTransactionProjection,
    ReadSubwordSemantics,
    WriteSubwordSemantics,
)

LOAD, STORE = OperationSchemaId.DATAFLOW_LOAD, OperationSchemaId.DATAFLOW_STORE
ELEMENT, CONTIGUOUS, INDEXED = MemoryAccessForm
UNMASKED = (MemoryMaskForm.ABSENT, InactiveLaneSemantics.NOT_APPLICABLE)
READ, WRITE = ReadSubwordSemantics, WriteSubwordSemantics
DIRECT = MemoryPortTransactionProjection.DIRECT
ANY_ALIGNMENT = AlignmentDomain(UnsignedDomain.of((0, 63)))
MASK = ServiceValueRole.MASK


def masked(schema):
    zero = InactiveLaneSemantics.SUPPRESS_AND_ZERO_FILL
    kept = InactiveLaneSemantics.SUPPRESS
    return (MemoryMaskForm.DYNAMIC, zero if schema is LOAD else kept)


def access(form=ELEMENT, schema=LOAD, *, element=(32,), lanes=None, index=(32,), **changes):
    """One class; loads zero-extend, stores enable bytes."""
    fields = {
        "element_width_bits": UnsignedDomain.of(*element),
        "flattened_lane_count": UnsignedDomain.of(*(lanes or ((1,) if form is ELEMENT else (4,)))),
        "mask_inactive_pairs": [UNMASKED],
        "source_alignment": ANY_ALIGNMENT,
        "read_subword": [READ.ZERO_EXTEND if schema is LOAD else READ.NOT_APPLICABLE],
        "write_subword": [WRITE.BYTE_ENABLE if schema is STORE else WRITE.NOT_APPLICABLE],
    }
    return MemoryAccessClass.of(form, RootRelative(UnsignedDomain.of(*index)), **fields | changes)


def domain(*classes):
    return ParameterizedMemoryAccessDomain.of(*classes)


def plain(schema=LOAD, *volatile):
    return MemoryActorContractDomain.of(schema, LoadStorePlain.of(*(volatile or (False,))))


def binding(schema=LOAD, number=0, *, mask=False):
    described = MEMORY_SCHEMAS[schema]
    roles = {*described.input_roles, *described.result_roles} - (set() if mask else {MASK})
    return tuple((role, 10 * number + role.value) for role in ServiceValueRole if role in roles)


def alternative(*classes, schema=LOAD, volatile=(), number=0, patterns=(0,)):
    """An alternative whose mask role is bound exactly where a class wants it."""
    mask = any(MemoryMaskForm.DYNAMIC in each.mask_forms for each in classes)
    return MemoryCapabilityAlternative.of(
        plain(schema, *volatile),
        binding(schema, number, mask=mask),
        domain(*classes),
        patterns,
    )


def contract(*transactions):
    """One use pattern per argument, with that many internal transactions."""
    return ResourceContract(
        states=((CapacityDimension(4),),),
        transition_count=0,
        timing_contracts=((0, 1),),
        use_patterns=tuple(
            UsePattern(0, 0, 0, 1, None, 0, (Claim(0, 0, 1),), ((0,),) * count)
            for count in transactions
        ),
        requester_count=1,
        eligibility_count=1,
        event_count=2,
        grant_policy=None,
    )


def port(*alternatives, semantics=None):
    keys = max(key for each in alternatives for key in each.admissible_use_patterns) + 1
    ends = {end for each in alternatives for _, end in each.role_to_endpoint}
    return MemoryOperationPort.of(
        ends, contract(*(1,) * keys), semantics or (DIRECT,) * keys, alternatives
    )


@st.composite
def access_classes(draw, schema=LOAD):
    """Classes over 2 forms, 2 index widths, 3 elements, lanes 1..3, 3 alignments, 2 subwords."""
    form = draw(st.sampled_from([ELEMENT, CONTIGUOUS]))
    small = st.sets(st.sampled_from([8, 16, 32]), min_size=1)
    lanes = {1} if form is ELEMENT else draw(st.sets(st.integers(1, 3), min_size=1))
    exponents = draw(st.sets(st.integers(0, 2), min_size=1))
    subwords = (
        {READ.EXACT, READ.ZERO_EXTEND} if schema is LOAD else {WRITE.EXACT, WRITE.BYTE_ENABLE}
    )
    chosen = draw(st.sets(st.sampled_from(sorted(subwords, key=lambda s: s.value)), min_size=1))
    return access(
        form,
        schema,
        element=draw(small),
        lanes=lanes,
        index=draw(st.sets(st.sampled_from([32, 64]), min_size=1)),
        source_alignment=AlignmentDomain(UnsignedDomain.of(*exponents)),
        **{"read_subword" if schema is LOAD else "write_subword": chosen},
    )


@st.composite
def masked_classes(draw, schema=LOAD):
    """The same, where lanes may carry a mask."""
    drawn = draw(access_classes(schema))
    if drawn.access_form is ELEMENT:
        return drawn
    pairs = draw(st.sets(st.sampled_from([UNMASKED, masked(schema)]), min_size=1))
    return access(
        drawn.access_form,
        schema,
        element=values(drawn.element_width_bits),
        lanes=values(drawn.flattened_lane_count),
        mask_inactive_pairs=pairs,
    )


@st.composite
def alternatives(draw):
    """Alternatives without masks whose binding follows from the pattern, so that none clash."""
    schema = draw(st.sampled_from([LOAD, STORE]))
    number = draw(st.integers(0, 1))
    return alternative(
        *draw(st.lists(access_classes(schema), min_size=1, max_size=2)),
        schema=schema,
        volatile=draw(st.sets(st.booleans(), min_size=1)),
        number=number,
        patterns=draw(st.sets(st.sampled_from([2 * number, 2 * number + 1]), min_size=1)),
    )


def values(unsigned):
    return [v for i in unsigned.intervals for v in range(i.lower, i.upper + 1)]


def access_points(record):
    """Every access tuple of a domain; the alignment only up to the exponents drawn above."""
    return [
        point
        for each in record.access_classes
        for point in product(
            [each.access_form],
            [each.address_form],
            values(each.address_domain.accepted_index_width_bits),
            each.data_pointer_formats,
            values(each.element_width_bits),
            values(each.flattened_lane_count),
            each.mask_inactive_pairs,
            values(each.source_alignment.accepted_log2_byte_alignments),
            each.read_subword,
            each.write_subword,
        )
    ]


def capability_points(array):
    """Every (schema, volatile, access, binding, pattern) point of an array, with repeats."""
    return [
        (each.actor_contract_domain.actor_schema, volatile, point, each.role_to_endpoint, key)
        for each in array
        for clause in each.actor_contract_domain.contract_clauses
        for volatile in clause.volatile_values
        for point in access_points(each.parameterized_access_domain)
        for key in each.admissible_use_patterns
    ]
