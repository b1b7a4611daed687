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


def after_one(memory, each):
    """Contents after one operation on some memory; None where it cannot have found them."""
    places = [at for at in range(each.size_bytes) if each.strobe >> at & 1]
    found = memory[each.address : each.address + each.size_bytes]
    seen = each.observed.to_bytes(each.size_bytes, "little")
    left = None
    if each.kind is not Kind.STORE and any(found[at] != seen[at] for at in places):
        return None
    if each.kind is Kind.STORE or (each.kind is Kind.EXCHANGE and each.success):
        left = each.value
    elif each.kind is Kind.RMW:
        left = updated(each.rmw_kind.name.lower(), each.observed, each.value, 8 * each.size_bytes)
    if each.kind is Kind.EXCHANGE and each.success != (each.observed == each.expected):
        return None
    if left is None:
        return memory
    changed = bytearray(memory)
    for at in places:
        changed[each.address + at] = left >> 8 * at & 0xFF
    return bytes(changed)


def has_order(operations, before, after=None):
    """Whether some order of all operations is legal; tries all of them."""
    groups = tied(operations)
    for order in permutations(operations):
        late = any(
            precedes(second, first, groups)
            for at, first in enumerate(order)
            for second in order[at + 1 :]
        )
        memory = None if late else before
        for each in order:
            memory = None if memory is None else after_one(memory, each)
        if memory is not None and after in (None, memory):
            return True
    return False


def leads_to_the_end(operations, before, after=None):
    """The same for more operations: from each set of them, and what it left, every next one."""
    groups = tied(operations)
    whole = (1 << len(operations)) - 1
    needs = [
        sum(1 << at for at, other in enumerate(operations) if precedes(other, each, groups))
        for each in operations
    ]
    reached, fresh = {(0, before)}, [(0, before)]
    while fresh:
        done, memory = fresh.pop()
        if done == whole and after in (None, memory):
            return True
        for at, each in enumerate(operations):
            if done >> at & 1 or needs[at] & ~done:
                continue
            place = done | 1 << at, after_one(memory, each)
            if place[1] is not None and place not in reached:
                reached.add(place)
                fresh.append(place)
    return False
