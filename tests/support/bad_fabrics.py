"""Bad fabric documents with all five actors, pointers, registers and subordinates."""

from collections.abc import Iterator

from tests.support.bad_input import Case
from tests.support.documents import changed, every_key_document, toml

__all__ = ["actor_documents"]

_M, _STORED = ("memory", 0), ("memory", 2)
_PORT, _SERVED = (*_M, "port", 0), (*_M, "local", "capabilities")
_HOST, _DEVICE = (*_M, "subordinate", 0), (*_M, "local", "regions", 1)
_ATOMIC = (*_PORT, "load", 1, "contract", 0, "atomic")
_POINTER = (*_PORT, "load", 0, "access", 1)
_RMW, _EXCHANGE = (*_PORT, "rmw", 0), (*_PORT, "cmpxchg", 0)
_CONSISTENCY = (*_SERVED, 3, "rmw", "consistency")

_TARGET = {"target": {"namespace": "gpu", "key": "warp"}}
_NAMELESS = {"target": {"namespace": "", "key": "warp"}}
_PLAIN = {"plain": {"volatile": [False]}}
_DEPTHS = {"address": 1, "data": 1, "update": 1, "expected": 1, "mask": 1, "control": 1}


def _several() -> dict:
    """One mistake in each of many parts."""
    document = changed(every_key_document(), (*_ATOMIC, "orderings"), ["acq_rel"])
    document = changed(document, (*_POINTER, "address", "pointer", 0, "address_bits"), 65)
    document = changed(document, (*_RMW, "roles", "update"), "updates")
    document = changed(document, (*_HOST, "match"), [])
    document = changed(document, (*_DEVICE, "mmio"), {})
    document = changed(document, (*_SERVED, 5, "fence", "consistency"))
    return changed(document, (*_STORED, "subordinate", 1, "targets"), ["exit"])


def actor_documents() -> Iterator[Case]:
    """Fabric documents."""

    def case(title, at, value, *expected):
        text = toml(changed(every_key_document(), at, value))
        return Case("document", title, {"fabric.toml": text}, ("check", "fabric.toml"), expected)

    yield case(
        "ordering that a load cannot have",
        (*_ATOMIC, "orderings"),
        ["release"],
        "memory[0].port[0].load[1].contract[0].atomic.orderings: The ordering of "
        "load must be unordered or monotonic or acquire or seq_cst, not release "
        "[load-ordering]",
    )
    yield case(
        "scope that a target defines",
        (*_ATOMIC, "sync_scopes"),
        [_TARGET],
        "memory[0].port[0].load[1].contract[0].atomic.sync_scopes: A scope must be system"
        " or single_thread, not the target 'gpu' 'warp' [sync-scope-target]",
    )
    yield case(
        "scope without a name",
        (*_ATOMIC, "sync_scopes"),
        [_NAMELESS],
        "memory[0].port[0].load[1].contract[0].atomic.sync_scopes[0].target.namespace: "
        'The text must have at least 1 character, not "" [text-format]',
    )
    yield case(
        "unknown atomic operation",
        (*_RMW, "contract", 0, "kinds"),
        ["mul"],
        "memory[0].port[0].rmw[0].contract[0].kinds[0]: The value must be 'xchg', 'add', "
        "'sub', 'and', 'nand', 'or', 'xor', 'max', 'min', 'umax', 'umin', 'fadd', 'fsub',"
        " 'fmax', 'fmin', 'uinc_wrap', 'udec_wrap', 'usub_cond', 'usub_sat', 'fmaximum', "
        "'fminimum', 'fmaximum_num' or 'fminimum_num', not \"mul\" [unknown-value]",
    )
    yield case(
        "plain read-modify-write",
        (*_RMW, "contract", 0),
        _PLAIN,
        "memory[0].port[0].rmw[0].contract[0].kinds: The key must be present, not absent "
        "[missing-key]",
        "memory[0].port[0].rmw[0].contract[0].orderings: The key must be present, not "
        "absent [missing-key]",
        "memory[0].port[0].rmw[0].contract[0].sync_scopes: The key must be present, not "
        "absent [missing-key]",
        "memory[0].port[0].rmw[0].contract[0].granularity: The key must be present, not "
        "absent [missing-key]",
        "memory[0].port[0].rmw[0].contract[0].volatile: The key must be present, not "
        "absent [missing-key]",
        "memory[0].port[0].rmw[0].contract[0].plain: The key must be one of granularity, "
        'kinds, orderings, sync_scopes, volatile, not "plain" [unknown-key]',
    )
    yield case(
        "ordering of a success without that of a failure",
        (*_EXCHANGE, "contract", 0, "orderings"),
        [["seq_cst"]],
        "memory[0].port[0].cmpxchg[0].contract[0].orderings[0]: The list must hold at "
        "least 2 items, not 1 [list-length]",
    )
    yield case(
        "scalar granularity of a vector access",
        (*_RMW, "contract", 0, "granularity"),
        ["absent"],
        "memory[0].port[0].rmw[0].access[0].form: The form of granularity absent must be "
        "element, not contiguous [atomic-granularity-form]",
    )
    yield case(
        "atomic lanes in one transaction",
        (*_RMW, "patterns"),
        ["direct"],
        "memory[0].port[0].patterns[0]: Atomic granularity per_lane must select "
        "active_lanes_row_major patterns, not direct [port-atomic-projection]",
    )
    yield case(
        "atomic element of no object's width",
        (*_RMW, "access", 0, "element_bits"),
        [24],
        "memory[0].port[0].rmw[0].access[0].element_bits: An atomic object must have a "
        "power of two of bits, at least 8, not 24..24 [atomic-element-width]",
    )
    yield case(
        "exchange without a success",
        (*_EXCHANGE, "roles", "success"),
        None,
        "memory[0].port[0].cmpxchg[0].roles.success: The key must be present, not absent "
        "[missing-key]",
    )
    yield case(
        "queue of an operand left out",
        (*_PORT, "resources", "operand_depth"),
        _DEPTHS,
        "memory[0].port[0].resources.operand_depth: A depth must be given for address, "
        "data, update, expected, desired, mask, control, not for address, data, update, "
        "expected, mask, control [operand-depth-roles]",
    )
    yield case(
        "neither index nor pointer",
        (*_POINTER, "address"),
        {},
        "memory[0].port[0].load[0].access[1].address: The value must be a table with "
        "root_relative or pointer, not an empty table [wrong-type]",
    )
    yield case(
        "address longer than its pointer",
        (*_POINTER, "address", "pointer", 0, "address_bits"),
        65,
        "memory[0].port[0].load[0].access[1].address.pointer[0].address_bits: The value "
        "must be from 1 to the representation's 64 bits, not 65 [pointer-format-range]",
    )
    yield case(
        "element narrower than its pointer",
        (*_POINTER, "element_bits"),
        [32],
        "memory[0].port[0].load[0].access[1].element_bits: Elements must have exactly the"
        " 64 bits of an admitted data pointer, not 32..32 [access-pointer-width]",
    )
    yield case(
        "atomic capability that nobody orders",
        _CONSISTENCY,
        None,
        "memory[0].local.capabilities[3].rmw.consistency: A consistency binding is "
        "required where a clause is not plain, not none for contract_clauses[0], "
        "rmw [consistency-binding-missing]",
    )
    yield case(
        "local service in a system's domain",
        _CONSISTENCY,
        {"system_domain": "00"},
        "memory[0].local.capabilities[3].rmw.consistency: A local service must order its "
        "accesses itself, not by a system domain [local-service-system-domain]",
    )
    yield case(
        "domain in odd digits",
        _CONSISTENCY,
        {"system_domain": "0"},
        "memory[0].local.capabilities[3].rmw.consistency.system_domain: The text must "
        'match the pattern ^([0-9a-f]{2})+$, not "0" [text-format]',
    )
    yield case(
        "progress without a bound",
        (*_CONSISTENCY, "local_provider", "progress"),
        {},
        "memory[0].local.capabilities[3].rmw.consistency.local_provider.progress.bounded_completion_cycles:"
        " The key must be present, not absent [missing-key]",
    )
    yield case(
        "fence that names regions",
        (*_SERVED, 5, "fence", "regions"),
        [0],
        "memory[0].local.capabilities[5].fence.regions: The key must be one of "
        'consistency, contract, patterns, not "regions" [unknown-key]',
    )
    yield case(
        "region of no behaviour",
        (*_DEVICE, "mmio"),
        None,
        "memory[0].local.regions[1]: The value must be a table with storage or mmio, not "
        "a table with base, size [wrong-type]",
    )
    yield case(
        "registers that accept nothing",
        (*_DEVICE, "mmio"),
        {},
        "memory[0].local.regions[1].mmio: A load, store, rmw or cmpxchg must be present, "
        "not absent [missing-key]",
    )
    yield case(
        "registers inside storage",
        (*_DEVICE, "base"),
        2000,
        "memory[0].local.regions[1]: An address must have one behaviour, not also that of"
        " regions[0] at 2000 [service-region-behavior]",
    )
    yield case(
        "access that the registers do not accept",
        (*_DEVICE, "mmio", "store", 0, "alignment"),
        [8],
        "memory[0].local.capabilities[6].store.access: Every access must be accepted by "
        "the MMIO region 1, which the capability selects, not only some [service-region-"
        "access]",
    )
    yield case(
        "bindings that nothing tells apart",
        (*_HOST, "match"),
        [],
        "memory[0].subordinate[0].match: A field is required to tell 4 bindings apart, "
        "not 0 [subordinate-match-missing]",
    )
    yield case(
        "subordinate of an unknown service",
        (*_HOST, "targets"),
        ["ext0"],
        'memory[0].subordinate[0].targets: The name must be one of local, ext, not "ext0"'
        " (did you mean ext?) [unknown-name]",
    )
    yield case(
        "port and subordinate of one name",
        (*_PORT, "name"),
        "host",
        'memory[0].subordinate[0].name: The name must be unique, not "host" as '
        "memory[0].port[0].name [duplicate-name]",
        "memory[0].local.resources.grant.fixed_priority.order: The name must be one of "
        'host, host, not "any" [unknown-name]',
    )
    yield case(
        "storage that nobody reaches",
        (*_STORED, "subordinate"),
        None,
        "memory[2].subordinate: The key must be present, not absent [missing-key]",
    )
    yield case(
        "engine without a schedule",
        (*_M, "schedule"),
        None,
        "memory[0].schedule: The key must be present, not absent [missing-key]",
    )
    yield Case(
        "document",
        "mistakes in many parts",
        {"fabric.toml": toml(_several())},
        ("check", "fabric.toml"),
        (
            "memory[0].port[0].load[0].access[1].address.pointer[0].address_bits: The value "
            "must be from 1 to the representation's 64 bits, not 65 [pointer-format-range]",
            "memory[0].port[0].load[1].contract[0].atomic.orderings: The ordering of "
            "load must be unordered or monotonic or acquire or seq_cst, not acq_rel "
            "[load-ordering]",
            "memory[0].port[0].rmw[0].roles.update: The name must be one of addr, data, "
            'update, expected, desired, mask, ctrl, read, success, done, not "updates" (did '
            "you mean update?) [unknown-name]",
            "memory[0].subordinate[0].match: A field is required to tell 4 bindings apart, "
            "not 0 [subordinate-match-missing]",
            "memory[0].local.regions[1].mmio: A load, store, rmw or cmpxchg must be present, "
            "not absent [missing-key]",
            "memory[0].local.capabilities[5].fence.consistency: A consistency binding is "
            "required where a clause is not plain, not none for contract_clauses[0], fence "
            "[consistency-binding-missing]",
            'memory[2].subordinate[1].targets: The name must be one of local, ext, not "exit"'
            " (did you mean ext?) [unknown-name]",
        ),
    )
