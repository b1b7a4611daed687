"""What a workload may offer: tokens to input endpoints, bytes to memories."""

from collections.abc import Iterator, Mapping, Sequence

from fabricgen.errors import Diagnostic
from fabricgen.plan.demand import ChannelKey
from fabricgen.records.endpoint import TransportEndpoint
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.vocab.fabric import EndpointDirection

__all__ = ["input_findings"]


def input_findings(
    occurrence: MemoryOccurrence,
    streams: Mapping[ChannelKey, Sequence[int]],
    memory: bytes,
    managers: Mapping[int, Mapping[int, int]],
) -> Iterator[Diagnostic]:
    """Report each stream, token and byte that does not fit the occurrence."""
    endpoints = occurrence.endpoints
    for (ordinal, tag), tokens in streams.items():
        where = f"streams[{ordinal}]" if tag is None else f"streams[{ordinal}].tag[{tag}]"
        if (
            not 0 <= ordinal < len(endpoints)
            or endpoints[ordinal].direction is not EndpointDirection.IN
        ):
            yield Diagnostic(
                "stream-not-an-input",
                where,
                f"A stream must feed an input endpoint, not endpoint {ordinal}",
            )
        else:
            yield from _stream_findings(endpoints[ordinal], tag, tokens, where)
    service = occurrence.local_service
    capacity = 0 if service is None else service.capacity_bytes
    if len(memory) != capacity:
        yield Diagnostic(
            "memory-contents-size",
            "memory",
            f"The contents must be the service's {capacity} bytes, not {len(memory)}",
        )
    yield from _manager_findings(len(occurrence.manager_endpoints), managers)


def _stream_findings(
    endpoint: TransportEndpoint, tag: int | None, tokens: Sequence[int], where: str
) -> Iterator[Diagnostic]:
    tag_width, width = endpoint.tag_width, endpoint.payload_width
    if tag_width is None and tag is not None:
        yield Diagnostic(
            "stream-tag-width",
            where,
            f"A stream of an untagged endpoint must have no tag, not {tag}",
        )
    if tag_width is not None and (tag is None or not 0 <= tag < 1 << tag_width):
        yield Diagnostic(
            "stream-tag-width",
            where,
            f"A stream of this endpoint must have a tag of {tag_width} bits, not {tag}",
        )
    for position, token in enumerate(tokens):
        if not 0 <= token < 1 << width:
            yield Diagnostic(
                "stream-token-width",
                f"{where}[{position}]",
                f"A token of this endpoint must fit {width} bits, not be {token}",
            )


def _manager_findings(
    count: int, managers: Mapping[int, Mapping[int, int]]
) -> Iterator[Diagnostic]:
    for ordinal, contents in managers.items():
        if not 0 <= ordinal < count:
            yield Diagnostic(
                "manager-contents",
                f"managers[{ordinal}]",
                f"Contents must belong to one of {count} managers, not to manager {ordinal}",
            )
        for address, value in contents.items():
            if not (0 <= address < 1 << 64 and 0 <= value < 1 << 8):
                yield Diagnostic(
                    "manager-contents",
                    f"managers[{ordinal}][{address:#x}]",
                    f"Contents must be bytes below 2**64, not {value:#x} at {address:#x}",
                )
