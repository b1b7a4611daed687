"""Subordinate endpoints before the local service, against a memory of bytes that knows no beat."""

import random
from dataclasses import replace

import pytest

from fabricgen.config.codec import encode_configuration
from fabricgen.config.layout import carrier_layout
from fabricgen.plan.provider_decode import decode_order
from fabricgen.plan.realisation import unsupported
from fabricgen.plan.rows import (
    Active,
    AddressSpaceMatch,
    ContextMatch,
    Disabled,
    PrefixMatch,
    RangeMatch,
)
from fabricgen.records.fabric import Fabric, MemoryImplementation
from fabricgen.rtl import occurrence
from fabricgen.rtl.subordinate import subordinate as module
from tests.support import subordinate_mutants as wrong
from tests.support.memories import LOAD, LOCAL, STORE
from tests.support.subordinate_bench import (
    READ,
    WRITE,
    Beat,
    SubordinateRun,
    expected,
    origin_of,
    place_of,
    some_beats,
)
from tests.support.subordinates import (
    CONTEXT,
    NONE,
    OFFSET,
    PREFIX,
    RANGE,
    SPACE,
    decode_row,
    dispatch,
    exposed_storage,
    exposing,
)

ALL = (RANGE, PREFIX, SPACE, CONTEXT)
FULL = 0xFF
#: Addresses 0x1000 to 0x107f are the bytes from 0x40 on.
WINDOW = decode_row(RangeMatch(0x1000, 0x80), offset=2**64 - 0x1000 + 0x40)
STORAGE = exposed_storage()
CONTENTS = bytes(range(256))


def answers(named, rows, beats, *, contents=CONTENTS, **options):
    """``(data, error)`` of each beat of the one subordinate, and the bytes in the end."""
    run = SubordinateRun(named, **options)
    (served,), after = run.run(exposing(named, rows), [beats], contents)
    assert [each[:2] for each in served.answers] == [
        (origin_of(number), place_of(number)) for number in range(len(beats))
    ]
    return [each[2:] for each in served.answers], after


def test_beats_are_read_and_written_where_the_row_moves_them():
    beats = [
        Beat(READ, 0x1000, FULL),
        Beat(WRITE, 0x1008, 0b0011_0000, 0x1122_3344_5566_7788),
        Beat(READ, 0x1008, FULL),
        Beat(READ, 0x1078, 0b1000_0001),
    ]
    found, after = answers(STORAGE, (WINDOW,), beats)
    assert found == [
        (0x4746_4544_4342_4140, 0),
        (0, 0),
        # Bytes 0x4c and 0x4d are new.
        (0x4F4E_3344_4B4A_4948, 0),
        (0xBF00_0000_0000_00B8, 0),
    ]
    assert after == CONTENTS[:0x4C] + bytes([0x44, 0x33]) + CONTENTS[0x4E:]


#: What is wrong with a beat of the window, and the beat.
HOSTILE = {
    "before the window": Beat(WRITE, 0x0FF8, FULL, 1),
    "behind the window": Beat(WRITE, 0x1080, FULL, 1),
    "at an address that 64 bits more would match": Beat(WRITE, 2**64 - 0x1000, FULL, 1),
    "misaligned": Beat(WRITE, 0x1004, 0x0F, 1),
    "without a byte": Beat(WRITE, 0x1000, 0, 1),
    **{f"of kind {kind}": Beat(kind, 0x1000, FULL, 1) for kind in range(2, 8)},
}


def test_a_beat_that_reaches_nothing_is_an_error_and_changes_nothing():
    good = Beat(READ, 0x1000, FULL)
    beats = [good]
    for beat in HOSTILE.values():
        # A read of the same address fails like the write.
        beats += [beat, replace(beat, kind=READ if beat.kind == WRITE else beat.kind), good]
    found, after = answers(STORAGE, (WINDOW,), beats)
    assert found[0] == (0x4746_4544_4342_4140, 0)
    assert found[1:] == [(0, 1), (0, 1), found[0]] * len(HOSTILE)
    assert after == CONTENTS


def test_a_beat_is_matched_and_compared_with_all_its_bytes():
    # The window ends in the middle of a beat, and the memory in the middle of the next window.
    rows = (
        decode_row(RangeMatch(0x1004, 0x10), offset=2**64 - 0x1000),
        decode_row(RangeMatch(0x2000, 0x100), offset=2**64 - 0x2000 + 252),
    )
    beats = [
        Beat(WRITE, 0x1000, 0xF0, 2**64 - 1),
        Beat(WRITE, 0x1000, 0xF8, 2**64 - 1),
        Beat(WRITE, 0x1010, 0x0F, 2**64 - 1),
        Beat(WRITE, 0x1010, 0x10, 2**64 - 1),
        Beat(WRITE, 0x1010, 0b0001_1111, 2**64 - 1),
        Beat(WRITE, 0x2000, 0x0F, 0xAABB_CCDD),
        Beat(WRITE, 0x2000, 0x1F, 2**64 - 1),
        Beat(READ, 0x2008, 1),
    ]
    found, after = answers(STORAGE, rows, beats)
    assert [error for _, error in found] == [0, 1, 0, 1, 1, 0, 1, 1]
    ones = bytes([0xFF])
    assert after[:24] == CONTENTS[:4] + ones * 4 + CONTENTS[8:16] + ones * 4 + CONTENTS[20:24]
    assert after[24:] == CONTENTS[24:252] + bytes([0xDD, 0xCC, 0xBB, 0xAA])


def test_an_offset_moves_single_bytes_from_before_the_first_address_behind_it():
    # Address 0x1004 is byte 0, so the lower half of its beat is moved below 0.
    rows = (decode_row(RangeMatch(0x1000, 0x80), offset=2**64 - 0x1004),)
    beats = [
        Beat(READ, 0x1000, 0xF0),
        Beat(READ, 0x1000, FULL),
        Beat(WRITE, 0x1000, 0x80, 0x99 << 56),
        Beat(READ, 0x1008, FULL),
        Beat(WRITE, 0x1000, 0x88, 2**64 - 1),
    ]
    for capacity in (256, 8, 4):
        named = exposed_storage(capacity=capacity)
        found, after = answers(named, rows, beats, contents=CONTENTS[:capacity])
        assert found[:3] == [(0x0302_0100_0000_0000, 0), (0, 1), (0, 0)]
        assert found[3] == ((0x0B0A_0908_0706_0504, 0) if capacity > 8 else (0, 1))
        assert found[4] == (0, 1)
        assert after == CONTENTS[:3] + b"\x99" + CONTENTS[4:capacity]


def test_an_inactive_memory_answers_every_beat_with_an_error():
    run = SubordinateRun(STORAGE)
    beats = [Beat(WRITE, 8 * at, FULL, 1) for at in range(4)] + [Beat(READ, 0, FULL)]
    (served,), after = run.run(Disabled(), [beats], CONTENTS)
    assert [each[2:] for each in served.answers] == [(0, 1)] * 5
    assert after == CONTENTS


def test_a_row_without_fields_matches_every_beat():
    named = exposed_storage(dispatch(1, (), NONE, (LOCAL,)))
    beats = [Beat(READ, 0xF8, FULL), Beat(READ, 0x100, FULL), Beat(READ, 2**64 - 8, FULL)]
    found, _ = answers(named, (decode_row(),), beats)
    assert found == [(0xFFFE_FDFC_FBFA_F9F8, 0), (0, 1), (0, 1)]


def test_every_field_has_to_match():
    named = exposed_storage(dispatch(2, ALL, targets=(LOCAL,)))
    match = (
        RangeMatch(0x1010, 0x20),
        PrefixMatch(0x1000, 52),
        AddressSpaceMatch(3),
        ContextMatch(2**63 + 5),
    )
    rows = (decode_row(*match, offset=2**64 - 0x1010),)
    good = Beat(READ, 0x1018, FULL, address_space=3, context=2**63 + 5)
    others = [
        replace(good, address=0x1008),
        replace(good, address=0x1030),
        replace(good, address_space=3 + 2**31),
        replace(good, context=5),
    ]
    found, _ = answers(named, rows, [good, *others, good])
    assert found == [(0x0F0E_0D0C_0B0A_0908, 0), *[(0, 1)] * 4, found[0]]


def test_a_prefix_compares_its_bits_and_no_other():
    lengths = (0, 1, 61, 62, 63, 64)
    # One context for each length.
    fields = (PREFIX, CONTEXT)
    named = exposed_storage(dispatch(len(lengths), fields, targets=(LOCAL,)))
    rows = sorted(
        (
            decode_row(PrefixMatch(0x10 >> 64 - length << 64 - length, length), ContextMatch(at))
            for at, length in enumerate(lengths)
        ),
        key=decode_order,
    )
    beats = [
        Beat(READ, address, strobe, context=at)
        for at in range(len(lengths))
        for address, strobe in (
            *((0x10, 1 << lane) for lane in range(8)),
            *((each, FULL) for each in (0x08, 0x10, 0x18, 2**63 + 0x10)),
        )
    ]
    found, after = answers(named, rows, beats)
    assert found == [each[2:] for each in expected(named, 0, rows, beats, bytearray(CONTENTS))]
    assert [error for _, error in found[-12:]] == [0, *[1] * 11]
    assert after == CONTENTS


def overlapping(named):
    """Carrier of two rows that match the same addresses; no mapping has them."""
    first = decode_row(RangeMatch(0x1000, 0x40), offset=2**64 - 0x1000)
    second = decode_row(RangeMatch(0x1000, 0x80), offset=2**64 - 0x1000 + 0x40)
    legal = [encode_configuration(named, exposing(named, (row,))) for row in (first, second)]
    one, two = carrier_layout(named).decode[0]
    at = two["valid"].offset - one["valid"].offset
    return legal[0] | legal[1] >> 1 << 1 << at, (first, second)


def test_the_first_row_that_matches_counts():
    bits, _ = overlapping(STORAGE)
    beats = [Beat(READ, 0x1000, FULL), Beat(READ, 0x1040, FULL)]
    (served,), _ = SubordinateRun(STORAGE).run(bits, [beats], CONTENTS)
    assert [each[2:] for each in served.answers] == [
        (0x0706_0504_0302_0100, 0),
        (0x8786_8584_8382_8180, 0),
    ]


def test_reads_and_writes_reach_the_regions_of_their_capabilities():
    regions = [(0, 64), (72, 8), (128, 64)]
    named = exposed_storage(
        dispatch(1, (), NONE, (LOCAL,)), regions=regions, kinds={LOAD: (0, 1, 2), STORE: (2,)}
    )
    beats = [
        *(Beat(kind, at, FULL, 2**64 - 1) for at in (0, 56, 64, 72, 80, 128) for kind in (1, 0)),
    ]
    rows = (decode_row(),)
    found, after = answers(named, rows, beats)
    contents = bytearray(CONTENTS)
    assert found == [each[2:] for each in expected(named, 0, rows, beats, contents)]
    assert [error for _, error in found] == [1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 0, 0]
    assert after == contents


@pytest.mark.parametrize(("kinds", "name"), [((LOAD,), "req_data"), ((STORE,), "rsp_data")])
def test_a_direction_that_is_not_served_has_no_data(kinds, name):
    named = exposed_storage(kinds=kinds)
    (stream,) = SubordinateRun(named).streams
    assert not hasattr(stream, name)
    beats = [Beat(READ, 0x1000, FULL), Beat(WRITE, 0x1000, FULL, 1)]
    found, _ = answers(named, (WINDOW,), beats)
    served = READ if LOAD in kinds else WRITE
    assert [error for _, error in found] == [int(kind != served) for kind in (READ, WRITE)]


def test_fields_exist_where_the_decode_can_use_them():
    def fields(*match):
        named = exposed_storage(dispatch(1, match, targets=(LOCAL,)))
        shape = occurrence.MemoryOccurrence(named).subordinate_streams[0]
        return {name: shape.request_widths().get(name) for name in ("address_space", "context")}

    assert fields(RANGE) == {"address_space": None, "context": None}
    assert fields(SPACE) == {"address_space": 32, "context": None}
    assert fields(RANGE, CONTEXT) == {"address_space": None, "context": 64}


# Rates and capacities.


@pytest.mark.parametrize(("slots", "cycles"), [(1, 6), (5, 1.2), (6, 1)])
def test_the_slots_of_the_record_bound_the_rate(slots, cycles):
    """A beat holds its slot from when it is taken until its answer is, six cycles."""
    named = exposed_storage(queue=slots)
    beats = [Beat(READ, 0x1000 + 8 * (at % 16), FULL) for at in range(40)]
    (served,), _ = SubordinateRun(named).run(exposing(named, (WINDOW,)), [beats], CONTENTS)
    waits = [end - start for start, end in zip(served.taken_at, served.answered_at, strict=True)]
    assert set(waits) == {5}
    assert (served.answered_at[-1] - served.answered_at[9]) / 30 == pytest.approx(cycles, abs=0.1)


def test_answers_wait_for_who_asked_and_no_more_are_taken_than_there_are_slots():
    run = SubordinateRun(STORAGE)
    beats = [Beat(READ, 0x1000 + 8 * at, FULL) for at in range(8)]
    taken = []

    async def bench(ctx):
        (stream,) = run.streams
        ctx.set(run.dut.configuration, encode_configuration(STORAGE, exposing(STORAGE, (WINDOW,))))
        run.store(ctx, CONTENTS)
        await ctx.tick().repeat(2)
        ctx.set(stream.req_valid, 1)
        ctx.set(stream.req_strobe, FULL)
        ctx.set(stream.req_address, 0x1000)
        for _ in range(30):
            taken.append(ctx.get(stream.req_ready))
            await ctx.tick()
        assert not ctx.get(run.dut.quiescent)
        ctx.set(stream.req_valid, 0)
        ctx.set(stream.rsp_ready, 1)
        for _ in range(6):
            assert ctx.get(stream.rsp_valid)
            assert ctx.get(stream.rsp_data) == 0x4746_4544_4342_4140
            await ctx.tick()
        assert not ctx.get(stream.rsp_valid)
        assert ctx.get(run.dut.quiescent)

    wrong.simulate(run.dut, bench)
    assert taken == [1] * 6 + [0] * 24
    assert len(beats) == 8


def test_hold_closes_the_endpoint_and_what_is_inside_is_answered():
    run = SubordinateRun(STORAGE)

    async def bench(ctx):
        (stream,) = run.streams
        ctx.set(run.dut.configuration, encode_configuration(STORAGE, exposing(STORAGE, (WINDOW,))))
        run.store(ctx, CONTENTS)
        await ctx.tick().repeat(2)
        assert ctx.get(run.dut.quiescent)
        ctx.set(stream.req_valid, 1)
        ctx.set(stream.req_strobe, 1)
        ctx.set(stream.req_address, 0x1000)
        await ctx.tick()
        ctx.set(run.dut.hold, 1)
        assert not ctx.get(stream.req_ready)
        assert not ctx.get(run.dut.quiescent)
        await ctx.tick().repeat(8)
        assert ctx.get(stream.rsp_valid)
        assert not ctx.get(run.dut.quiescent)
        ctx.set(stream.rsp_ready, 1)
        await ctx.tick()
        assert ctx.get(run.dut.quiescent)
        assert not ctx.get(stream.rsp_valid)

    wrong.simulate(run.dut, bench)


# Random traffic.

SHAPES = {
    "one slot": exposed_storage(queue=1),
    "beats narrower than those of the service": exposed_storage(beat=16, service_beat=128),
    "beats wider than those of the service": exposed_storage(beat=128, service_beat=16, banks=4),
    "bytes": exposed_storage(beat=8, service_beat=8, banks=1),
    "every field": exposed_storage(dispatch(3, ALL, targets=(LOCAL,))),
    "no transform": exposed_storage(dispatch(2, (RANGE,), NONE, (LOCAL,))),
    "aligned offsets": exposed_storage(
        implementation=MemoryImplementation(aligned_bases=True), capacity=200
    ),
    "regions with gaps": exposed_storage(
        regions=[(0, 61), (70, 50), (121, 7), (200, 56)], kinds={LOAD: (0, 1, 3), STORE: (1, 2)}
    ),
    "two subordinates": exposed_storage(
        dispatch(2, (RANGE,), targets=(LOCAL,)), dispatch(1, (SPACE,), NONE, (LOCAL,)), banks=1
    ),
}


def some_rows(rng, named, ordinal):
    """Legal decode rows: ranges side by side, each at some place of the memory."""
    declared = named.occurrence.connectivity.subordinate_endpoints[ordinal]
    size = named.occurrence.subordinate_endpoints[ordinal].beat_width_bits // 8
    capacity = named.occurrence.local_service.capacity_bytes
    is_moved = declared.address_transform is OFFSET
    rows, base = [], rng.choice([0, 0x1003, 2**63]) if is_moved else rng.randrange(9)
    for number in range(rng.randint(1, declared.max_exposed_bindings)):
        length = rng.randint(1, capacity)
        values = {
            RANGE: RangeMatch(base, length),
            PREFIX: PrefixMatch(base >> 24 << 24, 40),
            SPACE: AddressSpaceMatch(number),
            CONTEXT: ContextMatch(number),
        }
        offset = 0
        if is_moved:
            offset = (rng.randrange(-size, capacity // 2) - base) % 2**64
            if named.implementation.aligned_bases:
                offset = offset // size * size
        rows.append(decode_row(*(values[each] for each in declared.match_fields), offset=offset))
        base += length + rng.randint(0, 9)
    return tuple(rows)


def traffic(named, seed, *, count=60):
    """Whether random beats are answered, and the bytes left, as the byte memory says.

    Several subordinates have beats of one another's bytes only to read.
    """
    rng = random.Random(seed)
    subordinates = range(len(named.occurrence.subordinate_endpoints))
    rows = [some_rows(rng, named, at) for at in subordinates]
    beats = [some_beats(rng, named, at, rows[at], count) for at in subordinates]
    if len(beats) > 1:
        beats = [[replace(b, kind=b.kind if b.kind > 1 else READ) for b in each] for each in beats]
    contents = bytearray(rng.randbytes(named.occurrence.local_service.capacity_bytes))
    before = bytes(contents)
    wanted = [expected(named, at, rows[at], beats[at], contents) for at in subordinates]
    run = SubordinateRun(
        named, seed=seed, offer=rng.choice([0.3, 1.0]), accept=rng.choice([0.3, 1.0])
    )
    served, after = run.run(exposing(named, *rows), beats, before)
    return [each.answers for each in served] == wanted and after == bytes(contents)


def some(names, *quick):
    """All names; those that are not quick are for the long run."""
    return [name if name in quick else pytest.param(name, marks=pytest.mark.slow) for name in names]


@pytest.mark.parametrize(
    "name", some(SHAPES, "beats wider than those of the service", "every field")
)
def test_random_beats_are_served_like_bytes_one_after_the_other(name):
    assert unsupported(Fabric("f", (SHAPES[name],))) == ()
    assert traffic(SHAPES[name], 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize("name", SHAPES)
def test_so_it_is_for_many_seeds(name, seed):
    assert traffic(SHAPES[name], seed, count=400)


def fails(monkeypatch, named, owner, name, mutant, seeds=range(1, 6)):
    monkeypatch.setattr(owner, name, mutant)
    for seed in seeds:
        try:
            if not traffic(named, seed):
                return True
        except AssertionError:
            return True
    return False


MUTANTS = {
    "forgets the last byte": (module, "ProviderDecoder", wrong.FirstByteDecoder, "aligned offsets"),
    "ignores a field": (module, "ProviderDecoder", wrong.FieldlessDecoder, "every field"),
    "moves nothing": (module, "ProviderDecoder", wrong.StillDecoder, "aligned offsets"),
    "matches invalid rows": (module, "ProviderDecoder", wrong.EagerDecoder, "aligned offsets"),
    "compares no region": (module, "RangeCheck", wrong.OpenCheck, "regions with gaps"),
    "takes any address": (occurrence, "Subordinate", wrong.CrookedSubordinate, "bytes wide"),
    "takes any kind": (occurrence, "Subordinate", wrong.KindSubordinate, "every field"),
    "has room for ever": (occurrence, "Subordinate", wrong.GreedySubordinate, "one slot"),
    "shows every byte": (occurrence, "Subordinate", wrong.OpenSubordinate, "every field"),
    "answers the newest": (occurrence, "Subordinate", wrong.HastySubordinate, "every field"),
}
SHAPES_OF_MUTANTS = SHAPES | {"bytes wide": exposed_storage(beat=32)}


@pytest.mark.parametrize("name", some(MUTANTS, "forgets the last byte", "compares no region"))
def test_random_beats_see(name, monkeypatch):
    owner, part, mutant, shape = MUTANTS[name]
    assert fails(monkeypatch, SHAPES_OF_MUTANTS[shape], owner, part, mutant)


def test_a_decoder_in_which_the_last_row_counts_is_seen(monkeypatch):
    monkeypatch.setattr(module, "ProviderDecoder", wrong.LastRowDecoder)
    with pytest.raises(AssertionError):
        test_the_first_row_that_matches_counts()


def test_an_endpoint_that_is_deaf_to_hold_is_seen(monkeypatch):
    monkeypatch.setattr(occurrence, "Subordinate", wrong.DeafSubordinate)
    with pytest.raises(AssertionError):
        test_hold_closes_the_endpoint_and_what_is_inside_is_answered()


def test_an_endpoint_that_forgets_its_answers_is_seen(monkeypatch):
    monkeypatch.setattr(occurrence, "Subordinate", wrong.IdleSubordinate)
    with pytest.raises(AssertionError):
        test_hold_closes_the_endpoint_and_what_is_inside_is_answered()


def test_ports_and_subordinates_share_the_service():
    named = exposed_storage(engine=True)
    run = SubordinateRun(named)
    table = Active((None, None), exposing(named, (WINDOW,)).provider_decode)
    beats = [Beat(WRITE, 0x1000, FULL, 0x1234), Beat(READ, 0x1000, FULL)]
    (served,), after = run.run(table, [beats], CONTENTS)
    assert [each[2:] for each in served.answers] == [(0, 0), (0x1234, 0)]
    assert after[0x40:0x48] == (0x1234).to_bytes(8, "little")
