"""Direct carrier of a constant token: the value itself."""

from dataclasses import dataclass

from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.token_params import PayloadCapacityParams
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.payload import TypedConstant

__all__ = ["ConstantCarrier"]


@dataclass(frozen=True, slots=True)
class ConstantCarrier:
    """Constant of up to ``bit_count`` bits, low-aligned; every pattern is valid."""

    bit_count: int

    @classmethod
    def of(cls, params: PayloadCapacityParams, ports: PhysicalPorts) -> "ConstantCarrier":
        """Derive the carrier: the payload's capacity, or the result port where that is less."""
        return cls(min(params.max_payload_bits, ports.outputs[0]))

    @property
    def inactive(self) -> int:
        """Carrier of a resource that is not used: zero."""
        return 0

    @property
    def is_constant(self) -> bool:
        """Whether only one carrier is valid: never."""
        return False

    @property
    def valid_bits(self) -> int:
        """Bits that some valid carrier sets: all."""
        return (1 << self.bit_count) - 1

    def is_valid(self, carrier: int) -> bool:
        """Tell whether a carrier means something: each within the width does."""
        return 0 <= carrier < 1 << self.bit_count

    def encode(self, actor: OperationActor) -> int:
        """Encode an admitted constant actor."""
        if not isinstance(actor.payload, TypedConstant):
            raise TypeError(f"Actor must be a constant, not {actor!r}")
        return actor.payload.bits
