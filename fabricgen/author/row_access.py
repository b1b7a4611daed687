"""The capability alternative that carries out one row of a mapping."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from fabricgen.author.findings import Findings, lookup, with_endpoint_names
from fabricgen.author.mapping_document import RowDocument
from fabricgen.author.row_actor import access_place, exact_access, exact_actors, operation
from fabricgen.author.row_document import FenceDocument
from fabricgen.errors import Diagnostic
from fabricgen.errors.listing import listed_names
from fabricgen.plan.support import supports_memory_access
from fabricgen.records.fabric import NamedMemory
from fabricgen.records.port import MemoryCapabilityAlternative
from fabricgen.schema.actor import (
    CanonicalActorProjection,
    CanonicalMemoryAccessView,
    access_findings,
)
from fabricgen.schema.contract import CompareExchangeContract

__all__ = ["Selection", "select"]


@dataclass(frozen=True, slots=True)
class Selection:
    """What a row's access comes to on its port."""

    alternative: int
    use_pattern: int
    actor: CanonicalActorProjection
    access: CanonicalMemoryAccessView | None


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
    written = operation(document)
    place = f"{where}.{written.key}"
    actors = exact_actors(document, where, findings)
    access = exact_access(document, where, findings)
    pattern = written.body.pattern
    patterns = lookup([pattern], memory.names.patterns[port], f"{place}.pattern", findings)
    is_fence = isinstance(written.body, FenceDocument)
    if not actors or (access is None and not is_fence):
        return None
    # Open truth values change nothing about which accesses an actor can have.
    illegal = tuple(access_findings(actors[0], access))
    findings.diagnostics += (
        replace(each, where=access_place(where, document, each.where)) for each in illegal
    )
    if illegal or patterns is None:
        return None
    alternatives = _alternatives(memory, port)
    size = memory.patterns_per_name(port)
    key = patterns[0] * size + (context if size > 1 else 0)
    tried = [
        Selection(ordinal, key, actor, access)
        for ordinal, alternative in enumerate(alternatives)
        if alternative.actor_contract_domain.actor_schema is written.schema
        for actor in actors
    ]
    verdicts = [(selection, _refusal(memory, port, selection)) for selection in tried]
    accepted = [selection for selection, refusal in verdicts if not refusal]
    if len(accepted) == 1:
        return accepted[0]
    name = memory.names.ports[port]
    if accepted:
        for open_key in _open_keys(accepted):
            findings.add(
                "missing-key",
                f"{place}.{open_key}",
                f"The key must be present where port {name} admits both values, not absent",
            )
    elif not verdicts:
        findings.add(
            "actor-schema-not-accepted",
            place,
            f"Port {name} must have a {written.key} alternative for this row, not none",
        )
    else:
        findings.diagnostics += (
            with_endpoint_names(diagnostic, memory.names.endpoints)
            for diagnostic in _explained(memory, port, context, document, where, verdicts)
        )
    return None


def _alternatives(memory: NamedMemory, port: int) -> tuple[MemoryCapabilityAlternative, ...]:
    return memory.occurrence.operation_ports[port].capability_alternatives


def _open_keys(accepted: Sequence[Selection]) -> Iterator[str]:
    """Truth values that a row leaves open and that its port does not decide."""
    contracts = [each.actor.contract for each in accepted]
    exchanges = [each for each in contracts if isinstance(each, CompareExchangeContract)]
    if len({each.weak for each in exchanges}) > 1:
        yield "weak"
    if len({each.volatile for each in contracts}) > 1:
        yield "volatile"


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
    context: int,
    document: RowDocument,
    where: str,
    verdicts: list[tuple[Selection, tuple[Diagnostic, ...]]],
) -> Iterable[Diagnostic]:
    """Every alternative's refusal, once, with the open truth values that it minds least.

    Plain alternatives say nothing of an atomic row, nor atomic ones of a plain row, where there
    are others.
    """
    least: dict[int, tuple[Diagnostic, ...]] = {}
    alternatives = _alternatives(memory, port)
    alike = [
        (selection, refusal)
        for selection, refusal in verdicts
        if selection.actor.contract.variant
        in alternatives[selection.alternative].actor_contract_domain.variants
    ]
    for selection, refusal in alike or verdicts:
        known = least.get(selection.alternative)
        if known is None or len(refusal) < len(known):
            least[selection.alternative] = refusal
    for ordinal, refusal in least.items():
        for diagnostic in refusal:
            message = diagnostic.message
            if diagnostic.where == "use_pattern":
                message = _pattern_message(memory, port, ordinal, context, document)
            yield Diagnostic(
                diagnostic.code,
                access_place(where, document, diagnostic.where),
                f"{message} (alternative {ordinal} of port {memory.names.ports[port]})",
            )


def _pattern_message(
    memory: NamedMemory, port: int, alternative: int, context: int, document: RowDocument
) -> str:
    """Say with the document's names which patterns an alternative has, in the row's context."""
    keys = _alternatives(memory, port)[alternative].admissible_use_patterns
    size, known = memory.patterns_per_name(port), memory.names.patterns[port]
    names = [known[key // size] for key in keys if size == 1 or key % size == context]
    pattern = operation(document).body.pattern
    if pattern in (known[key // size] for key in keys):
        return f"The use pattern must be admitted in context {context}, not only in others"
    return f"The use pattern must be one of {listed_names(names)}, not {pattern}"
