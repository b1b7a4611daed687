"""``SupportsMemoryAccess``: the one judgement whether a port realises an actor (spec of that name).

Every function returns findings, empty when the answer is yes.
"""

import enum
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import cast

from fabricgen.atoms.sync_scope import SyncScope
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.errors import Diagnostic
from fabricgen.errors.listing import listed, listed_names
from fabricgen.plan.roles import active_roles, role_bits
from fabricgen.records.access import (
    DataFormat,
    MemoryAccessClass,
    OrdinaryData,
    ParameterizedMemoryAccessDomain,
)
from fabricgen.records.actor import ContractClause, MemoryActorContractDomain
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.records.port import MemoryCapabilityAlternative
from fabricgen.schema.actor import CanonicalActorProjection, CanonicalMemoryAccessView
from fabricgen.schema.actor import access_findings as view_findings
from fabricgen.schema.contract import MemoryContract
from fabricgen.schema.memory import MEMORY_SCHEMAS, MemoryActorSchema
from fabricgen.vocab.dataflow import ServiceValueRole
from fabricgen.vocab.fabric import (
    ReadSubwordSemantics,
    WriteSubwordSemantics,
)
from fabricgen.vocab.words import word, words

__all__ = [
    "access_findings",
    "actor_findings",
    "selected_class",
    "selected_clause",
    "supports_memory_access",
]


#: What fields of a contract are called in messages, where not as they are named.
_WORDS = {"orderings": "pair of orderings", "volatile": "volatility", "weak": "weakness"}


def supports_memory_access(
    occurrence: MemoryOccurrence,
    port: int,
    alternative: int,
    actor: CanonicalActorProjection,
    access: CanonicalMemoryAccessView | None,
    use_pattern: int,
) -> tuple[Diagnostic, ...]:
    """Tell why the alternative of the port does not realise the actor with the use pattern.

    A fence has no access view; its alternative accepts the contract, the roles and the pattern.
    ``port``, ``alternative`` and ``use_pattern`` are ordinals in range; an occurrence without an
    engine has no port.
    """
    chosen = occurrence.operation_ports[port].capability_alternatives[alternative]
    actor_found = tuple(actor_findings(chosen.actor_contract_domain, actor))
    if actor.schema_id is not chosen.actor_contract_domain.actor_schema:
        return actor_found
    found = [*actor_found, *view_findings(actor, access)]
    if access is not None:
        found += access_findings(chosen.parameterized_access_domain, access)
        found += _endpoint_findings(occurrence, chosen, actor, access)
    return (*found, *_pattern_findings(chosen, use_pattern))


def actor_findings(
    domain: MemoryActorContractDomain, actor: CanonicalActorProjection
) -> Iterator[Diagnostic]:
    """Tell why the contract domain does not contain the actor."""
    if actor.schema_id is not domain.actor_schema:
        yield Diagnostic(
            "actor-schema-not-accepted",
            "actor.schema_id",
            f"The actor must be {word(domain.actor_schema)}, not {word(actor.schema_id)}",
        )
    elif not domain.contains(actor):
        yield from _contract_findings(domain, actor.contract)


def _contract_findings(
    domain: MemoryActorContractDomain, contract: MemoryContract
) -> Iterator[Diagnostic]:
    """Say what keeps the contract out, by the clause of its variant that misses least."""
    alike = [clause for clause in domain.contract_clauses if clause.tag is contract.variant]
    if not alike:
        variants = dict.fromkeys(word(clause.tag) for clause in domain.contract_clauses)
        yield Diagnostic(
            "actor-contract-not-accepted",
            "actor.contract",
            f"The contract must be {_listed(variants)}, not {word(contract.variant)}",
        )
        return
    names = [field.name for field in fields(contract)]
    misses = (
        [
            (name, values, value)
            for name, values, value in zip(names, clause.inventories, contract.values, strict=False)
            if value not in values
        ]
        for clause in alike
    )
    for name, values, value in min(misses, key=len):
        yield Diagnostic(
            "actor-contract-not-accepted",
            f"actor.contract.{name}",
            f"The {_WORDS.get(name, name)} must be {_listed(map(_spelled, values))}, "
            f"not {_spelled(value)}",
        )


def selected_clause(
    alternative: MemoryCapabilityAlternative, actor: CanonicalActorProjection
) -> tuple[int, ContractClause]:
    """Ordinal and clause that admit the actor of a legal row; ``ValueError`` where none does."""
    clauses = alternative.actor_contract_domain.contract_clauses
    ordinal = [each.contains(actor.contract) for each in clauses].index(True)
    return ordinal, clauses[ordinal]


def selected_class(
    alternative: MemoryCapabilityAlternative, access: CanonicalMemoryAccessView
) -> tuple[int, MemoryAccessClass]:
    """Ordinal and class that admit the access of a legal row; ``ValueError`` where none does."""
    classes = alternative.access_classes
    ordinal = [each.admits(access) for each in classes].index(True)
    return ordinal, classes[ordinal]


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
        admitted = sorted({(word(c.access_form), word(c.address_form)) for c in classes})
        return (
            Diagnostic(
                "access-form-not-accepted",
                "access.form",
                f"The access form must be one of {_listed(' '.join(pair) for pair in admitted)}, "
                f"not {word(access.form)} {word(access.address_form)}",
            ),
        )
    return min((tuple(_class_findings(c, access)) for c in same_form), key=len)


def _class_findings(
    access_class: MemoryAccessClass, access: CanonicalMemoryAccessView
) -> Iterator[Diagnostic]:
    """What of an access of the class's own forms the class does not admit."""
    domains = (
        ("element_bits", "element-width-not-accepted", access_class.element_width_bits),
        ("lane_count", "lane-count-not-accepted", access_class.flattened_lane_count),
        *(
            (("address_lane_bits", "index-width-not-accepted", widths),)
            if (widths := access_class.root_relative_index_widths) is not None
            else ()
        ),
    )
    for name, code, domain in domains:
        value = getattr(access, name)
        if value not in domain:
            yield Diagnostic(
                code, f"access.{name}", f"The value must lie in {_domain(domain)}, not {value}"
            )
    yield from _pointer_findings(access_class, access)
    forms = access_class.mask_forms
    if access.mask_form not in forms:
        yield Diagnostic(
            "mask-form-not-accepted",
            "access.mask_form",
            f"The mask must be {words(forms, ' or ')}, not {word(access.mask_form)}",
        )
    if not access_class.source_alignment.contains_bytes(access.source_alignment_bytes):
        exponents = access_class.source_alignment.accepted_log2_byte_alignments
        yield Diagnostic(
            "alignment-not-accepted",
            "access.source_alignment_bytes",
            f"The alignment must be {_powers(exponents)} bytes, "
            f"not {access.source_alignment_bytes}",
        )


def _pointer_findings(
    access_class: MemoryAccessClass, access: CanonicalMemoryAccessView
) -> Iterator[Diagnostic]:
    """Equal widths are not enough: a pointer's space and exact format count."""
    address, data = access.address_pointer_format, access.data_pointer_format or OrdinaryData()
    if address is not None and address not in access_class.address_pointer_formats:
        yield Diagnostic(
            "address-pointer-not-accepted",
            "access.address_pointer_format",
            f"The addresses must be {_listed(map(_format, access_class.address_pointer_formats))}, "
            f"not {_format(address)}",
        )
    if data not in access_class.data_pointer_formats:
        yield Diagnostic(
            "data-pointer-not-accepted",
            "access.data_pointer_format",
            f"The data must be {_listed(map(_format, access_class.data_pointer_formats))}, "
            f"not {_format(data)}",
        )


def _endpoint_findings(
    occurrence: MemoryOccurrence,
    alternative: MemoryCapabilityAlternative,
    actor: CanonicalActorProjection,
    access: CanonicalMemoryAccessView,
) -> Iterator[Diagnostic]:
    inputs, results = active_roles(alternative, actor, access)
    schema = MEMORY_SCHEMAS[actor.schema_id]
    required = role_bits(access)
    for role, endpoint in inputs + results:
        width = occurrence.endpoints[endpoint].payload_width
        if required.get(role, 0) > width:
            yield Diagnostic(
                "payload-exceeds-endpoint",
                f"access.{role.name.lower()}",
                f"The {role.name.lower()} token must fit the {width} bits of endpoint "
                f"{endpoint}, not need {required[role]}",
            )
        if role in (*schema.read_roles, *schema.write_roles):
            yield from _subword_findings(alternative, schema, role, access, width)


def _subword_findings(
    alternative: MemoryCapabilityAlternative,
    schema: MemoryActorSchema,
    role: ServiceValueRole,
    access: CanonicalMemoryAccessView,
    endpoint_width: int,
) -> Iterator[Diagnostic]:
    """Judge a payload narrower than its endpoint (spec: subword and inactive-lane values)."""
    domain = alternative.parameterized_access_domain
    access_class = None if domain is None else domain.matching_class(access)
    if access_class is None or access.data_bits >= endpoint_width:
        return
    narrow_read = ReadSubwordSemantics.ZERO_EXTEND in access_class.read_subword
    narrow_write = WriteSubwordSemantics.BYTE_ENABLE in access_class.write_subword
    for active, admitted, name in (
        (role in schema.read_roles, narrow_read, "zero_extend"),
        (
            role in schema.write_roles,
            narrow_write and access.data_bits % 8 == 0,
            "byte_enable of whole bytes",
        ),
    ):
        if active and not admitted:
            yield Diagnostic(
                "subword-not-accepted",
                f"access.{role.name.lower()}",
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
            f"The use pattern must be one of {listed(alternative.admissible_use_patterns)}, "
            f"not {use_pattern}",
        )


def _spelled(value: object) -> str:
    """A value of a contract in a message."""
    match value:
        case bool():
            return str(value).lower()
        case None:
            return "absent"
        case SyncScope(kind):
            return word(kind)
        case enum.Enum():
            return word(value)
        case _:
            return "/".join(map(_spelled, cast("tuple[object, ...]", value)))


def _format(data: DataFormat) -> str:
    """A pointer's format, or ordinary data, in a message."""
    if isinstance(data, OrdinaryData):
        return "ordinary"
    bits = f"{data.representation_bits} bits of which {data.address_bits} address"
    return f"pointers of space {data.address_space} with {bits}"


def _domain(domain: UnsignedDomain) -> str:
    spans = (
        str(i.lower) if i.lower == i.upper else f"{i.lower}..{i.upper}" for i in domain.intervals
    )
    return "{" + listed_names(spans) + "}"


def _powers(exponents: UnsignedDomain) -> str:
    """Alignments in bytes, each range of powers of two by its ends."""
    return " or ".join(
        str(1 << i.lower) if i.lower == i.upper else f"{1 << i.lower} to {1 << i.upper}"
        for i in exponents.intervals
    )


def _listed(names: Iterable[str]) -> str:
    return listed_names(names, " or ")
