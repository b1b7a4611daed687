"""Codecs over many drawn records: a round trip, and one encoding of each."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabricgen.records import (
    access_codec,
    actor_codec,
    alternative_codec,
    consistency_domain_codec,
    resource_codec,
    service_codec,
    system_service_codec,
)
from fabricgen.records.actor import MemoryActorContractDomain
from tests.support.actors import ACTORS, FENCE, LANE, SCALAR, WHOLE, actors, alternative, authored
from tests.support.actors import atomic_access as access
from tests.support.capabilities import CONTIGUOUS, ELEMENT, INDEXED, domain, masked_classes
from tests.support.drawn_services import consistency_domains, service_contracts, system_services
from tests.support.resources import resource_contracts
from tests.support.wires import flip, reads_as_itself

pytestmark = pytest.mark.slow
MANY = settings(max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow])

ACTOR_DOMAINS = authored().map(lambda drawn: MemoryActorContractDomain.of(drawn[0], *drawn[1]))
ACCESS_DOMAINS = st.lists(masked_classes(), min_size=1, max_size=3).map(lambda c: domain(*c))


@st.composite
def alternatives(draw):
    """Any actor, by element or by lanes."""
    schema = draw(st.sampled_from(ACTORS))
    patterns = draw(st.sets(st.integers(0, 5), min_size=1))
    if schema is FENCE:
        return alternative(FENCE, domain=actors(FENCE), patterns=patterns)
    lanes = draw(st.booleans())
    granularity = [LANE] if lanes else draw(st.sets(st.sampled_from([SCALAR, WHOLE]), min_size=1))
    forms = (
        draw(st.sets(st.sampled_from([CONTIGUOUS, INDEXED]), min_size=1)) if lanes else [ELEMENT]
    )
    classes = [
        access(
            schema,
            form,
            element=draw(st.sets(st.sampled_from([8, 16, 32, 64]), min_size=1)),
            **({"mask": draw(st.booleans()), "lanes": (1, 4)} if lanes else {}),
        )
        for form in sorted(forms, key=lambda form: form.value)
    ]
    return alternative(
        schema, *classes, domain=actors(schema, granularity=granularity), patterns=patterns
    )


CODECS = [
    pytest.param(actor_codec, ACTOR_DOMAINS, id="actor"),
    pytest.param(access_codec, ACCESS_DOMAINS, id="access"),
    pytest.param(alternative_codec, alternatives(), id="alternative"),
    pytest.param(resource_codec, resource_contracts(), id="resource contract"),
    pytest.param(service_codec, service_contracts(), id="service contract"),
    pytest.param(system_service_codec, system_services(), id="system service"),
    pytest.param(consistency_domain_codec, consistency_domains(), id="consistency domain"),
]


@pytest.mark.parametrize(("codec", "records"), CODECS)
def test_every_record_round_trips_and_has_one_encoding(codec, records):
    @MANY
    @given(records, st.data())
    def check(record, data):
        wire = codec.encode(record)
        assert codec.decode(wire) == record
        reads_as_itself(codec, flip(wire, data))
        cut = data.draw(st.integers(0, len(wire) - 1))
        reads_as_itself(codec, wire[:cut])
        reads_as_itself(codec, wire + b"\0")

    check()
