"""``SupportsMemoryAccess``: the one judgement whether a port realises an actor (spec of that name).

Every function returns findings, empty when the answer is yes.
"""

from collections.abc import Iterable, Iterator

from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.errors import Diagnostic
from fabricgen.plan.roles import active_roles
from fabricgen.records.access import MemoryAccessClass, ParameterizedMemoryAccessDomain
from fabricgen.records.actor import LoadStorePlain, MemoryActorContractDomain
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.records.port import MemoryCapabilityAlternative
from fabricgen.schema.actor import CanonicalActorProjection, CanonicalMemoryAccessView
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dataflow import ServiceValueRole
from fabricgen.vocab.fabric import (
    ReadSubwordSemantics,
    WriteSubwordSemantics,
)

__all__ = [
    "access_findings",
    "actor_findings",
    "matching_class",
    "matching_clause",
    "supports_memory_access",
]


def supports_memory_access(
    occurrence: MemoryOccurrence,
    port: int,
    alternative: int,
    actor: CanonicalActorProjection,
    access: CanonicalMemoryAccessView,
    use_pattern: int,
) -> tuple[Diagnostic, ...]:
    """Tell why the alternative of the port does not realise the actor with the use pattern.

    ``port``, ``alternative`` and ``use_pattern`` are ordinals in range; an occurrence without an
    engine has no port.
    """
    if occurrence.engine is None:
        raise ValueError("Occurrence must have an operation engine, not None")
    ports = occurrence.engine.ports
    chosen = ports[port].capability_alternatives[alternative]
    actor_found = tuple(actor_findings(chosen.actor_contract_domain, actor))
    if actor.schema_id is not chosen.actor_contract_domain.actor_schema:
        return actor_found
    return (
        *actor_found,
        *_plain_alignment_findings(access),
        *access_findings(chosen.parameterized_access_domain, access),
        *_endpoint_findings(occurrence, chosen, actor, access),
        *_pattern_findings(chosen, use_pattern),
    )


def actor_findings(
    domain: MemoryActorContractDomain, actor: CanonicalActorProjection
) -> Iterator[Diagnostic]:
    """Tell why the contract domain does not contain the actor."""
    if actor.schema_id is not domain.actor_schema:
        yield Diagnostic(
            "actor-schema-not-accepted",
            "actor.schema_id",
            f"The actor must be {domain.actor_schema.name}, not {actor.schema_id.name}",
        )
    elif matching_clause(domain, actor) is None:
        yield Diagnostic(
            "actor-contract-not-accepted",
            "actor.contract",
            f"The contract must lie in one of {list(domain.contract_clauses)!r}, "
            f"not {actor.contract!r}",
        )


def matching_clause(
    domain: MemoryActorContractDomain, actor: CanonicalActorProjection
) -> int | None:
    """Ordinal of the one clause that contains the actor's contract."""
    if actor.schema_id is not domain.actor_schema:
        return None
    for ordinal, clause in enumerate(domain.contract_clauses):
        match clause:
            case LoadStorePlain(volatile_values):
                if actor.contract.volatile in volatile_values:
                    return ordinal
    return None


def matching_class(
    domain: ParameterizedMemoryAccessDomain, access: CanonicalMemoryAccessView
) -> int | None:
    """Ordinal of the one access class that contains the access; classes never overlap."""
    for ordinal, access_class in enumerate(domain.access_classes):
        if access_class.admits(access):
            return ordinal
    return None


def access_findings(
    domain: ParameterizedMemoryAccessDomain | None, access: CanonicalMemoryAccessView
) -> tuple[Diagnostic, ...]:
    """Tell why no class of the domain contains the access, by the class that misses least."""
    classes = () if domain is None else domain.access_classes
    same_form = [
        access_class
        for access_class in classes
        if access_class.access_form is access.form
        and access_class.address_form is access.address_form
    ]
    if not same_form:
        admitted = sorted({(c.access_form.name, c.address_form.name) for c in classes})
        return (
            Diagnostic(
                "access-form-not-accepted",
                "access.form",
                f"The access form must be one of {_listed(' '.join(pair) for pair in admitted)}, "
                f"not {access.form.name} {access.address_form.name}",
            ),
        )
    return min((tuple(_class_findings(c, access)) for c in same_form), key=len)


def _class_findings(
    access_class: MemoryAccessClass, access: CanonicalMemoryAccessView
) -> Iterator[Diagnostic]:
    if (access_class.access_form, access_class.address_form) != (access.form, access.address_form):
        yield Diagnostic(
            "access-form-not-accepted",
            "access.form",
            f"The access form must be {access_class.access_form.name} "
            f"{access_class.address_form.name}, not {access.form.name} {access.address_form.name}",
        )
    domains = (
        ("element_bits", "element-width-not-accepted", access_class.element_width_bits),
        ("lane_count", "lane-count-not-accepted", access_class.flattened_lane_count),
        (
            "address_lane_bits",
            "index-width-not-accepted",
            access_class.address_domain.accepted_index_width_bits,
        ),
    )
    for name, code, domain in domains:
        value = getattr(access, name)
        if value not in domain:
            yield Diagnostic(
                code, f"access.{name}", f"The value must lie in {_domain(domain)}, not {value}"
            )
    forms = [form for form, _ in access_class.mask_inactive_pairs]
    if access.mask_form not in forms:
        yield Diagnostic(
            "mask-form-not-accepted",
            "access.mask_form",
            f"The mask must be {_listed(form.name for form in forms)}, not {access.mask_form.name}",
        )
    if not access_class.source_alignment.contains_bytes(access.source_alignment_bytes):
        exponents = access_class.source_alignment.accepted_log2_byte_alignments
        yield Diagnostic(
            "alignment-not-accepted",
            "access.source_alignment_bytes",
            f"The exponent of the alignment must lie in {_domain(exponents)}, "
            f"not {access.source_alignment_bytes.bit_length() - 1}",
        )


def _plain_alignment_findings(access: CanonicalMemoryAccessView) -> Iterator[Diagnostic]:
    """Plain contracts, the only ones so far, derive alignment one for this judgement."""
    if access.source_alignment_bytes != 1:
        yield Diagnostic(
            "plain-alignment",
            "access.source_alignment_bytes",
            f"A plain access has alignment 1, not {access.source_alignment_bytes}",
        )


def _endpoint_findings(
    occurrence: MemoryOccurrence,
    alternative: MemoryCapabilityAlternative,
    actor: CanonicalActorProjection,
    access: CanonicalMemoryAccessView,
) -> Iterator[Diagnostic]:
    inputs, results = active_roles(alternative, actor, access)
    required = {
        ServiceValueRole.ADDRESS: access.address_bits,
        ServiceValueRole.DATA: access.data_bits,
        ServiceValueRole.MASK: access.mask_bits,
    }
    for role, endpoint in inputs + results:
        width = occurrence.endpoints[endpoint].payload_width
        if required.get(role, 0) > width:
            yield Diagnostic(
                "payload-exceeds-endpoint",
                f"access.{role.name.lower()}",
                f"The {role.name.lower()} token must fit the {width} bits of endpoint "
                f"{endpoint}, not need {required[role]}",
            )
        if role is ServiceValueRole.DATA:
            yield from _subword_findings(alternative, actor, access, width)


def _subword_findings(
    alternative: MemoryCapabilityAlternative,
    actor: CanonicalActorProjection,
    access: CanonicalMemoryAccessView,
    endpoint_width: int,
) -> Iterator[Diagnostic]:
    """Judge a payload narrower than its endpoint (spec: subword and inactive-lane values)."""
    domain = alternative.parameterized_access_domain
    ordinal = None if domain is None else matching_class(domain, access)
    if domain is None or ordinal is None or access.data_bits >= endpoint_width:
        return
    access_class, schema = domain.access_classes[ordinal], MEMORY_SCHEMAS[actor.schema_id]
    narrow_read = ReadSubwordSemantics.ZERO_EXTEND in access_class.read_subword
    narrow_write = WriteSubwordSemantics.BYTE_ENABLE in access_class.write_subword
    for active, admitted, name in (
        (schema.reads, narrow_read, "ZERO_EXTEND"),
        (schema.writes, narrow_write and access.data_bits % 8 == 0, "BYTE_ENABLE of whole bytes"),
    ):
        if active and not admitted:
            yield Diagnostic(
                "subword-not-accepted",
                "access.data",
                f"A payload narrower than the {endpoint_width} bits of its endpoint needs {name}, "
                f"which the class does not give {access.data_bits} bits",
            )


def _pattern_findings(
    alternative: MemoryCapabilityAlternative, use_pattern: int
) -> Iterator[Diagnostic]:
    if use_pattern not in alternative.admissible_use_patterns:
        yield Diagnostic(
            "use-pattern-not-admissible",
            "use_pattern",
            f"The use pattern must be one of {list(alternative.admissible_use_patterns)}, "
            f"not {use_pattern}",
        )


def _domain(domain: UnsignedDomain) -> str:
    spans = (
        str(i.lower) if i.lower == i.upper else f"{i.lower}..{i.upper}" for i in domain.intervals
    )
    return "{" + ", ".join(spans) + "}"


def _listed(names: Iterable[str]) -> str:
    return " or ".join(names) or "none"
