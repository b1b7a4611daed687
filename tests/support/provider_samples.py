"""A resource of every family, what it does in one configuration, and tokens for it."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from fabricgen.hsg.resource import FabricOp
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.operations import IntegerPredicate, StreamStepKind
from tests.support import token_actors as actors
from tests.support import token_ops as token
from tests.support.family_ops import SMALL, timed
from tests.support.integer_ops import integer_op
from tests.support.quiescence import Join, wrong_cycles
from tests.support.token_actors import run_actor
from tests.support.token_bench import Job, Trace, Traffic, any_traffic, simulate

COUNT = 9


@dataclass(frozen=True)
class Sample:
    """A resource with what it does in one configuration, and tokens; values matter to some."""

    op: FabricOp
    actor: Callable[[], object]
    inputs: Sequence[Sequence[int]]
    configuration: int = 0
    #: Cycles that an operand without a result stays inside.
    lingers: int = 0


def tokens(seed: int, bits: int) -> list[int]:
    """Some tokens, a few more or less, so that operands are left over on some inputs."""
    drawn = random.Random(seed)
    return [drawn.getrandbits(bits) for _ in range(COUNT + drawn.randrange(4))]


def joined(op: FabricOp, used: Sequence[int] | None = None, configuration: int = 0) -> Sample:
    """A stateless resource; inputs that it does not use are offered all the same."""
    inputs = [tokens(at, min(width, 8)) for at, width in enumerate(op.ports.inputs)]
    return Sample(op, partial(Join, used or range(len(inputs))), inputs, configuration)


def ordinal(op: FabricOp, **components: object) -> int:
    """Ordinal of the behaviour with these components."""
    return next(
        at
        for at, key in enumerate(provider(op).behaviors)
        if all(getattr(key, name) == value for name, value in components.items())
    )


def grouped(family: F, actor: Callable[..., object], widths: Sequence[int], phase: int) -> Sample:
    """Groups of two halves: phases of 1 and 0 on one of the inputs."""
    op = SMALL[family]
    inputs = [tokens(at, width) for at, width in enumerate(widths)]
    inputs[phase] = [1, 0, 0, 1, 1, 1, 0, 1, 1, 0]
    chosen = ordinal(op, element_bits=16, lane_count=2)
    lingers = int(family is F.FIXED_VECTOR_SERIALIZE)
    return Sample(op, partial(actor, 16, 2), inputs, chosen, lingers)


def streamed(kind: StreamStepKind, timing: tuple[int, int]) -> Sample:
    """Streams of a few steps each, the last one without its step."""
    falls = kind is StreamStepKind.UDIV
    predicate = IntegerPredicate.UGT if falls else IntegerPredicate.ULT
    op = token.stream(kind, (8,), (predicate.name,), timing)
    inputs = (
        [[99, 9, 2, 3], [9, 1, 7, 9], [2, 3, 2]]
        if falls
        else [[1, 9, 2, 3], [9, 1, 7, 9], [2, 3, 2]]
    )
    return Sample(op, partial(actors.Stream, kind, predicate, 8), inputs)


def routed(family: F) -> Sample:
    """Lanes of an image of two, of which the second one is not the second port."""
    op = SMALL[family]
    least = 1 if family is F.TOKEN_MUX else 0
    lanes = (least, least + 2)
    named = {F.TOKEN_SYNC: actors.Sync, F.TOKEN_MUX: actors.Mux, F.TOKEN_DEMUX: actors.Demux}
    inputs = [tokens(at, min(width, 8)) for at, width in enumerate(op.ports.inputs)]
    if family is not F.TOKEN_SYNC:
        inputs[0] = [0, 1, 1, 0, 0, 0, 1, 1, 0]
    return Sample(op, partial(named[family], lanes), inputs, ordinal(op, lanes=lanes))


LOOPS = {
    F.LOOP_CARRY: Sample(
        SMALL[F.LOOP_CARRY],
        actors.Carry,
        [[1, 1, 0, 0, 1, 0] * 3, tokens(1, 8)[:9], [*tokens(2, 8)[:9], 7]],
    ),
    F.LOOP_INVARIANT: Sample(
        SMALL[F.LOOP_INVARIANT], actors.Invariant, [[1, 0, 0, 1, 1, 0] * 3, tokens(1, 8)[:9]]
    ),
    F.LOOP_GATE: Sample(
        SMALL[F.LOOP_GATE], actors.Gate, [[0, 1, 1, 0, 0, 1, 0] * 3, tokens(1, 8)[:7] * 3]
    ),
    F.LOOP_STREAM: streamed(StreamStepKind.ADD, (1, 1)),
    F.FIXED_VECTOR_PARALLELIZE: grouped(F.FIXED_VECTOR_PARALLELIZE, actors.Parallelize, (16, 1), 1),
    F.FIXED_VECTOR_SERIALIZE: grouped(F.FIXED_VECTOR_SERIALIZE, actors.Serialize, (32, 2, 1), 2),
}
SAMPLES = {
    family: LOOPS.get(family)
    or (
        routed(family)
        if family in (F.TOKEN_SYNC, F.TOKEN_MUX, F.TOKEN_DEMUX)
        # All-zero is an extract without an index.
        else joined(op, [0] if family is F.FIXED_VECTOR_SLICE_ALIGN_MERGE else None)
    )
    for family, op in SMALL.items()
}
FURTHER = {
    "product_of_3_stages": joined(timed(F.SCALAR_INTEGER_MULTIPLY, 3)),
    "vector_product_of_4_stages": joined(timed(F.FIXED_VECTOR_INTEGER_MULTIPLY, 4)),
    "shuffle_of_2_stages": joined(timed(F.FIXED_VECTOR_SHUFFLE, 2)),
    "quotient_of_10_stages": joined(
        integer_op(F.SCALAR_SIGNED_INTEGER_DIV_REM, widths=(8,), latency=10)
    ),
    "insert_at_an_index": joined(SMALL[F.FIXED_VECTOR_SLICE_ALIGN_MERGE], range(3), 0xFFFF),
    "stream_of_quotients": streamed(StreamStepKind.UDIV, (1, 10)),
    "stream_of_products": streamed(StreamStepKind.MUL, (1, 2)),
}
EVERY = {**{family.name.lower(): sample for family, sample in SAMPLES.items()}, **FURTHER}


def observed(sample: Sample, build: Callable = provider, *, slower: int = 1) -> list[Trace]:
    """Two runs: with operands that are left over at the end, and, after a reset, without.

    A component that is held every now and then is ``slower``.
    """
    dut = build(sample.op)
    configuration = sample.configuration if hasattr(dut, "configuration") else None
    cycles = slower * (90 + COUNT * 4 * sample.op.timing.initiation_interval_cycles)
    needed = run_actor(sample.actor(), sample.inputs, len(dut.outputs)).taken
    whole = [row[:count] for row, count in zip(sample.inputs, needed, strict=True)]
    slow = Traffic([70] * len(dut.inputs), [40] * len(dut.outputs), 2)
    return simulate(
        dut,
        [
            Job(sample.inputs, any_traffic(dut, 1), cycles, configuration),
            Job(whole, slow, cycles, configuration, reset_after=7),
        ],
    )


def wrong(sample: Sample, traces: Sequence[Trace]) -> list[str]:
    """Cycles in which it is said wrongly."""
    return [each for trace in traces for each in wrong_cycles(trace, sample.actor, sample.lingers)]
