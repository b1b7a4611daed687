"""Four rows of a Temporal memory, of which the first one becomes many things in turn."""

import random

from fabricgen.abi.program import programming_sequence
from fabricgen.config.codec import encode_configuration
from fabricgen.plan.rows import Active
from tests.support.memories import ELEMENT, LOAD, ROLE, STORE, view
from tests.support.reconfigured import TaggedTop, perform
from tests.support.temporal_engines import AT, CONNECTIONS, engine_memory, engine_row

WORD = view(ELEMENT, element=32)
BYTE = view(ELEMENT, element=8)
COPY = CONNECTIONS.index(("rd_data", "wr_data"))
NAMED = engine_memory(4, in_flight=(2, 5), connections=CONNECTIONS, capacity=1024)


def load(context, access, tag, base, **options):
    tags = {ROLE.ADDRESS: tag, ROLE.CONTROL: tag, ROLE.DATA: tag, ROLE.COMPLETION: tag}
    return engine_row(context, 0, LOAD, access, tags, base=base, **options)


#: What row 0 is in turn: it keeps its tags, so tokens go on whatever it is.
TURNS = (
    load(0, WORD, 1, 0x000),
    load(0, BYTE, 1, 0x155),
    load(0, WORD, 1, 0x080),
    None,
)
#: Rows beside it: a load, and a load that feeds a store.
STREAMS = load(1, WORD, 2, 0x100)
FEEDS = engine_row(
    2,
    0,
    LOAD,
    WORD,
    {ROLE.ADDRESS: 3, ROLE.CONTROL: 3, ROLE.COMPLETION: 3},
    base=0x000,
    to={ROLE.DATA: (COPY,)},
)
STORES = engine_row(
    3,
    1,
    STORE,
    WORD,
    {ROLE.ADDRESS: 4, ROLE.CONTROL: 4, ROLE.COMPLETION: 4},
    base=0x300,
    sources={ROLE.DATA: COPY},
)
BESIDE = (STREAMS, FEEDS, STORES)


def loaded(row, index, memory):
    """What a load of an element reads."""
    size = row.access.element_bits // 8
    start = row.base_addr + index * size
    return int.from_bytes(memory[start : start + size], "little")


def memory():
    return random.Random(5).randbytes(1024)


def offer(top, tag, indices, *, port="rd"):
    """Tokens of one row whose tags are all the same."""
    top.pending[AT[f"{port}_addr"], tag].extend(indices)
    top.pending[AT[f"{port}_ctrl"], tag].extend(0 for _ in indices)


def offer_beside(top, count, rng):
    """Tokens of the three rows that are never touched; returns the indices of each."""
    tokens = {tag: [rng.randrange(32) for _ in range(count)] for tag in (2, 3)}
    for tag, indices in tokens.items():
        offer(top, tag, indices)
    # Each word is stored once.
    tokens[4] = [*range(32)] * (count // 32 + 1)
    del tokens[4][count:]
    offer(top, 4, tokens[4], port="wr")
    return tokens


def wrong_beside(top, tokens):
    """What the rows beside row 0 did not publish as their tokens say, in their order."""
    words = {
        tag: [loaded(row, index, memory()) for index in tokens[tag]]
        for tag, row in ((2, STREAMS), (3, FEEDS))
    }
    expected = {
        (AT["rd_data"], 2): words[2],
        (AT["rd_done"], 2): [0] * len(words[2]),
        (AT["rd_done"], 3): [0] * len(words[3]),
        (AT["wr_done"], 4): [0] * len(words[3]),
    }
    found = [
        key for key, wanted in expected.items() if [data for _, data in top.given[key]] != wanted
    ]
    contents = bytearray(memory())
    for index, word in zip(tokens[4], words[3], strict=True):
        contents[0x300 + 4 * index : 0x304 + 4 * index] = word.to_bytes(4, "little")
    return found if contents == top.after else [*found, "memory"]


def wrong_turns(top):
    """Results of row 0 that are not what the table says under which its tokens were accepted.

    A firing has both its tokens under one table; a token is what it was taken as.
    """
    rows = {encode_configuration(NAMED, Active((turn, *BESIDE))): turn for turn in TURNS}
    taken = top.taken[AT["rd_addr"], 1], top.taken[AT["rd_ctrl"], 1]
    wanted, found = [], []
    for (_, index, table), (_, _, other) in zip(*taken, strict=True):
        if table != other or rows.get(table) is None:
            found.append(f"index {index} was taken between two tables")
        else:
            wanted.append(loaded(rows[table], index, memory()))
    given = [data for _, data in top.given[AT["rd_data"], 1]]
    done = len(top.given[AT["rd_done"], 1])
    return found + [f"{given} must be {wanted}"] * (given != wanted or done != len(wanted))


def drained_turns(seed, *, count=40, turns=6, watch=lambda top: ()):
    """Row 0 is drained and reprogrammed while it, and all others, have tokens all the time.

    ``watch(top)`` gives what watches the run.
    """
    rng = random.Random(seed)
    top = TaggedTop(NAMED, memory(), seed=seed, offer=1.0, accept=0.8)
    tokens = offer_beside(top, count, rng)
    offer(top, 1, [rng.randrange(16) for _ in range(3 * count)])

    async def bench(ctx):
        await top.program(ctx, (TURNS[0], *BESIDE))
        running = (TURNS[0], *BESIDE)
        for turn in range(1, turns):
            following = TURNS[turn % len(TURNS)], *BESIDE
            steps = programming_sequence(
                top.fabric, top.image(following), running=top.image(running)
            )
            await perform(ctx, top.dut.cfg, steps)
            running = following
        top.after_drains = len(top.taken[AT["rd_addr"], 1])
        await top.settle(ctx, 1500)
        top.after = top.contents(ctx)

    top.run(bench, *watch(top))
    return top, tokens
