"""No number in foreign bytes makes a decoder read or allocate more than the bytes justify.

Every place of a real record that can be a count or a length gets a hostile number in its stead;
what is asserted is the number of reads and the peak of allocated memory, never time.
"""

import hashlib
import tracemalloc
from contextlib import suppress

import pytest

from fabricgen.errors import FabricError, Invalid
from fabricgen.relation import codec
from fabricgen.wire.frame import Reader, u64be
from tools.fuzz_targets import TARGETS

#: Bytes that one decoding may hold at its peak: far below what any announced count would take.
PEAK = 4_000_000


def hostile(wire):
    """Copies of ``wire`` with a large number where a small one may be a count."""
    for size in (4, 8):
        top = 256**size - 1
        for at in range(len(wire) - size + 1):
            if int.from_bytes(wire[at : at + size], "big") < 4096:
                for number in (top, top // 8, len(wire)):
                    yield wire[:at] + number.to_bytes(size, "big") + wire[at + size :]


def costs(decode, wires):
    """The most reads, per byte, and the most bytes that decoding one of ``wires`` took."""
    reads = [0]
    take = Reader.take

    def counted(self, size):
        reads[0] += 1
        return take(self, size)

    most_reads, most_bytes = 0.0, 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Reader, "take", counted)
        tracemalloc.start()
        for wire in wires:
            reads[0] = 0
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            with suppress(FabricError):
                decode(wire)
            peak = tracemalloc.get_traced_memory()[1] - before
            most_reads, most_bytes = max(most_reads, reads[0] / len(wire)), max(most_bytes, peak)
        tracemalloc.stop()
    return most_reads, most_bytes


@pytest.mark.parametrize("entry", TARGETS)
def test_a_hostile_count_is_refused_before_it_is_believed(entry):
    target = TARGETS[entry]
    wire = min(target.seeds(), key=len)
    target.decode(wire)  # What is derived once, of the images' fabric, is derived.
    wires = list(hostile(wire))
    assert len(wires) > 50
    if entry == "image":
        wires = [w[:-32] + hashlib.sha256(w[:-32]).digest() for w in wires[::7]]
    if entry in ("fabric", "service"):
        wires = wires[::23]
    reads, peak = costs(target.decode, wires)
    # Nested records are read again from their frames; no read is of nothing but at an end.
    assert reads <= 2
    assert peak < PEAK


@pytest.mark.parametrize("entry", [name for name in TARGETS if name != "image"])
def test_a_record_of_one_hostile_count_alone_is_refused(entry):
    target = TARGETS[entry]
    for number in (2**32, 2**63, 2**64 - 1):
        for wire in (u64be(number), u64be(number) * 4, u64be(0) + u64be(number)):
            with pytest.raises(Invalid):
                target.decode(wire)


def test_a_decoder_that_believes_a_count_is_noticed():
    def gullible(wire):
        reader = Reader(wire)
        rows = [0] * min(reader.u64(), 10**6)
        reader.take(len(rows))

    def slow(wire):
        reader = Reader(wire)
        for _ in range(min(reader.u64(), 10**4)):
            reader.take(0)

    wires = list(hostile(codec.encode(()) + bytes(8)))
    assert costs(gullible, wires)[1] > PEAK
    assert costs(slow, wires)[0] > 2
