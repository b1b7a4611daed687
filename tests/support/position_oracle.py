"""What slices and shuffles compute: nested lists of lanes, indexed as the operations say."""

from typing import Any

from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.types import VectorType
from fabricgen.vocab.dataflow import OperationSchemaId as O
from tests.support.vector_oracle import join, split

#: Flattened result, and a mask of the bits that are defined.
Result = tuple[int, int]


def position_result(actor: OperationActor, operands: tuple[int, ...]) -> Result:
    """Result of an extract, insert or shuffle."""
    if actor.schema_id is O.VECTOR_SHUFFLE:
        return _shuffled(actor, operands)
    merges = actor.schema_id is O.VECTOR_INSERT
    container = actor.operands[1] if merges else actor.operands[0]
    tree = _nested(split(operands[1] if merges else operands[0], container), container.shape)
    dynamic = iter(operands[2 if merges else 1 :])
    position = [next(dynamic) if each is None else each for each in actor.payload.components]
    whole = (1 << actor.results[0].bits) - 1
    if any(not 0 <= at < size for at, size in zip(position, container.shape, strict=False)):
        return 0, 0
    bits = container.element.bits
    if not merges:
        for at in position:
            tree = tree[at]
        return join(_flat(tree), bits), whole
    part = actor.operands[0]
    lanes = split(operands[0], part) if isinstance(part, VectorType) else [operands[0]]
    row = tree
    for at in position[:-1]:
        row = row[at]
    row[position[-1]] = _nested(lanes, part.shape) if isinstance(part, VectorType) else lanes[0]
    return join(_flat(tree), bits), whole


def _shuffled(actor: OperationActor, operands: tuple[int, ...]) -> Result:
    left, right = (
        _nested(split(value, kind), kind.shape)
        for value, kind in zip(operands, actor.operands, strict=True)
    )
    result = actor.results[0]
    block = result.bits // result.shape[0]
    blocks = [*left, *right]
    chosen = [None if at < 0 else blocks[at] for at in actor.payload.selectors]
    bits = result.element.bits
    return (
        join([0 if each is None else join(_flat(each), bits) for each in chosen], block),
        join([0 if each is None else (1 << block) - 1 for each in chosen], block),
    )


def _nested(lanes: list[int], shape: tuple[int, ...]) -> Any:
    """Row-major nested lists."""
    if len(shape) == 1:
        return list(lanes)
    size = len(lanes) // shape[0]
    return [_nested(lanes[at : at + size], shape[1:]) for at in range(0, len(lanes), size)]


def _flat(tree: Any) -> list[int]:
    if not isinstance(tree, list):
        return [tree]
    return [lane for each in tree for lane in _flat(each)]
