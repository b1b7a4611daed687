"""Bindings, proxies and exposures of a mapping: what they come to, and each that is refused."""

from dataclasses import replace

import pytest

from fabricgen.author.mapping import parse_mapping
from fabricgen.errors import Invalid, Unsupported
from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.rows import (
    AddressSpaceMatch,
    ContextMatch,
    Disabled,
    PrefixMatch,
    ProviderDecodeRow,
    RangeMatch,
)
from fabricgen.records.fabric import Fabric
from tests.codes.inputs import POINTERS
from tests.support.documents import changed, toml
from tests.support.memories import LOCAL, replaced
from tests.support.subordinates import (
    CONTEXT,
    EXT0,
    NONE,
    OFFSET,
    PREFIX,
    RANGE,
    SPACE,
    dispatch,
    exposed_memory,
)

REGIONS = [(0x0, 0x400), (0x800, 0x400)]
NAMED = exposed_memory(
    dispatch(2, (RANGE,)), dispatch(3, (PREFIX, SPACE, CONTEXT)), regions=REGIONS
)
LOAD = {
    "form": "element",
    "element_bits": 32,
    "lanes": 1,
    "mask": "absent",
    "index_bits": 32,
    "pattern": "direct0",
}
ROW = {"name": "reader", "port": "port0", "load": LOAD}
HIGH = {"name": "high", "region": 1, "offset": 0x40, "size": 0x100}
FAR = {"name": "far", "manager": "ext0", "base": 0x1000}


def mapping(**memory):
    good = {"binding": [HIGH], "proxy": [FAR]}
    return {"fabric": "f", "memory": {"mem0": good | memory}}


def mapped(document, named=NAMED):
    (configuration,) = parse_mapping(toml(document), Fabric("f", (named,))).memories
    if not isinstance(configuration, Disabled):
        assert configuration_findings(named, configuration) == ()
    return configuration


def refused(document, named=NAMED):
    with pytest.raises(Invalid) as caught:
        mapped(document, named)
    return [
        (each.where.removeprefix("memory.mem0."), each.code) for each in caught.value.diagnostics
    ]


def message(document, named=NAMED):
    with pytest.raises(Invalid) as caught:
        mapped(document, named)
    (finding,) = caught.value.diagnostics
    return finding.message


def exposed(*exposures, named=NAMED, **memory):
    return mapped(mapping(exposure=list(exposures), **memory), named).provider_decode


# Rows


@pytest.mark.parametrize(
    ("keys", "base", "target"),
    [
        ({"binding": "high"}, 0x840, LOCAL),
        ({"binding": "high", "base": 0xFF}, 0x93F, LOCAL),
        ({"binding": "high", "base": 0, "target": "local"}, 0x840, LOCAL),
        ({"binding": "far"}, 0x1000, EXT0),
        ({"binding": "far", "base": 0x20}, 0x1020, EXT0),
        ({"binding": "far", "base": 2**64 - 0x1001, "target": "ext0"}, 2**64 - 1, EXT0),
        ({"target": "local", "base": 0x10}, 0x10, LOCAL),
    ],
)
def test_a_row_takes_its_target_and_its_start_from_its_binding(keys, base, target):
    (row,) = mapped(mapping(row=[ROW | keys])).operation_rows
    assert (row.base_addr, row.service_target) == (base, target)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"binding": "high", "base": 0x100}, [("row[0].base", "row-outside-binding")]),
        ({"binding": "far", "base": 2**64 - 0x1000}, [("row[0].base", "row-outside-binding")]),
        ({"binding": "high", "target": "ext0"}, [("row[0].target", "row-binding-target")]),
        ({"binding": "far", "target": "local"}, [("row[0].target", "row-binding-target")]),
        ({"binding": "low"}, [("row[0].binding", "unknown-name")]),
        ({"binding": "low", "target": "local"}, [("row[0].binding", "unknown-name")]),
        ({"base": 0}, [("row[0].target", "missing-key")]),
        ({"target": "local"}, [("row[0].base", "missing-key")]),
    ],
)
def test_a_row_and_its_binding_agree(keys, expected):
    found = refused(mapping(row=[ROW | keys]))
    assert [each for each in found if each[1] != "row-base-range"] == expected


def test_a_row_reaches_a_binding_only_through_h_dispatch():
    near = exposed_memory(dispatch(), managers=1, regions=REGIONS)
    ports = near.occurrence.connectivity.operation_ports
    assert ports[0].capability_target_domains == ((LOCAL, EXT0),)
    local = replace(
        near.occurrence.connectivity,
        operation_ports=(replace(ports[0], capability_target_domains=((LOCAL,),)),),
    )
    near = replaced(near, connectivity=local)
    assert refused(mapping(row=[ROW | {"binding": "far"}]), near) == [
        ("row[0].binding", "row-target")
    ]
    (row,) = mapped(mapping(row=[ROW | {"binding": "high"}]), near).operation_rows
    assert row.service_target == LOCAL


def test_a_row_of_pointers_takes_the_target_of_its_binding_and_no_base():
    pointer = {"address_space": 0, "representation_bits": 64, "address_bits": 48}
    load = {key: value for key, value in LOAD.items() if key != "index_bits"}
    chase = ROW | {"load": load | {"element_bits": 64, "pointer": pointer}, "binding": "far"}
    (row,) = mapped(mapping(binding=[], row=[chase]), POINTERS).operation_rows
    assert (row.base_addr, row.service_target) == (0, EXT0)
    assert refused(mapping(binding=[], row=[chase | {"base": 0}]), POINTERS) == [
        ("row[0].base", "row-base-unused")
    ]


def test_a_fence_goes_through_no_binding():
    fence = {"ordering": "seq_cst", "sync_scope": "system", "pattern": "direct0"}
    row = {"name": "f", "port": "port0", "fence": fence, "target": "local", "binding": "high"}
    assert ("row[0].binding", "unknown-key") in refused(mapping(row=[row]))


# Bindings and proxies


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"region": 2}, ("binding[0].region", "binding-region")),
        ({"offset": 0x301}, ("binding[0]", "binding-outside-region")),
        ({"size": 0x3C1}, ("binding[0]", "binding-outside-region")),
        ({"offset": 2**64 - 1, "size": 2**64 - 1}, ("binding[0]", "binding-outside-region")),
    ],
)
def test_a_binding_lies_in_a_region(changes, expected):
    used = {"row": [ROW | {"binding": "high"}]}
    assert refused(mapping(binding=[HIGH | changes], **used)) == [expected]


@pytest.mark.parametrize("changes", [{"offset": 0x300}, {"size": 0x3C0}, {"region": 0}])
def test_a_binding_may_end_where_its_region_ends(changes):
    mapped(mapping(binding=[HIGH | changes], row=[ROW | {"binding": "high"}]))


def test_bindings_may_lie_over_one_another():
    other = HIGH | {"name": "alias", "offset": 0x80}
    assert mapped(mapping(binding=[HIGH, other])) == Disabled()


def test_a_binding_needs_a_local_service_and_a_proxy_a_manager():
    storage = exposed_memory(dispatch(1, (), NONE, (LOCAL,)), engine=False, managers=0)
    assert refused(mapping(), storage) == [
        ("binding[0].region", "binding-region"),
        ("proxy[0].manager", "unknown-name"),
    ]
    assert mapped(mapping(binding=[HIGH | {"region": 0}], proxy=[]), storage) == Disabled()


def test_bindings_and_proxies_have_names_of_their_own():
    twice = mapping(proxy=[FAR | {"name": "high"}])
    assert refused(twice) == [("proxy[0].name", "duplicate-name")]


# Exposures


def test_an_exposure_without_a_range_is_that_of_its_binding():
    rows, others = exposed({"subordinate": "from0", "binding": "high"})
    assert rows == (ProviderDecodeRow((RangeMatch(0x840, 0x100),), LOCAL, 0), None)
    assert others == (None, None, None)


def test_the_first_address_of_a_range_reaches_the_first_byte():
    match = {"range": {"base": 0x2000, "size": 0x80}}
    (row, _), _ = exposed({"subordinate": "from0", "binding": "high", "match": match})
    assert row.match == (RangeMatch(0x2000, 0x80),)
    assert (0x2000 + row.base_offset) % 2**64 == 0x840


def test_an_exposure_of_a_proxy_goes_to_its_manager():
    match = {"range": {"base": 0x10, "size": 0x80}}
    (row, _), _ = exposed({"subordinate": "from0", "binding": "far", "match": match})
    assert row == ProviderDecodeRow((RangeMatch(0x10, 0x80),), EXT0, 0xFF0)


def test_each_declared_field_is_written():
    match = {"prefix": {"value": 0x4000, "length": 56}, "address_space": 3, "context": 2**64 - 1}
    _, (row, *_) = exposed({"subordinate": "from1", "binding": "high", "match": match})
    assert row == ProviderDecodeRow(
        (PrefixMatch(0x4000, 56), AddressSpaceMatch(3), ContextMatch(2**64 - 1)),
        LOCAL,
        (0x840 - 0x4000) % 2**64,
    )


def test_exposures_may_be_written_in_any_order():
    low = {
        "subordinate": "from0",
        "binding": "far",
        "match": {"range": {"base": 0x0, "size": 0x80}},
    }
    high = {"subordinate": "from0", "binding": "high"}
    assert exposed(low, high) == exposed(high, low)
    (first, second), _ = exposed(high, low)
    assert (first.service_target, second.service_target) == (EXT0, LOCAL)


def test_one_binding_without_a_match_begins_at_address_0():
    named = exposed_memory(dispatch(1, (), OFFSET), engine=False)
    binding = HIGH | {"region": 0}
    (rows,) = exposed({"subordinate": "from0", "binding": "high"}, named=named, binding=[binding])
    assert rows == (ProviderDecodeRow((), LOCAL, 0x40),)


def test_address_spaces_alone_begin_at_address_0():
    """They bound no addresses; which the first byte has is then a convention."""
    named = exposed_memory(dispatch(2, (SPACE,)), regions=REGIONS)
    spaces = [
        {"subordinate": "from0", "binding": name, "match": {"address_space": space}}
        for name, space in (("far", 2), ("high", 1))
    ]
    (rows,) = exposed(*spaces, named=named)
    assert rows == (
        ProviderDecodeRow((AddressSpaceMatch(1),), LOCAL, 0x840),
        ProviderDecodeRow((AddressSpaceMatch(2),), EXT0, 0x1000),
    )


def test_rows_and_exposures_go_through_the_same_bindings():
    configuration = mapped(
        mapping(
            row=[ROW | {"binding": "high", "base": 4}],
            exposure=[{"subordinate": "from0", "binding": "high"}],
        )
    )
    (row,), ((decoded, _), _) = configuration.operation_rows, configuration.provider_decode
    assert row.base_addr == decoded.match[0].base + 4


EXPOSURE = {"subordinate": "from0", "binding": "high"}
RANGED = EXPOSURE | {"match": {"range": {"base": 0x2000, "size": 0x100}}}
PREFIXED = {
    "subordinate": "from1",
    "binding": "high",
    "match": {"prefix": {"value": 0x4000, "length": 56}, "address_space": 3, "context": 0},
}


@pytest.mark.parametrize(
    ("good", "at", "value", "expected"),
    [
        (EXPOSURE, ("subordinate",), "from2", ("subordinate", "unknown-name")),
        (EXPOSURE, ("binding",), "low", ("binding", "unknown-name")),
        (RANGED, ("match", "context"), 1, ("match.context", "decode-match-fields")),
        (PREFIXED, ("match", "context"), None, ("match.context", "missing-key")),
        (PREFIXED, ("match", "prefix"), None, ("match.prefix", "missing-key")),
        (EXPOSURE, ("binding",), "far", ("match.range", "missing-key")),
        (RANGED, ("match", "range", "size"), 0x101, ("match", "exposure-outside-binding")),
        (PREFIXED, ("match", "prefix", "length"), 55, ("match", "exposure-outside-binding")),
        (PREFIXED, ("match", "prefix", "value"), 0x4080, ("match.prefix", "decode-prefix")),
    ],
)
def test_each_rule_of_an_exposure_rejects(good, at, value, expected):
    mapped(mapping(exposure=[good]))
    where, code = expected
    assert refused(mapping(exposure=[changed(good, at, value)])) == [(f"exposure[0].{where}", code)]


def test_a_range_ends_at_a_representable_address():
    ranged = EXPOSURE | {"match": {"range": {"base": 2**64 - 0x100, "size": 0xFF}}}
    mapped(mapping(exposure=[ranged]))
    longer = changed(ranged, ("match", "range", "size"), 0x100)
    assert refused(mapping(exposure=[longer])) == [("exposure[0].match.range", "decode-range")]


BOTH = {"range": {"base": 0x20F0, "size": 0x100}, "prefix": {"value": 0x2100, "length": 56}}


@pytest.mark.parametrize(
    ("at", "value", "expected"),
    [
        (("prefix", "value"), 0x2000, []),
        (("prefix", "value"), 0x1F00, [("exposure[0].match", "decode-match-empty")]),
        (("prefix", "value"), 0x2200, [("exposure[0].match", "decode-match-empty")]),
        (("prefix", "length"), 55, [("exposure[0].match.prefix", "decode-prefix")]),
        (("range", "size"), 0x101, [("exposure[0].match", "exposure-outside-binding")]),
        (("range", "size"), 0x2000, [("exposure[0].match", "exposure-outside-binding")]),
    ],
)
def test_the_range_decides_which_address_is_first_and_a_prefix_beside_it_cuts(at, value, expected):
    named = exposed_memory(dispatch(2, (RANGE, PREFIX)), regions=REGIONS)
    ((row, _),) = exposed(EXPOSURE | {"match": BOTH}, named=named)
    assert (0x20F0 + row.base_offset) % 2**64 == 0x840
    document = mapping(exposure=[EXPOSURE | {"match": changed(BOTH, at, value)}])
    if expected:
        assert refused(document, named) == expected
    else:
        mapped(document, named)


def test_a_target_lies_in_h_dispatch():
    named = exposed_memory(dispatch(targets=(LOCAL,)), regions=REGIONS)
    match = {"range": {"base": 0, "size": 1}}
    far = {"subordinate": "from0", "binding": "far", "match": match}
    document = mapping(exposure=[far])
    assert refused(document, named) == [("exposure[0].binding", "decode-target")]
    assert message(document, named) == (
        "The target of far must be a target of the subordinate, local, not ext0"
    )
    mapped(mapping(exposure=[EXPOSURE]), named)


@pytest.mark.parametrize(
    ("base", "expected"), [(0x840, []), (0x841, [("exposure[0].match", "exposure-address")])]
)
def test_without_a_transform_addresses_are_those_of_the_service(base, expected):
    named = exposed_memory(dispatch(transform=NONE), regions=REGIONS)
    match = {"range": {"base": base, "size": 0x80}}
    document = mapping(exposure=[EXPOSURE | {"match": match}])
    if expected:
        assert refused(document, named) == expected
    else:
        (row, _) = mapped(document, named).provider_decode[0]
        assert row.base_offset == 0


def test_a_subordinate_exposes_as_many_bindings_as_it_can():
    def ranged(base):
        return EXPOSURE | {"match": {"range": {"base": base, "size": 0x80}}}

    mapped(mapping(exposure=[ranged(0x1000), ranged(0x2000)]))
    three = mapping(exposure=[ranged(0x1000), ranged(0x2000), ranged(0x0)])
    assert refused(three) == [("exposure[2].subordinate", "exposure-count")]


def test_two_exposures_of_one_endpoint_are_told_apart():
    both = mapping(exposure=[EXPOSURE, RANGED | {"match": {"range": {"base": 0x8C0, "size": 8}}}])
    assert refused(both) == [("exposure[1].match", "decode-overlap")]
    assert "not those of high and high: " in message(both)


def test_exposures_of_a_hostile_bound_are_unsupported():
    named = exposed_memory(dispatch(2**64 - 1), regions=REGIONS)
    with pytest.raises(Unsupported, match=r"^memory\.mem0: .*\[subordinate-binding-limit\]$"):
        mapped(mapping(exposure=[EXPOSURE]), named)
    assert mapped(mapping(), named) == Disabled()
