"""Small legal resources of the token, loop and adapter families."""

from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.resource import FabricOp, ResourceTiming
from fabricgen.hsg.token_params import (
    LoopStreamParams,
    PayloadCapacityParams,
    RoutedTokenParams,
    TokenPlaneParams,
)
from fabricgen.hsg.vector_params import FixedVectorAdapterParams
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.hardware import FloatFormat, IntegerWidth
from fabricgen.vocab.operations import IntegerPredicate, StreamStepKind


def _op(family, operation, params, inputs, outputs, timing):
    return FabricOp(
        family,
        (operation,),
        params,
        PhysicalPorts(tuple(inputs), tuple(outputs)),
        ResourceTiming(*timing),
    )


def constant(payload=8, port=8, control=0, timing=(1,)):
    """A constant of up to ``payload`` bits."""
    params = PayloadCapacityParams(payload)
    return _op(F.TOKEN_CONSTANT, O.DATAFLOW_CONSTANT, params, [control], [port], timing)


def sync(inputs=(8, 8), outputs=(8, 8), payload=8, fan=4, timing=(1,)):
    """Lanes that wait for one another."""
    params = RoutedTokenParams(payload, fan)
    return _op(F.TOKEN_SYNC, O.DATAFLOW_SYNC, params, inputs, outputs, timing)


def mux(lanes=(8, 8), selector=1, result=8, payload=8, fan=4, timing=(1,)):
    """One of the lanes."""
    params = RoutedTokenParams(payload, fan)
    return _op(F.TOKEN_MUX, O.DATAFLOW_MUX, params, [selector, *lanes], [result], timing)


def demux(lanes=(8, 8), selector=1, operand=8, payload=8, fan=4, timing=(1,)):
    """To one of the lanes."""
    params = RoutedTokenParams(payload, fan)
    return _op(F.TOKEN_DEMUX, O.DATAFLOW_DEMUX, params, [selector, operand], lanes, timing)


def carry(bits=8, phase=1, timing=(0,)):
    """Loop-carried value."""
    ports = [phase, bits, bits], [bits]
    return _op(F.LOOP_CARRY, O.DATAFLOW_CARRY, TokenPlaneParams(), *ports, timing)


def invariant(bits=8, condition=1, timing=(0,)):
    """Loop-invariant value."""
    ports = [condition, bits], [bits]
    return _op(F.LOOP_INVARIANT, O.DATAFLOW_INVARIANT, TokenPlaneParams(), *ports, timing)


def gate(bits=8, condition=1, timing=(0,)):
    """Values that pass with their conditions."""
    ports = [condition, bits], [condition, bits]
    return _op(F.LOOP_GATE, O.DATAFLOW_GATE, TokenPlaneParams(), *ports, timing)


def stream(kind=StreamStepKind.ADD, widths=(8,), predicates=("SLT",), timing=(1,), port=None):
    """A stream of one step kind."""
    params = LoopStreamParams(
        tuple(each for each in IntegerWidth if each.bits in widths),
        kind,
        tuple(each for each in IntegerPredicate if each.name in predicates),
    )
    bits = port or max(widths)
    return _op(F.LOOP_STREAM, O.DATAFLOW_STREAM, params, [bits] * 3, [bits, 1], timing)


def _adapter(family, operation, ports, payload, integers, floats, timing):
    params = FixedVectorAdapterParams(
        tuple(each for each in IntegerWidth if each.bits in integers),
        tuple(each for each in FloatFormat if each in floats),
        payload,
    )
    return _op(family, operation, params, *ports, timing)


def copy(family=F.FIXED_VECTOR_PACK, payload=32, port=32, integers=(8,), floats=(), timing=(1,)):
    """A vector as an integer, or back."""
    packs = family is F.FIXED_VECTOR_PACK
    operation = O.DATAFLOW_PACK if packs else O.DATAFLOW_UNPACK
    return _adapter(family, operation, ([port], [port]), payload, integers, floats, timing)


def parallelize(payload=32, integers=(8,), floats=(), mask=None, element=None, timing=(1,)):
    """Elements to groups."""
    wide = element or max([*integers, *(each.bits for each in floats)])
    lanes = mask or payload // min([*integers, *(each.bits for each in floats)])
    ports = [wide, 1], [payload, lanes, 1]
    family = F.FIXED_VECTOR_PARALLELIZE
    return _adapter(family, O.DATAFLOW_PARALLELIZE, ports, payload, integers, floats, timing)


def serialize(payload=32, integers=(8,), floats=(), mask=None, element=None, timing=(1,)):
    """Groups to elements."""
    wide = element or max([*integers, *(each.bits for each in floats)])
    lanes = mask or payload // min([*integers, *(each.bits for each in floats)])
    ports = [payload, lanes, 1], [wide, 1]
    family = F.FIXED_VECTOR_SERIALIZE
    return _adapter(family, O.DATAFLOW_SERIALIZE, ports, payload, integers, floats, timing)
