"""The exact actor-contract relation (spec: Persistent Capability Schema)."""

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.atoms.dataflow import SCHEMA_IDS
from fabricgen.atoms.fabric import CLAUSE_TAGS
from fabricgen.atoms.finite import FiniteDomain
from fabricgen.errors import Diagnostic
from fabricgen.errors.strict import StrictRecord
from fabricgen.records.clause import (
    CLAUSE_TYPES,
    AtomicRmw,
    CompareExchange,
    ContractClause,
    Fence,
    Granularity,
    LoadStoreAtomic,
    LoadStorePlain,
    clause_of,
    legality_findings,
    variant_findings,
)
from fabricgen.relation.normal import canonical_findings, normalise
from fabricgen.relation.row import Row
from fabricgen.schema.actor import CanonicalActorProjection
from fabricgen.vocab.dataflow import OperationSchemaId
from fabricgen.vocab.fabric import ContractClauseTag

__all__ = [
    "CONTRACT_STRUCTURAL",
    "AtomicRmw",
    "CompareExchange",
    "ContractClause",
    "Fence",
    "LoadStoreAtomic",
    "LoadStorePlain",
    "MemoryActorContractDomain",
    "contract_row",
    "read_contract_row",
]

_FIELDS = max(len(clause.CODECS) for clause in CLAUSE_TYPES.values())
#: Schema and clause variant partition the contract relation; the fields of the longest variant
#: follow, and a shorter one fills them up with one value.
CONTRACT_STRUCTURAL = (True, True, *(False,) * _FIELDS)
_FILLER = FiniteDomain((b"",))


@dataclass(frozen=True, slots=True)
class MemoryActorContractDomain(StrictRecord):
    """One actor schema and its canonical contract clauses.

    The constructor is the strict door: it refuses every other decomposition of the relation.
    :meth:`of` normalises any clauses.
    """

    actor_schema: OperationSchemaId
    contract_clauses: tuple[ContractClause, ...]

    @classmethod
    def of(
        cls, actor_schema: OperationSchemaId, *clauses: ContractClause
    ) -> "MemoryActorContractDomain":
        """Build the canonical domain that admits what any of ``clauses`` admits."""
        if not clauses:
            return cls(actor_schema, ())
        rows = normalise(
            [contract_row(actor_schema, each) for each in clauses], CONTRACT_STRUCTURAL
        )
        return cls(actor_schema, tuple(read_contract_row(row)[1] for row in rows))

    @property
    def rows(self) -> tuple[Row, ...]:
        """The clauses as rows of the contract relation."""
        return tuple(contract_row(self.actor_schema, each) for each in self.contract_clauses)

    @property
    def clauses(self) -> tuple[ContractClause, ...]:
        """The canonical clauses."""
        return self.contract_clauses

    @property
    def variants(self) -> tuple[ContractClauseTag, ...]:
        """Variants of the clauses, each once."""
        return tuple(dict.fromkeys(clause.tag for clause in self.contract_clauses))

    @property
    def granularities(self) -> tuple[Granularity, ...]:
        """Granularities of all atomic clauses, each once; none for plain actors and fences."""
        found: dict[Granularity, None] = {}
        for clause in self.contract_clauses:
            if not isinstance(clause, LoadStorePlain | Fence):
                found.update(dict.fromkeys(clause.vector_granularity_values))
        return tuple(found)

    def matching_clause(self, actor: CanonicalActorProjection) -> int | None:
        """Ordinal of the clause that admits an exact actor contract, if any; they are disjoint."""
        if actor.schema_id is not self.actor_schema:
            return None
        clauses = enumerate(self.contract_clauses)
        return next((i for i, clause in clauses if clause.contains(actor.contract)), None)

    def contains(self, actor: CanonicalActorProjection) -> bool:
        """Tell whether the domain admits an exact actor contract."""
        return self.matching_clause(actor) is not None

    def _findings(self) -> Iterator[Diagnostic]:
        schema, clauses = self.actor_schema, enumerate(self.contract_clauses)
        placed = [(clause, f"contract_clauses[{ordinal}]") for ordinal, clause in clauses]
        foreign = [each for c, where in placed for each in variant_findings(schema, c.tag, where)]
        if foreign:
            yield from foreign
            return
        for clause, where in placed:
            yield from legality_findings(schema, clause, where)
        yield from canonical_findings(self.rows, CONTRACT_STRUCTURAL, "contract_clauses")


def contract_row(schema: OperationSchemaId, clause: ContractClause) -> Row:
    """One clause as a row of the contract relation: schema, variant, clause fields."""
    fields = clause.fields
    return (
        SCHEMA_IDS.domain([schema]),
        CLAUSE_TAGS.domain([clause.tag]),
        *fields,
        *(_FILLER,) * (_FIELDS - len(fields)),
    )


def read_contract_row(row: Row) -> tuple[OperationSchemaId, ContractClause]:
    """Read back a row that :func:`contract_row` made, or that was reduced from such rows."""
    schema, variant, *fields = (d for d in row if isinstance(d, FiniteDomain))
    (schema_id,) = SCHEMA_IDS.read_domain(schema, "actor_schema")
    (tag,) = CLAUSE_TAGS.read_domain(variant, "variant")
    return schema_id, clause_of(tag, tuple(fields[: len(CLAUSE_TYPES[tag].CODECS)]))
