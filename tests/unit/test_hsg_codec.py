"""The wire of parameter records and of concrete resources."""

from dataclasses import fields, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabricgen.atoms.pointer import PointerFormat
from fabricgen.errors import FabricError, Invalid
from fabricgen.hsg import params_codec, resource_codec
from fabricgen.hsg.params import PARAMS as CLASSES
from fabricgen.hsg.profile import STRICT_IEEE
from fabricgen.hsg.resource import ResourceTiming
from fabricgen.hsg.scalar_params import ScalarIntegerParams
from fabricgen.vocab.families import CapabilityParamsSchemaId as P
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.operations import FastMath
from tests.support.hsg import PARAMS, W, resource
from tests.support.hsg_params import RECORDS, concrete
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

MANY = settings(max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def words(*values):
    """A set of values whose atoms are u32be ordinals."""
    return u64(len(values)) + b"".join(framed(u32(value)) for value in values)


def word_pairs(*pairs):
    return u64(len(pairs)) + b"".join(framed(u32(a) + u32(b)) for a, b in pairs)


def atoms(name, *tags):
    return u64(len(tags)) + b"".join(framed(dataflow(name, tag)) for tag in tags)


def integer_tests(*tags):
    return atoms("integer-compare-predicate", *tags)


def float_tests(*tags):
    return atoms("float-compare-predicate", *tags)


def behavior(*nans):
    return framed(atoms("rounding-mode", 1) + words(*nans) + words(0) + words(0) + u32(0))


FORMATS = words(0, 1, 2, 3)
ORDINARY = words(1, 2, 3, 4)
WIRES = {
    P.SCALAR_INTEGER: u32(0) + ORDINARY + u64(0),
    P.SCALAR_INTEGER_COMPARE_MIN_MAX: u32(1) + ORDINARY + integer_tests(*range(1, 11)),
    P.SCALAR_VALUE_SELECT: u32(2) + words(0, 1, 2, 3, 4) + FORMATS,
    P.SCALAR_INTEGER_CAST: u32(3) + framed(word_pairs((1, 3), (3, 1), (3, 3)) + words(0)),
    P.SCALAR_BIT_REINTERPRET: u32(4) + ORDINARY + FORMATS,
    P.SCALAR_FLOAT: u32(5) + FORMATS + behavior(0),
    P.SCALAR_FLOAT_COMPARE_MIN_MAX: u32(6) + FORMATS + behavior(0, 1) + float_tests(*range(1, 17)),
    P.SCALAR_FLOAT_WIDTH_CAST: u32(7) + word_pairs((0, 2), (2, 0)) + behavior(0),
    P.SCALAR_INTEGER_FLOAT_CONVERSION: u32(8) + word_pairs((3, 2), (4, 3)),
    P.LOOP_STREAM: u32(9) + words(3, 4) + u32(1) + integer_tests(3, 7),
    P.TOKEN_PLANE: u32(10),
    P.FIXED_VECTOR_INTEGER: u32(11) + ORDINARY + u32(128),
    P.FIXED_VECTOR_INTEGER_COMPARE_MIN_MAX: u32(12)
    + ORDINARY
    + integer_tests(*range(1, 11))
    + u32(128),
    P.FIXED_VECTOR_VALUE_SELECT: u32(13) + words(0, 1, 2, 3, 4) + FORMATS + u32(128),
    P.FIXED_VECTOR_FLOAT: u32(14) + FORMATS + behavior(0) + u32(128),
    P.FIXED_VECTOR_FLOAT_COMPARE_MIN_MAX: u32(15)
    + FORMATS
    + behavior(0, 1)
    + float_tests(*range(1, 17))
    + u32(128),
    P.FIXED_VECTOR_ADAPTER: u32(16) + words(1, 3) + u64(0) + u32(128),
    P.PAYLOAD_CAPACITY: u32(17) + u32(64),
    P.ROUTED_TOKEN: u32(18) + u32(64) + u32(3),
    P.FIXED_VECTOR_SLICE_ALIGN_MERGE: u32(19)
    + words(1)
    + words(2)
    + u32(128)
    + u32(64)
    + u32(1)
    + words(0),
    P.FIXED_VECTOR_SHUFFLE: u32(20)
    + words(1, 3)
    + u64(0)
    + b"".join(map(u32, (128, 128, 32, 8, 4))),
    P.SCALAR_SPECIAL_MATH: u32(21) + FORMATS + behavior(0) + u32(0x4C534101),
}
ALL = pytest.mark.parametrize("schema", list(P), ids=lambda schema: schema.name)


@ALL
def test_the_bytes_of_each_record_are_pinned(schema):
    assert params_codec.encode(PARAMS[schema]) == WIRES[schema]
    assert params_codec.decode(WIRES[schema]) == PARAMS[schema]


@ALL
def test_the_bytes_follow_the_fields(schema):
    names = tuple(field.name for field in fields(CLASSES[schema]))
    assert params_codec.field_names(schema) == names


@ALL
def test_damage_is_refused_or_is_another_record(schema):
    refuses_every_prefix_and_extension(params_codec, WIRES[schema])
    survives_bit_flips(params_codec, WIRES[schema], bits=(0, 3, 7))


def test_pointers_and_permissions_have_their_owners_bytes():
    pointers = ScalarIntegerParams((W.I8,), (PointerFormat(1, 64, 48),))
    wire = u32(0) + words(1) + u64(1) + framed(u32(1) + u32(64) + u32(48) + u32(0))
    assert params_codec.encode(pointers) == wire
    assert params_codec.decode(wire) == pointers
    free = replace(STRICT_IEEE, required_fast_math=FastMath.NNAN | FastMath.AFN)
    flags = params_codec.encode(replace(PARAMS[P.SCALAR_FLOAT], behavior=free))
    assert flags[-4:] == u32(0b1000010)


GOOD = WIRES[P.SCALAR_FLOAT]


@pytest.mark.parametrize(
    ("wire", "where", "code"),
    [
        (u32(22), "bytes", "wire-unknown-tag"),
        (u32(0) + u64(2**61), "bytes", "wire-truncated"),
        (u32(0) + words(5) + u64(0), "integer_widths", "atom-unknown"),
        (u32(0) + words(2, 1) + u64(0), "integer_widths", "domain-not-canonical"),
        (u32(0) + words(1, 1) + u64(0), "integer_widths", "domain-not-canonical"),
        (u32(0) + words() + u64(0), "integer_widths", "domain-empty"),
        (u32(3) + framed(word_pairs((1, 5)) + words()), r"relation\.width_pairs", "atom-unknown"),
        (
            u32(3) + framed(word_pairs((1, 3)) + words() + b"\0"),
            r"relation\.bytes",
            "wire-trailing",
        ),
        (GOOD[:-4] + u32(128), r"behavior\.bytes", "payload-range"),
        (
            u32(5) + FORMATS + framed(atoms("rounding-mode", 6) + words(0) + words(0) + words(0)),
            r"behavior\.rounding_modes",
            "atom-unknown",
        ),
        (u32(9) + words(3) + u32(9) + integer_tests(3), "bytes", "wire-unknown-tag"),
        (u32(17) + u32(0), "max_payload_bits", "params-capacity"),
        (u32(21) + FORMATS + behavior(0) + u32(0), "bytes", "wire-unknown-tag"),
    ],
)
def test_what_is_wrong_is_named_at_its_place(wire, where, code):
    with pytest.raises(Invalid, match=rf"^{where}: .*\[{code}\]$"):
        params_codec.decode(wire)


def round_trips(codec, record, data):
    wire = codec.encode(record)
    assert codec.decode(wire) == record
    reads_as_itself(codec, flip(wire, data))
    with pytest.raises(FabricError):
        codec.decode(wire[: data.draw(st.integers(0, len(wire) - 1))])
    with pytest.raises(Invalid):
        codec.decode(wire + b"\0")


@settings(max_examples=100, deadline=None)
@given(st.one_of(*RECORDS.values()), st.data())
def test_any_record_round_trips(record, data):
    round_trips(params_codec, record, data)


@ALL
@pytest.mark.slow
def test_many_records_round_trip(schema):
    @MANY
    @given(RECORDS[schema], st.data())
    def check(record, data):
        round_trips(params_codec, record, data)

    check()


ADDER = resource(F.SCALAR_INTEGER_ADD_SUB, timing=ResourceTiming(3, 2))
ADDER_PARTS = [
    framed(b"ScalarIntegerAddSub"),
    atoms("operation-schema-id", 0x4C530202, 0x4C530203),
    framed(WIRES[P.SCALAR_INTEGER]),
    u64(2) + u32(128) * 2,
    u64(1) + u32(128),
    u32(3) + u32(2),
]


def test_a_resource_is_pinned():
    assert resource_codec.encode(ADDER) == b"".join(ADDER_PARTS)
    assert resource_codec.decode(b"".join(ADDER_PARTS)) == ADDER


@pytest.mark.parametrize("family", list(F), ids=lambda family: family.name)
def test_each_family_round_trips(family):
    record = resource(family)
    assert resource_codec.decode(resource_codec.encode(record)) == record


def test_every_prefix_of_a_resource_is_refused():
    refuses_every_prefix_and_extension(resource_codec, b"".join(ADDER_PARTS))


@pytest.mark.parametrize(
    ("part", "wire", "where", "code"),
    [
        (0, framed(b"scalarIntegerAddSub"), "family", "family-unknown"),
        (0, framed(b"\xff"), "family", "family-unknown"),
        (0, framed(b"ScalarIntegerLogic"), r"op_list\[0\]", "op-outside-family"),
        (1, atoms("operation-schema-id", 0x4C530201 + 107), "op_list", "atom-unknown"),
        (
            1,
            atoms("operation-schema-id", 0x4C530203, 0x4C530202),
            "op_list",
            "op-list-not-canonical",
        ),
        (1, u64(2**61), "bytes", "wire-truncated"),
        (2, framed(WIRES[P.TOKEN_PLANE]), "hw_params", "resource-params-schema"),
        (2, framed(u32(0) + words() + u64(0)), r"hw_params\.integer_widths", "domain-empty"),
        (3, u64(2**62), "bytes", "wire-truncated"),
        (3, u64(1) + u32(128), "ports", "resource-port-count"),
        (5, u32(3) + u32(0), r"timing\.initiation_interval_cycles", "timing-range"),
    ],
)
def test_a_broken_part_of_a_resource_is_named(part, wire, where, code):
    parts = [*ADDER_PARTS]
    parts[part] = wire
    with pytest.raises(Invalid, match=rf"^{where}.*: .*\[{code}\]") as caught:
        resource_codec.decode(b"".join(parts))
    assert code in [each.code for each in caught.value.diagnostics]


def test_address_computation_has_bytes_but_no_resource():
    wire = b"".join(
        [
            ADDER_PARTS[0],
            atoms("operation-schema-id", 0x4C530202, 0x4C530201 + 105),
            *ADDER_PARTS[2:],
        ]
    )
    with pytest.raises(Invalid, match=r"\[op-gep-enabled\]"):
        resource_codec.decode(wire)


@settings(max_examples=60, deadline=None)
@given(concrete(), st.data())
def test_any_resource_round_trips(record, data):
    round_trips(resource_codec, record, data)


@pytest.mark.slow
@MANY
@given(concrete(), st.data())
def test_many_resources_round_trip(record, data):
    round_trips(resource_codec, record, data)
