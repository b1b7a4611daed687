"""One capability alternative of an operation port (spec: Persistent Capability Schema)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fabricgen.atoms.unsigned import U64_MAX
from fabricgen.errors import Diagnostic
from fabricgen.errors.listing import listed, listed_names
from fabricgen.errors.strict import StrictRecord
from fabricgen.records.access import (
    MemoryAccessClass,
    OrdinaryData,
    ParameterizedMemoryAccessDomain,
)
from fabricgen.records.actor import MemoryActorContractDomain
from fabricgen.schema.actor import (
    CanonicalActorProjection,
    CanonicalMemoryAccessView,
    granularity_forms,
    is_atomic_width,
    moves_pointers,
)
from fabricgen.schema.memory import MEMORY_SCHEMAS, MemoryActorSchema
from fabricgen.schema.service import canonical_service
from fabricgen.vocab.dataflow import MemoryMaskForm, OperationSchemaId, ServiceValueRole
from fabricgen.vocab.fabric import (
    InactiveLaneSemantics,
    ReadSubwordSemantics,
    WriteSubwordSemantics,
)
from fabricgen.vocab.words import word, words

__all__ = ["MemoryCapabilityAlternative", "RoleBinding", "capability_findings"]

RoleBinding = tuple[tuple[ServiceValueRole, int], ...]

_U32_MAX = 2**32 - 1
_MASK = ServiceValueRole.MASK


@dataclass(frozen=True, slots=True)
class MemoryCapabilityAlternative(StrictRecord):
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

    @property
    def access_classes(self) -> tuple[MemoryAccessClass, ...]:
        """Classes of the admitted accesses; none for a fence."""
        domain = self.parameterized_access_domain
        return () if domain is None else domain.access_classes

    def endpoint_of(self, role: ServiceValueRole) -> int | None:
        """Endpoint ordinal bound to ``role``, or ``None`` where the role is absent."""
        return dict(self.role_to_endpoint).get(role)

    def active_role_bindings(
        self, actor: CanonicalActorProjection, access: CanonicalMemoryAccessView | None
    ) -> RoleBinding:
        """Roles that fire for one actor, with their endpoints, in role order.

        A dynamic mask that the alternative binds nowhere is left out: no class of it admits one.
        """
        service = canonical_service(actor, access)
        active = {*service.argument_roles, *service.result_roles}
        return tuple(bound for bound in self.role_to_endpoint if bound[0] in active)

    def _findings(self) -> Iterator[Diagnostic]:
        actors, access = self.actor_contract_domain, self.parameterized_access_domain
        yield from capability_findings(actors, access, "parameterized_access_domain")
        yield from self._role_findings(MEMORY_SCHEMAS[actors.actor_schema], access)
        yield from self._endpoint_findings()
        keys = self.admissible_use_patterns
        if not keys or list(keys) != sorted(set(keys)) or keys[0] < 0 or keys[-1] > _U32_MAX:
            yield Diagnostic(
                "alternative-use-patterns",
                "admissible_use_patterns",
                f"Keys must be non-empty, sorted, unique and below 2**32, not {listed(keys)}",
            )

    def _role_findings(
        self, schema: MemoryActorSchema, access: ParameterizedMemoryAccessDomain | None
    ) -> Iterator[Diagnostic]:
        roles = [role for role, _ in self.role_to_endpoint]
        masked = _admits_dynamic(access)
        if masked != (_MASK in roles):
            required, found = ("one", "none") if masked else ("none", "one")
            yield Diagnostic(
                "alternative-mask-role",
                "role_to_endpoint",
                f"The mask role must have {required}, as the access classes admit "
                f"{'a' if masked else 'no'} dynamic mask, not {found}",
            )
        bundle = [role for role in schema.roles if role is not _MASK]
        masks = [role for role in roles if role is _MASK]
        if foreign := [role for role in dict.fromkeys(roles) if role not in (*schema.roles, _MASK)]:
            yield Diagnostic(
                "alternative-role-foreign",
                "role_to_endpoint",
                f"Roles must be those of {word(schema.schema_id)}, {words(schema.roles)}, "
                f"not {words(foreign)}",
            )
        elif twice := [role for role in dict.fromkeys(roles) if roles.count(role) > 1]:
            yield Diagnostic(
                "alternative-role-twice",
                "role_to_endpoint",
                f"Each role must be bound once, not {words(twice)} twice",
            )
        elif roles != [role for role in ServiceValueRole if role in {*bundle, *masks}]:
            yield Diagnostic(
                "alternative-roles",
                "role_to_endpoint",
                f"Roles must be {words(bundle)} in this order, and mask where a dynamic mask is "
                f"admitted, not {words(roles)}",
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
                    f"The endpoint of {word(role)} must be from 0 to 2**64 - 1, not {endpoint}",
                )


def capability_findings(
    actors: MemoryActorContractDomain, access: ParameterizedMemoryAccessDomain | None, where: str
) -> Iterator[Diagnostic]:
    """Say what actors forbid in the accesses admitted for them, port or service alike.

    The access domain is absent exactly for a fence; irrelevant subword fields are exactly
    NotApplicable and relevant ones never; the dynamic mask fits the actor's direction; every
    class of an atomic actor has the form of each granularity and elements that are one object.
    """
    schema_id = actors.actor_schema
    if (access is None) != (schema_id is OperationSchemaId.DATAFLOW_FENCE):
        yield Diagnostic(
            "alternative-fence-access",
            where,
            f"The access domain must be absent exactly for a fence, not "
            f"{'absent' if access is None else 'present'} for {word(schema_id)}",
        )
        return
    if access is None:
        return
    schema = MEMORY_SCHEMAS[schema_id]
    inactive = (
        InactiveLaneSemantics.SUPPRESS_AND_ZERO_FILL
        if schema.reads
        else InactiveLaneSemantics.SUPPRESS
    )
    for ordinal, each in enumerate(access.access_classes):
        place = f"{where}.access_classes[{ordinal}]"
        yield from _atomic_findings(actors, each, place)
        if _not_applicable_mismatch(
            schema.reads, [v is ReadSubwordSemantics.NOT_APPLICABLE for v in each.read_subword]
        ):
            yield _subword_finding("read", place, schema, schema.reads, words(each.read_subword))
        if _not_applicable_mismatch(
            schema.writes, [v is WriteSubwordSemantics.NOT_APPLICABLE for v in each.write_subword]
        ):
            yield _subword_finding("write", place, schema, schema.writes, words(each.write_subword))
        for form, found in each.mask_inactive_pairs:
            if form is MemoryMaskForm.DYNAMIC and found is not inactive:
                yield Diagnostic(
                    "alternative-inactive-lanes",
                    f"{place}.mask_inactive_pairs",
                    f"A dynamic mask of {word(schema_id)} needs {word(inactive)}, "
                    f"not {word(found)}",
                )


def _atomic_findings(
    actors: MemoryActorContractDomain, access: MemoryAccessClass, where: str
) -> Iterator[Diagnostic]:
    """Every point of the product must be an access that the atomic actor can have."""
    granularities = actors.granularities
    for each in granularities:
        forms = granularity_forms(each)
        if access.access_form not in forms:
            yield Diagnostic(
                "atomic-granularity-form",
                f"{where}.access_form",
                f"The form of granularity {word(each)} must be "
                f"{words(forms, ' or ')}, not {word(access.access_form)}",
            )
    spans = access.element_width_bits.intervals
    if granularities and not all(i.lower == i.upper and is_atomic_width(i.lower) for i in spans):
        found = listed_names(f"{i.lower}..{i.upper}" for i in spans)
        yield Diagnostic(
            "atomic-element-width",
            f"{where}.element_width_bits",
            f"An atomic object must have a power of two of bits, at least 8, not {found}",
        )
    movers = [moves_pointers(actors.actor_schema, variant) for variant in actors.variants]
    if not all(movers) and access.data_pointer_formats != (OrdinaryData(),):
        yield Diagnostic(
            "atomic-pointer-data",
            f"{where}.data_pointer_formats",
            f"The data of an atomic {word(actors.actor_schema)} must be ordinary, not a pointer",
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
    required = "no not_applicable" if relevant else "exactly not_applicable"
    return Diagnostic(
        f"alternative-{direction}-subword",
        f"{place}.{direction}_subword",
        f"{word(schema.schema_id)} needs {required}, not {found}",
    )
