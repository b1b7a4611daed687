"""Scalar families: operands on ports that may be wider, and what the ports of results show.

Bits above the active width follow the decisions about datapath providers: those of operands
count for nothing, or must be zero where the key has no width; those of results are zero, those of
the wide datapath, or those that were passed on.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fabricgen.hsg.resource import FabricOp
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.payload import IntegerCompare
from fabricgen.vocab.dataflow import OperationSchemaId as O
from sim.native.elements import element_result, ones
from sim.native.jobs import Words
from sim.native.stimuli import drawn, every, generator, meaningful, noise, pairs_of_corners

__all__ = ["FULL", "QUICK", "Volume", "scalar_operands", "scalar_result", "widest_bits"]

#: Most bits of all operands together up to which every combination is tried.
_EXHAUSTIVE_BITS = 17
_CORNERS = 4_000

#: Operations whose result bits above the active width are those of the wide datapath.
_WIDE = (O.ARITH_ADDI, O.ARITH_SUBI, O.ARITH_MULI, O.ARITH_SHLI)
#: Operations that pass bits on.
_PASSED = (
    *(O.ARITH_ANDI, O.ARITH_ORI, O.ARITH_XORI, O.LLVM_OR_DISJOINT),
    *(O.ARITH_SELECT, O.ARITH_BITCAST),
)
_SIGNED_ENDS = (O.ARITH_MINSI, O.ARITH_MAXSI)
#: Operations whose operands must have zeros above the active width.
_CLEAN = (O.ARITH_SHRUI, O.ARITH_MINUI, O.ARITH_MAXUI)


@dataclass(frozen=True, slots=True)
class Volume:
    """How many points.

    Parameters
    ----------
    random
        Random points of each actor that is not tried in full.
    divider_stride
        One of how many combinations of a divider's 8-bit operands.
    carriers
        Direct carriers of each resource that are drawn.
    every_lane
        All combinations of 8-bit elements in each lane, not spread over the lanes.
    """

    random: int
    divider_stride: int
    carriers: int
    every_lane: bool = False


#: The short run, and the whole one.
QUICK = Volume(random=2_000, divider_stride=37, carriers=1_000)
FULL = Volume(random=100_000, divider_stride=1, carriers=20_000, every_lane=True)


def widest_bits(op: FabricOp) -> int:
    """Bits of the datapath: of the widest integer that the resource admits."""
    return max(kind.bits for each in op.reachable() for kind in (*each.operands, *each.results))


def _ignores_bits_above(actor: OperationActor) -> bool:
    if isinstance(actor.payload, IntegerCompare):
        return actor.payload.predicate.name.startswith("S")
    return actor.schema_id not in _CLEAN


def scalar_operands(op: FabricOp, actor: OperationActor, volume: Volume) -> list[Words]:
    """Words for the ports of an actor's operands, with noise above what is active."""
    widths = [kind.bits for kind in actor.operands]
    by = generator("scalar", actor)
    divides = actor.schema_id in (O.ARITH_DIVSI, O.ARITH_DIVUI, O.ARITH_REMSI, O.ARITH_REMUI)
    if sum(widths) <= _EXHAUSTIVE_BITS:
        operands = every(widths, volume.divider_stride if divides else 1)
    else:
        parts = zip(
            pairs_of_corners(widths, min(_CORNERS, 2 * volume.random), by),
            (drawn((volume.random,), bits, by) for bits in widths),
            strict=True,
        )
        operands = meaningful(actor.schema_id, [np.concatenate(each) for each in parts], widths[-1])
    if not _ignores_bits_above(actor):
        return operands
    return [
        value | noise(len(value), port, bits, by)
        for value, bits, port in zip(operands, widths, op.ports.inputs, strict=True)
    ]


def scalar_result(
    op: FabricOp, actor: OperationActor, given: Sequence[Words]
) -> tuple[Words, Words]:
    """What the result port shows, and which of its bits are promised."""
    bits, port = actor.results[0].bits, op.ports.outputs[0]
    low = [value & ones(kind.bits) for value, kind in zip(given, actor.operands, strict=True)]
    source = actor.operands[-1].bits
    value, defined = element_result(actor.schema_id, actor.payload, source, bits, low)
    promised = np.where(defined, ones(port), np.uint64(0))
    wide = widest_bits(op)
    operation = actor.schema_id
    if operation in (*_WIDE, *_PASSED):
        whole = [each & ones(wide) for each in given]
        if operation is O.ARITH_SHLI:
            # An amount counts in its active bits, as in as many as a place of the datapath has.
            whole[1] = np.where(defined, low[1], np.uint64(0))
        elif operation is O.ARITH_SELECT:
            whole[0] = low[0]
        above, _ = element_result(operation, actor.payload, wide, wide, whole)
        value = value | above & ~ones(bits)
    elif operation in _SIGNED_ENDS:
        # Of two equal numbers, either is passed on.
        whole = [each & ones(wide) for each in given]
        value = np.where(value == low[0], whole[0], whole[1])
        either = (low[0] == low[1]) & (whole[0] != whole[1])
        promised = np.where(either, ones(bits), promised)
    return value, promised
