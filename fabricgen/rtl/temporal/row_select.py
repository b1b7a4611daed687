"""Which row of a Temporal port fires next."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.records.resource import GrantPolicy
from fabricgen.rtl.logic import encode, select
from fabricgen.rtl.temporal.row_arbiter import RowArbiter

__all__ = ["RowSelect"]


class RowSelect(wiring.Component):
    """Grant one row that can fire, by the port's grant policy, and register its number.

    A row is eligible that has its operands and the claims of its own, and whose target had a
    permit in the last cycle. The policy chooses among eligible rows; the choice is granted if its
    target has a permit in this cycle, and the pool what it needs of it, which may come late: it
    changes nothing but whether the grant counts. Otherwise nobody is granted, the cursor stays,
    and the rows of that target, or those that still need the pool, stand back in the next cycle.
    So a target that takes nothing, or a pool that is empty, costs other rows one cycle for each
    time that it begins to be so.

    A row granted in cycle *n* is ``selected`` in cycle *n + 1*; one row in every cycle. Reset
    drops the selection and restores the cursor.

    Parameters
    ----------
    rows
        Resident rows.
    targets
        Targets of the port.
    policy
        Grant policy over the rows, None with one row.

    Members
    -------
    joining : In(rows)
        The row has all its operands in the next cycle, unless it is granted now.
    claimable : In(rows)
        So are the claims of its own.
    issued : In(rows), leaving : In(rows)
        It has a firing already; its only one is the one that may retire (registers alone).
    pool : In(1)
        A row that has a firing already may be granted now (registers alone).
    further : Out(1), beside : Out(1)
        A row with a firing is granted; one that has one and is not ``leaving`` is.
    target_<target> : In(rows), absent with one target
        The row goes to this target; static.
    permit_<target> : In(1)
        A firing may be granted for the target now.
    select_<target> : Out(1)
        One is.
    grant : Out(rows)
        One-hot: the row that is granted now.
    selected_valid : Out(1), selected : Out(range(max(2, rows))), here : Out(rows)
        A row was granted in the last cycle; its number, and its bit alone (any row's, or none,
        where none was granted).
    """

    joining: Signal
    claimable: Signal
    issued: Signal
    leaving: Signal
    pool: Signal
    further: Signal
    beside: Signal
    grant: Signal
    selected_valid: Signal
    selected: Signal
    here: Signal
    select_0: Signal

    def __init__(self, rows: int, *, targets: int, policy: GrantPolicy | None) -> None:
        self.rows = rows
        self.targets = targets
        self.policy = policy
        members: dict[str, wiring.Member] = {
            "joining": In(rows),
            "claimable": In(rows),
            "issued": In(rows),
            "leaving": In(rows),
            "pool": In(1),
            "further": Out(1),
            "beside": Out(1),
            "grant": Out(rows),
            "selected_valid": Out(1),
            "selected": Out(range(max(2, rows))),
            "here": Out(rows),
        }
        for target in range(targets):
            members |= {f"permit_{target}": In(1), f"select_{target}": Out(1)}
            if targets > 1:
                members[f"target_{target}"] = In(rows)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Choose early, commit late."""
        m = Module()
        permits: list[Signal] = [getattr(self, f"permit_{t}") for t in range(self.targets)]
        permitted = Signal(self.rows)
        m.d.comb += permitted.eq(self._permitted(permits))

        # Operands and claims, and what each row's target permitted in the last cycle. A row that
        # is granted had all its operands, so it has none in the next cycle.
        eligible = Signal(self.rows)
        m.submodules.arbiter = arbiter = RowArbiter(self.policy, self.rows, word_bits=2)
        taken = Signal(self.rows)
        m.d.comb += [
            arbiter.request.eq(eligible),
            # A row that the pool refuses stays eligible, or others would always come before it.
            taken.eq(arbiter.choice & (~self.issued | self.pool.replicate(self.rows))),
            self.grant.eq(taken & permitted),
        ]
        m.d.sync += eligible.eq(self.joining & self.claimable & permitted & ~taken)

        has_firing = arbiter.word[0]
        pooled = self.pool | ~has_firing
        if self.targets == 1:
            m.d.comb += [
                arbiter.commit.eq(eligible.any() & permits[0] & pooled),
                self.select_0.eq(arbiter.commit),
            ]
        else:
            m.d.comb += arbiter.commit.eq(self.grant.any())
            for target, permit in enumerate(permits):
                chosen = (arbiter.choice & getattr(self, f"target_{target}")).any()
                m.d.comb += getattr(self, f"select_{target}").eq(chosen & permit & pooled)

        m.d.comb += Cat(self.further, self.beside).eq(Mux(arbiter.commit, arbiter.word, 0))
        for row in range(self.rows):
            word: Signal = getattr(arbiter, f"word_{row}")
            m.d.comb += word.eq(Cat(self.issued[row], self.issued[row] & ~self.leaving[row]))

        m.d.sync += [
            self.selected_valid.eq(arbiter.commit),
            self.selected.eq(encode(arbiter.choice)),
            self.here.eq(arbiter.choice),
        ]
        return m

    def _permitted(self, permits: list[Signal]) -> Value:
        """Permit of each row's target."""
        if self.targets == 1:
            return permits[0].replicate(self.rows)
        return select(
            [(permit, getattr(self, f"target_{target}")) for target, permit in enumerate(permits)],
            self.rows,
        )
