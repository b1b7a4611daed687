"""Static shuffle of blocks: for each unit of the result, a choice among those of both operands."""

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Value

from fabricgen.hsg.admission_rules import narrow
from fabricgen.hsg.bits import choice_bits
from fabricgen.hsg.resource import FabricOp
from fabricgen.hsg.shuffle_carrier import ShuffleCarrier
from fabricgen.hsg.vector_params import FixedVectorShuffleParams
from fabricgen.rtl.logic import named
from fabricgen.rtl.providers.carrier import carrier_fields, pick_among, times, unit_bits
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.stateless import StatelessProvider
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "FixedVectorShuffle"]


@dataclass(frozen=True, slots=True)
class _Block:
    """Where a block of the result comes from: the second operand or not, and its first unit."""

    is_right: Value
    start: Value


class FixedVectorShuffle(StatelessProvider):
    """Block *i* of the result is the block of both operands that selector *i* counts.

    Blocks have any number of units, which are narrowest elements. A unit of the result has a
    choice of those units only that it can come from at some block width. What lies above the
    blocks in use is some block; so is the block of a poisonous selector.

    Latency 2 registers which unit comes from where, beside the operands.
    """

    LATENCIES = (1, 2)

    def __init__(self, op: FabricOp) -> None:
        super().__init__(op)
        params = narrow(op.hw_params, FixedVectorShuffleParams)
        fields = carrier_fields(self, ShuffleCarrier(params, op.ports))
        self._unit = unit_bits(params)
        self._width_less_one = fields["block_width_less_one"][self._unit.bit_length() - 1 :]
        self._left_less_one = fields["left_blocks_less_one"]
        self._selectors = [fields[f"selector_{at}"] for at in range(params.max_result_blocks)]
        #: Units of the operands and of the result, and most blocks of one operand.
        self._sources = [
            min(params.max_operand_payload_bits, port) // self._unit for port in op.ports.inputs
        ]
        widest = min(params.max_result_payload_bits, op.ports.outputs[0])
        self._results = widest // self._unit
        self._blocks = params.max_source_blocks - 1
        block = params.max_block_payload_bits // self._unit
        #: Widths of a block in units.
        self._widths = range(1, min(block, self._results, *self._sources) + 1)

    def datapath(self, m: Module, stages: Stages) -> Value:
        """Sources of blocks, then of units, then the choices."""

        def held(value: Value, name: str) -> Value:
            if stages.latency > 1:
                return stages.register(1, value, name)
            return named(m, value, name)

        left, right = (
            held(operand, name)
            for operand, name in zip(stages.operands, ("left", "right"), strict=True)
        )
        blocks = [self._block(m, at) for at in range(len(self._selectors))]
        parts: list[Value] = []
        for unit in range(self._results):
            covering = {
                width - 1: blocks[unit // width]
                for width in self._widths
                if unit // width < len(blocks) and unit // width * width + width <= self._results
            }
            # Units that no block of any width reaches are the last ones.
            if covering:
                is_right, index = self._source(unit, covering)
                is_right = held(is_right, f"unit_{unit}_is_right")
                index = held(index, f"unit_{unit}_index")
                parts.append(self._choice((left, right), unit, covering, is_right, index))
        return Cat(*parts)

    def _block(self, m: Module, at: int) -> _Block:
        """Source of block ``at`` of the result: its selector less the left blocks, or as it is."""
        selector = self._selectors[at]
        bits = len(selector)
        beyond = named(m, (selector - self._left_less_one - 1)[: bits + 1], f"beyond_left_{at}")
        is_right = ~beyond[bits]
        ordinal = named(m, Mux(is_right, beyond[:bits], selector), f"block_{at}")
        room = choice_bits(max(self._sources))
        start = (times(ordinal, self._width_less_one, room) + ordinal)[:room]
        return _Block(is_right, named(m, start, f"block_{at}_start"))

    def _source(self, unit: int, covering: dict[int, _Block]) -> tuple[Value, Value]:
        """Operand and unit from which a unit of the result comes."""
        is_right = {key: block.is_right for key, block in covering.items()}
        starts = {key: block.start for key, block in covering.items()}
        room = choice_bits(max(self._sources))
        offsets = {key: Const(unit % (key + 1), room) for key in covering}
        width = self._width_less_one
        index = pick_among(starts, width) + pick_among(offsets, width)
        return pick_among(is_right, width), index[:room]

    def _choice(
        self,
        operands: tuple[Value, Value],
        unit: int,
        covering: dict[int, _Block],
        is_right: Value,
        index: Value,
    ) -> Value:
        """One unit of the operands, among those that some block width brings here."""
        left, right = (
            {
                block * (key + 1) + unit % (key + 1)
                for key in covering
                for block in range(min(self._blocks, units // (key + 1)))
            }
            for units in self._sources
        )
        choices: dict[int, Value] = {}
        for at in sorted(left | right):
            low, high = (each[at * self._unit : (at + 1) * self._unit] for each in operands)
            # The operand is known before the unit: it is chosen first.
            both = at in left and at in right
            choices[at] = Mux(is_right, high, low) if both else low if at in left else high
        return pick_among(choices, index)


PROVIDERS = {F.FIXED_VECTOR_SHUFFLE: FixedVectorShuffle}
