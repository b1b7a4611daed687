"""A complete resource contract as a document: every part has a name, and all references are names.

The order of each list is the order of keys, so it is semantic; only the claims of one transaction
are a set.
"""

from typing import Annotated

from pydantic import ConfigDict, Field, Tag

from fabricgen.author.document import Document
from fabricgen.author.fields import U32_MAX, Name, by_key

__all__ = [
    "RESOURCES_OR_CONTRACT",
    "ClaimDocument",
    "CommitDocument",
    "ContractGrantDocument",
    "DimensionDocument",
    "NamedContractDocument",
    "NamedPriorityChoice",
    "NamedPriorityDocument",
    "NamedRoundRobinChoice",
    "NamedRoundRobinDocument",
    "StateDocument",
    "TimingDocument",
    "UsePatternDocument",
]

#: Of an owner: capacities of the realised contract, or a contract of any shape; never both.
RESOURCES_OR_CONTRACT = ConfigDict(
    json_schema_extra={"oneOf": [{"required": ["resources"]}, {"required": ["contract"]}]}
)

_Unsigned32 = Annotated[int, Field(ge=0, le=U32_MAX)]


class DimensionDocument(Document):
    """Units of one capacity dimension of a state."""

    name: Name = Field(description="Name by which claims select it, within its state.")
    capacity: _Unsigned32 = Field(description="Units that there are.")
    initial_occupancy: _Unsigned32 = Field(description="Units that are taken at reset.")


class StateDocument(Document):
    """One resource state; without a dimension it is logical only."""

    name: Name = Field(description="Name by which claims select it.")
    dimensions: list[DimensionDocument] = Field(description="Capacity dimensions, in key order.")


class TimingDocument(Document):
    """The order of the events within one use."""

    name: Name = Field(description="Name by which use patterns select it.")
    ranks: dict[str, _Unsigned32] = Field(
        description="Rank of each event of the contract, by its name; equal ranks are one moment."
    )


class CommitDocument(Document):
    """The durable transition of a use."""

    event: Name = Field(description="Event at which it happens.")
    transition: Name = Field(description="Transition that happens.")


class ClaimDocument(Document):
    """Units that a use holds from its acquire to its release event."""

    name: Name = Field(description="Name by which transactions select it, within its pattern.")
    state: Name = Field(description="State of the contract.")
    dimension: Name = Field(description="Dimension of that state.")
    amount: _Unsigned32 = Field(description="Units claimed.")


class UsePatternDocument(Document):
    """One way of using the owner: an atomic envelope of claims."""

    name: Name = Field(
        description="Name by which the owner selects it; in a Temporal port one name may stand for "
        "one pattern per requester, in requester order."
    )
    requester: Name = Field(description="Who uses the owner in this way.")
    eligibility: Name = Field(description="When the use may be granted.")
    acquire: Name = Field(description="Event at which all claims are taken.")
    release: Name = Field(description="Event at which all claims are returned.")
    commit: CommitDocument | None = Field(
        default=None, description="Durable transition; exactly where the use has one."
    )
    timing: Name = Field(description="Timing contract that orders its events.")
    claims: list[ClaimDocument] = Field(description="Units claimed, in key order.")
    transactions: list[list[Name]] = Field(
        description="Internal transactions in order, each with the claims that it uses."
    )


class NamedRoundRobinDocument(Document):
    """Scan from a cursor that moves behind each successful grant."""

    order: list[Name] = Field(min_length=1, description="All requesters, in the order of the scan.")
    reset_cursor: Name = Field(description="Requester at which the first scan starts.")


class NamedRoundRobinChoice(Document):
    """Round robin among the requesters."""

    round_robin: NamedRoundRobinDocument = Field(description="Round robin.")


class NamedPriorityDocument(Document):
    """The first eligible requester wins, always."""

    order: list[Name] = Field(min_length=1, description="All requesters, the most important first.")


class NamedPriorityChoice(Document):
    """Fixed priority among the requesters."""

    fixed_priority: NamedPriorityDocument = Field(description="Fixed priority.")


ContractGrantDocument = Annotated[
    Annotated[NamedRoundRobinChoice, Tag("~round_robin")]
    | Annotated[NamedPriorityChoice, Tag("~fixed_priority")],
    by_key("round_robin", "fixed_priority"),
]


class NamedContractDocument(Document):
    """A complete resource contract; its owner's other parts refer to it by names."""

    states: list[StateDocument] = Field(description="Resource states, in key order.")
    transitions: list[Name] = Field(description="Durable transitions, in key order.")
    events: list[Name] = Field(description="Events of a use, in key order.")
    timing: list[TimingDocument] = Field(description="Timing contracts, in key order.")
    requesters: list[Name] = Field(
        description="Requesters, in key order: the contexts of a port; the operation ports and "
        "then the subordinates of a local service."
    )
    eligibility: list[Name] = Field(description="Eligibility conditions, in key order.")
    patterns: list[UsePatternDocument] = Field(description="Use patterns, in key order.")
    grant: ContractGrantDocument | None = Field(
        default=None, description="Who wins; exactly where two requesters claim one capacity."
    )
