from dataclasses import replace

import pytest

from fabricgen.errors import Unsupported
from fabricgen.plan.capacity import (
    port_capacities,
    port_input_roles,
    port_result_roles,
    service_capacities,
)
from fabricgen.plan.contract import (
    document_pattern,
    port_contract,
    service_contract,
    use_pattern_key,
)
from fabricgen.records.port import MemoryOperationPort
from fabricgen.records.resource import CapacityDimension, Claim, RoundRobin
from tests.support.memories import (
    CONTIGUOUS,
    DIRECT,
    LANES,
    ROLE,
    access_class,
    alternative,
    hybrid_classes,
    port,
)
from tests.support.records import LOAD, STORE, copy_fabric, load_fabric, service_resources
from tests.support.temporal import temporal_ports

COPY = copy_fabric().memories[0].occurrence
SINGLE = load_fabric().memories[0].occurrence


def codes(error):
    return [diagnostic.code for diagnostic in error.value.diagnostics]


def with_contract(owner, **changes):
    return replace(owner, resource_contract=replace(owner.resource_contract, **changes))


def test_a_port_has_its_capacities_and_a_queue_per_input_role():
    capacities = port_capacities(COPY.engine.ports[1])
    assert (capacities.in_flight, capacities.result_holding) == ((4,), (4,))
    assert capacities.operand_depth == (
        (ROLE.ADDRESS, 2),
        (ROLE.DATA, 2),
        (ROLE.MASK, 2),
        (ROLE.CONTROL, 2),
    )


def test_the_smaller_of_context_and_total_bounds_a_spatial_port():
    contract = port_contract(
        in_flight=(3, 8), result_holding=(9, 5), operand_depths=(1, 2), transactions=(1,)
    )
    capacities = port_capacities(replace(SINGLE.engine.ports[0], resource_contract=contract))
    assert (capacities.in_flight, capacities.result_holding) == ((3,), (5,))
    assert capacities.slots_of(0) == capacities.row_slots == 3
    assert capacities.operand_depth == ((ROLE.ADDRESS, 1), (ROLE.CONTROL, 2))


def test_roles_of_a_port_are_the_union_over_its_alternatives_in_role_order():
    read = alternative(
        LOAD, {"address": 0, "control": 1, "data": 3, "completion": 4}, hybrid_classes(LOAD)[:1]
    )
    write = alternative(
        STORE,
        {"address": 0, "data": 2, "control": 1, "completion": 4},
        hybrid_classes(STORE)[:1],
    )
    both = port(read, write)
    assert port_input_roles(both) == (ROLE.ADDRESS, ROLE.DATA, ROLE.CONTROL)
    assert port_result_roles(both) == (ROLE.DATA, ROLE.COMPLETION)


def test_a_temporal_port_has_a_capacity_per_context_and_a_total():
    read, write = temporal_ports(3, in_flight=(2, 9), result_holding=(4, 5), lanes=True)
    capacities = port_capacities(read)
    assert (capacities.contexts, capacities.row_slots, capacities.total_slots) == (3, 2, 5)
    assert (capacities.in_flight, capacities.total_in_flight) == ((2,) * 3, 9)
    assert (capacities.result_holding, capacities.total_result_holding) == ((4,) * 3, 5)
    assert capacities.projections == ((DIRECT,) * 3, (LANES,) * 3)
    assert capacities.grant == RoundRobin((0, 1, 2), 0)
    assert [depth for _, depth in port_capacities(write).operand_depth] == [1, 1, 1, 1]


def test_a_temporal_contract_is_the_one_written_by_hand():
    # Two contexts; Direct in keys 0 and 1, four lanes in keys 2 and 3. Dimension 2 is the total.
    read, _ = temporal_ports(2, in_flight=(1, 2), result_holding=(3, 4), lanes=True)
    contract = read.resource_contract
    assert [[each.capacity for each in state] for state in contract.states] == [
        [2],
        [1, 1, 2],
        [3, 3, 4],
        [1],
        [1],
        [1],
    ]
    assert [use.requester for use in contract.use_patterns] == [0, 1, 0, 1]
    assert [len(use.internal_transactions) for use in contract.use_patterns] == [1, 1, 4, 4]
    claims = (Claim(1, 1, 1), Claim(1, 2, 1), Claim(2, 1, 1), Claim(2, 2, 1))
    assert contract.use_patterns[3].claims == claims
    assert set(contract.use_patterns[3].internal_transactions) == {(0, 1, 2, 3)}
    assert read.operation_pattern_semantics == (DIRECT, DIRECT, LANES, LANES)


def test_patterns_and_contexts_make_keys():
    assert [use_pattern_key(1, context, 3) for context in range(3)] == [3, 4, 5]
    assert [document_pattern(key, 3) for key in (2, 3, 5)] == [(0, 2), (1, 0), (1, 2)]


def test_each_context_has_its_own_capacities_within_the_totals():
    read, _ = temporal_ports(3)
    flying, holding = ((5, 1, 3, 4), (2, 2, 9, 6))
    states = read.resource_contract.states
    uneven = (states[0], *(tuple(map(CapacityDimension, each)) for each in (flying, holding)))
    capacities = port_capacities(with_contract(read, states=(*uneven, *states[3:])))
    assert (capacities.in_flight, capacities.result_holding) == ((4, 1, 3), (2, 2, 6))
    assert [capacities.slots_of(row) for row in range(3)] == [2, 1, 3]
    assert (capacities.row_slots, capacities.total_slots) == (3, 4)


def test_a_pattern_may_be_another_one_in_each_context():
    # Two lanes in one context, four in another, a single transaction in the third.
    roles = {"address": 0, "control": 1, "data": 2, "completion": 3}
    few, many = (access_class(CONTIGUOUS, LOAD, elements=(32,), lanes=(n,)) for n in (2, 4))
    contract = port_contract(
        in_flight=(2, 8),
        result_holding=(2, 8),
        operand_depths=(1, 1),
        transactions=((2, 4, 1),),
        contexts=3,
        grant=RoundRobin((0, 1, 2), 0),
    )
    uneven = MemoryOperationPort.of(
        range(4),
        contract,
        (LANES, LANES, DIRECT),
        (
            alternative(LOAD, roles, (few,), patterns=(0, 2)),
            alternative(LOAD, roles, (many,), patterns=(1, 2)),
        ),
    )
    assert port_capacities(uneven).projections == ((LANES, LANES, DIRECT),)


def test_the_contract_built_here_is_the_one_in_the_good_records():
    built = service_contract(
        queues=(2, 2), banks=((1, 1),) * 4, outstanding=8, grant=RoundRobin((0, 1), 0)
    )
    assert built == service_resources(2, banks=4)


def test_a_service_has_its_capacities_by_requester_and_bank():
    capacities = service_capacities(COPY.local_service)
    assert (capacities.port, capacities.queue) == ((2, 2), (2, 2))
    assert capacities.banks == ((1, 1),) * 4
    assert capacities.outstanding == 8
    assert capacities.grant == RoundRobin((0, 1), 0)


def test_a_port_without_a_queue_for_each_input_role_is_unsupported():
    port = SINGLE.engine.ports[0]
    states = port.resource_contract.states[:-1]
    with pytest.raises(Unsupported) as error:
        port_capacities(with_contract(port, states=states))
    assert codes(error) == ["port-contract-shape"]


def changed_claims(port):
    pattern = port.resource_contract.use_patterns[0]
    return (replace(pattern, claims=(*pattern.claims[:3], Claim(2, 1, 2))),)


@pytest.mark.parametrize(
    "changes",
    [
        lambda port: {"use_patterns": changed_claims(port)},
        lambda port: {"timing_contracts": ((1, 1),)},
        lambda port: {"transition_count": 1},
        lambda port: {"eligibility_count": 2},
        lambda port: {
            "states": (
                (CapacityDimension(4, 1),),
                *port.resource_contract.states[1:],
            )
        },
    ],
)
def test_a_port_contract_that_differs_in_more_than_capacities_is_unsupported(changes):
    port = SINGLE.engine.ports[0]
    with pytest.raises(Unsupported) as error:
        port_capacities(with_contract(port, **changes(port)))
    assert codes(error) == ["port-contract-unlike"]


def service_with(**changes):
    service = COPY.local_service
    contract = with_contract(service.memory_service_contract, **changes)
    return replace(service, memory_service_contract=contract)


def test_a_service_without_banks_is_unsupported():
    states = COPY.local_service.memory_service_contract.resource_contract.states
    patterns = COPY.local_service.memory_service_contract.resource_contract.use_patterns
    moved = tuple(
        replace(pattern, claims=(*pattern.claims[:2], Claim(4, 0, 1))) for pattern in patterns
    )
    service = service_with(states=(*states[:4], states[-1]), use_patterns=moved)
    with pytest.raises(Unsupported) as error:
        service_capacities(service)
    assert codes(error) == ["service-contract-shape"]


def unclaiming():
    """Use patterns that claim nothing, so that nothing is contended."""
    patterns = COPY.local_service.memory_service_contract.resource_contract.use_patterns
    return tuple(replace(each, claims=(), internal_transactions=((),)) for each in patterns)


def test_a_hostile_requester_count_costs_nothing():
    order = RoundRobin((0, 1), 0)
    with pytest.raises(Unsupported) as error:
        service_capacities(
            service_with(
                requester_count=2**32 - 1,
                use_patterns=unclaiming(),
                grant_policy=None,
            )
        )
    assert codes(error) == ["service-contract-shape"]
    assert service_capacities(COPY.local_service).grant == order


def test_a_service_that_claims_no_queue_is_unsupported():
    patterns = COPY.local_service.memory_service_contract.resource_contract.use_patterns
    thinner = tuple(
        replace(
            pattern, claims=(pattern.claims[0], pattern.claims[2]), internal_transactions=((0, 1),)
        )
        for pattern in patterns
    )
    with pytest.raises(Unsupported) as error:
        service_capacities(service_with(use_patterns=thinner))
    assert codes(error) == ["service-contract-unlike"]


def test_a_queue_of_none_that_nothing_claims_is_unsupported_and_not_a_crash():
    contract = COPY.local_service.memory_service_contract.resource_contract
    empty = ((CapacityDimension(0),), *contract.states[1:])
    with pytest.raises(Unsupported) as error:
        service_capacities(service_with(states=empty, use_patterns=unclaiming(), grant_policy=None))
    assert set(codes(error)) == {"service-contract-unlike"}
