"""Memory operation ports (spec: Canonical Engine Definition, Persistent Capability Schema)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fabricgen.atoms.unsigned import U64_MAX
from fabricgen.errors import Diagnostic
from fabricgen.errors.listing import listed
from fabricgen.errors.strict import StrictRecord
from fabricgen.records.access import MemoryAccessClass
from fabricgen.records.alternative import MemoryCapabilityAlternative
from fabricgen.records.capability import array_findings, normalise_alternatives
from fabricgen.records.resource import ResourceContract
from fabricgen.schema.actor import granularity_projection
from fabricgen.vocab.dataflow import MemoryAccessForm
from fabricgen.vocab.fabric import MemoryPortTransactionProjection
from fabricgen.vocab.words import word

__all__ = ["MemoryCapabilityAlternative", "MemoryOperationPort"]


@dataclass(frozen=True, slots=True)
class MemoryOperationPort(StrictRecord):
    """One physical memory operation port.

    The constructor is the strict door: the capability array must be the normal form of the
    relation that it admits. :meth:`of` normalises any alternatives.

    Parameters
    ----------
    endpoint_inventory
        Ordinals of the occurrence's endpoints; non-empty, sorted, unique.
    resource_contract
        Sole owner of the port's states and use patterns.
    operation_pattern_semantics
        ``operation_pattern_semantics[i]`` gives the meaning of the contract's use pattern ``i``.
    capability_alternatives
        Canonical products of the complete capability relation; the position is the reference.
    """

    endpoint_inventory: tuple[int, ...]
    resource_contract: ResourceContract
    operation_pattern_semantics: tuple[MemoryPortTransactionProjection, ...]
    capability_alternatives: tuple[MemoryCapabilityAlternative, ...]

    @classmethod
    def of(
        cls,
        endpoint_inventory: Iterable[int],
        resource_contract: ResourceContract,
        operation_pattern_semantics: Iterable[MemoryPortTransactionProjection],
        capability_alternatives: Iterable[MemoryCapabilityAlternative],
    ) -> "MemoryOperationPort":
        """Build a port from endpoints and alternatives in any order and decomposition."""
        alternatives = tuple(capability_alternatives)
        return cls(
            tuple(sorted(set(endpoint_inventory))),
            resource_contract,
            tuple(operation_pattern_semantics),
            normalise_alternatives(alternatives) if alternatives else (),
        )

    def _findings(self) -> Iterator[Diagnostic]:
        yield from self._endpoint_findings()
        yield from self._pattern_findings()
        yield from array_findings(self.capability_alternatives)

    def _endpoint_findings(self) -> Iterator[Diagnostic]:
        inventory = self.endpoint_inventory
        if (
            not inventory
            or list(inventory) != sorted(set(inventory))
            or not 0 <= inventory[0] <= inventory[-1] <= U64_MAX
        ):
            yield Diagnostic(
                "port-endpoints",
                "endpoint_inventory",
                "Endpoint ordinals must be non-empty, sorted, unique and below 2**64, not "
                f"{listed(inventory)}",
            )
        known = set(inventory)
        for ordinal, alternative in enumerate(self.capability_alternatives):
            for role, endpoint in alternative.role_to_endpoint:
                if endpoint not in known:
                    yield Diagnostic(
                        "port-endpoint-foreign",
                        f"capability_alternatives[{ordinal}].role_to_endpoint",
                        f"The endpoint of {word(role)} must be one of {listed(inventory)}, not "
                        f"{endpoint}",
                    )

    def _pattern_findings(self) -> Iterator[Diagnostic]:
        count = len(self.resource_contract.use_patterns)
        if len(self.operation_pattern_semantics) != count:
            yield Diagnostic(
                "port-pattern-count",
                "operation_pattern_semantics",
                f"There must be {count} semantics, one per use pattern, not "
                f"{len(self.operation_pattern_semantics)}",
            )
        selecting: dict[int, list[MemoryCapabilityAlternative]] = {}
        for ordinal, alternative in enumerate(self.capability_alternatives):
            for key in alternative.admissible_use_patterns:
                selecting.setdefault(key, []).append(alternative)
            if unknown := [key for key in alternative.admissible_use_patterns if key >= count]:
                yield Diagnostic(
                    "port-pattern-unknown",
                    f"capability_alternatives[{ordinal}].admissible_use_patterns",
                    f"Keys must be below {count}, not {listed(unknown)}",
                )
        for key, pattern in enumerate(self.resource_contract.use_patterns):
            if key not in selecting:
                yield Diagnostic(
                    "port-pattern-unreachable",
                    f"resource_contract.use_patterns[{key}]",
                    "An alternative must admit the pattern, and none does",
                )
            elif key < len(self.operation_pattern_semantics):
                slots = len(pattern.internal_transactions)
                yield from self._projection_findings(key, slots, selecting[key])

    def _projection_findings(
        self, key: int, slots: int, selecting: list[MemoryCapabilityAlternative]
    ) -> Iterator[Diagnostic]:
        where = f"resource_contract.use_patterns[{key}].internal_transactions"
        yield from self._granularity_findings(key, selecting)
        if self.operation_pattern_semantics[key] is MemoryPortTransactionProjection.DIRECT:
            if slots != 1:
                yield Diagnostic(
                    "port-direct-transactions",
                    where,
                    f"A Direct pattern must have 1 internal transaction, not {slots}",
                )
            return
        if any(each.parameterized_access_domain is None for each in selecting):
            yield Diagnostic(
                "port-fence-projection",
                f"operation_pattern_semantics[{key}]",
                "A fence must select direct patterns, not active_lanes_row_major",
            )
        classes = [access for each in selecting for access in _classes(each)]
        if any(access.access_form is MemoryAccessForm.ELEMENT for access in classes):
            yield Diagnostic(
                "port-active-lanes-form",
                f"operation_pattern_semantics[{key}]",
                "ActiveLanesRowMajor must be selected by contiguous and indexed accesses only, "
                "not by an element access",
            )
        lanes = max((a.flattened_lane_count.intervals[-1].upper for a in classes), default=0)
        if slots != lanes:
            yield Diagnostic(
                "port-active-lanes-transactions",
                where,
                f"There must be {lanes} internal transactions, the lanes of the widest access, "
                f"not {slots}",
            )

    def _granularity_findings(
        self, key: int, selecting: list[MemoryCapabilityAlternative]
    ) -> Iterator[Diagnostic]:
        found = self.operation_pattern_semantics[key]
        values = {g: None for each in selecting for g in each.actor_contract_domain.granularities}
        for granularity in values:
            if found is not (required := granularity_projection(granularity)):
                yield Diagnostic(
                    "port-atomic-projection",
                    f"operation_pattern_semantics[{key}]",
                    f"Atomic granularity {word(granularity)} must select {word(required)} "
                    f"patterns, not {word(found)}",
                )


def _classes(alternative: MemoryCapabilityAlternative) -> tuple[MemoryAccessClass, ...]:
    domain = alternative.parameterized_access_domain
    return () if domain is None else domain.access_classes
