"""Bad mapping rows of actors that synchronise and of pointers: one change, its exact findings."""

import tomllib

import pytest

from fabricgen.author.mapping import parse_mapping
from fabricgen.errors import Invalid
from fabricgen.records.fabric import Fabric
from tests.support.actor_memories import ALL, WRITTEN
from tests.support.documents import changed, toml

FABRIC, GOOD = Fabric("actors", (ALL,)), tomllib.loads(WRITTEN)
#: Positions of the rows in the document.
FLAG, PUBLISH, COUNT, SWAP, ORDER, CHASE = range(6)
POINTER = {"address_space": 1, "representation_bits": 32, "address_bits": 32}
ATOMIC = {"ordering": "seq_cst", "sync_scope": "system", "granularity": "per_lane"}


def refused(at, value):
    """Findings about the one row, which is all that there is."""
    position, *keys = at
    row = changed(GOOD["memory"]["mem0"]["row"][position], keys, value)
    with pytest.raises(Invalid) as error:
        parse_mapping(toml({"fabric": "actors", "memory": {"mem0": {"row": [row]}}}), FABRIC)
    return [line.removeprefix("memory.mem0.row[0].") for line in str(error.value).splitlines()]


BAD = [
    (
        (FLAG, "load", "atomic", "ordering"),
        "release",
        "load.atomic.ordering: The ordering of load must be unordered or monotonic or "
        "acquire or seq_cst, not release [load-ordering]",
    ),
    (
        (PUBLISH, "store", "atomic", "ordering"),
        "acquire",
        "store.atomic.ordering: The ordering of store must be unordered or monotonic "
        "or release or seq_cst, not acquire [store-ordering]",
    ),
    (
        (COUNT, "rmw", "ordering"),
        "unordered",
        "rmw.ordering: The ordering of rmw must be monotonic or acquire or "
        "release or acq_rel or seq_cst, not unordered [rmw-ordering]",
    ),
    (
        (SWAP, "cmpxchg", "orderings"),
        ["unordered", "release"],
        "cmpxchg.orderings: The ordering of success in cmpxchg must be monotonic or "
        "acquire or release or acq_rel or seq_cst, not unordered "
        "[compare-exchange-success-ordering]",
        "cmpxchg.orderings: The ordering of failure in cmpxchg must be monotonic or "
        "acquire or seq_cst, not release [compare-exchange-failure-ordering]",
    ),
    (
        (ORDER, "fence", "ordering"),
        "monotonic",
        "fence.ordering: The ordering of fence must be acquire or release or acq_rel "
        "or seq_cst, not monotonic [fence-ordering]",
    ),
    (
        (ORDER, "fence", "sync_scope"),
        {"target": {"namespace": "gpu", "key": "warp"}},
        "fence.sync_scope: A scope must be system or single_thread, not the target 'gpu' 'warp' "
        "[sync-scope-target]",
    ),
    (
        (FLAG, "load", "atomic", "sync_scope"),
        {"target": {"namespace": "gpu", "key": "warp"}},
        "load.atomic.sync_scope: A scope must be system or single_thread, not the target 'gpu' "
        "'warp' [sync-scope-target]",
    ),
    (
        (FLAG, "load", "atomic", "ordering"),
        "monotonic",
        "load.atomic.ordering: The ordering must be acquire or seq_cst, not monotonic "
        "(alternative 0 of port port0) [actor-contract-not-accepted]",
        "load.atomic.granularity: The granularity must be per_lane, not whole_payload "
        "(alternative 0 of port port0) [actor-contract-not-accepted]",
        "load.form: The access form must be one of contiguous root_relative or indexed "
        "root_relative, not element root_relative (alternative 0 of port port0) "
        "[access-form-not-accepted]",
        "load.pattern: The use pattern must be one of direct1, not direct0 (alternative 0 of "
        "port port0) [use-pattern-not-admissible]",
        "load.atomic.ordering: The ordering must be acquire or seq_cst, not monotonic "
        "(alternative 1 of port port0) [actor-contract-not-accepted]",
    ),
    (
        (COUNT, "rmw", "kind"),
        "umax",
        "rmw.kind: The kind must be xchg or add or fminimum_num, not umax (alternative 0 of "
        "port port2) [actor-contract-not-accepted]",
        "rmw.granularity: The granularity must be per_lane, not absent (alternative 0 of port "
        "port2) [actor-contract-not-accepted]",
        "rmw.form: The access form must be one of contiguous root_relative or indexed "
        "root_relative, not element root_relative (alternative 0 of port port2) "
        "[access-form-not-accepted]",
        "rmw.pattern: The use pattern must be one of direct1, not direct0 (alternative 0 of "
        "port port2) [use-pattern-not-admissible]",
        "rmw.kind: The kind must be xchg or add or fminimum_num, not umax (alternative 1 of "
        "port port2) [actor-contract-not-accepted]",
    ),
    (
        (SWAP, "cmpxchg", "orderings"),
        ["seq_cst", "acquire"],
        "cmpxchg.orderings: The pair of orderings must be release/monotonic or "
        "seq_cst/seq_cst, not seq_cst/acquire (alternative 0 of port port3) "
        "[actor-contract-not-accepted]",
        "cmpxchg.orderings: The pair of orderings must be release/monotonic or "
        "seq_cst/seq_cst, not seq_cst/acquire (alternative 1 of port port3) "
        "[actor-contract-not-accepted]",
        "cmpxchg.granularity: The granularity must be absent or whole_payload, not per_lane "
        "(alternative 1 of port port3) [actor-contract-not-accepted]",
        "cmpxchg.form: The access form must be one of element root_relative, not indexed "
        "root_relative (alternative 1 of port port3) [access-form-not-accepted]",
        "cmpxchg.pattern: The use pattern must be one of direct0, not direct1 (alternative 1 "
        "of port port3) [use-pattern-not-admissible]",
    ),
    (
        (PUBLISH, "store", "volatile"),
        True,
        "store.volatile: The volatility must be false, not true (alternative 0 of port port1) "
        "[actor-contract-not-accepted]",
        "store.atomic.granularity: The granularity must be absent or whole_payload, not "
        "per_lane (alternative 1 of port port1) [actor-contract-not-accepted]",
        "store.volatile: The volatility must be false, not true (alternative 1 of port port1) "
        "[actor-contract-not-accepted]",
        "store.form: The access form must be one of element root_relative, not contiguous "
        "root_relative (alternative 1 of port port1) [access-form-not-accepted]",
        "store.pattern: The use pattern must be one of direct0, not direct1 (alternative 1 of "
        "port port1) [use-pattern-not-admissible]",
    ),
    (
        (ORDER, "fence", "ordering"),
        "acquire",
        "fence.ordering: The ordering must be acq_rel or seq_cst, not acquire (alternative 0 "
        "of port port4) [actor-contract-not-accepted]",
    ),
    (
        (CHASE, "load", "atomic"),
        ATOMIC,
        "load.alignment: The key must be present in an atomic access, not absent [missing-key]",
    ),
    (
        (CHASE, "load"),
        GOOD["memory"]["mem0"]["row"][CHASE]["load"] | {"atomic": ATOMIC, "alignment": 8},
        "load.atomic: The contract must be plain, not atomic "
        "(alternative 0 of port port5) [actor-contract-not-accepted]",
    ),
    (
        (FLAG, "load", "atomic"),
        None,
        "load.alignment: A plain access has alignment 1, not 8 [plain-alignment]",
    ),
    (
        (FLAG, "load", "alignment"),
        None,
        "load.alignment: The key must be present in an atomic access, not absent [missing-key]",
    ),
    (
        (COUNT, "rmw", "alignment"),
        None,
        "rmw.alignment: The key must be present, not absent [missing-key]",
    ),
    (
        (CHASE, "load", "alignment"),
        8,
        "load.alignment: A plain access has alignment 1, not 8 [plain-alignment]",
    ),
    (
        (COUNT, "rmw", "alignment"),
        3,
        "rmw.alignment: The alignment must be a power of two below 2**64, not 3 "
        "[access-view-alignment]",
    ),
    (
        (COUNT, "rmw", "granularity"),
        "per_lane",
        "rmw.form: The form of per_lane must be contiguous or indexed, not element "
        "[atomic-granularity-form]",
    ),
    (
        (SWAP, "cmpxchg", "granularity"),
        "whole_payload",
        "cmpxchg.form: The form of whole_payload must be element, not indexed "
        "[atomic-granularity-form]",
    ),
    (
        (COUNT, "rmw", "pattern"),
        "direct1",
        "rmw.granularity: The granularity must be per_lane, not absent (alternative 0 of port "
        "port2) [actor-contract-not-accepted]",
        "rmw.form: The access form must be one of contiguous root_relative or indexed "
        "root_relative, not element root_relative (alternative 0 of port port2) "
        "[access-form-not-accepted]",
        "rmw.pattern: The use pattern must be one of direct0, not direct1 (alternative 1 of "
        "port port2) [use-pattern-not-admissible]",
    ),
    (
        (COUNT, "rmw", "element_bits"),
        24,
        "rmw.element_bits: An atomic object must have a power of two of bits, at least 8, not "
        "24 [atomic-element-width]",
    ),
    (
        (CHASE, "load", "index_bits"),
        32,
        "load: An address must be an index or a pointer, not both index_bits and pointer "
        "[row-address-form]",
    ),
    (
        (COUNT, "rmw", "pointer"),
        POINTER,
        "rmw: An address must be an index or a pointer, not both index_bits and pointer "
        "[row-address-form]",
    ),
    (
        (CHASE, "load", "pointer"),
        None,
        "load.index_bits: The key must be present unless addresses are pointers, not absent "
        "[missing-key]",
    ),
    (
        (COUNT, "rmw", "index_bits"),
        None,
        "rmw.index_bits: The key must be present unless addresses are pointers, not absent "
        "[missing-key]",
    ),
    (
        (CHASE, "base"),
        0,
        "base: The base must be absent where addresses are complete pointers, not 0 "
        "[row-base-unused]",
    ),
    (
        (COUNT, "base"),
        None,
        "base: The key must be present where addresses are indices, not absent [missing-key]",
    ),
    (
        (CHASE, "load", "element_bits"),
        32,
        "load.element_bits: The width must be the 64 bits of the pointer's representation, not "
        "32 [access-view-pointer]",
    ),
    (
        (CHASE, "load", "pointer", "address_bits"),
        33,
        "load.pointer.address_bits: The value must be from 1 to the representation's 32 bits, "
        "not 33 [pointer-format-range]",
    ),
    (
        (CHASE, "load", "pointer", "address_space"),
        2,
        "load.pointer: The addresses must be pointers of space 0 with 64 bits of which 48 "
        "address or pointers of space 1 with 32 bits of which 32 address, not pointers of "
        "space 2 with 32 bits of which 32 address (alternative 0 of port port5) "
        "[address-pointer-not-accepted]",
    ),
    (
        (CHASE, "load", "data_pointer", "address_bits"),
        40,
        "load.data_pointer: The data must be ordinary or pointers of space 0 with 64 bits of "
        "which 48 address, not pointers of space 0 with 64 bits of which 40 address "
        "(alternative 0 of port port5) [data-pointer-not-accepted]",
    ),
    (
        (COUNT, "rmw", "data_pointer"),
        POINTER,
        "rmw.data_pointer: The key must be one of alignment, element_bits, form, granularity, "
        "index_bits, kind, lanes, mask, ordering, pattern, pointer, sync_scope, volatile, not "
        '"data_pointer" (did you mean pointer?) [unknown-key]',
    ),
    (
        (ORDER, "base"),
        0,
        "base: The key must be one of fence, inputs, name, outputs, port, row, target, not "
        '"base" [unknown-key]',
    ),
    (
        (ORDER, "inputs"),
        {"address": {}},
        'inputs.address: The key must be one of control, not "address" [unknown-key]',
    ),
    (
        (ORDER, "port"),
        "port2",
        "fence: Port port2 must have a fence alternative for this row, not none "
        "[actor-schema-not-accepted]",
    ),
    (
        (ORDER, "target"),
        "local",
        'target: The target must be a target of the port, ext0, not "local" [row-target]',
    ),
    (
        (SWAP, "cmpxchg", "weak"),
        None,
        "cmpxchg.weak: The key must be present where port port3 admits both values, not absent "
        "[missing-key]",
    ),
    (
        (FLAG, "load", "volatile"),
        None,
        "load.volatile: The key must be present where port port0 admits both values, not "
        "absent [missing-key]",
    ),
    (
        (SWAP, "cmpxchg", "orderings"),
        ["seq_cst"],
        "cmpxchg.orderings: The list must hold at least 2 items, not 1 [list-length]",
    ),
    (
        (COUNT, "rmw", "kind"),
        "mul",
        "rmw.kind: The value must be 'xchg', 'add', 'sub', 'and', 'nand', 'or', 'xor', 'max', "
        "'min', 'umax', 'umin', 'fadd', 'fsub', 'fmax', 'fmin', 'uinc_wrap', 'udec_wrap', "
        "'usub_cond', 'usub_sat', 'fmaximum', 'fminimum', 'fmaximum_num' or 'fminimum_num', "
        'not "mul" [unknown-value]',
    ),
    (
        (COUNT, "rmw", "sync_scope"),
        3,
        "rmw.sync_scope: The value must be 'system', 'single_thread' or a table with target, "
        "not 3 [wrong-type]",
    ),
    (
        (COUNT, "rmw", "sync_scope"),
        "gpu",
        "rmw.sync_scope: The value must be 'system' or 'single_thread', not \"gpu\" "
        "[unknown-value]",
    ),
    (
        (SWAP, "inputs"),
        {"mask": {}},
        "inputs.mask: The role must be an active one of the row, address or expected or "
        "desired or control, not mask [role-inactive]",
    ),
    (
        (SWAP, "outputs"),
        {"data": {}},
        'outputs.data: The key must be one of completion, old, success, not "data" [unknown-key]',
    ),
    (
        (COUNT, "rmw", "form"),
        "contiguous",
        "rmw.form: The form of a scalar atomic must be element, not contiguous "
        "[atomic-granularity-form]",
    ),
]


@pytest.mark.parametrize("case", BAD, ids=lambda case: ".".join(map(str, case[0])))
def test_a_bad_row_gets_its_exact_findings(case):
    at, value, *expected = case
    assert refused(at, value) == expected
