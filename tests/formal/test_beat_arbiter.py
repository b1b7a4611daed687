import pytest
from amaranth.hdl import Assert, Assume, Cat, Elaboratable, Module, Signal, Value

from fabricgen.rtl.manager.arbiter import BeatArbiter
from fabricgen.rtl.manager.stream import ManagerStreamShape
from tests.formal.harness import check
from tests.support.manager_mutants import (
    BreakingArbiter,
    FirstUserArbiter,
    LoudArbiter,
    RestlessArbiter,
)

pytestmark = pytest.mark.formal

#: A reader of two slots, a writer of one, and one that does both.
USERS = (
    ManagerStreamShape(1, True, False, False, 1, 1, 2),
    ManagerStreamShape(1, False, True, True, 0, 1, 1),
    ManagerStreamShape(1, True, True, False, 2, 0, 0),
)


class ArbiterSpec(Elaboratable):
    """What stands at the manager is a user's beat, stays, and keeps its run together.

    Each user keeps its offers and goes on with a run; then the manager sees the same of all. No
    user that offers sees another one begin two runs. An answer goes to
    the one user that its origin names.
    """

    def __init__(self, dut: BeatArbiter) -> None:
        self.dut = dut
        self.inputs = [dut.manager.req_ready]
        self.inputs += [
            getattr(dut.manager, f"rsp_{name}") for name in ("valid", *dut.shape.response_widths())
        ]
        for user, shape in zip(dut.users, dut.shapes, strict=True):
            self.inputs += [
                getattr(user, f"req_{name}") for name in ("valid", *shape.request_widths())
            ]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.dut = dut = self.dut
        for ordinal, (user, shape) in enumerate(zip(dut.users, dut.shapes, strict=True)):
            self._is_orderly(m, user, shape, f"user_{ordinal}", Assume)
        self._is_orderly(m, dut.manager, dut.shape, "manager", Assert)

        taken = [user.req_valid & user.req_ready for user in dut.users]
        m.d.comb += [
            Assert(Cat(taken).any() == (dut.manager.req_valid & dut.manager.req_ready)),
            Assert(Cat(user.req_valid for user in dut.users).any() | ~dut.manager.req_valid),
            Assert(dut.manager.rsp_ready),
        ]
        for ordinal, (user, shape) in enumerate(zip(dut.users, dut.shapes, strict=True)):
            owner = dut.manager.rsp_origin[2:] == ordinal
            m.d.comb += Assert(user.rsp_valid == (dut.manager.rsp_valid & owner))
            with m.If(taken[ordinal]):
                m.d.comb += Assert(dut.manager.req_origin[2:] == ordinal)
                for name in shape.request_widths():
                    sent: Value = getattr(dut.manager, f"req_{name}")
                    sent = sent[:2] if name == "origin" else sent
                    m.d.comb += Assert(sent == getattr(user, f"req_{name}"))
            with m.If(user.rsp_valid):
                for name, width in shape.response_widths().items():
                    got = getattr(user, f"rsp_{name}")
                    m.d.comb += Assert(got == getattr(dut.manager, f"rsp_{name}")[:width])
        self._is_fair(m, taken)
        return m

    @staticmethod
    def _is_orderly(m, stream, shape, name, claim) -> None:
        """An offer stays, and after a beat with more the next is offered at once, with one less."""
        fields = Cat(getattr(stream, f"req_{field}") for field in shape.request_widths())
        waits, goes_on = Signal(name=f"{name}_waits"), Signal(name=f"{name}_goes_on")
        last = Signal.like(fields, name=f"{name}_last")
        more = Signal(shape.more_bits or 1, name=f"{name}_more")
        m.d.sync += [waits.eq(stream.req_valid & ~stream.req_ready), last.eq(fields)]
        with m.If(waits):
            m.d.comb += claim(stream.req_valid & (fields == last))
        if shape.more_bits:
            taken = stream.req_valid & stream.req_ready
            with m.If(taken):
                m.d.sync += [goes_on.eq(stream.req_more != 0), more.eq(stream.req_more)]
            with m.If(goes_on):
                m.d.comb += claim(stream.req_valid & (stream.req_more == more - 1))

    def _is_fair(self, m, taken) -> None:
        """While one waits, each other one begins at most one run."""
        more = self.dut.manager.req_more
        for j in range(len(taken)):
            inside = Signal(name=f"inside_{j}")
            with m.If(taken[j]):
                m.d.sync += inside.eq(more != 0)
            begins = taken[j] & ~inside
            for i, user in enumerate(self.dut.users):
                if i != j:
                    passed = Signal(name=f"passed_{i}_{j}")
                    m.d.sync += passed.eq(user.req_valid & ~taken[i] & (passed | begins))
                    with m.If(passed & user.req_valid):
                        m.d.comb += Assert(~begins)


@pytest.mark.proves("a manager's beats stay, keep their runs together and their users' order fair")
@pytest.mark.proves("an answer reaches the one port that its origin names")
def test_beats_stay_runs_stay_together_and_answers_find_their_user(tmp_path):
    spec = ArbiterSpec(BeatArbiter(USERS))
    check(spec, spec.inputs, tmp_path, depth=8)


@pytest.mark.rejects("a manager's beats stay, keep their runs together and their users' order fair")
@pytest.mark.parametrize("mutant", [RestlessArbiter, BreakingArbiter])
def test_the_proof_rejects_a_wrong_arbiter(mutant, tmp_path):
    spec = ArbiterSpec(mutant(USERS))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=8)


@pytest.mark.rejects("an answer reaches the one port that its origin names")
def test_the_proof_rejects_an_answer_to_everybody(tmp_path):
    spec = ArbiterSpec(LoudArbiter(USERS))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=8)


@pytest.mark.rejects("a manager's beats stay, keep their runs together and their users' order fair")
def test_the_proof_rejects_an_arbiter_that_starves(tmp_path):
    spec = ArbiterSpec(FirstUserArbiter((USERS[0], USERS[0])))
    with pytest.raises(pytest.fail.Exception, match="refuted"):
        check(spec, spec.inputs, tmp_path, depth=8)
