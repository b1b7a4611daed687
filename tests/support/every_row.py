"""A mapping row of each actor for the document with every key; its one port has one at a time."""

from tests.support.documents import toml

_ELEMENT = {
    "form": "element",
    "lanes": 1,
    "mask": "absent",
    "pattern": "direct",
}
_LANES = {
    "form": "contiguous",
    "element_bits": 32,
    "lanes": 2,
    "mask": "dynamic",
    "index_bits": 32,
    "pattern": "walk",
    "alignment": 4,
    "sync_scope": "system",
    "granularity": "per_lane",
}
WHERE = {"name": "row", "port": "any", "target": "local"}
BASED = WHERE | {"base": 64}
POINTER = {"address_space": 0, "representation_bits": 64, "address_bits": 48}

#: Rows by what they do.
EVERY_ROW = {
    "chase": WHERE
    | {
        "load": _ELEMENT
        | {
            "element_bits": 64,
            "pointer": POINTER,
            "data_pointer": {"address_space": 1, "representation_bits": 64, "address_bits": 64},
            "volatile": True,
        }
    },
    "flag": BASED
    | {
        "load": _ELEMENT
        | {
            "element_bits": 32,
            "index_bits": 32,
            "alignment": 8,
            "atomic": {"ordering": "acquire", "sync_scope": "system", "granularity": "absent"},
        }
    },
    "scatter": BASED
    | {
        "store": {
            "form": "indexed",
            "element_bits": 16,
            "lanes": 4,
            "mask": "dynamic",
            "index_bits": 32,
            "pattern": "walk",
        }
    },
    "count": BASED | {"rmw": _LANES | {"kind": "umax", "ordering": "acq_rel"}},
    "swap": BASED | {"cmpxchg": _LANES | {"orderings": ["seq_cst", "monotonic"], "weak": False}},
    "order": WHERE
    | {"fence": {"ordering": "seq_cst", "sync_scope": "system", "pattern": "direct"}},
}


def row_text(row):
    """The mapping document of one row."""
    return toml({"fabric": "every-key", "memory": {"engine": {"row": [row]}}})
