"""Slices and shuffles: drawn actors against indices of arrays, and carriers, valid or not.

A carrier that is valid means its numbers (reference 3.5). One that is not means nothing, but
costs no token and no cycle; which inputs it uses is what its bits say.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fabricgen.hsg.bits import unpack
from fabricgen.hsg.resource import FabricOp
from fabricgen.hsg.semantics import DirectField, direct_value, semantic_field
from fabricgen.hsg.shuffle_carrier import ShuffleCarrier
from fabricgen.hsg.slice_carrier import SliceCarrier
from fabricgen.hsg.vector_params import FixedVectorShuffleParams, FixedVectorSliceAlignMergeParams
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.payload import ShuffleMask, StaticPosition
from fabricgen.schema.types import FloatType, IndexType, IntegerType, VectorType
from fabricgen.vocab.dataflow import OperationSchemaId as O
from sim.native.cases import Case, capacity, member
from sim.native.jobs import Job, Pattern, Tokens, Words, no_tokens, word_count
from sim.native.scalars import Volume
from sim.native.stimuli import Generator, generator
from sim.native.tokens import number_tokens
from sim.native.vectors import bits_to_tokens, join, payload_tokens, split

__all__ = ["drawn_points", "position_cases"]

#: Firings of each actor, of each carrier, and of the actor that the rate is measured with.
_FIRINGS, _SHORT, _LONG = 8, 2, 1_000
#: Jobs that are played together.
_BATCH = 500
#: Carriers of at most so many bits are all tried.
_ALL_BITS = 13

Params = FixedVectorSliceAlignMergeParams | FixedVectorShuffleParams
Indices = NDArray[np.int64]


def position_cases(op: FabricOp, volume: Volume) -> Iterator[list[Case]]:
    """Actors, then carriers."""
    yield from _batches(_actor_cases(op, volume.carriers))
    field = semantic_field(op)
    if isinstance(field, DirectField):
        yield from _batches(_carrier_cases(op, field, volume.carriers))


def _batches(cases: Iterator[Case]) -> Iterator[list[Case]]:
    batch: list[Case] = []
    for case in cases:
        batch.append(case)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _job(op: FabricOp, inputs: tuple[Tokens, ...], count: int, value: int, at: int) -> Job:
    """A job without stalls, or, where ``at`` is not 0, with each pattern in turn."""
    pattern = Pattern(1 + at % (len(Pattern) - 1)) if at else Pattern.ALWAYS
    latency = op.timing.latency_cycles
    return Job(inputs, (count,), value, latency, capacity(op), pattern, 160, at + 1)


def drawn_points(
    op: FabricOp, count: int, firings: int = 1
) -> Iterator[tuple[OperationActor, tuple[Tokens, ...], Tokens, Tokens]]:
    """Drawn actors that the resource admits, with tokens of all inputs, the result, and its
    promised bits.
    """
    by = generator("positions", op)
    for actor in _actors(op, count, by):
        yield (actor, *_points(op, actor, firings, by))


def _actors(op: FabricOp, count: int, by: Generator) -> Iterator[OperationActor]:
    params = op.hw_params
    assert isinstance(params, Params)
    draw = _shuffle if isinstance(params, FixedVectorShuffleParams) else _slice
    while count:
        actor = draw(op, params, by)
        if op.admits(actor):
            count -= 1
            yield actor


def _actor_cases(op: FabricOp, count: int) -> Iterator[Case]:
    by = generator("positions", op)
    has_field = semantic_field(op) is not None
    steady: set[O] = set()
    for at, actor in enumerate(_actors(op, count, by), 1):
        # The first job of each operation has no stalls.
        is_first = actor.schema_id not in steady
        steady.add(actor.schema_id)
        firings = _LONG if is_first else _FIRINGS
        given, expected, promised = _points(op, actor, firings, by)
        value = direct_value(op, actor) if has_field else 0
        poisonous = int(np.count_nonzero(~promised.any(axis=1)))
        job = _job(op, given, firings, value, 0 if is_first else at)
        yield Case(member(actor), job, (expected,), (promised,), poisonous)


# Actors.


def _element(params: Params, by: Generator) -> IntegerType | FloatType:
    kinds = [
        *(IntegerType(width.bits) for width in params.integer_element_widths),
        *(FloatType(each) for each in params.float_element_formats),
    ]
    return kinds[by.integers(len(kinds))]


def _shape(room: int, by: Generator) -> tuple[int, ...]:
    """One to three extents with at most ``room`` lanes."""
    extents: list[int] = []
    for _ in range(by.choice((1, 1, 2, 2, 3))):
        extents.append(int(by.integers(1, max(room, 1) + 1)))
        room //= extents[-1]
    return tuple(extents[each] for each in by.permutation(len(extents)))


def _slice(op: FabricOp, params: Params, by: Generator) -> OperationActor:
    assert isinstance(params, FixedVectorSliceAlignMergeParams)
    element = _element(params, by)
    container = VectorType(_shape(params.max_container_payload_bits // element.bits, by), element)
    depth = int(by.integers(1, len(container.shape) + 1))
    components: list[int | None] = [int(by.integers(each)) for each in container.shape[:depth]]
    kinds: list[IndexType] = []
    widths = params.resolved_index_widths
    index = IndexType(widths[by.integers(len(widths))]) if widths else None
    for dimension in range(depth):
        if index is not None and by.random() < 0.5:
            components[dimension] = None
            kinds.append(index)
        elif by.random() < 0.05:
            components[dimension] = -1
    inner = container.shape[depth:]
    part = VectorType(inner, element) if inner else element
    position = StaticPosition(tuple(components))
    operation = op.op_list[by.integers(len(op.op_list))]
    if operation is O.VECTOR_EXTRACT:
        return OperationActor(operation, (container, *kinds), (part,), position)
    return OperationActor(operation, (part, container, *kinds), (container,), position)


def _shuffle(op: FabricOp, params: Params, by: Generator) -> OperationActor:
    assert isinstance(params, FixedVectorShuffleParams)
    element = _element(params, by)
    inner = ((), (), (2,), (3,), (2, 2), (4,))[by.integers(6)]
    most = params.max_source_blocks
    left, right, count = (
        int(by.integers(1, each + 1)) for each in (most - 1, most - 1, params.max_result_blocks)
    )
    kinds = [VectorType((each, *inner), element) for each in (left, right, count)]
    selectors = by.integers(0, left + right, count)
    mask = tuple(map(int, np.where(by.random(count) < 0.1, -1, selectors)))
    return OperationActor(O.VECTOR_SHUFFLE, (kinds[0], kinds[1]), (kinds[2],), ShuffleMask(mask))


# Their points.


def _lanes(kind: object) -> tuple[int, int]:
    """Element width and lanes; a scalar has one."""
    if isinstance(kind, VectorType):
        return kind.element.bits, kind.lanes
    assert isinstance(kind, IntegerType | FloatType)
    return kind.bits, 1


def _points(
    op: FabricOp, actor: OperationActor, count: int, by: Generator
) -> tuple[tuple[Tokens, ...], Tokens, Tokens]:
    """Tokens of all inputs, the result, and its promised bits."""
    inputs = [no_tokens(bits) for bits in op.ports.inputs]
    vectors = [kind for kind in actor.operands if not isinstance(kind, IndexType)]
    for port in range(len(vectors)):
        inputs[port] = payload_tokens(count, op.ports.inputs[port], by)
    lanes = [split(tokens, *_lanes(kind)) for tokens, kind in zip(inputs, vectors, strict=False)]
    words = word_count(op.ports.outputs[0])
    bits, total = _lanes(actor.results[0])
    whole = bits_to_tokens(0, bits * total, count, words)
    if isinstance(actor.payload, ShuffleMask):
        mask = np.array(actor.payload.selectors)
        rows = _rows(vectors[0])
        block = rows.shape[1] if rows.ndim > 1 else 1
        both = np.concatenate(lanes, axis=1)
        chosen = np.maximum(mask, 0)[:, np.newaxis] * block + np.arange(block)
        known = np.repeat(mask >= 0, block)
        value = both[:, chosen.reshape(-1)]
        promised = join(np.tile(known * _all(bits), (count, 1)), bits, words)
        return tuple(inputs), join(value, bits, words), promised
    indices = _indices(op, actor, inputs, count, by)
    source = lanes[-1].copy()
    merges = actor.schema_id is O.VECTOR_INSERT
    container = vectors[1] if merges else vectors[0]
    where, inside = _where(actor, container, indices, count)
    if merges:
        np.put_along_axis(source, where, lanes[0], axis=1)
        value = source
    else:
        value = np.take_along_axis(source, where, axis=1)
    promised = whole if merges else bits_to_tokens(0, op.ports.outputs[0], count, words)
    promised = np.where(inside[:, np.newaxis], promised, np.uint64(0))
    return tuple(inputs), join(value, bits, words), promised


def _all(bits: int) -> np.uint64:
    return np.uint64((1 << bits) - 1)


def _rows(kind: object) -> Indices:
    """Ordinal of each lane of a vector, in its shape with the inner extents flattened."""
    assert isinstance(kind, VectorType)
    return np.arange(kind.lanes).reshape(kind.shape[0], -1)


def _indices(
    op: FabricOp, actor: OperationActor, inputs: list[Tokens], count: int, by: Generator
) -> list[Words]:
    """Dynamic indices: mostly within the vector, some near it, some anywhere.

    They have zeros up to the widest admitted index, and random bits above it.
    """
    assert isinstance(op.hw_params, FixedVectorSliceAlignMergeParams)
    widest = max((each.bits for each in op.hw_params.resolved_index_widths), default=0)
    kinds = [kind for kind in actor.operands if isinstance(kind, IndexType)]
    indices: list[Words] = []
    for ordinal, kind in enumerate(kinds):
        near = by.integers(0, 1 << by.integers(1, 6, count), count).astype(np.uint64)
        wild = by.integers(0, 1 << 64, count, np.uint64) & _all(kind.bits)
        index = np.where(by.random(count) < 0.1, wild, near)
        port = op.ports.inputs[2 + ordinal]
        noise = payload_tokens(count, port, by) & bits_to_tokens(
            min(widest, port), port, count, word_count(port)
        )
        noise[:, 0] |= index
        inputs[2 + ordinal] = noise
        indices.append(index)
    return indices


def _where(
    actor: OperationActor, container: object, indices: Sequence[Words], count: int
) -> tuple[Indices, NDArray[np.bool_]]:
    """Lanes of the slice in each point, and whether its indices lie in the vector."""
    assert isinstance(container, VectorType)
    assert isinstance(actor.payload, StaticPosition)
    inside = np.ones(count, np.bool_)
    dynamic = iter(indices)
    position: list[Indices] = []
    for each, extent in zip(actor.payload.components, container.shape, strict=False):
        at = next(dynamic) if each is None else np.full(count, each % (1 << 64), np.uint64)
        fits = at < np.uint64(extent)
        inside &= fits
        position.append(np.where(fits, at, np.uint64(0)).astype(np.int64))
    lanes = np.arange(container.lanes).reshape(container.shape)
    return lanes[tuple(position)].reshape(count, -1), inside


# Carriers.


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What a carrier says: inputs that it uses, and the result of numbers if it says one."""

    used: tuple[int, ...]
    is_valid: bool
    fields: dict[str, int]


def _carrier_cases(op: FabricOp, field: DirectField, count: int) -> Iterator[Case]:
    by = generator("carriers", op)
    carrier = field.carrier
    assert isinstance(carrier, SliceCarrier | ShuffleCarrier)
    for at, value in enumerate(_carriers(op, carrier, count, by)):
        meaning = _meaning(op, carrier, value)
        inputs = [no_tokens(bits) for bits in op.ports.inputs]
        for port in meaning.used:
            inputs[port] = payload_tokens(_SHORT, op.ports.inputs[port], by)
            if port >= 2:
                inputs[port] = number_tokens(
                    list(map(int, by.integers(0, 4, _SHORT))), op.ports.inputs[port]
                )
        numbers = [
            [sum(int(word) << 64 * place for place, word in enumerate(row)) for row in tokens]
            for tokens in inputs
        ]
        results = [
            _by_numbers(op, carrier, meaning, [each[turn] if each else 0 for each in numbers])
            for turn in range(_SHORT)
        ]
        expected = number_tokens([result for result, _ in results], op.ports.outputs[0])
        promised = number_tokens([mask for _, mask in results], op.ports.outputs[0])
        name = "valid carriers" if meaning.is_valid else "invalid carriers"
        job = _job(op, tuple(inputs), _SHORT, value, at + 1)
        poisonous = sum(mask == 0 for _, mask in results)
        yield Case(name, job, (expected,), (promised,), poisonous)


def _carriers(
    op: FabricOp, carrier: SliceCarrier | ShuffleCarrier, count: int, by: Generator
) -> Iterator[int]:
    """All of them; or random ones, and those of actors with one bit changed."""
    bits = carrier.bit_count
    if bits <= _ALL_BITS:
        yield from range(1 << bits)
        return
    for at, actor in enumerate(_actors(op, count, by)):
        value = carrier.encode(actor)
        if at % 4 == 0:
            value = int.from_bytes(by.bytes(-(-bits // 8)), "little") & (1 << bits) - 1
        elif at % 4 < 3:
            value ^= 1 << int(by.integers(bits))
        yield value


def _meaning(op: FabricOp, carrier: SliceCarrier | ShuffleCarrier, value: int) -> _Meaning:
    names = [each.name for each in carrier.layout]
    fields = dict(zip(names, unpack(carrier.layout, value), strict=True))
    is_valid = carrier.is_valid(value)
    if isinstance(carrier, ShuffleCarrier):
        return _Meaning((0, 1), is_valid, fields)
    inserts = O.VECTOR_INSERT in op.op_list and (len(op.op_list) == 1 or fields["mode"] == 1)
    fields["inserts"] = int(inserts)
    params = carrier.params
    narrowest = min(
        *(each.bits for each in params.integer_element_widths),
        *(each.bits for each in params.float_element_formats),
        64,
    )
    # Bits below the narrowest element are not read.
    ranks = range(params.max_dynamic_position_rank)
    strides = [2 + rank for rank in ranks if fields[f"stride_{rank}"] >= narrowest]
    return _Meaning((0, *([1] if inserts else []), *strides), is_valid, fields)


def _by_numbers(
    op: FabricOp, carrier: SliceCarrier | ShuffleCarrier, meaning: _Meaning, given: list[int]
) -> tuple[int, int]:
    """Result and promised bits of a carrier's numbers."""
    if not meaning.is_valid:
        return 0, 0
    fields = meaning.fields
    if isinstance(carrier, ShuffleCarrier):
        block = fields["block_width_less_one"] + 1
        left, ones = fields["left_blocks_less_one"] + 1, (1 << block) - 1
        result = 0
        for at in range(fields["result_blocks_less_one"] + 1):
            source = fields[f"selector_{at}"]
            operand, place = (given[0], source) if source < left else (given[1], source - left)
            result |= (operand >> place * block & ones) << at * block
        return result, (1 << block * (fields["result_blocks_less_one"] + 1)) - 1
    width = fields["slice_width_less_one"] + 1
    ranks = range(carrier.params.max_dynamic_position_rank)
    position = fields["offset"]
    position += sum(given[2 + rank] * fields[f"stride_{rank}"] for rank in ranks)
    ports, capacity_bits = op.ports, carrier.params.max_container_payload_bits
    slots = (ports.inputs[1], ports.outputs[0]) if fields["inserts"] else ports.inputs[:1]
    room = min(capacity_bits, *slots)
    if position + width > room:
        return 0, 0
    ones = (1 << width) - 1
    if not fields["inserts"]:
        return given[0] >> position & ones, (1 << ports.outputs[0]) - 1
    merged = given[1] & ~(ones << position) | (given[0] & ones) << position
    whole = (1 << room // width * width) - 1
    return merged & (1 << ports.outputs[0]) - 1, whole
