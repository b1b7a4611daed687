"""Every order of a short history, tried out on a memory: what a checker must agree with."""

from itertools import permutations

from sim.history import Kind
from tests.support.rmw_oracle import updated


def tied(operations):
    """For each operation the bytes of its group: those that operations tie together."""
    groups = []
    for each in operations:
        own = set(range(each.address, each.address + each.size_bytes))
        apart = [group for group in groups if not group & own]
        groups = [*apart, own.union(*(group for group in groups if group & own))]
    return groups


def precedes(first, second, groups):
    """Whether time or their source orders two operations."""
    if first.responded <= second.invoked:
        return True
    together = any({first.address, second.address} <= group for group in groups)
    return together and first.source == second.source and first.number < second.number


def is_order(operations, before, after):
    """Whether a memory does exactly this, one operation after the other."""
    memory = bytearray(before)
    for each in operations:
        here = slice(each.address, each.address + each.size_bytes)
        places = [at for at in range(each.size_bytes) if each.strobe >> at & 1]
        found = bytes(memory[here])
        seen = each.observed.to_bytes(each.size_bytes, "little")
        left = None
        if each.kind is not Kind.STORE and any(found[at] != seen[at] for at in places):
            return False
        if each.kind is Kind.STORE or (each.kind is Kind.EXCHANGE and each.success):
            left = each.value
        elif each.kind is Kind.RMW:
            left = updated(
                each.rmw_kind.name.lower(), each.observed, each.value, 8 * each.size_bytes
            )
        if each.kind is Kind.EXCHANGE and each.success != (each.observed == each.expected):
            return False
        if left is not None:
            for at in places:
                memory[each.address + at] = left >> 8 * at & 0xFF
    return after is None or bytes(memory) == after


def has_order(operations, before, after=None):
    """Whether some order of all operations is legal."""
    groups = tied(operations)
    for order in permutations(operations):
        late = any(
            precedes(second, first, groups)
            for at, first in enumerate(order)
            for second in order[at + 1 :]
        )
        if not late and is_order(order, before, after):
            return True
    return False
