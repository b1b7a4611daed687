"""The exact actor-contract relation (spec: Persistent Capability Schema)."""

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.atoms.dataflow import BOOLEANS, SCHEMA_IDS
from fabricgen.atoms.fabric import CLAUSE_TAGS
from fabricgen.atoms.finite import FiniteDomain
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.relation.normal import canonical_findings, normalise
from fabricgen.relation.row import Row
from fabricgen.schema.actor import CanonicalActorProjection
from fabricgen.vocab.dataflow import OperationSchemaId
from fabricgen.vocab.fabric import ContractClauseTag

__all__ = [
    "CLAUSE_VARIANTS",
    "CONTRACT_STRUCTURAL",
    "ContractClause",
    "LoadStorePlain",
    "MemoryActorContractDomain",
    "clause_findings",
    "contract_row",
    "read_contract_row",
]

#: Schema and clause variant partition the contract relation; clause fields follow.
CONTRACT_STRUCTURAL = (True, True, False)

_LOAD_STORE = (ContractClauseTag.LOAD_STORE_PLAIN, ContractClauseTag.LOAD_STORE_ATOMIC)
#: Clause variants of the memory contract that each registered schema owns.
CLAUSE_VARIANTS: dict[OperationSchemaId, tuple[ContractClauseTag, ...]] = {
    OperationSchemaId.DATAFLOW_LOAD: _LOAD_STORE,
    OperationSchemaId.DATAFLOW_STORE: _LOAD_STORE,
    OperationSchemaId.DATAFLOW_ATOMIC_RMW: (ContractClauseTag.ATOMIC_RMW,),
    OperationSchemaId.DATAFLOW_CMPXCHG: (ContractClauseTag.COMPARE_EXCHANGE,),
    OperationSchemaId.DATAFLOW_FENCE: (ContractClauseTag.FENCE,),
}


@dataclass(frozen=True, slots=True)
class LoadStorePlain:
    """Plain loads or stores; ``volatile_values`` is sorted (False first), unique, non-empty."""

    volatile_values: tuple[bool, ...]

    def __post_init__(self) -> None:
        if found := tuple(BOOLEANS.findings("volatile_values", self.volatile_values)):
            raise Invalid(*found)

    @classmethod
    def of(cls, *volatile_values: bool) -> "LoadStorePlain":
        """Build the clause from values in any order."""
        return cls(BOOLEANS.sorted(volatile_values))

    @property
    def tag(self) -> ContractClauseTag:
        """Wire tag of the variant."""
        return ContractClauseTag.LOAD_STORE_PLAIN

    @property
    def fields(self) -> tuple[FiniteDomain, ...]:
        """Finite domains of the clause in declaration order."""
        return (BOOLEANS.domain(self.volatile_values),)


ContractClause = LoadStorePlain


@dataclass(frozen=True, slots=True)
class MemoryActorContractDomain:
    """One actor schema and its canonical contract clauses.

    The constructor is the strict door: it refuses every other decomposition of the relation.
    :meth:`of` normalises any clauses.
    """

    actor_schema: OperationSchemaId
    contract_clauses: tuple[ContractClause, ...]

    def __post_init__(self) -> None:
        if found := tuple(self._findings()):
            raise Invalid(*found)

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

    def contains(self, actor: CanonicalActorProjection) -> bool:
        """Tell whether the domain admits an exact actor contract."""
        return actor.schema_id is self.actor_schema and any(
            actor.contract.volatile in clause.volatile_values for clause in self.contract_clauses
        )

    def _findings(self) -> Iterator[Diagnostic]:
        for ordinal, clause in enumerate(self.contract_clauses):
            where = f"contract_clauses[{ordinal}]"
            yield from clause_findings(self.actor_schema, clause.tag, where)
        yield from canonical_findings(self.rows, CONTRACT_STRUCTURAL, "contract_clauses")


def clause_findings(
    schema: OperationSchemaId, variant: ContractClauseTag, where: str
) -> Iterator[Diagnostic]:
    """Say whether ``variant`` is none of the contract variants that ``schema`` owns."""
    if variant not in CLAUSE_VARIANTS[schema]:
        owned = " or ".join(each.name for each in CLAUSE_VARIANTS[schema])
        yield Diagnostic(
            "clause-schema-mismatch",
            where,
            f"A clause of {schema.name} must be {owned}, not {variant.name}",
        )


def contract_row(schema: OperationSchemaId, clause: ContractClause) -> Row:
    """One clause as a row of the contract relation: schema, variant, clause fields."""
    return (SCHEMA_IDS.domain([schema]), CLAUSE_TAGS.domain([clause.tag]), *clause.fields)


def read_contract_row(row: Row) -> tuple[OperationSchemaId, ContractClause]:
    """Read back a row that :func:`contract_row` made, or that was reduced from such rows."""
    schema, _, volatile = (d for d in row if isinstance(d, FiniteDomain))
    (schema_id,) = SCHEMA_IDS.read_domain(schema, "actor_schema")
    return schema_id, LoadStorePlain(BOOLEANS.read_domain(volatile, "volatile_values"))
