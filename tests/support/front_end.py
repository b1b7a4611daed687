"""The resident rows of a Temporal port in plain Python, for benches to compare with."""

import random
from dataclasses import dataclass, field

from fabricgen.rtl.temporal.front_end import RowFrontEnd
from fabricgen.rtl.temporal.shape import FrontEndShape
from tests.support.channel import run
from tests.support.grant import PolicyModel

Slot = tuple[int, int]  # row, role


@dataclass(frozen=True)
class Source:
    """Where a slot's tokens come from: an ingress with a tag, or a connection."""

    ingress: int | None = None
    tag: int = 0
    connection: int | None = None


@dataclass
class Configuration:
    """Active rows: the sources of their roles, and their targets."""

    sources: dict[Slot, Source]
    targets: dict[int, int]

    def slots_of(self, row: int) -> list[Slot]:
        """Slots that a firing of the row needs."""
        return [slot for slot in self.sources if slot[0] == row]


def random_configuration(shape: FrontEndShape, rng: random.Random) -> Configuration:
    """Some rows, each role from any source it may have, tags unique at each ingress."""
    free = {at: list(range(1 << shape.tag_width)) for at, _ in shape.ingress_widths}
    for tags in free.values():
        rng.shuffle(tags)
    sources: dict[Slot, Source] = {}
    targets: dict[int, int] = {}
    for row in rng.sample(range(shape.rows), rng.randint(1, shape.rows)):
        roles = rng.sample(range(len(shape.roles)), rng.randint(1, len(shape.roles)))
        chosen: dict[Slot, Source] = {}
        for role in roles:
            choices = [at for at in shape.roles[role].ingresses if free[at]]
            links = shape.roles[role].connections
            if not choices and not links:
                continue
            at = rng.choice([*(("i", at) for at in choices), *(("c", at) for at in links)])
            if at[0] == "i":
                chosen[row, role] = Source(ingress=at[1], tag=free[at[1]].pop())
            else:
                chosen[row, role] = Source(connection=at[1])
        if chosen:
            sources |= chosen
            targets[row] = rng.randrange(shape.targets)
    return Configuration(sources, targets)


def drive_configuration(ctx, dut: RowFrontEnd, configuration: Configuration) -> None:
    """Set the static inputs."""
    shape, words = dut.shape, {}
    words["enabled"] = sum(1 << row for row in configuration.targets)
    for (row, role), source in configuration.sources.items():
        names = [f"needed_{role}"]
        if source.ingress is None:
            names.append(f"consumes_{role}_{source.connection}")
        else:
            names.append(f"selects_{role}_{source.ingress}")
            tag = source.tag << row * shape.tag_width
            words[f"tag_{role}"] = words.get(f"tag_{role}", 0) | tag
        for name in names:
            words[name] = words.get(name, 0) | 1 << row
    if shape.targets > 1:
        for row, target in configuration.targets.items():
            words[f"target_{target}"] = words.get(f"target_{target}", 0) | 1 << row
    for name, value in words.items():
        ctx.set(getattr(dut, name), value)


@dataclass
class Inputs:
    """What stands at the front end in one cycle; by default, nothing and nothing in the way."""

    tokens: dict[int, tuple[int, int]] = field(default_factory=dict)  # ingress -> tag, payload
    hold: int = 0  # rows that are held
    drain: int = 0
    claimable: int = -1
    pool: bool = True
    issued: int = 0  # rows that have a firing, and may have another from the pool
    leaving: int = 0
    permits: list[bool] = field(default_factory=lambda: [True])
    payloads: dict[int, int] = field(default_factory=dict)  # what connections would bring


@dataclass
class Outputs:
    """What the front end answers in the same cycle."""

    ready: dict[int, bool]
    hit: dict[int, bool]
    free: dict[int, bool]
    grant: int | None
    further: tuple[bool, bool]  # with a firing; with one that is not leaving
    selects: list[int]
    selected: int | None
    operands: dict[int, int]
    present: dict[int, int]
    empty: bool


@dataclass
class FrontEndModel:
    """One token at most in each slot; policy and permits decide who fires."""

    shape: FrontEndShape
    configuration: Configuration
    held: dict[Slot, int] = field(default_factory=dict)
    selected: tuple[int, dict[int, int]] | None = None
    permitted: list[bool] = field(default_factory=list)
    claimable: int = 0
    accepted: dict[Slot, list[int]] = field(default_factory=dict)
    fired: dict[Slot, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.permitted = [False] * self.shape.targets
        self.policy = None if self.shape.policy is None else PolicyModel(self.shape.policy)

    def _slot_of(self, ingress: int, tag: int) -> Slot | None:
        for slot, source in self.configuration.sources.items():
            if source.ingress == ingress and source.tag == tag:
                return slot
        return None

    def _is_closed(self, row: int, inputs: Inputs) -> bool:
        """Held, or drained and without a token."""
        has_token = any(slot[0] == row for slot in self.held)
        return bool(inputs.hold >> row & 1 or (inputs.drain >> row & 1 and not has_token))

    def _choose(self, inputs: Inputs) -> int | None:
        rows = {
            row
            for row, target in self.configuration.targets.items()
            if all(slot in self.held for slot in self.configuration.slots_of(row))
            and self.claimable >> row & 1
            and self.permitted[target]
        }
        if self.policy is None:
            row = next(iter(rows), None)
        else:
            cursor = self.policy.start
            row = self.policy.choose(rows)
        if row is not None and not (
            inputs.permits[self.configuration.targets[row]]
            and (inputs.pool or not inputs.issued >> row & 1)
        ):
            if self.policy is not None:
                self.policy.start = cursor
            return None
        return row

    def _operands(self, payloads: dict[int, int]) -> dict[int, int]:
        return {
            role: payload & (1 << width) - 1
            for role, payload in payloads.items()
            if (width := self.shape.roles[role].width)
        }

    def cycle(self, inputs: Inputs) -> Outputs:
        """Answer of this cycle; then the state of the next one."""
        shape, sources = self.shape, self.configuration.sources
        ready, hit, arriving = {}, {}, {}
        for at, (tag, payload) in inputs.tokens.items():
            slot = self._slot_of(at, tag)
            hit[at] = slot is not None and not self._is_closed(slot[0], inputs)
            ready[at] = hit[at] and slot not in self.held
            if slot is not None and ready[at]:
                arriving[slot] = payload
        free = {}
        for at, _ in shape.connection_widths:
            consumers = [slot for slot, source in sources.items() if source.connection == at]
            free[at] = not any(slot in self.held for slot in consumers)
            if free[at] and at in inputs.payloads:
                arriving |= dict.fromkeys(consumers, inputs.payloads[at])
        row = self._choose(inputs)
        outputs = Outputs(
            ready,
            hit,
            free,
            row,
            (
                row is not None and inputs.issued >> row & 1 == 1,
                row is not None and (inputs.issued & ~inputs.leaving) >> row & 1 == 1,
            ),
            [] if row is None else [self.configuration.targets[row]],
            None if self.selected is None else self.selected[0],
            {} if self.selected is None else self._operands(self.selected[1]),
            {
                role: sum(1 << slot[0] for slot in self.held if slot[1] == role)
                for role in range(len(shape.roles))
            },
            not self.held and self.selected is None,
        )
        self.selected = None
        if row is not None:
            taken = {slot: self.held.pop(slot) for slot in self.configuration.slots_of(row)}
            self.selected = (row, {role: payload for (_, role), payload in taken.items()})
            for slot, payload in taken.items():
                self.fired.setdefault(slot, []).append(payload)
        for slot, payload in arriving.items():
            assert slot not in self.held
            self.held[slot] = payload
            self.accepted.setdefault(slot, []).append(payload)
        self.permitted = inputs.permits
        self.claimable = inputs.claimable
        return outputs


def random_inputs(shape: FrontEndShape, configuration: Configuration, rng: random.Random):
    """One cycle of traffic: mostly tags in use, now and then another one."""
    tokens = {}
    for at, width in shape.ingress_widths:
        used = [s.tag for s in configuration.sources.values() if s.ingress == at]
        if rng.random() < 0.8:
            tag = (
                rng.choice(used)
                if used and rng.random() < 0.9
                else rng.randrange(1 << shape.tag_width)
            )
            tokens[at] = (tag, rng.getrandbits(width) if width else 0)
    return Inputs(
        tokens,
        hold=rng.getrandbits(shape.rows) if rng.random() < 0.1 else 0,
        drain=rng.getrandbits(shape.rows) if rng.random() < 0.3 else 0,
        claimable=(1 << shape.rows) - 1 if rng.random() < 0.5 else rng.getrandbits(shape.rows),
        pool=rng.random() < 0.7,
        issued=rng.getrandbits(shape.rows),
        leaving=rng.getrandbits(shape.rows),
        permits=[rng.random() < 0.8 for _ in range(shape.targets)],
        payloads={
            at: rng.getrandbits(width) if width else 0
            for at, width in shape.connection_widths
            if rng.random() < 0.6
        },
    )


def play(dut: RowFrontEnd, configuration: Configuration, stimulus: list[Inputs]) -> list[Outputs]:
    """Drive the front end cycle by cycle; a connection fires where it is free and has a payload.

    ``hit`` and ``ready`` of an ingress that shows no token, and operands that no slot holds, are
    left out.
    """
    shape = dut.shape
    seen: list[Outputs] = []

    async def bench(ctx):
        def bit(name):
            return bool(ctx.get(getattr(dut, name)))

        drive_configuration(ctx, dut, configuration)
        for inputs in stimulus:
            for at, width in shape.ingress_widths:
                channel = getattr(dut, f"ingress_{at}")
                tag, payload = inputs.tokens.get(at, (0, 0))
                ctx.set(channel.valid, at in inputs.tokens)
                ctx.set(channel.tag, tag)
                if width:
                    ctx.set(channel.data, payload)
            ctx.set(dut.hold, inputs.hold)
            ctx.set(dut.drain, inputs.drain)
            ctx.set(dut.claimable, inputs.claimable)
            ctx.set(dut.pool, inputs.pool)
            ctx.set(dut.issued, inputs.issued)
            ctx.set(dut.leaving, inputs.leaving)
            for target, permit in enumerate(inputs.permits):
                ctx.set(getattr(dut, f"permit_{target}"), permit)
            free = {at: bit(f"free_{at}") for at, _ in shape.connection_widths}
            fires = [at for at in inputs.payloads if free[at]]
            for at in free:
                ctx.set(getattr(dut, f"fire_{at}"), at in fires)

            grant = ctx.get(dut.grant)
            assert grant & (grant - 1) == 0
            selected = ctx.get(dut.selected) if bit("selected_valid") else None
            seen.append(
                Outputs(
                    {
                        at: bool(ctx.get(getattr(dut, f"ingress_{at}").ready))
                        for at in inputs.tokens
                    },
                    {at: bit(f"hit_{at}") for at in inputs.tokens},
                    free,
                    grant.bit_length() - 1 if grant else None,
                    (bit("further"), bit("beside")),
                    [target for target in range(shape.targets) if bit(f"select_{target}")],
                    selected,
                    {
                        role: ctx.get(getattr(dut, f"operand_{role}"))
                        for role, kind in enumerate(shape.roles)
                        if (selected, role) in configuration.sources and kind.width
                    },
                    {
                        role: ctx.get(getattr(dut, f"present_{role}"))
                        for role in range(len(shape.roles))
                    },
                    bit("empty"),
                )
            )
            await ctx.tick()
            for at in fires:
                if dict(shape.connection_widths)[at]:
                    ctx.set(getattr(dut, f"connection_{at}"), inputs.payloads[at])

    run(dut, bench)
    return seen


def differences(
    dut: RowFrontEnd, configuration: Configuration, stimulus: list[Inputs]
) -> tuple[list[str], FrontEndModel]:
    """Say where the front end differs from the model in any cycle; and the model, for its books."""
    model = FrontEndModel(dut.shape, configuration)
    found = []
    for cycle, (seen, inputs) in enumerate(
        zip(play(dut, configuration, stimulus), stimulus, strict=True)
    ):
        if seen != (expected := model.cycle(inputs)):
            found.append(f"cycle {cycle}: must be {expected}, not {seen}")
    return found, model
