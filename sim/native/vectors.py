"""Vector families: every lane of a payload, whatever the element, against the oracle of elements.

Lane counts configure nothing, so every actor of an element is the same firing: all whole lanes
of the datapath are computed and compared, and those of a shorter vector are the first of them.
"""

from collections.abc import Iterator

import numpy as np

from fabricgen.hsg.resource import FabricOp
from fabricgen.hsg.vector_params import (
    FixedVectorAdapterParams,
    FixedVectorIntegerCompareMinMaxParams,
    FixedVectorIntegerParams,
    FixedVectorValueSelectParams,
)
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.types import VectorType
from fabricgen.vocab.dataflow import OperationSchemaId as O
from sim.native.cases import Case, capacity, configuration, member, streams
from sim.native.elements import Mask, element_result, ones
from sim.native.jobs import Job, Tokens, Words, word_count
from sim.native.scalars import Volume
from sim.native.stimuli import Generator, corners, drawn, every, generator, meaningful

#: Random firings of elements of one bit at most.
_MOST_BITS = 20_000

__all__ = ["bits_to_tokens", "join", "payload_tokens", "split", "vector_cases"]


def split(tokens: Tokens, bits: int, lanes: int) -> Words:
    """Lanes of tokens, lowest first: shape (tokens, lanes)."""
    if bits == 1:
        flat = np.unpackbits(_bytes(tokens), axis=1, bitorder="little")
        return flat[:, :lanes].astype(np.uint64)
    return _bytes(tokens).view(f"<u{bits // 8}")[:, :lanes].astype(np.uint64)


def join(lanes: Words, bits: int, words: int) -> Tokens:
    """Tokens of lanes, with zeros above them."""
    if bits == 1:
        packed = np.packbits(lanes.astype(np.uint8), axis=1, bitorder="little")
    else:
        packed = np.ascontiguousarray(lanes.astype(f"<u{bits // 8}")).view(np.uint8)
    whole = np.zeros((len(lanes), words * 8), np.uint8)
    whole[:, : packed.shape[1]] = packed
    return whole.view("<u8").astype(np.uint64)


def _bytes(tokens: Tokens) -> np.ndarray:
    return np.ascontiguousarray(tokens.astype("<u8")).view(np.uint8)


def bits_to_tokens(low: int, high: int, count: int, words: int) -> Tokens:
    """``count`` tokens with ones from bit ``low`` up to below bit ``high``."""
    value = (1 << max(high, low)) - (1 << low)
    row = [value >> 64 * at & (1 << 64) - 1 for at in range(words)]
    return np.tile(np.array(row, np.uint64), (count, 1))


def payload_tokens(count: int, bits: int, by: Generator) -> Tokens:
    """Random tokens of a port."""
    words = word_count(bits)
    value = by.integers(0, 1 << 64, (count, words), np.uint64)
    return value & bits_to_tokens(0, bits, count, words)


def _lane_values(actor: OperationActor, shape: tuple[int, int], by: Generator) -> list[Words]:
    """Lanes of corners, of numbers of any magnitude, and now and then two that are equal."""
    operands: list[Words] = []
    for kind in actor.operands:
        bits = kind.element.bits if isinstance(kind, VectorType) else kind.bits
        value = drawn(shape, bits, by)
        ends = by.choice(corners(bits), shape)
        operands.append(np.where(by.random(shape) < 0.3, ends, value))
    if len(operands) > 1:
        same = by.random(shape) < 0.1
        operands[-1] = np.where(same, operands[-2] & ones(_bits(actor.operands[-1])), operands[-1])
    return operands


def _bits(kind: object) -> int:
    return kind.element.bits if isinstance(kind, VectorType) else 0


def _every_lane(actor: OperationActor, lanes: int, in_each: bool, by: Generator) -> list[Words]:
    """All combinations of 8-bit elements in random order, spread over the lanes or in each."""
    widths = [_bits(kind) for kind in actor.operands]
    if sum(widths) > 17 or max(widths) < 8:
        return []
    operands = every(widths)
    if in_each:
        orders = np.stack([by.permutation(len(operands[0])) for _ in range(lanes)], axis=1)
        return [each[orders] for each in operands]
    order = by.permutation(len(operands[0]))
    order = np.concatenate([order, order[: -len(order) % lanes]])
    return [each[order].reshape(-1, lanes) for each in operands]


def vector_cases(op: FabricOp, volume: Volume) -> Iterator[list[Case]]:
    """All members and elements of a resource with lanes."""
    for actor in op.reachable():
        by = generator("vector", op, actor)
        if actor.schema_id in (O.DATAFLOW_PACK, O.DATAFLOW_UNPACK):
            yield _copy(op, actor, volume, by)
            continue
        bits = _bits(actor.operands[-1])
        lanes = payload_bits(op, actor) // bits
        count = volume.random if bits > 1 else min(volume.random, _MOST_BITS)
        chosen = _lane_values(actor, (count, lanes), by)
        for at, all_of_it in enumerate(_every_lane(actor, lanes, volume.every_lane, by)):
            chosen[at] = np.concatenate([all_of_it, chosen[at]])
        chosen = meaningful(actor.schema_id, chosen, bits)
        given = [
            _on_port(value, _bits(kind), port, lanes, by)
            for value, kind, port in zip(chosen, actor.operands, op.ports.inputs, strict=True)
        ]
        result = _bits(actor.results[0])
        value, defined = element_result(actor.schema_id, actor.payload, bits, result, chosen)
        words = word_count(op.ports.outputs[0])
        promised = join(np.where(defined, ones(result), np.uint64(0)), result, words)
        promised |= _zeros(op, actor, lanes, len(value), words)
        yield _streams(op, actor, given, join(value, result, words), promised, defined)


def payload_bits(op: FabricOp, actor: OperationActor) -> int:
    """Widest flattened operand of an element, as far as parameters and ports go."""
    params = op.hw_params
    if not isinstance(
        params,
        FixedVectorIntegerParams
        | FixedVectorIntegerCompareMinMaxParams
        | FixedVectorValueSelectParams
        | FixedVectorAdapterParams,
    ):
        raise TypeError(f"Resource must have lanes, not {params!r}")
    element = _bits(actor.operands[-1])
    room = [params.max_payload_bits]
    for kind, port in zip(
        (*actor.operands, *actor.results), (*op.ports.inputs, *op.ports.outputs), strict=True
    ):
        room.append(port // max(_bits(kind), 1) * element)
    return min(room)


def _on_port(lanes: Words, bits: int, port: int, count: int, by: Generator) -> Tokens:
    """Lanes on a port, with random bits above them."""
    words = word_count(port)
    above = bits_to_tokens(bits * count, port, len(lanes), words)
    return join(lanes, bits, words) | payload_tokens(len(lanes), port, by) & above


def _zeros(op: FabricOp, actor: OperationActor, lanes: int, count: int, words: int) -> Tokens:
    """Bits above the lanes of a comparison, and above the payload, which are zero."""
    params = op.hw_params
    end = min(params.max_payload_bits, *op.ports.inputs[-1:], *op.ports.outputs)
    if _bits(actor.results[0]) < _bits(actor.operands[-1]):
        end = lanes
    return bits_to_tokens(end, op.ports.outputs[0], count, words)


def _streams(
    op: FabricOp,
    actor: OperationActor,
    given: list[Tokens],
    value: Tokens,
    promised: Tokens,
    defined: Mask,
) -> list[Case]:
    job = Job(
        tuple(given),
        (len(value),),
        configuration(op, actor),
        op.timing.latency_cycles,
        capacity(op),
    )
    undefined = ~defined.all(axis=1)
    case = Case(member(actor), job, (value,), (promised,), int(np.count_nonzero(undefined)))
    return list(streams(case, undefined, generator("stalls", actor)))


def _copy(op: FabricOp, actor: OperationActor, volume: Volume, by: Generator) -> list[Case]:
    """A vector and its integer have the same bits; there are zeros above the payload."""
    given = payload_tokens(volume.random, op.ports.inputs[0], by)
    words = word_count(op.ports.outputs[0])
    value = given & bits_to_tokens(0, op.hw_params.max_payload_bits, len(given), len(given[0]))
    whole = np.zeros((len(given), words), np.uint64)
    common = min(words, value.shape[1])
    whole[:, :common] = value[:, :common]
    promised = bits_to_tokens(0, op.ports.outputs[0], len(given), words)
    whole &= promised
    return _streams(op, actor, [given], whole, promised, np.ones((len(given), 1), np.bool_))
