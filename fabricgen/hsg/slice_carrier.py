"""Direct carrier of a slice, align and merge datapath.

Fields, lowest first: ``mode`` (where both schemas are enabled: 0 extract, 1 insert), the static
``offset`` in bits, the slice width less one, and a stride in bits for each dynamic index.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from fabricgen.hsg.bits import BitField, carrier_bytes, choice_bits, pack, reached_bits, unpack
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.vector_params import FixedVectorSliceAlignMergeParams, element_bits
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.payload import StaticPosition
from fabricgen.schema.types import VectorType
from fabricgen.vocab.dataflow import OperationSchemaId

__all__ = ["SliceCarrier", "SliceSetting"]

_EXTRACT, _INSERT = OperationSchemaId.VECTOR_EXTRACT, OperationSchemaId.VECTOR_INSERT


@dataclass(frozen=True, slots=True)
class SliceSetting:
    """What a carrier says.

    Parameters
    ----------
    operation
        Extract or insert.
    offset_bits
        Static part of the position.
    slice_bits
        Width of the slice.
    stride_bits
        Distance of one step of each dynamic index, outermost first; as many as the resource has
        dynamic indices, those in use before zeros.
    """

    operation: OperationSchemaId
    offset_bits: int
    slice_bits: int
    stride_bits: tuple[int, ...] = ()

    @property
    def dynamic_count(self) -> int:
        """Dynamic indices in use."""
        return len(self.stride_bits) - self.stride_bits.count(0)


@dataclass(frozen=True, slots=True)
class SliceCarrier:
    """Layout and validity of the carrier of one resource."""

    params: FixedVectorSliceAlignMergeParams
    ports: PhysicalPorts
    operations: tuple[OperationSchemaId, ...]

    @property
    def layout(self) -> tuple[BitField, ...]:
        """Fields, lowest first; a field may have no bits."""
        container = self.params.max_container_payload_bits
        rank = self.params.max_dynamic_position_rank
        return (
            BitField("mode", len(self.operations) - 1),
            BitField("offset", choice_bits(container)),
            BitField("slice_width_less_one", choice_bits(self.params.max_slice_payload_bits)),
            *(BitField(f"stride_{i}", choice_bits(container + 1)) for i in range(rank)),
        )

    @property
    def bit_count(self) -> int:
        """Width of the carrier."""
        return sum(field.bits for field in self.layout)

    @property
    def valid_bits(self) -> int:
        """Bits that some valid carrier sets."""
        found = 0
        for mode, operation in enumerate(self.operations):
            limit = self._container_limit(operation)
            widest = min(self._slice_limit(operation), limit)
            # Widths are powers of two, so multiples of the narrowest are all that there are; an
            # enabled operation is reachable, so that one fits.
            unit = min(element_bits(self.params))
            offset = reached_bits(limit // unit - 1) * unit
            width = reached_bits(widest // unit - 1) * unit | unit - 1
            stride = reached_bits(limit // unit) * unit
            ranks = range(1, self.params.max_dynamic_position_rank + 1)
            strides = (stride if self._indices_fit(rank) else 0 for rank in ranks)
            found |= pack(self.layout, (mode, offset, width, *strides))
        return found

    def is_valid(self, carrier: int) -> bool:
        """Tell whether a carrier stands for some admitted actor."""
        return 0 <= carrier < 1 << self.bit_count and self.admits(self.decode(carrier))

    def decode(self, carrier: int) -> SliceSetting:
        """Read the fields of a carrier, valid or not."""
        mode, offset, width, *strides = unpack(self.layout, carrier)
        return SliceSetting(self.operations[mode], offset, width + 1, tuple(strides))

    def encode_setting(self, setting: SliceSetting) -> int:
        """Pack a setting of this resource."""
        mode = self.operations.index(setting.operation)
        values = (mode, setting.offset_bits, setting.slice_bits - 1, *setting.stride_bits)
        return pack(self.layout, values)

    def encode(self, actor: OperationActor) -> int:
        """Encode an admitted extract or insert; a poisonous static index counts as 0."""
        merges = actor.schema_id is _INSERT
        container = actor.operands[1] if merges else actor.operands[0]
        position = actor.payload
        if not isinstance(container, VectorType) or not isinstance(position, StaticPosition):
            raise TypeError(f"Actor must be an extract or insert, not {actor!r}")
        offset = 0
        strides: list[int] = []
        for dimension, index in enumerate(position.components):
            stride = container.blocks(dimension + 1) * container.element.bits
            if index is None:
                strides.append(stride)
            else:
                offset += max(index, 0) * stride
        width = container.blocks(len(position.components)) * container.element.bits
        unused = self.params.max_dynamic_position_rank - len(strides)
        setting = SliceSetting(actor.schema_id, offset, width, (*strides, *(0,) * unused))
        return self.encode_setting(setting)

    def admits(self, setting: SliceSetting) -> bool:
        """Tell whether some admitted actor has this setting."""
        width, used = setting.slice_bits, setting.stride_bits[: setting.dynamic_count]
        limit = self._container_limit(setting.operation)
        chain = (*used, width)
        granularity = chain[0]
        return (
            any(width % element == 0 for element in element_bits(self.params))
            and width <= self._slice_limit(setting.operation)
            and setting.offset_bits % width == 0
            and all(used)
            and all(stride <= self.params.max_container_payload_bits for stride in used)
            and all(chain[i] % chain[i + 1] == 0 for i in range(len(used)))
            and (setting.offset_bits // granularity + 1) * granularity <= limit
            and self._indices_fit(len(used))
        )

    @property
    def inactive(self) -> int:
        """Smallest carrier, as bytes, of the first reachable element of each enabled schema."""
        return min(self._first_carriers(), key=lambda each: carrier_bytes(each, self.bit_count))

    @property
    def is_constant(self) -> bool:
        """Whether only one carrier is valid, so that there is nothing to configure."""
        if len(self.operations) != 1:
            return False
        operation = self.operations[0]
        limit = self._container_limit(operation)
        widths = {
            width
            for element in element_bits(self.params)
            for width in (element, 2 * element)
            if width <= min(self._slice_limit(operation), limit)
        }
        width = min(widths)
        return len(widths) == 1 and 2 * width > limit and not self._indices_fit(1)

    def _container_limit(self, operation: OperationSchemaId) -> int:
        """Widest container that capacity and ports carry."""
        ports = self.ports
        physical = (
            ports.inputs[0] if operation is _EXTRACT else min(ports.inputs[1], ports.outputs[0])
        )
        return min(self.params.max_container_payload_bits, physical)

    def _slice_limit(self, operation: OperationSchemaId) -> int:
        """Widest slice that capacity and ports carry."""
        port = self.ports.outputs[0] if operation is _EXTRACT else self.ports.inputs[0]
        return min(self.params.max_slice_payload_bits, port)

    def _indices_fit(self, count: int) -> bool:
        """Tell whether one admitted index width fits the first ``count`` index ports."""
        indices = self.ports.inputs[2 : 2 + count]
        return count == 0 or (
            count <= self.params.max_dynamic_position_rank
            and any(width.bits <= min(indices) for width in self.params.resolved_index_widths)
        )

    def _first_carriers(self) -> Iterator[int]:
        strides = (0,) * self.params.max_dynamic_position_rank
        for operation in self.operations:
            settings = (
                SliceSetting(operation, 0, each, strides) for each in element_bits(self.params)
            )
            yield from islice((self.encode_setting(s) for s in settings if self.admits(s)), 1)
