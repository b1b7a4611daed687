"""Token streams of a workload, read for the rows that consume and produce them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fabricgen.author.data_files import DataFiles, Elements
from fabricgen.author.findings import Findings
from fabricgen.author.number import number
from fabricgen.author.packing import TokenShape, as_tokens, pack, token_shape
from fabricgen.author.workload_document import (
    CountSource,
    FillSource,
    InlineItem,
    MtxSource,
    NpySource,
    RawSource,
    StreamDocument,
)
from fabricgen.plan.roles import active_roles
from fabricgen.plan.rows import Active, MemoryConfiguration
from fabricgen.records.fabric import Fabric, NamedMemory

__all__ = ["EndpointUse", "StreamReader", "StreamRef", "TokenUses", "endpoint_uses"]

#: Sources that name their elements one by one.
_Elements = NpySource | RawSource | MtxSource | list[InlineItem]

#: Memory ordinal, endpoint ordinal, and the tag, which is ``None`` on an untagged endpoint.
StreamRef = tuple[int, int, int | None]
_RowRef = tuple[int, int]


@dataclass(frozen=True, slots=True)
class EndpointUse:
    """The one active row behind an endpoint and tag, and the shape of its tokens."""

    row: _RowRef
    is_input: bool
    shape: TokenShape
    name: str


@dataclass(slots=True)
class TokenUses:
    """What the active rows of a mapped fabric do with tokens.

    Parameters
    ----------
    streams
        The external inputs and the exposed results.
    internal
        Memory and endpoint of every active role that has internal connections only.
    producers
        Per row, the rows whose results it takes over internal connections.
    """

    streams: dict[StreamRef, EndpointUse] = field(default_factory=dict[StreamRef, EndpointUse])
    internal: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    producers: dict[_RowRef, tuple[_RowRef, ...]] = field(
        default_factory=dict[_RowRef, tuple[_RowRef, ...]]
    )


def endpoint_uses(fabric: Fabric, configurations: Sequence[MemoryConfiguration]) -> TokenUses:
    """Everything that the active rows take and give."""
    uses = TokenUses()
    for ordinal, memory in enumerate(fabric.memories):
        configuration = configurations[ordinal]
        if isinstance(configuration, Active):
            _add_memory(uses, ordinal, memory, configuration)
    return uses


def _add_memory(uses: TokenUses, ordinal: int, memory: NamedMemory, configuration: Active) -> None:
    ports = memory.occurrence.engine.ports if memory.occurrence.engine is not None else ()
    rows = {p: row for p, row in enumerate(configuration.operation_rows) if row is not None}
    makers = {
        connection: position
        for position, row in rows.items()
        for _, destination in row.destinations
        for connection in destination.connections
    }
    for position, row in rows.items():
        alternative = ports[row.port].capability_alternatives[row.capability_alternative]
        inputs, results = active_roles(alternative, row.actor, row.access)
        sources, destinations = dict(row.sources), dict(row.destinations)
        taken = [source.connection for _, source in row.sources if source.connection is not None]
        uses.producers[ordinal, position] = tuple((ordinal, makers[each]) for each in taken)
        outside = [
            (role, at, sources[role].tag, sources[role].connection is None, True)
            for role, at in inputs
        ]
        outside += [
            (role, at, destinations[role].tag, destinations[role].expose, False)
            for role, at in results
        ]
        for role, endpoint, tag, is_external, is_input in outside:
            if not is_external:
                uses.internal.add((ordinal, endpoint))
                continue
            uses.streams[ordinal, endpoint, tag] = EndpointUse(
                (ordinal, position), is_input, token_shape(row, role), _name(memory, endpoint, tag)
            )


def _name(memory: NamedMemory, endpoint: int, tag: int | None) -> str:
    name = f"{memory.name}.{memory.names.endpoints[endpoint]}"
    return name if tag is None else f"{name} tag {tag}"


class StreamReader:
    """Reads all streams of one workload; a row's firings are known once its inputs are read."""

    def __init__(self, uses: TokenUses, files: DataFiles, findings: Findings) -> None:
        self._uses = uses.streams
        self._producers = uses.producers
        self._files = files
        self._findings = findings
        #: Firings that the listed streams allow; ``None`` where no stream says.
        self._firings: dict[_RowRef, int | None] = {}

    def inputs(
        self, streams: Mapping[StreamRef, tuple[str, StreamDocument]]
    ) -> dict[StreamRef, tuple[int, ...]]:
        """Tokens of input endpoints: listed ones first, then those that fill up the rest."""
        self._require_whole_rows(streams)
        tokens = self._listed(streams)
        self._count_firings(streams, tokens)
        return tokens | self._filled(streams)

    def outputs(
        self, streams: Mapping[StreamRef, tuple[str, StreamDocument]]
    ) -> dict[StreamRef, tuple[int, ...]]:
        """Tokens of output endpoints; called after :meth:`inputs`."""
        return self._listed(streams) | self._filled(streams)

    def _count_firings(
        self,
        streams: Mapping[StreamRef, tuple[str, StreamDocument]],
        tokens: Mapping[StreamRef, tuple[int, ...]],
    ) -> None:
        """Count every row behind the rows that feed it; rows that feed one another never fire."""
        lengths: defaultdict[_RowRef, list[int]] = defaultdict(list)
        for reference, use in self._uses.items():
            if not use.is_input:
                continue
            if reference in tokens:
                lengths[use.row].append(len(tokens[reference]))
            elif reference not in streams or not isinstance(
                streams[reference][1].tokens, FillSource
            ):
                # Without tokens, or with some that have been found broken.
                lengths[use.row].append(0)
        waiting = dict(self._producers)
        while ready := [
            row for row, before in waiting.items() if waiting.keys().isdisjoint(before)
        ]:
            for row in ready:
                before = [self._firings[each] for each in waiting.pop(row)]
                counts = [*lengths[row], *(count for count in before if count is not None)]
                self._firings[row] = min(counts, default=None)
        self._firings |= dict.fromkeys(waiting, 0)

    def _require_whole_rows(self, streams: Mapping[StreamRef, tuple[str, StreamDocument]]) -> None:
        """Note the inputs that are missing where a row has some of them."""
        fed: dict[_RowRef, str] = {}
        for reference, (where, _) in streams.items():
            fed.setdefault(self._uses[reference].row, where)
        for reference, use in self._uses.items():
            if use.is_input and use.row in fed and reference not in streams:
                self._findings.add(
                    "stream-missing",
                    fed[use.row],
                    f"Every operand of the row must have a stream, not without {use.name}",
                )

    def _listed(
        self, streams: Mapping[StreamRef, tuple[str, StreamDocument]]
    ) -> dict[StreamRef, tuple[int, ...]]:
        tokens: dict[StreamRef, tuple[int, ...]] = {}
        for reference, (where, document) in streams.items():
            source = document.tokens
            if isinstance(source, FillSource):
                continue
            read = self._read(source, document, self._uses[reference].shape, where)
            if read is not None:
                tokens[reference] = tuple(read)
        return tokens

    def _filled(
        self, streams: Mapping[StreamRef, tuple[str, StreamDocument]]
    ) -> dict[StreamRef, tuple[int, ...]]:
        tokens: dict[StreamRef, tuple[int, ...]] = {}
        for reference, (where, document) in streams.items():
            if not isinstance(document.tokens, FillSource):
                continue
            if document.pad is not None:
                self._unused_pad(where)
            use = self._uses[reference]
            firings = self._firings[use.row]
            if firings is None:
                self._findings.add(
                    "fill-without-operand",
                    f"{where}.tokens",
                    "Another operand of the row must have a counted stream, not none",
                )
                continue
            value = Elements([number(document.tokens.value)])
            one = as_tokens(value, use.shape, f"{where}.tokens.value", self._findings)
            tokens[reference] = tuple(one or ()) * firings
        return tokens

    def _read(
        self,
        source: CountSource | _Elements,
        document: StreamDocument,
        shape: TokenShape,
        where: str,
    ) -> list[int] | None:
        place = f"{where}.tokens"
        if document.pad is not None and (document.packed or isinstance(source, CountSource)):
            self._unused_pad(where)
        if isinstance(source, CountSource):
            value = Elements([number(source.value)])
            one = as_tokens(value, shape, f"{place}.value", self._findings)
            return None if one is None else one * source.count
        elements = self._elements(source, place)
        if elements is None:
            return None
        if document.packed:
            return as_tokens(elements, shape, place, self._findings)
        pad = None if document.pad is None else number(document.pad)
        return pack(elements, shape, pad, where, self._findings)

    def _unused_pad(self, where: str) -> None:
        self._findings.add(
            "pad-unused", f"{where}.pad", "A pad must complete elements, not complete tokens"
        )

    def _elements(self, source: _Elements, where: str) -> Elements | None:
        match source:
            case NpySource(npy=name):
                return self._files.npy_elements(name, f"{where}.npy")
            case RawSource(raw=name, bits=bits):
                return self._files.raw_elements(name, bits, f"{where}.raw")
            case MtxSource(mtx=name):
                return self._files.mtx_columns(name, f"{where}.mtx")
            case list():  # exhaustive
                return self._inline(source, where)

    def _inline(self, items: list[InlineItem], where: str) -> Elements | None:
        tokens = [item for item in items if isinstance(item, list)]
        if not tokens:
            flat = [number(item) for item in items if not isinstance(item, list)]
            return Elements(flat)
        lengths = sorted({len(token) for token in tokens})
        if len(tokens) < len(items) or len(lengths) > 1:
            self._findings.add(
                "token-shape",
                where,
                "Tokens must all be numbers or all be lists of one length, not mixed",
            )
            return None
        return Elements([number(lane) for token in tokens for lane in token], lengths[0])
