"""The typed beat boundary of a subordinate endpoint."""

from dataclasses import dataclass
from typing import Protocol

from amaranth.hdl import Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["NAME_BITS", "SubordinateStream", "SubordinateStreamShape"]

#: Bits of an origin, and of a place of a beat: who asks is in no record of the memory.
NAME_BITS = 16

_ADDRESS_BITS, _SPACE_BITS, _CONTEXT_BITS = 64, 32, 64


class SubordinateStream(Protocol):
    """Interface object of a stream; fields that no beat can use are absent."""

    signature: wiring.Signature
    req_valid: Signal
    req_ready: Signal
    req_kind: Signal
    req_origin: Signal
    req_beat: Signal
    req_address: Signal
    req_strobe: Signal
    req_data: Signal
    req_address_space: Signal
    req_context: Signal
    rsp_valid: Signal
    rsp_ready: Signal
    rsp_origin: Signal
    rsp_beat: Signal
    rsp_data: Signal
    rsp_error: Signal


@dataclass(frozen=True, slots=True)
class SubordinateStreamShape:
    """Fields of one stream of beats.

    Parameters
    ----------
    beat_bytes
        Bytes of one beat, a power of two.
    reads, writes
        Kinds of beats that are served.
    address_space, context
        The decode may match these.
    """

    beat_bytes: int
    reads: bool
    writes: bool
    address_space: bool = False
    context: bool = False

    def request_widths(self) -> dict[str, int]:
        """Bits of each request field that exists, in order, without valid and ready."""
        widths = {
            "kind": 3,
            "origin": NAME_BITS,
            "beat": NAME_BITS,
            "address": _ADDRESS_BITS,
            "strobe": self.beat_bytes,
            "data": 8 * self.beat_bytes * self.writes,
            "address_space": _SPACE_BITS * self.address_space,
            "context": _CONTEXT_BITS * self.context,
        }
        return {name: width for name, width in widths.items() if width}

    def response_widths(self) -> dict[str, int]:
        """Bits of each response field that exists, in order, without valid and ready."""
        widths = {
            "origin": NAME_BITS,
            "beat": NAME_BITS,
            "data": 8 * self.beat_bytes * self.reads,
            "error": 1,
        }
        return {name: width for name, width in widths.items() if width}

    def signature(self) -> wiring.Signature:
        """Signature seen from the side that sends requests (reference: Subordinates).

        Requests
        --------
        req_valid : Out(1), req_ready : In(1)
            A beat is offered; it stays, with stable fields, until taken.
        req_kind : Out(3)
            A :class:`fabricgen.rtl.manager.stream.BeatKind`; every other kind is an error.
        req_origin, req_beat : Out(16)
            Names to be sent back.
        req_address : Out(64)
            Byte address of the beat, a multiple of ``beat_bytes``.
        req_strobe : Out(beat_bytes)
            Bytes to read or write, lowest address lowest; at least one.
        req_data : Out(8 * beat_bytes), absent unless ``writes``
            Bytes outside the strobes carry no meaning.
        req_address_space : Out(32), req_context : Out(64), absent unless the decode may match them

        Responses
        ---------
        rsp_valid : In(1), rsp_ready : Out(1)
            One answer to each beat, in the order of the requests; it stays until taken.
        rsp_origin, rsp_beat : In(16)
            Those of the request.
        rsp_data : In(8 * beat_bytes), absent unless ``reads``
            Zero outside the strobes, after an error, and for a write.
        rsp_error : In(1)
            The beat touched nothing.
        """
        members: dict[str, wiring.Member] = {"req_valid": Out(1), "req_ready": In(1)}
        members |= {f"req_{name}": Out(width) for name, width in self.request_widths().items()}
        members |= {"rsp_valid": In(1), "rsp_ready": Out(1)}
        members |= {f"rsp_{name}": In(width) for name, width in self.response_widths().items()}
        return wiring.Signature(members)
