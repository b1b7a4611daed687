"""Codes of the ``plan`` layer."""

from fabricgen.errors.catalog.rule import Rule

__all__ = ["RULES"]

RULES: dict[str, Rule] = {
    "actor-schema-not-accepted": Rule(
        "A capability alternative accepts actors of its one registered schema.",
        "Operation Engine",
    ),
    "actor-contract-not-accepted": Rule(
        "The exact actor contract lies in one clause of the alternative.",
        "Persistent Capability Schema",
    ),
    "access-form-not-accepted": Rule(
        "The access form and address form are those of an access class.",
        "Operation Engine",
    ),
    "element-width-not-accepted": Rule(
        "The element width lies in the access class; equal total width is not enough.",
        "Endpoint Width Ownership And Vector Admission",
    ),
    "lane-count-not-accepted": Rule(
        "The flattened lane count lies in the access class; equal total width is not enough.",
        "Endpoint Width Ownership And Vector Admission",
    ),
    "index-width-not-accepted": Rule(
        "The index width of a RootRelative actor lies in the access class.",
        "Persistent Capability Schema",
    ),
    "address-pointer-not-accepted": Rule(
        "The exact format of address pointers lies in the access class.",
        "Persistent Capability Schema",
    ),
    "data-pointer-not-accepted": Rule(
        "The exact format of pointer data, or ordinary data, lies in the access class.",
        "Canonical Engine Definition",
    ),
    "mask-form-not-accepted": Rule(
        "The mask form is one that the access class pairs with an inactive-lane guarantee.",
        "Persistent Capability Schema",
    ),
    "alignment-not-accepted": Rule(
        "The source alignment lies in the access class.",
        "Persistent Capability Schema",
    ),
    "payload-exceeds-endpoint": Rule(
        "An endpoint carries the complete address, data or mask token.",
        "Endpoint Width Ownership And Vector Admission",
    ),
    "subword-not-accepted": Rule(
        "A payload narrower than its endpoint needs ZeroExtend to be read and ByteEnable, "
        "in whole bytes, to be written.",
        "Persistent Capability Schema",
    ),
    "use-pattern-not-admissible": Rule(
        "The use pattern is one of the alternative's admissible ones.",
        "Operation Engine",
    ),
    "assembly-role": Rule(
        "Only a result role of the parent service other than completion has a result strategy.",
        "Typed C++ Projection",
    ),
    "parent-service-mismatch": Rule(
        "Actor, parent service and access view describe the same exact actor.",
        "Typed C++ Projection",
    ),
    "row-count": Rule(
        "An operation table has exactly one row per operation port if Spatial, per resident "
        "context if Temporal.",
        "Operation Rows And Internal Dependencies",
    ),
    "row-capacity": Rule(
        "A Temporal operation table has at most one Active row per resident context.",
        "Temporal Ports And Resident Capacity",
    ),
    "row-ordinal-taken": Rule(
        "Each Active row of a Temporal table has an ordinal of its own.",
        "Temporal Ports And Resident Capacity",
    ),
    "row-context": Rule(
        "A Temporal row selects a use pattern of its own context.",
        "Temporal Ports And Resident Capacity",
    ),
    "row-tag-presence": Rule(
        "A role has a Physical Tag exactly where it meets an endpoint of a Temporal engine.",
        "Operation Rows And Internal Dependencies",
    ),
    "row-tag-range": Rule(
        "A Physical Tag fits the tag width of the engine.",
        "Temporal Ports And Resident Capacity",
    ),
    "row-ingress-conflict": Rule(
        "Every (ingress, tag) of an occurrence belongs to one row and role.",
        "Temporal Ports And Resident Capacity",
    ),
    "row-reserve": Rule(
        "Every Active row keeps one unit of each total of its port in reserve.",
        "Operation Rows And Internal Dependencies",
    ),
    "configuration-without-row": Rule(
        "An Active configuration without an active request source is Disabled.",
        "Operation Rows And Internal Dependencies",
    ),
    "row-port": Rule(
        "The position of a Spatial row fixes its port; a Temporal row names one of the engine's.",
        "Operation Rows And Internal Dependencies",
    ),
    "row-alternative-range": Rule(
        "A row names one capability alternative of its port.",
        "Operation Rows And Internal Dependencies",
    ),
    "row-target": Rule(
        "The service target lies in H_dispatch of the alternative.",
        "Configurable Service Dispatch",
    ),
    "row-base-range": Rule(
        "A base address is an unsigned 64-bit integer.",
        "Operation Rows And Internal Dependencies",
    ),
    "row-base-unused": Rule(
        "A fence and a pointer-addressed row add no base.",
        "Canonical Engine Definition",
    ),
    "row-base-outside": Rule(
        "The base address of a local row lies inside the capacity of the service.",
        "Local Memory Service",
    ),
    "row-service-capability": Rule(
        "The selected service admits the exact actor and access for the requesting port.",
        "Local Memory Service",
    ),
    "row-sources": Rule(
        "A row has one source for each active input role, in role order.",
        "Operation Rows And Internal Dependencies",
    ),
    "row-source-connection": Rule(
        "An internal source is a declared connection that sinks at the role's endpoint.",
        "Operation Rows And Internal Dependencies",
    ),
    "row-destinations": Rule(
        "A row has one destination for each active result role, in role order.",
        "Operation Rows And Internal Dependencies",
    ),
    "row-destination-missing": Rule(
        "An active result role is exposed or feeds a connection.",
        "Operation Rows And Internal Dependencies",
    ),
    "row-destination-order": Rule(
        "Selected connections are a sorted set.",
        "Operation Rows And Internal Dependencies",
    ),
    "row-destination-connection": Rule(
        "A selected connection starts at the role's endpoint.",
        "Operation Rows And Internal Dependencies",
    ),
    "row-endpoint-conflict": Rule(
        "An untagged endpoint serves at most one active role of the table.",
        "Spatial Ports",
    ),
    "row-connection-open": Rule(
        "A connection that some role consumes has a producer.",
        "Operation Rows And Internal Dependencies",
    ),
    "row-connection-producers": Rule(
        "A connection has at most one producing row and role.",
        "Operation Rows And Internal Dependencies",
    ),
    "row-connection-unconsumed": Rule(
        "A connection that some role produces has a consumer.",
        "Operation Rows And Internal Dependencies",
    ),
    "row-connection-payload": Rule(
        "The producer of a connection has at least as many payload bits as each consumer needs.",
        "Configurable Service Dispatch",
    ),
    "row-base-unaligned": Rule(
        "With the option aligned_bases every base is a multiple of its element size.",
        "Local Memory Service",
        kind="unsupported",
    ),
    "row-volatile-beats": Rule(
        "A volatile access of a manager is one operation that the provider sees: one lane inside "
        "one beat.",
        "Local Memory Service",
        kind="unsupported",
    ),
    "row-atomic-beats": Rule(
        "An atomic object of a manager lies inside one beat, whatever the address.",
        "Local Memory Service",
        kind="unsupported",
    ),
    "decode-row-count": Rule(
        "A configuration has one decode row for each binding that a subordinate may expose.",
        "Configurable Service Dispatch",
    ),
    "decode-row-order": Rule(
        "Decode rows are filled from the first one on and ascend by their matches, so "
        "equivalent rows are no choice.",
        "Configurable Service Dispatch",
    ),
    "decode-match-fields": Rule(
        "A decode row has one value for each match field that its endpoint declares.",
        "Configurable Service Dispatch",
    ),
    "decode-match-empty": Rule(
        "Some address lies in all matches of a decode row.",
        "Configurable Service Dispatch",
    ),
    "decode-range": Rule(
        "A range has a positive size, and its end is representable.",
        "Configurable Service Dispatch",
    ),
    "decode-prefix": Rule(
        "A prefix has from 0 to 64 bits, and zeros behind them.",
        "Configurable Service Dispatch",
    ),
    "decode-address-space": Rule(
        "An address space that is matched has 32 bits.",
        "Configurable Service Dispatch",
    ),
    "decode-context": Rule(
        "A context that is matched has 64 bits.",
        "Configurable Service Dispatch",
    ),
    "decode-overlap": Rule(
        "A request of a subordinate matches at most one of its decode rows.",
        "Configurable Service Dispatch",
    ),
    "decode-target": Rule(
        "A decode row selects a member of its endpoint's target domain.",
        "Configurable Service Dispatch",
    ),
    "decode-offset-unused": Rule(
        "An endpoint without a transform adds no offset.",
        "Configurable Service Dispatch",
    ),
    "decode-offset-range": Rule(
        "A base offset has 64 bits.",
        "Configurable Service Dispatch",
    ),
    "op-count-limit": Rule(
        "A realised fabric has at most 1024 datapath resources.",
        "Concrete Capability Rules",
        kind="unsupported",
    ),
    "op-field-limit": Rule(
        "The configuration field of a realised datapath resource has at most 16384 bits.",
        "Concrete Capability Rules",
        kind="unsupported",
    ),
    "configuration-bit-limit": Rule(
        "The configuration of a realised fabric has at most 65536 bits.",
        "Concrete Capability Rules",
        kind="unsupported",
    ),
    "fabric-wire-limit": Rule(
        "The payloads, tags and handshakes of all channels of a realised fabric have at most "
        "65000 wires into it.",
        "Concrete Capability Rules",
        kind="unsupported",
    ),
    "multiple-memories": Rule(
        "This generator realises fabrics of one memory at most.",
        "Legal Occurrence Forms",
        kind="unsupported",
    ),
    "manager-protocol": Rule(
        "The protocol of managers is one for which there is an adapter.",
        "docs/managers.md",
        kind="unsupported",
    ),
    "manager-protocol-width": Rule(
        "A manager over AXI4 has beats of at most 1024 bits.",
        "docs/managers.md",
        kind="unsupported",
    ),
    "manager-protocol-operation": Rule(
        "What the alternatives of a port may ask of a manager is there in its protocol: over AXI4 "
        "plain loads and stores.",
        "docs/managers.md",
        kind="unsupported",
    ),
    "subordinate-protocol": Rule(
        "The protocol of subordinates is one for which there is an adapter.",
        "docs/subordinates.md",
        kind="unsupported",
    ),
    "subordinate-protocol-width": Rule(
        "A subordinate over AXI4 has beats of at most 1024 bits, one over AXI4-Lite of 32 or 64.",
        "docs/subordinates.md",
        kind="unsupported",
    ),
    "subordinate-protocol-match": Rule(
        "A subordinate over AXI4-Lite, which has no user signals, matches addresses alone.",
        "docs/subordinates.md",
        kind="unsupported",
    ),
    "manager-beat-width": Rule(
        "The beat of a realised manager is a power of two of whole bytes, at most 4096 bits.",
        "Memory Spaces And Interfaces",
        kind="unsupported",
    ),
    "issue-lanes": Rule(
        "A port issues at least one lane of a firing a cycle.",
        "Persistent Capability Schema",
        kind="unsupported",
    ),
    "resident-context-limit": Rule(
        "A realised Temporal engine has at most 64 resident contexts.",
        "Temporal Ports And Resident Capacity",
        kind="unsupported",
    ),
    "tag-width-limit": Rule(
        "A realised Physical Tag has at most 64 bits.",
        "Temporal Ports And Resident Capacity",
        kind="unsupported",
    ),
    "beat-field-width": Rule(
        "Each field of a beat fits its width in the stream of the endpoint.",
        "Configurable Service Dispatch",
    ),
    "beat-protocol": Rule(
        "A beat of a workload is one that the bus before its subordinate can carry: a read or a "
        "write at a multiple of its bytes, of some byte; over AXI4-Lite a read of all bytes from "
        "one on.",
        "docs/subordinates.md",
    ),
    "subordinate-binding-limit": Rule(
        "The subordinates of a configured memory expose at most 256 bindings.",
        "Configurable Service Dispatch",
        kind="unsupported",
    ),
    "subordinate-beat-width": Rule(
        "The beat of a realised subordinate is a power of two of whole bytes, at most 4096 bits.",
        "Memory Spaces And Interfaces",
        kind="unsupported",
    ),
    "subordinate-manager-dispatch": Rule(
        "A realised subordinate reaches the local service and no manager.",
        "Configurable Service Dispatch",
        kind="unsupported",
    ),
    "subordinate-synchronisation": Rule(
        "To a realised subordinate the local service serves plain loads and stores alone; the "
        "patterns of a capability say which ports and subordinates it serves, all if absent.",
        "Local Memory Service",
        kind="unsupported",
    ),
    "subordinate-queue-limit": Rule(
        "A realised subordinate has at most 1024 requests in the service.",
        "Local Memory Service",
        kind="unsupported",
    ),
    "decode-offset-unaligned": Rule(
        "With the implementation option aligned_bases a base offset is a multiple of the beat of "
        "its subordinate.",
        "Configurable Service Dispatch",
        kind="unsupported",
    ),
    "endpoint-width-limit": Rule(
        "A token of a realised endpoint has at most 16384 bits.",
        "Endpoint Width Ownership And Vector Admission",
        kind="unsupported",
    ),
    "index-width-limit": Rule(
        "An index has at most 64 bits.", "Persistent Capability Schema", kind="unsupported"
    ),
    "port-depth-limit": Rule(
        "Queues and result stores of a realised port have from 1 to 4096 entries; a Temporal "
        "operand has 1 or more, and there is a result ring per row.",
        "Operation Rows And Internal Dependencies",
        kind="unsupported",
    ),
    "projection-access-form": Rule(
        "ActiveLanesRowMajor is for contiguous and indexed accesses; a fence is always Direct.",
        "Persistent Capability Schema",
    ),
    "projection-granularity": Rule(
        "Absent and WholePayload atomics are Direct, PerLane ones ActiveLanesRowMajor.",
        "Persistent Capability Schema",
    ),
    "region-mmio": Rule(
        "This generator realises storage regions only, no device registers.",
        "Local Memory Service",
        kind="unsupported",
    ),
    "consistency-progress": Rule(
        "The promised progress of a local provider is one that capacities and grants allow.",
        "Dynamic Consistency Execution",
        kind="unsupported",
    ),
    "atomic-rmw": Rule(
        "The read-modify-writes of the realised local service are those of integers.",
        "Dynamic Consistency Execution",
        kind="unsupported",
    ),
    "port-unserved": Rule(
        "Some access of each port is served by one of its targets.",
        "Local Memory Service",
        kind="unsupported",
    ),
    "element-width-not-bytes": Rule(
        "Realised memory elements are whole bytes.", "Operation Engine", kind="unsupported"
    ),
    "aligned-element-size": Rule(
        "The option aligned_bases needs elements of a power of two of bytes.",
        "Local Memory Service",
        kind="unsupported",
    ),
    "aligned-pointers": Rule(
        "The option aligned_bases says nothing about pointers, so no port that has them for "
        "elements of more than a byte may rely on it.",
        "Canonical Engine Definition",
        kind="unsupported",
    ),
    "pointer-format-limit": Rule(
        "A realised port has pointers of at most 64 pairs of representation and address bits.",
        "Canonical Engine Definition",
        kind="unsupported",
    ),
    "access-modes": Rule(
        "A realised port has at most 64 pairs of address form and element width.",
        "Operation Engine",
        kind="unsupported",
    ),
    "access-beats": Rule(
        "A realised access touches at most 128 beats of each target.",
        "Local Memory Service",
        kind="unsupported",
    ),
    "mixed-beat-widths": Rule(
        "A realised service has one beat width.", "Local Memory Service", kind="unsupported"
    ),
    "beat-width": Rule(
        "A realised beat is a power of two of whole bytes.",
        "Local Memory Service",
        kind="unsupported",
    ),
    "bank-limit": Rule(
        "A realised service has at most 64 banks.", "Local Memory Service", kind="unsupported"
    ),
    "bank-count": Rule(
        "A realised service has a power of two of banks.",
        "Local Memory Service",
        kind="unsupported",
    ),
    "bank-ports": Rule(
        "A realised bank serves one read and one write a cycle.",
        "Local Memory Service",
        kind="unsupported",
    ),
    "bank-function": Rule(
        "The realised bank function is interleaved.", "Local Memory Service", kind="unsupported"
    ),
    "service-capacity-limit": Rule(
        "A realised service has at most 2**32 bytes.", "Local Memory Service", kind="unsupported"
    ),
    "port-contract-shape": Rule(
        "A realised port's states are Context, InFlight, ResultHolding and one operand "
        "queue per input role.",
        "Operation Rows And Internal Dependencies",
        kind="unsupported",
    ),
    "port-contract-unlike": Rule(
        "A realised port's contract differs from the generated one in capacities only.",
        "Operation Rows And Internal Dependencies",
        kind="unsupported",
    ),
    "service-contract-shape": Rule(
        "A realised service's states are Port and Queue per requester, the banks, and Outstanding.",
        "Local Memory Service",
        kind="unsupported",
    ),
    "service-contract-unlike": Rule(
        "A realised service's contract differs from the generated one in capacities and "
        "grant policy only.",
        "Local Memory Service",
        kind="unsupported",
    ),
}
