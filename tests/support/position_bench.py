"""Slices and shuffles against the oracle: drawn actors, each with its own carrier."""

import random
from collections.abc import Callable, Iterator

from amaranth.lib import wiring

from fabricgen.hsg.resource import FabricOp
from fabricgen.hsg.semantics import direct_value, semantic_field
from fabricgen.hsg.vector_params import FixedVectorShuffleParams, FixedVectorSliceAlignMergeParams
from fabricgen.rtl.providers.registry import provider
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.payload import ShuffleMask, StaticPosition
from fabricgen.schema.types import FloatType, IndexType, IntegerType, VectorType
from fabricgen.vocab.dataflow import OperationSchemaId as O
from tests.support.position_oracle import position_result
from tests.support.vector_bench import Point, results


def elements(params: FixedVectorSliceAlignMergeParams | FixedVectorShuffleParams) -> list:
    """Elements that a resource admits."""
    return [
        *(IntegerType(width.bits) for width in params.integer_element_widths),
        *(FloatType(each) for each in params.float_element_formats),
    ]


def _shape(drawn: random.Random, room: int) -> tuple[int, ...]:
    """One to three extents with at most ``room`` lanes."""
    shape: list[int] = []
    for _ in range(drawn.choice((1, 2, 2, 3))):
        shape.append(drawn.randint(1, max(room, 1)))
        room //= shape[-1]
    return tuple(drawn.sample(shape, len(shape)))


def _slice(drawn: random.Random, op: FabricOp) -> OperationActor:
    params = op.hw_params
    element = drawn.choice(elements(params))
    container = VectorType(
        _shape(drawn, params.max_container_payload_bits // element.bits), element
    )
    depth = drawn.randint(1, len(container.shape))
    components = [drawn.randrange(each) for each in container.shape[:depth]]
    kinds = []
    for dimension in range(depth):
        if params.resolved_index_widths and drawn.random() < 0.5:
            components[dimension] = None
            kinds.append(IndexType(params.resolved_index_widths[0]))
        elif drawn.random() < 0.05:
            components[dimension] = -1
    inner = container.shape[depth:]
    part = VectorType(inner, element) if inner else element
    position = StaticPosition(tuple(components))
    if drawn.choice(op.op_list) is O.VECTOR_EXTRACT:
        return OperationActor(O.VECTOR_EXTRACT, (container, *kinds), (part,), position)
    return OperationActor(O.VECTOR_INSERT, (part, container, *kinds), (container,), position)


def _shuffle(drawn: random.Random, op: FabricOp) -> OperationActor:
    params = op.hw_params
    element = drawn.choice(elements(params))
    inner = drawn.choice(((), (), (2,), (3,), (2, 2), (4,)))
    most = params.max_source_blocks
    left, right, count = (
        drawn.randint(1, each) for each in (most - 1, most - 1, params.max_result_blocks)
    )
    kinds = [VectorType((each, *inner), element) for each in (left, right, count)]
    mask = tuple(drawn.randint(-1, left + right - 1) for _ in range(count))
    return OperationActor(O.VECTOR_SHUFFLE, tuple(kinds[:2]), (kinds[2],), ShuffleMask(mask))


def position_actors(op: FabricOp, count: int, seed: int = 1) -> Iterator[OperationActor]:
    """Drawn actors that the resource admits."""
    drawn = random.Random(seed)
    draw = _shuffle if isinstance(op.hw_params, FixedVectorShuffleParams) else _slice
    while count:
        actor = draw(drawn, op)
        if op.admits(actor):
            count -= 1
            yield actor


def ports_of(actor: OperationActor) -> list[int]:
    """Physical input of each operand."""
    count = len(actor.operands)
    if actor.schema_id is O.VECTOR_EXTRACT:
        return [0, *range(2, count + 1)]
    return list(range(count))


def point(drawn: random.Random, actor: OperationActor) -> Point:
    """Vectors of any bits; indices mostly below 8, sometimes far beyond any vector."""
    return tuple(
        drawn.choice((drawn.randrange(4), drawn.randrange(8), drawn.getrandbits(kind.bits)))
        if isinstance(kind, IndexType)
        else drawn.getrandbits(kind.bits)
        for kind in actor.operands
    )


def wrong(
    op: FabricOp,
    count: int = 60,
    build: Callable[[FabricOp], wiring.Component] = provider,
) -> list[str]:
    """Defined results that differ from the oracle's."""
    drawn = random.Random(2)
    actors = list(position_actors(op, count))
    given = [[point(drawn, actor) for _ in range(4)] for actor in actors]
    has_field = semantic_field(op) is not None
    jobs = [
        (
            direct_value(op, actor) if has_field else None,
            ports_of(actor),
            [_noisy(drawn, op, actor, each) for each in some],
        )
        for actor, some in zip(actors, given, strict=True)
    ]
    return [
        f"{actor}: {[f'{each:#x}' for each in operands]} -> {result:#x}"
        for actor, some, found in zip(actors, given, results(build(op), jobs), strict=True)
        for operands, result in zip(some, found, strict=True)
        if _differs(actor, operands, result)
    ]


def _noisy(drawn: random.Random, op: FabricOp, actor: OperationActor, operands: Point) -> Point:
    """Operands with noise in the bits of their ports above them."""
    return tuple(
        value | drawn.getrandbits(op.ports.inputs[port]) >> kind.bits << kind.bits
        for value, kind, port in zip(operands, actor.operands, ports_of(actor), strict=True)
    )


def _differs(actor: OperationActor, operands: Point, result: int) -> bool:
    expected, defined = position_result(actor, operands)
    return (result ^ expected) & defined != 0
