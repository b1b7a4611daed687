"""Cases of a stateless resource: a stream without stalls for volume, and short ones with each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from fabricgen.hsg.resource import FabricOp
from fabricgen.hsg.semantics import (
    DirectField,
    FiniteField,
    SemanticField,
    behavior_key,
    semantic_field,
)
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.operations import OPERATION_SCHEMAS
from fabricgen.schema.payload import IntegerCompare
from sim.native.jobs import Job, Pattern, Tokens
from sim.native.scalars import Volume, scalar_operands, scalar_result
from sim.native.stimuli import Generator, generator

__all__ = ["Case", "capacity", "configuration", "field_bits", "member", "scalar_cases", "streams"]

#: Firings of each job with stalls.
_STALLED = 240


@dataclass(frozen=True, slots=True)
class Case:
    """A job, and what its outputs owe.

    Parameters
    ----------
    member
        Row of the table that the points count in.
    job
        What the driver plays.
    expected, promised
        Per output, the tokens, and which of their bits are compared.
    poisonous
        Points with a bit of a used lane that may be anything.
    work
        What counts for the rate; the tokens of the first output, if zero.
    """

    member: str
    job: Job
    expected: tuple[Tokens, ...]
    promised: tuple[Tokens, ...]
    poisonous: int = 0
    work: int = 0


@cache
def _field(op: FabricOp) -> SemanticField:
    return semantic_field(op)


def field_bits(op: FabricOp) -> int:
    """Bits of the configuration."""
    field = _field(op)
    return 0 if field is None else field.bit_count


def capacity(op: FabricOp) -> int:
    """Firings inside at most: one in each stage, or one alone."""
    timing = op.timing
    return timing.latency_cycles if timing.initiation_interval_cycles == 1 else 1


@cache
def configuration(op: FabricOp, actor: OperationActor) -> int:
    """Ordinal of an actor's behaviour; 0 where there is no field."""
    field = _field(op)
    if isinstance(field, DirectField):
        raise TypeError("Resource must not have a direct carrier")
    return field.ordinal(behavior_key(op, actor)) if isinstance(field, FiniteField) else 0


def member(actor: OperationActor) -> str:
    """Operation, with its predicate."""
    name = OPERATION_SCHEMAS[actor.schema_id].op
    if isinstance(actor.payload, IntegerCompare):
        name += f" {actor.payload.predicate.name.lower()}"
    return name


def streams(case: Case, undefined: Sequence[bool] | None, by: Generator) -> Iterator[Case]:
    """A case, and some of its points under each pattern of stalls, half of them poisonous."""
    yield case
    used = next(each for each in case.job.inputs if len(each))
    count = len(used)
    poison = np.zeros(0, np.int64) if undefined is None else np.flatnonzero(undefined)
    for pattern in tuple(Pattern)[1:]:
        chosen = by.integers(0, count, _STALLED)
        if len(poison):
            chosen[::2] = by.choice(poison, len(chosen[::2]))
        yield replace(
            case,
            job=replace(
                case.job,
                inputs=tuple(each[chosen] if len(each) else each for each in case.job.inputs),
                results=tuple(_STALLED if each else 0 for each in case.job.results),
                pattern=pattern,
                chance=int(by.choice((26, 77, 128, 179, 230))),
                seed=int(by.integers(1, 2**32)),
            ),
            expected=tuple(each[chosen] for each in case.expected),
            promised=tuple(each[chosen] for each in case.promised),
            poisonous=0 if undefined is None else int(np.count_nonzero(undefined[chosen])),
        )


def scalar_cases(op: FabricOp, volume: Volume) -> Iterator[list[Case]]:
    """All that a scalar resource admits, actor by actor."""
    for actor in op.reachable():
        given = scalar_operands(op, actor, volume)
        value, promised = scalar_result(op, actor, given)
        undefined = promised == 0
        job = Job(
            tuple(each[:, np.newaxis] for each in given),
            (len(value),),
            configuration(op, actor),
            op.timing.latency_cycles,
            capacity(op),
        )
        case = Case(
            member(actor),
            job,
            (value[:, np.newaxis],),
            (promised[:, np.newaxis],),
            int(np.count_nonzero(undefined)),
        )
        yield list(streams(case, undefined, generator("stalls", actor)))
