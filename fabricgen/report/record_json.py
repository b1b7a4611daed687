"""Records as plain JSON values, for people and scripts; the bytes stay the authority."""

import enum
import hashlib
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.hsg.registry import family_keyword
from fabricgen.hsg.resource import FabricOp
from fabricgen.records import engine_codec
from fabricgen.records.engine_inventory import engine_template_inventory
from fabricgen.records.fabric import Fabric
from fabricgen.vocab.words import word

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["fabric_json", "record_json"]


def fabric_json(fabric: Fabric) -> dict[str, object]:
    """Spell a fabric, and which of its memories share an engine template.

    ``engine_templates`` has one entry per template in canonical order: the SHA-256 of its bytes
    and the names of its memories.
    """
    inventory = engine_template_inventory(each.occurrence for each in fabric.memories)
    templates = [
        {
            "sha256": hashlib.sha256(engine_codec.encode(template)).hexdigest(),
            "memories": [fabric.memories[i].name for i in inventory.occurrences(reference)],
        }
        for reference, template in zip(inventory.references(), inventory.templates, strict=True)
    ]
    return {"record": "Fabric", **_fields(fabric), "engine_templates": templates}


def record_json(value: object) -> object:
    """Spell a record: classes by name, enums by their word, domains as ``[lower, upper]``."""
    match value:
        case UnsignedDomain(intervals):
            return [[interval.lower, interval.upper] for interval in intervals]
        case enum.Flag():
            return [word(each) for each in value]
        case FabricOp():
            own = {
                "family": family_keyword(value.family),
                "op_list": list(map(word, value.op_list)),
            }
            return {"record": "FabricOp", **_fields(value), **own}
        case enum.Enum():
            return value.name.lower()
        case tuple():
            return [record_json(item) for item in value]
        case None | bool() | int() | str():
            return value
        case _ if is_dataclass(value) and not isinstance(value, type):
            return {"record": type(value).__name__, **_fields(value)}
        case _:
            raise TypeError(f"Value must be part of a record, not {value!r}")


def _fields(value: "DataclassInstance") -> dict[str, object]:
    return {field.name: record_json(getattr(value, field.name)) for field in fields(value)}
