"""Token streams of a workload, read for the rows that consume and produce them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fabricgen.author.data_files import DataFiles, Elements
from fabricgen.author.findings import Findings
from fabricgen.author.packing import TokenShape, as_tokens, pack, token_shape
from fabricgen.author.workload_document import (
    CountSource,
    FillSource,
    InlineItem,
    MtxSource,
    NpySource,
    Number,
    RawSource,
    StreamDocument,
)
from fabricgen.plan.roles import active_roles
from fabricgen.plan.rows import Active, MemoryConfiguration
from fabricgen.records.fabric import Fabric, NamedMemory

__all__ = ["EndpointUse", "StreamReader", "endpoint_uses", "number"]

_EndpointRef = tuple[int, int]
_RowRef = tuple[int, int]


@dataclass(frozen=True, slots=True)
class EndpointUse:
    """The one active row behind an endpoint, and the shape of its tokens."""

    row: _RowRef
    is_input: bool
    shape: TokenShape
    name: str


def number(value: Number) -> int:
    """Integer behind a TOML integer or a hexadecimal string."""
    return value if isinstance(value, int) else int(value, 16)


def endpoint_uses(
    fabric: Fabric, configurations: Sequence[MemoryConfiguration]
) -> dict[_EndpointRef, EndpointUse]:
    """Every endpoint that an active row uses."""
    uses: dict[_EndpointRef, EndpointUse] = {}
    for ordinal, memory in enumerate(fabric.memories):
        configuration = configurations[ordinal]
        if isinstance(configuration, Active):
            uses |= _memory_uses(ordinal, memory, configuration)
    return uses


def _memory_uses(
    ordinal: int, memory: NamedMemory, configuration: Active
) -> dict[_EndpointRef, EndpointUse]:
    uses: dict[_EndpointRef, EndpointUse] = {}
    ports = memory.occurrence.engine.ports if memory.occurrence.engine is not None else ()
    for position, row in enumerate(configuration.operation_rows):
        if row is None:
            continue
        alternative = ports[row.port].capability_alternatives[row.capability_alternative]
        inputs, results = active_roles(alternative, row.actor, row.access)
        for is_input, bindings in ((True, inputs), (False, results)):
            for role, endpoint in bindings:
                uses[ordinal, endpoint] = EndpointUse(
                    (ordinal, position),
                    is_input,
                    token_shape(row, role),
                    f"{memory.name}.{memory.names.endpoints[endpoint]}",
                )
    return uses


class StreamReader:
    """Reads all streams of one workload; a row's firings are known once its inputs are read."""

    def __init__(
        self, uses: Mapping[_EndpointRef, EndpointUse], files: DataFiles, findings: Findings
    ) -> None:
        self._uses = uses
        self._files = files
        self._findings = findings
        self._firings: dict[_RowRef, int] = {}
        self._broken: set[_RowRef] = set()

    def inputs(
        self, streams: Mapping[_EndpointRef, tuple[str, StreamDocument]]
    ) -> dict[_EndpointRef, tuple[int, ...]]:
        """Tokens of input endpoints: listed ones first, then those that fill up the rest."""
        self._require_whole_rows(streams)
        tokens = self._listed(streams)
        for reference, stream in tokens.items():
            row = self._uses[reference].row
            self._firings[row] = min(self._firings.get(row, len(stream)), len(stream))
        return tokens | self._filled(streams)

    def outputs(
        self, streams: Mapping[_EndpointRef, tuple[str, StreamDocument]]
    ) -> dict[_EndpointRef, tuple[int, ...]]:
        """Tokens of output endpoints; called after :meth:`inputs`."""
        return self._listed(streams) | self._filled(streams)

    def _require_whole_rows(
        self, streams: Mapping[_EndpointRef, tuple[str, StreamDocument]]
    ) -> None:
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
        self, streams: Mapping[_EndpointRef, tuple[str, StreamDocument]]
    ) -> dict[_EndpointRef, tuple[int, ...]]:
        tokens: dict[_EndpointRef, tuple[int, ...]] = {}
        for reference, (where, document) in streams.items():
            if isinstance(document.tokens, FillSource):
                continue
            read = self._read(document, self._uses[reference].shape, where)
            if read is None:
                self._broken.add(self._uses[reference].row)
            else:
                tokens[reference] = tuple(read)
        return tokens

    def _filled(
        self, streams: Mapping[_EndpointRef, tuple[str, StreamDocument]]
    ) -> dict[_EndpointRef, tuple[int, ...]]:
        tokens: dict[_EndpointRef, tuple[int, ...]] = {}
        for reference, (where, document) in streams.items():
            if not isinstance(document.tokens, FillSource):
                continue
            if document.pad is not None:
                self._unused_pad(where)
            use = self._uses[reference]
            if use.row not in self._firings:
                if use.row not in self._broken:
                    self._findings.add(
                        "fill-without-operand",
                        f"{where}.tokens",
                        "Another operand of the row must have a counted stream, not none",
                    )
                continue
            value = Elements([number(document.tokens.value)])
            one = as_tokens(value, use.shape, f"{where}.tokens.value", self._findings)
            tokens[reference] = tuple(one or ()) * self._firings[use.row]
        return tokens

    def _read(self, document: StreamDocument, shape: TokenShape, where: str) -> list[int] | None:
        source, place = document.tokens, f"{where}.tokens"
        if document.pad is not None and (document.packed or isinstance(source, CountSource)):
            self._unused_pad(where)
        if isinstance(source, CountSource):
            value = Elements([number(source.value)])
            one = as_tokens(value, shape, f"{place}.value", self._findings)
            return None if one is None else one * source.count
        elements = self._elements(document, place)
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

    def _elements(self, document: StreamDocument, where: str) -> Elements | None:
        match document.tokens:
            case NpySource(npy=name):
                return self._files.npy_elements(name, f"{where}.npy")
            case RawSource(raw=name, bits=bits):
                return self._files.raw_elements(name, bits, f"{where}.raw")
            case MtxSource(mtx=name):
                return self._files.mtx_columns(name, f"{where}.mtx")
            case list() as items:
                return self._inline(items, where)
            case _:
                raise TypeError(f"Source must be listed, not {document.tokens!r}")

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
