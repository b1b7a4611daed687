"""The document of a datapath resource: the way back from its record."""

import enum
from dataclasses import fields, is_dataclass

from fabricgen.hsg.registry import family_keyword
from fabricgen.schema.operations import OPERATION_SCHEMAS
from fabricgen.vocab.dataflow import OperationSchemaId
from fabricgen.vocab.hardware import IntegerWidth, ResolvedIndexWidth

__all__ = ["op_document", "params_document"]

_SELECTED = {
    OperationSchemaId.LLVM_FPTOSI_SAT: "llvm.call_intrinsic.fptosi_sat",
    OperationSchemaId.LLVM_FPTOUI_SAT: "llvm.call_intrinsic.fptoui_sat",
}


def op_document(named):
    """The table of one named resource."""
    op = named.op
    return {
        "name": named.name,
        "family": family_keyword(op.family),
        "op_list": [_SELECTED.get(each, OPERATION_SCHEMAS[each].op) for each in op.op_list],
        "hw_params": params_document(op.hw_params),
        "ports": {"inputs": list(op.ports.inputs), "outputs": list(op.ports.outputs)},
        "timing": {
            "latency_cycles": op.timing.latency_cycles,
            "initiation_interval_cycles": op.timing.initiation_interval_cycles,
        },
    }


def params_document(record):
    """The table of a parameter record, or of a record inside one."""
    return {each.name: _value(getattr(record, each.name)) for each in fields(record)}


def _value(value):
    if isinstance(value, tuple):
        return [_value(each) for each in value]
    if isinstance(value, IntegerWidth | ResolvedIndexWidth):
        return int(value.name[1:])
    if isinstance(value, enum.Flag):
        return [flag.name.lower() for flag in type(value) if flag in value and flag.value]
    if isinstance(value, enum.Enum):
        return value.name.lower()
    return params_document(value) if is_dataclass(value) else value
