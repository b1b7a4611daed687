"""The resource contracts of operation ports and local services, state by state.

The states, events and claims that this generator realises are written here once; a port or
service whose record differs in anything but its capacities is ``Unsupported``.
"""

from collections.abc import Iterable, Sequence

from fabricgen.records.resource import (
    CapacityDimension,
    Claim,
    GrantPolicy,
    ResourceContract,
    UsePattern,
)

__all__ = [
    "document_pattern",
    "patterns_in",
    "port_contract",
    "service_contract",
    "use_pattern_key",
]

#: Events of every use: it begins at 0 (issue, admit) and ends at 1 (retire, respond).
_ACQUIRE, _RELEASE = 0, 1
_EVENT_RANKS = (0, 1)


def port_contract(
    *,
    in_flight: tuple[int | Sequence[int], int],
    result_holding: tuple[int | Sequence[int], int],
    operand_depths: Sequence[int],
    transactions: Sequence[int | Sequence[int]],
    contexts: int = 1,
    grant: GrantPolicy | None = None,
) -> ResourceContract:
    """Build the contract of one operation port; a Spatial port has one context.

    States, in key order: ``Context`` of capacity ``contexts`` (declared, not claimed),
    ``InFlight`` and ``ResultHolding`` (one dimension per context, then the total), then the queue
    depth of each input role, declared and not claimed. Each document pattern has one use pattern
    per context, which claims one unit of its context's dimension and of the total of the second
    and third state; every internal transaction lists all claims.

    Parameters
    ----------
    in_flight, result_holding
        Capacity of every context, or that of each, and the total.
    operand_depths
        Queue depth of each input role of the port, in role order.
    transactions
        Internal transactions of each document pattern: in every context, or in each.
    contexts
        Requesters of the port.
    grant
        Order among the contexts, which contend for the totals; present exactly for two or more.
    """
    return ResourceContract(
        states=(
            _state(contexts),
            _state(*_each(in_flight[0], contexts), in_flight[1]),
            _state(*_each(result_holding[0], contexts), result_holding[1]),
            *(_state(depth) for depth in operand_depths),
        ),
        transition_count=0,
        timing_contracts=(_EVENT_RANKS,),
        use_patterns=tuple(
            _pattern(context, _port_claims(context, contexts), count)
            for counts in transactions
            for context, count in enumerate(_each(counts, contexts))
        ),
        requester_count=contexts,
        eligibility_count=1,
        event_count=len(_EVENT_RANKS),
        grant_policy=grant,
    )


def use_pattern_key(pattern: int, context: int, contexts: int) -> int:
    """Key of the use pattern with which a context selects a document pattern."""
    return pattern * contexts + context


def document_pattern(key: int, contexts: int) -> tuple[int, int]:
    """Document pattern and context of one use pattern: the inverse of :func:`use_pattern_key`."""
    return divmod(key, contexts)


def patterns_in(keys: Iterable[int], context: int, contexts: int) -> tuple[int, ...]:
    """Document patterns of those use patterns that are the context's."""
    return tuple(key // contexts for key in keys if key % contexts == context)


def service_contract(
    *,
    queues: Sequence[int],
    banks: Sequence[tuple[int, int]],
    outstanding: int,
    grant: GrantPolicy | None,
) -> ResourceContract:
    """Build the contract of one Local Memory Service.

    Its requesters are the operation ports in order, then the subordinate endpoints in order.
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


def _each(capacity: int | Sequence[int], contexts: int) -> Sequence[int]:
    return (capacity,) * contexts if isinstance(capacity, int) else capacity


def _port_claims(context: int, contexts: int) -> tuple[Claim, ...]:
    return tuple(
        Claim(state, dimension, 1) for state in (1, 2) for dimension in (context, contexts)
    )


def _pattern(requester: int, claims: tuple[Claim, ...], transactions: int = 1) -> UsePattern:
    return UsePattern(
        requester=requester,
        eligibility=0,
        acquire=_ACQUIRE,
        release=_RELEASE,
        commit=None,
        timing=0,
        claims=claims,
        internal_transactions=(tuple(range(len(claims))),) * transactions,
    )
