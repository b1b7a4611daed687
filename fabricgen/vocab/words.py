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
    OperationSchemaId.LLVM_FSHL: "llvm.intr.fshl",
    OperationSchemaId.LLVM_BYTE_SWAP: "llvm.intr.bswap",
    OperationSchemaId.LLVM_USUB_SAT: "llvm.intr.usub.sat",
    OperationSchemaId.LLVM_CTLZ: "llvm.intr.ctlz",
    OperationSchemaId.LLVM_ABS: "llvm.intr.abs",
    OperationSchemaId.LLVM_EXTRACT_VALUE: "llvm.extractvalue",
    OperationSchemaId.LLVM_INSERT_VALUE: "llvm.insertvalue",
    OperationSchemaId.LLVM_OR_DISJOINT: "llvm.or",
    OperationSchemaId.LLVM_SADD_SAT: "llvm.intr.sadd.sat",
    OperationSchemaId.LLVM_UADD_SAT: "llvm.intr.uadd.sat",
    OperationSchemaId.LLVM_SSUB_SAT: "llvm.intr.ssub.sat",
    OperationSchemaId.LLVM_CTTZ: "llvm.intr.cttz",
    # One operation calls every registered intrinsic.
    OperationSchemaId.LLVM_FPTOSI_SAT: "llvm.call_intrinsic.fptosi_sat",
    OperationSchemaId.LLVM_FPTOUI_SAT: "llvm.call_intrinsic.fptoui_sat",
    OperationSchemaId.LLVM_GET_ELEMENT_PTR: "llvm.getelementptr",
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
