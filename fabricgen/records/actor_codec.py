"""Wire form of :mod:`fabricgen.records.actor`.

The framed schema atom, a u64be clause count, then framed clauses; a clause is its u32be variant,
a u64be field count, and one framed finite domain (u64be atom count, framed atoms) per field.
"""

from fabricgen.atoms.dataflow import SCHEMA_IDS
from fabricgen.atoms.finite import FiniteDomain
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.errors.place import placed
from fabricgen.records.actor import MemoryActorContractDomain
from fabricgen.records.clause import (
    CLAUSE_TYPES,
    ContractClause,
    clause_of,
    variant_findings,
)
from fabricgen.vocab.fabric import ContractClauseTag
from fabricgen.vocab.words import word
from fabricgen.wire.frame import Reader, frame, u32be, u64be

__all__ = ["decode", "encode"]

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
    """Decode strictly: framing, variants, atoms, legality, normal form and trailing bytes."""
    reader = Reader(data, "actor_contract_domain")
    schema = SCHEMA_IDS.read(reader.frame(), "actor_schema")
    count = reader.count(20)
    raw = [_raw_clause(reader, f"contract_clauses[{i}]") for i in range(count)]
    reader.end()
    foreign = [
        finding
        for ordinal, (tag, _) in enumerate(raw)
        for finding in variant_findings(schema, tag, f"contract_clauses[{ordinal}]")
    ]
    if foreign:
        raise Invalid(*foreign)
    return MemoryActorContractDomain(
        schema, tuple(_clause(tag, fields, i) for i, (tag, fields) in enumerate(raw))
    )


def _clause(
    tag: ContractClauseTag, fields: tuple[FiniteDomain, ...], ordinal: int
) -> ContractClause:
    with placed(f"contract_clauses[{ordinal}]"):
        return clause_of(tag, fields)


def _raw_clause(outer: Reader, where: str) -> _RawClause:
    reader = outer.nested(where)
    tag = reader.tag(ContractClauseTag)
    found, required = reader.u64(), len(CLAUSE_TYPES[tag].CODECS)
    if found != required:
        message = f"A clause {word(tag)} must have {required} fields, not {found}"
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
