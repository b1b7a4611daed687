"""What a user calls a value of an enumeration: the word that documents have for it."""

import enum
from collections.abc import Iterable

from fabricgen.errors.listing import listed_names
from fabricgen.vocab.dataflow import MemoryAddressForm, OperationSchemaId
from fabricgen.vocab.fabric import ContractClauseTag

__all__ = ["word", "words"]

#: Words that are not the name in small letters.
_WORDS: dict[enum.Enum, str] = {
    MemoryAddressForm.POINTER_ADDRESSED: "pointer",
    OperationSchemaId.DATAFLOW_LOAD: "load",
    OperationSchemaId.DATAFLOW_STORE: "store",
    OperationSchemaId.DATAFLOW_ATOMIC_RMW: "rmw",
    OperationSchemaId.DATAFLOW_CMPXCHG: "cmpxchg",
    OperationSchemaId.DATAFLOW_FENCE: "fence",
    ContractClauseTag.LOAD_STORE_PLAIN: "plain",
    ContractClauseTag.LOAD_STORE_ATOMIC: "atomic",
    ContractClauseTag.ATOMIC_RMW: "rmw",
    ContractClauseTag.COMPARE_EXCHANGE: "cmpxchg",
}


def word(value: enum.Enum | None) -> str:
    """Spell a value; one that is not there is ``absent``."""
    if value is None:
        return "absent"
    if isinstance(value, OperationSchemaId) and value not in _WORDS:
        return value.name.lower().replace("_", ".", 1)
    return _WORDS.get(value, value.name.lower())


def words(values: Iterable[enum.Enum | None], between: str = ", ") -> str:
    """Spell several values; ``none`` where there is not one, of many the first ones."""
    return listed_names(map(word, values), between)
