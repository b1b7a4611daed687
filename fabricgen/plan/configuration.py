"""What every part of a fabric is configured to be."""

from dataclasses import dataclass

from fabricgen.hsg.setting import OpValue, inactive_value
from fabricgen.plan.rows import Disabled, MemoryConfiguration
from fabricgen.records.fabric import Fabric

__all__ = ["FabricConfiguration"]


@dataclass(frozen=True, slots=True)
class FabricConfiguration:
    """One configuration per memory and one value per datapath resource, in the fabric's order."""

    memories: tuple[MemoryConfiguration, ...]
    ops: tuple[OpValue, ...] = ()

    @classmethod
    def inactive(cls, fabric: Fabric) -> "FabricConfiguration":
        """Every memory Disabled, every resource with its inactive value: the state after reset."""
        return cls(
            tuple(Disabled() for _ in fabric.memories),
            tuple(inactive_value(named.op) for named in fabric.ops),
        )
