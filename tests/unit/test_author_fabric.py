"""A good fabric document: what it expands to, and that the order of its lists is nothing."""

import random
from typing import get_args

import pytest

from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.author.document import Document
from fabricgen.author.fabric import parse_fabric
from fabricgen.author.fabric_document import FabricDocument
from fabricgen.author.load import read_fabric
from fabricgen.check.fabric import findings
from fabricgen.errors import Invalid
from fabricgen.plan.capacity import port_capacities, service_capacities
from fabricgen.plan.realisation import unsupported
from fabricgen.records import fabric_codec
from fabricgen.records.resource import CapacityDimension, FixedPriority, RoundRobin
from fabricgen.vocab.dataflow import (
    MemoryAccessForm,
    MemoryMaskForm,
    OperationSchemaId,
    ServiceValueRole,
)
from fabricgen.vocab.fabric import (
    InactiveLaneSemantics,
    ReadSubwordSemantics,
    WriteSubwordSemantics,
)
from tests.support.documents import LITTLE, changed, fabric_document, toml

ROLE = ServiceValueRole
ADDRESSED = ("Load", "Store", "Rmw", "CompareExchange")
SCHEDULES = ("Spatial", "Temporal")
MEMORY = ["memory", 0]
LOCAL = [*MEMORY, "local"]
LOAD = [*MEMORY, "port", 0, "load", 0]


def little(at=None, value=None):
    document = fabric_document()
    return parse_fabric(toml(document if at is None else changed(document, at, value)))


def test_the_document_is_legal_and_realised():
    assert findings(little()) == ()
    assert unsupported(little()) == ()


def test_inputs_come_before_outputs_each_in_the_order_written():
    (memory,) = little().memories
    assert memory.names.endpoints == (
        *("rd_addr", "rd_mask", "rd_ctrl", "wr_addr", "wr_data", "wr_mask", "wr_ctrl"),
        *("rd_data", "rd_done", "wr_done"),
    )
    widths = tuple(endpoint.payload_width for endpoint in memory.occurrence.endpoints)
    assert widths == (32, 4, 0, 32, 128, 4, 0, 128, 0, 0)


def test_roles_name_endpoints_by_ordinal():
    read, write = little().memories[0].occurrence.engine.ports
    assert read.capability_alternatives[0].role_to_endpoint == (
        (ROLE.ADDRESS, 0),
        (ROLE.DATA, 7),
        (ROLE.MASK, 1),
        (ROLE.CONTROL, 2),
        (ROLE.COMPLETION, 8),
    )
    assert write.endpoint_inventory == (3, 4, 5, 6, 9)
    assert [
        port.capability_alternatives[0].actor_contract_domain.actor_schema for port in (read, write)
    ] == [
        OperationSchemaId.DATAFLOW_LOAD,
        OperationSchemaId.DATAFLOW_STORE,
    ]


def test_the_guarantee_of_a_masked_lane_follows_from_the_direction():
    read, write = little().memories[0].occurrence.engine.ports
    (load,) = read.capability_alternatives
    by_form = {c.access_form: c for c in load.parameterized_access_domain.access_classes}
    vector = by_form[MemoryAccessForm.CONTIGUOUS]
    assert vector.mask_inactive_pairs == (
        (MemoryMaskForm.ABSENT, InactiveLaneSemantics.NOT_APPLICABLE),
        (MemoryMaskForm.DYNAMIC, InactiveLaneSemantics.SUPPRESS_AND_ZERO_FILL),
    )
    assert vector.read_subword == (ReadSubwordSemantics.EXACT,)
    assert vector.write_subword == (WriteSubwordSemantics.NOT_APPLICABLE,)
    (store,) = write.capability_alternatives[0].parameterized_access_domain.access_classes
    assert store.mask_inactive_pairs[1] == (
        MemoryMaskForm.DYNAMIC,
        InactiveLaneSemantics.SUPPRESS,
    )
    assert store.read_subword == (ReadSubwordSemantics.NOT_APPLICABLE,)
    assert store.write_subword == (WriteSubwordSemantics.BYTE_ENABLE,)


def test_any_alignment_is_every_exponent_and_a_list_is_in_bytes():
    def exponents(value):
        fabric = little([*LOAD, "access", 0, "alignment"], value)
        port = fabric.memories[0].occurrence.engine.ports[0]
        classes = port.capability_alternatives[0].parameterized_access_domain.access_classes
        element = next(c for c in classes if c.access_form is MemoryAccessForm.ELEMENT)
        return element.source_alignment.accepted_log2_byte_alignments

    assert exponents("any") == UnsignedDomain.of((0, 63))
    assert exponents([8, 1, 2]) == UnsignedDomain.of(0, 1, 3)


def test_intervals_and_values_make_one_domain():
    fabric = little([*LOAD, "access", 0, "element_bits"], [{"from": 16, "to": 32}, 8, 33])
    port = fabric.memories[0].occurrence.engine.ports[0]
    classes = port.capability_alternatives[0].parameterized_access_domain.access_classes
    element = next(c for c in classes if c.access_form is MemoryAccessForm.ELEMENT)
    assert element.element_width_bits == UnsignedDomain.of(8, (16, 33))


def test_port_capacities_are_those_of_the_document():
    read, write = little().memories[0].occurrence.engine.ports
    assert port_capacities(read).in_flight == (4,)
    assert port_capacities(read).result_holding == (3,)
    assert port_capacities(read).operand_depth == (
        (ROLE.ADDRESS, 2),
        (ROLE.MASK, 2),
        (ROLE.CONTROL, 2),
    )
    assert port_capacities(write).operand_depth == (
        (ROLE.ADDRESS, 1),
        (ROLE.DATA, 2),
        (ROLE.MASK, 3),
        (ROLE.CONTROL, 4),
    )


def test_a_port_contract_has_its_states_in_key_order():
    contract = little().memories[0].occurrence.engine.ports[0].resource_contract
    capacities = [[d.capacity for d in dimensions] for dimensions in contract.states]
    assert capacities == [[1], [4, 4], [3, 3], [2], [2], [2]]
    (pattern,) = contract.use_patterns
    assert [(c.state, c.dimension, c.amount) for c in pattern.claims] == [
        (1, 0, 1),
        (1, 1, 1),
        (2, 0, 1),
        (2, 1, 1),
    ]
    assert pattern.internal_transactions == ((0, 1, 2, 3),)
    assert (pattern.acquire, pattern.release, pattern.commit) == (0, 1, None)
    assert contract.grant_policy is None


def test_a_service_contract_has_its_states_in_key_order():
    service = little().memories[0].occurrence.local_service
    contract = service.memory_service_contract.resource_contract
    one, four = CapacityDimension(1), CapacityDimension(4)
    assert contract.states == (*((four,),) * 4, *((one, one),) * 2, (CapacityDimension(8),))
    claims = [[(c.state, c.amount) for c in p.claims] for p in contract.use_patterns]
    assert claims == [[(0, 1), (2, 1), (6, 1)], [(1, 1), (3, 1), (6, 1)]]
    assert contract.grant_policy == RoundRobin((0, 1), 1)
    assert service_capacities(service).outstanding == 8
    assert service_capacities(service).queue == (4, 4)


def test_a_fixed_priority_keeps_its_order():
    grant = {"fixed_priority": {"order": ["write0", "read0"]}}
    service = little([*LOCAL, "resources", "grant"], grant).memories[0].occurrence.local_service
    contract = service.memory_service_contract.resource_contract
    assert contract.grant_policy == FixedPriority((1, 0))


def test_a_capability_may_serve_some_requesters_only():
    at = [*LOCAL, "capabilities", 0, "load", "patterns"]
    service = little(at, ["read0"]).memories[0].occurrence.local_service
    served = {
        each.actor_contract_domain.actor_schema: each.admissible_use_patterns
        for each in service.memory_service_contract.capabilities
    }
    assert served == {
        OperationSchemaId.DATAFLOW_LOAD: (0,),
        OperationSchemaId.DATAFLOW_STORE: (0, 1),
    }
    with pytest.raises(Invalid) as error:
        little(at, ["read1"])
    assert str(error.value) == (
        "memory[0].local.capabilities[0].load.patterns: The name must be one of read0, write0, "
        'not "read1" (did you mean read0?) [unknown-name]'
    )
    with pytest.raises(Invalid) as error:
        little(at, ["write0"])
    assert [each.code for each in error.value.diagnostics] == ["target-serves-nothing"]


def test_an_endpoint_may_belong_to_a_port_without_a_role():
    at = [*MEMORY, "port", 0, "endpoints"]
    (memory,) = little(at, ["wr_mask", "rd_data"]).memories
    names = memory.names.endpoints
    assert [names[end] for end in memory.occurrence.engine.ports[0].endpoint_inventory] == [
        "rd_addr",
        "rd_mask",
        "rd_ctrl",
        "wr_mask",
        "rd_data",
        "rd_done",
    ]
    with pytest.raises(Invalid, match=r"^memory\[0\]\.port\[0\]\.endpoints: The name must be one"):
        little(at, ["wr_mark"])


def test_adjacent_regions_are_merged_and_renumbered():
    document = fabric_document()
    local = document["memory"][0]["local"]
    local["regions"] = [
        {"base": 768, "size": 256, "storage": {}},
        {"base": 256, "size": 256, "storage": {}},
        {"base": 0, "size": 256, "storage": {}},
    ]
    local["capabilities"][0]["load"]["regions"] = [2, 1]
    local["capabilities"][1]["store"]["regions"] = [0]
    service = parse_fabric(toml(document)).memories[0].occurrence.local_service
    contract = service.memory_service_contract
    assert [(r.address_base_bytes, r.size_bytes) for r in contract.regions] == [
        (0, 512),
        (768, 256),
    ]
    reached = {
        c.actor_contract_domain.actor_schema: c.service_region_ordinals
        for c in contract.capabilities
    }
    assert reached == {
        OperationSchemaId.DATAFLOW_LOAD: (0,),
        OperationSchemaId.DATAFLOW_STORE: (1,),
    }


def test_implementation_options_alone_have_defaults():
    assert little().memories[0].implementation.aligned_bases is False
    fabric = little([*MEMORY, "implementation"], {"aligned_bases": True})
    assert fabric.memories[0].implementation.aligned_bases is True
    optional = {
        (model.__name__, name)
        for model in models(FabricDocument)
        for name, info in model.model_fields.items()
        if not info.is_required()
    }
    # Roles and depths that only some ports have, one kind of operation or of service, connections,
    # a policy that nothing contends for, one of two spellings of a contract: absent they mean that
    # there is none, never a value.
    assert optional == {
        ("ImplementationDocument", "bank_function"),
        ("ImplementationDocument", "aligned_bases"),
        ("ImplementationDocument", "issue_lanes"),
        ("ImplementationDocument", "counters"),
        ("ImplementationDocument", "manager_protocol"),
        ("ImplementationDocument", "memory_wrapper"),
        ("ImplementationDocument", "subordinate_protocol"),
        *((f"{kind}RolesDocument", "mask") for kind in ADDRESSED),
        *(
            (f"{kind}CapabilityDocument", key)
            for kind in (*ADDRESSED, "Fence")
            for key in ("consistency", "patterns")
        ),
        # Without the key the data is no pointer.
        *((f"{kind}AccessDocument", "data") for kind in ("Load", "Store", "Update")),
        *(
            (f"{schedule}PortDocument", kind)
            for schedule in SCHEDULES
            for kind in ("load", "store", "rmw", "cmpxchg", "fence", "endpoints")
        ),
        *(
            (f"{schedule}MemoryDocument", key)
            for schedule in SCHEDULES
            for key in ("local", "manager", "subordinate", "connections", "implementation")
        ),
        *(
            (f"{schedule}GroupMemoryDocument", key)
            for schedule in SCHEDULES
            for key in ("local", "manager", "subordinate", "connections", "implementation")
        ),
        # Facts of loads and of stores, needed where a group has such ports.
        *(
            (f"{schedule}GroupDocument", f"{direction}_subword")
            for schedule in SCHEDULES
            for direction in ("read", "write")
        ),
        *(("StorageMemoryDocument", key) for key in ("manager", "implementation")),
        *(("MmioDocument", kind) for kind in ("load", "store", "rmw", "cmpxchg")),
        *(
            (owner, key)
            for owner in ("SpatialPortDocument", "TemporalPortDocument", "LocalServiceDocument")
            for key in ("resources", "contract")
        ),
        ("NamedContractDocument", "grant"),
        ("UsePatternDocument", "commit"),
        ("ServiceResourcesDocument", "grant"),
        ("TemporalResourcesDocument", "grant"),
        *(
            ("OperandDepthDocument", role)
            for role in ("address", "data", "update", "expected", "desired", "mask", "control")
        ),
        # A fabric needs one of either.
        *(("FabricDocument", key) for key in ("memory", "op")),
        # Sets that may be empty.
        ("ScalarIntegerParamsDocument", "pointer_formats"),
        ("FloatBehaviorDocument", "required_fast_math"),
        *(
            (f"{record}Document", "resolved_index_widths")
            for record in ("IntegerCastRelation", "FixedVectorSliceAlignMergeParams")
        ),
        *(
            (f"{kind}IntegerCompareMinMaxParamsDocument", "predicates")
            for kind in ("Scalar", "FixedVector")
        ),
        *(
            (f"Scalar{family}ParamsDocument", key)
            for family in ("BitReinterpret", "ValueSelect")
            for key in ("integer_widths", "float_formats")
        ),
        *(
            (f"FixedVector{family}ParamsDocument", key)
            for family in ("Adapter", "Shuffle", "SliceAlignMerge", "ValueSelect")
            for key in ("integer_element_widths", "float_element_formats")
        ),
    }


def models(root):
    """All document classes below one."""
    found, pending = [], [root]
    while pending:
        annotation = pending.pop()
        pending += get_args(annotation)
        is_model = isinstance(annotation, type) and issubclass(annotation, Document)
        if is_model and annotation not in found:
            found.append(annotation)
            pending += [info.annotation for info in annotation.model_fields.values()]
    return found


#: Lists whose order is semantic: it numbers endpoints, ports, patterns and requesters.
ORDERED = ("endpoints", "port", "patterns", "memory", "order")


def shuffled(value, chance, key=None):
    match value:
        case dict():
            items = [(k, shuffled(v, chance, k)) for k, v in value.items()]
            chance.shuffle(items)
            return dict(items)
        case list():
            items = [shuffled(item, chance) for item in value]
            if key not in ORDERED:
                chance.shuffle(items)
            return items
        case _:
            return value


@pytest.mark.parametrize("seed", range(20))
def test_the_order_of_lists_and_keys_is_not_semantic(seed):
    document = shuffled(fabric_document(), random.Random(seed))
    assert fabric_codec.encode(parse_fabric(toml(document))) == fabric_codec.encode(little())


def test_another_decomposition_of_one_relation_is_the_same_record():
    document = fabric_document()
    access = document["memory"][0]["port"][0]["load"][0]["access"]
    element = access.pop(0)
    access += [element | {"element_bits": [bits]} for bits in (32, 8)]
    vector = access.pop(0)
    access += [vector | {"mask": [mask]} for mask in ("dynamic", "absent", "dynamic")]
    port = document["memory"][0]["port"][1]
    port["store"] *= 2
    assert fabric_codec.encode(parse_fabric(toml(document))) == fabric_codec.encode(little())


def test_a_document_and_its_bytes_are_one_fabric(tmp_path):
    fabric = read_fabric(LITTLE / "fabric.toml")
    path = tmp_path / "little.fabric"
    path.write_bytes(fabric_codec.encode(fabric))
    assert read_fabric(path) == fabric


@pytest.mark.parametrize("extra", [b"\0", b"\xff" * 9])
def test_a_wire_file_with_trailing_bytes_is_refused(tmp_path, extra):
    path = tmp_path / "little.fabric"
    path.write_bytes(fabric_codec.encode(little()) + extra)
    with pytest.raises(Invalid) as error:
        read_fabric(path)
    assert [d.code for d in error.value.diagnostics] == ["wire-trailing"]
