"""Documents of every actor, against records that are built by hand."""

import pytest

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.sync_scope import SyncScope
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.author.fabric import parse_fabric
from fabricgen.errors import Invalid
from fabricgen.plan.capacity import port_capacities
from fabricgen.records import fabric_codec
from fabricgen.records.access import (
    MemoryAccessClass,
    OrdinaryData,
    ParameterizedMemoryAccessDomain,
    PointerAddressed,
    PointerFormat,
    RootRelative,
)
from fabricgen.records.actor import (
    AtomicRmw,
    CompareExchange,
    Fence,
    LoadStoreAtomic,
    LoadStorePlain,
    MemoryActorContractDomain,
)
from fabricgen.records.alternative import MemoryCapabilityAlternative
from fabricgen.records.consistency import (
    NO_CONSISTENCY,
    BoundedCompletionCycles,
    FairEventual,
    LocalProvider,
)
from fabricgen.records.service import MemoryServiceCapability
from fabricgen.vocab.dataflow import (
    AtomicOrdering,
    AtomicRmwKind,
    MemoryAccessForm,
    MemoryMaskForm,
    OperationSchemaId,
    ServiceValueRole,
    SyncScopeKind,
    VectorAtomicGranularity,
)
from fabricgen.vocab.fabric import (
    InactiveLaneSemantics,
    ReadSubwordSemantics,
    ReleaseVisibilityPoint,
    WriteSubwordSemantics,
)
from tests.support.documents import EVERY_KEY, changed, every_key_document, toml

ROLE, ORDER, FORM = ServiceValueRole, AtomicOrdering, MemoryAccessForm
SYSTEM, THREAD = SyncScope(SyncScopeKind.SYSTEM), SyncScope(SyncScopeKind.SINGLE_THREAD)
LANE = VectorAtomicGranularity.PER_LANE
LOAD, STORE = OperationSchemaId.DATAFLOW_LOAD, OperationSchemaId.DATAFLOW_STORE
RMW, CAS = OperationSchemaId.DATAFLOW_ATOMIC_RMW, OperationSchemaId.DATAFLOW_CMPXCHG
FENCE = OperationSchemaId.DATAFLOW_FENCE
#: Use patterns of the port: its two document patterns.
DIRECT, WALK = (0,), (1,)

ABSENT = (MemoryMaskForm.ABSENT, InactiveLaneSemantics.NOT_APPLICABLE)
ZERO_FILLED = (MemoryMaskForm.DYNAMIC, InactiveLaneSemantics.SUPPRESS_AND_ZERO_FILL)
SUPPRESSED = (MemoryMaskForm.DYNAMIC, InactiveLaneSemantics.SUPPRESS)
ZERO, EXACT, UNREAD = (
    ReadSubwordSemantics.ZERO_EXTEND,
    ReadSubwordSemantics.EXACT,
    ReadSubwordSemantics.NOT_APPLICABLE,
)
BYTES, UNWRITTEN = WriteSubwordSemantics.BYTE_ENABLE, WriteSubwordSemantics.NOT_APPLICABLE
INDEX32 = RootRelative(UnsignedDomain.of(32))


def access(form, element, lanes, masks, log2, read, write, *, address=INDEX32, data=None):
    return MemoryAccessClass.of(
        form,
        address,
        element_width_bits=UnsignedDomain.of(*element),
        flattened_lane_count=UnsignedDomain.of(*lanes),
        mask_inactive_pairs=masks,
        source_alignment=AlignmentDomain(UnsignedDomain.of(*log2)),
        read_subword=[read],
        write_subword=[write],
        data_pointer_formats=data or [OrdinaryData()],
    )


ANY = ((0, 63),)
VECTORS = access(FORM.CONTIGUOUS, (8, 16), ((2, 4),), (ABSENT, ZERO_FILLED), ANY, ZERO, UNWRITTEN)
POINTERS = access(
    FORM.ELEMENT,
    (64,),
    (1,),
    (ABSENT,),
    ANY,
    EXACT,
    UNWRITTEN,
    address=PointerAddressed((PointerFormat(0, 64, 48),)),
    data=[OrdinaryData(), PointerFormat(1, 64, 64)],
)
ELEMENTS = access(FORM.ELEMENT, (32, 64), (1,), (ABSENT,), (2, 3), ZERO, UNWRITTEN)
SCATTER = access(FORM.INDEXED, (16,), (2, 4), (SUPPRESSED,), ANY, UNREAD, BYTES)
ADDED = access(FORM.CONTIGUOUS, (32,), (1, 2), (ABSENT, ZERO_FILLED), (2,), ZERO, BYTES)
EXCHANGED = access(FORM.CONTIGUOUS, (32,), (2,), (ZERO_FILLED,), (2,), ZERO, BYTES)

#: Inputs come first: addr, data, update, expected, desired, mask, ctrl; then read, success, done.
ADDRESS, CONTROL, DONE = (ROLE.ADDRESS, 0), (ROLE.CONTROL, 6), (ROLE.COMPLETION, 9)
MASK = (ROLE.MASK, 5)

BOUNDED = LocalProvider(ReleaseVisibilityPoint.AT_LINEARIZATION, BoundedCompletionCycles(16))
FAIR = LocalProvider(ReleaseVisibilityPoint.AT_LINEARIZATION, FairEventual())
RETIRED = LocalProvider(ReleaseVisibilityPoint.BY_RETIREMENT, FairEventual())

#: Per alternative of the document: schema, clause, roles, classes, patterns, consistency.
EXPECTED = {
    "plain load": (
        LOAD,
        LoadStorePlain((False, True)),
        (ADDRESS, (ROLE.DATA, 7), MASK, CONTROL, DONE),
        (VECTORS, POINTERS),
        DIRECT,
        NO_CONSISTENCY,
    ),
    "atomic load": (
        LOAD,
        LoadStoreAtomic((ORDER.MONOTONIC, ORDER.ACQUIRE), (SYSTEM,), (None,), (False,)),
        (ADDRESS, (ROLE.DATA, 7), CONTROL, DONE),
        (ELEMENTS,),
        DIRECT,
        BOUNDED,
    ),
    "plain store": (
        STORE,
        LoadStorePlain((False,)),
        (ADDRESS, (ROLE.DATA, 1), MASK, CONTROL, DONE),
        (SCATTER,),
        WALK,
        RETIRED,
    ),
    "read-modify-write": (
        RMW,
        AtomicRmw(
            (AtomicRmwKind.ADD, AtomicRmwKind.UMAX),
            (ORDER.ACQ_REL, ORDER.SEQ_CST),
            (SYSTEM, THREAD),
            (LANE,),
            (False,),
        ),
        (ADDRESS, (ROLE.UPDATE, 2), MASK, CONTROL, (ROLE.OLD, 7), DONE),
        (ADDED,),
        WALK,
        FAIR,
    ),
    "compare-exchange": (
        CAS,
        CompareExchange(
            ((ORDER.ACQ_REL, ORDER.ACQUIRE), (ORDER.SEQ_CST, ORDER.MONOTONIC)),
            (SYSTEM,),
            (LANE,),
            (False, True),
            (False,),
        ),
        (
            ADDRESS,
            (ROLE.EXPECTED, 3),
            (ROLE.DESIRED, 4),
            MASK,
            CONTROL,
            (ROLE.OLD, 7),
            (ROLE.SUCCESS, 8),
            DONE,
        ),
        (EXCHANGED,),
        WALK,
        FAIR,
    ),
    "fence": (FENCE, Fence((ORDER.SEQ_CST,), (SYSTEM,)), (CONTROL, DONE), (), DIRECT, FAIR),
}


def domains(name):
    schema, clause, _, classes, _, _ = EXPECTED[name]
    accesses = ParameterizedMemoryAccessDomain.of(*classes) if classes else None
    return MemoryActorContractDomain(schema, (clause,)), accesses


@pytest.fixture(scope="module")
def engine():
    return parse_fabric(EVERY_KEY.read_text()).memories[0]


@pytest.mark.parametrize("name", EXPECTED)
def test_an_alternative_of_each_actor_is_the_record_built_by_hand(engine, name):
    actors, accesses = domains(name)
    _, _, roles, _, patterns, _ = EXPECTED[name]
    (port,) = engine.occurrence.engine.ports
    expected = MemoryCapabilityAlternative(actors, roles, accesses, patterns)
    assert expected in port.capability_alternatives
    assert len(port.capability_alternatives) == len(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_capability_of_each_actor_is_the_record_built_by_hand(engine, name):
    actors, accesses = domains(name)
    consistency = EXPECTED[name][-1]
    contract = engine.occurrence.local_service.memory_service_contract
    requesters = tuple(range(contract.resource_contract.requester_count))
    regions, beat = ((0,), 64) if accesses else ((), 0)
    expected = MemoryServiceCapability(actors, accesses, regions, beat, requesters, consistency)
    assert expected in contract.capabilities
    # The one that is left serves the device registers.
    assert len(contract.capabilities) == len(EXPECTED) + 1


def test_each_operand_has_a_queue_of_its_depth(engine):
    (port,) = engine.occurrence.engine.ports
    names = ("ADDRESS", "DATA", "UPDATE", "EXPECTED", "DESIRED", "MASK", "CONTROL")
    depths = tuple((ROLE[name], depth) for depth, name in enumerate(names, start=1))
    assert port_capacities(port).operand_depth == depths


def test_a_walk_has_a_transaction_per_lane_of_its_widest_access(engine):
    (port,) = engine.occurrence.engine.ports
    direct, walk = port.resource_contract.use_patterns
    assert len(direct.internal_transactions) == 1
    assert len(walk.internal_transactions) == 4


def test_the_document_and_its_bytes_are_one_fabric():
    fabric = parse_fabric(EVERY_KEY.read_text())
    assert fabric_codec.decode(fabric_codec.encode(fabric)) == fabric


M = ("memory", 0)
PORT, SERVED = (*M, "port", 0), (*M, "local", "capabilities")
ATOMIC, CLAUSE = (*PORT, "load", 1, "contract", 0, "atomic"), (*PORT, "rmw", 0, "contract", 0)
TARGET = {"target": {"namespace": "gpu", "key": "warp"}}
POINTER = (*PORT, "load", 0, "access", 1)
KINDS = (
    "'xchg', 'add', 'sub', 'and', 'nand', 'or', 'xor', 'max', 'min', 'umax', 'umin', 'fadd', "
    "'fsub', 'fmax', 'fmin', 'uinc_wrap', 'udec_wrap', 'usub_cond', 'usub_sat', 'fmaximum', "
    "'fminimum', 'fmaximum_num' or 'fminimum_num'"
)
BAD = [
    (
        (*ATOMIC, "orderings"),
        ["release"],
        "memory[0].port[0].load[1].contract[0].atomic.orderings: The ordering of "
        "load must be unordered or monotonic or acquire or seq_cst, not "
        "release [load-ordering]",
    ),
    (
        (*ATOMIC, "sync_scopes"),
        [TARGET],
        "memory[0].port[0].load[1].contract[0].atomic.sync_scopes: A scope must be "
        "system or single_thread, not the target 'gpu' 'warp' [sync-scope-target]",
    ),
    (
        (*CLAUSE, "kinds"),
        ["mul"],
        f"memory[0].port[0].rmw[0].contract[0].kinds[0]: The value must be {KINDS}, "
        'not "mul" [unknown-value]',
    ),
    (
        (*CLAUSE, "orderings"),
        ["unordered", "seq_cst"],
        "memory[0].port[0].rmw[0].contract[0].orderings: The ordering of "
        "rmw must be monotonic or acquire or release or acq_rel or "
        "seq_cst, not unordered [rmw-ordering]",
    ),
    (
        (*PORT, "cmpxchg", 0, "contract", 0, "orderings"),
        [["seq_cst", "release"]],
        "memory[0].port[0].cmpxchg[0].contract[0].orderings: The ordering of failure in"
        " cmpxchg must be monotonic or acquire or seq_cst, not release "
        "[compare-exchange-failure-ordering]",
    ),
    (
        (*PORT, "cmpxchg", 0, "contract", 0, "orderings"),
        ["seq_cst"],
        "memory[0].port[0].cmpxchg[0].contract[0].orderings[0]: The value must be a "
        'list, not "seq_cst" [wrong-type]',
    ),
    (
        (*PORT, "cmpxchg", 0, "contract", 0, "orderings"),
        [["seq_cst"]],
        "memory[0].port[0].cmpxchg[0].contract[0].orderings[0]: The list must hold at "
        "least 2 items, not 1 [list-length]",
    ),
    (
        (*PORT, "fence", 0, "contract", 0, "orderings"),
        ["monotonic"],
        "memory[0].port[0].fence[0].contract[0].orderings: The ordering of "
        "fence must be acquire or release or acq_rel or seq_cst, not monotonic"
        " [fence-ordering]",
    ),
    (
        (*PORT, "fence", 0, "contract", 0, "sync_scopes"),
        [{"target": {"namespace": "", "key": "warp"}}],
        "memory[0].port[0].fence[0].contract[0].sync_scopes[0].target.namespace: The "
        'text must have at least 1 character, not "" [text-format]',
    ),
    (
        (*PORT, "fence", 0, "contract", 0, "sync_scopes"),
        [3],
        "memory[0].port[0].fence[0].contract[0].sync_scopes[0]: The value must be "
        "'system', 'single_thread' or a table with target, not 3 [wrong-type]",
    ),
    (
        (*PORT, "fence", 0, "patterns"),
        ["walk"],
        "memory[0].port[0].patterns[1]: A fence must select direct patterns, not "
        "active_lanes_row_major [port-fence-projection]",
    ),
    (
        (*CLAUSE, "granularity"),
        ["absent"],
        "memory[0].port[0].rmw[0].access[0].form: The form of granularity absent must "
        "be element, not contiguous [atomic-granularity-form]",
    ),
    (
        (*PORT, "rmw", 0, "patterns"),
        ["direct"],
        "memory[0].port[0].patterns[0]: Atomic granularity per_lane must select "
        "active_lanes_row_major patterns, not direct [port-atomic-projection]",
    ),
    (
        (*PORT, "rmw", 0, "access", 0, "element_bits"),
        [24, 32],
        "memory[0].port[0].rmw[0].access[0].element_bits: An atomic object must have a "
        "power of two of bits, at least 8, not 24..24, 32..32 [atomic-element-width]",
    ),
    (
        (*PORT, "rmw", 0, "access", 0, "write_subword"),
        None,
        "memory[0].port[0].rmw[0].access[0].write_subword: The key must be present, not"
        " absent [missing-key]",
    ),
    (
        (*PORT, "rmw", 0, "roles", "data"),
        "data",
        "memory[0].port[0].rmw[0].roles.data: The key must be one of address, "
        'completion, control, mask, old, update, not "data" (did you mean update?) '
        "[unknown-key]",
    ),
    (
        (*PORT, "cmpxchg", 0, "roles", "success"),
        None,
        "memory[0].port[0].cmpxchg[0].roles.success: The key must be present, not "
        "absent [missing-key]",
    ),
    (
        (*POINTER, "address"),
        {"indices": [32]},
        "memory[0].port[0].load[0].access[1].address: The value must be a table with "
        "root_relative or pointer, not a table with indices [wrong-type]",
    ),
    (
        (*POINTER, "address", "pointer", 0, "address_bits"),
        65,
        "memory[0].port[0].load[0].access[1].address.pointer[0].address_bits: The value"
        " must be from 1 to the representation's 64 bits, not 65 [pointer-format-range]",
    ),
    (
        (*POINTER, "data"),
        ["plain"],
        "memory[0].port[0].load[0].access[1].data[0]: The value must be 'ordinary', not"
        ' "plain" [unknown-value]',
    ),
    (
        (*POINTER, "data", 1),
        {"address_space": 1, "representation_bits": 32, "address_bits": 32},
        "memory[0].port[0].load[0].access[1].element_bits: Elements must have exactly "
        "the 32 bits of an admitted data pointer, not 64..64 [access-pointer-width]",
    ),
    (
        (*POINTER, "address", "pointer", 0, "representation_bits"),
        256,
        "memory[0].port[0].load[0].access[1].address.pointer: Every payload must fit "
        "the 128 bits of memory[0].port[0].load[0].roles.address, not take 256 bits (1 "
        "of 256) [address-endpoint-narrow]",
    ),
    (
        (*SERVED, 3, "rmw", "consistency"),
        None,
        "memory[0].local.capabilities[3].rmw.consistency: A consistency binding is "
        "required where a clause is not plain, not none for contract_clauses[0], "
        "rmw [consistency-binding-missing]",
    ),
    (
        (*SERVED, 3, "rmw", "consistency"),
        {"system_domain": "00ff"},
        "memory[0].local.capabilities[3].rmw.consistency: A local service must order "
        "its accesses itself, not by a system domain [local-service-system-domain]",
    ),
    (
        (*SERVED, 3, "rmw", "consistency"),
        {"system_domain": "0"},
        "memory[0].local.capabilities[3].rmw.consistency.system_domain: The text must "
        'match the pattern ^([0-9a-f]{2})+$, not "0" [text-format]',
    ),
    (
        (*SERVED, 3, "rmw", "consistency"),
        {},
        "memory[0].local.capabilities[3].rmw.consistency: The value must be a table "
        "with local_provider or system_domain, not an empty table [wrong-type]",
    ),
    (
        (*SERVED, 3, "rmw", "consistency", "local_provider", "progress"),
        {"bounded_completion_cycles": 0},
        "memory[0].local.capabilities[3].rmw.consistency.local_provider.progress.bounded_completion_cycles:"
        " The value must be at least 1, not 0 [value-out-of-range]",
    ),
    (
        (*SERVED, 3, "rmw", "consistency", "local_provider", "progress"),
        7,
        "memory[0].local.capabilities[3].rmw.consistency.local_provider.progress: The "
        "value must be 'fair_eventual' or a table with bounded_completion_cycles, not 7"
        " [wrong-type]",
    ),
    (
        (*SERVED, 5, "fence", "regions"),
        [0],
        "memory[0].local.capabilities[5].fence.regions: The key must be one of "
        'consistency, contract, patterns, not "regions" [unknown-key]',
    ),
    (
        (*SERVED, 5),
        None,
        "memory[0].port[0].fence[0]: The local service must serve some access of the "
        "alternative to this port, not none [target-serves-nothing]",
    ),
    (
        (*PORT, "resources", "operand_depth"),
        {"address": 1, "control": 1},
        "memory[0].port[0].resources.operand_depth: A depth must be given for address, "
        "data, update, expected, desired, mask, control, not for address, control "
        "[operand-depth-roles]",
    ),
]


@pytest.mark.parametrize(("at", "value", "expected"), BAD)
def test_a_bad_document_gets_its_exact_findings(at, value, expected):
    with pytest.raises(Invalid) as error:
        parse_fabric(toml(changed(every_key_document(), at, value)))
    assert str(error.value) == expected
