"""One Spatial port in front of the local service and of a manager."""

import pytest

from fabricgen.plan.geometry import AccessMode, RequesterShape
from fabricgen.rtl.port_shape import PortShape, RolePath
from fabricgen.rtl.spatial.port import SpatialPort
from fabricgen.vocab.dataflow import ServiceValueRole
from tests.support.channel import run

ROLE = ServiceValueRole
LOCAL, MANAGER = 0, 1

#: Loads of one byte; addresses of 8 bits at the service and of 16 at the manager.
SHAPE = PortShape(
    requester=RequesterShape(
        True, False, (AccessMode(False, 1, 1),), ((0,),), False, volatile=True
    ),
    address_bits=16,
    slots=4,
    inputs=(RolePath(ROLE.ADDRESS, (0,), (16,)), RolePath(ROLE.CONTROL, (1,), (0,))),
    results=(RolePath(ROLE.DATA, (2,), (8,)), RolePath(ROLE.COMPLETION, (3,), (0,))),
    operand_depths=(2, 2),
    index_widths=(16,),
    targets=(0, 1),
    target_address_bits=(8, 16),
    managed=frozenset({1}),
)


def drive(target, addresses, *, base=0, volatile=False, delay=3):
    """Requests by target, published data, and the most requests that were open at once.

    Both targets take everything; the configured one answers each request with its number after
    ``delay`` cycles, and the other one's response wires carry noise without ``valid``.
    """
    dut = SpatialPort(SHAPE, counted=True)
    seen = {LOCAL: [], MANAGER: []}
    published, waits, open_most = [], [], 0

    async def bench(ctx):
        nonlocal open_most
        ctx.set(dut.controls.base, base)
        ctx.set(dut.controls.target, 1 << target)
        ctx.set(dut.controls.volatile, volatile)
        for name in ("source_address", "source_control", "sink_data", "sink_completion"):
            ctx.set(getattr(dut.controls, name), 1)
        for each in (dut.data_2, dut.completion_3):
            ctx.set(each.ready, 1)
        requests = {LOCAL: dut.request_0, MANAGER: dut.request_1}
        other = requests[1 - target]
        ctx.set(other.rsp_data, 0xEE)
        ctx.set(other.rsp_slot, 3)
        ctx.set(other.rsp_in_range, 1)
        for request in requests.values():
            ctx.set(request.ready, 1)
        left, due = list(addresses), []
        for cycle in range(40 + 10 * len(addresses)):
            offers = bool(left) and ctx.get(dut.address_0.ready) and ctx.get(dut.control_1.ready)
            ctx.set(dut.address_0.valid, offers)
            ctx.set(dut.control_1.valid, offers)
            if offers:
                ctx.set(dut.address_0.data, left.pop(0))
            here = requests[target]
            answers = [slot for slot, at in due if at == cycle]
            ctx.set(here.rsp_valid, bool(answers))
            ctx.set(here.rsp_done, bool(answers))
            if answers:
                ctx.set(here.rsp_slot, answers[0])
                ctx.set(here.rsp_data, 0xA0 + answers[0])
                ctx.set(here.rsp_strobe, 1)
                ctx.set(here.rsp_in_range, 1)
            due = [each for each in due if each[1] > cycle]
            for which, request in requests.items():
                if ctx.get(request.valid):
                    seen[which].append((ctx.get(request.address), ctx.get(request.beyond)))
                    due.append((ctx.get(request.slot), cycle + delay))
            open_most = max(open_most, len(due))
            waits.append(ctx.get(dut.waits))
            if ctx.get(dut.data_2.valid):
                published.append(ctx.get(dut.data_2.data))
            await ctx.tick()

    run(dut, bench)
    return seen, published, open_most, waits


@pytest.mark.parametrize("target", [LOCAL, MANAGER])
def test_requests_go_to_the_configured_target_and_its_answers_count(target):
    seen, published, _, _ = drive(target, [1, 2, 3, 4, 5])
    assert [address for address, _ in seen[target]] == [1, 2, 3, 4, 5]
    assert seen[1 - target] == []
    assert published == [0xA0, 0xA1, 0xA2, 0xA3, 0xA0]


def test_an_address_that_the_narrower_target_cannot_express_lies_beyond_it():
    local, _, _, _ = drive(LOCAL, [0x10, 0x110, 0xFFFF], base=0x10)
    assert local[LOCAL] == [(0x20, 0), (0x20, 1), (0x0F, 1)]
    far, _, _, _ = drive(MANAGER, [0x10, 0x110, 0xFFFF], base=0x10)
    assert far[MANAGER] == [(0x20, 0), (0x120, 0), (0x0F, 1)]


def test_a_volatile_row_has_one_firing_in_flight():
    _, published, most, _ = drive(MANAGER, [1, 2, 3], volatile=True)
    assert (published, most) == ([0xA0, 0xA1, 0xA2], 1)
    _, _, most, _ = drive(MANAGER, [1, 2, 3])
    assert most > 1


def test_waits_say_what_the_row_waits_for():
    _, _, _, waits = drive(LOCAL, [1])
    # address, control, claim, issued, held, complete: idle, in front of the service, in flight,
    # complete, idle.
    distinct = [word for at, word in enumerate(waits) if at == 0 or waits[at - 1] != word]
    assert distinct == [0b000100, 0b010111, 0b001100, 0b101100, 0b000100]


def test_a_row_stands_before_its_manager_while_a_beat_of_it_does():
    dut = SpatialPort(SHAPE, counted=True)
    held = []

    async def bench(ctx):
        for stands in (0, 1, 0):
            ctx.set(dut.request_1.stands, stands)
            held.append(ctx.get(dut.waits) >> 4 & 1)

    run(dut, bench)
    assert held == [0, 1, 0]
