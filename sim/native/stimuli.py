"""Elements and payloads to compute with: every one, corners, and random ones of any magnitude."""

from collections.abc import Sequence

import numpy as np

from fabricgen.vocab.dataflow import OperationSchemaId as O
from sim.native.elements import ones
from sim.native.jobs import Words

__all__ = [
    "Generator",
    "corners",
    "drawn",
    "every",
    "generator",
    "meaningful",
    "noise",
    "pairs_of_corners",
]

Generator = np.random.Generator


def generator(*seed: object) -> Generator:
    """Random numbers that depend on the words of ``seed`` alone."""
    return np.random.default_rng(list("/".join(map(str, seed)).encode()))


def every(widths: Sequence[int], stride: int = 1) -> list[Words]:
    """Operands of these widths in all combinations, or one of every ``stride`` of them."""
    index = np.arange(0, 1 << sum(widths), stride, dtype=np.uint64)
    operands: list[Words] = []
    for bits in widths:
        operands.append(index & ones(bits))
        index = index >> np.uint64(bits)
    return operands


def corners(bits: int) -> Words:
    """Ends of the ranges, their neighbours, every single bit, the width, and patterns."""
    top, whole = 1 << bits - 1, (1 << bits) - 1
    values = {0, 1, 2, 3, bits - 1, bits, bits + 1, 2 * bits, bits // 2, top - 1, top, top + 1}
    values |= {whole - 1, whole, 0x5555555555555555, 0xAAAAAAAAAAAAAAAA, 0x00FF00FF00FF00FF}
    values |= {1 << at for at in range(bits)}
    return np.array(sorted({value & whole for value in values}), np.uint64)


def pairs_of_corners(widths: Sequence[int], limit: int, drawn_by: Generator) -> list[Words]:
    """Corners of all operands in all combinations, or ``limit`` of those at random."""
    grids = np.meshgrid(*map(corners, widths), indexing="ij")
    flat = [grid.reshape(-1) for grid in grids]
    count = len(flat[0])
    if count <= limit:
        return flat
    chosen = drawn_by.choice(count, limit, replace=False)
    return [each[chosen] for each in flat]


def drawn(shape: tuple[int, ...], bits: int, by: Generator) -> Words:
    """Numbers of any magnitude, some of them near zero from below."""
    value = by.integers(0, 1 << 64, shape, np.uint64) >> np.uint64(64 - bits)
    value >>= by.integers(0, bits, shape, np.uint64)
    turned = by.random(shape) < 0.3
    return np.where(turned, value ^ ones(bits), value)


def noise(count: int, width: int, above: int, by: Generator) -> Words:
    """Random bits of a port of up to 64 bits, above the lowest ``above``."""
    value = by.integers(0, 1 << 64, count, np.uint64) & ones(width)
    return value & ~ones(above)


def meaningful(operation: O, operands: Sequence[Words], bits: int) -> list[Words]:
    """The same operands, where every other one that would mostly be poison is made to be none."""
    *others, last = operands
    if operation in (O.ARITH_SHLI, O.ARITH_SHRUI, O.ARITH_SHRSI):
        tamed = last % np.uint64(bits)
    elif operation is O.LLVM_OR_DISJOINT:
        tamed = last & ~operands[0]
    else:
        return list(operands)
    turn = np.arange(len(last)).reshape(-1, *(1,) * (last.ndim - 1)) % 2
    return [*others, np.where(turn == 0, tamed, last)]
