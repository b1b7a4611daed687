"""One bad fabric document per line: its exact findings, all of them, in one run."""

import pytest

from fabricgen.author.fabric import parse_fabric
from fabricgen.errors import Invalid
from tests.support.documents import changed, fabric_document, toml

M = ("memory", 0)
READ, WRITE, LOCAL = (*M, "port", 0), (*M, "port", 1), (*M, "local")
LOAD, STORE = (*READ, "load", 0), (*WRITE, "store", 0)
ELEMENT, VECTOR = (*LOAD, "access", 0), (*LOAD, "access", 1)
SERVED_LOAD = (*LOCAL, "capabilities", 0, "load")
DIRECT = {"name": "direct", "projection": "direct"}
KEYS = "connections, endpoints, implementation, local, manager, name, port, schedule, subordinate"
NAMES = "rd_addr, rd_mask, rd_ctrl, wr_addr, wr_data, wr_mask, wr_ctrl, rd_data, rd_done, wr_done"

BAD = [
    # Keys and types.
    (
        (*M, "width"),
        3,
        f'memory[0].width: The key must be one of {KEYS}, not "width" [unknown-key]',
    ),
    (
        (*VECTOR, "element_width"),
        [32],
        "memory[0].port[0].load[0].access[1].element_width: The key must be one of address, "
        "alignment, data, element_bits, form, lanes, mask, read_subword, "
        'not "element_width" (did you mean element_bits?) [unknown-key]',
    ),
    (
        (*M, "~load"),
        3,
        f'memory[0]."~load": The key must be one of {KEYS}, not "~load" (did you mean local?) '
        "[unknown-key]",
    ),
    (
        (*LOCAL, "resources", "grant", "~round_robin"),
        3,
        'memory[0].local.resources.grant."~round_robin": The key must be one of round_robin, '
        'not "~round_robin" (did you mean round_robin?) [unknown-key]',
    ),
    (
        (*M, ""),
        3,
        f'memory[0]."": The key must be one of {KEYS}, not "" [unknown-key]',
    ),
    (
        (*M, "a.b\n"),
        [[[1]]],
        f'memory[0]."a.b\\n": The key must be one of {KEYS}, not "a.b\\n" [unknown-key]',
    ),
    (
        (*M, "resident_contexts"),
        4,
        f"memory[0].resident_contexts: The key must be one of {KEYS}, "
        'not "resident_contexts" [unknown-key]',
    ),
    (
        (*READ, "resources", "in_flight"),
        None,
        "memory[0].port[0].resources.in_flight: The key must be present, not absent [missing-key]",
    ),
    (
        LOCAL,
        None,
        "memory[0].local: The key must be present where the memory has no manager, not absent "
        "[missing-key]",
    ),
    (("fabric",), None, "fabric: The key must be present, not absent [missing-key]"),
    (
        (*READ, "resources", "in_flight"),
        "4",
        'memory[0].port[0].resources.in_flight: The value must be an integer, not "4" [wrong-type]',
    ),
    (
        (*READ, "resources", "in_flight"),
        True,
        "memory[0].port[0].resources.in_flight: The value must be an integer, not true "
        "[wrong-type]",
    ),
    (
        (*READ, "resources", "in_flight"),
        4.0,
        "memory[0].port[0].resources.in_flight: The value must be an integer, not 4.0 [wrong-type]",
    ),
    (
        (*M, "port"),
        {"name": "x"},
        "memory[0].port: The value must be a list, not a table [wrong-type]",
    ),
    (
        (*M, "endpoints", 0),
        ["rd"],
        "memory[0].endpoints[0]: The value must be a table, not a list [wrong-type]",
    ),
    (
        (*ELEMENT, "lanes"),
        ["x"],
        "memory[0].port[0].load[0].access[0].lanes[0]: The value must be an integer or a table "
        'with from and to, not "x" [wrong-type]',
    ),
    (
        (*ELEMENT, "lanes"),
        [{"from": 4}],
        "memory[0].port[0].load[0].access[0].lanes[0].to: The key must be present, not absent "
        "[missing-key]",
    ),
    (
        (*ELEMENT, "alignment"),
        4,
        "memory[0].port[0].load[0].access[0].alignment: The value must be 'any' or a list of byte "
        "alignments, not 4 [wrong-type]",
    ),
    (
        (*LOCAL, "resources", "grant"),
        {},
        "memory[0].local.resources.grant: The value must be a table with round_robin or "
        "fixed_priority, not an empty table [wrong-type]",
    ),
    # Values on their own.
    (
        (*READ, "resources", "in_flight"),
        0,
        "memory[0].port[0].resources.in_flight: The value must be at least 1, not 0 "
        "[value-out-of-range]",
    ),
    (
        (*READ, "resources", "result_holding"),
        2**32,
        "memory[0].port[0].resources.result_holding: The value must be at most 4294967295, "
        "not 4294967296 [value-out-of-range]",
    ),
    (
        (*M, "endpoints", 1, "dir"),
        "inn",
        "memory[0].endpoints[1].dir: The value must be 'in' or 'out', not \"inn\" [unknown-value]",
    ),
    (
        (*READ, "patterns", 0, "projection"),
        "active_lanes_row_major",
        "memory[0].port[0].patterns[0].projection: The value must be 'direct' or "
        "'active_lanes', "
        'not "active_lanes_row_major" [unknown-value]',
    ),
    (
        (*ELEMENT, "lanes"),
        [],
        "memory[0].port[0].load[0].access[0].lanes: The list must hold at least 1 item, not 0 "
        "[list-length]",
    ),
    (
        (*ELEMENT, "lanes"),
        [{"from": 4, "to": 2}],
        "memory[0].port[0].load[0].access[0].lanes: Bounds must satisfy "
        "0 <= lower <= upper <= 2**64 - 1, not 4..2 [interval-out-of-range]",
    ),
    (
        (*ELEMENT, "alignment"),
        [1, 3],
        "memory[0].port[0].load[0].access[0].alignment[1]: The alignment must be a power of two "
        "of bytes, not 3 [alignment-not-power-of-two]",
    ),
    # Names.
    (
        (*M, "endpoints", 1, "name"),
        "rd__addr",
        "memory[0].endpoints[1].name: The text must match the pattern "
        '^[a-z][a-z0-9]*(_[a-z0-9]+)*$, not "rd__addr" [text-format]',
    ),
    (
        (*M, "name"),
        "m" * 65,
        'memory[0].name: The text must have at most 64 characters, not "mmmmmmmmmmmmmmmmmmmmmmmm'
        "mmmmmmmmmmmm... [text-format]",
    ),
    (
        ("fabric", "name"),
        "module",
        "fabric.name: The name must be no keyword of (System)Verilog, not 'module' [name-keyword]",
    ),
    (
        (*M, "endpoints"),
        [*fabric_document()["memory"][0]["endpoints"], {"name": "clk", "dir": "in", "bits": 1}],
        "memory[0].endpoints[10].name: The name must leave clk, rst, cfg and cfg_* to the top's "
        "own ports, not 'clk' [name-reserved]",
    ),
    (
        (*M, "endpoints"),
        [*fabric_document()["memory"][0]["endpoints"], {"name": "wr_ctrl", "dir": "in", "bits": 1}],
        'memory[0].endpoints[10].name: The name must be unique, not "wr_ctrl" as '
        "memory[0].endpoints[8].name [duplicate-name]",
    ),
    (
        (*WRITE, "name"),
        "read0",
        'memory[0].port[1].name: The name must be unique, not "read0" as memory[0].port[0].name '
        "[duplicate-name]",
    ),
    (
        (*LOAD, "roles", "address"),
        "rd_adr",
        f"memory[0].port[0].load[0].roles.address: The name must be one of {NAMES}, "
        'not "rd_adr" (did you mean rd_addr?) [unknown-name]',
    ),
    (
        (*LOAD, "patterns"),
        ["drect"],
        "memory[0].port[0].load[0].patterns: The name must be one of direct, "
        'not "drect" (did you mean direct?) [unknown-name]',
    ),
    (
        (*LOAD, "targets"),
        ["ext0"],
        'memory[0].port[0].load[0].targets: The name must be one of local, not "ext0" '
        "[unknown-name]",
    ),
    # Roles, classes and patterns of a port.
    (
        (*LOAD, "roles", "mask"),
        None,
        "memory[0].port[0].load[0].roles: The mask role must have one, as the access classes "
        "admit a dynamic mask, not none [alternative-mask-role]",
    ),
    (
        (*VECTOR, "mask"),
        ["absent"],
        "memory[0].port[0].load[0].roles: The mask role must have none, as the access classes "
        "admit no dynamic mask, not one [alternative-mask-role]",
    ),
    (
        (*ELEMENT, "lanes"),
        [2],
        "memory[0].port[0].load[0].access[0].lanes: An element access must have the lane count 1, "
        "not 2..2 [access-element-lanes]",
    ),
    (
        (*READ, "patterns"),
        [DIRECT, DIRECT | {"name": "spare"}],
        "memory[0].port[0].patterns[1]: An alternative must admit the pattern, and none does "
        "[port-pattern-unreachable]",
    ),
    (
        (*READ, "load"),
        None,
        "memory[0].port[0]: The port must have a load, store, rmw, cmpxchg or fence, not none "
        "[port-without-alternative]",
    ),
    (
        (*WRITE, "resources", "operand_depth"),
        {"address": 1, "data": 2, "control": 3},
        "memory[0].port[1].resources.operand_depth: A depth must be given for address, data, "
        "mask, control, not for address, data, control [operand-depth-roles]",
    ),
    # Endpoints against what they must carry.
    (
        (*M, "endpoints", 2, "bits"),
        3,
        "memory[0].port[0].load[0].access[1].lanes: Every payload must fit the 3 bits of "
        "memory[0].port[0].load[0].roles.mask, not take 4 bits [mask-endpoint-narrow]",
    ),
    (
        (*ELEMENT, "address", "root_relative"),
        [64],
        "memory[0].port[0].load[0].access[0].address.root_relative: Every payload must fit the "
        "32 bits of memory[0].port[0].load[0].roles.address, not take 64 bits (1 of 64) "
        "[address-endpoint-narrow]",
    ),
    (
        (*ELEMENT, "element_bits"),
        [8, 256],
        "memory[0].port[0].load[0].access[0].element_bits: Every payload must fit the 128 bits of "
        "memory[0].port[0].load[0].roles.data, not take 256 bits (1 of 256) "
        "[data-endpoint-narrow]",
    ),
    (
        (*ELEMENT, "read_subword"),
        ["exact"],
        "memory[0].port[0].load[0].access[0].read_subword: Exact requires payloads of the data "
        "endpoint's 128 bits, not of 8 to 32 bits [read-subword-exact]",
    ),
    (
        (*LOAD, "roles", "control"),
        "rd_mask",
        "memory[0].port[0].load[0].roles.control: The role must have an endpoint without payload, "
        "not endpoint rd_mask of 4 bits [role-kind]\n"
        "memory[0].port[0].load[0].roles.control: Each role must have an endpoint of its own, "
        "not endpoint rd_mask, which mask has [role-endpoint-shared]",
    ),
    # The local service.
    (
        (*LOCAL, "resources", "grant"),
        None,
        "memory[0].local.resources.grant: A policy is required where several requesters claim one "
        "capacity, not absent [contention-without-grant-policy]",
    ),
    (
        (*LOCAL, "resources", "grant", "round_robin", "reset_cursor"),
        2,
        "memory[0].local.resources.grant.round_robin.reset_cursor: The key must name one of 2 "
        "entries, not 2 [unknown-requester-key]",
    ),
    (
        (*LOCAL, "resources", "grant"),
        {"fixed_priority": {"order": ["read0"]}},
        "memory[0].local.resources.grant.fixed_priority.order: The order must name all 2 "
        "requesters, not 1 [requester-omitted-from-grant-policy]",
    ),
    (
        (*LOCAL, "resources", "grant"),
        {"fixed_priority": {"order": ["read0", "write1"]}},
        "memory[0].local.resources.grant.fixed_priority.order: The name must be one of read0, "
        'write0, not "write1" (did you mean write0?) [unknown-name]',
    ),
    (
        (*LOCAL, "regions", 0, "size"),
        2048,
        "memory[0].local.regions[0]: A region must end within the 1024 bytes of the service, "
        "not at 2048 [region-outside-capacity]",
    ),
    (
        (*LOCAL, "regions"),
        [{"base": 512, "size": 512, "storage": {}}, {"base": 0, "size": 512, "storage": {}}],
        "memory[0].local.capabilities[0].load.regions: A capability must name all of the adjacent "
        "regions [0, 1], which are one region, not only [0] [region-merge-widens]\n"
        "memory[0].local.capabilities[1].store.regions: A capability must name all of the "
        "adjacent regions [0, 1], which are one region, not only [0] [region-merge-widens]",
    ),
    (
        (*SERVED_LOAD, "regions"),
        [0, 1],
        "memory[0].local.capabilities[0].load.regions: A position must name one of 1 regions, "
        "not 1 [service-region-unknown]",
    ),
    (
        (*LOCAL, "capabilities"),
        fabric_document()["memory"][0]["local"]["capabilities"][:1],
        "memory[0].port[1].store[0]: The local service must serve some access of the alternative "
        "to this port, not none [target-serves-nothing]",
    ),
    # Shorthand.
    (
        (*M, "data_width"),
        128,
        "memory[0].data_width: The key must be absent where endpoints and port are written out, "
        "not present [shorthand-and-inventory]",
    ),
]


@pytest.mark.parametrize(("at", "value", "expected"), BAD)
def test_a_bad_document_gets_its_exact_findings(at, value, expected):
    with pytest.raises(Invalid) as error:
        parse_fabric(toml(changed(fabric_document(), at, value)))
    assert str(error.value) == expected


def test_everything_is_reported_at_once():
    document = fabric_document()
    document["comment"] = "x"
    (memory,) = document["memory"]
    memory["endpoints"].append(dict(memory["endpoints"][0]))
    read, write = memory["port"]
    read["load"][0]["access"][0]["lanes"] = [2]
    read["load"][0]["patterns"] = ["fast"]
    write["store"][0]["roles"]["data"] = "wr_dat"
    memory["local"]["resources"]["grant"] = {"fixed_priority": {"order": ["write0"]}}
    memory["local"]["capabilities"][1]["store"]["regions"] = [7]
    with pytest.raises(Invalid) as error:
        parse_fabric(toml(document))
    assert [(d.code, d.where) for d in error.value.diagnostics] == [
        ("unknown-key", "comment"),
        ("duplicate-name", "memory[0].endpoints[10].name"),
        ("access-element-lanes", "memory[0].port[0].load[0].access[0].lanes"),
        ("unknown-name", "memory[0].port[0].load[0].patterns"),
        ("unknown-name", "memory[0].port[1].store[0].roles.data"),
        (
            "requester-omitted-from-grant-policy",
            "memory[0].local.resources.grant.fixed_priority.order",
        ),
        ("service-region-unknown", "memory[0].local.capabilities[1].store.regions"),
    ]


def test_two_bindings_for_one_access_are_refused():
    document = fabric_document()
    (memory,) = document["memory"]
    memory["endpoints"].append({"name": "other_addr", "dir": "in", "bits": 32})
    load = changed(memory["port"][0]["load"][0], ["roles", "address"], "other_addr")
    memory["port"][0]["load"].append(load)
    with pytest.raises(Invalid) as error:
        parse_fabric(toml(document))
    assert [(d.code, d.where) for d in error.value.diagnostics] == [
        ("capability-alternative-overlap", "memory[0].port[0]")
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # How the parser words it differs between versions of Python; that it names a line does not.
        ("a = ", r"Invalid value \(at .*\)"),
        ("\n[[memory]\n", r".* \(at line 2, column \d+\)"),
        ("a = 1\na = 2\n", r".* \(at line 2, column \d+\)"),
        ("\0", r".* \(at line 1, column 1\)"),
        ("a = " + "[" * 5000, "nesting must be moderate, not deeper than the parser can follow"),
    ],
)
def test_text_that_is_no_toml_is_one_finding(text, message):
    pattern = rf"^document: The text must be TOML 1\.0, not broken: {message} \[toml-syntax\]$"
    with pytest.raises(Invalid, match=pattern):
        parse_fabric(text)


def test_an_integer_of_thousands_of_digits_is_one_finding():
    with pytest.raises(Invalid) as error:
        parse_fabric("a = " + "1" * 5000)
    assert [d.code for d in error.value.diagnostics] == ["toml-syntax"]


@pytest.mark.parametrize("memory", ["3", "[]", "[3]", "{}", "[[]]", '"x"', "[{}]", "2001-01-01"])
def test_a_memory_of_any_shape_is_a_finding(memory):
    with pytest.raises(Invalid):
        parse_fabric(f'fabric = {{ name = "odd" }}\nmemory = {memory}\n')
