"""Codes of the ``author`` layer: what people write, and the files that it lies in."""

from fabricgen.errors.catalog.rule import Rule

__all__ = ["RULES"]

_CAPABILITY = "Persistent Capability Schema"
_DISPATCH = "Configurable Service Dispatch"
_ENGINE = "Canonical Engine Definition"
_FABRIC = "docs/guide.md, A fabric"
_GUIDE = "docs/guide.md"
_MACRO = "docs/guide.md, Memory macros"
_MAPPING = "docs/guide.md, A mapping"
_ROWS = "Operation Rows And Internal Dependencies"
_SERVICE = "Local Memory Service"
_WIDTH = "Endpoint Width Ownership And Vector Admission"
_WORKLOAD = "docs/guide.md, A workload"

RULES: dict[str, Rule] = {
    "macro-name": Rule(
        "A macro's module and its pins have names that Verilog can say, each pin its own.", _MACRO
    ),
    "macro-shape": Rule(
        "A macro has 2, 4, 8, ... words, and whole mask bits in each of them.", _MACRO
    ),
    "file-unreadable": Rule("A named input is a file that can be read.", _GUIDE),
    "file-unwritable": Rule("An output goes where it can be written.", _GUIDE),
    "not-utf8": Rule("A document is UTF-8 text.", _GUIDE),
    "toml-syntax": Rule("A document is TOML 1.0.", _GUIDE),
    "unknown-key": Rule(
        "A table has only the keys that the document's schema names; json-schema prints it.",
        _GUIDE,
    ),
    "missing-key": Rule("Every fact of the hardware is written down; none has a default.", _GUIDE),
    "document-kind": Rule(
        "A command gets a fabric, a mapping and a workload, each in its place.", _GUIDE
    ),
    "wrong-type": Rule("A value has the type that the document's schema names.", _GUIDE),
    "unknown-value": Rule("A choice is one of the words that are listed for it.", _GUIDE),
    "value-out-of-range": Rule("A number lies within the bounds of its field.", _GUIDE),
    "list-length": Rule(
        "A list has as many items as its field describes; one that describes hardware is not "
        "empty.",
        _GUIDE,
    ),
    "text-format": Rule(
        "Names are letters, digits and single separators, since files and ports carry them; "
        "numbers in text are hexadecimal.",
        _GUIDE,
    ),
    "duplicate-value": Rule("A value stands in a set once.", _FABRIC),
    "constant-value": Rule("A constant has either numbers or exact bits.", _MAPPING),
    "constant-type": Rule("A constant is a number or a vector of numbers.", _MAPPING),
    "constant-lanes": Rule(
        "A scalar constant is one number, one of a vector a number for each lane.", _MAPPING
    ),
    "constant-range": Rule("A number fits the type of its constant.", _MAPPING),
    "duplicate-name": Rule("A name stands for one thing within its list.", _ENGINE),
    "unknown-name": Rule("A name that is referred to is declared.", _ENGINE),
    "resources-and-contract": Rule(
        "A port or service has capacities of the realised contract, or a contract of its own.",
        _CAPABILITY,
    ),
    "duplicate-state-key": Rule("States of one contract have distinct names.", _CAPABILITY),
    "duplicate-capacity-dimension-key": Rule(
        "Capacity dimensions of one state have distinct names.", _CAPABILITY
    ),
    "duplicate-resource-transition-key": Rule(
        "Transitions of one contract have distinct names.", _CAPABILITY
    ),
    "duplicate-event-key": Rule("Events of one contract have distinct names.", _CAPABILITY),
    "duplicate-timing-contract-key": Rule(
        "Timing contracts of one contract have distinct names.", _CAPABILITY
    ),
    "duplicate-requester-key": Rule("Requesters of one contract have distinct names.", _CAPABILITY),
    "duplicate-eligibility-key": Rule(
        "Eligibility conditions of one contract have distinct names.", _CAPABILITY
    ),
    "duplicate-use-pattern-key": Rule(
        "A name of use patterns stands for one of them or, throughout a Temporal port, for one of "
        "each context in their order.",
        _CAPABILITY,
    ),
    "unknown-capacity-dimension-key": Rule(
        "A dimension that a claim names belongs to the state that it names.", _CAPABILITY
    ),
    "unknown-use-pattern-key": Rule(
        "A projection belongs to a use pattern of the port's contract.", _CAPABILITY
    ),
    "context-count": Rule(
        "Every port of a Temporal memory has the memory's resident contexts.",
        "Temporal Ports And Resident Capacity",
    ),
    "active-lanes-limit": Rule(
        "A realised walk has at most 16384 lanes.",
        "Persistent Capability Schema",
        kind="unsupported",
    ),
    "target-merge": Rule(
        "One alternative of the normal form has one set of targets, so what is written in parts "
        "has the same in each.",
        "Configurable Service Dispatch",
    ),
    "missing-memory-capability-contract": Rule(
        "Shorthand determines complete port records: its group has every fact that they need.",
        "OperationSchema Ownership And Fail-Closed Boundary",
    ),
    "shorthand-and-inventory": Rule(
        "Shorthand stands in the place of endpoints and ports, never beside them.",
        "OperationSchema Ownership And Fail-Closed Boundary",
    ),
    "group-fact-unused": Rule(
        "A group has facts of those ports alone that it stands for.",
        _FABRIC,
    ),
    "port-without-alternative": Rule("A port has at least one capability alternative.", _ENGINE),
    "operand-depth-roles": Rule(
        "Every input role of a port has an operand queue with a declared depth.", _ROWS
    ),
    "alignment-not-power-of-two": Rule("An alignment is a power of two of bytes.", _CAPABILITY),
    "mapping-of-another-fabric": Rule("A mapping names the fabric that it is for.", _MAPPING),
    "port-mapped-twice": Rule(
        "A Spatial port hosts at most one operation in a configuration.", "Spatial Ports"
    ),
    "row-address-form": Rule(
        "A row's addresses are element indices or complete pointers, never both.", _ENGINE
    ),
    "role-inactive": Rule("A mapping speaks of the active roles of a row only.", _ROWS),
    "binding-region": Rule("A memory binding lies in a region of the local service.", _DISPATCH),
    "binding-outside-region": Rule("A memory binding lies inside its region.", _DISPATCH),
    "row-binding-target": Rule(
        "An addressed row's target is the service of its binding.",
        _DISPATCH,
    ),
    "row-outside-binding": Rule("A row that goes through a binding starts inside it.", _DISPATCH),
    "exposure-count": Rule(
        "A subordinate exposes at most as many bindings as it declares.",
        _DISPATCH,
    ),
    "exposure-address": Rule(
        "Without a transform, requests carry the addresses that the binding has in its service.",
        _DISPATCH,
    ),
    "exposure-outside-binding": Rule(
        "Addresses that are matched lie inside the binding that is exposed.",
        _DISPATCH,
    ),
    "connection-not-eligible": Rule(
        "An internal edge takes a connection that the fabric declares between its endpoints.",
        _ROWS,
    ),
    "edge-repeated": Rule("An internal edge is written at most once at each end.", _MAPPING),
    "data-file-broken": Rule("A data file is whole and of the kind that is named.", _WORKLOAD),
    "data-file-shape": Rule("A data file holds numbers in a usable shape.", _WORKLOAD),
    "element-too-wide": Rule(
        "An element fits its width, a mask lane one bit, a control token none; data may be "
        "negative in two's complement.",
        _WIDTH,
    ),
    "token-shape": Rule("A token has as many lanes as the row is configured for.", _WIDTH),
    "token-incomplete": Rule(
        "Elements fill whole tokens, or a pad says what completes the last one.", _WORKLOAD
    ),
    "pad-unused": Rule("A pad is given only where elements are packed.", _WORKLOAD),
    "stream-without-row": Rule("Tokens go to, and are expected from, active rows.", _ROWS),
    "request-repeated": Rule("A subordinate has one list of beats.", _WORKLOAD),
    "stream-repeated": Rule("An endpoint, or a tag of it, has one stream.", _WORKLOAD),
    "stream-tag": Rule(
        "A stream has a tag exactly at an endpoint of a Temporal memory.",
        "Temporal Ports And Resident Capacity",
    ),
    "stream-internal": Rule(
        "A role with an internal source takes no tokens from outside, and a result that is not "
        "exposed gives none.",
        _ROWS,
    ),
    "stream-missing": Rule("A row that gets tokens gets them for all its operands.", _WORKLOAD),
    "fill-without-operand": Rule("A fill follows the other operands of its row.", _WORKLOAD),
    "image-outside-capacity": Rule(
        "Initial contents lie within the capacity of the service.", _SERVICE
    ),
    "image-overlap": Rule("Images of one memory do not overlap.", _WORKLOAD),
}
