"""Inputs of the codes of ``config``: bits that no configuration has."""

from fabricgen.config.codec import decode_configuration, encode_configuration
from fabricgen.config.layout import carrier_layout
from fabricgen.config.op_codec import decode_op_value, encode_op_value
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support.hsg import resource
from tests.support.hsg_ops import add_sub
from tests.support.memories import (
    ELEMENT,
    LOAD,
    STORE,
    access_class,
    alternative,
    capability,
    memory,
    port,
    row,
    service,
    table,
    view,
)
from tests.support.records import copy_fabric

COPY = copy_fabric().memories[0]
LOADS = encode_configuration(COPY, table(row(0, LOAD, view(ELEMENT)), None))


def read(bits):
    return lambda: decode_configuration(COPY, bits)


def with_field(named, bits, ordinal, name, value):
    """The carrier with another value in one field of a row."""
    place = carrier_layout(named).rows[ordinal][name]
    return bits & ~place.mask | value << place.offset


def two_actors():
    """One port that loads, by two classes of access, or stores."""
    ends = {"addr": 32, "ctrl": 0, "wdata": 32, "rdata": 32, "done": 0}
    common = {"address": 0, "control": 1, "completion": 4}
    loads = (
        access_class(ELEMENT, LOAD, elements=(8,), lanes=(1,), index=(16,)),
        access_class(ELEMENT, LOAD, elements=(16,), lanes=(1,)),
    )
    stores = (access_class(ELEMENT, STORE, elements=(32,), lanes=(1,)),)
    shared = port(
        alternative(LOAD, {**common, "data": 3}, loads),
        alternative(STORE, {**common, "data": 2}, stores),
    )
    local = service(capability(LOAD, loads, (0,)), capability(STORE, stores, (0,)), requesters=1)
    return memory(ends, 3, (shared,), local)


SHARED = two_actors()


def carrier_of(schema, access):
    """Bits of a row of the shared port."""
    (shared,) = SHARED.occurrence.engine.ports
    schemas = [each.actor_contract_domain.actor_schema for each in shared.capability_alternatives]
    chosen = row(0, schema, access, alternative_ordinal=schemas.index(schema))
    return encode_configuration(SHARED, table(chosen))


def result_of_another_actor():
    """A store that exposes the data of a load."""
    bits = carrier_of(STORE, view(ELEMENT))
    return decode_configuration(SHARED, with_field(SHARED, bits, 0, "expose_data", 1))


def another_class():
    """An access of the first class that names the second one."""
    bits = carrier_of(LOAD, view(ELEMENT, element=8, index=16))
    place = carrier_layout(SHARED).rows[0]["access_class"]
    return decode_configuration(SHARED, bits ^ place.mask)


PRODUCERS = {
    "carrier-width": read(-1),
    "carrier-inactive-bits": read(LOADS & ~1),
    "carrier-unused-row": read(with_field(COPY, LOADS, 1, "base_addr", 1)),
    "carrier-index-range": read(with_field(COPY, LOADS, 0, "mask_pair", 1)),
    "carrier-unused-field": result_of_another_actor,
    "carrier-not-canonical": another_class,
    "op-value": lambda: encode_op_value(add_sub(), 0),
    "op-code": lambda: decode_op_value(add_sub(), 2),
    "op-carrier": lambda: decode_op_value(resource(F.FIXED_VECTOR_SLICE_ALIGN_MERGE), 0),
}
