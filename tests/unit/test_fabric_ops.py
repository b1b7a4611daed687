"""Datapath resources in the top: programmed over the bus, tokens, commits refused in flight."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import ResetInserter, Signal

from fabricgen.abi.identity import identity_word
from fabricgen.config.codec import encode_configuration
from fabricgen.records.fabric import Fabric, NamedOp
from fabricgen.rtl.fabric_top import FabricTop
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support import memories as mem
from tests.support import token_ops as token
from tests.support.axi_lite import read, write
from tests.support.channel import get, put, run
from tests.support.family_ops import SMALL
from tests.support.hsg_ops import add_sub

OKAY, SLVERR = 0, 2
ADD, SUB = 0, 1
QUIESCENT = 1 << 1


def fabric(*ops, memories=()):
    return Fabric(
        "small",
        memories,
        tuple(NamedOp(f"op{ordinal}", op) for ordinal, op in enumerate(ops)),
    )


class Host:
    """Programs a top as the guide says: words, identity, commit, read-back."""

    def __init__(self, described):
        self.dut = FabricTop(described)
        self.unit, self.identity = self.dut.unit, identity_word(described)

    async def fill(self, ctx, payload):
        for word in range(self.unit.word_count):
            bits = payload >> 32 * word & 0xFFFFFFFF
            assert await write(ctx, self.dut.cfg, 4 * word, bits) == OKAY
        at = self.unit.registers.identity
        assert await write(ctx, self.dut.cfg, at, self.identity) == OKAY

    async def commit(self, ctx):
        return await write(ctx, self.dut.cfg, self.unit.registers.commit, 1)

    async def active(self, ctx):
        words = [(await read(ctx, self.dut.cfg, 4 * at))[0] for at in range(self.unit.word_count)]
        return sum(word << 32 * at for at, word in enumerate(words))

    async def flags(self, ctx):
        return (await read(ctx, self.dut.cfg, self.unit.registers.flags))[0]


async def result(ctx, dut, left, right):
    """Result of one firing of the first resource."""
    await put(ctx, dut.op_0_in0, {"data": left})
    await put(ctx, dut.op_0_in1, {"data": right})
    return (await get(ctx, dut.op_0_out0, ["data"]))["data"]


def test_an_adder_is_programmed_to_subtract_and_not_while_an_operand_is_inside():
    host = Host(fabric(add_sub(widths=(8,))))
    dut = host.dut
    assert (host.unit.payload_bits, host.unit.op_offsets) == (3, (1,))

    async def bench(ctx):
        assert await result(ctx, dut, 7, 5) == 12
        await host.fill(ctx, SUB << 1)
        await put(ctx, dut.op_0_in0, {"data": 9})
        assert await host.flags(ctx) & QUIESCENT == 0
        assert await host.commit(ctx) == SLVERR
        # The firing that was begun ends as it would have, and nothing of it is left.
        await put(ctx, dut.op_0_in1, {"data": 4})
        assert await host.commit(ctx) == SLVERR
        assert (await get(ctx, dut.op_0_out0, ["data"]))["data"] == 13
        assert await host.flags(ctx) & QUIESCENT
        assert await host.active(ctx) == 0
        assert await host.commit(ctx) == OKAY
        assert await host.active(ctx) == SUB << 1
        assert await result(ctx, dut, 7, 5) == 2

    run(dut, bench)


def test_a_commit_with_a_code_that_no_key_has_is_refused():
    """Two keys have a field of two bits, of which the upper one is never set."""
    host = Host(fabric(add_sub(widths=(8,))))

    async def bench(ctx):
        await host.fill(ctx, 2 << 1)
        assert await host.commit(ctx) == SLVERR
        await host.fill(ctx, ADD << 1)
        assert await host.commit(ctx) == OKAY

    run(host.dut, bench)


def test_resources_have_their_fields_one_behind_the_other():
    """Fields of 0, 2 and 8 bits from bit 1 on; each is changed alone."""
    host = Host(fabric(SMALL[F.LOOP_CARRY], add_sub(widths=(8,)), SMALL[F.TOKEN_CONSTANT]))
    dut = host.dut
    assert host.unit.op_offsets == (1, 1, 3)

    async def bench(ctx):
        await host.fill(ctx, SUB << 1 | 0xA5 << 3)
        assert await host.commit(ctx) == OKAY
        _carry, adder, constant = dut.ops
        assert (ctx.get(adder.configuration), ctx.get(constant.configuration)) == (SUB, 0xA5)
        await put(ctx, dut.op_2_in0, {})
        assert (await get(ctx, dut.op_2_out0, ["data"]))["data"] == 0xA5

    run(dut, bench)


def test_a_payload_of_the_reserved_bit_alone_can_be_committed():
    host = Host(fabric(SMALL[F.LOOP_CARRY]))
    assert (host.unit.payload_bits, host.unit.word_count, host.unit.storable_mask) == (1, 1, 0)

    async def bench(ctx):
        await host.fill(ctx, 1)
        assert await host.commit(ctx) == SLVERR
        assert await write(ctx, host.dut.cfg, 0, 2) == SLVERR
        await host.fill(ctx, 0)
        assert await host.commit(ctx) == OKAY
        assert await host.active(ctx) == 0

    run(host.dut, bench)


def test_reset_brings_the_inactive_payload_back():
    """The inactive constant is 0; a slice of one unit has its width less one in the carrier."""
    described = fabric(SMALL[F.FIXED_VECTOR_SLICE_ALIGN_MERGE], add_sub(widths=(8,)))
    host, reset = Host(described), Signal()
    inactive = host.unit.inactive_payload
    assert inactive != 0

    async def bench(ctx):
        assert await host.active(ctx) == inactive
        other = inactive | SUB << host.unit.op_offsets[1]
        await host.fill(ctx, other)
        assert await host.commit(ctx) == OKAY
        assert await host.active(ctx) == other
        ctx.set(reset, 1)
        await ctx.tick()
        ctx.set(reset, 0)
        assert await host.active(ctx) == inactive

    run(ResetInserter(reset)(host.dut), bench)


@pytest.mark.parametrize("also", [(), (add_sub(widths=(8,)),)])
def test_an_offer_that_stands_outside_is_not_taken_back_by_a_commit(also):
    """A carry shows its first operand at once: it stays, and refuses the commit."""
    host = Host(fabric(token.carry(), *also))
    dut = host.dut
    withdrawn = []

    async def watch(ctx):
        offered = False
        async for _edge, _rst, valid, ready in ctx.tick().sample(
            dut.op_0_out0.valid, dut.op_0_out0.ready
        ):
            withdrawn.append(offered and not valid)
            offered = valid and not ready

    async def bench(ctx):
        await host.fill(ctx, 0)
        ctx.set(dut.op_0_in1.valid, 1)
        ctx.set(dut.op_0_in1.data, 3)
        await ctx.tick()
        for _ in range(3):
            assert await host.commit(ctx) == SLVERR
        assert await host.flags(ctx) & QUIESCENT == 0
        assert (await get(ctx, dut.op_0_out0, ["data"]))["data"] == 3
        ctx.set(dut.op_0_in1.valid, 0)
        # The state is another one now: only a phase of 0 leads back.
        assert await host.commit(ctx) == SLVERR
        await put(ctx, dut.op_0_in0, {"data": 0})
        assert await host.commit(ctx) == OKAY

    run(dut, bench, background=[watch])
    assert not any(withdrawn)


def test_a_memory_and_a_resource_are_programmed_together_and_wait_for_one_another():
    named = mem.hybrid_memory(capacity=256)
    host = Host(fabric(add_sub(widths=(8,)), memories=(named,)))
    dut = host.dut
    words = mem.view(mem.ELEMENT, element=32)
    carrier = encode_configuration(
        named,
        mem.Active((mem.row(0, mem.LOAD, words, base=0), mem.row(1, mem.STORE, words, base=0))),
    )
    at = host.unit.op_offsets[0]
    assert host.unit.carrier_offsets == (1,)
    payload = carrier << 1 | SUB << at

    async def bench(ctx):
        await host.fill(ctx, payload)
        await put(ctx, dut.op_0_in0, {"data": 9})
        assert await host.commit(ctx) == SLVERR
        assert ctx.get(dut.occurrence.configuration) == 0
        await put(ctx, dut.op_0_in1, {"data": 4})
        assert (await get(ctx, dut.op_0_out0, ["data"]))["data"] == 13
        assert await host.commit(ctx) == OKAY
        assert ctx.get(dut.occurrence.configuration) == carrier
        assert await result(ctx, dut, 9, 4) == 5
        # An operand inside the memory keeps the resource as it is.
        await put(ctx, dut.endpoint_0, {"data": 0})
        await host.fill(ctx, carrier << 1 | ADD << at)
        assert await host.commit(ctx) == SLVERR
        assert await result(ctx, dut, 9, 4) == 5

    run(dut, bench)
