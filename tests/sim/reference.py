"""Jobs for the hand-written fabric of ``reference_fabric.v``."""

from pathlib import Path

from sim.job import EgressJob, IngressJob, Job, MemoryJob, Registers, RowJob, Run, Step

TEXT = (Path(__file__).parent / "reference_fabric.v").read_text()
TOP = "reference_fabric"
SIZE = 256


RUNS = (Run("always", 1), Run("geometric", 2))


def job(count=50, runs=RUNS, *, extra=0, outside=False):
    """Load words from the low half, store words to the high half."""
    loads = [(7 * n) % 32 for n in range(count)]
    stores = [32 + (5 * n) % 32 for n in range(count)]
    faults = ()
    if outside:
        loads[3], stores[5] = 70, 80
        faults = ((0, 280), (1, 320))
    values = [0x01010101 * (n % 200) for n in range(count)]
    before = bytes((3 * n) & 0xFF for n in range(SIZE))
    after = bytearray(before)
    for word, value in zip(stores, values, strict=True):
        if word < 64:
            after[4 * word : 4 * word + 4] = value.to_bytes(4, "little")
    words = [int.from_bytes(before[4 * w : 4 * w + 4], "little") for w in loads]
    nothing = (0,) * count
    addresses = (*loads, *loads[:extra])
    return Job(
        rows=(
            RowJob(0, "load", {"ADDRESS": 1, "CONTROL": 1}, 1, count),
            RowJob(1, "store", {"ADDRESS": 1, "DATA": 1, "CONTROL": 1}, 1, count),
        ),
        ingresses=(
            IngressJob("ld_addr", 8, addresses, count + min(extra, 1), 0, "ADDRESS"),
            IngressJob("ld_ctrl", 0, nothing, count, 0, "CONTROL"),
            IngressJob("st_addr", 8, tuple(stores), count, 1, "ADDRESS"),
            IngressJob("st_data", 32, tuple(values), count, 1, "DATA"),
            IngressJob("st_ctrl", 0, nothing, count, 1, "CONTROL"),
        ),
        egresses=(
            EgressJob("ld_data", 32, tuple(words), 0, "DATA"),
            EgressJob("ld_done", 0, nothing, 0, "COMPLETION"),
            EgressJob("st_done", 0, nothing, 1, "COMPLETION"),
        ),
        memory=MemoryJob(before, bytes(after), 4, ("bank0", "bank1")),
        program=(
            Step(True, 16, 0xBAD, "SLVERR"),
            Step(True, 16, 0x12345678),
            Step(True, 0, 6),
            Step(True, 4, 1),
            Step(False, 0, 6),
        ),
        registers=Registers(20, 24, (28,)),
        faults=faults,
        is_quiescent=not extra,
        bound=60,
        runs=tuple(runs),
    )
