"""Small legal resources whose hardware tests build."""

from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.profile import STRICT_IEEE
from fabricgen.hsg.resource import FabricOp, ResourceTiming
from fabricgen.hsg.scalar_params import ScalarIntegerParams, ScalarSpecialMathParams
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.hardware import FloatFormat, IntegerWidth
from fabricgen.vocab.operations import SpecialMathAccuracyTier


def add_sub(*operations, widths=(8, 32), latency=1):
    """An adder of the given operations, both if none is given; ports of the widest width."""
    widest = max(widths)
    return FabricOp.of(
        F.SCALAR_INTEGER_ADD_SUB,
        set(operations) or {O.ARITH_ADDI, O.ARITH_SUBI},
        ScalarIntegerParams(tuple(w for w in IntegerWidth if w.bits in widths)),
        PhysicalPorts((widest, widest), (widest,)),
        ResourceTiming(latency),
    )


def sine():
    """A sine of half precision."""
    return FabricOp.of(
        F.SCALAR_MATH_SIN,
        {O.MATH_SIN},
        ScalarSpecialMathParams(
            (FloatFormat.F16,), STRICT_IEEE, SpecialMathAccuracyTier.CORRECTLY_ROUNDED
        ),
        PhysicalPorts((16,), (16,)),
        ResourceTiming(1),
    )
