"""Wire form of :mod:`fabricgen.records.actor`.

The framed schema atom, a u64be clause count, then framed clauses; a clause is its u32be variant,
a u64be field count, and one framed finite domain (u64be atom count, framed atoms) per field.
"""

from fabricgen.atoms.dataflow import BOOLEANS, SCHEMA_IDS
from fabricgen.atoms.finite import FiniteDomain
from fabricgen.errors import Diagnostic, Invalid, Unsupported
from fabricgen.errors.place import placed
from fabricgen.records.actor import (
    ContractClause,
    LoadStorePlain,
    MemoryActorContractDomain,
    clause_findings,
)
from fabricgen.vocab.fabric import ContractClauseTag
from fabricgen.wire.frame import Reader, frame, u32be, u64be

__all__ = ["decode", "encode"]

#: Fields of each clause variant; the unbuilt ones too, so that their framing is checked.
_FIELD_COUNTS = {
    ContractClauseTag.LOAD_STORE_PLAIN: 1,
    ContractClauseTag.LOAD_STORE_ATOMIC: 4,
    ContractClauseTag.ATOMIC_RMW: 5,
    ContractClauseTag.COMPARE_EXCHANGE: 5,
    ContractClauseTag.FENCE: 2,
}
_RawClause = tuple[ContractClauseTag, tuple[FiniteDomain, ...]]


def encode(record: MemoryActorContractDomain) -> bytes:
    """Encode a record; total, because a record cannot hold an illegal value."""
    return b"".join(
        [
            frame(SCHEMA_IDS.atom(record.actor_schema)),
            u64be(len(record.contract_clauses)),
            *(frame(_encode_clause(clause)) for clause in record.contract_clauses),
        ]
    )


def _encode_clause(clause: ContractClause) -> bytes:
    fields = b"".join(frame(_encode_domain(domain)) for domain in clause.fields)
    return u32be(clause.tag.value) + u64be(len(clause.fields)) + fields


def _encode_domain(domain: FiniteDomain) -> bytes:
    return u64be(len(domain.atoms)) + b"".join(map(frame, domain.atoms))


def decode(data: bytes) -> MemoryActorContractDomain:
    """Decode strictly: framing, atoms, order, normal form and trailing bytes.

    Raises
    ------
    Invalid
        For whatever is illegal.
    Unsupported
        Where all is legal so far and a clause is not a plain load or store.
    """
    reader = Reader(data, "actor_contract_domain")
    schema = SCHEMA_IDS.read(reader.frame(), "actor_schema")
    count = reader.count(20)
    raw = [_raw_clause(reader, f"contract_clauses[{i}]") for i in range(count)]
    reader.end()
    illegal: list[Diagnostic] = []
    unbuilt: list[Diagnostic] = []
    for ordinal, (tag, _) in enumerate(raw):
        where = f"contract_clauses[{ordinal}]"
        illegal += clause_findings(schema, tag, where)
        if tag is not ContractClauseTag.LOAD_STORE_PLAIN:
            message = f"A clause must be LOAD_STORE_PLAIN in this generator, not {tag.name}"
            unbuilt.append(Diagnostic("actor-contract-not-built", where, message))
    if illegal:
        raise Invalid(*illegal)
    if unbuilt:
        raise Unsupported(*unbuilt)
    clauses = [
        LoadStorePlain(BOOLEANS.read_domain(fields[0], f"contract_clauses[{i}].volatile_values"))
        for i, (_, fields) in enumerate(raw)
    ]
    return MemoryActorContractDomain(schema, tuple(clauses))


def _raw_clause(outer: Reader, where: str) -> _RawClause:
    reader = outer.nested(where)
    tag = reader.tag(ContractClauseTag)
    found = reader.u64()
    if found != _FIELD_COUNTS[tag]:
        message = f"A clause {tag.name} must have {_FIELD_COUNTS[tag]} fields, not {found}"
        raise Invalid(Diagnostic("clause-field-count", where, message))
    fields = tuple(_domain(reader, f"{where}.field[{i}]") for i in range(found))
    reader.end()
    return tag, fields


def _domain(outer: Reader, where: str) -> FiniteDomain:
    reader = outer.nested(where)
    atoms = tuple(reader.frame() for _ in range(reader.count(8)))
    reader.end()
    with placed(where):
        return FiniteDomain(atoms)
