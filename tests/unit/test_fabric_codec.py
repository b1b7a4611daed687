import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.atoms.dataflow import OPERATION_SCHEMA_IDS
from fabricgen.atoms.hardware import INTEGER_WIDTHS
from fabricgen.check.fabric import findings
from fabricgen.errors import Invalid, Unsupported
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.resource import FabricOp, ResourceTiming
from fabricgen.hsg.scalar_params import ScalarIntegerParams
from fabricgen.records import (
    access_codec,
    fabric_codec,
    fabric_section,
    occurrence_codec,
    service_codec,
)
from fabricgen.records.fabric import Fabric, MemoryImplementation, NamedOp
from fabricgen.records.fabric_codec import decode, encode
from fabricgen.relation import codec
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import CapabilityParamsSchemaId
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.hardware import IntegerWidth
from tests.support.fabrics import fabrics
from tests.support.hsg import resource
from tests.support.hsg_params import concrete
from tests.support.records import copy_fabric, gather_fabric, load_fabric
from tests.support.wires import flip, reads_as_itself

LOAD = load_fabric()
OPTIONS = MemoryImplementation(
    aligned_bases=True,
    issue_lanes=4,
    counters=True,
    manager_protocol="axi4",
    subordinate_protocol="axi4",
    memory_wrapper=True,
)
ALIGNED = replace(LOAD, memories=(replace(LOAD.memories[0], implementation=OPTIONS),))
SEVERAL = replace(LOAD, name="several", memories=LOAD.memories + copy_fabric().memories)
OPS = tuple(NamedOp(family.name.lower(), resource(family)) for family in F)
ADDER = OPS[0]
FABRICS = [
    LOAD,
    copy_fabric(),
    gather_fabric(),
    ALIGNED,
    SEVERAL,
    replace(LOAD, memories=()),
    replace(LOAD, ops=OPS[:2]),
    Fabric("ops", (), OPS),
]
WIRES = [encode(fabric) for fabric in FABRICS]
SECTION = (
    b'{"implementation":{"aligned_bases":false,"bank_function":"interleaved",'
    b'"counters":false,"issue_lanes":1,"manager_protocol":"stream",'
    b'"memory_wrapper":false,"subordinate_protocol":"stream"},'
    b'"names":{"endpoints":["rd_addr","rd_ctrl","rd_data","rd_done"],"managers":[],'
    b'"patterns":[["direct"]],"ports":["read0"],"subordinates":[]}}'
)


def u64(value):
    return value.to_bytes(8, "big")


def u32(value):
    return value.to_bytes(4, "big")


def framed(data):
    return u64(len(data)) + data


@pytest.mark.parametrize("fabric", FABRICS)
def test_round_trip(fabric):
    assert decode(encode(fabric)) == fabric


@settings(max_examples=25)
@given(fabrics())
def test_drawn_fabrics_are_legal_and_travel(fabric):
    assert findings(fabric) == ()
    assert decode(encode(fabric)) == fabric


@settings(max_examples=25)
@given(fabrics(), st.data())
def test_a_drawn_fabric_has_one_encoding(fabric, data):
    wire = bytearray(encode(fabric))
    wire[data.draw(st.integers(0, len(wire) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    try:
        other = decode(bytes(wire))
    except (Invalid, Unsupported):
        return
    findings(other)
    assert encode(other) == bytes(wire)


def test_bytes_are_pinned():
    assert encode(LOAD) == b"".join(
        [
            b"FABRICG\0",
            b"\0\0\0\2",
            framed(b"load_local"),
            u64(1),
            framed(b"mem0"),
            framed(occurrence_codec.encode(LOAD.memories[0].occurrence)),
            framed(SECTION),
            u64(0),
        ]
    )


def test_the_bytes_of_resources_are_pinned():
    """Family, operations 1 and 2, scalar integers of 8 bits, ports, timing: by hand."""
    op = FabricOp(
        F.SCALAR_INTEGER_ADD_SUB,
        (O.ARITH_ADDI, O.ARITH_SUBI),
        ScalarIntegerParams((IntegerWidth.I8,)),
        PhysicalPorts((8, 9), (10,)),
        ResourceTiming(11, 12),
    )
    operations = b"".join(framed(OPERATION_SCHEMA_IDS.atom(each)) for each in op.op_list)
    width = framed(INTEGER_WIDTHS.atom(IntegerWidth.I8))
    record = b"".join(
        [
            framed(b"ScalarIntegerAddSub"),
            u64(2) + operations,
            framed(u32(CapabilityParamsSchemaId.SCALAR_INTEGER.value) + u64(1) + width + u64(0)),
            u64(2) + u32(8) + u32(9),
            u64(1) + u32(10),
            u32(11) + u32(12),
        ]
    )
    assert encode(Fabric("one", (), (NamedOp("alu", op),))) == b"".join(
        [b"FABRICG\0", u32(2), framed(b"one"), u64(0), u64(1), framed(b"alu"), framed(record)]
    )


@settings(max_examples=25)
@given(st.lists(concrete(), max_size=3))
def test_drawn_resources_travel(drawn):
    ops = tuple(NamedOp(f"op{ordinal}", op) for ordinal, op in enumerate(drawn))
    fabric = replace(LOAD, ops=ops)
    assert findings(fabric) == ()
    assert decode(encode(fabric)) == fabric


def test_a_finding_inside_a_resource_has_its_place():
    wire = encode(Fabric("one", (), (ADDER,)))
    timing = u32(1) + u32(1)
    assert wire.endswith(timing)
    with pytest.raises(Invalid, match=r"^op\[0\]\.timing\.initiation_interval_cycles: "):
        decode(wire.removesuffix(timing) + u32(1) + u32(0))
    with pytest.raises(Invalid, match=r"^op\[0\]\.name: .*\[fabric-name-text\]$"):
        decode(
            wire.replace(framed(b"scalar_integer_add_sub"), framed(b"\xffcalar_integer_add_sub"))
        )


def test_a_hostile_resource_count_is_refused():
    wire = encode(LOAD)
    assert wire.endswith(u64(0))
    with pytest.raises(Invalid, match=r"items of 16 or more bytes .* \[wire-truncated\]$"):
        decode(wire.removesuffix(u64(0)) + b"\xff" * 8)


@settings(max_examples=50)
@given(st.sampled_from(WIRES), st.data())
def test_one_fabric_has_one_encoding(wire, data):
    reads_as_itself(fabric_codec, flip(wire, data))


@settings(max_examples=50)
@given(st.sampled_from(WIRES), st.data())
def test_every_proper_prefix_is_rejected(wire, data):
    with pytest.raises(Invalid):
        decode(wire[: data.draw(st.integers(0, len(wire) - 1))])


@given(st.sampled_from(WIRES), st.binary(min_size=1))
def test_trailing_bytes_are_rejected(wire, extra):
    with pytest.raises(Invalid, match=r"\[wire-trailing\]$"):
        decode(wire + extra)


@given(st.binary(max_size=200))
def test_no_bytes_crash_the_decoder(data):
    with pytest.raises(Invalid):
        decode(data)
    with pytest.raises(Invalid):
        decode(b"FABRICG\0\0\0\0\2" + data)


@pytest.mark.parametrize(
    ("offset", "data", "code"),
    [(0, b"f", "fabric-magic"), (11, b"\1", "fabric-version"), (20, b"\xff", "fabric-name-text")],
)
def test_the_header_is_checked(offset, data, code):
    wire = encode(LOAD)
    with pytest.raises(Invalid, match=rf"\[{code}\]$"):
        decode(wire[:offset] + data + wire[offset + len(data) :])


def test_a_hostile_occurrence_count_is_refused():
    wire = encode(LOAD)
    count = wire.index(framed(b"load_local")) + 8 + len(b"load_local")
    with pytest.raises(Invalid, match=r"items of 24 or more bytes .* \[wire-truncated\]$"):
        decode(wire[:count] + b"\xff" * 8 + wire[count + 8 :])


def test_a_finding_inside_a_memory_has_its_place():
    wire = encode(LOAD)
    old = b"\0\0\0\1" + u64(1024)
    assert wire.count(old) == 1
    with pytest.raises(Invalid, match=r"^memory\[0\]\.local_service\.capacity_bytes: "):
        decode(wire.replace(old, b"\0\0\0\1" + u64(0)))


def test_another_decomposition_of_a_record_is_refused():
    """Two element widths in two classes admit what one class admits, in other bytes."""
    fabric = load_fabric()
    wire = encode(fabric)
    service = fabric.memories[0].occurrence.local_service.memory_service_contract
    domain = service.capabilities[0].access_domain
    (only,) = domain.access_classes
    widths = only.element_width_bits.intervals
    parts = [
        replace(only, element_width_bits=replace(only.element_width_bits, intervals=(width,)))
        for width in widths
    ]
    whole = access_codec.encode(domain)
    split = codec.encode(tuple(part.row for part in parts))
    assert wire.count(framed(whole)) == 2
    grown = _grow(fabric, whole, split)
    with pytest.raises(Invalid, match=r"\[relation-not-canonical\]$"):
        decode(grown)


def _grow(fabric, old, new):
    """Replace the last frame of ``old`` and lengthen the frames around it."""
    named = fabric.memories[0]
    contract = service_codec.encode(named.occurrence.local_service.memory_service_contract)
    record = occurrence_codec.encode(named.occurrence)
    inner = contract.replace(framed(old), framed(new))
    outer = record.replace(framed(contract), framed(inner))
    return encode(fabric).replace(framed(record), framed(outer))


# The section of names and options


def section(change=None, **fields):
    table = json.loads(SECTION)
    if change:
        change(table)
    return fabric_section.canonical_json(table | fields)


def test_canonical_json_sorts_keys_at_every_depth():
    value = {"b": {"d": [1, "\u00e4"], "c": None}, "a": True}
    assert fabric_section.canonical_json(value) == (b'{"a":true,"b":{"c":null,"d":[1,"\\u00e4"]}}')


def test_a_section_is_canonical_json():
    named = LOAD.memories[0]
    assert fabric_section.encode(named.names, named.implementation) == SECTION
    assert fabric_section.decode(SECTION) == (named.names, named.implementation)


@pytest.mark.parametrize(
    ("data", "where", "code"),
    [
        (b"", "section", "fabric-section-json"),
        (b"{", "section", "fabric-section-json"),
        (b"\xff", "section", "fabric-section-json"),
        (b"[" * 100_000, "section", "fabric-section-json"),
        (b"1" * 10_000, "section", "fabric-section-json"),
        (b"[]", "section", "fabric-section-shape"),
        (b"NaN", "section", "fabric-section-shape"),
        (section(more=1), "section", "fabric-section-shape"),
        (section(names={}), "names", "fabric-section-shape"),
        (section(implementation=None), "implementation", "fabric-section-shape"),
        (
            section(lambda t: t["implementation"].update(aligned_bases=0)),
            "implementation.aligned_bases",
            "fabric-section-shape",
        ),
        (
            section(lambda t: t["implementation"].update(bank_function=[])),
            "implementation.bank_function",
            "fabric-section-shape",
        ),
        (
            section(lambda t: t["implementation"].update(counters=1)),
            "implementation.counters",
            "fabric-section-shape",
        ),
        (
            section(lambda t: t["implementation"].update(manager_protocol=None)),
            "implementation.manager_protocol",
            "fabric-section-shape",
        ),
        (
            section(lambda t: t["implementation"].update(memory_wrapper=1)),
            "implementation.memory_wrapper",
            "fabric-section-shape",
        ),
        (
            section(lambda t: t["implementation"].update(subordinate_protocol=4)),
            "implementation.subordinate_protocol",
            "fabric-section-shape",
        ),
        (
            section(lambda t: t["implementation"].update(issue_lanes=True)),
            "implementation.issue_lanes",
            "fabric-section-shape",
        ),
        (
            section(lambda t: t["implementation"].update(issue_lanes=1.0)),
            "implementation.issue_lanes",
            "fabric-section-shape",
        ),
        (
            section(lambda t: t["names"].update(managers={})),
            "names.managers",
            "fabric-section-shape",
        ),
        (
            section(lambda t: t["names"].update(subordinates="from0")),
            "names.subordinates",
            "fabric-section-shape",
        ),
        (
            section(lambda t: t["names"].pop("subordinates")),
            "names",
            "fabric-section-shape",
        ),
        (
            section(lambda t: t["names"].update(ports="read0")),
            "names.ports",
            "fabric-section-shape",
        ),
        (
            section(lambda t: t["names"].update(endpoints=[1])),
            "names.endpoints",
            "fabric-section-shape",
        ),
        (
            section(lambda t: t["names"].update(patterns=["direct"])),
            "names.patterns[0]",
            "fabric-section-shape",
        ),
        (SECTION.replace(b",", b", ", 1), "section", "wire-not-canonical"),
        (SECTION + b"\n", "section", "wire-not-canonical"),
        (SECTION.replace(b"read0", b"\\u0072ead0"), "section", "wire-not-canonical"),
        (
            SECTION.replace(b'"ports":', b'"ports":["x"],"ports":'),
            "section",
            "wire-not-canonical",
        ),
    ],
)
def test_other_sections_are_refused(data, where, code):
    with pytest.raises(Invalid) as caught:
        fabric_section.decode(data)
    assert [(finding.where, finding.code) for finding in caught.value.diagnostics] == [
        (where, code)
    ]


@given(st.lists(st.text(), max_size=3), st.lists(st.lists(st.text(), max_size=2), max_size=2))
def test_any_names_travel(texts, patterns):
    names = replace(
        LOAD.memories[0].names,
        endpoints=tuple(texts),
        patterns=tuple(map(tuple, patterns)),
        managers=tuple(reversed(texts)),
    )
    assert fabric_section.decode(fabric_section.encode(names, OPTIONS)) == (names, OPTIONS)


def test_an_unpaired_surrogate_is_a_name_that_can_be_read():
    names = replace(LOAD.memories[0].names, ports=("\ud800",))
    assert fabric_section.decode(fabric_section.encode(names, OPTIONS))[0] == names
