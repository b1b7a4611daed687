"""Codes of the ``records`` layer."""

from fabricgen.errors.catalog.rule import Rule

__all__ = ["RULES"]

RULES: dict[str, Rule] = {
    "manager-ordinal-range": Rule(
        "A manager ordinal is an unsigned 64-bit integer.",
        "Configurable Service Dispatch",
    ),
    "subordinate-binding-bound": Rule(
        "A subordinate endpoint exposes at least one binding, and a bounded number of them.",
        "Configurable Service Dispatch",
    ),
    "subordinate-match-order": Rule(
        "Match fields are a sorted set.",
        "Configurable Service Dispatch",
    ),
    "subordinate-match-missing": Rule(
        "Several configured bindings need a match field that tells them apart.",
        "Configurable Service Dispatch",
    ),
    "subordinate-target-order": Rule(
        "A target domain is a non-empty sorted set.",
        "Configurable Service Dispatch",
    ),
    "resource-scalar-range": Rule(
        "Every number of a resource contract is an unsigned 32-bit integer.",
        "Persistent Capability Schema",
    ),
    "initial-occupancy-exceeds-capacity": Rule(
        "A dimension starts with at most its capacity taken.",
        "Persistent Capability Schema",
    ),
    "timing-contract-event-domain": Rule(
        "A timing contract ranks each event of its contract exactly once.",
        "Persistent Capability Schema",
    ),
    "timing-contract-does-not-order-use": Rule(
        "The ranks of acquire, commit and release do not fall, in this order.",
        "Persistent Capability Schema",
    ),
    "unknown-state-key": Rule(
        "A claim names a state of its own contract.",
        "Persistent Capability Schema",
    ),
    "undeclared-claim": Rule(
        "A claim names a dimension that the state which it claims declares.",
        "Persistent Capability Schema",
    ),
    "unknown-resource-transition-key": Rule(
        "A commit names a transition of its own contract.",
        "Persistent Capability Schema",
    ),
    "unknown-timing-contract-key": Rule(
        "A use pattern names a timing contract of its own contract.",
        "Persistent Capability Schema",
    ),
    "unknown-requester-key": Rule(
        "Use patterns and grant policy name requesters of their own contract.",
        "Persistent Capability Schema",
    ),
    "unknown-eligibility-key": Rule(
        "A use pattern names an eligibility of its own contract.",
        "Persistent Capability Schema",
    ),
    "unknown-event-key": Rule(
        "A use pattern acquires, commits and releases at events of its own contract.",
        "Persistent Capability Schema",
    ),
    "unknown-claim-key": Rule(
        "An internal transaction names claims of its own use pattern.",
        "Persistent Capability Schema",
    ),
    "duplicate-claim-key": Rule(
        "Claims of one use pattern have distinct names, and an internal transaction has each once.",
        "Persistent Capability Schema",
    ),
    "claim-key-order": Rule(
        "An internal transaction is a set of claims of its pattern, in ascending order.",
        "Persistent Capability Schema",
    ),
    "duplicate-capacity-claim": Rule(
        "A use pattern claims one dimension of one state once, with its whole amount.",
        "Persistent Capability Schema",
    ),
    "claim-empty": Rule(
        "A claim takes at least one unit.",
        "Persistent Capability Schema",
    ),
    "claim-exceeds-capacity": Rule(
        "A claim and what is taken at reset fit the capacity of its dimension together.",
        "Persistent Capability Schema",
    ),
    "capacity-arithmetic-overflow": Rule(
        "Initial occupancy and one claim together stay within 32 bits.",
        "Persistent Capability Schema",
    ),
    "duplicate-requester-in-grant-policy": Rule(
        "A grant policy orders each requester once.",
        "Persistent Capability Schema",
    ),
    "requester-omitted-from-grant-policy": Rule(
        "A grant policy orders every requester of its contract.",
        "Persistent Capability Schema",
    ),
    "contention-without-grant-policy": Rule(
        "Two requesters that claim one capacity need a grant policy; there is no default. Ports "
        "are the requesters of a local service: a fabric document says round_robin or "
        "fixed_priority in its local.resources.grant.",
        "Persistent Capability Schema",
    ),
    "grant-policy-without-contention": Rule(
        "A grant policy is absent where no two requesters claim one capacity.",
        "Persistent Capability Schema",
    ),
    "dispatch-target-order": Rule(
        "Each capability alternative of a port has a non-empty sorted set of targets.",
        "Configurable Service Dispatch",
    ),
    "connection-endpoint-range": Rule(
        "An internal connection names endpoints by unsigned 64-bit ordinals.",
        "Configurable Service Dispatch",
    ),
    "connection-order": Rule(
        "Internal connections are a sorted set.",
        "Configurable Service Dispatch",
    ),
    "endpoint-width-range": Rule(
        "The payload width of an endpoint is an unsigned 64-bit number of bits.",
        "Spatial Ports",
    ),
    "endpoint-tag-width-range": Rule(
        "A tagged endpoint has a positive tag width; an untagged one has none.",
        "Temporal Ports And Resident Capacity",
    ),
    "service-endpoint-beat-width": Rule(
        "The beat of a manager or subordinate endpoint has a positive width.",
        "Memory Spaces And Interfaces",
    ),
    "access-address-domain": Rule(
        "The address form selects the variant of the address domain.",
        "Persistent Capability Schema",
    ),
    "access-not-positive": Rule(
        "Index widths, element widths and lane counts are positive.",
        "Persistent Capability Schema",
    ),
    "access-element-lanes": Rule(
        "An element access class has the lane count one.",
        "Persistent Capability Schema",
    ),
    "access-element-mask": Rule(
        "An element access class carries no mask.",
        "Persistent Capability Schema",
    ),
    "access-mask-pair": Rule(
        "An absent mask pairs exactly with NotApplicable, a dynamic mask with a suppressing value.",
        "Persistent Capability Schema",
    ),
    "access-pointer-width": Rule(
        "Elements of a class that admits a data pointer have exactly its representation's width.",
        "Persistent Capability Schema",
    ),
    "clause-schema-mismatch": Rule(
        "Every clause is a variant of the memory contract that its actor schema owns.",
        "Persistent Capability Schema",
    ),
    "clause-field-count": Rule(
        "A clause has exactly the fields of its variant.",
        "Persistent Capability Schema",
    ),
    "alternative-fence-access": Rule(
        "The access domain is absent exactly for a fence.",
        "Persistent Capability Schema",
    ),
    "alternative-role-foreign": Rule(
        "A role binding lists roles of its actor schema only.",
        "Persistent Capability Schema",
    ),
    "alternative-role-twice": Rule(
        "A role binding lists each role once.",
        "Persistent Capability Schema",
    ),
    "alternative-roles": Rule(
        "A role binding lists every maximal role of its actor schema exactly once, in role order.",
        "Persistent Capability Schema",
    ),
    "alternative-mask-role": Rule(
        "The mask role is bound exactly when some access class admits a dynamic mask.",
        "Persistent Capability Schema",
    ),
    "alternative-endpoint-range": Rule(
        "An endpoint ordinal is an unsigned 64-bit integer.",
        "Persistent Capability Schema",
    ),
    "alternative-result-endpoints": Rule(
        "Result roles of one alternative are bound to distinct endpoints.",
        "Persistent Capability Schema",
    ),
    "alternative-use-patterns": Rule(
        "Use-pattern keys are a non-empty sorted set of unsigned 32-bit integers.",
        "Persistent Capability Schema",
    ),
    "alternative-read-subword": Rule(
        "Read subword values are NotApplicable exactly for an actor schema that does not read.",
        "Persistent Capability Schema",
    ),
    "alternative-write-subword": Rule(
        "Write subword values are NotApplicable exactly for an actor schema that does not write.",
        "Persistent Capability Schema",
    ),
    "alternative-inactive-lanes": Rule(
        "A dynamic mask needs SuppressAndZeroFill of an actor that reads, and Suppress of "
        "one that only writes.",
        "Persistent Capability Schema",
    ),
    "capability-alternative-overlap": Rule(
        "One actor, access and use pattern is admitted by one alternative only; the "
        "authoring door merges alternatives of one role binding.",
        "Persistent Capability Schema",
    ),
    "capability-alternative-subsumed": Rule(
        "No alternative admits only what another one admits, under the same role binding.",
        "Persistent Capability Schema",
    ),
    "port-endpoints": Rule(
        "An endpoint inventory is a non-empty sorted set of unsigned 64-bit ordinals.",
        "Persistent Capability Schema",
    ),
    "port-endpoint-foreign": Rule(
        "Every bound endpoint belongs to the inventory of its port.",
        "Persistent Capability Schema",
    ),
    "reference-kind": Rule(
        "A reference is of the kind that a view asks for, never a bare number.",
        "Typed C++ Projection",
    ),
    "reference-owner": Rule(
        "A reference is resolved by its own owner only.",
        "Typed C++ Projection",
    ),
    "reference-ordinal": Rule(
        "A reference names one entry of its owner's inventory.",
        "Typed C++ Projection",
    ),
    "reference-connection": Rule(
        "A reference to an internal connection names a pair of endpoints that its template has.",
        "Canonical Engine Definition",
    ),
    "view-not-admitted": Rule(
        "Active roles are derived for actors and accesses that the alternative admits.",
        "Typed C++ Projection",
    ),
    "port-pattern-count": Rule(
        "There is one pattern semantics per use pattern of the resource contract.",
        "Persistent Capability Schema",
    ),
    "port-pattern-unknown": Rule(
        "A use-pattern key names a use pattern of its own port.",
        "Persistent Capability Schema",
    ),
    "port-pattern-unreachable": Rule(
        "Every use pattern is admitted by at least one capability alternative.",
        "Persistent Capability Schema",
    ),
    "port-direct-transactions": Rule(
        "A Direct pattern has exactly one internal transaction.",
        "Persistent Capability Schema",
    ),
    "port-fence-projection": Rule(
        "A fence selects Direct patterns only.",
        "Persistent Capability Schema",
    ),
    "port-atomic-projection": Rule(
        "Absent and WholePayload atomics select Direct patterns, PerLane ones ActiveLanesRowMajor.",
        "Persistent Capability Schema",
    ),
    "port-active-lanes-form": Rule(
        "ActiveLanesRowMajor is legal only for contiguous or indexed access.",
        "Persistent Capability Schema",
    ),
    "port-active-lanes-transactions": Rule(
        "An ActiveLanesRowMajor pattern has one internal transaction per lane of the widest "
        "access that selects it, and no more.",
        "Persistent Capability Schema",
    ),
    "service-use-pattern-order": Rule(
        "A service capability names a non-empty sorted set of use patterns.",
        "Local Memory Service",
    ),
    "service-use-pattern-unknown": Rule(
        "A service capability names use patterns of its own contract.",
        "Local Memory Service",
    ),
    "service-capability-region-order": Rule(
        "A service capability names a sorted set of regions.",
        "Local Memory Service",
    ),
    "service-capability-regions": Rule(
        "An addressed capability names at least one region; a fence names none.",
        "Local Memory Service",
    ),
    "service-region-unknown": Rule(
        "Region ordinals index the regions of the containing contract.",
        "Local Memory Service",
    ),
    "service-beat-width": Rule(
        "The beat of an addressed capability has a positive width; that of a fence has width 0.",
        "Local Memory Service",
    ),
    "service-capability-empty": Rule(
        "A service has at least one capability.",
        "Local Memory Service",
    ),
    "service-capability-order": Rule(
        "Capabilities stand in the order of their complete bytes, each once; the authoring door "
        "normalises their relation.",
        "Local Memory Service",
    ),
    "service-capability-overlap": Rule(
        "No two capabilities admit one concrete actor and access.",
        "Local Memory Service",
    ),
    "region-base-range": Rule(
        "The base of a region is an unsigned 64-bit address.",
        "Local Memory Service",
    ),
    "region-size-range": Rule(
        "A region has at least one byte.",
        "Local Memory Service",
    ),
    "region-end-overflow": Rule(
        "Base and size of a region add up to an unsigned 64-bit number.",
        "Local Memory Service",
    ),
    "region-merge-widens": Rule(
        "Adjacent regions of one behaviour are one region, so a capability names all of them or "
        "none.",
        "Local Memory Service",
    ),
    "service-region-behavior": Rule(
        "Regions that overlap do not behave differently: each address has one behaviour.",
        "Local Memory Service",
    ),
    "service-region-access": Rule(
        "Every region that a capability selects accepts its complete access domain.",
        "Local Memory Service",
    ),
    "service-region-empty": Rule(
        "A service has at least one region.",
        "Local Memory Service",
    ),
    "service-region-order": Rule(
        "Regions are sorted by address and disjoint.",
        "Local Memory Service",
    ),
    "service-region-unmerged": Rule(
        "Adjacent regions of one behaviour are merged.",
        "Local Memory Service",
    ),
    "service-capacity-range": Rule(
        "A local service has a positive unsigned 64-bit number of bytes.",
        "Local Memory Service",
    ),
    "consistency-bound-range": Rule(
        "Bounded progress has a positive number of cycles, or ticks of its clock.",
        "Local Memory Service",
    ),
    "consistency-domain-reference": Rule(
        "A system domain, its participants and its clock are referred to by production bytes.",
        "Local Memory Service",
    ),
    "consistency-participant-empty": Rule(
        "A consistency domain has at least one participant.", "Local Memory Service"
    ),
    "consistency-participant-order": Rule(
        "The participants of a consistency domain are sorted by kind and reference, each once.",
        "Local Memory Service",
    ),
    "system-service-local-provider": Rule(
        "A System memory service rejects a LocalProvider binding.", "Local Memory Service"
    ),
    "consistency-binding-missing": Rule(
        "None is legal only where every admitted clause is plain.", "Local Memory Service"
    ),
    "local-service-system-domain": Rule(
        "A Local Memory Service rejects a SystemDomain binding.", "Local Memory Service"
    ),
    "engine-ports-empty": Rule(
        "An operation engine has at least one operation port.",
        "Canonical Engine Definition",
    ),
    "engine-context-count": Rule(
        "A Temporal engine has a positive number of resident contexts that fits 64 bits.",
        "Temporal Ports And Resident Capacity",
    ),
    "fabric-magic": Rule(
        "A .fabric file starts with the bytes FABRICG and a zero.",
        "docs/wire.md, File",
    ),
    "fabric-version": Rule(
        "A .fabric file has a format version that this generator reads.",
        "docs/wire.md, File",
    ),
    "fabric-name-text": Rule(
        "Names in a .fabric file are UTF-8 text.",
        "docs/wire.md, File",
    ),
    "fabric-section-json": Rule(
        "The names and implementation options of a .fabric file are canonical JSON.",
        "docs/wire.md, File",
    ),
    "fabric-section-shape": Rule(
        "The names and implementation options of a .fabric file have exactly the documented keys "
        "and types.",
        "docs/wire.md, File",
    ),
}
