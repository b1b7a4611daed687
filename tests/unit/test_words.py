"""Messages call the values of enumerations what documents call them."""

import pytest

from fabricgen.schema.operations import OPERATION_SCHEMAS
from fabricgen.vocab.dataflow import AtomicOrdering, MemoryAddressForm, OperationSchemaId
from fabricgen.vocab.fabric import ContractClauseTag
from fabricgen.vocab.operations import ActorKind
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


def test_an_operation_that_a_datapath_may_have_is_called_what_it_is():
    """Each by its own name; the two that one operation selects have their selection behind it."""
    words_of = {}
    for schema_id, schema in OPERATION_SCHEMAS.items():
        if schema.actor_kind is not ActorKind.MEMORY:
            selected = schema.restriction.removeprefix("selecting ")
            own = schema.op if selected == schema.restriction else f"{schema.op}.{selected}"
            assert word(schema_id) == own
            words_of.setdefault(own, schema_id)
    assert len(words_of) == len(OPERATION_SCHEMAS) - 5


def test_several_values_are_listed():
    orderings = (AtomicOrdering.ACQUIRE, AtomicOrdering.RELEASE)
    assert words(orderings) == "acquire, release"
    assert words(orderings, " or ") == "acquire or release"
    assert words(()) == "none"
