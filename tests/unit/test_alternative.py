from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.errors import Invalid
from fabricgen.records import access_codec, actor_codec, alternative_codec
from fabricgen.records.alternative import MemoryCapabilityAlternative
from fabricgen.vocab.dataflow import ServiceValueRole
from tests.support.capabilities import (
    CONTIGUOUS,
    ELEMENT,
    LOAD,
    MASK,
    READ,
    STORE,
    UNMASKED,
    WRITE,
    access,
    alternative,
    alternatives,
    binding,
    domain,
    masked,
    plain,
)
from tests.support.wires import (
    dataflow,
    flip,
    framed,
    reads_as_itself,
    refuses_every_prefix_and_extension,
    survives_bit_flips,
    u32,
    u64,
)

#: Each example builds several relations.
FEWER = settings(max_examples=30)

ADDRESS, DATA = ServiceValueRole.ADDRESS, ServiceValueRole.DATA
ELEMENT_LOAD = alternative(access(ELEMENT))
MASKED_LOAD = alternative(access(CONTIGUOUS, mask_inactive_pairs=[UNMASKED, masked(LOAD)]))
STORES = alternative(access(CONTIGUOUS, STORE), schema=STORE)


def by_role(bound):
    return bound[0].value


def codes(caught):
    return [finding.code for finding in caught.value.diagnostics]


def without(record, *roles):
    return tuple(bound for bound in record.role_to_endpoint if bound[0] not in roles)


@pytest.mark.parametrize(
    ("record", "change", "code"),
    [
        (ELEMENT_LOAD, {"parameterized_access_domain": None}, "alternative-fence-access"),
        (ELEMENT_LOAD, {"role_to_endpoint": without(ELEMENT_LOAD, DATA)}, "alternative-roles"),
        (ELEMENT_LOAD, {"role_to_endpoint": binding(LOAD)[::-1]}, "alternative-roles"),
        (ELEMENT_LOAD, {"role_to_endpoint": binding(LOAD) * 2}, "alternative-role-twice"),
        (
            ELEMENT_LOAD,
            {"role_to_endpoint": (*binding(LOAD), (ServiceValueRole.PAYLOAD, 99))},
            "alternative-role-foreign",
        ),
        (ELEMENT_LOAD, {"role_to_endpoint": binding(LOAD, mask=True)}, "alternative-mask-role"),
        (MASKED_LOAD, {"role_to_endpoint": binding(LOAD)}, "alternative-mask-role"),
        (
            MASKED_LOAD,
            {"role_to_endpoint": (*binding(LOAD, mask=True)[::-1],)},
            "alternative-roles",
        ),
        (MASKED_LOAD, {"role_to_endpoint": ((MASK, 7), *binding(LOAD))}, "alternative-roles"),
        (
            MASKED_LOAD,
            {
                "role_to_endpoint": tuple(
                    sorted((*binding(LOAD, mask=True), (MASK, 7)), key=by_role)
                )
            },
            "alternative-role-twice",
        ),
        (
            ELEMENT_LOAD,
            {"role_to_endpoint": ((ADDRESS, -1), *binding(LOAD)[1:])},
            "alternative-endpoint-range",
        ),
        (
            ELEMENT_LOAD,
            {"role_to_endpoint": ((ADDRESS, 2**64), *binding(LOAD)[1:])},
            "alternative-endpoint-range",
        ),
        (
            ELEMENT_LOAD,
            {"role_to_endpoint": tuple((role, 8) for role, _ in binding(LOAD))},
            "alternative-result-endpoints",
        ),
        (ELEMENT_LOAD, {"admissible_use_patterns": ()}, "alternative-use-patterns"),
        (ELEMENT_LOAD, {"admissible_use_patterns": (1, 0)}, "alternative-use-patterns"),
        (ELEMENT_LOAD, {"admissible_use_patterns": (0, 0)}, "alternative-use-patterns"),
        (ELEMENT_LOAD, {"admissible_use_patterns": (-1,)}, "alternative-use-patterns"),
        (ELEMENT_LOAD, {"admissible_use_patterns": (2**32,)}, "alternative-use-patterns"),
    ],
)
def test_each_rule_rejects(record, change, code):
    with pytest.raises(Invalid) as caught:
        replace(record, **change)
    assert code in codes(caught)
    # A doubled role is also doubled as a result.
    assert set(codes(caught)) <= {code, "alternative-result-endpoints"}


@pytest.mark.parametrize(
    ("schema", "change", "code"),
    [
        (LOAD, {"read_subword": [READ.NOT_APPLICABLE]}, "alternative-read-subword"),
        (LOAD, {"read_subword": [READ.NOT_APPLICABLE, READ.EXACT]}, "alternative-read-subword"),
        (LOAD, {"write_subword": [WRITE.EXACT]}, "alternative-write-subword"),
        (
            LOAD,
            {"write_subword": [WRITE.NOT_APPLICABLE, WRITE.EXACT]},
            "alternative-write-subword",
        ),
        (STORE, {"read_subword": [READ.EXACT]}, "alternative-read-subword"),
        (STORE, {"write_subword": [WRITE.NOT_APPLICABLE]}, "alternative-write-subword"),
        (LOAD, {"mask_inactive_pairs": [masked(STORE)]}, "alternative-inactive-lanes"),
        (STORE, {"mask_inactive_pairs": [masked(LOAD)]}, "alternative-inactive-lanes"),
        (
            STORE,
            {"mask_inactive_pairs": [masked(LOAD), masked(STORE)]},
            "alternative-inactive-lanes",
        ),
    ],
)
def test_each_rule_of_the_actors_direction_rejects(schema, change, code):
    with pytest.raises(Invalid) as caught:
        alternative(access(CONTIGUOUS, schema, **change), schema=schema)
    assert codes(caught) == [code]
    assert caught.value.diagnostics[0].where.startswith(
        "parameterized_access_domain.access_classes[0]."
    )


def test_a_refusal_names_roles():
    with pytest.raises(Invalid) as caught:
        replace(ELEMENT_LOAD, role_to_endpoint=without(ELEMENT_LOAD, DATA))
    assert str(caught.value) == (
        "role_to_endpoint: Roles must be address, data, control, completion in this order, and "
        "mask where a dynamic mask is admitted, not address, control, completion "
        "[alternative-roles]"
    )


def test_a_mask_role_without_a_dynamic_class_is_told_as_such():
    with pytest.raises(Invalid) as caught:
        replace(ELEMENT_LOAD, role_to_endpoint=binding(LOAD, mask=True))
    assert str(caught.value) == (
        "role_to_endpoint: The mask role must have none, as the access classes admit no dynamic "
        "mask, not one [alternative-mask-role]"
    )


def test_the_authoring_door_sorts_roles_and_patterns():
    found = MemoryCapabilityAlternative.of(
        plain(), binding(LOAD)[::-1], domain(access()), [3, 1, 3]
    )
    assert found.role_to_endpoint == binding(LOAD)
    assert found.admissible_use_patterns == (1, 3)
    assert found.endpoint_of(ADDRESS) == 2
    assert found.endpoint_of(MASK) is None


@FEWER
@given(alternatives())
def test_round_trip(record):
    assert alternative_codec.decode(alternative_codec.encode(record)) == record


@FEWER
@given(alternatives(), st.data())
def test_one_record_has_one_encoding(record, data):
    reads_as_itself(alternative_codec, flip(alternative_codec.encode(record), data))


def test_every_prefix_and_extension_is_refused():
    refuses_every_prefix_and_extension(alternative_codec, alternative_codec.encode(MASKED_LOAD))


def test_a_flip_in_any_byte_is_refused_or_another_record():
    survives_bit_flips(alternative_codec, alternative_codec.encode(STORES), bits=(0, 7))


def wire(record, *, roles=None, access_tag=None):
    """An alternative by its definition."""
    bound = roles or [(role.value, end) for role, end in record.role_to_endpoint]
    return (
        framed(actor_codec.encode(record.actor_contract_domain))
        + u64(len(bound))
        + b"".join(framed(dataflow("service-value-role", tag)) + u64(end) for tag, end in bound)
        + (access_tag or u32(1) + framed(access_codec.encode(record.parameterized_access_domain)))
        + u64(len(record.admissible_use_patterns))
        + b"".join(map(u32, record.admissible_use_patterns))
    )


def test_bytes_are_pinned():
    record = alternative(access(), patterns=(0, 7))
    assert alternative_codec.encode(record) == wire(record)
    # Address 2, Data 3, Control 8, Completion 11, bound to the endpoints of the same numbers.
    assert wire(record) == wire(record, roles=[(2, 2), (3, 3), (8, 8), (11, 11)])


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (wire(ELEMENT_LOAD, roles=[(12, 2)]), "atom-unknown"),
        (wire(ELEMENT_LOAD, roles=[(3, 3), (2, 2), (8, 8), (11, 11)]), "alternative-roles"),
        (wire(ELEMENT_LOAD, access_tag=u32(2)), "wire-unknown-tag"),
        (wire(ELEMENT_LOAD, access_tag=u32(0)), "alternative-fence-access"),
        (wire(ELEMENT_LOAD)[:-12] + u64(2**61) + u32(0), "wire-truncated"),
    ],
)
def test_what_is_no_alternative_is_refused(data, code):
    with pytest.raises(Invalid) as caught:
        alternative_codec.decode(data)
    assert codes(caught) == [code]


def test_nested_findings_say_where():
    inner = access_codec.encode(ELEMENT_LOAD.parameterized_access_domain)
    with pytest.raises(Invalid) as caught:
        alternative_codec.decode(wire(ELEMENT_LOAD, access_tag=u32(1) + framed(inner + b"\0")))
    assert [finding.where for finding in caught.value.diagnostics] == [
        "parameterized_access_domain.rows"
    ]
