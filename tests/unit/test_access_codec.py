import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.atoms.finite import FiniteDomain
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.errors import Invalid
from fabricgen.records import access_codec
from fabricgen.records.access import (
    ACCESS_STRUCTURAL,
    OrdinaryData,
    PointerAddressed,
    PointerFormat,
)
from fabricgen.relation import codec
from fabricgen.vocab.dataflow import MemoryAddressForm
from tests.support.capabilities import (
    CONTIGUOUS,
    ELEMENT,
    LOAD,
    UNMASKED,
    access,
    domain,
    masked,
    masked_classes,
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
FEWER = settings(max_examples=40)

DOMAINS = st.lists(masked_classes(), min_size=1, max_size=3).map(lambda each: domain(*each))
SMALL = access_codec.encode(domain(access(ELEMENT, element=(8, (16, 32)))))
SMALL_ROW = SMALL[16:]
ROWS = domain(access(ELEMENT), access(CONTIGUOUS)).rows


def codes(caught):
    return [finding.code for finding in caught.value.diagnostics]


@FEWER
@given(DOMAINS)
def test_round_trip(record):
    assert access_codec.decode(access_codec.encode(record)) == record


@FEWER
@given(DOMAINS, st.data())
def test_one_record_has_one_encoding(record, data):
    reads_as_itself(access_codec, flip(access_codec.encode(record), data))


def test_every_prefix_and_extension_is_refused():
    refuses_every_prefix_and_extension(access_codec, SMALL)


def test_every_bit_flip_is_refused_or_another_record():
    survives_bit_flips(access_codec, SMALL)


def test_bytes_are_pinned():
    """One class, field by field as the specification lists them."""
    record = domain(
        access(CONTIGUOUS, element=(8, (16, 32)), mask_inactive_pairs=[UNMASKED, masked(LOAD)])
    )
    absent = framed(dataflow("memory-mask-form", 1)) + u32(0)
    dynamic = framed(dataflow("memory-mask-form", 2)) + u32(2)

    def finite(*atoms):
        return u32(0) + u64(len(atoms)) + b"".join(map(framed, atoms))

    def unsigned(*bounds):
        return u32(1) + u64(len(bounds)) + b"".join(u64(a) + u64(b) for a, b in bounds)

    fields = [
        finite(dataflow("memory-access-form", 2)),
        finite(dataflow("memory-address-form", 1)),
        unsigned((32, 32)),
        finite(u32(0)),
        unsigned((8, 8), (16, 32)),
        unsigned((4, 4)),
        finite(absent, dynamic),
        unsigned((0, 63)),
        finite(u32(2)),
        finite(u32(0)),
    ]
    row = u64(10) + b"".join(map(framed, fields))
    assert access_codec.encode(record) == u64(1) + framed(row)


@pytest.mark.parametrize(
    ("wire", "code", "where"),
    [
        (u64(2**63), "wire-truncated", "rows"),
        (u64(0), "relation-empty", "rows"),
        (u64(1) + framed(u64(2**60)), "wire-truncated", "rows[0]"),
        (u64(1) + framed(u64(0) + b"x"), "relation-field-count", "rows[0]"),
        (u64(1) + framed(u64(11) + framed(b"") * 11), "relation-field-count", "rows[0]"),
        (u64(1) + framed(u64(10) + framed(u32(2)) * 10), "wire-unknown-tag", "rows[0].field[0]"),
        (
            u64(1) + framed(u64(10) + framed(u32(0) + u64(0)) * 10),
            "domain-empty",
            "rows[0].field[0].domain",
        ),
        (
            u64(1) + framed(u64(10) + framed(u32(1) + u64(0)) * 10),
            "domain-empty",
            "rows[0].field[0].domain",
        ),
        (u64(1) + framed(SMALL_ROW + b"x"), "wire-trailing", "rows[0]"),
        (
            u64(1) + framed(u64(10) + framed(u32(0) + u64(0) + b"x") * 10),
            "wire-trailing",
            "rows[0].field[0]",
        ),
        (
            u64(1) + framed(u64(10) + framed(u32(1) + u64(0) + b"x") * 10),
            "wire-trailing",
            "rows[0].field[0]",
        ),
        (
            u64(1) + framed(u64(10) + framed(u32(1) + u64(1) + u64(2) + u64(1)) * 10),
            "interval-out-of-range",
            "rows[0].field[0].interval",
        ),
        (
            u64(1) + framed(u64(10) + framed(u32(0) + u64(2) + framed(b"b") + framed(b"a")) * 10),
            "domain-not-canonical",
            "rows[0].field[0].domain",
        ),
        (
            u64(1) + framed(u64(10) + framed(u32(1) + u64(1) + u64(1) + u64(1)) * 10),
            "relation-structural-field",
            "rows.field[0]",
        ),
    ],
)
def test_framing_is_strict(wire, code, where):
    with pytest.raises(Invalid) as caught:
        access_codec.decode(wire)
    (finding,) = caught.value.diagnostics
    assert (finding.code, finding.where) == (code, where)


def test_more_rows_than_a_normal_form_may_have_are_refused_before_they_are_read():
    with pytest.raises(Invalid) as caught:
        access_codec.decode(u64(100_001) + bytes(16 * 100_001))
    assert str(caught.value) == (
        "relation: A relation must take at most 100000 canonical rows, not 100001 "
        "[relation-too-large]"
    )


def test_rows_in_another_order_are_refused():
    with pytest.raises(Invalid) as caught:
        access_codec.decode(codec.encode(ROWS[::-1]))
    assert codes(caught) == ["relation-order"]


def test_another_decomposition_of_the_same_relation_is_refused():
    """{32} x {1, 2}: two classes of one lane count each instead of one class."""
    lanes = [access(CONTIGUOUS, lanes=(count,)).row for count in (1, 2)]
    with pytest.raises(Invalid) as caught:
        access_codec.decode(codec.encode(lanes))
    assert codes(caught) == ["relation-not-canonical"]


def test_overlapping_classes_are_refused():
    rows = [access(CONTIGUOUS, lanes=((1, 2),)).row, access(CONTIGUOUS, lanes=((1, 3),)).row]
    with pytest.raises(Invalid) as caught:
        access_codec.decode(codec.encode(rows))
    assert codes(caught) == ["relation-overlap"]


def changed(row, field, domain_of_field):
    return (*row[:field], domain_of_field, *row[field + 1 :])


def test_every_field_refuses_the_other_kind_of_domain():
    row = access().row
    other = {True: access().element_width_bits, False: FiniteDomain.of(b"x")}
    for field in range(2, 10):
        wire = codec.encode([changed(row, field, other[isinstance(row[field], FiniteDomain)])])
        with pytest.raises(Invalid) as caught:
            access_codec.decode(wire)
        assert codes(caught) == ["relation-domain-kind"]


def test_unknown_atoms_of_every_row_are_reported():
    rows = [changed(row, 8, FiniteDomain.of(u32(7))) for row in ROWS]
    with pytest.raises(Invalid) as caught:
        access_codec.decode(codec.encode(rows))
    assert [(finding.where, finding.code) for finding in caught.value.diagnostics] == [
        ("access_classes[0].read_subword", "atom-unknown"),
        ("access_classes[1].read_subword", "atom-unknown"),
    ]


def pointer_rows():
    pointers = FiniteDomain.of(dataflow("memory-address-form", 2))
    formats = FiniteDomain.of(u32(0) + u32(64) + u32(48) + u32(0))
    return [changed(changed(row, 1, pointers), 2, formats) for row in ROWS]


def test_pointer_addresses_have_formats_in_the_place_of_index_widths():
    record = access_codec.decode(codec.encode(pointer_rows()))
    assert record.access_classes[0].address_domain == PointerAddressed((PointerFormat(0, 64, 48),))
    assert record.access_classes[0].root_relative_index_widths is None
    assert access_codec.encode(record) == codec.encode(pointer_rows())


def test_pointer_rows_must_be_canonical_too():
    with pytest.raises(Invalid) as caught:
        access_codec.decode(codec.encode(pointer_rows()[::-1]))
    assert codes(caught) == ["relation-order"]


def test_pointer_data_stands_beside_ordinary_data():
    formats = FiniteDomain.of(u32(0), u32(1) + u32(0) + u32(64) + u32(48) + u32(0))
    row = changed(changed(ROWS[0], 3, formats), 4, UnsignedDomain.of(64))
    record = access_codec.decode(codec.encode([row]))
    assert record.access_classes[0].data_pointer_formats == (
        OrdinaryData(),
        PointerFormat(0, 64, 48),
    )
    assert access_codec.encode(record) == codec.encode([row])


def test_a_pointer_format_is_a_tag_and_four_words():
    for atom in (u32(1), u32(1) + bytes(12), u32(2) + bytes(16)):
        with pytest.raises(Invalid) as caught:
            access_codec.decode(codec.encode([changed(ROWS[0], 3, FiniteDomain.of(atom))]))
        assert codes(caught) == ["atom-unknown"]


@pytest.mark.parametrize(
    ("field", "domain", "code"),
    [
        (2, UnsignedDomain.of(32), "relation-domain-kind"),
        (4, UnsignedDomain.of((0, 8)), "access-not-positive"),
        (5, UnsignedDomain.of(2), "access-element-lanes"),
        (8, FiniteDomain.of(u32(7)), "atom-unknown"),
    ],
)
def test_what_is_illegal_in_a_pointer_row(field, domain, code):
    row = changed(pointer_rows()[0], field, domain)
    with pytest.raises(Invalid) as caught:
        access_codec.decode(codec.encode([row]))
    assert codes(caught) == [code]


def test_the_two_forms_partition_the_relation():
    assert ACCESS_STRUCTURAL == (True, True) + (False,) * 8
    assert MemoryAddressForm.ROOT_RELATIVE.value == 1
