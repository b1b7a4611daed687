import pytest

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.dataflow import (
    ACCESS_FORMS,
    ADDRESS_FORMS,
    BOOLEANS,
    MASK_FORMS,
    ROLES,
    SCHEMA_IDS,
)
from fabricgen.atoms.fabric import (
    CLAUSE_TAGS,
    MASK_INACTIVE_PAIRS,
    READ_SUBWORDS,
    WRITE_SUBWORDS,
)
from fabricgen.atoms.finite import FiniteDomain
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.errors import Invalid
from fabricgen.vocab.dataflow import (
    MemoryAccessForm,
    MemoryAddressForm,
    MemoryMaskForm,
    OperationSchemaId,
    ServiceValueRole,
)
from fabricgen.vocab.fabric import (
    ContractClauseTag,
    InactiveLaneSemantics,
    ReadSubwordSemantics,
    WriteSubwordSemantics,
)

TABLES = [
    (ACCESS_FORMS, list(MemoryAccessForm)),
    (ADDRESS_FORMS, list(MemoryAddressForm)),
    (MASK_FORMS, list(MemoryMaskForm)),
    (ROLES, list(ServiceValueRole)),
    (SCHEMA_IDS, [each for each in OperationSchemaId if 88 <= each.value - 0x4C530201 <= 92]),
    (BOOLEANS, [False, True]),
    (READ_SUBWORDS, list(ReadSubwordSemantics)),
    (WRITE_SUBWORDS, list(WriteSubwordSemantics)),
    (CLAUSE_TAGS, list(ContractClauseTag)),
]


@pytest.mark.parametrize(
    ("atom", "text"),
    [
        (
            ACCESS_FORMS.atom(MemoryAccessForm.INDEXED),
            b"loom.dataflow.memory-access-form\0\0\0\0\1\0\0\0\0\0\0\0\3",
        ),
        (
            ADDRESS_FORMS.atom(MemoryAddressForm.ROOT_RELATIVE),
            b"loom.dataflow.memory-address-form\0\0\0\0\1\0\0\0\0\0\0\0\1",
        ),
        (
            MASK_FORMS.atom(MemoryMaskForm.DYNAMIC),
            b"loom.dataflow.memory-mask-form\0\0\0\0\1\0\0\0\0\0\0\0\2",
        ),
        (
            ROLES.atom(ServiceValueRole.COMPLETION),
            b"loom.dataflow.service-value-role\0\0\0\0\1\0\0\0\0\0\0\0\x0b",
        ),
        (
            SCHEMA_IDS.atom(OperationSchemaId.DATAFLOW_LOAD),
            b"loom.dataflow.operation-schema-id\0\0\0\0\1\0\0\0\0\x4cS\2\x59",
        ),
        (
            BOOLEANS.atom(True),
            b"loom.dataflow.canonical-boolean\0\0\0\0\1\0\0\0\0\0\0\0\1",
        ),
        (READ_SUBWORDS.atom(ReadSubwordSemantics.ZERO_EXTEND), b"\0\0\0\2"),
        (
            MASK_INACTIVE_PAIRS.atom((MemoryMaskForm.ABSENT, InactiveLaneSemantics.SUPPRESS)),
            b"\0\0\0\0\0\0\0\x2bloom.dataflow.memory-mask-form\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\1",
        ),
    ],
)
def test_atoms_are_the_bytes_of_their_owner(atom, text):
    assert atom == text


@pytest.mark.parametrize(("table", "values"), TABLES, ids=lambda case: getattr(case, "kind", ""))
def test_values_and_atoms_are_one_to_one_in_tag_order(table, values):
    atoms = [table.atom(value) for value in values]
    assert [table.read(atom, "here") for atom in atoms] == values
    assert atoms == sorted(set(atoms))


@pytest.mark.parametrize(("table", "values"), TABLES, ids=lambda case: getattr(case, "kind", ""))
def test_every_flip_prefix_and_extension_of_an_atom_is_unknown_or_another_value(table, values):
    atom = table.atom(values[0])
    known = {table.atom(value) for value in values}
    damaged = [atom[:cut] for cut in range(len(atom))] + [atom + b"\0"]
    damaged += [
        atom[:i] + bytes([atom[i] ^ 1 << bit]) + atom[i + 1 :]
        for i in range(len(atom))
        for bit in range(8)
    ]
    for other in damaged:
        if other not in known:
            with pytest.raises(Invalid, match=r"^here: The atom of a .*\[atom-unknown\]$"):
                table.read(other, "here")


def test_a_finite_domain_is_sorted_unique_and_not_empty():
    assert FiniteDomain.of(b"b", b"a", b"b").atoms == (b"a", b"b")
    assert b"a" in FiniteDomain.of(b"a")
    assert b"c" not in FiniteDomain.of(b"a")
    with pytest.raises(Invalid, match=r"at least one value, not 0 \[domain-empty\]$"):
        FiniteDomain(())
    for atoms in ((b"b", b"a"), (b"a", b"a")):
        with pytest.raises(Invalid, match=r"sorted and unique, but .*\[domain-not-canonical\]$"):
            FiniteDomain(atoms)


@pytest.mark.parametrize(
    ("values", "messages"),
    [
        ((), ["forms: A domain must hold at least one value, not 0 [domain-empty]"]),
        (
            (MemoryMaskForm.DYNAMIC, MemoryMaskForm.ABSENT),
            ["forms: Values must be sorted and unique, not dynamic, absent [domain-not-canonical]"],
        ),
        ((MemoryMaskForm.ABSENT, MemoryMaskForm.DYNAMIC), []),
    ],
)
def test_a_closed_set_says_what_is_wrong(values, messages):
    assert [str(finding) for finding in MASK_FORMS.findings("forms", values)] == messages


def test_alignments_are_powers_of_two_whose_exponents_are_accepted():
    domain = AlignmentDomain(UnsignedDomain.of((2, 3), 63))
    accepted = [n for n in range(-1, 40) if domain.contains_bytes(n)]
    assert accepted == [4, 8]
    assert domain.contains_bytes(2**63)
    with pytest.raises(Invalid, match=r"from 0 to 63, not 64 \[alignment-out-of-range\]$"):
        AlignmentDomain(UnsignedDomain.of(64))
