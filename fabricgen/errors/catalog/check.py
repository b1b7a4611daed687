"""Codes of the ``check`` layer."""

from fabricgen.errors.catalog.rule import Rule

__all__ = ["RULES"]

RULES: dict[str, Rule] = {
    "fabric-empty": Rule(
        "A fabric has at least one memory occurrence or datapath resource.",
        "Purpose",
    ),
    "name-illegal": Rule(
        "A name is lower-case letters and digits with single underscores between them, starting "
        "with a letter; names that only people read may have hyphens too.",
        "docs/decisions.md, Legality of a fabric",
    ),
    "name-keyword": Rule(
        "A name is no reserved word of Verilog or SystemVerilog.",
        "docs/decisions.md, Legality of a fabric",
    ),
    "name-too-long": Rule(
        "A name has at most 64 characters.",
        "docs/decisions.md, Legality of a fabric",
    ),
    "name-duplicate": Rule(
        "Names are unique within their kind and owner, those of memories and datapath resources "
        "together.",
        "docs/decisions.md, Legality of a fabric",
    ),
    "name-reserved": Rule(
        "clk, rst, cfg and every name that starts with cfg_ belong to the emitted top.",
        "docs/decisions.md, Legality of a fabric",
    ),
    "name-collision": Rule(
        "Names of memories, endpoints, managers and datapath resources, joined, give different "
        "port names of the emitted top.",
        "docs/decisions.md, Legality of a fabric",
    ),
    "names-count": Rule(
        "Each endpoint, port, manager and pattern of a document has exactly one name.",
        "docs/decisions.md, Legality of a fabric",
    ),
    "occurrence-empty": Rule(
        "An occurrence has an operation engine, a local service, or both.",
        "Legal Occurrence Forms",
    ),
    "engine-unbacked": Rule(
        "An engine without a local service reaches at least one manager endpoint.",
        "Legal Occurrence Forms",
    ),
    "storage-unreachable": Rule(
        "A service without an engine is reachable through at least one subordinate endpoint.",
        "Legal Occurrence Forms",
    ),
    "storage-token-endpoint": Rule(
        "An occurrence without an operation engine has no token endpoints, and so no internal "
        "connections.",
        "Legal Occurrence Forms",
    ),
    "endpoint-order": Rule(
        "Endpoint ordinals count the inputs first, then the outputs.",
        "Configurable Service Dispatch",
    ),
    "endpoint-tagged": Rule(
        "Endpoints of a Spatial engine are untagged.",
        "Spatial Ports",
    ),
    "endpoint-untagged": Rule(
        "Endpoints of a Temporal engine are tagged.",
        "Temporal Ports And Resident Capacity",
    ),
    "endpoint-tag-widths": Rule(
        "Endpoints of a Temporal engine have tags of one width.",
        "Temporal Ports And Resident Capacity",
    ),
    "port-endpoint-missing": Rule(
        "A port lists endpoints of its occurrence.",
        "Canonical Engine Definition",
    ),
    "store-data-result": Rule(
        "A store has no data result: its data is an operand.",
        "Canonical Engine Definition",
    ),
    "update-endpoint-narrow": Rule(
        "An update endpoint carries every admitted payload.",
        "Endpoint Width Ownership And Vector Admission",
    ),
    "expected-endpoint-narrow": Rule(
        "An expected endpoint carries every admitted payload.",
        "Endpoint Width Ownership And Vector Admission",
    ),
    "desired-endpoint-narrow": Rule(
        "A desired endpoint carries every admitted payload.",
        "Endpoint Width Ownership And Vector Admission",
    ),
    "old-endpoint-narrow": Rule(
        "An old-value endpoint carries every admitted payload.",
        "Endpoint Width Ownership And Vector Admission",
    ),
    "success-endpoint-narrow": Rule(
        "A success endpoint carries one bit for each admitted lane.",
        "Endpoint Width Ownership And Vector Admission",
    ),
    "role-direction": Rule(
        "Input roles are bound to input endpoints, result roles to output endpoints.",
        "Persistent Capability Schema",
    ),
    "role-kind": Rule(
        "Control and completion are bound to endpoints without payload; a Temporal control role "
        "may share an ingress that a role with a payload has.",
        "Spatial Ports",
    ),
    "role-endpoint-shared": Rule(
        "Role bindings of a Spatial alternative are injective.",
        "Persistent Capability Schema",
    ),
    "address-endpoint-narrow": Rule(
        "The address endpoint carries the index of every admitted access, all lanes of an indexed "
        "one.",
        "Endpoint Width Ownership And Vector Admission",
    ),
    "data-endpoint-narrow": Rule(
        "The data endpoint carries all lanes of every admitted access.",
        "Endpoint Width Ownership And Vector Admission",
    ),
    "mask-endpoint-narrow": Rule(
        "The mask endpoint carries one bit per lane of every access with a dynamic mask.",
        "Endpoint Width Ownership And Vector Admission",
    ),
    "read-subword-exact": Rule(
        "Where Exact reads are admitted, every payload is as wide as the data endpoint.",
        "Persistent Capability Schema",
    ),
    "write-subword-exact": Rule(
        "Where Exact writes are admitted, every payload is as wide as the data endpoint.",
        "Persistent Capability Schema",
    ),
    "write-subword-byte-enable": Rule(
        "Where ByteEnable writes are admitted, every payload is a whole number of bytes.",
        "Persistent Capability Schema",
    ),
    "plain-alignment-missing": Rule(
        "Each access class of a capability with plain accesses accepts alignment 1, the only one "
        "that they have.",
        "Persistent Capability Schema",
    ),
    "port-requester-count": Rule(
        "The requesters of an operation port are its contexts: one if Spatial, K if Temporal.",
        "Operation Rows And Internal Dependencies",
    ),
    "service-requester-count": Rule(
        "The requesters of a local service are the operation ports, then the subordinate "
        "endpoints, of its occurrence.",
        "Operation Rows And Internal Dependencies",
    ),
    "dispatch-shape": Rule(
        "The dispatch arrays follow the ports, their alternatives and the subordinate endpoints.",
        "Configurable Service Dispatch",
    ),
    "dispatch-target-missing": Rule(
        "A dispatch target is the local service, where there is one, or a manager endpoint of "
        "the occurrence.",
        "Configurable Service Dispatch",
    ),
    "connection-endpoint-missing": Rule(
        "An internal connection joins endpoints of its occurrence.",
        "Configurable Service Dispatch",
    ),
    "connection-direction": Rule(
        "An internal connection leads from an output to an input.",
        "Configurable Service Dispatch",
    ),
    "connection-narrows": Rule(
        "The source of an internal connection is at least as wide as its sink.",
        "Configurable Service Dispatch",
    ),
    "region-outside-capacity": Rule(
        "A local region is an interval inside the capacity of its service.",
        "Local Memory Service",
    ),
    "target-serves-nothing": Rule(
        "A local service that an alternative may reach serves at least one access of it, to the "
        "requester that its port is, and some access to each subordinate endpoint that may reach "
        "it. Exact admission is checked per configured row.",
        "Configurable Service Dispatch",
    ),
    "system-domain-unknown": Rule(
        "A SystemDomain binding names a consistency domain of its system.", "Local Memory Service"
    ),
    "system-domain-participant": Rule(
        "A service takes part in each consistency domain that it names.", "Local Memory Service"
    ),
    "consistency-participant-unknown": Rule(
        "A service that takes part in a consistency domain is a service of the system.",
        "Local Memory Service",
    ),
}
