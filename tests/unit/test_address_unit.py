# amaranth: UnusedElaboratable=no
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fabricgen.plan.geometry import AddressLane
from fabricgen.rtl.address_unit import AddressUnit
from tests.support.channel import run

U64 = 2**64 - 1


def addresses(shape, cases):
    """What a unit makes of each ``(token, base, width, size)``: ``[(address, beyond)]`` each."""
    dut = AddressUnit(**shape)
    bits, found = shape["address_bits"], []

    async def bench(ctx):
        for token, base, width, size in cases:
            ctx.set(dut.token, token)
            ctx.set(dut.base, base)
            if len(shape["index_widths"]) > 1:
                ordinal = shape["index_widths"].index(width)
                ctx.set(dut.reach, (1 << ordinal) - 1)
            if len(shape["element_bytes"]) > 1:
                ctx.set(dut.scale, shape["element_bytes"].index(size))
            await ctx.delay(1e-9)
            address, beyond = ctx.get(dut.address), ctx.get(dut.beyond)
            found.append(
                [
                    (address >> segment * bits & (1 << bits) - 1, beyond >> segment & 1)
                    for segment in range(shape["segments"])
                ]
            )

    run(dut, bench, clocked=False)
    return found


@st.composite
def shapes_and_cases(draw):
    widths = tuple(sorted(draw(st.sets(st.integers(1, 64), min_size=1, max_size=4))))
    sizes = tuple(sorted(draw(st.sets(st.integers(1, 24), min_size=1, max_size=4))))
    bits = draw(st.integers(1, 20))
    shape = {
        "token_width": draw(st.integers(widths[-1], 200)),
        "index_widths": widths,
        "element_bytes": sizes,
        "segments": draw(st.integers(1, 4)),
        "address_bits": bits,
    }
    index = st.integers(0, 1 << bits) | st.integers(0, U64)
    cases = []
    for _ in range(8):
        width = draw(st.sampled_from(widths))
        # Whatever lies above the last index must not matter.
        token = U64 << shape["segments"] * width
        for segment in range(shape["segments"]):
            token |= (draw(index) & (1 << width) - 1) << segment * width
        token &= (1 << shape["token_width"]) - 1
        cases.append(
            (token, draw(st.integers(0, (1 << bits) - 1)), width, draw(st.sampled_from(sizes)))
        )
    return shape, cases


def exact(shape, token, base, width, size):
    """The same from Python's integers."""
    for segment in range(shape["segments"]):
        index = token >> segment * width & (1 << width) - 1
        address = base + index * size
        yield address % (1 << shape["address_bits"]), int(address >= 1 << shape["address_bits"])


@settings(max_examples=30)
@given(shapes_and_cases())
def test_every_segment_has_its_exact_address(drawn):
    shape, cases = drawn
    assert addresses(shape, cases) == [list(exact(shape, *case)) for case in cases]


@pytest.mark.parametrize(
    ("index", "expected"),
    [(0, (15, 0)), (80, (255, 0)), (81, (2, 1)), (2**64 - 1, (12, 1))],
    ids=["base", "last byte", "one over", "largest index"],
)
def test_an_address_past_the_last_byte_is_beyond(index, expected):
    shape = {
        "token_width": 64,
        "index_widths": (64,),
        "element_bytes": (3,),
        "segments": 1,
        "address_bits": 8,
    }
    assert addresses(shape, [(index, 15, 64, 3)]) == [[expected]]


def pointed(shape, cases):
    """What a unit makes of each ``(token, lane)``; indices have base 5 and elements of 3 bytes."""
    dut, found, bits = AddressUnit(**shape), [], shape["address_bits"]

    async def bench(ctx):
        for token, lane in cases:
            is_pointer = lane in shape["pointers"]
            ctx.set(dut.token, token)
            if shape["index_widths"]:
                ctx.set(dut.base, 0 if is_pointer else 5)
                ctx.set(dut.pointer, is_pointer)
            if len(dut.lanes) > 1:
                ctx.set(dut.reach, (1 << dut.lanes.index(lane)) - 1)
            await ctx.delay(1e-9)
            address, beyond = ctx.get(dut.address), ctx.get(dut.beyond)
            found.append(
                [
                    (address >> segment * bits & (1 << bits) - 1, beyond >> segment & 1)
                    for segment in range(shape["segments"])
                ]
            )

    run(dut, bench, clocked=False)
    return found


@st.composite
def pointers_and_cases(draw):
    pairs = st.tuples(st.integers(1, 70), st.integers(0, 70))
    lanes = {AddressLane(bits, bits + more) for bits, more in draw(st.sets(pairs, min_size=1))}
    widths = draw(st.sets(st.integers(1, 64), max_size=3))
    # A token of an index and a pointer of all its bits lie alike; which it is must be told apart.
    lanes -= {AddressLane(width, width) for width in widths}
    assume(lanes)
    shape = {
        "token_width": draw(st.integers(1, 300)),
        "index_widths": tuple(sorted(widths)),
        "pointers": tuple(sorted(lanes)),
        "element_bytes": (3,),
        "segments": draw(st.integers(1, 3)),
        "address_bits": draw(st.integers(1, 64)),
    }
    every = [*shape["pointers"], *(AddressLane(width, width) for width in shape["index_widths"])]
    token = st.integers(0, (1 << shape["token_width"]) - 1)
    case = st.tuples(token, st.sampled_from(every))
    return shape, draw(st.lists(case, min_size=6, max_size=6))


@settings(max_examples=30)
@given(pointers_and_cases())
def test_a_pointer_is_its_own_address_beside_indices(drawn):
    shape, cases = drawn
    limit = 1 << shape["address_bits"]

    def exact(token, lane):
        for segment in range(shape["segments"]):
            address = (token >> segment * lane.stride) & (1 << lane.bits) - 1
            address = address if lane in shape["pointers"] else 5 % limit + 3 * address
            yield address % limit, int(address >= limit)

    assert pointed(shape, cases) == [list(exact(*case)) for case in cases]


def test_pointers_alone_have_neither_base_nor_scale_nor_logic():
    dut = AddressUnit(
        64,
        index_widths=(),
        pointers=(AddressLane(48, 64),),
        element_bytes=(1, 8),
        segments=1,
        address_bits=48,
    )
    assert set(dut.signature.members) == {"token", "address", "beyond"}
    # Bits 48 and above are no address; 48 bits fit.
    shape = {"token_width": 64, "index_widths": (), "pointers": dut.pointers}
    shape |= {"element_bytes": (1, 8), "segments": 1, "address_bits": 48}
    token = 0xFFFF_8000_0000_0001
    assert pointed(shape, [(token, dut.lanes[0])]) == [[(0x8000_0000_0001, 0)]]
    shape["address_bits"] = 47
    assert pointed(shape, [(token, dut.lanes[0])]) == [[(1, 1)]]


@pytest.mark.parametrize(
    ("name", "values"), [("index_widths", (64, 32)), ("index_widths", ()), ("element_bytes", (0,))]
)
def test_inventories_are_checked(name, values):
    good = {"index_widths": (32,), "element_bytes": (4,)}
    with pytest.raises(
        TypeError, match=rf"^AddressUnit {name} must be ascending positive integers, not \("
    ):
        AddressUnit(32, **{**good, name: values}, segments=1, address_bits=8)
