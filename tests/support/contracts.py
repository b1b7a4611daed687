"""Resource contracts as named documents, and the realised ones spelled out."""

from fabricgen.records.resource import RoundRobin

__all__ = ["named"]


def named(contract, patterns, requesters):
    """The document of a contract; ``patterns`` names its use patterns, one each or in runs.

    The other names are made of the kind and the position, ``state-0``.
    """
    states = [
        {
            "name": f"state-{i}",
            "dimensions": [
                {
                    "name": f"part-{j}",
                    "capacity": dimension.capacity,
                    "initial_occupancy": dimension.initial_occupancy,
                }
                for j, dimension in enumerate(state)
            ],
        }
        for i, state in enumerate(contract.states)
    ]
    size = len(contract.use_patterns) // len(patterns)
    document = {
        "states": states,
        "transitions": [f"transition-{i}" for i in range(contract.transition_count)],
        "events": [f"event-{i}" for i in range(contract.event_count)],
        "timing": [
            {"name": f"timing-{i}", "ranks": {f"event-{e}": rank for e, rank in enumerate(ranks)}}
            for i, ranks in enumerate(contract.timing_contracts)
        ],
        "requesters": list(requesters),
        "eligibility": [f"eligibility-{i}" for i in range(contract.eligibility_count)],
        "patterns": [
            _pattern(use, patterns[key // size], requesters)
            for key, use in enumerate(contract.use_patterns)
        ],
    }
    if contract.grant_policy is not None:
        document["grant"] = _grant(contract.grant_policy, requesters)
    return document


def _pattern(use, name, requesters):
    document = {
        "name": name,
        "requester": requesters[use.requester],
        "eligibility": f"eligibility-{use.eligibility}",
        "acquire": f"event-{use.acquire}",
        "release": f"event-{use.release}",
        "timing": f"timing-{use.timing}",
        "claims": [
            {
                "name": f"claim-{i}",
                "state": f"state-{claim.state}",
                "dimension": f"part-{claim.dimension}",
                "amount": claim.amount,
            }
            for i, claim in enumerate(use.claims)
        ],
        "transactions": [[f"claim-{key}" for key in keys] for keys in use.internal_transactions],
    }
    if use.commit is not None:
        event, transition = use.commit.event, use.commit.transition
        document["commit"] = {"event": f"event-{event}", "transition": f"transition-{transition}"}
    return document


def _grant(policy, requesters):
    order = [requesters[key] for key in policy.order]
    if isinstance(policy, RoundRobin):
        cursor = requesters[policy.reset_cursor]
        return {"round_robin": {"order": order, "reset_cursor": cursor}}
    return {"fixed_priority": {"order": order}}
