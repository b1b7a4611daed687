# amaranth: UnusedElaboratable=no
from dataclasses import replace
from functools import partial

import pytest
from amaranth.hdl import ResetInserter, Signal
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.abi.status import Report, StatusShape
from fabricgen.abi.unit import ProgrammingUnit, RegisterMap, register_addresses
from fabricgen.emit.verilog import to_verilog
from fabricgen.rtl.configuration_bank import ConfigurationBank
from fabricgen.rtl.loader import ConfigurationLoader
from tests.support.axi_lite import DECERR, OKAY, SLVERR, RegisterModel, monitor, read, write
from tests.support.channel import run
from tests.support.netlist import comb_sources
from tests.support.verilog import check, compiles_as_2005, lint

REPORTS = StatusShape((Report("out_of_range", 0, (("row", 2), ("address", 16))),))
FAULT_WORDS = {"out_of_range_row": 24, "out_of_range_address": 28}

#: 45 bits: two words; bytes with all, some and no storable bits.
UNIT = ProgrammingUnit(
    payload_bits=45,
    carrier_offsets=(1,),
    op_offsets=(),
    word_count=2,
    storable_mask=0b0_0011_0101_1111_0000_0000_1111_1111_0000_0000_1110,
    inactive_payload=0,
    registers=RegisterMap(8, 12, 16, 20, FAULT_WORDS),
    reports=REPORTS,
)
NARROW = replace(
    UNIT,
    payload_bits=5,
    word_count=1,
    storable_mask=0b11110,
    registers=RegisterMap(4, 8, 16, 20, FAULT_WORDS),
)
IDENTITY = 0xCAFE1234
LEGAL = UNIT.storable_mask
COMMIT, STATUS, IDENTITY_WORD, FLAGS, ROW, ADDRESS = 8, 12, 16, 20, 24, 28


def loader(unit=UNIT):
    return ConfigurationLoader(unit, IDENTITY)


def program(bench, *, unit=UNIT, quiescent=True, background=()):
    """Run ``bench(ctx, dut)`` under the monitor of the bus."""
    dut = loader(unit)
    dut.reset = Signal()

    async def start(ctx):
        ctx.set(dut.quiescent, quiescent)
        ctx.set(dut.settled, quiescent)
        await bench(ctx, dut)

    faults = []
    watchers = [partial(_watch, dut, watch) for watch in background]
    watchers.append(monitor(dut.cfg, faults, dut.reset))
    run(ResetInserter(dut.reset)(dut), start, background=watchers)
    assert faults == []


async def _watch(dut, watch, ctx):
    await watch(ctx, dut)


async def pulse_reset(ctx, dut):
    """One cycle of reset."""
    ctx.set(dut.reset, 1)
    await ctx.tick()
    ctx.set(dut.reset, 0)


async def fill(ctx, bus, payload, *, identity=IDENTITY):
    """Write the whole payload and the identity word."""
    for word in range(2):
        assert await write(ctx, bus, 4 * word, payload >> 32 * word & 0xFFFFFFFF) == OKAY
    assert await write(ctx, bus, IDENTITY_WORD, identity) == OKAY


async def active(ctx, bus):
    """Read the active payload back."""
    words = [await read(ctx, bus, 4 * word) for word in range(2)]
    assert all(response == OKAY for _data, response in words)
    return words[0][0] | words[1][0] << 32


def test_after_reset_every_word_reads_as_the_inactive_configuration():
    async def bench(ctx, dut):
        assert await active(ctx, dut.cfg) == 0
        assert ctx.get(dut.configuration) == 0
        assert await read(ctx, dut.cfg, COMMIT) == (0, OKAY)
        assert await read(ctx, dut.cfg, STATUS) == (0, OKAY)
        assert await read(ctx, dut.cfg, IDENTITY_WORD) == (IDENTITY, OKAY)
        assert await read(ctx, dut.cfg, FLAGS) == (0b10, OKAY)

    program(bench)


def test_reset_brings_an_inactive_payload_back_that_is_not_zero():
    inactive = 0b1010 | 1 << 36

    async def bench(ctx, dut):
        assert await active(ctx, dut.cfg) == inactive
        await fill(ctx, dut.cfg, LEGAL)
        assert await write(ctx, dut.cfg, COMMIT, 1) == OKAY
        assert await active(ctx, dut.cfg) == LEGAL
        await pulse_reset(ctx, dut)
        assert await active(ctx, dut.cfg) == inactive
        assert ctx.get(dut.configuration) == inactive

    program(bench, unit=replace(UNIT, inactive_payload=inactive))


@pytest.mark.parametrize(
    ("mask", "inactive", "message"),
    [
        (0b10110, 0b1000, "inactive must lie in the mask 0x16, not 0x8$"),
        (0b10110, -1, "inactive must lie in the mask 0x16, not -0x1$"),
        (1 << 5, 0, "storable_mask must lie in 5 bits, not 0x20$"),
    ],
)
def test_what_is_not_kept_is_no_inactive_payload(mask, inactive, message):
    with pytest.raises(ValueError, match=f"^ConfigurationBank {message}"):
        ConfigurationBank(5, mask, inactive)


def test_a_complete_payload_becomes_active_and_reads_back():
    async def bench(ctx, dut):
        await fill(ctx, dut.cfg, LEGAL)
        assert await read(ctx, dut.cfg, STATUS) == (1, OKAY)
        assert ctx.get(dut.configuration) == 0
        assert await write(ctx, dut.cfg, COMMIT, 1) == OKAY
        assert ctx.get(dut.configuration) == LEGAL
        assert await active(ctx, dut.cfg) == LEGAL
        assert await read(ctx, dut.cfg, STATUS) == (0, OKAY)

    program(bench)


def test_a_commit_needs_every_byte():
    async def bench(ctx, dut):
        await write(ctx, dut.cfg, IDENTITY_WORD, IDENTITY)
        await write(ctx, dut.cfg, 0, 0)
        await write(ctx, dut.cfg, 4, 0, 0b0001)
        assert await write(ctx, dut.cfg, COMMIT, 1) == SLVERR
        await write(ctx, dut.cfg, 4, 0, 0b0010)
        assert await write(ctx, dut.cfg, COMMIT, 1) == OKAY

    program(bench)


def test_coverage_and_identity_start_over_after_a_commit():
    async def bench(ctx, dut):
        await fill(ctx, dut.cfg, 2)
        assert await write(ctx, dut.cfg, COMMIT, 1) == OKAY
        assert await write(ctx, dut.cfg, COMMIT, 1) == SLVERR
        for word in range(2):
            await write(ctx, dut.cfg, 4 * word, 0)
        assert await read(ctx, dut.cfg, STATUS) == (1, OKAY)
        assert await write(ctx, dut.cfg, COMMIT, 1) == SLVERR
        await write(ctx, dut.cfg, IDENTITY_WORD, IDENTITY)
        assert await write(ctx, dut.cfg, COMMIT, 1) == OKAY
        assert await active(ctx, dut.cfg) == 0

    program(bench)


@pytest.mark.parametrize("wrong", [0, IDENTITY ^ 1, IDENTITY ^ 1 << 31, IDENTITY ^ 1 << 12])
def test_a_commit_needs_the_identity_of_the_fabric(wrong):
    async def bench(ctx, dut):
        await fill(ctx, dut.cfg, 2, identity=wrong)
        assert await write(ctx, dut.cfg, COMMIT, 1) == SLVERR
        assert await active(ctx, dut.cfg) == 0
        await write(ctx, dut.cfg, IDENTITY_WORD, IDENTITY)
        assert await write(ctx, dut.cfg, COMMIT, 1) == OKAY

    program(bench)


@pytest.mark.parametrize("bit", [b for b in range(45) if not LEGAL >> b & 1])
def test_a_bit_that_no_configuration_has_refuses_the_commit_until_it_is_rewritten(bit):
    async def bench(ctx, dut):
        await fill(ctx, dut.cfg, LEGAL | 1 << bit)
        assert await read(ctx, dut.cfg, STATUS) == (1, OKAY)
        assert await write(ctx, dut.cfg, COMMIT, 1) == SLVERR
        assert ctx.get(dut.configuration) == 0
        await write(ctx, dut.cfg, bit // 32 * 4, LEGAL >> bit // 32 * 32, 1 << bit // 8 % 4)
        assert await write(ctx, dut.cfg, COMMIT, 1) == OKAY
        assert await active(ctx, dut.cfg) == LEGAL

    program(bench)


@pytest.mark.parametrize("bit", [13, 14, 16, 31])
def test_a_bit_above_the_payload_is_refused_at_once_and_changes_nothing(bit):
    async def bench(ctx, dut):
        await fill(ctx, dut.cfg, LEGAL)
        assert await write(ctx, dut.cfg, 4, 1 << bit) == SLVERR
        assert await write(ctx, dut.cfg, 4, 1 << bit, 0xF ^ 1 << bit // 8) == OKAY
        await write(ctx, dut.cfg, 4, LEGAL >> 32)
        assert await write(ctx, dut.cfg, COMMIT, 1) == OKAY
        assert await active(ctx, dut.cfg) == LEGAL

    program(bench)


def test_a_commit_is_refused_while_work_is_inside_and_can_be_repeated():
    async def bench(ctx, dut):
        await fill(ctx, dut.cfg, 2)
        assert await write(ctx, dut.cfg, COMMIT, 1) == SLVERR
        assert ctx.get(dut.configuration) == 0
        assert ctx.get(dut.hold) == 0
        ctx.set(dut.settled, 1)
        assert await write(ctx, dut.cfg, COMMIT, 1) == OKAY
        assert ctx.get(dut.configuration) == 2

    program(bench, quiescent=False)


def trace(quiescent):
    """``(hold, configuration)`` of each cycle from the one in which a commit is written."""
    seen = []

    async def watch(ctx, dut):
        writing = False
        async for _edge, _reset, *now in ctx.tick().sample(
            dut.cfg.wvalid, dut.cfg.awaddr, dut.hold, dut.configuration
        ):
            writing |= bool(now[0]) and now[1] == COMMIT
            if writing:
                seen.append((now[2], now[3]))

    async def bench(ctx, dut):
        await fill(ctx, dut.cfg, 2)
        await write(ctx, dut.cfg, COMMIT, 1)
        await ctx.tick().repeat(5)

    program(bench, quiescent=quiescent, background=[watch])
    return seen[:6]


def test_hold_closes_one_cycle_before_the_change_and_stays_two_after_it():
    assert trace(True) == [(0, 0), (1, 0), (1, 2), (1, 2), (0, 2), (0, 2)]


def test_hold_opens_again_after_a_refused_commit():
    assert trace(False) == [(0, 0), (1, 0), (0, 0), (0, 0), (0, 0), (0, 0)]


def test_a_commit_that_cannot_succeed_never_closes_the_fabric():
    async def bench(ctx, dut):
        assert await write(ctx, dut.cfg, COMMIT, 1) == SLVERR
        await ctx.tick().repeat(2)

    async def watch(ctx, dut):
        async for _edge, _reset, hold in ctx.tick().sample(dut.hold):
            assert not hold

    program(bench, background=[watch])


@pytest.mark.parametrize(
    ("address", "data", "strobe", "response"),
    [
        (COMMIT, 0, 0xF, OKAY),
        (COMMIT, 1, 0b1110, OKAY),
        (COMMIT, 2, 0xF, SLVERR),
        (STATUS, 0, 0xF, SLVERR),
        (STATUS, 1, 0xF, SLVERR),
        (FLAGS, 0, 0xF, OKAY),
        (FLAGS, 2, 0xF, SLVERR),
        (FLAGS, 2, 0b1110, OKAY),
        (ROW, 0, 0xF, SLVERR),
        (ADDRESS, 0, 0xF, SLVERR),
        (32, 0, 0xF, DECERR),
        (1, 0, 0xF, DECERR),
        (COMMIT + 2, 1, 0xF, DECERR),
        (1 << 31, 0, 0xF, DECERR),
        (0x10000, 0, 0xF, DECERR),
    ],
)
def test_each_write_has_its_response(address, data, strobe, response):
    async def bench(ctx, dut):
        assert await write(ctx, dut.cfg, address, data, strobe) == response
        assert await active(ctx, dut.cfg) == 0

    program(bench)


@pytest.mark.parametrize("address", [2, 9, 32, 64, 1 << 20, 0xFFFFFFFC])
def test_a_read_outside_the_map_or_between_words_is_a_decode_error(address):
    async def bench(ctx, dut):
        assert (await read(ctx, dut.cfg, address))[1] == DECERR

    program(bench)


async def raise_fault(ctx, dut, row, address):
    """One fault, one cycle long."""
    ctx.set(dut.out_of_range, 1)
    ctx.set(dut.out_of_range_row, row)
    ctx.set(dut.out_of_range_address, address)
    await ctx.tick()
    ctx.set(dut.out_of_range, 0)


def test_the_first_fault_is_kept_until_it_is_cleared():
    async def bench(ctx, dut):
        await raise_fault(ctx, dut, 2, 0x8004)
        await raise_fault(ctx, dut, 1, 0x9000)
        assert await read(ctx, dut.cfg, FLAGS) == (0b11, OKAY)
        assert await read(ctx, dut.cfg, ROW) == (2, OKAY)
        assert await read(ctx, dut.cfg, ADDRESS) == (0x8004, OKAY)
        assert await write(ctx, dut.cfg, FLAGS, 1) == OKAY
        assert await read(ctx, dut.cfg, FLAGS) == (0b10, OKAY)
        await raise_fault(ctx, dut, 3, 0xFFFF)
        assert await read(ctx, dut.cfg, ROW) == (3, OKAY)
        assert await read(ctx, dut.cfg, ADDRESS) == (0xFFFF, OKAY)

    program(bench)


#: What a Temporal memory with one manager, 40 inputs and 3 rows under ``counters`` reports.
WIDE = StatusShape(
    reports=(
        Report("out_of_range", 0, (("row", 2), ("address", 64))),
        Report("target_error", 2, (("row", 2), ("address", 64))),
        Report("unpublished", 3, (("row", 2), ("destinations", 33))),
    ),
    unmatched=40,
    rows=3,
    waits=("operand_address", "operand_control", "claim", "issued", "held", "complete"),
)
WIDE_UNIT = replace(UNIT, registers=register_addresses(2, WIDE), reports=WIDE)


def test_the_words_of_a_wide_status_follow_each_other():
    # Two payload words, commit and status end at 16; identity 16, flags 20, then the words.
    names = (
        "out_of_range_row out_of_range_address out_of_range_address_1 target_error_row "
        "target_error_address target_error_address_1 unpublished_row unpublished_destinations "
        "unpublished_destinations_1 unmatched unmatched_1 drain busy partial waits_0 waits_1 "
        "waits_2"
    )
    assert WIDE_UNIT.registers.words == {
        name: 24 + 4 * ordinal for ordinal, name in enumerate(names.split())
    }


def test_each_report_keeps_its_own_first_event():
    at = WIDE_UNIT.registers.words

    async def bench(ctx, dut):
        for row, address in ((1, 0x1_2345_6789_ABCD), (2, 0xFFFF_FFFF_FFFF_FFFF)):
            ctx.set(dut.target_error, 1)
            ctx.set(dut.target_error_row, row)
            ctx.set(dut.target_error_address, address)
            await ctx.tick()
        ctx.set(dut.target_error, 0)
        ctx.set(dut.unpublished, 1)
        ctx.set(dut.unpublished_row, 2)
        ctx.set(dut.unpublished_destinations, 1 << 32 | 5)
        await ctx.tick()
        ctx.set(dut.unpublished, 0)
        assert await read(ctx, dut.cfg, FLAGS) == (0b01110, OKAY)
        assert await read(ctx, dut.cfg, at["target_error_row"]) == (1, OKAY)
        assert await read(ctx, dut.cfg, at["target_error_address"]) == (0x6789_ABCD, OKAY)
        assert await read(ctx, dut.cfg, at["target_error_address_1"]) == (0x1_2345, OKAY)
        assert await read(ctx, dut.cfg, at["unpublished_row"]) == (2, OKAY)
        assert await read(ctx, dut.cfg, at["unpublished_destinations"]) == (5, OKAY)
        assert await read(ctx, dut.cfg, at["unpublished_destinations_1"]) == (1, OKAY)
        assert await read(ctx, dut.cfg, at["out_of_range_row"]) == (0, OKAY)
        assert await write(ctx, dut.cfg, FLAGS, 0b01000) == OKAY
        assert await read(ctx, dut.cfg, FLAGS) == (0b00110, OKAY)
        assert await write(ctx, dut.cfg, FLAGS, 0b11101) == OKAY
        assert await read(ctx, dut.cfg, FLAGS) == (0b00010, OKAY)

    program(bench, unit=WIDE_UNIT)


def test_unmatched_endpoints_stay_until_the_flag_is_cleared():
    at = WIDE_UNIT.registers.words

    async def bench(ctx, dut):
        for endpoint in (3, 33):
            ctx.set(dut.unmatched, 1 << endpoint)
            await ctx.tick()
        ctx.set(dut.unmatched, 0)
        assert await read(ctx, dut.cfg, FLAGS) == (0b10010, OKAY)
        assert await read(ctx, dut.cfg, at["unmatched"]) == (1 << 3, OKAY)
        assert await read(ctx, dut.cfg, at["unmatched_1"]) == (1 << 1, OKAY)
        assert await write(ctx, dut.cfg, FLAGS, 0b01101) == OKAY
        assert await read(ctx, dut.cfg, FLAGS) == (0b10010, OKAY)
        assert await write(ctx, dut.cfg, FLAGS, 0b10000) == OKAY
        assert await read(ctx, dut.cfg, FLAGS) == (0b00010, OKAY)
        assert await read(ctx, dut.cfg, at["unmatched_1"]) == (0, OKAY)

    program(bench, unit=WIDE_UNIT)


def test_what_the_rows_wait_for_is_read_as_it_is():
    at = WIDE_UNIT.registers.words

    async def bench(ctx, dut):
        ctx.set(dut.waits, 0b100001_010101_000010)
        for row, word in enumerate((0b000010, 0b010101, 0b100001)):
            assert await read(ctx, dut.cfg, at[f"waits_{row}"]) == (word, OKAY)
            assert await write(ctx, dut.cfg, at[f"waits_{row}"], 0) == SLVERR
        assert (await read(ctx, dut.cfg, at["waits_2"] + 4))[1] == DECERR

    program(bench, unit=WIDE_UNIT)


def test_rows_are_drained_byte_by_byte_and_until_they_are_let_go():
    many = replace(WIDE, rows=41, waits=())
    unit = replace(UNIT, registers=register_addresses(2, many), reports=many)
    at = unit.registers.words

    async def bench(ctx, dut):
        assert await write(ctx, dut.cfg, at["drain"], 0x8000_0001) == OKAY
        assert await write(ctx, dut.cfg, at["drain_1"], 0xFFFF_FF80, 0b0001) == OKAY
        assert ctx.get(dut.drain) == 0x80 << 32 | 0x8000_0001
        assert await write(ctx, dut.cfg, at["drain"], 0x1234_5678, 0b0110) == OKAY
        assert await read(ctx, dut.cfg, at["drain"]) == (0x8034_5601, OKAY)
        # Of the second word nine bits are rows.
        assert await write(ctx, dut.cfg, at["drain_1"], 1 << 9) == SLVERR
        assert await write(ctx, dut.cfg, at["drain_1"], 0x1FF) == OKAY
        assert await read(ctx, dut.cfg, at["drain_1"]) == (0x1FF, OKAY)
        await fill(ctx, dut.cfg, LEGAL)
        assert await write(ctx, dut.cfg, COMMIT, 1) == OKAY
        assert ctx.get(dut.drain) == 0x1FF << 32 | 0x8034_5601
        await pulse_reset(ctx, dut)
        assert await read(ctx, dut.cfg, at["drain"]) == (0, OKAY)

    program(bench, unit=unit)


def test_rows_that_have_something_inside_are_read_as_they_are():
    at = WIDE_UNIT.registers.words

    async def bench(ctx, dut):
        ctx.set(dut.busy, 0b101)
        ctx.set(dut.partial, 0b100)
        assert await read(ctx, dut.cfg, at["busy"]) == (0b101, OKAY)
        assert await read(ctx, dut.cfg, at["partial"]) == (0b100, OKAY)
        assert await write(ctx, dut.cfg, at["busy"], 0) == SLVERR

    program(bench, unit=WIDE_UNIT)


@pytest.mark.parametrize("ones", [0b10, 0b100000, 1 << 31, 0b11111])
def test_only_sticky_flags_are_cleared_by_ones(ones):
    async def bench(ctx, dut):
        assert await write(ctx, dut.cfg, FLAGS, ones) == SLVERR

    program(bench, unit=WIDE_UNIT)


def test_a_fault_in_the_cycle_of_the_clear_is_not_lost():
    async def bench(ctx, dut):
        await raise_fault(ctx, dut, 2, 5)
        ctx.set(dut.cfg.awaddr, FLAGS)
        ctx.set(dut.cfg.wdata, 1)
        ctx.set(dut.cfg.wstrb, 0xF)
        ctx.set(dut.cfg.awvalid, 1)
        ctx.set(dut.cfg.wvalid, 1)
        await raise_fault(ctx, dut, 1, 6)
        ctx.set(dut.cfg.awvalid, 0)
        ctx.set(dut.cfg.wvalid, 0)
        ctx.set(dut.cfg.bready, 1)
        await ctx.tick()
        assert await read(ctx, dut.cfg, FLAGS) == (0b11, OKAY)
        assert await read(ctx, dut.cfg, ADDRESS) == (6, OKAY)

    program(bench)


DELAY = st.integers(0, 2)
WORDS = st.one_of(
    st.integers(0, 0xFFFFFFFF),
    st.sampled_from([0, 1, IDENTITY, LEGAL & 0xFFFFFFFF, LEGAL >> 32]),
)
WRITES = st.tuples(
    st.just("write"),
    st.sampled_from([0, 4, 4, COMMIT, COMMIT, IDENTITY_WORD, STATUS, FLAGS, ROW, 40, 3]),
    WORDS,
    st.sampled_from([0xF, 0xF, 0xF, 0b0001, 0b0110, 0]),
    st.tuples(DELAY, DELAY),
    DELAY,
)
READS = st.tuples(st.just("read"), st.sampled_from([*range(0, 36, 4), 2]), st.just(0), DELAY, DELAY)
OTHERS = st.one_of(
    st.tuples(st.just("quiescent"), st.integers(0, 1)),
    st.tuples(st.just("fault"), st.integers(0, 3), st.integers(0, 0xFFFF)),
    st.just(("reset",)),
    st.tuples(st.just("program"), st.integers(0, 2**45 - 1).map(lambda bits: bits & LEGAL)),
)


def steps_of(operation):
    """One drawn operation as bus operations."""
    if operation[0] != "program":
        return [operation]
    words = [(0, operation[1] & 0xFFFFFFFF), (4, operation[1] >> 32), (IDENTITY_WORD, IDENTITY)]
    return [
        *(("write", address, data, 0xF, (0, 0), 0) for address, data in words),
        ("write", COMMIT, 1, 0xF, (0, 0), 0),
        ("read", 0, 0, 0, 0),
        ("read", 4, 0, 0, 0),
    ]


@settings(max_examples=30)
@given(st.lists(st.one_of(WRITES, READS, OTHERS), max_size=25))
def test_any_traffic_has_the_effects_and_responses_of_the_register_map(operations):
    async def bench(ctx, dut):
        model = RegisterModel(UNIT, IDENTITY)
        quiescent = True
        for step in [step for operation in operations for step in steps_of(operation)]:
            match step:
                case ("write", address, data, strobe, idles, stall):
                    got = await write(ctx, dut.cfg, address, data, strobe, idles=idles, stall=stall)
                    assert got == model.write(address, data, strobe, quiescent), step
                case ("read", address, _, idle, stall):
                    data, response = await read(ctx, dut.cfg, address, idle=idle, stall=stall)
                    expected, expected_response = model.read(address, quiescent)
                    assert response == expected_response, step
                    assert expected is None or data == expected, step
                case ("quiescent", value):
                    quiescent = bool(value)
                    ctx.set(dut.quiescent, value)
                    ctx.set(dut.settled, value)
                case ("fault", row, address):
                    await raise_fault(ctx, dut, row, address)
                    model.fault = model.fault or (row, address)
                case ("reset",):
                    await pulse_reset(ctx, dut)
                    model = RegisterModel(UNIT, IDENTITY)
            assert ctx.get(dut.configuration) == model.active

    program(bench)


def test_a_reset_between_two_beats_forgets_the_first():
    async def bench(ctx, dut):
        ctx.set(dut.cfg.awaddr, STATUS)
        ctx.set(dut.cfg.awvalid, 1)
        await ctx.tick()
        ctx.set(dut.cfg.awvalid, 0)
        await pulse_reset(ctx, dut)
        assert await write(ctx, dut.cfg, IDENTITY_WORD, IDENTITY) == OKAY

    program(bench)


@pytest.mark.parametrize("cycles", range(5))
def test_a_reset_during_a_commit_leaves_the_fabric_open_and_inactive(cycles):
    async def bench(ctx, dut):
        await fill(ctx, dut.cfg, LEGAL)
        for name, value in {"awaddr": COMMIT, "wdata": 1, "wstrb": 0xF}.items():
            ctx.set(getattr(dut.cfg, name), value)
        ctx.set(dut.cfg.awvalid, 1)
        ctx.set(dut.cfg.wvalid, 1)
        await ctx.tick()
        ctx.set(dut.cfg.awvalid, 0)
        ctx.set(dut.cfg.wvalid, 0)
        for _ in range(cycles):
            await ctx.tick()
        await pulse_reset(ctx, dut)
        assert (ctx.get(dut.hold), ctx.get(dut.configuration)) == (0, 0)
        assert ctx.get(dut.cfg.bvalid) == 0
        await fill(ctx, dut.cfg, 2)
        assert await write(ctx, dut.cfg, COMMIT, 1) == OKAY
        assert await active(ctx, dut.cfg) == 2

    program(bench)


def test_a_payload_of_one_word_works_as_well():
    async def bench(ctx, dut):
        await write(ctx, dut.cfg, 0, 0b10110)
        await write(ctx, dut.cfg, IDENTITY_WORD, IDENTITY)
        assert await write(ctx, dut.cfg, 4, 1) == OKAY
        assert await read(ctx, dut.cfg, 0) == (0b10110, OKAY)
        assert await write(ctx, dut.cfg, 0, 1 << 5) == SLVERR

    program(bench, unit=NARROW)


def test_bits_that_no_configuration_has_cost_no_register():
    """Two registers a storable bit; the other 16 bits of the payload have none."""
    text = to_verilog(loader(), "loader")
    assert f"reg [{LEGAL.bit_count() - 1}:0] shadow" in text
    assert f"reg [{LEGAL.bit_count() - 1}:0] active" in text


@pytest.mark.parametrize("port", ["cfg__awready", "cfg__wready", "cfg__arready", "hold"])
def test_what_the_outside_waits_for_depends_on_registers_only(port, tmp_path):
    assert comb_sources(loader(), port, tmp_path) == set()


@pytest.mark.parametrize("unit", [UNIT, NARROW], ids=["two words", "one word"])
def test_the_text_is_clean(unit, tmp_path):
    text = to_verilog(loader(unit), "loader")
    assert lint(text, "loader", tmp_path) == []
    assert check(text, "loader", tmp_path) == ""
    assert compiles_as_2005(text, tmp_path) == ""


@pytest.mark.parametrize(
    ("kwargs", "error", "message"),
    [
        ({"identity": 1 << 32}, ValueError, "^ConfigurationLoader identity must have 32 bits"),
        ({"unit": 45}, TypeError, "^ConfigurationLoader unit must be a ProgrammingUnit, not 45$"),
    ],
)
def test_arguments_are_checked(kwargs, error, message):
    with pytest.raises(error, match=message):
        ConfigurationLoader(**{"unit": UNIT, "identity": IDENTITY, **kwargs})
