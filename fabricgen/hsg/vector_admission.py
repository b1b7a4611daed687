"""Admissions of the fixed-vector families: what of an exact actor a concrete resource lacks."""

from collections.abc import Iterator
from typing import cast

from fabricgen.errors import Diagnostic
from fabricgen.errors.listing import listed_names
from fabricgen.hsg.admission_rules import (
    behavior_findings,
    capacity_findings,
    element_findings,
    fit_findings,
    format_findings,
    narrow,
    port_findings,
    predicate_findings,
    vector_findings,
    width_findings,
)
from fabricgen.hsg.params import CapabilityParams
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.vector_params import (
    FixedVectorAdapterParams,
    FixedVectorFloatCompareMinMaxParams,
    FixedVectorFloatParams,
    FixedVectorIntegerCompareMinMaxParams,
    FixedVectorIntegerParams,
    FixedVectorShuffleParams,
    FixedVectorSliceAlignMergeParams,
    FixedVectorValueSelectParams,
)
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.payload import FloatCompare, IntegerCompare, ShuffleMask
from fabricgen.schema.types import IndexType, ValueType, VectorType
from fabricgen.vocab.dataflow import OperationSchemaId

__all__ = [
    "fixed_vector_adapter",
    "fixed_vector_float_compare",
    "fixed_vector_integer",
    "fixed_vector_integer_compare",
    "fixed_vector_shuffle",
    "fixed_vector_slice_align_merge",
    "fixed_vector_uniform_float",
    "fixed_vector_value_select",
]


def fixed_vector_integer(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """Integer lanes of one admitted width within the payload."""
    record = narrow(params, FixedVectorIntegerParams)
    yield from vector_findings(actor)
    result = actor.results[0]
    yield from width_findings("results[0]", result, record.element_widths)
    yield from capacity_findings("results[0]", result.bits, record.max_payload_bits)
    yield from port_findings(ports, actor)


def fixed_vector_integer_compare(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """Integer lanes of one admitted width; a comparison's predicate is admitted."""
    record = narrow(params, FixedVectorIntegerCompareMinMaxParams)
    yield from vector_findings(actor)
    operand = actor.operands[0]
    yield from width_findings("operands[0]", operand, record.element_widths)
    if isinstance(actor.payload, IntegerCompare):
        yield from predicate_findings(actor.payload.predicate, record.predicates)
    yield from capacity_findings("operands[0]", operand.bits, record.max_payload_bits)
    yield from port_findings(ports, actor)


def fixed_vector_value_select(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """Lanes of an admitted element, selected by a condition with one bit for each lane."""
    record = narrow(params, FixedVectorValueSelectParams)
    yield from vector_findings(actor)
    yield from element_findings(
        "results[0]",
        actor.results[0],
        record.integer_element_widths,
        record.float_element_formats,
    )
    yield from capacity_findings("results[0]", actor.results[0].bits, record.max_payload_bits)
    yield from port_findings(ports, actor)


def fixed_vector_uniform_float(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """Floating-point lanes of one admitted format, in the offered behaviour."""
    record = narrow(params, FixedVectorFloatParams)
    yield from vector_findings(actor)
    result = actor.results[0]
    yield from format_findings("results[0]", result, record.element_formats)
    yield from behavior_findings(actor, record.behavior)
    yield from capacity_findings("results[0]", result.bits, record.max_payload_bits)
    yield from port_findings(ports, actor)


def fixed_vector_float_compare(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """Floating-point lanes of one admitted format; the predicate is admitted."""
    record = narrow(params, FixedVectorFloatCompareMinMaxParams)
    yield from vector_findings(actor)
    operand = actor.operands[0]
    yield from format_findings("operands[0]", operand, record.element_formats)
    if isinstance(actor.payload, FloatCompare):
        yield from predicate_findings(actor.payload.predicate, record.predicates)
    yield from behavior_findings(actor, record.behavior)
    yield from capacity_findings("operands[0]", operand.bits, record.max_payload_bits)
    yield from port_findings(ports, actor)


def fixed_vector_adapter(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """The adapted vector has an admitted element and fits the payload."""
    record = narrow(params, FixedVectorAdapterParams)
    into = (OperationSchemaId.DATAFLOW_PACK, OperationSchemaId.DATAFLOW_SERIALIZE)
    takes = actor.schema_id in into
    where, vector = (
        ("operands[0]", actor.operands[0]) if takes else ("results[0]", actor.results[0])
    )
    yield from element_findings(
        where, vector, record.integer_element_widths, record.float_element_formats
    )
    yield from capacity_findings(where, vector.bits, record.max_payload_bits)
    yield from port_findings(ports, actor)


def fixed_vector_slice_align_merge(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """Container, slice and dynamic position fit the datapath.

    Input 0 is the container of an extract and the slice of an insert, input 1 the container of an
    insert; inputs from 2 on are the dynamic indices.
    """
    record = narrow(params, FixedVectorSliceAlignMergeParams)
    merges = actor.schema_id is OperationSchemaId.VECTOR_INSERT
    container = actor.operands[1] if merges else actor.operands[0]
    part = actor.operands[0] if merges else actor.results[0]
    indices = actor.operands[2:] if merges else actor.operands[1:]
    where = "operands[1]" if merges else "operands[0]"
    yield from element_findings(
        where, container, record.integer_element_widths, record.float_element_formats
    )
    yield from capacity_findings(where, container.bits, record.max_container_payload_bits)
    where = "operands[0]" if merges else "results[0]"
    yield from capacity_findings(where, part.bits, record.max_slice_payload_bits)
    if len(indices) > record.max_dynamic_position_rank:
        yield Diagnostic(
            "admission-position-rank",
            "payload.components",
            f"The position must have at most {record.max_dynamic_position_rank} dynamic indices, "
            f"not {len(indices)}",
        )
    first = 2 if merges else 1
    for ordinal, index in enumerate(indices):
        yield from _index_findings(f"operands[{ordinal + first}]", index, record)
    physical = (part, container) if merges else (container,)
    for ordinal, kind in enumerate(physical):
        yield from fit_findings(f"operands[{ordinal}]", kind, ports.inputs[ordinal])
    for ordinal, kind in enumerate(indices[: record.max_dynamic_position_rank]):
        yield from fit_findings(f"operands[{ordinal + first}]", kind, ports.inputs[ordinal + 2])
    yield from fit_findings("results[0]", actor.results[0], ports.outputs[0])


def _index_findings(
    where: str, index: ValueType, record: FixedVectorSliceAlignMergeParams
) -> Iterator[Diagnostic]:
    if isinstance(index, IndexType) and index.width not in record.resolved_index_widths:
        names = listed_names(f"index{width.bits}" for width in record.resolved_index_widths)
        yield Diagnostic(
            "admission-index-width",
            where,
            f"The index must resolve to one of {names}, not {index}",
        )


def fixed_vector_shuffle(
    params: CapabilityParams, ports: PhysicalPorts, actor: OperationActor
) -> Iterator[Diagnostic]:
    """Operands, result, blocks and their counts fit the datapath."""
    record = narrow(params, FixedVectorShuffleParams)
    # A shuffle has no other shape or payload.
    left, right = cast("tuple[VectorType, VectorType]", actor.operands)
    selectors, result = cast("ShuffleMask", actor.payload).selectors, actor.results[0]
    yield from element_findings(
        "results[0]", result, record.integer_element_widths, record.float_element_formats
    )
    for where, kind, capacity in (
        ("operands[0]", left, record.max_operand_payload_bits),
        ("operands[1]", right, record.max_operand_payload_bits),
        ("results[0]", result, record.max_result_payload_bits),
    ):
        yield from capacity_findings(where, kind.bits, capacity)
    block = left.blocks(1) * left.element.bits
    yield from capacity_findings("payload.selectors", block, record.max_block_payload_bits)
    for name, count, most in (
        ("source", left.shape[0] + right.shape[0], record.max_source_blocks),
        ("result", len(selectors), record.max_result_blocks),
    ):
        if count > most:
            yield Diagnostic(
                "admission-block-count",
                "payload.selectors",
                f"There must be at most {most} {name} blocks, not {count}",
            )
    yield from port_findings(ports, actor)
