"""What a caller writes about a datapath resource of a mapping, with the keys of the document."""

from collections.abc import Sequence
from typing import Literal, NotRequired, TypedDict

__all__ = ["OpActor"]


class OpActor(TypedDict):
    """The exact actor of a resource; which of the optional keys it has follows from its operation.

    Types are texts: ``i32``, ``bf16``, ``index64``, ``none``, ``vector<4xi8>``, ``ptr64``.
    """

    operation: str
    operands: Sequence[str]
    results: Sequence[str]
    lanes: NotRequired[Sequence[int]]
    overflow: NotRequired[Sequence[str]]
    exact: NotRequired[bool]
    non_negative: NotRequired[bool]
    predicate: NotRequired[str]
    fast_math: NotRequired[Sequence[str]]
    rounding: NotRequired[str]
    accuracy: NotRequired[str]
    value: NotRequired[float | Sequence[float]]
    bits: NotRequired[int | Sequence[int]]
    step: NotRequired[str]
    positions: NotRequired[Sequence[int | Literal["dynamic"]]]
    mask: NotRequired[Sequence[int]]
