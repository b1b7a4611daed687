"""Enumerations that Dataflow owns; a Fabric record embeds them only as canonical atom bytes.

Values are the owner's wire tags, never C++ ordinals and never carrier indices.
"""

import enum

__all__ = [
    "AtomicOrdering",
    "AtomicRmwKind",
    "MemoryAccessForm",
    "MemoryAddressForm",
    "MemoryMaskForm",
    "OperationSchemaId",
    "ServiceKind",
    "ServiceValueRole",
    "SyncScopeKind",
    "VectorAtomicGranularity",
]


#: Persistent wire tag of the schema with dense registry id 0; dense ids never enter wire bytes.
_SCHEMA = 0x4C530201


class OperationSchemaId(enum.Enum):
    """Every registered software operation schema; the tag is ``0x4c530201`` plus the dense id."""

    ARITH_CONSTANT = _SCHEMA + 0
    ARITH_ADDI = _SCHEMA + 1
    ARITH_SUBI = _SCHEMA + 2
    ARITH_MULI = _SCHEMA + 3
    ARITH_SHLI = _SCHEMA + 4
    ARITH_SHRSI = _SCHEMA + 5
    ARITH_SHRUI = _SCHEMA + 6
    ARITH_ANDI = _SCHEMA + 7
    ARITH_ORI = _SCHEMA + 8
    ARITH_XORI = _SCHEMA + 9
    ARITH_DIVSI = _SCHEMA + 10
    ARITH_DIVUI = _SCHEMA + 11
    ARITH_REMSI = _SCHEMA + 12
    ARITH_REMUI = _SCHEMA + 13
    ARITH_MINSI = _SCHEMA + 14
    ARITH_MAXSI = _SCHEMA + 15
    ARITH_MINUI = _SCHEMA + 16
    ARITH_MAXUI = _SCHEMA + 17
    ARITH_CMPI = _SCHEMA + 18
    ARITH_SELECT = _SCHEMA + 19
    ARITH_EXTSI = _SCHEMA + 20
    ARITH_EXTUI = _SCHEMA + 21
    ARITH_TRUNCI = _SCHEMA + 22
    ARITH_INDEX_CAST = _SCHEMA + 23
    ARITH_INDEX_CASTUI = _SCHEMA + 24
    ARITH_BITCAST = _SCHEMA + 25
    ARITH_ADDF = _SCHEMA + 26
    ARITH_SUBF = _SCHEMA + 27
    ARITH_MULF = _SCHEMA + 28
    ARITH_DIVF = _SCHEMA + 29
    ARITH_REMF = _SCHEMA + 30
    ARITH_NEGF = _SCHEMA + 31
    ARITH_MINIMUMF = _SCHEMA + 32
    ARITH_MAXIMUMF = _SCHEMA + 33
    ARITH_MINNUMF = _SCHEMA + 34
    ARITH_MAXNUMF = _SCHEMA + 35
    ARITH_CMPF = _SCHEMA + 36
    ARITH_EXTF = _SCHEMA + 37
    ARITH_TRUNCF = _SCHEMA + 38
    ARITH_SITOFP = _SCHEMA + 39
    ARITH_UITOFP = _SCHEMA + 40
    ARITH_FPTOSI = _SCHEMA + 41
    ARITH_FPTOUI = _SCHEMA + 42
    MATH_ABSF = _SCHEMA + 43
    MATH_ABSI = _SCHEMA + 44
    MATH_SIN = _SCHEMA + 45
    MATH_COS = _SCHEMA + 46
    MATH_TAN = _SCHEMA + 47
    MATH_SINH = _SCHEMA + 48
    MATH_COSH = _SCHEMA + 49
    MATH_TANH = _SCHEMA + 50
    MATH_EXP = _SCHEMA + 51
    MATH_EXP2 = _SCHEMA + 52
    MATH_EXPM1 = _SCHEMA + 53
    MATH_LOG = _SCHEMA + 54
    MATH_LOG2 = _SCHEMA + 55
    MATH_LOG10 = _SCHEMA + 56
    MATH_LOG1P = _SCHEMA + 57
    MATH_FLOOR = _SCHEMA + 58
    MATH_CEIL = _SCHEMA + 59
    MATH_ROUND = _SCHEMA + 60
    MATH_TRUNC = _SCHEMA + 61
    MATH_ROUNDEVEN = _SCHEMA + 62
    MATH_SQRT = _SCHEMA + 63
    MATH_RSQRT = _SCHEMA + 64
    MATH_ERF = _SCHEMA + 65
    MATH_FMA = _SCHEMA + 66
    UB_POISON = _SCHEMA + 67
    LLVM_FREEZE = _SCHEMA + 68
    LLVM_FSHL = _SCHEMA + 69
    LLVM_BYTE_SWAP = _SCHEMA + 70
    LLVM_USUB_SAT = _SCHEMA + 71
    LLVM_CTLZ = _SCHEMA + 72
    LLVM_ABS = _SCHEMA + 73
    LLVM_EXTRACT_VALUE = _SCHEMA + 74
    LLVM_INSERT_VALUE = _SCHEMA + 75
    DATAFLOW_STREAM = _SCHEMA + 76
    DATAFLOW_CARRY = _SCHEMA + 77
    DATAFLOW_INVARIANT = _SCHEMA + 78
    DATAFLOW_GATE = _SCHEMA + 79
    DATAFLOW_CONSTANT = _SCHEMA + 80
    DATAFLOW_SYNC = _SCHEMA + 81
    DATAFLOW_MUX = _SCHEMA + 82
    DATAFLOW_DEMUX = _SCHEMA + 83
    DATAFLOW_PARALLELIZE = _SCHEMA + 84
    DATAFLOW_SERIALIZE = _SCHEMA + 85
    DATAFLOW_PACK = _SCHEMA + 86
    DATAFLOW_UNPACK = _SCHEMA + 87
    DATAFLOW_LOAD = _SCHEMA + 88
    DATAFLOW_STORE = _SCHEMA + 89
    DATAFLOW_ATOMIC_RMW = _SCHEMA + 90
    DATAFLOW_CMPXCHG = _SCHEMA + 91
    DATAFLOW_FENCE = _SCHEMA + 92
    MATH_CTLZ = _SCHEMA + 93
    VECTOR_EXTRACT = _SCHEMA + 94
    VECTOR_INSERT = _SCHEMA + 95
    VECTOR_SHUFFLE = _SCHEMA + 96
    LLVM_OR_DISJOINT = _SCHEMA + 97
    LLVM_SADD_SAT = _SCHEMA + 98
    LLVM_UADD_SAT = _SCHEMA + 99
    LLVM_SSUB_SAT = _SCHEMA + 100
    MATH_CTTZ = _SCHEMA + 101
    LLVM_CTTZ = _SCHEMA + 102
    LLVM_FPTOSI_SAT = _SCHEMA + 103
    LLVM_FPTOUI_SAT = _SCHEMA + 104
    LLVM_GET_ELEMENT_PTR = _SCHEMA + 105
    MATH_POWF = _SCHEMA + 106


class ServiceValueRole(enum.Enum):
    """Role of one value in a Canonical Service bundle; enumeration order is role order."""

    PAYLOAD = 1
    ADDRESS = 2
    DATA = 3
    UPDATE = 4
    EXPECTED = 5
    DESIRED = 6
    MASK = 7
    CONTROL = 8
    OLD = 9
    SUCCESS = 10
    COMPLETION = 11


class ServiceKind(enum.Enum):
    """Kind of one Canonical Service."""

    MESSAGE_TRANSFER = 1
    MEMORY_READ = 2
    MEMORY_WRITE = 3
    MEMORY_ATOMIC_RMW = 4
    MEMORY_COMPARE_EXCHANGE = 5
    MEMORY_FENCE = 6


class MemoryAccessForm(enum.Enum):
    """How the lanes of one access find their addresses."""

    ELEMENT = 1
    CONTIGUOUS = 2
    INDEXED = 3


class MemoryAddressForm(enum.Enum):
    """What one address lane carries: an element index, or a complete pointer."""

    ROOT_RELATIVE = 1
    POINTER_ADDRESSED = 2


class MemoryMaskForm(enum.Enum):
    """Whether the access carries a dynamic lane mask."""

    ABSENT = 1
    DYNAMIC = 2


class AtomicOrdering(enum.Enum):
    """Memory ordering of one atomic action; Monotonic is what sources call relaxed."""

    UNORDERED = 1
    MONOTONIC = 2
    ACQUIRE = 3
    RELEASE = 4
    ACQ_REL = 5
    SEQ_CST = 6


class AtomicRmwKind(enum.Enum):
    """Operation of one atomic read-modify-write, as LLVM defines it."""

    XCHG = 1
    ADD = 2
    SUB = 3
    AND = 4
    NAND = 5
    OR = 6
    XOR = 7
    MAX = 8
    MIN = 9
    UMAX = 10
    UMIN = 11
    FADD = 12
    FSUB = 13
    FMAX = 14
    FMIN = 15
    UINC_WRAP = 16
    UDEC_WRAP = 17
    USUB_COND = 18
    USUB_SAT = 19
    FMAXIMUM = 20
    FMINIMUM = 21
    FMAXIMUM_NUM = 22
    FMINIMUM_NUM = 23


class VectorAtomicGranularity(enum.Enum):
    """What is atomic in an access of more than a scalar; a scalar access has none."""

    WHOLE_PAYLOAD = 1
    PER_LANE = 2


class SyncScopeKind(enum.Enum):
    """Kind of a synchronisation scope; only Target has a namespace and a key."""

    SYSTEM = 1
    SINGLE_THREAD = 2
    TARGET = 3
