"""One concrete ``fabric.op``: a family's datapath as this fabric has it."""

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.errors import Diagnostic, Invalid
from fabricgen.hsg.admission import ADMISSIONS
from fabricgen.hsg.params import CapabilityParams
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.probes import probes
from fabricgen.hsg.registry import FAMILIES
from fabricgen.hsg.resource_rules import op_list_findings, params_findings, port_count_findings
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.vocab.dataflow import OperationSchemaId
from fabricgen.vocab.families import ImplementationFamilyId
from fabricgen.vocab.words import word

__all__ = ["FabricOp", "ResourceTiming"]


@dataclass(frozen=True, slots=True)
class ResourceTiming:
    """Exact cycles from acceptance to result, and least cycles between two acceptances.

    A latency of 0 is combinational; an initiation interval is at least 1.
    """

    latency_cycles: int
    initiation_interval_cycles: int = 1

    def __post_init__(self) -> None:
        for name, least in (("latency_cycles", 0), ("initiation_interval_cycles", 1)):
            value = getattr(self, name)
            if not least <= value < 2**32:
                raise Invalid(
                    Diagnostic(
                        "timing-range",
                        name,
                        f"The cycles must be from {least} to 2**32 - 1, not {value}",
                    )
                )


@dataclass(frozen=True, slots=True)
class FabricOp:
    """Capability of one concrete resource; no workload's choice is part of it.

    Parameters
    ----------
    family
        The one implementation family.
    op_list
        Enabled members in registry order.
    hw_params
        The family's parameter record.
    ports
        Physical leaf ports.
    timing
        Exact latency and initiation interval.
    """

    family: ImplementationFamilyId
    op_list: tuple[OperationSchemaId, ...]
    hw_params: CapabilityParams
    ports: PhysicalPorts
    timing: ResourceTiming

    def __post_init__(self) -> None:
        # Whether an operation is reachable can be asked only of a well-formed declaration.
        if found := tuple(self._declaration()) or tuple(self._unreachable()):
            raise Invalid(*found)

    @classmethod
    def of(
        cls,
        family: ImplementationFamilyId,
        operations: set[OperationSchemaId],
        hw_params: CapabilityParams,
        ports: PhysicalPorts,
        timing: ResourceTiming,
    ) -> "FabricOp":
        """Build the resource from operations in any order."""
        op_list = tuple(sorted(operations, key=lambda each: each.value))
        return cls(family, op_list, hw_params, ports, timing)

    def admission(self, actor: OperationActor) -> tuple[Diagnostic, ...]:
        """Say what of an exact actor the resource lacks; nothing if it admits it (rule 5)."""
        if actor.schema_id not in self.op_list:
            names = ", ".join(map(word, self.op_list))
            return (
                Diagnostic(
                    "op-not-enabled",
                    "schema_id",
                    f"The operation must be enabled ({names}), not be {word(actor.schema_id)}",
                ),
            )
        admission = ADMISSIONS[FAMILIES[self.family].typed_admission_provider_id]
        return tuple(admission(self.hw_params, self.ports, actor))

    def admits(self, actor: OperationActor) -> bool:
        """Tell whether the complete capability supports an exact actor."""
        return not self.admission(actor)

    def reachable(self) -> Iterator[OperationActor]:
        """Actors that stand for everything that the resource admits, operation by operation."""
        for operation in self.op_list:
            yield from self._reachable(operation)

    def _reachable(self, operation: OperationSchemaId) -> Iterator[OperationActor]:
        return filter(self.admits, probes(operation, self.hw_params, self.ports))

    def _declaration(self) -> Iterator[Diagnostic]:
        family = FAMILIES[self.family]
        yield from op_list_findings(family, self.op_list)
        yield from params_findings(family, self.op_list, self.hw_params)
        yield from port_count_findings(self.family, self.hw_params, self.ports)

    def _unreachable(self) -> Iterator[Diagnostic]:
        for ordinal, operation in enumerate(self.op_list):
            if next(self._reachable(operation), None) is None:
                yield Diagnostic(
                    "op-unreachable",
                    f"op_list[{ordinal}]",
                    "Parameters and ports must admit an actor of each enabled operation, "
                    f"not none of {word(operation)}",
                )
