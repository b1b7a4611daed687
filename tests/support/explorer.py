"""Every interleaving of a tiny network of rows: what hardware may do, found by trying it all.

A row issues when each operand is there and a claim is free; its lanes take effect one by one, at
the local memory in their order, at a manager in any; the oldest firing publishes when every slot
behind its connections is empty. Nothing here knows the model.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class TinyRow:
    """One row of byte accesses.

    ``sources`` gives each of addr, data (of a store) and ctrl a tuple of tokens or a connection;
    ``feeds`` the connections of data (of a load) and done. ``place`` is ``None`` for the local
    memory, else a manager. An address token has eight bits per lane.
    """

    is_write: bool
    lanes: int
    place: int | None
    base: int
    sources: dict[str, tuple[int, ...] | int]
    feeds: dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class End:
    """One way in which everything may come to rest.

    ``stuck`` tells whether a firing can never publish. ``history`` is, per place and byte, the
    order of conflicting accesses: each write by itself, and sets of reads between them.
    """

    outputs: tuple
    contents: tuple
    slots: tuple
    taken: tuple
    stuck: bool
    history: tuple


def explore(rows, memories, capacity, in_flight, limit=6_000):
    """All ends; ``memories`` maps each place to a tuple of bytes. ``None`` beyond the limit."""
    slots = {(r, name): c for r, row in enumerate(rows) for name, c in _inner(row)}
    places = sorted(memories, key=str)
    start = (
        (0,) * len(rows),
        tuple((key, None) for key in sorted(slots)),
        ((),) * len(rows),
        ((),) * len(rows),
        tuple((place, memories[place]) for place in places),
        (),
    )
    seen, stack, ends = {start}, [start], set()
    while stack:
        state = stack.pop()
        following = list(_steps(rows, slots, state, capacity, in_flight))
        if not following:
            issued, held, flying, published, contents, history = state
            stuck = any(flying)
            ends.add(End(published, contents, held, issued, stuck, history))
        for each in following:
            if each not in seen:
                seen.add(each)
                stack.append(each)
        if len(seen) > limit:
            return None
    return ends


def _inner(row):
    return [(name, source) for name, source in row.sources.items() if isinstance(source, int)]


def _steps(rows, slots, state, capacity, in_flight):
    issued, held, flying, published, contents, history = state
    held_by = dict(held)
    for r, row in enumerate(rows):
        if len(flying[r]) < in_flight and (operands := _operands(rows, r, issued, held_by)):
            after = {k: None if k[0] == r else v for k, v in held_by.items()}
            lanes = _lanes(row, operands)
            firing = (issued[r], lanes, (0,) * row.lanes)
            yield (
                _put(issued, r, issued[r] + 1),
                tuple(sorted(after.items())),
                _put(flying, r, (*flying[r], firing)),
                published,
                contents,
                history,
            )
        for position, (number, lanes, read) in enumerate(flying[r]):
            for lane in _open(row, flying[r], position):
                done = _effect(row, lanes[lane], dict(contents), capacity)
                value, after, byte = done
                firing = (
                    number,
                    _put(lanes, lane, None),
                    _put(read, lane, value),
                )
                noted = history
                if byte is not None:
                    noted = _note(history, (str(row.place), byte), (r, number, lane), row.is_write)
                yield (
                    issued,
                    held,
                    _put(flying, r, _put(flying[r], position, firing)),
                    published,
                    tuple(sorted(after.items(), key=lambda item: str(item[0]))),
                    noted,
                )
        if flying[r] and not any(flying[r][0][1]):
            behind = [key for key, c in slots.items() for ends in row.feeds.values() if c in ends]
            if all(held_by[key] is None for key in behind):
                read = flying[r][0][2]
                value = sum(byte << 8 * lane for lane, byte in enumerate(read))
                after = dict(held_by)
                for name, ends in row.feeds.items():
                    for key, c in slots.items():
                        if c in ends:
                            after[key] = value if name == "data" else 0
                packet = 0 if row.is_write else value
                yield (
                    issued,
                    tuple(sorted(after.items())),
                    _put(flying, r, flying[r][1:]),
                    _put(published, r, (*published[r], packet)),
                    contents,
                    history,
                )


def _operands(rows, r, issued, held):
    """Tokens of the next firing; ``None`` where one is missing."""
    found = {}
    for name, source in rows[r].sources.items():
        if isinstance(source, int):
            token = held[r, name]
        else:
            token = source[issued[r]] if issued[r] < len(source) else None
        if token is None:
            return None
        found[name] = token
    return found


def _lanes(row, operands):
    """Address and payload of each lane."""
    return tuple(
        (
            row.base + (operands["addr"] >> 8 * lane & 0xFF),
            operands.get("data", 0) >> 8 * lane & 0xFF,
        )
        for lane in range(row.lanes)
    )


def _open(row, firings, position):
    """Lanes that may take effect now."""
    lanes = firings[position][1]
    waiting = [lane for lane, access in enumerate(lanes) if access is not None]
    if row.place is not None:
        return waiting
    if any(access is not None for earlier in firings[:position] for access in earlier[1]):
        return []
    return waiting[:1]


def _effect(row, access, contents, capacity):
    """Value read, contents after it, and the byte; ``None`` where it lies outside."""
    address, payload = access
    if row.place is None and address >= capacity:
        return 0, contents, None
    memory = contents[row.place]
    if row.is_write:
        contents[row.place] = _put(memory, address, payload)
        return 0, contents, address
    return memory[address], contents, address


def _note(history, byte, access, is_write):
    """Append an access to the order of one byte; reads side by side have no order."""
    orders = dict(history)
    order = orders.get(byte, ())
    if is_write:
        order = (*order, access)
    elif order and isinstance(order[-1], frozenset):
        order = (*order[:-1], order[-1] | {access})
    else:
        order = (*order, frozenset([access]))
    orders[byte] = order
    return tuple(sorted(orders.items()))


def _put(values, at, value):
    return (*values[:at], value, *values[at + 1 :])
