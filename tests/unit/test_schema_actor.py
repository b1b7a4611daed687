from dataclasses import replace

import pytest

from fabricgen.errors import Invalid
from fabricgen.schema.actor import CanonicalMemoryAccessView
from fabricgen.vocab.dataflow import MemoryAddressForm
from tests.support.memories import ABSENT, CONTIGUOUS, DYNAMIC, ELEMENT, INDEXED, view


def test_a_contiguous_access_has_one_address_and_an_indexed_one_an_address_per_lane():
    vector = view(CONTIGUOUS, element=16, lanes=8, mask=DYNAMIC, index=64)
    assert (vector.address_count, vector.address_bits) == (1, 64)
    assert (vector.data_bits, vector.mask_bits) == (128, 8)
    gather = view(INDEXED, element=16, lanes=8, index=64)
    assert (gather.address_count, gather.address_bits) == (8, 512)
    assert (gather.data_bits, gather.mask_bits) == (128, 0)


@pytest.mark.parametrize(
    ("changes", "codes"),
    [
        ({"element_bits": 0}, ["access-view-range"]),
        ({"lane_count": -1}, ["access-view-range"]),
        ({"address_lane_bits": 2**64}, ["access-view-range", "access-view-overflow"]),
        ({"source_alignment_bytes": 0}, ["access-view-alignment"]),
        ({"source_alignment_bytes": 3}, ["access-view-alignment"]),
        ({"source_alignment_bytes": 2**64}, ["access-view-alignment"]),
        ({"element_bits": 0, "address_lane_bits": 0}, ["access-view-range"] * 2),
    ],
)
def test_a_view_holds_positive_counts_and_a_power_of_two(changes, codes):
    with pytest.raises(Invalid) as error:
        replace(view(CONTIGUOUS, lanes=4), **changes)
    assert [d.code for d in error.value.diagnostics] == codes


def test_the_widths_of_tokens_are_checked_products():
    assert view(INDEXED, element=2**30, lanes=2**33, index=2).data_bits == 2**63
    for token, fields in (("data_bits", {"element": 2**31}), ("address_bits", {"index": 2**31})):
        with pytest.raises(Invalid) as error:
            view(INDEXED, **{"element": 2, "lanes": 2**33, "index": 2} | fields)
        found = [(each.where, each.code) for each in error.value.diagnostics]
        assert found == [(token, "access-view-overflow")]


def test_an_element_access_has_one_lane_and_no_mask():
    with pytest.raises(Invalid) as error:
        CanonicalMemoryAccessView(ELEMENT, MemoryAddressForm.ROOT_RELATIVE, 32, 4, DYNAMIC, 32)
    assert [str(d) for d in error.value.diagnostics] == [
        "lane_count: An element access has exactly 1 lane, not 4 [access-view-lanes]",
        "mask_form: An element access has no mask, not a dynamic one [access-view-mask]",
    ]
    assert view(ELEMENT, mask=ABSENT).lane_count == 1
