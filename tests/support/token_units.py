"""Components with token channels side by side in one emitted design, run by the cocotb bench."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from amaranth.hdl import Module, ResetInserter
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.emit.verilog import to_verilog
from sim.run import build, run_bench
from sim.token_job import PassJob, PassResult, UnitJob, read_outcome, write_job
from tests.support.token_timing import due
from tests.support.transition_tables import Machine, Table, machine


class Units(wiring.Component):
    """Components with ports ``<name>_<channel>_valid`` and so on, and a reset for each."""

    def __init__(self, components: Mapping[str, wiring.Component]) -> None:
        self._components = components
        members: dict[str, wiring.Member] = {}
        for name, component in components.items():
            members[f"{name}_reset"] = In(1)
            for path, member, _ in component.signature.flatten(component):
                flow = In if member.flow is wiring.In else Out
                members[f"{name}_{'_'.join(path)}"] = flow(member.shape)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Wire every port through."""
        m = Module()
        for name, component in self._components.items():
            m.submodules[name] = ResetInserter(getattr(self, f"{name}_reset"))(component)
            for path, member, value in component.signature.flatten(component):
                outer = getattr(self, f"{name}_{'_'.join(path)}")
                m.d.comb += value.eq(outer) if member.flow is wiring.In else outer.eq(value)
        return m


@dataclass(frozen=True)
class Case:
    """One configuration of a component, its table, tokens and stalls."""

    table: Table
    inputs: Sequence[Sequence[int]]
    pattern: str = "always"
    seed: int = 0
    configuration: int | None = None
    stalled: str = "all"
    interrupted: int = 0
    idle_unknown: bool = False
    #: Firings after which an endless run is looked at no more.
    firings: int | None = None
    #: Cycles of a run in which values are not defined: something must come out, and be known.
    undefined: int | None = None


@dataclass(frozen=True)
class Unit:
    """A component and its cases; ``ahead`` is what inputs may take before the firing that needs it.

    ``first`` is the cycle in which a first firing is visible when its operands are offered in
    cycle 0. ``timing`` is a model of :mod:`tests.support.token_timing`; one that is empty says
    nothing of cycles, not even that operands come first.
    """

    component: wiring.Component
    cases: Sequence[Case]
    ahead: Sequence[int]
    first: int = 1
    timing: str = "firings"
    machines: list[Machine] = field(default_factory=list)

    @property
    def widths(self) -> tuple[list[int], list[int]]:
        """Payload bits of the inputs and outputs."""
        found: tuple[list[int], list[int]] = ([], [])
        for name in self.component.signature.members:
            if name.startswith(("in", "out")):
                channel = getattr(self.component, name)
                bits = len(channel.data) if hasattr(channel, "data") else 0
                found[name.startswith("out")].append(bits)
        return found

    @property
    def interval(self) -> int:
        """Cycles between two firings, at least."""
        op = getattr(self.component, "op", None)
        return 1 if op is None else op.timing.initiation_interval_cycles


def job_of(name: str, unit: Unit) -> UnitJob:
    """What the bench does with a unit; leaves the machines, run to the end, in it."""
    inputs, outputs = unit.widths
    unit.machines[:] = [machine(case.table, case.inputs, len(outputs)) for case in unit.cases]
    for case, found in zip(unit.cases, unit.machines, strict=True):
        if case.undefined is None:
            found.run(case.firings)
    passes = [
        PassJob(
            case.inputs,
            [
                (0, len(tokens)) if case.undefined else (taken, min(taken + ahead, len(tokens)))
                for taken, ahead, tokens in zip(found.taken, unit.ahead, case.inputs, strict=True)
            ],
            None if case.undefined else found.outputs,
            case.pattern,
            case.seed,
            case.stalled,
            case.configuration,
            case.undefined,
            case.interrupted,
            is_endless=case.firings is not None,
            idle_unknown=case.idle_unknown,
        )
        for case, found in zip(unit.cases, unit.machines, strict=True)
    ]
    # A starved channel is willing once in 120 cycles.
    return UnitJob(name, inputs, outputs, 130 + 2 * unit.interval, passes)


def simulate(
    units: Mapping[str, Unit], folder, simulator: str = "icarus", edit=lambda text: text
) -> dict[str, list[PassResult]]:
    """Results of every pass of every unit; ``edit`` changes the emitted text."""
    jobs = [job_of(name, unit) for name, unit in units.items()]
    text = edit(to_verilog(Units({name: u.component for name, u in units.items()}), "units"))
    built = build(text, "units", folder, simulator=simulator)
    job, outcome = folder / "job.json", folder / "outcome.json"
    write_job(jobs, job)
    env = {"FABRICGEN_TOKEN_JOB": os.fspath(job), "FABRICGEN_TOKEN_OUTCOME": os.fspath(outcome)}
    run_bench(built, "tokens", seed=1, env=env)
    return read_outcome(outcome)


def problems(unit: Unit, results: Sequence[PassResult]) -> list[str]:
    """Everything that is wrong with the passes of a unit."""
    found: list[str] = []
    for case, done, result in zip(unit.cases, unit.machines, results, strict=True):
        here = [f"{each}" for each in result.findings]
        if case.undefined is not None:
            here += [] if any(result.given) else ["nothing came out"]
        elif not here and unit.timing:
            here += early(case, result, len(done.outputs), min(unit.first, 1))
            here += restless(unit, case, result)
            if unit.timing == "transparent":
                here += torn(case, result, len(done.outputs))
            if case.stalled == "outputs" or case.pattern == "always":
                here += late(unit, done, result)
        found += [f"{case.pattern}/{case.seed} of {case.configuration}: {each}" for each in here]
    return found


def check(
    units: Mapping[str, Unit], folder, simulator: str = "icarus"
) -> dict[str, list[PassResult]]:
    """Fail unless every pass is right; return the results."""
    results = simulate(units, folder, simulator)
    found = {name: problems(unit, results[name]) for name, unit in units.items()}
    assert not any(found.values()), {name: each[:4] for name, each in found.items() if each}
    return results


def late(unit: Unit, done: Machine, result: PassResult) -> list[str]:
    """Tokens that came in another cycle than the timing says, where inputs never pause."""
    wanted = due(unit.timing, done, result.ready, unit.first, unit.interval)
    found: list[str] = []
    for port, (cycles, given) in enumerate(zip(wanted, result.given, strict=True)):
        # An endless run goes on behind the firings of the machine.
        got = [cycle for cycle, _ in given[: len(done.outputs[port])]]
        for at, cycle in enumerate(got):
            if cycles[at : at + 1] != [cycle]:
                found.append(f"out{port} gives token {at} in {cycle}, not {cycles[at : at + 1]}")
                break
    return found


def restless(unit: Unit, case: Case, result: PassResult) -> list[str]:
    """Cycles in which the unit is quiescent with something inside, or not without.

    A transparent one is not either while it offers a result, which is not looked at here; and a
    firing without results may be inside for a cycle.
    """
    ready = Machine(case.table, len(case.inputs), len(result.given))
    given = [0] * len(result.given)
    moves: dict[int, list[tuple[int, int | None]]] = {}
    for port, row in enumerate(result.taken):
        for cycle, token in row:
            moves.setdefault(cycle, []).append((port, token))
    for port, row in enumerate(result.given):
        for cycle, _ in row:
            moves.setdefault(cycle, []).append((port, None))
    quiescent = set(result.quiescent)
    is_fresh = False
    for cycle in range(result.cycles):
        while all(len(r) <= g for r, g in zip(ready.outputs, given, strict=True)):
            if ready.fire() is None:
                break
        is_empty = ready.is_idle and [len(row) for row in ready.outputs] == given
        says = cycle in quiescent
        may_hold = is_fresh or unit.timing == "transparent"
        if says > is_empty or (is_empty > says and not may_hold):
            return [f"cycle {cycle}: quiescent is {says}, not {is_empty}"]
        is_fresh = any(token is not None for _, token in moves.get(cycle, []))
        for port, token in moves.get(cycle, []):
            if token is None:
                given[port] += 1
            else:
                ready.inputs[port].append(token)
    return []


def early(case: Case, result: PassResult, outputs: int, latency: int) -> list[str]:
    """Tokens that came before the firing that gives them could be."""
    ready = Machine(case.table, len(case.inputs), outputs)
    moves = sorted(
        [(cycle, 0, port, token) for port, row in enumerate(result.taken) for cycle, token in row]
        + [
            (cycle - latency, 1, port, token)
            for port, row in enumerate(result.given)
            for cycle, token in row
        ]
    )
    given = [0] * outputs
    for cycle, is_given, port, token in moves:
        if not is_given:
            ready.inputs[port].append(token)
            continue
        given[port] += 1
        while len(ready.outputs[port]) < given[port]:
            if ready.fire() is None:
                return [f"out{port} gives {token} at the end of cycle {cycle}, before its operands"]
    return []


def torn(case: Case, result: PassResult, outputs: int) -> list[str]:
    """Cycles whose handshakes are not one whole firing."""
    follower = Machine(case.table, len(case.inputs), outputs)
    for cycle in range(result.cycles):
        taken = {p: t for p, row in enumerate(result.taken) for at, t in row if at == cycle}
        given = {p: [t] for p, row in enumerate(result.given) for at, t in row if at == cycle}
        if not taken and not given:
            continue
        for port in range(len(case.inputs)):
            follower.inputs[port][follower.taken[port] :] = [taken[port]] if port in taken else []
        step = follower.fire()
        if step is None or (step.takes, dict(step.gives)) != (frozenset(taken), given):
            return [f"cycle {cycle} takes {taken} and gives {given}, which is no row of the table"]
    return []


def with_cases(unit: Unit, **changes) -> Unit:
    """The unit with every case changed."""
    return replace(unit, cases=[replace(case, **changes) for case in unit.cases], machines=[])
