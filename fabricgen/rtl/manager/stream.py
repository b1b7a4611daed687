"""The typed beat boundary of a manager endpoint."""

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from amaranth.hdl import Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.plan.atomic_use import NO_ATOMICS, AtomicUse
from fabricgen.plan.geometry import MANAGER_ADDRESS_BITS

__all__ = ["BeatKind", "ManagerStream", "ManagerStreamShape"]


class BeatKind(Enum):
    """What a beat asks for, as the field ``kind`` says it."""

    READ = 0
    WRITE = 1
    RMW = 2
    COMPARE_EXCHANGE = 3
    FENCE = 4


class ManagerStream(Protocol):
    """Interface object of a stream; fields that no beat can use are absent."""

    signature: wiring.Signature
    req_valid: Signal
    req_ready: Signal
    req_kind: Signal
    req_origin: Signal
    req_beat: Signal
    req_more: Signal
    req_address: Signal
    req_strobe: Signal
    req_data: Signal
    req_expected: Signal
    req_rmw_kind: Signal
    req_ordering: Signal
    req_failure_ordering: Signal
    req_scope: Signal
    req_weak: Signal
    req_volatile: Signal
    rsp_valid: Signal
    rsp_ready: Signal
    rsp_origin: Signal
    rsp_beat: Signal
    rsp_data: Signal
    rsp_success: Signal
    rsp_error: Signal


@dataclass(frozen=True, slots=True)
class ManagerStreamShape:
    """Widths of one stream of beats.

    Parameters
    ----------
    beat_bytes
        Bytes of one beat, a power of two.
    reads, writes
        Kinds of beats that occur.
    volatile
        Some beat may be volatile.
    origin_bits, beat_bits, more_bits
        Widths of those fields; 0 for none.
    atomics
        What beats there are beside plain reads and writes.
    """

    beat_bytes: int
    reads: bool
    writes: bool
    volatile: bool
    origin_bits: int
    beat_bits: int
    more_bits: int
    atomics: AtomicUse = NO_ATOMICS

    def request_widths(self) -> dict[str, int]:
        """Bits of each request field that exists, in order, without valid and ready."""
        more, bits = self.atomics, 8 * self.beat_bytes
        returns = self.reads or more.rmw or more.exchange
        has_access = returns or self.writes
        widths = {
            "kind": 3,
            "origin": self.origin_bits,
            "beat": self.beat_bits,
            "more": self.more_bits,
            "address": MANAGER_ADDRESS_BITS * has_access,
            "strobe": self.beat_bytes * has_access,
            "data": bits * (self.writes or more.rmw or more.exchange),
            "expected": bits * more.exchange,
            **more.field_widths(),
            "volatile": int(self.volatile),
        }
        return {name: width for name, width in widths.items() if width}

    def response_widths(self) -> dict[str, int]:
        """Bits of each response field that exists, in order, without valid and ready."""
        more = self.atomics
        widths = {
            "origin": self.origin_bits,
            "beat": self.beat_bits,
            "data": 8 * self.beat_bytes * (self.reads or more.rmw or more.exchange),
            "success": int(more.exchange),
            "error": 1,
        }
        return {name: width for name, width in widths.items() if width}

    def signature(self) -> wiring.Signature:
        """Signature seen from the side that sends requests (reference: Managers).

        Requests
        --------
        req_valid : Out(1), req_ready : In(1)
            A beat is offered; it stays, with stable fields, until taken.
        req_kind : Out(3)
            A :class:`BeatKind`.
        req_origin : Out(origin_bits), absent without bits
            Port and slot that the answer goes to.
        req_beat : Out(beat_bits), absent without bits
            Place of the beat in its access. Places ascend, those without an active byte are
            passed over, and the answer repeats the place.
        req_more : Out(more_bits), absent without bits
            Beats of the same child that follow without a break, in time and in addresses.
        req_address : Out(64), absent where all beats are fences
            Byte address of the beat, a multiple of ``beat_bytes``; 0 in a fence.
        req_strobe : Out(beat_bytes), absent where all beats are fences
            Bytes of the access, lowest address lowest; at least one, none in a fence. Those of an
            atomic one are all of its object.
        req_data : Out(8 * beat_bytes), absent where nothing is sent
            What is written, the operand of a read-modify-write, the desired value; zero outside
            the strobes, and for a read.
        req_expected : Out(8 * beat_bytes), absent without compare-exchanges
            What is compared; zero outside the strobes, and in other beats.
        req_rmw_kind : Out(5), absent without read-modify-writes
            The wire tag of an AtomicRmwKind; 0 in other beats, as in all that follow.
        req_ordering : Out(3), req_scope : Out(2), absent where all accesses are plain
            The wire tags of an AtomicOrdering and a SyncScopeKind; 0 in a plain access.
        req_failure_ordering : Out(3), absent without compare-exchanges
        req_weak : Out(1), absent unless one is weak
            It may fail though the object is what is expected.
        req_volatile : Out(1), absent unless ``volatile``

        Responses
        ---------
        rsp_valid : In(1), rsp_ready : Out(1)
            One answer to each beat, in any order, at least one cycle after it was taken.
        rsp_origin, rsp_beat : In, as in the request
        rsp_data : In(8 * beat_bytes), absent where nothing is returned
            What was there before; bytes outside the strobes carry no meaning.
        rsp_success : In(1), absent without compare-exchanges
            The desired value is there now.
        rsp_error : In(1)
            The beat failed.
        """
        members: dict[str, wiring.Member] = {"req_valid": Out(1), "req_ready": In(1)}
        members |= {f"req_{name}": Out(width) for name, width in self.request_widths().items()}
        members |= {"rsp_valid": In(1), "rsp_ready": Out(1)}
        members |= {f"rsp_{name}": In(width) for name, width in self.response_widths().items()}
        return wiring.Signature(members)
