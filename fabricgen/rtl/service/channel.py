"""The typed boundary between a requester and one of its targets."""

from dataclasses import dataclass
from typing import Protocol

from amaranth.hdl import Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.geometry import RequesterShape

__all__ = ["ServiceChannel", "ServiceChannelShape", "kind_members"]


class ServiceChannel(Protocol):
    """Interface object of a service channel; members that have no bits are absent."""

    signature: wiring.Signature
    valid: Signal
    ready: Signal
    write: Signal
    rmw: Signal
    exchange: Signal
    fence: Signal
    rmw_kind: Signal
    ordering: Signal
    failure_ordering: Signal
    scope: Signal
    weak: Signal
    volatile: Signal
    mode: Signal
    regions: Signal
    address: Signal
    beyond: Signal
    lanes: Signal
    walk: Signal
    data: Signal
    expected: Signal
    slot: Signal
    rsp_valid: Signal
    rsp_done: Signal
    rsp_slot: Signal
    rsp_data: Signal
    rsp_strobe: Signal
    rsp_success: Signal
    rsp_tested: Signal
    rsp_in_range: Signal
    rsp_error: Signal
    rsp_error_address: Signal
    rsp_fault: Signal
    rsp_fault_address: Signal
    stands: Signal
    stands_slot: Signal


def kind_members(requester: RequesterShape, *, store: str) -> dict[str, int]:
    """Bits that tell the kinds of a requester's accesses apart, by name: one for each kind that
    occurs beside another one. No bit says a load. Plain stores are called ``store``.
    """
    atomics = requester.every
    occurs = {
        store: requester.writes,
        "rmw": atomics.rmw,
        "exchange": atomics.exchange,
        "fence": atomics.fence,
    }
    return {name: 1 for name, there in occurs.items() if there and requester.kinds > 1}


@dataclass(frozen=True, slots=True)
class ServiceChannelShape:
    """Shape of one whole-access channel.

    Parameters
    ----------
    requester
        Modes, lanes and directions.
    address_bits
        Width of one byte address: inside the service's capacity, or 64 at a manager.
    slots
        Response slots of the requester; every request names a free one.
    managed
        The target is a manager. Otherwise it is the Local Memory Service.
    """

    requester: RequesterShape
    address_bits: int
    slots: int
    managed: bool = False

    def signature(self) -> wiring.Signature:
        """Signature seen from the requester.

        Requests
        --------
        valid : Out(1), ready : In(1)
            A whole child access is offered; it stays, with stable fields, until ``ready``. The
            service may serve parts of it before it shows ``ready``.
        write : Out(1), absent unless the requester stores and makes other accesses, too
        rmw, exchange, fence : Out(1), absent unless as :func:`kind_members` says
            At most one of these and ``write`` is set.
        rmw_kind : Out(5), absent without read-modify-writes
        ordering, failure_ordering, scope, weak : Out, absent unless managed and in use
            As :class:`fabricgen.plan.atomic_use.AtomicUse` and the stream have them; zero in an
            access that has no such thing.
        volatile : Out(1), absent unless managed and some row may be volatile
        mode : Out(range(modes)), absent with one mode
        regions : Out(range(region_sets)), absent with one region set; no manager looks at it
        address : Out(segments * address_bits)
            Byte address of each segment, segment 0 lowest. A mode that is not indexed uses
            segment 0 only.
        beyond : Out(segments)
            The exact address of that segment does not fit ``address_bits``.
        lanes : Out(lanes)
            Active lanes; never zero while ``valid``, but in a fence.
        walk : Out(1), absent unless the requester walks
            Each active lane is a child of its own, whatever its address is.
        data : Out(8 * data_bytes), absent unless the requester sends
            What is stored, the operand of a read-modify-write, or the desired value.
        expected : Out(8 * data_bytes), absent unless it compares
        slot : Out(range(slots)), absent with one slot

        Responses
        ---------
        rsp_valid : In(1)
            A part of the access in ``rsp_slot`` arrives now; nothing can stall it.
        rsp_done : In(1)
            With ``rsp_valid``: it is the last part. A write is visible to every later request.
            Requests in different slots end in any order at a manager.
        rsp_slot : In(range(slots)), absent with one slot
        rsp_data : In(8 * data_bytes), rsp_strobe : In(data_bytes), absent unless it
        returns
            Bytes that arrive now, at their payload positions. Each byte of an active lane
            arrives exactly once; bytes of lanes out of range carry no meaning. A store and a fence
            have no strobes.
        rsp_success : In(lanes), rsp_tested : In(lanes), absent unless it compares
            Lanes whose comparison arrives now, and how each ended. Each active lane of a
            compare-exchange arrives exactly once; those of other accesses carry no meaning.
        rsp_in_range : In(lanes)
            With ``rsp_done``: lanes that lie inside an admitted region, or that have addresses
            of 64 bits at a manager; none after an error.
        rsp_error : In(1), rsp_error_address : In(address_bits), absent unless managed
            With ``rsp_done``: a beat of the access was answered with an error, and which one
            whose error arrived first.
        rsp_fault : In(1), rsp_fault_address : In(address_bits)
            With ``rsp_done``: an active lane lay outside; low address bits of the first one.

        What can be watched
        -------------------
        stands : In(1), absent unless managed
            A beat of the access in ``stands_slot`` is offered to the manager and was not taken
            yet (registered); the access itself may have been taken from the channel.
        stands_slot : In(range(slots)), absent unless managed or with one slot
        """
        req, bits = self.requester, 8 * self.requester.data_bytes
        members: dict[str, wiring.Member] = {"valid": Out(1), "ready": In(1)}
        members |= {name: Out(1) for name in kind_members(req, store="write")}
        widths = req.every.field_widths() | {"volatile": int(req.volatile)}
        members |= {name: Out(width) for name, width in widths.items() if width}
        if len(req.modes) > 1:
            members["mode"] = Out(range(len(req.modes)))
        if len(req.region_sets) > 1:
            members["regions"] = Out(range(len(req.region_sets)))
        members["address"] = Out(req.segments * self.address_bits)
        members["beyond"] = Out(req.segments)
        members["lanes"] = Out(req.lanes)
        if req.walks:
            members["walk"] = Out(1)
        if req.sends:
            members["data"] = Out(bits)
        if req.every.exchange:
            members["expected"] = Out(bits)
        if self.slots > 1:
            members |= {"slot": Out(range(self.slots)), "rsp_slot": In(range(self.slots))}
        members |= {"rsp_valid": In(1), "rsp_done": In(1), "rsp_in_range": In(req.lanes)}
        if req.returns:
            members |= {"rsp_data": In(bits), "rsp_strobe": In(req.data_bytes)}
        if req.every.exchange:
            members |= {"rsp_success": In(req.lanes), "rsp_tested": In(req.lanes)}
        if self.managed:
            members |= {"rsp_error": In(1), "rsp_error_address": In(self.address_bits)}
            members["stands"] = In(1)
            if self.slots > 1:
                members["stands_slot"] = In(range(self.slots))
        members |= {"rsp_fault": In(1), "rsp_fault_address": In(self.address_bits)}
        return wiring.Signature(members)
