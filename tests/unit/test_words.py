"""Messages call the values of enumerations what documents call them."""

import pytest

from fabricgen.vocab.dataflow import AtomicOrdering, MemoryAddressForm, OperationSchemaId
from fabricgen.vocab.fabric import ContractClauseTag
from fabricgen.vocab.words import word, words


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (AtomicOrdering.SEQ_CST, "seq_cst"),
        (MemoryAddressForm.ROOT_RELATIVE, "root_relative"),
        (MemoryAddressForm.POINTER_ADDRESSED, "pointer"),
        (OperationSchemaId.DATAFLOW_ATOMIC_RMW, "rmw"),
        (OperationSchemaId.ARITH_INDEX_CAST, "arith.index_cast"),
        (ContractClauseTag.LOAD_STORE_PLAIN, "plain"),
        (ContractClauseTag.COMPARE_EXCHANGE, "cmpxchg"),
        (None, "absent"),
    ],
)
def test_a_value_has_a_word(value, expected):
    assert word(value) == expected


def test_several_values_are_listed():
    orderings = (AtomicOrdering.ACQUIRE, AtomicOrdering.RELEASE)
    assert words(orderings) == "acquire, release"
    assert words(orderings, " or ") == "acquire or release"
    assert words(()) == "none"
