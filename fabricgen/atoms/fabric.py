"""Atoms of values that Fabric owns: u32be tags, alone or beside a Dataflow-owned atom."""

import enum
from itertools import product
from typing import TypeVar

from fabricgen.atoms.dataflow import MASK_FORMS
from fabricgen.atoms.table import AtomTable
from fabricgen.vocab.dataflow import MemoryMaskForm
from fabricgen.vocab.fabric import (
    ContractClauseTag,
    InactiveLaneSemantics,
    ReadSubwordSemantics,
    WriteSubwordSemantics,
)

__all__ = ["CLAUSE_TAGS", "MASK_INACTIVE_PAIRS", "READ_SUBWORDS", "WRITE_SUBWORDS"]

_E = TypeVar("_E", bound=enum.Enum)


def _table(kind: type[_E]) -> AtomTable[_E]:
    return AtomTable(kind.__name__, {member: member.value.to_bytes(4, "big") for member in kind})


def _pair(form: MemoryMaskForm, inactive: InactiveLaneSemantics) -> bytes:
    """Frame the mask form's atom, then append the inactive-lane tag."""
    atom = MASK_FORMS.atom(form)
    return len(atom).to_bytes(8, "big") + atom + inactive.value.to_bytes(4, "big")


READ_SUBWORDS = _table(ReadSubwordSemantics)
WRITE_SUBWORDS = _table(WriteSubwordSemantics)
CLAUSE_TAGS = _table(ContractClauseTag)
MASK_INACTIVE_PAIRS = AtomTable(
    "(mask form, inactive lanes) pair",
    {pair: _pair(*pair) for pair in product(MemoryMaskForm, InactiveLaneSemantics)},
)
