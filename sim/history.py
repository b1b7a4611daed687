"""What was asked of a memory, when, and what came of it: the history that a bench records.

Times are clock edges. An operation is *invoked* at the edge that takes the last thing it needs (an
operand token, a transfer of a bus), and *responded* at the edge that hands its result on (a
publication, a transfer of a response). It takes effect somewhere between the two, so that of two
operations the first one comes before the other where it responded at an edge that is not behind
the other's invocation: who takes a result at an edge may ask for the next thing at the same one.
"""

import enum
from typing import NamedTuple

from fabricgen.vocab.dataflow import AtomicRmwKind

__all__ = ["Kind", "Operation"]


class Kind(enum.Enum):
    """What an operation does to its bytes."""

    LOAD = "load"
    STORE = "store"
    RMW = "rmw"
    EXCHANGE = "exchange"
    FENCE = "fence"


class Operation(NamedTuple):
    """One thing that takes effect at once: an atomic object, or what lies of one lane in one beat.

    An access of several lanes or beats is several operations with one ``number``. All integers are
    little-endian and as wide as ``size_bytes``.

    Parameters
    ----------
    source
        Who asked. Operations of one source on bytes of one object take effect in ascending order
        of ``number``; those of one number in any.
    number
        Position among the source's accesses.
    kind
        A fence has no bytes: of the fields below it has the times alone.
    invoked, responded
        Clock edges; ``responded`` is None where no answer came.
    address, size_bytes
        Place of the bytes.
    strobe
        Bytes that a load or store touches, one bit each.
    value
        What is stored, the operand of a read-modify-write, or what is desired.
    expected
        Of a compare-exchange.
    observed
        What a load returned, or what the others found.
    success
        Of a compare-exchange.
    weak
        Of a compare-exchange: it may fail although it found what it expected.
    rmw_kind
        Of a read-modify-write.
    """

    source: str
    number: int
    kind: Kind
    invoked: int
    responded: int | None
    address: int = 0
    size_bytes: int = 0
    strobe: int = -1
    value: int = 0
    expected: int = 0
    observed: int = 0
    success: bool = False
    weak: bool = False
    rmw_kind: AtomicRmwKind | None = None

    def __str__(self) -> str:
        """Render one operation as people read it."""
        if self.kind is Kind.FENCE:
            what = "fence"
        else:
            what = f"{self.kind.value} of {self.size_bytes} bytes at {self.address:#x}"
        if self.kind is Kind.RMW and self.rmw_kind is not None:
            what += f", {self.rmw_kind.name.lower()} {self.value:#x}"
        if self.kind is Kind.STORE:
            what += f", {self.value:#x}"
        if self.kind is Kind.EXCHANGE:
            what += f", {self.expected:#x} to {self.value:#x}, {'done' if self.success else 'not'}"
        if self.kind in (Kind.LOAD, Kind.RMW, Kind.EXCHANGE):
            what += f", found {self.observed:#x}"
        return f"{self.source} {self.number}: {what}, edges {self.invoked} to {self.responded}"
