"""The exact actor-contract relation (spec: Persistent Capability Schema)."""

from dataclasses import dataclass

from fabricgen.vocab.dataflow import OperationSchemaId

__all__ = ["ContractClause", "LoadStorePlain", "MemoryActorContractDomain"]


@dataclass(frozen=True, slots=True)
class LoadStorePlain:
    """Plain loads or stores; ``volatile_values`` is sorted (False first), unique, non-empty."""

    volatile_values: tuple[bool, ...]


ContractClause = LoadStorePlain


@dataclass(frozen=True, slots=True)
class MemoryActorContractDomain:
    """One actor schema and its canonical contract clauses."""

    actor_schema: OperationSchemaId
    contract_clauses: tuple[ContractClause, ...]
