"""Complete resource contracts out of documents: names become positions."""

import re
from collections.abc import Sequence

from fabricgen.author.findings import Findings, Place, lookup
from fabricgen.author.named_contract_document import (
    ClaimDocument,
    ContractGrantDocument,
    NamedContractDocument,
    NamedRoundRobinChoice,
    StateDocument,
    TimingDocument,
    UsePatternDocument,
)
from fabricgen.records.resource import (
    CapacityDimension,
    Claim,
    Commit,
    FixedPriority,
    GrantPolicy,
    ResourceContract,
    RoundRobin,
    UsePattern,
)

__all__ = ["contract_place", "expand_contract", "patterns_per_name", "require_one_contract"]

#: Stands for a name that has been reported; no record is built from it.
_UNKNOWN = -1


def expand_contract(
    document: NamedContractDocument, contexts: int, where: str, findings: Findings
) -> ResourceContract | None:
    """Build the contract of the owner at ``where``; ``None`` where a finding stands against it.

    ``contexts`` is the number of rows that may select a port: K in a Temporal memory, else 1.
    """
    owner, where = where, f"{where}.contract"
    before = len(findings.diagnostics)
    _unique_names(document, contexts, where, findings)
    patterns = tuple(
        _pattern(document, each, f"{where}.patterns[{index}]", findings)
        for index, each in enumerate(document.patterns)
    )
    timing = tuple(
        _ranks(each, document.events, f"{where}.timing[{index}].ranks", findings)
        for index, each in enumerate(document.timing)
    )
    grant = _grant(document.grant, document.requesters, f"{where}.grant", findings)
    if len(findings.diagnostics) > before:
        return None
    return findings.attempt(
        contract_place(document, owner),
        lambda: ResourceContract(
            states=tuple(map(_state, document.states)),
            transition_count=len(document.transitions),
            timing_contracts=timing,
            use_patterns=patterns,
            requester_count=len(document.requesters),
            eligibility_count=len(document.eligibility),
            event_count=len(document.events),
            grant_policy=grant,
        ),
    )


def require_one_contract(
    resources: object, contract: NamedContractDocument | None, where: str, findings: Findings
) -> None:
    """Note where an owner has both resources and a contract, or neither."""
    if resources is None and contract is None:
        findings.add(
            "missing-key",
            f"{where}.resources",
            "The key must be present where there is no contract, not absent",
        )
    if resources is not None and contract is not None:
        findings.add(
            "resources-and-contract",
            f"{where}.contract",
            "The contract must be absent where there are resources, which are one already, "
            "not present",
        )


def patterns_per_name(document: NamedContractDocument, contexts: int) -> int:
    """Use patterns that one name stands for: one per context where they come in such runs, or 1.

    In a run, the patterns of all contexts stand together under one name, in their order.
    """
    patterns = document.patterns
    if len(document.requesters) != contexts or not patterns or len(patterns) % contexts:
        return 1
    runs = [patterns[start : start + contexts] for start in range(0, len(patterns), contexts)]
    for run in runs:
        names = {each.name for each in run}
        if len(names) > 1 or [each.requester for each in run] != document.requesters:
            return 1
    return contexts if len({run[0].name for run in runs}) == len(runs) else 1


def contract_place(document: NamedContractDocument | None, where: str) -> Place:
    """Return the translation of paths inside the contract's record of the owner at ``where``."""
    if document is None:
        return lambda _: f"{where}.resources"
    is_round_robin = isinstance(document.grant, NamedRoundRobinChoice)
    renames = (
        (r"states\[(\d+)\]\[(\d+)\]", r"states[\1].dimensions[\2]"),
        (r"timing_contracts(\[\d+\]).*", r"timing\1.ranks"),
        (r"timing_contracts$", "timing"),
        (r"use_patterns\b", "patterns"),
        (r"grant_policy\.", f"grant.{'round_robin' if is_round_robin else 'fixed_priority'}."),
        (r"grant_policy$", "grant"),
        (r"transition_count$", "transitions"),
        (r"requester_count$", "requesters"),
        (r"eligibility_count$", "eligibility"),
        (r"event_count$", "events"),
    )

    def place(path: str) -> str:
        for pattern, replacement in renames:
            path = re.sub(f"^{pattern}", replacement, path)
        return f"{where}.contract.{path.replace('.internal_transactions', '.transactions')}"

    return place


def _unique_names(
    document: NamedContractDocument, contexts: int, where: str, findings: Findings
) -> None:
    def unique(kind: str, key: str, names: Sequence[str], field: str = ".name") -> None:
        places = [(name, f"{where}.{key}[{index}]{field}") for index, name in enumerate(names)]
        findings.require_unique(places, code=f"duplicate-{kind}-key")

    unique("state", "states", [each.name for each in document.states])
    for index, state in enumerate(document.states):
        names = [each.name for each in state.dimensions]
        unique("capacity-dimension", f"states[{index}].dimensions", names)
    unique("resource-transition", "transitions", document.transitions, "")
    unique("event", "events", document.events, "")
    unique("timing-contract", "timing", [each.name for each in document.timing])
    unique("requester", "requesters", document.requesters, "")
    unique("eligibility", "eligibility", document.eligibility, "")
    if patterns_per_name(document, contexts) == 1:
        unique("use-pattern", "patterns", [each.name for each in document.patterns])
    for index, pattern in enumerate(document.patterns):
        names = [each.name for each in pattern.claims]
        unique("claim", f"patterns[{index}].claims", names)
        for slot, claims in enumerate(pattern.transactions):
            unique("claim", f"patterns[{index}].transactions[{slot}]", claims, "")


def _key(kind: str, name: str, known: Sequence[str], where: str, findings: Findings) -> int:
    """Position of a name; an unknown one is reported."""
    keys = lookup([name], known, where, findings, code=f"unknown-{kind}-key")
    return _UNKNOWN if keys is None else keys[0]


def _state(document: StateDocument) -> tuple[CapacityDimension, ...]:
    return tuple(
        CapacityDimension(each.capacity, each.initial_occupancy) for each in document.dimensions
    )


def _ranks(
    document: TimingDocument, events: Sequence[str], where: str, findings: Findings
) -> tuple[int, ...]:
    """Rank of each event, in key order."""
    for name in document.ranks:
        _key("event", name, events, where, findings)
    if absent := [name for name in events if name not in document.ranks]:
        findings.add(
            "timing-contract-event-domain",
            where,
            f"A rank is required for each of {len(events)} events, not none for "
            f"{', '.join(absent)}",
        )
    return tuple(document.ranks.get(name, 0) for name in events)


def _pattern(
    contract: NamedContractDocument, document: UsePatternDocument, where: str, findings: Findings
) -> UsePattern:
    def key(kind: str, name: str, known: Sequence[str], field: str) -> int:
        return _key(kind, name, known, f"{where}.{field}", findings)

    commit = None
    if document.commit is not None:
        commit = Commit(
            key("event", document.commit.event, contract.events, "commit.event"),
            key(
                "resource-transition",
                document.commit.transition,
                contract.transitions,
                "commit.transition",
            ),
        )
    timings = [each.name for each in contract.timing]
    claims = [each.name for each in document.claims]
    return UsePattern(
        requester=key("requester", document.requester, contract.requesters, "requester"),
        eligibility=key("eligibility", document.eligibility, contract.eligibility, "eligibility"),
        acquire=key("event", document.acquire, contract.events, "acquire"),
        release=key("event", document.release, contract.events, "release"),
        commit=commit,
        timing=key("timing-contract", document.timing, timings, "timing"),
        claims=tuple(
            _claim(contract, each, f"{where}.claims[{index}]", findings)
            for index, each in enumerate(document.claims)
        ),
        internal_transactions=tuple(
            tuple(
                sorted(
                    key("claim", name, claims, f"transactions[{slot}][{index}]")
                    for index, name in enumerate(names)
                )
            )
            for slot, names in enumerate(document.transactions)
        ),
    )


def _claim(
    contract: NamedContractDocument, document: ClaimDocument, where: str, findings: Findings
) -> Claim:
    states = [each.name for each in contract.states]
    state = _key("state", document.state, states, f"{where}.state", findings)
    if state == _UNKNOWN:
        return Claim(_UNKNOWN, _UNKNOWN, document.amount)
    dimensions = [each.name for each in contract.states[state].dimensions]
    place = f"{where}.dimension"
    dimension = _key("capacity-dimension", document.dimension, dimensions, place, findings)
    return Claim(state, dimension, document.amount)


def _grant(
    document: ContractGrantDocument | None,
    requesters: Sequence[str],
    where: str,
    findings: Findings,
) -> GrantPolicy | None:
    match document:
        case None:
            return None
        case NamedRoundRobinChoice(round_robin=policy):
            where = f"{where}.round_robin"
            cursor = _key(
                "requester", policy.reset_cursor, requesters, f"{where}.reset_cursor", findings
            )
            return RoundRobin(_order(policy.order, requesters, where, findings), cursor)
        case choice:
            order = choice.fixed_priority.order
            return FixedPriority(_order(order, requesters, f"{where}.fixed_priority", findings))


def _order(
    order: Sequence[str], requesters: Sequence[str], where: str, findings: Findings
) -> tuple[int, ...]:
    places = [(name, f"{where}.order[{index}]") for index, name in enumerate(order)]
    findings.require_unique(places, code="duplicate-requester-in-grant-policy")
    return tuple(_key("requester", name, requesters, place, findings) for name, place in places)
