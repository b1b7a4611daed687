"""Promises of progress that the hardware keeps, and those that it does not."""

import pytest

from fabricgen.author.fabric import parse_fabric
from fabricgen.plan.completion import completion_cycles
from fabricgen.plan.realisation import unsupported
from tests.support.atomic_text import atomic_fabric
from tests.support.subordinates import dispatch, exposed_memory

_ACCESS = (
    'access = [{ form = "element", address = { root_relative = [32] }, element_bits = [32], '
    'lanes = [1], mask = ["absent"], alignment = "any", read_subword = ["exact"]%s }]'
)
_LOAD = "contract = [{ plain = { volatile = [false] } }]", _ACCESS % ""
_RMW = (
    'contract = [{ kinds = ["add"], orderings = ["monotonic"], sync_scopes = ["system"], '
    'granularity = ["absent"], volatile = [false] }]',
    _ACCESS % ', write_subword = ["exact"]',
)
_ENDPOINTS = (("addr", "in", 32), ("data", "in", 32), ("ctrl", "in", 0))
_ENDPOINTS += (("old", "out", 32), ("done", "out", 0))
_FAIR = '"fair_eventual"'
_ROLES = "address = 'p{0}_addr', control = 'p{0}_ctrl', completion = 'p{0}_done', "
#: What each actor says of itself, and its roles at a port.
_ACTORS = {
    "rmw": (_RMW, _ROLES + "update = 'p{0}_data', old = 'p{0}_old'"),
    "load": (_LOAD, _ROLES + "data = 'p{0}_old'"),
}


def document(*, grant, first="rmw", outstanding=8, queue=4, progress=_FAIR, subordinate=""):
    """A port of the first actor, one that loads, at one local service; and a host if given."""
    lines = ["[fabric]", 'name = "two"', "[[memory]]", 'name = "mem0"', 'schedule = "spatial"']
    lines += [
        "endpoints = [",
        *(
            f'  {{ name = "p{port}_{name}", dir = "{way}", bits = {bits} }},'
            for port in range(2)
            for name, way, bits in _ENDPOINTS
            if name != "data" or (port == 0 and first == "rmw")
        ),
        "]",
    ]
    for port, kind in enumerate((first, "load")):
        said, roles = _ACTORS[kind]
        lines += [
            "[[memory.port]]",
            f'name = "port{port}"',
            "resources = { in_flight = 4, result_holding = 4, operand_depth = 2 }",
            'patterns = [{ name = "way", projection = "direct" }]',
            f"[[memory.port.{kind}]]",
            f"roles = {{ {roles.format(port)} }}",
            *said,
            'patterns = ["way"]',
            'targets = ["local"]',
        ]
    lines += [subordinate]
    lines += [
        "[memory.local]",
        "capacity_bytes = 1024",
        "regions = [{ base = 0, size = 1024, storage = {} }]",
        f"resources = {{ banks = 1, outstanding = {outstanding}, queue = {queue}, "
        f"grant = {{ {grant} }} }}",
    ]
    for kind in sorted({first, "load"}):
        provider = f'{{ release_visibility = "at_linearization", progress = {progress} }}'
        lines += [
            "[[memory.local.capabilities]]",
            f"[memory.local.capabilities.{kind}]",
            *_ACTORS[kind][0],
            "beat_bits = 32",
            "regions = [0]",
            f"consistency = {{ local_provider = {provider} }}",
        ]
    return "\n".join(lines)


def turns(first=0):
    return f"round_robin = {{ reset_cursor = {first} }}"


def refused(text):
    return [str(finding) for finding in unsupported(parse_fabric(text))]


def codes(text):
    return {finding.code for finding in unsupported(parse_fabric(text))}


@pytest.mark.parametrize("contexts", [None, 4])
def test_a_bound_is_kept_from_the_needed_cycles_on(contexts):
    text = atomic_fabric(contexts, only={"rmw"}, targets=["local"], cycles=10**9)
    (named,) = parse_fabric(text).memories
    needed = completion_cycles(named, 0)
    for cycles, expected in ((needed - 1, {"consistency-progress"}), (needed, set())):
        assert codes(text.replace(str(10**9), str(cycles))) == expected


def test_a_fixed_priority_starves_all_but_the_first():
    assert refused(document(grant='fixed_priority = { order = ["port0", "port1"] }')) == [
        "memory[0].local_service.memory_service_contract.capabilities[0].consistency_binding: "
        "Port 1 must not be kept waiting for ever, as fixed_priority allows: it must be the first "
        "in the order, or the grant round_robin [consistency-progress]"
    ]


def test_whoever_comes_first_waits_for_nobody():
    (first,) = parse_fabric(
        document(grant='fixed_priority = { order = ["port0", "port1"] }')
    ).memories
    (shared,) = parse_fabric(document(grant=turns())).memories
    assert completion_cycles(first, 1) is None
    assert completion_cycles(first, 0) < completion_cycles(shared, 0)


@pytest.mark.parametrize("short", [{"outstanding": 2}, {"queue": 1}])
def test_fewer_units_take_longer(short):
    (many,) = parse_fabric(document(grant=turns())).memories
    (few,) = parse_fabric(document(grant=turns(), **short)).memories
    assert completion_cycles(few, 0) > completion_cycles(many, 0)


def test_a_subordinate_is_promised_no_bound():
    host = (
        '[[memory.subordinate]]\nname = "host"\nbeat_bits = 32\nmax_exposed_bindings = 1\n'
        'match = []\ntransform = "none"\ntargets = ["local"]'
    )
    bound = "{ bounded_completion_cycles = 100000 }"
    loads = {"grant": turns(), "first": "load"}
    assert refused(document(**loads, subordinate=host)) == []
    assert refused(document(**loads, progress=bound)) == []
    assert refused(document(**loads, progress=bound, subordinate=host)) == [
        "memory[0].local_service.memory_service_contract.capabilities[0].consistency_binding: "
        "The progress of accesses of a subordinate must be fair_eventual, not a bound "
        "[consistency-progress]"
    ]


def test_a_bound_needs_an_engine_and_a_service():
    named = exposed_memory(dispatch(), engine=False)
    with pytest.raises(ValueError, match=r" must have an engine and a local service$"):
        completion_cycles(named, 0)
