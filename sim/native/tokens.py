"""Constants, and groups of elements gathered and taken apart, token by token."""

from collections.abc import Iterator, Sequence

import numpy as np

from fabricgen.hsg.resource import FabricOp
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.types import VectorType
from fabricgen.vocab.dataflow import OperationSchemaId as O
from sim.native.cases import Case, capacity, configuration, field_bits, member
from sim.native.jobs import Job, Pattern, Tokens, word_count
from sim.native.scalars import Volume
from sim.native.stimuli import Generator, generator

__all__ = ["constant_cases", "group_cases", "number_tokens"]

#: Firings of a stream that is not stalled, and of each constant otherwise.
_LONG, _SHORT = 400, 3
#: Phases of a stream of groups that is stalled.
_STALLED = 150
#: Jobs that are played together.
_BATCH = 400
#: Cycles that a job may take for each token where everybody stalls.
_PATIENCE = 600


def number_tokens(values: Sequence[int], bits: int) -> Tokens:
    """Tokens of numbers."""
    words = word_count(bits)
    data = b"".join(value.to_bytes(words * 8, "little") for value in values)
    return np.frombuffer(data, "<u8").astype(np.uint64).reshape(len(values), words)


def _all_bits(count: int, bits: int) -> Tokens:
    return number_tokens([(1 << bits) - 1] * count, bits)


def _number(bits: int, by: Generator) -> int:
    return int.from_bytes(by.bytes(-(-bits // 8)), "little") & ((1 << bits) - 1)


def constant_cases(op: FabricOp, volume: Volume) -> Iterator[list[Case]]:
    """Constants of any value: one result for each control token."""
    by, bits, port = generator("constant", op), field_bits(op), op.ports.outputs[0]
    whole = (1 << bits) - 1
    values = [0, whole, whole // 3, *(1 << at for at in range(bits))]
    values += [_number(bits, by) for _ in range(volume.carriers)]
    cases: list[Case] = []
    for at, value in enumerate(values):
        steady = at % 100 == 0
        count = _LONG if steady else _SHORT
        job = Job(
            (np.zeros((count, 0), np.uint64),),
            (count,),
            value,
            op.timing.latency_cycles,
            capacity(op),
            Pattern.ALWAYS if steady else Pattern(1 + at % (len(Pattern) - 1)),
            seed=at + 1,
        )
        expected = number_tokens([value] * count, port)
        cases.append(Case("dataflow.constant", job, (expected,), (_all_bits(count, port),)))
        if len(cases) == _BATCH:
            yield cases
            cases = []
    if cases:
        yield cases


def group_cases(op: FabricOp, volume: Volume) -> Iterator[list[Case]]:
    """Every element and lane count of a resource that gathers groups or takes them apart."""
    gathers = O.DATAFLOW_PARALLELIZE in op.op_list
    make = _gathered if gathers else _taken_apart
    for actor in op.reachable():
        by = generator("groups", op, actor)
        cases: list[Case] = []
        for pattern in Pattern:
            steady = pattern is Pattern.ALWAYS
            count = min(volume.random // 4, 20_000) if steady else _STALLED
            chance = int(by.choice((26, 128, 230)))
            cases.append(make(op, actor, by, count, pattern, chance))
        yield cases


def _shape(actor: OperationActor) -> tuple[int, int]:
    """Element width and lanes of a group."""
    gathers = actor.schema_id is O.DATAFLOW_PARALLELIZE
    vector = actor.results[0] if gathers else actor.operands[0]
    if not isinstance(vector, VectorType):
        raise TypeError(f"Group must be a vector, not {vector}")
    return vector.element.bits, vector.lanes


def _phases(by: Generator, count: int) -> list[bool]:
    """Mostly ones, with ends in any distance; some follow one another."""
    chance = by.choice((0.02, 0.1, 0.4))
    return [*(bool(each) for each in by.random(count - 1) >= chance), False]


def _gathered(
    op: FabricOp, actor: OperationActor, by: Generator, count: int, pattern: Pattern, chance: int
) -> Case:
    """Elements to groups: a full group at once, what is left at an end, then the end."""
    bits, lanes = _shape(actor)
    phases = _phases(by, count)
    elements = [_number(bits, by) for each in phases if each]
    groups: list[tuple[int, int]] = []
    ends: list[bool] = []
    filled: list[int] = []
    given = iter(elements)
    partial = 0
    for phase in phases:
        if phase:
            filled.append(next(given))
        if len(filled) == lanes or (filled and not phase):
            partial += len(filled) < lanes
            vector = sum(each << at * bits for at, each in enumerate(filled))
            groups.append((vector, (1 << len(filled)) - 1))
            ends.append(True)
            filled = []
        if not phase:
            ends.append(False)
    inputs = (
        number_tokens(
            [_wider(by, each, bits, op.ports.inputs[0]) for each in elements], op.ports.inputs[0]
        ),
        number_tokens(list(map(int, phases)), op.ports.inputs[1]),
    )
    outputs = ([vector for vector, _ in groups], [mask for _, mask in groups], list(map(int, ends)))
    # An element or an end is taken in every cycle, but for one more that publishes what is left.
    ideal = len(phases) + partial
    return _case(op, actor, inputs, outputs, pattern, chance, by, ideal, len(elements))


def _taken_apart(
    op: FabricOp, actor: OperationActor, by: Generator, count: int, pattern: Pattern, chance: int
) -> Case:
    """Groups to their active lanes, lowest first."""
    bits, lanes = _shape(actor)
    phases = _phases(by, max(count // lanes, 20))
    vectors: list[int] = []
    masks: list[int] = []
    elements: list[int] = []
    ends: list[int] = []
    empty = 0
    for phase in phases:
        if not phase:
            ends.append(0)
            continue
        vectors.append(_number(bits * lanes, by))
        masks.append(_number(lanes, by) if by.random() < 0.5 else (1 << lanes) - 1)
        empty += not masks[-1]
        active = [at for at in range(lanes) if masks[-1] >> at & 1]
        elements += [vectors[-1] >> at * bits & (1 << bits) - 1 for at in active]
        ends += [1] * len(active)
    wide, mask_bits, phase_bits = op.ports.inputs
    inputs = (
        number_tokens([_wider(by, each, bits * lanes, wide) for each in vectors], wide),
        number_tokens([_wider(by, each, lanes, mask_bits) for each in masks], mask_bits),
        number_tokens(list(map(int, phases)), phase_bits),
    )
    ideal = len(ends) + empty
    outputs = (elements, ends)
    return _case(op, actor, inputs, outputs, pattern, chance, by, ideal, len(elements))


def _wider(by: Generator, value: int, bits: int, port: int) -> int:
    """A number on its port, with random bits above it."""
    return value | _number(port, by) >> bits << bits


def _case(
    op: FabricOp,
    actor: OperationActor,
    inputs: tuple[Tokens, ...],
    outputs: Sequence[Sequence[int]],
    pattern: Pattern,
    chance: int,
    by: Generator,
    ideal: int,
    work: int,
) -> Case:
    # Behind the last result the driver waits for one too many; the first one is two cycles late.
    steady = pattern is Pattern.ALWAYS
    job = Job(
        inputs,
        tuple(map(len, outputs)),
        configuration(op, actor),
        pattern=pattern,
        chance=chance,
        seed=int(by.integers(1, 2**32)),
        limit=ideal + 1 + 8 if steady else _PATIENCE * (ideal + 20),
    )
    expected = tuple(
        number_tokens(each, bits) for each, bits in zip(outputs, op.ports.outputs, strict=True)
    )
    promised = tuple(
        _all_bits(len(each), bits) for each, bits in zip(outputs, op.ports.outputs, strict=True)
    )
    return Case(member(actor), job, expected, promised, work=work)
