"""Execute a configured occurrence in integers: the oracle of every bench.

A row fires when every active input role has a token, takes effect, and publishes all results in
one step. What the hardware may do in many orders has one outcome here, or is refused: accesses
that nothing orders, and tokens that nobody takes. So rows may run one after the other, each
behind those that feed it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fabricgen.errors import Diagnostic, Invalid, Unsupported
from fabricgen.model.atomics import has_format
from fabricgen.model.beats import Beat
from fabricgen.model.exposed import (
    BeatAnswer,
    exposed_findings,
    exposed_races,
    serve_beats,
)
from fabricgen.model.inputs import input_findings
from fabricgen.model.network import Network
from fabricgen.model.rates import row_rates
from fabricgen.model.row import Fault, RowExecutor
from fabricgen.model.targets import Memories
from fabricgen.model.touched import RowAccesses, race_findings
from fabricgen.model.work import RowWork, cycle_limit
from fabricgen.plan.beat_request import BeatRequest
from fabricgen.plan.demand import ChannelKey, RowRole
from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.row_plan import row_transaction_plan
from fabricgen.plan.rows import Active, MemoryConfiguration
from fabricgen.records.connectivity import (
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    MemoryDispatchTarget,
    target_key,
)
from fabricgen.records.fabric import NamedMemory
from fabricgen.schema.contract import AtomicRmwContract
from fabricgen.vocab.dataflow import ServiceValueRole
from fabricgen.vocab.fabric import EndpointDirection
from fabricgen.vocab.words import word

__all__ = ["Execution", "execute"]


@dataclass(frozen=True, slots=True)
class Execution:
    """What must come of one workload.

    Parameters
    ----------
    outputs
        Tokens by output endpoint and tag: every untagged output endpoint, empty where no row
        publishes, and every endpoint and tag that a Temporal row exposes.
    memory
        Final contents of the Local Memory Service.
    managers
        Final contents behind each manager: the bytes that were written or initialised.
    firings, empty_masks
        Per row; 0 for an Unused row.
    leftover
        Tokens by input endpoint and tag that no firing consumed.
    held
        Tokens of internal connections that stay in the slot of a row's role; 0 or 1.
    unmatched
        Endpoint and tag of each stream with tokens that no role matches.
    out_of_range
        First active lane out of range of each row that has one, in row order.
    out_of_range_count
        All such lanes.
    beats
        Per row, every request that it makes at its manager.
    row_cycles
        Per row, fewest cycles from the first publication that an endpoint shows to the last, both
        included; 0 where none does.
    cycle_limit
        The same over all rows, with what they share.
    answers
        Answer to each beat of each subordinate that gets some.
    """

    outputs: dict[ChannelKey, tuple[int, ...]]
    memory: bytes
    managers: dict[int, dict[int, int]]
    firings: tuple[int, ...]
    empty_masks: tuple[int, ...]
    leftover: dict[ChannelKey, int]
    held: dict[RowRole, int]
    unmatched: tuple[ChannelKey, ...]
    out_of_range: tuple[Fault, ...]
    out_of_range_count: int
    beats: tuple[Counter[Beat], ...]
    row_cycles: tuple[int, ...]
    cycle_limit: int
    answers: dict[int, tuple[BeatAnswer, ...]]


def execute(
    named: NamedMemory,
    configuration: MemoryConfiguration,
    streams: Mapping[ChannelKey, Sequence[int]],
    memory: bytes,
    managers: Mapping[int, Mapping[int, int]] | None = None,
    requests: Mapping[int, Sequence[BeatRequest]] | None = None,
) -> Execution:
    """Run every row to the end of its tokens, and serve every beat.

    ``Unsupported`` where a row computes with floats of an unknown format; ``Invalid`` when the
    configuration is not legal on this memory, a stream or a memory does not
    fit, accesses race, or a token can never be published.

    Parameters
    ----------
    named, configuration
        The occurrence and its rows.
    streams
        Tokens offered to each input endpoint, by ordinal and tag (``None`` where untagged).
    memory
        Initial contents of the Local Memory Service, its whole capacity.
    managers
        Initial contents behind each manager, by ordinal: byte address to byte. Everything else
        is zero.
    requests
        Beats of each subordinate, by ordinal.
    """
    contents, beats = managers or {}, requests or {}
    if found := (
        *configuration_findings(named, configuration),
        *input_findings(named.occurrence, streams, memory, contents),
        *exposed_findings(named, beats),
    ):
        raise Invalid(*found)
    network = Network(named.occurrence, configuration)
    if found := tuple(_format_findings(network)):
        raise Unsupported(*found)
    firings = network.firings(streams)
    if found := tuple(network.unconsumed(firings)):
        raise Invalid(*found)
    memories = Memories(named, memory, contents)
    done = _run(named, network, firings, streams, memories)
    # Beats share no byte that is written with a row, so it does not matter who comes first.
    exposed = {
        ordinal: serve_beats(named, configuration, ordinal, each, memories.local)
        for ordinal, each in beats.items()
    }
    outputs = _outputs(named, network, done)
    local = [
        executor.accesses
        for ordinal, executor in sorted(done.items())
        if network.rows[ordinal].row.service_target == LocalMemoryServiceTarget()
    ]
    if found := (
        *_misaligned_findings(done.values()),
        *_races(network, done),
        *exposed_races(named, exposed, local),
        *_merge_findings(outputs),
    ):
        raise Invalid(*found)
    count = len(configuration.operation_rows) if isinstance(configuration, Active) else 0
    rows = [done.get(ordinal) for ordinal in range(count)]
    leftover = {key: len(streams.get(key, ())) for key in _inputs(named, network, streams)}
    for ordinal, row in network.rows.items():
        for source in row.sources:
            if source.stream is not None:
                leftover[source.stream] -= firings[ordinal]
    return Execution(
        outputs={key: _merged(parts) for key, parts in outputs.items()},
        memory=bytes(memories.local.contents),
        managers={ordinal: each.contents for ordinal, each in enumerate(memories.managers)},
        firings=tuple(0 if row is None else row.firings for row in rows),
        empty_masks=tuple(0 if row is None else row.empty_masks for row in rows),
        leftover=leftover,
        held=network.held(firings),
        unmatched=_unmatched(named, network, streams),
        out_of_range=tuple(row.first_fault for row in rows if row and row.first_fault),
        out_of_range_count=sum(row.fault_count for row in done.values()),
        beats=tuple(Counter() if row is None else row.target.beats for row in rows),
        row_cycles=tuple(0 if row is None else cycle_limit([row.target.work]) for row in rows),
        cycle_limit=cycle_limit(row.target.work for row in done.values()),
        answers={ordinal: tuple(each.answers) for ordinal, each in exposed.items()},
    )


def _run(
    named: NamedMemory,
    network: Network,
    firings: Mapping[int, int],
    streams: Mapping[ChannelKey, Sequence[int]],
    memories: Memories,
) -> dict[int, RowExecutor]:
    """Fire every row as often as it can, each behind the rows that feed it."""
    done: dict[int, RowExecutor] = {}
    for ordinal in network.order:
        placed = network.rows[ordinal]
        sources: list[tuple[ServiceValueRole, Sequence[int]]] = []
        for source in placed.sources:
            if source.stream is not None:
                sources.append((source.role, streams.get(source.stream, ())))
            else:
                producer = network.producer(source)
                sources.append((source.role, done[producer.row].published[producer.role]))
        executor = RowExecutor(
            ordinal,
            placed.row,
            row_transaction_plan(named.occurrence, placed.row),
            memories.target(placed.row, RowWork(row_rates(named, network, firings, ordinal))),
            named.implementation.issue_lanes,
        )
        for firing in range(firings[ordinal]):
            executor.fire({role: tokens[firing] for role, tokens in sources})
        done[ordinal] = executor
    return done


def _format_findings(network: Network) -> Iterator[Diagnostic]:
    """Report each row that computes with floats of an unknown format."""
    for ordinal, placed in network.rows.items():
        contract, access = placed.row.actor.contract, placed.row.access
        if access is None or not isinstance(contract, AtomicRmwContract):
            continue
        if not has_format(contract.kind, access.element_bits):
            yield Diagnostic(
                "model-float-format",
                f"operation_rows[{ordinal}].access",
                f"Objects of {word(contract.kind)} must have 16, 32 or 64 bits to be executed, "
                f"not {access.element_bits}",
            )


def _misaligned_findings(rows: Iterable[RowExecutor]) -> Iterator[Diagnostic]:
    """Report each row with an atomic access that breaks what its actor promised."""
    for fault in (row.misaligned for row in rows):
        if fault is not None:
            yield Diagnostic(
                "workload-atomic-alignment",
                f"operation_rows[{fault.row}]",
                f"An atomic object must lie at a multiple of its size, not at {fault.address:#x} "
                f"as that of lane {fault.lane} in firing {fault.firing}",
            )


def _races(network: Network, done: Mapping[int, RowExecutor]) -> Iterator[Diagnostic]:
    """Report what nothing orders, target by target."""
    reached: dict[MemoryDispatchTarget, list[RowAccesses]] = {}
    for ordinal, executor in sorted(done.items()):
        target = network.rows[ordinal].row.service_target
        reached.setdefault(target, []).append(executor.accesses)
    for target, rows in sorted(reached.items(), key=lambda item: target_key(item[0])):
        place = ""
        if isinstance(target, ManagerEndpointTarget):
            place = f" of manager {target.ordinal}"
        yield from race_findings(place, rows, network.precedes)


#: Tokens that each row publishes on one endpoint and tag.
_Parts = dict[int, Sequence[int]]


def _outputs(
    named: NamedMemory, network: Network, done: Mapping[int, RowExecutor]
) -> dict[ChannelKey, _Parts]:
    found: dict[ChannelKey, _Parts] = {
        (ordinal, None): {}
        for ordinal, endpoint in enumerate(named.occurrence.endpoints)
        if endpoint.direction is EndpointDirection.OUT and endpoint.tag_width is None
    }
    for ordinal, row in sorted(network.rows.items()):
        for destination in row.destinations:
            if destination.exposed is not None:
                tokens = done[ordinal].published[destination.role] if ordinal in done else ()
                found.setdefault(destination.exposed, {})[ordinal] = tokens
    return found


def _merge_findings(outputs: Mapping[ChannelKey, _Parts]) -> Iterator[Diagnostic]:
    """Report each endpoint and tag on which several rows publish tokens that differ."""
    for (endpoint, tag), parts in outputs.items():
        rows = [row for row, tokens in parts.items() if tokens]
        if len(rows) > 1 and len({token for row in rows for token in parts[row]}) > 1:
            listed = ", ".join(map(str, rows))
            yield Diagnostic(
                "workload-output-order",
                f"operation_rows[{rows[1]}]",
                "Rows that publish on one endpoint with one tag must publish equal tokens, but "
                f"those of rows {listed} on endpoint {endpoint} with tag {tag} differ",
            )


def _merged(parts: _Parts) -> tuple[int, ...]:
    """All tokens of one endpoint and tag; where several rows publish, all tokens are equal."""
    return tuple(token for tokens in parts.values() for token in tokens)


def _inputs(
    named: NamedMemory, network: Network, streams: Iterable[ChannelKey]
) -> Iterator[ChannelKey]:
    """Every untagged input, every tag that is offered, and every one that a role matches."""
    for ordinal, endpoint in enumerate(named.occurrence.endpoints):
        if endpoint.direction is EndpointDirection.IN and endpoint.tag_width is None:
            yield ordinal, None
    yield from streams
    yield from network.streams


def _unmatched(
    named: NamedMemory, network: Network, streams: Mapping[ChannelKey, Sequence[int]]
) -> tuple[ChannelKey, ...]:
    endpoints = named.occurrence.endpoints
    return tuple(
        key
        for key, tokens in streams.items()
        if tokens and endpoints[key[0]].tag_width is not None and key not in network.streams
    )
