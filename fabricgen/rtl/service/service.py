"""The Local Memory Service: requesters on one side, banks on the other."""

from functools import reduce

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from fabricgen.plan.atomic_use import NO_LOCAL_ATOMICS, LocalAtomics
from fabricgen.plan.geometry import BankGeometry
from fabricgen.records.resource import GrantPolicy
from fabricgen.rtl.logic import any_bit
from fabricgen.rtl.service.admission import Admission
from fabricgen.rtl.service.atomic_bank import AtomicBank
from fabricgen.rtl.service.bank import Bank
from fabricgen.rtl.service.channel import ServiceChannelShape
from fabricgen.rtl.service.requester import Requester

__all__ = ["LocalMemoryService"]


class LocalMemoryService(wiring.Component):
    """Serve whole accesses of several requesters from beat-interleaved banks.

    Every bank serves one read and one write in each cycle, chosen by the declared policy from
    all requesters that want it. A request takes as many cycles as its fullest bank has distinct
    beats, plus what it loses to others; without either, each requester has one request per
    cycle. Answers follow one cycle behind grants. Requests of one requester are served and
    answered in order; a beat's write is seen by every read granted after it and by no other.
    Lanes outside the admitted regions write nothing.

    Where some requester makes read-modify-writes or compare-exchanges, the banks compute: each has
    one order of reads and writes together, and an access that is both takes both. A fence is done
    when it is admitted: everything that was served before it is visible by then.

    ``banks[i].mem`` is the storage of bank ``i``. Reset drops requests, never the storage.

    Parameters
    ----------
    geometry
        Banks and beats.
    requesters
        Channel of each requester, in the order of the resource contract.
    regions
        (base, size) in bytes of each region of the service.
    queues, outstanding
        Declared capacities: requests in the service per requester, and of all together.
    policy
        Declared grant policy; None where no two requesters contend.
    issue_lanes
        Lanes of a firing that goes lane by lane which are let in per cycle. Such firings take as
        many cycles each as that needs, or as their fullest banks have distinct beats.

    Members
    -------
    requester_<i> : In(requesters[i].signature())
    idle : Out(1)
        Nothing is inside: no part served of a request still offered, no answer pending
        (registered). A write that was answered is in the storage.
    """

    idle: Signal

    def __init__(
        self,
        geometry: BankGeometry,
        *,
        requesters: tuple[ServiceChannelShape, ...],
        regions: tuple[tuple[int, int], ...],
        queues: tuple[int, ...],
        outstanding: int,
        policy: GrantPolicy | None,
        issue_lanes: int = 1,
    ) -> None:
        if issue_lanes < 1:
            raise ValueError(
                f"LocalMemoryService issue_lanes must be at least 1, not {issue_lanes!r}"
            )
        if len(queues) != len(requesters):
            raise ValueError(
                f"LocalMemoryService has {len(queues)} queues, which is not the same as its "
                f"{len(requesters)} requesters (each has one)"
            )
        if policy is None and len(requesters) > 1:
            raise ValueError(
                f"LocalMemoryService policy must be declared for {len(requesters)} requesters, "
                "not None"
            )
        for name in ("beat_bytes", "banks"):
            value = getattr(geometry, name)
            if value < 1 or value & (value - 1):
                raise ValueError(f"LocalMemoryService {name} must be a power of two, not {value!r}")
        for index, shape in enumerate(requesters):
            if shape.requester.region_sets and shape.address_bits != geometry.address_bits:
                raise ValueError(
                    f"LocalMemoryService requester {index} has {shape.address_bits} address bits, "
                    f"which is not the same as the {geometry.address_bits} of its capacity"
                )
        self.geometry = geometry
        self.requesters = requesters
        self.regions = regions
        self.readers = tuple(i for i, s in enumerate(requesters) if s.requester.returns)
        self.writers = tuple(i for i, s in enumerate(requesters) if s.requester.sends)
        self.atomics = reduce(
            LocalAtomics.union, (s.requester.local for s in requesters), NO_LOCAL_ATOMICS
        )
        self.policy = policy
        self.issue_lanes = issue_lanes
        self.admission = Admission(policy, queues=queues, outstanding=outstanding)
        everybody = tuple(range(len(requesters)))
        self.banks: tuple[Bank | AtomicBank, ...] = tuple(
            AtomicBank(geometry, policy=policy, participants=everybody, atomics=self.atomics)
            if self.atomics.computes
            else Bank(geometry, policy=policy, readers=self.readers, writers=self.writers)
            for _ in range(geometry.banks)
        )
        members: dict[str, wiring.Member] = {
            f"requester_{i}": In(shape.signature()) for i, shape in enumerate(requesters)
        }
        super().__init__(members | {"idle": Out(1)})

    def elaborate(self, platform: object) -> Module:
        """Instances, and the crossbar between them."""
        m = Module()
        m.submodules.admission = self.admission
        requesters: list[Requester] = []
        for i, shape in enumerate(self.requesters):
            requester = Requester(
                shape,
                geometry=self.geometry,
                regions=self.regions,
                forwards=bool(self.writers),
                issue_lanes=self.issue_lanes,
                atomics=self.atomics,
            )
            m.submodules[f"requester_{i}"] = requester
            connect(m, flipped(getattr(self, f"requester_{i}")), requester.channel)
            windows = requester.windows
            asks = requester.asks if windows else requester.channel.valid
            ends = requester.ends if windows else requester.channel.ready
            m.d.comb += [
                self.admission.valid[i].eq(asks),
                self.admission.done[i].eq(ends),
                requester.admit.eq(self.admission.admit[i]),
            ]
            requesters.append(requester)
        busy = [bank.busy for bank in self.banks if isinstance(bank, AtomicBank)]
        m.d.comb += self.idle.eq(Cat(r.idle for r in requesters).all() & ~any_bit(busy))

        readers = [requesters[i] for i in self.readers]
        writers = [requesters[i] for i in self.writers]
        for b, bank in enumerate(self.banks):
            m.submodules[f"bank_{b}"] = bank
            if isinstance(bank, AtomicBank):
                self._join_computing(m, b, bank, requesters)
                continue
            if readers:
                self._join_readers(m, b, bank, readers)
            if writers:
                self._join_writers(m, b, bank, writers)
        return m

    def _join_computing(
        self, m: Module, b: int, bank: AtomicBank, requesters: list[Requester]
    ) -> None:
        """One bank that computes, for everybody; who cannot read or write never asks."""
        words: dict[str, list[Value]] = {}
        for place, requester in enumerate(requesters):
            shape = requester.shape.requester
            words.setdefault("rows", []).append(self._word(requester.rows, b))
            m.d.comb += [
                *(
                    (
                        bank.read_request[place].eq(requester.read_request[b]),
                        requester.read_grant[b].eq(bank.read_grant[place]),
                        self._word(requester.read_beats, b).eq(bank.read_beat),
                    )
                    if shape.returns
                    else ()
                ),
                *(
                    (
                        bank.write_request[place].eq(requester.write_request[b]),
                        requester.write_grant[b].eq(bank.write_grant[place]),
                    )
                    if shape.sends
                    else ()
                ),
            ]
            for name, member, is_shared in (
                ("write_ops", "write_op", True),
                ("write_scales", "write_scale", True),
                ("write_beats", "write_beats", False),
                ("write_enable", "write_enable", False),
                ("exchanges", "exchanges", True),
                ("write_confirm", "write_confirm", False),
            ):
                if hasattr(bank, name):
                    width = len(getattr(bank, name)) // len(requesters)
                    word: Value = Const(0, width)
                    if hasattr(requester, member):
                        word = getattr(requester, member)
                        word = word if is_shared else self._word(word, b)
                    words.setdefault(name, []).append(word)
        m.d.comb += [getattr(bank, name).eq(Cat(each)) for name, each in words.items()]

    def _join_readers(self, m: Module, b: int, bank: Bank, readers: list[Requester]) -> None:
        """One bank's read side: requests and rows in, grants out, its beat to everybody."""
        m.d.comb += [
            bank.read_request.eq(Cat(r.read_request[b] for r in readers)),
            bank.read_rows.eq(Cat(self._word(r.rows, b) for r in readers)),
        ]
        for place, requester in enumerate(readers):
            m.d.comb += [
                requester.read_grant[b].eq(bank.read_grant[place]),
                self._word(requester.stored, b).eq(bank.stored),
                self._word(requester.read_beats, b).eq(bank.read_beat),
            ]
            if self.writers:
                m.d.comb += [
                    self._word(requester.writing_rows, b).eq(bank.writing_row),
                    self._word(requester.writing_beats, b).eq(bank.writing_beat),
                    self._word(requester.writing_enable, b).eq(bank.writing_enable),
                ]

    def _join_writers(self, m: Module, b: int, bank: Bank, writers: list[Requester]) -> None:
        """One bank's write side: requests and rows in, grants out, then beats in."""
        m.d.comb += [
            bank.write_request.eq(Cat(r.write_request[b] for r in writers)),
            bank.write_rows.eq(Cat(self._word(r.rows, b) for r in writers)),
            bank.write_beats.eq(Cat(self._word(r.write_beats, b) for r in writers)),
            bank.write_enable.eq(Cat(self._word(r.write_enable, b) for r in writers)),
        ]
        for place, requester in enumerate(writers):
            m.d.comb += requester.write_grant[b].eq(bank.write_grant[place])

    def _word(self, words: Value, bank: int) -> Value:
        """One bank's share of a vector over all banks."""
        return words.word_select(bank, len(words) // self.geometry.banks)
