"""The closed words of operations: flags, relations, roundings, accuracies and steps.

Resources and actors write them alike; each is the word of a value in ``vocab.operations``.
"""

from typing import Literal

__all__ = [
    "Accuracy",
    "FastMathFlag",
    "FloatPredicateWord",
    "IntegerPredicateWord",
    "OverflowFlag",
    "Rounding",
    "StepWord",
]

FastMathFlag = Literal["reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn"]
OverflowFlag = Literal["nsw", "nuw"]
Rounding = Literal["to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away"]
Accuracy = Literal["correctly_rounded", "max_1_ulp", "max_2_ulp", "max_4_ulp"]
IntegerPredicateWord = Literal["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]
FloatPredicateWord = Literal[
    "always_false",
    "oeq",
    "ogt",
    "oge",
    "olt",
    "ole",
    "one",
    "ord",
    "ueq",
    "ugt",
    "uge",
    "ult",
    "ule",
    "une",
    "uno",
    "always_true",
]
StepWord = Literal["add", "sub", "mul", "sdiv", "udiv", "shl", "ashr", "lshr"]
