"""One capability alternative of an operation port (spec: Persistent Capability Schema)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fabricgen.atoms.unsigned import U64_MAX
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.actor import MemoryActorContractDomain
from fabricgen.schema.memory import MEMORY_SCHEMAS, MemoryActorSchema
from fabricgen.vocab.dataflow import MemoryMaskForm, OperationSchemaId, ServiceValueRole
from fabricgen.vocab.fabric import (
    InactiveLaneSemantics,
    ReadSubwordSemantics,
    WriteSubwordSemantics,
)

__all__ = ["MemoryCapabilityAlternative", "RoleBinding", "capability_findings"]

RoleBinding = tuple[tuple[ServiceValueRole, int], ...]

_U32_MAX = 2**32 - 1


@dataclass(frozen=True, slots=True)
class MemoryCapabilityAlternative:
    """One product of the port's complete capability relation.

    Parameters
    ----------
    actor_contract_domain
        Admitted schema and contracts.
    role_to_endpoint
        The maximal role set, each with its endpoint ordinal, in role order.
    parameterized_access_domain
        Admitted accesses; absent exactly for a fence.
    admissible_use_patterns
        Keys into the port's own resource contract; non-empty, sorted, unique.
    """

    actor_contract_domain: MemoryActorContractDomain
    role_to_endpoint: RoleBinding
    parameterized_access_domain: ParameterizedMemoryAccessDomain | None
    admissible_use_patterns: tuple[int, ...]

    def __post_init__(self) -> None:
        if found := tuple(self._findings()):
            raise Invalid(*found)

    @classmethod
    def of(
        cls,
        actor_contract_domain: MemoryActorContractDomain,
        role_to_endpoint: Iterable[tuple[ServiceValueRole, int]],
        parameterized_access_domain: ParameterizedMemoryAccessDomain | None,
        admissible_use_patterns: Iterable[int],
    ) -> "MemoryCapabilityAlternative":
        """Build an alternative from bindings and keys in any order."""
        return cls(
            actor_contract_domain,
            tuple(sorted(role_to_endpoint, key=lambda bound: bound[0].value)),
            parameterized_access_domain,
            tuple(sorted(set(admissible_use_patterns))),
        )

    def endpoint_of(self, role: ServiceValueRole) -> int | None:
        """Endpoint ordinal bound to ``role``, or ``None`` where the role is absent."""
        return dict(self.role_to_endpoint).get(role)

    def _findings(self) -> Iterator[Diagnostic]:
        schema_id = self.actor_contract_domain.actor_schema
        access = self.parameterized_access_domain
        yield from capability_findings(schema_id, access, "parameterized_access_domain")
        schema = MEMORY_SCHEMAS.get(schema_id)
        if schema is not None:
            yield from self._role_findings(schema, access)
        yield from self._endpoint_findings()
        keys = self.admissible_use_patterns
        if not keys or list(keys) != sorted(set(keys)) or keys[0] < 0 or keys[-1] > _U32_MAX:
            yield Diagnostic(
                "alternative-use-patterns",
                "admissible_use_patterns",
                f"Keys must be non-empty, sorted, unique and below 2**32, not {list(keys)}",
            )

    def _role_findings(
        self, schema: MemoryActorSchema, access: ParameterizedMemoryAccessDomain | None
    ) -> Iterator[Diagnostic]:
        roles = [role for role, _ in self.role_to_endpoint]
        masked = _admits_dynamic(access)
        if masked != (ServiceValueRole.MASK in roles):
            required, found = ("one", "none") if masked else ("none", "one")
            yield Diagnostic(
                "alternative-mask-role",
                "role_to_endpoint",
                f"The mask role must have {required}, as the access classes admit "
                f"{'a' if masked else 'no'} dynamic mask, not {found}",
            )
        bundle = {*schema.input_roles, *schema.result_roles} - {ServiceValueRole.MASK}
        maximal = bundle.union({ServiceValueRole.MASK}.intersection(roles))
        if roles != sorted(maximal, key=lambda role: role.value):
            yield Diagnostic(
                "alternative-roles",
                "role_to_endpoint",
                f"Roles must be {_names(sorted(bundle, key=lambda role: role.value))} in this "
                f"order, and MASK where a dynamic mask is admitted, not {_names(roles)}",
            )
        results = [end for role, end in self.role_to_endpoint if role in schema.result_roles]
        if len(set(results)) != len(results):
            yield Diagnostic(
                "alternative-result-endpoints",
                "role_to_endpoint",
                "Result roles must have distinct endpoints, not "
                + ", ".join(f"endpoint {end}" for end in results),
            )

    def _endpoint_findings(self) -> Iterator[Diagnostic]:
        for role, endpoint in self.role_to_endpoint:
            if not 0 <= endpoint <= U64_MAX:
                yield Diagnostic(
                    "alternative-endpoint-range",
                    "role_to_endpoint",
                    f"The endpoint of {role.name} must be from 0 to 2**64 - 1, not {endpoint}",
                )


def capability_findings(
    schema_id: OperationSchemaId, access: ParameterizedMemoryAccessDomain | None, where: str
) -> Iterator[Diagnostic]:
    """Say what an actor schema forbids in the accesses admitted for it, port or service alike.

    The access domain is absent exactly for a fence; irrelevant subword fields are exactly
    NotApplicable and relevant ones never; the dynamic mask fits the actor's direction.
    """
    if (access is None) != (schema_id is OperationSchemaId.DATAFLOW_FENCE):
        yield Diagnostic(
            "alternative-fence-access",
            where,
            f"The access domain must be absent exactly for a fence, not "
            f"{'absent' if access is None else 'present'} for {schema_id.name}",
        )
    schema = MEMORY_SCHEMAS.get(schema_id)
    if schema is None or access is None:
        return
    inactive = (
        InactiveLaneSemantics.SUPPRESS_AND_ZERO_FILL
        if schema.reads
        else InactiveLaneSemantics.SUPPRESS
    )
    for ordinal, each in enumerate(access.access_classes):
        place = f"{where}.access_classes[{ordinal}]"
        if _not_applicable_mismatch(
            schema.reads, [v is ReadSubwordSemantics.NOT_APPLICABLE for v in each.read_subword]
        ):
            yield _subword_finding("read", place, schema, schema.reads, _names(each.read_subword))
        if _not_applicable_mismatch(
            schema.writes, [v is WriteSubwordSemantics.NOT_APPLICABLE for v in each.write_subword]
        ):
            yield _subword_finding(
                "write", place, schema, schema.writes, _names(each.write_subword)
            )
        for form, found in each.mask_inactive_pairs:
            if form is MemoryMaskForm.DYNAMIC and found is not inactive:
                yield Diagnostic(
                    "alternative-inactive-lanes",
                    f"{place}.mask_inactive_pairs",
                    f"A dynamic mask of {schema_id.name} needs {inactive.name}, not {found.name}",
                )


def _admits_dynamic(access: ParameterizedMemoryAccessDomain | None) -> bool:
    return access is not None and any(
        MemoryMaskForm.DYNAMIC in each.mask_forms for each in access.access_classes
    )


def _not_applicable_mismatch(relevant: bool, is_not_applicable: list[bool]) -> bool:
    """Relevant: NotApplicable nowhere. Irrelevant: NotApplicable and nothing else."""
    return any(is_not_applicable) if relevant else not all(is_not_applicable)


def _subword_finding(
    direction: str, place: str, schema: MemoryActorSchema, relevant: bool, found: str
) -> Diagnostic:
    required = "no NOT_APPLICABLE" if relevant else "exactly NOT_APPLICABLE"
    return Diagnostic(
        f"alternative-{direction}-subword",
        f"{place}.{direction}_subword",
        f"{schema.schema_id.name} needs {required}, not {found}",
    )


def _names(
    values: Iterable[ServiceValueRole | ReadSubwordSemantics | WriteSubwordSemantics],
) -> str:
    return ", ".join(value.name for value in values) or "none"
