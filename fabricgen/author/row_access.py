"""The capability alternative that carries out one row of a mapping."""

from collections.abc import Iterable
from dataclasses import dataclass

from fabricgen.author.findings import Findings, lookup, with_endpoint_names
from fabricgen.author.mapping_document import LoadRowDocument, RowAccessDocument, RowDocument
from fabricgen.author.row_ordinals import context_count
from fabricgen.errors import Diagnostic
from fabricgen.plan.contract import document_pattern, use_pattern_key
from fabricgen.plan.support import supports_memory_access
from fabricgen.records.fabric import NamedMemory
from fabricgen.schema.actor import (
    CanonicalActorProjection,
    CanonicalMemoryAccessView,
    PlainContract,
)
from fabricgen.vocab.dataflow import (
    MemoryAccessForm,
    MemoryAddressForm,
    MemoryMaskForm,
    OperationSchemaId,
)

__all__ = ["Selection", "access_place", "select"]


@dataclass(frozen=True, slots=True)
class Selection:
    """What a row's access comes to on its port."""

    alternative: int
    use_pattern: int
    actor: CanonicalActorProjection
    access: CanonicalMemoryAccessView


#: Document key of each part of an access judgement; the rest is about the access as a whole.
_KEYS = {
    "access.form": "form",
    "access.element_bits": "element_bits",
    "access.lane_count": "lanes",
    "access.mask_form": "mask",
    "access.address_lane_bits": "index_bits",
    "actor.contract": "volatile",
    "use_pattern": "pattern",
}


def select(
    memory: NamedMemory,
    port: int,
    context: int,
    document: RowDocument,
    where: str,
    findings: Findings,
) -> Selection | None:
    """Choose the one alternative of ``port`` that supports the row.

    Where none does, every alternative of the row's operation says why. ``context`` is the
    requester whose use pattern stands for the document's: the row itself if it is Temporal, else 0.
    """
    operation, body = _operation(document)
    place = f"{where}.{_key(document)}"
    access = findings.attempt(
        lambda field: access_place(where, document, f"access.{field}"),
        lambda: _access(body),
    )
    patterns = lookup([body.pattern], memory.names.patterns[port], f"{place}.pattern", findings)
    if access is None or patterns is None or memory.occurrence.engine is None:
        return None
    values = (False, True) if body.volatile is None else (body.volatile,)
    alternatives = memory.occurrence.engine.ports[port].capability_alternatives
    key = use_pattern_key(patterns[0], context, context_count(memory))
    tried = [
        (Selection(ordinal, key, _actor(operation, volatile), access), ordinal)
        for ordinal, alternative in enumerate(alternatives)
        if alternative.actor_contract_domain.actor_schema is operation
        for volatile in values
    ]
    verdicts = [(selection, _refusal(memory, port, selection)) for selection, _ in tried]
    accepted = [selection for selection, refusal in verdicts if not refusal]
    if len(accepted) == 1:
        return accepted[0]
    name = memory.names.ports[port]
    if accepted:
        findings.add(
            "missing-key",
            f"{place}.volatile",
            f"The key must be present where port {name} admits both values, not absent",
        )
    elif not verdicts:
        findings.add(
            "actor-schema-not-accepted",
            place,
            f"Port {name} must have a {_key(document)} alternative for this row, not none",
        )
    else:
        findings.diagnostics += (
            with_endpoint_names(diagnostic, memory.names.endpoints)
            for diagnostic in _explained(memory, port, document, where, verdicts)
        )
    return None


def access_place(where: str, document: RowDocument, field: str) -> str:
    """Place of a row's field, as ``plan`` names it, in the document's row at ``where``."""
    body = f"{where}.{_key(document)}"
    if field in _KEYS:
        return f"{body}.{_KEYS[field]}"
    if field.startswith(("access", "actor", "alternative", "capability_alternative")):
        return body
    keys = {"base_addr": "base", "service_target": "target", "port": "port"}
    return f"{where}.{keys[field]}" if field in keys else where


def _key(document: RowDocument) -> str:
    return "load" if isinstance(document, LoadRowDocument) else "store"


def _operation(document: RowDocument) -> tuple[OperationSchemaId, RowAccessDocument]:
    if isinstance(document, LoadRowDocument):
        return OperationSchemaId.DATAFLOW_LOAD, document.load
    return OperationSchemaId.DATAFLOW_STORE, document.store


def _actor(operation: OperationSchemaId, volatile: bool) -> CanonicalActorProjection:
    return CanonicalActorProjection(operation, PlainContract(volatile))


def _access(document: RowAccessDocument) -> CanonicalMemoryAccessView:
    return CanonicalMemoryAccessView(
        form=MemoryAccessForm[document.form.upper()],
        address_form=MemoryAddressForm.ROOT_RELATIVE,
        element_bits=document.element_bits,
        lane_count=document.lanes,
        mask_form=MemoryMaskForm[document.mask.upper()],
        address_lane_bits=document.index_bits,
    )


def _refusal(memory: NamedMemory, port: int, selection: Selection) -> tuple[Diagnostic, ...]:
    return supports_memory_access(
        memory.occurrence,
        port,
        selection.alternative,
        selection.actor,
        selection.access,
        selection.use_pattern,
    )


def _explained(
    memory: NamedMemory,
    port: int,
    document: RowDocument,
    where: str,
    verdicts: list[tuple[Selection, tuple[Diagnostic, ...]]],
) -> Iterable[Diagnostic]:
    """Every alternative's refusal, once, with the volatility that it minds least."""
    least: dict[int, tuple[Diagnostic, ...]] = {}
    for selection, refusal in verdicts:
        known = least.get(selection.alternative)
        if known is None or len(refusal) < len(known):
            least[selection.alternative] = refusal
    for ordinal, refusal in least.items():
        for diagnostic in refusal:
            message = diagnostic.message
            if diagnostic.where == "use_pattern":
                message = _pattern_message(memory, port, ordinal, document)
            yield Diagnostic(
                diagnostic.code,
                access_place(where, document, diagnostic.where),
                f"{message} (alternative {ordinal} of port {memory.names.ports[port]})",
            )


def _pattern_message(
    memory: NamedMemory, port: int, alternative: int, document: RowDocument
) -> str:
    """Say with the document's names which patterns an alternative has."""
    engine = memory.occurrence.engine
    ports = () if engine is None else engine.ports
    keys = ports[port].capability_alternatives[alternative].admissible_use_patterns
    ordinals = {document_pattern(key, context_count(memory))[0] for key in keys}
    names = [name for i, name in enumerate(memory.names.patterns[port]) if i in ordinals]
    _, body = _operation(document)
    return f"The use pattern must be one of {', '.join(names)}, not {body.pattern}"
