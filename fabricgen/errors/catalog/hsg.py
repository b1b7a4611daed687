"""Codes of the ``hsg`` layer."""

from fabricgen.errors.catalog.rule import Rule

__all__ = ["RULES"]

RULES: dict[str, Rule] = {
    "family-unknown": Rule(
        "A concrete resource names exactly one registered implementation family.",
        "Concrete Capability Rules",
    ),
    "op-list-empty": Rule(
        "A concrete resource enables at least one operation.",
        "Concrete Capability Rules",
    ),
    "op-list-not-canonical": Rule(
        "Enabled operations are a set in registry order.",
        "Concrete Capability Rules",
    ),
    "op-outside-family": Rule(
        "Every enabled operation is a member of the resource's family.",
        "Concrete Capability Rules",
    ),
    "op-gep-enabled": Rule(
        "A resource of today omits LLVMGetElementPtr: its parameters bound neither layout "
        "nor indices of an address.",
        "Initial Scalar Compute Families",
    ),
    "op-unreachable": Rule(
        "Parameters and ports admit at least one exact actor of each enabled operation.",
        "Concrete Capability Rules",
    ),
    "op-not-enabled": Rule(
        "An actor is admitted only where its operation is enabled.",
        "Concrete Capability Rules",
    ),
    "resource-params-schema": Rule(
        "hw_params is the record that the family's descriptor names.",
        "Normative Family Registry",
    ),
    "resource-port-count": Rule(
        "A resource has exactly the ports of its family's roles.",
        "Concrete Capability Rules",
    ),
    "port-range": Rule(
        "A port's width is a 32-bit number of bits.",
        "Concrete Capability Rules",
    ),
    "timing-range": Rule(
        "Latency is a 32-bit number of cycles, an initiation interval at least one cycle.",
        "Concrete Capability Rules",
    ),
    "params-width-class": Rule(
        "One-bit integers exist only where a family's width set has them.",
        "Normative Family Registry",
    ),
    "params-element-missing": Rule(
        "Integer widths and float formats are not both empty.",
        "Normative Family Registry",
    ),
    "params-compare-rounding": Rule(
        "The profile of a floating-point comparator has nearest even as its only rounding mode.",
        "Normative Family Registry",
    ),
    "params-accuracy-needs-afn": Rule(
        "An accuracy guarantee other than CorrectlyRounded needs afn among the required "
        "permissions.",
        "Initial Special-Math Families",
    ),
    "params-format-pair": Rule(
        "A float width cast changes the width.",
        "Initial Scalar Compute Families",
    ),
    "params-capacity": Rule(
        "Capacities, counts and ranks are 32-bit numbers, positive where the record says so.",
        "Initial Fixed-Vector Compute Families",
    ),
    "params-capacity-order": Rule(
        "A slice fits its container, a block fits operand and result.",
        "Initial Fixed-Vector Compute Families",
    ),
    "params-index-widths": Rule(
        "Index widths stand exactly where dynamic positions do.",
        "Initial Fixed-Vector Compute Families",
    ),
    "pointer-format-orphan": Rule(
        "Pointer formats stand only where LLVMGetElementPtr is enabled.",
        "Initial Scalar Compute Families",
    ),
    "predicate-orphan": Rule(
        "A declared predicate serves an enabled operation.",
        "Concrete Capability Rules",
    ),
    "predicate-missing": Rule(
        "A comparison has predicates; a minimum has OLT and a maximum OGT.",
        "Concrete Capability Rules",
    ),
    "nan-behavior-orphan": Rule(
        "An offered NaN behaviour serves an enabled operation.",
        "Concrete Capability Rules",
    ),
    "cast-pair-orphan": Rule(
        "A declared pair of widths or formats serves an enabled operation.",
        "Concrete Capability Rules",
    ),
    "index-width-orphan": Rule(
        "A declared index width serves an enabled index cast and one of its pairs.",
        "Concrete Capability Rules",
    ),
    "admission-scalar": Rule(
        "A scalar family admits scalar actors only.",
        "Initial Fixed-Vector Compute Families",
    ),
    "admission-vector": Rule(
        "A fixed-vector family admits fixed-vector actors only; a select's condition too is "
        "a vector.",
        "Initial Fixed-Vector Compute Families",
    ),
    "admission-width": Rule(
        "The integer width of an actor is one of the resource's.",
        "Concrete Capability Rules",
    ),
    "admission-format": Rule(
        "The floating-point format of an actor is one of the resource's.",
        "Concrete Capability Rules",
    ),
    "admission-predicate": Rule(
        "The predicate of an actor is one of the resource's.",
        "Concrete Capability Rules",
    ),
    "admission-index-width": Rule(
        "The resolved index width of an actor is one of the resource's.",
        "Concrete Capability Rules",
    ),
    "admission-cast-pair": Rule(
        "The directed pair of a conversion is one of the resource's.",
        "Concrete Capability Rules",
    ),
    "admission-rounding": Rule(
        "The rounding mode of an actor is offered; an absent mode is nearest even.",
        "Concrete Capability Rules",
    ),
    "admission-subnormal": Rule(
        "Subnormals are preserved, since no actor permits that they are flushed.",
        "Concrete Capability Rules",
    ),
    "admission-fast-math": Rule(
        "An actor permits whatever the datapath needs permission for.",
        "Concrete Capability Rules",
    ),
    "admission-accuracy": Rule(
        "The resource is at least as accurate as the actor accepts.",
        "Initial Special-Math Families",
    ),
    "admission-step": Rule(
        "A stream's step is the one step of the resource.",
        "Initial Loop Control Families",
    ),
    "admission-payload-type": Rule(
        "A token carries a signless integer, a float, a fixed vector of either, a pointer, "
        "or nothing.",
        "Initial Adapter And Token Families",
    ),
    "admission-capacity": Rule(
        "A flattened payload, slice or block fits the resource's capacity.",
        "Initial Fixed-Vector Compute Families",
    ),
    "admission-port-width": Rule(
        "A value fits the physical port that carries it, under ordered port correspondence.",
        "Concrete Capability Rules",
    ),
    "admission-fan": Rule(
        "A routed token has at most the resource's number of lanes.",
        "Initial Adapter And Token Families",
    ),
    "admission-lane-room": Rule(
        "Each lane of a routed token has a physical lane of its own that is wide enough.",
        "Initial Adapter And Token Families",
    ),
    "admission-position-rank": Rule(
        "A position has at most the resource's number of dynamic indices.",
        "Initial Fixed-Vector Compute Families",
    ),
    "admission-block-count": Rule(
        "A shuffle has at most the resource's source and result blocks.",
        "Initial Fixed-Vector Compute Families",
    ),
    "lane-image": Rule(
        "A correspondence of lanes takes the lowest unused port of a class of equal "
        "effective width.",
        "Initial Adapter And Token Families",
    ),
    "lanes-not-routed": Rule(
        "Only a routed token has physical lanes to choose.",
        "Initial Adapter And Token Families",
    ),
    "lane-count": Rule(
        "A correspondence names one physical lane for each software lane.",
        "Initial Adapter And Token Families",
    ),
    "semantic-keys-too-many": Rule(
        "A finite semantic field has at most 4,096 keys here, those of a fabric 65,536.",
        "Initial Adapter And Token Families",
        kind="unsupported",
    ),
    "semantic-key-unknown": Rule(
        "The bytes of a semantic key are those of a key of the resource.",
        "Concrete Capability Rules",
    ),
    "carrier-pad": Rule(
        "A Direct carrier has exactly its bytes, pad bits zero.",
        "Initial Fixed-Vector Compute Families",
    ),
}
