"""The admission of each provider id."""

from collections.abc import Callable, Iterator

from fabricgen.errors import Diagnostic
from fabricgen.hsg import scalar_admission as scalar
from fabricgen.hsg import token_admission as token
from fabricgen.hsg import vector_admission as vector
from fabricgen.hsg.params import CapabilityParams
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.vocab.families import TypedAdmissionProviderId

__all__ = ["ADMISSIONS", "Admission"]

#: Says what of an actor a capability with these parameters and ports lacks; nothing: admitted.
Admission = Callable[[CapabilityParams, PhysicalPorts, OperationActor], Iterator[Diagnostic]]

_A = TypedAdmissionProviderId
#: Admission of each provider id.
ADMISSIONS: dict[TypedAdmissionProviderId, Admission] = {
    _A.SCALAR_ORDINARY_INTEGER: scalar.scalar_integer,
    _A.SCALAR_LOGIC_INTEGER: scalar.scalar_integer,
    _A.SCALAR_INTEGER_COMPARE: scalar.scalar_integer_compare,
    _A.SCALAR_INTEGER_CAST: scalar.scalar_integer_cast,
    _A.SCALAR_BIT_REINTERPRET: scalar.scalar_bit_reinterpret,
    _A.SCALAR_VALUE_SELECT: scalar.scalar_value_select,
    _A.SCALAR_UNIFORM_FLOAT: scalar.scalar_uniform_float,
    _A.SCALAR_FLOAT_COMPARE: scalar.scalar_float_compare,
    _A.SCALAR_FLOAT_CAST: scalar.scalar_float_cast,
    _A.SCALAR_INTEGER_FLOAT_CONVERSION: scalar.scalar_integer_float_conversion,
    _A.STREAM: token.stream,
    _A.TOKEN_PLANE: token.token_plane,
    _A.FIXED_VECTOR_ORDINARY_INTEGER: vector.fixed_vector_integer,
    _A.FIXED_VECTOR_LOGIC_INTEGER: vector.fixed_vector_integer,
    _A.FIXED_VECTOR_INTEGER_COMPARE: vector.fixed_vector_integer_compare,
    _A.FIXED_VECTOR_VALUE_SELECT: vector.fixed_vector_value_select,
    _A.FIXED_VECTOR_UNIFORM_FLOAT: vector.fixed_vector_uniform_float,
    _A.FIXED_VECTOR_FLOAT_COMPARE: vector.fixed_vector_float_compare,
    _A.FIXED_VECTOR_ADAPTER: vector.fixed_vector_adapter,
    _A.CONSTANT_TOKEN: token.constant_token,
    _A.SYNC_TOKEN: token.sync_token,
    _A.MUX_TOKEN: token.mux_token,
    _A.DEMUX_TOKEN: token.demux_token,
    _A.SCALAR_UNARY_INTEGER: scalar.scalar_integer,
    _A.FIXED_VECTOR_UNARY_INTEGER: vector.fixed_vector_integer,
    _A.FIXED_VECTOR_SLICE_ALIGN_MERGE: vector.fixed_vector_slice_align_merge,
    _A.FIXED_VECTOR_SHUFFLE: vector.fixed_vector_shuffle,
    _A.SCALAR_SPECIAL_MATH: scalar.scalar_special_math,
}
