"""Direct carrier of a static shuffle.

Fields, lowest first: block width less one, left block count less one, result block count less
one, and a selector for each possible result block.
"""

from dataclasses import dataclass

from fabricgen.hsg.bits import BitField, choice_bits, pack, reached_bits, unpack
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.vector_params import FixedVectorShuffleParams, element_bits
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.payload import ShuffleMask
from fabricgen.schema.types import VectorType

__all__ = ["ShuffleCarrier", "ShuffleSetting"]


@dataclass(frozen=True, slots=True)
class ShuffleSetting:
    """What a carrier says.

    Parameters
    ----------
    block_bits
        Width of one block.
    left_blocks
        Blocks of the first operand.
    result_blocks
        Blocks of the result.
    selectors
        Source block of each result block, counted across both operands; as many as the resource
        has result blocks, zeros after those in use.
    """

    block_bits: int
    left_blocks: int
    result_blocks: int
    selectors: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ShuffleCarrier:
    """Layout and validity of the carrier of one resource."""

    params: FixedVectorShuffleParams
    ports: PhysicalPorts

    @property
    def layout(self) -> tuple[BitField, ...]:
        """Fields, lowest first; a field may have no bits."""
        bits, count = self._selector_bits, self.params.max_result_blocks
        return (*self._counts, *(BitField(f"selector_{i}", bits) for i in range(count)))

    @property
    def bit_count(self) -> int:
        """Width of the carrier."""
        # Multiplied: the selectors may be very many.
        selectors = self.params.max_result_blocks * self._selector_bits
        return sum(field.bits for field in self._counts) + selectors

    @property
    def valid_bits(self) -> int:
        """Bits that some valid carrier sets."""
        params = self.params
        # Widths are powers of two, so what the narrowest element reaches is all that there is.
        unit = min(element_bits(self.params))
        left, right, result = (limit // unit for limit in self._limits)
        left = min(left, params.max_source_blocks - 1)
        result = min(result, params.max_result_blocks)
        widest = min(params.max_block_payload_bits, *self._limits) // unit
        width = reached_bits(widest - 1) * unit | unit - 1
        counts = pack(self._counts, (width, reached_bits(left - 1), reached_bits(result - 1)))
        selector = reached_bits(min(left + right, params.max_source_blocks) - 1)
        used = sum(selector << self._selector_bits * i for i in range(result))
        return counts | used << sum(field.bits for field in self._counts)

    def is_valid(self, carrier: int) -> bool:
        """Tell whether a carrier stands for some admitted actor."""
        return 0 <= carrier < 1 << self.bit_count and self.admits(self.decode(carrier))

    def decode(self, carrier: int) -> ShuffleSetting:
        """Read the fields of a carrier, valid or not."""
        width, left, result, *selectors = unpack(self.layout, carrier)
        return ShuffleSetting(width + 1, left + 1, result + 1, tuple(selectors))

    def encode_setting(self, setting: ShuffleSetting) -> int:
        """Pack a setting of this resource."""
        values = (
            setting.block_bits - 1,
            setting.left_blocks - 1,
            setting.result_blocks - 1,
            *setting.selectors,
        )
        return pack(self.layout, values)

    def encode(self, actor: OperationActor) -> int:
        """Encode an admitted shuffle; a poisonous selector becomes 0."""
        left, mask = actor.operands[0], actor.payload
        if not isinstance(left, VectorType) or not isinstance(mask, ShuffleMask):
            raise TypeError(f"Actor must be a shuffle, not {actor!r}")
        chosen = tuple(max(selector, 0) for selector in mask.selectors)
        unused = (0,) * (self.params.max_result_blocks - len(chosen))
        block = left.blocks(1) * left.element.bits
        return self.encode_setting(
            ShuffleSetting(block, left.shape[0], len(chosen), (*chosen, *unused))
        )

    def admits(self, setting: ShuffleSetting) -> bool:
        """Tell whether some admitted actor has this setting."""
        params, width = self.params, setting.block_bits
        left, count, selectors = setting.left_blocks, setting.result_blocks, setting.selectors
        if not (left < params.max_source_blocks and count <= params.max_result_blocks):
            return False
        right = max(left, *selectors) + 1 - left if selectors else 1
        left_limit, right_limit, result_limit = self._limits
        return (
            width <= params.max_block_payload_bits
            and any(width % element == 0 for element in element_bits(self.params))
            and all(selector < params.max_source_blocks for selector in selectors)
            and not any(selectors[count:])
            and left * width <= left_limit
            and right * width <= right_limit
            and count * width <= result_limit
        )

    @property
    def inactive(self) -> int:
        """First reachable block width, integers before floats, with everything else zero."""
        unused = (0,) * self.params.max_result_blocks
        settings = (ShuffleSetting(width, 1, 1, unused) for width in element_bits(self.params))
        return self.encode_setting(next(each for each in settings if self.admits(each)))

    @property
    def is_constant(self) -> bool:
        """Whether only one carrier is valid: never, since either operand can be selected."""
        return False

    @property
    def _counts(self) -> tuple[BitField, ...]:
        """Fields before the selectors."""
        params = self.params
        return (
            BitField("block_width_less_one", choice_bits(params.max_block_payload_bits)),
            BitField("left_blocks_less_one", choice_bits(params.max_source_blocks)),
            BitField("result_blocks_less_one", choice_bits(params.max_result_blocks)),
        )

    @property
    def _limits(self) -> tuple[int, int, int]:
        """Bits of both operands and of the result that capacities and ports carry."""
        params, ports = self.params, self.ports
        return (
            min(params.max_operand_payload_bits, ports.inputs[0]),
            min(params.max_operand_payload_bits, ports.inputs[1]),
            min(params.max_result_payload_bits, ports.outputs[0]),
        )

    @property
    def _selector_bits(self) -> int:
        return choice_bits(self.params.max_source_blocks)
