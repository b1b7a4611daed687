"""The operation ports of a fabric document: alternatives, use patterns, capacities."""

from typing import Annotated, Literal

from pydantic import Field, Tag

from fabricgen.author.access_document import (
    LoadAccessDocument,
    StoreAccessDocument,
    UpdateAccessDocument,
)
from fabricgen.author.contract_document import (
    CompareExchangeClauseDocument,
    FenceClauseDocument,
    LoadStoreContractDocument,
    RmwClauseDocument,
)
from fabricgen.author.document import Document
from fabricgen.author.fields import U32_MAX, Identifier, Name, U32Count, by_key, by_type
from fabricgen.author.grant_document import RoundRobinChoice
from fabricgen.author.named_contract_document import (
    RESOURCES_OR_CONTRACT,
    NamedContractDocument,
)

__all__ = [
    "AlternativeDocument",
    "CompareExchangeDocument",
    "CompareExchangeRolesDocument",
    "ContextGrantDocument",
    "ContextPriorityChoice",
    "ContextPriorityDocument",
    "FenceDocument",
    "FenceRolesDocument",
    "LoadDocument",
    "LoadRolesDocument",
    "OperandDepthDocument",
    "PatternDocument",
    "PortDocument",
    "RmwDocument",
    "RmwRolesDocument",
    "SpatialPortDocument",
    "SpatialResourcesDocument",
    "StoreDocument",
    "StoreRolesDocument",
    "TemporalPortDocument",
    "TemporalResourcesDocument",
]


class OperandDepthDocument(Document):
    """Depth of each operand queue of a port, in tokens; exactly the roles that the port has."""

    address: U32Count | None = Field(default=None, description="Tokens of the address queue.")
    data: U32Count | None = Field(default=None, description="Tokens of the store data queue.")
    update: U32Count | None = Field(default=None, description="Tokens of the update queue.")
    expected: U32Count | None = Field(
        default=None, description="Tokens of the queue of expected values."
    )
    desired: U32Count | None = Field(
        default=None, description="Tokens of the queue of desired values."
    )
    mask: U32Count | None = Field(default=None, description="Tokens of the mask queue.")
    control: U32Count | None = Field(default=None, description="Tokens of the control queue.")


_OperandDepth = Annotated[
    Annotated[U32Count, Tag("~all")] | Annotated[OperandDepthDocument, Tag("~each")],
    by_type("an integer or a table with a depth per role", all=int, each=dict),
]


class ContextPriorityDocument(Document):
    """The first eligible context wins, always."""

    order: list[Annotated[int, Field(ge=0, le=U32_MAX)]] = Field(
        min_length=1, description="All contexts, the most important first."
    )


class ContextPriorityChoice(Document):
    """Fixed priority among the contexts."""

    fixed_priority: ContextPriorityDocument = Field(description="Fixed priority.")


ContextGrantDocument = Annotated[
    Annotated[RoundRobinChoice, Tag("~round_robin")]
    | Annotated[ContextPriorityChoice, Tag("~fixed_priority")],
    by_key("round_robin", "fixed_priority"),
]


class SpatialResourcesDocument(Document):
    """Capacities of one Spatial port."""

    in_flight: U32Count = Field(description="Firings between issue and retirement.")
    result_holding: U32Count = Field(description="Firings whose results can be held.")
    operand_depth: _OperandDepth = Field(
        description="Tokens that each operand queue holds, or a table with one depth per role."
    )


_ContextAndTotal = Annotated[list[U32Count], Field(min_length=2, max_length=2)]


class TemporalResourcesDocument(Document):
    """Capacities of one Temporal port."""

    context: U32Count = Field(description="Resident contexts; those of the memory.")
    in_flight: _ContextAndTotal = Field(
        description="Firings between issue and retirement: of one context, and of all together."
    )
    result_holding: _ContextAndTotal = Field(
        description="Firings whose results can be held: of one context, and of all together."
    )
    operand_depth: _OperandDepth = Field(
        description="Tokens that a context holds per role, or a table with one depth per role. It "
        "takes a token only while it has none, so 1 says it all."
    )
    grant: ContextGrantDocument | None = Field(
        default=None, description="Which context wins; exactly where there are several."
    )


class PatternDocument(Document):
    """One way in which a firing uses the port."""

    name: Name = Field(description="Name by which alternatives and mappings select it.")
    projection: Literal["direct", "active_lanes"] = Field(
        description="How a firing becomes transactions: direct is exactly one, active_lanes one "
        "per active lane, in row-major order."
    )


_Address = Annotated[
    Identifier, Field(description="Element index or pointer, or those of all lanes.")
]
_Mask = Annotated[
    Identifier | None,
    Field(description="Lane mask; exactly where an access admits a dynamic mask."),
]
_Control = Annotated[Identifier, Field(description="One token per firing.")]
_Completion = Annotated[Identifier, Field(description="One token per retirement.")]
_Old = Annotated[Identifier, Field(description="What memory held before.")]


class LoadRolesDocument(Document):
    """Endpoint of each role of a load."""

    address: _Address
    mask: _Mask = None
    control: _Control
    data: Identifier = Field(description="The loaded payload.")
    completion: _Completion


class StoreRolesDocument(Document):
    """Endpoint of each role of a store."""

    address: _Address
    data: Identifier = Field(description="The payload to store.")
    mask: _Mask = None
    control: _Control
    completion: _Completion


class RmwRolesDocument(Document):
    """Endpoint of each role of a read-modify-write."""

    address: _Address
    update: Identifier = Field(description="Second operand of the operation.")
    mask: _Mask = None
    control: _Control
    old: _Old
    completion: _Completion


class CompareExchangeRolesDocument(Document):
    """Endpoint of each role of a compare-exchange."""

    address: _Address
    expected: Identifier = Field(description="What memory must hold for a success.")
    desired: Identifier = Field(description="What a success writes.")
    mask: _Mask = None
    control: _Control
    old: _Old
    success: Identifier = Field(description="Whether it was written, one bit per lane.")
    completion: _Completion


class FenceRolesDocument(Document):
    """Endpoint of each role of a fence."""

    control: _Control
    completion: _Completion


class _AlternativeDocument(Document):
    patterns: list[Name] = Field(
        min_length=1, description="Patterns of the port that realise these accesses."
    )
    targets: list[Name] = Field(
        min_length=1,
        description="Services that the accesses may reach: local, and managers by name.",
    )


class LoadDocument(_AlternativeDocument):
    """One alternative of loads: the product of contracts and accesses on one set of roles."""

    contract: list[LoadStoreContractDocument] = Field(
        min_length=1, description="Actor contracts that are admitted."
    )
    roles: LoadRolesDocument = Field(description="Endpoint of each role.")
    access: list[LoadAccessDocument] = Field(
        min_length=1, description="Classes of admitted geometries."
    )


class StoreDocument(_AlternativeDocument):
    """One alternative of stores: the product of contracts and accesses on one set of roles."""

    contract: list[LoadStoreContractDocument] = Field(
        min_length=1, description="Actor contracts that are admitted."
    )
    roles: StoreRolesDocument = Field(description="Endpoint of each role.")
    access: list[StoreAccessDocument] = Field(
        min_length=1, description="Classes of admitted geometries."
    )


class RmwDocument(_AlternativeDocument):
    """One alternative of read-modify-writes: the product of contracts and accesses."""

    contract: list[RmwClauseDocument] = Field(
        min_length=1, description="Actor contracts that are admitted."
    )
    roles: RmwRolesDocument = Field(description="Endpoint of each role.")
    access: list[UpdateAccessDocument] = Field(
        min_length=1, description="Classes of admitted geometries."
    )


class CompareExchangeDocument(_AlternativeDocument):
    """One alternative of compare-exchanges: the product of contracts and accesses."""

    contract: list[CompareExchangeClauseDocument] = Field(
        min_length=1, description="Actor contracts that are admitted."
    )
    roles: CompareExchangeRolesDocument = Field(description="Endpoint of each role.")
    access: list[UpdateAccessDocument] = Field(
        min_length=1, description="Classes of admitted geometries."
    )


class FenceDocument(_AlternativeDocument):
    """One alternative of fences, which access nothing."""

    contract: list[FenceClauseDocument] = Field(
        min_length=1, description="Actor contracts that are admitted."
    )
    roles: FenceRolesDocument = Field(description="Endpoint of each role.")


AlternativeDocument = (
    LoadDocument | StoreDocument | RmwDocument | CompareExchangeDocument | FenceDocument
)


class _PortDocument(Document):
    model_config = RESOURCES_OR_CONTRACT

    name: Name = Field(description="Name by which mappings select it.")
    patterns: list[PatternDocument] = Field(
        min_length=1,
        description="Use patterns, in key order; with a contract, the projection of each of its "
        "use patterns, by name.",
    )
    contract: NamedContractDocument | None = Field(
        default=None, description="The complete resource contract, in the place of resources."
    )
    endpoints: list[Identifier] = Field(
        default=[], description="Endpoints that belong to the port and that no role has."
    )
    load: list[LoadDocument] = Field(default=[], description="Alternatives that admit loads.")
    store: list[StoreDocument] = Field(default=[], description="Alternatives that admit stores.")
    rmw: list[RmwDocument] = Field(
        default=[], description="Alternatives that admit read-modify-writes."
    )
    cmpxchg: list[CompareExchangeDocument] = Field(
        default=[], description="Alternatives that admit compare-exchanges."
    )
    fence: list[FenceDocument] = Field(default=[], description="Alternatives that admit fences.")


class SpatialPortDocument(_PortDocument):
    """One physical memory operation port with one row of its own."""

    resources: SpatialResourcesDocument | None = Field(
        default=None, description="Capacities of the port; needed where there is no contract."
    )


class TemporalPortDocument(_PortDocument):
    """One physical memory operation port that all resident contexts share."""

    resources: TemporalResourcesDocument | None = Field(
        default=None, description="Capacities of the port; needed where there is no contract."
    )


PortDocument = SpatialPortDocument | TemporalPortDocument
