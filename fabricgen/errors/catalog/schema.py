"""Codes of the ``schema`` layer."""

from fabricgen.errors.catalog.rule import Rule

__all__ = ["RULES"]

RULES: dict[str, Rule] = {
    "access-view-range": Rule(
        "Element width, lane count and index width of an access are positive 64-bit integers.",
        "Persistent Capability Schema",
    ),
    "access-view-overflow": Rule(
        "The widths of an access's tokens are checked products below 2**64.",
        "Persistent Capability Schema",
    ),
    "access-view-alignment": Rule(
        "A byte alignment is a non-zero power of two.",
        "Persistent Capability Schema",
    ),
    "access-view-lanes": Rule(
        "An element access has one lane.",
        "Persistent Capability Schema",
    ),
    "access-view-mask": Rule(
        "An element access carries no lane mask.",
        "Endpoint Width Ownership And Vector Admission",
    ),
    "operation-unknown": Rule(
        "An operation is named by its registered schema; aliases are normalised before.",
        "Ownership",
    ),
    "value-type-range": Rule(
        "A value type has positive widths and extents, and its total width fits 32 bits.",
        "Ownership",
    ),
    "value-type-text": Rule(
        "A type is written as it is printed: i32, bf16, index64, none, vector<2x4xi8>, "
        "ptr64 or ptr64<1,48>.",
        "Ownership",
    ),
    "payload-range": Rule(
        "The semantic payload of an operation holds only values that its case defines.",
        "Ownership",
    ),
    "payload-accuracy-needs-afn": Rule(
        "An accuracy tier other than CorrectlyRounded needs the afn permission on the operation.",
        "Initial Special-Math Families",
    ),
    "actor-payload-case": Rule(
        "An actor carries the semantic payload case that its schema owns.",
        "Ownership",
    ),
    "actor-shape": Rule(
        "Operands, results and payload of an actor agree as its operation defines.",
        "Ownership",
    ),
    "actor-payload-flag": Rule(
        "A schema that admits only the flagged form has its flag set; the unflagged form is "
        "normalised to the standard schema.",
        "Initial Scalar Compute Families",
    ),
    "actor-rounding": Rule(
        "A rounding mode stands only on an operation whose result may be rounded.",
        "Ownership",
    ),
    "access-view-pointer": Rule(
        "A pointer of an access has a format exactly where it is one, and the width of its "
        "representation.",
        "Persistent Capability Schema",
    ),
    "actor-contract-kind": Rule(
        "An actor carries the variant of the memory contract that its schema owns.",
        "OperationSchema Ownership And Fail-Closed Boundary",
    ),
    "load-ordering": Rule(
        "An atomic load is not Release or AcqRel.",
        "Persistent Capability Schema",
    ),
    "store-ordering": Rule(
        "An atomic store is not Acquire or AcqRel.",
        "Persistent Capability Schema",
    ),
    "rmw-ordering": Rule(
        "An atomic read-modify-write is not Unordered.",
        "Persistent Capability Schema",
    ),
    "compare-exchange-success-ordering": Rule(
        "The success ordering of a compare-exchange is not Unordered.",
        "Persistent Capability Schema",
    ),
    "compare-exchange-failure-ordering": Rule(
        "The failure ordering of a compare-exchange is Monotonic, Acquire or SeqCst.",
        "Persistent Capability Schema",
    ),
    "fence-ordering": Rule(
        "A fence is Acquire, Release, AcqRel or SeqCst.",
        "Persistent Capability Schema",
    ),
    "sync-scope-target": Rule(
        "No registered resolver knows a Target scope, so neither actor nor capability has one.",
        "Persistent Capability Schema",
    ),
    "fence-access": Rule(
        "A fence has no access view.",
        "Typed C++ Projection",
    ),
    "access-missing": Rule(
        "An addressed actor has an access view.",
        "Typed C++ Projection",
    ),
    "plain-alignment": Rule(
        "A plain access derives alignment one.",
        "Persistent Capability Schema",
    ),
    "atomic-alignment": Rule(
        "An atomic access has the source alignment of its actor's contract.",
        "Persistent Capability Schema",
    ),
    "atomic-pointer-data": Rule(
        "Of the actors that synchronise, only loads have pointers as data.",
        "Persistent Capability Schema",
    ),
    "atomic-granularity-form": Rule(
        "An Absent or WholePayload atomic is an element access, a PerLane one has lanes.",
        "Persistent Capability Schema",
    ),
    "atomic-element-width": Rule(
        "An atomic object has a power of two of bits, at least 8.",
        "Persistent Capability Schema",
    ),
}
