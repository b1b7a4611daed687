"""The resource contracts of operation ports and local services, state by state.

The states, events and claims that this generator realises are written here once; a port or
service whose record differs in anything but its capacities is ``Unsupported``.
"""

from collections.abc import Sequence

from fabricgen.records.resource import (
    CapacityDimension,
    Claim,
    GrantPolicy,
    ResourceContract,
    UsePattern,
)

__all__ = ["port_contract", "service_contract"]

#: Events of every use: it begins at 0 (issue, admit) and ends at 1 (retire, respond).
_ACQUIRE, _RELEASE = 0, 1
_EVENT_RANKS = (0, 1)


def port_contract(
    *,
    in_flight: Sequence[int],
    result_holding: Sequence[int],
    operand_depths: Sequence[int],
    pattern_count: int,
) -> ResourceContract:
    """Build the contract of one Spatial operation port.

    States, in key order: ``Context`` (declared, not claimed), ``InFlight`` and ``ResultHolding``
    (the context's dimension, then the total), then the queue depth of each input role, declared
    and not claimed. Each use pattern claims one unit of every dimension of the second and third
    state, and its one internal transaction lists all claims.
    """
    claims = tuple(Claim(state, dimension, 1) for state in (1, 2) for dimension in (0, 1))
    return ResourceContract(
        states=(
            _state(1),
            _state(*in_flight),
            _state(*result_holding),
            *(_state(depth) for depth in operand_depths),
        ),
        transition_count=0,
        timing_contracts=(_EVENT_RANKS,),
        use_patterns=(_pattern(0, claims),) * pattern_count,
        requester_count=1,
        eligibility_count=1,
        event_count=len(_EVENT_RANKS),
        grant_policy=None,
    )


def service_contract(
    *,
    queues: Sequence[int],
    banks: Sequence[tuple[int, int]],
    outstanding: int,
    grant: GrantPolicy | None,
) -> ResourceContract:
    """Build the contract of one Local Memory Service; requester ``r`` is operation port ``r``.

    States, in key order: ``Port(r)`` and ``Queue(r)``, both of capacity ``queues[r]``; per bank
    its reads and writes a cycle; ``Outstanding``. Use pattern ``r`` claims one unit of its
    requester's two states and one of ``Outstanding``; bank cycles are grants inside it.
    """
    requesters, outstanding_state = len(queues), 2 * len(queues) + len(banks)
    return ResourceContract(
        states=(
            *(_state(depth) for depth in queues),
            *(_state(depth) for depth in queues),
            *(_state(*bank) for bank in banks),
            _state(outstanding),
        ),
        transition_count=0,
        timing_contracts=(_EVENT_RANKS,),
        use_patterns=tuple(
            _pattern(
                requester,
                (
                    Claim(requester, 0, 1),
                    Claim(requesters + requester, 0, 1),
                    Claim(outstanding_state, 0, 1),
                ),
            )
            for requester in range(requesters)
        ),
        requester_count=requesters,
        eligibility_count=1,
        event_count=len(_EVENT_RANKS),
        grant_policy=grant,
    )


def _state(*capacities: int) -> tuple[CapacityDimension, ...]:
    return tuple(CapacityDimension(capacity) for capacity in capacities)


def _pattern(requester: int, claims: tuple[Claim, ...]) -> UsePattern:
    return UsePattern(
        requester=requester,
        eligibility=0,
        acquire=_ACQUIRE,
        release=_RELEASE,
        commit=None,
        timing=0,
        claims=claims,
        internal_transactions=(tuple(range(len(claims))),),
    )
