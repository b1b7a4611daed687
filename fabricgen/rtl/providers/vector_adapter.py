"""Vectors as integers of as many bits, and back: lane 0 in the low bits."""

from amaranth.hdl import Module, Value

from fabricgen.hsg.admission_rules import narrow
from fabricgen.hsg.vector_params import FixedVectorAdapterParams
from fabricgen.rtl.providers.stages import Stages
from fabricgen.rtl.providers.stateless import StatelessProvider
from fabricgen.vocab.families import ImplementationFamilyId as F

__all__ = ["PROVIDERS", "FixedVectorCopy"]


class FixedVectorCopy(StatelessProvider):
    """The operand's bits, whatever their lanes are: a vector and its integer are alike."""

    def datapath(self, m: Module, stages: Stages) -> Value:
        """Pass as many bits as the resource admits."""
        params = narrow(self.op.hw_params, FixedVectorAdapterParams)
        return stages.operands[0][: params.max_payload_bits]


PROVIDERS = {F.FIXED_VECTOR_PACK: FixedVectorCopy, F.FIXED_VECTOR_UNPACK: FixedVectorCopy}
