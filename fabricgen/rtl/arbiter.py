"""Combinational choice of one requester, by the declared grant policy."""

from collections.abc import Sequence
from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.records.resource import GrantPolicy
from fabricgen.rtl.scan import Scan

__all__ = ["Arbiter", "first_asked"]


@dataclass(frozen=True, slots=True)
class _Range:
    """Consecutive scan positions: what is asked there, and who wins if the winner is there."""

    asked: Value
    asked_first: Value  # by a position that is not before the cursor
    grants: tuple[Value, ...]
    word: Value


class Arbiter(wiring.Component):
    """Grant one of the requests of this cycle, in this cycle, and pass its word on.

    At most one bit of ``grant`` is set, and exactly one whenever a request is. Round robin scans
    the declared order from a cursor; the cursor moves past the requester that was granted and
    stays where it is while nothing is (reference: Grant policy). Reset restores the declared
    cursor. No latency; the cursor is the only state.

    A tree over the declared order: if the winner lies in a range of positions, it is the first
    one there that is not before the cursor, or else the first one. So every range chooses at
    once, words included, and ranges are joined in logarithmic depth.

    Parameters
    ----------
    policy
        Declared policy over the owner's requester ordinals, or None where nothing contends.
    participants
        Ordinals of the owner's requesters that can ask here, in the order of the ports' bits.
    word_bits
        Width of what each request carries; 0 for nothing.

    Members
    -------
    request : In(len(participants))
        A grant given in a cycle must be used in that cycle.
    grant : Out(len(participants))
        One-hot.
    words : In(len(participants) * word_bits), word : Out(word_bits), absent without bits
        ``word`` is the granted one, or any one when nothing is granted.
    """

    request: Signal
    grant: Signal
    words: Signal
    word: Signal

    def __init__(
        self, policy: GrantPolicy | None, participants: tuple[int, ...], *, word_bits: int = 0
    ) -> None:
        self.scan = Scan(policy, participants)
        self.policy = policy
        self.participants = participants
        self.word_bits = word_bits
        count = len(participants)
        members: dict[str, wiring.Member] = {"request": In(count), "grant": Out(count)}
        if word_bits:
            members |= {"words": In(count * word_bits), "word": Out(word_bits)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Join ranges from single positions up to all of them."""
        m = Module()
        words = self.words if self.word_bits else None
        grants, word = first_asked(self.scan, list(self.request), words, self.word_bits)
        m.d.comb += self.grant.eq(Cat(grants))
        if self.word_bits:
            m.d.comb += self.word.eq(word)
        self.scan.advance(m, [self.grant[bit] for bit in range(len(self.participants))])
        return m


def first_asked(
    scan: Scan, requests: Sequence[Value], words: Value | None, word_bits: int
) -> tuple[list[Value], Value]:
    """Bit by bit, whether it is the first request in the scan; and that one's word.

    Where there is no request, no bit is set and the word is any.
    """
    root = _joined(scan, requests, words, word_bits, 0, len(requests))
    grants: list[Value] = [Const(0, 1)] * len(requests)
    for bit, grant in zip(scan.positions, root.grants, strict=True):
        grants[bit] = grant
    return grants, root.word


def _joined(
    scan: Scan, requests: Sequence[Value], words: Value | None, bits: int, first: int, past: int
) -> _Range:
    """Positions ``[first, past)``."""
    if past - first == 1:
        bit = scan.positions[first]
        asked = requests[bit]
        # Every other position is chosen only in a range that is known to hold a request.
        is_last = past == len(requests)
        return _Range(
            asked=asked,
            asked_first=asked & scan.not_before(first),
            grants=(asked if is_last else Const(1, 1),),
            word=Const(0) if words is None else words.word_select(bit, bits),
        )
    middle = first + (past - first + 1) // 2
    left = _joined(scan, requests, words, bits, first, middle)
    right = _joined(scan, requests, words, bits, middle, past)
    goes_left = left.asked_first | (left.asked & ~right.asked_first)
    return _Range(
        asked=left.asked | right.asked,
        asked_first=left.asked_first | right.asked_first,
        grants=(
            *(grant & goes_left for grant in left.grants),
            *(grant & ~goes_left for grant in right.grants),
        ),
        word=Mux(goes_left, left.word, right.word),
    )
