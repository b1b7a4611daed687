"""The datapath providers that are measured: each is built, shared and in its members alone."""

# amaranth: UnusedElaboratable=no
import pytest

from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.families import ImplementationFamilyId as F
from tools.qor_ops import OPS, members_alone

SCALAR_INTEGERS = {
    *(family for family in F if family.name.startswith("SCALAR_INTEGER_")),
    F.SCALAR_VALUE_SELECT,
    F.SCALAR_BIT_REINTERPRET,
    F.SCALAR_SIGNED_INTEGER_DIV_REM,
    F.SCALAR_UNSIGNED_INTEGER_DIV_REM,
} - {F.SCALAR_INTEGER_TO_FLOAT}


@pytest.mark.parametrize("case", OPS, ids=lambda case: f"{case.name} {case.parameters}")
def test_each_case_and_each_member_alone_has_a_provider(case):
    for op in (case.op, *members_alone(case.op)):
        assert provider(op)


def test_every_scalar_integer_family_is_measured():
    assert {case.op.family for case in OPS} >= SCALAR_INTEGERS


def test_members_that_behave_alike_count_once():
    by_name = {case.name: case for case in OPS}
    counts = {
        name: len(members_alone(by_name[name].op))
        for name in ("integer_logic", "integer_count_zeros", "value_select", "integer_shift")
    }
    assert counts == {
        "integer_logic": 3,
        "integer_count_zeros": 2,
        "value_select": 0,
        "integer_shift": 3,
    }
