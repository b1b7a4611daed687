"""Small good documents as plain values, and the TOML text of changed ones."""

import copy
import json
import re
import tomllib
from pathlib import Path

LITTLE = Path(__file__).parent / "little"
OPS = Path(__file__).parent / "ops.toml"
EVERY_KEY = Path(__file__).parent / "every_key" / "fabric.toml"


def fabric_document():
    """One read port (element, or four masked words) and one write port on 1 KiB in two banks."""
    return tomllib.loads((LITTLE / "fabric.toml").read_text())


def mapping_document():
    """Reads words one by one; writes masked vectors of four."""
    return tomllib.loads((LITTLE / "mapping.toml").read_text())


def every_key_document():
    """Memories of each kind, with every key that a legal fabric document can have."""
    return tomllib.loads(EVERY_KEY.read_text())


def ops_document():
    """A document of datapath resources alone, one for each parameter record."""
    return tomllib.loads(OPS.read_text())


def changed(document, at, value=None):
    """A copy with one value replaced; ``None`` deletes the key. ``at`` is a list of keys."""
    copied = copy.deepcopy(document)
    table = copied
    for key in at[:-1]:
        table = table[key]
    if value is None:
        del table[at[-1]]
    else:
        table[at[-1]] = value
    return copied


def toml(document):
    """TOML text of plain values; everything below the top level is inline."""
    return "".join(f"{_key(key)} = {_inline(value)}\n" for key, value in document.items())


def _inline(value):
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            return json.dumps(value)
        case list():
            return "[" + ", ".join(map(_inline, value)) + "]"
        case dict():
            return "{ " + ", ".join(f"{_key(k)} = {_inline(v)}" for k, v in value.items()) + " }"
        case _:
            raise TypeError(f"No TOML for {value!r}")


def _key(key):
    return key if re.fullmatch("[A-Za-z0-9_-]+", key) else json.dumps(key)
