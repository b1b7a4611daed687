"""The configured value of a datapath resource as the bits of its one field, strictly.

A finite field of *N* keys has the fewest bits, at least one, that count to *N*: one more than the
ordinals need where *N* is a power of two. The code of a key is its ordinal in canonical order. A
carrier is its own code. A resource without a field has no bits.
"""

from fabricgen.errors import Diagnostic, Invalid
from fabricgen.hsg.resource import FabricOp
from fabricgen.hsg.semantics import DirectField, FiniteField, SemanticField, semantic_field
from fabricgen.hsg.setting import OpValue

__all__ = ["decode_op_value", "encode_op_value", "op_field_width", "op_storable_mask"]


def op_field_width(op: FabricOp) -> int:
    """Bits of the field; 0 where there is nothing to configure."""
    match semantic_field(op):
        case FiniteField(keys):
            return len(keys).bit_length()
        case DirectField(carrier):
            return carrier.bit_count
        case None:  # exhaustive
            return 0


def op_storable_mask(op: FabricOp) -> int:
    """Union of the codes of all values."""
    match semantic_field(op):
        case FiniteField() as field:
            return (1 << field.bit_count) - 1
        case DirectField(carrier):
            return carrier.valid_bits
        case None:  # exhaustive
            return 0


def encode_op_value(op: FabricOp, value: OpValue) -> int:
    """Encode a value of the resource; ``Invalid`` for one that its field does not have."""
    match semantic_field(op):
        case FiniteField(keys) if value in keys:
            return keys.index(value)
        case DirectField(carrier) if isinstance(value, int) and carrier.is_valid(value):
            return value
        case None if value is None:
            return 0
        case field:
            raise _refused("op-value", f"be {_words(field)}", repr(value))


def decode_op_value(op: FabricOp, bits: int) -> OpValue:
    """Decode strictly: a code that some value of the resource has."""
    width = op_field_width(op)
    if bits < 0 or bits >> width:
        raise _refused("carrier-width", f"fit {width} bits", f"{bits:#x}")
    field = semantic_field(op)
    match field:
        case FiniteField(keys):
            if bits >= len(keys):
                raise _refused("op-code", f"be the code of one of {len(keys)} keys", f"{bits:#x}")
            return keys[bits]
        case DirectField(carrier):
            if not carrier.is_valid(bits):
                raise _refused("op-carrier", f"be {_words(field)}", f"{bits:#x}")
            return bits
        case None:  # exhaustive
            return None


def _words(field: SemanticField) -> str:
    """What a value must be, in words."""
    match field:
        case FiniteField(keys):
            return f"one of the {len(keys)} keys of the resource"
        case DirectField(carrier):
            return f"a carrier of {carrier.bit_count} bits that some admitted actor needs"
        case None:  # exhaustive
            return "None, as there is nothing to configure"


def _refused(code: str, requirement: str, found: str) -> Invalid:
    return Invalid(Diagnostic(code, "configuration", f"The value must {requirement}, not {found}"))
