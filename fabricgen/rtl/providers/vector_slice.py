"""Extraction and insertion of a slice at a position: one position decoder and one rotator."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Value

from fabricgen.hsg.admission_rules import narrow
from fabricgen.hsg.bits import choice_bits
from fabricgen.hsg.resource import FabricOp
from fabricgen.hsg.slice_carrier import SliceCarrier
from fabricgen.hsg.vector_params import FixedVectorSliceAlignMergeParams
from fabricgen.rtl.logic import any_bit, at_least, named
from fabricgen.rtl.providers.carrier import carrier_fields, times, unit_bits
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.stateless import StatelessProvider
from fabricgen.vocab.dataflow import OperationSchemaId
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "FixedVectorSliceAlignMerge"]


class FixedVectorSliceAlignMerge(StatelessProvider):
    """The slice at ``offset + sum(index * stride)`` bits of a vector, or the vector with another.

    Input 0 is the vector of an extract and the slice of an insert, input 1 the vector of an
    insert, the inputs from 2 on are indices; those whose stride is zero are not consumed. All
    numbers count in units of the narrowest element. Input 0 is rotated, to the right by the
    position for an extract and to the left for an insert; an extract has zeros above the slice.
    An index that leads beyond the widest vector inserts nothing, and extracts some bits of it.

    Latency 2 registers the position beside the operands.
    """

    LATENCIES = (1, 2)

    def __init__(self, op: FabricOp) -> None:
        super().__init__(op)
        params = narrow(op.hw_params, FixedVectorSliceAlignMergeParams)
        fields = carrier_fields(self, SliceCarrier(params, op.ports, op.op_list))
        self._unit = unit_bits(params)
        shift = self._unit.bit_length() - 1
        self._offset = fields["offset"][shift:]
        self._width_less_one = fields["slice_width_less_one"][shift:]
        ranks = range(params.max_dynamic_position_rank)
        self._strides = [fields[f"stride_{rank}"][shift:] for rank in ranks]
        self._index_bits = max((each.bits for each in params.resolved_index_widths), default=0)

        self._extracts = OperationSchemaId.VECTOR_EXTRACT in op.op_list
        self._inserts = OperationSchemaId.VECTOR_INSERT in op.op_list
        both = self._extracts and self._inserts
        self._is_insert: Value = fields["mode"] if both else Const(self._inserts, 1)

        (first, second), (result,) = op.ports.inputs[:2], op.ports.outputs
        container, part = params.max_container_payload_bits, params.max_slice_payload_bits
        merged = min(container, second, result) if self._inserts else 0
        source = min(container, first) if self._extracts else 0
        #: Units of the widest vector, of the widest result, and bits of a position.
        self._units = max(merged, source) // self._unit
        self._result_units = max(merged, min(part, source, result)) // self._unit
        self._bits = choice_bits(self._units)

    def used_operands(self) -> list[Value]:
        """A vector beside the slice for an insert, and the indices that have a stride."""
        return [Const(1, 1), self._is_insert, *(stride.any() for stride in self._strides)]

    def datapath(self, m: Module, stages: Stages) -> Value:
        """Position and range, the rotator, and what stands in each unit of the result."""

        def held(value: Value, name: str) -> Value:
            if stages.latency > 1:
                return stages.register(1, value, name)
            return named(m, value, name)

        is_insert = named(m, self._is_insert, "is_insert")
        position, fits = self._position(m, stages.operands[2:])
        inside = self._inside(m, position, fits, is_insert)
        keeps = held(~inside & is_insert.replicate(len(inside)), "keeps")
        inside = held(inside, "inside")
        amount = position
        if self._extracts and self._inserts:
            # To the left is to the right by what is missing to a whole turn.
            amount = Mux(is_insert, -position, position)[: self._bits]
        rotated = self._rotated(m, held(stages.operands[0], "first"), held(amount, "amount"))
        vector = held(stages.operands[1], "second") if self._inserts else None
        return Cat(
            self._result_unit(unit, keeps[unit], inside[unit], vector, rotated)
            for unit in range(self._result_units)
        )

    def _position(self, m: Module, indices: Sequence[Value]) -> tuple[Value, Value]:
        """Position in units, modulo a power of two, and whether it is less than that."""
        bits = 2 * self._bits + (len(indices) + 1).bit_length()
        exact: Value = self._offset
        beyond: list[Value] = []
        for operand, stride in zip(indices, self._strides, strict=True):
            index = operand[: self._index_bits]
            exact = (exact + times(index[: self._bits], stride, bits))[:bits]
            beyond.append(stride.any() & index[self._bits :].any())
        exact = named(m, exact, "position")
        return exact[: self._bits], ~any_bit([*beyond, exact[self._bits :].any()])

    def _inside(self, m: Module, position: Value, fits: Value, is_insert: Value) -> Value:
        """Per unit of the result, whether it is one of the slice."""
        start = named(m, position & is_insert.replicate(self._bits), "start")
        end = named(m, start + self._width_less_one + 1, "end")
        lies = named(m, fits | ~is_insert, "lies_in_the_vector")
        return named(
            m,
            Cat(
                ~at_least(start, unit + 1) & at_least(end, unit + 1) & lies
                for unit in range(self._result_units)
            ),
            "units_of_the_slice",
        )

    def _rotated(self, m: Module, value: Value, amount: Value) -> Value:
        """Input 0 rotated to the right; for one operation alone, shifted in its direction."""
        whole = self._unit << self._bits
        value = Cat(value[:whole], Const(0, max(whole - len(value), 0)))
        turns = range(self._bits)
        # Long distances first where few bits are wanted; else last, as their amounts come last.
        for turn in turns if self._inserts else reversed(turns):
            distance = self._unit << turn
            if not self._extracts:
                moved = Cat(Const(0, distance), value[:-distance])
            else:
                around = value[:distance] if self._inserts else Const(0, distance)
                moved = Cat(value[distance:], around)
            value = named(m, Mux(amount[turn], moved, value), f"rotated_by_{distance}")
        return value

    def _result_unit(
        self, unit: int, keeps: Value, inside: Value, vector: Value | None, rotated: Value
    ) -> Value:
        """A unit of the vector, of the slice, or zeros."""
        at = slice(unit * self._unit, (unit + 1) * self._unit)
        part = rotated[at] & inside.replicate(self._unit)
        return part if vector is None else Mux(keeps, vector[at], part)


PROVIDERS = {F.FIXED_VECTOR_SLICE_ALIGN_MERGE: FixedVectorSliceAlignMerge}
