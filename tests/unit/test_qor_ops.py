"""The datapath providers that are measured: each is built, shared and in its members alone."""

# amaranth: UnusedElaboratable=no
import pytest

from fabricgen.rtl.providers.registry import PROVIDERS, provider
from fabricgen.vocab.dataflow import OperationSchemaId as O
from tools.qor import CASES, case_identity, merged
from tools.qor_ops import SCALAR_OPS, Target, members_alone
from tools.qor_table import changes, identity, table
from tools.qor_token_ops import TOKEN_OPS
from tools.qor_vector_ops import VECTOR_OPS

OPS = (*SCALAR_OPS, *VECTOR_OPS, *TOKEN_OPS)
ROW = {
    "design": "adder",
    "parameters": "wide",
    "lut4": 30,
    "lut_sum": 30,
    "comb": 60,
    "ff": 5,
    "ram": 0,
    "mult": 0,
    "fmax_mhz": 151.5,
    "latency": 2,
    "interval": 1,
    "shared": 60,
    "apart": 80,
    "rival": "208",
    "target": "<= 75 COMB",
    "met": True,
}


def ids(case):
    return f"{case.name} {case.parameters} {case.op.timing.latency_cycles}"


@pytest.mark.parametrize("case", OPS, ids=ids)
def test_each_case_and_each_member_alone_has_a_provider(case):
    for op in (case.op, *members_alone(case.op)):
        assert provider(op)


def test_every_family_that_has_a_provider_is_measured():
    assert {case.op.family for case in OPS} == set(PROVIDERS)


def test_members_that_behave_alike_count_once():
    by_name = {case.name: case for case in OPS}
    names = (
        *("integer_logic", "integer_count_zeros", "value_select", "integer_shift"),
        *("vector_compare_min_max", "vector_slice", "token_sync"),
    )
    assert {name: len(members_alone(by_name[name].op)) for name in names} == {
        "integer_logic": 3,
        "integer_count_zeros": 2,
        "value_select": 0,
        "integer_shift": 3,
        "vector_compare_min_max": 5,
        "vector_slice": 2,
        "token_sync": 0,
    }


@pytest.mark.parametrize("latency", [1, 2])
def test_a_member_alone_has_its_own_predicates_only(latency):
    (case,) = (
        case
        for case in VECTOR_OPS
        if case.name == "vector_compare_min_max" and case.op.timing.latency_cycles == latency
    )
    alone = {op.op_list[0]: op.hw_params.predicates for op in members_alone(case.op)}
    assert len(alone.pop(O.ARITH_CMPI)) == 10
    assert set(alone.values()) == {()}


def test_no_two_cases_are_taken_for_each_other():
    assert len({case_identity(case) for case in CASES}) == len(CASES)


def test_both_shapes_of_both_dividers_are_measured():
    shapes = [
        (case.name, case.op.timing.initiation_interval_cycles)
        for case in SCALAR_OPS
        if case.name.endswith("div_rem")
    ]
    assert sorted(shapes) == [
        ("signed_integer_div_rem", 1),
        ("signed_integer_div_rem", 34),
        ("unsigned_integer_div_rem", 1),
        ("unsigned_integer_div_rem", 33),
    ]


@pytest.mark.parametrize(
    ("figures", "met"),
    [
        ((75, 150.0, 4), True),
        ((76, 150.0, 4), False),
        ((75, 149.9, 4), False),
        ((75, 150.0, 5), False),
        ((None, 150.0, 4), False),
        ((75, None, 4), False),
    ],
)
def test_a_target_is_met_by_all_of_its_figures(figures, met):
    assert Target(comb=75, mhz=150, mult=4).is_met(*figures) is met


def test_a_target_says_what_it_limits():
    assert str(Target(comb=75, mhz=150, mult=4)) == "<= 75 COMB, <= 4 MULT18, >= 150 MHz"
    assert Target(mhz=90).is_met(None, 90.0, 9)


def test_a_provider_has_a_line_of_its_own():
    line = (
        "| `adder` | 60 | 5 | 0 | 151.5 | 60 | 80 | 25 % | 2 | 1 | 208 | <= 75 COMB: met | wide |"
    )
    assert table([ROW]).splitlines()[-1] == line
    missed = table([ROW | {"met": False, "apart": None, "fmax_mhz": None}]).splitlines()[-1]
    assert missed == (
        "| `adder` | 60 | 5 | 0 | - | 60 | - | - | 2 | 1 | 208 | <= 75 COMB: missed | wide |"
    )


def test_another_latency_is_another_design():
    later = ROW | {"latency": 3, "comb": 61}
    assert changes([later], [ROW]) == []
    assert changes([ROW | {"comb": 61}], [ROW, later]) == ["adder (wide) COMB: 60 -> 61"]


def test_new_figures_take_the_place_of_recorded_ones_in_the_order_of_the_cases():
    first, second = (
        {"design": case.name, "parameters": case.parameters, "comb": 1} for case in CASES[:2]
    )
    unknown = first | {"design": "gone"}
    assert merged([second | {"comb": 2}], [second, unknown, first]) == [first, second | {"comb": 2}]
    assert identity(first) == case_identity(CASES[0])
