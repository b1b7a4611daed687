"""Constant, synchronised and routed tokens."""

from collections.abc import Callable

from amaranth.hdl import Cat, Module, Signal, Value

from fabricgen.hsg.admission_rules import narrow
from fabricgen.hsg.keys import BehaviorKey
from fabricgen.hsg.lanes import effective_widths
from fabricgen.hsg.resource import FabricOp
from fabricgen.hsg.token_params import RoutedTokenParams
from fabricgen.rtl.logic import any_bit, encode, pick
from fabricgen.rtl.operand_queue import OperandQueue
from fabricgen.rtl.providers.fork import publish
from fabricgen.rtl.providers.frame import drive, payload
from fabricgen.rtl.providers.slots import OperandSlots
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.stateless import StatelessProvider
from fabricgen.rtl.providers.timed import TimedProvider
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "TokenConstant", "TokenDemux", "TokenMux", "TokenSync"]


class TokenConstant(StatelessProvider):
    """The configured constant, once per control token."""

    def datapath(self, m: Module, stages: Stages) -> Value:
        """Show the carrier as it stands: the configuration holds it, and no register."""
        return self.configuration


class RoutedProvider(TimedProvider):
    """Physical lanes, some of them in the configured image."""

    def __init__(self, op: FabricOp) -> None:
        super().__init__(op)
        (operation,) = op.op_list
        params = narrow(op.hw_params, RoutedTokenParams)
        #: Effective bits of each physical lane by its port ordinal.
        self.lanes = dict(effective_widths(operation, params, op.ports))
        self.images = [key.lanes or () for key in self.behaviors]

    def uses(self, lane: int) -> Value:
        """One bit: the configured image has a physical lane."""
        return self.is_configured(lambda key: lane in (key.lanes or ()))

    @property
    def used_lanes(self) -> list[int]:
        """Physical lanes that some image has."""
        return sorted({lane for image in self.images for lane in image})

    def selected(self, selector: Value) -> list[Value]:
        """Per used lane, whether the selector names it; exactly one is named.

        Two lanes are told apart by bit 0 alone, more by as many bits as count them. What names
        no lane, which is an error of the program, names the first one of the image.
        """
        most = max(map(len, self.images))
        index = selector[: (most - 1).bit_length()]
        if most > 2:
            is_pair = self.is_configured(lambda key: len(key.lanes or ()) == 2)
            index = Cat(index[0], index[1:] & ~is_pair.replicate(len(index) - 1))
        named = [
            (index == position) & self.is_configured(_has(position)) for position in range(most)
        ]
        named[0] = ~any_bit(named[1:])
        return [
            any_bit(
                is_named & self.is_configured(_has(position, lane))
                for position, is_named in enumerate(named)
            )
            for lane in self.used_lanes
        ]


def _has(position: int, lane: int | None = None) -> Callable[[BehaviorKey], bool]:
    """The image has a lane at a position; that physical lane, if one is given."""

    def holds(key: BehaviorKey) -> bool:
        image = key.lanes or ()
        return position < len(image) and lane in (None, image[position])

    return holds


class TokenSync(RoutedProvider):
    """One token from every lane of the image to every lane, when all are there.

    Each result is handed off as soon as its channel is ready; the next tokens take the slots
    when the last one is.
    """

    def elaborate(self, platform: object) -> Module:
        """A slot per lane."""
        m = Module()
        lanes = self.used_lanes
        used = [self.uses(lane) for lane in lanes]
        operands = [self.inputs[lane] for lane in lanes]
        results = [self.outputs[lane] for lane in lanes]
        leaves = Signal()
        slots = OperandSlots(
            m,
            operands,
            leaves,
            used=used,
            holds=[payload(self.inputs[lane])[: self.lanes[lane]] for lane in lanes],
        )
        done = publish(m, slots.full, list(zip(results, used, strict=True)))
        m.d.comb += [leaves.eq(done), self.quiescent.eq(slots.empty)]
        for result, value in zip(results, slots.operands, strict=True):
            drive(m, result, value)
        return m


class TokenMux(RoutedProvider):
    """The token of the lane that the selector names; the other lanes stay as they are.

    Selectors are taken ahead of their lanes into a queue of two, and a lane is ready only while
    the oldest selector names it. So ready of the selector is a register, and no ready depends on
    any valid. The result is visible one cycle after the lane was taken. Operands: selector, lanes.
    """

    def elaborate(self, platform: object) -> Module:
        """Decode selectors as they enter; one slot for the result."""
        m = Module()
        selector = self.inputs[0]
        (result,) = self.outputs
        lanes = [self.inputs[lane] for lane in self.used_lanes]
        ordinal_bits = (len(lanes) - 1).bit_length()
        m.submodules.selectors = selectors = OperandQueue(ordinal_bits, 2)
        m.d.comb += [
            selectors.i.valid.eq(selector.valid),
            selectors.i.data.eq(encode(Cat(*self.selected(selector.data)))),
            selector.ready.eq(selectors.i.ready),
        ]

        full = Signal()
        takes = Signal()
        room = ~full | result.ready
        chosen = [selectors.o.data == ordinal for ordinal in range(len(lanes))]
        m.d.comb += [
            takes.eq(
                selectors.o.valid
                & room
                & any_bit(names & lane.valid for names, lane in zip(chosen, lanes, strict=True))
            ),
            selectors.o.ready.eq(takes),
            result.valid.eq(full),
            self.quiescent.eq(~selectors.o.valid & ~full),
        ]
        for names, lane in zip(chosen, lanes, strict=True):
            m.d.comb += lane.ready.eq(selectors.o.valid & room & names)
        with m.If(room):
            m.d.sync += full.eq(takes)

        bits = max(self.lanes[lane] for lane in self.used_lanes)
        if bits:
            offered = [payload(self.inputs[lane])[: self.lanes[lane]] for lane in self.used_lanes]
            value = Signal(bits, reset_less=True)
            with m.If(room):
                m.d.sync += value.eq(pick(offered, selectors.o.data))
            drive(m, result, value)
        return m


class TokenDemux(RoutedProvider):
    """A token to the lane that the selector names, and to no other. Operands: selector, token."""

    def elaborate(self, platform: object) -> Module:
        """A slot for the lane's ordinal, one for the token."""
        m = Module()
        selector, value = self.inputs
        results = [self.outputs[lane] for lane in self.used_lanes]
        bits = max(self.lanes[lane] for lane in self.used_lanes)
        leaves = Signal()
        slots = OperandSlots(
            m,
            [selector, value],
            leaves,
            holds=[encode(Cat(*self.selected(selector.data))), payload(value)[:bits]],
        )
        chosen = [slots.operands[0] == ordinal for ordinal in range(len(results))]
        taken = any_bit(names & result.ready for names, result in zip(chosen, results, strict=True))
        m.d.comb += [leaves.eq(slots.full & taken), self.quiescent.eq(slots.empty)]
        for lane, names, result in zip(self.used_lanes, chosen, results, strict=True):
            m.d.comb += result.valid.eq(slots.full & names)
            drive(m, result, slots.operands[1][: self.lanes[lane]])
        return m


PROVIDERS = {
    F.TOKEN_CONSTANT: TokenConstant,
    F.TOKEN_SYNC: TokenSync,
    F.TOKEN_MUX: TokenMux,
    F.TOKEN_DEMUX: TokenDemux,
}
