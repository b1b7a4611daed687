"""Execute a configured Spatial occurrence in integers: the oracle of every bench."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fabricgen.errors import Diagnostic, Invalid
from fabricgen.model.row import Fault, RowExecution, execute_row
from fabricgen.model.touched import TouchedBytes
from fabricgen.model.work import cycle_limit
from fabricgen.plan.row_check import configuration_findings
from fabricgen.plan.rows import Active, MemoryConfiguration
from fabricgen.records.fabric import NamedMemory
from fabricgen.vocab.fabric import EndpointDirection

__all__ = ["Execution", "execute"]


@dataclass(frozen=True, slots=True)
class Execution:
    """What must come of one workload.

    Parameters
    ----------
    outputs
        Tokens of every output endpoint, by ordinal; empty where no row publishes.
    memory
        Final contents of the Local Memory Service.
    firings, empty_masks
        Per row; 0 for an Unused row.
    leftover
        Tokens of every input endpoint that no firing consumed.
    out_of_range
        First active lane out of range of each row that has one, in row order.
    out_of_range_count
        All such lanes.
    row_cycles
        Per row, fewest cycles from its first publication to its last, both included.
    cycle_limit
        The same over all rows, with the banks that they share.
    """

    outputs: dict[int, tuple[int, ...]]
    memory: bytes
    firings: tuple[int, ...]
    empty_masks: tuple[int, ...]
    leftover: dict[int, int]
    out_of_range: tuple[Fault, ...]
    out_of_range_count: int
    row_cycles: tuple[int, ...]
    cycle_limit: int


def execute(
    named: NamedMemory,
    configuration: MemoryConfiguration,
    streams: Mapping[int, Sequence[int]],
    memory: bytes,
) -> Execution:
    """Run every row to the end of its streams.

    ``Invalid`` when the configuration is not legal on this memory, a stream or the memory does
    not fit, or two rows race.

    Parameters
    ----------
    named, configuration
        The occurrence and its rows.
    streams
        Tokens offered to each input endpoint, by ordinal.
    memory
        Initial contents of the Local Memory Service, its whole capacity.
    """
    if found := (
        *configuration_findings(named, configuration),
        *_input_findings(named, streams, memory),
    ):
        raise Invalid(*found)
    rows = configuration.operation_rows if isinstance(configuration, Active) else ()
    contents, touched = bytearray(memory), TouchedBytes()
    done: list[RowExecution | None] = [
        None if row is None else execute_row(named, ordinal, row, streams, contents, touched)
        for ordinal, row in enumerate(rows)
    ]
    if races := tuple(touched.findings()):
        raise Invalid(*races)
    return _summary(named, streams, bytes(contents), done)


def _summary(
    named: NamedMemory,
    streams: Mapping[int, Sequence[int]],
    memory: bytes,
    done: Sequence[RowExecution | None],
) -> Execution:
    endpoints = enumerate(named.occurrence.endpoints)
    directions = {ordinal: endpoint.direction for ordinal, endpoint in endpoints}
    active = [row for row in done if row is not None]
    consumed = {endpoint: row.firings for row in active for _, endpoint in row.inputs}
    published = {endpoint: tokens for row in active for endpoint, tokens in row.outputs.items()}
    return Execution(
        outputs={
            ordinal: published.get(ordinal, ())
            for ordinal, direction in directions.items()
            if direction is EndpointDirection.OUT
        },
        memory=memory,
        firings=tuple(0 if row is None else row.firings for row in done),
        empty_masks=tuple(0 if row is None else row.empty_masks for row in done),
        leftover={
            ordinal: len(streams.get(ordinal, ())) - consumed.get(ordinal, 0)
            for ordinal, direction in directions.items()
            if direction is EndpointDirection.IN
        },
        out_of_range=tuple(row.first_fault for row in active if row.first_fault is not None),
        out_of_range_count=sum(row.fault_count for row in active),
        row_cycles=tuple(0 if row is None else cycle_limit([row.work]) for row in done),
        cycle_limit=cycle_limit(row.work for row in active),
    )


def _input_findings(
    named: NamedMemory, streams: Mapping[int, Sequence[int]], memory: bytes
) -> Iterator[Diagnostic]:
    endpoints = named.occurrence.endpoints
    for ordinal, tokens in streams.items():
        if (
            not 0 <= ordinal < len(endpoints)
            or endpoints[ordinal].direction is not EndpointDirection.IN
        ):
            yield Diagnostic(
                "stream-not-an-input",
                f"streams[{ordinal}]",
                f"A stream must feed an input endpoint, not endpoint {ordinal}",
            )
            continue
        width = endpoints[ordinal].payload_width
        for position, token in enumerate(tokens):
            if not 0 <= token < 1 << width:
                yield Diagnostic(
                    "stream-token-width",
                    f"streams[{ordinal}][{position}]",
                    f"A token of this endpoint must fit {width} bits, not be {token}",
                )
    service = named.occurrence.local_service
    capacity = 0 if service is None else service.capacity_bytes
    if len(memory) != capacity:
        yield Diagnostic(
            "memory-contents-size",
            "memory",
            f"The contents must be the service's {capacity} bytes, not {len(memory)}",
        )
