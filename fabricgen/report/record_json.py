"""Records as plain JSON values, for people and scripts; the bytes stay the authority."""

import enum
from dataclasses import fields, is_dataclass

from fabricgen.atoms.unsigned import UnsignedDomain

__all__ = ["record_json"]


def record_json(value: object) -> object:
    """Spell a record: classes by name, enums by their word, domains as ``[lower, upper]``."""
    match value:
        case UnsignedDomain(intervals):
            return [[interval.lower, interval.upper] for interval in intervals]
        case enum.Enum():
            return value.name.lower()
        case tuple():
            return [record_json(item) for item in value]
        case None | bool() | int() | str():
            return value
        case _ if is_dataclass(value) and not isinstance(value, type):
            named = {field.name: record_json(getattr(value, field.name)) for field in fields(value)}
            return {"record": type(value).__name__, **named}
        case _:
            raise TypeError(f"Value must be part of a record, not {value!r}")
