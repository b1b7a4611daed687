"""Bad inputs of mapping rows that synchronise, order, or go through pointers."""

from collections.abc import Iterator

from tests.support.bad_input import Case
from tests.support.documents import changed, every_key_document, toml
from tests.support.every_row import EVERY_ROW, POINTER, row_text

__all__ = ["actor_mappings"]

_FABRIC = toml(every_key_document())


def actor_mappings() -> Iterator[Case]:
    """One row of the document with every key, with one value changed."""

    def case(title, row, at, value, *expected):
        text = row_text(changed(EVERY_ROW[row], at, value))
        files = {"fabric.toml": _FABRIC, "mapping.toml": text}
        lines = tuple(f"memory.engine.row[0].{line}" for line in expected)
        return Case("mapping", title, files, ("plan", "fabric.toml", "mapping.toml"), lines)

    yield case(
        "ordering that a load cannot have",
        "flag",
        ("load", "atomic", "ordering"),
        "acq_rel",
        "load.atomic.ordering: The ordering of load must be unordered or monotonic or "
        "acquire or seq_cst, not acq_rel [load-ordering]",
    )
    yield case(
        "orderings that no alternative admits as a pair",
        "swap",
        ("cmpxchg", "orderings"),
        ["seq_cst", "acquire"],
        "cmpxchg.orderings: The pair of orderings must be acq_rel/acquire or "
        "seq_cst/monotonic, not seq_cst/acquire (alternative 5 of port any) "
        "[actor-contract-not-accepted]",
    )
    yield case(
        "one ordering of a compare-exchange",
        "swap",
        ("cmpxchg", "orderings"),
        ["seq_cst"],
        "cmpxchg.orderings: The list must hold at least 2 items, not 1 [list-length]",
    )
    yield case(
        "operation that there is not",
        "count",
        ("rmw", "kind"),
        "multiply",
        "rmw.kind: The value must be 'xchg', 'add', 'sub', 'and', 'nand', 'or', 'xor', 'max', "
        "'min', 'umax', 'umin', 'fadd', 'fsub', 'fmax', 'fmin', 'uinc_wrap', 'udec_wrap', "
        "'usub_cond', 'usub_sat', 'fmaximum', 'fminimum', 'fmaximum_num' or 'fminimum_num', "
        'not "multiply" [unknown-value]',
    )
    yield case(
        "operation that the port has not",
        "count",
        ("rmw", "kind"),
        "sub",
        "rmw.kind: The kind must be add or umax, not sub (alternative 4 of port any) "
        "[actor-contract-not-accepted]",
    )
    yield case(
        "scope of a target",
        "order",
        ("fence", "sync_scope"),
        {"target": {"namespace": "gpu", "key": "warp"}},
        "fence.sync_scope: A scope must be system or single_thread, not the target 'gpu' 'warp' "
        "[sync-scope-target]",
    )
    yield case(
        "granularity that does not fit the form",
        "count",
        ("rmw", "granularity"),
        "absent",
        "rmw.form: The form of a scalar atomic must be element, not contiguous "
        "[atomic-granularity-form]",
    )
    yield case(
        "atomic load without an alignment",
        "flag",
        ("load", "alignment"),
        None,
        "load.alignment: The key must be present in an atomic access, not absent [missing-key]",
    )
    yield case(
        "alignment that is no power of two",
        "count",
        ("rmw", "alignment"),
        12,
        "rmw.alignment: The alignment must be a power of two below 2**64, not 12 "
        "[access-view-alignment]",
    )
    yield case(
        "alignment that the port does not admit",
        "count",
        ("rmw", "alignment"),
        8,
        "rmw.alignment: The alignment must be 4 bytes, not 8 (alternative 4 "
        "of port any) [alignment-not-accepted]",
    )
    yield case(
        "alignment of a plain store",
        "scatter",
        ("store", "alignment"),
        4,
        "store.alignment: A plain access has alignment 1, not 4 [plain-alignment]",
    )
    yield case(
        "weakness left open",
        "swap",
        ("cmpxchg", "weak"),
        None,
        "cmpxchg.weak: The key must be present where port any admits both values, not absent "
        "[missing-key]",
    )
    yield case(
        "base beside a pointer",
        "chase",
        ("base",),
        0,
        "base: The base must be absent where addresses are complete pointers, not 0 "
        "[row-base-unused]",
    )
    yield case(
        "index without a base",
        "count",
        ("base",),
        None,
        "base: The key must be present where addresses are indices, not absent [missing-key]",
    )
    yield case(
        "index and pointer",
        "flag",
        ("load", "pointer"),
        POINTER,
        "load: An address must be an index or a pointer, not both index_bits and pointer "
        "[row-address-form]",
    )
    yield case(
        "neither index nor pointer",
        "count",
        ("rmw", "index_bits"),
        None,
        "rmw.index_bits: The key must be present unless addresses are pointers, not absent "
        "[missing-key]",
    )
    yield case(
        "pointer of another space",
        "chase",
        ("load", "pointer", "address_space"),
        3,
        "load.pointer: The addresses must be pointers of space 0 with 64 bits of which 48 "
        "address, not pointers of space 3 with 64 bits of which 48 address (alternative 1 of "
        "port any) [address-pointer-not-accepted]",
    )
    yield case(
        "data of another pointer",
        "chase",
        ("load", "data_pointer", "address_bits"),
        63,
        "load.data_pointer: The data must be ordinary or pointers of space 1 with 64 bits of "
        "which 64 address, not pointers of space 1 with 64 bits of which 63 address "
        "(alternative 1 of port any) [data-pointer-not-accepted]",
    )
    yield case(
        "pointer narrower than its element",
        "chase",
        ("load", "element_bits"),
        32,
        "load.element_bits: The width must be the 64 bits of the pointer's representation, not "
        "32 [access-view-pointer]",
    )
    yield case(
        "pointer with more address than bits",
        "chase",
        ("load", "pointer", "address_bits"),
        65,
        "load.pointer.address_bits: The value must be from 1 to the representation's 64 bits, "
        "not 65 [pointer-format-range]",
    )
    yield case(
        "address of a fence",
        "order",
        ("inputs",),
        {"address": {}},
        'inputs.address: The key must be one of control, not "address" [unknown-key]',
    )
    yield case(
        "operand of another actor",
        "count",
        ("inputs",),
        {"data": {}},
        'inputs.data: The key must be one of address, control, mask, update, not "data" (did '
        "you mean update?) [unknown-key]",
    )
